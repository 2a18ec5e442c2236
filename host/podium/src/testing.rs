//! Small graders for tests, written as WebAssembly text and encoded as the real ones are.

use crate::cache::CacheLocation;
use crate::engine::{Engine, EngineSettings};
use crate::grader::Grader;

const CONTRACT: &str = include_str!("../../../wit/1.0.0/grading.wit");

/// An engine without a cache.
pub(crate) fn engine() -> Engine {
    let settings = EngineSettings { cache: CacheLocation::Off, ..EngineSettings::default() };
    Engine::new(settings).unwrap()
}

/// A loaded grader whose `grade` has this body.
pub(crate) fn grader(engine: &Engine, body: &str) -> Grader {
    Grader::from_bytes(engine, "test", &component(body)).unwrap()
}

/// A grader of the competition `tiny`, lower is better, whose `grade` has this body.
///
/// The body has `$submission`, `$answers` and `$count` (handle, list of handles, its length) as parameters, locals `$a`,
/// `$b` and `$c` (i32) and `$x` (i64), the host's functions (`$name`, `$size`, `$read`, `$drop`, `$warn`, `$panicked`),
/// and leaves the address of its result. `$score` and `$fail` write one at address 64; text begins at 1024: `hello` and,
/// at 1040, bytes that are not UTF-8.
pub(crate) fn component(body: &str) -> Vec<u8> {
    component_with("", "(i32.const 32)", body)
}

/// As [`component`], with further fields of the module and another body of `describe`.
pub(crate) fn component_with(fields: &str, describe: &str, body: &str) -> Vec<u8> {
    let memory = if fields.contains("(memory") { "" } else { r#"(memory (export "memory") 1)"# };
    encode(&format!(
        r#"(module
  (import "podium:grading/files@1.0.0" "[method]file.name" (func $name (param i32 i32)))
  (import "podium:grading/files@1.0.0" "[method]file.size" (func $size (param i32) (result i64)))
  (import "podium:grading/files@1.0.0" "[method]file.read" (func $read (param i32 i64 i32 i32)))
  (import "podium:grading/files@1.0.0" "[resource-drop]file" (func $drop (param i32)))
  (import "podium:grading/diagnostics@1.0.0" "warn" (func $warn (param i32 i32)))
  (import "podium:grading/diagnostics@1.0.0" "panicked" (func $panicked (param i32 i32)))
  {memory}
  (global $top (mut i32) (i32.const 8192))
  (func (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32)
    (local $at i32)
    ;; As real allocators do, gives up when there is no memory.
    (local.set $at (i32.and (i32.add (global.get $top) (i32.const 15)) (i32.const -16)))
    (global.set $top (i32.add (local.get $at) (local.get $size)))
    (if (i32.gt_u (global.get $top) (i32.mul (memory.size) (i32.const 65536)))
      (then (if (i32.eq (i32.const -1) (memory.grow (i32.add (i32.const 1)
          (i32.shr_u (i32.sub (global.get $top) (i32.mul (memory.size) (i32.const 65536)))
            (i32.const 16)))))
        (then (unreachable)))))
    (local.get $at))
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
  (func (export "podium:grading/grader@1.0.0#describe") (result i32) {describe})
  (func $grade (export "podium:grading/grader@1.0.0#grade")
    (param $submission i32) (param $answers i32) (param $count i32) (result i32)
    (local $a i32) (local $b i32) (local $c i32) (local $x i64)
    {body})
  (@custom "podium:contract" "1.0.0")
)"#
    ))
}

/// Makes a component of the world `competition` of a core module.
fn encode(module: &str) -> Vec<u8> {
    encode_for(CONTRACT, "competition", module)
}

/// Makes a component of a world of a core module.
pub(crate) fn encode_for(wit: &str, world: &str, module: &str) -> Vec<u8> {
    let mut module = wat::parse_str(module).unwrap();
    let mut resolve = wit_parser::Resolve::default();
    let package = resolve.push_str("test.wit", wit).unwrap();
    let world = resolve.select_world(&[package], Some(world)).unwrap();
    let encoding = wit_component::StringEncoding::UTF8;
    wit_component::embed_component_metadata(&mut module, &resolve, world, encoding).unwrap();
    wit_component::ComponentEncoder::default().module(&module).unwrap().encode().unwrap()
}
