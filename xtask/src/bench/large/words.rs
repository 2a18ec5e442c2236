//! Made-up words of a language.

use crate::bench::numbers::Numbers;

/// Words, frequent ones first and shorter.
pub(super) struct Vocabulary(Vec<String>);

/// What syllables are made of.
pub(super) struct Alphabet {
    pub(super) consonants: &'static [&'static str],
    pub(super) vowels: &'static [&'static str],
}

/// The letters of English.
pub(super) const LATIN: Alphabet = Alphabet {
    consonants: &[
        "b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "w", "st", "th",
        "tr", "ng",
    ],
    vowels: &["a", "e", "i", "o", "u", "ea", "ou"],
};

/// The letters of Russian.
pub(super) const CYRILLIC: Alphabet = Alphabet {
    consonants: &[
        "б", "в", "г", "д", "ж", "з", "к", "л", "м", "н", "п", "р", "с", "т", "х", "ч", "ш", "ст",
        "пр",
    ],
    vowels: &["а", "е", "и", "о", "у", "ы", "я", "ю"],
};

impl Vocabulary {
    /// Words of one to five syllables. A word may come more than once.
    pub(super) fn new(seed: u64, alphabet: &Alphabet, size: usize) -> Vocabulary {
        let mut numbers = Numbers::new(seed);
        let mut words: Vec<String> = (0..size)
            .map(|place| {
                let longest = if place < size / 50 { 2 } else { 5 };
                (0..=numbers.below(longest))
                    .flat_map(|_| {
                        let mut one_of =
                            |of: &[&'static str]| of[numbers.below(of.len() as u64) as usize];
                        [one_of(alphabet.consonants), one_of(alphabet.vowels)]
                    })
                    .collect()
            })
            .collect();
        words.sort_by_key(String::len);
        Vocabulary(words)
    }

    /// One of the words; every other time it is more likely to be a frequent one.
    pub(super) fn word(&self, numbers: &mut Numbers) -> &str {
        let size = self.0.len() as u64;
        let place = if numbers.chance(500) { numbers.skewed(size) } else { numbers.below(size) };
        &self.0[place as usize]
    }

    /// Appends words, each behind a space but for the first of the text.
    pub(super) fn append(&self, text: &mut String, words: u64, numbers: &mut Numbers) {
        for _ in 0..words {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(self.word(numbers));
        }
    }
}
