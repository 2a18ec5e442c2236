//! Python's rules for text: splitting, stripping, lowering, and numbers from and to text.
//!
//! All of it is as CPython 3.11 does it (Unicode 14), character by character.

mod decimal;
mod float;
mod integer;
mod lower;
mod quick;
mod repr;
mod round;
mod whitespace;
mod words;

pub use float::python_float;
pub use integer::{Integer, IntegerError, python_int};
pub use lower::python_lower;
pub(crate) use quick::{QuickText, TextEnds, TextSlots, TextTable};
pub use repr::python_float_repr;
pub use round::{numpy_round, python_round};
pub use whitespace::{is_python_space, python_split, python_strip};
pub(crate) use words::between_spaces;
pub use words::for_each_word;
