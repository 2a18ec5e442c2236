//! `podium leaderboard`: histograms, ranks, and leaderboards of the reference.

use std::fs;

use podium_tests::artifacts;
use podium_tests::workbench::{Ran, Workbench};
use serde_json::{Value, json};

fn run<'a>(workbench: &Workbench, arguments: impl IntoIterator<Item = &'a str>) -> Ran {
    Ran::of(workbench.podium(arguments).env("PODIUM_COMPETITIONS", artifacts::competitions()))
}

/// A board of the example, best first.
fn with_board(scores: &[f64]) -> Workbench {
    let workbench = Workbench::with_example();
    let lines: String = scores.iter().map(|score| format!("{score}\n")).collect();
    workbench.write("competitions/example/leaderboard.csv", format!("score\n{lines}"));
    workbench
}

#[test]
fn a_leaderboard_shows_where_a_score_ranks() {
    let scores: Vec<f64> = (0..10).map(|place| 0.95 - 0.1 * f64::from(place)).collect();
    let workbench = with_board(&scores);
    let show = ["leaderboard", "show", "example", "--bins", "5"];
    let shown =
        workbench.run(show.into_iter().chain(["--score", "0.6", "--json"])).ends_with(0).json();
    assert_eq!(shown["teams"], 10);
    assert_eq!(shown["score"]["rank"], 5);
    assert_eq!(shown["score"]["not_better_percent"], 60.0);
    // The example's lines: gold 0.9, silver 0.5, bronze 0.4, median 0.3.
    assert_eq!(
        (&shown["score"]["medal"], &shown["score"]["above_median"]),
        (&json!("silver"), &json!(true))
    );
    assert!((shown["score"]["distances"]["gold"].as_f64().unwrap() + 0.3).abs() < 1e-9);
    let bins = shown["histogram"].as_array().unwrap();
    assert_eq!(bins.len(), 5);
    assert_eq!(bins.iter().map(|bin| bin["teams"].as_u64().unwrap()).sum::<u64>(), 10);
    assert!((shown["thresholds_of_leaderboard"]["gold"].as_f64().unwrap() - 0.95).abs() < 1e-9);

    let ran = workbench.run(show.into_iter().chain(["--score", "0.6"])).ends_with(0);
    for part in
        ["█", "gold", "median", "← the score", "5 of 10", "from bronze", "of this leaderboard"]
    {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    for (score, rank, medal) in
        [("-1", 11, json!(null)), ("inf", 1, json!("gold")), ("0.95", 1, json!("gold"))]
    {
        let arguments = show.into_iter().chain(["--json", "--score", score]);
        let shown = workbench.run(arguments).ends_with(0).json();
        assert_eq!(
            (&shown["score"]["rank"], &shown["score"]["medal"]),
            (&json!(rank), &medal),
            "{score}"
        );
    }
    for (arguments, code, part) in [
        (&["leaderboard", "show", "exampel"][..], 3, "example"),
        (&["leaderboard", "show", "example", "--score", "nan"], 2, "0.81264"),
        (&["leaderboard", "show", "example", "--bins", "0"], 2, "from 1 to 200"),
    ] {
        let ran = workbench.run(arguments.iter().copied()).ends_with(code);
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    }
    fs::remove_file(workbench.path("competitions/example/leaderboard.csv")).unwrap();
    let ran = workbench.run(show).ends_with(3);
    assert!(ran.stderr.contains("has no leaderboard"), "{}", ran.stderr);
}

/// A name that has lines makes none of its own.
#[test]
fn line_ends_in_names_are_escapes() {
    let workbench = with_board(&[0.9, 0.5]);
    let path = workbench.path("competitions/example/competition.toml");
    let definition = fs::read_to_string(&path).unwrap();
    fs::write(&path, definition.replace("name = \"none\"", "name = \"a\\nteams  7\"")).unwrap();
    let shown = workbench.run(["leaderboard", "show", "example"]).ends_with(0).stdout;
    assert!(shown.contains("a\\u{a}teams  7, higher is better"), "{shown}");
    assert!(!shown.lines().any(|line| line.starts_with("teams  7")), "{shown}");
}

/// Those who come at the same time are in each other's way as little as those who come one after the other.
#[test]
fn several_may_import_at_the_same_time() {
    let workbench = Workbench::with_example();
    write_reference(&workbench, "score\n0.9\n");
    let import = ["leaderboard", "import", "--from", "mle-bench", "--into", "boards", "--json"];
    let results: Vec<Value> = std::thread::scope(|scope| {
        let importing: Vec<_> =
            (0..8).map(|_| scope.spawn(|| workbench.run(import).ends_with(0).json())).collect();
        importing.into_iter().map(|importing| importing.join().unwrap()).collect()
    });
    let count = |result: &str| {
        results.iter().filter(|ran| ran["leaderboards"][0]["result"] == result).count()
    };
    assert_eq!((count("written"), count("unchanged")), (1, 7));
}

#[test]
fn every_built_in_leaderboard_can_be_shown() {
    let workbench = Workbench::new();
    let listed = run(&workbench, ["list", "--json"]).ends_with(0).json();
    let mut shown = 0;
    for competition in listed.as_array().unwrap() {
        let id = competition["id"].as_str().unwrap();
        if artifacts::competitions().join(id).join("leaderboard.csv").is_file() {
            let board = run(&workbench, ["leaderboard", "show", id, "--json"]).ends_with(0).json();
            let teams: u64 = board["histogram"]
                .as_array()
                .unwrap()
                .iter()
                .map(|bin| bin["teams"].as_u64().unwrap())
                .sum();
            assert_eq!(Some(teams), board["teams"].as_u64(), "{id}");
            shown += 1;
        }
    }
    assert_eq!(shown, 75);
}

/// A leaderboard as the reference keeps it.
fn write_reference(workbench: &Workbench, content: &str) {
    workbench.write("mle-bench/mlebench/competitions/example/leaderboard.csv", content);
}

#[test]
fn leaderboards_of_the_reference_are_imported() {
    let workbench = Workbench::with_example();
    write_reference(
        &workbench,
        "scoreNullable,teamId,hasTeamName,submissionDate,score,hasScore\n0.95,1,True,2020-01-01,0.95,True\n\
         0.5,2,True,2020-01-01,0.50,True\n0.4,3,True,2020-01-01,0.4,True\n1e-05,4,True,,0.00001,True\n",
    );
    let import = ["leaderboard", "import", "--from", "mle-bench", "--into", "boards", "--json"];
    let imported = workbench.run(import).ends_with(0).json();
    let board = &imported["leaderboards"][0];
    assert_eq!((&board["result"], &board["teams"]), (&json!("written"), &json!(4)));
    let text = fs::read_to_string(workbench.path("boards/example/leaderboard.csv")).unwrap();
    assert_eq!(text, "score\n0.95\n0.5\n0.4\n1e-5\n");
    // Gold, silver and bronze are the best of four; the median is between the middle two.
    let lines: Vec<(&str, f64)> = board["differences"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| (line["line"].as_str().unwrap(), line["follows"].as_f64().unwrap()))
        .collect();
    assert_eq!(lines, [("gold", 0.95), ("silver", 0.95), ("bronze", 0.95), ("median", 0.45)]);
    assert_eq!(board["leaderboard_snapshot"], "medal lines differ");
    assert_eq!(workbench.run(import).ends_with(0).json()["leaderboards"][0]["result"], "unchanged");

    write_reference(&workbench, "teamId,score\n1,0.9\n");
    let ran = workbench.run(import).ends_with(6);
    assert_eq!(ran.json()["leaderboards"][0]["result"], "kept");
    assert!(ran.stderr.contains("--force"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(workbench.path("boards/example/leaderboard.csv")).unwrap(), text);
    workbench.run(import.into_iter().chain(["--force"])).ends_with(0);
    let replaced = fs::read_to_string(workbench.path("boards/example/leaderboard.csv")).unwrap();
    assert_eq!(replaced, "score\n0.9\n");

    let ran = workbench
        .run(["leaderboard", "import", "--from", "mle-bench", "--into", "other"])
        .ends_with(0);
    for part in
        ["silver 0.5 → 0.9, bronze 0.4 → 0.9", "leaderboard_snapshot = \"medal lines differ\""]
    {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
}

#[cfg(unix)]
#[test]
fn no_leaderboard_is_written_through_a_link() {
    use std::os::unix::fs::symlink;
    let import = ["leaderboard", "import", "--from", "mle-bench", "--into", "boards", "--force"];
    for link in ["boards/example", "boards/example/leaderboard.csv"] {
        let workbench = Workbench::with_example();
        write_reference(&workbench, "score\n0.9\n");
        workbench.write("elsewhere/leaderboard.csv", "score\n0.1\n");
        fs::create_dir_all(workbench.path(link).parent().unwrap()).unwrap();
        let target = if link.ends_with(".csv") { "elsewhere/leaderboard.csv" } else { "elsewhere" };
        symlink(workbench.path(target), workbench.path(link)).unwrap();
        let ran = workbench.run(import.into_iter().chain(["--json"])).ends_with(6);
        assert_eq!(ran.json()["leaderboards"][0]["result"], "link", "{link}");
        assert!(ran.stderr.contains(&format!("{link}: this is a link")), "{}", ran.stderr);
        let kept = fs::read_to_string(workbench.path("elsewhere/leaderboard.csv")).unwrap();
        assert_eq!(kept, "score\n0.1\n", "{link}");
        assert_eq!(workbench.files("elsewhere"), ["leaderboard.csv"]);
    }
    // The folder that somebody names may be one.
    let workbench = Workbench::with_example();
    write_reference(&workbench, "score\n0.9\n");
    fs::create_dir(workbench.path("elsewhere")).unwrap();
    symlink(workbench.path("elsewhere"), workbench.path("boards")).unwrap();
    workbench.run(import).ends_with(0);
    assert!(workbench.path("elsewhere/example/leaderboard.csv").is_file());
}

#[test]
fn what_is_no_leaderboard_is_named() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:5372\nsize 4275\n";
    for (content, result, code, part) in [
        (Some(pointer), "lfs-pointer", 3, "git lfs pull"),
        (None, "missing", 3, "cannot be read"),
        (Some("teamId,points\n1,2\n"), "refused", 2, "no column `score`, only `teamId`, `points`"),
        (Some("score\n0.5\n0.9\n"), "refused", 2, "sorted, best first"),
        (Some("score\n0.5\n\"\"\n"), "refused", 2, "line 3"),
        (Some("score\n"), "refused", 2, "no team"),
        (Some("teamId,score\n1,0.95\n2,0.9"), "refused", 2, "its last line has no end"),
        (
            Some("score,teamId\n0.95,1\n0.9\n"),
            "refused",
            2,
            "line 3: it has 1 field, and there are 2 columns",
        ),
        (Some("score,name\n0.95,\"a\n0.9,b\n"), "refused", 2, "line 2: a double quote"),
        (
            Some("score,score\n0.95,0.9\n"),
            "refused",
            2,
            "the column `score` is there more than once",
        ),
        (
            Some("score,score \n0.95,0.9\n"),
            "refused",
            2,
            "the column `score` is there more than once",
        ),
    ] {
        let workbench = Workbench::with_example();
        fs::create_dir_all(workbench.path("mle-bench/mlebench/competitions")).unwrap();
        if let Some(content) = content {
            write_reference(&workbench, content);
        }
        let import = [
            "leaderboard",
            "import",
            "--from",
            "mle-bench",
            "--into",
            "boards",
            "--json",
            "example",
        ];
        let ran = workbench.run(import).ends_with(code);
        assert_eq!(ran.json()["leaderboards"][0]["result"], result);
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        assert!(!workbench.path("boards").exists());
    }
    let workbench = Workbench::with_example();
    let folder = "mle-bench/mlebench/competitions/example/leaderboard.csv";
    fs::create_dir_all(workbench.path(folder)).unwrap();
    let import = ["leaderboard", "import", "--from", "mle-bench", "--into", "boards", "--json"];
    let ran = workbench.run(import).ends_with(6);
    assert_eq!(ran.json()["leaderboards"][0]["result"], "unreadable");
    assert!(ran.stderr.contains("this is a folder"), "{}", ran.stderr);
    let ran =
        workbench.run(["leaderboard", "import", "--from", "data", "--into", "boards"]).ends_with(3);
    assert!(ran.stderr.contains("checkout of openai/mle-bench"), "{}", ran.stderr);
}
