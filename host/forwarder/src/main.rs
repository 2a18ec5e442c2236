//! What Podium puts into an agent's container: starts the agent, and relays `localhost:5000` to the host, and
//! `localhost:3128` where the host has a proxy for this run.
//!
//! It is mounted read-only into images that may have no shell and no libraries, so it is linked statically and uses the
//! standard library alone. It holds no knowledge: whatever it relays is answered by the host, at the other end of a Unix
//! socket. What each verb does is in the module of its name.

#![forbid(unsafe_code)]

mod carry;
mod exchange;
mod frames;
mod host;
mod launch;
mod serve;
mod validate;

use std::ffi::OsString;
use std::process::ExitCode;

/// Where the host mounts this program.
const PROGRAM: &str = "/podium/forwarder";

/// Where the host's socket lies, on which it validates.
const SOCKET: &str = "/podium/socket/validation.sock";

/// Where the host's other socket lies, if the agent may reach anything.
const PROXY_SOCKET: &str = "/podium/socket/egress.sock";

/// Where carriers connect, in a container on another machine than the host.
const CARRIERS: &str = "/podium/socket/carriers.sock";

const USAGE: &str = "podium-forwarder launch COMMAND… | launch-carried COMMAND… | launch-carried-with-egress COMMAND… | detach VERB | serve | exchange [with-egress] | carry | validate SUBMISSION";

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let verb = arguments.next().unwrap_or_default();
    let rest: Vec<OsString> = arguments.collect();
    let done = match verb.to_str() {
        Some("launch") => launch::run(&rest),
        Some("launch-carried") => launch::run_carried(&rest, false),
        Some("launch-carried-with-egress") => launch::run_carried(&rest, true),
        Some("detach") => launch::detach(&rest),
        Some("exchange") => exchange::run(&rest),
        Some("carry") => carry::run(),
        Some("serve") => serve::run(),
        Some("validate") => validate::run(&rest),
        _ => Err((2, format!("usage: {USAGE}"))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err((code, message)) => {
            eprintln!("podium: {message}");
            ExitCode::from(code)
        }
    }
}

/// What a verb comes to: nothing, or an exit code and what to say.
type Done = Result<(), (u8, String)>;
