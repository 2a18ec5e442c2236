//! What all built graders have in common: they are the locked ones, sealed, and say what their competition says.

use std::collections::BTreeMap;
use std::fs;

use podium::{
    ComponentFile, ComponentLimits, Digest, Engine, EngineSettings, Grader, TrustPolicy, TrustedFor,
};
use podium_tests::{artifacts, examples};
use serde::Deserialize;

#[derive(Deserialize)]
struct Lock {
    sha256: BTreeMap<String, String>,
}

fn lock() -> Lock {
    let path = artifacts::root().join("graders.lock");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!("{}: {error}; `cargo xtask graders --update-lock` writes it", path.display())
    });
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_lock_covers_all_graders() {
    let locked: Vec<String> = lock().sha256.into_keys().collect();
    assert_eq!(
        locked,
        artifacts::grader_ids(),
        "graders.lock and graders-wasm/ differ: `cargo xtask graders --update-lock`, then commit the lock"
    );
}

#[test]
fn built_graders_are_the_locked_ones() {
    let lock = lock();
    let mut problems = Vec::new();
    for id in artifacts::grader_ids() {
        let built = Digest::of(&fs::read(artifacts::grader(&id)).unwrap()).to_string();
        if lock.sha256.get(&id) != Some(&built) {
            problems.push(format!("{id}: built {built}, locked {:?}", lock.sha256.get(&id)));
        }
    }
    assert!(
        problems.is_empty(),
        "graders differ from graders.lock: `cargo xtask graders --update-lock` if they were meant to change\n{}",
        problems.join("\n")
    );
}

#[test]
fn the_lock_serves_as_a_trust_policy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trust.toml");
    let lock = artifacts::root().join("graders.lock");
    let rule = format!("[[allow]]\ncompetition = \"*\"\nlock = '{}'\n", lock.display());
    fs::write(&path, format!("default = \"refuse\"\n{rule}")).unwrap();
    let policy = TrustPolicy::read(&path).unwrap();
    let ids = artifacts::grader_ids();
    for (index, id) in ids.iter().enumerate() {
        let path = artifacts::grader(id);
        let component = ComponentFile::read(&path, &ComponentLimits::default()).unwrap();
        let trusted = policy.judge(id, &component).unwrap_or_else(|refusal| panic!("{refusal}"));
        assert_eq!(trusted.because, TrustedFor::Lock, "{id}");
        // The lock says of which competition each of them is the grader.
        let other = &ids[(index + 1) % ids.len()];
        let refusal = policy.judge(other, &component).unwrap_err();
        assert!(refusal.why.contains("graders.lock names sha256:"), "{refusal}");
    }
}

#[test]
fn graders_are_sealed_and_agree_with_their_competitions() {
    let engine = Engine::new(EngineSettings::default()).unwrap();
    let catalog = examples::catalog();
    for id in artifacts::grader_ids() {
        let competition = catalog.get(&id).unwrap_or_else(|error| panic!("{id}: {error}"));
        let grader = Grader::from_file(&engine, artifacts::grader(&id))
            .unwrap_or_else(|error| panic!("{id}: {error}"));
        assert!(grader.inspection().sealed, "{id}: imports {:?}", grader.inspection().imports);
        assert_eq!(grader.description().competition, id);
        assert_eq!(grader.description().direction, competition.direction(), "{id}");
        assert!(!grader.description().metric.is_empty(), "{id}");
    }
}
