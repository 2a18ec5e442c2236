//! Building a grader with clang and wasi-libc, with bindings that wit-bindgen makes from the contract.

use std::path::{Path, PathBuf};
use std::process::Command;

use wit_bindgen_core::Files;
use wit_bindgen_core::wit_parser::Resolve;

use super::{build, component};
use crate::exit::Exit;
use crate::failure::Failure;

const INSTALL: &str = "install clang with its WebAssembly parts (Debian: clang lld wasi-libc libclang-rt-dev-wasm32), or \
                       name the clang of a wasi-sdk with PODIUM_CLANG";

/// Compiles all C files of the folder into a module.
///
/// # Errors
/// clang is missing or fails.
pub(super) fn compile(sources: &Path, scratch: &Path) -> Result<PathBuf, Failure> {
    write_bindings(scratch)?;
    let built = scratch.join("grader.wasm");
    let mut command = Command::new(build::program("PODIUM_CLANG", "clang"));
    command
        // A library: it is called, and has no main().
        .args(["--target=wasm32-wasi", "-mexec-model=reactor", "-std=c11", "-O2", "-Wall"])
        .arg("-I")
        .arg(scratch)
        .args(build::files_with_extension(sources, "c")?)
        .args(build::files_with_extension(scratch, "c")?)
        // The object file holds the types of the contract, for the component to be made of the module.
        .args(build::files_with_extension(scratch, "o")?)
        .arg("-o")
        .arg(&built);
    build::compile(&mut command, INSTALL)?;
    Ok(built)
}

/// Writes `competition.h`, `competition.c` and the object file that goes with them.
fn write_bindings(folder: &Path) -> Result<(), Failure> {
    let mut files = Files::default();
    let mut resolve = Resolve::default();
    resolve
        .push_str("grading.wit", component::CONTRACT)
        .and_then(|package| resolve.select_world(&[package], Some(component::WORLD)))
        .and_then(|world| {
            let mut generator = wit_bindgen_c::Opts::default().build();
            generator.generate(&mut resolve, world, &mut files)
        })
        .map_err(|error| {
            let message = format!("no bindings can be made from the contract: {error:#}");
            Failure::new(Exit::GraderFailed, message)
        })?;
    for (name, content) in files.iter() {
        build::write(&folder.join(name), content)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bindings_come_from_the_contract() {
        let folder = tempfile::tempdir().unwrap();
        write_bindings(folder.path()).unwrap();
        let header = std::fs::read_to_string(folder.path().join("competition.h")).unwrap();
        assert!(header.contains("exports_podium_grading_grader_grade("), "{header}");
        assert_eq!(build::files_with_extension(folder.path(), "c").unwrap().len(), 1);
        assert_eq!(build::files_with_extension(folder.path(), "o").unwrap().len(), 1);
    }
}
