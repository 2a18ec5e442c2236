//! The validation endpoint: says whether a submission can be graded, and why not. Never a score.
//!
//! One service a run, on a Unix socket of its own; the forwarder in the container relays `localhost:5000` to it. Where the
//! engine does not see the socket, the connections are carried by the engine. Each
//! request has a file of its own. The reply depends on whether the submission is valid, and for invalid ones on the
//! grader's message, which never depends on the answers' values.

mod reply;
mod service;

pub use service::{Validator, serve};
