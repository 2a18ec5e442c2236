//! Pins and rules of the trust policy that are about competitions which are not known here: what a slip of the pen in an id
//! comes to, and what nothing else would show.

use podium::{Graders, Listing};

use crate::output;

/// All of them, a sentence each; none where no competition is known at all, as then the folder is what is wrong.
pub(crate) fn all(graders: &Graders, listing: &Listing) -> Vec<String> {
    pins(graders, listing).into_iter().chain(rules(graders, listing)).collect()
}

/// The pins.
pub(crate) fn pins(graders: &Graders, listing: &Listing) -> Vec<String> {
    let pins = graders.pins().iter();
    let unknown = pins.filter(|(competition, _)| is_unknown(competition, listing));
    unknown
        .map(|(competition, sha256)| {
            format!(
                "the pin of `{competition}` to {} is about a competition that is not known here",
                sha256.prefixed()
            )
        })
        .collect()
}

/// The rules.
pub(crate) fn rules(graders: &Graders, listing: &Listing) -> Vec<String> {
    let Some(policy) = graders.policy() else { return Vec::new() };
    let path = output::path(policy.path());
    let rules = policy.competitions().into_iter();
    let unknown = rules.filter(|(competition, _)| is_unknown(competition, listing));
    unknown
        .map(|(competition, rule)| {
            format!("{rule} of {path} is about `{competition}`, which is not known here")
        })
        .collect()
}

fn is_unknown(competition: &str, listing: &Listing) -> bool {
    // A broken folder may be the one that is meant.
    !listing.competitions.is_empty()
        && listing.problems.is_empty()
        && listing.competitions.iter().all(|known| known.id() != competition)
}
