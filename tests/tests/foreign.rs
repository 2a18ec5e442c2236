//! The same competition, graded by graders in three languages with WASI inside: the same scores as the built-in grader
//! gives, the same in every grading, and nothing of this machine to be seen.

use std::fs;
use std::path::PathBuf;

use podium::{
    CacheLocation, CodeGeneration, Engine, EngineSettings, Grader, GraderFailure, Grading, Input,
    Limits, Verdict,
};
use podium_tests::artifacts;
use podium_tests::examples::CompetitionExample;
use podium_tests::parity::{Case, CompetitionCases, Corpus};
use podium_tests::toolchain::Toolchain;
use podium_tests::workbench::Workbench;

const ID: &str = "spaceship-titanic";

#[test]
fn rust_with_its_standard_library_grades_like_the_built_in() {
    let Some(foreign) = Foreign::build(Toolchain::Rust) else { return };
    foreign.sees_no_machine();
    assert_eq!(foreign.measure("network"), Some(0.0));
    // It is made of the same parts, so that it says the same of whatever it gets.
    let (built_in, corpus) = (built_in(&foreign.engine), corpus());
    for case in &corpus.cases {
        let expected = grade_case(&built_in, &corpus, case);
        let found = grade_case(&foreign.grader, &corpus, case);
        assert_eq!(without_measures(&found), without_measures(&expected), "{}", case.name);
        assert_eq!(found.warnings, expected.warnings, "{}", case.name);
    }
}

#[test]
fn python_grades_like_the_built_in() {
    let Some(foreign) = Foreign::build(Toolchain::Python) else { return };
    foreign.sees_no_machine();
    assert!(foreign.measure("random").is_some_and(|random| random > 0.0));
    foreign.agrees_on_plain_cases();
    // What Python says before it gives up is what a person needs.
    let grading = foreign.grader.grade(&good(), &[], &Limits::default());
    assert!(matches!(grading.verdict, Verdict::GraderFailed(_)), "{:?}", grading.verdict);
    let log = grading.log.unwrap();
    assert!(log.contains("Traceback") && log.contains("IndexError"), "{log}");
}

#[test]
fn c_grades_like_the_built_in() {
    let Some(foreign) = Foreign::build(Toolchain::C) else { return };
    foreign.sees_no_machine();
    assert!(foreign.measure("random").is_some_and(|random| random > 0.0));
    foreign.agrees_on_plain_cases();

    // One that exits has no result, however it exits, and what it printed is kept.
    let source = foreign.workbench.path(ID).join("grader/grader.c");
    let text = fs::read_to_string(&source).unwrap();
    for (call, expected) in [("exit(3)", 1), ("exit(0)", 0)] {
        let exiting = format!("puts(\"nothing to do\"); {call};");
        assert!(text.contains("what_the_machine_tells(result);"));
        fs::write(&source, text.replace("what_the_machine_tells(result);", &exiting)).unwrap();
        run(&foreign.workbench, &["grader", "build", ID]);
        let grader = Grader::from_file(&foreign.engine, &foreign.component).unwrap();
        let grading = grader.grade(&good(), &[answers()], &Limits::default());
        // WASI 0.2 tells success from failure, and no more.
        let exited = GraderFailure::Exited { status: expected };
        assert_eq!(grading.verdict, Verdict::GraderFailed(exited), "{call}");
        assert_eq!(grading.log.as_deref(), Some("nothing to do\n"), "{call}");
    }
}

/// A grader of another language, built and loaded.
struct Foreign {
    workbench: Workbench,
    component: PathBuf,
    engine: Engine,
    grader: Grader,
}

impl Foreign {
    /// Builds the grader in `tests/foreign/<language>`; `None` where its toolchain is missing.
    fn build(toolchain: Toolchain) -> Option<Foreign> {
        if !toolchain.is_there() {
            return None;
        }
        let language = toolchain.language();
        let workbench = Workbench::new();
        run(&workbench, &["grader", "new", ID, "--language", language]);
        let folder = workbench.path(ID);
        fs::copy(
            artifacts::competitions().join(ID).join("competition.toml"),
            folder.join("competition.toml"),
        )
        .unwrap();
        let sources = artifacts::root().join("tests/foreign").join(language);
        let places: &[(&str, &str)] = match toolchain {
            Toolchain::Rust => {
                &[("lib.rs", "src/lib.rs"), ("cargo-config.toml", ".cargo/config.toml")]
            }
            Toolchain::Python => &[("grader.py", "grader.py")],
            Toolchain::C => &[("grader.c", "grader.c")],
        };
        for (from, to) in places {
            fs::copy(sources.join(from), folder.join("grader").join(to)).unwrap();
        }
        run(&workbench, &["grader", "build", ID]);
        let component = folder.join("grader.wasm");
        let engine = engine(CodeGeneration::Optimised);
        let grader = Grader::from_file(&engine, &component).unwrap();
        Some(Foreign { workbench, component, engine, grader })
    }

    /// Grades the example's good submission.
    fn grade_good(&self) -> Grading {
        self.grader.grade(&good(), &[answers()], &Limits::default())
    }

    /// The measure of that name of the example's good submission.
    fn measure(&self, name: &str) -> Option<f64> {
        let grading = self.grade_good();
        let Verdict::Scored { measures, .. } = &grading.verdict else {
            panic!("{:?}", grading.verdict)
        };
        measures.iter().find(|measure| measure.name == name).map(|measure| measure.value)
    }

    /// The clock begins at a time of its own and is put forward by sleeping, nothing else is there, and all of it is the
    /// same in every grading: again, on many threads at once, and with code that is generated otherwise.
    fn sees_no_machine(&self) {
        let inspection = self.grader.inspection();
        assert!(!inspection.sealed && !inspection.wasi.is_empty(), "{inspection:?}");
        let wall_clock = self.measure("wall clock").unwrap();
        assert!((946_684_803.0..946_684_810.0).contains(&wall_clock), "{wall_clock}");
        let slept = self.measure("slept").unwrap();
        assert!((3.0..3.1).contains(&slept), "{slept}");
        for absent in ["environment", "files"] {
            assert_eq!(self.measure(absent), Some(0.0), "{absent}");
        }
        let first = self.grade_good();
        assert!(first.log.as_ref().is_some_and(|log| log.contains("graded by")), "{:?}", first.log);
        let again = self.grade_good();
        assert_eq!(facts(&again), facts(&first), "again");
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| self.grade_good())).collect();
            for thread in threads {
                assert_eq!(facts(&thread.join().unwrap()), facts(&first), "beside others");
            }
        });
        let plain = Grader::from_file(&engine(CodeGeneration::Plain), &self.component).unwrap();
        let plain = plain.grade(&good(), &[answers()], &Limits::default());
        assert_eq!(facts(&plain), facts(&first), "without optimisation");
    }

    /// A grader of its own making reads plain CSV alike: the same bits of the score, or no score.
    fn agrees_on_plain_cases(&self) {
        let (built_in, corpus) = (built_in(&self.engine), corpus());
        let (mut scored, mut refused) = (0, 0);
        for case in corpus.cases.iter().filter(|case| is_plain(&case.submission)) {
            let name = &case.name;
            let expected = grade_case(&built_in, &corpus, case).verdict;
            let found = grade_case(&self.grader, &corpus, case).verdict;
            match (&expected, &found) {
                (Verdict::Scored { value, .. }, Verdict::Scored { value: found, .. }) => {
                    scored += 1;
                    assert_eq!(found.to_bits(), value.to_bits(), "{name}");
                }
                (Verdict::InvalidSubmission(_), Verdict::InvalidSubmission(_)) => refused += 1,
                _ => panic!("{name}: {found:?} instead of {expected:?}"),
            }
        }
        assert!(scored >= 10 && refused >= 4, "{scored} scored, {refused} refused");
    }
}

/// All of a grading that may not depend on anything but the component and the inputs.
fn facts(grading: &Grading) -> (&Verdict, &[String], Option<&str>, u64, u64) {
    let Grading { verdict, warnings, log, fuel, peak_memory_bytes, .. } = grading;
    (verdict, warnings, log.as_deref(), *fuel, *peak_memory_bytes)
}

/// The bits of the score, or why there is none.
fn without_measures(grading: &Grading) -> Result<u64, &Verdict> {
    match &grading.verdict {
        Verdict::Scored { value, .. } => Ok(value.to_bits()),
        other => Err(other),
    }
}

fn engine(code: CodeGeneration) -> Engine {
    let settings = EngineSettings { cache: CacheLocation::Off, code, ..EngineSettings::default() };
    Engine::new(settings).unwrap()
}

fn built_in(engine: &Engine) -> Grader {
    Grader::from_file(engine, artifacts::grader(ID)).unwrap()
}

fn good() -> Input {
    let example = CompetitionExample::of(ID).example;
    Input::open(&example.submissions["good"].path, u64::MAX).unwrap()
}

fn answers() -> Input {
    Input::open(CompetitionExample::of(ID).example.answers, u64::MAX).unwrap()
}

fn corpus() -> CompetitionCases {
    let corpus = Corpus::of_checkout().read(ID).unwrap();
    assert!(corpus.cases.len() > 50);
    corpus
}

fn grade_case(grader: &Grader, corpus: &CompetitionCases, case: &Case) -> Grading {
    let submission = Input::from_bytes("submission.csv", case.submission.clone());
    let answers = Input::from_bytes(corpus.answers_name.clone(), corpus.answers.clone());
    grader.grade(&submission, &[answers], &Limits::default())
}

/// Whether a submission has nothing in it that only pandas reads as it does: the two columns, ids and truth values.
fn is_plain(submission: &[u8]) -> bool {
    let text = str::from_utf8(submission).unwrap_or_default();
    let Some(rows) = text.strip_prefix("PassengerId,Transported\n") else { return false };
    rows.lines().all(|row| {
        let Some((id, label)) = row.split_once(',') else { return false };
        let is_id = id.len() == 7 && id.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
        is_id && ["True", "False"].contains(&label)
    })
}

fn run(workbench: &Workbench, arguments: &[&str]) {
    let mut command = workbench.podium(arguments.iter().copied());
    command.envs(Toolchain::environment()).env("PODIUM_CACHE", workbench.path("cache"));
    command.assert().success();
}
