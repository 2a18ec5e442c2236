//! Tables for people, alike in all commands.
//!
//! Relies on comfy-table for the layout. Styles are always put on; [`output`](crate::output) drops them where no
//! terminal reads. Tables are as wide as their content where no terminal reads, so that lines can be searched.

use comfy_table::{
    Attribute, Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle,
};

use crate::output;

/// One line below the headings, and nothing else that could be in the way of a search.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::new('─', '─', '─', '─'));

/// An empty table with these headings.
pub(crate) fn with_headings<'a>(headings: impl IntoIterator<Item = &'a str>) -> Table {
    let mut table = Table::new();
    table.load_style(STYLE);
    table.enforce_styling();
    table.set_header(
        headings.into_iter().map(|heading| Cell::new(heading).add_attribute(Attribute::Bold)),
    );
    if output::stdout_is_terminal() {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(u16::try_from(output::width()).unwrap_or(u16::MAX));
    }
    table
}

/// A cell with a number, at the right.
pub(crate) fn number(text: impl ToString) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}
