//! Charts as SVG whose colours are variables of the page that holds them, so that they follow its light and dark.
//!
//! Relies on plotters for axes and layout. It knows fixed colours only; those used here stand for variables, and are replaced
//! in what it draws.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use podium::told;

use crate::document::Chart;
use crate::error::Error;

/// How many series a chart has at most: as many as the page has colours.
pub(crate) const MOST_SERIES: usize = 8;

const INK: RGBColor = RGBColor(1, 0, 1);
const SOFT: RGBColor = RGBColor(1, 0, 2);
const GRID: RGBColor = RGBColor(1, 0, 3);

/// The colours that stand for variables, and those.
const VARIABLES: [(RGBColor, &str); 3] = [(INK, "ink"), (SOFT, "soft"), (GRID, "grid")];

const WIDTH: u32 = 880;
/// Comes out as 13 pixels: the library takes sizes for points of another unit.
const FONT_SIZE: i32 = 16;

/// The colour of a series.
fn series_color(index: usize) -> RGBColor {
    RGBColor(2, 0, (index % MOST_SERIES) as u8 + 1)
}

fn text_style(color: RGBColor, horizontal: HPos) -> TextStyle<'static> {
    ("sans-serif", FONT_SIZE).into_font().color(&color).pos(Pos::new(horizontal, VPos::Center))
}

/// A row of a bar chart: its label, and of each series the value with its standard error.
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) values: Vec<Option<(f64, Option<f64>)>>,
}

/// Horizontal bars of percentages, with a whisker of one standard error to each side.
pub(crate) fn bars(
    id: &str,
    title: &str,
    description: &str,
    legend: &[&str],
    rows: &[Bar],
) -> Result<Chart, Error> {
    const THICKNESS: i32 = 14;
    const GAP: i32 = 10;
    const TOP: i32 = 10;
    const BOTTOM: i32 = 30;
    const RIGHT: i32 = 70;
    const MOST_CHARACTERS: usize = 40;
    let series = rows.iter().map(|row| row.values.len()).max().unwrap_or(1).max(1) as i32;
    let row_height = THICKNESS * series + GAP;
    let height = TOP + BOTTOM + row_height * rows.len() as i32;
    let labels: Vec<String> =
        rows.iter().map(|row| shortened(&told::shown_name(&row.label), MOST_CHARACTERS)).collect();
    let longest = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let left = 8 * longest as i32 + 20;
    let highest = rows
        .iter()
        .flat_map(|row| row.values.iter().flatten())
        .map(|(value, error)| value + error.unwrap_or(0.0))
        .fold(10.0, f64::max);
    let step = if highest > 50.0 { 20.0 } else { 10.0 };
    let end = ((highest / step).ceil() * step).min(100.0);
    let width = f64::from(WIDTH as i32 - left - RIGHT);
    let at = |value: f64| left + (value.clamp(0.0, end) / end * width).round() as i32;

    let mut svg = String::new();
    draw(&mut svg, (WIDTH, height.unsigned_abs()), |root| {
        let bottom = height - BOTTOM;
        let mut tick = 0.0;
        while tick <= end {
            root.draw(&PathElement::new(vec![(at(tick), TOP), (at(tick), bottom)], GRID))?;
            let label = format!("{tick:.0} %");
            root.draw(&Text::new(label, (at(tick), bottom + 14), text_style(SOFT, HPos::Center)))?;
            tick += step;
        }
        for (index, (row, label)) in rows.iter().zip(&labels).enumerate() {
            let top = TOP + index as i32 * row_height + GAP / 2;
            let middle = top + THICKNESS * series / 2;
            root.draw(&Text::new(
                label.as_str(),
                (left - 8, middle),
                text_style(INK, HPos::Right),
            ))?;
            for (number, value) in row.values.iter().enumerate() {
                let Some((value, error)) = value else { continue };
                let y = top + number as i32 * THICKNESS;
                let corners = [(at(0.0), y + 1), (at(*value), y + THICKNESS - 1)];
                root.draw(&Rectangle::new(corners, series_color(number).filled()))?;
                let mut beyond = at(*value);
                if let Some(error) = error.filter(|error| *error > 0.0) {
                    let middle = y + THICKNESS / 2;
                    let (low, high) = (at(value - error), at(value + error));
                    beyond = high;
                    root.draw(&PathElement::new(vec![(low, middle), (high, middle)], INK))?;
                    for x in [low, high] {
                        root.draw(&PathElement::new(vec![(x, middle - 3), (x, middle + 3)], INK))?;
                    }
                }
                let text = format!("{value:.1}");
                let place = (beyond + 6, y + THICKNESS / 2);
                root.draw(&Text::new(text, place, text_style(INK, HPos::Left)))?;
            }
        }
        Ok(())
    })?;
    Ok(chart(id, title, description, legend, &svg))
}

/// A series of a chart with axes: its name and its points, each a percentage at a place on the other axis.
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// How the points of a series are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A line through them.
    Line,
    /// A line that stays until the next one.
    Steps,
    /// Each by itself.
    Points,
}

/// A chart of percentages over numbers. Each series has its number at its last point, so that colours need not be told apart.
pub(crate) fn over_numbers(
    id: &str,
    title: &str,
    description: &str,
    axis: &str,
    label: &dyn Fn(&f64) -> String,
    shape: Shape,
    series: &[Series],
) -> Result<Chart, Error> {
    let axis = told::shown_name(axis);
    let all = || series.iter().flat_map(|series| &series.points);
    let low = all().map(|(x, _)| *x).fold(f64::INFINITY, f64::min);
    let high = all().map(|(x, _)| *x).fold(f64::NEG_INFINITY, f64::max);
    let (low, high) = if low < high { (low, high) } else { (low - 0.5, low + 0.5) };
    let highest = all().map(|(_, y)| *y).fold(10.0, f64::max);
    let end = if shape == Shape::Points { 105.0 } else { (highest / 10.0).ceil() * 10.0 };
    let mut svg = String::new();
    draw(&mut svg, (WIDTH, 360), |root| {
        let mut builder = ChartBuilder::on(root);
        builder.margin(12).margin_right(40).x_label_area_size(44).y_label_area_size(56);
        let mut chart = builder.build_cartesian_2d(low..high, 0.0..end)?;
        chart
            .configure_mesh()
            .axis_style(SOFT)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .label_style(text_style(SOFT, HPos::Center))
            .axis_desc_style(text_style(SOFT, HPos::Center))
            .x_desc(axis)
            .y_desc("%")
            .x_labels(8)
            .y_labels(6)
            .x_label_formatter(label)
            .y_label_formatter(&|value| format!("{value:.0}"))
            .draw()?;
        for (index, series) in series.iter().enumerate() {
            let color = series_color(index);
            match shape {
                Shape::Points => {
                    let points = series.points.iter();
                    chart
                        .draw_series(points.map(|point| Circle::new(*point, 4, color.filled())))?;
                }
                Shape::Line | Shape::Steps => {
                    let points = if shape == Shape::Steps {
                        steps(&series.points)
                    } else {
                        series.points.clone()
                    };
                    chart.draw_series(LineSeries::new(points, color.stroke_width(2)))?;
                    if shape == Shape::Line {
                        let points = series.points.iter();
                        chart.draw_series(
                            points.map(|point| Circle::new(*point, 3, color.filled())),
                        )?;
                    }
                }
            }
            if let Some(&last) = series.points.last().filter(|_| shape != Shape::Points) {
                let number = (index + 1).to_string();
                let (x, y) = chart.backend_coord(&last);
                let _ = chart.plotting_area();
                root.draw(&Text::new(number, (x + 10, y), text_style(color, HPos::Left)))?;
            }
        }
        Ok(())
    })?;
    let names: Vec<&str> = series.iter().map(|series| series.name.as_str()).collect();
    Ok(chart(id, title, description, &names, &svg))
}

/// The corners of a line that stays at each value until the next.
fn steps(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut corners = Vec::with_capacity(points.len() * 2);
    for (index, &(x, y)) in points.iter().enumerate() {
        if let Some(before) = index.checked_sub(1) {
            corners.push((x, points[before].1));
        }
        corners.push((x, y));
    }
    corners
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

fn draw<'a>(
    svg: &'a mut String,
    size: (u32, u32),
    drawing: impl FnOnce(&DrawingArea<SVGBackend<'a>, plotters::coord::Shift>) -> Drawn,
) -> Result<(), Error> {
    let root = SVGBackend::with_string(svg, size).into_drawing_area();
    drawing(&root).map_err(|error| Error::Page(error.to_string()))?;
    root.present().map_err(|error| Error::Page(error.to_string()))
}

/// The chart with its drawing made fit for a page: named, described, in the page's colours.
fn chart(id: &str, title: &str, description: &str, legend: &[&str], svg: &str) -> Chart {
    let mut svg = svg.replacen(
        " xmlns=\"http://www.w3.org/2000/svg\">",
        &format!(
            " role=\"img\" aria-labelledby=\"{id}-title {id}-description\">\n<title id=\"{id}-title\">{}</title>\n<desc \
             id=\"{id}-description\">{}</desc>",
            escaped(&told::shown_name(title)),
            escaped(&told::shown_name(description))
        ),
        1,
    );
    let series =
        (0..MOST_SERIES).map(|index| (series_color(index), format!("series-{}", index + 1)));
    let named = VARIABLES.iter().map(|(color, name)| (*color, (*name).to_owned()));
    for (RGBColor(red, green, blue), name) in named.chain(series) {
        // Quotes in texts are escaped, so that this is found in attributes only.
        let fixed = format!("=\"#{red:02X}{green:02X}{blue:02X}\"");
        svg = svg.replace(&fixed, &format!("=\"var(--{name})\""));
    }
    Chart {
        title: title.to_owned(),
        description: description.to_owned(),
        svg,
        legend: legend.iter().map(|name| (*name).to_owned()).collect(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}
