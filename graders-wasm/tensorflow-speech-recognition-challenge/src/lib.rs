//! Accuracy of the spoken word `label`, recordings matched by `fname`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct TensorflowSpeechRecognition;

impl Grader for TensorflowSpeechRecognition {
    const COMPETITION: &'static str = "tensorflow-speech-recognition-challenge";
    const METRIC: &'static str = "accuracy";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["fname", "label"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::accuracy::accuracy(submission, answers, "fname", "label")
    }
}

podium_grader::export!(TensorflowSpeechRecognition);
