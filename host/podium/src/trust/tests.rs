use std::fs;

use proptest::prelude::*;

use super::*;
use crate::signature::testing::{KEY, OF_TEST};

fn component(bytes: &[u8], signature: Option<&str>) -> ComponentFile {
    ComponentFile {
        path: "graders/seals.wasm".into(),
        bytes: bytes.to_vec(),
        sha256: Digest::of(bytes),
        signature: Ok(signature.map(|text| Signature::parse(text).unwrap())),
    }
}

fn policy(text: &str) -> TrustPolicy {
    policy_file::parse(text, Path::new("trust.toml")).unwrap()
}

/// A policy whose `TEST` and `OTHER` stand for the digests of these words, and `KEY` for a key.
fn written(text: &str) -> String {
    text.replace("TEST", &Digest::of(b"test").prefixed())
        .replace("OTHER", &Digest::of(b"other").prefixed())
        .replace("KEY", KEY)
}

/// Whether the component `test` may grade, and why or why not.
fn judged(text: &str, competition: &str, signature: Option<&str>) -> Result<TrustedFor, String> {
    let judged = policy(&written(text)).judge(competition, &component(b"test", signature));
    judged.map(|by| by.because).map_err(|refusal| refusal.why)
}

#[test]
fn what_is_named_may_grade_and_nothing_else() {
    let by_digest = "default = \"refuse\"\n[[allow]]\ncompetition = \"seals\"\ncomponents = [\"OTHER\", \"TEST\"]";
    let by_signer = "default = \"refuse\"\n[[allow]]\ncompetition = \"seals\"\nsigners = [\"KEY\"]";
    let other_digest =
        "default = \"allow\"\n[[allow]]\ncompetition = \"seals\"\ncomponents = [\"OTHER\"]";
    let bad = OF_TEST.replace("file:test", "file:last");
    let cases: [(&str, &str, Option<&str>, Result<TrustedFor, &str>); 12] = [
        ("default = \"allow\"", "seals", None, Ok(TrustedFor::Default)),
        ("default = \"refuse\"", "seals", None, Err("no rule is about this competition")),
        (by_digest, "seals", None, Ok(TrustedFor::Component)),
        (by_digest, "whales", None, Err("no rule is about this competition")),
        (by_digest, "Seals", None, Err("no rule is about this competition")),
        (by_signer, "seals", Some(OF_TEST), Ok(TrustedFor::Signer)),
        (
            by_signer,
            "seals",
            None,
            Err("it is not signed (there is no graders/seals.wasm.minisig)"),
        ),
        (by_signer, "seals", Some(&bad), Err("does not hold: the component or the signature")),
        (by_signer, "whales", Some(OF_TEST), Err("no rule is about this competition")),
        // A competition that a rule is about is closed, whatever the default says of others.
        (
            other_digest,
            "seals",
            None,
            Err("[[allow]] 1 decides and does not allow it: its digest is not named"),
        ),
        (other_digest, "whales", None, Ok(TrustedFor::Default)),
        (other_digest, "seals", Some(OF_TEST), Err("its digest is not named")),
    ];
    for (text, competition, signature, expected) in cases {
        match (judged(text, competition, signature), expected) {
            (Ok(because), Ok(expected)) => assert_eq!(because, expected, "{text}"),
            (Err(why), Err(part)) => assert!(why.contains(part), "{text}: {why}"),
            (judged, expected) => panic!("{text}: {judged:?} instead of {expected:?}"),
        }
    }
}

#[test]
fn of_several_rules_the_own_go_before_those_for_all_and_refusing_before_allowing() {
    let all = "[[allow]]\ncompetition = \"*\"\ncomponents = [\"TEST\"]\n";
    let own = "[[allow]]\ncompetition = \"seals\"\nname = \"ours\"\ncomponents = [\"OTHER\"]\n";
    let own_signed = "[[allow]]\ncompetition = \"seals\"\nsigners = [\"KEY\"]\n";
    let refused =
        "[[refuse]]\ncompetition = \"*\"\nname = \"scores nothing\"\ncomponents = [\"TEST\"]\n";
    let refused_for = refused.replace('*', "whales");
    let judge = |rules: &[&str], competition: &str| {
        judged(&format!("default = \"refuse\"\n{}", rules.concat()), competition, Some(OF_TEST))
    };
    assert_eq!(judge(&[all], "seals"), Ok(TrustedFor::Component));
    assert_eq!(judge(&[all, own], "whales"), Ok(TrustedFor::Component));
    let why = judge(&[all, own], "seals").unwrap_err();
    assert!(why.contains("[[allow]] 2 (ours) decides"), "{why}");
    // Of a competition's own rules, one is enough.
    assert_eq!(judge(&[all, own, own_signed], "seals"), Ok(TrustedFor::Signer));
    assert_eq!(judge(&[all, own_signed, own], "seals"), Ok(TrustedFor::Signer));
    for rules in [[all, refused], [own_signed, refused]] {
        let why = judge(&rules, "seals").unwrap_err();
        assert_eq!(why, "[[refuse]] 1 (scores nothing) names it");
    }
    assert_eq!(judge(&[all, &refused_for], "seals"), Ok(TrustedFor::Component));
    assert!(judge(&[all, &refused_for], "whales").is_err());
}

#[test]
fn a_lock_names_one_component_a_competition() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trust.toml");
    let lock = format!(
        "rustc = \"1.95.0\"\n\n[sha256]\nseals = \"{}\"\nwhales = \"{}\"\n",
        Digest::of(b"test"),
        Digest::of(b"other")
    );
    fs::write(folder.path().join("graders.lock"), lock).unwrap();
    let text = "default = \"refuse\"\n[[allow]]\ncompetition = \"*\"\nlock = \"graders.lock\"\n";
    fs::write(&path, text).unwrap();
    let policy = TrustPolicy::read(&path).unwrap();
    let judge = |competition: &str| policy.judge(competition, &component(b"test", None));
    assert_eq!(judge("seals").unwrap().because, TrustedFor::Lock);
    let other = format!("graders.lock names {}", Digest::of(b"other").prefixed());
    for (competition, part) in [("whales", &*other), ("walruses", "does not name the competition")]
    {
        let refusal = judge(competition).unwrap_err();
        assert!(refusal.why.contains(part), "{refusal}");
    }
    fs::remove_file(folder.path().join("graders.lock")).unwrap();
    let error = TrustPolicy::read(&path).unwrap_err().to_string();
    assert!(error.contains("[[allow]] 1: `lock`: ") && error.contains("graders.lock"), "{error}");
}

#[test]
fn whoever_is_trusted_is_told() {
    let text = written(
        "default = \"refuse\"\n[[allow]]\ncompetition = \"*\"\nname = \"theirs\"\nsigners = [\"KEY\"]\n",
    );
    let policy = policy(&text);
    let signed = component(b"test", Some(OF_TEST));
    let by = policy.judge("seals", &signed).unwrap();
    assert_eq!(
        (by.rule, by.name.as_deref(), by.signer.as_deref()),
        (Some(1), Some("theirs"), Some(KEY))
    );
    assert_eq!(by.policy_sha256, Digest::of(text.as_bytes()));
    let words = by.to_string();
    assert!(words.starts_with("[[allow]] 1 (theirs) of trust.toml, signed by RWQf"), "{words}");
    assert!(words.contains("timestamp:1633700835"), "{words}");
    assert_eq!(policy.signers_of(&signed).len(), 1);
    assert!(policy.signers_of(&component(b"test", None)).is_empty());
    assert!(policy.finds_changed(b"tess", &Signature::parse(OF_TEST).unwrap()));
    assert!(!policy.finds_changed(b"test", &Signature::parse(OF_TEST).unwrap()));
    let refusal = policy.judge("seals", &component(b"other", None)).unwrap_err().to_string();
    for part in [
        "graders/seals.wasm is not trusted to grade `seals`",
        &Digest::of(b"other").prefixed(),
        "policy: trust.toml",
        "nothing of it was run",
    ] {
        assert!(refusal.contains(part), "{refusal}");
    }
}

#[test]
fn mistakes_are_named_and_never_trust_anybody() {
    let rule = |text: &str| format!("default = \"refuse\"\n[[allow]]\n{text}");
    let refuse = |text: &str| format!("default = \"refuse\"\n[[refuse]]\n{text}");
    let cases = [
        ("".to_owned(), "no `default`"),
        ("[[allow]]\ncompetition = \"*\"\ncomponents = [\"TEST\"]".to_owned(), "no `default`"),
        ("default = \"alow\"".to_owned(), "unknown value `alow`"),
        ("default = true".to_owned(), "line 1"),
        ("defualt = \"allow\"".to_owned(), "did you mean `default`"),
        ("default = \"refuse\"\n[[alow]]".to_owned(), "did you mean `allow`"),
        ("default = \"refuse\"\n[allow]".to_owned(), "expected a list"),
        ("default = \"refuse\"\ndefault = \"allow\"".to_owned(), "line 2"),
        ("default = ".to_owned(), "line 1"),
        (rule("competition = \"seals\""), "[[allow]] 1: it allows nothing"),
        (rule("components = [\"TEST\"]"), "[[allow]] 1: it has no `competition`"),
        (rule("competition = \"seals\"\ncomponents = []"), "`components` is empty"),
        (rule("competition = \"seals\"\nsigners = []"), "`signers` is empty"),
        (rule("competition = \"\"\ncomponents = [\"TEST\"]"), "never empty"),
        (rule("competition = \"se*\"\ncomponents = [\"TEST\"]"), "letters, digits and hyphens"),
        (rule("competition = [\"a\"]\ncomponents = [\"TEST\"]"), "found a list, expected a text"),
        (rule("competition = \"a\"\ncomponents = [\"sha256:12\"]"), "`sha256:12`: not a SHA-256"),
        (rule("competition = \"a\"\ncomponents = \"TEST\""), "expected a list"),
        (rule("competition = \"a\"\nsigners = [\"RWabc\"]"), "`RWabc`: not a public key"),
        (rule("competition = \"a\"\nsigner = [\"KEY\"]"), "did you mean `signers`"),
        (rule("competition = \"a\"\nlock = \"missing.lock\""), "missing.lock: cannot be read"),
        (rule("competition = \"a\"\nname = \" \"\nsigners = [\"KEY\"]"), "`name` is empty"),
        (refuse("competition = \"*\""), "[[refuse]] 1: it refuses nothing"),
        (refuse("components = [\"TEST\"]"), "[[refuse]] 1: it has no `competition`"),
        (refuse("competition = \"*\"\nsigners = [\"KEY\"]"), "unknown key `signers`"),
        (
            rule("competition = \"*\"\nsigners = [\"KEY\"]").replace("\"refuse\"", "\"allow\""),
            "default = \"allow\" is never used, as [[allow]] 1 is about all",
        ),
    ];
    for (text, part) in cases {
        let text = written(&text);
        let message = policy_file::parse(&text, Path::new("trust.toml")).unwrap_err();
        assert!(message.contains(part), "{text}\n→ {message}");
    }
}

#[test]
fn a_policy_that_cannot_be_read_is_an_error_whatever_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trust.toml");
    let message = |path: &Path| TrustPolicy::read(path).unwrap_err().to_string();
    assert!(message(&path).contains("trust.toml: cannot be read"));
    assert!(message(folder.path()).contains("this is a folder"));
    fs::write(&path, [0xff, 0xfe]).unwrap();
    assert!(message(&path).contains("not UTF-8"));
    #[cfg(unix)]
    assert!(message(Path::new("/dev/zero")).contains("this is a device"));
}

proptest! {
    #[test]
    fn any_text_is_a_policy_or_a_mistake(text in "\\PC*|(default = \"(allow|refuse)\"\n)?(\\[\\[(allow|refuse)\\]\\]\n(competition = \"[*a-z]{0,3}\"\n)?)*") {
        let _ = policy_file::parse(&text, Path::new("trust.toml"));
    }
}
