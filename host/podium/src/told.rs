//! What others said, made into what the host keeps and shows of it: cut, and free of what could steer a terminal.
//!
//! Every text of a grader takes this way, whatever engine the grader ran in; and every name and text out of an archive, a
//! report or a receipt before a person sees it.

use crate::limits::Limits;
use crate::message;
use crate::verdict::{Measure, Verdict};

/// The verdict on a score that a grader gave, with its measures.
pub fn scored(value: f64, measures: impl IntoIterator<Item = (String, f64)>) -> Verdict {
    let measures = measures.into_iter().take(Limits::MEASURES);
    Verdict::Scored {
        value,
        measures: measures
            .map(|(name, value)| Measure {
                name: message::fit(&name, Limits::MEASURE_NAME_CHARACTERS),
                value,
            })
            .collect(),
    }
}

/// The verdict on a submission of which a grader said why it is invalid.
pub fn invalid_submission(text: &str) -> Verdict {
    Verdict::InvalidSubmission(message(text))
}

/// The verdict where a grader said why the answers are.
pub fn invalid_answers(text: &str) -> Verdict {
    Verdict::InvalidAnswers(message(text))
}

/// A message: a remark, the text of a panic, the reason why there is no score.
pub fn message(text: &str) -> String {
    message::fit(text, Limits::MESSAGE_CHARACTERS)
}

/// A text of others as it is shown: whole, with its lines, and with everything escaped that could steer a terminal, or
/// hide or reorder text.
pub fn shown(text: &str) -> String {
    message::fit(text, usize::MAX)
}

/// A name of others as it is shown: as by [`shown`], and on one line.
pub fn shown_name(text: &str) -> String {
    message::fit_line(text, usize::MAX)
}

/// Whether a character could steer a terminal, or hide or reorder text.
pub fn steers(character: char) -> bool {
    message::steers(character)
}
