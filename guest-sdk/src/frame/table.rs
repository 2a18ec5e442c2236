//! What a file holds: its texts, and its columns as far as they were asked for. Frames are views of it.

use std::cell::OnceCell;

use super::buffers::{Buffers, line_at};
use super::cells::Texts;
use super::inference::{ColumnTexts, infer};
use super::tokenizer::{MOST_READ_AGAIN, Malformed, Tokenizer, Tokens};
use super::{Column, Role};
use crate::failure::Failure;
use crate::source::Source;

/// The largest file that is read. The places of texts are 32-bit numbers, also of those that are read again.
const MOST_BYTES: u64 = u32::MAX as u64 - MOST_READ_AGAIN as u64 - (1 << 24);

/// The most room for text that is made ahead where not all columns are kept.
const MOST_ROOM: usize = 1 << 26;

/// A file's table.
#[derive(Debug)]
pub(super) struct Table {
    role: Role,
    name: String,
    texts: Texts,
    rows: usize,
    chunk_rows: usize,
    /// The fields that are the labels of rows.
    labels: Vec<Field>,
    columns: Vec<Field>,
}

/// One field of each row.
#[derive(Debug)]
struct Field {
    name: String,
    /// Which of the kept fields it is; `None` if its text was not kept.
    kept: Option<usize>,
    typed: OnceCell<Column>,
}

impl Table {
    /// Reads a file; of `wanted` columns only, if not `None`.
    pub(super) fn read<S: Source>(
        source: &S,
        role: Role,
        wanted: Option<&[&str]>,
    ) -> Result<Table, Failure> {
        let size = source.size();
        if size > MOST_BYTES {
            return Err(role.failure(format!(
                "{} cannot be read: it has {size} bytes, and at most {MOST_BYTES} can be",
                source.name()
            )));
        }
        let size = size as usize;
        // One byte more than the file has, since the last cell need not be followed by one. Where only some columns
        // are kept, there is no telling; room that stays empty costs nothing.
        let room = if wanted.is_none() { size + 1 } else { (size + 1).min(MOST_ROOM) };
        let mut tokenizer = Tokenizer::new(wanted, room);
        let mut buffers = Buffers::new(source, role);
        let mut to_come = size;
        while let Some(buffer) = buffers.next()? {
            to_come = to_come.saturating_sub(buffer.text.len());
            tokenizer.feed(buffer, to_come).map_err(|error| explain(error, source, role))?;
        }
        let tokens = tokenizer.finish().map_err(|error| explain(error, source, role))?;
        Ok(Table::new(role, source.name(), tokens))
    }

    fn new(role: Role, name: String, tokens: Tokens) -> Table {
        let Tokens { header, cells, rows } = tokens;
        let width =
            header.as_ref().map_or(0, |header| header.kept().iter().filter(|kept| **kept).count());
        let texts = cells.finish(width);
        let Some(header) = header else {
            return Table {
                role,
                name,
                texts,
                rows: 0,
                chunk_rows: 1,
                labels: Vec::new(),
                columns: Vec::new(),
            };
        };
        let mut kept = 0;
        let mut fields = header.kept().iter().map(|is_kept| {
            is_kept.then(|| {
                kept += 1;
                kept - 1
            })
        });
        let labels = (0..header.labels())
            .map(|_| Field {
                name: String::new(),
                kept: fields.next().flatten(),
                typed: OnceCell::new(),
            })
            .collect();
        let columns = header
            .names()
            .iter()
            .map(|name| Field {
                name: name.clone(),
                kept: fields.next().flatten(),
                typed: OnceCell::new(),
            })
            .collect();
        Table { role, name, texts, rows, chunk_rows: header.chunk_rows(), labels, columns }
    }

    pub(super) fn role(&self) -> Role {
        self.role
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns, labels not counted.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// How many fields of a row come before those of the columns.
    pub(super) fn label_fields(&self) -> usize {
        self.labels.len()
    }

    pub(super) fn column_name(&self, index: usize) -> &str {
        &self.columns[index].name
    }

    /// The place of the column of that name.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// A column, typed over all rows of the file.
    pub(super) fn column(&self, index: usize) -> &Column {
        self.typed(&self.columns[index])
    }

    /// The first of the fields that are labels, typed.
    pub(super) fn labels(&self) -> Option<&Column> {
        self.labels.first().map(|field| self.typed(field))
    }

    /// The text of a cell.
    pub(super) fn cell_text(&self, index: usize, row: usize) -> Option<&str> {
        let field = self.columns[index].kept?;
        (row < self.rows).then(|| self.texts.get(row, field))
    }

    fn typed<'a>(&'a self, field: &'a Field) -> &'a Column {
        field.typed.get_or_init(|| {
            let Some(kept) = field.kept else {
                panic!(
                    "the grader asks for the column `{}` of {}, but did not name it among those to be kept",
                    field.name, self.name
                );
            };
            let texts = ColumnTexts {
                texts: &self.texts,
                field: kept,
                rows: self.rows,
                chunk_rows: self.chunk_rows,
            };
            Column::new(&field.name, self.role, infer(texts))
        })
    }
}

fn explain<S: Source>(error: Malformed, source: &S, role: Role) -> Failure {
    let name = source.name();
    role.failure(match error {
        Malformed::LongRow { expected, found, position } => format!(
            "{name} cannot be read: line {} has {found} fields, more than the {expected} of the row before it; a comma within a text \
             has to stand within double quotes",
            line_at(source, position)
        ),
        Malformed::OpenQuote { position } => format!(
            "{name} cannot be read: the double quote that opens in line {} is never closed",
            line_at(source, position)
        ),
        Malformed::TooUneven { position } => format!(
            "{name} cannot be read: up to line {} too many rows have fewer fields than the row before them; give each \
             row as many fields as the header",
            line_at(source, position)
        ),
        Malformed::Endless { position } => format!(
            "{name} cannot be read: lines end with CR alone, and a line after line {} begins with a space; end lines \
             with LF, or drop the space",
            line_at(source, position)
        ),
    })
}
