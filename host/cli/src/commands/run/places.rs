//! Where agents and the static programs for containers lie: beside the program, or in the checkout that built it; and
//! which engine runs them unless somebody says otherwise.

use std::path::{Path, PathBuf};

use podium_runner::{Hosts, Programs};

use crate::exit::Exit;
use crate::failure::Failure;

/// The folder of the static programs.
pub(super) fn programs() -> Programs {
    // target/release/podium and target/runner/, or podium and runner/.
    Programs(expected("runner", &["runner", "../runner"]))
}

/// The engine that the environment names, else the local one.
pub(super) fn hosts() -> Result<Hosts, Failure> {
    Ok(Hosts::from_environment(|name| std::env::var(name).ok())?)
}

/// The hosts file that the environment names.
pub(super) fn hosts_file() -> Option<PathBuf> {
    std::env::var_os("PODIUM_HOSTS").filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// The folder of an agent, and the variant: `ID`, `ID/VARIANT`, `FOLDER`, `FOLDER/VARIANT`.
pub(super) fn agent(
    named: &str,
    folders: &[PathBuf],
) -> Result<(PathBuf, Option<String>), Failure> {
    let expected = [expected("agents", &["agents", "../agents", "../../agents"])];
    let folders = if folders.is_empty() { &expected } else { folders };
    let find = |named: &str| {
        let is_path = named.contains(std::path::is_separator);
        let own = [PathBuf::new()];
        let folders = if is_path { own.as_slice() } else { folders };
        folders
            .iter()
            .map(|folder| folder.join(named))
            .find(|folder| folder.join(podium_runner::agent::DEFINITION_FILE).is_file())
    };
    if let Some(folder) = find(named) {
        return Ok((folder, None));
    }
    if let Some((agent, variant)) = named.rsplit_once(std::path::is_separator)
        && let Some(folder) = find(agent)
    {
        return Ok((folder, Some(variant.to_owned())));
    }
    if named.contains(std::path::is_separator) {
        return Ok((named.into(), None));
    }
    let searched: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    Err(Failure::new(
        Exit::Missing,
        format!("there is no agent `{named}` in {}", searched.join(", ")),
    )
    .hint("name its folder, or the folder of agents with --agents or PODIUM_AGENTS"))
}

fn expected(name: &str, relative: &[&str]) -> PathBuf {
    let program = std::env::current_exe().and_then(std::fs::canonicalize).unwrap_or_default();
    let beside = program.parent().unwrap_or(Path::new("."));
    let candidates = relative.iter().map(|relative| beside.join(relative));
    candidates.into_iter().find(|candidate| candidate.is_dir()).unwrap_or_else(|| beside.join(name))
}
