//! An archive of many small runs, the same in every run of the benchmark: run groups of several competitions, whose
//! submissions are those of their examples with the rows in other orders, so that no two have the same bytes.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::numbers::Numbers;
use crate::workspace;

/// The competitions of the archive. Their submissions may have their rows in any order.
pub(super) const COMPETITIONS: [&str; 5] = [
    "spaceship-titanic",
    "tabular-playground-series-may-2022",
    "leaf-classification",
    "random-acts-of-pizza",
    "spooky-author-identification",
];

const RUN_GROUPS: u32 = 10;

/// An archive, and the data folder with the answers.
pub(super) struct ArchivedRuns {
    pub(super) archive: PathBuf,
    pub(super) data: PathBuf,
}

/// Makes an archive of so many runs.
pub(super) fn make(folder: &Path, runs: u32) -> Result<ArchivedRuns> {
    fs::create_dir_all(folder).with_context(|| format!("could not make {}", folder.display()))?;
    let made = ArchivedRuns { archive: folder.join("runs.tar.zst"), data: folder.join("data") };
    let mut submissions = Vec::new();
    for competition in COMPETITIONS {
        let example = workspace::root().join("competitions").join(competition).join("example");
        let read = |name: &str| {
            let path = example.join(name);
            fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))
        };
        let answers = made.data.join(competition).join("prepared/private/test.csv");
        super::write_data(&answers, {
            let answers = read("answers.csv")?;
            || answers
        })?;
        submissions.push(read("submissions/good.csv")?);
    }
    let file = File::create(&made.archive)
        .with_context(|| format!("could not make {}", made.archive.display()))?;
    let mut tar = tar::Builder::new(zstd::Encoder::new(BufWriter::new(file), 3)?);
    let mut seen = HashSet::new();
    for group in 0..RUN_GROUPS {
        let name = format!("2026-01-{:02}T00-00-00-GMT_run-group_example", group + 1);
        let mut metadata = serde_json::Map::new();
        for run in (group..runs).step_by(RUN_GROUPS as usize) {
            let which = (run / RUN_GROUPS) as usize % COMPETITIONS.len();
            let id = format!("{}_{run:08x}", COMPETITIONS[which]);
            let submission = shuffled(&submissions[which], u64::from(run));
            ensure!(seen.insert((which, submission.clone())), "two submissions are the same");
            append(&mut tar, &format!("{name}/{id}/submission/submission.csv"), &submission)?;
            metadata.insert(id, json!({"success": true}));
        }
        let metadata = json!({"run_group": name, "runs": metadata}).to_string();
        append(&mut tar, &format!("{name}/metadata.json"), &metadata)?;
    }
    tar.into_inner()?.finish()?;
    Ok(made)
}

/// The rows in another order, with as many blank lines at the end as the order alone might not tell apart.
fn shuffled(submission: &str, seed: u64) -> String {
    let mut numbers = Numbers::new(seed);
    let (header, rows) = submission.split_once('\n').unwrap_or((submission, ""));
    let mut rows: Vec<&str> = rows.lines().collect();
    for last in (1..rows.len()).rev() {
        rows.swap(last, numbers.below(last as u64 + 1) as usize);
    }
    let blank = numbers.below(8) as usize;
    format!("{header}\n{}\n{}", rows.join("\n"), "\n".repeat(blank))
}

fn append(tar: &mut tar::Builder<impl std::io::Write>, path: &str, content: &str) -> Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    tar.append_data(&mut header, path, content.as_bytes())
        .with_context(|| format!("could not write {path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_archive_is_the_same_in_every_run() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let bytes = |folder: &Path| fs::read(make(folder, 50).unwrap().archive).unwrap();
        assert_eq!(bytes(first.path()), bytes(second.path()));
        let rows = |text: &str| {
            let mut rows: Vec<String> =
                text.lines().filter(|row| !row.is_empty()).map(str::to_owned).collect();
            rows.sort();
            rows
        };
        let submission = "id,x\n1,a\n2,b\n3,c\n";
        assert_eq!(rows(&shuffled(submission, 7)), rows(submission));
        assert!(shuffled(submission, 7).starts_with("id,x\n"));
    }
}
