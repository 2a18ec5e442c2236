//! Messages of serde, in the words of people who write files and not in those of people who write Rust.
//!
//! Relies on the wording of serde's messages ("invalid type: …, expected f64"). What is not known passes as it is, so
//! that another wording costs clarity and nothing else.

/// A message of serde, in plain words.
pub(crate) fn plain(message: &str) -> String {
    const BEGINNINGS: [(&str, &str); 7] = [
        ("invalid type: ", "found "),
        ("invalid value: ", "found "),
        ("invalid length ", "found a list of the wrong length, "),
        ("duplicate field ", "repeated key "),
        ("unknown field ", "unknown key "),
        ("unknown variant ", "unknown value "),
        ("missing field ", "missing key "),
    ];
    // What serde says of a list in the place of a table.
    if message.starts_with("invalid length ") && message.contains(", expected struct ") {
        return "found a list, expected a table".to_owned();
    }
    let message = match BEGINNINGS.iter().find(|(begin, _)| message.starts_with(begin)) {
        Some((begin, instead)) => format!("{instead}{}", &message[begin.len()..]),
        None => message.to_owned(),
    };
    match message.split_once(", expected ") {
        None => found(&message),
        Some((what, wanted)) => format!("{}, expected {}", found(what), expected(wanted)),
    }
}

/// What was found: `found integer `3`` becomes `found the number 3`.
fn found(text: &str) -> String {
    const KINDS: [(&str, &str); 9] = [
        ("integer ", "the number "),
        ("floating point ", "the number "),
        ("string ", "the text "),
        ("boolean ", ""),
        ("sequence", "a list"),
        ("map", "a table"),
        ("unit", "nothing"),
        ("null", "nothing"),
        ("datetime", "a date"),
    ];
    let Some(rest) = text.strip_prefix("found ") else { return text.to_owned() };
    match KINDS.iter().find(|(kind, _)| rest.starts_with(kind)) {
        Some((kind, instead)) => format!("found {instead}{}", &rest[kind.len()..]),
        None => text.to_owned(),
    }
}

/// What was wanted: `f64` becomes `a number`.
fn expected(wanted: &str) -> String {
    let (word, rest) = match wanted.find([' ', ',']) {
        Some(end) if wanted.starts_with("struct ") || wanted.starts_with("enum ") => {
            // The name of a Rust type says nothing; where more follows, it follows a further space.
            let after = wanted[end + 1..].find(' ').map_or(wanted.len(), |next| end + 1 + next);
            (&wanted[..end], &wanted[after..])
        }
        Some(end) => wanted.split_at(end),
        None => (wanted, ""),
    };
    let plain = match word {
        "f32" | "f64" => "a number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number that is not negative",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "bool" => "true or false",
        "str" | "String" => "a text",
        "struct" | "map" => "a table",
        "enum" => "one of the allowed values",
        "unit" => "nothing",
        "a" if rest.starts_with(" string") || rest.starts_with(" borrowed string") => {
            return "a text".to_owned();
        }
        "a" if rest.starts_with(" boolean") => return "true or false".to_owned(),
        "a" if rest.starts_with(" sequence") => return "a list".to_owned(),
        "a" if rest.starts_with(" map") => return "a table".to_owned(),
        "path" => "a path",
        other => other,
    };
    format!("{plain}{rest}")
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::plain;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only what is wrong with them is looked at")]
    struct Seals {
        weight: Option<f64>,
        count: Option<u64>,
        name: Option<String>,
        grey: Option<bool>,
        kin: Option<Vec<String>>,
        colony: Option<Colony>,
        sea: Option<Sea>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only what is wrong with them is looked at")]
    struct Colony {
        place: String,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Sea {
        North,
        Baltic,
    }

    /// Real messages of TOML and of JSON, so that another wording of theirs is noticed.
    #[test]
    fn rust_is_translated() {
        for (toml, json, words) in [
            (r#"weight = "1""#, r#"{"weight": "1"}"#, r#"found the text "1", expected a number"#),
            (
                "count = -1",
                r#"{"count": -1}"#,
                "found the number `-1`, expected a whole number that is not negative",
            ),
            (
                "count = 1.5",
                r#"{"count": 1.5}"#,
                "found the number `1.5`, expected a whole number that is not negative",
            ),
            ("name = 3", r#"{"name": 3}"#, "found the number `3`, expected a text"),
            ("name = true", r#"{"name": true}"#, "found `true`, expected a text"),
            ("grey = \"no\"", r#"{"grey": "no"}"#, "found the text \"no\", expected true or false"),
            ("kin = 3", r#"{"kin": 3}"#, "found the number `3`, expected a list"),
            ("colony = 3", r#"{"colony": 3}"#, "found the number `3`, expected a table"),
            ("name = [1]", r#"{"name": [1]}"#, "found a list, expected a text"),
            ("name = {}", r#"{"name": {}}"#, "found a table, expected a text"),
            ("colony = {}", r#"{"colony": {}}"#, "missing key `place`"),
            ("wieght = 1", r#"{"wieght": 1}"#, "unknown key `wieght`, expected one of `weight`"),
            (
                "sea = \"red\"",
                r#"{"sea": "red"}"#,
                "unknown value `red`, expected `north` or `baltic`",
            ),
        ] {
            let from_toml = toml::from_str::<Seals>(toml).unwrap_err();
            let from_json = serde_json::from_str::<Seals>(json).unwrap_err().to_string();
            for message in [from_toml.message(), &from_json] {
                let message = plain(message);
                assert!(message.contains(words), "{toml}: {message}");
                assert!(!message.contains("struct") && !message.contains("64"), "{message}");
            }
        }
        let list = serde_json::from_str::<Seals>("[]").unwrap_err().to_string();
        assert_eq!(plain(&list), "found a list, expected a table");
        assert_eq!(plain("something else"), "something else");
    }
}
