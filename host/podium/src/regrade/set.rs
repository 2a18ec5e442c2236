//! Sets: what a regrade leaves behind, and which of them is an archive's current grading.
//!
//! The sets of an archive lie in `regrades/` in its folder, or in `<archive>.regrades/` beside a packed one, each in a
//! folder of its own. Nothing that is there is ever changed by another set. `current.json` names the set that was
//! applied last, and is written whole or not at all; a later regrade compares with that set.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::archive::{ArchiveLimits, EntryPath};
use crate::atomic_write::{remove_left_behind, write_over};
use crate::digest::Digest;
use crate::error::Error;
use crate::limits::LimitOverrides;
use crate::regular_file;
use crate::report::GradingReport;
use crate::run_group::{RunGroupReport, to_json, utc};

use super::Regrading;
use super::records::{self, Records};
use super::summary::RegradeSummary;

/// The folder of the sets of an archive that is a folder, and the extension of that of a packed one.
pub(super) const SETS_FOLDER: &str = "regrades";

const FORMAT: &str = "podium regrade set 1";
const SET_FILE: &str = "set.json";
const CURRENT_FILE: &str = "current.json";
const COMPARISON_FILE: &str = "comparison.json";
const REPORTS_FOLDER: &str = "reports";
const RECEIPTS_FOLDER: &str = "receipts";
const LOCK_FILE: &str = "lock";

/// No file of a set is larger.
const MOST_BYTES: u64 = 4 << 30;

/// How far a set has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SetState {
    /// It was begun, and not every run was looked at.
    Running,
    /// Every run was looked at.
    Complete,
}

/// What a set was made with: it is gone on with only by the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetSettings {
    /// The digests of graders that were named in the place of the competitions' own.
    #[serde(default)]
    pub graders: BTreeMap<String, Digest>,
    /// What was named to compare with.
    #[serde(default)]
    pub against: Option<PathBuf>,
    /// The limits that were named.
    #[serde(default)]
    pub limits: LimitOverrides,
}

/// What `set.json` says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetSummary {
    /// The form of the file.
    pub format: String,
    /// The set's name, which is that of its folder.
    pub name: String,
    /// Whether every run was looked at.
    pub state: SetState,
    /// The archive.
    pub archive: PathBuf,
    /// When it was begun.
    pub created_at: String,
    /// When it was complete.
    pub finished_at: Option<String>,
    /// The version of Podium that began it.
    pub podium_version: String,
    /// What it was made with.
    pub settings: SetSettings,
    /// The graders that were used, by competition.
    #[serde(default)]
    pub graders: BTreeMap<String, Digest>,
    /// How many runs came out how; once it is complete.
    pub summary: Option<RegradeSummary>,
}

/// What `current.json` says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Current {
    /// The set: its name, or its path where it lies elsewhere.
    set: PathBuf,
    applied_at: String,
    /// The sets that were current before, the last one last.
    #[serde(default)]
    before: Vec<PathBuf>,
}

/// The sets of an archive.
#[derive(Clone, Debug)]
pub struct Sets {
    folder: PathBuf,
}

impl Sets {
    /// Those of the archive at this path, whether it has any or not.
    pub fn of(archive: &Path) -> Sets {
        if archive.is_dir() {
            return Sets { folder: archive.join(SETS_FOLDER) };
        }
        let mut name = archive.file_name().unwrap_or_default().to_owned();
        name.push(".");
        name.push(SETS_FOLDER);
        Sets { folder: archive.with_file_name(name) }
    }

    /// The folder that holds them.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All sets, by name, which is by time; and what is wrong with folders that are none.
    ///
    /// # Errors
    /// [`Error::Read`] where the folder is there and cannot be read.
    pub fn list(&self) -> Result<(Vec<SetSummary>, Vec<Error>), Error> {
        let (mut sets, mut problems) = (Vec::new(), Vec::new());
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((sets, problems)),
            Err(source) => return Err(Error::read(&self.folder, source)),
        };
        let mut folders = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|source| Error::read(&self.folder, source))?;
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            if !hidden && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
        folders.sort();
        for folder in folders {
            match read_summary(&folder) {
                Ok(summary) => sets.push(summary),
                Err(error) => problems.push(error),
            }
        }
        Ok((sets, problems))
    }

    /// The folder of the current set, where one was applied.
    ///
    /// # Errors
    /// [`Error::RegradeSet`] where it cannot be told.
    pub fn current(&self) -> Result<Option<PathBuf>, Error> {
        Ok(self.read_current()?.map(|current| self.folder.join(current.set)))
    }

    fn read_current(&self) -> Result<Option<Current>, Error> {
        let path = self.folder.join(CURRENT_FILE);
        let text = match regular_file::read_text(&path, MOST_BYTES) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(Error::read(&path, source)),
        };
        serde_json::from_str(&text).map(Some).map_err(|error| Error::RegradeSet {
            message: format!("it does not say which set is the current one: {error}"),
            path,
        })
    }
}

/// A set that is open: nobody else regrades into it.
pub struct RegradeSet {
    folder: PathBuf,
    sets: Sets,
    summary: SetSummary,
    _lock: File,
}

impl RegradeSet {
    /// Begins a set for the archive at this path, or goes on with one that was interrupted: the one in `folder`, if that
    /// is named, else the last one of the archive that was begun with the same settings.
    ///
    /// # Errors
    /// [`Error::RegradeSet`] where the named folder holds something else, or a set with other settings, or one that
    /// somebody is regrading into; [`Error::Write`].
    pub fn begin(
        archive: &Path,
        folder: Option<&Path>,
        settings: &SetSettings,
    ) -> Result<RegradeSet, Error> {
        let sets = Sets::of(archive);
        if let Some(folder) = folder {
            return match fs::read_dir(folder).map(|mut entries| entries.next().is_some()) {
                Ok(true) => {
                    let set = RegradeSet::open(folder)?;
                    set.must_have(settings)?;
                    Ok(set)
                }
                Ok(false) => RegradeSet::make(folder.to_owned(), sets, archive, settings),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    RegradeSet::make(folder.to_owned(), sets, archive, settings)
                }
                Err(source) => Err(Error::read(folder, source)),
            };
        }
        for known in sets.list()?.0.into_iter().rev() {
            if known.state == SetState::Running
                && known.settings == *settings
                && let Ok(set) = RegradeSet::open(&sets.folder.join(&known.name))
            {
                return Ok(set);
            }
        }
        let time = Timestamp::now().strftime("%Y-%m-%dT%H-%M-%S-GMT").to_string();
        for attempt in 1..=u32::MAX {
            let name = match attempt {
                1 => time.clone(),
                _ => format!("{time}-{attempt}"),
            };
            let folder = sets.folder.join(name);
            if !folder.exists() {
                return RegradeSet::make(folder, sets, archive, settings);
            }
        }
        Err(Error::write(&sets.folder, io::ErrorKind::AlreadyExists.into()))
    }

    /// Opens the set in a folder.
    ///
    /// # Errors
    /// [`Error::RegradeSet`] where it is none, or somebody is regrading into it.
    pub fn open(folder: &Path) -> Result<RegradeSet, Error> {
        let summary = read_summary(folder)?;
        let lock = lock(folder)?;
        let above = folder.canonicalize().ok().and_then(|folder| Some(folder.parent()?.to_owned()));
        let is_in_place = above.as_ref().and_then(|above| above.file_name()).is_some_and(|name| {
            name == SETS_FOLDER || name.to_string_lossy().ends_with(&format!(".{SETS_FOLDER}"))
        });
        let sets = match (is_in_place, folder.parent()) {
            (true, Some(parent)) if !parent.as_os_str().is_empty() => {
                Sets { folder: parent.to_owned() }
            }
            (true, _) => Sets { folder: above.unwrap_or_default() },
            (false, _) => Sets::of(&summary.archive),
        };
        Ok(RegradeSet { folder: folder.to_owned(), sets, summary, _lock: lock })
    }

    fn make(
        folder: PathBuf,
        sets: Sets,
        archive: &Path,
        settings: &SetSettings,
    ) -> Result<RegradeSet, Error> {
        let receipts = folder.join(RECEIPTS_FOLDER);
        fs::create_dir_all(&receipts).map_err(|source| Error::write(&receipts, source))?;
        let lock = lock(&folder)?;
        let name = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let summary = SetSummary {
            format: FORMAT.to_owned(),
            name,
            state: SetState::Running,
            archive: archive.canonicalize().unwrap_or_else(|_| archive.to_owned()),
            created_at: utc(Timestamp::now()),
            finished_at: None,
            podium_version: crate::VERSION.to_owned(),
            settings: settings.clone(),
            graders: BTreeMap::new(),
            summary: None,
        };
        let set = RegradeSet { folder, sets, summary, _lock: lock };
        set.write_summary()?;
        Ok(set)
    }

    fn must_have(&self, settings: &SetSettings) -> Result<(), Error> {
        if self.summary.settings == *settings {
            return Ok(());
        }
        Err(self.wrong("it was begun with other graders, limits or records to compare with: name another folder"))
    }

    /// The set's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What `set.json` says.
    pub fn summary(&self) -> &SetSummary {
        &self.summary
    }

    /// The folder of its receipts.
    pub fn receipts_folder(&self) -> PathBuf {
        self.folder.join(RECEIPTS_FOLDER)
    }

    /// Whether it holds no receipt.
    pub fn is_empty(&self) -> bool {
        fs::read_dir(self.receipts_folder()).is_ok_and(|mut entries| entries.next().is_none())
    }

    /// What came out of it; `None` while it is not complete.
    ///
    /// # Errors
    /// [`Error::RegradeSet`] where the file is damaged.
    pub fn regrading(&self) -> Result<Option<Regrading>, Error> {
        let path = self.folder.join(COMPARISON_FILE);
        match regular_file::read_text(&path, MOST_BYTES) {
            Ok(text) => serde_json::from_str(&text)
                .map(Some)
                .map_err(|error| Error::RegradeSet { path, message: error.to_string() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::read(&path, source)),
        }
    }

    /// Whether it is the archive's current grading.
    ///
    /// # Errors
    /// As [`Sets::current`].
    pub fn is_current(&self) -> Result<bool, Error> {
        Ok(self.sets.current()?.is_some_and(|current| same_place(&current, &self.folder)))
    }

    /// Makes the set the archive's current grading. The one before stays where it is. False where it was so already.
    ///
    /// # Errors
    /// [`Error::RegradeSet`] for a set that is not complete, unless `incomplete` allows it.
    pub fn apply(&self, incomplete: bool) -> Result<bool, Error> {
        if self.summary.state != SetState::Complete && !incomplete {
            return Err(self.wrong("it is not complete: run the regrade again to go on with it"));
        }
        if self.is_current()? {
            return Ok(false);
        }
        let (set, mut before) = match self.sets.read_current()? {
            Some(current) => (Some(current.set), current.before),
            None => (None, Vec::new()),
        };
        before.extend(set);
        let current = Current { set: self.place()?, applied_at: utc(Timestamp::now()), before };
        fs::create_dir_all(&self.sets.folder)
            .map_err(|source| Error::write(&self.sets.folder, source))?;
        write_over(&self.sets.folder.join(CURRENT_FILE), to_json(&current).as_bytes())?;
        Ok(true)
    }

    /// Removes the set.
    ///
    /// # Errors
    /// [`Error::RegradeSet`] for the current one; [`Error::Write`] where it cannot be removed.
    pub fn discard(self) -> Result<(), Error> {
        if self.is_current()? {
            return Err(self.wrong("it is the archive's current grading: apply another set first"));
        }
        let cannot = |source| Error::write(&self.folder, source);
        let folder = self.folder.canonicalize().map_err(cannot)?;
        // Gone under its name at once, however long removing takes.
        let mut name = std::ffi::OsString::from(".discarded-");
        name.push(folder.file_name().unwrap_or_default());
        let aside = folder.with_file_name(name);
        fs::rename(&folder, &aside).map_err(cannot)?;
        fs::remove_dir_all(&aside).map_err(|source| Error::write(&aside, source))
    }

    /// Where the set is, as the current file says it.
    fn place(&self) -> Result<PathBuf, Error> {
        let folder =
            self.folder.canonicalize().map_err(|source| Error::read(&self.folder, source))?;
        let is_inside = folder.parent().is_some_and(|above| same_place(above, &self.sets.folder));
        Ok(match (is_inside, folder.file_name()) {
            (true, Some(name)) => PathBuf::from(name),
            _ => folder,
        })
    }

    /// What the current set of the archive records, with its name.
    pub(super) fn current_records(&self) -> Result<Option<(String, Records)>, Error> {
        let Some(current) = self.sets.current()? else { return Ok(None) };
        // A set that is gone on with does not compare with itself.
        if same_place(&current, &self.folder) {
            return Ok(None);
        }
        if !current.is_dir() {
            return Err(Error::RegradeSet {
                path: current,
                message:
                    "this is the archive's current grading, and it is not there: apply another set"
                        .to_owned(),
            });
        }
        let mut records = records::read(&current, &ArchiveLimits::default())?;
        for (path, _) in &mut records.reports {
            // Reports lie beneath a folder of their own, as the run groups lie in the archive.
            let relative = path.as_str().strip_prefix(REPORTS_FOLDER).unwrap_or(path.as_str());
            *path = EntryPath::root().join(relative.trim_start_matches('/')).unwrap_or_default();
        }
        let name = current.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Some((name, records)))
    }

    /// Writes reports and comparison of a regrade that has come to its end; the set is complete then.
    pub(super) fn finish(
        &mut self,
        regrading: &Regrading,
        groups: BTreeMap<EntryPath, Vec<GradingReport>>,
    ) -> Result<(), Error> {
        remove_left_behind(&self.receipts_folder());
        for reports in groups.values() {
            for report in reports {
                if let Some(sha256) = report.grader_sha256 {
                    self.summary.graders.insert(report.competition_id.clone(), sha256);
                }
            }
        }
        for (group, reports) in groups {
            let folder = self.folder.join(REPORTS_FOLDER).join(group.as_str());
            fs::create_dir_all(&folder).map_err(|source| Error::write(&folder, source))?;
            let report = RunGroupReport::new(reports, true);
            write_over(&folder.join("grading_report.json"), to_json(&report).as_bytes())?;
        }
        write_over(&self.folder.join(COMPARISON_FILE), to_json(regrading).as_bytes())?;
        self.summary.state = SetState::Complete;
        self.summary.finished_at = Some(utc(Timestamp::now()));
        self.summary.summary = Some(regrading.summary.clone());
        self.write_summary()
    }

    fn write_summary(&self) -> Result<(), Error> {
        write_over(&self.folder.join(SET_FILE), to_json(&self.summary).as_bytes())
    }

    fn wrong(&self, message: &str) -> Error {
        Error::RegradeSet { path: self.folder.clone(), message: message.to_owned() }
    }
}

/// Takes the lock that says that somebody regrades into a set. A file system without locks is good enough.
fn lock(folder: &Path) -> Result<File, Error> {
    let path = folder.join(LOCK_FILE);
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|source| Error::write(&path, source))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Error::RegradeSet {
            path: folder.to_owned(),
            message: "another process is regrading into it: wait for it, or name another folder"
                .to_owned(),
        }),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

fn same_place(left: &Path, right: &Path) -> bool {
    match (left.canonicalize(), right.canonicalize()) {
        (Ok(left), Ok(right)) => left == right,
        _ => left == right,
    }
}

fn read_summary(folder: &Path) -> Result<SetSummary, Error> {
    let wrong = |message: String| Error::RegradeSet { path: folder.to_owned(), message };
    let path = folder.join(SET_FILE);
    let text = regular_file::read_text(&path, MOST_BYTES).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            wrong(format!("this is no set of a regrade: it has no {SET_FILE}"))
        }
        _ => Error::read(&path, error),
    })?;
    let summary: SetSummary =
        serde_json::from_str(&text).map_err(|error| wrong(format!("{SET_FILE}: {error}")))?;
    if summary.format != FORMAT {
        let format = summary.format.escape_debug();
        return Err(wrong(format!("it has the form `{format}`, this Podium reads `{FORMAT}`")));
    }
    Ok(summary)
}

#[cfg(test)]
mod tests;
