//! How much room pandas' tokenizer has, and when it runs out.
//!
//! pandas makes room for a buffer's fields before it tokenizes it: one field a byte, two bytes of text a byte. A row that
//! is filled up with missing fields takes of that room without making up for it, so in a file with many short rows the
//! room can run out before the buffer ends, and pandas then refuses the file ("Buffer overflow caught"). The rooms only
//! grow, by doubling, from what `parser_init` gives them (pandas 2.2.3, `tokenizer.c`: `make_stream_space`, `end_field`,
//! `end_line`).

/// What is taken up: of texts (each with a byte after it), fields and rows since the chunk of rows began, with the last
/// row before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) text: usize,
    pub(super) fields: usize,
    pub(super) rows: usize,
}

/// How much there is room for.
#[derive(Debug)]
pub(super) struct Space {
    text: usize,
    fields: usize,
    rows: usize,
}

/// The room that fields have from the first.
const FIRST_FIELDS: usize = 3;

impl Space {
    pub(super) fn new() -> Space {
        Space { text: 32, fields: FIRST_FIELDS, rows: 3 }
    }

    /// Makes room for `more` bytes, or as many fields, to come.
    pub(super) fn make(&mut self, taken: Taken, more: usize) {
        grow(&mut self.text, taken.text + 2 * more);
        let fields =
            if taken.fields + more < FIRST_FIELDS { FIRST_FIELDS - 1 } else { taken.fields + more };
        grow(&mut self.fields, fields);
        grow(&mut self.rows, taken.rows + 1 + more);
    }

    /// Whether what is taken up had room. The last `ends` bytes, which are those after texts, may be without: pandas does
    /// not notice.
    pub(super) fn holds(&self, taken: Taken, ends: usize) -> bool {
        taken.text <= self.text + ends && taken.fields <= self.fields && taken.rows < self.rows
    }

    /// How many bytes pandas left out for want of room.
    pub(super) fn left_out(&self, taken: Taken) -> usize {
        taken.text.saturating_sub(self.text)
    }
}

/// Doubles a room until it is larger than what it has to hold.
fn grow(room: &mut usize, wanted: usize) {
    while *room <= wanted {
        *room *= 2;
    }
}
