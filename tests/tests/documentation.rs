//! What the documentation says works when it is pasted.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use podium_tests::artifacts;
use podium_tests::examples::CompetitionExample;

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

    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &tour])
        .current_dir(checkout.path())
        .env("PODIUM_CACHE", checkout.path().join("cache"))
        .env("PODIUM_COMPETITIONS", artifacts::competitions())
        .env("PODIUM_GRADERS", artifacts::graders())
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{stdout}\n{stderr}", output.status);
    assert!(stdout.contains("0.83333"), "the score of the example is shown:\n{stdout}");
    assert!(fs::read_dir(demo.join("reports")).unwrap().count() > 0, "there is a report");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::copy(from, to).unwrap();
}
