//! The ways in which the corpus is graded.

use std::num::NonZeroUsize;
use std::thread;

use podium::CodeGeneration;

/// A way to grade.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Configuration {
    /// Its name, as arguments and the table have it.
    pub name: &'static str,
    /// What it is, for people.
    pub what: &'static str,
    pub(super) how: How,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// In the product's engine.
    Podium(InPodium),
    /// In V8, with options of Node.
    V8(&'static [&'static str]),
}

/// How the product's engine is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InPodium {
    pub(super) code: CodeGeneration,
    pub(super) threads: Threads,
    pub(super) backwards: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Threads {
    One,
    /// One for each core.
    Usual,
    /// More than there are cores.
    Many,
}

impl Threads {
    /// How many that are on this machine.
    pub(super) fn number(self) -> usize {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        match self {
            Threads::One => 1,
            Threads::Usual => cores,
            Threads::Many => (2 * cores).max(8),
        }
    }
}

const fn threads(threads: Threads, backwards: bool) -> How {
    How::Podium(InPodium { code: CodeGeneration::Optimised, threads, backwards })
}

const fn code(code: CodeGeneration) -> How {
    How::Podium(InPodium { code, threads: Threads::Usual, backwards: false })
}

const fn configuration(name: &'static str, what: &'static str, how: How) -> Configuration {
    Configuration { name, what, how }
}

impl Configuration {
    /// How the product grades; what all others are compared with.
    pub const PRODUCT: Configuration = configuration(
        "product",
        "as the product grades: optimised code for this processor, a thread a core",
        threads(Threads::Usual, false),
    );

    /// All others.
    pub const OTHERS: [Configuration; 17] = [
        configuration("product-again", "the same once more", threads(Threads::Usual, false)),
        configuration("one-thread", "one thread", threads(Threads::One, false)),
        configuration("many-threads", "more threads than cores", threads(Threads::Many, false)),
        configuration(
            "backwards",
            "more threads than cores, the corpus in the opposite order",
            threads(Threads::Many, true),
        ),
        configuration("plain", "Cranelift without optimisation", code(CodeGeneration::Plain)),
        configuration("small", "Cranelift, for speed and size", code(CodeGeneration::Small)),
        configuration(
            "baseline",
            "nothing but what every processor of the architecture has",
            code(CodeGeneration::Baseline),
        ),
        configuration(
            "without-sse41",
            "no SSE4.1 and newer vector instructions",
            code(CodeGeneration::WithoutSse41),
        ),
        configuration(
            "without-avx",
            "no AVX and newer vector instructions",
            code(CodeGeneration::WithoutAvx),
        ),
        configuration("without-avx2", "no AVX2, no AVX-512", code(CodeGeneration::WithoutAvx2)),
        configuration("without-avx512", "no AVX-512", code(CodeGeneration::WithoutAvx512)),
        configuration("without-fma", "no FMA", code(CodeGeneration::WithoutFma)),
        configuration(
            "without-bit-instructions",
            "no POPCNT, LZCNT, BMI1, BMI2",
            code(CodeGeneration::WithoutBitInstructions),
        ),
        configuration(
            "pulley",
            "wasmtime's interpreter, no machine code",
            code(CodeGeneration::Interpreted),
        ),
        configuration(
            "winch",
            "wasmtime's single-pass compiler; NaNs not canonical within a grader",
            code(CodeGeneration::SinglePass),
        ),
        configuration(
            "v8-liftoff",
            "V8's single-pass compiler alone, under Node; NaNs not canonical within a grader",
            How::V8(&["--liftoff-only"]),
        ),
        configuration(
            "v8",
            "V8's optimising compiler alone, under Node; NaNs not canonical within a grader",
            How::V8(&["--no-liftoff"]),
        ),
    ];

    /// The configuration of that name.
    pub fn named(name: &str) -> Option<Configuration> {
        Configuration::OTHERS.into_iter().find(|known| known.name == name)
    }

    /// Whether this machine's kind of processor has what the configuration is about.
    pub fn is_for_this_processor(&self) -> bool {
        let is_about_x86 = matches!(
            self.code(),
            Some(
                CodeGeneration::WithoutSse41
                    | CodeGeneration::WithoutAvx
                    | CodeGeneration::WithoutAvx2
                    | CodeGeneration::WithoutAvx512
                    | CodeGeneration::WithoutFma
                    | CodeGeneration::WithoutBitInstructions
            )
        );
        cfg!(target_arch = "x86_64") || !is_about_x86
    }

    /// Whether it needs an engine that only `tests/determinism` builds.
    pub fn needs_another_wasmtime(&self) -> bool {
        matches!(self.code(), Some(CodeGeneration::Interpreted | CodeGeneration::SinglePass))
    }

    /// Whether the engine counts fuel as the product's does. Winch takes none for the bytes that an instruction fills or
    /// copies, and V8 takes none at all.
    pub fn counts_fuel(&self) -> bool {
        self.code().is_some_and(|code| code != CodeGeneration::SinglePass)
    }

    fn code(&self) -> Option<CodeGeneration> {
        match self.how {
            How::Podium(how) => Some(how.code),
            How::V8(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_way_to_generate_code_is_tried() {
        for code in CodeGeneration::ALL {
            assert!(
                Configuration::OTHERS.iter().any(|known| known.code() == Some(code)),
                "{code:?}"
            );
        }
        let names: BTreeSet<&str> = Configuration::OTHERS.iter().map(|known| known.name).collect();
        assert_eq!(names.len(), Configuration::OTHERS.len());
        assert!(Configuration::named("product").is_none(), "it is always run");
        assert!(Threads::Many.number() > Threads::Usual.number());
    }
}
