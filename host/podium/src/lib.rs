//! Grades machine-learning competition submissions with sandboxed WebAssembly graders.
//!
//! A competition's grader is a WebAssembly component that gets the submission and the answers as read-only files and
//! gives back a score, or the reason why there is none. The same component with the same bytes gives the same result,
//! on any machine and at any time, and nothing that a component does can hurt the host.
//!
//! - [`Engine`] compiles and runs components; one serves a whole program.
//! - [`Grader`] is a loaded component; [`inspect`] looks into one without loading it.
//! - [`Input`] is a file as graders get it: opened safely, hashed, frozen.
//! - [`Grading`] is what comes out: a [`Verdict`], and what it took.
//!
//! ```
//! use podium::{CacheLocation, Engine, EngineSettings, Grader, Input, Limits, Verdict};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let settings = EngineSettings { cache: CacheLocation::Off, ..EngineSettings::default() };
//! let engine = Engine::new(settings)?;
//!
//! // A grader that gives one half to everything, written in WebAssembly text. Real ones are files:
//! // Grader::from_file(&engine, "spaceship-titanic.wasm").
//! let component = wat::parse_file("examples/half.wat")?;
//! let grader = Grader::from_bytes(&engine, "half", &component)?;
//! assert_eq!(grader.description().competition, "example");
//!
//! let answers = [Input::from_bytes("answers.csv", "id,label\n1,0\n2,1\n")];
//! let submission = Input::from_bytes("submission.csv", "id,label\n1,0\n2,0\n");
//! let grading = grader.grade(&submission, &answers, &Limits::default());
//! assert_eq!(grading.verdict, Verdict::Scored { value: 0.5, measures: vec![] });
//!
//! let empty = Input::from_bytes("submission.csv", "");
//! match grader.grade(&empty, &answers, &Limits::default()).verdict {
//!     Verdict::Scored { value, .. } => println!("a score of {value}"),
//!     Verdict::InvalidSubmission(message) => assert_eq!(message, "the submission is empty"),
//!     Verdict::InvalidAnswers(message) => println!("the data has to be put right: {message}"),
//!     Verdict::GraderFailed(failure) => println!("nobody knows: {failure}"),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Around the engine there is what competitions need:
//!
//! - [`Catalog`] finds a [`Competition`] on a search path: metric, medal lines, leaderboard, where its data lie.
//! - [`GradingContext`] takes one submission from its path to a [`GradingReport`] and a [`Receipt`].
//! - [`grade_list`] does so with many, over all cores; [`RunGroupReport`] sums them up.
//! - [`regrade()`] does so with all that an [`Archive`] holds, and compares with what was recorded.
//! - [`Receipt::verify`] grades again and says exactly what differs.
//! - [`ComponentStore`] keeps components by their digests, [`TrustPolicy`] says which may grade what, and [`Graders`] chooses
//!   with both.
//!
//! ```no_run
//! use podium::{Catalog, Engine, EngineSettings, GradingContext, GradingOptions, LimitOverrides};
//!
//! # fn main() -> Result<(), podium::Error> {
//! let catalog = Catalog::new(vec!["competitions".into()], vec!["target/graders".into()]);
//! let engine = Engine::new(EngineSettings::default())?;
//! let context = GradingContext::new(engine, "/data/mle-bench", LimitOverrides::default());
//!
//! let competition = catalog.get("spaceship-titanic")?;
//! let submission = "submission.csv".as_ref();
//! let graded = context.grade(&competition, submission, &GradingOptions::default());
//! println!("{}: {:?}", graded.report.outcome, graded.report.score);
//! if let Some(receipt) = graded.receipt {
//!     receipt.write_to("receipts".as_ref())?;
//! }
//! # Ok(())
//! # }
//! ```

#![deny(unsafe_code)]

mod archive;
mod atomic_write;
mod batch;
mod cache;
mod cancellation;
mod catalog;
mod code_generation;
mod competition;
mod competition_id;
mod compilation;
mod compile_work;
mod component_file;
mod contract;
mod definition;
mod digest;
mod engine;
mod error;
mod example;
mod file_kind;
#[cfg(target_os = "linux")]
mod first_touch;
mod float_text;
mod grader;
mod graders;
mod grading;
mod input;
mod inspection;
mod leaderboard;
mod limits;
#[cfg(target_os = "linux")]
mod linear_memory;
mod medals;
mod memory_share;
mod message;
mod once_map;
mod outcome;
pub mod path_text;
mod precompiled;
mod receipt;
mod receipt_files;
mod regrade;
mod regular_file;
mod report;
mod rounding;
mod run_group;
mod sandbox;
mod serde_message;
mod signature;
mod store;
mod submission_hint;
mod submission_list;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod testing_competition;
#[doc(hidden)]
pub mod told;
mod trust;
mod verdict;

#[doc(hidden)]
pub use definition::explain as explain_toml;

pub use archive::{
    Archive, ArchiveFormat, ArchiveLimits, EntryPath, EntryPathProblem, EntryProblem, EntryVisitor,
    Passage, visit_tar_stream,
};
pub use atomic_write::{remove_left_behind, write_new, write_over, write_under_free_name};
pub use batch::{Batch, BatchObserver, BatchOptions, grade_list};
pub use cache::CacheLocation;
pub use cancellation::Cancellation;
pub use catalog::{Catalog, Listing};
pub use code_generation::CodeGeneration;
pub use competition::{Competition, DEFINITION_FILE};
pub use competition_id::check as check_competition_id;
pub use compilation::{Compilation, CompilerProcess, compile_for_parent};
pub use component_file::ComponentFile;
pub use contract::{CONTRACT_VERSION, ContractVersion, NotAVersion};
pub use definition::{
    CompetitionType, Complexity, DataPaths, Definition, KnownIssue, LeaderboardSnapshot,
    MedalLines, Metric,
};
pub use digest::{Digest, NotADigest};
pub use engine::{Engine, EngineSettings, WASMTIME_VERSION};
pub use error::Error;
pub use example::{Example, ExampleSubmission, ExpectedReport};
pub use grader::{Description, Direction, Grader};
pub use graders::{ChosenGrader, GraderOrigin, GraderSource, Graders, TrustedGrader};
pub use grading::{
    GradedSubmission, GradingContext, GradingOptions, NO_REASON, Validation, failure_kind,
};
pub use input::{Input, InputProblem};
pub use inspection::{ComponentLimits, GraderProblem, Inspection, inspect, read_component};
pub use leaderboard::Leaderboard;
pub use limits::{Limit, LimitOutOfRange, LimitOverrides, Limits, Usage};
pub use medals::{Award, Distances, Medal, Thresholds};
pub use outcome::Outcome;
pub use receipt::{
    Claim, ClaimedComponent, ClaimedInput, ClaimedMeasure, ClaimedOutcome, Difference, ExactNumber,
    InputRole, MadeBy, Receipt, Verification,
};
pub use receipt_files::{FoundReceipt, FoundReceipts, find_by_digest, find_receipts};
pub use regrade::{
    ArchivedRun, ChangedField, CurrentSet, Graded, ListedSet, MadeSubmission, RegradeObserver,
    RegradeOptions, RegradeSet, RegradeSubject, RegradeSummary, RegradeVerdict, RegradedRun,
    Regrading, RunGroupMetadata, Score, SealingKey, SetChoice, SetSettings, SetState, SetSummary,
    Sets, Standing, SubmissionPlace, Survey, list_run_group, regrade,
};
pub use regular_file::read_file;
#[doc(hidden)]
pub use report::quote_bare_words;
pub use report::{GradingReport, parse_python_json};
pub use rounding::{DECIMAL_PLACES, Rounding};
pub use run_group::{RunGroupReport, Totals, to_json};
pub use signature::{NotAKey, Signature, SignatureCheck, SignatureProblem, Signer};
pub use store::{Added, AddedFile, ComponentStore, Pins, StoreProblem, StoredComponent};
pub use submission_list::{
    ListedSubmission, SubmissionList, parse_submission_list, read_submission_list,
};
pub use trust::{Refusal, TrustDefault, TrustPolicy, TrustedBy, TrustedFor};
pub use verdict::{GraderFailure, Grading, Measure, ReachedLimit, Verdict};
#[doc(hidden)]
pub use {engine::engine_configuration, wasmtime};

/// The version of this crate, as reports and receipts say it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
