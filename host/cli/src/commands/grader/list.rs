//! `podium grader list`: what the component store holds.

use std::path::PathBuf;

use comfy_table::Cell;
use podium::{
    ComponentFile, ContractVersion, Description, Digest, Engine, Grader, GraderSource, Graders,
    Inspection, StoredComponent,
};
use serde::Serialize;

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::{ErrorInJson, Failure};
use crate::progress::Progress;
use crate::table::Table;
use crate::{engine, graders, number, output, table};

/// What `podium grader list` is told.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {}

/// A component of the store.
struct Listed {
    stored: StoredComponent,
    pinned_for: Vec<String>,
    looked_into: Result<LookedInto, Failure>,
}

/// What is known of a component that could be read.
struct LookedInto {
    inspection: Inspection,
    /// What it says of itself; `None` where it may not be run.
    description: Option<Description>,
    is_signed: bool,
    signed_by: Vec<String>,
    trusted_comment: Option<String>,
}

/// A component in the JSON of `podium grader list`.
#[derive(Serialize)]
struct Element<'a> {
    sha256: Digest,
    path: &'a PathBuf,
    size: u64,
    pinned_for: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a Description>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contract: Option<ContractVersion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sealed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signed_by: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trusted_comment: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorInJson<'a>>,
}

/// Prints what is there. Every component is held against its name, and asked what it grades unless the trust policy does
/// not let it grade anything.
///
/// # Errors
/// A store that cannot be read; a policy that is wrong; a stdout that cannot be written to. A damaged component does not
/// stop the rest.
pub(super) fn run(_: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let graders = graders::find(shared)?;
    let store = graders::store_to_change(shared)?;
    let components = store.list()?;
    let engine = engine::start(shared)?;
    // The first time, each of them has to be compiled.
    let progress = Progress::of(components.len(), "looked into");
    let listed: Vec<Listed> = components
        .into_iter()
        .map(|stored| {
            let listed = listed(stored, &graders, &engine);
            progress.step();
            listed
        })
        .collect();
    progress.finish();
    if shared.json {
        output::print_json(&listed.iter().map(element).collect::<Vec<_>>())?;
    } else {
        if !listed.is_empty() {
            output::print(&as_table(&listed))?;
        }
        let count = number::counted(listed.len(), "component");
        output::print(&format!("{count} in {}", store.folder().display()))?;
    }
    let failures = || listed.iter().filter_map(|listed| listed.looked_into.as_ref().err());
    failures().for_each(Failure::print);
    Ok(failures().map(Failure::exit).max().unwrap_or(Exit::Success))
}

fn listed(stored: StoredComponent, graders: &Graders, engine: &Engine) -> Listed {
    let source = GraderSource::Stored(stored.sha256);
    let pinned_for = graders.pins().competitions_of(&stored.sha256);
    let looked_into = graders
        .read(&source, &podium::ComponentLimits::default())
        .map_err(Failure::from)
        .and_then(|component| look_into(&component, graders, engine));
    Listed { stored, pinned_for, looked_into }
}

fn look_into(
    component: &ComponentFile,
    graders: &Graders,
    engine: &Engine,
) -> Result<LookedInto, Failure> {
    let policy = graders.policy();
    let inspection = podium::inspect(&component.bytes)?;
    let may_run = policy.is_none_or(|policy| policy.trusts_somewhere(component));
    let description = if may_run {
        let name = component.path.display().to_string();
        let grader = Grader::from_bytes(engine, name, &component.bytes)?;
        Some(grader.description().clone())
    } else {
        None
    };
    let signers = policy.map(|policy| policy.signers_of(component)).unwrap_or_default();
    let signed_by: Vec<String> = signers.iter().map(ToString::to_string).collect();
    let signature = component.signature.iter().flatten().next();
    Ok(LookedInto {
        inspection,
        description,
        is_signed: signature.is_some(),
        trusted_comment: signature
            .filter(|_| !signed_by.is_empty())
            .map(podium::Signature::trusted_comment),
        signed_by,
    })
}

/// Who signed a component, as far as that is known, and what they said.
fn signer(known: &LookedInto) -> String {
    let signers = known.signed_by.join(", ");
    match known.trusted_comment.as_deref() {
        Some(comment) if !comment.is_empty() => format!("{signers} ({comment})"),
        _ => signers,
    }
}

fn element(listed: &Listed) -> Element<'_> {
    let Listed { stored, pinned_for, looked_into } = listed;
    let known = looked_into.as_ref().ok();
    Element {
        sha256: stored.sha256,
        path: &stored.path,
        size: stored.size,
        pinned_for,
        description: known.and_then(|known| known.description.as_ref()),
        contract: known.and_then(|known| known.inspection.contract),
        sealed: known.map(|known| known.inspection.sealed),
        signed: known.map(|known| known.is_signed),
        signed_by: known.map(|known| known.signed_by.as_slice()),
        trusted_comment: known.and_then(|known| known.trusted_comment.as_deref()),
        error: looked_into.as_ref().err().map(Failure::to_json),
    }
}

fn as_table(listed: &[Listed]) -> String {
    let mut table = Table::new([
        table::needed("sha256"),
        table::optional("competition", 1),
        table::optional("pinned for", 2),
        table::optional("size", 5),
        table::optional("metric", 8),
        table::optional("contract", 7),
        table::optional("sealed", 4),
        table::optional("signed", 3),
        table::optional("by", 6),
    ]);
    let or_dash = |text: &str| match text {
        "" => "-".to_owned(),
        text => output::harmless(text),
    };
    for Listed { stored, pinned_for, looked_into } in listed {
        let known = looked_into.as_ref().ok();
        let description = known.and_then(|known| known.description.as_ref());
        let competition = match (looked_into, description) {
            (Err(_), _) => "cannot be used".to_owned(),
            (Ok(_), None) => "not trusted, so not asked".to_owned(),
            (Ok(_), Some(description)) => output::harmless(&description.competition),
        };
        let contract = known.and_then(|known| known.inspection.contract);
        let yes_or_no = |yes: Option<bool>| match yes {
            None => "-",
            Some(true) => "yes",
            Some(false) => "no",
        };
        table.add_row([
            Cell::new(stored.sha256),
            Cell::new(competition),
            Cell::new(or_dash(&pinned_for.join(", "))),
            table::number(number::size(stored.size)),
            Cell::new(or_dash(description.map_or("", |description| &description.metric))),
            Cell::new(contract.map_or_else(|| "-".to_owned(), |version| version.to_string())),
            Cell::new(yes_or_no(known.map(|known| known.inspection.sealed))),
            Cell::new(yes_or_no(known.map(|known| known.is_signed))),
            Cell::new(or_dash(&known.map(signer).unwrap_or_default())),
        ]);
    }
    table.lines()
}
