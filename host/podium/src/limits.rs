//! What one grading may use, and how a competition changes single limits.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The bounds of one grading. Reaching one is a [`GraderFailure`](crate::GraderFailure) that names it.
///
/// All but `wall_clock` are counted, not timed: the same component with the same inputs reaches them always or never.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
// Defaults, so that receipts written before there was some limit can still be read.
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Instructions, roughly: wasmtime's fuel, one unit for nearly every WebAssembly instruction, and one for each
    /// [`Limits::BYTES_PER_FUEL`] bytes that the host copies for the grader.
    pub fuel: u64,
    /// Bytes of linear memory, all memories of the component together. More than 4 GiB makes no sense: that is what
    /// 32-bit addresses reach.
    pub memory_bytes: u64,
    /// A backstop for a machine that is stuck or overloaded; says nothing about the submission. In seconds when
    /// serialised.
    #[serde(rename = "wall_clock_seconds", with = "seconds")]
    pub wall_clock: Duration,
    /// Bytes of the submission, and of each file of answers.
    pub input_bytes: u64,
    /// Elements of tables (of function references), all tables of the component together.
    pub table_elements: u64,
    /// Bytes that the grader may hand to the host in one call: a message, or the score with all its measures.
    pub output_bytes: u64,
}

impl Limits {
    /// The remarks of a grader that are kept; later ones are dropped. The contract promises this number.
    pub const WARNINGS: usize = 100;
    /// The characters of a message that are kept, before control characters are escaped. The contract promises this
    /// number.
    pub const MESSAGE_CHARACTERS: usize = 2_000;
    /// The measures of a score that are kept; later ones are dropped. The contract promises this number.
    pub const MEASURES: usize = 10_000;
    /// The characters of a measure's name that are kept.
    pub const MEASURE_NAME_CHARACTERS: usize = 200;
    /// The bytes that one call of `file.read` serves at most. The contract promises this number.
    pub const READ_BYTES: u32 = 16 << 20;
    /// The most linear memory that a grader can have: what 32-bit addresses reach.
    pub const MOST_MEMORY_BYTES: u64 = 4 << 30;
    /// The bytes that the host copies for a grader at the price of one unit of fuel.
    pub const BYTES_PER_FUEL: u64 = 16;

    /// These limits with the given ones in their place.
    #[must_use]
    pub fn with(mut self, overrides: &LimitOverrides) -> Limits {
        if let Some(fuel) = overrides.fuel {
            self.fuel = fuel;
        }
        if let Some(memory_bytes) = overrides.memory_bytes {
            self.memory_bytes = memory_bytes;
        }
        if let Some(seconds) = overrides.wall_clock_seconds {
            self.wall_clock = Duration::from_secs(seconds);
        }
        if let Some(input_bytes) = overrides.input_bytes {
            self.input_bytes = input_bytes;
        }
        self
    }
}

impl Default for Limits {
    /// Two million million units of fuel (about half an hour of one core), 4 GiB of memory, two hours, inputs of
    /// Just under 2 GiB, which the largest known file of answers (1.8 GB) fits: what a 32-bit grader can hold in one piece.
    fn default() -> Limits {
        Limits {
            fuel: 2_000_000_000_000,
            memory_bytes: Limits::MOST_MEMORY_BYTES,
            wall_clock: Duration::from_secs(2 * 60 * 60),
            input_bytes: (2 << 30) - 1,
            table_elements: 1_000_000,
            output_bytes: 64 << 20,
        }
    }
}

/// Limits to put in the place of the default ones: the `[limits]` of a competition, the flags of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitOverrides {
    /// In the place of [`Limits::fuel`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
    /// In the place of [`Limits::memory_bytes`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// In the place of [`Limits::wall_clock`], in whole seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_clock_seconds: Option<u64>,
    /// In the place of [`Limits::input_bytes`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_bytes: Option<u64>,
}

/// Durations as seconds.
mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        duration: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match duration.subsec_nanos() {
            0 => serializer.serialize_u64(duration.as_secs()),
            _ => serializer.serialize_f64(duration.as_secs_f64()),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Duration, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        Duration::try_from_secs_f64(seconds).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_replace_what_they_name_and_nothing_else() {
        let overrides: LimitOverrides =
            toml::from_str("fuel = 7\nmemory_bytes = 65536\nwall_clock_seconds = 9").unwrap();
        let limits = Limits::default().with(&overrides);
        assert_eq!(
            limits,
            Limits {
                fuel: 7,
                memory_bytes: 65_536,
                wall_clock: Duration::from_secs(9),
                ..Limits::default()
            }
        );
        assert_eq!(Limits::default().with(&LimitOverrides::default()), Limits::default());
    }

    #[test]
    fn unknown_limits_are_an_error() {
        let error = toml::from_str::<LimitOverrides>("feul = 7").unwrap_err();
        assert!(error.to_string().contains("feul"), "{error}");
    }

    #[test]
    fn limits_survive_json() {
        for wall_clock in [Duration::from_secs(60), Duration::from_millis(1_500)] {
            let limits = Limits { wall_clock, ..Limits::default() };
            let text = serde_json::to_string(&limits).unwrap();
            assert_eq!(serde_json::from_str::<Limits>(&text).unwrap(), limits, "{text}");
        }
    }
}
