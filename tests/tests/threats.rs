//! `docs/threats.md` and the tests that it names agree: each named test is there, is a test, and carries the number.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use podium_tests::artifacts;

/// How many kinds of attack and accident there are.
const THREATS: usize = 27;

/// What stands in the place of tests for parts that are not here yet.
const NOT_HERE_YET: &str = "comes with the ";

/// A test that the page names.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Named {
    threat: usize,
    file: String,
    test: String,
}

/// The tests of a row, out of its last cell: `test` in `file`, with commas between.
fn tests_of(threat: usize, cell: &str) -> Vec<Named> {
    if cell.starts_with(NOT_HERE_YET) {
        return Vec::new();
    }
    let named = cell.split(", ").map(|one| {
        let parts = one.split_once("` in `").unwrap_or_else(|| panic!("row {threat}: {one}"));
        let test = parts.0.strip_prefix('`').unwrap_or_else(|| panic!("row {threat}: {one}"));
        let file = parts.1.strip_suffix('`').unwrap_or_else(|| panic!("row {threat}: {one}"));
        Named { threat, file: file.to_owned(), test: test.to_owned() }
    });
    named.collect()
}

/// The rows of the page: the number and the last cell.
fn rows() -> Vec<(usize, String)> {
    let page = fs::read_to_string(artifacts::root().join("docs/threats.md")).unwrap();
    let rows = page.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let number = cells.get(1)?.parse().ok()?;
        assert_eq!(cells.len(), 6, "{line}");
        assert!(cells[2..5].iter().all(|cell| !cell.is_empty()), "{line}");
        Some((number, cells[4].to_owned()))
    });
    rows.collect()
}

/// The comments and attributes directly above a function, by its name, for all functions of a file.
fn functions(text: &str) -> Vec<(String, String)> {
    let mut above = String::new();
    let mut functions = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("///") || line.starts_with("#[") {
            above.push_str(line);
            above.push('\n');
            continue;
        }
        let after_fn = line.strip_prefix("pub fn ").or_else(|| line.strip_prefix("fn "));
        if let Some((name, _)) = after_fn.and_then(|rest| rest.split_once('(')) {
            functions.push((name.to_owned(), std::mem::take(&mut above)));
        }
        above.clear();
    }
    functions
}

/// The numbers of threats that comments carry.
fn numbers(above: &str) -> Vec<usize> {
    above
        .lines()
        .filter_map(|line| line.strip_prefix("/// Threat ")?.split_once(':')?.0.parse().ok())
        .collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_threat_has_its_row_and_every_named_test_its_number() {
    let rows = rows();
    let numbers_of_rows: Vec<usize> = rows.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers_of_rows, (1..=THREATS).collect::<Vec<_>>());
    for (threat, cell) in &rows {
        for Named { file, test, .. } in tests_of(*threat, cell) {
            let path = artifacts::root().join(&file);
            let text = fs::read_to_string(&path)
                .unwrap_or_else(|error| panic!("row {threat}: {file}: {error}"));
            let above = functions(&text)
                .into_iter()
                .find_map(|(name, above)| (name == test).then_some(above))
                .unwrap_or_else(|| panic!("row {threat}: {file} has no `{test}`"));
            assert!(above.contains("#[test]"), "row {threat}: `{test}` in {file} is no test");
            assert!(
                numbers(&above).contains(threat),
                "row {threat}: `{test}` in {file} does not carry `/// Threat {threat}: …`"
            );
        }
    }
}

#[test]
fn every_test_that_carries_a_number_has_its_row() {
    let root = artifacts::root();
    let named: BTreeSet<Named> =
        rows().iter().flat_map(|(threat, cell)| tests_of(*threat, cell)).collect();
    let mut files = Vec::new();
    for folder in ["host", "tests", "guest-sdk", "graders-wasm", "fuzz"] {
        sources(&root.join(folder), &mut files);
    }
    let mut carried = BTreeSet::new();
    for path in files {
        let file = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        for (test, above) in functions(&fs::read_to_string(&path).unwrap()) {
            for threat in numbers(&above) {
                carried.insert(Named { threat, file: file.clone(), test: test.clone() });
            }
        }
    }
    let missing: Vec<&Named> = carried.difference(&named).collect();
    assert!(missing.is_empty(), "docs/threats.md does not name {missing:#?}");
}
