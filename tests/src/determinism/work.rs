//! What is graded: the corpus, or a part of it, in memory and hashed once for all configurations.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use podium::{Catalog, Input, LimitOverrides, Limits};

use crate::parity::Corpus;

/// Which cases of each competition are graded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cases {
    /// All.
    All,
    /// At most that many, spread over all of them.
    Some(usize),
}

/// The gradings to be done.
pub struct Work {
    /// In the order of their ids.
    pub competitions: Vec<CompetitionWork>,
}

/// The gradings of one competition.
pub struct CompetitionWork {
    /// Its id.
    pub id: String,
    /// The file of its grader.
    pub component: PathBuf,
    /// The answers.
    pub answers: Vec<Held>,
    /// The limits, as the competition sets them.
    pub limits: Limits,
    /// Names and submissions.
    pub cases: Vec<(String, Held)>,
}

/// A file in memory, as the product's engine takes it and as others do.
pub struct Held {
    /// Hashed and frozen.
    pub input: Input,
    /// The content.
    pub bytes: Vec<u8>,
}

impl Held {
    /// A file of that name.
    pub fn new(name: impl Into<String>, bytes: Vec<u8>) -> Held {
        Held { input: Input::from_bytes(name, bytes.as_slice()), bytes }
    }
}

impl CompetitionWork {
    /// The answers, as the product's engine takes them.
    pub fn answer_inputs(&self) -> Vec<Input> {
        self.answers.iter().map(|answers| answers.input.clone()).collect()
    }
}

impl Work {
    /// Reads what there is to do for these competitions; components are `<id>.wasm` in the folder `graders`.
    ///
    /// # Errors
    /// A competition, its cases or its grader cannot be read.
    pub fn read(
        corpus: &Corpus,
        competitions: &Path,
        graders: &Path,
        ids: &[String],
        cases: Cases,
    ) -> Result<Work> {
        let catalog = Catalog::new(vec![competitions.to_path_buf()], vec![graders.to_path_buf()]);
        let competitions = ids
            .iter()
            .map(|id| {
                let read = corpus.read(id)?;
                let competition = catalog.get(id)?;
                let chosen = spread(read.cases.len(), cases);
                let submission = |bytes: &[u8]| Held::new("submission.csv", bytes.to_vec());
                Ok(CompetitionWork {
                    id: id.clone(),
                    component: competition.grader()?.to_path_buf(),
                    answers: vec![Held::new(read.answers_name, read.answers)],
                    limits: competition.limits(&LimitOverrides::default()),
                    cases: chosen
                        .into_iter()
                        .map(|index| &read.cases[index])
                        .map(|case| (case.name.clone(), submission(&case.submission)))
                        .collect(),
                })
            })
            .zip(ids)
            .map(|(read, id): (Result<CompetitionWork>, _)| read.with_context(|| id.clone()))
            .collect::<Result<_>>()?;
        Ok(Work { competitions })
    }

    /// How many gradings that are.
    pub fn gradings(&self) -> usize {
        self.competitions.iter().map(|competition| competition.cases.len()).sum()
    }
}

/// The places of the chosen cases among so many, from the first to the last.
fn spread(all: usize, cases: Cases) -> Vec<usize> {
    match cases {
        Cases::Some(1) => (0..all.min(1)).collect(),
        Cases::Some(some) if some < all => {
            (0..some).map(|place| place * (all - 1) / (some - 1)).collect()
        }
        Cases::All | Cases::Some(_) => (0..all).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_spread_and_none_comes_twice() {
        assert_eq!(spread(5, Cases::All), [0, 1, 2, 3, 4]);
        assert_eq!(spread(5, Cases::Some(9)), [0, 1, 2, 3, 4]);
        assert_eq!(spread(5, Cases::Some(3)), [0, 2, 4]);
        assert_eq!(spread(5, Cases::Some(2)), [0, 4]);
        assert_eq!(spread(5, Cases::Some(1)), [0]);
        assert_eq!(spread(0, Cases::Some(1)), [0; 0]);
        assert_eq!(spread(5, Cases::Some(0)), [0; 0]);
        for some in 2..100 {
            let chosen = spread(100, Cases::Some(some));
            assert_eq!(chosen.len(), some);
            assert!(chosen.is_sorted_by(|left, right| left < right), "{chosen:?}");
            assert_eq!((chosen[0], chosen[some - 1]), (0, 99));
        }
    }
}
