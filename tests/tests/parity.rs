//! Every grader says of every submission of the corpus what the reference said.

use podium::{Engine, EngineSettings};
use podium_tests::artifacts;
use podium_tests::parity::{Corpus, Expected, Runner};

#[test]
fn graders_agree_with_the_reference() {
    let engine = Engine::new(EngineSettings::default()).unwrap();
    let runner = Runner::new(engine, &artifacts::competitions(), &artifacts::graders());
    let corpus = Corpus::of_checkout();
    let compared = corpus.competitions().unwrap();
    let mut problems = Vec::new();
    for id in artifacts::grader_ids() {
        assert!(compared.contains(&id), "tests/parity has no cases for {id}");
        // Panics, with what to do, where the component is not built.
        artifacts::grader(&id);
        match runner.run(&corpus, &id) {
            Ok(result) => {
                assert!(result.cases > 0, "{id}: there are no cases");
                problems.extend(
                    result.differences.iter().map(|difference| format!("{id}: {difference}")),
                );
            }
            Err(error) => problems.push(format!("{id}: {error:#}")),
        }
    }
    assert!(problems.is_empty(), "{} differences:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn the_corpus_can_be_read() {
    let corpus = Corpus::of_checkout();
    let ids = corpus.competitions().unwrap();
    assert_eq!(ids.len(), 82);
    for id in ids {
        let cases = corpus.read(&id).unwrap();
        assert!(!cases.cases.is_empty() && !cases.answers.is_empty(), "{id}");
        let mut names: Vec<&str> = cases.cases.iter().map(|case| case.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), cases.cases.len(), "{id}: names of cases are not unique");
    }
}

/// Graders have been seen elsewhere that gave an empty submission all points. Every one of ours is tried with nothing, with
/// everything, and with what needs no thought.
/// Threat 10: an empty submission earns nothing.
#[test]
fn every_grader_is_tried_with_nothing_and_with_everything() {
    let corpus = Corpus::of_checkout();
    for id in corpus.competitions().unwrap() {
        let cases = corpus.read(&id).unwrap().cases;
        let expected = |name: &str| {
            let case = cases.iter().find(|case| case.name == name);
            &case.unwrap_or_else(|| panic!("{id} has no case `{name}`")).expected
        };
        for name in ["empty_file", "only_newline", "header_only"] {
            match expected(name) {
                Expected::NoScore { .. } => {}
                Expected::Score { score, .. } => assert!(score.is_nan(), "{id}, {name}: {score}"),
            }
        }
        assert!(matches!(expected("perfect"), Expected::Score { .. }), "{id}");
        for name in [
            "good",
            "random",
            "shuffled",
            "constant_predictions",
            "all_predictions_empty",
            "predictions_shuffled_between_rows",
        ] {
            expected(name);
        }
    }
}
