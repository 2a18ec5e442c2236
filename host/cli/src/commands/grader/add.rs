//! `podium grader add`: puts components into the component store, under their digests.

use std::fs;
use std::path::{Path, PathBuf};

use owo_colors::OwoColorize;
use podium::{
    AddedFile, ComponentFile, ComponentLimits, ComponentStore, DEFINITION_FILE, Digest, Error,
    TrustPolicy,
};
use serde::Serialize;

use super::project;
use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::{ErrorInJson, Failure};
use crate::{graders, interrupt, number, output};

/// What `podium grader add` is told.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Components, competition folders with a grader.wasm, or folders that hold either
    #[arg(required = true, value_name = "FILE|DIR")]
    components: Vec<PathBuf>,
}

/// A component that is in the store now.
struct Stored {
    sha256: Digest,
    size: u64,
    component: AddedFile,
    signature: Option<AddedFile>,
    signed_by: Vec<String>,
    trusted_comment: Option<String>,
}

/// What became of a file, in the JSON of `podium grader add`.
#[derive(Default, Serialize)]
struct Element<'a> {
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "podium::path_text::option::serialize"
    )]
    path: Option<&'a Path>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<Digest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    component: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    signed_by: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trusted_comment: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorInJson<'a>>,
}

/// Adds them all, and prints what became of each.
///
/// # Errors
/// A policy that is wrong; a stdout that cannot be written to. A file that is no grader does not stop the rest.
pub(super) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let store = graders::store_to_change(shared)?;
    let policy = graders::policy(shared)?;
    let cancellation = interrupt::cancellation()?;
    let mut added: Vec<(PathBuf, Result<Stored, Failure>)> = Vec::new();
    let mut is_stopped = false;
    for named in &arguments.components {
        match components_in(named) {
            Err(failure) => added.push((named.clone(), Err(failure))),
            Ok(paths) => {
                for path in paths {
                    is_stopped |= cancellation.is_cancelled();
                    if is_stopped {
                        break;
                    }
                    let stored = add(&store, policy.as_ref(), &path);
                    added.push((path, stored));
                }
            }
        }
    }
    let stopped = is_stopped.then(|| {
        let count = number::counted(added.len(), "component");
        Failure::new(Exit::Interrupted, format!("stopped after {count}; what was added is kept"))
    });
    if shared.json {
        let elements = added.iter().map(|(path, result)| element(path, result));
        let stopped = stopped
            .as_ref()
            .map(|failure| Element { error: Some(failure.to_json()), ..Element::default() });
        output::print_json(&elements.chain(stopped).collect::<Vec<_>>())?;
    }
    for (path, result) in &added {
        match result {
            Ok(stored) if !shared.json => output::print(&in_words(path, stored))?,
            Ok(_) => {}
            Err(failure) => failure.print(),
        }
    }
    stopped.iter().for_each(Failure::print);
    let failures = added.iter().filter_map(|(_, result)| result.as_ref().err()).chain(&stopped);
    Ok(failures.map(Failure::exit).max().unwrap_or(Exit::Success))
}

/// The components that a path stands for: itself, or those in a folder.
fn components_in(named: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !named.is_dir() {
        return Ok(vec![named.to_owned()]);
    }
    if named.join(DEFINITION_FILE).is_file() {
        let component = named.join(project::COMPONENT);
        if component.symlink_metadata().is_err() {
            let message = format!("{}: there is no {}", named.display(), project::COMPONENT);
            return Err(Failure::new(Exit::Missing, message)
                .hint("`podium grader build` makes one of the sources in grader/"));
        }
        return Ok(vec![component]);
    }
    let unreadable =
        |error| Failure::new(Exit::Files, format!("could not read {}: {error}", named.display()));
    let (mut found, mut passed_over) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(named).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let own = path.join(project::COMPONENT);
        if path.is_file() && path.extension().is_some_and(|extension| extension == "wasm") {
            found.push(path);
        } else if path.join(DEFINITION_FILE).is_file() && own.is_file() {
            found.push(own);
        } else if !is_beside_others(&path) {
            passed_over.push(path);
        }
    }
    found.sort();
    if found.is_empty() {
        let message = format!("{}: there is no component in it", named.display());
        return Err(Failure::new(Exit::Missing, message).hint(
            "give .wasm files, a folder of them, or competition folders with a grader.wasm",
        ));
    }
    if !passed_over.is_empty() {
        output::warning_line(&in_words_passed_over(named, passed_over));
    }
    Ok(found)
}

/// Whether a file belongs to another, or is none that anybody would take for a component: a signature, what is hidden.
fn is_beside_others(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_signature =
        name.strip_suffix(".minisig").is_some_and(|signed| signed.ends_with(".wasm"));
    is_signature || name.starts_with('.')
}

fn in_words_passed_over(folder: &Path, mut passed_over: Vec<PathBuf>) -> String {
    const SHOWN: usize = 5;
    passed_over.sort();
    let names: Vec<String> = passed_over
        .iter()
        .take(SHOWN)
        .filter_map(|path| Some(output::harmless(&path.file_name()?.to_string_lossy())))
        .collect();
    let more = match passed_over.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "{}: passed over {}{more}, neither .wasm files nor competitions with a {}",
        output::path(folder),
        names.join(", "),
        project::COMPONENT
    )
}

/// Adds one, if it is a grader that this Podium loads and its signature, where it has one, can hold.
fn add(
    store: &ComponentStore,
    policy: Option<&TrustPolicy>,
    path: &Path,
) -> Result<Stored, Failure> {
    let component = ComponentFile::read(path, &ComponentLimits::default())?;
    let refused =
        |problem| Failure::from(Error::Grader { grader: path.display().to_string(), problem });
    let mut inspection = podium::inspect(&component.bytes).map_err(|error| match error {
        Error::Grader { problem, .. } => refused(problem),
        other => other.into(),
    })?;
    if !inspection.problems.is_empty() {
        return Err(refused(inspection.problems.swap_remove(0)));
    }
    let beside = podium::Signature::path_beside(path);
    let beside = beside.display();
    match (&component.signature, policy) {
        (Err(problem), _) => {
            return Err(Failure::new(Exit::GraderFailed, format!("{beside}: {problem}")));
        }
        (Ok(Some(signature)), Some(policy))
            if policy.finds_changed(&component.bytes, signature) =>
        {
            let message = format!(
                "{beside} does not hold: the component or the signature was changed since it was signed"
            );
            return Err(Failure::new(Exit::GraderFailed, message)
                .hint("get both again from whoever signed it; nothing was added"));
        }
        _ => {}
    }
    let added = store.add(&component, policy)?;
    // Who signed what is there from now on.
    let component = match added.signature {
        Some(AddedFile::Kept) => store.read(&added.sha256, &ComponentLimits::default())?,
        _ => component,
    };
    let signers = policy.map(|policy| policy.signers_of(&component)).unwrap_or_default();
    let signed_by: Vec<String> = signers.iter().map(ToString::to_string).collect();
    let comment = component.signature.iter().flatten().next().filter(|_| !signed_by.is_empty());
    Ok(Stored {
        sha256: added.sha256,
        size: component.bytes.len() as u64,
        component: added.component,
        signature: added.signature,
        trusted_comment: comment.map(podium::Signature::trusted_comment),
        signed_by,
    })
}

fn element<'a>(path: &'a Path, result: &'a Result<Stored, Failure>) -> Element<'a> {
    let stored = result.as_ref().ok();
    Element {
        path: Some(path),
        sha256: stored.map(|stored| stored.sha256),
        component: stored.map(|stored| name(stored.component)),
        signature: stored.and_then(|stored| stored.signature).map(name),
        signed_by: stored.map(|stored| stored.signed_by.clone()).unwrap_or_default(),
        trusted_comment: stored.and_then(|stored| stored.trusted_comment.clone()),
        error: result.as_ref().err().map(Failure::to_json),
    }
}

fn name(added: AddedFile) -> &'static str {
    match added {
        AddedFile::New => "new",
        AddedFile::AlreadyThere => "already-there",
        AddedFile::Replaced => "replaced",
        AddedFile::Kept => "kept",
    }
}

fn in_words(path: &Path, stored: &Stored) -> String {
    let what = match stored.component {
        AddedFile::New => "added".green().to_string(),
        AddedFile::AlreadyThere | AddedFile::Kept => "already there".to_owned(),
        AddedFile::Replaced => "put right, as it was damaged".yellow().to_string(),
    };
    let path = output::path(path);
    let mut text =
        format!("{} {what}: {path}, {}", stored.sha256.prefixed(), number::size(stored.size));
    match stored.signature {
        Some(AddedFile::New) => text.push_str(", with its signature"),
        Some(AddedFile::Replaced) => text.push_str(", with another signature than before"),
        Some(AddedFile::Kept) => text.push_str(
            ", with the signature that it had: nothing says that the other one is worth more (to take it all the same, \
             remove the component first)",
        ),
        Some(AddedFile::AlreadyThere) | None => {}
    }
    if stored.signature.is_some() {
        text.push_str("\n  ");
        text.push_str(&match stored.signed_by.as_slice() {
            [] => "signed by a key that the trust policy does not name".to_owned(),
            signers => {
                let comment = stored.trusted_comment.as_deref().unwrap_or_default();
                format!("signed by {} ({})", signers.join(", "), output::harmless(comment))
            }
        });
    }
    text
}
