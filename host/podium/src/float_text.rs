//! Floats that JSON cannot hold, as text: `nan`, `inf`, `-inf`; and all others as the shortest decimal.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The shortest decimal that reads back as the same double; `nan`, `inf`, `-inf`. Whole numbers have no `.0`.
pub(crate) fn shortest(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    let text = format!("{value:?}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// The text of a float that JSON cannot hold.
pub(crate) fn text_of_non_finite(value: f64) -> Option<String> {
    (!value.is_finite()).then(|| shortest(value))
}

/// The float that such a text stands for, in the spellings of Rust, Python and JavaScript.
pub(crate) fn parse_non_finite(text: &str) -> Option<f64> {
    match text.trim().to_ascii_lowercase().as_str() {
        "nan" => Some(f64::NAN),
        "inf" | "+inf" | "infinity" | "+infinity" => Some(f64::INFINITY),
        "-inf" | "-infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// For serde's `with`: a number where JSON can hold it, else its text.
pub(crate) mod number_or_text {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        match text_of_non_finite(*value) {
            None => value.serialize(serializer),
            Some(text) => text.serialize(serializer),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match &value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => parse_non_finite(text),
            _ => None,
        }
        .ok_or_else(|| D::Error::custom(format!("{value} is not a number")))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decimals_are_the_shortest() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (10.0, "10"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e16, "1e16"),
            (1e-7, "1e-7"),
            (f64::MAX, "1.7976931348623157e308"),
            (5e-324, "5e-324"),
            (f64::NAN, "nan"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(shortest(value), text);
        }
    }

    proptest! {
        #[test]
        fn every_float_comes_back(bits in any::<u64>()) {
            #[derive(Serialize, Deserialize)]
            struct Held(#[serde(with = "number_or_text")] f64);
            let value = f64::from_bits(bits);
            let back: Held = serde_json::from_str(&serde_json::to_string(&Held(value)).unwrap()).unwrap();
            prop_assert!(back.0.to_bits() == bits || (back.0.is_nan() && value.is_nan()));
            let text = shortest(value);
            let back: f64 = text.parse().unwrap();
            prop_assert!(back.to_bits() == bits || (back.is_nan() && value.is_nan()));
        }
    }
}
