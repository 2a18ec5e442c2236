//! The first passage through an archive: which submissions lie where, and what its small files say of runs.
//!
//! Files are told by their names, and a list of submissions by its first line besides: an agent's own `.jsonl` files
//! are none. What lies in the folder of a run was written by an agent; [`assembly`](super::assembly) passes it over.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::{self, BufRead, BufReader, Read};

use crate::archive::{ArchiveLimits, EntryPath, EntryProblem, EntryVisitor, is_pointer};
use crate::cancellation::Cancellation;
use crate::receipt::Receipt;
use crate::submission_list::{ListedSubmission, parse_sound_lines};
use crate::verdict::Bytes;

use super::experiments;
use super::metadata::{RunGroupMetadata, SUBMISSION};
use super::records::{self, RecordedGrading, RecordedReceipt, Records};
use super::set::{self, SETS_FOLDER};

/// How much of a `.jsonl` file is looked at to tell whether it is a list of submissions.
const FIRST_LINES_BYTES: u64 = 64 << 10;

/// What the small files of an archive say.
pub(super) struct Collector {
    limits: ArchiveLimits,
    only_records: bool,
    cancellation: Cancellation,
    /// The bytes of all documents that were read.
    documents: u64,
    pub(super) submissions: HashSet<EntryPath>,
    /// Folders that lie where a run keeps its submission, and what is wrong with that.
    pub(super) in_the_place_of_submissions: HashMap<EntryPath, String>,
    /// Folders that are sets of regrades.
    pub(super) sets: BTreeSet<EntryPath>,
    pub(super) metadata: BTreeMap<EntryPath, RunGroupMetadata>,
    pub(super) reports: BTreeMap<EntryPath, Vec<RecordedGrading>>,
    pub(super) lists: BTreeMap<EntryPath, Vec<ListedSubmission>>,
    pub(super) receipts: Vec<(EntryPath, RecordedReceipt)>,
    pub(super) experiments: Vec<(String, String)>,
    /// Files that cannot be used, and why.
    pub(super) problems: Vec<(EntryPath, String)>,
}

/// What a file is, by its name.
enum Kind {
    Submission,
    Metadata,
    Report,
    List,
    Receipt,
    Experiments,
    Set,
    Other,
}

fn kind(path: &EntryPath) -> Kind {
    let name = path.name();
    let has_extension = |extension: &str| {
        name.rsplit_once('.').is_some_and(|(_, found)| found.eq_ignore_ascii_case(extension))
    };
    match name {
        "metadata.json" => Kind::Metadata,
        "run_group_experiments.csv" => Kind::Experiments,
        set::SET_FILE => Kind::Set,
        _ if name.ends_with(".receipt.json") => Kind::Receipt,
        _ if name.contains("grading_report") && has_extension("json") => Kind::Report,
        _ if has_extension("jsonl") => Kind::List,
        _ if has_extension("csv") => Kind::Submission,
        _ => Kind::Other,
    }
}

impl Collector {
    /// One that collects all there is to know of runs.
    pub(super) fn new(limits: &ArchiveLimits, cancellation: &Cancellation) -> Collector {
        Collector {
            limits: limits.clone(),
            only_records: false,
            cancellation: cancellation.clone(),
            documents: 0,
            submissions: HashSet::new(),
            in_the_place_of_submissions: HashMap::new(),
            sets: BTreeSet::new(),
            metadata: BTreeMap::new(),
            reports: BTreeMap::new(),
            lists: BTreeMap::new(),
            receipts: Vec::new(),
            experiments: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// One that collects what was recorded of gradings, and what tells the folders of runs and of sets.
    pub(super) fn of_records(limits: &ArchiveLimits) -> Collector {
        Collector { only_records: true, ..Collector::new(limits, &Cancellation::new()) }
    }

    /// What was recorded in the files that are a record.
    pub(super) fn into_records(self, is_record: impl Fn(&EntryPath) -> bool) -> Records {
        let reports = self.reports.into_iter().filter(|(path, _)| is_record(path)).collect();
        let mut records = Records { reports, ..Records::default() };
        self.receipts
            .into_iter()
            .filter(|(path, _)| is_record(path))
            .for_each(|(_, receipt)| records.receipts.add(receipt));
        records.problems = self
            .problems
            .into_iter()
            // What is wrong with the metadata is no matter of records.
            .filter(|(path, _)| is_record(path) && !matches!(kind(path), Kind::Metadata))
            .map(|(path, reason)| EntryProblem::new(path.as_str(), reason))
            .collect();
        records
    }

    /// Reads a file that is a report by its name, from its text.
    pub(super) fn take_report(&mut self, path: &EntryPath, text: &str) {
        match records::gradings(text) {
            Ok(read) => {
                self.problems.extend(read.wrong.into_iter().map(|reason| (path.clone(), reason)));
                self.reports.insert(path.clone(), read.gradings);
            }
            Err(reason) => self.problems.push((path.clone(), reason)),
        }
    }

    /// Reads a list of submissions, from its text: the lines of it that are sound.
    pub(super) fn take_list(&mut self, path: &EntryPath, text: &str) {
        let (list, wrong, count) = parse_sound_lines(text);
        let mut add = |reason: String| self.problems.push((path.clone(), reason));
        let more = count - wrong.len();
        for (line, message) in wrong {
            add(format!("line {line}: {message}; the other lines are used"));
        }
        if more > 0 {
            add(format!("… and {more} more of its lines are wrong"));
        }
        list.wrong_values.into_iter().for_each(add);
        self.lists.insert(path.clone(), list.submissions);
    }

    /// Counts a document. False, and a problem, where all together are more than may lie in memory.
    fn has_room(&mut self, path: &EntryPath, size: u64) -> bool {
        let limit = self.limits.all_documents_bytes;
        if self.documents.saturating_add(size) > limit {
            let limit = Bytes(limit);
            let reason = format!(
                "it is not read: with the reports, lists and receipts before it there are more than the limit of {limit}"
            );
            self.problems.push((path.clone(), reason));
            return false;
        }
        self.documents += size;
        true
    }

    fn take(&mut self, path: &EntryPath, kind: &Kind, bytes: Vec<u8>) {
        if let Kind::Set = kind {
            // A file of another program may be called so.
            let folder =
                path.parent().filter(|folder| !folder.is_root() && set::is_summary(&bytes));
            return self.sets.extend(folder);
        }
        let mut wrong = |reason: String| self.problems.push((path.clone(), reason));
        if is_pointer(&bytes) {
            return wrong("this is a Git LFS pointer; run `git lfs pull`".to_owned());
        }
        if let Kind::Experiments = kind {
            return match experiments::parse(&bytes) {
                Ok(pairs) => self.experiments.extend(pairs),
                Err(reason) => wrong(reason),
            };
        }
        let Ok(text) = String::from_utf8(bytes) else { return wrong("it is not text".to_owned()) };
        let text = text.trim_start_matches('\u{feff}');
        match kind {
            Kind::Metadata => match RunGroupMetadata::parse(text) {
                Ok(Some(metadata)) => {
                    metadata.wrong.iter().for_each(|reason| wrong(reason.clone()));
                    self.metadata.insert(path.parent().unwrap_or_default(), metadata);
                }
                Ok(None) => {}
                Err(reason) => wrong(reason),
            },
            Kind::Report => self.take_report(path, text),
            Kind::List => self.take_list(path, text),
            Kind::Receipt => match Receipt::parse(text) {
                Ok(receipt) => {
                    let receipt = RecordedReceipt::of(&receipt);
                    self.receipts.extend(receipt.map(|receipt| (path.clone(), receipt)));
                }
                Err(reason) => wrong(reason),
            },
            Kind::Submission | Kind::Experiments | Kind::Set | Kind::Other => {}
        }
    }
}

impl EntryVisitor for Collector {
    fn wants(&mut self, path: &EntryPath, size: u64) -> bool {
        // Earlier regrades are no part of what was run.
        if path.ancestors().any(|above| above.as_str() == SETS_FOLDER) {
            return false;
        }
        self.note_folder(path.parent());
        let kind = kind(path);
        match kind {
            Kind::Other => return false,
            Kind::List | Kind::Experiments if self.only_records => return false,
            Kind::Submission => {
                self.submissions.insert(path.clone());
                return false;
            }
            _ => {}
        }
        let limit = self.limits.document_bytes;
        // A log of gigabytes is no list, and nobody's news; nor is what is called like a set.
        if size > limit && !matches!(kind, Kind::List | Kind::Set) {
            let (size, limit) = (Bytes(size), Bytes(limit));
            self.problems
                .push((path.clone(), format!("it has {size}, more than the limit of {limit}")));
        }
        // A list is counted when it is known to be one.
        size <= limit && (matches!(kind, Kind::List) || self.has_room(path, size))
    }

    fn read(&mut self, path: &EntryPath, size: u64, content: &mut dyn Read) -> io::Result<()> {
        let kind = kind(path);
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        if let Kind::List = kind {
            let mut first = BufReader::new(content.take(FIRST_LINES_BYTES));
            while first.read_until(b'\n', &mut bytes)? > 0 && !says_something(&bytes) {}
            if !is_list(&bytes) || !self.has_room(path, size) {
                return Ok(());
            }
            first.read_to_end(&mut bytes)?;
            let rest = first.into_inner().into_inner();
            rest.read_to_end(&mut bytes)?;
        } else {
            content.read_to_end(&mut bytes)?;
        }
        self.take(path, &kind, bytes);
        Ok(())
    }

    fn enters(&mut self, path: &EntryPath) -> bool {
        self.note_folder(Some(path.clone()));
        path.as_str() != SETS_FOLDER
    }

    fn goes_on(&self) -> bool {
        !self.cancellation.is_cancelled()
    }
}

impl Collector {
    /// Notes a folder that lies where a run keeps its submission, or lies in one that does.
    fn note_folder(&mut self, folder: Option<EntryPath>) {
        let Some(folder) = folder.filter(|folder| folder.as_str().contains(SUBMISSION)) else {
            return;
        };
        let is_one = |path: &EntryPath| {
            path.as_str().strip_suffix(SUBMISSION).is_some_and(|above| above.ends_with('/'))
        };
        // The outermost one: what lies deeper was laid out by an agent.
        if let Some(path) = folder.ancestors().filter(is_one).last() {
            let reason = "it is a folder, and a submission is a file".to_owned();
            self.in_the_place_of_submissions.insert(path, reason);
        }
    }
}

/// Whether lines of a list are more than comments and blanks.
fn says_something(lines: &[u8]) -> bool {
    String::from_utf8_lossy(lines).lines().any(is_meant)
}

fn is_meant(line: &str) -> bool {
    let line = line.trim().trim_start_matches('\u{feff}');
    !(line.is_empty() || line.starts_with('#') || line.starts_with("//"))
}

/// Whether the first line that says something is one of a list of submissions, or a pointer in the place of one.
fn is_list(lines: &[u8]) -> bool {
    let text = String::from_utf8_lossy(lines);
    let Some(line) = text.lines().find(|line| is_meant(line)) else { return false };
    let names_both = line.contains("\"competition_id\"") && line.contains("\"submission_path\"");
    names_both || line.starts_with("version https://git-lfs.github.com/spec/")
}
