//! `podium run grade-snapshots`: grades what the runs of a group had at each time.

use std::path::PathBuf;

use podium_runner::RunGroup;

use crate::arguments::Shared;
use crate::commands::grade;
use crate::exit::Exit;
use crate::failure::{Failure, WithError};
use crate::shell_word::shell_path;
use crate::{interrupt, output};

/// The folder in the group's folder.
const FOLDER: &str = "over-time";

/// What `podium run grade-snapshots` is told.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER)]
pub(crate) struct Arguments {
    /// The folder of the run group
    group: PathBuf,
    /// The folder that the list, the report and the receipts are written into [default: over-time/ in the group's folder]
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
}

const AFTER: &str = "\
`podium experiment report DIR` draws the curves, over all run groups whose folders are named.";

/// Lists every snapshot of the finished runs with its time, and grades the list.
///
/// # Errors
/// A folder that is no run group; one without a finished run; what grading says.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let list = RunGroup::snapshot_list(&arguments.group)?;
    if list.is_empty() {
        let group = arguments.group.display();
        return Err(Failure::new(Exit::Missing, format!("no run of {group} has left anything"))
            .hint(format!(
                "`podium run status {}` says how they stand",
                shell_path(&arguments.group)
            )));
    }
    let folder = arguments.output_dir.clone().unwrap_or_else(|| arguments.group.join(FOLDER));
    std::fs::create_dir_all(&folder).map_err(|error| Failure::cannot_write(&folder, &error))?;
    let path = folder.join(podium_runner::group::SUBMISSIONS);
    podium::write_over(&path, list.as_bytes())?;
    let graded =
        grade::grade(&grade::Arguments::of(path, folder), shared, interrupt::cancellation()?)?;
    match shared.json {
        true => output::print_json(&WithError::new(&graded.group, graded.failure.as_ref()))?,
        false => output::print(&grade::in_words(&graded.group))?,
    }
    Ok(grade::conclude(graded.path.as_deref(), graded.failure.as_ref()))
}
