//! Python's `float()` of text.

use super::decimal::{plain_number, without_underscores};

/// Python's `float(text)`; `None` where Python raises a ValueError.
///
/// Whitespace around the number, underscores between digits, the decimal digits of all scripts, `nan`, `inf` and
/// `infinity` with a sign and in any case are fine; what is too large becomes infinite.
pub fn python_float(text: &str) -> Option<f64> {
    let plain = plain_number(text)?;
    // Rust reads the same numbers and words as Python, correctly rounded; underscores are all that it does not know.
    without_underscores(&plain)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn recorded_from_python() {
        let numbers = [
            ("1", 1.0),
            (" 1.5\t", 1.5),
            ("\u{a0}２.５\u{3000}", 2.5),
            ("٣", 3.0),
            ("1_0.5_0e1_0", 10.5e10),
            ("+.5", 0.5),
            ("5.", 5.0),
            ("1e400", f64::INFINITY),
            ("-1e400", f64::NEG_INFINITY),
            ("1e-400", 0.0),
            ("Infinity", f64::INFINITY),
            ("-inF", f64::NEG_INFINITY),
        ];
        for (text, value) in numbers {
            assert_eq!(python_float(text), Some(value), "{text:?}");
        }
        assert!(python_float("nan").is_some_and(f64::is_nan));
        assert!(python_float(" -NaN ").is_some_and(f64::is_nan));
        for text in [
            "",
            " ",
            "_1",
            "1_",
            "1__0",
            "1_.5",
            "1._5",
            "1_e5",
            "1e_5",
            "0x1",
            "1e",
            "infinit",
            "1 2",
            "- 5",
            "+-5",
            "1\u{200b}",
            "\x1c1",
            "\x1c１",
            "²",
            "一",
            ".",
            "e5",
            "1,5",
            "1f",
        ] {
            assert_eq!(python_float(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in any::<String>()) {
            let _ = python_float(&text);
        }
    }
}
