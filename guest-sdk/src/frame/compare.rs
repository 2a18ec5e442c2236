//! Comparing two columns element by element, as numpy, Python lists and pandas' `equals` do.

use super::{Cell, Column, Values};

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
