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
        if let Values::Float64(values) = self.values() {
            return Ok(values.iter().position(|value| !(low..=high).contains(value)));
        }
        self.first_number_where(|cell| {
            cell.is_missing()
                || cell.python_cmp(Cell::Float(low)) == Some(Ordering::Less)
                || cell.python_cmp(Cell::Float(high)) == Some(Ordering::Greater)
        })
    }

    /// The first row where `series < bound` holds. A missing value is not below.
    ///
    /// # Errors
    /// As [`Column::first_outside`].
    pub fn first_below(&self, bound: f64) -> Result<Option<usize>, Failure> {
        self.first_number_where(|cell| cell.python_cmp(Cell::Float(bound)) == Some(Ordering::Less))
    }

    /// The first row where `series > bound` holds. A missing value is not above.
    ///
    /// # Errors
    /// As [`Column::first_outside`].
    pub fn first_above(&self, bound: f64) -> Result<Option<usize>, Failure> {
        self.first_number_where(|cell| {
            cell.python_cmp(Cell::Float(bound)) == Some(Ordering::Greater)
        })
    }

    fn first_number_where(
        &self,
        holds: impl Fn(Cell<'_>) -> bool,
    ) -> Result<Option<usize>, Failure> {
        match self.cause_of_text() {
            Some(row) => Err(self.unexpected(row, "a number")),
            None => Ok(self.cells().position(holds)),
        }
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

    /// For each row, whether Python's `==` holds between the cells of two columns of objects; `None` for other columns.
    pub(crate) fn equal_objects<'a>(
        &'a self,
        other: &'a Column,
    ) -> Option<impl ExactSizeIterator<Item = bool> + 'a> {
        match (self.values(), other.values()) {
            (Values::Object(left), Values::Object(right)) => {
                Some(left.equal_rows(right, |left, right| left.equals(right)))
            }
            _ => None,
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
            (Values::Object(left), Values::Object(right)) => {
                left.equal_rows(right, same).position(|equal| !equal)
            }
            // All that is left is exact in numpy as well: int64 with uint64, truth values with numbers, objects with others.
            _ => self.cells().zip(other.cells()).position(|(left, right)| !same(left, right)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Objects;
    use super::*;

    fn column(values: Values) -> Column {
        Column::new("x", Role::Submission, values)
    }

    fn objects(cells: &[Cell<'_>]) -> Values {
        Values::Object(cells.iter().copied().collect::<Objects>())
    }

    #[test]
    fn differences_are_numpys() {
        let large = (1_i64 << 53) + 1;
        // Recorded from numpy 1.26.4: the first place where left != right.
        let cases = [
            (Values::Int64(vec![1, 2]), Values::Int64(vec![1, 3]), Some(1)),
            (Values::Int64(vec![large]), Values::Float64(vec![9_007_199_254_740_992.0]), None),
            (objects(&[Cell::Int(large)]), Values::Float64(vec![9_007_199_254_740_992.0]), Some(0)),
            (Values::Int64(vec![-1]), Values::UInt64(vec![u64::MAX]), Some(0)),
            (Values::Int64(vec![i64::MAX]), Values::UInt64(vec![1 << 63]), Some(0)),
            (Values::Bool(vec![true, false]), Values::Float64(vec![1.0, 0.0]), None),
            (Values::Float64(vec![f64::NAN]), Values::Float64(vec![f64::NAN]), Some(0)),
            (objects(&[Cell::Missing]), objects(&[Cell::Missing]), Some(0)),
            (objects(&[Cell::Text("1")]), Values::Int64(vec![1]), Some(0)),
            (
                objects(&[Cell::Bool(true), Cell::Text("a")]),
                objects(&[Cell::Int(1), Cell::Text("b")]),
                Some(1),
            ),
            (objects(&[]), Values::Int64(vec![]), None),
        ];
        for (left, right, difference) in cases {
            let (left, right) = (column(left), column(right));
            assert_eq!(left.first_difference(&right), difference, "{left:?} != {right:?}");
            assert_eq!(right.first_difference(&left), difference, "{right:?} != {left:?}");
        }
    }

    #[test]
    fn one_row_is_held_against_all() {
        let one = column(Values::Int64(vec![1]));
        let many = column(Values::Int64(vec![1, 1, 2]));
        assert_eq!(one.first_difference_broadcast(&many), Ok(Some(2)));
        assert_eq!(many.first_difference_broadcast(&one), Ok(Some(2)));
        assert_eq!(one.first_difference_broadcast(&column(objects(&[]))), Ok(None));
        let two = column(Values::Int64(vec![1, 1]));
        let failure = two.first_difference_broadcast(&many).unwrap_err();
        assert_eq!(failure.to_string(), "invalid submission: column `x`: expected 3 rows, found 2");
    }

    #[test]
    fn lists_know_one_nan() {
        let missing = column(objects(&[Cell::Missing, Cell::Text("a")]));
        assert!(missing.same_list(&missing.clone()));
        assert!(!missing.same_list(&missing.take(&[0])));
        let floats = column(Values::Float64(vec![f64::NAN]));
        assert!(!floats.same_list(&floats.clone()));
        assert!(floats.equals(&floats.clone()));
        assert!(!column(Values::Int64(vec![1])).equals(&column(Values::Float64(vec![1.0]))));
        // Lists hold Python's numbers, which are compared exactly.
        let (integers, rounded) =
            (Values::Int64(vec![(1 << 53) + 1]), Values::Float64(vec![(1_i64 << 53) as f64]));
        assert!(!column(integers).same_list(&column(rounded)));
    }

    #[test]
    fn bounds_are_inside_and_missing_values_outside() {
        let values = column(Values::Float64(vec![0.0, 1.0, f64::NAN]));
        assert_eq!(values.first_outside(0.0, 1.0), Ok(Some(2)));
        assert_eq!(values.first_outside(0.5, 1.0), Ok(Some(0)));
        assert_eq!(values.first_below(0.0), Ok(None));
        assert_eq!(values.first_below(0.5), Ok(Some(0)));
        assert_eq!(values.first_above(0.5), Ok(Some(1)));
        assert_eq!(column(Values::Bool(vec![true, false])).first_outside(0.0, 1.0), Ok(None));
        let failure =
            column(objects(&[Cell::Int(1), Cell::Text("x")])).first_outside(0.0, 1.0).unwrap_err();
        assert_eq!(failure.message(), "column `x`, row 2: expected a number, found `x`");
    }
}
