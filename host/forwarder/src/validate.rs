//! Asks the host whether a submission is valid and prints its reply: what `/home/validate_submission.sh` does.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};

use crate::{Done, host};

const BOUNDARY: &str = "podium-submission-boundary-4f1d2c";

/// Sends the submission, prints the reply.
pub(crate) fn run(arguments: &[OsString]) -> Done {
    let [path] = arguments else {
        return Err((1, "usage: /home/validate_submission.sh SUBMISSION".to_owned()));
    };
    let shown = path.to_string_lossy();
    let file = File::open(path)
        .map_err(|error| (1, format!("the file {shown} cannot be read: {error}")))?;
    let metadata = file
        .metadata()
        .map_err(|error| (1, format!("the file {shown} cannot be read: {error}")))?;
    if !metadata.is_file() {
        return Err((1, format!("{shown} is no file")));
    }
    let name = if shown.to_lowercase().ends_with(".csv") { "submission.csv" } else { "submission" };
    let before = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
         Content-Type: application/octet-stream\r\n\r\n"
    );
    let after = format!("\r\n--{BOUNDARY}--\r\n");
    let length = before.len() as u64 + metadata.len() + after.len() as u64;
    let content_type = format!("multipart/form-data; boundary={BOUNDARY}");
    let mut parts: [&mut dyn Read; 3] =
        [&mut before.as_bytes(), &mut file.take(metadata.len()), &mut after.as_bytes()];
    let reply = host::ask("POST /validate", &content_type, length, &mut parts)
        .map_err(|error| (1, format!("the host does not answer: {error}")))?;
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(&reply.body)
        .and_then(|()| stdout.flush())
        .map_err(|error| (1, error.to_string()))?;
    match reply.status {
        200 => Ok(()),
        status => Err((1, format!("the host replied with status {status}"))),
    }
}
