//! What the documentation says works when it is pasted.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use podium_tests::artifacts;
use podium_tests::container_engine;
use podium_tests::examples::CompetitionExample;
use podium_tests::toolchain::Toolchain;

/// The shell commands of a section of a Markdown page.
fn commands(page: &str, section: &str) -> String {
    let heading = format!("\n## {section}\n");
    let (_, text) = page.split_once(&heading).expect("the section is there");
    let text = text.split("\n## ").next().unwrap_or(text);
    let blocks: Vec<&str> =
        text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!blocks.is_empty(), "the section `{section}` has commands");
    blocks.concat()
}

/// Runs the commands of a tour in a folder, and gives what they print on stdout.
fn pasted(tour: &str, folder: &Path) -> String {
    pasted_with(tour, folder, &[]).0
}

/// As [`pasted`], with variables of its own; gives what is printed on stdout and on stderr.
fn pasted_with(tour: &str, folder: &Path, variables: &[(&str, PathBuf)]) -> (String, String) {
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", tour])
        .current_dir(folder)
        .env("PODIUM_CACHE", folder.join("cache"))
        .env("PODIUM_COMPETITIONS", artifacts::competitions())
        .env("PODIUM_GRADERS", artifacts::graders())
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .output()
        .unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}\n{stdout}\n{stderr}", output.status);
    (stdout, stderr)
}

/// A `PATH` on which the program is found under its name.
fn path_with_podium(folder: &Path) -> PathBuf {
    let programs = folder.join("programs");
    fs::create_dir(&programs).unwrap();
    symlink(artifacts::podium(), programs.join("podium")).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    PathBuf::from(format!("{}:{path}", programs.display()))
}

#[test]
fn the_tour_of_the_readme_works_when_pasted() {
    let readme = fs::read_to_string(artifacts::root().join("README.md")).unwrap();
    let tour = commands(&readme, "A tour");

    // What the demo leaves behind, in a folder that stands for the checkout.
    let checkout = tempfile::tempdir().unwrap();
    let demo = checkout.path().join("target/demo");
    let release = checkout.path().join("target/release");
    fs::create_dir_all(&demo).unwrap();
    fs::create_dir_all(&release).unwrap();
    symlink(artifacts::podium(), release.join("podium")).unwrap();
    let mut runs = String::new();
    let id = "spaceship-titanic";
    let example = CompetitionExample::of(id).example;
    copy(&example.answers, &demo.join("data").join(id).join("prepared/private/test.csv"));
    for (name, submission) in &example.submissions {
        let relative = format!("submissions/{id}/{name}.csv");
        copy(&submission.path, &demo.join(&relative));
        let line = serde_json::json!({"competition_id": id, "submission_path": relative});
        runs.push_str(&format!("{line}\n"));
    }
    fs::write(demo.join("runs.jsonl"), runs).unwrap();

    let stdout = pasted(&tour, checkout.path());
    assert!(stdout.contains("0.83333"), "the score of the example is shown:\n{stdout}");
    assert!(fs::read_dir(demo.join("reports")).unwrap().count() > 0, "there is a report");
}

#[test]
fn the_tour_of_experiments_works_when_pasted() {
    let page = fs::read_to_string(artifacts::root().join("docs/experiments.md")).unwrap();
    let tour = commands(&page, "A tour");
    let checkout = tempfile::tempdir().unwrap();
    let demo = checkout.path().join("target/demo");
    let release = checkout.path().join("target/release");
    fs::create_dir_all(&release).unwrap();
    symlink(artifacts::podium(), release.join("podium")).unwrap();
    for id in [
        "spooky-author-identification",
        "detecting-insults-in-social-commentary",
        "leaf-classification",
    ] {
        let example = CompetitionExample::of(id);
        example.prepare(&demo.join("data"));
        for (name, submission) in &example.example.submissions {
            copy(&submission.path, &demo.join(format!("submissions/{id}/{name}.csv")));
        }
    }
    let stdout = pasted(&tour, checkout.path());
    // Two medals in three competitions, whatever the seed; the other agent earns none.
    for part in ["66.67 ± 0.00", "`careful`", "`hasty`", "silver"] {
        assert!(stdout.contains(part), "{part}:\n{stdout}");
    }
    let page = fs::read_to_string(demo.join("report/report.html")).unwrap();
    assert!(page.contains("careful") && page.contains("66.67 ± 0.00"), "{page}");
}

#[test]
fn the_tour_of_trust_works_when_pasted() {
    let page = fs::read_to_string(artifacts::root().join("docs/trust.md")).unwrap();
    let tour = commands(&page, "A tour");

    let folder = tempfile::tempdir().unwrap();
    let id = "spaceship-titanic";
    for id in [id, "leaf-classification"] {
        copy(&artifacts::grader(id), &folder.path().join("graders").join(format!("{id}.wasm")));
    }
    let example = CompetitionExample::of(id).example;
    copy(&example.answers, &folder.path().join("data").join(id).join("prepared/private/test.csv"));
    copy(&example.submissions["good"].path, &folder.path().join("submission.csv"));
    let variables = [
        ("HOME", folder.path().to_owned()),
        ("PATH", path_with_podium(folder.path())),
        ("PODIUM_GRADERS", folder.path().join("graders")),
        ("PODIUM_DATA", folder.path().join("data")),
    ];
    let (stdout, _) = pasted_with(&tour, folder.path(), &variables);
    for part in [
        "2 components in",
        "is pinned to it now",
        "the one that was looked at",
        "\"because\": \"component\"",
        "not pinned any more",
        "removed sha256:",
    ] {
        assert!(stdout.contains(part), "{part}:\n{stdout}");
    }
    // What the policy does not name is said not to be trusted.
    assert!(stdout.contains("is not trusted to grade `leaf-classification`"), "{stdout}");
}

#[test]
fn the_tour_of_regrading_works_when_pasted() {
    let page = fs::read_to_string(artifacts::root().join("docs/regrading.md")).unwrap();
    let tour = commands(&page, "A tour");

    // What the demo leaves behind of the one competition, in a folder that stands for the checkout.
    let checkout = tempfile::tempdir().unwrap();
    let demo = checkout.path().join("target/demo");
    let release = checkout.path().join("target/release");
    fs::create_dir_all(&release).unwrap();
    symlink(artifacts::podium(), release.join("podium")).unwrap();
    let id = "spaceship-titanic";
    let example = CompetitionExample::of(id).example;
    copy(&example.answers, &demo.join("data").join(id).join("prepared/private/test.csv"));
    let submission = &example.submissions["good"];
    copy(&submission.path, &demo.join(format!("submissions/{id}/good.csv")));

    let stdout = pasted(&tour, checkout.path());
    assert!(stdout.contains("identical") && stdout.contains("current"), "{stdout}");
    for file in ["regrade.html", "submission.jsonl", "first/comparison.json"] {
        assert!(demo.join(file).is_file(), "{file}");
    }
}

#[test]
fn the_score_over_time_is_drawn_as_its_page_says() {
    if !container_engine::is_there() {
        return;
    }
    let page = fs::read_to_string(artifacts::root().join("docs/runner.md")).unwrap();
    let drawing = commands(&page, "While it runs, and the score over time");

    let folder = tempfile::tempdir().unwrap();
    let id = "spaceship-titanic";
    let prepared = folder.path().join("data").join(id).join("prepared");
    let example = CompetitionExample::of(id);
    example.prepare(&folder.path().join("data"));
    let sample = &example.example.submissions["sample"];
    copy(&sample.path, &prepared.join("public/sample_submission.csv"));
    let variables = [
        ("PATH", path_with_podium(folder.path())),
        ("PODIUM_AGENTS", artifacts::root().join("agents")),
        ("PODIUM_DATA", folder.path().join("data")),
    ];
    let (_, stderr) = pasted_with(&drawing, folder.path(), &variables);
    assert!(!stderr.contains("counted twice"), "{stderr}");
    let listed = fs::read_to_string(folder.path().join("runs/first/over-time/submission.jsonl"));
    assert_eq!(listed.unwrap().lines().count(), 3, "a grading a run");
    let curve = fs::read_to_string(folder.path().join("study/over-time.csv")).unwrap();
    assert!(curve.lines().count() > 1, "{curve}");
}

#[test]
fn a_grader_is_made_from_nothing_as_its_page_says() {
    let page = fs::read_to_string(artifacts::root().join("docs/write-a-grader.md")).unwrap();
    let from_nothing = commands(&page, "From nothing");

    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &from_nothing])
        .current_dir(folder.path())
        .envs(Toolchain::environment())
        .env("PATH", path_with_podium(folder.path()))
        .env("PODIUM_CACHE", folder.path().join("cache"))
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{stdout}\n{stderr}", output.status);
    for part in ["sealed", "good: scored 0.75", "determinism  21 submissions", "score"] {
        assert!(stdout.contains(part), "{part}:\n{stdout}");
    }
    assert!(!stdout.contains("problem") && !stdout.contains("differs"), "{stdout}");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::copy(from, to).unwrap();
}
