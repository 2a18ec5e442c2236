//! Python's `repr()` of a float.

/// Python's `repr(value)`, which is also its `str()`: the shortest decimal that reads back as the same float, with an
/// exponent from 1e+16 on and below 1e-04: `7.0`, `0.1`, `1e+20`, `1e-05`, `inf`, `nan`.
pub fn python_float_repr(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = shortest(value);
    let (mantissa, exponent) = scientific.split_once('e').expect("written with an exponent");
    let exponent: i32 = exponent.parse().expect("an exponent is an integer");
    if value != 0.0 && !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs());
    }
    let (sign, size) = match mantissa.strip_prefix('-') {
        Some(size) => ("-", size),
        None => ("", mantissa),
    };
    let mut digits: String = size.chars().filter(|character| *character != '.').collect();
    let Ok(exponent) = usize::try_from(exponent) else {
        let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
        return format!("{sign}0.{zeros}{digits}");
    };
    if digits.len() < exponent + 2 {
        digits.push_str(&"0".repeat(exponent + 2 - digits.len()));
    }
    let (whole, fraction) = digits.split_at(exponent + 1);
    format!("{sign}{whole}.{fraction}")
}

/// The shortest decimal that reads back as the same float, as `d.ddde-d`.
///
/// Where two decimals of that length are equally near, Python takes the even one and Rust the larger; so the nearest is
/// worked out again from the exact value, halves to even. It need not read back beside a power of two.
fn shortest(value: f64) -> String {
    // Only from fifteen digits on do two decimals of one length lie within what reads back as one float.
    const UNIQUE_DIGITS: usize = 14;
    let shortest = format!("{value:e}");
    let mantissa = &shortest[..shortest.find('e').unwrap_or(shortest.len())];
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
    if digits > UNIQUE_DIGITS {
        let nearest = format!("{value:.*e}", digits - 1);
        if nearest.parse() == Ok(value) {
            return nearest;
        }
    }
    shortest
}
