//! Run-length encoded masks as run arithmetic.
//!
//! A mask is a set of pixels of one image, numbered along its rows or down its columns. It is kept as sorted, disjoint
//! runs, so that areas, intersections and unions cost time and memory by the number of runs, never by the number of
//! pixels: a slide of two billion pixels is as cheap as a thumbnail.
//!
//! - [`Mask`]: the set and its arithmetic ([`Mask::area`], [`Mask::intersection_area`], [`Mask::dice`], [`Mask::iou`] …);
//! - [`decode`] and [`Mask::encode`]: the text form `start length start length …`, 1-based;
//! - [`decode_cell`]: the mask in a cell of a column, with messages that say where it is wrong;
//! - [`Shape`]: which row and column a pixel's number stands for;
//! - [`Solid`]: a stack of masks, and [`hausdorff`], the distance between two of them.

mod cell;
mod decode;
mod mask;
mod shape;
mod solid;

pub use cell::{EmptyCell, decode_cell};
pub use decode::{DecodeError, decode};
pub use mask::{Mask, Run};
pub use shape::{Order, Shape};
pub use solid::{Solid, directed_hausdorff, hausdorff};
