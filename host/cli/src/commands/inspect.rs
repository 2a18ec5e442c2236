//! `podium inspect`: what a grader is, what it was built for, what it wants, and whether it can be loaded.

use std::path::{Path, PathBuf};

use podium::{ComponentLimits, Description, Error, Grader, Graders, Inspection};
use serde::Serialize;

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::facts::Facts;
use crate::failure::{Failure, WithError};
use crate::graders::GraderArgument;
use crate::{engine, graders, number, output};

/// What `podium inspect` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The component; sha256:… takes one from the store
    #[arg(value_name = "GRADER.wasm|DIGEST")]
    grader: GraderArgument,
}

/// A grader in the JSON of `podium inspect`.
#[derive(Serialize)]
struct Inspected<'a> {
    #[serde(serialize_with = "podium::path_text::serialize")]
    path: &'a PathBuf,
    #[serde(flatten)]
    inspection: &'a Inspection,
    /// What the grader says of itself; `None` where it cannot be loaded.
    description: Option<&'a Description>,
    /// Whether there is a signature beside it.
    signed: bool,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature_problem: Option<String>,
    /// The keys of the trust policy that made it.
    signed_by: Vec<String>,
    /// What the signer said, where the signature holds for one of these keys.
    trusted_comment: Option<String>,
}

/// Prints what is known of a grader.
///
/// # Errors
/// A file that cannot be read or is no component; a stdout that cannot be written to.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    // It is named, and looked at only: the policy, which is about what grades, is asked for its keys alone.
    let graders = Graders::new(graders::store(shared), graders::policy(shared)?)?;
    let source = arguments.grader.source(&graders)?;
    let component = graders.read(&source, &ComponentLimits::default())?;
    let (path, bytes) = (&component.path, &component.bytes);
    let named = |problem| {
        let grader = path.display().to_string();
        Failure::from(Error::Grader { grader, problem })
    };
    let inspection = podium::inspect(bytes).map_err(|error| match error {
        Error::Grader { problem, .. } => named(problem),
        other => Failure::from(other),
    })?;
    let grader = if inspection.problems.is_empty() {
        Some(Grader::from_bytes(&engine::start(shared)?, path.to_string_lossy(), bytes)?)
    } else {
        None
    };
    let description = grader.as_ref().map(Grader::description);
    let failure = refusal(path, &inspection);
    let signers = graders.policy().map(|policy| policy.signers_of(&component)).unwrap_or_default();
    let signature = component.signature.iter().flatten().next();
    let inspected = Inspected {
        path,
        inspection: &inspection,
        description,
        signed: signature.is_some(),
        signature_problem: graders::signature_problem(&component, graders.policy()),
        signed_by: signers.iter().map(ToString::to_string).collect(),
        trusted_comment: signature
            .filter(|_| !signers.is_empty())
            .map(podium::Signature::trusted_comment),
    };
    if shared.json {
        output::print_json(&WithError::new(&inspected, failure.as_ref()))?;
    } else {
        output::print(&in_words(&inspected))?;
    }
    if let Some(problem) = &inspected.signature_problem {
        output::warning_line(&format!("the signature of {}: {problem}", path.display()));
    }
    Ok(match failure {
        None => Exit::Success,
        Some(failure) => {
            failure.print();
            failure.exit()
        }
    })
}

/// Why a component is not loaded, all of it.
fn refusal(path: &Path, inspection: &Inspection) -> Option<Failure> {
    let problems: Vec<String> = inspection.problems.iter().map(ToString::to_string).collect();
    let message = format!("{}: {}", path.display(), problems.join("\n"));
    (!problems.is_empty()).then(|| Failure::new(Exit::GraderFailed, output::harmless(&message)))
}

fn in_words(inspected: &Inspected) -> String {
    let Inspection { size, sha256, contract, imports, exports, sealed, functions, .. } =
        inspected.inspection;
    let list = |names: &[String]| {
        if names.is_empty() { "nothing".to_owned() } else { output::harmless(&names.join("\n")) }
    };
    let mut facts = Facts::default();
    facts.add("grader", output::harmless(&inspected.path.display().to_string()));
    let functions = number::counted(usize::try_from(*functions).unwrap_or(usize::MAX), "function");
    facts.add("size", format!("{}, {functions}", number::size(*size)));
    facts.add("sha256", sha256.to_string());
    let contract =
        contract.map_or_else(|| "none".to_owned(), |version| format!("podium:grading {version}"));
    facts.add("contract", contract);
    facts.add("imports", list(imports));
    facts.add("exports", list(exports));
    facts.add(
        "sealed",
        if *sealed { "yes" } else { "no: foreign, it imports more than the contract" },
    );
    facts.add(
        "signed",
        match (inspected.signed, inspected.signed_by.as_slice(), &inspected.trusted_comment) {
            _ if inspected.signature_problem.is_some() => "broken".to_owned(),
            (false, ..) => "no".to_owned(),
            (true, [], _) => "yes, by a key that the trust policy does not name".to_owned(),
            (true, signers, comment) => {
                let comment = output::harmless(comment.as_deref().unwrap_or_default());
                format!("by {} ({comment})", signers.join(", "))
            }
        },
    );
    if let Some(Description { competition, metric, direction, .. }) = inspected.description {
        facts.add("competition", output::harmless(competition));
        facts.add("metric", format!("{}, {direction}", output::harmless(metric)));
    }
    facts.lines()
}
