//! Tables for people, alike in all commands.
//!
//! Relies on comfy-table for the layout. Styles are always put on; [`output`](crate::output) drops them where no
//! terminal reads. No cell is ever cut or broken, because what is in it may be copied or searched for: a terminal that is
//! too narrow is shown fewer columns, and where no terminal reads, all of them are there.

use comfy_table::{Attribute, Cell, CellAlignment, LineStyle, TableStyle};

use crate::output;

/// One line below the headings, and nothing else that could be in the way of a search.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::new('─', '─', '─', '─'));

/// A table that is being filled.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

/// A column, by its heading.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    heading: &'static str,
    /// How soon the column is left out: the highest first, zero never.
    rank: u8,
}

/// A column that is always shown.
pub(crate) const fn needed(heading: &'static str) -> Column {
    Column { heading, rank: 0 }
}

/// A column that may be left out where there is no room, those of a higher rank first. `rank` is at least one.
pub(crate) const fn optional(heading: &'static str, rank: u8) -> Column {
    Column { heading, rank }
}

impl Table {
    /// An empty table with these columns.
    pub(crate) fn new(columns: impl IntoIterator<Item = Column>) -> Table {
        Table { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row: a cell for each column.
    pub(crate) fn add_row(&mut self, row: impl IntoIterator<Item = Cell>) {
        self.rows.push(row.into_iter().collect());
    }

    /// The lines of the table, as wide as stdout is.
    pub(crate) fn lines(&self) -> String {
        self.lines_within(output::width())
    }

    /// The lines of the table, no wider than that as far as leaving out columns helps. Where some are left out, a last
    /// line names them.
    fn lines_within(&self, width: Option<usize>) -> String {
        let mut shown: Vec<usize> = (0..self.columns.len()).collect();
        let mut left_out = Vec::new();
        let mut table = self.laid_out(&shown);
        while let Some(width) = width
            && widest_line(&table) > width
            && let Some(&least) = shown
                .iter()
                .filter(|&&index| self.columns[index].rank > 0)
                .max_by_key(|&&index| self.columns[index].rank)
        {
            shown.retain(|&index| index != least);
            left_out.push(self.columns[least].heading);
            table = self.laid_out(&shown);
        }
        let mut text = table.to_string();
        if !left_out.is_empty() {
            let left_out = left_out.join(", ");
            text.push_str(&format!("\nleft out, as the terminal is too narrow: {left_out}"));
        }
        text
    }

    fn laid_out(&self, shown: &[usize]) -> comfy_table::Table {
        let mut table = comfy_table::Table::new();
        table.load_style(STYLE);
        table.enforce_styling();
        let headings = shown.iter().map(|&index| self.columns[index].heading);
        table.set_header(headings.map(|name| Cell::new(name).add_attribute(Attribute::Bold)));
        for row in &self.rows {
            table.add_row(shown.iter().filter_map(|&index| row.get(index).cloned()));
        }
        table
    }
}

/// The width of a table's widest line, in columns of a terminal.
fn widest_line(table: &comfy_table::Table) -> usize {
    // A blank on each side of a cell, and one more between columns and at the edges, where other styles have lines.
    const AROUND: usize = 3;
    const EDGE: usize = 1;
    let widths = table.column_max_content_widths();
    widths.iter().map(|&width| usize::from(width) + AROUND).sum::<usize>() + EDGE
}

/// A cell with a number, at the right.
pub(crate) fn number(text: impl ToString) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_least_goes_first_and_nothing_is_cut() {
        let mut table =
            Table::new([needed("competition"), optional("metric", 2), optional("split", 1)]);
        let id = "jigsaw-unintended-bias-in-toxicity-classification";
        let metric = "area under the ROC curve over subgroups";
        table.add_row([id, metric, "medium"].map(Cell::new));
        table.add_row(["seals", "accuracy", "low"].map(Cell::new));
        // The width, then which of id, metric and split are seen.
        for (width, seen) in [
            (None, [true, true, true]),
            (Some(200), [true, true, true]),
            (Some(103), [true, false, true]),
            (Some(104), [true, true, true]),
            (Some(62), [true, false, true]),
            (Some(61), [true, false, false]),
            (Some(10), [true, false, false]),
        ] {
            let text = table.lines_within(width);
            let lines: Vec<&str> = text.lines().collect();
            for (part, seen) in [id, metric, "medium"].into_iter().zip(seen) {
                assert_eq!(lines.iter().any(|line| line.contains(part)), seen, "{part}:\n{text}");
            }
            let rows = &lines[..4];
            assert_eq!(text.contains("left out"), seen.contains(&false), "{text}");
            if let Some(width) = width.filter(|&width| width >= 61) {
                let visible = |line: &str| anstream::adapter::strip_str(line).to_string();
                assert!(
                    rows.iter().all(|line| visible(line).chars().count() <= width),
                    "{width}:\n{text}"
                );
            }
        }
        assert!(table.lines_within(Some(10)).ends_with("too narrow: metric, split"));
    }
}
