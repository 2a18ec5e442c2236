//! The cells of an `object` column, their texts in one arena that selections and reorderings share.

use std::fmt::{self, Write};
use std::rc::Rc;

use super::Cell;

/// The values of an `object` column. Texts lie in one arena that reorderings share.
#[derive(Debug, Clone)]
pub struct Objects {
    arena: Rc<String>,
    cells: Vec<StoredCell>,
}

/// A cell without its text.
#[derive(Debug, Clone, Copy)]
pub(super) enum StoredCell {
    /// The one object `numpy.nan`.
    Missing,
    /// `True` or `False`.
    Bool(bool),
    /// An integer that fits int64.
    Int(i64),
    /// An integer that fits uint64, but not int64.
    UInt(u64),
    /// A float. A NaN here is an object of its own, not `numpy.nan`.
    Float(f64),
    /// Where a text lies in the arena, in bytes.
    Text {
        /// Where it begins; a character boundary.
        start: u32,
        /// Its length in bytes.
        length: u32,
    },
}

impl StoredCell {
    /// Whether it is a NaN, as [`Cell::is_missing`] says.
    fn is_missing(&self) -> bool {
        match self {
            StoredCell::Missing => true,
            StoredCell::Float(value) => value.is_nan(),
            _ => false,
        }
    }
}

impl Objects {
    /// Cells whose texts lie in an arena that may be shared with whoever else keeps it.
    ///
    /// A text that does not lie within the arena on character boundaries panics when it is asked for.
    pub(super) fn from_parts(arena: Rc<String>, cells: Vec<StoredCell>) -> Objects {
        Objects { arena, cells }
    }

    /// Room for that many cells, to be put in one by one.
    pub(super) fn builder(cells: usize) -> ObjectsBuilder {
        ObjectsBuilder { arena: String::new(), cells: Vec::with_capacity(cells) }
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The cell of a row.
    ///
    /// # Panics
    /// Where there is no such row.
    pub fn get(&self, row: usize) -> Cell<'_> {
        self.resolve(self.cells[row])
    }

    /// The bytes of a row's text; `None` where it holds something else. Sorting and comparing go through all rows, and
    /// bytes need no look at where characters begin.
    #[inline]
    pub(super) fn bytes(&self, row: usize) -> Option<&[u8]> {
        match self.cells[row] {
            StoredCell::Text { start, length } => {
                Some(&self.arena.as_bytes()[start as usize..][..length as usize])
            }
            _ => None,
        }
    }

    /// The first and the last eight bytes of a row's text, or twice all that there are with zeros behind them; zeros where it
    /// holds something else. Texts of different words are different.
    #[inline]
    pub(super) fn end_words(&self, row: usize) -> (u64, u64) {
        let StoredCell::Text { start, length } = self.cells[row] else { return (0, 0) };
        let bytes = &self.arena.as_bytes()[start as usize..];
        if let Some(word) = bytes.first_chunk() {
            let first = u64::from_le_bytes(*word);
            return match bytes.get(..length as usize).and_then(<[u8]>::last_chunk) {
                Some(last) => (first, u64::from_le_bytes(*last)),
                None => {
                    let word = first & !(u64::MAX << (8 * length));
                    (word, word)
                }
            };
        }
        // At the end of the arena.
        let text = bytes[..length as usize].iter().rev();
        let word = text.fold(0, |word, byte| word << 8 | u64::from(*byte));
        (word, word)
    }

    /// Whether all rows hold text.
    pub(super) fn are_texts(&self) -> bool {
        self.first_other().is_none()
    }

    /// Whether a row holds text. Does not look at the text, which may lie anywhere in memory.
    pub fn is_text(&self, row: usize) -> bool {
        matches!(self.cells[row], StoredCell::Text { .. })
    }

    /// The first row that holds something else than text.
    pub fn first_other(&self) -> Option<usize> {
        self.cells.iter().position(|cell| !matches!(cell, StoredCell::Text { .. }))
    }

    /// The first row without a value.
    pub(super) fn first_missing(&self) -> Option<usize> {
        self.cells.iter().position(StoredCell::is_missing)
    }

    /// Whether a row has no value.
    pub(super) fn is_missing(&self, row: usize) -> bool {
        self.cells[row].is_missing()
    }

    /// All cells in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Cell<'_>> {
        self.cells.iter().map(|cell| self.resolve(*cell))
    }

    /// The cells of those rows, in that order; the texts are shared, not copied.
    ///
    /// # Panics
    /// Where there is no such row.
    #[must_use]
    pub fn take(&self, rows: &[u32]) -> Objects {
        let cells = rows.iter().map(|row| self.cells[*row as usize]).collect();
        Objects { arena: Rc::clone(&self.arena), cells }
    }

    fn resolve(&self, cell: StoredCell) -> Cell<'_> {
        match cell {
            StoredCell::Missing => Cell::Missing,
            StoredCell::Bool(value) => Cell::Bool(value),
            StoredCell::Int(value) => Cell::Int(value),
            StoredCell::UInt(value) => Cell::UInt(value),
            StoredCell::Float(value) => Cell::Float(value),
            StoredCell::Text { start, length } => {
                let start = start as usize;
                Cell::Text(&self.arena[start..start + length as usize])
            }
        }
    }
}

/// Objects being put together, their texts copied into one arena.
#[derive(Debug)]
pub(super) struct ObjectsBuilder {
    arena: String,
    cells: Vec<StoredCell>,
}

impl ObjectsBuilder {
    /// Adds a cell.
    ///
    /// # Panics
    /// Where the texts are 4 GiB or more together.
    pub(super) fn push(&mut self, cell: Cell<'_>) {
        self.cells.push(match cell {
            Cell::Missing => StoredCell::Missing,
            Cell::Bool(value) => StoredCell::Bool(value),
            Cell::Int(value) => StoredCell::Int(value),
            Cell::UInt(value) => StoredCell::UInt(value),
            Cell::Float(value) => StoredCell::Float(value),
            Cell::Text(text) => {
                let start = arena_offset(self.arena.len());
                self.arena.push_str(text);
                StoredCell::Text { start, length: arena_offset(text.len()) }
            }
        });
    }

    /// Adds the text that a value is displayed as.
    ///
    /// # Panics
    /// Where the texts are 4 GiB or more together.
    pub(super) fn push_displayed(&mut self, value: &impl fmt::Display) {
        let start = self.arena.len();
        write!(self.arena, "{value}").expect("writing to a string succeeds");
        let length = arena_offset(self.arena.len() - start);
        self.cells.push(StoredCell::Text { start: arena_offset(start), length });
    }

    /// The objects.
    pub(super) fn finish(self) -> Objects {
        Objects { arena: Rc::new(self.arena), cells: self.cells }
    }
}

impl<'a> FromIterator<Cell<'a>> for Objects {
    /// Copies the texts into an arena of its own.
    ///
    /// # Panics
    /// Where the texts are 4 GiB or more together.
    fn from_iter<I: IntoIterator<Item = Cell<'a>>>(cells: I) -> Objects {
        let cells = cells.into_iter();
        let mut objects = Objects::builder(cells.size_hint().0);
        cells.for_each(|cell| objects.push(cell));
        objects.finish()
    }
}

fn arena_offset(bytes: usize) -> u32 {
    u32::try_from(bytes).expect("the texts of a column are less than 4 GiB")
}
