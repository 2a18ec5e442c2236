//! Pseudo-random numbers, the same in every run and on every machine.
//!
//! Files of many rows are written in more than one order, so a row's numbers depend on its place alone and not on the rows
//! written before it. Nothing is kept in memory.

/// Pseudo-random numbers: SplitMix64 (Steele, Lea, Flood 2014).
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn new(seed: u64) -> Numbers {
        Numbers(seed)
    }

    /// The numbers of a row. Different purposes have different seeds.
    pub(super) fn of_row(seed: u64, row: u64) -> Numbers {
        Numbers(mixed(mixed(seed) ^ row))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// A whole number below a limit.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// Between two bounds, the upper one excluded.
    pub(super) fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.unit()
    }

    /// True this often in a thousand times.
    pub(super) fn chance(&mut self, in_a_thousand: u64) -> bool {
        self.below(1_000) < in_a_thousand
    }

    /// A whole number below a limit, small ones far more often: the first thousandth makes up a tenth.
    pub(super) fn skewed(&mut self, limit: u64) -> u64 {
        let unit = self.unit();
        (limit as f64 * unit * unit * unit) as u64
    }

    /// At least 0 and less than 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn mixed(number: u64) -> u64 {
    let mut mixed = number;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The whole numbers below a length, each once, in an order that looks random: a Feistel network over the next power of
/// four, walked until it comes back below the length (Black, Rogaway 2002).
pub(super) struct Shuffled {
    seed: u64,
    length: u64,
    half_bits: u32,
}

impl Shuffled {
    pub(super) fn new(seed: u64, length: u64) -> Shuffled {
        let bits = u64::BITS - length.saturating_sub(1).leading_zeros();
        Shuffled { seed: mixed(seed), length, half_bits: bits.div_ceil(2).max(1) }
    }

    /// The number at a place.
    ///
    /// # Panics
    /// Where the place is not below the length.
    pub(super) fn at(&self, place: u64) -> u64 {
        assert!(place < self.length, "{place} is beyond {}", self.length);
        let mut number = self.permuted(place);
        while number >= self.length {
            number = self.permuted(number);
        }
        number
    }

    /// All numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = u64> {
        (0..self.length).map(|place| self.at(place))
    }

    fn permuted(&self, number: u64) -> u64 {
        let mask = (1 << self.half_bits) - 1;
        let (mut left, mut right) = (number >> self.half_bits, number & mask);
        for round in 0..4 {
            let mixed = mixed(self.seed ^ (right << 2 | round));
            (left, right) = (right, left ^ (mixed & mask));
        }
        left << self.half_bits | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_holds_every_number_once_and_in_another_order() {
        for length in [1, 2, 3, 4, 5, 16, 17, 1_000, 65_537] {
            let shuffled: Vec<u64> = Shuffled::new(7, length).iter().collect();
            let mut sorted = shuffled.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..length).collect::<Vec<_>>());
            if length > 10 {
                let in_place = (0..).zip(&shuffled).filter(|(place, number)| place == *number);
                assert!(in_place.count() < 10, "{length}");
                assert_ne!(shuffled, Shuffled::new(8, length).iter().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_row_has_the_same_numbers_whenever_it_is_asked() {
        let numbers = |seed, row| {
            let mut numbers = Numbers::of_row(seed, row);
            [numbers.next(), numbers.next()]
        };
        assert_eq!(numbers(1, 5), numbers(1, 5));
        let all = [numbers(1, 5), numbers(1, 6), numbers(2, 5), numbers(5, 1)];
        for (place, left) in all.iter().enumerate() {
            for right in &all[..place] {
                assert_ne!(left, right);
            }
        }
    }

    #[test]
    fn numbers_stay_in_their_bounds() {
        let mut numbers = Numbers::new(3);
        let mut first_tenth = 0;
        for _ in 0..10_000 {
            assert!((-1.0..2.0).contains(&numbers.between(-1.0, 2.0)));
            let skewed = numbers.skewed(1_000);
            assert!(skewed < 1_000);
            first_tenth += u32::from(skewed < 100);
        }
        // The cube root of a tenth.
        assert!((4_500..4_800).contains(&first_tenth), "{first_tenth}");
        assert_eq!((0..10_000).filter(|_| numbers.chance(0)).count(), 0);
        assert_eq!((0..10_000).filter(|_| numbers.chance(1_000)).count(), 10_000);
    }
}
