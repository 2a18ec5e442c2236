//! Sets: what a regrade leaves behind, and which of them is an archive's current grading.
//!
//! The sets of an archive lie in `regrades/` in its folder, or in `<archive>.regrades/` beside a packed one, each in a
//! folder of its own. Nothing that is there is ever changed by another set. `current.json` names the set that was
//! applied last, and is written whole or not at all; a later regrade compares with that set.
//!
//! Sets come with archives, too, and whoever made an archive can lay anything into them. So a set that is begun here
//! carries a [seal](super::seal). One without it is shown, and that is all, until somebody adopts it: it is neither gone
//! on with nor compared with, and nothing is written into it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::archive::{EntryPath, EntryProblem};
use crate::atomic_write::{is_being_written, remove_left_behind, write_over};
use crate::digest::Digest;
use crate::error::Error;
use crate::limits::LimitOverrides;
use crate::message;
use crate::path_text;
use crate::regular_file;
use crate::report::GradingReport;
use crate::run_group::{RunGroupReport, to_json, utc};
use crate::serde_message::plain;

use super::Regrading;
use super::journal::{self, RECEIPT, RECEIPTS_FOLDER, SEALS_FILE, receipt_file_name};
use super::records::{self, RecordedReceipt, Records};
use super::seal::{Purpose, SealingKey};
use super::summary::RegradeSummary;

/// The folder of the sets of an archive that is a folder, and the extension of that of a packed one.
pub(super) const SETS_FOLDER: &str = "regrades";

const FORMAT: &str = "podium regrade set 1";
const ANY_FORMAT: &str = "podium regrade set ";

/// The characters of a foreign text that a message shows.
const SHOWN_CHARACTERS: usize = 200;

pub(super) const SET_FILE: &str = "set.json";
const CURRENT_FILE: &str = "current.json";
const COMPARISON_FILE: &str = "comparison.json";
pub(super) const REPORTS_FOLDER: &str = "reports";
const REPORTS_BEING_WRITTEN: &str = ".reports";
const REPORT_FILE: &str = "grading_report.json";
const LOCK_FILE: &str = "lock";

/// No file of a set is larger; the small ones are smaller.
const MOST_BYTES: u64 = 4 << 30;
const MOST_BYTES_OF_SMALL: u64 = 16 << 20;

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
    #[serde(default, with = "path_text::option")]
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
    /// The archive: its path, without links in it.
    #[serde(with = "path_text")]
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
    /// The digest of its reports and its comparison; once it is complete.
    #[serde(default)]
    pub contents: Option<Digest>,
    /// When it was last made the current grading, of a set that lies elsewhere than among those of its archive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied_at: Option<String>,
}

/// A set as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedSet {
    /// What `set.json` says; its name is that of the folder.
    #[serde(flatten)]
    pub summary: SetSummary,
    /// Whether it was made, or adopted, by the person with the key.
    pub own: bool,
}

/// The set that is an archive's current grading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentSet {
    /// Its folder.
    pub folder: PathBuf,
    /// Whether the person with the key made it the current one.
    pub own: bool,
}

/// What `current.json` says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Current {
    /// The set: its name, or its path where it lies elsewhere.
    #[serde(with = "path_text")]
    set: PathBuf,
    applied_at: String,
    /// The sets that were current before, the last one last.
    #[serde(default, with = "path_text::list")]
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

    /// The folder of the set that a path is, or lies in, whoever made it.
    pub fn set_around(path: &Path) -> Option<PathBuf> {
        let path = path.canonicalize().ok()?;
        path.ancestors().find(|above| is_set(above)).map(Path::to_owned)
    }

    /// The sets that a set lies among, by its folder; `None` where that is no place of sets, or the archive is gone.
    fn around(set: &Path) -> Option<Sets> {
        let folder = set.canonicalize().ok()?.parent()?.to_owned();
        let name = folder.file_name()?.to_string_lossy().into_owned();
        let archive = match name.as_str() {
            SETS_FOLDER => folder.parent()?.to_owned(),
            _ => folder.with_file_name(name.strip_suffix(&format!(".{SETS_FOLDER}"))?),
        };
        archive.exists().then_some(Sets { folder })
    }

    /// The folder that holds them.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The archive that they are of.
    pub fn archive(&self) -> Option<PathBuf> {
        let name = self.folder.file_name()?.to_string_lossy().into_owned();
        match name.strip_suffix(&format!(".{SETS_FOLDER}")) {
            Some(archive) => Some(self.folder.with_file_name(archive)),
            None => self.folder.parent().map(Path::to_owned),
        }
    }

    /// All sets, by name, which is by time; and what is wrong with folders that are none.
    ///
    /// # Errors
    /// [`Error::Read`] where the folder is there and cannot be read.
    pub fn list(&self, key: &SealingKey) -> Result<(Vec<ListedSet>, Vec<Error>), Error> {
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
        folders.sort_by_cached_key(|folder| in_time(&name_of(folder)));
        for folder in folders {
            match read_summary(&folder, key) {
                Ok((summary, own)) => sets.push(ListedSet { summary, own }),
                Err(error) => problems.push(error),
            }
        }
        Ok((sets, problems))
    }

    /// The current set, where one was applied.
    ///
    /// # Errors
    /// [`Error::RegradeSet`] where it cannot be told.
    pub fn current(&self, key: &SealingKey) -> Result<Option<CurrentSet>, Error> {
        let current = self.read_current(key)?;
        Ok(current.map(|(current, own)| CurrentSet { folder: self.folder.join(current.set), own }))
    }

    fn read_current(&self, key: &SealingKey) -> Result<Option<(Current, bool)>, Error> {
        let path = self.folder.join(CURRENT_FILE);
        let damaged = |error: String| Error::RegradeSet {
            message: format!(
                "it does not say which set is the current one: {error}; apply a set again, or remove the file"
            ),
            path: path.clone(),
        };
        let text = match regular_file::read_text(&path, MOST_BYTES_OF_SMALL) {
            Ok(text) => text,
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound => return Ok(None),
                io::ErrorKind::InvalidData => return Err(damaged("it is not text".to_owned())),
                _ => return Err(Error::read(&path, error)),
            },
        };
        key.open_json(Purpose::Current, &text)
            .map(Some)
            .map_err(|error| damaged(plain(&error.to_string())))
    }

    /// As [`Sets::read_current`], for whoever is about to replace the file: what is damaged says nothing.
    fn current_to_replace(&self, key: &SealingKey) -> Result<Option<Current>, Error> {
        match self.read_current(key) {
            // What somebody else had made the current one says nothing of what came before.
            Ok(current) => Ok(current.filter(|(_, own)| *own).map(|(current, _)| current)),
            Err(Error::RegradeSet { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Makes the folder of the sets, which must not be a link out of the archive.
    fn make_folder(&self) -> Result<(), Error> {
        fs::create_dir_all(&self.folder).map_err(|source| Error::write(&self.folder, source))?;
        must_be_folder(&self.folder)
    }
}

/// A set that is open.
pub struct RegradeSet {
    folder: PathBuf,
    /// The sets of its archive; `None` for a set that lies elsewhere and whose archive is not known.
    sets: Option<Sets>,
    summary: SetSummary,
    key: SealingKey,
    is_own: bool,
    is_new: bool,
    /// Held by whoever regrades into it.
    lock: Option<File>,
}

/// How a set is begun.
#[derive(Clone, Debug, Default)]
pub struct SetChoice {
    /// The folder; by default a new one among the archive's, or the last one that was interrupted.
    pub folder: Option<PathBuf>,
    /// Whether a set in that folder that somebody else made is taken for one's own, with all that it says.
    pub adopt: bool,
}

impl RegradeSet {
    /// Begins a set for the archive at this path, or goes on with one that was interrupted: the one in the folder that is
    /// chosen, else the last one of the archive that was begun with the same settings and the same key.
    ///
    /// # Errors
    /// [`Error::RegradeSet`] where the chosen folder holds something else, or a set of another archive or with other
    /// settings, or one that somebody else made, or one that somebody is regrading into; [`Error::Write`].
    pub fn begin(
        archive: &Path,
        choice: &SetChoice,
        settings: &SetSettings,
        key: &SealingKey,
    ) -> Result<RegradeSet, Error> {
        let sets = Sets::of(archive);
        if let Some(folder) = &choice.folder {
            return RegradeSet::begin_in(folder, sets, archive, choice.adopt, settings, key);
        }
        if sets.folder.symlink_metadata().is_ok() {
            must_be_folder(&sets.folder)?;
        }
        for known in sets.list(key)?.0.into_iter().rev() {
            if known.own
                && known.summary.state == SetState::Running
                && known.summary.settings == *settings
                && let Ok(mut set) = RegradeSet::open(&sets.folder.join(&known.summary.name), key)
                && set.holds_folders().is_ok()
                && set.take_lock().is_ok()
            {
                return Ok(set);
            }
        }
        sets.make_folder()?;
        let time = Timestamp::now().strftime("%Y-%m-%dT%H-%M-%S-GMT").to_string();
        for attempt in 1..=u32::MAX {
            let name = match attempt {
                1 => time.clone(),
                _ => format!("{time}-{attempt}"),
            };
            let folder = sets.folder.join(name);
            match fs::create_dir(&folder) {
                Ok(()) => {
                    let lock = lock(&folder)?;
                    return RegradeSet::make(folder, sets, archive, settings, key, lock);
                }
                // Another process may have been faster.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                // Another that came to nothing may have removed the folder that it had made.
                Err(error) if error.kind() == io::ErrorKind::NotFound => sets.make_folder()?,
                Err(source) => return Err(Error::write(&folder, source)),
            }
        }
        Err(Error::write(&sets.folder, io::ErrorKind::AlreadyExists.into()))
    }

    fn begin_in(
        folder: &Path,
        sets: Sets,
        archive: &Path,
        adopt: bool,
        settings: &SetSettings,
        key: &SealingKey,
    ) -> Result<RegradeSet, Error> {
        let wrong = |message: &str| Error::RegradeSet {
            path: folder.to_owned(),
            message: message.to_owned(),
        };
        fs::create_dir_all(folder).map_err(|source| Error::write(folder, source))?;
        let held = names_in(folder)?;
        // What a process that is beginning the set, or was killed over it, has made so far.
        let begun = [LOCK_FILE, RECEIPTS_FOLDER, SEALS_FILE];
        let is_begun =
            held.iter().all(|name| begun.contains(&name.as_str()) || is_being_written(name));
        if !held.iter().any(|name| name == SET_FILE) && !is_begun {
            return Err(wrong(&format!(
                "this is no set of a regrade (it has no {SET_FILE}), and it is not empty: name another folder"
            )));
        }
        let lock = lock(folder)?;
        // Whoever held the lock may have made it in the meantime.
        if !folder.join(SET_FILE).exists() {
            return RegradeSet::make(folder.to_owned(), sets, archive, settings, key, lock);
        }
        let mut set = RegradeSet::open(folder, key)?;
        set.lock = Some(lock);
        let place = archive.canonicalize().unwrap_or_else(|_| archive.to_owned());
        let is_of_it = match Sets::around(folder) {
            Some(around) => same_place(&around.folder, &sets.folder),
            None => set.summary.archive == place,
        };
        if !is_of_it {
            let of = set.sets.as_ref().and_then(Sets::archive);
            let of = of.unwrap_or_else(|| set.summary.archive.clone());
            let of = message::fit_line(&of.to_string_lossy(), SHOWN_CHARACTERS);
            return Err(wrong(&format!(
                "this is a set of another archive ({of}): name another folder"
            )));
        }
        match (set.is_own, adopt) {
            (true, _) => {}
            (false, true) => set.adopt()?,
            (false, false) => return Err(set.not_own()),
        }
        set.holds_folders()?;
        set.must_have(settings)?;
        set.sets = Some(sets);
        Ok(set)
    }

    /// Opens the set in a folder, to look at it. Nothing is written.
    ///
    /// # Errors
    /// [`Error::RegradeSet`] where it is none.
    pub fn open(folder: &Path, key: &SealingKey) -> Result<RegradeSet, Error> {
        let (summary, is_own) = read_summary(folder, key)?;
        let of_archive = || Some(Sets::of(&summary.archive));
        let sets = Sets::around(folder)
            .or_else(|| of_archive().filter(|_| is_own && summary.archive.exists()));
        let folder = folder.to_owned();
        let key = key.clone();
        Ok(RegradeSet { folder, sets, summary, key, is_own, is_new: false, lock: None })
    }

    fn make(
        folder: PathBuf,
        sets: Sets,
        archive: &Path,
        settings: &SetSettings,
        key: &SealingKey,
        lock: File,
    ) -> Result<RegradeSet, Error> {
        let receipts = folder.join(RECEIPTS_FOLDER);
        fs::create_dir_all(&receipts).map_err(|source| Error::write(&receipts, source))?;
        must_be_folder(&receipts)?;
        let summary = SetSummary {
            format: FORMAT.to_owned(),
            name: name_of(&folder),
            state: SetState::Running,
            archive: archive.canonicalize().unwrap_or_else(|_| archive.to_owned()),
            created_at: utc(Timestamp::now()),
            finished_at: None,
            podium_version: crate::VERSION.to_owned(),
            settings: settings.clone(),
            graders: BTreeMap::new(),
            summary: None,
            contents: None,
            applied_at: None,
        };
        let key = key.clone();
        let (sets, lock) = (Some(sets), Some(lock));
        let set = RegradeSet { folder, sets, summary, key, is_own: true, is_new: true, lock };
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

    /// Whether it was made, or adopted, by the person with the key.
    pub fn is_own(&self) -> bool {
        self.is_own
    }

    /// Whether it was begun by [`RegradeSet::begin`], and not gone on with.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// The archive that it is of: the one among whose sets it lies, else, of one's own set, the one that it was made for.
    /// `None` where that is not there.
    pub fn archive(&self) -> Option<PathBuf> {
        self.sets.as_ref().and_then(Sets::archive)
    }

    pub(super) fn key(&self) -> &SealingKey {
        &self.key
    }

    /// Whether it holds no receipt.
    pub fn is_empty(&self) -> bool {
        let receipts = fs::read_dir(self.folder.join(RECEIPTS_FOLDER));
        receipts.is_ok_and(|mut entries| entries.next().is_none())
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
                .map_err(|error| Error::RegradeSet { path, message: plain(&error.to_string()) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::read(&path, source)),
        }
    }

    /// Whether its reports and its comparison are those that it was completed with.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn is_intact(&self) -> Result<bool, Error> {
        match self.summary.contents {
            None => Ok(self.summary.state == SetState::Running),
            Some(contents) => Ok(self.is_own && contents_of(&self.folder)? == contents),
        }
    }

    /// Whether the person with the key made it the archive's current grading.
    ///
    /// # Errors
    /// As [`Sets::current`].
    pub fn is_current(&self) -> Result<bool, Error> {
        let Some(sets) = &self.sets else { return Ok(false) };
        let current = sets.read_current(&self.key)?.filter(|(_, own)| *own);
        Ok(current.is_some_and(|(current, _)| self.is_at(sets, &current.set)))
    }

    /// Whether this is the set that `current.json` names so.
    fn is_at(&self, sets: &Sets, named: &Path) -> bool {
        same_place(&sets.folder.join(named), &self.folder)
    }

    /// Makes the set the archive's current grading. The one before stays where it is. False where it was so already.
    ///
    /// # Errors
    /// [`Error::RegradeSet`] for a set that is not complete, or in which nothing could be graded, unless `incomplete` allows
    /// it; for one that somebody else made, unless `adopt` takes it for one's own; for one whose archive is not where it was.
    pub fn apply(&mut self, incomplete: bool, adopt: bool) -> Result<bool, Error> {
        self.take_lock()?;
        let Some(sets) = self.sets.clone() else {
            let where_to = format!("move it into `{SETS_FOLDER}/` of the archive that it is of");
            let message = match self.is_own {
                true => format!("its archive is not there any more: {where_to}"),
                false => format!(
                    "somebody else made it, and it lies among no archive's sets: {where_to}"
                ),
            };
            return Err(self.wrong(&message));
        };
        match (self.is_own && self.is_intact()?, adopt) {
            (true, _) => {}
            (false, true) => self.adopt()?,
            (false, false) if self.is_own => {
                return Err(self.wrong(
                    "its reports or its comparison were changed after it was complete: regrade again, or take it as it \
                     is with --adopt",
                ));
            }
            (false, false) => return Err(self.not_own()),
        }
        if self.summary.state != SetState::Complete && !incomplete {
            return Err(self.wrong("it is not complete: run the regrade again to go on with it"));
        }
        if let Some(summary) = self.summary.summary.as_ref().filter(|_| !incomplete)
            && summary.with_result() == 0
            && summary.without_result() > 0
        {
            return Err(self.wrong(&format!(
                "nothing could be graded in it ({}): regrade once that is put right, or apply it all the same with \
                 --incomplete",
                summary.why_without_result()
            )));
        }
        let current = sets.current_to_replace(&self.key)?;
        if current.as_ref().is_some_and(|current| self.is_at(&sets, &current.set)) {
            return Ok(false);
        }
        let (set, mut before) = match current {
            Some(current) => (Some(current.set), current.before),
            None => (None, Vec::new()),
        };
        before.extend(set);
        if Sets::around(&self.folder).is_none() {
            // An archive that is moved does not take it along, and then nothing else tells that it is in use.
            self.summary.applied_at = Some(utc(Timestamp::now()));
            self.write_summary()?;
        }
        let set = self.place(&sets)?;
        let current = Current { set, applied_at: utc(Timestamp::now()), before };
        sets.make_folder()?;
        let text = self.key.sealed_json(Purpose::Current, &current);
        write_over(&sets.folder.join(CURRENT_FILE), text.as_bytes())?;
        self.is_new = false;
        Ok(true)
    }

    /// Removes the set, if nothing is in its folder that is no part of one.
    ///
    /// # Errors
    /// [`Error::RegradeSet`] for the current one, for one of which that cannot be told, for one of somebody else that lies
    /// among no archive's sets, for a link, and for a folder that holds something else besides; [`Error::Write`] where it
    /// cannot be removed.
    pub fn discard(mut self) -> Result<(), Error> {
        // Without a slash at its end, which would follow a link.
        let named: PathBuf = self.folder.components().collect();
        if named.symlink_metadata().is_ok_and(|there| there.is_symlink()) {
            return Err(self.wrong("this is a link to a set: name the folder that it leads to"));
        }
        self.may_be_discarded()?;
        self.holds_nothing_else()?;
        self.take_lock()?;
        // Somebody may have been about to apply it.
        self.may_be_discarded()?;
        let cannot = |source| Error::write(&self.folder, source);
        let folder = self.folder.canonicalize().map_err(cannot)?;
        // Gone under its name at once, however long removing takes.
        let aside = move_aside(&folder).map_err(cannot)?;
        fs::remove_dir_all(&aside).map_err(|source| Error::write(&aside, source))
    }

    /// Refuses a set that is in use, or may be, and one of which nothing says that it is one to remove.
    fn may_be_discarded(&self) -> Result<(), Error> {
        // What this process has just begun nobody has applied, whatever else is wrong.
        if self.is_new {
            return Ok(());
        }
        let is_in_place = Sets::around(&self.folder).is_some();
        if !self.is_own && !is_in_place {
            return Err(self.wrong(
                "somebody else made it, and it lies among no archive's sets: remove the folder yourself, if that is meant",
            ));
        }
        if self.is_current()? {
            return Err(self.wrong("it is the archive's current grading: apply another set first"));
        }
        if !is_in_place && self.summary.applied_at.is_some() && !self.was_replaced()? {
            let archive =
                message::fit_line(&self.summary.archive.to_string_lossy(), SHOWN_CHARACTERS);
            return Err(self.wrong(&format!(
                "it was made the current grading of {archive}, and nothing there says that it is so no more (was the \
                 archive moved?): apply another set of that archive first, or remove the folder yourself"
            )));
        }
        Ok(())
    }

    /// Whether the archive says that this set was its current grading, and is so no more.
    fn was_replaced(&self) -> Result<bool, Error> {
        let Some(sets) = &self.sets else { return Ok(false) };
        let current = sets.read_current(&self.key)?.filter(|(_, own)| *own);
        Ok(current.is_some_and(|(current, _)| {
            current.before.iter().any(|before| self.is_at(sets, before))
        }))
    }

    /// Refuses a folder that holds what is no part of a set, and would be removed with it.
    fn holds_nothing_else(&self) -> Result<(), Error> {
        let foreign =
            foreign_in(&self.folder).map_err(|source| Error::read(&self.folder, source))?;
        let Some(first) = foreign.first() else { return Ok(()) };
        let first = message::fit_line(&first.to_string_lossy(), SHOWN_CHARACTERS);
        let more = match foreign.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Err(self.wrong(&format!(
            "it holds what is no part of a set (`{first}`{more}): move that elsewhere first, and nothing else is lost"
        )))
    }

    /// Takes the lock that says that somebody changes the set.
    fn take_lock(&mut self) -> Result<(), Error> {
        if self.lock.is_none() {
            self.lock = Some(lock(&self.folder)?);
        }
        Ok(())
    }

    /// Refuses a set that has links where it has folders: what is written into them would land elsewhere.
    fn holds_folders(&self) -> Result<(), Error> {
        for folder in [RECEIPTS_FOLDER, REPORTS_FOLDER] {
            let folder = self.folder.join(folder);
            if folder.symlink_metadata().is_ok() {
                must_be_folder(&folder)?;
            }
        }
        Ok(())
    }

    /// Takes a set that somebody else made for one's own: it is sealed as it is.
    fn adopt(&mut self) -> Result<(), Error> {
        self.holds_folders()?;
        journal::seal_all(&self.folder, &self.key)?;
        self.summary.contents = match self.summary.state {
            SetState::Complete => Some(contents_of(&self.folder)?),
            SetState::Running => None,
        };
        if let Some(archive) = Sets::around(&self.folder).as_ref().and_then(Sets::archive) {
            self.summary.archive = archive;
        }
        self.is_own = true;
        self.write_summary()
    }

    fn not_own(&self) -> Error {
        self.wrong(
            "somebody else made it, or it was changed since: what it says is not taken for true. --adopt takes it for \
             your own as it is",
        )
    }

    /// Where the set is, as the current file says it.
    fn place(&self, sets: &Sets) -> Result<PathBuf, Error> {
        let folder =
            self.folder.canonicalize().map_err(|source| Error::read(&self.folder, source))?;
        let is_inside = folder.parent().is_some_and(|above| same_place(above, &sets.folder));
        Ok(match (is_inside, folder.file_name()) {
            (true, Some(name)) => PathBuf::from(name),
            _ => folder,
        })
    }

    /// What the current set of the archive records.
    pub(super) fn current_records(&self) -> Result<CurrentRecords, Error> {
        let Some(sets) = &self.sets else { return Ok(CurrentRecords::None) };
        let Some(current) = sets.current(&self.key)? else { return Ok(CurrentRecords::None) };
        // A set that is gone on with does not compare with itself.
        if same_place(&current.folder, &self.folder) {
            return Ok(CurrentRecords::None);
        }
        let name = name_of(&current.folder);
        if !current.own {
            return Ok(CurrentRecords::NotOwn(name));
        }
        if !current.folder.is_dir() {
            return Err(Error::RegradeSet {
                path: current.folder,
                message:
                    "this is the archive's current grading, and it is not there: apply another set"
                        .to_owned(),
            });
        }
        let set = RegradeSet::open(&current.folder, &self.key)?;
        Ok(match set.own_records()? {
            Some(records) => CurrentRecords::Own(name, records),
            None => CurrentRecords::NotOwn(name),
        })
    }

    /// What the set records; `None` where somebody else made it, or changed its reports or its comparison. A receipt that
    /// was changed, or is not there any more, is told among the problems.
    pub(super) fn own_records(&self) -> Result<Option<Records>, Error> {
        if !self.is_own || !self.is_intact()? {
            return Ok(None);
        }
        let mut records = Records::default();
        if self.summary.contents.is_some() {
            let reports = self.folder.join(REPORTS_FOLDER);
            must_be_folder(&reports)?;
            records = records::in_folder(&reports)?;
        }
        let unproven = journal::for_each_sealed(&self.folder, &self.key, |_, _, receipt| {
            RecordedReceipt::of(&receipt).into_iter().for_each(|one| records.receipts.add(one));
        })?;
        let place = |file: &str| format!("{}/{RECEIPTS_FOLDER}/{file}", self.folder.display());
        let told: HashSet<String> = unproven.iter().map(|(file, _)| file.clone()).collect();
        let named = records.reports.iter().flat_map(|(_, gradings)| gradings);
        let missing: BTreeSet<String> = named
            .filter_map(|grading| grading.receipt)
            .filter(|id| records.receipts.by_id(id).is_none())
            .map(|id| receipt_file_name(&id))
            .filter(|file| !told.contains(file))
            .collect();
        let missing = missing.into_iter().map(|file| {
            (
                file,
                "it is not there any more, and the set's report names it: it is not compared with",
            )
        });
        for (file, reason) in unproven.into_iter().chain(missing) {
            records.problems.push(EntryProblem::new(place(&file), reason));
        }
        Ok(Some(records))
    }

    /// Writes reports and comparison of a regrade that has come to its end; the set is complete then.
    pub(super) fn finish(
        &mut self,
        regrading: &Regrading,
        groups: BTreeMap<EntryPath, Vec<GradingReport>>,
    ) -> Result<(), Error> {
        remove_left_behind(&self.folder.join(RECEIPTS_FOLDER));
        for reports in groups.values() {
            for report in reports {
                if let Some(sha256) = report.grader_sha256 {
                    self.summary.graders.insert(report.competition_id.clone(), sha256);
                }
            }
        }
        // While its files change one after the other, a set that was complete is none.
        if self.summary.state == SetState::Complete {
            self.summary.state = SetState::Running;
            self.summary.contents = None;
            self.write_summary()?;
        }
        self.write_reports(groups)?;
        write_over(&self.folder.join(COMPARISON_FILE), to_json(regrading).as_bytes())?;
        self.summary.state = SetState::Complete;
        self.summary.finished_at = Some(utc(Timestamp::now()));
        self.summary.summary = Some(regrading.summary.clone());
        self.summary.contents = Some(contents_of(&self.folder)?);
        self.write_summary()
    }

    /// Writes the reports into a folder of their own that then takes its place: what an earlier regrade into the set
    /// reported of run groups that are no more is gone with it.
    fn write_reports(&self, groups: BTreeMap<EntryPath, Vec<GradingReport>>) -> Result<(), Error> {
        let reports = self.folder.join(REPORTS_FOLDER);
        let written = self.folder.join(REPORTS_BEING_WRITTEN);
        for folder in [&written, &reports] {
            if folder.symlink_metadata().is_ok() {
                must_be_folder(folder)?;
            }
        }
        let cannot = |source| Error::write(&written, source);
        remove_if_there(&written).map_err(cannot)?;
        fs::create_dir(&written).map_err(cannot)?;
        for (group, reports) in groups {
            let folder = written.join(group.as_str());
            fs::create_dir_all(&folder).map_err(|source| Error::write(&folder, source))?;
            let report = RunGroupReport::new(reports, true);
            write_over(&folder.join(REPORT_FILE), to_json(&report).as_bytes())?;
        }
        remove_if_there(&reports).map_err(|source| Error::write(&reports, source))?;
        fs::rename(&written, &reports).map_err(cannot)
    }

    fn write_summary(&self) -> Result<(), Error> {
        let text = self.key.sealed_json(Purpose::Set, &self.summary);
        write_over(&self.folder.join(SET_FILE), text.as_bytes())
    }

    fn wrong(&self, message: &str) -> Error {
        Error::RegradeSet { path: self.folder.clone(), message: message.to_owned() }
    }
}

/// What the current set of an archive records.
pub(super) enum CurrentRecords {
    /// There is none.
    None,
    /// The one of this name.
    Own(String, Records),
    /// The one of this name, which somebody else made, or changed.
    NotOwn(String),
}

/// The sets of one second in the order in which they were begun: the second one is called `…-GMT-2`.
fn in_time(name: &str) -> (String, u64) {
    const ZONE: &str = "-GMT";
    let numbered = name.rfind(ZONE).and_then(|at| {
        let (time, rest) = name.split_at(at + ZONE.len());
        let number = match rest {
            "" => 1,
            _ => rest.strip_prefix('-')?.parse().ok()?,
        };
        Some((time.to_owned(), number))
    });
    numbered.unwrap_or_else(|| (name.to_owned(), 0))
}

/// What lies in the folder of a set and is no part of one, by the paths from there.
fn foreign_in(set: &Path) -> io::Result<Vec<PathBuf>> {
    let mut foreign = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(set.join(&folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            let kind = entry.file_type()?;
            if kind.is_dir() && is_folder_of_set(&path) {
                folders.push(path);
            } else if !(kind.is_file() && is_file_of_set(&folder, &entry.file_name())) {
                foreign.push(path);
            }
        }
    }
    foreign.sort();
    Ok(foreign)
}

/// Whether a set has such a folder.
fn is_folder_of_set(path: &Path) -> bool {
    let begins = |folder: &str| path.starts_with(folder);
    begins(REPORTS_FOLDER) || begins(REPORTS_BEING_WRITTEN) || path == Path::new(RECEIPTS_FOLDER)
}

/// Whether a set has such a file in one of its folders.
fn is_file_of_set(folder: &Path, name: &std::ffi::OsStr) -> bool {
    let name = name.to_string_lossy();
    if is_being_written(&name) {
        return true;
    }
    if folder == Path::new("") {
        return [SET_FILE, COMPARISON_FILE, LOCK_FILE, SEALS_FILE].contains(&&*name);
    }
    match folder == Path::new(RECEIPTS_FOLDER) {
        true => name.ends_with(RECEIPT),
        false => name == REPORT_FILE,
    }
}

/// Gives the folder of a set another name, beside it, that hides it. What was left there by a process that was killed over
/// removing it goes first.
fn move_aside(folder: &Path) -> io::Result<PathBuf> {
    const MOST_ATTEMPTS: u32 = 1_000;
    let mut last = io::ErrorKind::AlreadyExists.into();
    for attempt in 1..=MOST_ATTEMPTS {
        let mut name = std::ffi::OsString::from(".discarded-");
        name.push(folder.file_name().unwrap_or_default());
        if attempt > 1 {
            name.push(format!("-{attempt}"));
        }
        let aside = folder.with_file_name(name);
        if foreign_in(&aside).is_ok_and(|foreign| foreign.is_empty()) {
            let _ = fs::remove_dir_all(&aside);
        }
        match fs::rename(folder, &aside) {
            Ok(()) => return Ok(aside),
            // Something lies there.
            Err(error) if aside.symlink_metadata().is_ok() => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

/// The digest of what a complete set says: of the paths and the bytes of its reports, and of its comparison.
fn contents_of(set: &Path) -> Result<Digest, Error> {
    let mut files = BTreeMap::new();
    let mut folders = vec![set.join(REPORTS_FOLDER)];
    while let Some(folder) = folders.pop() {
        let unreadable = |source| Error::read(&folder, source);
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            match entry.file_type().map_err(unreadable)? {
                kind if kind.is_dir() => folders.push(entry.path()),
                _ => drop(files.insert(entry.path(), None)),
            }
        }
    }
    files.insert(set.join(COMPARISON_FILE), None);
    for (path, digest) in &mut files {
        let bytes =
            regular_file::read(path, MOST_BYTES).map_err(|source| Error::read(path, source))?;
        *digest = Some(Digest::of(&bytes));
    }
    let listed: Vec<_> = files
        .iter()
        .map(|(path, digest)| (path.strip_prefix(set).unwrap_or(path).to_string_lossy(), digest))
        .collect();
    Ok(Digest::of(json!(listed).to_string().as_bytes()))
}

/// Whether a folder is a set, by its file; whoever made it.
pub(super) fn is_set(folder: &Path) -> bool {
    let bytes = regular_file::read(&folder.join(SET_FILE), MOST_BYTES_OF_SMALL);
    folder.is_dir() && bytes.is_ok_and(|bytes| is_summary(&bytes))
}

/// Whether these are the bytes of a `set.json`.
pub(super) fn is_summary(bytes: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Form {
        format: String,
    }
    serde_json::from_slice(bytes).is_ok_and(|Form { format }| format.starts_with(ANY_FORMAT))
}

fn name_of(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn names_in(folder: &Path) -> Result<Vec<String>, Error> {
    let unreadable = |source| Error::read(folder, source);
    fs::read_dir(folder)
        .map_err(unreadable)?
        .map(|entry| Ok(entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned()))
        .collect()
}

/// Removes a folder with all that is in it.
fn remove_if_there(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Refuses a link, or anything else, in the place of a folder: what is written into it would land elsewhere.
fn must_be_folder(folder: &Path) -> Result<(), Error> {
    match folder.symlink_metadata() {
        Ok(there) if there.is_dir() => Ok(()),
        Ok(_) => Err(Error::RegradeSet {
            path: folder.to_owned(),
            message: "this is a link or a file where a folder of sets has to be: remove it, or name another folder \
                      with --set"
                .to_owned(),
        }),
        Err(source) => Err(Error::read(folder, source)),
    }
}

/// Takes the lock that says that somebody changes a set. A file system without locks is good enough.
fn lock(folder: &Path) -> Result<File, Error> {
    let path = folder.join(LOCK_FILE);
    // Nothing but a file of ours: opening a pipe would wait, and a link would make a file elsewhere.
    if path.symlink_metadata().is_ok_and(|there| !there.is_file()) {
        let message = "this is no lock but a link, a folder or a pipe: remove it".to_owned();
        return Err(Error::RegradeSet { path, message });
    }
    let file =
        File::options().create(true).truncate(false).write(true).open(&path).map_err(|source| {
            match source.kind() {
                io::ErrorKind::NotFound => Error::RegradeSet {
                    path: folder.to_owned(),
                    message: "it is not there any more: somebody else has removed it".to_owned(),
                },
                _ => Error::write(&path, source),
            }
        })?;
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

/// What the `set.json` of a folder says, and whether its seal is of this key.
fn read_summary(folder: &Path, key: &SealingKey) -> Result<(SetSummary, bool), Error> {
    let wrong = |message: String| Error::RegradeSet { path: folder.to_owned(), message };
    let path = folder.join(SET_FILE);
    let text = regular_file::read_text(&path, MOST_BYTES_OF_SMALL).map_err(|error| match error
        .kind()
    {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            wrong(format!("this is no set of a regrade: it has no {SET_FILE}"))
        }
        _ => Error::read(&path, error),
    })?;
    let (mut summary, is_own): (SetSummary, bool) = key
        .open_json(Purpose::Set, &text)
        .map_err(|error| wrong(format!("{SET_FILE}: {}", plain(&error.to_string()))))?;
    if summary.format != FORMAT {
        let format = message::fit_line(&summary.format, SHOWN_CHARACTERS);
        return Err(wrong(format!("it has the form `{format}`, this Podium reads `{FORMAT}`")));
    }
    // The folder is what a set is found by, whatever is said inside.
    summary.name = name_of(folder);
    Ok((summary, is_own))
}

#[cfg(test)]
mod tests;
