//! The examples of the built-in competitions, with their competitions and graders.

use std::path::Path;

use podium::{Catalog, Competition, Example, ListedSubmission};
use serde_json::{Map, Value};

use crate::artifacts;

/// The example of one competition.
#[derive(Debug)]
pub struct CompetitionExample {
    /// The competition.
    pub competition: Competition,
    /// Its example.
    pub example: Example,
}

/// The built-in competitions, with the built graders.
pub fn catalog() -> Catalog {
    Catalog::new(vec![artifacts::competitions()], vec![artifacts::graders()])
}

/// The examples of all competitions that have a grader, sorted by id.
///
/// # Panics
/// When one is missing or broken, with what is wrong.
pub fn all() -> Vec<CompetitionExample> {
    artifacts::grader_ids().iter().map(|id| CompetitionExample::of(id)).collect()
}

impl CompetitionExample {
    /// The example of this competition.
    ///
    /// # Panics
    /// When there is none, it is broken, or the grader is not built, with what is wrong.
    pub fn of(id: &str) -> CompetitionExample {
        artifacts::grader(id);
        let competition = catalog().get(id).unwrap_or_else(|error| panic!("{id}: {error}"));
        let example = Example::of(&competition).unwrap_or_else(|error| panic!("{id}: {error}"));
        let example = example.unwrap_or_else(|| panic!("{id} has no example"));
        CompetitionExample { competition, example }
    }

    /// Puts the answers where the competition expects them in a data folder.
    ///
    /// # Panics
    /// When a file cannot be written, or the competition expects several files of answers.
    pub fn prepare(&self, data_folder: &Path) {
        self.example
            .prepare(&self.competition, data_folder)
            .unwrap_or_else(|error| panic!("{error}"));
    }

    /// The submissions as lines of a list; `run` says which is which.
    pub fn listed(&self) -> Vec<ListedSubmission> {
        self.example
            .submissions
            .iter()
            .map(|(name, submission)| ListedSubmission {
                line: 1,
                competition_id: self.competition.id().to_owned(),
                submission_path: Some(submission.path.clone()),
                run: Map::from_iter([("name".to_owned(), Value::from(name.as_str()))]),
            })
            .collect()
    }
}
