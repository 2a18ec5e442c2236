//! Puts the sources of the SDK into the program, so that `podium grader new` makes crates that stand on their own.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let sdk = Path::new(&manifest).join("../../guest-sdk").canonicalize()?;
    println!("cargo::rerun-if-changed={}", sdk.join("src").display());
    let mut files = Vec::new();
    collect(&sdk.join("src"), &mut files)?;
    files.sort();
    let mut list = String::from("&[\n");
    for file in files {
        let name: Vec<_> = file
            .strip_prefix(&sdk)
            .map_err(io::Error::other)?
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        list.push_str(&format!("({:?}, include_str!({:?})),\n", name.join("/"), file));
    }
    list.push_str("]\n");
    let out = env::var_os("OUT_DIR").unwrap_or_default();
    fs::write(Path::new(&out).join("sdk_sources.rs"), list)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
