//! Every grader says of every submission of the corpus what the reference said.

use podium::{Engine, EngineSettings};
use podium_tests::artifacts;
use podium_tests::parity::{Corpus, Runner};

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
