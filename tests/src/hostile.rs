//! Graders that break a limit or a rule: those of `tests/hostile`, and those that no file could hold.

use std::fs;

use podium_text_graders::{HALF, component, component_of};

use crate::artifacts;

/// The grader of `tests/hostile/<name>.wat`.
///
/// # Panics
/// When there is none, or it is no WebAssembly.
pub fn from_file(name: &str) -> Vec<u8> {
    let path = artifacts::root().join("tests/hostile").join(format!("{name}.wat"));
    let fields = fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("could not read {}: {error}", path.display()));
    component_of(&fields)
}

/// The names of the files in `tests/hostile`, sorted.
///
/// # Panics
/// When the folder cannot be read.
pub fn files() -> Vec<String> {
    let folder = artifacts::root().join("tests/hostile");
    let entries = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("could not read {}: {error}", folder.display()));
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_suffix(".wat")?.to_owned()))
        .collect();
    names.sort();
    names
}

fn fine() -> Vec<u8> {
    component("(call $score (f64.const 1))")
}

/// A grader that imports a function which the contract's `file` does not have.
pub fn missing_import() -> Vec<u8> {
    let with_more = HALF.replacen(
        "(export \"[method]file.size\"",
        "(export \"[method]file.write\" (func (param \"self\" (borrow $file)) (result u64)))
    (export \"[method]file.size\"",
        1,
    );
    wat::parse_str(with_more).expect("a component")
}

/// A grader that also imports an interface which no host of graders offers.
pub fn importing(interface: &str) -> Vec<u8> {
    let import = format!(
        "(component\n  (import \"{interface}@0.2.0\" (instance (export \"call\" (func (result u32)))))"
    );
    wat::parse_str(HALF.replacen("(component\n", &import, 1)).expect("a component")
}

/// A grader for another major version of the contract.
///
/// # Panics
/// Never: a version is there to be replaced.
pub fn other_version() -> Vec<u8> {
    let mut bytes = fine();
    let (old, new) = (b"@1.0.0", b"@2.0.0");
    let places: Vec<usize> =
        (0..bytes.len() - old.len()).filter(|at| bytes[*at..].starts_with(old)).collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + new.len()].copy_from_slice(new);
    }
    bytes
}

/// A grader that ends in its middle.
pub fn truncated() -> Vec<u8> {
    let mut bytes = fine();
    bytes.truncate(bytes.len() / 2);
    bytes
}

/// A grader with the length of its first section changed.
pub fn malformed() -> Vec<u8> {
    let mut bytes = fine();
    bytes[9] ^= 0x55;
    bytes
}

/// A component of 200 megabytes.
pub fn large() -> Vec<u8> {
    let mut bytes = fine();
    bytes.resize(200 << 20, 0);
    bytes
}

/// A grader with a function of two million instructions.
pub fn long_function() -> Vec<u8> {
    component_of(&format!("(func {})", "(drop (i32.const 1234567))".repeat(1_000_000)))
}

/// A grader of some ten kilobytes, with loops in loops that use many locals: the compiler would take minutes.
pub fn loops_in_loops() -> Vec<u8> {
    let (depth, locals) = (2_000, 2_000);
    let uses: String = (0..locals)
        .map(|local| format!("(local.set {local} (i32.add (local.get {local}) (i32.const 1)))"))
        .collect();
    component_of(&format!(
        "(func (local {}) {} {uses} {})",
        "i32 ".repeat(locals),
        "(loop ".repeat(depth),
        "(br_if 0 (local.get 0)))".repeat(depth)
    ))
}

/// A grader of less than a megabyte, whose memory is put together of single bytes.
pub fn many_segments() -> Vec<u8> {
    let segments: String = (0..99_000)
        .map(|byte| format!("(data (i32.const {}) \"a\")", 2_000 + byte % 60_000))
        .collect();
    component_of(&segments)
}

/// A grader beside which 2⁴⁰ instances would be made.
pub fn doubling_instances() -> Vec<u8> {
    let level = |number: usize| {
        let before = number - 1;
        format!(
            "(component $c{number} (alias outer 1 $c{before} (component $before))
               (instance (instantiate $before)) (instance (instantiate $before)))"
        )
    };
    let levels: String = (1..=40).map(level).collect();
    let nested = format!(
        "(component $c0 (core module $m) (core instance (instantiate $m))) {levels}
         (instance (instantiate $c40))
         (core module $Code"
    );
    wat::parse_str(HALF.replacen("(core module $Code", &nested, 1)).expect("a component")
}

/// A grader with more memories than a host should reserve addresses for.
pub fn many_memories() -> Vec<u8> {
    let instances = "(core instance (instantiate $Memory))".repeat(150);
    let memories = format!("(core module $Memory (memory 1)) {instances} (core module $Code");
    wat::parse_str(HALF.replacen("(core module $Code", &memories, 1)).expect("a component")
}

/// A grader that makes resources of its own without end.
pub fn endless_handles() -> Vec<u8> {
    let text = HALF
        .replacen(
            "  (core module $Code",
            "  (type $own (resource (rep i32)))
  (core func $new (canon resource.new $own))
  (core module $Code
    (import \"host\" \"new\" (func $new (param i32) (result i32)))",
            1,
        )
        .replacen(
            "(export \"size\" (func $size))))",
            "(export \"size\" (func $size)) (export \"new\" (func $new))))",
            1,
        )
        .replacen(
            "(param $count i32) (result i32)\n",
            "(param $count i32) (result i32)\n (loop $on (drop (call $new (i32.const 1))) (br $on))\n",
            1,
        );
    wat::parse_str(text).expect("a component")
}
