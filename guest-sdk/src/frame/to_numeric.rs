//! `pandas.to_numeric`: texts to numbers by pandas' own rules, which are stricter than Python's.

use super::{Cell, Column, Dtype, Values};
use crate::failure::Failure;

/// A text as pandas reads it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Parsed {
    Missing,
    /// An integer of 64 bits with or without sign, and the float that stands for it among floats.
    Integer(i128, f64),
    Float(f64),
}

impl Column {
    /// `pandas.to_numeric(column)`: numbers and truth values stay as they are; objects become int64, uint64, float64 or
    /// bool. As in pandas, a column that holds both an integer beyond int64 and a negative or missing one stays as it
    /// is.
    ///
    /// # Errors
    /// Where a text is no number: `nan`, `1_0`, `0x1`, `1e400`, digits of other scripts, integers beyond 64 bits.
    pub fn to_numeric(&self) -> Result<Column, Failure> {
        if self.dtype() != Dtype::Object {
            return Ok(self.clone());
        }
        if let Some(integers) = self.all_integers() {
            return Ok(self.with_values(Values::Int64(integers)));
        }
        let (mut all_bool, mut any_float, mut any_missing) = (!self.is_empty(), false, false);
        let (mut any_negative, mut any_beyond_int64) = (false, false);
        let mut parsed = Vec::with_capacity(self.len());
        for (row, cell) in self.cells().enumerate() {
            all_bool &= matches!(cell, Cell::Bool(_));
            let value = match cell {
                Cell::Missing => Parsed::Missing,
                Cell::Bool(value) => Parsed::Integer(value.into(), value.into()),
                Cell::Int(value) => Parsed::Integer(value.into(), value as f64),
                Cell::UInt(value) => Parsed::Integer(value.into(), value as f64),
                Cell::Float(value) if value.is_nan() => Parsed::Missing,
                Cell::Float(value) => Parsed::Float(value),
                Cell::Text(text) => parse(text).ok_or_else(|| self.unexpected(row, "a number"))?,
            };
            match value {
                Parsed::Missing => any_missing = true,
                Parsed::Float(_) => any_float = true,
                Parsed::Integer(integer, _) => {
                    any_negative |= integer < 0;
                    any_beyond_int64 |= integer > i64::MAX.into();
                }
            }
            parsed.push(value);
        }
        if any_beyond_int64 && (any_negative || any_missing) {
            return Ok(self.clone());
        }
        let values = if any_float || any_missing {
            Values::Float64(parsed.into_iter().map(Parsed::to_f64).collect())
        } else if all_bool {
            Values::Bool(parsed.into_iter().map(|value| value.to_i128() == 1).collect())
        } else if any_beyond_int64 {
            Values::UInt64(parsed.into_iter().map(|value| value.to_i128() as u64).collect())
        } else {
            Values::Int64(parsed.into_iter().map(|value| value.to_i128() as i64).collect())
        };
        Ok(self.with_values(values))
    }

    /// The values where the first is an integer and all equal one: pandas tries that first, whole floats included.
    fn all_integers(&self) -> Option<Vec<i64>> {
        if self.is_empty() || !matches!(self.cell(0), Cell::Int(_)) {
            return None;
        }
        self.cells()
            .map(|cell| {
                let integer = cell.to_integer()?.to_i64()?;
                cell.equals(Cell::Int(integer)).then_some(integer)
            })
            .collect()
    }
}

impl Parsed {
    fn to_f64(self) -> f64 {
        match self {
            Parsed::Missing => f64::NAN,
            Parsed::Integer(_, value) | Parsed::Float(value) => value,
        }
    }

    /// Zero for what is no integer; callers have seen to it that there is none.
    fn to_i128(self) -> i128 {
        match self {
            Parsed::Integer(integer, _) => integer,
            Parsed::Missing | Parsed::Float(_) => 0,
        }
    }
}

/// A text by the rules of pandas' `floatify`; `None` where it is no number.
fn parse(text: &str) -> Option<Parsed> {
    if text.is_empty() {
        return Some(Parsed::Missing);
    }
    let word = text.strip_prefix(['+', '-']).unwrap_or(text);
    if word.eq_ignore_ascii_case("inf") || word.eq_ignore_ascii_case("infinity") {
        return Some(Parsed::Float(if text.starts_with('-') {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        }));
    }
    let spaces = [' ', '\t', '\n', '\x0b', '\x0c', '\r'];
    let number = text.trim_matches(spaces);
    let float = parse_float(number)?;
    let unsigned = number.strip_prefix(['+', '-']).unwrap_or(number);
    if !unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Parsed::Float(float));
    }
    let integer: i128 = number.parse().ok()?;
    let within = i128::from(i64::MIN)..=i128::from(u64::MAX);
    within.contains(&integer).then_some(Parsed::Integer(integer, float))
}

/// pandas' own float parser (`precise_xstrtod`), which looks at 17 digits, leading zeros included, and scales by one
/// power of ten: the last bits can differ from the nearest float.
fn parse_float(number: &str) -> Option<f64> {
    const MOST_DIGITS: usize = 17;
    const LARGEST_POWER: i32 = 308;
    let (negative, unsigned) = match number.strip_prefix('-') {
        Some(unsigned) => (true, unsigned),
        None => (false, number.strip_prefix('+').unwrap_or(number)),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !digits(whole) || !digits(fraction) {
        return None;
    }
    let (mut value, mut used, mut power) = (0.0, 0, 0_i32);
    for digit in whole.bytes() {
        if used < MOST_DIGITS {
            value = value * 10.0 + f64::from(digit - b'0');
            used += 1;
        } else {
            power = power.wrapping_add(1);
        }
    }
    for digit in fraction.bytes().take(MOST_DIGITS - used) {
        value = value * 10.0 + f64::from(digit - b'0');
        power = power.wrapping_sub(1);
    }
    if let Some(exponent) = exponent {
        let (falls, size) = match exponent.strip_prefix('-') {
            Some(size) => (true, size),
            None => (false, exponent.strip_prefix('+').unwrap_or(exponent)),
        };
        if size.is_empty() || size.len() > MOST_DIGITS || !digits(size) {
            return None;
        }
        // The exponent is a 32-bit integer there, and wraps.
        let size = size
            .bytes()
            .fold(0_i32, |size, digit| size.wrapping_mul(10).wrapping_add(i32::from(digit - b'0')));
        power = if falls { power.wrapping_sub(size) } else { power.wrapping_add(size) };
    }
    let scaled = if power > LARGEST_POWER {
        return None;
    } else if power >= 0 {
        value * power_of_ten(power)
    } else if power >= -LARGEST_POWER {
        value / power_of_ten(-power)
    } else if power >= -2 * LARGEST_POWER {
        value / power_of_ten(-LARGEST_POWER - power) / power_of_ten(LARGEST_POWER)
    } else {
        0.0
    };
    if scaled.is_infinite() {
        return None;
    }
    Some(if negative { -scaled } else { scaled })
}

/// The nearest float to a power of ten from 0 to 308.
fn power_of_ten(power: i32) -> f64 {
    format!("1e{power}").parse().expect("a power of ten is a number")
}

#[cfg(test)]
mod tests {
    use super::super::Role;
    use super::*;

    fn numeric(cells: &[Cell<'_>]) -> Result<(Dtype, Vec<String>), Failure> {
        let column =
            Column::new("x", Role::Submission, Values::Object(cells.iter().copied().collect()));
        let column = column.to_numeric()?;
        Ok((column.dtype(), column.cells().map(|cell| cell.to_string()).collect()))
    }

    #[test]
    fn recorded_from_pandas() {
        use Cell::{Bool, Float, Int, Missing, Text};
        let cases: [(&[Cell<'_>], Dtype, &[&str]); 17] = [
            (&[], Dtype::Int64, &[]),
            (&[Text("1"), Text("-2")], Dtype::Int64, &["1", "-2"]),
            (&[Text("1"), Text("2.5")], Dtype::Float64, &["1.0", "2.5"]),
            (&[Text("1"), Missing], Dtype::Float64, &["1.0", "nan"]),
            (&[Text("\t1\n"), Text("+007")], Dtype::Int64, &["1", "7"]),
            (&[Text(""), Text("1")], Dtype::Float64, &["nan", "1.0"]),
            (&[Text("-Infinity"), Text("+inf")], Dtype::Float64, &["-inf", "inf"]),
            (&[Text("1e-400"), Text("-.5E1")], Dtype::Float64, &["0.0", "-5.0"]),
            (&[Text("18446744073709551615")], Dtype::UInt64, &["18446744073709551615"]),
            (
                &[Text("18446744073709551615"), Text("-1")],
                Dtype::Object,
                &["18446744073709551615", "-1"],
            ),
            (
                &[Text("18446744073709551615"), Missing],
                Dtype::Object,
                &["18446744073709551615", "nan"],
            ),
            (&[Text("18446744073709551616.0")], Dtype::Float64, &["1.8446744073709552e+19"]),
            (&[Bool(true), Bool(false)], Dtype::Bool, &["True", "False"]),
            (&[Bool(true), Missing], Dtype::Float64, &["1.0", "nan"]),
            (&[Bool(true), Text("1")], Dtype::Int64, &["1", "1"]),
            (&[Int(1), Float(2.0)], Dtype::Int64, &["1", "2"]),
            (&[Float(2.0), Int(1)], Dtype::Float64, &["2.0", "1.0"]),
        ];
        for (cells, dtype, texts) in cases {
            assert_eq!(
                numeric(cells),
                Ok((dtype, texts.iter().map(|text| (*text).to_owned()).collect())),
                "{cells:?}"
            );
        }
        for text in [
            " ",
            "nan",
            "True",
            "1_0",
            "0x1",
            "1e400",
            "1.8e308",
            "0e309",
            "1e",
            "1e+",
            ".",
            "1 2",
            "--5",
            "- 5",
            " inf",
            "18446744073709551616",
            "-9223372036854775809",
            "1\u{a0}",
            "１",
            "1,000",
        ] {
            assert!(numeric(&[Text("1"), Text(text)]).is_err(), "{text:?}");
        }
    }

    #[test]
    fn floats_are_as_inexact_as_in_pandas() {
        // Recorded bits: pandas scales the first seventeen digits by one power of ten.
        assert_eq!(
            parse_float("8.417742881015715e+76").map(f64::to_bits),
            Some(0x4fe7_4357_8fdd_5709)
        );
        assert_eq!(
            parse_float("00058.7319645355170862899").map(f64::to_bits),
            Some(0x404d_5db1_038e_f04d)
        );
        assert_eq!(parse_float("5e-324"), Some(5e-324));
        assert_eq!(parse_float("1e4294967297"), Some(10.0));
    }
}
