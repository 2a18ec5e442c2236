//! What is regraded: an archive, or a single report or list that somebody named.

use std::path::{Path, PathBuf};

use crate::archive::{Archive, ArchiveLimits, EntryPath, EntryProblem, Passage};
use crate::cancellation::Cancellation;
use crate::error::Error;
use crate::regular_file;

use super::assembly::{self, Assembled};
use super::collector::Collector;
use super::records::Records;
use super::resolver::Resolver;
use super::survey::{ArchivedRun, Survey};

/// What is regraded.
pub struct RegradeSubject {
    path: PathBuf,
    limits: ArchiveLimits,
    what: What,
}

enum What {
    Archive(Archive),
    /// A report or a list, with the folder that it lies in.
    Document {
        text: String,
        folder: PathBuf,
        is_list: bool,
    },
}

impl RegradeSubject {
    /// Opens what lies at `path`. A `.json` is a grading report and a `.jsonl` a list of submissions; everything else is
    /// told by its content.
    ///
    /// # Errors
    /// [`Error::Read`] and [`Error::Archive`], as [`Archive::open`].
    pub fn open(path: &Path, limits: ArchiveLimits) -> Result<RegradeSubject, Error> {
        let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
        let is = |wanted: &str| extension.as_deref().is_some_and(|extension| extension == wanted);
        let what = if (is("json") || is("jsonl")) && !path.is_dir() {
            let wrong = |message: &str| Error::Archive {
                path: path.to_owned(),
                message: message.to_owned(),
            };
            let bytes = regular_file::read(path, limits.document_bytes)
                .map_err(|source| Error::read(path, source))?;
            if crate::archive::is_pointer(&bytes) {
                return Err(wrong("this is a Git LFS pointer; run `git lfs pull`"));
            }
            let text = String::from_utf8(bytes).map_err(|_| wrong("it is not text"))?;
            let text = text.trim_start_matches('\u{feff}').to_owned();
            let folder = path.parent().map(Path::to_owned).unwrap_or_default();
            What::Document { text, folder, is_list: is("jsonl") }
        } else {
            What::Archive(Archive::open(path, limits.clone())?)
        };
        Ok(RegradeSubject { path: path.to_owned(), limits, what })
    }

    /// The path, as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The limits of the archive.
    pub fn limits(&self) -> &ArchiveLimits {
        &self.limits
    }

    /// What it is packed as; `document` for a report or a list.
    pub fn format(&self) -> &'static str {
        match &self.what {
            What::Archive(archive) => archive.format().name(),
            What::Document { .. } => "document",
        }
    }

    /// The submissions that a single report or list names, wherever they lie; none for an archive, whose submissions lie in
    /// it, or are found on the way through it.
    pub fn named_submissions(&self) -> Vec<PathBuf> {
        if self.archive().is_some() {
            return Vec::new();
        }
        let survey = self.survey(None, &Cancellation::new());
        survey.map(|survey| survey.submissions_outside()).unwrap_or_default()
    }

    /// The archive, where it is one.
    pub(super) fn archive(&self) -> Option<&Archive> {
        match &self.what {
            What::Archive(archive) => Some(archive),
            What::Document { .. } => None,
        }
    }

    /// Finds out which runs there are. `records` go before what the archive itself records. After a cancellation, those
    /// that were found until then.
    ///
    /// # Errors
    /// [`Error::Archive`] where nothing is understood as a run.
    pub(super) fn survey(
        &self,
        records: Option<Records>,
        cancellation: &Cancellation,
    ) -> Result<Survey, Error> {
        let mut collector = Collector::new(&self.limits, cancellation);
        let (assembled, mut passage) = match &self.what {
            What::Archive(archive) => {
                let mut passage = archive.visit(&mut collector);
                for (path, reason) in std::mem::take(&mut collector.in_the_place_of_submissions) {
                    passage.refuses(path.as_str(), reason);
                }
                (assembly::assemble(collector, &passage.unusable, records), passage)
            }
            What::Document { text, folder, is_list } => {
                let name = self.path.file_name().unwrap_or_default().to_string_lossy();
                let name = EntryPath::parse(name.as_bytes()).unwrap_or_default();
                match is_list {
                    true => collector.take_list(&name, text),
                    false => collector.take_report(&name, text),
                }
                let resolver = Resolver::Disk { folder };
                (assembly::of_document(collector, resolver, records), Passage::default())
            }
        };
        let Assembled { mut runs, receipts, mut problems, sets } = assembled;
        if passage.broken.is_some() {
            runs.iter_mut().for_each(ArchivedRun::doubt_that_there_is_none);
        }
        if runs.is_empty() && !cancellation.is_cancelled() {
            return Err(self.nothing(&problems, &passage));
        }
        for set in sets {
            passage.leaves_out(set.as_str(), "a set of a regrade, and no record of the archive");
        }
        let problems_in_all = problems.len() as u64 + passage.refused_in_all;
        problems.extend(passage.refused);
        problems.truncate(Passage::KEPT);
        Ok(Survey {
            runs,
            broken: passage.broken,
            problems,
            problems_in_all,
            left_out: passage.left_out,
            left_out_in_all: passage.left_out_in_all,
            receipts,
        })
    }

    fn nothing(&self, problems: &[EntryProblem], passage: &Passage) -> Error {
        const SHOWN: usize = 5;
        let mut message = "there is nothing to grade in it: no run group (a folder with metadata.json and \
                           <competition>_<id>/submission/submission.csv), no grading report, no list of submissions"
            .to_owned();
        if let Some(broken) = &passage.broken {
            message.push_str(&format!("; {broken}"));
        }
        for EntryProblem { entry, reason } in problems.iter().chain(&passage.refused).take(SHOWN) {
            message.push_str(&format!("; {entry}: {reason}"));
        }
        Error::Archive { path: self.path.clone(), message }
    }
}
