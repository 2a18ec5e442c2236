//! Podium's SDK as a crate that stands on its own.
//!
//! The SDK is on no registry. A new grader gets a copy of it, so that it builds anywhere and stays buildable as it is. The
//! program holds the SDK's sources; the manifest, which says `workspace = true` in many places, is spelled out here with
//! the workspace's own manifest.

use toml::{Table, Value};

/// The sources, with their paths in the crate.
pub(super) const SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sdk_sources.rs"));

/// The contract, with its path beside the crate; the SDK makes its bindings from it.
pub(super) const CONTRACT: (&str, &str) = ("wit/1.0.0/grading.wit", super::component::CONTRACT);

/// The versions of what the SDK depends on with which it was tested. It names far more than that; cargo drops the rest.
pub(super) const LOCK: &str = include_str!("../../../../../Cargo.lock");

const MANIFEST: &str = include_str!("../../../../../guest-sdk/Cargo.toml");
const WORKSPACE: &str = include_str!("../../../../../Cargo.toml");

/// The manifest of the crate, free of its workspace. What only the SDK's own tests need is left out.
///
/// # Panics
/// Never with the manifests of this checkout; a test makes it.
pub(super) fn manifest() -> String {
    let parse = |text: &str| text.parse::<Table>().expect("the checkout's manifests are sound");
    let mut workspace = parse(WORKSPACE);
    let mut manifest = parse(MANIFEST);
    let shared = workspace.remove("workspace").expect("the workspace is one");
    for (section, of_workspace) in [("package", "package"), ("dependencies", "dependencies")] {
        let entries = manifest.get_mut(section).and_then(Value::as_table_mut);
        for (name, value) in entries.into_iter().flatten() {
            *value = spelled_out(value, shared.get(of_workspace).and_then(|all| all.get(name)));
        }
    }
    manifest.remove("dev-dependencies");
    manifest.remove("lints");
    toml::to_string(&manifest).expect("a manifest is text")
}

/// A value with `workspace = true` in it as the workspace has it, with what it says besides.
fn spelled_out(value: &Value, shared: Option<&Value>) -> Value {
    let (Value::Table(own), Some(shared)) = (value, shared) else { return value.clone() };
    if own.get("workspace").is_none() {
        return value.clone();
    }
    let mut own = own.clone();
    own.remove("workspace");
    if own.is_empty() {
        return shared.clone();
    }
    let mut whole = match shared {
        Value::Table(table) => table.clone(),
        version => Table::from_iter([("version".to_owned(), version.clone())]),
    };
    whole.extend(own);
    Value::Table(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crate_stands_on_its_own() {
        let manifest = manifest();
        assert!(!manifest.contains("workspace"), "{manifest}");
        let manifest: Table = manifest.parse().unwrap();
        assert_eq!(manifest["package"]["name"].as_str(), Some("podium-grader"));
        assert_eq!(manifest["package"]["edition"].as_str(), Some("2024"));
        assert!(manifest["dependencies"]["memchr"]["version"].is_str());
        assert!(manifest["dependencies"]["wit-bindgen"]["version"].is_str());
        assert!(SOURCES.iter().any(|(name, _)| *name == "src/frame/mod.rs"));
        let (_, bindings) = SOURCES.iter().find(|(name, _)| *name == "src/contract.rs").unwrap();
        let (contract, _) = CONTRACT.0.rsplit_once('/').unwrap();
        assert!(bindings.contains(&format!("path: \"../{contract}\"")), "{bindings}");
    }
}
