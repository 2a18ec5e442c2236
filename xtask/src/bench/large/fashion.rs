//! H&M Personalized Fashion Recommendations: twelve articles for each of 1.4 million customers, of whom one in eighteen
//! has bought something.

use std::fmt::Write as _;

use anyhow::Result;

use super::Files;
use crate::bench::numbers::{Numbers, Shuffled};

const ARTICLES: u64 = 105_542;
const PREDICTIONS: u64 = 12;

pub(super) fn write(rows: u64, files: &mut Files<'_>) -> Result<()> {
    let mut buyers: Vec<(String, u64)> =
        (0..rows).filter(|row| buys(*row)).map(|row| (customer(row), row)).collect();
    buyers.sort_unstable();
    writeln!(files.answers, "customer_id,prediction")?;
    for (id, row) in buyers {
        writeln!(files.answers, "{id},{}", list(bought(row)))?;
    }
    writeln!(files.submission, "customer_id,prediction")?;
    for row in Shuffled::new(121, rows).iter() {
        let bought: Vec<u64> = if buys(row) { bought(row).collect() } else { Vec::new() };
        let mut numbers = Numbers::of_row(122, row);
        let predictions = (0..PREDICTIONS).map(|_| {
            let hit = !bought.is_empty() && numbers.chance(50);
            if hit {
                bought[numbers.below(bought.len() as u64) as usize]
            } else {
                article(&mut numbers)
            }
        });
        writeln!(files.submission, "{},{}", customer(row), list(predictions))?;
    }
    Ok(())
}

/// The id, 64 hexadecimal digits.
fn customer(row: u64) -> String {
    let mut numbers = Numbers::of_row(120, row);
    (0..4).fold(String::with_capacity(64), |mut id, _| {
        // Writing to a string does not fail.
        let _ = write!(id, "{:016x}", numbers.next());
        id
    })
}

fn buys(row: u64) -> bool {
    Numbers::of_row(123, row).below(18_293) < 1_000
}

fn bought(row: u64) -> impl Iterator<Item = u64> {
    let mut numbers = Numbers::of_row(124, row);
    (0..=numbers.skewed(9)).map(move |_| article(&mut numbers))
}

/// The number of an article, nine digits long.
fn article(numbers: &mut Numbers) -> u64 {
    let article = numbers.skewed(ARTICLES);
    108_775_000 + article * 8_027
}

fn list(articles: impl Iterator<Item = u64>) -> String {
    articles.map(|article| article.to_string()).collect::<Vec<_>>().join(" ")
}
