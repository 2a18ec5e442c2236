//! Competitions that look for regions of pictures, given as run-length encoded masks: HuBMAP, Vesuvius, Google Research's
//! contrails, TGS Salt.
//!
//! A mask is made of discs, one run for each line of pixels that a disc crosses. What a predictor without any sense for
//! regions gives, speckles all over the picture, is the heaviest that is seen in earnest.

use std::fmt::Write as _;

use anyhow::Result;

use super::Files;
use crate::bench::numbers::Numbers;

/// A picture, in the order in which the competition counts pixels: line after line.
#[derive(Clone, Copy)]
pub(super) struct Picture {
    pub(super) lines: u64,
    pub(super) pixels_of_line: u64,
}

/// First pixels, counted from zero, and lengths; ascending, and apart from each other.
pub(super) struct Runs(Vec<(u64, u64)>);

impl Runs {
    /// So many discs of about that radius, as far from where the numbers say as `shift` tells.
    pub(super) fn discs(
        picture: Picture,
        numbers: &mut Numbers,
        count: u64,
        radius: u64,
        shift: u64,
    ) -> Runs {
        let mut runs = Vec::new();
        for _ in 0..count {
            let radius = radius / 2 + numbers.below(radius) + shift;
            let line = numbers.below(picture.lines) + shift;
            let center = numbers.below(picture.pixels_of_line) + shift;
            for line_of_disc in line.saturating_sub(radius)..(line + radius + 1).min(picture.lines)
            {
                let away = line_of_disc.abs_diff(line);
                let half = ((radius * radius - away * away) as f64).sqrt() as u64;
                let from = center.saturating_sub(half);
                let to = (center + half + 1).min(picture.pixels_of_line);
                if from < to {
                    runs.push((line_of_disc * picture.pixels_of_line + from, to - from));
                }
            }
        }
        Runs::joined(runs)
    }

    /// Runs of one to a few pixels, each as far from the next as to make up so many in all.
    pub(super) fn speckles(picture: Picture, numbers: &mut Numbers, count: u64) -> Runs {
        let each = (picture.lines * picture.pixels_of_line / count).max(4);
        let run = |place: u64| {
            (place * each + numbers.below(each / 4), 1 + numbers.below((each / 2).min(6)))
        };
        Runs(
            (0..count)
                .map(run)
                .take_while(|(start, length)| start + length <= each * count)
                .collect(),
        )
    }

    fn joined(mut runs: Vec<(u64, u64)>) -> Runs {
        runs.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::with_capacity(runs.len());
        for (start, length) in runs {
            match joined.last_mut() {
                Some((before, so_long)) if start <= *before + *so_long => {
                    *so_long = (*so_long).max(start + length - *before);
                }
                _ => joined.push((start, length)),
            }
        }
        Runs(joined)
    }

    /// Pixels counted from one, as the competitions count them.
    pub(super) fn text(&self) -> String {
        let mut text = String::with_capacity(self.0.len() * 14);
        for (start, length) in &self.0 {
            // Writing to a string does not fail.
            let _ = write!(text, "{} {length} ", start + 1);
        }
        text.truncate(text.trim_end().len());
        text
    }
}

/// HuBMAP: three microscopic pictures of up to 2·10⁹ pixels with hundreds of glomeruli.
pub(super) fn kidneys(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write_kidneys(rows, files, |picture, row| {
        Runs::discs(picture, &mut Numbers::of_row(440, row), 300, 400, 9)
    })
}

/// HuBMAP with a million speckles in each picture.
pub(super) fn kidneys_heavy(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write_kidneys(rows, files, |picture, row| {
        Runs::speckles(picture, &mut Numbers::of_row(441, row), 1_000_000)
    })
}

fn write_kidneys(
    rows: u64,
    files: &mut Files<'_>,
    predict: impl Fn(Picture, u64) -> Runs,
) -> Result<()> {
    const PICTURE: Picture = Picture { lines: 50_680, pixels_of_line: 39_960 };
    let id = |row: u64| format!("{:09x}", 0x4_8000_0000 + row * 0x1234_5678);
    writeln!(files.answers, "id,encoding,width_pixels,height_pixels")?;
    for row in 0..rows {
        let truth = Runs::discs(PICTURE, &mut Numbers::of_row(440, row), 300, 400, 0).text();
        // Pixels are counted column by column.
        let Picture { lines: width, pixels_of_line: height } = PICTURE;
        writeln!(files.answers, "{},{truth},{width},{height}", id(row))?;
    }
    writeln!(files.submission, "id,predicted")?;
    for row in (0..rows).rev() {
        writeln!(files.submission, "{},{}", id(row), predict(PICTURE, row).text())?;
    }
    Ok(())
}

/// Vesuvius: one fragment of papyrus with the ink on it.
pub(super) fn papyrus(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write_papyrus(rows, files, |picture, row| {
        Runs::discs(picture, &mut Numbers::of_row(442, row), 900, 60, 7)
    })
}

/// Vesuvius with three million speckles.
pub(super) fn papyrus_heavy(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write_papyrus(rows, files, |picture, row| {
        Runs::speckles(picture, &mut Numbers::of_row(443, row), 3_000_000)
    })
}

fn write_papyrus(
    rows: u64,
    files: &mut Files<'_>,
    predict: impl Fn(Picture, u64) -> Runs,
) -> Result<()> {
    const PICTURE: Picture = Picture { lines: 7_606, pixels_of_line: 5_249 };
    let id = |row: u64| char::from(b'a' + row as u8);
    writeln!(files.answers, "Id,Predicted,width,height")?;
    writeln!(files.submission, "Id,Predicted")?;
    for row in 0..rows {
        let truth = Runs::discs(PICTURE, &mut Numbers::of_row(442, row), 900, 60, 0).text();
        let Picture { lines: height, pixels_of_line: width } = PICTURE;
        writeln!(files.answers, "{},{truth},{width},{height}", id(row))?;
        writeln!(files.submission, "{},{}", id(row), predict(PICTURE, row).text())?;
    }
    Ok(())
}

/// Contrails: satellite pictures, every other of which shows some.
pub(super) fn contrails(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write_contrails(rows, files, |row| match has_contrails(row) {
        true => Runs::discs(SATELLITE, &mut Numbers::of_row(444, row), 6, 12, 2).text(),
        false => "-".to_owned(),
    })
}

/// Contrails with 4,000 speckles in each picture.
pub(super) fn contrails_heavy(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write_contrails(rows, files, |row| {
        Runs::speckles(SATELLITE, &mut Numbers::of_row(445, row), 4_000).text()
    })
}

const SATELLITE: Picture = Picture { lines: 256, pixels_of_line: 256 };

fn has_contrails(row: u64) -> bool {
    row.is_multiple_of(2)
}

fn write_contrails(
    rows: u64,
    files: &mut Files<'_>,
    predict: impl Fn(u64) -> String,
) -> Result<()> {
    let id = |row: u64| 1_000_216_489_776_414_077 + row * 4_321_987_654_321;
    writeln!(files.answers, "record_id,encoded_pixels,height,width")?;
    writeln!(files.submission, "record_id,encoded_pixels")?;
    for row in 0..rows {
        let truth = match has_contrails(row) {
            true => Runs::discs(SATELLITE, &mut Numbers::of_row(444, row), 6, 12, 0).text(),
            false => "-".to_owned(),
        };
        writeln!(files.answers, "{},{truth},256,256", id(row))?;
        writeln!(files.submission, "{},{}", id(row), predict(row))?;
    }
    Ok(())
}

/// TGS Salt: seismic pictures, three of five with salt in them.
pub(super) fn salt(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write_salt(rows, files, |row| salt_of(row, 2))
}

/// TGS Salt with 2,500 speckles in each picture.
pub(super) fn salt_heavy(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write_salt(rows, files, |row| {
        Runs::speckles(SEISMIC, &mut Numbers::of_row(447, row), 2_500).text()
    })
}

const SEISMIC: Picture = Picture { lines: 101, pixels_of_line: 101 };

fn salt_of(row: u64, shift: u64) -> String {
    match row % 5 {
        0 | 1 => String::new(),
        _ => Runs::discs(SEISMIC, &mut Numbers::of_row(446, row), 2, 40, shift).text(),
    }
}

fn write_salt(rows: u64, files: &mut Files<'_>, predict: impl Fn(u64) -> String) -> Result<()> {
    let id = |row: u64| format!("{:010x}", (0x27_d286_394d + row * 0x1_2345_6789) & 0xff_ffff_ffff);
    writeln!(files.answers, "id,rle_mask")?;
    writeln!(files.submission, "id,rle_mask")?;
    for row in 0..rows {
        writeln!(files.answers, "{},{}", id(row), salt_of(row, 0))?;
        writeln!(files.submission, "{},{}", id(row), predict(row))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_ascend_and_stay_in_the_picture() {
        let picture = Picture { lines: 60, pixels_of_line: 50 };
        for seed in 0..40 {
            let numbers = || Numbers::new(seed);
            for Runs(runs) in [
                Runs::discs(picture, &mut numbers(), 5, 12, 0),
                Runs::discs(picture, &mut numbers(), 5, 12, 3),
                Runs::speckles(picture, &mut numbers(), 500),
            ] {
                assert!(!runs.is_empty());
                assert!(
                    runs.windows(2).all(|pair| pair[0].0 + pair[0].1 < pair[1].0 + 1),
                    "{runs:?}"
                );
                let (start, length) = runs[runs.len() - 1];
                assert!(start + length <= 3_000, "{start} {length}");
            }
        }
        let Runs(runs) = Runs::speckles(picture, &mut Numbers::new(1), 500);
        assert_eq!(runs.len(), 500);
    }

    #[test]
    fn discs_are_found_again_where_they_are_shifted() {
        let picture = Picture { lines: 1_000, pixels_of_line: 1_000 };
        let area = |runs: &Runs| runs.0.iter().map(|(_, length)| length).sum::<u64>();
        let truth = Runs::discs(picture, &mut Numbers::new(5), 4, 60, 0);
        let shifted = Runs::discs(picture, &mut Numbers::new(5), 4, 60, 3);
        assert!(area(&truth) > 4_000, "{}", area(&truth));
        let both = Runs::joined(truth.0.iter().chain(&shifted.0).copied().collect());
        let common = area(&truth) + area(&shifted) - area(&both);
        assert!(common * 10 > area(&truth) * 7, "{common} of {}", area(&truth));
        assert_eq!(Runs(vec![(0, 3), (10, 1)]).text(), "1 3 11 1");
    }
}
