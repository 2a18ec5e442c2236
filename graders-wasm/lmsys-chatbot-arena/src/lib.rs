//! Log loss of the probabilities that model A wins, model B wins, or neither, conversations matched by `id`.

use podium_grader::families::log_loss::{SumsToOne, log_loss_of_classes};
use podium_grader::{Direction, Failure, Frame, Grader, Score};

const OUTCOMES: [&str; 3] = ["winner_model_a", "winner_model_b", "winner_tie"];
/// To so many decimal places the probabilities of a row have to add up to one.
const PLACES: u32 = 6;

struct LmsysChatbotArena;

impl Grader for LmsysChatbotArena {
    const COMPETITION: &'static str = "lmsys-chatbot-arena";
    const METRIC: &'static str = "log loss";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> =
        Some(&["id", "winner_model_a", "winner_model_b", "winner_tie"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        log_loss_of_classes(submission, answers, "id", &OUTCOMES, SumsToOne::Rounded(PLACES))
    }
}

podium_grader::export!(LmsysChatbotArena);
