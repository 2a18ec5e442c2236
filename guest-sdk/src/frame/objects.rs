//! The cells of an `object` column, their texts in one arena that selections and reorderings share.

use std::fmt::{self, Write};
use std::rc::Rc;

use super::Cell;
use crate::by_eights;

/// The values of an `object` column. Texts lie in one arena that reorderings share.
#[derive(Debug, Clone)]
pub struct Objects {
    arena: Rc<String>,
    cells: Stored,
}

/// The cells of a column without their texts.
#[derive(Debug, Clone)]
enum Stored {
    /// Texts and missing values: nearly all columns, and the larger ones.
    Texts(Vec<Span>),
    /// All kinds of cells.
    Mixed(Vec<StoredCell>),
}

/// Where a text lies in the arena, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    /// Where it begins; a character boundary.
    pub(super) start: u32,
    /// Its length, less than the length of [`Span::MISSING`].
    pub(super) length: u32,
}

impl Span {
    /// Stands for a missing value. No text is so long: an arena has less than 4 GiB.
    pub(super) const MISSING: Span = Span { start: 0, length: u32::MAX };

    /// Whether there is a text.
    #[inline(always)]
    fn is_text(self) -> bool {
        self.length != Span::MISSING.length
    }
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
    /// A text.
    Text(Span),
}

impl From<Span> for StoredCell {
    fn from(span: Span) -> StoredCell {
        if span.is_text() { StoredCell::Text(span) } else { StoredCell::Missing }
    }
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
    /// Texts and missing values, the texts in an arena that may be shared with whoever else keeps it.
    ///
    /// A text that does not lie within the arena on character boundaries panics when it is asked for.
    pub(super) fn from_spans(arena: Rc<String>, spans: Vec<Span>) -> Objects {
        Objects { arena, cells: Stored::Texts(spans) }
    }

    /// Cells of all kinds; as [`Objects::from_spans`].
    pub(super) fn from_cells(arena: Rc<String>, cells: Vec<StoredCell>) -> Objects {
        Objects { arena, cells: Stored::Mixed(cells) }
    }

    /// Room for that many cells, to be put in one by one.
    pub(super) fn builder(cells: usize) -> ObjectsBuilder {
        ObjectsBuilder { arena: String::new(), cells: Vec::with_capacity(cells) }
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        match &self.cells {
            Stored::Texts(spans) => spans.len(),
            Stored::Mixed(cells) => cells.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cell of a row.
    ///
    /// # Panics
    /// Where there is no such row.
    pub fn get(&self, row: usize) -> Cell<'_> {
        let cell = match &self.cells {
            Stored::Texts(spans) => spans[row].into(),
            Stored::Mixed(cells) => cells[row],
        };
        match cell {
            StoredCell::Missing => Cell::Missing,
            StoredCell::Bool(value) => Cell::Bool(value),
            StoredCell::Int(value) => Cell::Int(value),
            StoredCell::UInt(value) => Cell::UInt(value),
            StoredCell::Float(value) => Cell::Float(value),
            StoredCell::Text(Span { start, length }) => {
                let start = start as usize;
                Cell::Text(&self.arena[start..start + length as usize])
            }
        }
    }

    /// Where the text of a row lies in the arena.
    #[inline(always)]
    fn span(&self, row: usize) -> Option<Span> {
        match &self.cells {
            Stored::Texts(spans) => Some(spans[row]).filter(|span| span.is_text()),
            Stored::Mixed(cells) => match cells[row] {
                StoredCell::Text(span) => Some(span),
                _ => None,
            },
        }
    }

    /// The bytes of a row's text; `None` where it holds something else. Sorting and comparing go through all rows, and
    /// bytes need no look at where characters begin.
    #[inline]
    pub(super) fn bytes(&self, row: usize) -> Option<&[u8]> {
        let Span { start, length } = self.span(row)?;
        Some(&self.arena.as_bytes()[start as usize..][..length as usize])
    }

    /// What a few bytes of a row's text come to, the last one among them and one of each 64 of which the processor fetches
    /// together; nothing where it is empty or something else. The same texts come to the same.
    #[inline(always)]
    pub(super) fn sample(&self, row: usize) -> u32 {
        const FETCHED: usize = 64;
        const MOST: usize = 512;
        let Some(Span { start, length }) = self.span(row) else { return 0 };
        let text = &self.arena.as_bytes()[start as usize..][..length as usize];
        let Some(last) = text.last() else { return 0 };
        let bytes = text.iter().step_by(FETCHED).take(MOST / FETCHED);
        bytes.fold(u32::from(*last), |sample, byte| sample.rotate_left(5) ^ u32::from(*byte))
    }

    /// Whether all rows hold text.
    pub(super) fn are_texts(&self) -> bool {
        self.first_other().is_none()
    }

    /// Whether a row holds text. Does not look at the text, which may lie anywhere in memory.
    pub fn is_text(&self, row: usize) -> bool {
        self.span(row).is_some()
    }

    /// The first row that holds something else than text.
    pub fn first_other(&self) -> Option<usize> {
        match &self.cells {
            Stored::Texts(spans) => spans.iter().position(|span| !span.is_text()),
            Stored::Mixed(cells) => {
                cells.iter().position(|cell| !matches!(cell, StoredCell::Text(_)))
            }
        }
    }

    /// The first row without a value.
    pub(super) fn first_missing(&self) -> Option<usize> {
        match &self.cells {
            Stored::Texts(spans) => spans.iter().position(|span| !span.is_text()),
            Stored::Mixed(cells) => cells.iter().position(StoredCell::is_missing),
        }
    }

    /// Whether a row has no value.
    pub(super) fn is_missing(&self, row: usize) -> bool {
        match &self.cells {
            Stored::Texts(spans) => !spans[row].is_text(),
            Stored::Mixed(cells) => cells[row].is_missing(),
        }
    }

    /// All cells in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Cell<'_>> {
        (0..self.len()).map(|row| self.get(row))
    }

    /// The cells of those rows, in that order; the texts are shared, not copied.
    ///
    /// # Panics
    /// Where there is no such row.
    #[must_use]
    pub fn take(&self, rows: &[u32]) -> Objects {
        fn pick<T: Copy>(cells: &[T], rows: &[u32]) -> Vec<T> {
            by_eights::map(rows, |row| cells[row as usize])
        }
        let cells = match &self.cells {
            Stored::Texts(spans) => Stored::Texts(pick(spans, rows)),
            Stored::Mixed(cells) => Stored::Mixed(pick(cells, rows)),
        };
        Objects { arena: Rc::clone(&self.arena), cells }
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
                StoredCell::Text(Span { start, length: arena_offset(text.len()) })
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
        self.cells.push(StoredCell::Text(Span { start: arena_offset(start), length }));
    }

    /// The objects.
    pub(super) fn finish(self) -> Objects {
        Objects::from_cells(Rc::new(self.arena), self.cells)
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
