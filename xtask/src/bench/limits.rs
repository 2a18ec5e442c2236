//! `cargo xtask limits`: what each of the built-in competitions takes at its real size, beside what a grading may take.
//!
//! Each is graded once on made-up data of the real number of rows; those where a row may hold any number of boxes, runs or
//! cells once more with a heavy submission. Fuel and memory of a grading are the same on every machine, time is not.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use super::large::{self, Large};
use super::measure;
use super::table::{self, duration, grouped};
use crate::{graders, page, test, workspace};

/// How many times the fuel that a competition takes its limit is at least.
const HEAD_ROOM: f64 = 20.0;

/// What `cargo xtask limits` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Competitions that are graded, and nothing is written down; all if none is named
    #[arg(value_name = "COMPETITION")]
    ids: Vec<String>,
    /// Grade with the graders and the program in target/ as they are
    #[arg(long)]
    no_build: bool,
    /// Leave docs/limits.md as it is
    #[arg(long)]
    print_only: bool,
}

/// Makes the data, grades, prints, and writes the table down.
///
/// # Errors
/// A competition that comes to no score, or whose head-room is too small.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let subjects = subjects(&arguments.ids)?;
    let podium = if arguments.no_build {
        workspace::built_podium()
    } else {
        graders::run(&graders::Arguments::of(&arguments.ids))?;
        test::build_podium()?
    };
    ensure!(podium.is_file(), "{} is not there: leave out --no-build", podium.display());

    let folder = workspace::target().join("bench");
    let mut rows = Vec::new();
    let mut failed = Vec::new();
    for (place, subject) in subjects.iter().enumerate() {
        let name = subject.name();
        eprintln!("[{}/{}] {name}", place + 1, subjects.len());
        match subject.measure(&podium, &folder) {
            Ok(row) => {
                eprint!("{}", row.line());
                rows.push(row);
            }
            Err(error) => {
                eprintln!("error: {name}: {error:#}");
                failed.push(name);
            }
        }
    }
    rows.sort_by(|left, right| left.head_room().total_cmp(&right.head_room()));
    let section = section(&rows);
    println!("{section}");
    ensure!(failed.is_empty(), "there is no table without {}", failed.join(", "));
    if arguments.ids.is_empty() && !arguments.print_only {
        let path = workspace::root().join("docs/limits.md");
        page::replace_part(&path, "limits", &section)?;
        eprintln!("written into {}", path.display());
    }
    let tight: Vec<String> = (rows.iter())
        .filter(|row| row.head_room() < HEAD_ROOM)
        .map(|row| format!("{} has {:.1}", row.name, row.head_room()))
        .collect();
    ensure!(tight.is_empty(), "less than {HEAD_ROOM} times head-room: {}", tight.join(", "));
    Ok(())
}

/// A competition with a submission that it is graded with.
struct Subject {
    large: Large,
    is_heavy: bool,
}

/// Those of the competitions that are named; all if none is.
fn subjects(ids: &[String]) -> Result<Vec<Subject>> {
    let usual = large::rest().into_iter().chain(large::MORE).chain(large::LARGEST);
    let usual = usual.map(|large| Subject { large, is_heavy: false });
    let heavy = large::heavy().into_iter().map(|large| Subject { large, is_heavy: true });
    let all: Vec<Subject> = usual.chain(heavy).collect();
    let is_known = |id: &&String| all.iter().any(|subject| subject.large.competition == **id);
    if let Some(unknown) = ids.iter().find(|id| !is_known(id)) {
        bail!("there is no competition {unknown} to be graded at its real size");
    }
    let named =
        |subject: &Subject| ids.is_empty() || ids.iter().any(|id| id == subject.large.competition);
    Ok(all.into_iter().filter(named).collect())
}

impl Subject {
    fn name(&self) -> String {
        match self.is_heavy {
            true => format!("{}, heavy", self.large.competition),
            false => self.large.competition.to_owned(),
        }
    }

    fn measure(&self, podium: &Path, folder: &Path) -> Result<Row> {
        let data = folder.join(if self.is_heavy { "data-heavy" } else { "data" });
        let workload = self.large.prepare(&data, self.large.rows)?;
        let size = |path: &PathBuf| -> Result<u64> {
            Ok(fs::metadata(path)
                .with_context(|| format!("could not look at {}", path.display()))?
                .len())
        };
        let input_bytes = size(&workload.answers)? + size(&workload.submission)?;
        let mut command = Command::new(podium);
        command
            .args(["grade-sample", "--json"])
            .arg(&workload.submission)
            .arg(workload.competition)
            .arg("--data-dir")
            .arg(&workload.data);
        let ended = measure::run(&mut command)?;
        let report: Report = serde_json::from_str(&ended.stdout)
            .with_context(|| format!("podium grade-sample failed, {}", ended.reason()))?;
        // A metric that is not defined on these predictions takes no less.
        ensure!(
            ["scored", "undefined"].contains(&&*report.outcome),
            "{}: {}",
            report.outcome,
            report.message.unwrap_or_default()
        );
        Ok(Row {
            name: self.name(),
            rows: self.large.rows,
            input_bytes,
            usage: report.usage.context("the report does not tell what the grading took")?,
            limits: report.limits,
            seconds: ended.measured.seconds,
        })
    }
}

/// What `podium grade-sample --json` prints.
#[derive(Deserialize)]
struct Report {
    outcome: String,
    message: Option<String>,
    usage: Option<Amounts>,
    limits: Limits,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Amounts {
    fuel: u64,
    peak_memory_bytes: u64,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Limits {
    fuel: u64,
    memory_bytes: u64,
}

/// What one grading took.
struct Row {
    name: String,
    rows: u64,
    /// Of the submission and the answers.
    input_bytes: u64,
    usage: Amounts,
    limits: Limits,
    /// Of the whole process.
    seconds: f64,
}

impl Row {
    /// How many times the fuel that was taken the limit is.
    fn head_room(&self) -> f64 {
        self.limits.fuel as f64 / self.usage.fuel as f64
    }

    /// The share of the memory that was taken.
    fn memory_share(&self) -> f64 {
        self.usage.peak_memory_bytes as f64 / self.limits.memory_bytes as f64
    }

    fn line(&self) -> String {
        format!(
            "| {} | {} | {} | {} | {} × | {} | {:.1} % | {} |\n",
            self.name,
            grouped(self.rows),
            mebibytes(self.input_bytes),
            grouped(self.usage.fuel),
            // Nobody needs the digits of a large factor.
            grouped(self.head_room() as u64),
            mebibytes(self.usage.peak_memory_bytes),
            self.memory_share() * 100.0,
            duration(self.seconds),
        )
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

/// The part of the page that a run writes. The rows come with the least head-room first.
fn section(rows: &[Row]) -> String {
    let mut text = format!(
        "Measured by `cargo xtask limits` with Podium {}; the times are those of the whole process on {} ({} cores).\n",
        env!("CARGO_PKG_VERSION"),
        table::processor(),
        table::cores(),
    );
    if let Some(least) = rows.first() {
        let _ = write!(
            text,
            "\nThe least head-room in fuel is {:.0} × ({}).",
            least.head_room().floor(),
            least.name
        );
    }
    if let Some(most) = rows.iter().max_by_key(|row| row.usage.peak_memory_bytes) {
        let _ = write!(
            text,
            " The most memory is {}, {:.0} % of the limit ({}).",
            mebibytes(most.usage.peak_memory_bytes),
            most.memory_share() * 100.0,
            most.name
        );
    }
    text.push_str(
        "\n\n| competition | rows | inputs | fuel | head-room | memory | of the limit | time |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    rows.iter().fold(text, |text, row| text + &row.line())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, fuel: u64, memory: u64) -> Row {
        Row {
            name: name.to_owned(),
            rows: 12_345,
            input_bytes: 3 << 20,
            usage: Amounts { fuel, peak_memory_bytes: memory << 20 },
            limits: Limits { fuel: 1_000_000, memory_bytes: 4 << 30 },
            seconds: 1.5,
        }
    }

    #[test]
    fn the_table_says_how_much_is_left() {
        let text = section(&[row("a", 40_000, 100), row("b, heavy", 1_000, 1_024)]);
        assert!(text.contains("The least head-room in fuel is 25 × (a)."), "{text}");
        assert!(
            text.contains("The most memory is 1024.0 MiB, 25 % of the limit (b, heavy)."),
            "{text}"
        );
        assert!(
            text.ends_with(
                "| b, heavy | 12,345 | 3.0 MiB | 1,000 | 1,000 × | 1024.0 MiB | 25.0 % | 1.50 s |\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn all_competitions_are_graded_unless_some_are_named() {
        assert_eq!(subjects(&[]).unwrap().iter().filter(|subject| !subject.is_heavy).count(), 82);
        let named: Vec<String> = subjects(&["hubmap-kidney-segmentation".to_owned()])
            .unwrap()
            .iter()
            .map(Subject::name)
            .collect();
        assert_eq!(named, ["hubmap-kidney-segmentation", "hubmap-kidney-segmentation, heavy"]);
        assert!(subjects(&["titanic".to_owned()]).is_err());
    }
}
