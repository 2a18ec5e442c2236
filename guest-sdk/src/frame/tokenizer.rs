//! From bytes to fields and rows, as pandas' C tokenizer makes them.
//!
//! What it does beyond plain CSV:
//!
//! - a quote opens a quoted part only as the first character of a field; what follows the closing quote is taken as
//!   it stands; a quoted part that the file's end cuts off is an error;
//! - CR, LF and CRLF end a row; empty lines and lines of spaces and tabs are skipped;
//! - the row after the header may be longer than the header, all later ones at most as long as the row before them,
//!   save the first of each chunk of rows (pandas forgets the earlier ones there); a shorter row is filled up with
//!   missing fields;
//! - a byte order mark is dropped at the beginning of each buffer as long as no line has ended;
//! - a line that begins with spaces and is not blank is gone back over to its beginning, which is taken to be behind
//!   the last LF *within this buffer and this chunk of rows*. In files whose lines end with CR that goes back over
//!   earlier rows, which are then read again;
//! - a comma that begins the line after an empty line that CR ended is swallowed.

use memchr::memchr;

use super::buffers::Buffer;
use super::cells::Cells;
use super::header::Header;
use super::marks::{BLOCK, Marks, first_quote, marks};
use super::space::{Space, Taken};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The most cells of a table that has filled-up rows. Cells that stand in the file need no limit: the file's size is
/// one.
const MOST_CELLS: usize = 1 << 28;

/// The most bytes that are read again. Where pandas does not fail, it rarely reads more than a million.
pub(super) const MOST_READ_AGAIN: usize = 1 << 28;

/// What the tokenizer has just seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    StartRecord,
    StartField,
    InField,
    InQuotes,
    QuoteInQuotes,
    /// A CR that ended a field.
    AfterReturn,
    /// A CR that ended an empty line.
    AfterEmptyReturn,
    WhitespaceLine,
}

/// Why the fields of a file do not make a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Malformed {
    /// A row is longer than the row before it; the position (from the beginning of the file) is where it ends.
    LongRow { expected: usize, found: usize, position: u64 },
    /// The file ends within quotes.
    OpenQuote { position: u64 },
    /// So many rows are shorter than the rows before them that pandas has no room for what they are filled up with.
    /// The position is where the last of them ends.
    TooUneven { position: u64 },
    /// Going back over lines that begin with spaces takes too long; or pandas has no room for the rows read again. The
    /// position is where the last of them ends.
    Endless { position: u64 },
}

/// The state between one buffer and the next.
pub(super) struct Tokenizer<'a> {
    /// The columns whose text is to be kept.
    wanted: Option<&'a [&'a str]>,
    state: State,
    cells: Cells,
    header: Option<Header>,
    /// For each field of a row, whether its text is kept; fields beyond are not. Empty before the header is complete:
    /// then all are.
    kept: Vec<bool>,
    /// For each field of a row, how many of those after it are not kept before the next that is.
    dropped_after: Vec<u32>,
    /// The fields of the row at hand so far.
    fields: usize,
    /// The fields of the row before, the header included.
    expected: usize,
    /// Lines that ended, skipped ones included.
    file_lines: u64,
    /// The header and the rows that ended.
    lines: usize,
    /// The number of lines that ends this chunk of rows.
    chunk_end: usize,
    /// Whether the row at hand may be longer than the row before.
    may_be_longer: bool,
    /// Bytes of the buffers before this one.
    position: u64,
    /// Where a quoted part begins that is yet to end.
    quote_position: u64,
    /// Where the byte is that ended the last field of a row.
    row_end: u64,
    /// Bytes read again.
    read_again: usize,
    space: Space,
    /// Where the text of this chunk of rows (and the row before it) begins, as positions count that are corrected by
    /// `uncounted`.
    chunk_text: usize,
    /// Bytes that count as text, but are not kept: those of other columns, and one for each cell that was filled up.
    uncounted: usize,
    /// Where the row before the one at hand began, counted so.
    last_row_text: usize,
    /// Where the row at hand began, counted so.
    row_text: usize,
    /// The fields of the rows that ended in this chunk, and of the row before it.
    chunk_fields: usize,
    /// The rows that ended in this chunk, and the one before it.
    chunk_rows: usize,
}

/// What tokenizing gave.
pub(super) struct Tokens {
    /// `None` where there is no header, that is no line at all.
    pub(super) header: Option<Header>,
    pub(super) cells: Cells,
    /// The rows, without the header.
    pub(super) rows: usize,
}

impl<'a> Tokenizer<'a> {
    /// With room for `bytes` of text.
    pub(super) fn new(wanted: Option<&'a [&'a str]>, bytes: usize) -> Tokenizer<'a> {
        Tokenizer {
            wanted,
            state: State::StartRecord,
            cells: Cells::with_room(bytes),
            header: None,
            kept: Vec::new(),
            dropped_after: Vec::new(),
            fields: 0,
            expected: 0,
            file_lines: 0,
            lines: 0,
            // pandas first reads the header and one row, to see the width of the table.
            chunk_end: 2,
            may_be_longer: true,
            position: 0,
            quote_position: 0,
            row_end: 0,
            read_again: 0,
            space: Space::new(),
            chunk_text: 0,
            uncounted: 0,
            last_row_text: 0,
            row_text: 0,
            chunk_fields: 0,
            chunk_rows: 0,
        }
    }

    /// Takes the next buffer; `to_come` bytes of the file follow it.
    pub(super) fn feed(
        &mut self,
        Buffer { text, is_plain }: Buffer<'_>,
        to_come: usize,
    ) -> Result<(), Malformed> {
        let buffer = text.as_bytes();
        self.cells.expect(self.position as usize, to_come + buffer.len());
        self.space.make(self.taken(0), buffer.len());
        if !is_plain && memchr(0, buffer).is_some() {
            self.cells.note_nul();
        }
        let marked = self.file_lines == 0 && buffer.starts_with(BYTE_ORDER_MARK);
        // What going back does not go beyond.
        let mut run_start = if marked { BYTE_ORDER_MARK.len() } else { 0 };
        let mut record_start = run_start;
        // The bytes from here on are yet to be copied.
        let mut pending = run_start;
        let mut at = run_start;

        while at < buffer.len() {
            let byte = buffer[at];
            match self.state {
                State::StartRecord => match byte {
                    b'\n' | b'\r' => {
                        self.cells.copy(&text[pending..at]);
                        at += 1;
                        pending = at;
                        self.end_blank_line(byte);
                    }
                    b' ' | b'\t' => {
                        record_start = at;
                        at += 1;
                        self.state = State::WhitespaceLine;
                    }
                    _ => self.state = State::StartField,
                },
                State::WhitespaceLine => match byte {
                    b'\n' | b'\r' => {
                        self.cells.copy(&text[pending..record_start]);
                        at += 1;
                        pending = at;
                        self.end_blank_line(byte);
                    }
                    b' ' | b'\t' => at += 1,
                    _ => {
                        let line_start = line_start(&buffer[run_start..at]) + run_start;
                        if line_start != record_start {
                            self.cells.copy(&text[pending..record_start]);
                            pending = line_start;
                            self.go_back(at, line_start)?;
                        }
                        at = line_start;
                        self.state = State::StartField;
                    }
                },
                State::StartField | State::InField | State::QuoteInQuotes if ends_field(byte) => {
                    self.end_field(text, &mut pending, at);
                    at += 1;
                    match byte {
                        b',' => self.state = State::StartField,
                        b'\r' => {
                            self.row_end = self.position + at as u64 - 1;
                            self.state = State::AfterReturn;
                        }
                        _ => {
                            self.row_end = self.position + at as u64 - 1;
                            self.end_line(at - pending)?;
                            if self.lines == self.chunk_end {
                                self.end_chunk(text, &mut pending, at)?;
                                run_start = at;
                            }
                        }
                    }
                }
                State::StartField | State::InField => {
                    let next = self.plain_fields(text, &mut pending, at)?;
                    if next == at {
                        // A quote opens more than a plain field has.
                        self.cells.copy(&text[pending..at]);
                        self.quote_position = self.position + at as u64;
                        at += 1;
                        pending = at;
                        self.state = State::InQuotes;
                        continue;
                    }
                    at = next;
                    if self.lines == self.chunk_end {
                        self.end_chunk(text, &mut pending, at)?;
                        run_start = at;
                    }
                }
                State::InQuotes => match memchr(b'"', &buffer[at..]) {
                    None => at = buffer.len(),
                    Some(length) => {
                        self.cells.copy(&text[pending..at + length]);
                        at += length + 1;
                        pending = at;
                        self.state = State::QuoteInQuotes;
                    }
                },
                State::QuoteInQuotes if byte == b'"' => {
                    // The second of two quotes is kept: it is the next byte to copy.
                    pending = at;
                    at += 1;
                    self.state = State::InQuotes;
                }
                State::QuoteInQuotes => self.state = State::InField,
                State::AfterReturn => {
                    if byte == b'\n' {
                        self.cells.copy(&text[pending..at]);
                        at += 1;
                        pending = at;
                    }
                    self.end_line(at - pending)?;
                    if self.lines == self.chunk_end {
                        self.end_chunk(text, &mut pending, at)?;
                        // A comma belongs to the end of the line here.
                        run_start = at + usize::from(byte == b',');
                    }
                }
                State::AfterEmptyReturn => {
                    if byte == b'\n' || byte == b',' {
                        self.cells.copy(&text[pending..at]);
                        at += 1;
                        pending = at;
                    }
                    self.state = State::StartRecord;
                }
            }
        }
        // Spaces that may yet turn out to begin a row are lost between two buffers.
        let end = if self.state == State::WhitespaceLine { record_start } else { buffer.len() };
        self.cells.copy(&text[pending..end]);
        self.position += buffer.len() as u64;
        self.check_space(0)
    }

    /// Takes the end of the file.
    pub(super) fn finish(mut self) -> Result<Tokens, Malformed> {
        match self.state {
            State::StartRecord | State::WhitespaceLine | State::AfterEmptyReturn => {}
            State::InQuotes => return Err(Malformed::OpenQuote { position: self.quote_position }),
            State::AfterReturn => self.end_line(0)?,
            State::StartField | State::InField | State::QuoteInQuotes => {
                let end = "\n";
                let mut pending = 0;
                self.end_field(end, &mut pending, 0);
                self.cells.copy(&end[pending..]);
                self.row_end = self.position;
                self.end_line(0)?;
            }
        }
        self.check_space(0)?;
        if self.header.is_none() && self.lines > 0 {
            self.complete_header();
        }
        Ok(Tokens { header: self.header, cells: self.cells, rows: self.lines.saturating_sub(1) })
    }

    /// Takes plain fields, and quoted ones that are as simple, a block of bytes at a time, from within a row on: to the
    /// first byte that asks for more, to the end of a chunk of rows, or to the end of the buffer. Gives where to go on.
    fn plain_fields(
        &mut self,
        text: &str,
        pending: &mut usize,
        mut at: usize,
    ) -> Result<usize, Malformed> {
        let buffer = text.as_bytes();
        // A quote matters there only.
        let mut field_start = if self.state == State::StartField { at } else { usize::MAX };
        let all_kept = self.kept.iter().all(|kept| *kept);
        let rows_are_kept = all_kept && self.kept.len() == self.expected;
        'blocks: while at < buffer.len() {
            while at == field_start && buffer.get(at) == Some(&b'"') {
                let Some(end) = self.take_quoted(text, pending, at) else {
                    self.state = State::StartField;
                    return Ok(at);
                };
                at = end + 1;
                field_start = at;
                if buffer[end] == b'\n' && self.end_plain_line(buffer, *pending, end)? {
                    return Ok(at);
                }
            }
            let block = if rows_are_kept {
                self.take_blocks(buffer, *pending, &mut at, &mut field_start)
            } else {
                marks(buffer.get(at..).unwrap_or_default())
            };
            let mut left = block.all();
            while left != 0 {
                let place = at + left.trailing_zeros() as usize;
                left &= left - 1;
                match buffer[place] {
                    b',' if all_kept && self.fields < self.kept.len() => {
                        self.cells.end(place + 1 - *pending);
                        self.fields += 1;
                        field_start = place + 1;
                    }
                    b',' => {
                        if *pending == field_start && !self.is_kept(self.fields) {
                            // Nothing is to be copied, neither of this field nor of those before it.
                            let more = self.dropped_after.get(self.fields).copied().unwrap_or(0);
                            let after = block.following_commas(place - at, more);
                            left &= after.left;
                            let next = at + after.next;
                            self.uncounted += next - field_start;
                            *pending = next;
                            self.fields += 1 + after.count as usize;
                            field_start = next;
                        } else {
                            self.end_field(text, pending, place);
                            field_start = place + 1;
                        }
                    }
                    b'\n' => {
                        self.end_field(text, pending, place);
                        field_start = place + 1;
                        if self.end_plain_line(buffer, *pending, place)? {
                            return Ok(field_start);
                        }
                    }
                    b'\r' => {
                        self.state = State::InField;
                        return Ok(place);
                    }
                    b'"' if place == field_start => {
                        at = place;
                        continue 'blocks;
                    }
                    _ => {}
                }
            }
            at += BLOCK;
        }
        self.state = if field_start == buffer.len() { State::StartField } else { State::InField };
        Ok(buffer.len())
    }

    /// Ends a row with the LF at `at`. Gives whether what follows asks for a closer look than plain fields do.
    #[inline]
    fn end_plain_line(
        &mut self,
        buffer: &[u8],
        pending: usize,
        at: usize,
    ) -> Result<bool, Malformed> {
        self.row_end = self.position + at as u64;
        self.end_line(at + 1 - pending)?;
        let is_plain = buffer.get(at + 1).is_some_and(|byte| *byte > b' ');
        Ok(!is_plain || self.lines == self.chunk_end)
    }

    /// Takes the field that the quote at `at` opens, if its text is kept, the next quote closes it and a comma or LF
    /// comes at once. Gives the place of that one. Otherwise takes nothing.
    #[inline]
    fn take_quoted(&mut self, text: &str, pending: &mut usize, at: usize) -> Option<usize> {
        if !self.is_kept(self.fields) {
            return None;
        }
        let buffer = text.as_bytes();
        let start = at + 1;
        let end = start + first_quote(&buffer[start..])? + 1;
        if !matches!(buffer.get(end), Some(b',' | b'\n')) {
            return None;
        }
        self.cells.copy_part(text, *pending..at);
        // The closing quote stands for the byte after it.
        self.cells.copy_part(text, start..end);
        self.cells.end(0);
        *pending = end + 1;
        self.fields += 1;
        Some(end)
    }

    /// Takes blocks, the bytes from `at` on, one after the other as [`Tokenizer::take_block`] does, and gives the first that
    /// it does not take. Most of all bytes are taken here: a function that does nothing else has all that it needs in
    /// registers.
    #[inline(never)]
    fn take_blocks(
        &mut self,
        buffer: &[u8],
        pending: usize,
        at: &mut usize,
        field_start: &mut usize,
    ) -> Marks {
        loop {
            let left = buffer.get(*at..).unwrap_or_default();
            let block = marks(left);
            if left.len() < BLOCK || !self.take_block(block, buffer, *at, pending) {
                return block;
            }
            if let Some(last) = block.all().checked_ilog2() {
                *field_start = *at + last as usize + 1;
            }
            *at += BLOCK;
        }
    }

    /// Takes a block, the bytes from `at` on, if nothing in it asks for a closer look: rows that end there have as many
    /// fields as are kept of each, no quotes, and no blank line or space follows them. Otherwise takes nothing.
    #[inline]
    fn take_block(&mut self, marks: Marks, buffer: &[u8], at: usize, pending: usize) -> bool {
        let Marks { commas, newlines, others } = marks;
        let ends = commas | newlines;
        let width = self.expected;
        let rows = newlines.count_ones() as usize;
        if others != 0 || self.lines + rows >= self.chunk_end {
            return false;
        }
        let mut ended = 0;
        let mut left = newlines;
        while left != 0 {
            ended += width;
            let up_to = left ^ (left - 1);
            let next = at + left.trailing_zeros() as usize + 1;
            let fields = self.fields + (ends & up_to).count_ones() as usize;
            if fields != ended || buffer.get(next).is_none_or(|byte| *byte <= b' ') {
                return false;
            }
            left &= left - 1;
        }
        let fields = self.fields + ends.count_ones() as usize - ended;
        if fields >= width {
            return false;
        }
        self.cells.end_each(ends, at + 1 - pending);
        self.fields = fields;
        if let Some(last) = newlines.checked_ilog2() {
            let last = at + last as usize;
            self.last_row_text = match (newlines ^ (1 << (last - at))).checked_ilog2() {
                None => self.row_text,
                Some(before) => self.counted_text(at + before as usize + 1 - pending),
            };
            self.row_text = self.counted_text(last + 1 - pending);
            self.row_end = self.position + last as u64;
            self.chunk_fields += ended;
            self.chunk_rows += rows;
            self.file_lines += rows as u64;
            self.lines += rows;
            self.may_be_longer = false;
        }
        true
    }

    fn end_blank_line(&mut self, end: u8) {
        self.file_lines += 1;
        self.state = if end == b'\r' { State::AfterEmptyReturn } else { State::StartRecord };
    }

    /// Ends a field with the comma, CR or LF at `at`.
    #[inline(always)]
    fn end_field(&mut self, text: &str, pending: &mut usize, at: usize) {
        if self.is_kept(self.fields) {
            self.cells.end(at + 1 - *pending);
        } else {
            self.drop_field(text, pending, at + 1);
        }
        self.fields += 1;
    }

    /// Leaves out the text of the field that ends before `next`.
    fn drop_field(&mut self, text: &str, pending: &mut usize, next: usize) {
        // The text so far and what is to be copied, without the cells that ended.
        let beyond = self.cells.beyond_last();
        self.uncounted += ((next - *pending) as isize + beyond) as usize;
        if beyond <= 0 {
            // Cells before this one are yet to be copied.
            self.cells.copy_part(text, *pending..*pending + beyond.unsigned_abs());
        } else {
            self.cells.forget_unended();
        }
        *pending = next;
    }

    /// Whether the text of a field is kept. Before the header is complete, all are.
    #[inline]
    fn is_kept(&self, field: usize) -> bool {
        self.kept.get(field).copied().unwrap_or(self.kept.is_empty())
    }

    /// Ends a row; `to_come` of its bytes are yet to be copied.
    #[inline]
    fn end_line(&mut self, to_come: usize) -> Result<(), Malformed> {
        if self.fields < self.expected {
            self.fill_up(to_come)?;
        } else if self.fields > self.expected {
            if !self.may_be_longer {
                return Err(Malformed::LongRow {
                    expected: self.expected,
                    found: self.fields,
                    position: self.row_end,
                });
            }
            self.expected = self.fields;
        }
        self.last_row_text = self.row_text;
        self.row_text = self.counted_text(to_come);
        self.chunk_fields += self.fields;
        self.chunk_rows += 1;
        self.fields = 0;
        self.file_lines += 1;
        self.lines += 1;
        self.may_be_longer = self.lines == 1;
        self.state = State::StartRecord;
        Ok(())
    }

    /// Fills a row up to the length of the row before.
    #[cold]
    fn fill_up(&mut self, to_come: usize) -> Result<(), Malformed> {
        let taken = self.taken(to_come);
        if self.cells.len() > MOST_CELLS {
            return Err(Malformed::TooUneven { position: self.row_end });
        }
        self.check_space(to_come)?;
        // Less was kept than is counted here.
        self.chunk_text += self.space.left_out(taken);
        let wanting = self.expected - self.fields;
        self.space.make(self.taken(to_come), wanting);
        for field in self.fields..self.expected {
            if self.is_kept(field) {
                self.cells.end_absent();
            }
        }
        self.uncounted += wanting;
        self.fields = self.expected;
        Ok(())
    }

    /// Begins the next chunk of rows; the first ends with the row after the header.
    fn end_chunk(&mut self, text: &str, pending: &mut usize, next: usize) -> Result<(), Malformed> {
        self.check_space(next - *pending)?;
        if self.header.is_none() {
            self.cells.copy(&text[*pending..next]);
            *pending = next;
            self.complete_header();
        }
        // The row after the header is the first of its chunk.
        let chunk_rows = self.header.as_ref().map_or(1, Header::chunk_rows);
        let rows = self.lines - 1;
        self.chunk_end = (rows / chunk_rows + 1) * chunk_rows + 1;
        if rows.is_multiple_of(chunk_rows) {
            self.may_be_longer = true;
            self.chunk_text = self.last_row_text;
            self.chunk_fields = self.expected;
            self.chunk_rows = 1;
        }
        if next < text.len() {
            self.space.make(self.taken(next - *pending), text.len() - next);
        }
        Ok(())
    }

    /// Takes the header, and of the row after it (if there is one) the fields that are kept.
    fn complete_header(&mut self) {
        let cells = std::mem::take(&mut self.cells);
        let text_length = cells.text_length();
        let table_width = self.expected;
        let header_fields = if self.lines > 1 { cells.len() - table_width } else { cells.len() };
        let names: Vec<&[u8]> = (0..header_fields).map(|cell| cells.bytes(cell)).collect();
        let header = Header::new(&names, table_width, self.wanted);
        self.kept = header.kept().to_vec();
        self.dropped_after = dropped_after(&self.kept);
        self.cells = cells.keep_last(self.lines.saturating_sub(1) * table_width, &self.kept);
        self.uncounted += text_length - self.cells.text_length();
        self.header = Some(header);
    }

    /// Goes back from a position to the beginning of a line that was read before, or of an earlier one.
    #[cold]
    fn go_back(&mut self, from: usize, to: usize) -> Result<(), Malformed> {
        self.read_again += from - to;
        if self.read_again > MOST_READ_AGAIN || !self.space.holds(self.taken(0), self.cells.ends())
        {
            return Err(Malformed::Endless { position: self.row_end });
        }
        Ok(())
    }

    fn check_space(&self, to_come: usize) -> Result<(), Malformed> {
        let taken = self.taken(to_come);
        if self.space.holds(taken, 0) || self.space.holds(taken, self.cells.ends()) {
            return Ok(());
        }
        Err(match self.read_again {
            0 => Malformed::TooUneven { position: self.row_end },
            _ => Malformed::Endless { position: self.row_end },
        })
    }

    /// What is taken up when `to_come` more bytes are copied.
    fn taken(&self, to_come: usize) -> Taken {
        Taken {
            text: self.counted_text(to_come) - self.chunk_text,
            fields: self.chunk_fields + self.fields,
            rows: self.chunk_rows,
        }
    }

    #[inline]
    fn counted_text(&self, to_come: usize) -> usize {
        self.cells.text_length() + to_come + self.uncounted
    }
}

/// Where the line begins that the bytes end with: behind the last LF.
fn line_start(bytes: &[u8]) -> usize {
    memchr::memrchr(b'\n', bytes).map_or(0, |position| position + 1)
}

/// For each field, how many of those after it are dropped before the next that is kept.
fn dropped_after(kept: &[bool]) -> Vec<u32> {
    let mut dropped = 0;
    let mut after: Vec<u32> = (kept.iter().rev())
        .map(|kept| {
            let after = dropped;
            dropped = if *kept { 0 } else { dropped + 1 };
            after
        })
        .collect();
    after.reverse();
    after
}

#[inline]
fn ends_field(byte: u8) -> bool {
    matches!(byte, b',' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::super::printed::printed;
    use super::super::{Frame, Role};
    use crate::source::Bytes;

    /// Files and what pandas 2.2.3 makes of them.
    const SHAPES: &[(&str, &str)] = &[
        ("", "0 rows"),
        ("\n", "0 rows"),
        ("\r\n\r\n", "0 rows"),
        (" \n\t\n", "0 rows"),
        ("\u{feff}", "0 rows"),
        ("\u{feff}\n\n", "0 rows"),
        ("a", "0 rows; a object"),
        ("a\n", "0 rows; a object"),
        ("a,b\n", "0 rows; a object; b object"),
        ("a,b\n1,2\n", "1 rows; a int64 1; b int64 2"),
        ("a,b\n1,2", "1 rows; a int64 1; b int64 2"),
        ("a,b\r\n1,2\r\n3,4\r\n", "2 rows; a int64 1, 3; b int64 2, 4"),
        ("a,b\r1,2\r3,4\r", "2 rows; a int64 1, 3; b int64 2, 4"),
        ("a,b\n\n1,2\n\n\n3,4\n\n", "2 rows; a int64 1, 3; b int64 2, 4"),
        ("a,b\n1,2\n  \n3,4\n", "2 rows; a int64 1, 3; b int64 2, 4"),
        ("a,b\n1,2\n \t \n", "1 rows; a int64 1; b int64 2"),
        ("a,b\n1,2\n  ", "1 rows; a int64 1; b int64 2"),
        ("a,b\n  1,2\n x,3\n", "2 rows; a object '  1', ' x'; b int64 2, 3"),
        (" a, b\n1,2\n", "1 rows;  a int64 1;  b int64 2"),
        ("a\n\"\"\n1\n", "2 rows; a float64 nan, 1.0"),
        ("a\n\"x\"\"y\"\n", "1 rows; a object 'x\"y'"),
        ("a\n\"x,y\"\n", "1 rows; a object 'x,y'"),
        ("a\n\"x\ny\"\n", "1 rows; a object 'x\ny'"),
        ("a\n\"x\r\ny\"\n", "1 rows; a object 'x\r\ny'"),
        ("a\nx\"y\"\n", "1 rows; a object 'x\"y\"'"),
        ("a\n\"x\"y\"z\n", "1 rows; a object 'xy\"z'"),
        ("a\n\"x\" \n", "1 rows; a object 'x '"),
        ("a\n \"x\"\n", "1 rows; a object ' \"x\"'"),
        ("a,b\n\"1\",\"2\"\n", "1 rows; a int64 1; b int64 2"),
        ("a\n\"x\n", "unreadable"),
        ("a\n\"x\"\"\n", "unreadable"),
        ("a,b\n1\n2,3\n", "2 rows; a int64 1, 2; b float64 nan, 3.0"),
        ("a,b\n1,2\n3\n", "2 rows; a int64 1, 3; b float64 2.0, nan"),
        ("a,b\n1,2,3\n4,5,6\n", "2 rows; labels 1, 4; a int64 2, 5; b int64 3, 6"),
        ("a,b\n1,2,3,4\n5,6,7,8\n", "2 rows; labels 1, 5; a int64 3, 7; b int64 4, 8"),
        ("a,b\n1,2,\n3,4,\n", "2 rows; labels 1, 3; a int64 2, 4; b float64 nan, nan"),
        (
            "a,b\n1,2,3\n4,5\n6\n",
            "3 rows; labels 1, 4, 6; a float64 2.0, 5.0, nan; b float64 3.0, nan, nan",
        ),
        ("a,b\n1,2\n3,4,5\n", "unreadable"),
        ("a,b\n1\n2,3,4\n", "unreadable"),
        ("\u{feff}a,b\n1,2\n", "1 rows; a int64 1; b int64 2"),
        ("\u{feff}\"a\",b\n1,2\n", "1 rows; a int64 1; b int64 2"),
        ("\n\u{feff}a\n1\n", "1 rows; \u{feff}a int64 1"),
        ("a\n\u{feff}1\n", "1 rows; a object '\u{feff}1'"),
        ("a\0b,c\n1\x002,3\n", "1 rows; a int64 1; c int64 3"),
        ("a\n\0x\ny\n", "2 rows; a object nan, 'y'"),
        ("a\n\"x\0\"\n", "1 rows; a object 'x'"),
        ("a,b\n1,2\r\r\n3,4\n", "2 rows; a int64 1, 3; b int64 2, 4"),
        ("a,b\r1,2\r\r,3,4\r", "2 rows; a int64 1, 3; b int64 2, 4"),
        ("a,b\r 1,2\r3,4\r", "3 rows; a object 'a', ' 1', '3'; b object 'b', '2', '4'"),
        ("a,b\r1,2\r3,4\r 5,6\r", "unreadable"),
        ("\r a\r1\r", "3 rows; Unnamed: 0 object nan, ' a', '1'"),
        (",,,a,\n\n,,,,a,\n,\na\n,aa,,", "unreadable"),
        ("a\rb\n c\r", "2 rows; a object 'b', ' c'"),
        ("a;b\n1;2\n", "1 rows; a;b object '1;2'"),
        ("a\tb\n1\t2\n", "1 rows; a\tb object '1\t2'"),
        ("é,日本\nß,語\n", "1 rows; é object 'ß'; 日本 object '語'"),
    ];

    #[test]
    fn files_have_the_shape_that_pandas_gives_them() {
        for (text, expected) in SHAPES {
            assert_eq!(printed(&Frame::from_text(Role::Submission, text)), *expected, "{text:?}");
        }
    }

    /// Bytes that are not UTF-8.
    const UNREADABLE: &[&[u8]] = &[
        b"a\n\xff\n",
        b"a\n\xc3",
        b"a\n\xc3\n",
        b"a\n\x80\n",
        b"a\n\xed\xa0\x80\n",
        b"a\n\"\xc3\"\xa9\n",
        b"\xff\xfea\0\n\0",
        b"\xfe\xff\0a\0\n",
    ];

    #[test]
    fn bytes_that_are_not_utf8_are_refused() {
        for bytes in UNREADABLE {
            let source = Bytes::new("submission.csv", *bytes);
            let frame = Frame::read(&source, Role::Submission, None);
            assert_eq!(printed(&frame), "unreadable", "{bytes:?}");
        }
    }

    /// A file of 2^18 columns, which pandas reads two rows at a time, the rows having `more` fields than that.
    fn wide(more: &[usize]) -> Result<Frame, crate::Failure> {
        let row = ",".repeat((1 << 18) - 1);
        let rows: Vec<String> =
            more.iter().map(|more| format!("{row}{}", ",".repeat(*more))).collect();
        Frame::from_text(Role::Submission, &format!("{row}\n{}\n", rows.join("\n")))
    }

    #[test]
    fn the_first_row_of_a_chunk_may_be_longer() {
        assert!(wide(&[0, 0, 3, 3, 0]).is_ok());
        assert!(wide(&[0, 0, 0, 0, 1, 1]).is_ok());
        assert!(wide(&[0, 1]).is_err());
        assert!(wide(&[0, 0, 0, 1]).is_err());
        assert!(wide(&[0, 0, 1, 2]).is_err());
    }

    #[test]
    fn spaces_before_a_buffer_ends_are_lost() {
        // pandas reads 262,144 characters at a time; the first two of these spaces end the first of them.
        let first = format!("a\n{}\n", "é".repeat(262_144 - 5));
        let frame = Frame::from_text(Role::Submission, &format!("{first}    x\n")).unwrap();
        assert_eq!(frame.cell_text("a", 1), Some("  x"));
    }

    #[test]
    fn messages_say_where_the_fault_is() {
        let cases = [
            (
                "a,b\n1,2\n\n\"3\n\",4\n5,6,7\n",
                "line 6 has 3 fields, more than the 2 of the row before it; a comma",
            ),
            ("a,b\r\n1,2\r\n5,6,7\r\n", "line 3 has 3 fields"),
            ("a,b\r1,2\r5,6,7", "line 3 has 3 fields"),
            ("a\n1\n\"2\n3\n4\n", "opens in line 3 is never closed"),
        ];
        for (text, expected) in cases {
            let message = Frame::from_text(Role::Submission, text).unwrap_err().to_string();
            assert!(message.contains(expected), "{text:?}: {message}");
        }
    }
}
