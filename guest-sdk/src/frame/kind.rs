//! What pandas infers that the cells of a column are (`pandas.api.types.infer_dtype`): several operations ask for that
//! rather than for the column's type.

use super::{Cell, Column, Dtype, Objects, Values};

/// What the cells of a column are, in pandas' words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Empty,
    Integer,
    IntegerWithMissing,
    Floating,
    /// Integers and floats.
    IntegerAndFloat,
    Boolean,
    String,
    /// Integers and something else than floats.
    MixedWithInteger,
    Mixed,
}

/// Whether a NaN among the cells counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// It is passed over: `skipna=True`.
    Skipped,
    /// It is a float: `skipna=False`.
    Counted,
}

impl Column {
    /// What the cells are.
    pub(super) fn kind(&self, missing: Missing) -> Kind {
        match (self.values(), self.dtype()) {
            (Values::Object(objects), _) => kind_of_objects(objects, missing),
            (_, Dtype::Float64) => Kind::Floating,
            (_, Dtype::Bool) => Kind::Boolean,
            _ => Kind::Integer,
        }
    }
}

fn kind_of_objects(objects: &Objects, missing: Missing) -> Kind {
    let (mut nans, mut bools, mut integers, mut floats, mut texts) = (0, 0, 0, 0, 0);
    let mut first = None;
    for cell in objects.iter() {
        let count = match cell {
            cell if cell.is_missing() => {
                nans += 1;
                continue;
            }
            Cell::Bool(_) => &mut bools,
            Cell::Int(_) | Cell::UInt(_) => &mut integers,
            Cell::Text(_) => &mut texts,
            _ => &mut floats,
        };
        *count += 1;
        first.get_or_insert(cell);
    }
    if missing == Missing::Skipped {
        nans = 0;
    }
    let all = nans + bools + integers + floats + texts;
    // The first value that is not missing says what the column might be; what it is not then is mixed.
    let uniform = match first {
        None if all == 0 => Some(Kind::Empty),
        None => Some(Kind::Floating),
        Some(Cell::Bool(_)) => (bools == all).then_some(Kind::Boolean),
        Some(Cell::Text(_)) => (texts == all).then_some(Kind::String),
        Some(_) if integers == all => Some(Kind::Integer),
        Some(_) if floats + nans == all => Some(Kind::Floating),
        Some(_) if integers + nans == all => Some(Kind::IntegerWithMissing),
        Some(_) if integers + floats + nans == all => Some(Kind::IntegerAndFloat),
        Some(_) => None,
    };
    match uniform {
        Some(kind) => kind,
        None if integers > 0 => Kind::MixedWithInteger,
        None => Kind::Mixed,
    }
}
