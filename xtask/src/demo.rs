//! `cargo xtask demo`: builds what is needed and grades the examples of all competitions as one run group.
//!
//! An example is a folder `competitions/<id>/example/` with `answers.csv` (or `answers.jsonl`), a handful of submissions
//! in `submissions/`, and `expected.json`, which tests compare with. Here they are laid out as a prepared data folder in
//! `target/demo/`, so that the program runs as it does on real data.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::json;

use crate::{graders, test, workspace};

/// A competition with an example and a grader.
struct Example {
    id: String,
    /// The file of answers in the example.
    answers: PathBuf,
    /// Where the competition expects its answers, relative to its data folder.
    answers_in_data: PathBuf,
    /// Where it expects the sample submission, without which no agent can be run.
    sample_in_data: Option<PathBuf>,
    submissions: Vec<PathBuf>,
}

/// Builds, lays out, grades, and says what to try next.
pub(crate) fn run() -> Result<()> {
    graders::run(&graders::Arguments::default())?;
    let podium = test::build_podium()?;
    let examples = examples(&workspace::root().join("competitions"), &workspace::built_graders())?;
    ensure!(!examples.is_empty(), "no competition has both an example and a grader");

    let demo = workspace::target().join("demo");
    lay_out(&examples, &demo)?;
    eprintln!("grading the examples of {} competitions in {}\n", examples.len(), demo.display());
    // Short paths keep the table narrow.
    workspace::run(Command::new(&podium).current_dir(&demo).args([
        "grade",
        "--submission",
        "runs.jsonl",
        "--output-dir",
        "reports",
        "--data-dir",
        "data",
    ]))?;
    print_what_to_try(&podium, &demo, &examples);
    Ok(())
}

/// The examples in a folder of competitions, sorted by id.
fn examples(competitions: &Path, graders: &Path) -> Result<Vec<Example>> {
    let mut examples = Vec::new();
    for folder in sorted_entries(competitions)? {
        let id = name(&folder);
        let example = folder.join("example");
        if example.is_dir() && graders.join(format!("{id}.wasm")).is_file() {
            examples
                .push(read_example(&folder, &id).with_context(|| format!("the example of {id}"))?);
        }
    }
    Ok(examples)
}

fn read_example(folder: &Path, id: &str) -> Result<Example> {
    let example = folder.join("example");
    let answers = ["answers.csv", "answers.jsonl"]
        .iter()
        .map(|name| example.join(name))
        .find(|path| path.is_file())
        .context("there is neither answers.csv nor answers.jsonl")?;
    let submissions: Vec<PathBuf> = sorted_entries(&example.join("submissions"))?
        .into_iter()
        .filter(|path| path.extension() == Some(OsStr::new("csv")))
        .collect();
    ensure!(!submissions.is_empty(), "there are no submissions/*.csv");
    let definition = folder.join("competition.toml");
    let text = fs::read_to_string(&definition)
        .with_context(|| format!("could not read {}", definition.display()))?;
    let (answers_in_data, sample_in_data) =
        data_paths(&text).with_context(|| format!("{} is broken", definition.display()))?;
    Ok(Example { id: id.to_owned(), answers, answers_in_data, sample_in_data, submissions })
}

/// Where a competition expects its answers and its sample submission.
fn data_paths(definition: &str) -> Result<(PathBuf, Option<PathBuf>)> {
    #[derive(Deserialize)]
    struct Definition {
        data: Data,
    }
    #[derive(Deserialize)]
    struct Data {
        answers: Vec<PathBuf>,
        sample_submission: Option<PathBuf>,
    }
    let Data { mut answers, sample_submission } = toml::from_str::<Definition>(definition)?.data;
    ensure!(
        answers.len() == 1,
        "an example has one file of answers, the competition wants {}",
        answers.len()
    );
    Ok((answers.remove(0), sample_submission))
}

/// Lays the examples out as a data folder, submissions and a list of runs.
fn lay_out(examples: &[Example], demo: &Path) -> Result<()> {
    let data = demo.join("data");
    let submissions = demo.join("submissions");
    for folder in [&data, &submissions] {
        if folder.exists() {
            fs::remove_dir_all(folder)
                .with_context(|| format!("could not remove {}", folder.display()))?;
        }
    }
    let mut runs = String::new();
    for example in examples {
        copy(&example.answers, &data.join(&example.id).join(&example.answers_in_data))?;
        let sample = example.submissions.iter().find(|path| name(path) == "sample.csv");
        if let (Some(sample), Some(to)) = (sample, &example.sample_in_data) {
            copy(sample, &data.join(&example.id).join(to))?;
        }
        for submission in &example.submissions {
            let relative = Path::new("submissions").join(&example.id).join(name(submission));
            copy(submission, &demo.join(&relative))?;
            let run = json!({ "competition_id": example.id, "submission_path": relative });
            runs.push_str(&format!("{run}\n"));
        }
    }
    workspace::write_if_changed(&demo.join("runs.jsonl"), runs.as_bytes())?;
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("could not make {}", folder.display()))?;
    }
    fs::copy(from, to)
        .with_context(|| format!("could not copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

fn print_what_to_try(podium: &Path, demo: &Path, examples: &[Example]) {
    // As a person types them in the checkout.
    let short = |path: &Path| {
        std::env::current_dir()
            .ok()
            .and_then(|folder| path.strip_prefix(folder).ok().map(Path::to_path_buf))
            .unwrap_or_else(|| path.to_path_buf())
            .display()
            .to_string()
    };
    let podium = short(podium);
    let data = short(&demo.join("data"));
    let submissions = demo.join("submissions");
    let example = &examples[0];
    let submission = short(&submissions.join(&example.id).join(name(&example.submissions[0])));
    let id = &example.id;
    eprintln!(
        "\nWhat to try next:\n  \
         {podium} grade-sample {submission} {id} --data-dir {data}\n  \
         {podium} show {id}\n  \
         {podium} list\n  \
         {podium} doctor\n\
         Change a submission in {} and grade it again. With data that MLE-bench prepared, leave --data-dir out.",
        short(&submissions)
    );
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn sorted_entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("could not read {}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_laid_out_as_the_competition_expects_it() {
        let temporary = tempfile::tempdir().unwrap();
        let competition = temporary.path().join("competitions/taxi");
        let write = |path: &str, text: &str| {
            let path = temporary.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            "competitions/taxi/competition.toml",
            "[data]\nanswers = [\"prepared/private/test.csv\"]\nsample_submission = \"prepared/public/sample.csv\"\n",
        );
        write("competitions/taxi/example/answers.csv", "key,fare\n");
        write("competitions/taxi/example/submissions/good.csv", "key,fare\n");
        write("competitions/taxi/example/submissions/sample.csv", "key,fare\n1,0\n");
        write("competitions/taxi/example/submissions/notes.txt", "");
        write("competitions/without-example/competition.toml", "");
        write("competitions/without-grader/example/answers.csv", "");
        write("graders/taxi.wasm", "");

        let found =
            examples(&temporary.path().join("competitions"), &temporary.path().join("graders"))
                .unwrap();
        assert_eq!(found.len(), 1);
        let submissions = competition.join("example/submissions");
        assert_eq!(
            found[0].submissions,
            [submissions.join("good.csv"), submissions.join("sample.csv")]
        );

        let demo = temporary.path().join("demo");
        fs::create_dir_all(demo.join("data/stale")).unwrap();
        lay_out(&found, &demo).unwrap();
        assert!(demo.join("data/taxi/prepared/private/test.csv").is_file());
        let sample = fs::read_to_string(demo.join("data/taxi/prepared/public/sample.csv")).unwrap();
        assert_eq!(sample, "key,fare\n1,0\n", "agents can be run on it");
        assert!(demo.join("submissions/taxi/good.csv").is_file());
        assert!(!demo.join("data/stale").exists());
        assert_eq!(
            fs::read_to_string(demo.join("runs.jsonl")).unwrap(),
            "{\"competition_id\":\"taxi\",\"submission_path\":\"submissions/taxi/good.csv\"}\n\
             {\"competition_id\":\"taxi\",\"submission_path\":\"submissions/taxi/sample.csv\"}\n"
        );
    }

    #[test]
    fn a_broken_example_says_what_is_missing() {
        let temporary = tempfile::tempdir().unwrap();
        fs::create_dir_all(temporary.path().join("example")).unwrap();
        let error = read_example(temporary.path(), "x").err().unwrap();
        assert!(error.to_string().contains("answers.csv"), "{error:#}");
        assert!(data_paths("[data]\nanswers = []\n").is_err());
    }
}
