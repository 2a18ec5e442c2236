//! How well toxic comments are told from others, overall and where identities are mentioned; comments matched by `id`.
//!
//! A quarter each of the area under the ROC curve of all comments and of three power means over the identities of such
//! areas: of the comments that mention the identity (subgroup); of clean ones among these with toxic ones that do not
//! mention it (background positive, subgroup negative); of toxic ones among these with clean ones that do not
//! (background negative, subgroup positive).

use std::cmp::Ordering;

use podium_grader::frame::{Values, align_on};
use podium_grader::{Cell, Column, Direction, Failure, Frame, Grader, Score, metrics};

const IDENTITIES: [&str; 9] = [
    "male",
    "female",
    "homosexual_gay_or_lesbian",
    "christian",
    "jewish",
    "muslim",
    "black",
    "white",
    "psychiatric_or_mental_illness",
];
const POWER: f64 = -5.0;
/// From where on a comment counts as toxic, and as one that mentions an identity.
const CUT: f64 = 0.5;

/// The name of a kind of area, and whether a comment belongs to it, by whether it is toxic and mentions the identity.
type Kind = (&'static str, fn(bool, bool) -> bool);
const KINDS: [Kind; 3] = [
    ("subgroup area", |_, mentions| mentions),
    ("BPSN area", |is_toxic, mentions| is_toxic != mentions),
    ("BNSP area", |is_toxic, mentions| is_toxic == mentions),
];

struct JigsawUnintendedBias;

impl Grader for JigsawUnintendedBias {
    const COMPETITION: &'static str = "jigsaw-unintended-bias-in-toxicity-classification";
    const METRIC: &'static str = "mean of overall and identity-subgroup areas under the ROC curve";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&[
        "id",
        "toxicity",
        IDENTITIES[0],
        IDENTITIES[1],
        IDENTITIES[2],
        IDENTITIES[3],
        IDENTITIES[4],
        IDENTITIES[5],
        IDENTITIES[6],
        IDENTITIES[7],
        IDENTITIES[8],
    ]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_columns(&["id", "toxicity"])?;
        answers.require_columns(&IDENTITIES)?;
        let prediction = prediction_column(submission)?;
        let (submission, answers) = align_on("id", submission, answers)?;

        let toxic = are_above_cut(answers.column("toxicity")?)?;
        let truth = answers.column("toxicity")?.with_values(Values::Bool(toxic.clone()));
        let predicted = submission.column(prediction)?;
        let predicted = predicted.with_values(Values::Bool(are_above_cut(predicted)?));
        let ids = answers.column("id")?;
        let has_repeated_ids = !ids.is_unique();

        let overall = metrics::roc_auc(&truth, &predicted)?;
        let mut score = Score::new(0.0).with("overall area", overall);
        for (kind, belongs) in KINDS {
            let mut powers = 0.0;
            for identity in IDENTITIES {
                let mentions = are_above_cut(answers.column(identity)?)?;
                let rows: Vec<bool> = toxic
                    .iter()
                    .zip(mentions)
                    .map(|(toxic, mentions)| belongs(*toxic, mentions))
                    .collect();
                let of_group = truth.filter(&rows);
                // Predictions are chosen by the ids of the rows; repeated ones choose more of them than there are rows.
                let predictions = if has_repeated_ids {
                    predicted.filter(&ids.is_in(&ids.filter(&rows)))
                } else {
                    predicted.filter(&rows)
                };
                let area = metrics::roc_auc(&of_group, &predictions)?;
                powers += area.powf(POWER);
                score = score.with(format!("{kind} of {identity}"), area);
            }
            let mean = (powers / IDENTITIES.len() as f64).powf(1.0 / POWER);
            score.value += mean / 4.0;
            score = score.with(format!("{kind}, power mean"), mean);
        }
        score.value += overall / 4.0;
        Ok(score)
    }
}

/// The name of the column of predictions: that of the sample submission, or that of the answers.
fn prediction_column(submission: &Frame) -> Result<&'static str, Failure> {
    match (submission.has("prediction"), submission.has("toxicity")) {
        (true, true) => Err(Failure::submission(format!(
            "{} has both columns `prediction` and `toxicity`; one of them is expected",
            submission.name()
        ))),
        (false, true) => Ok("toxicity"),
        _ => submission.require_columns(&["id", "prediction"]).map(|()| "prediction"),
    }
}

/// Which rows hold a number from the cut on. A missing one is below.
fn are_above_cut(column: &Column) -> Result<Vec<bool>, Failure> {
    if let Some(row) = column.cells().position(|cell| cell.text().is_some()) {
        return Err(column.unexpected(row, "a number"));
    }
    let is_above = |cell: Cell<'_>| {
        !cell.is_missing() && cell.python_cmp(Cell::Float(CUT)) != Some(Ordering::Less)
    };
    Ok(column.cells().map(is_above).collect())
}

podium_grader::export!(JigsawUnintendedBias);
