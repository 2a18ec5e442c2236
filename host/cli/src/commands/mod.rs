//! The commands, one module each: its arguments, what it does, what it prints.

pub(crate) mod compile_component;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod experiment;
pub(crate) mod grade;
pub(crate) mod grade_sample;
pub(crate) mod grader;
pub(crate) mod inspect;
pub(crate) mod leaderboard;
pub(crate) mod list;
pub(crate) mod make_submission;
pub(crate) mod regrade;
#[cfg(unix)]
pub(crate) mod run;
pub(crate) mod show;
pub(crate) mod validate;
pub(crate) mod verify;
