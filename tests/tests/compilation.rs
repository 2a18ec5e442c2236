//! Compiling in a process of its own: the same grader comes out, and a compiler that takes long, crashes or is none is
//! an error in words.

use std::path::PathBuf;
use std::time::Duration;

use podium::{
    CacheLocation, Compilation, CompilerProcess, Engine, EngineSettings, Error, Grader,
    GraderProblem, Input, Limits, Verdict,
};
use podium_tests::artifacts;
use podium_text_graders::component;

fn engine(compilation: Compilation, cache: CacheLocation) -> Engine {
    Engine::new(EngineSettings { cache, compilation, ..EngineSettings::default() }).unwrap()
}

fn process(program: PathBuf, arguments: &[&str], deadline: Duration) -> Compilation {
    let arguments = arguments.iter().map(Into::into).collect();
    Compilation::Apart(CompilerProcess { program, arguments, deadline })
}

/// The `podium` program as a compiler.
fn podium(deadline: Duration) -> Compilation {
    process(artifacts::podium(), &["compile-component"], deadline)
}

const PATIENCE: Duration = Duration::from_secs(600);

fn outcome(engine: &Engine) -> Result<(Verdict, u64), GraderProblem> {
    let bytes = component("(call $score (f64.convert_i64_u (call $size (local.get $submission))))");
    let grader = match Grader::from_bytes(engine, "test", &bytes) {
        Ok(grader) => grader,
        Err(Error::Grader { problem, .. }) => return Err(problem),
        Err(error) => panic!("{error}"),
    };
    let submission = Input::from_bytes("submission.csv", "12345");
    let grading = grader.grade(&submission, &[], &Limits::default());
    Ok((grading.verdict, grading.fuel))
}

#[test]
fn what_is_compiled_apart_grades_as_what_is_compiled_here() {
    let here = outcome(&engine(Compilation::Here, CacheLocation::Off)).unwrap();
    assert_eq!(here.0, Verdict::Scored { value: 5.0, measures: Vec::new() });
    let apart = outcome(&engine(podium(PATIENCE), CacheLocation::Off)).unwrap();
    assert_eq!(apart, here);

    // What was compiled apart is kept: nobody has to compile it again.
    let folder = tempfile::tempdir().unwrap();
    let cache = || CacheLocation::Folder(folder.path().to_owned());
    assert_eq!(outcome(&engine(podium(PATIENCE), cache())).unwrap(), here);
    let nobody = process("/nowhere/compiler".into(), &[], PATIENCE);
    assert_eq!(outcome(&engine(nobody, cache())).unwrap(), here);
}

/// Threat 18: a compiler that was kept busy all the same is ended.
#[test]
fn a_compiler_that_takes_too_long_is_ended() {
    let limit = Duration::from_nanos(1);
    let problem = outcome(&engine(podium(limit), CacheLocation::Off)).unwrap_err();
    assert!(
        matches!(problem, GraderProblem::CompilationTimedOut { limit: told } if told == limit),
        "{problem}"
    );
    // One that would go on for an hour is not waited for.
    #[cfg(unix)]
    {
        let asleep =
            process("/bin/sh".into(), &["-c", "exec sleep 3600"], Duration::from_millis(20));
        let problem = outcome(&engine(asleep, CacheLocation::Off)).unwrap_err();
        assert!(problem.to_string().contains("within 0.02 seconds"), "{problem}");
    }
}

#[cfg(unix)]
#[test]
fn a_compiler_that_fails_is_an_error_in_words() {
    for (script, says) in [
        ("kill -9 $$", "ended with signal: 9"),
        ("exit 3", "ended with exit status: 3"),
        ("cat > /dev/null; echo hello", "no compiler of this version of Podium"),
        ("cat > /dev/null; printf '\\2out of luck \\033[2J'", "out of luck \\u{1b}[2J"),
        ("cat > /dev/null; printf '\\0no code'", "cannot be compiled: "),
    ] {
        let failing = process("/bin/sh".into(), &["-c", script], PATIENCE);
        let problem = outcome(&engine(failing, CacheLocation::Off)).unwrap_err().to_string();
        assert!(problem.contains(says), "{script}: {problem}");
    }
    let missing = process("/nowhere/compiler".into(), &[], PATIENCE);
    let problem = outcome(&engine(missing, CacheLocation::Off)).unwrap_err().to_string();
    assert!(problem.contains("no compiler could be started from /nowhere/compiler"), "{problem}");
}

#[test]
fn the_compile_command_refuses_what_is_no_request() {
    let mut command = assert_cmd::Command::new(artifacts::podium());
    let output = command.arg("compile-component").write_stdin("hello").output().unwrap();
    assert!(!output.status.success());
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("no request to compile"), "{message}");
}
