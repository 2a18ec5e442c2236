//! The file of a policy: from its text to rules that make sense.
//!
//! Whatever is not understood, or cannot be meant, is an error that names the rule: a slip of the pen must never trust
//! more than was meant.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{AllowRule, Lock, MOST_BYTES, RefuseRule, Subject, TrustDefault, TrustPolicy, rule};
use crate::competition_id;
use crate::definition::explain;
use crate::digest::Digest;
use crate::message;
use crate::regular_file;
use crate::signature::Signer;

/// What stands for all competitions.
const ALL: &str = "*";

/// The characters of a rule's name that are kept.
const NAME_CHARACTERS: usize = 200;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyText {
    default: Option<TrustDefault>,
    #[serde(default)]
    allow: Vec<AllowText>,
    #[serde(default)]
    refuse: Vec<RefuseText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AllowText {
    name: Option<String>,
    competition: Option<String>,
    components: Option<Vec<String>>,
    signers: Option<Vec<String>>,
    lock: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RefuseText {
    name: Option<String>,
    competition: Option<String>,
    components: Option<Vec<String>>,
}

/// The part of a lock that says which component is whose; the rest is of no concern here.
#[derive(Deserialize)]
struct LockText {
    sha256: BTreeMap<String, String>,
}

/// Parses the text of the policy at `path`, and reads the locks that it names.
///
/// # Errors
/// The line or the rule, and what is wrong with it.
pub(super) fn parse(text: &str, path: &Path) -> Result<TrustPolicy, String> {
    let policy: PolicyText = toml::from_str(text).map_err(|error| explain(&error, text))?;
    let default = policy.default.ok_or(
        "it has no `default`: say default = \"refuse\", or \"allow\", for competitions that no rule names",
    )?;
    let mut allow = Vec::new();
    for (index, text) in policy.allow.into_iter().enumerate() {
        let number = index + 1;
        let rule_name = rule("allow", number, None);
        let read = allow_rule(number, text, path).map_err(|why| format!("{rule_name}: {why}"))?;
        allow.push(read);
    }
    let mut refuse = Vec::new();
    for (index, text) in policy.refuse.into_iter().enumerate() {
        let number = index + 1;
        let rule_name = rule("refuse", number, None);
        let read = refuse_rule(number, text).map_err(|why| format!("{rule_name}: {why}"))?;
        refuse.push(read);
    }
    let for_all = allow.iter().find(|rule| rule.subject == Subject::All);
    if let (TrustDefault::Allow, Some(AllowRule { number, .. })) = (default, for_all) {
        let which = rule("allow", *number, None);
        return Err(format!(
            "default = \"allow\" is never used, as {which} is about all competitions: say default = \"refuse\", or \
             which competitions the rule is about"
        ));
    }
    Ok(TrustPolicy {
        path: path.to_owned(),
        sha256: Digest::of(text.as_bytes()),
        default,
        allow,
        refuse,
    })
}

fn allow_rule(number: usize, text: AllowText, policy: &Path) -> Result<AllowRule, String> {
    let AllowText { name, competition, components, signers, lock } = text;
    if components.is_none() && signers.is_none() && lock.is_none() {
        return Err("it allows nothing: give it `components`, `signers` or a `lock`".to_owned());
    }
    let signers = not_empty("signers", signers)?
        .iter()
        .map(|key| {
            Signer::parse(key).map_err(|problem| format!("`signers`: `{}`: {problem}", shown(key)))
        })
        .collect::<Result<_, String>>()?;
    Ok(AllowRule {
        number,
        name: rule_name(name)?,
        subject: subject(competition)?,
        components: digests(components)?,
        signers,
        lock: lock.map(|path| read_lock(&path, policy)).transpose()?,
    })
}

fn refuse_rule(number: usize, text: RefuseText) -> Result<RefuseRule, String> {
    let RefuseText { name, competition, components } = text;
    if components.is_none() {
        return Err("it refuses nothing: give it `components`".to_owned());
    }
    Ok(RefuseRule {
        number,
        name: rule_name(name)?,
        subject: subject(competition)?,
        components: digests(components)?,
    })
}

fn rule_name(name: Option<String>) -> Result<Option<String>, String> {
    match name {
        Some(name) if name.trim().is_empty() => {
            Err("`name` is empty: give it a text, or leave it out".to_owned())
        }
        name => Ok(name.map(|name| message::fit(&name, NAME_CHARACTERS))),
    }
}

fn subject(competition: Option<String>) -> Result<Subject, String> {
    match competition.as_deref() {
        None => Err("it has no `competition`: give it an id, or \"*\" for all".to_owned()),
        Some(ALL) => Ok(Subject::All),
        Some(id) => {
            competition_id::check(id).map_err(|why| format!("`competition`: {why}"))?;
            Ok(Subject::Competition(id.to_owned()))
        }
    }
}

fn digests(components: Option<Vec<String>>) -> Result<Vec<Digest>, String> {
    let parse = |text: &String| {
        Digest::parse_prefixed(text)
            .map_err(|problem| format!("`components`: `{}`: {problem}", shown(text)))
    };
    not_empty("components", components)?.iter().map(parse).collect()
}

/// A list that is there has something in it.
fn not_empty(key: &str, list: Option<Vec<String>>) -> Result<Vec<String>, String> {
    match list {
        Some(list) if list.is_empty() => {
            Err(format!("`{key}` is empty: name at least one, or leave it out"))
        }
        list => Ok(list.unwrap_or_default()),
    }
}

/// Reads a file of digests by competition; its path is relative to the policy's folder.
fn read_lock(path: &Path, policy: &Path) -> Result<Lock, String> {
    let path = policy.parent().unwrap_or(Path::new("")).join(path);
    let wrong = |message: String| format!("`lock`: {}: {message}", path.display());
    let text = regular_file::read_text(&path, MOST_BYTES)
        .map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let lock: LockText = toml::from_str(&text).map_err(|error| wrong(explain(&error, &text)))?;
    let mut sha256 = BTreeMap::new();
    for (competition, digest) in lock.sha256 {
        competition_id::check(&competition).map_err(|why| wrong(format!("`sha256`: {why}")))?;
        let digest = Digest::parse_prefixed(&digest)
            .map_err(|problem| wrong(format!("`sha256.{competition}`: {problem}")))?;
        sha256.insert(competition, digest);
    }
    Ok(Lock { path, sha256 })
}

/// What somebody wrote, short enough for a message and harmless.
fn shown(text: &str) -> String {
    message::fit(text, 80)
}
