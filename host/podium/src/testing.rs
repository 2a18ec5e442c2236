//! An engine and loaded graders for tests; the graders themselves come from `podium-text-graders`.

use crate::cache::CacheLocation;
use crate::engine::{Engine, EngineSettings};
use crate::grader::Grader;

pub(crate) use podium_text_graders::{component, component_with, encode_for};

/// An engine without a cache.
pub(crate) fn engine() -> Engine {
    let settings = EngineSettings { cache: CacheLocation::Off, ..EngineSettings::default() };
    Engine::new(settings).unwrap()
}

/// A loaded grader whose `grade` has this body.
pub(crate) fn grader(engine: &Engine, body: &str) -> Grader {
    Grader::from_bytes(engine, "test", &component(body)).unwrap()
}
