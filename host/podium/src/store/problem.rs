//! What can be wrong with a component store, in words that say what to do.

use super::{FEWEST_DIGITS, PINS_FILE};
use crate::digest::Digest;

/// What can be wrong with a store, or with what is asked of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreProblem {
    /// There is no component of this digest.
    #[error("it holds no component {}; add it with `podium grader add`", sha256.prefixed())]
    NotStored {
        /// The digest.
        sha256: Digest,
    },
    /// A file is not what its name says.
    #[error(
        "{} is damaged: its bytes have the digest {found}, so it is not run; add the component again, or remove it",
        sha256.prefixed()
    )]
    Damaged {
        /// The digest that the file is stored under.
        sha256: Digest,
        /// The digest of its bytes.
        found: Digest,
    },
    /// Text that is neither a digest nor the beginning of one.
    #[error(
        "`{text}` is no digest and not the beginning of one; give at least {FEWEST_DIGITS} of its hexadecimal digits, \
         as `podium grader list` shows them"
    )]
    NotADigest {
        /// The text, control characters escaped.
        text: String,
    },
    /// No digest in the store begins so.
    #[error("no component in it begins with {prefix}; `podium grader list` shows them all")]
    UnknownPrefix {
        /// The digits.
        prefix: String,
    },
    /// Several digests in the store begin so.
    #[error("{prefix} is the beginning of {} components; give more digits: {}", candidates.len(), listed(candidates))]
    Ambiguous {
        /// The digits.
        prefix: String,
        /// The components, sorted.
        candidates: Vec<Digest>,
    },
    /// A component that is pinned shall be removed.
    #[error("{} is pinned for {}, and stays", sha256.prefixed(), competitions.join(", "))]
    Pinned {
        /// The component.
        sha256: Digest,
        /// The competitions.
        competitions: Vec<String>,
    },
    /// A competition is pinned to a component that is not there.
    #[error(
        "`{competition}` is pinned to {}, which is not in the store; add that component again, or end the pin with \
         `podium grader unpin {competition}`",
        sha256.prefixed()
    )]
    PinnedIsMissing {
        /// The competition.
        competition: String,
        /// The component.
        sha256: Digest,
    },
    /// `pins.toml` is not what it should be.
    #[error("{PINS_FILE}: {message}")]
    Pins {
        /// What is wrong with it.
        message: String,
    },
}

fn listed(digests: &[Digest]) -> String {
    digests.iter().map(Digest::prefixed).collect::<Vec<_>>().join(", ")
}
