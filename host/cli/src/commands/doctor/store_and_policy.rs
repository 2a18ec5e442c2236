//! What `podium doctor` says of the component store and the trust policy.

use podium::{Graders, TrustDefault};

use super::Check;
use crate::arguments::Shared;
use crate::{graders, number};

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
pub(super) fn look(shared: &Shared) -> StoreAndPolicy {
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
            (Ok(components), Ok(pins)) => Check::ok(
                "store",
                format!(
                    "{} and {} in {}",
                    number::counted(components.len(), "component"),
                    number::counted(pins.iter().count(), "pin"),
                    store.folder().display()
                ),
            ),
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
            Check::ok(
                "trust",
                format!(
                    "{}, rules: {allow} allow, {refuse} refuse; default {default}",
                    policy.path().display(),
                ),
            )
        }
    };
    StoreAndPolicy { store, trust, choice: found.ok() }
}
