//! Starts the agent: first the relay, then, in the place of this process, the agent's own command.
//!
//! The agent must find the endpoint from its first moment on, its exit code and signals must be its own, and the relay
//! must not be its child. So the relay is started through a process that ends at once, which leaves it to the
//! container's init.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use crate::{Done, PROGRAM, exchange, host, serve};

/// The exit code for an agent that could not be started because of Podium or the machine.
const NOT_STARTED: u8 = 125;

/// The exit code for a command that is not there, as shells have it.
const NO_SUCH_COMMAND: u8 = 127;

/// As [`run`], where the host's sockets are not there and have to be stood in for: that of its proxy, too, where it has one
/// for this run.
pub(crate) fn run_carried(command: &[OsString], has_proxy: bool) -> Done {
    let verb: &[&str] =
        if has_proxy { &["exchange", exchange::WITH_EGRESS] } else { &["exchange"] };
    start(verb)
        .map_err(|why| (NOT_STARTED, format!("the host's sockets cannot be served: {why}")))?;
    run(command)
}

/// Starts the relay, then becomes the agent.
pub(crate) fn run(command: &[OsString]) -> Done {
    let [program, arguments @ ..] = command else {
        return Err((NOT_STARTED, "there is no command to start".to_owned()));
    };
    start(&["serve"])
        .map_err(|why| (NOT_STARTED, format!("the host cannot be relayed to: {why}")))?;
    let reply = host::ask("POST /start", "text/plain", 0, &mut [])
        .map_err(|error| (NOT_STARTED, format!("the host does not answer: {error}")))?;
    if reply.status != 200 {
        return Err((NOT_STARTED, format!("the host refuses to start: {}", reply.status)));
    }
    // The secrets of the agent's environment come this way, so that the engine never sees them.
    let variables = reply.body.split(|byte| *byte == 0).filter_map(|variable| {
        let equals = variable.iter().position(|byte| *byte == b'=')?;
        Some((OsStr::from_bytes(&variable[..equals]), OsStr::from_bytes(&variable[equals + 1..])))
    });
    let error = Command::new(program).args(arguments).envs(variables).exec();
    let program = program.to_string_lossy();
    Err((NO_SUCH_COMMAND, format!("the agent's command `{program}` cannot be started: {error}")))
}

/// Starts what listens, and waits until it does.
fn start(verb: &[&str]) -> Result<(), String> {
    let mut child = Command::new(PROGRAM)
        .arg("detach")
        .args(verb)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut line).map_err(|error| error.to_string())?;
    }
    child.wait().map_err(|error| error.to_string())?;
    match line.trim_end() {
        serve::READY => Ok(()),
        "" => Err("it ended before it listened".to_owned()),
        why => Err(why.to_owned()),
    }
}

/// Starts what listens and ends, which leaves it to the container's init.
pub(crate) fn detach(verb: &[OsString]) -> Done {
    Command::new(PROGRAM)
        .args(verb)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(|_| ())
        .map_err(|error| (NOT_STARTED, error.to_string()))
}
