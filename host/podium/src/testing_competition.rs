//! A competition for tests: a folder, its data, and a grader that does what the submission tells it to.

use std::fs;
use std::path::{Path, PathBuf};

use crate::catalog::Catalog;
use crate::competition::Competition;
use crate::grading::GradingContext;
use crate::limits::LimitOverrides;
use crate::testing::{component, engine};

/// Grades by the first byte of the submission: a digit is a score of so many tenths, `h` scores 0.200004, `n` NaN, `i`
/// and `m` plus and minus infinity; `s` is an invalid submission, `a` are invalid answers; `t` traps, `l` never ends,
/// `w` warns and scores 0.2. An empty submission is invalid.
const BODY: &str = r#"
    (if (i64.eqz (call $size (local.get $submission)))
      (then (return (call $fail (i32.const 0) (i32.const 1024) (i32.const 5)))))
    (call $read (local.get $submission) (i64.const 0) (i32.const 1) (i32.const 96))
    (local.set $a (i32.load8_u (i32.load (i32.const 96))))
    (if (i32.eq (local.get $a) (i32.const 0x68)) (then (return (call $score (f64.const 0.200004)))))
    (if (i32.eq (local.get $a) (i32.const 0x6e)) (then (return (call $score (f64.const nan)))))
    (if (i32.eq (local.get $a) (i32.const 0x69)) (then (return (call $score (f64.const inf)))))
    (if (i32.eq (local.get $a) (i32.const 0x6d)) (then (return (call $score (f64.const -inf)))))
    (if (i32.eq (local.get $a) (i32.const 0x73))
      (then (return (call $fail (i32.const 0) (i32.const 1024) (i32.const 5)))))
    (if (i32.eq (local.get $a) (i32.const 0x61))
      (then (return (call $fail (i32.const 1) (i32.const 1024) (i32.const 5)))))
    (if (i32.eq (local.get $a) (i32.const 0x74)) (then unreachable))
    (if (i32.eq (local.get $a) (i32.const 0x6c)) (then (loop $again (br $again))))
    (if (i32.eq (local.get $a) (i32.const 0x77))
      (then
        (call $warn (i32.const 1024) (i32.const 5))
        (return (call $score (f64.const 0.2)))))
    (call $score (f64.div
      (f64.convert_i32_s (i32.sub (local.get $a) (i32.const 0x30)))
      (f64.const 10)))
"#;

/// Lower is better, as the test graders say of themselves.
const DEFINITION: &str = r#"
    id = "tiny"
    name = "Tiny"
    [metric]
    name = "mean"
    direction = "lower"
    [data]
    answers = ["prepared/private/test.csv"]
    [medals]
    gold = 0.1
    silver = 0.2
    bronze = 0.3
    median = 0.5
    [[known_issues]]
    kind = "leak"
    what = "Submissions tell their own score."
"#;

/// A temporary folder with a competition, its data and a place for submissions.
pub(crate) struct TestingCompetition {
    folder: tempfile::TempDir,
}

impl TestingCompetition {
    /// Sets it all up.
    pub(crate) fn new() -> TestingCompetition {
        let made = TestingCompetition { folder: tempfile::tempdir().unwrap() };
        made.write("competitions/tiny/competition.toml", DEFINITION);
        made.write("competitions/tiny/leaderboard.csv", "score\n0.1\n0.2\n0.3\n0.5\n0.6\n0.7\n");
        made.write("competitions/tiny/grader.wasm", component(BODY));
        made.write("data/tiny/prepared/private/test.csv", "id,label\n1,0\n");
        made
    }

    /// A path inside.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Writes a file, and makes the folders that it needs.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// A submission with this content.
    pub(crate) fn submission(&self, name: &str, content: &str) -> PathBuf {
        self.write(&Path::new("submissions").join(name).to_string_lossy(), content)
    }

    /// A catalog of the one competition.
    pub(crate) fn catalog(&self) -> Catalog {
        Catalog::new(vec![self.path("competitions")], Vec::new())
    }

    /// The competition.
    pub(crate) fn competition(&self) -> Competition {
        self.catalog().get("tiny").unwrap()
    }

    /// A context with little fuel, so that what never ends does.
    pub(crate) fn context(&self) -> GradingContext {
        let limits = LimitOverrides { fuel: Some(1_000_000), ..LimitOverrides::default() };
        GradingContext::new(engine(), self.path("data"), limits)
    }
}
