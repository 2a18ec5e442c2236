//! Who may grade what: a policy that says which components, and whose, grade a competition here.
//!
//! A policy is a file that somebody wrote (see `docs/trust.md`):
//!
//! ```toml
//! default = "refuse"                 # for competitions that no rule names: refuse | allow
//!
//! [[allow]]
//! name = "the built-in graders"      # optional, for messages
//! competition = "*"                  # an id, or * for all that have no rules of their own
//! lock = "graders.lock"              # digests by competition, as `cargo xtask graders` writes them
//!
//! [[allow]]
//! competition = "seal-counting"
//! components = ["sha256:0f…"]
//! signers = ["RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3"]
//!
//! [[refuse]]
//! competition = "*"
//! components = ["sha256:e3…"]
//! ```
//!
//! A component is judged by its bytes and its signature before anything of it is compiled or run. What a rule refuses
//! stays refused. A competition with rules of its own is graded by what they allow and nothing else; all others by what
//! the rules for `*` allow; where there are none either, the default decides. So a further rule can only ever refuse what
//! was allowed before, or name exactly what is allowed.

mod policy_file;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::component_file::ComponentFile;
use crate::digest::Digest;
use crate::error::Error;
use crate::regular_file;
use crate::signature::{Signature, SignatureCheck, Signer};

/// No policy and no lock is larger.
const MOST_BYTES: u64 = 16 << 20;

/// A policy, read and checked.
#[derive(Clone, Debug)]
pub struct TrustPolicy {
    path: PathBuf,
    sha256: Digest,
    default: TrustDefault,
    allow: Vec<AllowRule>,
    refuse: Vec<RefuseRule>,
}

/// What becomes of a competition that no rule names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrustDefault {
    /// Any component grades it.
    Allow,
    /// None does.
    Refuse,
}

/// Which competitions a rule is about.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Subject {
    All,
    Competition(String),
}

impl Subject {
    fn covers(&self, competition: &str) -> bool {
        match self {
            Subject::All => true,
            Subject::Competition(id) => id == competition,
        }
    }
}

#[derive(Clone, Debug)]
struct AllowRule {
    /// From 1 on, among the rules of its kind.
    number: usize,
    name: Option<String>,
    subject: Subject,
    components: Vec<Digest>,
    signers: Vec<Signer>,
    lock: Option<Lock>,
}

/// Digests by competition.
#[derive(Clone, Debug)]
struct Lock {
    path: PathBuf,
    sha256: BTreeMap<String, Digest>,
}

#[derive(Clone, Debug)]
struct RefuseRule {
    number: usize,
    name: Option<String>,
    subject: Subject,
    components: Vec<Digest>,
}

/// Why a component may grade: part of a report, so that it can be told later what was trusted and by whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedBy {
    /// The file of the policy.
    pub policy: String,
    /// The digest of that file.
    pub policy_sha256: Digest,
    /// The number of the `[[allow]]` rule, from 1 on; `None` where the default allows.
    pub rule: Option<usize>,
    /// The name of that rule, where it has one.
    pub name: Option<String>,
    /// By what the component is trusted.
    pub because: TrustedFor,
    /// The public key of whoever signed it, where that is why.
    pub signer: Option<String>,
    /// What the signer said, where that is why.
    pub trusted_comment: Option<String>,
}

/// By what a component is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrustedFor {
    /// A rule names its digest.
    Component,
    /// A rule's lock names its digest.
    Lock,
    /// A rule names whoever signed it.
    Signer,
    /// No rule names the competition, and then anything may grade it.
    Default,
}

impl fmt::Display for TrustedBy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rule {
            Some(number) => write!(formatter, "{}", rule("allow", number, self.name.as_deref()))?,
            None => formatter.write_str("the default")?,
        }
        write!(formatter, " of {}", self.policy)?;
        match (&self.because, &self.signer) {
            (TrustedFor::Component, _) => formatter.write_str(", by its digest"),
            (TrustedFor::Lock, _) => formatter.write_str(", by its lock"),
            (TrustedFor::Signer, Some(signer)) => {
                write!(formatter, ", signed by {signer}")?;
                match self.trusted_comment.as_deref() {
                    Some(comment) if !comment.is_empty() => write!(formatter, " ({comment})"),
                    _ => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }
}

/// That a component may not grade a competition here, and why not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} at {} is not trusted to grade `{competition}`: {why} (policy: {}); nothing of it was run; {remedy}",
    sha256.prefixed(), component.display(), policy.display()
)]
#[non_exhaustive]
pub struct Refusal {
    /// The competition.
    pub competition: String,
    /// The digest of the component.
    pub sha256: Digest,
    /// Where the component lies.
    pub component: PathBuf,
    /// The file of the policy.
    pub policy: PathBuf,
    /// Which rule refused it, or why none allowed it.
    pub why: String,
    /// What would let it grade, for whoever wants that.
    pub remedy: &'static str,
}

/// What lets a component grade that a rule refuses.
const TO_REFUSE_NO_MORE: &str =
    "no other rule can let it grade: to trust it, take its digest out of the one that refuses it";

/// What lets a component grade that no rule allows.
const TO_ALLOW: &str =
    "to trust it, name its digest, or whoever signed it, in an [[allow]] rule for the competition";

impl TrustPolicy {
    /// Reads a policy, and the locks that it names.
    ///
    /// # Errors
    /// [`Error::TrustPolicy`] with the file and what is wrong with it: it is not there, cannot be read, or says what makes
    /// no sense. There is no policy then; to go on without would be to trust everything.
    pub fn read(path: &Path) -> Result<TrustPolicy, Error> {
        let wrong = |message: String| Error::TrustPolicy { path: path.to_owned(), message };
        let text = regular_file::read_text(path, MOST_BYTES)
            .map_err(|error| wrong(format!("cannot be read: {error}")))?;
        policy_file::parse(&text, path).map_err(wrong)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file, and the locks that it names.
    pub fn files(&self) -> Vec<&Path> {
        let locks = self.allow.iter().filter_map(|rule| rule.lock.as_ref());
        std::iter::once(self.path()).chain(locks.map(|lock| lock.path.as_path())).collect()
    }

    /// The digest of the file.
    pub fn sha256(&self) -> &Digest {
        &self.sha256
    }

    /// What becomes of a competition that no rule names.
    pub fn default_decision(&self) -> TrustDefault {
        self.default
    }

    /// The competitions that rules are about by name, each with its rule as messages name it.
    pub fn competitions(&self) -> Vec<(&str, String)> {
        let allow = self.allow.iter().map(|of| (&of.subject, "allow", of.number, &of.name));
        let refuse = self.refuse.iter().map(|of| (&of.subject, "refuse", of.number, &of.name));
        allow
            .chain(refuse)
            .filter_map(|(subject, kind, number, name)| match subject {
                Subject::All => None,
                Subject::Competition(id) => {
                    Some((id.as_str(), rule(kind, number, name.as_deref())))
                }
            })
            .collect()
    }

    /// How many rules allow, and how many refuse.
    pub fn rules(&self) -> (usize, usize) {
        (self.allow.len(), self.refuse.len())
    }

    /// Whether a component may grade a competition.
    ///
    /// # Errors
    /// The refusal, for people.
    pub fn judge(
        &self,
        competition: &str,
        component: &ComponentFile,
    ) -> Result<TrustedBy, Box<Refusal>> {
        let refused = |why: String, remedy: &'static str| {
            Box::new(Refusal {
                remedy,
                competition: competition.to_owned(),
                sha256: component.sha256,
                component: component.path.clone(),
                policy: self.path.clone(),
                why,
            })
        };
        let names = |rule: &&RefuseRule| {
            rule.subject.covers(competition) && rule.components.contains(&component.sha256)
        };
        if let Some(RefuseRule { number, name, .. }) = self.refuse.iter().find(names) {
            let which = rule("refuse", *number, name.as_deref());
            return Err(refused(format!("{which} names it"), TO_REFUSE_NO_MORE));
        }
        let rules = self.rules_for(competition);
        if rules.is_empty() {
            return match self.default {
                TrustDefault::Allow => Ok(self.trusted_by(None, TrustedFor::Default)),
                TrustDefault::Refuse => Err(refused(
                    "no rule is about this competition, and the default is to refuse".to_owned(),
                    TO_ALLOW,
                )),
            };
        }
        let mut of_known_keys = Vec::new();
        for rule in &rules {
            if rule.components.contains(&component.sha256) {
                return Ok(self.trusted_by(Some(rule), TrustedFor::Component));
            }
            let locked = rule.lock.as_ref().and_then(|lock| lock.sha256.get(competition));
            if locked == Some(&component.sha256) {
                return Ok(self.trusted_by(Some(rule), TrustedFor::Lock));
            }
            let Ok(Some(signature)) = &component.signature else { continue };
            for signer in &rule.signers {
                match signer.check(&component.bytes, signature) {
                    SignatureCheck::Holds => {
                        return Ok(TrustedBy {
                            signer: Some(signer.to_string()),
                            trusted_comment: Some(signature.trusted_comment()),
                            ..self.trusted_by(Some(rule), TrustedFor::Signer)
                        });
                    }
                    check => of_known_keys.push(check),
                }
            }
        }
        Err(refused(not_allowed(&rules, competition, component, &of_known_keys), TO_ALLOW))
    }

    /// Whether there is a competition that a component may grade.
    pub fn trusts_somewhere(&self, component: &ComponentFile) -> bool {
        let is_refused = |rule: &RefuseRule| {
            rule.subject == Subject::All && rule.components.contains(&component.sha256)
        };
        if self.refuse.iter().any(is_refused) {
            return false;
        }
        let names = |rule: &AllowRule| {
            rule.components.contains(&component.sha256)
                || rule
                    .lock
                    .iter()
                    .any(|lock| lock.sha256.values().any(|it| *it == component.sha256))
        };
        self.default == TrustDefault::Allow
            || self.allow.iter().any(names)
            || !self.signers_of(component).is_empty()
    }

    /// The keys of this policy under which a component's signature holds: who signed it, as far as that is known.
    pub fn signers_of(&self, component: &ComponentFile) -> Vec<&Signer> {
        let Ok(Some(signature)) = &component.signature else { return Vec::new() };
        let mut signers: Vec<&Signer> = Vec::new();
        for signer in self.allow.iter().flat_map(|rule| &rule.signers) {
            if !signers.contains(&signer)
                && signer.check(&component.bytes, signature) == SignatureCheck::Holds
            {
                signers.push(signer);
            }
        }
        signers
    }

    /// Whether the signature of a component was made with a key of this policy, and holds.
    pub fn finds_signed(&self, bytes: &[u8], signature: &Signature) -> bool {
        let mut signers = self.allow.iter().flat_map(|rule| &rule.signers);
        signers.any(|signer| signer.check(bytes, signature) == SignatureCheck::Holds)
    }

    /// Whether the signature of a component was made with a key of this policy and does not hold: the component or the
    /// signature was changed since.
    pub fn finds_changed(&self, bytes: &[u8], signature: &Signature) -> bool {
        let mut signers = self.allow.iter().flat_map(|rule| &rule.signers);
        signers.any(|signer| signer.check(bytes, signature) == SignatureCheck::DoesNotHold)
    }

    /// The rules that decide about a competition: its own, else those for all.
    fn rules_for(&self, competition: &str) -> Vec<&AllowRule> {
        let about = |subject: &Subject| {
            self.allow.iter().filter(|rule| rule.subject == *subject).collect::<Vec<_>>()
        };
        let own = about(&Subject::Competition(competition.to_owned()));
        if own.is_empty() { about(&Subject::All) } else { own }
    }

    fn trusted_by(&self, rule: Option<&AllowRule>, because: TrustedFor) -> TrustedBy {
        TrustedBy {
            policy: self.path.to_string_lossy().into_owned(),
            policy_sha256: self.sha256,
            rule: rule.map(|rule| rule.number),
            name: rule.and_then(|rule| rule.name.clone()),
            because,
            signer: None,
            trusted_comment: None,
        }
    }
}

/// A rule, as messages name it: `[[allow]] 2 (the built-in graders)`.
fn rule(kind: &str, number: usize, name: Option<&str>) -> String {
    let name = name.map(|name| format!(" ({name})")).unwrap_or_default();
    format!("[[{kind}]] {number}{name}")
}

/// Why none of the rules allows a component.
fn not_allowed(
    rules: &[&AllowRule],
    competition: &str,
    component: &ComponentFile,
    of_known_keys: &[SignatureCheck],
) -> String {
    let names: Vec<String> =
        rules.iter().map(|one| rule("allow", one.number, one.name.as_deref())).collect();
    let mut why = format!("{} decides and does not allow it", names.join(", "));
    if let [_, _, ..] = names.as_slice() {
        why = format!("{} decide and do not allow it", names.join(", "));
    }
    let mut reasons = Vec::new();
    if rules.iter().any(|rule| !rule.components.is_empty()) {
        reasons.push("its digest is not named".to_owned());
    }
    for lock in rules.iter().filter_map(|rule| rule.lock.as_ref()) {
        let path = lock.path.display();
        reasons.push(match lock.sha256.get(competition) {
            Some(sha256) => format!("{path} names {}", sha256.prefixed()),
            None => format!("{path} does not name the competition"),
        });
    }
    if rules.iter().any(|rule| !rule.signers.is_empty()) {
        let beside = Signature::path_beside(&component.path);
        let beside = beside.display();
        let any = |check| of_known_keys.contains(&check);
        reasons.push(match &component.signature {
            Ok(None) => format!("it is not signed (there is no {beside})"),
            Err(problem) => format!("its signature {beside}: {problem}"),
            Ok(Some(_)) if any(SignatureCheck::DoesNotHold) => format!(
                "its signature {beside} does not hold: the component or the signature was changed since it was signed"
            ),
            Ok(Some(_)) if any(SignatureCheck::OldForm) => format!(
                "its signature {beside} is of minisign's old form; sign it again with a newer minisign"
            ),
            Ok(Some(_)) => format!("its signature {beside} is by none of the signers that are named"),
        });
    }
    format!("{why}: {}", reasons.join("; "))
}
