//! What becomes of submissions, from their paths to reports and receipts.

use std::fs;

use super::*;
use crate::medals::Medal;
use crate::receipt::{Difference, Verification};
use crate::testing_competition::TestingCompetition;

fn grade(world: &TestingCompetition, submission: &Path) -> GradedSubmission {
    world.context().grade(&world.competition(), submission, &GradingOptions::default())
}

#[test]
fn every_verdict_becomes_its_outcome() {
    use Outcome::{GraderFailed, InvalidAnswers, InvalidSubmission, Scored, Undefined};
    let world = TestingCompetition::new();
    let (competition, context) = (world.competition(), world.context());
    let cases: &[(&str, Outcome, Option<f64>, Option<Medal>, Option<&str>)] = &[
        ("0", Scored, Some(0.0), Some(Medal::Gold), None),
        ("1", Scored, Some(0.1), Some(Medal::Gold), None),
        ("2", Scored, Some(0.2), Some(Medal::Silver), None),
        ("3", Scored, Some(0.3), Some(Medal::Bronze), None),
        ("4", Scored, Some(0.4), None, None),
        ("9", Scored, Some(0.9), None, None),
        ("m", Scored, Some(f64::NEG_INFINITY), Some(Medal::Gold), None),
        ("i", Scored, Some(f64::INFINITY), None, None),
        ("n", Undefined, Some(f64::NAN), None, None),
        ("", InvalidSubmission, None, None, None),
        ("s", InvalidSubmission, None, None, None),
        ("a", InvalidAnswers, None, None, None),
        ("t", GraderFailed, None, None, Some("trapped")),
        ("l", GraderFailed, None, None, Some("out-of-fuel")),
    ];
    for &(content, outcome, score, medal, failure) in cases {
        let path = world.submission("submission.csv", content);
        let graded = context.grade(&competition, &path, &GradingOptions::default());
        let report = &graded.report;
        assert_eq!(report.outcome, outcome, "{content}");
        let found = report.score_value();
        assert!(found == score || found.is_some_and(f64::is_nan), "{content}: {found:?}");
        assert_eq!((report.medal(), report.any_medal), (medal, medal.is_some()), "{content}");
        assert_eq!(report.failure.as_deref(), failure, "{content}");
        assert_eq!(report.valid_submission, score.is_some(), "{content}");
        assert_eq!(report.above_median, score.is_some_and(|score| score < 0.5), "{content}");
        assert_eq!(report.message.is_some(), outcome != Scored, "{content}");
        assert!(report.submission_exists && report.is_lower_better);
        assert_eq!(report.submission_path, path.to_string_lossy());
        assert_eq!(report.known_issues.len(), 1);
        let receipt = graded.receipt.as_ref().unwrap();
        assert_eq!(report.receipt_id, Some(receipt.id));
        assert_eq!(report.grader_sha256, Some(receipt.claim.component.sha256));
        assert_eq!(receipt.claim.outcome.kind, outcome);
        assert_eq!(receipt.claim.inputs.len(), 2);
        assert!(graded.report.usage.unwrap().fuel > 0);
    }
}

#[test]
fn ranks_distances_and_rounding_are_told() {
    let world = TestingCompetition::new();
    let two = grade(&world, &world.submission("two.csv", "2")).report;
    assert_eq!((two.leaderboard_rank, two.leaderboard_teams), (Some(2), Some(6)));
    assert_eq!(two.distances.unwrap().silver, 0.0);
    assert!(two.distances.unwrap().gold < 0.0 && two.distances.unwrap().median > 0.0);
    assert!(!two.rounding_decides);
    let rounded = grade(&world, &world.submission("rounded.csv", "h")).report;
    assert_eq!((rounded.score, rounded.unrounded_score), (Some(0.2), Some(0.200004)));
    assert!(rounded.silver_medal && rounded.rounding_decides);
    let undefined = grade(&world, &world.submission("undefined.csv", "n")).report;
    assert_eq!((undefined.score, undefined.score_text.as_deref()), (None, Some("nan")));
    assert_eq!((undefined.leaderboard_rank, undefined.distances), (None, None));
    let warned = grade(&world, &world.submission("warned.csv", "w")).report;
    assert_eq!(warned.warnings, ["hello"]);
}

#[test]
fn what_is_no_csv_file_is_no_submission() {
    let world = TestingCompetition::new();
    fs::create_dir(world.path("folder.csv")).unwrap();
    let cases = [
        (world.path("missing.csv"), "no such file"),
        (world.path("missing/deep.csv"), "no such file"),
        (world.path("folder.csv"), "a folder"),
        (world.submission("submission.txt", "1"), "has to be a CSV file"),
        (world.submission("submission", "1"), "has to be a CSV file"),
        (world.submission(".csv", "1"), "has to be a CSV file"),
        (PathBuf::from("https://example.org/submission.csv"), "an address"),
    ];
    for (path, part) in cases {
        let graded = grade(&world, &path);
        let message = graded.report.message.as_deref().unwrap();
        assert_eq!(graded.report.outcome, Outcome::NoSubmission, "{message}");
        assert!(message.contains(part), "{message}");
        assert!(!graded.report.submission_exists && !graded.report.valid_submission);
        assert!(graded.receipt.is_none() && graded.report.receipt_id.is_none());
    }
    let upper = grade(&world, &world.submission("submission.CSV", "1")).report;
    assert_eq!((upper.outcome, upper.submission_exists), (Outcome::Scored, true));
    let none = world.context().no_submission(&world.competition(), &GradingOptions::default());
    assert_eq!(none.report.outcome, Outcome::NoSubmission);
    assert_eq!(none.report.submission_path, "None");
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_a_folder_only_and_everywhere_for_answers() {
    use std::os::unix::fs::symlink;
    let world = TestingCompetition::new();
    let target = world.submission("target.csv", "1");
    symlink("target.csv", world.path("submissions/inside.csv")).unwrap();
    assert_eq!(grade(&world, &world.path("submissions/inside.csv")).report.score, Some(0.1));
    fs::create_dir(world.path("elsewhere")).unwrap();
    let outside = world.path("elsewhere/outside.csv");
    symlink(&target, &outside).unwrap();
    let refused = grade(&world, &outside).report;
    assert_eq!(refused.outcome, Outcome::InvalidSubmission);
    assert!(refused.submission_exists && refused.message.unwrap().contains("an absolute target"));

    let private = world.path("data/tiny/prepared/private");
    fs::rename(private.join("test.csv"), world.path("elsewhere/kept-here.csv")).unwrap();
    symlink(world.path("elsewhere/kept-here.csv"), private.join("test.csv")).unwrap();
    let graded = grade(&world, &target);
    assert_eq!(graded.report.outcome, Outcome::Scored);
    assert_eq!(graded.receipt.unwrap().claim.inputs[1].name, "test.csv");
}

#[test]
fn missing_answers_are_looked_for_by_name() {
    let world = TestingCompetition::new();
    let submission = world.submission("submission.csv", "1");
    let context = world.context();
    let answers = world.path("data/tiny/prepared/private/test.csv");
    fs::remove_file(&answers).unwrap();
    let grade =
        || context.grade(&world.competition(), &submission, &GradingOptions::default()).report;
    let report = grade();
    assert_eq!(report.outcome, Outcome::NotPrepared);
    assert!(report.submission_exists && !report.valid_submission);
    let message = report.message.unwrap();
    assert!(message.contains(answers.to_str().unwrap()), "{message}");
    // Prepared in the meantime: the same context finds them.
    fs::write(&answers, "id\n").unwrap();
    assert_eq!(grade().outcome, Outcome::Scored);
}

#[test]
fn a_grader_that_is_missing_broken_or_anothers_fails_the_grading() {
    let world = TestingCompetition::new();
    let submission = world.submission("submission.csv", "1");
    let grader = world.path("competitions/tiny/grader.wasm");
    let bytes = fs::read(&grader).unwrap();
    let fails = |kind: &str, part: &str| {
        let report = grade(&world, &submission).report;
        let message = report.message.unwrap_or_default();
        assert_eq!(report.outcome, Outcome::GraderFailed, "{message}");
        assert_eq!(report.failure.as_deref(), Some(kind), "{message}");
        assert!(message.contains(part), "{message}");
    };
    fs::write(&grader, b"nonsense").unwrap();
    fails("not-loadable", "grader.wasm");
    fs::remove_file(&grader).unwrap();
    fails("no-grader", "grader.wasm");
    fs::write(&grader, &bytes).unwrap();
    let definition = world.path("competitions/tiny/competition.toml");
    let text = fs::read_to_string(&definition).unwrap();
    let (before_medals, _) = text.split_once("[medals]").unwrap();
    fs::remove_file(world.path("competitions/tiny/leaderboard.csv")).unwrap();
    fs::write(&definition, before_medals.replace("\"lower\"", "\"higher\"")).unwrap();
    fails("wrong-grader", "lower is better");
    let other = world.path("competitions/other");
    fs::rename(world.path("competitions/tiny"), &other).unwrap();
    fs::write(other.join("competition.toml"), before_medals.replace("\"tiny\"", "\"other\""))
        .unwrap();
    fs::rename(world.path("data/tiny"), world.path("data/other")).unwrap();
    let competition = world.catalog().get("other").unwrap();
    let report =
        world.context().grade(&competition, &submission, &GradingOptions::default()).report;
    assert_eq!(report.failure.as_deref(), Some("wrong-grader"));
    assert!(report.message.unwrap().contains("it grades `tiny`, not `other`"));
}

#[test]
fn another_grader_can_be_named_and_the_run_is_passed_through() {
    let world = TestingCompetition::new();
    let submission = world.submission("submission.csv", "1");
    let grader = world.path("other.wasm");
    fs::write(&grader, crate::testing::component("(call $score (f64.const 0.25))")).unwrap();
    let mut options = GradingOptions { grader: Some(grader.into()), ..GradingOptions::default() };
    options.run.insert("seed".to_owned(), 7.into());
    let report = world.context().grade(&world.competition(), &submission, &options).report;
    assert_eq!(report.score, Some(0.25));
    assert_eq!(report.run["seed"], 7);
}

#[test]
fn a_competition_without_lines_awards_nothing() {
    let world = TestingCompetition::new();
    let mut competition = world.competition();
    (competition.thresholds, competition.leaderboard) = (None, None);
    let submission = world.submission("submission.csv", "0");
    let report =
        world.context().grade(&competition, &submission, &GradingOptions::default()).report;
    assert_eq!((report.outcome, report.gold_threshold), (Outcome::Scored, None));
    assert!(!report.any_medal && !report.above_median && report.distances.is_none());
}

#[test]
fn cancelled_gradings_say_so_and_have_no_receipt() {
    let world = TestingCompetition::new();
    let options = GradingOptions::default();
    options.cancellation.cancel();
    let submission = world.submission("submission.csv", "1");
    let graded = world.context().grade(&world.competition(), &submission, &options);
    assert!(graded.is_cancelled() && graded.receipt.is_none());
}

/// Threat 5: any two well-formed submissions get the same reply.
#[test]
fn validation_keeps_the_score_to_itself() {
    let world = TestingCompetition::new();
    let validate = |content: &str| {
        let submission = world.submission("submission.csv", content);
        world.context().validate(&world.competition(), &submission, &GradingOptions::default())
    };
    let good = validate("0");
    assert!(good.valid && good.message.is_none());
    for content in ["1", "9", "n", "i", "m"] {
        assert_eq!(validate(content), good, "{content}");
    }
    let bad = validate("s");
    assert!(!bad.valid);
    assert_eq!((bad.outcome, bad.message.as_deref()), (Outcome::InvalidSubmission, Some("hello")));
    let endless = validate("l");
    assert!(!endless.valid && endless.warnings.is_empty() && endless.hint.is_none());
    assert_eq!(endless.failure.as_deref(), Some(failure_kind::LIMIT_REACHED));
    let message = endless.message.unwrap();
    assert!(message.starts_with("the submission could not be validated"), "{message}");
    assert!(!message.contains(|character: char| character.is_ascii_digit()), "{message}");
    assert!(!message.contains("fuel"), "{message}");
    let input = Input::from_bytes("uploaded.csv", "s");
    let context = world.context();
    let uploaded = context.validate_input(&world.competition(), &input, &GradingOptions::default());
    assert_eq!(uploaded, bad);
}

#[test]
fn a_refusal_without_a_word_says_that() {
    let world = TestingCompetition::new();
    for (whose, outcome) in [(0, Outcome::InvalidSubmission), (1, Outcome::InvalidAnswers)] {
        let says_nothing =
            format!("(call $fail (i32.const {whose}) (i32.const 1024) (i32.const 0))");
        world.write("competitions/tiny/grader.wasm", crate::testing::component(&says_nothing));
        let graded = grade(&world, &world.submission("submission.csv", "1"));
        let report = graded.report;
        assert_eq!((report.outcome, report.message.as_deref()), (outcome, Some(NO_REASON)));
    }
}

/// Threat 5: a competition's limit that is reached or not by what the answers are would tell of them.
#[test]
fn validation_does_not_tell_on_which_side_of_a_competitions_limit_a_grading_is() {
    let world = TestingCompetition::new();
    let mut competition = world.competition();
    competition.definition.limits.fuel = Some(1);
    let context = GradingContext::new(
        world.context().engine().clone(),
        world.path("data"),
        LimitOverrides::default(),
    );
    let options = GradingOptions::default();
    let submission = world.submission("submission.csv", "1");
    let graded = context.grade(&competition, &submission, &options);
    assert_eq!(graded.report.failure.as_deref(), Some("out-of-fuel"));
    let input = Input::from_bytes("submission.csv", "1");
    assert!(context.validate(&competition, &submission, &options).valid);
    assert!(context.validate_input(&competition, &input, &options).valid);
}

/// The clock stops a grading wherever it is, and what it had taken until then is not known.
#[test]
fn what_the_clock_ended_says_nothing_of_its_fuel() {
    let world = TestingCompetition::new();
    let limits = LimitOverrides { wall_clock_seconds: Some(1), ..LimitOverrides::default() };
    let context = GradingContext::new(world.context().engine().clone(), world.path("data"), limits);
    let submission = world.submission("submission.csv", "l");
    let report =
        context.grade(&world.competition(), &submission, &GradingOptions::default()).report;
    assert_eq!((report.failure.as_deref(), report.usage), (Some("timed-out"), None));
}

#[test]
fn a_receipt_is_verified_by_grading_again() {
    let world = TestingCompetition::new();
    let (context, competition) = (world.context(), world.competition());
    let path = world.submission("submission.csv", "2");
    let receipt = grade(&world, &path).receipt.unwrap();
    assert_eq!(grade(&world, &path).receipt.unwrap(), receipt);
    let grader = context.grader(&competition, None).unwrap().0.grader;
    let answers = Input::from_bytes("kept-under-another-name.csv", "id,label\n1,0\n");
    let verify = |grader: &Grader, submission: &str, answers: &[Input]| {
        let submission = Input::from_bytes("x.csv", submission);
        receipt.verify(grader, &submission, answers, &Cancellation::new())
    };
    let answers = [answers];
    let identical = Verification::Identical { made_by: Vec::new() };
    assert_eq!(verify(&grader, "2", &answers), identical);
    let fields = |verification| {
        let Verification::OtherMaterial(differences) = verification else {
            panic!("{verification:?}")
        };
        differences.into_iter().map(|Difference { field, .. }| field).collect::<Vec<_>>()
    };
    assert_eq!(fields(verify(&grader, "3", &answers)), ["inputs[0].sha256"]);
    assert_eq!(fields(verify(&grader, "22", &answers)), ["inputs[0].sha256", "inputs[0].size"]);
    assert_eq!(fields(verify(&grader, "2", &[])), ["inputs[1].sha256", "inputs[1].size"]);
    let other = crate::testing::component("(call $score (f64.const 0.25))");
    let other = Grader::from_bytes(context.engine(), "other", &other).unwrap();
    assert_eq!(fields(verify(&other, "2", &answers)), ["component.sha256"]);

    // A claim that was forged with all its digests in order still fails: the grading gives something else.
    let mut forged = receipt.clone();
    forged.claim.outcome.score = Some(crate::receipt::ExactNumber::new(0.1));
    forged.id = forged.claim.id();
    let submission = Input::from_bytes("submission.csv", "2");
    let Verification::Differs(differences) =
        forged.verify(&grader, &submission, &answers, &Cancellation::new())
    else {
        panic!()
    };
    assert_eq!(differences.len(), 2);
    assert_eq!(differences[0].claimed.as_deref(), Some("0.1"));
    assert_eq!(differences[0].found.as_deref(), Some("0.2"));
    let cancelled = Cancellation::new();
    cancelled.cancel();
    assert_eq!(
        receipt.verify(&grader, &submission, &answers, &cancelled),
        Verification::Inconclusive(GraderFailure::Cancelled)
    );
}

#[test]
fn receipts_from_before_limits_were_claimed_still_hold() {
    let world = TestingCompetition::new();
    let (context, competition) = (world.context(), world.competition());
    let receipt = grade(&world, &world.submission("submission.csv", "l")).receipt.unwrap();
    let limit = receipt.claim.outcome.limit.clone().unwrap();
    assert_eq!((limit.name.as_str(), limit.value), ("fuel", 1_000_000));
    let grader = context.grader(&competition, None).unwrap().0.grader;
    let submission = Input::from_bytes("submission.csv", "l");
    let answers = [Input::from_bytes("test.csv", "id,label\n1,0\n")];
    let verify =
        |receipt: &Receipt| receipt.verify(&grader, &submission, &answers, &Cancellation::new());
    let identical = Verification::Identical { made_by: Vec::new() };
    assert_eq!(verify(&receipt), identical);
    let mut old = receipt.clone();
    old.claim.outcome.limit = None;
    old.id = old.claim.id();
    assert_eq!(verify(&old), identical);
    // Another limit than the one that was reached is no way to say none.
    let mut forged = receipt.clone();
    forged.claim.outcome.limit.as_mut().unwrap().value += 1;
    forged.id = forged.claim.id();
    assert!(matches!(verify(&forged), Verification::Differs(_)));
}

/// The digest of a large file is taken while it is graded; a receipt must not name another one than of what was graded.
#[cfg(unix)]
#[test]
fn a_receipt_names_the_digest_of_what_was_graded() {
    use std::os::unix::fs::PermissionsExt;
    let world = TestingCompetition::new();
    let (context, competition) = (world.context(), world.competition());
    let content = |first: &str| format!("{first}{}", "x".repeat(5 << 20));
    let long_ago = std::time::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let set_old = |path: &Path| {
        let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
        file.set_modified(long_ago).unwrap();
    };
    let grade = |changed: &dyn Fn(&Path)| {
        let path = world.submission("large.csv", &content("1"));
        set_old(&path);
        let input = Input::open_undigested(&path, 1 << 30).unwrap();
        assert!(!input.is_digested());
        changed(&path);
        context.grade_input(&competition, &input, "large.csv", &GradingOptions::default())
    };
    let claimed =
        |graded: &GradedSubmission| graded.receipt.as_ref().unwrap().claim.inputs[0].sha256;

    let unchanged = grade(&|_| ());
    assert_eq!(unchanged.report.score, Some(0.1));
    assert_eq!(claimed(&unchanged), crate::Digest::of(content("1").as_bytes()));

    // Another change time and nothing else: graded again, and the same as ever.
    let touched = grade(&|path| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644)).unwrap();
    });
    assert_eq!(touched.receipt, unchanged.receipt);

    let with_the_time_set_back = grade(&|path| {
        world.submission("large.csv", &content("2"));
        set_old(path);
    });
    assert_eq!(with_the_time_set_back.report.score, Some(0.2));
    assert_eq!(claimed(&with_the_time_set_back), crate::Digest::of(content("2").as_bytes()));

    let written = grade(&|_| {
        world.submission("large.csv", &content("2"));
    });
    assert_eq!(written.report.failure.as_deref(), Some("input-changed"));
    assert!(written.receipt.is_none() && written.report.score.is_none());
}

/// Threat 15: nothing is remembered of a submission, and answers are remembered by where they lie.
#[test]
fn changed_inputs_are_graded_as_they_are() {
    let world = TestingCompetition::new();
    let (context, competition) = (world.context(), world.competition());
    let grade = |content: &str| {
        let path = world.submission("submission.csv", content);
        context.grade(&competition, &path, &GradingOptions::default())
    };
    let (first, second) = (grade("1"), grade("2"));
    assert_eq!((first.report.score, second.report.score), (Some(0.1), Some(0.2)));
    assert_ne!(first.receipt.unwrap().id, second.receipt.unwrap().id);
    world.write("more/tiny/prepared/private/test.csv", "other answers");
    let elsewhere = GradingContext::new(
        context.engine().clone(),
        world.path("more"),
        LimitOverrides::default(),
    );
    let path = world.submission("submission.csv", "2");
    let third = elsewhere.grade(&competition, &path, &GradingOptions::default());
    assert_ne!(third.receipt.unwrap().claim.inputs[1], grade("2").receipt.unwrap().claim.inputs[1]);
}
