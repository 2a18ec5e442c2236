//! What `podium doctor` says of the component store and the trust policy.

use podium::{Graders, Listing, TrustDefault};

use super::Check;
use crate::arguments::Shared;
use crate::{graders, number, unknown_competitions};

/// What is known of the component store and the trust policy.
pub(super) struct StoreAndPolicy {
    /// The line of the store.
    pub(super) store: Check,
    /// The line of the policy.
    pub(super) trust: Check,
    /// Both together, where neither is wrong.
    pub(super) choice: Option<Graders>,
}

/// Looks at both.
pub(super) fn look(shared: &Shared, listing: &Listing) -> StoreAndPolicy {
    let found = graders::find(shared);
    let policy = graders::policy(shared);
    let store = match (graders::store(shared), &found) {
        // What is wrong may be the policy alone.
        (_, Err(failure)) if policy.is_ok() => Check::problem(
            "store",
            failure.to_string(),
            "put it right: nothing is graded as it is; name another store with --store or PODIUM_STORE",
        ),
        (None, _) => Check::ok("store", "none: there is no home folder for one"),
        (Some(store), _) => match (store.list(), store.pins()) {
            (Ok(components), Ok(pins)) => {
                let text = format!(
                    "{} and {} in {}",
                    number::counted(components.len(), "component"),
                    number::counted(pins.iter().count(), "pin"),
                    store.folder().display()
                );
                let to_nothing = pins.iter().filter(|(_, sha256)| !store.holds(sha256));
                let to_nothing = to_nothing.map(|(competition, sha256)| {
                    format!(
                        "`{competition}` is pinned to {}, which is not there",
                        sha256.prefixed()
                    )
                });
                let unknown = found_or_none(found.as_ref().ok(), |graders| {
                    unknown_competitions::pins(graders, listing)
                });
                with_remarks(
                    "store",
                    text,
                    to_nothing.chain(unknown).collect(),
                    "end such pins with `podium grader unpin`, or add the components again",
                )
            }
            (Err(error), _) | (_, Err(error)) => Check::problem(
                "store",
                error.to_string(),
                "put it right, or name another store with --store or PODIUM_STORE",
            ),
        },
    };
    let trust = match &policy {
        Err(failure) => Check::problem(
            "trust",
            failure.to_string(),
            "put the policy right, or name another with --trust or PODIUM_TRUST",
        ),
        Ok(None) => Check::ok(
            "trust",
            match graders::default_policy() {
                Some(path) => {
                    format!("no policy (there is no {}): any component may grade", path.display())
                }
                None => "no policy: any component may grade".to_owned(),
            },
        ),
        Ok(Some(policy)) => {
            let (allow, refuse) = policy.rules();
            let default = match policy.default_decision() {
                TrustDefault::Allow => "allow",
                TrustDefault::Refuse => "refuse",
            };
            let text = format!(
                "{}, rules: {allow} allow, {refuse} refuse; default {default}",
                policy.path().display(),
            );
            with_remarks(
                "trust",
                text,
                found_or_none(found.as_ref().ok(), |graders| {
                    unknown_competitions::rules(graders, listing)
                }),
                "correct the ids in these rules, or name the folders of these competitions with --competitions",
            )
        }
    };
    StoreAndPolicy { store, trust, choice: found.ok() }
}

fn found_or_none(
    graders: Option<&Graders>,
    of: impl FnOnce(&Graders) -> Vec<String>,
) -> Vec<String> {
    graders.map(of).unwrap_or_default()
}

/// What was found; a warning where there is something to remark.
fn with_remarks(
    name: &'static str,
    found: String,
    remarks: Vec<String>,
    advice: &'static str,
) -> Check {
    if remarks.is_empty() {
        return Check::ok(name, found);
    }
    Check::warning(name, format!("{found}; {}", remarks.join("; ")), advice)
}
