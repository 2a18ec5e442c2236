//! The limits of today against what docs/limits.md says that gradings take.

use std::collections::BTreeSet;
use std::fs;

use podium::LimitOverrides;
use podium_tests::{artifacts, examples};

/// A line of the table.
struct Line {
    competition: String,
    fuel: u64,
    head_room: u64,
    memory_mebibytes: f64,
}

fn lines() -> Vec<Line> {
    let page = fs::read_to_string(artifacts::root().join("docs/limits.md")).unwrap();
    let number = |cell: &str| cell.replace([',', '×', ' '], "").parse::<u64>().unwrap();
    page.lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| competition"))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let [name, _, _, fuel, head_room, memory, _, _] = cells[..] else { panic!("{line}") };
            Line {
                competition: name.split(',').next().unwrap().to_owned(),
                fuel: number(fuel),
                head_room: number(head_room),
                memory_mebibytes: memory.trim_end_matches(" MiB").parse().unwrap(),
            }
        })
        .collect()
}

#[test]
fn every_competition_has_twenty_times_the_fuel_that_it_takes() {
    let lines = lines();
    let measured: BTreeSet<&str> = lines.iter().map(|line| &*line.competition).collect();
    let known = artifacts::grader_ids();
    assert_eq!(measured, known.iter().map(String::as_str).collect());
    let catalog = examples::catalog();
    for Line { competition, fuel, head_room, memory_mebibytes } in &lines {
        let limits = catalog.get(competition).unwrap().limits(&LimitOverrides::default());
        assert!(limits.fuel >= 20 * fuel, "{competition} takes {fuel} of {}", limits.fuel);
        assert_eq!(*head_room, limits.fuel / fuel, "{competition}: `cargo xtask limits` is due");
        let memory = memory_mebibytes * f64::from(1 << 20);
        assert!(memory < limits.memory_bytes as f64, "{competition}");
    }
}
