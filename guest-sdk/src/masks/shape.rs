//! Which row and column of an image a pixel's number stands for.

use super::{Mask, Run};

/// How the pixels of an image are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// Down the first column, then down the second: numpy's `order="F"`, and what most competitions use.
    ColumnMajor,
    /// Along the first row, then along the second: numpy's `order="C"`.
    RowMajor,
}

/// The size of an image and the order of its pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The number of rows.
    pub height: u64,
    /// The number of columns.
    pub width: u64,
    /// How the pixels are numbered.
    pub order: Order,
}

impl Shape {
    /// An image of that size whose pixels are numbered down the columns.
    pub fn column_major(height: u64, width: u64) -> Shape {
        Shape { height, width, order: Order::ColumnMajor }
    }

    /// An image of that size whose pixels are numbered along the rows.
    pub fn row_major(height: u64, width: u64) -> Shape {
        Shape { height, width, order: Order::RowMajor }
    }

    /// The number of pixels; `None` where it exceeds 2⁶³ - 1, which no image has.
    pub fn pixels(self) -> Option<u64> {
        self.height.checked_mul(self.width).filter(|pixels| *pixels <= i64::MAX as u64)
    }

    /// The same pixels, numbered in the other order.
    ///
    /// Costs time by the number of pixels inside the mask.
    pub fn turned(self, mask: &Mask) -> Mask {
        let pixels = mask.runs().iter().flat_map(|run| run.start..run.end);
        Mask::from_runs(pixels.map(|pixel| {
            let (row, column) = self.position(pixel);
            let start = match self.order {
                Order::ColumnMajor => row * self.width + column,
                Order::RowMajor => column * self.height + row,
            };
            Run { start, end: start + 1 }
        }))
    }

    /// The row and the column of a pixel.
    ///
    /// # Panics
    /// Where the image has no pixels.
    pub fn position(self, pixel: u64) -> (u64, u64) {
        match self.order {
            Order::ColumnMajor => (pixel % self.height, pixel / self.height),
            Order::RowMajor => (pixel / self.width, pixel % self.width),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_numbered_down_or_along() {
        assert_eq!(Shape::column_major(3, 2).position(4), (1, 1));
        assert_eq!(Shape::row_major(3, 2).position(4), (2, 0));
        assert_eq!(Shape::row_major(3, 2).pixels(), Some(6));
        let mask = Mask::from_runs([Run { start: 0, end: 2 }]);
        assert_eq!(Shape::column_major(3, 2).turned(&mask).encode(), "1 1 3 1");
        assert_eq!(Shape::row_major(u64::MAX, 2).pixels(), None);
    }
}
