//! What `podium doctor` says of NVIDIA's container toolkit: hooks of old versions read variables of an image, and let it run
//! code on the host.
//!
//! Asks the toolkit's own programs for their version and runs nothing else.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::Check;

/// The programs of the toolkit, which all tell its version; the first that is there is asked.
const PROGRAMS: [&str; 2] = ["nvidia-container-toolkit", "nvidia-ctk"];

/// Versions below this one let an image run code on the host (CVE-2025-23266).
const SAFE: Version = Version { numbers: [1, 17, 8], is_final: true };

/// How long a program has to tell its version.
const PATIENCE: Duration = Duration::from_secs(3);

/// No program says more of its version.
const MOST_BYTES: u64 = 4 << 10;

/// A version; one before the final one of its numbers is lower than that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    numbers: [u32; 3],
    is_final: bool,
}

/// The line of the toolkit.
pub(super) fn look() -> Check {
    check(PROGRAMS.into_iter().find_map(|program| Some((program, said_by(program)?))))
}

/// The line for what a program of the toolkit said, or where there is none.
fn check(said: Option<(&str, String)>) -> Check {
    let name = "gpu toolkit";
    let update = "update the NVIDIA Container Toolkit to 1.17.8 or newer";
    let Some((program, said)) = said else {
        return Check::warning(
            name,
            "not installed",
            "only agents that use GPUs need it: install the NVIDIA Container Toolkit, 1.17.8 or newer",
        );
    };
    let first_line = said.lines().next().unwrap_or_default().trim();
    // What follows names commits and parts.
    match version_in(first_line) {
        Some(version) if version >= SAFE => Check::ok(name, first_line),
        Some(_) => Check::warning(
            name,
            format!("{first_line}: an image can take over the host (CVE-2025-23266)"),
            update,
        ),
        None => Check::warning(
            name,
            format!("unknown version: `{program} --version` says {first_line:?}"),
            "see to it that it is 1.17.8 or newer: before, an image can take over the host (CVE-2025-23266)",
        ),
    }
}

/// What a program says of its version, as far as it does in time; `None` where there is no such program.
fn said_by(program: &str) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    let mut child = command.spawn().ok()?;
    let said = first_bytes(&mut child);
    end(&mut child);
    Some(said)
}

/// Ends a program, and what it has started: a script that hangs does so over another program, most of the time. That they
/// are gone already is fine.
fn end(child: &mut Child) {
    // Its number is that of its group, and nobody else's while it has not been waited for.
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let _ = group.map(|group| kill_process_group(group, Signal::KILL));
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn first_bytes(child: &mut Child) -> String {
    let Some(stdout) = child.stdout.take() else { return String::new() };
    let (sender, receiver) = mpsc::channel();
    // A program may leave its stdout open for ever, so the reading is left alone when the time is over.
    thread::spawn(move || {
        let mut stdout = stdout.take(MOST_BYTES);
        let mut piece = [0; 512];
        while let Ok(count @ 1..) = stdout.read(&mut piece) {
            if sender.send(piece[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    let end = Instant::now() + PATIENCE;
    let mut said = Vec::new();
    while let Ok(piece) = receiver.recv_timeout(end.saturating_duration_since(Instant::now())) {
        said.extend(piece);
    }
    String::from_utf8_lossy(&said).into_owned()
}

/// The first version in a text: `NVIDIA Container Toolkit CLI version 1.17.8`.
fn version_in(text: &str) -> Option<Version> {
    text.split_whitespace().find_map(|word| {
        let word = word.trim_matches(|character: char| ",;()\"".contains(character));
        let word = word.strip_prefix('v').unwrap_or(word);
        let number = |part: &str| {
            let is_number = !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit());
            is_number.then(|| part.parse::<u32>().ok()).flatten()
        };
        let (core, rest) = word.split_at(word.find(['-', '+', '~']).unwrap_or(word.len()));
        let mut parts = core.split('.').map(number);
        let numbers = [parts.next()??, parts.next()??, parts.next()??];
        // `-1` counts packages of a version; `-rc.1` comes before it.
        let comes_before = rest.starts_with(['-', '~'])
            && rest[1..].starts_with(|character: char| character.is_ascii_alphabetic());
        parts.next().is_none().then_some(Version { numbers, is_final: !comes_before })
    })
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_program_that_hangs_leaves_nothing_running() {
        use std::os::unix::fs::PermissionsExt;
        use std::os::unix::process::CommandExt;
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("toolkit");
        // The one that it waits for says who it is.
        let text = "#!/bin/sh\nsh -c 'echo $$; sleep 600; echo late'\n";
        std::fs::write(&script, text).unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o700)).unwrap();
        let mut child =
            Command::new(&script).process_group(0).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = std::io::BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        std::io::BufRead::read_line(&mut said, &mut line).unwrap();
        assert!(line.trim().parse::<u32>().is_ok(), "{line}");
        end(&mut child);
        // Its stdout is closed once it is gone, too: else this would wait for it.
        let mut rest = String::new();
        said.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
    }

    #[test]
    fn toolkits_before_the_fix_are_warned_of() {
        for (text, state, part) in [
            ("NVIDIA Container Toolkit CLI version 1.17.8\ncommit: 1.0.0", State::Ok, "1.17.8"),
            ("NVIDIA Container Runtime Hook version 1.17.8-1", State::Ok, "1.17.8-1"),
            ("nvidia-ctk version v1.18.0-rc.1", State::Ok, "1.18.0"),
            ("version 2.0.0", State::Ok, "2.0.0"),
            ("version 1.17.8-rc.1", State::Warning, "CVE-2025-23266"),
            ("version 1.17.7", State::Warning, "CVE-2025-23266"),
            ("version 1.9.12", State::Warning, "CVE-2025-23266"),
            ("version 1.9.0", State::Warning, "CVE-2025-23266"),
            ("no number here", State::Warning, "unknown version"),
            ("version 1.17", State::Warning, "unknown version"),
            ("version 1.17.8.9", State::Warning, "unknown version"),
            ("version 1.99999999999.0", State::Warning, "unknown version"),
            ("", State::Warning, "unknown version"),
        ] {
            let check = check(Some(("nvidia-ctk", text.to_owned())));
            assert_eq!(check.state, state, "{text}");
            assert!(check.found.contains(part), "{text}: {}", check.found);
        }
        let none = check(None);
        assert_eq!((none.state, none.found.as_str()), (State::Warning, "not installed"));
    }
}
