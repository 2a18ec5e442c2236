//! Gradings come out the same in every configuration that needs no other build of the engine, and in V8; `cargo xtask
//! determinism` does the whole corpus in all of them.

use std::fs;

use podium::{CacheLocation, Limits};
use podium_tests::determinism::{
    Cases, CompetitionWork, Configuration, Held, Node, Outcome, Runner, Work,
};
use podium_tests::parity::Corpus;
use podium_tests::{artifacts, hostile};
use podium_text_graders::component;
use tempfile::TempDir;

/// The configurations that can be run in this build.
fn configurations() -> impl Iterator<Item = Configuration> {
    Configuration::OTHERS.into_iter().filter(|known| !known.needs_another_wasmtime())
}

/// Node, or nothing, said aloud, where there is none and none is required.
fn node() -> Result<Node, String> {
    let node = Node::find();
    if let Err(missing) = &node {
        let is_required =
            std::env::var("PODIUM_REQUIRE_TOOLCHAINS").is_ok_and(|value| value == "1");
        assert!(!is_required, "{missing}");
        eprintln!("SKIPPED: {missing}");
    }
    node
}

/// Runs a configuration; gives what differs.
fn differences(
    runner: &Runner,
    configuration: &Configuration,
    node: &Result<Node, String>,
) -> Vec<String> {
    let (row, differences) = runner.run(configuration, node, &|| {});
    match &row.outcome {
        Outcome::Run(counts) => {
            assert_eq!(counts.gradings, runner.work().gradings());
            if differences.is_empty() {
                assert_eq!(counts.identical, counts.gradings, "{}", row.name);
            }
        }
        Outcome::NotRun(why) => assert!(node.is_err() && row.name.starts_with("v8"), "{why}"),
        Outcome::NotForThisProcessor => assert_ne!(std::env::consts::ARCH, "x86_64"),
        Outcome::LeftOut => panic!("nothing is left out here"),
    }
    differences.iter().map(ToString::to_string).collect()
}

/// Threat 13: what only one way of compiling or one engine shows is garbage that happened to pass.
#[test]
fn a_few_cases_of_every_competition_come_out_the_same() {
    // One that switches off much stands for those that switch off less; all of them see the small graders below.
    let chosen = [
        "one-thread",
        "many-threads",
        "backwards",
        "plain",
        "small",
        "baseline",
        "without-avx",
        "v8-liftoff",
        "v8",
    ];
    let node = node();
    let corpus = Corpus::of_checkout();
    let ids = corpus.competitions().unwrap();
    let (competitions, graders) = (artifacts::competitions(), artifacts::graders());
    let work = Work::read(&corpus, &competitions, &graders, &ids, Cases::Some(3)).unwrap();
    assert_eq!(work.competitions.len(), 82);
    let cache = CacheLocation::Folder(artifacts::target().join("determinism"));
    let runner = Runner::new(work, cache, &|| {}).unwrap();
    assert!(runner.product.outcome.is_well(), "{:?}", runner.product);
    for name in chosen {
        let configuration = Configuration::named(name).unwrap();
        let differences = differences(&runner, &configuration, &node);
        assert!(differences.is_empty(), "{}", differences.join("\n"));
    }
}

/// Small graders, written to files.
struct Written {
    folder: TempDir,
    work: Vec<CompetitionWork>,
}

impl Written {
    fn new() -> Written {
        Written { folder: tempfile::tempdir().unwrap(), work: Vec::new() }
    }

    /// A grader, and the submissions that it gets.
    fn add(&mut self, name: &str, component: &[u8], submissions: &[&[u8]]) {
        let path = self.folder.path().join(format!("{name}.wasm"));
        fs::write(&path, component).unwrap();
        let case = |(number, bytes): (usize, &&[u8])| {
            (format!("{number}"), Held::new("straße.csv", bytes.to_vec()))
        };
        self.work.push(CompetitionWork {
            id: name.to_owned(),
            component: path,
            answers: vec![Held::new("answers.csv", b"id,label\n1,0\n".to_vec())],
            limits: Limits::default(),
            cases: submissions.iter().enumerate().map(case).collect(),
        });
    }

    fn runner(self) -> (TempDir, Runner) {
        let work = Work { competitions: self.work };
        (self.folder, Runner::new(work, CacheLocation::Off, &|| {}).unwrap())
    }
}

/// Says what stands in the submission: as a remark, and as what is wrong with it.
const ECHO: &str = "
    (call $read (local.get $submission) (i64.const 0) (i32.const 100000) (i32.const 256))
    (call $warn (i32.load (i32.const 256)) (i32.load (i32.const 260)))
    (call $fail (i32.const 0) (i32.load (i32.const 256)) (i32.load (i32.const 260)))";

/// Panics with what stands in the submission.
const PANICKING: &str = "
    (call $read (local.get $submission) (i64.const 0) (i32.const 100000) (i32.const 256))
    (call $panicked (i32.load (i32.const 256)) (i32.load (i32.const 260)))
    (unreachable)";

/// Blames the answers, by the name of the submission.
const NAMING: &str = "
    (call $name (local.get $submission) (i32.const 256))
    (call $fail (i32.const 1) (i32.load (i32.const 256)) (i32.load (i32.const 260)))";

/// Remarks more often than remarks are kept.
const REMARKING: &str = "
    (loop $more
      (call $warn (i32.const 1024) (i32.const 10))
      (br_if $more (i32.lt_u (local.tee $a (i32.add (local.get $a) (i32.const 1))) (i32.const 150))))
    (call $score (f64.const -0))";

/// A score with a measure whose value is a NaN with bits of its own, and one of negative zero.
const MEASURES: &str = "
    (i32.store (i32.const 2048) (i32.const 1024)) (i32.store (i32.const 2052) (i32.const 10))
    (f64.store (i32.const 2056) (f64.const -nan:0x4000000000001))
    (i32.store (i32.const 2064) (i32.const 1024)) (i32.store (i32.const 2068) (i32.const 0))
    (f64.store (i32.const 2072) (f64.const -0))
    (drop (call $score (f64.div (f64.const 1) (f64.const 3))))
    (i32.store (i32.const 80) (i32.const 2048)) (i32.store (i32.const 84) (i32.const 2))
    (i32.const 64)";

/// What a processor may have an instruction for, or may not: on the bits of the size of the submission.
const INSTRUCTIONS: &str = "
    (local.set $x (i64.mul (call $size (local.get $submission)) (i64.const 0x9e3779b97f4a7c15)))
    (call $score
      (f64.add (f64.add (f64.add
        (f64.convert_i64_u (i64.add (i64.popcnt (local.get $x))
          (i64.add (i64.clz (local.get $x)) (i64.ctz (local.get $x)))))
        (f64.add (f64.nearest (f64.mul (f64.convert_i64_s (local.get $x)) (f64.const 0x1p-50)))
          (f64.sqrt (f64.convert_i64_u (local.get $x)))))
        (f64.add
          (f64x2.extract_lane 1 (f64x2.add
            (f64x2.nearest (f64x2.mul (f64x2.convert_low_i32x4_u (i64x2.splat (local.get $x)))
              (f64x2.splat (f64.const 0x1.1p-20))))
            (f64x2.ceil (f64x2.convert_low_i32x4_s
              (i32x4.trunc_sat_f64x2_u_zero (f64x2.splat (f64.convert_i64_u (local.get $x))))))))
          (f64.promote_f32 (f32x4.extract_lane 2 (f32x4.pmin
            (f32x4.floor (f32x4.convert_i32x4_u (i64x2.splat (local.get $x))))
            (f32x4.div (f32x4.convert_i32x4_s (i64x2.splat (local.get $x)))
              (f32x4.splat (f32.const 3))))))))
        (f64.add
          (f64.convert_i32_u (i8x16.extract_lane_u 5 (i8x16.popcnt (i8x16.swizzle
            (i64x2.splat (local.get $x)) (i8x16.avgr_u (i64x2.splat (local.get $x))
              (v128.const i8x16 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15))))))
          (f64.convert_i64_s (i64x2.extract_lane 1 (i64x2.mul
            (i64x2.extmul_high_i32x4_u (i64x2.splat (local.get $x)) (i64x2.splat (i64.const 77)))
            (i16x8.q15mulr_sat_s (i64x2.splat (local.get $x)) (i64x2.splat (local.get $x)))))))))";

const TEXTS: [&str; 9] = [
    "",
    "column `Straße` is missing 数 🦀",
    "\u{feff}a byte-order mark at the begin",
    "in\u{feff}side",
    "\u{1b}[2J\r\n\tsteers\0",
    "\u{202e}reordered\u{2028}",
    "\"quotes\" \\ and {braces}",
    "\u{10ffff}\u{fffd}",
    "-0.0,nan",
];

fn written() -> Written {
    let long = "é🦀".repeat(2_000);
    let texts: Vec<&[u8]> = TEXTS.iter().map(|text| text.as_bytes()).collect();
    let with_long: Vec<&[u8]> = [&texts[..], &[long.as_bytes()]].concat();
    let mut written = Written::new();
    written.add("echo", &component(ECHO), &with_long);
    // Not UTF-8: the contract is broken, whoever finds that out.
    written.add("echo-of-no-text", &component(ECHO), &[b"\xff", b"a\xed\xa0\x80", b"\xc3"]);
    written.add("panicking", &component(PANICKING), &with_long);
    written.add("naming", &component(NAMING), &[b""]);
    written.add("remarking", &component(REMARKING), &[b""]);
    written.add("measures", &component(MEASURES), &[b""]);
    let sizes: Vec<Vec<u8>> = (0..40).map(|size| vec![b'x'; size * size]).collect();
    let sizes: Vec<&[u8]> = sizes.iter().map(Vec::as_slice).collect();
    written.add("instructions", &component(INSTRUCTIONS), &sizes);
    for name in [
        "nan-score",
        "infinite-score",
        "panic",
        "division-by-zero",
        "absurd-offsets",
        "reading-past-the-end",
        "crash-after-the-result",
    ] {
        written.add(name, &hostile::from_file(name), &[b"", b"id,label\n1,0\n"]);
    }
    written
}

#[test]
fn what_engines_could_tell_apart_comes_out_the_same() {
    let node = node();
    let (_folder, runner) = written().runner();
    assert!(runner.product.outcome.is_well(), "{:?}", runner.product);
    for configuration in configurations() {
        let differences = differences(&runner, &configuration, &node);
        assert!(differences.is_empty(), "{}", differences.join("\n"));
    }
}

/// The graders above are worth something only if they get to say something else for something else.
#[test]
fn a_grader_that_says_something_else_is_found_out() {
    let node = node();
    let (folder, runner) = written().runner();
    // One unit in the last place; another remark; another panic; a trap in place of a result.
    let others = [
        ("measures", MEASURES.replace("f64.const 3", "f64.const 0x1.8000000000001p1")),
        ("remarking", REMARKING.replace("i32.const 10)", "i32.const 9)")),
        ("panicking", PANICKING.replace("$panicked", "$warn")),
        ("naming", "(unreachable)".to_owned()),
    ];
    for (name, body) in &others {
        fs::write(folder.path().join(format!("{name}.wasm")), component(body)).unwrap();
    }
    for name in ["plain", "v8"] {
        let found = differences(&runner, &Configuration::named(name).unwrap(), &node);
        if node.is_err() && name == "v8" {
            continue;
        }
        for (grader, _) in &others {
            let of_grader = format!("{name}, {grader}, ");
            assert!(found.iter().any(|line| line.starts_with(&of_grader)), "{grader}: {found:#?}");
        }
        let named = |line: &String| others.iter().any(|(name, _)| line.contains(name));
        assert!(found.iter().all(named), "{found:#?}");
    }
}

/// How far recursion comes depends on the code that was generated, so nothing is claimed where it ends.
#[test]
fn nothing_is_claimed_where_the_stack_ends() {
    let mut written = Written::new();
    written.add("deep-recursion", &hostile::from_file("deep-recursion"), &[b""]);
    let (_folder, runner) = written.runner();
    assert!(!runner.product.outcome.is_well());
    let plain = Configuration::named("plain").unwrap();
    let found = differences(&runner, &plain, &Err(String::new()));
    assert!(found[0].contains("nothing that can be claimed"), "{found:?}");
}

#[test]
fn a_grader_that_cannot_be_run_elsewhere_is_a_difference() {
    let (folder, runner) = written().runner();
    fs::write(folder.path().join("naming.wasm"), b"no component").unwrap();
    for name in ["plain", "v8"] {
        let node = node();
        if node.is_err() && name == "v8" {
            continue;
        }
        let found = differences(&runner, &Configuration::named(name).unwrap(), &node);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(
            found[0].starts_with(&format!("{name}, naming, all cases: not graded")),
            "{found:?}"
        );
    }
    let missing = Err("there is no Node".to_owned());
    let (row, _) = runner.run(&Configuration::named("v8").unwrap(), &missing, &|| {});
    assert_eq!(row.outcome, Outcome::NotRun("there is no Node".to_owned()));
    assert!(!row.outcome.is_well());
}
