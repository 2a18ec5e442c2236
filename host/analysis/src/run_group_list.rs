//! `run_group_experiments.csv`: which experiment a run group belongs to.
//!
//! Relies on the reference's columns, `experiment_id` and `run_group`. The reference splits lines at their first comma; here
//! the file is read as CSV, so that columns may be others and in any order, and cells may be quoted. What the reference
//! reads is read as it does: blanks around cells are none of them, and a file may lack the header.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use csv::StringRecord;
use podium::read_file;

use crate::csv_table::{self, Row, column, lacks, uneven};
use crate::lfs;
use crate::problem::{Problem, ProblemKind};
use crate::shown::LONGEST_NAME;

/// No such file is larger.
const MOST_BYTES: u64 = 64 << 20;

/// The columns.
const EXPERIMENT: &str = "experiment_id";
const RUN_GROUP: &str = "run_group";

/// The run groups of each experiment.
pub(crate) type RunGroups = BTreeMap<String, BTreeSet<String>>;

/// Reads a list; what cannot be used of it is added to `problems`.
pub(crate) fn read(path: &Path, problems: &mut Vec<Problem>) -> RunGroups {
    let bytes = match read_file(path, MOST_BYTES) {
        Ok(bytes) if lfs::is_pointer(&bytes) => {
            let reason = "this is a Git LFS pointer, not the list of run groups: run `git lfs pull` in the checkout";
            problems.push(Problem::of_file(path, ProblemKind::LfsPointer, reason));
            return RunGroups::new();
        }
        Ok(bytes) => bytes,
        Err(error) => {
            problems.push(Problem::unread(path, &error));
            return RunGroups::new();
        }
    };
    match parse(&bytes) {
        Ok((run_groups, of_lines)) => {
            problems.extend(of_lines.into_iter().map(|(line, kind, reason)| Problem {
                part: Some(format!("line {line}")),
                ..Problem::of_file(path, kind, reason)
            }));
            run_groups
        }
        Err(reason) => {
            problems.push(Problem::of_file(path, ProblemKind::NotAReport, reason));
            RunGroups::new()
        }
    }
}

/// What is wrong with a line.
type LineProblem = (u64, ProblemKind, String);

fn parse(bytes: &[u8]) -> Result<(RunGroups, Vec<LineProblem>), String> {
    let mut rows = csv_table::rows(bytes)?;
    // The reference passes over lines of blanks.
    rows.retain(|row| row.cells.iter().any(|cell| !cell.trim().is_empty()) || row.cells.len() > 1);
    let is_header = |cells: &StringRecord| cells.iter().any(|cell| cell.trim() == EXPERIMENT);
    let header = rows.first().filter(|row| is_header(&row.cells)).map(|row| row.cells.clone());
    let (columns, experiment, run_group) = match &header {
        None => (2, 0, 1),
        Some(header) => {
            let place = |name| column(header, name)?.ok_or_else(|| lacks(header, name));
            (header.len(), place(EXPERIMENT)?, place(RUN_GROUP)?)
        }
    };
    let mut run_groups = RunGroups::new();
    let mut problems = Vec::new();
    for row in rows {
        // Lists that were put together have their headers in the middle.
        if header.as_ref().is_some_and(|header| is_same(header, &row.cells)) {
            continue;
        }
        match pair(&row, columns, experiment, run_group) {
            Err(reason) => problems.push((row.line, ProblemKind::NotAReport, reason)),
            Ok((experiment, run_group)) => {
                let groups = run_groups.entry(experiment.to_owned()).or_default();
                if !groups.insert(run_group.to_owned()) {
                    let reason = "the run group is assigned to the experiment already".to_owned();
                    problems.push((row.line, ProblemKind::Duplicate, reason));
                }
            }
        }
    }
    Ok((run_groups, problems))
}

fn is_same(header: &StringRecord, row: &StringRecord) -> bool {
    header.iter().map(str::trim).eq(row.iter().map(str::trim))
}

fn pair(
    row: &Row,
    columns: usize,
    experiment: usize,
    run_group: usize,
) -> Result<(&str, &str), String> {
    if row.cells.len() != columns {
        return Err(uneven(row, columns));
    }
    let cell = |place: usize, name: &str| {
        let cell = row.cells[place].trim();
        let characters = cell.chars().count();
        match characters {
            0 => Err(format!("there is no {name}")),
            1..=LONGEST_NAME => Ok(cell),
            _ => Err(format!(
                "the {name} has {characters} characters, and no more than {LONGEST_NAME} make a name"
            )),
        }
    };
    Ok((cell(experiment, EXPERIMENT)?, cell(run_group, RUN_GROUP)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `experiment: group group` of each, and what is said of lines.
    fn parsed(text: &str) -> (Vec<String>, Vec<String>) {
        let (run_groups, problems) = parse(text.as_bytes()).unwrap();
        let lines = run_groups.into_iter().map(|(experiment, groups)| {
            format!("{experiment}: {}", groups.into_iter().collect::<Vec<_>>().join(" "))
        });
        let problems =
            problems.into_iter().map(|(line, _, reason)| format!("line {line}: {reason}"));
        (lines.collect(), problems.collect())
    }

    #[test]
    fn the_list_is_read_as_csv() {
        let expected = ["a: g1 g2", "b: g3"];
        for text in [
            "experiment_id,run_group\na,g1\na,g2\nb,g3\n",
            "a,g1\na,g2\nb,g3",
            "\u{feff}experiment_id,run_group\r\na,g1\r\na,g2\r\nb,g3\r\n",
            "\"experiment_id\",\"run_group\"\n\"a\",\"g1\"\n\"a\",\"g2\"\nb,\"g3\"\n",
            "run_group,experiment_id\ng1,a\ng2,a\ng3,b\n",
            "date,experiment_id,notes,run_group\n1,a,\"x, y\",g1\n,a,\"two\nlines\",g2\n,b,,g3\n",
            " experiment_id , run_group \n\n a , g1\na, g2\n  \nb, g3\n",
            "experiment_id,run_group\na,g1\na,g2\nexperiment_id, run_group\nb,g3\n",
        ] {
            assert_eq!(parsed(text), (expected.map(str::to_owned).to_vec(), Vec::new()), "{text}");
        }
        assert_eq!(parsed("a,\"g, \"\"1\"\"\"\n").0, ["a: g, \"1\""]);
        assert_eq!(parsed("").0, [""; 0]);
    }

    #[test]
    fn what_is_wrong_is_said_by_line() {
        let long = "x".repeat(100_000);
        for (text, part) in [
            (
                "a,g1\na,g1\n".to_owned(),
                "line 2: the run group is assigned to the experiment already",
            ),
            ("\"a\",g1\na,\"g1\"\n".to_owned(), "line 2: the run group is assigned"),
            ("a,g1\nnothing\n".to_owned(), "line 2: it has 1 field, and there are 2 columns"),
            ("a,g1\nb,g2,x\n".to_owned(), "line 2: it has 3 fields, and there are 2 columns"),
            ("a,g1\n,g2\n".to_owned(), "line 2: there is no experiment_id"),
            ("a,g1\nb,\n".to_owned(), "line 2: there is no run_group"),
            (format!("a,g1\n{long},g2\n"), "line 2: the experiment_id has 100000 characters"),
        ] {
            let (experiments, problems) = parsed(&text);
            assert_eq!(experiments, ["a: g1"], "{part}");
            assert!(problems.len() == 1 && problems[0].contains(part), "{problems:?}");
            assert!(problems[0].len() < 200, "{part}");
        }
        for (text, part) in [
            ("experiment_id,group\na,g1\n", "no column `run_group`, only `experiment_id`, `group`"),
            ("experiment_id,run_group,run_group\na,g1,g2\n", "`run_group` is there more than once"),
            ("a,g1\nb,\"g2\nc,g3\n", "line 2: a double quote in this row is never closed"),
        ] {
            let message = parse(text.as_bytes()).unwrap_err();
            assert!(message.contains(part), "{message}");
        }
    }
}
