//! Small graders for tests, written as WebAssembly text and encoded as the real ones are.

#![forbid(unsafe_code)]

const CONTRACT: &str = include_str!("../../../wit/1.0.0/grading.wit");

/// The smallest grader there can be, as the text of a component: every submission scores one half, every empty one is
/// invalid.
pub const HALF: &str = include_str!("../../../host/podium/examples/half.wat");

/// Gives out memory from `$top` on, and takes nothing back.
const REALLOC: &str = r#"(func (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32)
    (local $at i32)
    ;; As real allocators do, gives up when there is no memory.
    (local.set $at (i32.and (i32.add (global.get $top) (i32.const 15)) (i32.const -16)))
    (global.set $top (i32.add (local.get $at) (local.get $size)))
    (if (i32.gt_u (global.get $top) (i32.mul (memory.size) (i32.const 65536)))
      (then (if (i32.eq (i32.const -1) (memory.grow (i32.add (i32.const 1)
          (i32.shr_u (i32.sub (global.get $top) (i32.mul (memory.size) (i32.const 65536)))
            (i32.const 16)))))
        (then (unreachable)))))
    (local.get $at))"#;

/// A grader of the competition `tiny`, lower is better, whose `grade` has this body.
///
/// The body has `$submission`, `$answers` and `$count` (handle, list of handles, its length) as parameters, locals `$a`,
/// `$b` and `$c` (i32) and `$x` (i64), the host's functions (`$name`, `$size`, `$read`, `$drop`, `$warn`, `$panicked`),
/// and leaves the address of its result. `$score` and `$fail` write one at address 64; text begins at 1024: `hello` and,
/// at 1040, bytes that are not UTF-8.
///
/// # Panics
/// When the body is no WebAssembly.
pub fn component(body: &str) -> Vec<u8> {
    component_with("", "(i32.const 32)", body)
}

/// As [`component`], with further fields of the module and another body of `describe`.
///
/// # Panics
/// As [`component`].
pub fn component_with(fields: &str, describe: &str, body: &str) -> Vec<u8> {
    component_of(&format!(
        r#"{fields}
  (func (export "podium:grading/grader@1.0.0#describe") (result i32) {describe})
  (func $grade (export "podium:grading/grader@1.0.0#grade")
    (param $submission i32) (param $answers i32) (param $count i32) (result i32)
    (local $a i32) (local $b i32) (local $c i32) (local $x i64)
    {body})"#
    ))
}

/// A grader of the competition `tiny` of the fields of a module.
///
/// Beside them stand what [`component`] describes, except for what they bring along themselves: a memory, `cabi_realloc`,
/// `describe`, `grade`.
///
/// # Panics
/// When the fields are no WebAssembly, or do not fit the contract.
pub fn component_of(fields: &str) -> Vec<u8> {
    encode(&module("", fields))
}

/// As [`component_of`], with more imports than the contract's: `wit` are further packages and a world `wider` that
/// includes `competition`, `imports` those of the module.
///
/// # Panics
/// As [`component_of`].
pub fn component_importing(wit: &str, imports: &str, fields: &str) -> Vec<u8> {
    encode_for(&format!("{CONTRACT}\n{wit}"), "wider", &module(imports, fields))
}

fn module(imports: &str, fields: &str) -> String {
    let unless = |there: &str, field: &'static str| if fields.contains(there) { "" } else { field };
    let memory = unless("(memory (export", r#"(memory (export "memory") 1)"#);
    let describe = unless(
        "\"podium:grading/grader@1.0.0#describe\"",
        r#"(func (export "podium:grading/grader@1.0.0#describe") (result i32) (i32.const 32))"#,
    );
    let realloc = unless("\"cabi_realloc\"", REALLOC);
    let grade = unless(
        "\"podium:grading/grader@1.0.0#grade\"",
        r#"(func (export "podium:grading/grader@1.0.0#grade") (param i32 i32 i32) (result i32)
    (call $score (f64.const 1)))"#,
    );
    format!(
        r#"(module
  (import "podium:grading/files@1.0.0" "[method]file.name" (func $name (param i32 i32)))
  (import "podium:grading/files@1.0.0" "[method]file.size" (func $size (param i32) (result i64)))
  (import "podium:grading/files@1.0.0" "[method]file.read" (func $read (param i32 i64 i32 i32)))
  (import "podium:grading/files@1.0.0" "[resource-drop]file" (func $drop (param i32)))
  (import "podium:grading/diagnostics@1.0.0" "warn" (func $warn (param i32 i32)))
  (import "podium:grading/diagnostics@1.0.0" "panicked" (func $panicked (param i32 i32)))
  {imports}
  {memory}
  (global $top (mut i32) (i32.const 8192))
  {realloc}
  ;; The description: "tiny", "mean", lower is better.
  (data (i32.const 16) "tiny")
  (data (i32.const 24) "mean")
  (data (i32.const 32) "\10\00\00\00\04\00\00\00\18\00\00\00\04\00\00\00\01")
  (data (i32.const 1024) "hello\1b[31m")
  (data (i32.const 1040) "\ff\fe\fd\fc")
  (func $score (param $value f64) (result i32)
    (i32.store8 (i32.const 64) (i32.const 0))
    (f64.store (i32.const 72) (local.get $value))
    (i32.store (i32.const 80) (i32.const 0))
    (i32.store (i32.const 84) (i32.const 0))
    (i32.const 64))
  (func $fail (param $whose i32) (param $text i32) (param $length i32) (result i32)
    (i32.store8 (i32.const 64) (i32.const 1))
    (i32.store8 (i32.const 72) (local.get $whose))
    (i32.store (i32.const 76) (local.get $text))
    (i32.store (i32.const 80) (local.get $length))
    (i32.const 64))
  {fields}
  {describe}
  {grade}
  (@custom "podium:contract" "1.0.0")
)"#
    )
}

/// Makes a component of the world `competition` of a core module.
fn encode(module: &str) -> Vec<u8> {
    encode_for(CONTRACT, "competition", module)
}

/// Makes a component of a world of a core module.
///
/// # Panics
/// When the text is no module, or does not fit the world.
pub fn encode_for(wit: &str, world: &str, module: &str) -> Vec<u8> {
    let mut module = wat::parse_str(module).unwrap();
    let mut resolve = wit_parser::Resolve::default();
    let package = resolve.push_str("test.wit", wit).unwrap();
    let world = resolve.select_world(&[package], Some(world)).unwrap();
    let encoding = wit_component::StringEncoding::UTF8;
    wit_component::embed_component_metadata(&mut module, &resolve, world, encoding).unwrap();
    wit_component::ComponentEncoder::default().module(&module).unwrap().encode().unwrap()
}
