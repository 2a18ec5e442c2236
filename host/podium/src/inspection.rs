//! Looking into a component without compiling it: what it is, what it was built for, what it wants.
//!
//! Everything that would stop a component from being a grader of this host is found here, before the bytes reach the
//! compiler, so that the answer is in the words of the contract and not in those of the engine. Relies on wasmparser for
//! the binary format.

use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use serde::{Serialize, Serializer};
use wasmparser::{Encoding, Parser, Payload, WasmFeatures};

use crate::compile_work;
use crate::contract::{
    CONTRACT_VERSION, ContractVersion, GRADER_INTERFACE, PACKAGE, VERSION_SECTION,
};
use crate::digest::Digest;
use crate::error::Error;
use crate::file_kind::FileKind;
use crate::message;
use crate::regular_file;
use crate::sandbox::virtual_wasi;
use crate::verdict::{Bytes, GraderFailure};

/// The WebAssembly features that a grader may use: those of WebAssembly 2.0, and constant expressions of 3.0. Each of
/// them is deterministic; relaxed SIMD and threads are not and stay out for good.
pub(crate) const FEATURES: WasmFeatures = WasmFeatures::MUTABLE_GLOBAL
    .union(WasmFeatures::SATURATING_FLOAT_TO_INT)
    .union(WasmFeatures::SIGN_EXTENSION)
    .union(WasmFeatures::REFERENCE_TYPES)
    .union(WasmFeatures::MULTI_VALUE)
    .union(WasmFeatures::BULK_MEMORY)
    .union(WasmFeatures::SIMD)
    .union(WasmFeatures::FLOATS)
    .union(WasmFeatures::EXTENDED_CONST)
    .union(WasmFeatures::COMPONENT_MODEL);

/// What a component may be made of before it is compiled: compiling takes time and memory in proportion, or worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComponentLimits {
    /// Bytes of the component.
    pub bytes: u64,
    /// Functions, in all its modules together.
    pub functions: u64,
    /// Bytes of the largest function body.
    pub function_bytes: u64,
    /// Units of work for the compiler, all in all; one is about what a plain instruction takes.
    pub work: u64,
    /// Units of work for the compiler in one function.
    pub function_work: u64,
    /// Instances of modules and components, those of nested components counted as often as they are instantiated.
    pub instances: u64,
}

impl Default for ComponentLimits {
    /// 64 MiB, 200,000 functions, 512 KiB a function: enough for an interpreter with its library inside.
    fn default() -> ComponentLimits {
        ComponentLimits {
            bytes: 64 << 20,
            functions: 200_000,
            function_bytes: 512 << 10,
            work: 200_000_000,
            function_work: 16_000_000,
            instances: 10_000,
        }
    }
}

/// Why something is not a grader that this host runs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraderProblem {
    /// The file could not be read.
    #[error("cannot be read: {0}")]
    Unreadable(#[source] io::Error),
    /// There are no bytes.
    #[error("the file is empty; build or download it again")]
    Empty,
    /// The bytes are something else.
    #[error(
        "this is not WebAssembly{}; a grader is a WebAssembly component (.wasm)",
        .0.as_ref().map(|kind| format!(" but {kind}")).unwrap_or_default()
    )]
    NotWasm(Option<String>),
    /// A module where a component was expected.
    #[error(
        "this is a core WebAssembly module, not a component; make a component of it with `cargo xtask graders` or \
         `wasm-tools component new`"
    )]
    CoreModule,
    /// The bytes end early, or are not a component that can be run.
    #[error(
        "this component is damaged, cut off, or uses what is not supported: {0}; build or download it again"
    )]
    Malformed(String),
    /// Larger than a limit for components.
    #[error("{} is more than the limit of {} for components", Bytes(*.size), Bytes(*.limit))]
    TooLarge {
        /// The size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// More functions than the limit for components.
    #[error("{count} functions are more than the limit of {limit} for components")]
    TooManyFunctions {
        /// The number of functions.
        count: u64,
        /// The limit.
        limit: u64,
    },
    /// A function larger than the limit for components.
    #[error(
        "a function of {} is more than the limit of {} for components; split it, or compile with less inlining",
        Bytes(*.size), Bytes(*.limit)
    )]
    FunctionTooLarge {
        /// The size of its body in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// More work for the compiler than the limit for components.
    #[error(
        "compiling it would take more than the limit of {limit} units of work for components; leave out what the grader \
         does not need"
    )]
    TooMuchToCompile {
        /// The limit.
        limit: u64,
    },
    /// A function that is more work for the compiler than the limit for components.
    #[error(
        "compiling one of its functions would take more than the limit of {limit} units of work for components (its \
         branches, times the values that are alive there); split it, or compile with less inlining"
    )]
    FunctionTooMuchToCompile {
        /// The limit.
        limit: u64,
    },
    /// More segments of data than the limit for the work of a function comes to.
    #[error(
        "putting the {count} segments of data of one of its modules into memory would take more than the limit of {limit} \
         units of work for components; link neighbouring data into larger segments"
    )]
    TooManySegments {
        /// The number of segments.
        count: u64,
        /// The limit.
        limit: u64,
    },
    /// More instances than the limit for components.
    #[error("more instances of modules and components than the limit of {limit}")]
    TooManyInstances {
        /// The limit.
        limit: u64,
    },
    /// A component that imports, exports or hands on components.
    #[error(
        "it hands components to components, which cannot be told before it is done how many instances that makes; \
         compose it with tools that nest components and connect their functions"
    )]
    PassesComponents,
    /// Built for a version of the contract that this host does not speak.
    #[error(
        "built for {PACKAGE} {found}; this Podium speaks {major}.x up to {CONTRACT_VERSION}: get a Podium that speaks \
         it, or build the grader again with this Podium's SDK",
        major = CONTRACT_VERSION.major
    )]
    OtherVersion {
        /// The version that it was built for.
        found: ContractVersion,
    },
    /// The version stamp is not a version.
    #[error(
        "the section `{VERSION_SECTION}` holds `{found}`, not a version; build the grader again"
    )]
    UnreadableVersion {
        /// What it holds.
        found: String,
    },
    /// A component of another kind.
    #[error(
        "this is a component, but no grader: it does not export `{GRADER_INTERFACE}`{}; build it for the world \
         `competition` of {PACKAGE}",
        described(.exports)
    )]
    NotAGrader {
        /// What it exports instead.
        exports: Vec<String>,
    },
    /// Names interfaces of the contract without saying of which version.
    #[error(
        "it names {} without a version, so that nothing tells which contract it was built for; build it for the world \
         `competition` of {PACKAGE}@{CONTRACT_VERSION}",
        listed(.names)
    )]
    WithoutVersion {
        /// What it imports or exports without a version.
        names: Vec<String>,
    },
    /// Wants more than the files it is handed and a virtual machine.
    #[error(
        "it imports {}, which no grader gets: a grader gets the files that it is handed, so only {PACKAGE} may be \
         imported, and WASI 0.2 (clocks, random, cli, io, filesystem, sockets), behind which there is nothing{}",
        listed(.imports), advice(.imports)
    )]
    ForeignImports {
        /// The imports that are neither the contract's nor of the virtual WASI.
        imports: Vec<String>,
    },
    /// The engine does not take it.
    #[error("cannot be compiled: {0}")]
    NotCompilable(String),
    /// Compiling it was given up.
    #[error(
        "cannot be compiled within {} seconds; if the grader can be trusted, try again while less is running, else it \
         may have been made to take long",
        limit.as_secs_f64()
    )]
    CompilationTimedOut {
        /// The limit.
        limit: Duration,
    },
    /// `describe` failed when the grader was loaded.
    #[error("asked what it grades, it failed: {}", in_describe(.0))]
    NotDescribing(#[source] GraderFailure),
    /// `describe` answered with what cannot be the id of a competition.
    #[error(
        "what it says that it grades is no competition: {why}; correct the id in its description"
    )]
    InvalidCompetition {
        /// What is wrong with the id that it gave, cut and escaped.
        why: String,
    },
}

/// What is known of a component without compiling or running it.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Inspection {
    /// The size in bytes.
    pub size: u64,
    /// The digest of the bytes: the component's name in receipts.
    pub sha256: Digest,
    /// The version of the contract that it was built for: the highest of its stamps and of the contract's interfaces
    /// that it imports or exports. `None` if nothing names one.
    pub contract: Option<ContractVersion>,
    /// What it imports, in its own order.
    pub imports: Vec<String>,
    /// What it exports, in its own order.
    pub exports: Vec<String>,
    /// Whether it imports nothing but the contract's interfaces. A grader that is not sealed is *foreign*: it runs with
    /// the virtual WASI if that has all that it imports besides.
    pub sealed: bool,
    /// What it imports of the virtual WASI, in its own order.
    pub wasi: Vec<String>,
    /// The number of functions in all its modules.
    pub functions: u64,
    /// The size in bytes of the largest function body.
    pub largest_function: u64,
    /// Why this host would not run it; empty if it would try. Serialised as messages.
    #[serde(serialize_with = "as_messages")]
    pub problems: Vec<GraderProblem>,
}

/// Reads the file of a component, but never more of it than a component may be large.
///
/// # Errors
/// [`GraderProblem::Unreadable`] where there is no regular file that can be read; [`GraderProblem::TooLarge`].
pub fn read_component(path: &Path, limits: &ComponentLimits) -> Result<Vec<u8>, GraderProblem> {
    // Before it is read: where the size is told, nothing of a file that is too large has to be.
    let file = regular_file::open(path).map_err(GraderProblem::Unreadable)?;
    let size = file.metadata().map_err(GraderProblem::Unreadable)?.len();
    check_size(size, limits)?;
    let mut bytes = Vec::new();
    file.take(limits.bytes.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(GraderProblem::Unreadable)?;
    Ok(bytes)
}

/// Looks into a component, without compiling it and under the default limits for components.
///
/// What stands in the way of running it is in [`Inspection::problems`], so that all of it can be shown.
///
/// # Errors
/// [`Error::Grader`] if the bytes are not a component at all: empty, something else, a core module, cut off.
pub fn inspect(bytes: &[u8]) -> Result<Inspection, Error> {
    let inspected = scan(bytes, &ComponentLimits::default()).map(|mut inspection| {
        if inspection.problems.is_empty()
            && let Err(problem) = compile_work::check(bytes, &ComponentLimits::default())
        {
            inspection.problems.push(problem);
        }
        inspection
    });
    inspected.map_err(|problem| Error::Grader { grader: "given as bytes".to_owned(), problem })
}

/// As [`inspect`], without validating the code: that is the compiler's, when it comes to it.
pub(crate) fn scan(bytes: &[u8], limits: &ComponentLimits) -> Result<Inspection, GraderProblem> {
    check_size(bytes.len() as u64, limits)?;
    check_kind(bytes)?;
    let mut found = Found::default();
    // The component itself is at depth 0, what is nested in it deeper.
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(|error| malformed(&error))? {
            Payload::Version { encoding: Encoding::Module, .. } if depth == 0 => {
                return Err(GraderProblem::CoreModule);
            }
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if depth == 0 => {
                for import in section {
                    let import = import.map_err(|error| malformed(&error))?;
                    found.imports.push(message::fit(import.name.name, NAME_CHARACTERS));
                }
            }
            Payload::ComponentExportSection(section) if depth == 0 => {
                for export in section {
                    let export = export.map_err(|error| malformed(&error))?;
                    found.exports.push(message::fit(export.name.name, NAME_CHARACTERS));
                }
            }
            Payload::CodeSectionEntry(body) => {
                found.functions += 1;
                found.largest_function = found.largest_function.max(body.range().len() as u64);
            }
            Payload::CustomSection(section) if section.name() == VERSION_SECTION => {
                found.stamps.push(section.data().to_vec());
            }
            _ => {}
        }
    }
    Ok(found.judge(bytes, limits))
}

/// The characters of an import's or export's name that are kept.
const NAME_CHARACTERS: usize = 200;

/// Refuses a component by its size alone, before it is read.
pub(crate) fn check_size(size: u64, limits: &ComponentLimits) -> Result<(), GraderProblem> {
    let limit = limits.bytes;
    if size > limit { Err(GraderProblem::TooLarge { size, limit }) } else { Ok(()) }
}

fn check_kind(bytes: &[u8]) -> Result<(), GraderProblem> {
    if bytes.is_empty() {
        return Err(GraderProblem::Empty);
    }
    if bytes.starts_with(b"\0asm") {
        return Ok(());
    }
    let kind = match FileKind::of(bytes) {
        Some(kind) => Some(format!("{} ({})", kind.name, kind.advice)),
        None if bytes.starts_with(b"(") => {
            Some("WebAssembly text (turn it into binary first, with `wasm-tools parse`)".to_owned())
        }
        None => None,
    };
    Err(GraderProblem::NotWasm(kind))
}

/// What a walk through the bytes gathers.
#[derive(Default)]
struct Found {
    imports: Vec<String>,
    exports: Vec<String>,
    functions: u64,
    largest_function: u64,
    stamps: Vec<Vec<u8>>,
}

impl Found {
    fn judge(self, bytes: &[u8], limits: &ComponentLimits) -> Inspection {
        let mut problems = Vec::new();
        let mut versions = Vec::new();
        for stamp in &self.stamps {
            // Linkers join the sections of one name; an SDK stamps once, so this is one stamp a module.
            match std::str::from_utf8(stamp).ok().and_then(|text| text.parse().ok()) {
                Some(version) => versions.push(version),
                None => problems.push(GraderProblem::UnreadableVersion {
                    found: message::fit(&String::from_utf8_lossy(stamp), NAME_CHARACTERS),
                }),
            }
        }
        let names = || self.imports.iter().chain(&self.exports);
        versions.extend(names().filter_map(|name| version_of_contract(name)));
        let contract = versions.iter().copied().max();
        if let Some(found) = versions.into_iter().find(|version| !version.is_spoken()) {
            problems.push(GraderProblem::OtherVersion { found });
        } else if !self.exports.iter().any(|export| interface_of(export) == GRADER_INTERFACE) {
            problems.push(GraderProblem::NotAGrader { exports: self.exports.clone() });
        }
        let has_no_version = |name: &&String| is_contracts(name) && !name.contains('@');
        let unversioned: Vec<String> = names().filter(has_no_version).cloned().collect();
        if !unversioned.is_empty() {
            problems.push(GraderProblem::WithoutVersion { names: unversioned });
        }
        let foreign = self.imports.iter().filter(|import| !is_contracts(import)).cloned();
        let (wasi, unknown): (Vec<String>, Vec<String>) =
            foreign.partition(|import| virtual_wasi::provides(import));
        let sealed = wasi.is_empty() && unknown.is_empty();
        if !unknown.is_empty() {
            problems.push(GraderProblem::ForeignImports { imports: unknown });
        }
        let limit = limits.functions;
        if self.functions > limit {
            problems.push(GraderProblem::TooManyFunctions { count: self.functions, limit });
        }
        let limit = limits.function_bytes;
        if self.largest_function > limit {
            problems.push(GraderProblem::FunctionTooLarge { size: self.largest_function, limit });
        }
        Inspection {
            size: bytes.len() as u64,
            sha256: Digest::of(bytes),
            contract,
            imports: self.imports,
            exports: self.exports,
            sealed,
            wasi,
            functions: self.functions,
            largest_function: self.largest_function,
            problems,
        }
    }
}

/// `podium:grading/grader` of `podium:grading/grader@1.0.0`.
fn interface_of(name: &str) -> &str {
    name.split_once('@').map_or(name, |(interface, _)| interface)
}

/// Whether a name is that of an interface of the contract, whatever its version.
fn is_contracts(name: &str) -> bool {
    interface_of(name).strip_prefix(PACKAGE).is_some_and(|rest| rest.starts_with('/'))
}

fn version_of_contract(name: &str) -> Option<ContractVersion> {
    let (_, version) = name.split_once('@').filter(|_| is_contracts(name))?;
    version.parse().ok()
}

pub(crate) fn malformed(error: &wasmparser::BinaryReaderError) -> GraderProblem {
    GraderProblem::Malformed(message::fit(&error.to_string(), 500))
}

fn as_messages<S: Serializer>(
    problems: &[GraderProblem],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(problems.iter().map(ToString::to_string))
}

/// How `describe` failed. It has limits of its own, which nobody can raise and no input is to blame for.
fn in_describe(failure: &GraderFailure) -> String {
    let limit = match failure {
        GraderFailure::OutOfFuel { limit } => format!("the fuel limit of {limit}"),
        GraderFailure::OutOfMemory { limit } => format!("the memory limit of {}", Bytes(*limit)),
        failure => return failure.to_string(),
    };
    format!(
        "{limit} was reached, which is all that starting and describing itself may take; this is a bug of the grader, \
         report it to whoever made it"
    )
}

/// `a`, `b` and 3 more.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn described(exports: &[String]) -> String {
    if exports.is_empty() {
        ", nor anything else".to_owned()
    } else {
        format!(", but {}", listed(exports))
    }
}

/// What to do about imports that are a known platform's.
fn advice(imports: &[String]) -> &'static str {
    if imports.iter().any(|import| import.starts_with("wasi:") || import.contains("wasi_")) {
        ". Build for WASI 0.2 without what it names, or for wasm32-unknown-unknown"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{component, component_with, encode_for};

    const FINE: &str = "(call $score (f64.const 1))";

    fn refused(bytes: &[u8]) -> GraderProblem {
        match inspect(bytes) {
            Err(Error::Grader { problem, .. }) => problem,
            other => panic!("expected an error, got {other:?}"),
        }
    }

    fn problems(bytes: &[u8]) -> Vec<String> {
        inspect(bytes).unwrap().problems.iter().map(ToString::to_string).collect()
    }

    /// The same component with other text in it. Text has to keep its length.
    fn replace(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
        assert_eq!(old.len(), new.len());
        let mut bytes = bytes.to_vec();
        let mut replaced = 0;
        for start in 0..bytes.len() - old.len() {
            if &bytes[start..start + old.len()] == old.as_bytes() {
                bytes[start..start + old.len()].copy_from_slice(new.as_bytes());
                replaced += 1;
            }
        }
        assert!(replaced > 0, "{old} is not in it");
        bytes
    }

    #[test]
    fn a_sealed_grader_has_no_problems() {
        let bytes = component(FINE);
        let inspection = inspect(&bytes).unwrap();
        assert!(inspection.problems.is_empty(), "{:?}", inspection.problems);
        assert!(inspection.sealed);
        assert_eq!(inspection.contract, Some(CONTRACT_VERSION));
        assert_eq!(inspection.size, bytes.len() as u64);
        assert_eq!(inspection.sha256, Digest::of(&bytes));
        assert_eq!(
            inspection.imports,
            ["podium:grading/files@1.0.0", "podium:grading/diagnostics@1.0.0"]
        );
        assert_eq!(inspection.exports, ["podium:grading/grader@1.0.0"]);
        assert!(inspection.functions >= 4 && inspection.largest_function > 0);
        let json = serde_json::to_value(&inspection).unwrap();
        assert_eq!(json["contract"], "1.0.0");
        assert_eq!(json["problems"], serde_json::json!([]));
    }

    #[test]
    fn other_files_are_told_by_their_beginning() {
        for (bytes, says) in [
            (&b""[..], "empty"),
            (b"\x1f\x8b\x08\0", "gzip"),
            (b"\x28\xb5\x2f\xfd", "zstandard"),
            (b"PK\x03\x04", "zip"),
            (b"\x7fELF\x02", "native program"),
            (b"(component)", "WebAssembly text"),
            (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
            (b"<!DOCTYPE html>", "web page"),
            (b"id,value\n1,2\n", "not WebAssembly"),
            (b"\0as", "not WebAssembly"),
            (b"\0asm", "cut off"),
            (b"\0asm\x01\0\0\0", "core WebAssembly module"),
            (b"\0asm\x63\0\x01\0", "cut off"),
        ] {
            let problem = refused(bytes).to_string();
            assert!(problem.contains(says), "{bytes:?}: {problem}");
        }
    }

    #[test]
    fn a_cut_off_component_is_refused_wherever_it_ends() {
        let bytes = component(FINE);
        for end in (0..bytes.len()).step_by(7).chain([bytes.len() - 1]) {
            match inspect(&bytes[..end]) {
                Err(_) => {}
                Ok(inspection) => assert!(!inspection.problems.is_empty(), "cut at {end}"),
            }
        }
    }

    #[test]
    fn other_versions_of_the_contract_are_named() {
        let bytes = component(FINE);
        for (bytes, says) in [
            (
                replace(&bytes, "@1.0.0", "@2.0.0"),
                "built for podium:grading 2.0.0; this Podium speaks 1.x up to 1.0.0",
            ),
            (
                replace(&bytes, "podium:contract1.0.0", "podium:contract1.3.0"),
                "built for podium:grading 1.3.0",
            ),
            (
                replace(&bytes, "podium:contract1.0.0", "podium:contractx\x1b[1m"),
                "holds `x\\u{1b}[1m`, not a version",
            ),
        ] {
            let problems = problems(&bytes).join("; ");
            assert!(problems.contains(says), "{problems}");
        }
        let later = replace(&bytes, "@1.0.0", "@1.0.9");
        let inspection = inspect(&later).unwrap();
        assert!(inspection.problems.is_empty(), "{:?}", inspection.problems);
        assert_eq!(inspection.contract.unwrap().to_string(), "1.0.9");
    }

    #[test]
    fn a_contract_without_a_version_is_told_in_words() {
        let text = podium_text_graders::HALF.replace("@1.0.0", "");
        let problems = problems(&wat::parse_str(text).unwrap()).join("; ");
        for part in ["`podium:grading/files`, `podium:grading/grader` without a version", "@1.0.0"]
        {
            assert!(problems.contains(part), "{problems}");
        }
    }

    #[test]
    fn the_limits_of_describe_are_nothing_to_raise() {
        for (failure, says) in [
            (GraderFailure::OutOfFuel { limit: 100 }, "the fuel limit of 100 was reached, which"),
            (GraderFailure::OutOfMemory { limit: 1 << 20 }, "the memory limit of 1 MiB was"),
        ] {
            let problem = GraderProblem::NotDescribing(failure).to_string();
            assert!(problem.contains(says) && !problem.contains("raise"), "{problem}");
        }
    }

    #[test]
    fn other_worlds_and_unknown_imports_are_named() {
        let wit = "package wasi:clocks@0.3.0;
                   interface system { now: func() -> u32; }
                   interface timezone { offset: func(); }
                   world thing { import system; import timezone; export run: func(); }";
        let module = r#"(module
            (import "wasi:clocks/system@0.3.0" "now" (func (result i32)))
            (import "wasi:clocks/timezone@0.3.0" "offset" (func))
            (func (export "run")))"#;
        let bytes = encode_for(wit, "thing", module);
        let inspection = inspect(&bytes).unwrap();
        assert!(!inspection.sealed);
        assert_eq!(inspection.contract, None);
        assert!(inspection.wasi.is_empty());
        let problems = problems(&bytes);
        let [world, imports] = &problems[..] else { panic!("{problems:?}") };
        assert!(world.contains("no grader") && world.contains("`run`"), "{world}");
        assert!(
            imports.contains("`wasi:clocks/system@0.3.0`, `wasi:clocks/timezone@0.3.0`")
                && imports.contains("wasm32-unknown-unknown"),
            "{imports}"
        );
    }

    #[test]
    fn a_grader_that_imports_the_virtual_wasi_is_foreign_and_no_problem() {
        let wit = "package wasi:clocks@0.2.9;
                   interface wall-clock { resolution: func() -> u32; }
                   world thing { import wall-clock; export run: func(); }";
        let module = r#"(module
            (import "wasi:clocks/wall-clock@0.2.9" "resolution" (func (result i32)))
            (func (export "run")))"#;
        let inspection = inspect(&encode_for(wit, "thing", module)).unwrap();
        assert!(!inspection.sealed);
        assert_eq!(inspection.wasi, ["wasi:clocks/wall-clock@0.2.9"]);
        let problems: Vec<String> = inspection.problems.iter().map(ToString::to_string).collect();
        assert!(problems.len() == 1 && problems[0].contains("no grader"), "{problems:?}");
    }

    #[test]
    fn what_takes_long_to_compile_is_refused_before_it_is() {
        let bytes = component(FINE);
        let fine = ComponentLimits::default();
        let says = |limits| match scan(&bytes, &limits) {
            Err(problem) => problem.to_string(),
            Ok(inspection) => inspection.problems[0].to_string(),
        };
        let large = says(ComponentLimits { bytes: 10, ..fine });
        assert!(large.contains("more than the limit of 10 bytes"), "{large}");
        let many = says(ComponentLimits { functions: 2, ..fine });
        assert!(many.contains("functions are more than the limit of 2"), "{many}");
        let long = says(ComponentLimits { function_bytes: 5, ..fine });
        assert!(long.contains("more than the limit of 5 bytes"), "{long}");
        // Modules are counted however deep they lie, and a real bomb is caught by the default limits.
        let body = "(drop (i32.const 1234567))".repeat(200_000);
        let bomb = component_with(&format!("(func {body})"), "(i32.const 32)", FINE);
        let problems = problems(&bomb).join("; ");
        assert!(problems.contains("more than the limit of 512 KiB"), "{problems}");
    }

    proptest! {
        #[test]
        fn no_bytes_upset_it(bytes in proptest::collection::vec(any::<u8>(), 0..200), magic: bool) {
            let head: &[u8] = if magic { b"\0asm\x0d\0\x01\0" } else { b"" };
            let _ = inspect(&[head, &bytes].concat());
        }

        #[test]
        fn no_damage_upsets_it(damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
            let mut bytes = component(FINE);
            for (index, byte) in damage {
                let index = index.index(bytes.len());
                bytes[index] = byte;
            }
            let _ = inspect(&bytes);
        }
    }
}
