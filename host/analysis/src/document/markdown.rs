//! Documents as Markdown.

use std::fmt::Write as _;

use podium::told;

use super::{Document, Table};

impl Document {
    /// The document as Markdown with tables as GitHub reads them. Charts are left out: tables say the same.
    pub fn to_markdown(&self) -> String {
        let mut text = format!("# {}\n", escaped(&self.title));
        for paragraph in &self.introduction {
            let _ = write!(text, "\n{}\n", escaped(paragraph));
        }
        for section in &self.sections {
            let _ = write!(text, "\n## {}\n", escaped(&section.heading));
            for paragraph in &section.paragraphs {
                let _ = write!(text, "\n{}\n", escaped(paragraph));
            }
            if !section.list.is_empty() {
                text.push('\n');
            }
            for item in &section.list {
                let _ = writeln!(text, "- {}", escaped(item));
            }
            for table in &section.tables {
                let _ = write!(text, "\n{}\n\n{}", escaped(&table.caption), table.to_markdown());
            }
        }
        text
    }
}

impl Table {
    /// The rows of the table as Markdown.
    pub fn to_markdown(&self) -> String {
        let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = row(self.columns.iter().map(|column| escaped(&column.heading)).collect());
        let rules = self.columns.iter().map(|column| if column.numeric { "---:" } else { "---" });
        let _ = writeln!(text, "|{}|", rules.collect::<Vec<_>>().join("|"));
        for cells in &self.rows {
            text.push_str(&row(cells.iter().map(|cell| escaped(cell)).collect()));
        }
        text
    }
}

/// A text that Markdown shows as it is: nothing in it makes a cell, a link, an element or a new line.
fn escaped(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '&' | '!' => {
                written.push('\\');
                written.push(character);
            }
            character if told::steers(character) => {
                written.push('\\');
                written.push_str(&told::shown_name(character.encode_utf8(&mut [0; 4])));
            }
            character => written.push(character),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::super::Section;
    use super::*;

    #[test]
    fn what_comes_from_files_stays_in_its_cell() {
        let mut table = Table::new("of a_b", ["name", "x"]);
        table.rows.push(vec!["a|b\n[c](d)<e>\u{202e}".to_owned(), "1".to_owned()]);
        let document = Document {
            title: "T\nt".to_owned(),
            introduction: vec!["in".to_owned()],
            sections: vec![Section {
                heading: "H".to_owned(),
                list: vec!["i".to_owned()],
                tables: vec![table],
                ..Section::default()
            }],
        };
        let expected = "# T\\\\u{a}t\n\nin\n\n## H\n\n- i\n\nof a\\_b\n\n| name | x |\n|---|---:|\n| a\\|b\\\\u{a}\\[c\\](d)\\<e\\>\\\\u{202e} | 1 |\n";
        assert_eq!(document.to_markdown(), expected);
    }
}
