//! The files that people write for the runner and name on the command line: definitions of agents, configurations, hosts.

use std::io;
use std::path::Path;

use crate::error::Error;

/// The largest such file; what is larger is none of them.
const MOST_BYTES: u64 = 4 << 20;

/// Reads one as text. Pipes and devices are refused, and never waited for.
///
/// # Errors
/// [`Error::Podium`] for what cannot be read or is no regular file, [`Error::File`] for what is no text.
pub(crate) fn read(path: &Path) -> Result<String, Error> {
    let bytes = podium::read_file(path, MOST_BYTES)?;
    String::from_utf8(bytes).map_err(|_| {
        let why = "this is not UTF-8 text; save it as UTF-8";
        Error::file(path)(io::Error::new(io::ErrorKind::InvalidData, why))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Agent, Hosts, RunConfiguration};

    #[test]
    fn nobody_waits_for_a_pipe_or_reads_a_device() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("agent.toml");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let large = folder.path().join("large");
        std::fs::File::create(&large).unwrap().set_len(MOST_BYTES + 1).unwrap();
        let latin = folder.path().join("latin");
        std::fs::write(&latin, b"\xe9").unwrap();
        for (path, part) in [
            (pipe.as_path(), "this is a pipe"),
            (Path::new("/dev/zero"), "this is a device"),
            (folder.path(), "this is a folder"),
            (&large, "more than 4194304 bytes"),
            (&latin, "not UTF-8"),
        ] {
            for said in [
                RunConfiguration::load(path).unwrap_err().to_string(),
                Hosts::load(path).unwrap_err().to_string(),
            ] {
                assert!(said.contains(part), "{said}");
            }
        }
        let said = Agent::load(folder.path()).unwrap_err().to_string();
        assert!(said.contains("this is a pipe"), "{said}");
    }
}
