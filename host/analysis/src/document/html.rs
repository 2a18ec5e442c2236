//! Documents as one HTML page that needs nothing else: no network, no script.
//!
//! Relies on minijinja, which escapes every text. Only charts go in as they are: they are drawn by this crate, from texts that
//! are escaped there.

use minijinja::value::Serde;
use minijinja::{Environment, Value, context};
use podium::told;

use super::Document;
use crate::error::Error;

const PAGE: &str = include_str!("../templates/page.html");
const STYLE: &str = include_str!("../templates/style.css");

impl Document {
    /// The document as one HTML page.
    ///
    /// # Errors
    /// [`Error::Page`] if the template is wrong, which a test keeps from happening.
    pub fn to_html(&self) -> Result<String, Error> {
        let failed = |error: minijinja::Error| Error::Page(error.to_string());
        let mut environment = Environment::new();
        environment.add_template("page.html", PAGE).map_err(failed)?;
        let page = environment.get_template("page.html").map_err(failed)?;
        let document = Value::from(Serde(without_control_characters(self)));
        page.render(context! { document, style => STYLE }).map_err(failed)
    }
}

/// Control characters, and those that turn the direction of text, have no place in a page: they stand there as escapes. So
/// do line ends, of which a page shows nothing. Drawings have lines, and no text that is not clean.
fn without_control_characters(document: &Document) -> Document {
    let clean = |text: &mut String| {
        if text.chars().any(told::steers) {
            *text = told::shown_name(text);
        }
    };
    let mut document = document.clone();
    clean(&mut document.title);
    document.introduction.iter_mut().for_each(clean);
    for section in &mut document.sections {
        clean(&mut section.heading);
        section.paragraphs.iter_mut().chain(&mut section.list).for_each(clean);
        for chart in &mut section.charts {
            clean(&mut chart.title);
            clean(&mut chart.description);
            chart.legend.iter_mut().for_each(clean);
        }
        for table in &mut section.tables {
            clean(&mut table.caption);
            table.columns.iter_mut().map(|column| &mut column.heading).for_each(clean);
            table.rows.iter_mut().flatten().for_each(clean);
        }
    }
    document
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Chart, Section, Table};
    use super::*;
    use crate::charts::{self, Bar, Series, Shape};

    /// A document with this text wherever a text can be.
    fn document(text: &str) -> Document {
        let mut table = Table::new(text, [text, "numbers"]);
        table.rows.push(vec![text.to_owned(), text.to_owned()]);
        let folded = Table { folded: true, ..table.clone() };
        let bars = [Bar { label: text.to_owned(), values: vec![Some((40.0, Some(2.0))), None] }];
        let series = [Series { name: text.to_owned(), points: vec![(1.0, 3.0), (2.0, 5.0)] }];
        let label = |value: &f64| value.to_string();
        let charts: Vec<Chart> = vec![
            charts::bars("bars", text, text, &[text, text], &bars).unwrap(),
            charts::over_numbers("lines", text, text, text, &label, Shape::Steps, &series).unwrap(),
        ];
        let section = Section {
            heading: text.to_owned(),
            paragraphs: vec![text.to_owned()],
            list: vec![text.to_owned()],
            charts,
            tables: vec![table, folded],
        };
        Document {
            title: text.to_owned(),
            introduction: vec![text.to_owned()],
            sections: vec![section; 3],
        }
    }

    fn count(page: &str, character: char) -> usize {
        page.chars().filter(|of| *of == character).count()
    }

    #[test]
    fn a_page_holds_every_part_of_its_document() {
        let page = document("words").to_html().unwrap();
        // Title twice, introduction; in each of three sections and its entry in the contents: heading twice, paragraph,
        // item, two tables with caption (one twice, to unfold it), heading and two cells, and two charts.
        let in_tables = (1 + 1 + 2) * 2 + 1;
        let bars = 2 + 1 + 1 + 2;
        let lines = 2 + 1 + 1 + 1;
        let expected = 3 + 3 * (2 + 1 + 1 + in_tables + bars + lines);
        assert_eq!(page.matches("words").count(), expected, "{page}");
        assert!(page.starts_with("\n<!doctype html>") || page.starts_with("<!doctype html>"));
    }

    #[test]
    fn colours_are_those_of_the_page() {
        let page = document("#010001 =\"#010001\"").to_html().unwrap();
        // The text itself stays; in attributes no fixed colour is left.
        assert!(!page.contains("fill=\"#") && !page.contains("stroke=\"#"), "{page}");
        assert!(
            page.contains("fill=\"var(--series-1)\"") && page.contains("stroke=\"var(--grid)\"")
        );
    }

    proptest! {
        /// Whatever a text is, the elements and attributes of the page are those of a page with a harmless one.
        #[test]
        fn no_text_gets_out_of_its_place(text in "[<>&\"'a-z/={}%|\\[\\]#\\u{0}-\\u{1f}\\u{202e}\\u{2028} -]{0,30}") {
            let (page, plain) = (document(&text).to_html().unwrap(), document("x").to_html().unwrap());
            for character in ['<', '>', '"', '\n'] {
                prop_assert_eq!(count(&page, character), count(&plain, character));
            }
            prop_assert!(!page.chars().any(|character| character != '\n' && told::steers(character)));
        }
    }
}
