//! Quadratic weighted kappa of `diagnosis`, eyes matched by `id_code`.

use podium_grader::frame::require_same_ids;
use podium_grader::{Direction, Failure, Frame, Grader, Score, metrics};

struct Aptos2019BlindnessDetection;

impl Grader for Aptos2019BlindnessDetection {
    const COMPETITION: &'static str = "aptos2019-blindness-detection";
    const METRIC: &'static str = "quadratic weighted kappa";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id_code", "diagnosis"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_columns(&["id_code", "diagnosis"])?;
        submission.require_columns(&["id_code", "diagnosis"])?;
        require_same_ids("id_code", submission, answers)?;
        let submission = submission.sort_by("id_code")?.identified_by("id_code")?;
        let answers = answers.sort_by("id_code")?;
        metrics::quadratic_kappa(submission.column("diagnosis")?, answers.column("diagnosis")?)
            .map(Score::new)
    }
}

podium_grader::export!(Aptos2019BlindnessDetection);
