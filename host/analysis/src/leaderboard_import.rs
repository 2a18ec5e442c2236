//! Leaderboards of the reference, made into leaderboards of Podium.
//!
//! The reference keeps `mlebench/competitions/<id>/leaderboard.csv`, with the columns that Kaggle's client gives; it reads
//! `score` alone, best first. Some are Git LFS pointers in a checkout without LFS.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use podium::{
    Competition, Direction, Leaderboard, LeaderboardSnapshot, Thresholds, read_file, write_new,
    write_over,
};
use serde::Serialize;

use crate::csv_table::{CsvTable, ends_with_its_line};
use crate::error::Error;
use crate::lfs;
use crate::shown::{serialize_path, shown_name, shown_path};

/// No leaderboard is larger.
const MOST_BYTES: u64 = 64 << 20;

/// The columns that hold the score, the first of them that is there: `scoreNullable` is that of newer clients of Kaggle.
const SCORE_COLUMNS: [&str; 2] = ["score", "scoreNullable"];

/// What became of the leaderboard of a competition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ImportedLeaderboard {
    /// The competition.
    pub competition: String,
    /// The file that was read.
    #[serde(serialize_with = "serialize_path")]
    pub from: PathBuf,
    /// What became of it.
    pub result: ImportResult,
    /// How many teams are on it.
    pub teams: Option<usize>,
    /// The medal lines and the median that follow from it.
    pub thresholds: Option<Thresholds>,
    /// Where those are other than `competition.toml` says.
    pub differences: Vec<LineDifference>,
    /// How it relates to the lines that `competition.toml` states; what `leaderboard_snapshot` in there has to say of it.
    pub leaderboard_snapshot: Option<LeaderboardSnapshot>,
    /// Why it was not written, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What became of a leaderboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImportResult {
    /// It was written.
    Written,
    /// The same scores are there already.
    Unchanged,
    /// Other scores are there, and may not be replaced.
    Kept,
    /// A link is where it would be written; links are not followed.
    Link,
    /// A Git LFS pointer lies in its place.
    LfsPointer,
    /// There is none.
    Missing,
    /// It is there, but cannot be read.
    Unreadable,
    /// It is no leaderboard.
    Refused,
}

/// A medal line that is another than `competition.toml` says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineDifference {
    /// `gold`, `silver`, `bronze` or `median`.
    pub line: &'static str,
    /// What `competition.toml` says.
    pub stated: f64,
    /// What follows from the leaderboard.
    pub follows: f64,
}

/// The folder of a checkout that holds the competitions, if this is one.
///
/// # Errors
/// Says what is not there.
pub fn competitions_of_checkout(checkout: &Path) -> Result<PathBuf, Error> {
    let folder = checkout.join("mlebench").join("competitions");
    match fs::read_dir(&folder) {
        Ok(_) => Ok(folder),
        Err(source) => Err(podium::Error::Read { path: folder, source }.into()),
    }
}

/// Imports the leaderboard of a competition from the folder of a checkout into `<into>/<id>/leaderboard.csv`.
///
/// # Errors
/// A file that cannot be written. What is wrong with the leaderboard is in the result.
pub fn import_leaderboard(
    competition: &Competition,
    checkout_competitions: &Path,
    into: &Path,
    replace: bool,
) -> Result<ImportedLeaderboard, Error> {
    let id = competition.id();
    let from = checkout_competitions.join(id).join("leaderboard.csv");
    let mut imported = ImportedLeaderboard {
        competition: id.to_owned(),
        from: from.clone(),
        result: ImportResult::Missing,
        teams: None,
        thresholds: None,
        differences: Vec::new(),
        leaderboard_snapshot: None,
        reason: None,
    };
    let bytes = match read_file(&from, MOST_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => {
            let is_missing = matches!(&error, podium::Error::Read { source, .. }
                if matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory));
            if !is_missing {
                imported.result = ImportResult::Unreadable;
            }
            imported.reason = Some(error.to_string());
            return Ok(imported);
        }
    };
    if lfs::is_pointer(&bytes) {
        imported.result = ImportResult::LfsPointer;
        imported.reason = Some(format!("{}", Error::LfsPointer { path: from }));
        return Ok(imported);
    }
    let board = match parse(&bytes, competition) {
        Ok(board) => board,
        Err(reason) => {
            imported.result = ImportResult::Refused;
            imported.reason = Some(format!("{}: {reason}", shown_path(&from)));
            return Ok(imported);
        }
    };
    let follows = Thresholds::from_leaderboard(&board);
    imported.teams = Some(board.teams());
    imported.thresholds = Some(follows);
    imported.differences = differences(competition, &follows);
    imported.leaderboard_snapshot =
        competition.definition.medals.is_some().then(|| relation(&imported.differences));
    let folder = into.join(id);
    let path = folder.join("leaderboard.csv");
    // Whoever put a link there would choose what is written over.
    let is_link = |path: &&PathBuf| path.symlink_metadata().is_ok_and(|there| there.is_symlink());
    if let Some(link) = [&folder, &path].into_iter().find(is_link) {
        imported.reason = Some(format!(
            "{}: this is a link, and links are not followed: remove it, or name another folder",
            shown_path(link)
        ));
        imported.result = ImportResult::Link;
        return Ok(imported);
    }
    (imported.result, imported.reason) = put(&board, competition.direction(), &folder, replace)?;
    Ok(imported)
}

/// Writes a board into a folder, where no other one is or it may be replaced. Others may do the same at the same time.
fn put(
    board: &Leaderboard,
    direction: Direction,
    folder: &Path,
    replace: bool,
) -> Result<(ImportResult, Option<String>), podium::Error> {
    let path = folder.join("leaderboard.csv");
    let text = to_csv(board);
    if path.symlink_metadata().is_err() {
        let failed = |source| podium::Error::Write { path: folder.to_owned(), source };
        fs::create_dir_all(folder).map_err(failed)?;
        match write_new(&path, text.as_bytes()) {
            Ok(()) => return Ok((ImportResult::Written, None)),
            // Somebody else was faster; what they wrote is a leaderboard like any that is there.
            Err(podium::Error::Write { source, .. })
                if source.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    match Leaderboard::read(&path, direction) {
        Ok(held) if held == *board => Ok((ImportResult::Unchanged, None)),
        _ if replace => {
            write_over(&path, text.as_bytes())?;
            Ok((ImportResult::Written, None))
        }
        _ => {
            let path = shown_path(&path);
            let reason = format!("{path}: another leaderboard is there; --force replaces it");
            Ok((ImportResult::Kept, Some(reason)))
        }
    }
}

/// Reads the scores of a leaderboard of the reference, in its order.
fn parse(bytes: &[u8], competition: &Competition) -> Result<Leaderboard, String> {
    let table = CsvTable::read(bytes)?;
    let mut column = None;
    for name in SCORE_COLUMNS {
        column = column.or(table.column(name)?);
    }
    let column = column.ok_or_else(|| table.lacks(SCORE_COLUMNS[0]))?;
    if !ends_with_its_line(bytes) {
        return Err(
            "its last line has no end, so that it may be cut off: get it again, or put a line end behind it where it is whole"
                .to_owned(),
        );
    }
    let mut scores = Vec::with_capacity(table.rows.len());
    for row in &table.rows {
        let cell = row.cells[column].trim();
        let score: f64 = cell.parse().map_err(|_| {
            format!("line {}: the score `{}` is not a number", row.line, shown_name(cell))
        })?;
        scores.push(score);
    }
    Leaderboard::from_scores(scores, competition.direction())
}

/// The board as Podium keeps it: the scores alone, each as the shortest decimal that reads back.
fn to_csv(board: &Leaderboard) -> String {
    board.scores().iter().fold("score\n".to_owned(), |mut text, score| {
        let _ = writeln!(text, "{score:?}");
        text
    })
}

/// What these differences come to.
fn relation(differences: &[LineDifference]) -> LeaderboardSnapshot {
    match differences {
        [] => LeaderboardSnapshot::Agrees,
        [only] if only.line == "median" => LeaderboardSnapshot::MedianDiffers,
        _ => LeaderboardSnapshot::MedalLinesDiffer,
    }
}

/// The medal lines that are others than `competition.toml` says.
fn differences(competition: &Competition, follows: &Thresholds) -> Vec<LineDifference> {
    let Some(medals) = &competition.definition.medals else { return Vec::new() };
    // Lines that were published have five decimal places; others are exact.
    let is_exact = medals.source.as_ref().is_some_and(|source| source.contains("exact"));
    let tolerance = if is_exact { 1e-9 } else { 0.501e-5 };
    [
        ("gold", medals.gold, follows.gold),
        ("silver", medals.silver, follows.silver),
        ("bronze", medals.bronze, follows.bronze),
        ("median", medals.median, follows.median),
    ]
    .into_iter()
    .filter(|(_, stated, follows)| (stated - follows).abs() > tolerance * stated.abs().max(1.0))
    .map(|(line, stated, follows)| LineDifference { line, stated, follows })
    .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn many_may_import_at_the_same_time() {
        const WRITERS: usize = 8;
        let above = tempfile::tempdir().unwrap();
        let direction = Direction::HigherIsBetter;
        let board = Leaderboard::from_scores(vec![0.9, 0.5], direction).unwrap();
        let other = Leaderboard::from_scores(vec![0.8], direction).unwrap();
        for round in 0..50 {
            let folder = above.path().join(format!("{round}/example"));
            let barrier = Barrier::new(WRITERS);
            let import = |_| {
                barrier.wait();
                put(&board, direction, &folder, false).unwrap().0
            };
            let results: Vec<ImportResult> = std::thread::scope(|scope| {
                let writers: Vec<_> = (0..WRITERS)
                    .map(|number| {
                        scope.spawn({
                            let import = &import;
                            move || import(number)
                        })
                    })
                    .collect();
                writers.into_iter().map(|writer| writer.join().unwrap()).collect()
            });
            let written = results.iter().filter(|result| **result == ImportResult::Written);
            assert_eq!(written.count(), 1, "{results:?}");
            let unchanged = results.iter().filter(|result| **result == ImportResult::Unchanged);
            assert_eq!(unchanged.count(), WRITERS - 1, "{results:?}");
            assert_eq!(put(&other, direction, &folder, false).unwrap().0, ImportResult::Kept);
            assert_eq!(put(&other, direction, &folder, true).unwrap().0, ImportResult::Written);
        }
    }
}
