//! `cargo xtask graders`: from the crates in `graders-wasm/` to sealed components in `target/graders/`.
//!
//! Cargo builds core modules for `wasm32-unknown-unknown`, which can import nothing but the contract; `wit-component`
//! makes components of them. The bytes depend on the sources and the compiler alone, not on where the checkout, cargo's
//! home or the toolchain lie, so that `graders.lock` can hold their digests.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use wit_component::ComponentEncoder;

use crate::lock::{self, Lock};
use crate::setup::{self, GRADER_TARGET};
use crate::workspace;

/// The profile that graders are built with.
pub(crate) const PROFILE: &str = "grader";

/// What `cargo xtask graders` is told.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Arguments {
    /// Competitions whose graders are built; all if none is named
    ids: Vec<String>,
    /// Fail where a component differs from graders.lock
    #[arg(long, conflicts_with = "update_lock")]
    locked: bool,
    /// Write the components' digests into graders.lock
    #[arg(long)]
    update_lock: bool,
}

impl Arguments {
    /// Builds the graders of these competitions, all if none is named; the lock is not looked at.
    pub(crate) fn of(ids: &[String]) -> Arguments {
        Arguments { ids: ids.to_vec(), ..Arguments::default() }
    }

    /// Builds all graders and insists on the digests in the lock.
    pub(crate) fn all_locked() -> Arguments {
        Arguments { locked: true, ..Arguments::default() }
    }
}

/// A crate in `graders-wasm/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GraderCrate {
    /// The competition's id, which is the name of the folder.
    pub(crate) id: String,
    /// The name of the package. It is the id wherever cargo allows it (a name may not begin with a digit).
    pub(crate) package: String,
}

/// Builds, encodes, and compares with the lock.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let crates = grader_crates()?;
    let chosen = choose(&crates, &arguments.ids)?;
    let all = chosen.len() == crates.len();
    if chosen.is_empty() {
        eprintln!("no graders in graders-wasm/");
        return Ok(());
    }

    setup::install_grader_target()?;
    let folder = workspace::built_graders();
    let built = build(&chosen, &folder)?;
    if all {
        remove_stale(&folder, &crates)?;
    }
    compare_with_lock(arguments, &built, all)
}

/// The crates in `graders-wasm/`, by id.
pub(crate) fn grader_crates() -> Result<Vec<GraderCrate>> {
    let folder = workspace::root().join("graders-wasm");
    let mut crates = Vec::new();
    for entry in
        fs::read_dir(&folder).with_context(|| format!("could not read {}", folder.display()))?
    {
        let entry = entry?;
        let manifest = entry.path().join("Cargo.toml");
        let Ok(text) = fs::read_to_string(&manifest) else { continue };
        let package =
            package_name(&text).with_context(|| format!("{} is broken", manifest.display()))?;
        crates.push(GraderCrate { id: entry.file_name().to_string_lossy().into_owned(), package });
    }
    crates.sort_by(|left, right| left.id.cmp(&right.id));
    Ok(crates)
}

fn package_name(manifest: &str) -> Result<String> {
    #[derive(Deserialize)]
    struct Manifest {
        package: Package,
    }
    #[derive(Deserialize)]
    struct Package {
        name: String,
    }
    Ok(toml::from_str::<Manifest>(manifest)?.package.name)
}

fn choose(crates: &[GraderCrate], ids: &[String]) -> Result<Vec<GraderCrate>> {
    if ids.is_empty() {
        return Ok(crates.to_vec());
    }
    let wanted: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    wanted
        .into_iter()
        .map(|id| {
            crates.iter().find(|grader| grader.id == id).cloned().with_context(|| {
                format!(
                    "there is no grader graders-wasm/{id}; `ls graders-wasm` shows those there are"
                )
            })
        })
        .collect()
}

/// Builds components into the folder, and gives their digests by id.
///
/// Cargo is called once for all. Each module becomes a component as soon as it is there, so that what is finished is kept
/// when the rest is interrupted or broken.
fn build(crates: &[GraderCrate], folder: &Path) -> Result<BTreeMap<String, String>> {
    let mut command = workspace::cargo();
    command
        .args(["build", "--keep-going", "--target", GRADER_TARGET, "--profile", PROFILE])
        .args(["--message-format", "json-render-diagnostics"])
        .env("CARGO_ENCODED_RUSTFLAGS", rust_flags()?.join("\u{1f}"))
        .env_remove("RUSTFLAGS")
        .stdout(Stdio::piped());
    for grader in crates {
        command.args(["--package", &grader.package]);
    }
    let mut child = command.spawn().context("could not start cargo")?;
    let stdout = child.stdout.take().context("cargo's output is piped")?;
    let mut digests = BTreeMap::new();
    let mut broken = Vec::new();
    let mut written = 0_usize;
    for line in BufReader::new(stdout).lines() {
        let Some((id, module)) = module_in(&line?) else { continue };
        match encode_file(&module, &folder.join(format!("{id}.wasm"))) {
            Ok((digest, new)) => {
                written += usize::from(new);
                digests.insert(id, digest);
            }
            Err(error) => broken.push(format!("{id}: {error:#}")),
        }
    }
    let status = child.wait()?;
    eprintln!(
        "{} graders in {}: {written} new, {} as before",
        digests.len(),
        folder.display(),
        digests.len() - written
    );
    ensure!(broken.is_empty(), "no components could be made of\n{}", broken.join("\n"));
    ensure!(status.success(), "some graders could not be built; cargo's messages are above");
    for grader in crates {
        ensure!(
            digests.contains_key(&grader.id),
            "cargo made no module of graders-wasm/{}: its Cargo.toml needs `crate-type = [\"cdylib\"]`",
            grader.id
        );
    }
    Ok(digests)
}

/// Finds the module of a grader, with its id, in one of cargo's JSON messages.
fn module_in(message: &str) -> Option<(String, PathBuf)> {
    #[derive(Deserialize)]
    struct Message {
        reason: String,
        manifest_path: PathBuf,
        filenames: Vec<PathBuf>,
    }
    // Other messages have other fields.
    let message: Message = serde_json::from_str(message).ok()?;
    let folder = message.manifest_path.parent()?;
    let is_grader = message.reason == "compiler-artifact"
        && folder.parent()?.file_name() == Some(OsStr::new("graders-wasm"));
    let module =
        message.filenames.into_iter().find(|file| file.extension() == Some(OsStr::new("wasm")))?;
    let id = folder.file_name()?.to_string_lossy().into_owned();
    is_grader.then_some((id, module))
}

/// Writes the component of a module; gives its digest, and whether it is another than before.
fn encode_file(module: &Path, component: &Path) -> Result<(String, bool)> {
    let bytes = fs::read(module).with_context(|| format!("could not read {}", module.display()))?;
    let bytes = encode(&bytes)?;
    let written = workspace::write_if_changed(component, &bytes)?;
    Ok((sha256(&bytes), written))
}

/// What the compiler is told: SIMD, and paths that are the same on every machine (they end up in the texts of panics).
fn rust_flags() -> Result<Vec<String>> {
    let sysroot = workspace::output(
        Command::new("rustc").args(["--print", "sysroot"]).current_dir(workspace::root()),
    )?;
    let commit = rustc_version("commit-hash")?;
    let cargo_home = cargo_home()?;
    // The last prefix that fits wins: a cargo home or a toolchain inside the checkout is told apart from it.
    let replaced = [
        (workspace::root(), "/podium".to_owned()),
        (cargo_home, "/cargo".to_owned()),
        (Path::new(&sysroot).join("lib/rustlib/src/rust"), format!("/rustc/{commit}")),
    ];
    let mut flags = vec!["-Ctarget-feature=+simd128".to_owned()];
    flags.extend(
        replaced.iter().map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display())),
    );
    Ok(flags)
}

/// Where cargo keeps the sources of dependencies.
pub(crate) fn cargo_home() -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os("CARGO_HOME") {
        return Ok(std::env::current_dir()?.join(folder));
    }
    let home = std::env::home_dir().context("there is no home folder: set CARGO_HOME")?;
    Ok(home.join(".cargo"))
}

/// A field of `rustc --version --verbose`: `release`, `commit-hash`.
pub(crate) fn rustc_version(field: &str) -> Result<String> {
    let version = workspace::output(
        Command::new("rustc").args(["--version", "--verbose"]).current_dir(workspace::root()),
    )?;
    version
        .lines()
        .find_map(|line| line.strip_prefix(field)?.strip_prefix(": "))
        .map(str::to_owned)
        .with_context(|| format!("`rustc --version --verbose` tells no {field}"))
}

/// Makes a component of a core module whose custom sections describe its world, and validates it.
fn encode(module: &[u8]) -> Result<Vec<u8>> {
    let component = ComponentEncoder::default().validate(true).module(module)?.encode()?;
    ensure!(
        names_section(&component, CONTRACT_SECTION),
        "the custom section `{CONTRACT_SECTION}` is missing: a grader ends with `podium_grader::export!(…)`"
    );
    Ok(component)
}

/// Where the SDK stamps the contract's version.
const CONTRACT_SECTION: &str = "podium:contract";

/// Whether a custom section of that name (shorter than 128 bytes) seems to be in there, at any depth. The host reads
/// the section properly; here it only has to be still there after linking and encoding.
fn names_section(bytes: &[u8], name: &str) -> bool {
    // In the binary format a name is its length, here one byte, and its text.
    let mut written = vec![name.len() as u8];
    written.extend_from_slice(name.as_bytes());
    bytes.windows(written.len()).any(|window| window == written)
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Removes components of graders that are no more.
fn remove_stale(folder: &Path, crates: &[GraderCrate]) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let known = path.extension() != Some(OsStr::new("wasm"))
            || crates.iter().any(|grader| Some(OsStr::new(&grader.id)) == path.file_stem());
        if !known {
            fs::remove_file(&path)
                .with_context(|| format!("could not remove {}", path.display()))?;
            eprintln!("removed {}: there is no such grader", path.display());
        }
    }
    Ok(())
}

fn compare_with_lock(
    arguments: &Arguments,
    digests: &BTreeMap<String, String>,
    all: bool,
) -> Result<()> {
    let path = workspace::root().join(lock::NAME);
    let rustc = rustc_version("release")?;
    let mut lock = Lock::read(&path)?;
    if arguments.update_lock {
        lock.update(&rustc, digests, all);
        return lock.write(&path);
    }
    let differences = lock.differences(&rustc, digests, all);
    if differences.is_empty() {
        return Ok(());
    }
    if !arguments.locked {
        eprintln!(
            "{} differences from {}; `cargo xtask graders --update-lock` takes them over",
            differences.len(),
            lock::NAME
        );
        return Ok(());
    }
    for difference in &differences {
        eprintln!("  {difference}");
    }
    bail!(
        "graders differ from {}. If they were meant to change, run `cargo xtask graders --update-lock` and commit it; if \
         nothing in graders-wasm/, guest-sdk/, wit/, Cargo.lock or the toolchain changed, the build is not reproducible",
        lock::NAME
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_found_among_cargos_messages() {
        let cases = [
            (
                r#"{"reason":"compiler-artifact","manifest_path":"/c/guest-sdk/Cargo.toml","filenames":["/t/x.rlib"]}"#,
                None,
            ),
            (
                r#"{"reason":"compiler-artifact","manifest_path":"/c/other/x/Cargo.toml","filenames":["/t/x.wasm"]}"#,
                None,
            ),
            (
                r#"{"reason":"compiler-artifact","manifest_path":"/c/graders-wasm/3d-x/Cargo.toml","filenames":["/t/x.d","/t/x.wasm"]}"#,
                Some(("3d-x".to_owned(), PathBuf::from("/t/x.wasm"))),
            ),
            (r#"{"reason":"build-finished","success":true}"#, None),
            ("not JSON", None),
        ];
        for (message, module) in cases {
            assert_eq!(module_in(message), module, "{message}");
        }
    }

    #[test]
    fn an_unknown_id_is_named() {
        let crates = [GraderCrate { id: "a".into(), package: "a".into() }];
        let error = choose(&crates, &["b".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("graders-wasm/b"), "{error}");
        assert_eq!(choose(&crates, &[]).unwrap().len(), 1);
        assert_eq!(choose(&crates, &["a".to_owned(), "a".to_owned()]).unwrap().len(), 1);
    }

    #[test]
    fn digests_are_lower_case_hex() {
        assert_eq!(sha256(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
