//! Experiments: what many grading reports say together.
//!
//! Reads reports of Podium and of the reference, puts runs together to seeds as the reference's aggregation does, and
//! computes what the benchmark's paper shows: tables by split, complexity and category, pass@k, curves. Plain data in, plain
//! data out; nothing is printed.
//!
//! - [`Sources`] says where reports lie, [`Plan`] finds them, [`Loaded`] holds what could be used and what could not.
//! - [`Study`] is everything that is computed of experiments; [`Study::to_files`] writes it down.
//! - [`LeaderboardTable`] is the table of the reference's README.
//! - [`Comparison`] says whether a difference is more than noise.
//! - [`import_leaderboard`] and [`histogram`] are about the leaderboards that medals are held against.

#![forbid(unsafe_code)]

mod aggregate;
mod benchmark;
mod charts;
mod columns;
mod compare;
mod comparison;
mod competition_result;
mod csv_table;
mod document;
mod error;
mod experiment;
mod grading;
mod histogram;
mod leaderboard_document;
mod leaderboard_import;
mod leaderboard_table;
mod lfs;
mod metadata;
mod over_time;
mod pass_at_k;
mod problem;
mod report_file;
mod report_folder;
mod report_json;
mod run_group_list;
mod runs;
mod seeds;
mod shown;
mod sources;
mod split;
mod statistics;
mod study;
mod study_document;
mod study_files;

pub use aggregate::Aggregate;
pub use benchmark::{Benchmark, CompetitionFacts};
pub use columns::{Columns, Values};
pub use compare::{Comparison, Difference, Verdict};
pub use comparison::{
    Bootstrap, BootstrapOptions, FEWEST_COMPETITIONS, SIGNIFICANCE_LEVEL, bootstrap, sign_flips,
};
pub use competition_result::{CompetitionResult, Correlation, DateCorrelation, RunRow};
pub use document::{Chart, Column, Document, Section, Table};
pub use error::Error;
pub use experiment::{Experiment, Loaded, Plan, RunGroup};
pub use grading::{Fault, Grading, Marks, Metric, ReadGrading, relative_score};
pub use histogram::{Bin, histogram};
pub use leaderboard_import::{
    ImportResult, ImportedLeaderboard, LineDifference, competitions_of_checkout, import_leaderboard,
};
pub use leaderboard_table::{Cell, LeaderboardTable, Row};
pub use metadata::{Metadata, MetadataByExperiment, ReadMetadata, read_metadata};
pub use over_time::TimePoint;
pub use pass_at_k::{PassAtK, pass_at_k};
pub use problem::{Problem, ProblemKind};
pub use report_folder::write_files;
pub use runs::Alignment;
pub use seeds::{Incomplete, SeedOptions};
pub use shown::{path_text, shown_name};
pub use sources::{RUN_GROUPS_FILE, Sources};
pub use split::Split;
pub use statistics::{Estimate, mean, pearson, spearman, standard_error, t_quantile};
pub use study::{Aggregated, ExperimentResult, Group, Study, StudyOptions, Variants};
pub use study_files::StudyFile;
