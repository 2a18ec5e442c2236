//! `podium grader list`: what the component store holds.

use std::collections::BTreeSet;
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
use crate::places::Places;
use crate::progress::Progress;
use crate::table::Table;
use crate::{engine, graders, interrupt, number, output, table, unknown_competitions};

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
    /// What is wrong with the signature that lies beside it.
    signature_problem: Option<String>,
    signed_by: Vec<String>,
    trusted_comment: Option<String>,
}

/// A component in the JSON of `podium grader list`; or a pin to one that is not there, or why the list ends.
#[derive(Default, Serialize)]
struct Element<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<Digest>,
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "podium::path_text::option::serialize"
    )]
    path: Option<&'a PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pinned_for: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a Description>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contract: Option<ContractVersion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sealed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature_problem: Option<&'a str>,
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
    let cancellation = interrupt::cancellation()?;
    // The first time, each of them has to be compiled.
    let progress = Progress::of(components.len(), "looked into");
    let mut listed: Vec<Listed> = Vec::new();
    let missing = missing_pins(&graders, &components);
    let count = components.len();
    for stored in components {
        let component = self::listed(stored, &graders, &engine);
        // What Ctrl-C did to a compiler says nothing of the component.
        if cancellation.is_cancelled() {
            break;
        }
        listed.push(component);
        progress.step();
    }
    progress.finish();
    let stopped = (listed.len() < count).then(|| {
        let message =
            format!("stopped after {} of {}", listed.len(), number::counted(count, "component"));
        Failure::new(Exit::Interrupted, message)
    });
    if shared.json {
        let of_pins = missing.iter().map(|pin| Element {
            sha256: Some(pin.sha256),
            pinned_for: Some(&pin.competitions),
            error: Some(pin.failure.to_json()),
            ..Element::default()
        });
        let of_stop = stopped
            .iter()
            .map(|failure| Element { error: Some(failure.to_json()), ..Element::default() });
        output::print_json(
            &listed.iter().map(element).chain(of_pins).chain(of_stop).collect::<Vec<_>>(),
        )?;
    } else {
        if !listed.is_empty() {
            output::print(&as_table(&listed))?;
        }
        let count = number::counted(listed.len(), "component");
        let folder = output::path(store.folder());
        output::print(&format!("{count} in {folder}"))?;
    }
    for Listed { stored, looked_into, .. } in &listed {
        let known = looked_into.as_ref().ok();
        if let Some(problem) = known.and_then(|known| known.signature_problem.as_deref()) {
            output::warning_line(&format!(
                "the signature of {}: {problem}",
                stored.sha256.prefixed()
            ));
        }
    }
    let catalog = Places::find(shared)?.catalog();
    for unknown in unknown_competitions::all(&graders, &catalog.list()) {
        output::warning_line(&unknown);
    }
    let failures = || {
        let of_components = listed.iter().filter_map(|listed| listed.looked_into.as_ref().err());
        of_components.chain(missing.iter().map(|pin| &pin.failure)).chain(&stopped)
    };
    failures().for_each(Failure::print);
    Ok(failures().map(Failure::exit).max().unwrap_or(Exit::Success))
}

/// A pin to a component that is not there.
struct MissingPin {
    sha256: Digest,
    competitions: Vec<String>,
    failure: Failure,
}

/// The pins that lead to nothing, by component.
fn missing_pins(graders: &Graders, components: &[StoredComponent]) -> Vec<MissingPin> {
    let is_there = |sha256: &Digest| components.iter().any(|stored| stored.sha256 == *sha256);
    let pinned: BTreeSet<Digest> = graders.pins().iter().map(|(_, sha256)| *sha256).collect();
    pinned
        .into_iter()
        .filter(|sha256| !is_there(sha256))
        .map(|sha256| {
            let competitions = graders.pins().competitions_of(&sha256);
            let list = competitions.join(", ");
            let message = format!("{list}: pinned to {}, which is not in the store", sha256.prefixed());
            let failure = Failure::new(Exit::Missing, message).hint(
                "add that component again, or end the pin with `podium grader unpin`; until then nothing grades the \
                 competition",
            );
            MissingPin { sha256, competitions, failure }
        })
        .collect()
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
    let signature_problem = graders::signature_problem(component, policy);
    Ok(LookedInto {
        inspection,
        description,
        is_signed: signature.is_some(),
        signature_problem,
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
        sha256: Some(stored.sha256),
        path: Some(&stored.path),
        size: Some(stored.size),
        pinned_for: Some(pinned_for),
        description: known.and_then(|known| known.description.as_ref()),
        contract: known.and_then(|known| known.inspection.contract),
        sealed: known.map(|known| known.inspection.sealed),
        signed: known.map(|known| known.is_signed),
        signature_problem: known.and_then(|known| known.signature_problem.as_deref()),
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
            Cell::new(match known {
                Some(LookedInto { signature_problem: Some(_), .. }) => "broken",
                known => yes_or_no(known.map(|known| known.is_signed)),
            }),
            Cell::new(or_dash(&known.map(signer).unwrap_or_default())),
        ]);
    }
    table.lines()
}
