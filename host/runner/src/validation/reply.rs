//! What the endpoint replies, in the words that agents of MLE-bench have learned to look for.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::CONTENT_TYPE;
use hyper::{Response, StatusCode};
use podium::{Outcome, Validation};
use serde_json::{Value, json};

/// The longest message in characters.
const LONGEST: usize = 2_000;

/// A reply with a JSON body, as Flask writes it: with a line end.
pub(super) fn json(status: StatusCode, body: &Value) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(format!("{body}\n"))));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("application/json"));
    response
}

/// Something that is wrong with a request.
pub(super) fn refused(status: StatusCode, why: &str) -> Response<Full<Bytes>> {
    json(status, &json!({ "error": why }))
}

/// The verdict, as status and body.
pub(super) fn verdict(validation: &Validation) -> (StatusCode, Value) {
    if validation.valid {
        return (StatusCode::OK, json!({ "result": "Submission is valid." }));
    }
    match validation.outcome {
        Outcome::InvalidSubmission | Outcome::NoSubmission => {
            let message = validation.message.as_deref().unwrap_or("it cannot be graded");
            (StatusCode::OK, json!({ "result": format!("Submission invalid! {}", fit(message)) }))
        }
        // What went wrong here may depend on the answers, so nothing of it is told.
        _ => (
            StatusCode::INTERNAL_SERVER_ERROR,
            json!({
                "error": "An unexpected error occurred.",
                "details": "The submission could not be checked, which says nothing about it."
            }),
        ),
    }
}

/// A message without control characters, cut where it is too long.
fn fit(message: &str) -> String {
    let mut text: String = message
        .chars()
        .take(LONGEST)
        .map(|character| match character {
            '\n' | '\t' => character,
            other if other.is_control() => '\u{fffd}',
            other => other,
        })
        .collect();
    if message.chars().nth(LONGEST).is_some() {
        text.push_str(" …");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn validation(valid: bool, outcome: Outcome, message: Option<&str>) -> Validation {
        Validation {
            valid,
            outcome,
            failure: None,
            message: message.map(str::to_owned),
            hint: None,
            warnings: vec!["a warning".to_owned()],
        }
    }

    /// Threat 5: any two valid submissions get the same reply.
    /// Threat 6: what may come from the answers is not told.
    #[test]
    fn the_reply_tells_the_verdict_and_nothing_else() {
        let (status, body) = verdict(&validation(true, Outcome::Scored, None));
        assert_eq!((status, body), (StatusCode::OK, json!({"result": "Submission is valid."})));
        let (status, body) =
            verdict(&validation(false, Outcome::InvalidSubmission, Some("no column `id`")));
        assert_eq!(
            (status, body["result"].as_str()),
            (StatusCode::OK, Some("Submission invalid! no column `id`"))
        );
        for outcome in [Outcome::GraderFailed, Outcome::InvalidAnswers, Outcome::NotPrepared] {
            let (status, body) = verdict(&validation(false, outcome, Some("the answer is 42")));
            assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
            assert!(!body.to_string().contains("42"), "{body}");
        }
    }

    /// Threat 6: a reply is not long.
    #[test]
    fn messages_are_cut_and_harmless() {
        let long = "x\u{1b}".repeat(5_000);
        let (_, body) = verdict(&validation(false, Outcome::InvalidSubmission, Some(&long)));
        let text = body["result"].as_str().unwrap();
        assert!(text.chars().count() < 2_100 && !text.contains('\u{1b}'));
    }
}
