//! Competitions at their real size: made-up answers and submissions with as many rows, and of the same shape, as the real ones.
//!
//! What costs something is real: submissions differ from the answers in part, and their rows are in no order wherever the
//! competition matches rows by id. Files are written row by row and kept for the next run, until what they are made by
//! changes.

mod billion_word;
mod boxes;
mod characters;
mod cuboids;
mod denoising;
mod enlarged;
mod fashion;
mod forest_cover;
mod icecube;
mod keyword_extraction;
mod labels;
mod masks;
mod molecules;
mod notebooks;
mod player_contact;
mod question_answering;
mod rest;
mod scalar_coupling;
mod scans;
mod text_normalization;
mod ventilator;
mod words;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use self::enlarged::Enlarged;
pub(super) use self::rest::{heavy, rest};
use super::workloads::Workload;
use crate::workspace;

/// A competition at its real size.
pub(super) struct Large {
    pub(super) competition: &'static str,
    /// The rows of its submissions.
    pub(super) rows: u64,
    make: Make,
    /// The text of the module that writes the files.
    source: &'static str,
}

/// How files come about.
enum Make {
    /// A module writes them, with so many rows.
    Rows(fn(u64, &mut Files<'_>) -> Result<()>),
    /// The example of the competition, as often as it takes.
    Example(Enlarged),
}

/// The files that a competition's module writes.
struct Files<'a> {
    answers: &'a mut dyn Write,
    submission: &'a mut dyn Write,
}

/// What all modules that write files rely on.
const SHARED_SOURCES: [&str; 2] = [include_str!("../numbers.rs"), include_str!("words.rs")];

/// The competitions with the most rows or bytes to read, largest first.
pub(super) const LARGEST: [Large; 15] = [
    Large {
        competition: "icecube-neutrinos-in-deep-ice",
        rows: 13_200_000,
        make: Make::Rows(icecube::write),
        source: include_str!("icecube.rs"),
    },
    Large {
        competition: "denoising-dirty-documents",
        rows: denoising::PIXELS,
        make: Make::Rows(denoising::write),
        source: include_str!("denoising.rs"),
    },
    Large {
        competition: "h-and-m-personalized-fashion-recommendations",
        rows: 1_371_980,
        make: Make::Rows(fashion::write),
        source: include_str!("fashion.rs"),
    },
    Large {
        competition: "text-normalization-challenge-russian-language",
        rows: 1_059_191,
        make: Make::Rows(text_normalization::russian),
        source: include_str!("text_normalization.rs"),
    },
    Large {
        competition: "text-normalization-challenge-english-language",
        rows: 993_465,
        make: Make::Rows(text_normalization::english),
        source: include_str!("text_normalization.rs"),
    },
    Large {
        competition: "cdiscount-image-classification-challenge",
        rows: 706_990,
        make: Make::Rows(labels::cdiscount),
        source: include_str!("labels.rs"),
    },
    Large {
        competition: "ventilator-pressure-prediction",
        rows: 603_600,
        make: Make::Rows(ventilator::write),
        source: include_str!("ventilator.rs"),
    },
    Large {
        competition: "facebook-recruiting-iii-keyword-extraction",
        rows: 603_420,
        make: Make::Rows(keyword_extraction::write),
        source: include_str!("keyword_extraction.rs"),
    },
    Large {
        competition: "bms-molecular-translation",
        rows: 484_838,
        make: Make::Rows(molecules::write),
        source: include_str!("molecules.rs"),
    },
    Large {
        competition: "herbarium-2021-fgvc8",
        rows: 477_806,
        make: Make::Rows(labels::herbarium),
        source: include_str!("labels.rs"),
    },
    Large {
        competition: "nfl-player-contact-detection",
        rows: 472_000,
        make: Make::Rows(player_contact::write),
        source: include_str!("player_contact.rs"),
    },
    Large {
        competition: "champs-scalar-coupling",
        rows: 466_000,
        make: Make::Rows(scalar_coupling::write),
        source: include_str!("scalar_coupling.rs"),
    },
    Large {
        competition: "tabular-playground-series-dec-2021",
        rows: 400_000,
        make: Make::Rows(forest_cover::write),
        source: include_str!("forest_cover.rs"),
    },
    Large {
        competition: "billion-word-imputation",
        rows: 303_000,
        make: Make::Rows(billion_word::write),
        source: include_str!("billion_word.rs"),
    },
    Large {
        competition: "tensorflow2-question-answering",
        rows: 61_476,
        make: Make::Rows(question_answering::write),
        source: include_str!("question_answering.rs"),
    },
];

/// One that is not among the fifteen and cheap to measure.
pub(super) const MORE: [Large; 1] = [Large {
    competition: "ml2021spring-hw2",
    rows: 330_291,
    make: Make::Rows(labels::phonemes),
    source: include_str!("labels.rs"),
}];

impl Large {
    /// Writes the files with this many rows into a folder, or finds those of an earlier run.
    pub(super) fn prepare(&self, data: &Path, rows: u64) -> Result<Workload> {
        let folder = data.join(self.competition);
        let workload = Workload {
            competition: self.competition,
            data: data.to_path_buf(),
            answers: folder.join(answers_of(self.competition)?),
            submission: folder.join("submission.csv"),
            score: None,
        };
        let made_by = folder.join("made-by.txt");
        let wanted = self.digest(rows)?;
        if fs::read_to_string(&made_by).is_ok_and(|present| present == wanted) {
            return Ok(workload);
        }
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .with_context(|| format!("could not remove {}", folder.display()))?;
        }
        let mut answers = create(&workload.answers)?;
        let mut submission = create(&workload.submission)?;
        let mut files = Files { answers: &mut answers, submission: &mut submission };
        self.write(rows, &mut files)
            .and_then(|()| Ok(answers.flush()?))
            .and_then(|()| Ok(submission.flush()?))
            .with_context(|| format!("could not write the files in {}", folder.display()))?;
        // Last, so that files which are not complete are never found.
        workspace::write_if_changed(&made_by, wanted.as_bytes())?;
        Ok(workload)
    }

    fn write(&self, rows: u64, files: &mut Files<'_>) -> Result<()> {
        match &self.make {
            Make::Rows(write) => write(rows, files),
            Make::Example(enlarged) => enlarged.write(self.competition, rows, files),
        }
    }

    /// Tells apart files that are not made the same way.
    fn digest(&self, rows: u64) -> Result<String> {
        let mut digest = Sha256::new();
        for source in SHARED_SOURCES.iter().chain([&self.source]) {
            digest.update(Sha256::digest(source));
        }
        if let Make::Example(enlarged) = &self.make {
            digest.update(enlarged.digest(self.competition)?);
        }
        let digest: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(format!("{rows} rows by the sources {digest}\n"))
    }
}

/// Where the answers of a competition lie in its data folder.
fn answers_of(competition: &str) -> Result<String> {
    let path = workspace::root().join("competitions").join(competition).join("competition.toml");
    let definition = fs::read_to_string(&path)
        .with_context(|| format!("could not read {}", path.display()))?
        .parse::<toml::Table>()
        .with_context(|| format!("{} is broken", path.display()))?;
    let answers = definition.get("data").and_then(|data| data.get("answers")?.get(0)?.as_str());
    Ok(answers.with_context(|| format!("{} names no answers", path.display()))?.to_owned())
}

fn create(path: &Path) -> Result<BufWriter<File>> {
    const BUFFER: usize = 1 << 20;
    let folder = path.parent().context("a file lies in a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("could not make {}", folder.display()))?;
    let file = File::create(path).with_context(|| format!("could not write {}", path.display()))?;
    Ok(BufWriter::with_capacity(BUFFER, file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(large: &Large, rows: u64) -> (String, String) {
        let (mut answers, mut submission) = (Vec::new(), Vec::new());
        let mut files = Files { answers: &mut answers, submission: &mut submission };
        large.write(rows, &mut files).unwrap();
        (String::from_utf8(answers).unwrap(), String::from_utf8(submission).unwrap())
    }

    fn all() -> impl Iterator<Item = Large> {
        LARGEST.into_iter().chain(MORE)
    }

    /// The cells of a table, by id, without the header.
    fn table(text: &str) -> Vec<Vec<String>> {
        csv::Reader::from_reader(text.as_bytes())
            .into_records()
            .map(|record| record.unwrap().iter().map(str::to_owned).collect())
            .collect()
    }

    #[test]
    fn files_are_the_same_in_every_run() {
        for large in all() {
            assert_eq!(written(&large, 300), written(&large, 300), "{}", large.competition);
        }
    }

    #[test]
    fn a_submission_has_the_ids_of_the_answers_in_another_order() {
        const ROWS: u64 = 500;
        for large in all() {
            let name = large.competition;
            let (answers, submission) = written(&large, ROWS);
            let ids = |table: Vec<Vec<String>>| -> Vec<String> {
                table.into_iter().map(|mut cells| cells.remove(0)).collect()
            };
            let submitted = ids(table(&submission));
            assert_eq!(submitted.len() as u64, ROWS, "{name}");
            let mut sorted = submitted.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len() as u64, ROWS, "{name}: ids twice");
            let mut expected = match name {
                "tensorflow2-question-answering" => answers
                    .lines()
                    .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
                    .flat_map(|question| {
                        let id = question["example_id"].as_str().unwrap().to_owned();
                        [format!("{id}_long"), format!("{id}_short")]
                    })
                    .collect(),
                _ => ids(table(&answers)),
            };
            assert_ne!(submitted, expected, "{name}: in the order of the answers");
            expected.sort_unstable();
            if name == "h-and-m-personalized-fashion-recommendations" {
                assert!((1..60).contains(&expected.len()), "{name}: {}", expected.len());
                assert!(expected.iter().all(|id| sorted.contains(id)), "{name}");
            } else {
                assert_eq!(sorted, expected, "{name}");
            }
        }
    }

    #[test]
    fn a_submission_is_right_in_part() {
        for large in all() {
            let name = large.competition;
            let (answers, submission) = written(&large, 2_000);
            // Where rows are no table or the predictions are never exactly the answers, graders tell.
            let (Some(column), false) = (answers_column(name), answers.is_empty()) else {
                continue;
            };
            let truth: std::collections::BTreeMap<String, String> = table(&answers)
                .into_iter()
                .map(|cells| (cells[0].clone(), cells[column].clone()))
                .collect();
            let predicted = table(&submission);
            let right = predicted.iter().filter(|cells| truth[&cells[0]] == cells[1]).count();
            let share = right as f64 / predicted.len() as f64;
            assert!((0.1..0.999).contains(&share), "{name}: {share} are right");
        }
    }

    /// Which column of the answers the second one of the submission predicts.
    fn answers_column(competition: &str) -> Option<usize> {
        Some(match competition {
            "text-normalization-challenge-russian-language"
            | "text-normalization-challenge-english-language"
            | "cdiscount-image-classification-challenge"
            | "bms-molecular-translation"
            | "herbarium-2021-fgvc8"
            | "ml2021spring-hw2" => 1,
            "facebook-recruiting-iii-keyword-extraction" => 3,
            "nfl-player-contact-detection" => 6,
            "tabular-playground-series-dec-2021" => 55,
            _ => return None,
        })
    }

    #[test]
    fn files_are_kept_until_what_they_are_made_by_changes() {
        let folder = tempfile::tempdir().unwrap();
        let [large] = MORE;
        let submission = large.prepare(folder.path(), 100).unwrap().submission;
        let text = fs::read_to_string(&submission).unwrap();
        assert_eq!(text.lines().count(), 101);
        fs::write(&submission, "kept").unwrap();
        large.prepare(folder.path(), 100).unwrap();
        assert_eq!(fs::read_to_string(&submission).unwrap(), "kept");
        large.prepare(folder.path(), 101).unwrap();
        assert_eq!(fs::read_to_string(&submission).unwrap().lines().count(), 102);
        let changed = Large { source: "changed", ..large };
        assert_ne!(changed.digest(101).unwrap(), MORE[0].digest(101).unwrap());
    }
}
