//! `podium grader pin` and `unpin`: which component of the store grades a competition, whatever lies elsewhere.

use podium::{Digest, GraderSource};
use serde::Serialize;

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::places::Places;
use crate::{engine, graders, output};

/// What `podium grader pin` is told.
#[derive(Debug, clap::Args)]
pub(super) struct PinArguments {
    /// The competition's id
    #[arg(value_name = "COMPETITION")]
    competition: String,
    /// The component, by its digest or the beginning of it; `podium grader list` shows them
    #[arg(value_name = "DIGEST")]
    component: String,
}

/// What `podium grader unpin` is told.
#[derive(Debug, clap::Args)]
pub(super) struct UnpinArguments {
    /// The competition's id
    #[arg(value_name = "COMPETITION")]
    competition: String,
}

/// A pin in the JSON of both commands.
#[derive(Serialize)]
struct Pin<'a> {
    competition: &'a str,
    /// What it is pinned to now.
    sha256: Option<Digest>,
    /// What it was pinned to before.
    before: Option<Digest>,
}

/// Pins, if the component is whole, trusted, and says that it grades the competition.
///
/// # Errors
/// No such component, a damaged one, one that is not trusted, one of another competition.
pub(super) fn pin(arguments: &PinArguments, shared: &Shared) -> Result<Exit, Failure> {
    let graders = graders::find(shared)?;
    let store = graders::store_to_change(shared)?;
    let competition = arguments.competition.as_str();
    let sha256 = store.resolve(&arguments.component)?;
    let source = GraderSource::Stored(sha256);
    let loaded = graders.load(&engine::start(shared)?, competition, &source)?;
    let says = loaded.grader.description();
    // A competition need not be here to be pinned; where it is, all that it says has to fit.
    let here = Places::find(shared)?.catalog().get(competition).ok();
    let mismatch = match here {
        Some(competition) => competition.mismatch(says),
        None => (says.competition != competition)
            .then(|| format!("it says that it grades `{}`, not `{competition}`", says.competition)),
    };
    if let Some(mismatch) = mismatch {
        let message = format!("{} is not pinned: {mismatch}", sha256.prefixed());
        return Err(Failure::new(Exit::GraderFailed, output::harmless(&message)));
    }
    let before = store.pin(competition, &sha256)?;
    if shared.json {
        output::print_json(&Pin { competition, sha256: Some(sha256), before })?;
        return Ok(Exit::Success);
    }
    let what = match before {
        Some(before) if before == sha256 => "was pinned to it already".to_owned(),
        Some(before) => format!("is pinned to it now, and no longer to {}", before.prefixed()),
        None => "is pinned to it now".to_owned(),
    };
    output::print(&format!("{}: {competition} {what}", sha256.prefixed()))?;
    Ok(Exit::Success)
}

/// Ends a pin.
///
/// # Errors
/// A competition that is not pinned.
pub(super) fn unpin(arguments: &UnpinArguments, shared: &Shared) -> Result<Exit, Failure> {
    let store = graders::store_to_change(shared)?;
    let competition = arguments.competition.as_str();
    let Some(before) = store.unpin(competition)? else {
        let id = competition.escape_debug();
        return Err(Failure::new(Exit::Missing, format!("`{id}` is not pinned"))
            .hint("`podium grader list` shows what is pinned"));
    };
    if shared.json {
        output::print_json(&Pin { competition, sha256: None, before: Some(before) })?;
    } else {
        let before = before.prefixed();
        output::print(&format!("{competition} is not pinned any more; it was pinned to {before}"))?;
    }
    Ok(Exit::Success)
}
