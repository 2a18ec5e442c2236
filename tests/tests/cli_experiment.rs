//! `podium experiment`: reports, the leaderboard table, comparisons; what could not be used, and how the program ends.

use std::collections::BTreeMap;
use std::fs;
use std::sync::OnceLock;

use podium::{Catalog, Competition};
use podium_tests::artifacts;
use podium_tests::workbench::{Ran, Workbench};
use serde_json::{Value, json};

/// Three competitions of low complexity, and one of high complexity, the last of the low ones with known issues.
const COMPETITIONS: [&str; 4] = [
    "aerial-cactus-identification",
    "dog-breed-identification",
    "random-acts-of-pizza",
    "bms-molecular-translation",
];

/// The program over the built-in competitions.
fn run<'a>(workbench: &Workbench, arguments: impl IntoIterator<Item = &'a str>) -> Ran {
    Ran::of(workbench.podium(arguments).env("PODIUM_COMPETITIONS", artifacts::competitions()))
}

/// Whether lower scores are better; of a competition that is not known they are not.
fn is_lower_better(competition: &str) -> bool {
    static DIRECTIONS: OnceLock<BTreeMap<String, bool>> = OnceLock::new();
    let directions = DIRECTIONS.get_or_init(|| {
        let listing = Catalog::new(vec![artifacts::competitions()], Vec::new()).list();
        let of = |known: &Competition| (known.id().to_owned(), known.direction().is_lower_better());
        listing.competitions.iter().map(of).collect()
    });
    directions.get(competition).copied().unwrap_or(false)
}

/// A grading as the reference reports it, with the score that earns what it earns.
fn grading(competition: &str, medal: &str) -> Value {
    let made = medal != "none";
    let valid = made && medal != "invalid";
    let lower = is_lower_better(competition);
    let lines = if lower { [0.1, 0.2, 0.3, 0.6] } else { [0.9, 0.8, 0.7, 0.4] };
    let score = match (medal, lower) {
        ("gold", false) => 0.95,
        ("silver", false) => 0.85,
        ("bronze", false) => 0.75,
        (_, false) => 0.25,
        ("gold", true) => 0.05,
        ("silver", true) => 0.15,
        ("bronze", true) => 0.25,
        (_, true) => 0.75,
    };
    json!({
        "competition_id": competition, "score": valid.then_some(score), "gold_threshold": lines[0],
        "silver_threshold": lines[1], "bronze_threshold": lines[2], "median_threshold": lines[3],
        "any_medal": matches!(medal, "gold" | "silver" | "bronze"), "gold_medal": medal == "gold",
        "silver_medal": medal == "silver", "bronze_medal": medal == "bronze",
        "above_median": matches!(medal, "gold" | "silver" | "bronze"), "submission_exists": made,
        "valid_submission": valid, "is_lower_better": lower,
        "created_at": "2024-10-04T16:47:51.843542", "submission_path": "x/submission.csv",
    })
}

fn report(gradings: &[Value]) -> String {
    json!({"total_runs": gradings.len(), "competition_reports": gradings}).to_string()
}

/// Writes a report into a run group; medals are those of [`COMPETITIONS`], as far as there are any.
fn write_group(workbench: &Workbench, path: &str, medals: &[&str]) {
    let gradings: Vec<Value> =
        COMPETITIONS.iter().zip(medals).map(|(id, medal)| grading(id, medal)).collect();
    workbench.write(format!("{path}/2024-10-04_grading_report.json"), report(&gradings));
}

/// Two experiments of three seeds over four competitions, in the layout of the reference.
fn with_runs() -> Workbench {
    let workbench = Workbench::new();
    for (group, medals) in [
        ("good-1", ["gold", "silver", "bronze", "valid"]),
        ("good-2", ["gold", "valid", "bronze", "silver"]),
        ("good-3", ["silver", "silver", "bronze", "valid"]),
        ("bad-1", ["valid", "none", "bronze", "invalid"]),
        ("bad-2", ["none", "valid", "valid", "invalid"]),
        ("bad-3", ["valid", "invalid", "bronze", "none"]),
    ] {
        write_group(&workbench, &format!("runs/{group}"), &medals);
    }
    let list = ["good", "bad"].map(|experiment| {
        (1..=3).map(|number| format!("{experiment},{experiment}-{number}\n")).collect::<String>()
    });
    workbench.write(
        "runs/run_group_experiments.csv",
        format!("experiment_id,run_group\n{}", list.concat()),
    );
    workbench.write("split.txt", COMPETITIONS.join("\n"));
    workbench
}

fn metric(result: &Value, name: &str) -> (f64, f64) {
    let estimate = &result["metrics"][name];
    (estimate["mean"].as_f64().unwrap(), estimate["standard_error"].as_f64().unwrap_or(f64::NAN))
}

#[test]
fn a_report_says_what_experiments_came_to() {
    let workbench = with_runs();
    let arguments =
        ["experiment", "report", "runs", "--out", "out", "--split", "split.txt", "--json"];
    // A name of a split that is a path needs no slash where it has an ending.
    let study = run(&workbench, arguments).ends_with(0).json();
    let [good, bad] = study["experiments"].as_array().unwrap().as_slice() else {
        panic!("{study}")
    };
    assert_eq!((&good["name"], &bad["name"]), (&json!("good"), &json!("bad")));
    assert_eq!(good["overall"]["all"]["seeds"], json!(["1", "2", "3"]));
    assert_eq!(metric(&good["overall"]["all"], "any_medal"), (75.0, 0.0));
    let (mean, error) = metric(&bad["overall"]["all"], "any_medal");
    assert!(
        (mean - 50.0 / 3.0).abs() < 1e-9 && (error - 25.0 / 3.0).abs() < 1e-9,
        "{mean} {error}"
    );
    // Without the pizza competition, which leaks.
    assert_eq!(good["overall"]["without_known_issues"]["competitions"], 3);
    let (mean, _) = metric(&bad["overall"]["without_known_issues"], "any_medal");
    assert_eq!(mean, 0.0);
    let (made, _) = metric(&bad["overall"]["all"], "submission_exists");
    assert!((made - 75.0).abs() < 1e-9);
    let complexities: Vec<&Value> =
        good["by_complexity"].as_array().unwrap().iter().map(|group| &group["name"]).collect();
    assert_eq!(complexities, [&json!("low"), &json!("high")]);
    assert_eq!(metric(&good["by_complexity"][1]["all"], "any_medal").0.round(), 33.0);
    // One of three runs passed in the last competition, all three in two, two in another.
    let pass: Vec<f64> = good["pass_at_k"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| point["mean"].as_f64().unwrap())
        .collect();
    assert_eq!(pass.len(), 3);
    assert!((pass[0] - 75.0).abs() < 1e-9 && (pass[2] - 100.0).abs() < 1e-9, "{pass:?}");
    assert!((pass[1] - (100.0 + 100.0 + 100.0 + 200.0 / 3.0) / 4.0).abs() < 1e-9, "{pass:?}");

    assert_eq!(
        workbench.files("out"),
        [
            "aggregates.csv",
            "aggregates.parquet",
            "competitions.csv",
            "competitions.parquet",
            "over-time.csv",
            "pass-at-k.csv",
            "problems.csv",
            "report.html",
            "report.md",
            "runs.csv",
            "runs.parquet",
        ]
    );
    let markdown = fs::read_to_string(workbench.path("out/report.md")).unwrap();
    for part in
        ["## Results", "| good | 3 |", "75.00 ± 0.00", "16.67 ± 8.33", "random-acts-of-pizza"]
    {
        assert!(markdown.contains(part), "{part}:\n{markdown}");
    }
    let runs = fs::read_to_string(workbench.path("out/runs.csv")).unwrap();
    assert_eq!(runs.lines().count(), 1 + 2 * 3 * 4);
    assert!(runs.contains("bad,2,aerial-cactus-identification,bad-2,false,false,"), "{runs}");
    let parquet = fs::read(workbench.path("out/runs.parquet")).unwrap();
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
}

#[test]
fn the_same_reports_give_the_same_bytes() {
    let workbench = with_runs();
    let contents = |out: &str| -> BTreeMap<String, Vec<u8>> {
        run(&workbench, ["experiment", "report", "runs", "--out", out, "--incomplete", "pad"])
            .ends_with(0);
        let files = workbench.files(out).into_iter();
        files
            .map(|name| (name.clone(), fs::read(workbench.path(out).join(name)).unwrap()))
            .collect()
    };
    let first = contents("one");
    assert_eq!(first.len(), 11);
    assert!(first == contents("two"));
}

#[test]
fn nothing_is_replaced_unless_that_is_asked_for() {
    let workbench = with_runs();
    let arguments = ["experiment", "report", "runs", "--out", "out", "--split", "split.txt"];
    run(&workbench, arguments).ends_with(0);
    workbench.write("out/report.md", "mine");
    let ran = run(&workbench, arguments).ends_with(6);
    assert!(ran.stderr.contains("--force"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(workbench.path("out/report.md")).unwrap(), "mine");
    run(&workbench, arguments.into_iter().chain(["--force"])).ends_with(0);
    assert!(
        fs::read_to_string(workbench.path("out/report.md")).unwrap().starts_with("# Experiments")
    );
    // A folder of somebody's own is none for a report, unless that is said.
    workbench.write("own/notes.md", "mine");
    let own = ["experiment", "report", "runs", "--out", "own", "--split", "split.txt"];
    run(&workbench, own).ends_with(6);
    assert_eq!(workbench.files("own"), ["notes.md"]);
    run(&workbench, own.into_iter().chain(["--force"])).ends_with(0);
    assert_eq!(fs::read_to_string(workbench.path("own/notes.md")).unwrap(), "mine");
}

/// What a killed one leaves: a folder that is being written, in the place of the report or beside it.
#[cfg(unix)]
#[test]
fn a_report_that_was_killed_is_in_nobodys_way() {
    let workbench = with_runs();
    let arguments = ["experiment", "report", "runs", "--out", "out", "--split", "split.txt"];
    workbench.write(".podium-report-1-0.partial/report.md", "half");
    run(&workbench, arguments).ends_with(0);
    assert!(!workbench.path(".podium-report-1-0.partial").exists());
    let names = workbench.files("out");
    let whole = fs::read(workbench.path("out/report.html")).unwrap();
    for name in &names[1..] {
        fs::remove_file(workbench.path("out").join(name)).unwrap();
    }
    workbench.write("out/.podium-report-1-0.partial/runs.csv", "half");
    run(&workbench, arguments).ends_with(0);
    assert_eq!(workbench.files("out"), names);
    assert_eq!(fs::read(workbench.path("out/report.html")).unwrap(), whole);
    assert!(!workbench.path("out/.podium-report-1-0.partial").exists());
}

/// What elements a page opens and closes, one inside the other.
///
/// # Panics
/// When they are not closed in their order.
fn check_well_formed(page: &str) -> BTreeMap<String, usize> {
    let mut open: Vec<&str> = Vec::new();
    let mut seen = BTreeMap::new();
    let mut rest = page;
    while let Some(begin) = rest.find('<') {
        rest = &rest[begin + 1..];
        // Attributes are quoted, and no text holds the bracket as it is.
        let end = rest.find('>').expect("a tag that ends");
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        let name = tag.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap();
        assert!(tag.matches('"').count().is_multiple_of(2), "quotes of <{tag}>");
        if tag.starts_with('!') || tag.ends_with('/') || name == "meta" {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "</{name}> closes another element");
        } else {
            *seen.entry(name.to_owned()).or_insert(0) += 1;
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?} are not closed");
    seen
}

#[test]
fn the_page_stands_alone_and_nothing_from_files_gets_out_of_its_text() {
    let workbench = with_runs();
    let evil = "@<script>alert(1)</script>&\"'|`\u{1b}[31m\u{202e}\u{2028}\nerror: gone";
    // In front of a slash there is no name of an experiment.
    let name = evil.replace('/', "\u{2215}");
    workbench.write(
        "dates.csv",
        format!(
            "competition_id,date\n{}",
            COMPETITIONS.map(|id| format!("{id},2019-0{}-01\n", id.len() % 9 + 1)).concat()
        ),
    );
    workbench.write(
        "meta.json",
        json!({"experiment": {
            &name: {"agent": evil, "model": "m", "hardware": evil, "source": evil, "notes": evil},
            "good": {"agent": evil, "model": "m", "running_time_hours": 24},
        }})
        .to_string(),
    );
    let mut snapshots = Vec::new();
    for (seconds, medal) in [(60, "valid"), (3600, "gold")] {
        for seed in 1..=2 {
            let mut report = grading(COMPETITIONS[0], medal);
            report["run"] = json!({"seed": seed, "elapsed_seconds": seconds * seed});
            snapshots.push(report);
        }
    }
    workbench.write("snapshots.json", report(&snapshots));
    workbench
        .write("evil.json", report(&[grading(evil, "gold"), grading(COMPETITIONS[0], "gold")]));
    let named = format!("{name}=evil.json");
    let ran = run(
        &workbench,
        [
            "experiment",
            "report",
            "runs",
            "--out",
            "out",
            "--split",
            "split.txt",
            "--dates",
            "dates.csv",
            "--metadata",
            "meta.json",
            "--incomplete",
            "pad",
            "--title",
            evil,
            "--experiment",
            &named,
            "--experiment",
            "snap=snapshots.json",
        ],
    )
    .ends_with(3);
    let steers = |text: &str| text.contains(['\u{1b}', '\u{202e}', '\u{2028}']);
    for said in [&ran.stdout, &ran.stderr] {
        assert!(!steers(said), "{ran:?}");
        assert!(!said.lines().any(|line| line.starts_with("error: gone")), "{ran:?}");
    }
    assert!(ran.stderr.contains("there is no competition"), "{}", ran.stderr);
    let page = fs::read_to_string(workbench.path("out/report.html")).unwrap();
    let elements = check_well_formed(&page);
    assert_eq!(elements["svg"], 5, "{elements:?}");
    assert_eq!(elements["title"], 1 + elements["svg"]);
    assert_eq!(elements["desc"], elements["svg"]);
    assert_eq!(elements["caption"], elements["table"]);
    for part in [
        "http:", "https:", "<script", "src=", "@import", "url(", "<link", "<img", "\u{1b}",
        "onload",
    ] {
        assert!(!page.contains(part), "{part}");
    }
    for part in [
        "prefers-color-scheme: dark",
        "@media print",
        "width=device-width",
        "var(--series-1)",
        "lang=\"en\"",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // Two experiments are of the same agent and model, and all competitions have dates.
    for part in ["Variants side by side", "What is known of the experiments", "Spearman&#x27;s rho"]
    {
        assert!(page.contains(part), "{part}");
    }
    for drawn in ["#010001", "#010002", "#010003", "#02000"] {
        assert!(!page.contains(drawn), "a colour that is none of the page's: {drawn}");
    }
    let markdown = fs::read_to_string(workbench.path("out/report.md")).unwrap();
    assert!(markdown.contains("\\<script\\>") && !steers(&markdown) && !steers(&page));
    assert!(!markdown.lines().any(|line| line.starts_with("error: gone")), "{markdown}");
    // No spreadsheet takes a name for a formula.
    let runs = fs::read_to_string(workbench.path("out/runs.csv")).unwrap();
    assert!(runs.contains("\"'@<script>") && !runs.contains("\"@<script>"), "{runs}");
    for command in [
        &["experiment", "table", "--incomplete", "pad"][..],
        &["experiment", "compare", &name, "snap", "--split", COMPETITIONS[0]],
    ] {
        let reports = [
            "--experiment",
            &named,
            "--experiment",
            "snap=snapshots.json",
            "--metadata",
            "meta.json",
        ];
        let ran = run(&workbench, command.iter().copied().chain(reports).chain(["--json"]));
        assert!(!steers(&ran.stdout) && !steers(&ran.stderr), "{command:?}: {ran:?}");
        let ran = run(&workbench, command.iter().copied().chain(reports));
        assert!(!steers(&ran.stdout) && !steers(&ran.stderr), "{command:?}: {ran:?}");
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!said.lines().any(|line| line.starts_with("error: gone")), "{command:?}: {ran:?}");
    }
    assert!(!markdown.replace("\\<", "").contains('<'), "{markdown}");
    let over_time = fs::read_to_string(workbench.path("out/over-time.csv")).unwrap();
    let lines: Vec<&str> = over_time.lines().collect();
    // Four times, with and without the competitions that have known issues, which the snapshots are none of.
    assert_eq!(lines.len(), 1 + 2 * 4, "{over_time}");
    assert_eq!(lines[1], "snap,false,60,50,50,0,0,0,0,0");
    assert_eq!(lines[4], "snap,false,7200,100,100,100,0,0,100,100");
    assert_eq!(lines[5..].join("\n").replace("true", "false"), lines[1..5].join("\n"));
}

#[test]
fn what_cannot_be_used_is_named_and_the_rest_is_used() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:5372\nsize 4275\n";
    let whole = report(&[grading(COMPETITIONS[0], "gold")]);
    let mut lacking = grading(COMPETITIONS[0], "gold");
    lacking.as_object_mut().unwrap().remove("gold_medal");
    let mut failed = grading(COMPETITIONS[0], "invalid");
    failed["outcome"] = json!("grader-failed");
    let bare_nan =
        report(&[grading(COMPETITIONS[0], "valid")]).replace("\"score\":0.25", "\"score\":NaN");
    assert!(bare_nan.contains("NaN"));
    let changed = |name: &str, value: Value| {
        let mut changed = grading(COMPETITIONS[0], "gold");
        changed[name] = value;
        report(&[changed])
    };
    let of_run = |run: Value| {
        let mut changed = grading(COMPETITIONS[0], "gold");
        (changed["run"], changed["seed"]) = (run, json!(2));
        report(&[changed])
    };
    let twice = whole.replace("\"score\":0.95", "\"score\":0.95,\"score\":0.96");
    let total_twice = whole.replace("\"total_runs\":1", "\"total_runs\":1,\"total_runs\":2");
    // What the file is, its problem with its part, the exit code, and the share of medals in each seed.
    let only = json!([100.0]);
    let both = json!([100.0, 100.0]);
    let unusable = Some("unusable-grading");
    let field = Some("unusable-field");
    for (what, content, kind, part, code, seeds) in [
        ("half-written", whole[..whole.len() / 2].to_owned(), Some("not-a-report"), "", 2, &only),
        ("empty", String::new(), Some("not-a-report"), "", 2, &only),
        ("something else", "{\"a\": 1}".to_owned(), Some("not-a-report"), "", 2, &only),
        ("an empty list", report(&[]), Some("missing"), "", 3, &only),
        ("a pointer", pointer.to_owned(), Some("lfs-pointer"), "", 3, &only),
        ("a field is missing", report(&[lacking]), unusable, "[0].gold_medal", 2, &only),
        (
            "unknown",
            report(&[grading("nobody-knows", "gold")]),
            Some("unknown-competition"),
            "[0]",
            3,
            &only,
        ),
        ("not graded", report(&[failed]), Some("not-graded"), "[0]", 4, &only),
        (
            "no truth",
            changed("valid_submission", json!("no")),
            unusable,
            "[0].valid_submission",
            2,
            &only,
        ),
        ("null", changed("above_median", Value::Null), unusable, "[0].above_median", 2, &only),
        ("two medals", changed("silver_medal", json!(true)), unusable, "[0].gold_medal", 2, &only),
        ("any medal", changed("any_medal", json!(false)), unusable, "[0].any_medal", 2, &only),
        ("no score", changed("score", Value::Null), unusable, "[0].score", 2, &only),
        ("a key twice", twice, unusable, "[0].score", 2, &only),
        ("two seeds", of_run(json!({"seed": 1})), unusable, "[0].run.seed", 2, &only),
        ("a score as text", changed("score", json!("0.5")), field, "[0].score", 2, &both),
        (
            "a line as text",
            changed("gold_threshold", json!("0.9")),
            field,
            "[0].gold_threshold",
            2,
            &both,
        ),
        ("no time", changed("created_at", json!("soon")), field, "[0].created_at", 2, &both),
        ("a total twice", total_twice, field, "total_runs", 2, &both),
        ("the same bytes again", whole.clone(), None, "", 0, &both),
        ("NaN", bare_nan, None, "", 0, &json!([100.0, 0.0])),
    ] {
        let workbench = Workbench::new();
        workbench.write("a/1_grading_report.json", &whole);
        workbench.write("a/2_grading_report.json", &content);
        let arguments = [
            "experiment",
            "report",
            "--experiment",
            "a=a",
            "--out",
            "out",
            "--split",
            COMPETITIONS[0],
        ];
        let ran = run(&workbench, arguments.into_iter().chain(["--json"])).ends_with(code);
        let study = ran.json();
        let problems = study["problems"].as_array().unwrap();
        assert_eq!(problems.len(), usize::from(kind.is_some()), "{what}: {study}");
        if let Some(kind) = kind {
            assert_eq!(problems[0]["kind"], kind, "{what}: {study}");
            let file = problems[0]["file"].as_str().unwrap();
            assert!(file.ends_with("2_grading_report.json"), "{what}: {study}");
            let found = problems[0]["part"].as_str().unwrap_or_default();
            assert!(
                found.ends_with(part) && found.is_empty() == part.is_empty(),
                "{what}: {found}"
            );
            assert_eq!(study["error"]["exit_code"], code, "{what}");
            assert!(ran.stderr.contains("2_grading_report.json"), "{what}: {}", ran.stderr);
            assert!(ran.stderr.contains(part), "{what}: {}", ran.stderr);
            let listed = fs::read_to_string(workbench.path("out/problems.csv")).unwrap();
            assert!(listed.contains(part) && listed.contains(kind), "{what}: {listed}");
        } else {
            assert_eq!(study.get("error"), None, "{what}");
        }
        let overall = &study["experiments"][0]["overall"]["all"];
        assert_eq!(&overall["by_seed"]["any_medal"], seeds, "{what}: {study}");
        assert!(workbench.path("out/report.html").is_file(), "{what}");
        if kind == Some("lfs-pointer") {
            assert!(ran.stderr.contains("git lfs pull"), "{}", ran.stderr);
        }
    }
}

#[test]
fn the_same_file_counts_once_and_the_same_bytes_count_twice_and_both_are_said() {
    let workbench = Workbench::new();
    let whole = report(&[grading(COMPETITIONS[0], "gold")]);
    workbench.write("a/1_grading_report.json", &whole);
    workbench.write("a/2_grading_report.json", &whole);
    let report = |reports: &[&str], code: i32| {
        let command = [
            "experiment",
            "report",
            "--split",
            COMPETITIONS[0],
            "--out",
            "out",
            "--force",
            "--json",
        ];
        let ran = run(
            &workbench,
            command.into_iter().chain(["--experiment"]).chain(reports.iter().copied()),
        );
        ran.ends_with(code).json()
    };
    let seeds = |study: &Value| {
        study["experiments"][0]["overall"]["all"]["seeds"].as_array().unwrap().len()
    };
    let study = report(&["a=a"], 0);
    let remark = study["experiments"][0]["remarks"][0].as_str().unwrap();
    assert_eq!(seeds(&study), 2);
    for name in ["a/1_grading_report.json", "a/2_grading_report.json", "hold the same bytes"] {
        assert!(remark.contains(name), "{remark}");
    }
    for again in
        ["a/1_grading_report.json", "./a/1_grading_report.json", "a/../a/1_grading_report.json"]
    {
        let study = report(&["a=a/1_grading_report.json", again], 2);
        assert_eq!(
            (seeds(&study), &study["problems"][0]["kind"]),
            (1, &json!("duplicate")),
            "{study}"
        );
        assert!(study["problems"][0]["reason"].as_str().unwrap().contains("has this file already"));
    }
}

#[test]
fn metadata_and_dates_are_checked() {
    let workbench = with_runs();
    let table = "[experiment.good]\n";
    for (flag, name, text, code, part) in [
        (
            "--metadata",
            "m.toml",
            format!("{table}agent = 3\n"),
            2,
            "`experiment.good.agent` is 3; needed is a text",
        ),
        (
            "--metadata",
            "m.toml",
            format!("{table}date = \"8.10.2024\"\n"),
            2,
            "needed is a date such as 2024-10-08",
        ),
        (
            "--metadata",
            "m.toml",
            format!("{table}running_time_hours = \"24\"\n"),
            2,
            "needed is a number of hours",
        ),
        (
            "--metadata",
            "m.json",
            "{\"experiment\": {\"good\": {\"agent\": \"a\", \"agent\": \"b\"}}}".to_owned(),
            2,
            "there more than once",
        ),
        ("--metadata", "m.json", "{\"experiment\"".to_owned(), 2, "line 1"),
        (
            "--metadata",
            "m.toml",
            format!("{table}agnet = \"a\"\ndate = 2099-01-01\n"),
            0,
            "the key `experiment.good.agnet` is not known",
        ),
        (
            "--metadata",
            "m.toml",
            "[experiment.goood]\n".to_owned(),
            0,
            "there is no experiment `goood`",
        ),
        (
            "--dates",
            "d.csv",
            "competition_id,date\nbms-molecular-translation,2019\n".to_owned(),
            2,
            "line 2: `2019` is no date",
        ),
        (
            "--dates",
            "d.csv",
            "competition_id,date\n\n,2019-01-01\n".to_owned(),
            2,
            "line 3: there is a date, and no competition_id",
        ),
        (
            "--dates",
            "d.csv",
            "competition_id,date\nnobody-knows,2019-01-01\n".to_owned(),
            0,
            "are not used: nobody-knows",
        ),
        (
            "--dates",
            "d.csv",
            "competition_id,date\nbms-molecular-translation,2099-01-01\n".to_owned(),
            0,
            "written: out/report.html",
        ),
    ] {
        workbench.write(name, &text);
        let command =
            ["experiment", "report", "runs", "--split", "split.txt", "--out", "out", "--force"];
        let ran = run(&workbench, command.into_iter().chain([flag, name])).ends_with(code);
        assert!(
            ran.stderr.contains(part) && ran.stderr.contains(if code == 0 { "" } else { name }),
            "{text}: {}",
            ran.stderr
        );
    }
}

#[test]
fn nothing_is_written_where_nothing_can_be_used() {
    let workbench = Workbench::new();
    workbench.write("a/1_grading_report.json", "{");
    workbench.write("whole.json", report(&[grading(COMPETITIONS[0], "gold")]));
    fs::create_dir(workbench.path("b")).unwrap();
    for (arguments, code, part) in [
        (&["--experiment", "a=a"][..], 2, "1_grading_report.json"),
        (&["--experiment", "a=none.json"], 3, "none.json"),
        (&["b"], 3, "no grading report"),
        (&["none"], 3, "none"),
        (&[], 2, "no report was named"),
        (&["--experiment", "a"], 2, "no name in front"),
        (&["a", "--split", "nothing"], 2, "there is no split `nothing`"),
        (&["a", "--metadata", "none.toml"], 3, "none.toml"),
        (&["a", "--num-seeds", "0"], 2, "from 1 on"),
        (&["--experiment", "a=a", "--only", "b"], 3, "there is no experiment `b`"),
        // Reports, and no result over what was asked for.
        (&["--experiment", "a=whole.json"], 3, "no experiment has a complete seed over split75"),
        (
            &["--experiment", "a=whole.json"],
            3,
            "a: no seed is complete: seed 1 lacks runs of 3d-object",
        ),
        (&["--experiment", "a=whole.json", "none.json"], 3, "none.json: cannot be read"),
    ] {
        let command = ["experiment", "report", "--out", "out"].into_iter();
        let ran = run(&workbench, command.chain(arguments.iter().copied())).ends_with(code);
        assert!(ran.stderr.contains(part), "{arguments:?}: {}", ran.stderr);
        assert!(!workbench.path("out").exists(), "{arguments:?}");
    }
    // So it is with a table.
    let table = ["experiment", "table", "--experiment", "a=whole.json", "--out", "out"];
    let ran = run(&workbench, table.into_iter().chain(["--json"])).ends_with(3);
    assert_eq!(ran.json()["error"]["exit_code"], 3);
    assert!(ran.stderr.contains("a: no seed is complete"), "{}", ran.stderr);
    assert!(!workbench.path("out").exists());
}

#[test]
fn what_was_padded_or_dropped_is_said_everywhere() {
    let workbench = with_runs();
    write_group(&workbench, "runs/good-1", &["gold", "silver"]);
    for (incomplete, seeds, said) in [
        ("pad", 3, "2 runs over split.txt were missing and count as failed (padded)"),
        ("drop", 2, "2 runs over split.txt are in no seed that counts"),
    ] {
        let command = ["experiment", "report", "runs", "--only", "good", "--split", "split.txt"];
        let options = ["--out", incomplete, "--incomplete", incomplete];
        let ran = run(&workbench, command.into_iter().chain(options)).ends_with(0);
        assert!(ran.stdout.contains(said), "{}", ran.stdout);
        for file in ["report.md", "report.html"] {
            let text = fs::read_to_string(workbench.path(incomplete).join(file)).unwrap();
            let text = text.replace('\\', "");
            assert!(text.contains(said), "{incomplete} {file}");
        }
        let command = ["experiment", "table", "runs", "--only", "good", "--incomplete", incomplete];
        // No split of the benchmark is complete.
        let code = if incomplete == "pad" { 0 } else { 3 };
        let table = run(&workbench, command.into_iter().chain(["--json"])).ends_with(code).json();
        if incomplete == "pad" {
            assert_eq!(table["incomplete"], incomplete);
        }
        let options = ["--out", "json", "--force", "--incomplete", incomplete, "--json"];
        let command = ["experiment", "report", "runs", "--only", "good", "--split", "split.txt"];
        let study = run(&workbench, command.into_iter().chain(options)).ends_with(0).json();
        let result = &study["experiments"][0];
        assert_eq!(result["overall"]["all"]["seeds"].as_array().unwrap().len(), seeds);
        assert!(result["remarks"][0].as_str().unwrap().contains(said), "{result}");
    }
    let command = ["experiment", "report", "runs", "--only", "good", "--split", "split.txt"];
    let options = ["--out", "error", "--incomplete", "error"];
    let ran = run(&workbench, command.into_iter().chain(options)).ends_with(3);
    assert!(ran.stderr.contains("good: seed 3 is not complete"), "{}", ran.stderr);
    assert!(!workbench.path("error").exists());
}

#[test]
fn the_leaderboard_table_is_that_of_the_references_readme() {
    let workbench = with_runs();
    workbench.write(
        "runs/experiments.toml",
        "[experiment.good]\nagent = \"AIDE\"\nmodel = \"a | b\"\nrunning_time_hours = 24\ndate = \"2024-10-08\"\n",
    );
    let command = ["experiment", "table", "runs", "--incomplete", "pad"];
    let table = run(&workbench, command.into_iter().chain(["--json"])).ends_with(0).json();
    let rows = table["rows"].as_array().unwrap();
    assert_eq!((&rows[0]["experiment"], &rows[1]["experiment"]), (&json!("good"), &json!("bad")));
    let low = &rows[0]["splits"][0];
    // Eight medals in three seeds of 22 competitions.
    let mean = low["any_medal"]["mean"].as_f64().unwrap();
    assert!((mean - 8.0 / 66.0 * 100.0).abs() < 1e-9, "{low}");
    assert_eq!((&low["seeds"], &low["padded_runs"]), (&json!(3), &json!(57)));
    let markdown =
        run(&workbench, command.into_iter().chain(["--format", "markdown"])).ends_with(0).stdout;
    for part in [
        "| Agent | LLM(s) used | Low == Lite (%) | Medium (%) | High (%) | All (%) | Running Time (hours) | Date |",
        "| AIDE | a \\| b | 12.12 ± 1.52\u{2217} | – | 2.22 ± 2.22\u{2217} |",
        "| 24 | 2024-10-08 |",
        "padded",
    ] {
        assert!(markdown.contains(part), "{part}:\n{markdown}");
    }
    run(&workbench, command.into_iter().chain(["--format", "html", "--out", "table.html"]))
        .ends_with(0);
    check_well_formed(&fs::read_to_string(workbench.path("table.html")).unwrap());
    run(&workbench, command.into_iter().chain(["--format", "html", "--out", "table.html"]))
        .ends_with(6);
}

#[test]
fn a_comparison_says_what_is_noise() {
    let workbench = with_runs();
    let command =
        ["experiment", "compare", "good", "bad", "--runs", "runs", "--split", "split.txt"];
    let compared = run(&workbench, command.into_iter().chain(["--json"])).ends_with(0).json();
    let all = &compared["all"];
    assert!((all["effect"].as_f64().unwrap() - (75.0 - 50.0 / 3.0)).abs() < 1e-9, "{compared}");
    assert_eq!((&all["competitions"], &all["first_seeds"]), (&json!(4), &json!(3)));
    assert_eq!(compared["without_known_issues"]["competitions"], 3);
    assert_eq!(all["verdict"], "too-few-competitions", "{compared}");
    assert!(all["in_words"].as_str().unwrap().contains("over 4 competitions: too few to say"));
    assert_eq!(run(&workbench, command.into_iter().chain(["--json"])).json(), compared);

    let same = ["experiment", "compare", "good", "good", "--runs", "runs", "--split", "split.txt"];
    let ran = run(&workbench, same).ends_with(0);
    assert!(
        ran.stdout.contains("differ by +0.00") && ran.stdout.contains("p = 1.0000"),
        "{}",
        ran.stdout
    );

    let paths = [
        "experiment",
        "compare",
        "runs/good-1",
        "runs/bad-1",
        "--split",
        "split.txt",
        "--metric",
        "made",
    ];
    let ran = run(&workbench, paths).ends_with(0);
    assert!(ran.stdout.contains("+25.00") && ran.stdout.contains("%, 1 seed\n"), "{}", ran.stdout);
    // A path may be held against itself.
    let itself = ["experiment", "compare", "runs/good-1", "runs/good-1", "--split", "split.txt"];
    run(&workbench, itself).ends_with(0);

    for (arguments, code, part) in [
        (&["good", "none", "--runs", "runs"][..], 3, "there is no experiment `none`"),
        (&["good", "bad", "--runs", "runs", "--split", "random-acts-of-pizza"], 3, "needs two"),
        (&["none-1", "none-2"], 3, "none-1"),
        (&["good", "bad", "--runs", "runs", "--resamples", "1"], 2, "from 100 to 10000000"),
        (&["good", "bad", "--runs", "runs", "--resamples", "-5"], 2, "from 100 to 10000000"),
        (
            &["good", "bad", "--runs", "runs", "--random-seed", "-1"],
            2,
            "a whole number from 0 to 18446744073709551615",
        ),
        (
            &["good", "bad", "--runs", "runs", "--random-seed", "x"],
            2,
            "a whole number from 0 to 18446744073709551615",
        ),
    ] {
        let command = ["experiment", "compare"].into_iter();
        let ran = run(&workbench, command.chain(arguments.iter().copied())).ends_with(code);
        assert!(ran.stderr.contains(part), "{arguments:?}: {}", ran.stderr);
    }
}

/// The first experiment has gold in so many of so many competitions, the second nothing in any.
#[test]
fn a_verdict_takes_ten_competitions_and_both_tests() {
    let names = fs::read_dir(artifacts::competitions()).unwrap();
    let mut ids: Vec<String> = names
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().join("competition.toml").is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    ids.sort();
    for (competitions, ahead, verdict, sign_flips, bootstrap_is_known) in [
        (2, 2, "too-few-competitions", 0.5, false),
        (3, 3, "too-few-competitions", 0.25, false),
        (9, 9, "too-few-competitions", 0.003_906_25, false),
        (10, 10, "more-than-noise", 0.001_953_125, false),
        (12, 0, "may-be-noise", 1.0, false),
        (12, 3, "may-be-noise", 0.25, true),
        // A bootstrap alone would take this for more than noise.
        (60, 5, "may-be-noise", 0.0625, true),
        (60, 6, "more-than-noise", 0.03125, true),
    ] {
        let workbench = Workbench::new();
        let ids = &ids[..competitions];
        let medals = |ahead: usize| {
            let medal = |(index, id): (usize, &String)| {
                grading(id, if index < ahead { "gold" } else { "none" })
            };
            report(&ids.iter().enumerate().map(medal).collect::<Vec<_>>())
        };
        workbench.write("a.json", medals(ahead));
        workbench.write("b.json", medals(0));
        workbench.write("split.txt", ids.join("\n"));
        let command = ["experiment", "compare", "a.json", "b.json", "--split", "split.txt"];
        let compared = run(&workbench, command.into_iter().chain(["--json"])).ends_with(0).json();
        let all = &compared["all"];
        let what = format!("{ahead} of {competitions}: {all}");
        assert_eq!(all["verdict"], verdict, "{what}");
        assert_eq!(all["sign_flip_p_value"], sign_flips, "{what}");
        assert_eq!(all["bootstrap_p_value"].is_number(), bootstrap_is_known, "{what}");
        assert_eq!(all["interval"].is_array(), bootstrap_is_known, "{what}");
        let larger = all["bootstrap_p_value"].as_f64().unwrap_or(0.0).max(sign_flips);
        assert_eq!(all["p_value"], larger, "{what}");
        if (competitions, ahead) == (60, 5) {
            assert!(all["bootstrap_p_value"].as_f64().unwrap() < 0.05, "{what}");
        }
        let ran = run(&workbench, command).ends_with(0);
        let said = match verdict {
            "more-than-noise" => ": more than noise",
            "may-be-noise" => "may be noise",
            _ => "too few to say whether that is more than noise; it takes 10",
        };
        assert!(ran.stdout.contains(said), "{}", ran.stdout);
    }
}

/// Ten million draws of sixty differences take some seconds.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_a_comparison() {
    let workbench = Workbench::new();
    let names = fs::read_dir(artifacts::competitions()).unwrap();
    let ids: Vec<String> = names
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().join("competition.toml").is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    let all = |medal: &dyn Fn(usize) -> &'static str| {
        report(
            &ids.iter()
                .enumerate()
                .map(|(index, id)| grading(id, medal(index)))
                .collect::<Vec<_>>(),
        )
    };
    workbench.write("a.json", all(&|index| if index.is_multiple_of(3) { "gold" } else { "valid" }));
    workbench.write("b.json", all(&|index| if index.is_multiple_of(4) { "gold" } else { "valid" }));
    let command =
        ["experiment", "compare", "a.json", "b.json", "--resamples", "10000000", "--json"];
    let competitions = artifacts::competitions();
    let more = [("PODIUM_COMPETITIONS", competitions.as_path())];
    let ran = workbench.run_until_it_is_ended(command, &more).ends_with(130);
    assert_eq!(ran.json()["error"]["kind"], "interrupted", "{ran:?}");
}

/// Reports as the reference writes them, to the byte: Python's JSON with two blanks, times without an offset, `None` where
/// nothing was submitted.
#[test]
fn run_groups_of_the_reference_are_read_as_it_writes_them() {
    let workbench = Workbench::new();
    let one = |id: &str, score: &str, medal: &str, path: &str| {
        let is = |name: &str| medal == name;
        let any = is("gold") || is("silver") || is("bronze");
        let (made, valid) = (path != "None", score != "null");
        let lower = is_lower_better(id);
        let [gold, silver, bronze, median] = if lower {
            ["1e-05", "0.99975", "0.99997", "1.0"]
        } else {
            ["1.0", "0.99997", "1e-05", "1e-05"]
        };
        format!(
            r#"    {{
      "competition_id": "{id}",
      "score": {score},
      "gold_threshold": {gold},
      "silver_threshold": {silver},
      "bronze_threshold": {bronze},
      "median_threshold": {median},
      "any_medal": {any},
      "gold_medal": {},
      "silver_medal": {},
      "bronze_medal": {},
      "above_median": {any},
      "submission_exists": {made},
      "valid_submission": {valid},
      "is_lower_better": {lower},
      "created_at": "2024-09-19T20:07:15.123456",
      "submission_path": "{path}"
    }}"#,
            is("gold"),
            is("silver"),
            is("bronze")
        )
    };
    let whole = |reports: &[String]| {
        format!(
            r#"{{
  "total_runs": {count},
  "total_runs_with_submissions": 1,
  "total_valid_submissions": 1,
  "total_medals": 1,
  "total_gold_medals": 1,
  "total_silver_medals": 0,
  "total_bronze_medals": 0,
  "total_above_median": 1,
  "competition_reports": [
{list}
  ]
}}"#,
            count = reports.len(),
            list = reports.join(",\n")
        )
    };
    let [cactus, dogs, pizza, _] = COMPETITIONS;
    let path = "runs/2024-09-07_run-group_aide/x/submission/submission.csv";
    for (group, reports) in [
        // A run group may hold several runs of a competition, in any order.
        (
            "2024-09-06T18-25-55-UTC_run-group_aide",
            vec![
                one(pizza, "1e-06", "none", path),
                one(cactus, "1.0", "gold", path),
                one(dogs, "null", "none", "None"),
                one(cactus, "0.5", "bronze", path),
                one(dogs, "null", "none", path),
                one(pizza, "0.99998", "silver", path),
            ],
        ),
        (
            "2024-09-07T22-34-42-UTC_run-group_aide",
            vec![
                one(cactus, "NaN", "none", path),
                one(dogs, "2.0", "none", path),
                one(pizza, "Infinity", "gold", path),
            ],
        ),
        (
            "2024-09-07T22-33-09-UTC_run-group_mlagentbench",
            vec![
                one(cactus, "1e-06", "none", path),
                one(dogs, "2.0", "none", path),
                one(pizza, "1e-06", "none", path),
            ],
        ),
    ] {
        workbench.write(
            format!("runs/{group}/2024-09-19T20-07-15-GMT_grading_report.json"),
            whole(&reports),
        );
    }
    // As the reference's, with the blanks and the empty line that are in it.
    workbench.write(
        "runs/run_group_experiments.csv",
        "experiment_id,run_group\nscaffolding-gpt4o-aide, 2024-09-07T22-34-42-UTC_run-group_aide\n\
         scaffolding-gpt4o-aide,2024-09-06T18-25-55-UTC_run-group_aide\n\n\
         scaffolding-gpt4o-mlab,2024-09-07T22-33-09-UTC_run-group_mlagentbench\n",
    );
    workbench.write("three.txt", [cactus, dogs, pizza].join("\n"));
    let command =
        ["experiment", "report", "runs", "--split", "three.txt", "--out", "out", "--json"];
    let study = run(&workbench, command).ends_with(0).json();
    assert_eq!(study["problems"], json!([]));
    let [aide, mlab] = study["experiments"].as_array().unwrap().as_slice() else {
        panic!("{study}")
    };
    assert_eq!(
        (&aide["name"], &mlab["name"]),
        (&json!("scaffolding-gpt4o-aide"), &json!("scaffolding-gpt4o-mlab"))
    );
    let by_seed = &aide["overall"]["all"]["by_seed"];
    let third = 100.0 / 3.0;
    for (name, expected) in [
        ("submission_exists", [2.0 * third, 100.0, 100.0]),
        ("valid_submission", [2.0 * third, 2.0 * third, 100.0]),
        ("above_median", [third, 2.0 * third, third]),
        ("gold_medal", [third, 0.0, third]),
        ("silver_medal", [0.0, third, 0.0]),
        ("bronze_medal", [0.0, third, 0.0]),
        ("any_medal", [third, 2.0 * third, third]),
    ] {
        for (seed, expected) in expected.into_iter().enumerate() {
            let found = by_seed[name][seed].as_f64().unwrap();
            assert!((found - expected).abs() < 1e-9, "{name}, seed {seed}: {by_seed}");
        }
    }
    let (mean, error) = metric(&aide["overall"]["all"], "any_medal");
    assert!(
        (mean - 400.0 / 9.0).abs() < 1e-9 && (error - 100.0 / 9.0).abs() < 1e-9,
        "{mean} {error}"
    );
    assert_eq!(mlab["overall"]["all"]["seeds"], json!(["1"]));
}

#[test]
fn seeds_that_podium_reports_are_put_together_by_their_names() {
    let workbench = Workbench::new();
    let seeded = |competition: &str, seed: u64, medal: &str| {
        let mut report = grading(competition, medal);
        report["run"] = json!({ "seed": seed });
        report
    };
    let gradings = [
        seeded(COMPETITIONS[0], 2, "gold"),
        seeded(COMPETITIONS[0], 1, "valid"),
        seeded(COMPETITIONS[1], 1, "gold"),
        seeded(COMPETITIONS[1], 2, "gold"),
    ];
    workbench.write("grading_report.json", report(&gradings));
    workbench.write("two.txt", COMPETITIONS[..2].join("\n"));
    let seeds = |align: &str| {
        let command =
            ["experiment", "report", "--experiment", "a=grading_report.json", "--split", "two.txt"];
        let options = ["--out", align, "--align", align, "--json"];
        let study = run(&workbench, command.into_iter().chain(options)).ends_with(0).json();
        study["experiments"][0]["overall"]["all"]["by_seed"]["any_medal"].clone()
    };
    assert_eq!(seeds("auto"), json!([50.0, 100.0]));
    assert_eq!(seeds("ids"), json!([50.0, 100.0]));
    assert_eq!(seeds("order"), json!([100.0, 50.0]));
}

#[test]
fn experiments_of_one_name_are_never_put_together_in_silence() {
    let workbench = Workbench::new();
    for (place, medals) in [
        ("a/base", ["gold", "gold"]),
        ("b/base", ["none", "none"]),
        ("a/other", ["valid", "valid"]),
    ] {
        write_group(&workbench, place, &medals);
    }
    workbench.write("two.txt", COMPETITIONS[..2].join("\n"));
    let split = ["--split", "two.txt", "--json"];
    let report = ["experiment", "report", "a", "b", "--out", "out"];
    let ran = run(&workbench, report.into_iter().chain(split)).ends_with(2);
    let study = ran.json();
    let names: Vec<&Value> =
        study["experiments"].as_array().unwrap().iter().map(|result| &result["name"]).collect();
    assert_eq!(names, [&json!("other")]);
    assert_eq!(study["problems"][0]["kind"], "ambiguous");
    assert_eq!(study["problems"][0]["file"], "b/base");
    assert!(ran.stderr.contains("another one in a/base"), "{}", ran.stderr);
    // What is not asked for is in nobody's way.
    let only = ["experiment", "report", "a", "b", "--out", "only", "--only", "other"];
    run(&workbench, only.into_iter().chain(split)).ends_with(0);

    let named = "base=a/other";
    for (arguments, code) in [
        (&["base", "base", "--runs", "a", "--runs", "b"][..], 2),
        (&["base", "other", "--runs", "a", "--runs", "b"], 3),
        (&["base", "other", "--runs", "a", "--experiment", named], 3),
    ] {
        let command = ["experiment", "compare"].into_iter().chain(arguments.iter().copied());
        let ran = run(&workbench, command.chain(split)).ends_with(code);
        let printed = ran.json();
        assert_eq!(printed["problems"][0]["kind"], "ambiguous", "{arguments:?}: {printed}");
        assert_eq!(printed["error"]["exit_code"], code, "{arguments:?}: {printed}");
        assert!(ran.stderr.contains("and another one in"), "{arguments:?}: {}", ran.stderr);
    }
    // By their paths they are two, and the same twice is said to be.
    let paths = ["experiment", "compare", "a/base", "b/base"];
    let compared = run(&workbench, paths.into_iter().chain(split)).ends_with(0).json();
    assert_eq!((&compared["all"]["effect"], &compared["remarks"]), (&json!(100.0), &json!([])));
    let same = ["experiment", "compare", "base", "base", "--runs", "a"];
    let compared = run(&workbench, same.into_iter().chain(split)).ends_with(0).json();
    let remark = compared["remarks"][0].as_str().unwrap();
    assert!(remark.contains("made of the same reports"), "{remark}");
}

/// Problems are in the JSON where there is no result, too, and say what is the matter.
#[test]
fn a_command_without_a_result_says_what_could_not_be_used() {
    let workbench = with_runs();
    workbench.write("broken.json", "{");
    workbench.write("whole.json", report(&[grading(COMPETITIONS[0], "gold")]));
    let reports = ["--experiment", "a=whole.json", "broken.json"];
    for (arguments, code, problems, part) in [
        (
            &["report", "--experiment", "a=broken.json", "--out", "out"][..],
            2,
            1,
            "it ends in the middle, at line 1",
        ),
        (&["table", "--experiment", "a=broken.json"], 2, 1, "it ends in the middle"),
        (&["compare", "broken.json", "none.json"], 3, 2, "none.json: cannot be read"),
        (&["compare", "whole.json", "broken.json"], 3, 1, "there is no experiment `broken.json`"),
        // No report of these names its seeds.
        (
            &["compare", "good", "bad", "--runs", "runs", "--align", "ids", "--split", "split.txt"],
            3,
            24,
            "it names no seed; --align order counts runs in their order",
        ),
        (
            &["report", "runs", "--align", "ids", "--split", "split.txt", "--out", "out"],
            3,
            24,
            "it names no seed",
        ),
    ] {
        let command = ["experiment"].into_iter().chain(arguments.iter().copied());
        let ran = run(&workbench, command.chain(["--json"])).ends_with(code);
        let printed = ran.json();
        let found = printed["problems"].as_array().unwrap();
        assert_eq!(found.len(), problems, "{arguments:?}: {printed}");
        assert!(found.iter().all(|problem| problem["reason"].is_string()), "{printed}");
        assert_eq!(printed["error"]["exit_code"], code, "{arguments:?}: {printed}");
        assert!(ran.stderr.contains(part), "{arguments:?}: {}", ran.stderr);
        assert!(!workbench.path("out").exists(), "{arguments:?}");
    }
    let command = ["experiment", "report", "--out", "out", "--json"].into_iter().chain(reports);
    let printed = run(&workbench, command).ends_with(3).json();
    assert_eq!(printed["experiments"][0]["name"], "a");
    assert!(printed["experiments"][0]["reason"].as_str().unwrap().contains("no seed is complete"));
    assert_eq!(printed["problems"][0]["file"], "broken.json");
}

/// What contradicts itself, or the competition, is in no number and is told.
#[test]
fn gradings_that_cannot_be_true_are_told() {
    let id = COMPETITIONS[0];
    let sound = grading(id, "gold");
    let with = |name: &str, value: Value| {
        let mut changed = sound.clone();
        changed[name] = value;
        report(&[changed])
    };
    let number =
        |number: &str| report(std::slice::from_ref(&sound)).replace("\"score\":0.95", number);
    let mut upside_down = grading(id, "valid");
    upside_down["is_lower_better"] = json!(true);
    upside_down["median_threshold"] = json!(0.1);
    upside_down["gold_threshold"] = json!(0.1);
    upside_down["silver_threshold"] = json!(0.1);
    upside_down["bronze_threshold"] = json!(0.1);
    let digits = format!("\"score\":{}", "9".repeat(400));
    for (what, content, kind, field, part) in [
        ("a medal", with("score", json!(0.5)), "unusable-grading", "gold_medal", "earns no medal"),
        (
            "the median",
            with("median_threshold", json!(0.99)),
            "unusable-grading",
            "above_median",
            "not better than the median",
        ),
        (
            "two scores",
            with("score_text", json!("nan")),
            "unusable-grading",
            "score_text",
            "`score` is 0.95, and `score_text` is NaN",
        ),
        (
            "the direction",
            report(&[upside_down]),
            "unusable-grading",
            "is_lower_better",
            "by its competition.toml false",
        ),
        (
            "no path",
            with("submission_path", Value::Null),
            "unusable-field",
            "submission_path",
            "although there is a submission",
        ),
        (
            "large",
            number("\"score\":1e999"),
            "unusable-field",
            "score",
            "1e999, which no double holds",
        ),
        ("digits", number(&digits), "unusable-field", "score", ", which no double holds"),
        (
            "a seed",
            number("\"seed\":1e400,\"score\":0.95"),
            "unusable-grading",
            "seed",
            "1e400, which no double holds",
        ),
        (
            "a long seed",
            with("seed", json!("s".repeat(100_000))),
            "unusable-grading",
            "seed",
            "it has 100000 characters",
        ),
    ] {
        let workbench = Workbench::new();
        workbench.write("a/1_grading_report.json", report(std::slice::from_ref(&sound)));
        workbench.write("a/2_grading_report.json", content);
        let command = ["experiment", "report", "--experiment", "a=a", "--out", "out"];
        let ran =
            run(&workbench, command.into_iter().chain(["--split", id, "--json"])).ends_with(2);
        let study = ran.json();
        let [problem] = study["problems"].as_array().unwrap().as_slice() else {
            panic!("{what}: {study}")
        };
        assert_eq!(problem["kind"], kind, "{what}: {problem}");
        assert_eq!(problem["part"], format!("competition_reports[0].{field}"), "{what}");
        assert!(problem["reason"].as_str().unwrap().contains(part), "{what}: {problem}");
        assert!(ran.stderr.len() < 2_000, "{what}: {}", ran.stderr.len());
        let seeds = if kind == "unusable-field" { 2 } else { 1 };
        let counted = study["experiments"][0]["overall"]["all"]["seeds"].as_array().unwrap();
        assert_eq!(counted.len(), seeds, "{what}: {study}");
    }
}

#[test]
fn long_names_are_cut_and_lines_of_names_are_escapes() {
    let workbench = Workbench::new();
    let long = "x".repeat(100_000);
    let name = "two\nlines";
    workbench.write("a.json", report(&[grading(COMPETITIONS[0], "gold"), grading(&long, "gold")]));
    let named = format!("{name}=a.json");
    let command = [
        "experiment",
        "report",
        "--experiment",
        &named,
        "--split",
        COMPETITIONS[0],
        "--title",
        name,
        "--out",
        "out",
    ];
    let ran = run(&workbench, command).ends_with(3);
    assert!(ran.stderr.contains("x… (100000 characters)"), "{}", &ran.stderr[..2_000]);
    for said in [&ran.stdout, &ran.stderr] {
        assert!(said.lines().all(|line| line.len() < 1_000));
    }
    assert!(ran.stdout.contains("two\\u{a}lines"), "{}", ran.stdout);
    let markdown = fs::read_to_string(workbench.path("out/report.md")).unwrap();
    assert!(markdown.starts_with("# two\\\\u{a}lines\n"), "{markdown}");
    assert!(markdown.contains("| two\\\\u{a}lines | 1 |"), "{markdown}");
    let page = fs::read_to_string(workbench.path("out/report.html")).unwrap();
    assert!(page.contains("two\\u{a}lines") && !page.contains(name), "{page}");
    // A hint can be pasted.
    let only = ["experiment", "report", "--experiment", "a b=a.json", "--only", "c", "--out", "x"];
    let ran = run(&workbench, only).ends_with(3);
    assert!(ran.stderr.contains("there are 'a b'"), "{}", ran.stderr);
}

#[test]
fn files_beside_experiments_are_never_passed_over() {
    for (name, content, code, part) in [
        (
            "run_group_experiments.csv",
            "experiment_id,run_group\ngood,\"good-1\n",
            2,
            "never closed",
        ),
        (
            "run_group_experiments.csv",
            "\u{feff}run_group,notes,experiment_id\n\"good-1\",\"a, b\",good\n",
            0,
            "written: ",
        ),
        ("experiments.toml", "[experiment.good]\nagent = 3\n", 2, "needed is a text"),
    ] {
        let workbench = with_runs();
        workbench.write(format!("runs/{name}"), content);
        let command = ["experiment", "report", "runs", "--split", "split.txt", "--out", "out"];
        let ran = run(&workbench, command).ends_with(code);
        assert!(ran.stderr.contains(part), "{name}: {}", ran.stderr);
    }
    // Files of two folders that describe the same experiment.
    let workbench = with_runs();
    let table = "[experiment.good]\nagent = \"A\"\n";
    workbench.write("runs/experiments.toml", table);
    workbench.write("m.toml", table);
    let command = ["experiment", "report", "runs", "--split", "split.txt", "--out", "out"];
    let ran = run(&workbench, command.into_iter().chain(["--metadata", "m.toml"])).ends_with(0);
    let said = "m.toml: `good` is described in runs/experiments.toml as well";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_beside_experiments_is_told() {
    use std::os::unix::fs::symlink;
    for name in ["experiments.toml", "run_group_experiments.csv"] {
        for (kind, code, part) in [
            ("folder", 6, "this is a folder"),
            ("pipe", 6, "this is a pipe"),
            ("dangling", 3, "cannot be read"),
        ] {
            let workbench = with_runs();
            let path = workbench.path("runs").join(name);
            let _ = fs::remove_file(&path);
            match kind {
                "folder" => fs::create_dir(&path).unwrap(),
                "dangling" => symlink("nowhere", &path).unwrap(),
                _ => assert!(
                    std::process::Command::new("mkfifo").arg(&path).status().unwrap().success()
                ),
            }
            let command = ["experiment", "report", "runs", "--split", "split.txt", "--out", "out"];
            let ran = run(&workbench, command).ends_with(code);
            assert!(
                ran.stderr.contains(name) && ran.stderr.contains(part),
                "{name} {kind}: {}",
                ran.stderr
            );
            assert!(!workbench.path("out").exists(), "{name} {kind}");
        }
    }
    let workbench = with_runs();
    workbench.write("elsewhere.toml", "[experiment.good]\nagent = \"A\"\n");
    symlink("../elsewhere.toml", workbench.path("runs/experiments.toml")).unwrap();
    let command = ["experiment", "report", "runs", "--split", "split.txt", "--out", "out"];
    let ran = run(&workbench, command).ends_with(0);
    let said = "experiments.toml: this is a link, and is read as it leads to ../elsewhere.toml";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
}

/// Paths that JSON cannot hold do not end a command after all of its work.
#[cfg(target_os = "linux")]
#[test]
fn paths_that_are_no_utf_8_are_said_as_escapes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let workbench = Workbench::new();
    for (name, medal) in [(&b"x\xff"[..], "gold"), (b"x\xfe", "valid")] {
        let folder = workbench.path("runs").join(OsStr::from_bytes(name));
        fs::create_dir_all(&folder).unwrap();
        let gradings = [grading(COMPETITIONS[0], medal), grading("nobody-knows", medal)];
        fs::write(folder.join("1_grading_report.json"), report(&gradings)).unwrap();
    }
    let out = OsStr::from_bytes(b"out\xff");
    let arguments = ["experiment", "report", "runs", "--split", COMPETITIONS[0], "--json", "--out"];
    let mut command = workbench.podium(arguments);
    command.arg(out).env("PODIUM_COMPETITIONS", artifacts::competitions());
    let study = Ran::of(&mut command).ends_with(3).json();
    let names: Vec<&Value> =
        study["experiments"].as_array().unwrap().iter().map(|result| &result["name"]).collect();
    assert_eq!(names, [&json!("x\\xff"), &json!("x\\xfe")]);
    let file = study["problems"][0]["file"].as_str().unwrap();
    assert!(file.starts_with("runs/x\\xf"), "{file}");
    assert_eq!(study["files"][0], "out\\xff/report.html");
}
