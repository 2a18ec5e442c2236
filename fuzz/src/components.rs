//! Components out of any bytes.

use std::sync::LazyLock;
use std::time::Duration;

use podium::{
    CacheLocation, CodeGeneration, Engine, EngineSettings, Grader, GraderFailure, Input, Limits,
    Verdict,
};

/// One engine for all: setting one up takes longer than most of these gradings.
static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let settings = EngineSettings {
        cache: CacheLocation::Off,
        code: CodeGeneration::Plain,
        ..EngineSettings::default()
    };
    Engine::new(settings).expect("a machine that code can be generated for")
});

/// Looks into any bytes as a component, loads what has no problems, and lets what can be loaded grade.
///
/// - What is refused is refused in words, without control characters.
/// - What has problems is not loaded.
/// - Whatever a grader is made of, it ends within its limits, twice in the same way.
pub fn components(bytes: &[u8]) {
    let inspected = podium::inspect(bytes);
    let has_no_problems = match &inspected {
        Err(error) => {
            is_fit_for_a_terminal(&error.to_string());
            false
        }
        Ok(inspection) => {
            inspection
                .problems
                .iter()
                .for_each(|problem| is_fit_for_a_terminal(&problem.to_string()));
            inspection.problems.is_empty()
        }
    };
    let grader = match Grader::from_bytes(&ENGINE, "fuzzed", bytes) {
        Ok(grader) => grader,
        Err(error) => return is_fit_for_a_terminal(&error.to_string()),
    };
    assert!(has_no_problems, "loaded in spite of {inspected:?}");

    let limits = Limits {
        fuel: 1_000_000,
        memory_bytes: 8 << 20,
        wall_clock: Duration::from_secs(60),
        ..Limits::default()
    };
    let submission = Input::from_bytes("submission.csv", "id,value\n1,0.5\n");
    let answers = [Input::from_bytes("answers.csv", "id,value\n1,1.5\n")];
    let [once, again] = [(); 2].map(|()| grader.grade(&submission, &answers, &limits));
    assert_eq!((once.fuel, once.peak_memory_bytes), (again.fuel, again.peak_memory_bytes));
    // By their texts, since a NaN does not equal itself.
    let seen = |verdict: &Verdict| format!("{verdict:?}");
    assert_eq!(seen(&once.verdict), seen(&again.verdict));
    assert_eq!(once.warnings, again.warnings);
    once.warnings.iter().for_each(|warning| is_fit_for_a_terminal(warning));
    match once.verdict {
        Verdict::GraderFailed(failure) => {
            let is_known =
                failure.is_deterministic() || matches!(failure, GraderFailure::OutOfStack { .. });
            assert!(is_known, "{failure}");
            assert!(!matches!(failure, GraderFailure::InputTooLarge { .. }), "{failure}");
            is_fit_for_a_terminal(&failure.to_string());
        }
        Verdict::InvalidSubmission(message) | Verdict::InvalidAnswers(message) => {
            is_fit_for_a_terminal(&message);
        }
        Verdict::Scored { measures, .. } => {
            measures.iter().for_each(|measure| is_fit_for_a_terminal(&measure.name));
        }
    }
}

fn is_fit_for_a_terminal(text: &str) {
    let controls = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
    assert!(!text.contains(controls), "{text:?}");
    assert!(text.len() < 100_000, "{} bytes of text", text.len());
}
