//! A competition: a folder with its definition, description, leaderboard, examples and (maybe) its grader.
//!
//! A folder of a third party is read by the same code as a built-in one. Relies on the layout
//! `<id>/{competition.toml, description.md, leaderboard.csv, example/, grader.wasm}`, of which the definition alone is
//! mandatory.

use std::io;
use std::path::{Path, PathBuf};

use crate::definition::Definition;
use crate::error::Error;
use crate::grader::Direction;
use crate::leaderboard::Leaderboard;
use crate::limits::{LimitOverrides, Limits};
use crate::medals::Thresholds;
use crate::rounding::Rounding;

/// The name of the file that makes a folder a competition's.
pub const DEFINITION_FILE: &str = "competition.toml";

/// A competition, read from its folder.
#[derive(Clone, Debug)]
pub struct Competition {
    /// What `competition.toml` says.
    pub definition: Definition,
    /// Where the competition's own files lie.
    pub folder: PathBuf,
    /// The text of `description.md` (Markdown), where there is one.
    pub description: Option<String>,
    /// The private leaderboard, where there is one.
    pub leaderboard: Option<Leaderboard>,
    /// The medal lines: those of the definition, else those of the leaderboard, else none.
    pub thresholds: Option<Thresholds>,
    /// Where the grader may lie, the first existing file winning.
    pub grader_candidates: Vec<PathBuf>,
}

impl Competition {
    /// Reads the competition in `folder`. Its grader is the `grader.wasm` in the folder, else the first `<id>.wasm` in
    /// `grader_folders`; it need not exist yet.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Definition`] or [`Error::Leaderboard`], each with the file. A definition whose id is
    /// not the name of the folder is an error, too.
    pub fn load(folder: &Path, grader_folders: &[PathBuf]) -> Result<Competition, Error> {
        let definition_path = folder.join(DEFINITION_FILE);
        let text = read_text(&definition_path)?;
        let definition = Definition::parse(&text, &definition_path)?;
        // `.` and `..` have no name of their own.
        let canonical = folder.canonicalize().map_err(|source| Error::read(folder, source))?;
        let names = [folder.file_name(), canonical.file_name()];
        if !names.contains(&Some(definition.id.as_ref())) {
            return Err(Error::Definition {
                path: definition_path,
                message: format!(
                    "`id` is `{}`, but the folder is called `{}`: the two have to be the same",
                    definition.id,
                    names[0].or(names[1]).unwrap_or_default().to_string_lossy(),
                ),
            });
        }
        let direction = definition.metric.direction;
        let description = if_exists(read_text(&folder.join("description.md")))?;
        let leaderboard = if_exists(Leaderboard::read(&folder.join("leaderboard.csv"), direction))?;
        let thresholds = match (&definition.medals, &leaderboard) {
            (Some(medals), _) => Some(medals.thresholds()),
            (None, Some(board)) => Some(Thresholds::from_leaderboard(board)),
            (None, None) => None,
        };
        let component = format!("{}.wasm", definition.id);
        let grader_candidates = std::iter::once(folder.join("grader.wasm"))
            .chain(grader_folders.iter().map(|folder| folder.join(&component)))
            .collect();
        Ok(Competition {
            definition,
            folder: folder.to_owned(),
            description,
            leaderboard,
            thresholds,
            grader_candidates,
        })
    }

    /// The id.
    pub fn id(&self) -> &str {
        &self.definition.id
    }

    /// Which of two scores wins.
    pub fn direction(&self) -> Direction {
        self.definition.metric.direction
    }

    /// How a score is rounded before it is compared.
    pub fn rounding(&self) -> Rounding {
        self.definition.metric.rounding
    }

    /// The file of the grader.
    ///
    /// # Errors
    /// [`Error::NoGrader`] with all places where one was looked for.
    pub fn grader(&self) -> Result<&Path, Error> {
        self.grader_candidates.iter().find(|path| path.is_file()).map(PathBuf::as_path).ok_or_else(
            || Error::NoGrader {
                competition: self.id().to_owned(),
                searched: self.grader_candidates.clone(),
            },
        )
    }

    /// The files of answers in a data folder, whether they exist or not: `<data folder>/<id>/…`.
    pub fn answers_in(&self, data_folder: &Path) -> Vec<PathBuf> {
        let own = data_folder.join(self.id());
        self.definition.data.answers.iter().map(|path| own.join(path)).collect()
    }

    /// The sample submission in a data folder, whether it exists or not.
    pub fn sample_submission_in(&self, data_folder: &Path) -> Option<PathBuf> {
        let own = data_folder.join(self.id());
        self.definition.data.sample_submission.as_ref().map(|path| own.join(path))
    }

    /// The answers that are missing from a data folder; empty means that submissions can be graded.
    pub fn missing_answers_in(&self, data_folder: &Path) -> Vec<PathBuf> {
        self.answers_in(data_folder).into_iter().filter(|path| !path.is_file()).collect()
    }

    /// The limits of a grading: the default ones, changed by the competition, changed by `overrides`.
    pub fn limits(&self, overrides: &LimitOverrides) -> Limits {
        Limits::default().with(&self.definition.limits).with(overrides)
    }
}

/// A file that need not be there.
fn if_exists<T>(read: Result<T, Error>) -> Result<Option<T>, Error> {
    match read {
        Ok(content) => Ok(Some(content)),
        Err(Error::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn read_text(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| Error::read(path, source))
}
