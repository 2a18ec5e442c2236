//! Columns of numbers as scikit-learn's `check_array(…, dtype="numeric")` lets them through: regression, scores.

use std::borrow::Cow;

use crate::failure::Failure;
use crate::frame::{Column, Role, Values};

/// The values of a column, none of them NaN or infinite.
#[derive(Debug, Clone)]
pub(super) enum Numbers<'a> {
    /// int64.
    Int64(&'a [i64]),
    /// uint64.
    UInt64(&'a [u64]),
    /// float64, or objects converted to it.
    Float64(Cow<'a, [f64]>),
    /// bool.
    Bool(&'a [bool]),
}

impl<'a> Numbers<'a> {
    /// The column's values, objects converted by Python's `float()`.
    ///
    /// # Errors
    /// Where the column is empty, a text is no number, or a value is missing or infinite.
    pub(super) fn finite(column: &'a Column) -> Result<Numbers<'a>, Failure> {
        if column.is_empty() {
            return Err(column.failure("there are no rows to score"));
        }
        Ok(match column.values() {
            Values::Int64(values) => Numbers::Int64(values),
            Values::UInt64(values) => Numbers::UInt64(values),
            Values::Bool(values) => Numbers::Bool(values),
            Values::Float64(_) | Values::Object(_) => {
                let values = column.to_f64()?;
                require_finite(column, &values)?;
                Numbers::Float64(values)
            }
        })
    }

    /// The values as floats.
    pub(super) fn to_f64(&self) -> Cow<'_, [f64]> {
        match self {
            Numbers::Float64(values) => Cow::Borrowed(values),
            others => others.clone().into_f64(),
        }
    }

    /// The values as floats, borrowed from the column where they are floats there.
    pub(super) fn into_f64(self) -> Cow<'a, [f64]> {
        match self {
            Numbers::Int64(values) => values.iter().map(|value| *value as f64).collect(),
            Numbers::UInt64(values) => values.iter().map(|value| *value as f64).collect(),
            Numbers::Float64(values) => values,
            Numbers::Bool(values) => {
                values.iter().map(|value| f64::from(u8::from(*value))).collect()
            }
        }
    }
}

/// Succeeds where every value is a finite number, as the metrics of numbers ask for it.
///
/// For graders that leave rows out by their labels: a message that named the first bad cell of the rows that are left
/// would tell which rows these are, so they look for the first in the file.
///
/// # Errors
/// Names the first row that holds a text that is no number, or a missing or infinite value.
pub fn require_finite_numbers(column: &Column) -> Result<(), Failure> {
    require_finite(column, &column.to_f64()?)
}

/// Succeeds where no value is NaN or infinite; `values` are the column's.
pub(super) fn require_finite(column: &Column, values: &[f64]) -> Result<(), Failure> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(row) => Err(column.unexpected(row, "a finite number")),
    }
}

/// Succeeds where both columns have as many rows.
pub(super) fn require_same_length(left: &Column, right: &Column) -> Result<(), Failure> {
    if left.len() == right.len() {
        return Ok(());
    }
    let (column, other) = submitted_first(left, right);
    Err(column.failure(format_args!("expected {} rows, found {}", other.len(), column.len())))
}

/// The two columns, that of the submission first: whose fault it is that they do not fit each other.
pub(super) fn submitted_first<'a>(left: &'a Column, right: &'a Column) -> (&'a Column, &'a Column) {
    if left.role() == Role::Submission { (left, right) } else { (right, left) }
}
