//! Comparing two columns element by element, as numpy, Python lists and pandas' `equals` do.

use std::cmp::Ordering;

use super::{Cell, Column, Role, Values};
use crate::failure::Failure;

impl Column {
    /// The first row where `(a.values != b.values)` holds: numbers after numpy's promotion (int64 or uint64 against
    /// float64 as floats), object cells by Python's `!=` (a missing value differs from everything).
    ///
    /// # Panics
    /// Where the columns differ in length (in numpy: an error, unless one has a single row).
    pub fn first_difference(&self, other: &Column) -> Option<usize> {
        assert_eq!(self.len(), other.len(), "columns of one length are compared");
        self.first_row_unlike(other, |left, right| left.equals(right))
    }

    /// As [`Column::first_difference`], for columns whose lengths nothing has compared: where one of them has a single
    /// row, numpy holds that against every row of the other.
    ///
    /// # Errors
    /// Where the lengths differ and neither is one, which is an error in numpy; the submission is at fault if one of
    /// the columns is its.
    pub fn first_difference_broadcast(&self, other: &Column) -> Result<Option<usize>, Failure> {
        match (self.len(), other.len()) {
            (left, right) if left == right => Ok(self.first_difference(other)),
            (1, right) => Ok(self.take(&vec![0; right]).first_difference(other)),
            (left, 1) => Ok(self.first_difference(&other.take(&vec![0; left]))),
            _ => {
                let (at_fault, expected) =
                    if self.role() == Role::Submission { (self, other) } else { (other, self) };
                let (found, expected) = (at_fault.len(), expected.len());
                Err(at_fault.failure(format_args!("expected {expected} rows, found {found}")))
            }
        }
    }

    /// The first row outside of the bounds, both of which are inside: where `series.between(low, high)` does not hold.
    /// A missing value is outside.
    ///
    /// # Errors
    /// Where a value is text, which Python does not compare with a number.
    pub fn first_outside(&self, low: f64, high: f64) -> Result<Option<usize>, Failure> {
        if let Some(row) = self.cells().position(|cell| cell.text().is_some()) {
            return Err(self.not_convertible(row, "a number"));
        }
        let outside = |cell: Cell<'_>| {
            cell.is_missing()
                || cell.python_cmp(Cell::Float(low)) == Some(Ordering::Less)
                || cell.python_cmp(Cell::Float(high)) == Some(Ordering::Greater)
        };
        Ok(self.cells().position(outside))
    }

    /// Whether `a.tolist() == b.tolist()`: the same length, and values equal as in Python lists, where the one object
    /// `numpy.nan` of object columns equals itself, but a NaN of a float column does not.
    pub fn same_list(&self, other: &Column) -> bool {
        if self.len() != other.len() {
            return false;
        }
        match (self.values(), other.values()) {
            // Lists hold Python integers and floats, which are compared without rounding either.
            (Values::Object(_), Values::Object(_)) => {
                self.first_row_unlike(other, |left, right| left.is_or_equals(right)).is_none()
            }
            (Values::Float64(_), Values::Int64(_) | Values::UInt64(_))
            | (Values::Int64(_) | Values::UInt64(_), Values::Float64(_)) => {
                self.cells().zip(other.cells()).all(|(left, right)| left.equals(right))
            }
            _ => self.first_row_unlike(other, |left, right| left.equals(right)).is_none(),
        }
    }

    /// Whether `a.equals(b)` as pandas says: the same type, the same length, equal values or both missing.
    pub fn equals(&self, other: &Column) -> bool {
        if self.dtype() != other.dtype() || self.len() != other.len() {
            return false;
        }
        let same = |left: Cell<'_>, right: Cell<'_>| {
            left.equals(right) || (left.is_missing() && right.is_missing())
        };
        match (self.values(), other.values()) {
            (Values::Float64(left), Values::Float64(right)) => left
                .iter()
                .zip(right)
                .all(|(left, right)| left == right || (left.is_nan() && right.is_nan())),
            _ => self.first_row_unlike(other, same).is_none(),
        }
    }

    /// The first row where the columns differ by numpy's promotion, or, of object columns, by `same`.
    fn first_row_unlike(
        &self,
        other: &Column,
        same: impl Fn(Cell<'_>, Cell<'_>) -> bool,
    ) -> Option<usize> {
        fn unlike<L, R>(left: &[L], right: &[R], same: impl Fn(&L, &R) -> bool) -> Option<usize> {
            left.iter().zip(right).position(|(left, right)| !same(left, right))
        }
        match (self.values(), other.values()) {
            (Values::Int64(left), Values::Int64(right)) => {
                unlike(left, right, |left, right| left == right)
            }
            (Values::UInt64(left), Values::UInt64(right)) => {
                unlike(left, right, |left, right| left == right)
            }
            (Values::Float64(left), Values::Float64(right)) => {
                unlike(left, right, |left, right| left == right)
            }
            (Values::Bool(left), Values::Bool(right)) => {
                unlike(left, right, |left, right| left == right)
            }
            (Values::Int64(left), Values::Float64(right)) => {
                unlike(left, right, |left, right| *left as f64 == *right)
            }
            (Values::Float64(left), Values::Int64(right)) => {
                unlike(left, right, |left, right| *left == *right as f64)
            }
            (Values::UInt64(left), Values::Float64(right)) => {
                unlike(left, right, |left, right| *left as f64 == *right)
            }
            (Values::Float64(left), Values::UInt64(right)) => {
                unlike(left, right, |left, right| *left == *right as f64)
            }
            // All that is left is exact in numpy as well: int64 with uint64, truth values with numbers, objects.
            _ => self.cells().zip(other.cells()).position(|(left, right)| !same(left, right)),
        }
    }
}
