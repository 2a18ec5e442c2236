//! The edit distance of two sequences of bytes that differ in little.
//!
//! For each diagonal of the distance matrix, how far a path of so many edits gets (E. Ukkonen, "Algorithms for approximate
//! string matching", Information and Control 64, 1985); and of the paths those alone that can still have the distance
//! that is tried (H. Berghel and D. Roach, "An extension of Ukkonen's enhanced dynamic programming ASM algorithm", ACM
//! Transactions on Information Systems 14(1), 1996). The work grows with the square of the distance and hardly with the
//! length, since what is equal along a diagonal is passed eight bytes at a time: a few edits are found in less time than
//! it takes to fill the matrix, however many of its rows fit a word. Where there are many, that is noticed early.

/// The most edits that are looked for.
const EDITS: usize = 12;

/// The diagonals that so many edits lead to and back. They are numbered by how much further they are in the longer sequence
/// than in the shorter; the matrix begins on 0 and ends on one from 0 to [`EDITS`].
const DIAGONALS: usize = BEFORE_MAIN + EDITS + 1;

/// The diagonals with negative numbers among them.
const BEFORE_MAIN: usize = EDITS / 2;

/// The row that is reached without a path.
const NOWHERE: i64 = -2;

/// What follows the two sequences, eight times: no ASCII, so that nothing equal reaches beyond an end.
const ENDS: [u8; 2] = [0xFE, 0xFF];

/// The high bit of each byte of a word: none is set where all are ASCII.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Finds small distances, keeping its memory from one pair to the next.
#[derive(Debug, Default)]
pub(super) struct FewEdits {
    shorter: Vec<u8>,
    longer: Vec<u8>,
}

impl FewEdits {
    /// The distance of two sequences of ASCII; `None` of others, and where it is found faster by filling the matrix.
    pub(super) fn distance(&mut self, left: &[u8], right: &[u8]) -> Option<usize> {
        let (shorter, longer) =
            if left.len() <= right.len() { (left, right) } else { (right, left) };
        let end = longer.len() - shorter.len();
        // Few rows are filled soon; and of more rows than edits, no path leaves the matrix.
        if shorter.len() < 2 * EDITS || end > EDITS {
            return None;
        }
        if !set(&mut self.shorter, shorter, ENDS[0]) || !set(&mut self.longer, longer, ENDS[1]) {
            return None;
        }
        Paths {
            sequences: self,
            rows: shorter.len() as i64,
            columns: longer.len() as i64,
            reached: [Reached { last: NOWHERE, before: NOWHERE }; DIAGONALS],
        }
        .shortest(end as i64)
    }
}

/// How far paths got.
struct Paths<'a> {
    sequences: &'a FewEdits,
    rows: i64,
    columns: i64,
    reached: [Reached; DIAGONALS],
}

/// The furthest rows of a diagonal, reached with as many edits as the distance that is tried leaves for it when those are
/// taken off that lead from there to the last diagonal.
#[derive(Debug, Clone, Copy)]
struct Reached {
    /// For the distance that was tried last.
    last: i64,
    /// For the distance before that.
    before: i64,
}

impl Paths<'_> {
    /// The edits of the shortest path to the end of the diagonal on which the matrix ends; `None` where they are many.
    #[inline(never)]
    fn shortest(mut self, end: i64) -> Option<usize> {
        // One step before the beginning of the matrix.
        self.at(0).last = -1;
        for distance in end..=EDITS as i64 {
            // So many diagonals on either side can be visited on the way.
            let detour = (distance - end) / 2;
            let mut lower = NOWHERE;
            for diagonal in -detour..end {
                let higher = self.at(diagonal + 1).before;
                lower = self.go_on(diagonal, lower, higher);
            }
            let mut higher = NOWHERE;
            for diagonal in (end + 1..=end + detour).rev() {
                let lower = self.at(diagonal - 1).before;
                higher = self.go_on(diagonal, lower, higher);
            }
            let row = self.go_on(end, lower, higher);
            if row == self.rows {
                return Some(distance as usize);
            }
            // A path that is not half as fast as it needs to be will not get there.
            if distance >= 3 && row * 2 * (EDITS as i64) < self.rows * distance {
                return None;
            }
        }
        None
    }

    /// What was reached of a diagonal.
    #[inline(always)]
    fn at(&mut self, diagonal: i64) -> &mut Reached {
        &mut self.reached[(diagonal + BEFORE_MAIN as i64) as usize]
    }

    /// Goes on along a diagonal, after an edit that leads there from one of its neighbours, or on itself; gives the row.
    #[inline(always)]
    fn go_on(&mut self, diagonal: i64, lower: i64, higher: i64) -> i64 {
        let here = self.at(diagonal).last;
        // One byte more in the longer sequence, one in both, or one more in the shorter; never beyond an end.
        let row = lower.max(here + 1).max(higher + 1).min(self.rows).min(self.columns - diagonal);
        let row = self.sequences.pass(row, row + diagonal);
        *self.at(diagonal) = Reached { last: row, before: here };
        row
    }
}

impl FewEdits {
    /// The row behind what is equal from here on along a diagonal.
    #[inline(always)]
    fn pass(&self, row: i64, column: i64) -> i64 {
        let (mut row, mut column) = (row as usize, column as usize);
        loop {
            let differing = word(&self.shorter, row) ^ word(&self.longer, column);
            if differing != 0 {
                return row as i64 + i64::from(differing.trailing_zeros() / 8);
            }
            row += 8;
            column += 8;
        }
    }
}

/// Puts a sequence of at least eight bytes and what follows it in the place of another. Gives whether it is ASCII: if not,
/// something else may be there.
#[inline(always)]
fn set(place: &mut Vec<u8>, bytes: &[u8], end: u8) -> bool {
    if place.len() < bytes.len() + 8 {
        place.resize(2 * bytes.len() + 8, 0);
    }
    let mut all = 0;
    for (place, word) in place.as_chunks_mut::<8>().0.iter_mut().zip(bytes.as_chunks().0) {
        *place = *word;
        all |= u64::from_le_bytes(*word);
    }
    // The last word goes back over what is there already.
    let last =
        bytes.len().checked_sub(8).and_then(|start| place.get_mut(start..)?.first_chunk_mut());
    if let (Some(place), Some(word)) = (last, bytes.last_chunk()) {
        *place = *word;
        all |= u64::from_le_bytes(*word);
    }
    if let Some(place) = place.get_mut(bytes.len()..).and_then(|rest| rest.first_chunk_mut()) {
        *place = [end; 8];
    }
    all & HIGH == 0
}

/// Eight bytes, the first the lowest.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u64 {
    // Eight bytes follow a sequence, and what is equal ends before them.
    bytes[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word))
}
