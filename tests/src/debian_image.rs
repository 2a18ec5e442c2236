//! Images with a shell and Python for tests of agents, made on this machine: no engine has to be able to pull any.
//!
//! A minimal Debian is made by `debootstrap` once, which takes about a minute, and kept by the engine under a name that
//! says what is in it. What images of tests are built from it is kept as well, so that tests find it again.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{artifacts, container_engine as engine};

/// The release, and the packages beside the smallest set.
const RECIPE: [&str; 2] = ["bookworm", "python3,curl"];

/// What is left out, because nobody reads it here.
const LEFT_OUT: [&str; 5] = [
    "./var/cache/apt/*",
    "./var/lib/apt/lists/*",
    "./usr/share/doc/*",
    "./usr/share/man/*",
    "./usr/share/locale/*",
];

/// The name of an image with a Debian in it: `sh`, `bash`, `curl`, `python3`. None where it cannot be made, which is said.
///
/// # Panics
/// When it cannot be made and `PODIUM_REQUIRE_DOCKER` asks for it, and when making it fails.
pub fn debian() -> Option<String> {
    if !engine::is_there() {
        return None;
    }
    let name = format!("podium-test-debian:{}-{}", RECIPE[0], RECIPE[1].replace(',', "-"));
    once(&name, || {
        let tree =
            tempfile::tempdir_in(artifacts::target()).expect("a folder in the target folder");
        let tree = tree.path().join("tree");
        let made = Command::new("debootstrap")
            .args(["--variant=minbase", &format!("--include={}", RECIPE[1]), RECIPE[0]])
            .arg(&tree)
            .env("PATH", path_with_system_programs())
            .stdout(Stdio::null())
            .status();
        match made {
            Ok(made) if made.success() => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return false,
            other => panic!(
                "debootstrap: {other:?}; it has to run as root, and needs Debian's packages: {}",
                fs::read_to_string(tree.join("debootstrap/debootstrap.log")).unwrap_or_default()
            ),
        }
        import(&tree, &name);
        true
    })
    .then_some(name)
}

/// The name of the image `podium-agent-base`, built from `agents/base` over the Debian, with
/// programs that stand in for `pip`, `git` and the agents themselves. None as [`debian`].
///
/// # Panics
/// As [`debian`].
pub fn agent_base() -> Option<String> {
    let debian = debian()?;
    let stand_in = artifacts::root().join("tests/agents/stand-in");
    let base = artifacts::root().join("agents/base");
    let mut content = vec![stand_in.clone()];
    content.extend(["Dockerfile", "packages.txt", "task-text"].map(|name| base.join(name)));
    let content: Vec<u8> =
        content.iter().flat_map(|file| fs::read(file).expect("a file of the checkout")).collect();
    let digest = podium::Digest::of(&content).to_string();
    let name = format!("podium-test-agent-base:{}", &digest[..16]);
    once(&name, || {
        let context = tempfile::tempdir().expect("a temporary folder");
        fs::copy(&stand_in, context.path().join("stand-in")).expect("a copy");
        let dockerfile =
            format!("FROM {debian}\nCOPY stand-in /usr/local/bin/stand-in\nRUN stand-in install\n");
        fs::write(context.path().join("Dockerfile"), dockerfile).expect("a file");
        let below = format!("{name}-below");
        build(context.path(), &below, &[]);
        build(&base, &name, &[&format!("FROM={below}")]);
        engine::docker(&["image", "rm", "--no-prune", &below]);
        true
    });
    Some(name)
}

/// Makes an image unless it is there, one process after the other. False where it could not be made.
fn once(name: &str, make: impl FnOnce() -> bool) -> bool {
    let lock = File::create(artifacts::target().join("test-images.lock")).expect("a lock");
    lock.lock().expect("a lock");
    if !engine::docker(&["image", "ls", "--quiet", name]).is_empty() || make() {
        return true;
    }
    assert!(
        !engine::is_required(),
        "there is no debootstrap, and PODIUM_REQUIRE_DOCKER=1: install Debian's package `debootstrap`"
    );
    eprintln!("skipped: there is no debootstrap to make an image with a shell and Python");
    false
}

fn import(tree: &Path, name: &str) {
    let mut archive = Command::new("tar")
        .args(LEFT_OUT.map(|pattern| format!("--exclude={pattern}")))
        .args(["--create", "--file", "-", "--directory"])
        .arg(tree)
        .arg(".")
        .stdout(Stdio::piped())
        .spawn()
        .expect("tar");
    let output = archive.stdout.take().expect("the archive");
    let imported = Command::new("docker")
        .args([
            "import",
            "--change",
            "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        ])
        .args(["-", name])
        .stdin(output)
        .stdout(Stdio::null())
        .status();
    assert!(archive.wait().expect("tar").success(), "tar failed");
    assert!(imported.expect("docker").success(), "the engine takes no image");
}

fn build(context: &Path, name: &str, arguments: &[&str]) {
    let output = Command::new("docker")
        // What is run needs no network, as programs that need one are stood in for.
        .args(["build", "--quiet", "--network", "none", "--tag", name])
        .args(arguments.iter().flat_map(|argument| ["--build-arg", argument]))
        .arg(context)
        // The builder that every engine has.
        .env("DOCKER_BUILDKIT", "0")
        .output()
        .expect("docker");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The search path, with the folder in which programs for administrators lie.
fn path_with_system_programs() -> String {
    format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default())
}
