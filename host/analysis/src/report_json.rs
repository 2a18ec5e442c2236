//! The JSON of a report, with the keys that stand in one of its objects more than once.
//!
//! A reader that keeps one value of a key says nothing of the others, and another reader may keep another one. So they are
//! named, by their places. A number that no double holds (`1e999`) makes nothing else useless: it becomes an object, which
//! is what no reader looks for in its place. Relies on serde_json for the grammar.

use std::collections::HashSet;
use std::fmt;

use podium::{quote_bare_words, told};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::shown::shown_name;

/// The characters of a wrong value that are shown.
const SHOWN_CHARACTERS: usize = 60;

/// The key of the object that stands for a number that no double holds; its value is the text of the number.
const BEYOND: &str = "a number that no double holds";

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
    pub(crate) fn parse(text: &str) -> Result<ReportJson, String> {
        if let Ok(read) = parse_strictly(text) {
            return Ok(read);
        }
        let text = with_numbers_held(text);
        let text = quote_bare_words(&text).unwrap_or(text);
        parse_strictly(&text).map_err(|error| not_json(&error))
    }
}

/// Where a text ceases to be JSON, in words.
fn not_json(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    if error.is_eof() {
        return format!("it ends in the middle, at line {line}, column {column}");
    }
    let what = error.to_string();
    let why = match what.split(" at line").next().unwrap_or_default() {
        "recursion limit exceeded" => ": it is nested too deeply",
        "trailing characters" => ": something stands behind its end",
        _ => "",
    };
    format!("it is no JSON at line {line}, column {column}{why}")
}

/// The text with an object in the place of every number that no double holds.
fn with_numbers_held(text: &str) -> String {
    let mut held = String::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some(first) = rest.bytes().next() {
        let length = match first {
            b'"' => string_at_start(rest),
            b'-' | b'0'..=b'9' => {
                let is_of_number = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
                let end = rest.bytes().position(|byte| !is_of_number(byte)).unwrap_or(rest.len());
                if is_beyond(&rest[..end]) {
                    held.push_str(&format!("{{\"{BEYOND}\":\"{}\"}}", &rest[..end]));
                    rest = &rest[end..];
                    continue;
                }
                end
            }
            _ => {
                let is_begin = |byte: u8| byte == b'"' || byte == b'-' || byte.is_ascii_digit();
                rest.bytes().position(is_begin).unwrap_or(rest.len())
            }
        };
        held.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    held
}

/// The length of the string, quotes and all, that a text begins with; of all of it where the string does not end.
fn string_at_start(text: &str) -> usize {
    let mut is_escaped = false;
    for (place, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return place + 1,
            _ => {}
        }
    }
    text.len()
}

/// Whether this is a number of JSON that is too large for a double.
fn is_beyond(number: &str) -> bool {
    // Whatever else is wrong with a number, the grammar says.
    number.parse::<f64>().is_ok_and(f64::is_infinite)
        && serde_json::from_str::<serde::de::IgnoredAny>(number).is_ok()
}

/// A value in a sentence: on one line, and cut.
pub(crate) fn shown(value: &Value) -> String {
    let beyond = value.as_object().filter(|fields| fields.len() == 1);
    let beyond = beyond.and_then(|fields| fields.get(BEYOND)?.as_str());
    let text = beyond.map_or_else(|| value.to_string(), str::to_owned);
    let mut cut: String = text.chars().take(SHOWN_CHARACTERS).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    let cut = told::shown_name(&cut);
    if beyond.is_some() { format!("{cut}, which no double holds") } else { cut }
}

/// A place in words: `competition_reports[3].score`.
pub(crate) fn in_words(place: &[Step]) -> String {
    let mut words = String::new();
    for step in place {
        match step {
            Step::Key(key) if words.is_empty() => words.push_str(&shown_name(key)),
            Step::Key(key) => words.extend([".", &shown_name(key)]),
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
    use podium::parse_python_json;
    use proptest::prelude::*;
    use serde_json::json;

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

    #[test]
    fn a_number_that_no_double_holds_is_in_nothings_way() {
        let digits = "9".repeat(400);
        for number in ["1e999", "-1E+400", &digits] {
            let text = format!(r#"{{"a": [{number}, 1, "{number} \" {number}"], "b": NaN}}"#);
            let value = ReportJson::parse(&text).unwrap().value;
            assert_eq!(value["a"][1], 1, "{number}");
            assert_eq!(value["a"][2], format!("{number} \" {number}"));
            assert_eq!(value["b"], "NaN");
            let told = shown(&value["a"][0]);
            let begin = &number[..number.len().min(60)];
            assert!(told.starts_with(begin) && told.ends_with(", which no double holds"), "{told}");
            assert!(!value["a"][0].is_number() && !value["a"][0].is_string());
        }
        // What is small is zero, as everywhere.
        assert_eq!(ReportJson::parse("[1e-999, 1e999]").unwrap().value[0], json!(0.0));
        for text in ["[1e999", "[01e999]", "[1e999.5]", "[+1e999]", "\"1e999"] {
            assert!(ReportJson::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn where_a_text_ceases_to_be_json_is_said_in_words() {
        for (text, expected) in [
            ("{\"a\": [1,", "it ends in the middle, at line 1, column 9"),
            ("", "it ends in the middle, at line 1, column 0"),
            ("{\n\"a\" 1}", "it is no JSON at line 2, column 5"),
            ("{} x", "it is no JSON at line 1, column 4: something stands behind its end"),
            (&"[".repeat(200), "it is no JSON at line 1, column 128: it is nested too deeply"),
        ] {
            assert_eq!(ReportJson::parse(text).unwrap_err(), expected);
        }
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_read_as_everywhere(text in "[\\[\\]{}:,\"a1 .eNaN-]{0,40}|\\PC{0,40}") {
            let is_held = with_numbers_held(&text) == text;
            match (ReportJson::parse(&text), parse_python_json(&text)) {
                (Ok(read), Ok(value)) if is_held => prop_assert_eq!(read.value, value),
                (ours, theirs) if is_held => {
                    prop_assert!(ours.is_err() && theirs.is_err(), "{:?} {:?}", ours, theirs);
                }
                _ => {}
            }
        }
    }
}
