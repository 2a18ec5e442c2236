//! Which row and column of an image a pixel's number stands for.

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
        assert_eq!(Shape::row_major(u64::MAX, 2).pixels(), None);
    }
}
