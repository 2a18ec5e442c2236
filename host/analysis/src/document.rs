//! A document: headings, paragraphs, tables and charts, before it is Markdown or HTML.
//!
//! One model for both, so that both say the same. Texts are plain; whatever writes them down escapes them.

mod html;
mod markdown;

use serde::Serialize;

/// A document.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Document {
    /// The title.
    pub title: String,
    /// What stands below it.
    pub introduction: Vec<String>,
    /// The sections.
    pub sections: Vec<Section>,
}

/// A section of a document.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Section {
    /// The heading.
    pub heading: String,
    /// What stands below it.
    pub paragraphs: Vec<String>,
    /// A list below those.
    pub list: Vec<String>,
    /// Charts; they show nothing that no table says.
    pub charts: Vec<Chart>,
    /// Tables.
    pub tables: Vec<Table>,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// The headings of the columns.
    pub columns: Vec<Column>,
    /// The rows, a cell for each column.
    pub rows: Vec<Vec<String>>,
    /// Whether it is so long that HTML shows it only when asked to.
    pub folded: bool,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Column {
    /// The heading.
    pub heading: String,
    /// Whether numbers stand in it.
    pub numeric: bool,
}

/// A chart.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// What can be seen in it, for those who cannot.
    pub description: String,
    /// The drawing: SVG whose colours are variables of the page.
    pub svg: String,
    /// The names of the series, in the order of their colours and numbers.
    pub legend: Vec<String>,
}

impl Table {
    /// An empty table; the first column holds text, the others numbers.
    pub(crate) fn new<'a>(
        caption: impl Into<String>,
        headings: impl IntoIterator<Item = &'a str>,
    ) -> Table {
        let columns = headings
            .into_iter()
            .enumerate()
            .map(|(index, heading)| Column { heading: heading.to_owned(), numeric: index > 0 });
        Table { caption: caption.into(), columns: columns.collect(), ..Table::default() }
    }

    /// The table with text in the columns of these headings.
    pub(crate) fn text_in(mut self, headings: &[&str]) -> Table {
        for column in &mut self.columns {
            column.numeric &= !headings.contains(&column.heading.as_str());
        }
        self
    }
}
