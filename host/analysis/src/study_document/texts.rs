//! How numbers and charts of a study are put into words.

use crate::charts::{Bar, Series};
use crate::grading::Metric;
use crate::statistics::Estimate;
use crate::study::{Aggregated, Group};

/// The aggregate over all competitions of a group.
pub(crate) const WITH: fn(&Group) -> &Aggregated = |group| &group.all;
/// The aggregate over those without known issues.
pub(crate) const WITHOUT: fn(&Group) -> &Aggregated = |group| &group.without_known_issues;

/// The number of seeds and all percentages.
pub(crate) fn cells(aggregated: &Aggregated) -> Vec<String> {
    let Some(aggregate) = aggregated.aggregate() else {
        return vec![dash(); Metric::ALL.len() + 1];
    };
    let padded = if aggregate.padded_runs > 0 { " (padded)" } else { "" };
    let mut cells = vec![format!("{}{padded}", aggregate.seeds.len())];
    cells.extend(
        Metric::ALL.iter().map(|metric| aggregate.estimate(*metric).map_or(dash(), plus_minus)),
    );
    cells
}

pub(crate) fn plus_minus(estimate: &Estimate) -> String {
    let error = estimate.standard_error.map_or(dash(), |error| format!("{error:.2}"));
    format!("{:.2} ± {error}", estimate.mean)
}

pub(crate) fn any_medal(aggregated: &Aggregated) -> Option<(f64, Option<f64>)> {
    let estimate = aggregated.aggregate()?.estimate(Metric::AnyMedal)?;
    Some((estimate.mean, estimate.standard_error))
}

pub(crate) fn find<'a>(groups: &'a [Group], name: &str) -> Option<&'a Group> {
    groups.iter().find(|group| group.name == name)
}

pub(crate) fn dash() -> String {
    "–".to_owned()
}

pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Says where a chart shows some experiments only.
pub(crate) fn best(shown: usize, all: usize) -> String {
    if shown < all {
        format!(" (the best {shown} of {all}; the table has all)")
    } else {
        String::new()
    }
}

/// What bars show, in words: the highest and the lowest.
pub(crate) fn describe(bars: &[Bar]) -> String {
    let values = || {
        bars.iter().flat_map(|bar| {
            bar.values.iter().flatten().map(move |(value, _)| (bar.label.as_str(), *value))
        })
    };
    let highest = values().max_by(|left, right| left.1.total_cmp(&right.1));
    let lowest = values().min_by(|left, right| left.1.total_cmp(&right.1));
    match (highest, lowest) {
        (Some((high_name, high)), Some((low_name, low))) => format!(
            "Bars of {}, from {low:.1} % ({low_name}) to {high:.1} % ({high_name}). The tables hold all values.",
            counted(bars.len(), "experiment")
        ),
        _ => "No experiment has a result.".to_owned(),
    }
}

/// What lines show, in words: where each begins and ends.
pub(crate) fn describe_ends(series: &[Series]) -> String {
    let ends: Vec<String> = series
        .iter()
        .filter_map(|series| {
            let ((_, first), (_, last)) = (series.points.first()?, series.points.last()?);
            Some(format!("{} from {first:.1} % to {last:.1} %", series.name))
        })
        .collect();
    format!("Lines: {}. The tables hold all values.", ends.join("; "))
}
