//! The distinct values of a column: Python's `set(series)`, and pandas' `isin`, `unique`, `duplicated`, `groupby`.

use std::marker::PhantomData;

use super::{Cell, Column};

/// The distinct values of a column as Python's `set(series)` holds them: numbers equal across types, each NaN of a
/// float column an element of its own, the missing cells of object columns one element.
#[derive(Debug, Clone)]
pub struct CellSet<'a>(PhantomData<&'a Column>);

impl<'a> CellSet<'a> {
    /// The number of distinct values.
    pub fn len(&self) -> usize {
        todo!()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the value is in the set.
    pub fn contains(&self, _cell: Cell<'_>) -> bool {
        todo!()
    }

    /// Whether each value of the other set is in this one.
    pub fn is_superset(&self, other: &CellSet<'_>) -> bool {
        other.is_subset(self)
    }

    /// Whether each value of this set is in the other one.
    pub fn is_subset(&self, _other: &CellSet<'_>) -> bool {
        todo!()
    }

    /// `self - other`: the rows of this set's column where a value that is not in the other set comes first, ascending.
    pub fn difference(&self, _other: &CellSet<'_>) -> Vec<usize> {
        todo!()
    }
}

impl PartialEq<CellSet<'_>> for CellSet<'_> {
    fn eq(&self, other: &CellSet<'_>) -> bool {
        self.len() == other.len() && self.is_subset(other)
    }
}

impl Column {
    /// Python's `set(series)`.
    pub fn set(&self) -> CellSet<'_> {
        todo!()
    }

    /// pandas' `a.isin(b)`: for each row, whether its value is among those of the other column. Missing values equal
    /// each other here.
    pub fn is_in(&self, _other: &Column) -> Vec<bool> {
        todo!()
    }

    /// pandas' `unique()`: the row where each distinct value comes first, ascending. Missing values count as one.
    pub fn unique(&self) -> Vec<u32> {
        todo!()
    }

    /// pandas' `duplicated()`: for each row, whether its value came in an earlier row. Missing values count as one.
    pub fn duplicated(&self) -> Vec<bool> {
        todo!()
    }
}
