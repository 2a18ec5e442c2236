//! `podium grader remove`: takes components out of the component store.

use podium::Digest;
use serde::Serialize;

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{graders, output};

/// What `podium grader remove` is told.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Components, by their digests or the beginnings of them; `podium grader list` shows them
    #[arg(required = true, value_name = "DIGEST")]
    components: Vec<String>,
    /// Remove what is pinned as well; the pins stay, and their competitions cannot be graded until they are ended
    #[arg(long)]
    force: bool,
}

/// A removed component in the JSON of `podium grader remove`.
#[derive(Serialize)]
struct Removed {
    sha256: Digest,
    /// The competitions whose pins lead to nothing now.
    pinned_for: Vec<String>,
}

/// Removes them all, or none where one is not there.
///
/// # Errors
/// Digits that stand for no component, or for several; a component that is pinned; files that cannot be removed.
pub(super) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let store = graders::store_to_change(shared)?;
    let mut chosen: Vec<Digest> = Vec::new();
    for text in &arguments.components {
        let sha256 = store.resolve(text)?;
        if !chosen.contains(&sha256) {
            chosen.push(sha256);
        }
    }
    store.check_removable(&chosen, arguments.force)?;
    let mut removed = Vec::new();
    for sha256 in chosen {
        let pinned_for = store.remove(&sha256, arguments.force)?;
        if !shared.json {
            output::print(&format!("removed {}", sha256.prefixed()))?;
        }
        for competition in &pinned_for {
            output::warning_line(&format!(
                "{competition} is pinned to it still and cannot be graded; `podium grader unpin {competition}` ends the pin"
            ));
        }
        removed.push(Removed { sha256, pinned_for });
    }
    if shared.json {
        output::print_json(&removed)?;
    }
    Ok(Exit::Success)
}
