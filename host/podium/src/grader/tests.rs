//! What graders can do to the host, and what becomes of it. The components here are hostile or broken on purpose.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::code_generation::CodeGeneration;
use crate::engine::EngineSettings;
use crate::testing::{component, component_with, encode_for, engine, grader};
use crate::verdict::Measure;

/// Limits that a hostile grader reaches at once.
fn small() -> Limits {
    Limits {
        fuel: 50_000_000,
        memory_bytes: 16 << 20,
        wall_clock: Duration::from_secs(600),
        input_bytes: 1 << 20,
        table_elements: 1_000,
        output_bytes: 1 << 20,
    }
}

fn submission() -> Input {
    Input::from_bytes("submission.csv", "id,value\n1,0.5\n")
}

fn answers() -> Vec<Input> {
    vec![Input::from_bytes("answers.csv", "id,value\n1,1.5\n")]
}

fn grade(body: &str) -> Grading {
    grader(&engine(), body).grade(&submission(), &answers(), &small())
}

fn failure(grading: Grading) -> GraderFailure {
    match grading.verdict {
        Verdict::GraderFailed(failure) => failure,
        verdict => panic!("expected a failure, got {verdict:?}"),
    }
}

fn scored(grading: Grading) -> f64 {
    match grading.verdict {
        Verdict::Scored { value, .. } => value,
        verdict => panic!("expected a score, got {verdict:?}"),
    }
}

fn problem(bytes: &[u8]) -> GraderProblem {
    match Grader::from_bytes(&engine(), "test", bytes) {
        Err(Error::Grader { grader, problem }) => {
            assert_eq!(grader, "test");
            problem
        }
        other => panic!("expected a problem, got {other:?}"),
    }
}

#[test]
fn a_grader_describes_itself_and_scores() {
    let grader = grader(&engine(), "(call $score (f64.const 0.25))");
    assert_eq!(
        *grader.description(),
        Description {
            competition: "tiny".to_owned(),
            metric: "mean".to_owned(),
            direction: Direction::LowerIsBetter,
        }
    );
    let grading = grader.grade(&submission(), &answers(), &small());
    assert_eq!(grading.verdict, Verdict::Scored { value: 0.25, measures: Vec::new() });
    assert!(grading.warnings.is_empty());
    assert!(grading.fuel > 0);
    assert_eq!(grading.peak_memory_bytes, 65_536);
}

/// Threat 19: every limit that is documented is one.
#[test]
fn each_limit_and_each_crash_is_a_failure_of_its_own_kind() {
    let grow = "(loop $more (br_if $more (i32.ne (i32.const -1) (memory.grow (i32.const 1)))))";
    let long = "(drop (memory.grow (i32.const 32)))";
    for (what, body, kind, says) in [
        ("a loop without end", "(loop $on (br $on)) (unreachable)", "out-of-fuel", "50000000"),
        (
            "reading without end",
            "(loop $on (global.set $top (i32.const 8192))
               (call $read (local.get $submission) (i64.const 0) (i32.const -1) (i32.const 256))
               (br $on)) (unreachable)",
            "out-of-fuel",
            "50000000",
        ),
        (
            "warning without end",
            "(loop $on (call $warn (i32.const 2048) (i32.const 60000)) (br $on)) (unreachable)",
            "out-of-fuel",
            "50000000",
        ),
        ("a memory bomb", &format!("{grow} (unreachable)"), "out-of-memory", "16 MiB"),
        (
            "calls without end",
            "(call $grade (local.get $submission) (local.get $answers) (local.get $count))
             (drop) (call $grade (local.get $a) (local.get $b) (local.get $c))",
            "out-of-stack",
            "1 MiB",
        ),
        ("an unreachable", "(unreachable)", "trapped", "unreachable"),
        (
            "a division by zero",
            "(i32.div_u (i32.const 1) (local.get $a))",
            "trapped",
            "divide by zero",
        ),
        ("leaving memory", "(i32.load (i32.const -4))", "trapped", "out of bounds"),
        (
            "a panic",
            "(call $panicked (i32.const 1024) (i32.const 10)) (unreachable)",
            "panicked",
            "hello\\u{1b}[31m",
        ),
        (
            "a panic while panicking",
            "(call $panicked (i32.const 1024) (i32.const 5))
             (call $panicked (i32.const 16) (i32.const 4)) (unreachable)",
            "panicked",
            "hello",
        ),
        ("a result outside of memory", "(i32.const -8)", "broken-contract", ""),
        ("a result that is not aligned", "(i32.const 65)", "broken-contract", "align"),
        (
            "a result of no known kind",
            "(i32.store8 (i32.const 64) (i32.const 2)) (i32.const 64)",
            "broken-contract",
            "",
        ),
        (
            "a failure of no known kind",
            "(call $fail (i32.const 7) (i32.const 1024) (i32.const 5))",
            "broken-contract",
            "",
        ),
        (
            "more measures than memory holds",
            "(drop (call $score (f64.const 1))) (i32.store (i32.const 84) (i32.const -1))
             (i32.const 64)",
            "broken-contract",
            "",
        ),
        (
            "a message outside of memory",
            "(call $fail (i32.const 0) (i32.const 65536) (i32.const 70000))",
            "broken-contract",
            "",
        ),
        (
            "a message that is not UTF-8",
            "(call $fail (i32.const 0) (i32.const 1040) (i32.const 4))",
            "broken-contract",
            "utf-8",
        ),
        (
            "a remark that is not UTF-8",
            "(call $warn (i32.const 1040) (i32.const 4)) (unreachable)",
            "broken-contract",
            "utf-8",
        ),
        (
            "a message without measure",
            &format!("{long} (call $fail (i32.const 0) (i32.const 0) (i32.const 1500000))"),
            "output-too-large",
            "1 MiB",
        ),
        (
            "a remark without measure",
            &format!("{long} (call $warn (i32.const 0) (i32.const 1500000)) (unreachable)"),
            "output-too-large",
            "1 MiB",
        ),
        (
            "a handle out of thin air",
            "(call $score (f64.convert_i64_u (call $size (i32.const 999))))",
            "broken-contract",
            "handle",
        ),
        (
            "a handle that was dropped",
            "(call $drop (local.get $submission))
             (call $score (f64.convert_i64_u (call $size (local.get $submission))))",
            "broken-contract",
            "handle",
        ),
        (
            "a handle dropped twice",
            "(call $drop (local.get $submission)) (call $drop (local.get $submission))
             (unreachable)",
            "broken-contract",
            "handle",
        ),
        (
            "a buffer outside of memory",
            "(global.set $top (i32.const -4096))
             (call $read (local.get $submission) (i64.const 0) (i32.const 9) (i32.const 256))
             (unreachable)",
            "out-of-memory",
            "",
        ),
    ] {
        let failure = failure(grade(body));
        assert_eq!(failure.kind(), kind, "{what}: {failure}");
        assert!(failure.to_string().contains(says), "{what}: {failure}");
        // How much stack a call takes is up to the compiler.
        assert_eq!(failure.is_deterministic(), kind != "out-of-stack", "{what}");
    }
}

#[test]
fn a_crash_says_where_it_happened() {
    let bytes = component_with(
        "(func $inner (unreachable))",
        "(i32.const 32)",
        "(call $inner) (i32.const 64)",
    );
    let grader = Grader::from_bytes(&engine(), "test", &bytes).unwrap();
    let failure = failure(grader.grade(&submission(), &answers(), &small()));
    let GraderFailure::Trapped { backtrace, .. } = failure else { panic!("{failure:?}") };
    assert_eq!(backtrace.first().map(String::as_str), Some("inner"), "{backtrace:?}");
}

#[test]
fn tables_are_limited() {
    let bytes = component_with(
        "(table $table 1 funcref)",
        "(i32.const 32)",
        "(loop $more (br_if $more
           (i32.ne (i32.const -1) (table.grow $table (ref.null func) (i32.const 100)))))
         (unreachable)",
    );
    let grader = Grader::from_bytes(&engine(), "test", &bytes).unwrap();
    let failure = failure(grader.grade(&submission(), &answers(), &small()));
    assert_eq!(failure, GraderFailure::OutOfTables { limit: 1_000 });
}

#[test]
fn a_huge_submission_that_no_memory_holds_is_at_fault_if_it_is_larger_than_the_answers() {
    let grow = "(loop $more (br_if $more (i32.ne (i32.const -1) (memory.grow (i32.const 1024)))))";
    let grader = grader(&engine(), &format!("{grow} (unreachable)"));
    let input = |size| Input::from_bytes("submission.csv", vec![b'1'; size]);
    const HUGE: usize = (16 << 20) + 1;
    // Submission and answers in bytes, memory, and what becomes of it.
    let cases = [
        (HUGE, 1000, 4 << 30, "invalid-submission"),
        (HUGE - 1, 1000, 4 << 30, "out-of-memory"),
        (HUGE, HUGE, 4 << 30, "out-of-memory"),
        (HUGE, 1000, 1 << 30, "out-of-memory"),
    ];
    for (submission, answers, memory_bytes, expected) in cases {
        let limits = Limits { memory_bytes, ..Limits::default() };
        let grading = grader.grade(&input(submission), &[input(answers)], &limits);
        match grading.verdict {
            Verdict::GraderFailed(failure) => assert_eq!(failure.kind(), expected),
            Verdict::InvalidSubmission(message) => {
                assert_eq!(expected, "invalid-submission");
                assert!(message.contains("too large to be graded"), "{message}");
            }
            verdict => panic!("expected {expected}, got {verdict:?}"),
        }
    }
}

#[test]
fn a_grader_that_copes_with_refused_memory_still_scores() {
    let grading = grade(
        "(loop $more (br_if $more (i32.ne (i32.const -1) (memory.grow (i32.const 1)))))
         (call $score (f64.convert_i32_u (memory.size)))",
    );
    assert_eq!(grading.peak_memory_bytes, 16 << 20);
    assert_eq!(scored(grading), f64::from(256));
}

/// Threat 12: nothing of one grading is there in the next.
#[test]
fn a_grader_has_fresh_memory_each_time() {
    let grader = grader(
        &engine(),
        "(i32.store (i32.const 4096) (i32.add (i32.load (i32.const 4096)) (i32.const 1)))
         (global.set $top (i32.add (global.get $top) (i32.load (i32.const 4096))))
         (call $score (f64.convert_i32_u (global.get $top)))",
    );
    let once = scored(grader.grade(&submission(), &answers(), &small()));
    for _ in 0..3 {
        assert_eq!(scored(grader.grade(&submission(), &answers(), &small())), once);
    }
}

#[test]
fn files_are_read_as_the_contract_says() {
    // The result is a thousand times the number of bytes, and the last of them.
    let engine = engine();
    let content: Vec<u8> = (0..200).collect();
    for (offset, length, expected) in [
        (0_u64, 200_u32, (200, 199)),
        (0, 1, (1, 0)),
        (0, 0, (0, 0)),
        (10, 5, (5, 14)),
        (199, 1, (1, 199)),
        (199, 2, (1, 199)),
        (200, 1, (0, 0)),
        (201, 1, (0, 0)),
        (0, u32::MAX, (200, 199)),
        (u64::MAX, u32::MAX, (0, 0)),
        (u64::from(u32::MAX) + 1, 10, (0, 0)),
    ] {
        let grader = grader(
            &engine,
            &format!(
                "(call $read (local.get $submission) (i64.const {}) (i32.const {}) (i32.const 256))
                 (if (i32.load (i32.const 260)) (then (local.set $a (i32.load8_u
                   (i32.sub (i32.add (i32.load (i32.const 256)) (i32.load (i32.const 260)))
                     (i32.const 1))))))
                 (call $score (f64.convert_i32_u (i32.add (local.get $a)
                   (i32.mul (i32.const 1000) (i32.load (i32.const 260))))))",
                offset.cast_signed(),
                length.cast_signed(),
            ),
        );
        let input = Input::from_bytes("bytes", content.clone());
        let value = scored(grader.grade(&input, &answers(), &small()));
        let (bytes, last) = expected;
        assert_eq!(value, f64::from(1_000 * bytes + last), "{offset} {length}");
    }
}

#[test]
fn a_read_serves_at_most_16_mib() {
    let grader = grader(
        &engine(),
        "(call $read (local.get $submission) (i64.const 1) (i32.const -1) (i32.const 256))
         (call $score (f64.convert_i32_u (i32.load (i32.const 260))))",
    );
    let input = Input::from_bytes("large", vec![7; (16 << 20) + 100]);
    let value = scored(grader.grade(&input, &answers(), &Limits::default()));
    assert_eq!(value, f64::from(16 << 20));
}

#[test]
fn names_and_sizes_reach_the_grader_and_answers_keep_their_order() {
    let grader = grader(
        &engine(),
        "(call $name (i32.load (i32.add (local.get $answers) (i32.const 4))) (i32.const 256))
         (call $warn (i32.load (i32.const 256)) (i32.load (i32.const 260)))
         (call $score (f64.convert_i64_u (i64.add (call $size (local.get $submission))
           (i64.mul (i64.const 1000) (call $size (i32.load (local.get $answers)))))))",
    );
    let answers = [Input::from_bytes("first", "1234567"), Input::from_bytes("zweite ü", "")];
    let grading = grader.grade(&Input::from_bytes("s", "123"), &answers, &small());
    assert_eq!(grading.warnings, ["zweite ü"]);
    assert_eq!(scored(grading), 7_003.0);
}

/// Threat 20: what a grader says steers no terminal, and is not without end.
#[test]
fn messages_are_escaped_and_remarks_counted() {
    let grading = grade(
        "(loop $more
           (call $warn (i32.const 1024) (i32.const 10))
           (br_if $more (i32.lt_u (local.tee $a (i32.add (local.get $a) (i32.const 1)))
             (i32.const 150))))
         (call $fail (i32.const 0) (i32.const 1024) (i32.const 10))",
    );
    assert_eq!(grading.verdict, Verdict::InvalidSubmission("hello\\u{1b}[31m".to_owned()));
    assert_eq!(grading.warnings, vec!["hello\\u{1b}[31m"; Limits::WARNINGS]);
    let grading = grade("(call $fail (i32.const 1) (i32.const 16) (i32.const 4))");
    assert_eq!(grading.verdict, Verdict::InvalidAnswers("tiny".to_owned()));
}

#[test]
fn long_messages_and_long_lists_of_measures_are_cut() {
    let fill = "(drop (memory.grow (i32.const 8)))
                (memory.fill (i32.const 65536) (i32.const 65) (i32.const 5000))";
    let grading = grade(&format!(
        "{fill} (call $warn (i32.const 65536) (i32.const 5000))
         (call $fail (i32.const 0) (i32.const 65536) (i32.const 2001))"
    ));
    let cut = format!("{}…", "A".repeat(2_000));
    assert_eq!(grading.verdict, Verdict::InvalidSubmission(cut.clone()));
    assert_eq!(grading.warnings, [cut]);
    // Twelve thousand measures of zeroes: names without letters, at address 0.
    let grading = grade(
        "(drop (memory.grow (i32.const 8))) (drop (call $score (f64.const 1)))
         (i32.store (i32.const 80) (i32.const 65536)) (i32.store (i32.const 84) (i32.const 12000))
         (i32.const 64)",
    );
    let Verdict::Scored { measures, .. } = grading.verdict else { panic!("{grading:?}") };
    assert_eq!(measures.len(), Limits::MEASURES);
    assert_eq!(measures[0], Measure { name: String::new(), value: 0.0 });
}

#[test]
fn scores_keep_their_bits_and_nans_are_canonical() {
    for (body, expected) in [
        ("(f64.const -0x0p+0)", (-0.0_f64).to_bits()),
        ("(f64.const -inf)", f64::NEG_INFINITY.to_bits()),
        ("(f64.const 0x1.fffffffffffffp-2)", 0x3fdf_ffff_ffff_ffff),
        // x86-64 computes a negative NaN here, AArch64 a positive one.
        ("(f64.div (f64.convert_i32_u (local.get $a)) (f64.const 0))", 0x7ff8_0000_0000_0000),
        ("(f64.add (f64.const nan:0x4000000000001) (f64.const 1))", 0x7ff8_0000_0000_0000),
    ] {
        let value = scored(grade(&format!("(call $score {body})")));
        assert_eq!(value.to_bits(), expected, "{body}");
    }
}

#[test]
fn the_wall_clock_is_a_backstop_that_blames_the_machine() {
    let limits = Limits { fuel: u64::MAX, wall_clock: Duration::from_millis(50), ..small() };
    let grader = grader(&engine(), "(loop $on (br $on)) (unreachable)");
    let failure = failure(grader.grade(&submission(), &answers(), &limits));
    assert_eq!(failure, GraderFailure::TimedOut { limit: limits.wall_clock });
    assert!(!failure.is_deterministic());
}

#[test]
fn gradings_can_be_cancelled_before_and_while_they_run() {
    let grader = grader(&engine(), "(loop $on (br $on)) (unreachable)");
    let limits = Limits { fuel: u64::MAX, ..small() };
    let cancellation = Cancellation::new();
    std::thread::scope(|scope| {
        let running = scope
            .spawn(|| grader.grade_cancellable(&submission(), &answers(), &limits, &cancellation));
        std::thread::sleep(Duration::from_millis(60));
        cancellation.cancel();
        assert_eq!(failure(running.join().unwrap()), GraderFailure::Cancelled);
    });
    let grading = grader.grade_cancellable(&submission(), &answers(), &limits, &cancellation);
    assert_eq!(grading.fuel, 0);
    assert_eq!(failure(grading), GraderFailure::Cancelled);
}

#[test]
fn one_grading_that_is_stopped_does_not_stop_others() {
    let engine = engine();
    let endless = grader(&engine, "(loop $on (br $on)) (unreachable)");
    let stopped = Limits { fuel: u64::MAX, wall_clock: Duration::from_millis(30), ..small() };
    let limited = Limits { fuel: 3_000_000_000, ..small() };
    std::thread::scope(|scope| {
        let others: Vec<_> = (0..2)
            .map(|_| scope.spawn(|| failure(endless.grade(&submission(), &answers(), &limited))))
            .collect();
        for _ in 0..5 {
            let failure = failure(endless.grade(&submission(), &answers(), &stopped));
            assert_eq!(failure.kind(), "timed-out");
        }
        for other in others {
            assert_eq!(other.join().unwrap(), GraderFailure::OutOfFuel { limit: limited.fuel });
        }
    });
}

#[test]
fn results_and_fuel_depend_on_neither_thread_nor_code_generation() {
    let body = "(loop $more
           (local.set $x (i64.mul (i64.add (local.get $x) (i64.const 3)) (i64.const 5)))
           (br_if $more (i32.lt_u (local.tee $a (i32.add (local.get $a) (i32.const 1)))
             (i32.const 1000))))
         (call $read (local.get $submission) (i64.const 0) (i32.const 9) (i32.const 256))
         (call $warn (i32.load (i32.const 256)) (i32.load (i32.const 260)))
         (call $score (f64.sqrt (f64.convert_i64_u (local.get $x))))";
    let outcome = |grader: &Grader| {
        let grading = grader.grade(&submission(), &answers(), &small());
        (grading.verdict, grading.warnings, grading.fuel, grading.peak_memory_bytes)
    };
    let loaded = |code| {
        let cache = crate::CacheLocation::Off;
        let engine = Engine::new(EngineSettings { code, cache, ..EngineSettings::default() })?;
        Grader::from_bytes(&engine, "test", &component(body))
    };
    let expected = outcome(&loaded(CodeGeneration::default()).unwrap());
    for code in CodeGeneration::ALL {
        match loaded(code) {
            Ok(grader) => assert_eq!(outcome(&grader), expected, "{code:?}"),
            // These two are not there in every program, and on other processors some others are not.
            Err(error) => assert!(
                matches!(code, CodeGeneration::Interpreted | CodeGeneration::SinglePass)
                    || !cfg!(target_arch = "x86_64"),
                "{code:?}: {error}"
            ),
        }
    }
    // A caller with next to no stack of its own is no reason to run out of it.
    let recursing = "(call $grade (local.get $submission) (local.get $answers) (local.get $count))
                     (drop) (call $grade (local.get $a) (local.get $b) (local.get $c))";
    let engine = engine();
    let deep = grader(&engine, recursing);
    let from_a_thread = std::thread::Builder::new()
        .stack_size(128 << 10)
        .spawn(move || {
            let grading = deep.grade(&submission(), &answers(), &small());
            (outcome(&grader(&engine, body)), failure(grading).kind())
        })
        .unwrap();
    assert_eq!(from_a_thread.join().unwrap(), (expected, "out-of-stack"));
}

#[test]
fn inputs_larger_than_the_limit_are_not_graded() {
    let limits = Limits { input_bytes: 20, ..small() };
    let grader = grader(&engine(), "(call $score (f64.const 1))");
    let large = Input::from_bytes("large.csv", vec![0; 21]);
    let failure = failure(grader.grade(&submission(), &[large], &limits));
    assert_eq!(
        failure,
        GraderFailure::InputTooLarge { name: "large.csv".to_owned(), size: 21, limit: 20 }
    );
}

#[test]
fn what_goes_wrong_while_loading_is_said() {
    let fine = "(call $score (f64.const 1))";
    for (what, fields, describe, says) in [
        ("a trap", "", "(unreachable)", "crashed"),
        ("no end", "", "(loop $on (br $on)) (unreachable)", "fuel limit"),
        ("an id that is a path", r#"(data (i32.const 16) "../x")"#, "(i32.const 32)", "`../x`"),
        (
            "an id of controls",
            r#"(data (i32.const 16) "a\1b[m")"#,
            "(i32.const 32)",
            "`a\\u{1b}[m`",
        ),
        (
            "a start without end",
            "(start $on) (func $on (loop (br 0)))",
            "(i32.const 32)",
            "fuel limit",
        ),
        (
            "much memory to begin with",
            r#"(memory (export "memory") 65536)"#,
            "(i32.const 32)",
            "memory limit of 256 MiB",
        ),
    ] {
        let problem = problem(&component_with(fields, describe, fine)).to_string();
        assert!(problem.contains(says), "{what}: {problem}");
    }
}

/// Threat 11: a grader has no way to anything but its bytes.
#[test]
fn what_is_not_deterministic_or_not_needed_is_refused() {
    let fine = "(call $score (f64.const 1))";
    let memory = r#"(memory (export "memory") 1)"#;
    for (says, fields) in [
        (
            "relaxed SIMD support is not enabled",
            "(func (result v128) (f32x4.relaxed_madd (v128.const i64x2 0 0) (v128.const i64x2 0 0)
               (v128.const i64x2 0 0)))"
                .to_owned(),
        ),
        (
            "threads support is not enabled",
            "(func (drop (i32.atomic.load (i32.const 0))))".to_owned(),
        ),
        ("memory64", "(table $large i64 1 funcref)".to_owned()),
        ("multiple memories", format!("{memory} (memory $other 1)")),
        ("tail calls support is not enabled", "(func $again (return_call $again))".to_owned()),
        ("exceptions", "(tag $tag)".to_owned()),
    ] {
        let problem = problem(&component_with(&fields, "(i32.const 32)", fine)).to_string();
        assert!(problem.contains(says), "{problem}");
    }
}

#[test]
fn simd_is_there() {
    let value = scored(grade(
        "(call $score (f64x2.extract_lane 1
           (f64x2.add (v128.const f64x2 1 2) (v128.const f64x2 3 4))))",
    ));
    assert_eq!(value, 6.0);
}

#[test]
fn a_component_without_grade_is_told_from_a_grader() {
    let wit = "package other:things@1.0.0; world thing { export run: func(); }";
    let bytes = encode_for(wit, "thing", r#"(module (func (export "run")))"#);
    let problem = problem(&bytes).to_string();
    assert!(problem.contains("no grader") && problem.contains("`run`"), "{problem}");
}

#[test]
fn an_interface_of_another_shape_is_no_grader() {
    let wit = "package podium:grading@1.0.0;
               interface grader { describe: func() -> string; }
               world competition { export grader; }";
    let module = r#"(module (memory (export "memory") 1)
        (func (export "podium:grading/grader@1.0.0#describe") (result i32) (i32.const 0))
        (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 0)))"#;
    let problem = problem(&encode_for(wit, "competition", module));
    assert!(matches!(problem, GraderProblem::NotCompilable(_)), "{problem:?}");
}

#[test]
fn files_that_are_no_graders_are_errors_with_their_path() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine();
    let missing = folder.path().join("missing.wasm");
    let error = Grader::from_file(&engine, &missing).unwrap_err().to_string();
    assert!(error.contains("missing.wasm") && error.contains("No such file"), "{error}");
    let error = Grader::from_file(&engine, folder.path()).unwrap_err().to_string();
    assert!(error.contains("regular file"), "{error}");
    let file = folder.path().join("grader.wasm");
    std::fs::write(&file, component("(call $score (f64.const 1))")).unwrap();
    assert_eq!(Grader::from_file(&engine, &file).unwrap().description().competition, "tiny");
    let limits = crate::ComponentLimits { bytes: 100, ..crate::ComponentLimits::default() };
    let settings = EngineSettings {
        component_limits: limits,
        cache: crate::CacheLocation::Off,
        ..EngineSettings::default()
    };
    let error = Grader::from_file(&Engine::new(settings).unwrap(), &file).unwrap_err();
    assert!(error.to_string().contains("limit of 100 bytes"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever lies where the result is read, the host survives it.
    #[test]
    fn any_result_is_taken_or_refused(bytes in proptest::collection::vec(any::<u8>(), 24)) {
        let data: String = bytes.iter().map(|byte| format!("\\{byte:02x}")).collect();
        let fields = format!("(data (i32.const 128) \"{data}\")");
        let bytes = component_with(&fields, "(i32.const 32)", "(i32.const 128)");
        let grader = Grader::from_bytes(&engine(), "test", &bytes).unwrap();
        let grading = grader.grade(&submission(), &answers(), &small());
        if let Verdict::GraderFailed(failure) = grading.verdict {
            prop_assert!(matches!(failure.kind(), "broken-contract" | "output-too-large"), "{failure}");
        }
    }
}

#[test]
fn a_component_of_many_memories_is_refused() {
    let instances: String = (0..101).map(|_| "  (core instance (instantiate $Memory))\n").collect();
    let text = include_str!("../../examples/half.wat").replacen(
        "  (core module $Code",
        &format!("  (core module $Memory (memory 1))\n{instances}  (core module $Code"),
        1,
    );
    let problem = problem(&wat::parse_str(text).unwrap()).to_string();
    assert!(problem.contains("102 memories"), "{problem}");
}

/// Resources of a component's own live in tables of the host.
#[test]
fn a_grader_cannot_fill_the_hosts_tables_with_handles() {
    let text = include_str!("../../examples/half.wat")
        .replacen(
            "  (core module $Code",
            "  (type $own (resource (rep i32)))
  (core func $new (canon resource.new $own))
  (core module $Code
    (import \"host\" \"new\" (func $new (param i32) (result i32)))",
            1,
        )
        .replacen(
            "(with \"host\" (instance (export \"size\" (func $size))))",
            "(with \"host\" (instance (export \"size\" (func $size)) (export \"new\" (func $new))))",
            1,
        )
        .replacen(
            "(param $count i32) (result i32)\n",
            "(param $count i32) (result i32)\n      (loop $on (drop (call $new (i32.const 1))) (br $on))\n",
            1,
        );
    let bytes = wat::parse_str(text).unwrap();
    let grader = Grader::from_bytes(&engine(), "test", &bytes).unwrap();
    let failure = failure(grader.grade(&submission(), &answers(), &small()));
    assert_eq!(failure.kind(), "broken-contract", "{failure}");
    assert!(failure.to_string().contains("handle"), "{failure}");
}
