//! Where things lie in the checkout, and how other programs are started from it.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The checkout that this program belongs to.
pub(crate) fn root() -> PathBuf {
    // Cargo names the folder at run time; the one known at compile time serves a program that was started by hand.
    let manifest = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest.parent().map(Path::to_path_buf).unwrap_or(manifest)
}

/// Cargo's target folder: `target/` in the checkout unless `CARGO_TARGET_DIR` says otherwise.
pub(crate) fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => env::current_dir().unwrap_or_default().join(folder),
        None => root().join("target"),
    }
}

/// The folder of built graders, one `<id>.wasm` each.
pub(crate) fn built_graders() -> PathBuf {
    target().join("graders")
}

/// The built `podium` program.
pub(crate) fn built_podium() -> PathBuf {
    target().join("release").join(format!("podium{}", env::consts::EXE_SUFFIX))
}

/// A call of the cargo that started this program, in the checkout.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    // What `cargo run` sets for this program says nothing about the packages that are built next, and build scripts
    // that watch these variables would run again for nothing.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&*name);
        }
    }
    command
}

/// Runs a command to its end; its output goes where ours goes.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("could not start {}", shown(command)))?;
    if !status.success() {
        bail!("{} failed ({status})", shown(command));
    }
    Ok(())
}

/// Runs a command and gives what it printed, without the white space around it.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("could not start {}", shown(command)))?;
    if !output.status.success() {
        bail!("{} failed ({})", shown(command), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The command as a person would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or(OsStr::new("?"));
    let mut text = program.to_string_lossy().into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text
}

/// Writes a file whole or not at all; one that already holds these bytes is left alone. Tells whether it was written.
pub(crate) fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<bool> {
    if fs::read(path).is_ok_and(|present| present == bytes) {
        return Ok(false);
    }
    let folder = path.parent().context("a file lies in a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("could not make {}", folder.display()))?;
    let mut file = tempfile::Builder::new()
        .prefix(".")
        .tempfile_in(folder)
        .with_context(|| format!("could not write into {}", folder.display()))?;
    file.write_all(bytes).with_context(|| format!("could not write {}", path.display()))?;
    readable_by_all(file.as_file())?;
    file.persist(path).with_context(|| format!("could not write {}", path.display()))?;
    Ok(true)
}

/// Temporary files are private to their maker; what is built is as readable as anything else in the checkout.
pub(crate) fn readable_by_all(file: &fs::File) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(fs::Permissions::from_mode(0o644))?;
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}
