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
use podium_text_graders::component_importing;

const ID: &str = "spaceship-titanic";

#[test]
fn rust_with_its_standard_library_grades_like_the_built_in() {
    let Some(foreign) = Foreign::build(Toolchain::Rust) else { return };
    foreign.sees_no_machine();
    for absent in ["network", "names"] {
        assert_eq!(foreign.measure(absent), Some(0.0), "{absent}");
    }
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

/// A part of WASI as a standard library asks for it: its standard input, its output, a name, a socket.
const PART_OF_WASI: &str = r#"
package wasi:io@0.2.6 {
  interface error { resource error; }
  interface streams {
    use error.{error};
    variant stream-error { last-operation-failed(error), closed }
    resource input-stream {
      read: func(len: u64) -> result<list<u8>, stream-error>;
      blocking-read: func(len: u64) -> result<list<u8>, stream-error>;
      skip: func(len: u64) -> result<u64, stream-error>;
      blocking-skip: func(len: u64) -> result<u64, stream-error>;
    }
    resource output-stream {
      write-zeroes: func(len: u64) -> result<_, stream-error>;
      blocking-write-zeroes-and-flush: func(len: u64) -> result<_, stream-error>;
      splice: func(src: borrow<input-stream>, len: u64) -> result<u64, stream-error>;
      blocking-splice: func(src: borrow<input-stream>, len: u64) -> result<u64, stream-error>;
    }
  }
}
package wasi:cli@0.2.6 {
  interface stdin { use wasi:io/streams@0.2.6.{input-stream}; get-stdin: func() -> input-stream; }
  interface stdout { use wasi:io/streams@0.2.6.{output-stream}; get-stdout: func() -> output-stream; }
}
package wasi:sockets@0.2.6 {
  interface network {
    resource network;
    enum error-code { unknown, access-denied, not-supported }
    enum ip-address-family { ipv4, ipv6 }
  }
  interface instance-network { use network.{network}; instance-network: func() -> network; }
  interface ip-name-lookup {
    use network.{network, error-code};
    resource resolve-address-stream;
    resolve-addresses: func(network: borrow<network>, name: string)
      -> result<resolve-address-stream, error-code>;
  }
  interface tcp { resource tcp-socket; }
  interface tcp-create-socket {
    use network.{error-code, ip-address-family};
    use tcp.{tcp-socket};
    create-tcp-socket: func(address-family: ip-address-family) -> result<tcp-socket, error-code>;
  }
}
world wider {
  include competition;
  import wasi:io/streams@0.2.6;
  import wasi:cli/stdin@0.2.6;
  import wasi:cli/stdout@0.2.6;
  import wasi:sockets/instance-network@0.2.6;
  import wasi:sockets/ip-name-lookup@0.2.6;
  import wasi:sockets/tcp-create-socket@0.2.6;
}
"#;

/// The functions of that part as a module imports them.
const IMPORTS: &str = r#"
  (import "wasi:cli/stdin@0.2.6" "get-stdin" (func $in (result i32)))
  (import "wasi:cli/stdout@0.2.6" "get-stdout" (func $out (result i32)))
  (import "wasi:sockets/instance-network@0.2.6" "instance-network" (func $network (result i32)))
  (import "wasi:sockets/ip-name-lookup@0.2.6" "resolve-addresses"
    (func $resolve (param i32 i32 i32 i32)))
  (import "wasi:sockets/tcp-create-socket@0.2.6" "create-tcp-socket" (func $socket (param i32 i32)))
  (import "wasi:io/streams@0.2.6" "[method]input-stream.read" (func $read-in (param i32 i64 i32)))
  (import "wasi:io/streams@0.2.6" "[method]input-stream.blocking-read"
    (func $blocking-read-in (param i32 i64 i32)))
  (import "wasi:io/streams@0.2.6" "[method]input-stream.skip" (func $skip (param i32 i64 i32)))
  (import "wasi:io/streams@0.2.6" "[method]input-stream.blocking-skip"
    (func $blocking-skip (param i32 i64 i32)))
  (import "wasi:io/streams@0.2.6" "[method]output-stream.write-zeroes"
    (func $zeroes (param i32 i64 i32)))
  (import "wasi:io/streams@0.2.6" "[method]output-stream.blocking-write-zeroes-and-flush"
    (func $blocking-zeroes (param i32 i64 i32)))
  (import "wasi:io/streams@0.2.6" "[method]output-stream.splice"
    (func $splice (param i32 i32 i64 i32)))
  (import "wasi:io/streams@0.2.6" "[method]output-stream.blocking-splice"
    (func $blocking-splice (param i32 i32 i64 i32)))
"#;

/// Whatever lends a handle to a function that has nothing behind it gets the answer that the contract's page promises, as
/// often as it asks.
#[test]
fn what_is_not_there_answers_as_documented() {
    // The call, where its result says of what kind its error is, and the first bytes of both. An error is 1.
    let cases = [
        ("(call $read-in (call $in) (i64.const 9) (i32.const 512))", 516, 1, 1),
        ("(call $blocking-read-in (call $in) (i64.const 9) (i32.const 512))", 516, 1, 1),
        ("(call $skip (call $in) (i64.const 9) (i32.const 512))", 520, 1, 1),
        ("(call $blocking-skip (call $in) (i64.const 9) (i32.const 512))", 520, 1, 1),
        ("(call $splice (call $out) (call $in) (i64.const 9) (i32.const 512))", 520, 1, 1),
        ("(call $blocking-splice (call $out) (call $in) (i64.const 9) (i32.const 512))", 520, 1, 1),
        ("(call $zeroes (call $out) (i64.const 2) (i32.const 512))", 516, 0, 0),
        ("(call $blocking-zeroes (call $out) (i64.const 2) (i32.const 512))", 516, 0, 0),
        (
            "(call $resolve (call $network) (i32.const 1024) (i32.const 5) (i32.const 512))",
            516,
            1,
            1,
        ),
        ("(call $socket (i32.const 1) (i32.const 512))", 516, 1, 1),
    ];
    let engine = engine(CodeGeneration::Optimised);
    for (call, place, is_error, kind) in cases {
        let grading = grade_calling(&engine, call, place);
        let expected = f64::from(is_error * 10 + kind);
        let scored = Verdict::Scored { value: expected, measures: Vec::new() };
        assert_eq!(grading.verdict, scored, "{call}");
        let zeroes = (is_error == 0).then(|| "\\u{0}".repeat(2 * CALLS));
        assert_eq!(grading.log, zeroes, "{call}");
    }
    let many = "(call $zeroes (call $out) (i64.const 65537) (i32.const 512))";
    let grading = grade_calling(&engine, many, 516);
    let Verdict::GraderFailed(failure) = grading.verdict else { panic!("{:?}", grading.verdict) };
    assert!(failure.to_string().contains("65537 zero bytes at once"), "{failure}");
}

/// How often a call is made in a grading.
const CALLS: usize = 100;

/// Grades with a grader that makes a call a hundred times; the score is made of what is at 512 and at `place` after the last.
fn grade_calling(engine: &Engine, call: &str, place: i32) -> Grading {
    let fields = format!(
        r#"(func (export "podium:grading/grader@1.0.0#grade") (param i32 i32 i32) (result i32)
    (local $left i32)
    (local.set $left (i32.const {CALLS}))
    (loop $again
      (i64.store (i32.const 512) (i64.const 0x0909090909090909))
      {call}
      (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (call $score (f64.convert_i32_u (i32.add
      (i32.mul (i32.const 10) (i32.load8_u (i32.const 512)))
      (select (i32.load8_u (i32.const {place})) (i32.const 0) (i32.load8_u (i32.const 512)))))))"#
    );
    let bytes = component_importing(PART_OF_WASI, IMPORTS, &fields);
    let grader = Grader::from_bytes(engine, "trial", &bytes).unwrap();
    grader.grade(&good(), &[answers()], &Limits::default())
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
        for absent in ["environment", "files", "standard input"] {
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
