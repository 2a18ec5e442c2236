//! Sums, means and quantiles with the roundings of numpy 1.26.4.
//!
//! A sum of floats depends on the order of the additions. numpy reduces an array in pieces of 8,192 elements (its
//! buffer), one after another; within a piece it adds pairwise: halves of more than 128 elements are split, and up to
//! 128 are added in eight interleaved sums (`numpy/core/src/umath/loops_utils.h.src`, `pairwise_sum`). That is what
//! reducing a one-dimensional array does, a column, a whole contiguous array of any shape, or an axis along which the
//! memory is contiguous. Reducing across the rows of an array that is laid out row by row adds the rows one after
//! another instead; a plain loop does that.

use std::ops::Range;

/// Elements that numpy reduces at a time.
const BUFFER: usize = 8192;
/// Elements that are added without splitting.
const BLOCK: usize = 128;

/// `numpy.sum` of an array; 0 of none.
pub fn sum(values: &[f64]) -> f64 {
    sum_by(values.len(), |place| values[place])
}

/// `numpy.sum` of an array of which `value` gives the elements, so that it need not be kept; 0 of none.
pub fn sum_by(length: usize, value: impl Fn(usize) -> f64) -> f64 {
    let mut total = 0.0;
    let mut start = 0;
    while start < length {
        let piece = BUFFER.min(length - start);
        total += pairwise_sum(start, piece, &value);
        start += piece;
    }
    total
}

/// The pairwise sum of `length` elements from `start` on.
fn pairwise_sum(start: usize, length: usize, value: &impl Fn(usize) -> f64) -> f64 {
    if length < 8 {
        // numpy begins with -0.0 so that a sum of negative zeros stays one; what is added to 0.0 afterwards is the same.
        return (start..start + length).fold(-0.0, |total, place| total + value(place));
    }
    if length <= BLOCK {
        let mut sums: [f64; 8] = std::array::from_fn(|lane| value(start + lane));
        let whole = length - length % 8;
        for place in (start + 8..start + whole).step_by(8) {
            for (lane, sum) in sums.iter_mut().enumerate() {
                *sum += value(place + lane);
            }
        }
        let total = ((sums[0] + sums[1]) + (sums[2] + sums[3]))
            + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
        return (start + whole..start + length).fold(total, |total, place| total + value(place));
    }
    let half = length / 2;
    let half = half - half % 8;
    pairwise_sum(start, half, value) + pairwise_sum(start + half, length - half, value)
}

/// `numpy.mean` of an array, and `numpy.average` without weights; NaN of none.
pub fn mean(values: &[f64]) -> f64 {
    mean_by(values.len(), |place| values[place])
}

/// `numpy.mean` of an array of which `value` gives the elements; NaN of none.
///
/// For integers and truth values, `value` converts each to a float, as numpy does.
pub fn mean_by(length: usize, value: impl Fn(usize) -> f64) -> f64 {
    sum_by(length, value) / length as f64
}

/// `numpy.mean` of an array of which `fill` writes pieces, one after another, so that it need not be kept: it is given the
/// places in the array and as many elements. NaN of none.
pub fn mean_by_pieces(length: usize, mut fill: impl FnMut(Range<usize>, &mut [f64])) -> f64 {
    let mut piece = vec![0.0; BUFFER.min(length)];
    let mut total = 0.0;
    for start in (0..length).step_by(BUFFER) {
        let places = start..length.min(start + BUFFER);
        let piece = &mut piece[..places.len()];
        fill(places, piece);
        total += pairwise_sum(0, piece.len(), &|place| piece[place]);
    }
    total / length as f64
}

/// `numpy.nanmean` of an array: the mean of what is not NaN; NaN where nothing is left.
///
/// numpy puts 0 in the place of each NaN and divides by the count of the others; the order of additions is that of the
/// whole array.
pub fn mean_ignoring_nan(values: &[f64]) -> f64 {
    let count = values.iter().filter(|value| !value.is_nan()).count();
    let total =
        sum_by(values.len(), |place| if values[place].is_nan() { 0.0 } else { values[place] });
    total / count as f64
}

/// `numpy.average(values, weights=weights)`: `None` where the weights add up to 0, which numpy refuses.
///
/// # Panics
/// Where there are not as many weights as values.
pub fn weighted_mean(values: &[f64], weights: &[f64]) -> Option<f64> {
    assert_eq!(values.len(), weights.len(), "one weight a value");
    let scale = sum(weights);
    (scale != 0.0).then(|| sum_by(values.len(), |place| values[place] * weights[place]) / scale)
}

/// `DataFrame.sum(axis=1)` of columns of floats: each row's sum, missing values skipped.
///
/// pandas lays a table out column by column and adds the columns one after another. To skip missing values it copies
/// the table, and the copy lies row by row, so that rows are added pairwise then.
///
/// # Panics
/// Where the columns differ in length.
pub fn row_sums<C: AsRef<[f64]>>(columns: &[C]) -> Vec<f64> {
    let rows = columns.first().map_or(0, |column| column.as_ref().len());
    assert!(columns.iter().all(|column| column.as_ref().len() == rows), "columns of one length");
    if columns.iter().any(|column| column.as_ref().iter().any(|value| value.is_nan())) {
        let value = |row: usize, column: usize| {
            let value = columns[column].as_ref()[row];
            if value.is_nan() { 0.0 } else { value }
        };
        return (0..rows).map(|row| sum_by(columns.len(), |column| value(row, column))).collect();
    }
    let mut sums = vec![0.0; rows];
    for column in columns {
        for (sum, value) in sums.iter_mut().zip(column.as_ref()) {
            *sum += value;
        }
    }
    sums
}

/// `numpy.isclose(value, target, atol=absolute)`: the relative tolerance of 10⁻⁵ of the target is added to the absolute
/// one. NaN is close to nothing, an infinity to itself alone.
pub fn is_close(value: f64, target: f64, absolute: f64) -> bool {
    const RELATIVE: f64 = 1e-5;
    if !value.is_finite() || !target.is_finite() {
        return value == target;
    }
    (value - target).abs() <= absolute + RELATIVE * target.abs()
}

/// `numpy.quantile(values, fraction)` with linear interpolation, for a fraction between 0 and 1; `numpy.percentile`
/// is this at a hundredth. NaN of none, and where any value is NaN.
///
/// The interpolation is numpy's `_lerp`: from the upper end in the upper half, so that it is monotone.
pub fn quantile(values: &[f64], fraction: f64) -> f64 {
    if values.is_empty() || values.iter().any(|value| value.is_nan()) {
        return f64::NAN;
    }
    let mut values = values.to_vec();
    let last = values.len() - 1;
    let place = last as f64 * fraction;
    let below = place.floor().clamp(0.0, last as f64);
    let place_below = below as usize;
    let place_above = (place_below + 1).min(last);
    let (_, lower, above) = values.select_nth_unstable_by(place_below, f64::total_cmp);
    let lower = *lower;
    let upper = if place_above == place_below {
        lower
    } else {
        above.iter().copied().min_by(f64::total_cmp).expect("there is a value above")
    };
    let weight = place - below;
    let difference = upper - lower;
    if weight >= 0.5 { upper - difference * (1.0 - weight) } else { lower + difference * weight }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sums_in_numpys_order() {
        // `numpy.sum(numpy.sqrt(numpy.arange(n)) * 1e-3 + 1e10 * (numpy.arange(n) % 7 == 0))`, numpy 1.26.4.
        for (length, expected) in SUMS {
            let values: Vec<f64> = (0..length)
                .map(|place| (place as f64).sqrt() * 1e-3 + if place % 7 == 0 { 1e10 } else { 0.0 })
                .collect();
            assert_eq!(sum(&values).to_bits(), expected, "{length} values");
            let in_pieces = mean_by_pieces(length, |places, piece| {
                piece.copy_from_slice(&values[places]);
            });
            assert_eq!(in_pieces.to_bits(), mean(&values).to_bits(), "{length} values");
        }
    }

    const ROW_SUMS: [(f64, [f64; 3]); 2] = [
        (1.0, [1311090.0826359466, 1605750.8546407502, 1854161.3763566175]),
        (f64::NAN, [1311088.6684223842, 1605750.8546407502, 1854161.3763566175]),
    ];

    const SUMS: [(usize, u64); 19] = [
        (0, 0x0),
        (1, 0x4202a05f20000000),
        (7, 0x4202a05f2000162e),
        (8, 0x4212a05f20000dcd),
        (9, 0x4212a05f200010b2),
        (15, 0x421bf08eb0002578),
        (16, 0x421bf08eb0002971),
        (127, 0x42461e70f6007961),
        (128, 0x42461e70f6007ad3),
        (129, 0x42461e70f6007c46),
        (136, 0x42474876e8008691),
        (137, 0x42474876e800880f),
        (1000, 0x4274cf2a45c1510e),
        (1001, 0x4274cf2a45c1518f),
        (8191, 0x42a54ce4c7dbdc56),
        (8192, 0x42a54ce4c7dbdc84),
        (8193, 0x42a54ce4c7dbdcb2),
        (16385, 0x42b54a90bbf9762a),
        (50000, 0x42d03dc5f1b6475c),
    ];

    #[test]
    fn nothing_has_no_mean() {
        assert_eq!(sum(&[]).to_bits(), 0.0_f64.to_bits());
        assert!(mean(&[]).is_nan());
        assert!(mean_ignoring_nan(&[f64::NAN]).is_nan());
        assert!(quantile(&[], 0.5).is_nan());
        assert_eq!(weighted_mean(&[1.0, 2.0], &[0.0, 0.0]), None);
    }

    #[test]
    fn rows_add_up_as_in_pandas() {
        // 120 columns of `numpy.sqrt(numpy.arange(3) + 2) * 1.1 ** column`, with and without a missing value in the first
        // row: pandas 2.2.3, `sum(axis=1)`.
        let columns = |first: f64| -> Vec<Vec<f64>> {
            let mut columns: Vec<Vec<f64>> = (0..120)
                .map(|column| {
                    (0..3).map(|row| f64::from(row + 2).sqrt() * 1.1_f64.powi(column)).collect()
                })
                .collect();
            columns[0][0] *= first;
            columns
        };
        for (first, expected) in ROW_SUMS {
            let found = row_sums(&columns(first));
            // The powers are not those of the C library to the last digit.
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() <= 1e-12 * expected, "{found} is not {expected}");
            }
        }
        assert_eq!(row_sums::<Vec<f64>>(&[]), Vec::<f64>::new());
    }

    #[test]
    fn rows_are_added_column_by_column_unless_a_value_is_missing() {
        // Twenty columns: one huge, then ones that are lost one at a time, but not in eight sums of their own.
        let mut columns = vec![vec![1.0, 1.0]; 20];
        columns[0] = vec![1e16, 1.0];
        assert_eq!(row_sums(&columns), [1e16, 20.0]);
        columns[19][1] = f64::NAN;
        assert_eq!(row_sums(&columns), [1e16 + 16.0, 19.0]);
    }

    #[test]
    fn closeness_is_numpys() {
        for (value, expected) in [
            (1.0, true),
            (1.000011, true),
            (1.0000111, false),
            (0.999989, true),
            (0.9999889, false),
            (f64::NAN, false),
            (f64::INFINITY, false),
        ] {
            assert_eq!(is_close(value, 1.0, 1e-6), expected, "{value}");
        }
        assert!(is_close(f64::INFINITY, f64::INFINITY, 0.0));
    }

    #[test]
    fn quantiles_interpolate() {
        // numpy.quantile of numpy 1.26.4.
        let values = [3.0, 0.1, 7.5, -2.0, 0.7];
        for (fraction, expected) in [
            (0.0, -2.0),
            (0.5, 0.7),
            (0.95, 6.6),
            (1.0, 7.5),
            (0.25, 0.1),
            (0.1, -1.16),
            (0.3, 0.21999999999999997),
        ] {
            assert_eq!(quantile(&values, fraction), expected, "at {fraction}");
        }
        assert!(quantile(&[1.0, f64::NAN], 0.0).is_nan());
        assert_eq!(quantile(&[4.0], 0.95), 4.0);
    }

    proptest! {
        #[test]
        fn sums_are_close_to_the_plain_sum(values in prop::collection::vec(-1e6..1e6_f64, 0..20_000)) {
            let plain: f64 = values.iter().sum();
            prop_assert!((sum(&values) - plain).abs() <= 1e-3);
        }

        #[test]
        fn whole_numbers_add_up_exactly(values in prop::collection::vec(-1000..1000_i32, 0..20_000)) {
            let expected: i64 = values.iter().map(|value| i64::from(*value)).sum();
            prop_assert_eq!(sum_by(values.len(), |place| f64::from(values[place])), expected as f64);
        }

        #[test]
        fn quantiles_lie_within(values in prop::collection::vec(-1e3..1e3_f64, 1..50), fraction in 0.0..=1.0) {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let found = quantile(&values, fraction);
            prop_assert!(low <= found && found <= high);
        }
    }
}
