//! The decimal digits of all scripts, and how Python makes a text that is to be a number plain.

use std::borrow::Cow;

use super::is_python_space;

/// The zeros of all scripts but ASCII, ascending; nine more digits follow each (Unicode 14, general category Nd).
const ZEROS: [u32; 65] = [
    0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66,
    0x0de6, 0x0e50, 0x0ed0, 0x0f20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90,
    0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
    0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650,
    0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50,
    0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e950, 0x1fbf0,
];

/// The value of a decimal digit of any script.
fn decimal_digit(character: char) -> Option<u8> {
    if character.is_ascii() {
        return character.is_ascii_digit().then(|| character as u8 - b'0');
    }
    let code = u32::from(character);
    let following = ZEROS.partition_point(|zero| *zero <= code);
    let digit = code - ZEROS[following.checked_sub(1)?];
    u8::try_from(digit).ok().filter(|digit| *digit < 10)
}

/// The text with ASCII digits and spaces in the place of those of other scripts, stripped of the whitespace around it;
/// this is what Python's `float()` and `int()` look at. `None` where it holds a character that is in no number.
///
/// As in CPython, the control characters U+001C to U+001F are not stripped, whitespace though they are elsewhere.
pub(super) fn plain_number(text: &str) -> Option<Cow<'_, str>> {
    let plain = if text.is_ascii() {
        Cow::Borrowed(text)
    } else {
        let mut plain = String::with_capacity(text.len());
        for character in text.chars() {
            plain.push(match decimal_digit(character) {
                Some(digit) => char::from(b'0' + digit),
                None if character.is_ascii() => character,
                None if is_python_space(character) => ' ',
                None => return None,
            });
        }
        Cow::Owned(plain)
    };
    let spaces = [' ', '\t', '\n', '\x0b', '\x0c', '\r'];
    Some(match plain {
        Cow::Borrowed(plain) => Cow::Borrowed(plain.trim_matches(spaces)),
        Cow::Owned(plain) => Cow::Owned(plain.trim_matches(spaces).to_owned()),
    })
}

/// Takes the underscores out that stand between two digits; `None` where one stands elsewhere.
pub(super) fn without_underscores(number: &str) -> Option<Cow<'_, str>> {
    if !number.contains('_') {
        return Some(Cow::Borrowed(number));
    }
    let bytes = number.as_bytes();
    let digit = |place: Option<usize>| {
        place.and_then(|place| bytes.get(place)).is_some_and(u8::is_ascii_digit)
    };
    for (place, _) in number.match_indices('_') {
        if !digit(place.checked_sub(1)) || !digit(Some(place + 1)) {
            return None;
        }
    }
    Some(Cow::Owned(number.replace('_', "")))
}
