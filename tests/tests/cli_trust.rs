//! Trust: which graders a policy lets grade, with real keys and signatures, and what is said of the others.

use std::fs;

use podium::Digest;
use podium_tests::signing::SigningKey;
use podium_tests::workbench::{EXAMPLE_GRADE, Ran, Workbench, example_grader};
use serde_json::Value;

fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", Digest::of(bytes))
}

/// A grader that cannot be loaded: were it compiled or run before the policy was asked, that would be what is said.
fn no_component() -> Vec<u8> {
    b"not a component".to_vec()
}

/// The command that grades the example's submission under a policy.
fn grade(workbench: &Workbench, policy: &str) -> Ran {
    workbench.write("trust.toml", policy);
    workbench.run(["grade-sample", "submission.csv", "example", "--json", "--trust", "trust.toml"])
}

fn rule(what: &str) -> String {
    format!("default = \"refuse\"\n\n[[allow]]\ncompetition = \"example\"\n{what}\n")
}

#[test]
fn what_a_rule_names_grades_and_the_report_says_why() {
    let workbench = Workbench::with_example();
    let half = digest(&example_grader(&[]));
    let without = workbench.run(["grade-sample", "submission.csv", "example", "--json"]);
    assert_eq!(without.ends_with(0).json()["grader_trusted_by"], Value::Null);
    let policy = rule(&format!("name = \"ours\"\ncomponents = [\"{half}\"]"));
    let trusted = grade(&workbench, &policy).ends_with(0).json()["grader_trusted_by"].clone();
    for (key, value) in [
        ("policy", "trust.toml"),
        ("because", "component"),
        ("name", "ours"),
        ("policy_sha256", &Digest::of(policy.as_bytes()).to_string()),
    ] {
        assert_eq!(trusted[key], value, "{trusted}");
    }
    assert_eq!(trusted["rule"], 1);
    let ran = workbench
        .run(["grade-sample", "submission.csv", "example", "--trust", "trust.toml"])
        .ends_with(0);
    let says = "trusted by   [[allow]] 1 (ours) of trust.toml, by its digest";
    assert!(ran.stdout.contains(says), "{}", ran.stdout);
    let trusted = grade(&workbench, "default = \"allow\"").ends_with(0).json();
    assert_eq!(trusted["grader_trusted_by"]["because"], "default");
    workbench.write("graders.lock", format!("[sha256]\nexample = \"{}\"\n", &half[7..]));
    let by_lock = "default = \"refuse\"\n[[allow]]\ncompetition = \"*\"\nlock = \"graders.lock\"\n";
    let trusted = grade(&workbench, by_lock).ends_with(0).json();
    assert_eq!(trusted["grader_trusted_by"]["because"], "lock");

    // It says nothing of the claim of a receipt, which is the same under any policy.
    let receipts = ["one", "other"].map(|name| {
        let name = format!("{name}.receipt.json");
        let mut arguments = vec!["grade-sample", "submission.csv", "example", "--receipt", &name];
        if name.starts_with("one") {
            arguments.extend(["--trust", "trust.toml"]);
        }
        workbench.run(arguments).ends_with(0);
        fs::read_to_string(workbench.path(&name)).unwrap()
    });
    assert_eq!(receipts[0], receipts[1]);
}

#[test]
fn a_grader_is_trusted_by_whoever_signed_it() {
    let workbench = Workbench::with_example();
    let (ours, theirs) = (SigningKey::new(), SigningKey::new());
    let grader = workbench.path("graders/example.wasm");
    let policy = rule(&format!("signers = [\"{}\"]", ours.public()));
    let refused = |policy: &str, part: &str| {
        let ran = grade(&workbench, policy).ends_with(4);
        let report = ran.json();
        assert_eq!(report["failure"], "not-trusted", "{report}");
        assert_eq!(report["score"], Value::Null);
        let message = report["message"].as_str().unwrap();
        assert!(message.contains(part), "{part}: {message}");
    };
    refused(&policy, "it is not signed (there is no ");

    ours.sign_file(&grader, "version 7\tour build");
    let report = grade(&workbench, &policy).ends_with(0).json();
    let trusted = &report["grader_trusted_by"];
    assert_eq!(trusted["because"], "signer");
    assert_eq!(trusted["signer"], ours.public());
    assert_eq!(trusted["trusted_comment"], "version 7\tour build");
    refused(
        &rule(&format!("signers = [\"{}\"]", theirs.public())),
        "by none of the signers that are named",
    );
    let both = rule(&format!("signers = [\"{}\", \"{}\"]", theirs.public(), ours.public()));
    grade(&workbench, &both).ends_with(0);

    // The comment is signed as well.
    let signature = podium::Signature::path_beside(&grader);
    let signed = fs::read_to_string(&signature).unwrap();
    fs::write(&signature, signed.replace("version 7", "version 8")).unwrap();
    refused(&policy, "does not hold");
    // A bit of the signature.
    let lines: Vec<&str> = signed.lines().collect();
    let flipped = lines[1].chars().enumerate().map(|(at, letter)| match (at, letter) {
        (40, 'A') => 'B',
        (40, _) => 'A',
        (_, letter) => letter,
    });
    fs::write(&signature, signed.replace(lines[1], &flipped.collect::<String>())).unwrap();
    refused(&policy, "does not hold");
    fs::write(&signature, &signed[..signed.len() / 2]).unwrap();
    refused(&policy, "this is no signature of minisign");
    fs::write(&signature, [0xff; 9]).unwrap();
    refused(&policy, "this is no signature of minisign");

    // The component was replaced after it was signed: by another whole grader, and by what is none.
    fs::write(&signature, &signed).unwrap();
    grade(&workbench, &policy).ends_with(0);
    for replaced in [example_grader(&[(r"\e0\3f", r"\d0\3f")]), no_component()] {
        workbench.write("graders/example.wasm", replaced);
        refused(&policy, "the component or the signature was changed since it was signed");
    }
}

#[test]
fn a_refusal_says_which_grader_why_and_what_to_do() {
    let workbench = Workbench::with_example();
    workbench.write("graders/example.wasm", no_component());
    let ran =
        grade(&workbench, &rule(&format!("components = [\"{}\"]", digest(b"other")))).ends_with(4);
    for part in [
        &digest(&no_component()),
        "graders/example.wasm is not trusted to grade `example`",
        "[[allow]] 1 decides and does not allow it: its digest is not named",
        "(policy: trust.toml); nothing of it was run",
        "to trust it, name its digest, or whoever signed it, in an [[allow]] rule",
        "hint: --trust or PODIUM_TRUST names another policy",
    ] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    let refuse = format!(
        "default = \"allow\"\n[[refuse]]\nname = \"broken\"\ncompetition = \"*\"\ncomponents = [\"{}\"]\n",
        digest(&no_component())
    );
    let ran = grade(&workbench, &refuse).ends_with(4);
    let message = ran.json()["message"].as_str().unwrap().to_owned();
    for part in ["[[refuse]] 1 (broken) names it", "take its digest out of the one that refuses it"]
    {
        assert!(message.contains(part), "{part}: {message}");
    }
    // An [[allow]] rule would change nothing.
    assert!(!ran.stderr.contains("[[allow]]"), "{}", ran.stderr);
}

/// Whatever command would run the grader: it is refused before anything of it is looked into.
#[test]
fn no_command_runs_what_is_not_trusted() {
    let workbench = Workbench::with_example();
    // The receipt is of the time before there was a policy.
    let arguments = ["grade-sample", "submission.csv", "example", "--receipt", "a.receipt.json"];
    workbench.run(arguments).ends_with(0);
    workbench.run(["grader", "add", "graders"]).ends_with(0);
    workbench.write("home/.config/podium/trust.toml", "default = \"refuse\"\n");
    workbench.write(
        "runs.jsonl",
        "{\"competition_id\": \"example\", \"submission_path\": \"submission.csv\"}\n",
    );
    let half = digest(&example_grader(&[]));
    for command in [
        &["grade-sample", "submission.csv", "example"][..],
        &["grade-sample", "submission.csv", "example", "--grader", "graders/example.wasm"],
        &["grade-sample", "submission.csv", "example", "--grader", &half],
        &["validate", "submission.csv", "example"],
        &["validate", "submission.csv", "example", "--grader", "graders/example.wasm"],
        &["grade", "--submission", "runs.jsonl", "--output-dir", "out"],
        &["verify", "a.receipt.json"],
        &["verify", "a.receipt.json", "--grader", "graders/example.wasm"],
        &["grader", "pin", "example", &half],
    ] {
        let ran = workbench.run(command.iter().copied()).ends_with(4);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains("is not trusted to grade `example`"), "{command:?}: {said}");
        assert!(said.contains("the default is to refuse"), "{command:?}: {said}");
    }
    let reports = workbench.files("out");
    let report = reports.iter().find(|name| name.ends_with("_grading_report.json")).unwrap();
    let group: Value =
        serde_json::from_str(&fs::read_to_string(workbench.path("out").join(report)).unwrap())
            .unwrap();
    let report = &group["competition_reports"][0];
    assert_eq!(
        (&report["outcome"], &report["failure"]),
        (&"grader-failed".into(), &"not-trusted".into())
    );

    // What lies in the store is listed, and not asked what it is.
    let listed = workbench.run(["grader", "list"]).ends_with(0);
    assert!(listed.stdout.contains("not trusted, so not asked"), "{listed:?}");
    // What somebody looks at by hand, on an example, is no grading of a competition here.
    workbench.run(["inspect", "graders/example.wasm"]).ends_with(0);
    workbench.run(["grader", "check", "graders/example.wasm"]).ends_with(0);
}

#[test]
fn a_policy_that_is_wrong_stops_everything() {
    let workbench = Workbench::with_example();
    let key = SigningKey::new().public();
    let commands: [&[&str]; 6] = [
        &["grade-sample", "submission.csv", "example"],
        &["validate", "submission.csv", "example"],
        &["list"],
        &["show", "example"],
        &["grader", "list"],
        &["grader", "add", "graders"],
    ];
    let mistakes: [(&str, &str); 9] = [
        ("", "no `default`"),
        ("default = \"allow", "line 1"),
        ("default = \"alow\"", "unknown value `alow`"),
        ("defualt = \"allow\"", "did you mean `default`"),
        (&rule(""), "[[allow]] 1: it allows nothing"),
        (&rule("components = [\"sha256:12\"]"), "not a SHA-256 digest"),
        (&rule("signers = [\"RWnobody\"]"), "not a public key"),
        (&rule("lock = \"nowhere.lock\""), "nowhere.lock: cannot be read"),
        (&rule(&format!("signer = [\"{key}\"]")), "did you mean `signers`"),
    ];
    for (policy, part) in mistakes {
        let path = workbench.write("home/.config/podium/trust.toml", policy);
        for command in commands {
            let ran = workbench.run(command.iter().copied()).ends_with(2);
            assert!(ran.stderr.contains(part), "{command:?}, {policy}: {}", ran.stderr);
            assert!(ran.stderr.contains("trust.toml"), "{}", ran.stderr);
        }
        let checks = workbench.run(["doctor", "--grading-only", "--json"]).ends_with(3).json();
        let find = |name: &str| {
            checks.as_array().unwrap().iter().find(|check| check["name"] == name).unwrap()
        };
        assert_eq!(find("trust")["state"], "problem", "{checks}");
        assert_eq!(find("store")["state"], "ok", "{checks}");
        assert_eq!(find("descriptions")["found"], "not tried", "{checks}");
        fs::remove_file(path).unwrap();
    }
    // One that is no file, one that cannot be found although it was named, one whose link leads nowhere.
    let default = workbench.path("home/.config/podium/trust.toml");
    fs::create_dir_all(&default).unwrap();
    let ran = workbench.run(["list"]).ends_with(2);
    assert!(ran.stderr.contains("this is a folder"), "{ran:?}");
    fs::remove_dir(&default).unwrap();
    workbench.run(["list"]).ends_with(0);
    let ran = workbench.run(["list", "--trust", "nowhere.toml"]).ends_with(2);
    assert!(ran.stderr.contains("nowhere.toml: cannot be read"), "{ran:?}");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere", &default).unwrap();
        workbench.run(["list"]).ends_with(2);
    }
}

#[test]
fn signatures_come_along_into_the_store() {
    let workbench = Workbench::with_example();
    let ours = SigningKey::new();
    let grader = workbench.path("graders/example.wasm");
    ours.sign_file(&grader, "built by us");
    workbench.write(
        "home/.config/podium/trust.toml",
        rule(&format!("signers = [\"{}\"]", ours.public())),
    );
    let ran = workbench.run(["grader", "add", "graders"]).ends_with(0);
    let signed = format!("signed by {} (built by us)", ours.public());
    assert!(ran.stdout.contains("with its signature") && ran.stdout.contains(&signed), "{ran:?}");
    let listed = workbench.run(["grader", "list", "--json"]).ends_with(0).json();
    assert_eq!(listed[0]["signed_by"][0], ours.public());
    assert_eq!(listed[0]["trusted_comment"], "built by us");
    let says = format!("{} (built by us)", ours.public());
    for arguments in [&["grader", "list"][..], &["inspect", "graders/example.wasm"]] {
        let ran = workbench.run(arguments.iter().copied()).ends_with(0);
        assert!(ran.stdout.contains(&says), "{arguments:?}: {ran:?}");
    }
    let half = Digest::of(&example_grader(&[])).to_string();
    // One that is broken is told from none, and from one of somebody whom the policy does not name.
    let kept = workbench.path(format!("home/.local/share/podium/store/{half}.wasm.minisig"));
    let whole = fs::read_to_string(&kept).unwrap();
    fs::remove_file(&kept).unwrap();
    for (signature, told) in [
        ("hello".to_owned(), Some("this is no signature of minisign")),
        (ours.sign(b"something else", "built by us"), Some("it does not hold")),
        (SigningKey::new().sign(&example_grader(&[]), "by another"), None),
    ] {
        fs::write(&kept, signature).unwrap();
        fs::write(workbench.path("graders/example.wasm.minisig"), fs::read(&kept).unwrap())
            .unwrap();
        for arguments in [&["grader", "list"][..], &["inspect", "graders/example.wasm"]] {
            let ran = workbench.run(arguments.iter().copied()).ends_with(0);
            assert_eq!(ran.stderr.contains("the signature of"), told.is_some(), "{ran:?}");
            assert!(ran.stderr.contains(told.unwrap_or_default()), "{ran:?}");
            assert_eq!(ran.stdout.contains("broken"), told.is_some(), "{ran:?}");
            let json = arguments.iter().copied().chain(["--json"]);
            let json = workbench.run(json).ends_with(0).json();
            let one = if json.is_array() { json[0].clone() } else { json };
            assert_eq!(one["signature_problem"].is_string(), told.is_some(), "{one}");
        }
    }
    fs::write(&kept, whole).unwrap();
    workbench.run(["grader", "pin", "example", &half]).ends_with(0);
    fs::remove_dir_all(workbench.path("graders")).unwrap();
    fs::create_dir(workbench.path("graders")).unwrap();
    let ran = workbench.run(["grade-sample", "submission.csv", "example", "--json"]).ends_with(0);
    assert_eq!(ran.json()["grader_trusted_by"]["signer"], ours.public());
    assert_eq!(ran.json()["grader_origin"], "pinned");

    // What was changed since it was signed does not come in, nor does what has no signature but a file of that name.
    for (name, bytes, signature) in [
        ("changed.wasm", example_grader(&[(r"\e0\3f", r"\d0\3f")]), None),
        ("unsigned.wasm", example_grader(&[]), Some("hello")),
    ] {
        let path = workbench.write(name, bytes);
        let signed = ours.sign(&example_grader(&[]), "built by us");
        fs::write(podium::Signature::path_beside(&path), signature.unwrap_or(&signed)).unwrap();
        let ran = workbench.run(["grader", "add", name]).ends_with(4);
        assert!(ran.stderr.contains(&format!("{name}.minisig")), "{ran:?}");
    }
    // The better signature stays, whatever is added after it, and is told of.
    let stranger = SigningKey::new();
    let half = workbench.write("again.wasm", example_grader(&[]));
    stranger.sign_file(&half, "trust me");
    let kept = |policy: &[&str]| {
        let command = ["grader", "add", "again.wasm"].into_iter().chain(policy.iter().copied());
        let ran = workbench.run(command.clone().chain(["--json"])).ends_with(0).json();
        assert_eq!(ran[0]["signature"], "kept", "{ran}");
        let ran = workbench.run(command).ends_with(0);
        assert!(ran.stdout.contains("with the signature that it had"), "{ran:?}");
        ran
    };
    assert!(kept(&[]).stdout.contains(&signed));
    workbench.write("none.toml", "default = \"allow\"\n");
    kept(&["--trust", "none.toml"]);
    let listed = workbench.run(["grader", "list", "--json"]).ends_with(0).json();
    assert_eq!(listed[0]["trusted_comment"], "built by us", "{listed}");
    // A newer one by the same signer takes its place, and that of a stranger's.
    ours.sign_file(&half, "built again");
    let ran = workbench.run(["grader", "add", "again.wasm", "--json"]).ends_with(0).json();
    assert_eq!(
        (&ran[0]["signature"], &ran[0]["trusted_comment"]),
        (&"replaced".into(), &"built again".into())
    );
    // A stranger's signature is kept, and said to be one.
    let path = workbench.write("theirs.wasm", example_grader(&[(EXAMPLE_GRADE, "(i32.const 40)")]));
    stranger.sign_file(&path, "trust me");
    let ran = workbench.run(["grader", "add", "theirs.wasm"]).ends_with(0);
    assert!(ran.stdout.contains("signed by a key that the trust policy does not name"), "{ran:?}");
    assert!(!ran.stdout.contains("trust me"), "{ran:?}");
}

#[test]
fn doctor_shows_the_store_and_the_policy() {
    let workbench = Workbench::with_example();
    let find = |name: &str| {
        let checks = workbench.run(["doctor", "--grading-only", "--json"]);
        let checks = checks.json();
        checks.as_array().unwrap().iter().find(|check| check["name"] == name).unwrap().clone()
    };
    assert!(find("trust")["found"].as_str().unwrap().contains("any component may grade"));
    assert!(find("store")["found"].as_str().unwrap().starts_with("0 components and 0 pins in"));
    workbench.run(["grader", "add", "graders"]).ends_with(0);
    let half = digest(&example_grader(&[]));
    workbench.run(["grader", "pin", "example", &half]).ends_with(0);
    workbench.write("home/.config/podium/trust.toml", rule(&format!("components = [\"{half}\"]")));
    assert!(find("store")["found"].as_str().unwrap().starts_with("1 component and 1 pin in"));
    let trust = find("trust");
    assert!(
        trust["found"].as_str().unwrap().contains("rules: 1 allow, 0 refuse; default refuse"),
        "{trust}"
    );
    // A rule about a competition that nobody knows is hardly meant.
    let misspelt = "[[refuse]]\nname = \"old\"\ncompetition = \"exampel\"\ncomponents = [\"";
    let policy = format!("{}{misspelt}{half}\"]\n", rule(&format!("components = [\"{half}\"]")));
    workbench.write("home/.config/podium/trust.toml", policy);
    let trust = find("trust");
    let said = "[[refuse]] 1 (old) of ";
    assert_eq!(trust["state"], "warning", "{trust}");
    for part in [said, "is about `exampel`, which is not known here"] {
        assert!(trust["found"].as_str().unwrap().contains(part), "{trust}");
    }
    let listed = workbench.run(["grader", "list"]).ends_with(0);
    assert!(listed.stderr.contains(said), "{listed:?}");
    // A grader that is not trusted is a problem that is named.
    workbench.write("home/.config/podium/trust.toml", "default = \"refuse\"\n");
    let graders = find("graders");
    assert_eq!(graders["state"], "problem", "{graders}");
    assert!(graders["found"].as_str().unwrap().contains("is not trusted"), "{graders}");
}

#[test]
fn a_flag_that_names_nothing_sets_no_policy_aside() {
    let workbench = Workbench::with_example();
    let refuse = workbench.write("refuse.toml", "default = \"refuse\"\n");
    let graded = |more: &[&str]| {
        let arguments = ["grade-sample", "submission.csv", "example"].into_iter();
        let mut command = workbench.podium(arguments.chain(more.iter().copied()));
        Ran::of(command.env("PODIUM_TRUST", &refuse).env("PODIUM_STORE", ""))
    };
    graded(&[]).ends_with(4);
    for flag in ["--trust", "--store", "--data-dir", "--graders", "--competitions", "--cache-dir"] {
        let ran = graded(&[flag, ""]).ends_with(2);
        assert!(ran.stderr.contains(&format!("{flag} names nothing")), "{}", ran.stderr);
        let ran = graded(&["--json", &format!("{flag}=")]).ends_with(2);
        let message = ran.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains("names nothing"), "{message}");
    }
}
