//! Numbers as people read them.

/// A count with a comma between thousands.
pub(crate) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count with its noun: `1 grading`, `2 gradings`.
pub(crate) fn counted(value: usize, noun: &str) -> String {
    let plural = if value == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(value as u64))
}

/// A size in bytes, with a unit above 1,023 bytes.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1 << 10 {
        return format!("{bytes} bytes");
    }
    let mut scaled = bytes as f64 / 1024.0;
    let mut unit = 0;
    while scaled >= 1024.0 && unit + 1 < UNITS.len() {
        scaled /= 1024.0;
        unit += 1;
    }
    format!("{scaled:.1} {}", UNITS[unit])
}

/// Parses a whole number from `least` to `most`, of a command line.
pub(crate) fn within<T>(text: &str, least: T, most: T) -> Result<T, String>
where
    T: Copy + PartialOrd + std::fmt::Display + std::str::FromStr,
{
    let number = text.trim().parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("give a whole number from {least} to {most}"))
}

/// A signed difference, with its sign.
pub(crate) fn signed(value: f64) -> String {
    // Differences of rounded scores carry the noise of binary fractions, which is nobody's news.
    let text = format!("{value:+.5}");
    let trimmed = text.trim_end_matches('0').trim_end_matches('.');
    if matches!(trimmed, "+0" | "-0") { "0".to_owned() } else { trimmed.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_by_thousands() {
        for (value, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678")]
        {
            assert_eq!(count(value), text);
        }
        assert_eq!(counted(1, "grading"), "1 grading");
        assert_eq!(counted(2_000, "grading"), "2,000 gradings");
    }

    #[test]
    fn numbers_of_command_lines_are_within_their_bounds() {
        assert_eq!(within("100", 100, 200), Ok(100));
        for text in ["99", "201", "-5", "x", "", "99999999999999999999"] {
            let expected = Err("give a whole number from 100 to 200".to_owned());
            assert_eq!(within(text, 100, 200), expected, "{text}");
        }
    }

    #[test]
    fn sizes_have_a_unit() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (1_023, "1023 bytes"),
            (1_024, "1.0 KiB"),
            (4 << 30, "4.0 GiB"),
            (5 << 50, "5120.0 TiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn differences_have_a_sign_and_no_noise() {
        for (value, text) in [
            (0.9 - 0.8, "+0.1"),
            (0.1 - 0.3, "-0.2"),
            (0.0, "0"),
            (-0.0, "0"),
            (1e-9, "0"),
            (12.0, "+12"),
            (-100.0, "-100"),
        ] {
            assert_eq!(signed(value), text, "{value}");
        }
    }
}
