//! What is probably wrong with a submission that was refused, told by how its file begins.
//!
//! A hint stands beside the grader's message and decides nothing: it is looked for only after a submission was found to
//! be invalid. It depends on the submission's own bytes alone, so that it can tell nothing of the answers.

use crate::file_kind::FileKind;

/// How many bytes of a submission are looked at: the first line of the widest known submission is shorter.
pub(crate) const HEAD_BYTES: u32 = 64 << 10;

/// A hint for whoever made the submission that begins with these bytes; `None` where nothing is remarkable, or where the
/// message says the same.
pub(crate) fn hint(head: &[u8], message: &str) -> Option<String> {
    if let Some(FileKind { name, advice }) = FileKind::of(head) {
        let is_new = !message.contains(advice);
        return is_new.then(|| format!("the content is {name}: {advice}"));
    }
    let text = String::from_utf8_lossy(head);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next()?;
    if first.starts_with(['{', '[']) {
        return Some("the file looks like JSON: write the table as CSV".to_owned());
    }
    wrong_separator(first, lines.next()).or_else(|| missing_header(first))
}

/// Columns that something else than a comma separates.
fn wrong_separator(first: &str, second: Option<&str>) -> Option<String> {
    const SEPARATORS: [(char, &str); 3] = [(';', "a semicolon"), ('\t', "a tab"), ('|', "a bar")];
    if first.contains(',') {
        return None;
    }
    let found = SEPARATORS.into_iter().find(|(separator, _)| {
        let parts = first.matches(*separator).count();
        // A column name may hold such a character; a separator is in every line alike.
        parts > 0 && second.is_none_or(|second| second.matches(*separator).count() == parts)
    });
    let (_, name) = found?;
    Some(format!(
        "{name} seems to separate the columns: write the file with commas (in pandas: to_csv without `sep`)"
    ))
}

/// A first line that holds values where names of columns are expected.
fn missing_header(first: &str) -> Option<String> {
    const VALUES: [&str; 3] = ["true", "false", "nan"];
    let is_value = |cell: &str| {
        let cell = cell.trim().trim_matches('"');
        cell.parse::<f64>().is_ok() || VALUES.iter().any(|value| cell.eq_ignore_ascii_case(value))
    };
    first.split(',').any(is_value).then(|| {
        "the first line seems to hold values, not the names of the columns: is the header row missing?"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::hint;

    #[test]
    fn what_is_probably_wrong_is_said_and_nothing_else() {
        for (head, part) in [
            (&b"\x1f\x8b\x08\0\0\0"[..], Some("gzip-compressed data: decompress")),
            (b"PAR1\x15", Some("a Parquet file")),
            (b"\xff\xfei\0d\0,\0", Some("UTF-16 text: save it as UTF-8")),
            (b"id;label\n1;0\n2;1\n", Some("a semicolon seems to separate")),
            (b"\xef\xbb\xbfid\tlabel\n1\t0\n", Some("a tab seems to separate")),
            (b"id|label\r\n1|0\r\n", Some("a bar seems to separate")),
            (b"id;label", Some("a semicolon")),
            (b"1,0.5\n2,0.7\n", Some("is the header row missing")),
            (b"0013_01,True\n", Some("is the header row missing")),
            (b"\"7\",\"cat\"\n", Some("is the header row missing")),
            (b"{\"id\": 1}\n", Some("JSON")),
            (b"id,label\n1,0\n", None),
            (b"id,text;more\n1,a\n", None),
            (b"a;b\n1\n", None),
            (b"id\n1\n", None),
            (b"", None),
            (b"\n\n", None),
            (b"\xff\xfa,label\n", None),
        ] {
            let found = hint(head, "refused");
            match (part, &found) {
                (None, None) => {}
                (Some(part), Some(text)) if text.contains(part) => {}
                _ => panic!("{:?}: {found:?}", String::from_utf8_lossy(head)),
            }
        }
    }

    #[test]
    fn nothing_is_said_twice() {
        let head = b"\xff\xfei\0d\0";
        assert_eq!(hint(head, "it begins like UTF-16; save it as UTF-8"), None);
        assert!(hint(head, "it has no column").is_some());
    }

    proptest! {
        #[test]
        fn no_bytes_upset_it(head in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = hint(&head, "refused");
        }
    }
}
