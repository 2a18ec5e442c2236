//! Small made-up submissions and answers of known score, the same in every run.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::json;

use super::numbers::Numbers;
use super::write_data;

/// The competitions whose graders are timed.
pub(super) const COMPETITIONS: [&str; 2] =
    ["spaceship-titanic", "tabular-playground-series-may-2022"];

/// A submission with its answers.
pub(super) struct Workload {
    pub(super) competition: &'static str,
    /// The data folder that holds the competition's.
    pub(super) data: PathBuf,
    /// The file of answers in it.
    pub(super) answers: PathBuf,
    pub(super) submission: PathBuf,
    /// The unrounded score that the submission earns, where that is known beforehand.
    pub(super) score: Option<f64>,
}

/// Sixty rows, graded by accuracy.
pub(super) fn small(folder: &Path) -> Result<Workload> {
    const ROWS: u32 = 60;
    let mut numbers = Numbers::new(1);
    let mut answers = String::from("PassengerId,Transported\n");
    let mut submission = answers.clone();
    let mut right = 0;
    for row in 0..ROWS {
        let label = numbers.next().is_multiple_of(2);
        let guess = if numbers.next().is_multiple_of(5) { !label } else { label };
        right += u32::from(label == guess);
        writeln!(answers, "{row:04}_01,{}", python(label))?;
        writeln!(submission, "{row:04}_01,{}", python(guess))?;
    }
    let score = f64::from(right) / f64::from(ROWS);
    workload(folder, COMPETITIONS[0], "prepared/private/test.csv", &answers, &submission, score)
}

/// A million rows with text ids in another order than the answers', graded by the area under the ROC curve.
pub(super) fn million_rows(folder: &Path) -> Result<Workload> {
    const ROWS: u64 = 1_000_000;
    let mut numbers = Numbers::new(2);
    let rows: Vec<(String, bool, u32)> = (0..ROWS)
        .map(|row| {
            // Odd, so that every number below the power of two occurs once: ids in no order, none twice.
            let id = row.wrapping_mul(0x9e37_79b1) % (1 << 32);
            let label = numbers.next().is_multiple_of(2);
            let guess = (numbers.next() % 700_000 + if label { 300_000 } else { 0 }) as u32;
            (format!("row_{id:010}"), label, guess)
        })
        .collect();
    let mut answers = String::from("id,target\n");
    for (id, label, _) in &rows {
        writeln!(answers, "{id},{}", u8::from(*label))?;
    }
    let mut submission = String::from("id,target\n");
    for (id, _, guess) in rows.iter().rev() {
        writeln!(submission, "{id},0.{guess:06}")?;
    }
    let score = area_under_curve(rows.iter().map(|(_, label, guess)| (*guess, *label)).collect());
    workload(folder, COMPETITIONS[1], "prepared/private/test.csv", &answers, &submission, score)
}

/// The share of pairs of a positive and a negative that are ranked right, ties counting half.
fn area_under_curve(mut guesses: Vec<(u32, bool)>) -> f64 {
    guesses.sort_unstable();
    let (mut negatives, mut positives, mut twice_right) = (0_u64, 0_u64, 0_u64);
    for group in guesses.chunk_by(|left, right| left.0 == right.0) {
        let positive = group.iter().filter(|(_, label)| *label).count() as u64;
        let negative = group.len() as u64 - positive;
        twice_right += positive * (2 * negatives + negative);
        positives += positive;
        negatives += negative;
    }
    twice_right as f64 / 2.0 / (positives as f64 * negatives as f64)
}

/// A list of as many runs with that submission.
pub(super) fn list(workload: &Workload, runs: u32) -> Result<PathBuf> {
    let path = workload.data.with_file_name(format!("{runs}-runs.jsonl"));
    write_data(&path, || {
        (0..runs)
            .map(|seed| {
                let run = json!({
                    "competition_id": workload.competition,
                    "submission_path": workload.submission,
                    "seed": seed,
                });
                format!("{run}\n")
            })
            .collect()
    })?;
    Ok(path)
}

/// So many submissions of sixty rows, each with another guess in its last rows, in a list. Gives the data folder and the
/// list.
pub(super) fn different(folder: &Path, submissions: u32) -> Result<(PathBuf, PathBuf)> {
    let workload = small(folder)?;
    let text = std::fs::read_to_string(&workload.submission)?;
    let lines: Vec<&str> = text.lines().collect();
    let mut list = String::new();
    for number in 0..submissions {
        let mut submission = String::new();
        for (place, line) in lines.iter().enumerate() {
            // The bits of the number, a row each, from the end on.
            let bit = number.checked_shr((lines.len() - 1 - place) as u32).unwrap_or(0) & 1;
            match line.split_once(',') {
                Some((id, _)) if place > 0 && lines.len() - place <= 32 => {
                    writeln!(submission, "{id},{}", python(bit == 1))?;
                }
                _ => writeln!(submission, "{line}")?,
            }
        }
        let path = folder.join("submissions/different").join(format!("{number}.csv"));
        write_data(&path, || submission)?;
        let run = json!({"competition_id": workload.competition, "submission_path": path});
        writeln!(list, "{run}")?;
    }
    let path = folder.join(format!("{submissions}-different-runs.jsonl"));
    write_data(&path, || list)?;
    Ok((workload.data, path))
}

fn workload(
    folder: &Path,
    competition: &'static str,
    answers_in_data: &str,
    answers: &str,
    submission: &str,
    score: f64,
) -> Result<Workload> {
    let data = folder.join("data");
    let workload = Workload {
        competition,
        answers: data.join(competition).join(answers_in_data),
        submission: folder.join("submissions").join(format!("{competition}.csv")),
        data,
        score: Some(score),
    };
    write_data(&workload.answers, || answers.to_owned())?;
    write_data(&workload.submission, || submission.to_owned())?;
    Ok(workload)
}

fn python(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_counts_pairs() {
        // Two of four pairs right, one tied.
        assert_eq!(area_under_curve(vec![(1, true), (0, false), (3, true), (1, false)]), 0.875);
        assert_eq!(area_under_curve(vec![(1, true), (1, false)]), 0.5);
        assert_eq!(area_under_curve(vec![(0, true), (1, false)]), 0.0);
    }

    #[test]
    fn different_submissions_are_different() {
        let folder = tempfile::tempdir().unwrap();
        let (_, list) = different(folder.path(), 40).unwrap();
        let list = std::fs::read_to_string(list).unwrap();
        let mut texts: Vec<String> = list
            .lines()
            .map(|line| {
                let run: serde_json::Value = serde_json::from_str(line).unwrap();
                std::fs::read_to_string(run["submission_path"].as_str().unwrap()).unwrap()
            })
            .collect();
        assert!(texts.iter().all(|text| text.lines().count() == 61));
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), 40);
    }

    #[test]
    fn data_is_the_same_in_every_run() {
        let folder = tempfile::tempdir().unwrap();
        let first = small(folder.path()).unwrap();
        let answers = std::fs::read(&first.answers).unwrap();
        let second = small(folder.path()).unwrap();
        assert_eq!(std::fs::read(&second.answers).unwrap(), answers);
        assert_eq!(first.score, second.score);
        assert!((0.5..1.0).contains(&first.score.unwrap()));
    }
}
