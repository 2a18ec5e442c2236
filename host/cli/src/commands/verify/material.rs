//! What a receipt is checked with: its grader, its submission and its answers, found where they probably lie.
//!
//! All looking around is here. Graders, answers and reports are read once for however many receipts name them; whether
//! what was found is what a receipt names is for [`podium::Receipt::verify`] to say.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use podium::{
    Catalog, Digest, Engine, Grader, GraderSource, Graders, Input, Receipt, RunGroupReport,
    TrustedGrader,
};

use super::Arguments;
use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::places::Places;
use crate::{engine, graders, output};

/// Where material is looked for, and what was found so far.
pub(super) struct Material<'a> {
    arguments: &'a Arguments,
    places: Places,
    catalog: Catalog,
    choice: Graders,
    engine: Engine,
    graders: HashMap<(GraderSource, String), Grader>,
    answers: HashMap<(Vec<PathBuf>, u64), Vec<Input>>,
    /// For a folder, the paths of submissions by the receipts of their gradings.
    reported: HashMap<PathBuf, HashMap<Digest, PathBuf>>,
}

impl<'a> Material<'a> {
    /// Nothing found yet.
    ///
    /// # Errors
    /// Folders on the command line that are none; a store or a policy that cannot be used; no engine.
    pub(super) fn new(arguments: &'a Arguments, shared: &Shared) -> Result<Material<'a>, Failure> {
        let places = Places::find(shared)?;
        Ok(Material {
            arguments,
            catalog: places.catalog(),
            places,
            choice: graders::find(shared)?,
            engine: engine::start(shared)?,
            graders: HashMap::new(),
            answers: HashMap::new(),
            reported: HashMap::new(),
        })
    }

    /// The grader: as the command line says, else by its digest from the store or the graders' folders, else the one that
    /// grades the competition now.
    ///
    /// # Errors
    /// There is none, it cannot be loaded, or it is not trusted to grade the competition of the receipt.
    pub(super) fn grader(&mut self, receipt: &Receipt) -> Result<Grader, Failure> {
        let source = self.source(receipt)?;
        // The competition that the receipt claims: that the grader says so as well is part of what is checked.
        let competition = receipt.claim.component.competition.clone();
        let key = (source, competition);
        if let Some(grader) = self.graders.get(&key) {
            return Ok(grader.clone());
        }
        let TrustedGrader { grader, .. } = self.choice.load(&self.engine, &key.1, &key.0)?;
        self.graders.insert(key, grader.clone());
        Ok(grader)
    }

    fn source(&self, receipt: &Receipt) -> Result<GraderSource, Failure> {
        if let Some(named) = &self.arguments.grader {
            return named.source(&self.choice);
        }
        // An old receipt needs its old grader, which is kept under its digest.
        let claimed = &receipt.claim.component;
        if self.choice.store().is_some_and(|store| store.holds(&claimed.sha256)) {
            return Ok(GraderSource::Stored(claimed.sha256));
        }
        let by_digest = self
            .catalog
            .grader_folders()
            .iter()
            .map(|folder| folder.join(format!("{}.wasm", claimed.sha256)))
            .find(|path| path.is_file());
        match by_digest {
            Some(path) => Ok(GraderSource::File(path)),
            None => {
                let competition = self.catalog.get(&claimed.competition)?;
                Ok(self.choice.choose(&competition)?.source)
            }
        }
    }

    /// Whether the command line says where the submission is.
    pub(super) fn names_submission(&self) -> bool {
        self.arguments.submission.is_some()
    }

    /// The submission: as the command line says, else as a report near the receipt says, else the file of its name beside
    /// the receipt.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub(super) fn submission(
        &mut self,
        receipt: &Receipt,
        receipt_path: &Path,
    ) -> Result<Input, Failure> {
        let path = match &self.arguments.submission {
            Some(path) => path.clone(),
            None => self.find_submission(receipt, receipt_path)?,
        };
        Ok(Input::open(path, receipt.made_by.limits.input_bytes)?)
    }

    fn find_submission(
        &mut self,
        receipt: &Receipt,
        receipt_path: &Path,
    ) -> Result<PathBuf, Failure> {
        let folder = match receipt_path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let reported = [folder.to_owned(), folder.join("..")]
            .into_iter()
            .find_map(|folder| self.reported_in(folder, &receipt.id));
        if let Some(path) = reported.as_deref().filter(|path| path.is_file()) {
            return Ok(path.to_owned());
        }
        let name = receipt.claim.submission().map(|input| input.name.as_str()).unwrap_or_default();
        // A name is one step, or it would lead anywhere.
        let beside =
            Path::new(name).file_name().map(|name| folder.join(name)).filter(|path| path.is_file());
        beside.ok_or_else(|| {
            let name = output::short_name(name);
            match reported {
                None => Failure::new(
                    Exit::Missing,
                    format!("it is not known where the submission `{name}` lies"),
                )
                .hint("name it with --submission FILE"),
                Some(path) => Failure::new(
                    Exit::Missing,
                    format!(
                        "the submission `{name}` is not where the report says, at {}",
                        output::path(&path)
                    ),
                )
                .hint(
                    "name it with --submission FILE, or verify from the folder from which it was graded",
                ),
            }
        })
    }

    /// Where the submission of a receipt lies or lay, by the reports of run groups in a folder.
    fn reported_in(&mut self, folder: PathBuf, receipt: &Digest) -> Option<PathBuf> {
        let reported = self.reported.entry(folder).or_insert_with_key(|folder| reports_in(folder));
        reported.get(receipt).cloned()
    }

    /// The answers: as the command line says, else those of the competition in the data folder.
    ///
    /// # Errors
    /// Some are missing, or cannot be read.
    pub(super) fn answers(&mut self, receipt: &Receipt) -> Result<Vec<Input>, Failure> {
        let key = (self.find_answers(receipt)?, receipt.made_by.limits.input_bytes);
        if let Some(answers) = self.answers.get(&key) {
            return Ok(answers.clone());
        }
        let (paths, limit) = &key;
        let answers = paths
            .iter()
            .map(|path| Ok(Input::open(path, *limit)?))
            .collect::<Result<Vec<Input>, Failure>>()?;
        self.answers.insert(key, answers.clone());
        Ok(answers)
    }

    fn find_answers(&self, receipt: &Receipt) -> Result<Vec<PathBuf>, Failure> {
        if !self.arguments.answers.is_empty() {
            return Ok(self.arguments.answers.clone());
        }
        let competition = self.catalog.get(&receipt.claim.component.competition)?;
        let answers = competition.answers_in(&self.places.data);
        if let Some(missing) = answers.iter().find(|path| !path.exists()) {
            return Err(Failure::new(
                Exit::Missing,
                format!(
                    "the data of `{}` are not prepared: {} is not there",
                    competition.id(),
                    output::path(missing)
                ),
            )
            .hint("name the data folder with --data-dir, or the answers with --answers"));
        }
        // Whoever set the data folder up is trusted: links in it may lead wherever they like.
        Ok(answers.into_iter().map(|path| path.canonicalize().unwrap_or(path)).collect())
    }
}

/// The paths of submissions by the receipts of their gradings, as the reports of run groups in a folder have them. Where
/// several have a receipt, the latest counts.
fn reports_in(folder: &Path) -> HashMap<Digest, PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return HashMap::new() };
    let is_report = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().ends_with("_grading_report.json"))
    };
    let mut reports: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(is_report).collect();
    reports.sort();
    let mut submissions = HashMap::new();
    for path in reports {
        let Ok(group) = RunGroupReport::read(&path) else { continue };
        let mut of_group = HashMap::new();
        for report in group.competition_reports {
            if let Some(receipt) = report.receipt_id {
                of_group.entry(receipt).or_insert_with(|| PathBuf::from(report.submission_path));
            }
        }
        submissions.extend(of_group);
    }
    submissions
}
