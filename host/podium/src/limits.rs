//! What one grading may use, and how a competition changes single limits.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::verdict::Bytes;

/// The bounds of one grading. Reaching one is a [`GraderFailure`](crate::GraderFailure) that names it.
///
/// All but `wall_clock` are counted, not timed: the same component with the same inputs reaches them always or never.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
// Defaults, so that receipts written before there was some limit can still be read.
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Instructions, roughly: wasmtime's fuel, one unit for nearly every WebAssembly instruction,
    /// [`Limits::FUEL_PER_CALL`] for each call of the host, and one for each [`Limits::BYTES_PER_FUEL`] bytes that the
    /// host copies for the grader.
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
    /// The fuel that a call of one of the host's functions costs, beside that for the bytes it copies: about what the
    /// time that it takes would do in instructions.
    pub const FUEL_PER_CALL: u64 = 100;
    /// The bytes that the host copies for a grader at the price of one unit of fuel.
    pub const BYTES_PER_FUEL: u64 = 16;
    /// The fuel that a call into the virtual WASI takes: what such a call takes of the host, roughly.
    pub const FUEL_PER_WASI_CALL: u64 = 100;
    /// The bytes that are kept of what a grader prints: the first and the last of them, half of this each.
    pub const LOG_BYTES: usize = 64 << 10;

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
    /// Ten million million units of fuel (some twenty minutes of one core; more than twenty times what any of the built-in
    /// competitions takes), 4 GiB of memory, two hours, inputs of just under 2 GiB, which the largest known file of answers
    /// (1.8 GB) fits: what a 32-bit grader can hold in one piece.
    fn default() -> Limits {
        Limits {
            fuel: 10_000_000_000_000,
            memory_bytes: Limits::MOST_MEMORY_BYTES,
            wall_clock: Duration::from_secs(2 * 60 * 60),
            input_bytes: (2 << 30) - 1,
            table_elements: 1_000_000,
            output_bytes: 64 << 20,
        }
    }
}

/// What a grading took of what its [`Limits`] allow: the same on every machine. (Time is not, and is not here.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Fuel.
    pub fuel: u64,
    /// The most linear memory in use at once, in bytes.
    pub peak_memory_bytes: u64,
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

impl LimitOverrides {
    /// The limits that are given, with their values.
    pub fn given(&self) -> impl Iterator<Item = (Limit, u64)> {
        [
            (Limit::Fuel, self.fuel),
            (Limit::Memory, self.memory_bytes),
            (Limit::WallClock, self.wall_clock_seconds),
            (Limit::Input, self.input_bytes),
        ]
        .into_iter()
        .filter_map(|(limit, value)| Some((limit, value?)))
    }

    /// Checks that every limit that is given can be one.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Result<(), LimitOutOfRange> {
        self.given().try_for_each(|(limit, value)| limit.check(value))
    }
}

/// A limit that can be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    /// [`Limits::fuel`].
    Fuel,
    /// [`Limits::memory_bytes`].
    Memory,
    /// [`Limits::wall_clock`], in seconds.
    WallClock,
    /// [`Limits::input_bytes`].
    Input,
}

impl Limit {
    /// The name, as a `competition.toml` and a receipt spell it.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Fuel => "fuel",
            Limit::Memory => "memory_bytes",
            Limit::WallClock => "wall_clock_seconds",
            Limit::Input => "input_bytes",
        }
    }

    /// The values that make sense.
    ///
    /// Fuel and sizes are whole numbers that JSON carries exactly (below 2^53). A grader has at least one page of
    /// memory, 64 KiB, and 32-bit addresses reach no further than 4 GiB. No grading takes a thousand days.
    pub fn range(self) -> RangeInclusive<u64> {
        const EXACT: u64 = (1 << 53) - 1;
        match self {
            Limit::Fuel | Limit::Input => 1..=EXACT,
            Limit::Memory => (64 << 10)..=(4 << 30),
            Limit::WallClock => 1..=1_000 * 24 * 60 * 60,
        }
    }

    /// Checks that the limit can have this value.
    ///
    /// # Errors
    /// Says which values it can have.
    pub fn check(self, value: u64) -> Result<(), LimitOutOfRange> {
        if self.range().contains(&value) {
            Ok(())
        } else {
            Err(LimitOutOfRange { limit: self, value })
        }
    }
}

/// A value that a limit cannot have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} is out of range: it has to be between {} and {}",
    Quantity(*.limit, *.value),
    Quantity(*.limit, *.limit.range().start()),
    Quantity(*.limit, *.limit.range().end())
)]
pub struct LimitOutOfRange {
    /// The limit.
    pub limit: Limit,
    /// The value.
    pub value: u64,
}

/// A value of a limit with its unit.
struct Quantity(Limit, u64);

impl fmt::Display for Quantity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Quantity(limit, value) = self;
        match limit {
            Limit::Fuel if *value == 1 => formatter.write_str("1 unit of fuel"),
            Limit::Fuel => write!(formatter, "{value} units of fuel"),
            // Rounded, what is just out of range would look as if it were not.
            Limit::Memory if Bytes(*value).is_rounded() => write!(formatter, "{value} bytes"),
            Limit::Memory => Bytes(*value).fmt(formatter),
            Limit::WallClock if *value == 1 => formatter.write_str("1 second"),
            Limit::WallClock => write!(formatter, "{value} seconds"),
            Limit::Input if *value == 1 => formatter.write_str("1 byte"),
            Limit::Input => write!(formatter, "{value} bytes"),
        }
    }
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
    fn values_that_no_limit_can_have_are_refused_with_the_range() {
        for (text, part) in [
            (
                "fuel = 0",
                "0 units of fuel is out of range: it has to be between 1 unit of fuel and 9007",
            ),
            ("fuel = 9007199254740992", "out of range"),
            ("memory_bytes = 65535", "between 64 KiB and 4 GiB"),
            (
                "memory_bytes = 4294967297",
                "4294967297 bytes is out of range: it has to be between 64 KiB and 4 GiB",
            ),
            (
                "wall_clock_seconds = 0",
                "0 seconds is out of range: it has to be between 1 second and",
            ),
            ("wall_clock_seconds = 86400001", "out of range"),
            ("input_bytes = 0", "between 1 byte and"),
        ] {
            let overrides: LimitOverrides = toml::from_str(text).unwrap();
            let message = overrides.check().unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
        for limit in [Limit::Fuel, Limit::Memory, Limit::WallClock, Limit::Input] {
            for value in [*limit.range().start(), *limit.range().end()] {
                let text = format!("{} = {value}", limit.name());
                let overrides: LimitOverrides = toml::from_str(&text).unwrap();
                assert_eq!(overrides.given().collect::<Vec<_>>(), [(limit, value)]);
                assert_eq!(overrides.check(), Ok(()), "{text}");
                // Whatever is allowed comes back from a receipt.
                let limits = Limits::default().with(&overrides);
                let json = serde_json::to_string(&limits).unwrap();
                assert_eq!(serde_json::from_str::<Limits>(&json).unwrap(), limits, "{text}");
            }
        }
        // The default ones are possible values, too.
        let Limits { fuel, memory_bytes, wall_clock, input_bytes, .. } = Limits::default();
        let wall_clock_seconds = wall_clock.as_secs();
        for (limit, value) in [
            (Limit::Fuel, fuel),
            (Limit::Memory, memory_bytes),
            (Limit::WallClock, wall_clock_seconds),
            (Limit::Input, input_bytes),
        ] {
            assert_eq!(limit.check(value), Ok(()));
        }
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
