//! What holds for any bytes holds for those of the corpora: seeds, and what a fuzzer once found.

use std::fs;
use std::path::Path;

use podium_fuzz::TARGETS;

#[test]
fn every_corpus_holds() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for (name, target) in TARGETS {
        let corpus = corpora.join(name);
        let mut files: Vec<_> = fs::read_dir(&corpus)
            .unwrap_or_else(|error| panic!("{}: {error}", corpus.display()))
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        assert!(!files.is_empty(), "{} has no files", corpus.display());
        for file in files {
            // The file is named where it breaks a target, since the target does not know it.
            println!("{}", file.display());
            target(&fs::read(&file).unwrap());
        }
    }
}

#[test]
fn every_target_has_a_program() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("libfuzzer/fuzz_targets");
    for (name, _) in TARGETS {
        let program = fs::read_to_string(programs.join(format!("{name}.rs"))).unwrap();
        assert!(program.contains(&format!("podium_fuzz::{name}(")), "{name}");
    }
}

/// The seeds of `components` are binary. They come from text, by this.
///
/// Ignored, since it writes into the checkout: it is run by hand when the small graders of the tests change. That the seeds
/// hold is what [`every_corpus_holds`] tests.
#[cfg(feature = "host")]
#[test]
#[ignore = "writes the seeds of the corpus `components`"]
fn components_are_written() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/components");
    fs::create_dir_all(&corpus).unwrap();
    let reading = "(call $read (local.get $submission) (i64.const 0) (i32.const 9) (i32.const 256))
        (call $warn (i32.load (i32.const 256)) (i32.load (i32.const 260)))
        (call $score (f64.convert_i64_u (call $size (local.get $submission))))";
    for (name, bytes) in [
        ("half", wat::parse_str(podium_text_graders::HALF).unwrap()),
        ("reading", podium_text_graders::component(reading)),
        ("endless", podium_text_graders::component("(loop $on (br $on)) (unreachable)")),
        (
            "failing",
            podium_text_graders::component(
                "(call $fail (i32.const 0) (i32.const 1024) (i32.const 10))",
            ),
        ),
        ("table", podium_text_graders::component_of("(table 10 funcref) (start $f) (func $f)")),
        ("module", wat::parse_str("(module)").unwrap()),
    ] {
        fs::write(corpus.join(name), bytes).unwrap();
    }
}
