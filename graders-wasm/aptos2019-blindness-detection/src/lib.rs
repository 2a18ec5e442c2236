//! Quadratic weighted kappa of `diagnosis`, eyes matched by `id_code`.

use podium_grader::families::classes::with_recalls;
use podium_grader::frame::match_rows_of_same_set;
use podium_grader::{Direction, Failure, Frame, Grader, Score, metrics};

struct Aptos2019BlindnessDetection;

impl Grader for Aptos2019BlindnessDetection {
    const COMPETITION: &'static str = "aptos2019-blindness-detection";
    const METRIC: &'static str = "quadratic weighted kappa";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id_code", "diagnosis"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) =
            match_rows_of_same_set("id_code", &["diagnosis"], submission, answers)?;
        let (predicted, truth) = (submission.column("diagnosis")?, answers.column("diagnosis")?);
        let score = Score::new(metrics::quadratic_kappa(predicted, truth)?)
            .with("accuracy", metrics::accuracy(truth, predicted)?);
        with_recalls(score, truth, predicted)
    }
}

podium_grader::export!(Aptos2019BlindnessDetection);
