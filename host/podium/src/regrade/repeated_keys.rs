//! JSON with the keys that an object has twice.
//!
//! Programs differ in which of the two they take, so that a person may be shown one value and a script another. What
//! stands twice is therefore not believed at all; where it stands is told by a path such as `competition_reports[3].score`.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::report::quote_bare_words;

/// The keys that are remembered; who writes more of them is not told all.
const MOST: usize = 1_000;

/// A value, without the keys that stand twice in their object.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Document {
    pub(super) value: Value,
    /// The paths of the keys that stand twice.
    pub(super) repeated: BTreeSet<String>,
}

impl Document {
    /// Parses JSON as Python writes it: with the bare words `NaN`, `Infinity` and `-Infinity`, which become text.
    ///
    /// # Errors
    /// Where the text ceases to be JSON.
    pub(super) fn parse(text: &str) -> Result<Document, serde_json::Error> {
        match serde_json::from_str(text) {
            Ok(document) => Ok(document),
            Err(error) => match quote_bare_words(text) {
                Some(quoted) => serde_json::from_str(&quoted),
                None => Err(error),
            },
        }
    }
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Document, D::Error> {
        let repeated = RefCell::new(BTreeSet::new());
        let value = At { path: "", repeated: &repeated }.deserialize(deserializer)?;
        Ok(Document { value, repeated: repeated.into_inner() })
    }
}

/// A place in the document.
struct At<'a> {
    path: &'a str,
    repeated: &'a RefCell<BTreeSet<String>>,
}

impl<'de> DeserializeSeed<'de> for At<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for At<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value of JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        loop {
            let path = format!("{}[{}]", self.path, values.len());
            let at = At { path: &path, repeated: self.repeated };
            match access.next_element_seed(at)? {
                Some(value) => values.push(value),
                None => return Ok(Value::Array(values)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        let mut twice = BTreeSet::new();
        while let Some(key) = access.next_key::<String>()? {
            let dot = if self.path.is_empty() { "" } else { "." };
            let path = format!("{}{dot}{key}", self.path);
            let value = access.next_value_seed(At { path: &path, repeated: self.repeated })?;
            if fields.insert(key.clone(), value).is_some() {
                let mut repeated = self.repeated.borrow_mut();
                if repeated.len() < MOST {
                    repeated.insert(path);
                }
                twice.insert(key);
            }
        }
        fields.retain(|key, _| !twice.contains(key));
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_that_stand_twice_are_told_by_their_path_and_left_out() {
        for (text, value, repeated) in [
            (
                r#"{"a": 1, "b": [true, null, -2, "x", 0.5]}"#,
                json!({"a": 1, "b": [true, null, -2, "x", 0.5]}),
                &[][..],
            ),
            (r#"{"a": 1, "b": 2, "a": 1}"#, json!({"b": 2}), &["a"]),
            (
                r#"{"r": [{"score": 0.1}, {"score": 0.1, "score": NaN, "x": {"y": 1, "y": 2}}]}"#,
                json!({"r": [{"score": 0.1}, {"x": {}}]}),
                &["r[1].score", "r[1].x.y"],
            ),
            (r#"{"a": {"b": 1}, "a": 2}"#, json!({}), &["a"]),
            // Escapes make no other key.
            (r#"{"a": 1, "\u0061": 2}"#, json!({}), &["a"]),
        ] {
            let document = Document::parse(text).unwrap();
            assert_eq!(document.value, value, "{text}");
            assert!(document.repeated.iter().eq(repeated), "{text}: {:?}", document.repeated);
        }
        for text in ["", "{", "[1", "{\"a\"}"] {
            assert!(Document::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_are_read_as_everywhere_else() {
        let text =
            "[0.1, 1, 18446744073709551615, -9223372036854775808, 5e-324, 12345678901234567890123]";
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(Document::parse(text).unwrap().value, value);
    }
}
