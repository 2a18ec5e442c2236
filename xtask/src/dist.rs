//! `cargo xtask dist`: a folder and an archive that work on a machine without Rust.
//!
//! The program finds `competitions/` and `graders/` beside itself, so the folder can lie anywhere. The archive's bytes
//! depend on the files' contents alone: entries are sorted, times and owners are fixed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::{graders, lock, runner, workspace};

/// What `cargo xtask dist` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What the program is built for, as rustc names it, instead of this machine
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
}

/// Files of the checkout's top folder that come along.
const DOCUMENTS: &[&str] = &["README.md", "LICENSE-APACHE", "LICENSE-MIT", lock::NAME];

/// Builds everything and packs it.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    graders::run(&graders::Arguments::all_locked())?;
    let program = build_program(arguments.target.as_deref())?;
    let triple = match &arguments.target {
        Some(triple) => triple.clone(),
        None => graders::rustc_version("host")?,
    };
    let name = format!("podium-{}-{triple}", env!("CARGO_PKG_VERSION"));
    let dist = workspace::target().join("dist");
    let folder = dist.join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("could not remove {}", folder.display()))?;
    }

    let root = workspace::root();
    copy(&program, &folder.join(file_name(&program)))?;
    for document in DOCUMENTS {
        copy(&root.join(document), &folder.join(document))?;
    }
    copy_folder(&root.join("competitions"), &folder.join("competitions"))?;
    for grader in graders::grader_crates()? {
        let component = format!("{}.wasm", grader.id);
        copy(
            &workspace::built_graders().join(&component),
            &folder.join("graders").join(&component),
        )?;
    }

    copy_folder(&root.join("agents"), &folder.join("agents"))?;
    if cfg!(target_os = "linux") {
        runner::run()?;
        for program in runner::PROGRAMS {
            copy(&runner::folder().join(program), &folder.join("runner").join(program))?;
        }
    }

    let archive = dist.join(format!("{name}.tar.gz"));
    pack(&folder, &name, &archive)?;
    check(&folder.join(file_name(&program)), arguments.target.is_some())?;
    eprintln!("{}\n{}", folder.display(), archive.display());
    Ok(())
}

fn build_program(target: Option<&str>) -> Result<PathBuf> {
    let mut command = workspace::cargo();
    command.args(["build", "--release", "--locked", "--bin", "podium"]);
    let mut folder = workspace::target();
    if let Some(target) = target {
        command.args(["--target", target]);
        folder.push(target);
    }
    workspace::run(&mut command)?;
    let suffix = match target {
        Some(target) if target.contains("windows") => ".exe",
        Some(_) => "",
        None => std::env::consts::EXE_SUFFIX,
    };
    Ok(folder.join("release").join(format!("podium{suffix}")))
}

/// Starts the packed program far from the checkout, so that only what is beside it can be found.
fn check(program: &Path, foreign: bool) -> Result<()> {
    if foreign {
        eprintln!("built for another kind of machine, so the packed program was not started");
        return Ok(());
    }
    let elsewhere = tempfile::tempdir()?;
    let listed = workspace::output(
        Command::new(program)
            .current_dir(&elsewhere)
            .args(["list", "--json"])
            .env_remove("PODIUM_COMPETITIONS"),
    )?;
    let listed: serde_json::Value =
        serde_json::from_str(&listed).context("`podium list --json` printed no JSON")?;
    ensure!(!listed.is_null(), "the packed program lists nothing");
    Ok(())
}

/// Writes the folder as a compressed archive in which it is called `name`.
fn pack(folder: &Path, name: &str, archive: &Path) -> Result<()> {
    let parent = archive.parent().context("an archive lies in a folder")?;
    let file = tempfile::Builder::new().prefix(".").tempfile_in(parent)?;
    let mut builder = tar::Builder::new(GzEncoder::new(file, Compression::best()));
    for path in files_in(folder)? {
        let relative = Path::new(name).join(path.strip_prefix(folder)?);
        let bytes =
            fs::read(&path).with_context(|| format!("could not read {}", path.display()))?;
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(if is_program(&path) { 0o755 } else { 0o644 });
        // 2000-01-01: some tools complain about files from 1970.
        header.set_mtime(946_684_800);
        builder.append_data(&mut header, relative, bytes.as_slice())?;
    }
    let mut file = builder.into_inner()?.finish()?;
    file.flush()?;
    workspace::readable_by_all(file.as_file())?;
    file.persist(archive).with_context(|| format!("could not write {}", archive.display()))?;
    Ok(())
}

fn is_program(path: &Path) -> bool {
    let name = file_name(path);
    matches!(name.as_str(), "podium" | "podium.exe") || runner::PROGRAMS.contains(&name.as_str())
}

/// All files below a folder, sorted.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder)
            .with_context(|| format!("could not read {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    Ok(files)
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    for file in files_in(from)? {
        copy(&file, &to.join(file.strip_prefix(from)?))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("could not make {}", folder.display()))?;
    }
    fs::copy(from, to)
        .with_context(|| format!("could not copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_depends_on_contents_alone() {
        let temporary = tempfile::tempdir().unwrap();
        let mut archives = Vec::new();
        for round in ["first", "second"] {
            let folder = temporary.path().join(round);
            // In another order, so with other times and folder entries.
            let mut files =
                [("podium", "program"), ("graders/b.wasm", "b"), ("graders/a.wasm", "a")];
            if round == "second" {
                files.reverse();
            }
            for (name, text) in files {
                let path = folder.join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            let archive = temporary.path().join(format!("{round}.tar.gz"));
            pack(&folder, "podium-1", &archive).unwrap();
            archives.push(fs::read(archive).unwrap());
        }
        assert_eq!(archives[0], archives[1]);

        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(archives[0].as_slice()));
        let entries: Vec<(String, u32)> = archive
            .entries()
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                (entry.path().unwrap().display().to_string(), entry.header().mode().unwrap())
            })
            .collect();
        let expected = [
            ("podium-1/graders/a.wasm".to_owned(), 0o644),
            ("podium-1/graders/b.wasm".to_owned(), 0o644),
            ("podium-1/podium".to_owned(), 0o755),
        ];
        assert_eq!(entries, expected);
    }
}
