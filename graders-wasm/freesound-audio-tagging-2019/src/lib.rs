//! Label-weighted label-ranking average precision of 80 sounds, clips matched by `fname`.

mod vocabulary;

use podium_grader::frame::{Dtype, Values, align_on};
use podium_grader::metrics::ranking::LabelWeightedRanking;
use podium_grader::metrics::require_finite_numbers;
use podium_grader::{Column, Direction, Failure, Frame, Grader, Role, Score};

use vocabulary::SOUNDS;

struct FreesoundAudioTagging2019;

impl Grader for FreesoundAudioTagging2019 {
    const COMPETITION: &'static str = "freesound-audio-tagging-2019";
    const METRIC: &'static str = "label-weighted label-ranking average precision";
    const DIRECTION: Direction = Direction::HigherIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        require_layout(answers)?;
        require_layout(submission)?;
        let in_file_order = submission.identified_by("fname")?;
        let (submission, answers) = align_on("fname", &in_file_order, answers)?;

        let scores = Scores::of(&submission)?;
        let truth: Vec<Column> = sounds(&answers)?;
        let truth: Vec<_> = truth.iter().map(Column::to_f64).collect::<Result<_, _>>()?;
        let mut ranking = LabelWeightedRanking::new(SOUNDS.len());
        let mut relevant = [false; SOUNDS.len()];
        for row in 0..answers.len() {
            for (relevant, truth) in relevant.iter_mut().zip(&truth) {
                *relevant = truth[row] > 0.0;
            }
            // A clip without sounds is left out before its scores are looked at.
            if relevant.contains(&true) {
                scores.rank(row, &relevant, &mut ranking).or_else(|sound| {
                    // Which clips have a sound must not be told, so the first bad score of all clips is named.
                    sounds(&in_file_order)?.iter().try_for_each(require_finite_numbers)?;
                    Err(submission.column(SOUNDS[sound])?.unexpected(row, "a finite number"))
                })?;
            }
        }
        let value = ranking.score().ok_or_else(|| Failure::answers("no clip has a sound"))?;
        let by_sound = SOUNDS.iter().zip(ranking.by_label());
        Ok(by_sound.fold(Score::new(value), |score, (sound, precision)| match precision {
            Some(precision) => score.with(*sound, precision),
            None => score,
        }))
    }
}

/// Checks that the columns are `fname` and the sounds, in their order.
fn require_layout(table: &Frame) -> Result<(), Failure> {
    let expected = || std::iter::once("fname").chain(SOUNDS);
    if let Some((place, (found, expected))) = table
        .column_names()
        .zip(expected())
        .enumerate()
        .find(|(_, (found, expected))| found != expected)
    {
        return Err(table.role().failure(format!(
            "{}: column {} is `{found}` where `{expected}` is expected; the columns have to be in the order of the sample",
            table.name(),
            place + 1
        )));
    }
    let count = table.column_names().len();
    if count != expected().count() {
        return Err(table.role().failure(format!(
            "{} has {count} columns where `fname` and the {} sounds of the sample are expected",
            table.name(),
            SOUNDS.len()
        )));
    }
    Ok(())
}

/// The columns of the sounds as numbers.
fn sounds(table: &Frame) -> Result<Vec<Column>, Failure> {
    SOUNDS.iter().map(|sound| table.column(sound)?.to_numeric()).collect()
}

/// The scores of all clips, in the one type that the columns have together.
enum Scores {
    /// Whole numbers. scikit-learn ranks by their negatives, which wrap; these are the negatives, negated again.
    Integers(Vec<Vec<i128>>),
    /// Anything else, as floats.
    Floats(Vec<Vec<f64>>),
}

impl Scores {
    fn of(submission: &Frame) -> Result<Scores, Failure> {
        let columns = sounds(submission)?;
        // Numbers are written into the columns as they were read, so that one of objects stays one.
        let all = |dtype: Dtype| submission.columns().skip(1).all(|column| column.dtype() == dtype);
        if all(Dtype::Bool) {
            return Err(
                Role::Submission.failure("all scores are truth values; numbers are expected")
            );
        }
        if all(Dtype::Int64) || all(Dtype::UInt64) {
            let keys = |column: &Column| match column.values() {
                Values::UInt64(values) => {
                    values.iter().map(|value| -i128::from(value.wrapping_neg())).collect()
                }
                Values::Int64(values) => {
                    values.iter().map(|value| -i128::from(value.wrapping_neg())).collect()
                }
                _ => unreachable!("columns of whole numbers stay so"),
            };
            return Ok(Scores::Integers(columns.iter().map(keys).collect()));
        }
        let floats = |column: &Column| Ok(column.to_f64()?.into_owned());
        Ok(Scores::Floats(columns.iter().map(floats).collect::<Result<_, Failure>>()?))
    }

    /// Adds a clip to the ranking; gives the sound whose score is no finite number where there is one.
    fn rank(
        &self,
        row: usize,
        relevant: &[bool],
        ranking: &mut LabelWeightedRanking,
    ) -> Result<(), usize> {
        match self {
            Scores::Integers(columns) => {
                let scores: Vec<i128> = columns.iter().map(|column| column[row]).collect();
                ranking.add(relevant, &scores);
            }
            Scores::Floats(columns) => {
                let scores: Vec<f64> = columns.iter().map(|column| column[row]).collect();
                if let Some(sound) = scores.iter().position(|score| !score.is_finite()) {
                    return Err(sound);
                }
                ranking.add(relevant, &scores);
            }
        }
        Ok(())
    }
}

podium_grader::export!(FreesoundAudioTagging2019);
