//! The JSON of a report, with the keys that stand in one of its objects more than once.
//!
//! A reader that keeps one value of a key says nothing of the others, and another reader may keep another one. So they are
//! named, by their places. Relies on serde_json for the grammar.

use std::collections::HashSet;
use std::fmt;

use podium::{parse_python_json, quote_bare_words};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// What was read.
#[derive(Debug)]
pub(crate) struct ReportJson {
    /// The values; of a key that is there more than once, the last one.
    pub(crate) value: Value,
    /// The places of keys that are there more than once, each once.
    pub(crate) repeated: Vec<Place>,
}

/// A place in a document: the steps that lead to it.
pub(crate) type Place = Vec<Step>;

/// A step from an object or a list into it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    /// To what stands under a key.
    Key(String),
    /// To the element of a list with this number, from 0 on.
    Element(usize),
}

impl ReportJson {
    /// Reads JSON as Python writes it: with the bare words `NaN`, `Infinity` and `-Infinity`, which become text here.
    ///
    /// # Errors
    /// Says where the text ceases to be JSON.
    pub(crate) fn parse(text: &str) -> Result<ReportJson, podium::Error> {
        if let Ok(read) = parse_strictly(text) {
            return Ok(read);
        }
        if let Some(quoted) = quote_bare_words(text)
            && let Ok(read) = parse_strictly(&quoted)
        {
            return Ok(read);
        }
        // What is wrong is said as everywhere.
        parse_python_json(text).map(|value| ReportJson { value, repeated: Vec::new() })
    }
}

/// A place in words: `competition_reports[3].score`.
pub(crate) fn in_words(place: &[Step]) -> String {
    let mut words = String::new();
    for step in place {
        match step {
            Step::Key(key) if words.is_empty() => words.push_str(key),
            Step::Key(key) => words.extend([".", key]),
            Step::Element(number) => words.push_str(&format!("[{number}]")),
        }
    }
    words
}

fn parse_strictly(text: &str) -> Result<ReportJson, serde_json::Error> {
    let mut walk = Walk { place: Vec::new(), repeated: Vec::new() };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Node(&mut walk).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(ReportJson { value, repeated: walk.repeated })
}

struct Walk {
    place: Place,
    repeated: Vec<Place>,
}

/// The value at the place of the walk.
struct Node<'a>(&'a mut Walk);

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(Value::Bool(truth))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Number::from_f64(number).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        loop {
            self.0.place.push(Step::Element(values.len()));
            let value = list.next_element_seed(Node(self.0))?;
            self.0.place.pop();
            match value {
                Some(value) => values.push(value),
                None => return Ok(Value::Array(values)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        let mut repeated = HashSet::new();
        while let Some(key) = object.next_key::<String>()? {
            self.0.place.push(Step::Key(key.clone()));
            let value = object.next_value_seed(Node(self.0))?;
            if fields.contains_key(&key) && repeated.insert(key.clone()) {
                self.0.repeated.push(self.0.place.clone());
            }
            self.0.place.pop();
            fields.insert(key, value);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_that_stand_twice_are_named_by_their_places() {
        let text =
            r#"{"a": 1, "a": 2, "list": [{"b": NaN, "b": 1, "b": 2}, {"c": {"d": 1, "d": 1}}]}"#;
        let read = ReportJson::parse(text).unwrap();
        let places: Vec<String> = read.repeated.iter().map(|place| in_words(place)).collect();
        assert_eq!(places, ["a", "list[0].b", "list[1].c.d"]);
        // The last one, as everywhere else.
        assert_eq!(read.value, parse_python_json(text).unwrap());
        assert!(
            ReportJson::parse(r#"{"a": {"b": 1}, "b": [{"a": 1}, {"a": 1}]}"#)
                .unwrap()
                .repeated
                .is_empty()
        );
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_read_as_everywhere(text in "[\\[\\]{}:,\"a1 .eNaN-]{0,40}|\\PC{0,40}") {
            match (ReportJson::parse(&text), parse_python_json(&text)) {
                (Ok(read), Ok(value)) => prop_assert_eq!(read.value, value),
                (Err(ours), Err(theirs)) => prop_assert_eq!(ours.to_string(), theirs.to_string()),
                (ours, theirs) => prop_assert!(false, "{:?} {:?}", ours, theirs),
            }
        }
    }
}
