//! The texts of a table's cells, as the tokenizer lays them down.
//!
//! All texts lie in one run of bytes, row by row, each followed by one byte that ended it in the file. Plain CSV is so
//! laid down as it stands in the file, in long copies, and a cell costs four bytes beside its text.

use std::ops::Range;
use std::rc::Rc;

use memchr::memchr;

/// For so many cells room is made without a doubt: it costs nothing until there are cells.
const FREELY: usize = 1 << 24;

/// Less text than this is not worth a large page.
const LITTLE_TEXT: usize = 1 << 19;
/// What a table takes for a byte of its text: that itself, four bytes a cell and eight a value, and as much for sorting.
const TABLE_SIZE: usize = 6;
/// What is larger grows in large steps by itself.
const MOST_AT_ONCE: usize = 1 << 28;

/// Cells row by row, with the same number of kept fields in each row.
#[derive(Debug, Default)]
pub(super) struct Cells {
    text: String,
    /// Where the text of each cell begins, and at the end where the next one will. The difference to the next is the
    /// length and one for the byte after it, or zero for a cell that the file does not have.
    starts: Vec<u32>,
    /// Whether any byte of the file is NUL.
    holds_nul: bool,
}

impl Cells {
    /// No cells, with room for `bytes` of text.
    ///
    /// Has the memory grow at once to what such a table will take, and not with each of its columns: the host serves in
    /// larger pages what grows at once. Memory that is not written to afterwards costs nothing, and where there is not so
    /// much of it, it grows as it is asked for.
    pub(super) fn with_room(bytes: usize) -> Cells {
        let mut text = String::new();
        if bytes >= LITTLE_TEXT
            && text
                .try_reserve_exact(bytes.saturating_mul(TABLE_SIZE).min(MOST_AT_ONCE).max(bytes))
                .is_ok()
        {
            text.shrink_to(bytes);
        } else {
            text.reserve_exact(bytes);
        }
        Cells { text, starts: vec![0], holds_nul: false }
    }

    /// The number of cells.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The bytes of text, those after each cell included.
    pub(super) fn text_length(&self) -> usize {
        self.text.len()
    }

    /// Makes room for the cells that the share of the file that is still to come lets expect. What comes may be quite
    /// different, so it is at most doubled where it is large.
    pub(super) fn expect(&mut self, bytes_read: usize, bytes_to_come: usize) {
        let cells = self.starts.len();
        let spare = self.starts.capacity() - cells;
        if bytes_read > 0 && spare < cells / 16 {
            let expected = cells as f64 / bytes_read as f64 * bytes_to_come as f64;
            self.starts.reserve_exact(((expected * 1.02) as usize + 1024).min(cells.max(FREELY)));
        }
    }

    /// Says that NUL bytes may be among what is copied.
    pub(super) fn note_nul(&mut self) {
        self.holds_nul = true;
    }

    /// Adds to the text of the cell being laid down (or the byte after the last one).
    pub(super) fn copy(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// As [`Cells::copy`], of a part of a buffer. What is short is copied together with what follows it, which takes no
    /// call.
    #[inline(always)]
    pub(super) fn copy_part(&mut self, buffer: &str, part: Range<usize>) {
        const SHORT: usize = 32;
        if part.is_empty() {
            return;
        }
        let length = part.end - part.start;
        if length <= SHORT
            && let Some(text) = buffer.get(part.start..part.start.saturating_add(SHORT))
        {
            let end = self.text.len().wrapping_add(length);
            self.text.push_str(text);
            self.text.truncate(end);
            return;
        }
        self.copy_long(&buffer[part]);
    }

    #[inline(never)]
    fn copy_long(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Ends a cell: its text and the byte after it are all text so far and `to_come` bytes that are yet to be copied.
    pub(super) fn end(&mut self, to_come: usize) {
        self.starts.push((self.text.len() + to_come) as u32);
    }

    /// Ends a cell at each place that has a bit in `ends`, the places counted from `to_come` bytes that are yet to be
    /// copied on.
    #[inline]
    pub(super) fn end_each(&mut self, mut ends: u64, to_come: usize) {
        let first = (self.text.len() + to_come) as u32;
        self.starts.extend((0..ends.count_ones()).map(|_| {
            let place = ends.trailing_zeros();
            ends &= ends.wrapping_sub(1);
            first.wrapping_add(place)
        }));
    }

    /// Adds a cell that the file does not have, behind a cell that ended.
    pub(super) fn end_absent(&mut self) {
        self.starts.push(self.next_start());
    }

    /// How many bytes have been copied beyond the last cell that was ended; negative where some of its bytes are yet
    /// to be copied.
    pub(super) fn beyond_last(&self) -> isize {
        self.text.len() as isize - self.next_start() as isize
    }

    /// Forgets the bytes that were copied beyond the last cell.
    pub(super) fn forget_unended(&mut self) {
        self.text.truncate(self.next_start() as usize);
    }

    /// How many bytes at the end are bytes after texts: one, and one for each cell at the end that has no text. Looks at
    /// a few cells only.
    pub(super) fn ends(&self) -> usize {
        const MOST: usize = 64;
        let texts = self.starts.windows(2).rev().take(MOST);
        1 + texts.take_while(|starts| starts[1] - starts[0] <= 1).count()
    }

    fn next_start(&self) -> u32 {
        self.starts[self.starts.len() - 1]
    }

    /// The text of a cell.
    pub(super) fn bytes(&self, cell: usize) -> &[u8] {
        let text = self.text.as_bytes();
        let (start, end) = range(text, &self.starts, self.holds_nul, cell);
        &text[start..end]
    }

    /// Of the last `width` cells, those that are kept, and nothing else.
    pub(super) fn keep_last(self, width: usize, kept: &[bool]) -> Cells {
        let mut cells = Cells { text: String::new(), starts: vec![0], holds_nul: self.holds_nul };
        let first = self.len() - width;
        let texts: Vec<&str> = (first..self.len())
            .zip(kept)
            .filter(|(_, kept)| **kept)
            .map(|(cell, _)| &self.text[self.starts[cell] as usize..self.starts[cell + 1] as usize])
            .collect();
        let kept_text = texts.concat();
        for text in &texts {
            cells.starts.push(cells.next_start() + text.len() as u32);
        }
        // The room is kept as well: the text that it was made for is yet to come.
        cells.text = self.text;
        cells.text.clear();
        cells.text.push_str(&kept_text);
        cells
    }

    /// Gives back the room that no text came for.
    fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.starts.shrink_to_fit();
    }

    /// The cells, when all are laid down, as rows of `width`.
    pub(super) fn finish(mut self, width: usize) -> Texts {
        self.shrink();
        let text = Rc::new(self.text);
        Texts { text, starts: self.starts, holds_nul: self.holds_nul, width }
    }
}

/// The texts of a whole table.
#[derive(Debug)]
pub(super) struct Texts {
    text: Rc<String>,
    starts: Vec<u32>,
    holds_nul: bool,
    width: usize,
}

impl Texts {
    /// What all texts lie in.
    pub(super) fn arena(&self) -> &Rc<String> {
        &self.text
    }

    /// The text of a cell.
    pub(super) fn get(&self, row: usize, column: usize) -> &str {
        let (start, end) = self.range(row, column);
        &self.text[start..end]
    }

    /// Where the texts of some rows of a column lie in the arena: their starts and their ends.
    #[inline]
    pub(super) fn ranges(&self, rows: Range<usize>, column: usize) -> Ranges<'_> {
        let first = rows.start * self.width + column;
        // Up to the start of the cell after the last one.
        let cells = if rows.is_empty() { 0 } else { (rows.len() - 1) * self.width + 2 };
        Ranges {
            text: self.text.as_bytes(),
            holds_nul: self.holds_nul,
            width: self.width,
            starts: &self.starts[first..first + cells],
        }
    }

    /// Where the text of a cell lies in the arena: its start and its end.
    #[inline(always)]
    pub(super) fn range(&self, row: usize, column: usize) -> (usize, usize) {
        range(self.text.as_bytes(), &self.starts, self.holds_nul, row * self.width + column)
    }
}

/// Where texts of a column lie; see [`Texts::ranges`].
pub(super) struct Ranges<'a> {
    text: &'a [u8],
    holds_nul: bool,
    width: usize,
    /// From the start of the next text on.
    starts: &'a [u32],
}

impl Iterator for Ranges<'_> {
    type Item = (usize, usize);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, usize)> {
        let [start, next] = *self.starts.first_chunk()?;
        self.starts = self.starts.get(self.width..).unwrap_or_default();
        Some(between(self.text, self.holds_nul, start as usize, next as usize))
    }
}

impl Ranges<'_> {
    /// Puts what `parse` makes of the next texts into a block, up to its end, or that of the texts, or the first text that
    /// `parse` makes nothing of, and gives their number; these are passed. It is told all text, and where a text lies in
    /// it. Where there is a NUL, none is passed.
    ///
    /// To be called by a function that does nothing else: with little at hand, all of that stays in registers.
    #[inline(always)]
    pub(super) fn parse<T>(
        &mut self,
        block: &mut [T],
        parse: impl Fn(&[u8], usize, usize) -> Option<T>,
    ) -> usize {
        if self.holds_nul {
            return 0;
        }
        let Ranges { text, width, mut starts, .. } = *self;
        let mut passed = 0;
        for value in block {
            let Some([start, next]) = starts.first_chunk() else { break };
            // Of a cell that the file does not have, the end comes before the start.
            let Some(parsed) = parse(text, *start as usize, (*next as usize).wrapping_sub(1))
            else {
                break;
            };
            *value = parsed;
            starts = starts.get(width..).unwrap_or_default();
            passed += 1;
        }
        self.starts = starts;
        passed
    }
}

#[inline(always)]
fn range(text: &[u8], starts: &[u32], holds_nul: bool, cell: usize) -> (usize, usize) {
    between(text, holds_nul, starts[cell] as usize, starts[cell + 1] as usize)
}

/// The start and the end of a text that begins at `start`, where the next one begins at `next`.
#[inline(always)]
fn between(text: &[u8], holds_nul: bool, start: usize, next: usize) -> (usize, usize) {
    let end = next.saturating_sub(1).max(start);
    if holds_nul {
        // pandas' texts end at the first NUL.
        let length = memchr(0, &text[start..end]).unwrap_or(end - start);
        return (start, start + length);
    }
    (start, end)
}
