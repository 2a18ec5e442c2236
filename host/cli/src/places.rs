//! Where competitions, graders and data lie: as the command line says, else where they are expected.
//!
//! Expected are, in this order: `competitions/` and `graders/` beside the program, as it is distributed; in the folder
//! above, for a program in `bin/`; and `competitions/` and `target/graders/` of the checkout that built the program.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use podium::Catalog;

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;

/// The folders that a command works with.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// Folders that hold competition folders, in the order in which they are searched.
    pub(crate) competitions: Vec<PathBuf>,
    /// Folders that hold graders, in the order in which they are searched.
    pub(crate) graders: Vec<PathBuf>,
    /// The folder with the prepared data; it need not exist.
    pub(crate) data: PathBuf,
}

impl Places {
    /// The folders that the command line names, else those that are expected.
    ///
    /// # Errors
    /// A folder that was named and is none; no home folder to look for the data in.
    pub(crate) fn find(shared: &Shared) -> Result<Places, Failure> {
        named_folders("--competitions", &shared.competitions)?;
        named_folders("--graders", &shared.graders)?;
        let expected = expected();
        let or_expected = |named: &[PathBuf], expected: Vec<PathBuf>| {
            if named.is_empty() { expected } else { named.to_vec() }
        };
        Ok(Places {
            competitions: or_expected(&shared.competitions, expected.competitions),
            graders: or_expected(&shared.graders, expected.graders),
            data: match &shared.data_dir {
                Some(folder) => folder.clone(),
                None => default_data()?,
            },
        })
    }

    /// The competitions and graders in these folders.
    pub(crate) fn catalog(&self) -> Catalog {
        Catalog::new(self.competitions.clone(), self.graders.clone())
    }
}

/// The data folder of the reference: `mle-bench/data` in the user's cache folder.
fn default_data() -> Result<PathBuf, Failure> {
    etcetera::base_strategy::choose_native_strategy()
        .map(|folders| folders.cache_dir().join("mle-bench").join("data"))
        .map_err(|_| {
            Failure::new(Exit::Missing, "there is no home folder to look for the data in")
                .hint("name the folder with --data-dir or PODIUM_DATA")
        })
}

fn named_folders(flag: &str, folders: &[PathBuf]) -> Result<(), Failure> {
    match folders.iter().find(|folder| !folder.is_dir()) {
        None => Ok(()),
        Some(folder) => {
            let (exit, what) = match folder.exists() {
                true => (Exit::Files, "is no folder"),
                false => (Exit::Missing, "does not exist"),
            };
            Err(Failure::new(exit, format!("{flag}: {} {what}", folder.display()))
                .hint("give a folder that holds what is looked for, not the thing itself"))
        }
    }
}

struct Expected {
    competitions: Vec<PathBuf>,
    graders: Vec<PathBuf>,
}

/// The folders that exist where they are expected.
fn expected() -> Expected {
    let program = std::env::current_exe().and_then(std::fs::canonicalize).ok();
    let folder = program.as_deref().and_then(Path::parent);
    let mut found = Expected { competitions: Vec::new(), graders: Vec::new() };
    let Some(folder) = folder else { return found };
    let above = folder.parent();
    // target/release/podium: the checkout is two folders up, and its graders are in target/.
    let checkout = above.filter(|target| target.file_name().is_some_and(|name| name == "target"));
    let roots = [Some(folder), above.filter(|_| checkout.is_none())];
    for root in roots.into_iter().flatten() {
        keep(&mut found.competitions, root.join("competitions"));
        keep(&mut found.graders, root.join("graders"));
    }
    if let Some(target) = checkout {
        keep(&mut found.graders, target.join("graders"));
        if let Some(root) = target.parent() {
            keep(&mut found.competitions, root.join("competitions"));
        }
    }
    found
}

fn keep(folders: &mut Vec<PathBuf>, folder: PathBuf) {
    if folder.is_dir() && !folders.contains(&folder) {
        folders.push(folder);
    }
}
