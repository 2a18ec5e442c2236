//! Runs agents in Docker containers: one container a run, from an agent's image to a frozen submission.
//!
//! What goes in is plain data: an [`Agent`], a [`RunConfiguration`], competitions and seeds. What comes out is a run group's
//! folder in the layout of MLE-bench, with a journal ([`journal`]) from which an interrupted group goes on. Nothing here
//! prints: a caller hears of everything as [`Event`]s.
//!
//! The private data is never mounted. A submission is validated on this side of a Unix socket ([`validation`]), and what
//! an agent leaves behind is copied out of the stopped container as data ([`copy_out`]); nothing of it is ever executed.

#![forbid(unsafe_code)]

pub mod agent;
mod carriage;
pub mod configuration;
mod connection;
pub mod container;
pub mod copy_out;
mod definition_file;
mod delivery;
mod devices;
mod disk;
pub mod egress;
mod engine;
mod error;
pub mod event;
mod exchange;
mod gpu_usage;
pub mod group;
mod host;
pub mod hosts;
mod image;
mod instructions;
pub mod journal;
mod live;
mod machine;
mod one_run;
mod public_data;
mod queue;
mod scheduler;
mod secrets;
mod size;
mod snapshots;
mod socket;
mod usage;
pub mod validation;

pub use agent::Agent;
pub use configuration::RunConfiguration;
pub use engine::{Engine, EngineFacts, Stray};
pub use error::Error;
pub use event::{Ending, Event, EventKind, RunRecord};
pub use gpu_usage::GpuUsage;
pub use group::{GroupDefinition, RunGroup, RunPlan, StopRequest};
pub use hosts::Hosts;
pub use image::Programs;
pub use journal::{RunState, states};
pub use live::{LiveGroup, LiveRun};
pub use scheduler::{Observer, Scheduler, Summary};
