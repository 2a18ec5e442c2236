//! Python's `str.lower()`.

use std::borrow::Cow;

/// First and last of the characters that Unicode 15 to 17 gave a case, or made invisible to the rule of the final
/// sigma. To Python 3.11, which knows Unicode 14, they are unassigned: no letters, and never changed.
const NEWER: [(u32, u32); 50] = [
    (0x0897, 0x0897),
    (0x0ece, 0x0ece),
    (0x1acf, 0x1add),
    (0x1ae0, 0x1aeb),
    (0x1c89, 0x1c8a),
    (0xa7cb, 0xa7cf),
    (0xa7d2, 0xa7d2),
    (0xa7d4, 0xa7d4),
    (0xa7da, 0xa7dc),
    (0xa7f1, 0xa7f1),
    (0x10d4e, 0x10d4e),
    (0x10d50, 0x10d65),
    (0x10d69, 0x10d6d),
    (0x10d6f, 0x10d85),
    (0x10ec5, 0x10ec5),
    (0x10efa, 0x10eff),
    (0x11241, 0x11241),
    (0x113bb, 0x113c0),
    (0x113ce, 0x113ce),
    (0x113d0, 0x113d0),
    (0x113d2, 0x113d2),
    (0x113e1, 0x113e2),
    (0x11b60, 0x11b60),
    (0x11b62, 0x11b64),
    (0x11b66, 0x11b66),
    (0x11dd9, 0x11dd9),
    (0x11f00, 0x11f01),
    (0x11f36, 0x11f3a),
    (0x11f40, 0x11f40),
    (0x11f42, 0x11f42),
    (0x11f5a, 0x11f5a),
    (0x13439, 0x13440),
    (0x13447, 0x13455),
    (0x1611e, 0x16129),
    (0x1612d, 0x1612f),
    (0x16d40, 0x16d42),
    (0x16d6b, 0x16d6c),
    (0x16ea0, 0x16eb8),
    (0x16ebb, 0x16ed3),
    (0x16ff2, 0x16ff3),
    (0x1df25, 0x1df2a),
    (0x1e030, 0x1e06d),
    (0x1e08f, 0x1e08f),
    (0x1e4eb, 0x1e4ef),
    (0x1e5ee, 0x1e5ef),
    (0x1e6e3, 0x1e6e3),
    (0x1e6e6, 0x1e6e6),
    (0x1e6ee, 0x1e6ef),
    (0x1e6f5, 0x1e6f5),
    (0x1e6ff, 0x1e6ff),
];

/// Python's `text.lower()`, with the final sigma and the two characters that `İ` becomes.
///
/// Two characters count differently next to a capital sigma than in Python 3.11: U+0295, which has lost its case since,
/// and U+1171E, which is no longer passed over.
pub fn python_lower(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii()) {
        return Cow::Borrowed(text);
    }
    if text.is_ascii() || !text.chars().any(is_newer) {
        return Cow::Owned(text.to_lowercase());
    }
    // The rule of the final sigma does not look past such a character, so what lies between them stands alone.
    let mut lower = String::with_capacity(text.len());
    for part in text.split_inclusive(is_newer) {
        let end = part.trim_end_matches(is_newer);
        lower.push_str(&end.to_lowercase());
        lower.push_str(&part[end.len()..]);
    }
    Cow::Owned(lower)
}

fn is_newer(character: char) -> bool {
    let code = u32::from(character);
    let behind = NEWER.partition_point(|(first, _)| *first <= code);
    behind > 0 && code <= NEWER[behind - 1].1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_from_python() {
        let cases = [
            ("abc 1", "abc 1"),
            ("ABC", "abc"),
            ("ÀÉ", "àé"),
            ("ΟΔΟΣ", "οδος"),
            ("ΟΔΟΣ ΣΑΣ.", "οδος σας."),
            ("Σ", "σ"),
            ("AΣB", "aσb"),
            ("İ", "i\u{307}"),
            ("ẞ", "ß"),
            ("ǅ", "ǆ"),
            // Letters of Unicode 16, which Python 3.11 does not know.
            ("\u{a7cb}A", "\u{a7cb}a"),
            ("AΣ\u{10d50}", "aς\u{10d50}"),
            ("\u{10d50}Σ", "\u{10d50}σ"),
        ];
        for (text, lower) in cases {
            assert_eq!(python_lower(text), lower, "{text:?}");
        }
    }
}
