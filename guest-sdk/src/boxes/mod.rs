//! Boxes, how much they overlap, and how well detections match the truth.
//!
//! - [`Rectangle`]: axis-parallel boxes in the plane;
//! - [`Cuboid`]: upright boxes in space that are turned about the vertical axis;
//! - [`precision`]: average precision of detections in order of confidence, over all recalls or over 101 of them;
//! - [`coco`]: matching and average precision as pycocotools evaluates detections.

pub mod coco;
mod cuboid;
pub mod precision;
mod quadrangle;
mod rectangle;

pub use cuboid::{Cuboid, CuboidError};
pub use rectangle::Rectangle;
