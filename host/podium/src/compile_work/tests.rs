//! Modules and components that are made to take long, and what is counted of them.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::*;
use crate::code_generation::CodeGeneration;
use crate::engine::{compile_here, wasmtime_engine};

/// Functions whose compilation costs more than their size, as fields of a module, by a number that scales them.
const FUNCTIONS: &[(&str, fn(usize) -> String)] = &[
    ("instructions one after the other", |scale| {
        let body = "(local.set 0 (i32.add (i32.mul (local.get 0) (local.get 1)) (i32.const 77)))";
        format!("(func (param i32 i32) {})", body.repeat(scale * 1_000))
    }),
    ("loops in loops, with locals in the innermost", |scale| {
        let (depth, locals) = (scale * 100, scale * 100);
        let uses: String = (0..locals)
            .map(|local| format!("(local.set {local} (i32.add (local.get {local}) (i32.const 1)))"))
            .collect();
        let locals = "i32 ".repeat(locals);
        format!(
            "(func (local {locals}) {} {uses} {})",
            "(loop ".repeat(depth),
            "(br_if 0 (local.get 0)))".repeat(depth)
        )
    }),
    ("loops in loops", |scale| {
        let depth = scale * 1_000;
        format!(
            "(func (local i32) {} {})",
            "(loop ".repeat(depth),
            "(br_if 0 (local.get 0)))".repeat(depth)
        )
    }),
    ("branches, each with a local of its own", |scale| {
        let count = scale * 100;
        let branches: String = (0..count)
            .map(|local| {
                format!("(if (local.get 0) (then (local.set {local} (i32.const {local}))))")
            })
            .collect();
        let uses: String =
            (0..count).map(|local| format!("(call $take (local.get {local}))")).collect();
        format!(
            "(func $take (param i32)) (func (local {}) {branches} {uses})",
            "i32 ".repeat(count)
        )
    }),
    ("a table of branches within loops, with locals", |scale| {
        let (targets, locals) = (scale * 1_000, scale * 10);
        let uses: String = (0..locals)
            .map(|local| format!("(local.set {local} (i32.mul (local.get {local}) (local.get 0)))"))
            .collect();
        let names: String = (0..targets).map(|target| format!("{} ", target % 2)).collect();
        format!(
            "(func (local {}) (loop (loop {uses} (br_table {names} (local.get 0)))))",
            "i32 ".repeat(locals)
        )
    }),
    ("branches out of blocks in blocks", |scale| {
        let depth = scale * 100;
        let branches: String =
            (0..depth).map(|target| format!("(br_if {target} (local.get 0))")).collect();
        format!(
            "(func (local i32 i32) {} {branches} {})",
            "(block ".repeat(depth),
            "(local.set 1 (i32.add (local.get 1) (i32.const 1))))".repeat(depth)
        )
    }),
    ("tables of branches out of blocks in blocks", |scale| {
        let depth = scale * 10;
        let names: String = (0..depth).map(|target| format!("{target} ")).collect();
        let table = format!("(block (br_table {names} (local.get 0)))");
        format!(
            "(func (local i32 i32) {} {} {})",
            "(block ".repeat(depth),
            table.repeat(scale * 10),
            "(local.set 1 (i32.add (local.get 1) (i32.const 1))))".repeat(depth)
        )
    }),
    ("values on the stack across branches", |scale| {
        let count = scale * 100;
        format!(
            "(memory 1) (func (local i32) i32.const 8 {} {} {} i32.store)",
            "(i32.load (local.get 0))".repeat(count),
            "(if (local.get 0) (then (local.set 0 (i32.load (local.get 0)))))".repeat(count),
            "i32.add ".repeat(count - 1)
        )
    }),
    ("blocks of a thousand values", |scale| {
        let values = "i32 ".repeat(1_000);
        format!(
            "(type $wide (func (param {values}) (result {values})))
             (func (local i32) {} {} {})",
            "(local.get 0)".repeat(1_000),
            "(block (type $wide) (br_if 0 (local.get 0)))".repeat(scale * 10),
            "(drop)".repeat(1_000)
        )
    }),
    ("calls with a thousand values", |scale| {
        let values = "i32 ".repeat(1_000);
        format!(
            "(type $wide (func (param {values}) (result {values})))
             (import \"m\" \"f\" (func $f (type $wide)))
             (func (local i32) {} {} {})",
            "(local.get 0)".repeat(1_000),
            "(call $f)".repeat(scale * 10),
            "(drop)".repeat(1_000)
        )
    }),
    ("values that are computed twice, far apart", |scale| {
        let count = scale * 100;
        let values: String = (0..count)
            .map(|value| format!("(i32.store (i32.const 0) (i32.mul (local.get 0) (i32.xor (local.get 0) (i32.const {value}))))"))
            .collect();
        format!(
            "(memory 1) (func (param i32) (local i32) {values} {} {values})",
            "(if (local.get 1) (then (local.set 1 (i32.load (local.get 1)))))".repeat(count)
        )
    }),
    ("calls with many values alive", |scale| {
        let count = scale * 50;
        let loads: String = (0..count)
            .map(|local| format!("(local.set {local} (i32.load (i32.const {local})))"))
            .collect();
        let calls: String = (0..count * 4)
            .map(|call| format!("(call $take (local.get {}))", call * 7 % count))
            .collect();
        format!(
            "(import \"m\" \"f\" (func $take (param i32))) (memory 1) (func (local {}) {loads} {calls})",
            "i32 ".repeat(count)
        )
    }),
    ("calls through a table", |scale| {
        format!(
            "(table 10 funcref) (type $f (func (param i32) (result i32)))
             (func (local i32) {})",
            "(local.set 0 (call_indirect (type $f) (local.get 0) (local.get 0)))"
                .repeat(scale * 100)
        )
    }),
    ("copies of memory", |scale| {
        format!(
            "(memory 1) (func (local i32) {})",
            "(memory.copy (local.get 0) (local.get 0) (local.get 0))".repeat(scale * 100)
        )
    }),
    ("functions of nothing", |scale| "(func)".repeat(scale * 100)),
    ("segments of data", |scale| {
        let segments: String =
            (0..scale * 10).map(|number| format!("(data (i32.const {number}) \"a\")")).collect();
        format!("(memory 1) {segments}")
    }),
    ("signatures of many values", |scale| {
        (0..scale * 10).fold(String::new(), |mut text, number| {
            let values = "i32 ".repeat(number % 1_000);
            let _ = write!(text, "(type (func (param {values}) (result {values} i64)))");
            text
        })
    }),
];

fn component(fields: &str) -> Vec<u8> {
    wat::parse_str(format!("(component (core module {fields}))")).unwrap()
}

const UNLIMITED: ComponentLimits = ComponentLimits {
    bytes: u64::MAX,
    functions: u64::MAX,
    function_bytes: u64::MAX,
    work: u64::MAX,
    function_work: u64::MAX,
    instances: u64::MAX,
};

/// What a function of one kind costs rises with its size, and at some size it is refused, whatever the kind.
#[test]
fn what_is_made_to_take_long_is_refused_at_some_size() {
    for (what, fields) in FUNCTIONS {
        let [small, large] = [8, 32].map(|scale| component(&fields(scale)));
        let [little, much] = [&small, &large].map(|bytes| check(bytes, &UNLIMITED).unwrap());
        assert!(much > 2 * little, "{what}: {little} and {much}");
        let limits = ComponentLimits { work: much - 1, ..UNLIMITED };
        let problem = check(&large, &limits).unwrap_err();
        assert!(matches!(problem, GraderProblem::TooMuchToCompile { .. }), "{what}: {problem}");
        check(&small, &limits).unwrap_or_else(|problem| panic!("{what}: {problem}"));
    }
    let limits = ComponentLimits::default();
    for (what, scale) in [
        ("loops in loops, with locals in the innermost", 16),
        ("loops in loops", 4),
        ("blocks of a thousand values", 1_000),
        ("values on the stack across branches", 100),
    ] {
        let (_, fields) = FUNCTIONS.iter().find(|(name, _)| *name == what).unwrap();
        let bytes = component(&fields(scale));
        assert!(bytes.len() < 300_000, "{what}: {} bytes", bytes.len());
        let problem = check(&bytes, &limits).unwrap_err();
        assert!(
            matches!(problem, GraderProblem::FunctionTooMuchToCompile { .. }),
            "{what}: {problem}"
        );
    }
}

/// A module's segments of data are bounded by their number; those that only code puts into memory cost nothing here. An
/// interpreter with its library inside has some two thousand.
#[test]
fn segments_of_data_are_counted() {
    for (count, kind, is_fine) in [
        (2_000, "(i32.const 0)", true),
        (10_000, "(i32.const 0)", true),
        (20_000, "(i32.const 0)", false),
        (90_000, "(i32.const 0)", false),
        (90_000, "", true),
    ] {
        let segments = format!("(data {kind} \"a\")").repeat(count);
        let bytes = component(&format!("(memory 1) {segments}"));
        match check(&bytes, &ComponentLimits::default()) {
            Ok(work) => assert!(is_fine && work < 16_000_000, "{count}: {work}"),
            Err(problem) => {
                assert!(!is_fine, "{count}: {problem}");
                let text = problem.to_string();
                assert!(text.contains(&format!("the {count} segments of data")), "{text}");
            }
        }
    }
}

/// A component of components, each of which instantiates the one before it twice.
fn doubling(levels: usize) -> String {
    let level = |number: usize| {
        let before = number - 1;
        format!(
            "(component $c{number} (alias outer 1 $c{before} (component $before))
               (instance (instantiate $before)) (instance (instantiate $before)))"
        )
    };
    let all: String = (1..=levels).map(level).collect();
    format!(
        "(component (component $c0 (core module $m) (core instance (instantiate $m))) {all}
           (instance (instantiate $c{levels})))"
    )
}

#[test]
fn instances_are_counted_as_often_as_they_are_made() {
    let limits = ComponentLimits { instances: 100, ..UNLIMITED };
    for (levels, is_fine) in [(0, true), (4, true), (6, false), (40, false), (90, false)] {
        let bytes = wat::parse_str(doubling(levels)).unwrap();
        match check(&bytes, &limits) {
            Ok(_) => assert!(is_fine, "{levels} levels"),
            Err(problem) => {
                assert!(!is_fine, "{levels} levels: {problem}");
                assert!(
                    matches!(problem, GraderProblem::TooManyInstances { limit: 100 }),
                    "{problem}"
                );
            }
        }
    }
    // What is counted before a limit is passed does not overflow either.
    let bytes = wat::parse_str(doubling(90)).unwrap();
    check(&bytes, &UNLIMITED).unwrap();
}

#[test]
fn components_that_are_handed_on_are_refused() {
    for text in [
        "(component (import \"c\" (component $c)) (instance (instantiate $c)))",
        "(component (component $c) (export \"c\" (component $c)))",
        "(component (component $c) (instance (export \"c\" (component $c))))",
    ] {
        let problem = check(&wat::parse_str(text).unwrap(), &UNLIMITED).unwrap_err();
        assert!(matches!(problem, GraderProblem::PassesComponents), "{text}: {problem}");
    }
    // Modules may be: they are compiled once, however often they are instantiated.
    let modules =
        "(component (component $c (import \"m\" (core module $m)) (core instance (instantiate $m)))
        (core module $m) (instance (instantiate $c (with \"m\" (core module $m)))))";
    check(&wat::parse_str(modules).unwrap(), &UNLIMITED).unwrap();
}

#[test]
fn types_are_counted_with_all_that_they_name() {
    // A type of two to the power of `levels` numbers, passed from one component to another.
    let passing = |levels: usize| {
        let types: String = (1..=levels)
            .map(|level| format!("(type $t{level} (tuple $t{0} $t{0}))", level - 1))
            .collect();
        let function = format!("(func (param \"x\" $t{levels}))");
        format!(
            "(component
               (component $Callee
                 (type $t0 u32) {types}
                 (core module $m (memory (export \"m\") 1) (func (export \"f\") (param i32))
                   (func (export \"r\") (param i32 i32 i32 i32) (result i32) i32.const 0))
                 (core instance $i (instantiate $m))
                 (func $f (param \"x\" $t{levels}) (canon lift (core func $i \"f\")
                   (memory (core memory $i \"m\")) (realloc (core func $i \"r\"))))
                 (export \"f\" (func $f)))
               (component $Caller
                 (type $t0 u32) {types}
                 (import \"f\" {function2})
                 (core module $libc (memory (export \"m\") 1))
                 (core instance $libc (instantiate $libc))
                 (core func (canon lower (func $f) (memory (core memory $libc \"m\")))))
               (instance $callee (instantiate $Callee))
               (instance (instantiate $Caller (with \"f\" (func $callee \"f\")))))",
            function2 = function.replacen("(func", "(func $f", 1)
        )
    };
    let work =
        |levels: usize| check(&wat::parse_str(passing(levels)).unwrap(), &UNLIMITED).unwrap();
    assert!(work(10) > 1_000 * 30, "{}", work(10));
    assert!(work(16) > 60 * work(10), "{} and {}", work(16), work(10));
}

/// The work of the function that takes most, by trying limits.
fn largest_function(bytes: &[u8]) -> u64 {
    let (mut fails, mut passes) = (0, 1 << 40);
    while passes - fails > 1 {
        let function_work = fails + (passes - fails) / 2;
        match check(bytes, &ComponentLimits { function_work, ..UNLIMITED }) {
            Ok(_) => passes = function_work,
            Err(_) => fails = function_work,
        }
    }
    passes
}

/// Prints, for each kind of function, how long the compiler takes for a unit of work. What is slowest says what the
/// limits come to in time.
///
/// Also prints the work of the components that `PODIUM_COMPONENTS` lists, as in `PATH`.
///
/// Ignored, since times are no test: it is run by hand when the compiler or the weights change, and lies here because it
/// needs both. That each of the same functions is refused at some size is asserted above.
#[test]
#[ignore = "takes minutes, and decides nothing: it prints what a unit of work takes on this machine"]
fn what_a_unit_of_work_takes() {
    let engine = wasmtime_engine(CodeGeneration::Optimised).unwrap();
    let listed = std::env::var_os("PODIUM_COMPONENTS").unwrap_or_default();
    for path in std::env::split_paths(&listed).filter(|path| path.is_file()) {
        let bytes = std::fs::read(&path).unwrap();
        let began = Instant::now();
        let work = check(&bytes, &UNLIMITED);
        let counted = began.elapsed();
        let largest = largest_function(&bytes);
        let code = compile_here(&engine, &bytes).map_or(0, |code| code.len());
        println!(
            "{}: {} bytes, {work:?} units counted in {counted:?}, {largest} in one function, compiled to {code} bytes \
             in {:?}",
            path.display(),
            bytes.len(),
            began.elapsed() - counted,
        );
    }
    for (what, fields) in FUNCTIONS {
        let mut scale = 1;
        loop {
            let bytes = component(&fields(scale));
            let work = check(&bytes, &UNLIMITED).unwrap();
            let began = Instant::now();
            let code = compile_here(&engine, &bytes);
            let took = began.elapsed();
            println!(
                "{what}, {scale}: {} bytes, {work} units, {took:?}, {} bytes of code: {:.2} µs a unit",
                bytes.len(),
                code.map_or(0, |code| code.len()),
                took.as_secs_f64() * 1e6 / work as f64
            );
            if took > Duration::from_secs(2) || scale >= 512 {
                break;
            }
            scale *= 2;
        }
    }
}
