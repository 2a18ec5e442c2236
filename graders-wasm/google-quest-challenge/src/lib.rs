//! Mean Spearman correlation of 30 judgements, questions and answers matched by `qa_id`.
//!
//! The ids only say where a row goes: nothing compares them, so other ids that sort alike grade alike.

mod judgements;

use podium_grader::frame::require_same_length;
use podium_grader::metrics::{self, numeric};
use podium_grader::{Direction, Failure, Frame, Grader, Score};

use judgements::JUDGEMENTS;

struct GoogleQuestChallenge;

impl Grader for GoogleQuestChallenge {
    const COMPETITION: &'static str = "google-quest-challenge";
    const METRIC: &'static str = "mean column-wise Spearman correlation";
    const DIRECTION: Direction = Direction::HigherIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let columns = [&["qa_id"], &JUDGEMENTS[..]].concat();
        answers.require_exact_columns(&columns)?;
        submission.require_exact_columns(&columns)?;
        require_same_length("qa_id", submission, answers)?;
        let submission = submission.sort_by("qa_id")?.identified_by("qa_id")?;
        let answers = answers.sort_by("qa_id")?;
        let correlations: Vec<f64> = JUDGEMENTS
            .iter()
            .map(|name| metrics::spearman(submission.column(name)?, answers.column(name)?))
            .collect::<Result<_, _>>()?;
        let score = Score::new(numeric::mean(&correlations));
        Ok(JUDGEMENTS.iter().zip(correlations).fold(score, |score, (name, correlation)| {
            score.with(format!("Spearman correlation of {name}"), correlation)
        }))
    }
}

podium_grader::export!(GoogleQuestChallenge);
