//! What a command may write over: an earlier output of its own, and nothing that it reads, be it that somebody gave it, or
//! that the command finds it for itself.
//!
//! A path is asked before the work begins, which may take hours, and again before it is written.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use podium::Catalog;

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::places::Places;
use crate::{graders, output, sealing};

/// How much of a file is looked at to tell whether it is an earlier output.
const MOST_BYTES: u64 = 64 << 20;

/// A file that a command is going to write.
pub(crate) struct Target<'a> {
    /// Where to.
    pub(crate) path: &'a Path,
    /// The flag that names it.
    pub(crate) flag: &'static str,
    /// What is written, in words: `page of a regrade`.
    pub(crate) what: &'static str,
    /// Tells an earlier output by its bytes.
    pub(crate) is_earlier: fn(&[u8]) -> bool,
    /// What the command reads: files, and folders with all that is in them.
    pub(crate) inputs: Vec<PathBuf>,
    /// Whether another file may be replaced.
    pub(crate) force: bool,
}

/// What commands find for themselves, wherever that is: competitions with their data and graders, the component store and
/// its pins, compiled graders, the trust policy and what it names, and the key of regrades. Files, and folders with all that
/// is in them.
pub(crate) fn found_by_itself(shared: &Shared) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = shared.cache_dir.iter().cloned().collect();
    found.extend(sealing::path().ok());
    found.extend(graders::store(shared).map(|store| store.folder().to_owned()));
    found.extend(graders::default_policy());
    match graders::policy(shared) {
        Ok(policy) => {
            let files = policy.iter().flat_map(|policy| policy.files());
            found.extend(files.map(Path::to_owned));
        }
        // One that is wrong is one all the same.
        Err(_) => found.extend(shared.trust.clone()),
    }
    let Ok(places) = Places::find(shared) else { return found };
    let catalog = places.catalog();
    found.extend(graders_in(&catalog));
    for competition in catalog.list().competitions {
        // A link in the data folder may lead anywhere: what is read is what counts.
        found.extend(competition.answers_in(&places.data));
        found.extend(competition.sample_submission_in(&places.data));
        found.push(places.data.join(competition.id()));
        found.extend(competition.grader_candidates.iter().cloned());
        found.push(competition.folder.clone());
    }
    found
}

/// The components in the folders of graders, and what lies beside each.
fn graders_in(catalog: &Catalog) -> impl Iterator<Item = PathBuf> + '_ {
    let folders = catalog.grader_folders().iter();
    let entries = folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().contains(".wasm"))
    })
}

impl Target<'_> {
    /// Refuses a path where something would be lost: an input, which no flag allows, or a file that is no earlier output,
    /// unless that is forced.
    ///
    /// # Errors
    /// What lies there, or that there is no folder to write into.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let Target { path, flag, what, .. } = self;
        let shown = output::path(path);
        let there = match path.symlink_metadata() {
            Ok(there) => there,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return self.has_folder(),
            Err(error) => return Err(Failure::cannot_write(path, &error)),
        };
        let name_another = format!("name another file with {flag}");
        if !there.is_file() {
            let message = format!("{shown} is no regular file: it is left as it is");
            return Err(Failure::new(Exit::Files, message).hint(name_another));
        }
        let place = path.canonicalize().ok();
        let inputs: Vec<PathBuf> =
            self.inputs.iter().filter_map(|input| input.canonicalize().ok()).collect();
        let is_input = inputs.iter().any(|input| is_same_file(input, path));
        let is_earlier = !is_input && read(path).is_some_and(|bytes| (self.is_earlier)(&bytes));
        if is_earlier {
            return Ok(());
        }
        let is_inside =
            place.is_some_and(|place| inputs.iter().any(|input| place.starts_with(input)));
        if is_input || is_inside {
            let message = format!("{shown} is what this command reads: it is left as it is");
            return Err(Failure::new(Exit::Files, message).hint(name_another));
        }
        if !self.force {
            let message = format!("{shown} exists and is no earlier {what}: it is left as it is");
            return Err(Failure::new(Exit::Files, message)
                .hint(format!("{name_another}, or replace the file with --force")));
        }
        Ok(())
    }

    fn has_folder(&self) -> Result<(), Failure> {
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
                let message = format!("there is no folder {} to write into", output::path(folder));
                Err(Failure::new(Exit::Files, message).hint("make it, or name another"))
            }
            _ => Ok(()),
        }
    }
}

/// The beginning of a file; `None` where it cannot be read, or is too large to be an output.
fn read(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(MOST_BYTES + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MOST_BYTES).then_some(bytes)
}

/// Whether two paths lead to the same file, be it by another name.
fn is_same_file(left: &Path, right: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let of = |path: &Path| path.metadata().map(|there| (there.dev(), there.ino()));
        of(left).ok().zip(of(right).ok()).is_some_and(|(left, right)| left == right)
    }
    #[cfg(not(unix))]
    {
        left.canonicalize().ok().zip(right.canonicalize().ok()).is_some_and(|(a, b)| a == b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_was_given_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("runs/g")).unwrap();
        for (name, content) in [
            ("input", "in"),
            ("other", "o"),
            ("earlier", "OURS 1"),
            ("runs/g/submission.csv", "s"),
            ("runs/earlier", "OURS 2"),
        ] {
            fs::write(path(name), content).unwrap();
        }
        fs::hard_link(path("input"), path("linked")).unwrap();
        for (name, force, allowed) in [
            ("new", false, true),
            ("missing/new", false, false),
            ("earlier", false, true),
            ("runs/earlier", false, true),
            ("other", false, false),
            ("other", true, true),
            ("input", true, false),
            ("linked", true, false),
            ("runs/g/submission.csv", true, false),
            ("runs/g", true, false),
            ("runs/g/new", false, true),
        ] {
            let path = path(name);
            let target = Target {
                path: &path,
                flag: "--out",
                what: "output",
                is_earlier: |bytes| bytes.starts_with(b"OURS"),
                inputs: vec![folder.path().join("input"), folder.path().join("runs")],
                force,
            };
            assert_eq!(target.check().is_ok(), allowed, "{name}, {force}");
        }
    }
}
