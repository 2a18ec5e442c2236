//! The ways in which code can be made of a grader.
//!
//! One of them is used to grade. The others exist so that it can be shown that results do not depend on it: on the
//! optimiser, on what the processor offers, on there being machine code at all. Which of them there are on a machine is
//! for wasmtime to say when an engine is made.

// Cranelift's settings of a processor have no other way in.
#![allow(unsafe_code)]

use serde::{Deserialize, Serialize};
use wasmtime::{Config, OptLevel, Strategy};

/// How much the compiler does, and for which processor. Nothing of it shows in a result, fuel included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CodeGeneration {
    /// Compiles longer, runs faster. Uses all that this processor offers.
    #[default]
    Optimised,
    /// Compiles without optimisation.
    Plain,
    /// As [`Optimised`](CodeGeneration::Optimised), and makes the code small besides.
    Small,
    /// As [`Optimised`](CodeGeneration::Optimised), with those instructions alone that every processor of this
    /// architecture has: on x86-64 nothing that is newer than SSE2.
    Baseline,
    /// As [`Optimised`](CodeGeneration::Optimised), without SSE4.1 and all vector instructions that are newer (x86-64).
    WithoutSse41,
    /// As [`Optimised`](CodeGeneration::Optimised), without AVX and all vector instructions that are newer (x86-64).
    WithoutAvx,
    /// As [`Optimised`](CodeGeneration::Optimised), without AVX2 and AVX-512 (x86-64).
    WithoutAvx2,
    /// As [`Optimised`](CodeGeneration::Optimised), without AVX-512 (x86-64).
    WithoutAvx512,
    /// As [`Optimised`](CodeGeneration::Optimised), without fused multiplication and addition (x86-64).
    WithoutFma,
    /// As [`Optimised`](CodeGeneration::Optimised), without the instructions that count and move single bits (x86-64).
    WithoutBitInstructions,
    /// Makes no machine code: wasmtime's interpreter, Pulley. Slow. An engine for it is there in programs alone that
    /// switch on the feature `pulley` of wasmtime.
    Interpreted,
    /// wasmtime's other compiler, Winch, which goes over the code once. It makes NaNs as the processor does and not
    /// canonical ones, so nothing is promised of a grader that looks at the bits of a NaN. An engine for it is there in
    /// programs alone that switch on the feature `winch` of wasmtime.
    SinglePass,
}

/// What x86-64 processors may have, by Cranelift's names, oldest first.
mod x86 {
    pub(super) const BEFORE_SSE41: &[&str] = &["has_sse3", "has_ssse3", "has_cmpxchg16b"];
    pub(super) const SSE4: &[&str] = &["has_sse41", "has_sse42"];
    pub(super) const BITS: &[&str] = &["has_popcnt", "has_lzcnt", "has_bmi1", "has_bmi2"];
    pub(super) const AVX: &[&str] = &["has_avx"];
    pub(super) const FMA: &[&str] = &["has_fma"];
    pub(super) const AVX2: &[&str] = &["has_avx2", "has_avx_vnni"];
    pub(super) const AVX512: &[&str] = &[
        "has_avx512f",
        "has_avx512dq",
        "has_avx512vl",
        "has_avx512vbmi",
        "has_avx512bitalg",
        "has_avx512vnni",
    ];
}

/// All that Cranelift may use of this architecture's processors beside what each of them has.
const OPTIONAL: &[&[&str]] = if cfg!(target_arch = "x86_64") {
    &[x86::BEFORE_SSE41, x86::SSE4, x86::BITS, x86::AVX, x86::FMA, x86::AVX2, x86::AVX512]
} else if cfg!(target_arch = "aarch64") {
    &[&["has_lse", "has_pauth", "has_fp16", "has_dotprod", "has_i8mm"]]
} else {
    &[]
};

/// The target of the interpreter that fits this machine.
const INTERPRETER: &str = if cfg!(target_endian = "little") { "pulley64" } else { "pulley64be" };

impl CodeGeneration {
    /// All ways, the one that is used to grade first. New ones are added at the end.
    pub const ALL: [CodeGeneration; 12] = [
        CodeGeneration::Optimised,
        CodeGeneration::Plain,
        CodeGeneration::Small,
        CodeGeneration::Baseline,
        CodeGeneration::WithoutSse41,
        CodeGeneration::WithoutAvx,
        CodeGeneration::WithoutAvx2,
        CodeGeneration::WithoutAvx512,
        CodeGeneration::WithoutFma,
        CodeGeneration::WithoutBitInstructions,
        CodeGeneration::Interpreted,
        CodeGeneration::SinglePass,
    ];

    /// The number of this way between two processes of one version.
    pub(crate) fn number(self) -> u8 {
        // There are a dozen; each is listed.
        Self::ALL.iter().position(|code| *code == self).unwrap_or_default() as u8
    }

    /// The way with that number.
    pub(crate) fn numbered(number: u8) -> Option<CodeGeneration> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// Sets up compiler and target.
    pub(crate) fn configure(self, config: &mut Config) -> wasmtime::Result<()> {
        config
            .strategy(match self {
                CodeGeneration::SinglePass => Strategy::Winch,
                _ => Strategy::Cranelift,
            })
            .cranelift_opt_level(match self {
                CodeGeneration::Plain => OptLevel::None,
                CodeGeneration::Small => OptLevel::SpeedAndSize,
                _ => OptLevel::Speed,
            });
        if self == CodeGeneration::Interpreted {
            config.target(INTERPRETER)?;
        }
        for feature in self.done_without().iter().copied().flatten() {
            // SAFETY: settings of Cranelift are unsafe because wrong ones make code that this machine cannot run. These
            // are features of the processor, and are only ever switched off: what is left, it has.
            unsafe { config.cranelift_flag_set(feature, "false") };
        }
        Ok(())
    }

    /// The features of the processor that are not used.
    fn done_without(self) -> &'static [&'static [&'static str]] {
        match self {
            CodeGeneration::Baseline => OPTIONAL,
            CodeGeneration::WithoutSse41 => {
                &[x86::SSE4, x86::AVX, x86::FMA, x86::AVX2, x86::AVX512]
            }
            CodeGeneration::WithoutAvx => &[x86::AVX, x86::FMA, x86::AVX2, x86::AVX512],
            CodeGeneration::WithoutAvx2 => &[x86::AVX2, x86::AVX512],
            CodeGeneration::WithoutAvx512 => &[x86::AVX512],
            CodeGeneration::WithoutFma => &[x86::FMA],
            CodeGeneration::WithoutBitInstructions => &[x86::BITS],
            CodeGeneration::Optimised
            | CodeGeneration::Plain
            | CodeGeneration::Small
            | CodeGeneration::Interpreted
            | CodeGeneration::SinglePass => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_has_a_number_and_a_name_of_its_own() {
        let mut names = std::collections::BTreeSet::new();
        for (number, code) in (0_u8..).zip(CodeGeneration::ALL) {
            assert_eq!(code.number(), number);
            assert_eq!(CodeGeneration::numbered(number), Some(code));
            let name = serde_json::to_string(&code).unwrap();
            assert_eq!(serde_json::from_str::<CodeGeneration>(&name).unwrap(), code);
            assert!(names.insert(name), "{code:?}");
        }
        assert_eq!(CodeGeneration::numbered(CodeGeneration::ALL.len() as u8), None);
        // Receipts say these.
        assert!(names.contains("\"optimised\"") && names.contains("\"without-sse41\""));
    }
}
