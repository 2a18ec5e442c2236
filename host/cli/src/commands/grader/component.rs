//! From a core module to a component, and the contract that it is made for.
//!
//! Relies on `wit-component` for both. A module that was linked with wasi-libc imports WASI's older form, which an adapter
//! of the Bytecode Alliance turns into the newer one.

use std::fs;
use std::path::Path;

use wasi_preview1_component_adapter_provider as adapter;
use wit_component::{ComponentEncoder, StringEncoding};
use wit_parser::Resolve;

use crate::exit::Exit;
use crate::failure::Failure;

/// The contract that graders are built for.
pub(super) const CONTRACT: &str = include_str!("../../../../../wit/1.0.0/grading.wit");

/// The world of the contract that a grader is.
pub(super) const WORLD: &str = "competition";

/// How a core module begins: the magic number, and version 1 of the layer of modules.
const CORE_MODULE: &[u8] = b"\0asm\x01\0\0\0";

/// Where a module says what types its imports and exports have, and of which world they are.
const TYPES_SECTION: &[u8] = b"component-type:";

/// Makes a component of what a compiler left at `built`; what is one already stays as it is.
///
/// # Errors
/// A file that cannot be read; a module that does not fit the contract.
pub(super) fn read(built: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = fs::read(built).map_err(|error| {
        Failure::new(Exit::Files, format!("could not read {}: {error}", built.display()))
    })?;
    if bytes.get(..8) != Some(CORE_MODULE) {
        return Ok(bytes);
    }
    encode(bytes).map_err(|error| {
        let message = format!("no component can be made of {}: {error}", built.display());
        Failure::new(Exit::GraderFailed, message)
            .hint("a grader exports what the contract's world `competition` asks for")
    })
}

fn encode(mut module: Vec<u8>) -> Result<Vec<u8>, String> {
    let in_words = |error| format!("{error:#}");
    // Rust's bindings bring the types along, those of C do not.
    if !module.windows(TYPES_SECTION.len()).any(|bytes| bytes == TYPES_SECTION) {
        let mut resolve = Resolve::default();
        let package = resolve.push_str("grading.wit", CONTRACT).map_err(in_words)?;
        let world = resolve.select_world(&[package], Some(WORLD)).map_err(in_words)?;
        let encoding = StringEncoding::UTF8;
        wit_component::embed_component_metadata(&mut module, &resolve, world, encoding)
            .map_err(in_words)?;
    }
    let (name, adapter) = (
        adapter::WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME,
        adapter::WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
    );
    let mut encoder = ComponentEncoder::default();
    encoder.validate(true).module(&module).map_err(in_words)?;
    encoder.adapter(name, adapter).map_err(in_words)?;
    encoder.encode().map_err(in_words)
}
