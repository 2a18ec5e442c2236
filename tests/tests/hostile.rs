//! Graders that break a limit or a rule fail with a cause that names it, and nobody else notices.
//!
//! While each of them is loaded and grades, a hundred gradings of a built-in competition run in the same process and end
//! as they always do. The wall clock limit is a watchdog here: a grader that reaches it was not bounded otherwise.

use std::fs;
use std::sync::Barrier;
use std::time::Duration;

use podium::{
    CacheLocation, ComponentLimits, Engine, EngineSettings, Error, Grader, GraderProblem, Grading,
    Input, Limits, Verdict,
};
use podium_tests::hostile::{
    doubling_instances, endless_handles, files, from_file, importing, large, long_function,
    loops_in_loops, malformed, many_memories, many_segments, missing_import, other_version,
    truncated,
};
use podium_tests::{artifacts, hostile};

/// What has to become of a hostile grader.
#[derive(Clone, Copy)]
enum Expected {
    /// It is not loaded; the problem says this.
    Refused(&'static str),
    /// It is loaded, and its grading fails: the kind of the failure, and what it says.
    Fails(&'static str, &'static str),
    /// It does no harm; its score.
    Scores(f64),
}

use Expected::{Fails, Refused, Scores};

/// The files of `tests/hostile`.
const FILES: &[(&str, Expected)] = &[
    ("absurd-offsets", Scores(0.0)),
    ("buffer-outside-of-memory", Fails("broken-contract", "the grader broke the contract")),
    ("crash-after-the-result", Fails("trapped", "unreachable")),
    ("crash-while-describing", Refused("asked what it grades, it failed: the grader crashed")),
    ("crash-while-starting", Refused("asked what it grades, it failed: the grader crashed")),
    ("deep-recursion", Fails("out-of-stack", "the stack limit of 1 MiB")),
    ("description-of-a-path", Refused("`../x` is no competition id")),
    ("division-by-zero", Fails("trapped", "divide by zero")),
    ("endless-after-the-result", Fails("out-of-fuel", "the fuel limit of 500000000")),
    ("endless-calls", Fails("out-of-fuel", "the fuel limit of 500000000")),
    ("endless-description", Refused("the fuel limit of 100000000")),
    ("endless-fills", Fails("out-of-fuel", "the fuel limit of 500000000")),
    ("endless-growth-by-nothing", Fails("out-of-fuel", "the fuel limit of 500000000")),
    ("endless-reads", Fails("out-of-fuel", "the fuel limit of 500000000")),
    ("endless-start", Refused("the fuel limit of 100000000")),
    ("endless-warnings", Fails("out-of-fuel", "the fuel limit of 500000000")),
    ("handle-dropped-twice", Fails("broken-contract", "handle")),
    ("handle-forged", Fails("broken-contract", "handle")),
    ("handle-used-after-drop", Fails("broken-contract", "handle")),
    ("huge-allocation", Fails("out-of-memory", "the memory limit of 4 GiB")),
    ("infinite-loop", Fails("out-of-fuel", "the fuel limit of 500000000")),
    ("infinite-score", Scores(f64::NEG_INFINITY)),
    ("large-table-to-begin-with", Refused("the limit of 1000000 table elements")),
    ("long-message", Fails("output-too-large", "more than 64 MiB at once")),
    ("long-warning", Fails("output-too-large", "more than 64 MiB at once")),
    ("many-measures", Fails("output-too-large", "more than 64 MiB at once")),
    ("memory-bomb", Fails("out-of-memory", "the memory limit of 4 GiB")),
    ("much-memory-to-begin-with", Refused("the memory limit of 256 MiB")),
    ("nan-score", Scores(f64::NAN)),
    ("panic", Fails("panicked", "hello\\u{1b}[31m")),
    ("reading-past-the-end", Scores(0.0)),
    ("score-outside-of-memory", Fails("broken-contract", "the grader broke the contract")),
    ("table-bomb", Fails("out-of-tables", "the limit of 1000000 table elements")),
    ("text-that-is-no-text", Fails("broken-contract", "utf-8")),
    ("tiny-reads", Scores(1_000_000.0)),
];

/// Those that no file holds.
const MADE: &[(&str, fn() -> Vec<u8>, Expected)] = &[
    ("a missing import", missing_import, Refused("file.write")),
    ("requests", || importing("wasi:http/outgoing-handler"), Refused("outgoing-handler@0.2.0`")),
    (
        "a store of keys",
        || importing("wasi:keyvalue/store"),
        Refused("`wasi:keyvalue/store@0.2.0`"),
    ),
    ("threads", || importing("wasi:threads/spawn"), Refused("`wasi:threads/spawn@0.2.0`")),
    ("the host's own", || importing("secret:host/files"), Refused("`secret:host/files@0.2.0`")),
    ("another version", other_version, Refused("built for podium:grading 2.0.0")),
    ("a truncated file", truncated, Refused("damaged, cut off")),
    ("a malformed file", malformed, Refused("damaged, cut off")),
    ("200 MB", large, Refused("more than the limit of 64 MiB")),
    ("millions of instructions", long_function, Refused("more than the limit of 512 KiB")),
    ("loops in loops", loops_in_loops, Refused("units of work")),
    ("2⁴⁰ instances", doubling_instances, Refused("more instances of modules and components")),
    ("many segments of data", many_segments, Refused("segments of data of one of its modules")),
    ("many memories", many_memories, Refused("151 memories")),
    ("endless handles", endless_handles, Fails("broken-contract", "handle")),
];

fn engine() -> Engine {
    let settings = EngineSettings { cache: CacheLocation::Off, ..EngineSettings::default() };
    Engine::new(settings).unwrap()
}

/// The defaults, but for fuel that is used up in seconds.
fn limits() -> Limits {
    Limits { fuel: 500_000_000, wall_clock: Duration::from_secs(1_200), ..Limits::default() }
}

fn grade(engine: &Engine, bytes: &[u8]) -> Result<Grading, GraderProblem> {
    let grader = match Grader::from_bytes(engine, "hostile", bytes) {
        Ok(grader) => grader,
        Err(Error::Grader { problem, .. }) => return Err(problem),
        Err(error) => panic!("{error}"),
    };
    let submission = Input::from_bytes("submission.csv", "id,value\n1,0.5\n");
    let answers = [Input::from_bytes("answers.csv", "id,value\n1,1.5\n")];
    Ok(grader.grade(&submission, &answers, &limits()))
}

#[track_caller]
fn assert_expected(name: &str, became: &Result<Grading, GraderProblem>, expected: Expected) {
    match (became, expected) {
        (Err(problem), Refused(says)) => {
            let problem = problem.to_string();
            assert!(problem.contains(says), "{name}: {problem}");
            assert!(problem.len() < 4_000, "{name}: {problem}");
        }
        (Ok(Grading { verdict: Verdict::GraderFailed(failure), .. }), Fails(kind, says)) => {
            assert_eq!(failure.kind(), kind, "{name}: {failure}");
            assert!(failure.to_string().contains(says), "{name}: {failure}");
            assert_eq!(failure.is_deterministic(), kind != "out-of-stack", "{name}: {failure}");
        }
        (Ok(Grading { verdict: Verdict::Scored { value, .. }, .. }), Scores(score)) => {
            assert!(*value == score || (value.is_nan() && score.is_nan()), "{name}: {value}");
        }
        (became, _) => panic!("{name}: {became:?}"),
    }
}

/// A competition's grader, with its example, as it is graded when nothing else goes on.
struct Bystander {
    grader: Grader,
    answers: [Input; 1],
    submissions: Vec<Input>,
    usual: Vec<(Verdict, Vec<String>, u64)>,
}

impl Bystander {
    fn new(engine: &Engine) -> Bystander {
        const ID: &str = "spaceship-titanic";
        let example = artifacts::competitions().join(ID).join("example");
        let input = |path| {
            Input::from_bytes(
                "file.csv",
                fs::read(example.join(path)).expect("a file of the example"),
            )
        };
        let mut bystander = Bystander {
            grader: Grader::from_file(engine, artifacts::grader(ID)).unwrap(),
            answers: [input("answers.csv".into())],
            submissions: fs::read_dir(example.join("submissions"))
                .unwrap()
                .map(|entry| input(entry.unwrap().path()))
                .collect(),
            usual: Vec::new(),
        };
        bystander.usual =
            (0..bystander.submissions.len()).map(|number| bystander.grade(number)).collect();
        let scores =
            bystander.usual.iter().filter(|usual| matches!(usual.0, Verdict::Scored { .. }));
        assert!(scores.count() > 0, "{:?}", bystander.usual);
        bystander
    }

    fn grade(&self, number: usize) -> (Verdict, Vec<String>, u64) {
        let grading = self.grader.grade(&self.submissions[number], &self.answers, &limits());
        (grading.verdict, grading.warnings, grading.fuel)
    }

    fn grades_as_usual(&self, times: usize) {
        for time in 0..times {
            let number = time % self.submissions.len();
            assert_eq!(self.grade(number), self.usual[number]);
        }
    }
}

/// Threat 19: every limit that is documented is one.
#[test]
fn a_hostile_grader_fails_by_name_while_a_hundred_others_grade_as_usual() {
    const THREADS: usize = 4;
    const GRADINGS: usize = 100;
    let engine = engine();
    let bystander = Bystander::new(&engine);
    let read: Vec<(&str, Vec<u8>, Expected)> =
        FILES.iter().map(|(name, expected)| (*name, from_file(name), *expected)).collect();
    let made = MADE.iter().map(|(name, make, expected)| (*name, make(), *expected));
    for (name, bytes, expected) in read.into_iter().chain(made) {
        let together = Barrier::new(THREADS + 1);
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    together.wait();
                    bystander.grades_as_usual(GRADINGS / THREADS);
                });
            }
            together.wait();
            assert_expected(name, &grade(&engine, &bytes), expected);
        });
    }
    #[cfg(target_os = "linux")]
    {
        let peak = peak_memory_bytes();
        assert!(peak < 3 << 30, "{peak} bytes of memory at the most");
    }
}

/// The most memory that this process has had in use, in bytes.
#[cfg(target_os = "linux")]
fn peak_memory_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

#[test]
fn all_hostile_graders_grade_at_once() {
    let engine = engine();
    std::thread::scope(|scope| {
        for (name, expected) in FILES {
            let engine = &engine;
            scope.spawn(move || {
                assert_expected(name, &grade(engine, &from_file(name)), *expected);
            });
        }
    });
}

#[test]
fn the_table_has_every_file() {
    let names: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, files());
}

/// A file that is too large is not read to its end before it is refused.
#[test]
fn a_large_file_is_refused_unread() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.wasm");
    // Nothing could hold what this file says that it has.
    fs::File::create(&path).unwrap().set_len(1 << 42).unwrap();
    let error = Grader::from_file(&engine(), &path).unwrap_err().to_string();
    assert!(error.contains("more than the limit of 64 MiB"), "{error}");
}

/// What is refused before it is compiled is told by looking into it, too.
/// Threat 18: what would take long to compile is refused before.
#[test]
fn inspection_says_what_loading_says() {
    for bytes in [long_function(), loops_in_loops(), doubling_instances(), many_segments()] {
        let problem = match podium::inspect(&bytes) {
            Ok(inspection) => inspection.problems.first().map(ToString::to_string),
            Err(error) => Some(error.to_string()),
        };
        let loaded = grade(&engine(), &bytes).unwrap_err().to_string();
        assert_eq!(problem, Some(loaded));
    }
    // The limits are an embedder's to choose.
    let component_limits = ComponentLimits { work: 10, ..ComponentLimits::default() };
    let settings =
        EngineSettings { cache: CacheLocation::Off, component_limits, ..EngineSettings::default() };
    let problem = grade(&Engine::new(settings).unwrap(), &hostile::from_file("panic")).unwrap_err();
    assert!(problem.to_string().contains("more than the limit of 10 units of work"), "{problem}");
}
