//! Sets: what a regrade leaves behind, and which of them is an archive's current grading.
//!
//! The sets of an archive lie in `regrades/` in its folder, or in `<archive>.regrades/` beside a packed one, each in a
//! folder of its own. Nothing that is there is ever changed by another set. `current.json` names the set that was
//! applied last, and is written whole or not at all; a later regrade compares with that set.
//!
//! Sets come with archives, too, and whoever made an archive can lay anything into them. So a set that is begun here
//! carries a [seal](super::seal). One without it is shown, and that is all, until somebody adopts it: it is neither gone
//! on with nor compared with, and nothing is written into it.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::archive::EntryPath;
use crate::atomic_write::{remove_left_behind, write_over};
use crate::digest::Digest;
use crate::error::Error;
use crate::limits::LimitOverrides;
use crate::message;
use crate::regular_file;
use crate::report::GradingReport;
use crate::run_group::{RunGroupReport, to_json, utc};

use super::Regrading;
use super::journal::{self, RECEIPTS_FOLDER, SEALS_FILE};
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
    /// The archive: its path, without links in it.
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
        folders.sort();
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
        let text = match regular_file::read_text(&path, MOST_BYTES_OF_SMALL) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(Error::read(&path, source)),
        };
        key.open_json(Purpose::Current, &text).map(Some).map_err(|error| Error::RegradeSet {
            message: format!(
                "it does not say which set is the current one: {error}; remove the file, or apply a set again"
            ),
            path,
        })
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
        let is_begun = held.iter().all(|name| {
            begun.contains(&name.as_str()) || name.starts_with('.') && name.ends_with(".partial")
        });
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
                .map_err(|error| Error::RegradeSet { path, message: error.to_string() }),
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
        let current = sets.current(&self.key)?.filter(|current| current.own);
        Ok(current.is_some_and(|current| same_place(&current.folder, &self.folder)))
    }

    /// Makes the set the archive's current grading. The one before stays where it is. False where it was so already.
    ///
    /// # Errors
    /// [`Error::RegradeSet`] for a set that is not complete, unless `incomplete` allows it; for one that somebody else
    /// made, unless `adopt` takes it for one's own; for one whose archive is not where it was.
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
        if self.is_current()? {
            return Ok(false);
        }
        // What somebody else had made the current one says nothing of what came before.
        let current = sets.read_current(&self.key)?.filter(|(_, own)| *own);
        let (set, mut before) = match current {
            Some((current, _)) => (Some(current.set), current.before),
            None => (None, Vec::new()),
        };
        before.extend(set);
        let set = self.place(&sets)?;
        let current = Current { set, applied_at: utc(Timestamp::now()), before };
        sets.make_folder()?;
        let text = self.key.sealed_json(Purpose::Current, &current);
        write_over(&sets.folder.join(CURRENT_FILE), text.as_bytes())?;
        Ok(true)
    }

    /// Removes the set.
    ///
    /// # Errors
    /// [`Error::RegradeSet`] for the current one; [`Error::Write`] where it cannot be removed.
    pub fn discard(mut self) -> Result<(), Error> {
        self.take_lock()?;
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
        if !set.is_own || !set.is_intact()? {
            return Ok(CurrentRecords::NotOwn(name));
        }
        let mut records = Records::default();
        if set.summary.contents.is_some() {
            let reports = set.folder.join(REPORTS_FOLDER);
            must_be_folder(&reports)?;
            records = records::in_folder(&reports)?;
        }
        journal::for_each_sealed(&set.folder, &self.key, |_, _, receipt| {
            RecordedReceipt::of(&receipt).into_iter().for_each(|one| records.receipts.add(one));
        })?;
        Ok(CurrentRecords::Own(name, records))
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
            write_over(&folder.join("grading_report.json"), to_json(&report).as_bytes())?;
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
        .map_err(|error| wrong(format!("{SET_FILE}: {error}")))?;
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
