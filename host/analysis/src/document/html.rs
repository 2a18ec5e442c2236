//! Documents as one HTML page that needs nothing else: no network, no script.
//!
//! Relies on minijinja, which escapes every text. Only charts go in as they are: they are drawn by this crate, from texts that
//! are escaped there.

use minijinja::value::Serde;
use minijinja::{Environment, Value, context};

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

/// Control characters have no place in a page, and no meaning.
fn without_control_characters(document: &Document) -> Document {
    let clean = |text: &mut String| {
        if text.chars().any(|character| character.is_control() && character != '\n') {
            *text = text
                .chars()
                .map(|character| match character {
                    '\n' => '\n',
                    character if character.is_control() => char::REPLACEMENT_CHARACTER,
                    character => character,
                })
                .collect();
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
            clean(&mut chart.svg);
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
