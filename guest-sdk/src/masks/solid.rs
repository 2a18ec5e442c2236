//! Stacks of masks seen as solids, and the Hausdorff distance between two of them.
//!
//! A solid is kept as the straight pieces that its slices' runs fall into, one list a line of pixels. The distance is
//! found by branch and bound over these pieces: the distance from a point to a piece is convex along a line, so the
//! distance of all points of a piece to another piece is at most the larger of the distances of its two ends. A piece
//! whose bound does not exceed the largest distance known needs no further look; one whose bound does is halved. No
//! image is ever unfolded into pixels.

use super::{Mask, Order, Run, Shape};

/// A stack of masks of one shape.
///
/// Two solids are equal when they have the same pixels and the same size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solid {
    slices: Vec<Mask>,
    shape: Shape,
}

impl Solid {
    /// The solid of those slices, each of that shape.
    ///
    /// # Panics
    /// Where a slice has pixels outside the shape.
    pub fn new(slices: Vec<Mask>, shape: Shape) -> Solid {
        let pixels = shape.pixels().expect("an image has fewer than 2⁶³ pixels");
        let inside = |mask: &Mask| mask.runs().last().is_none_or(|run| run.end <= pixels);
        assert!(slices.iter().all(inside), "each slice lies within the shape");
        Solid { slices, shape }
    }

    /// The number of slices.
    pub fn depth(&self) -> usize {
        self.slices.len()
    }

    /// The shape of each slice.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The number of pixels inside.
    pub fn volume(&self) -> u64 {
        self.slices.iter().map(Mask::area).sum()
    }

    /// Whether there are no pixels inside.
    pub fn is_empty(&self) -> bool {
        self.slices.iter().all(Mask::is_empty)
    }
}

/// How far the points of `from` lie from `to`, at most: the maximum over the pixels of `from` of the Euclidean distance
/// to the nearest pixel of `to`. `None` where either is empty.
///
/// A pixel's coordinates are its slice, its row and its column, each divided by its entry of `scale`. Agrees with
/// scipy 1.14.1 `spatial.distance.directed_hausdorff` of the pixels' coordinates.
pub fn directed_hausdorff(from: &Solid, to: &Solid, scale: [f64; 3]) -> Option<f64> {
    if from.is_empty() || to.is_empty() {
        return None;
    }
    let axes = |order| match order {
        Order::ColumnMajor => [scale[0], scale[2], scale[1]],
        Order::RowMajor => [scale[0], scale[1], scale[2]],
    };
    // Lines of both have to run the same way; a slice in the other order is turned.
    let order = to.shape.order;
    let (from, to) = (Lines::of(from, order), Lines::of(to, order));
    let [slice, line, along] = axes(order);
    let search = Search { to: &to, slice, line, along };

    // Visited in a scattered order, each piece is as likely as any other to hold the largest distance so far, so that
    // only few of them raise it.
    let pieces: Vec<Piece> = from.pieces().collect();
    let stride = scattering_stride(pieces.len());
    let (mut largest, mut witness) = (0.0, None);
    for turn in 0..pieces.len() {
        let piece = pieces[(turn as u64 * stride % pieces.len() as u64) as usize];
        search.raise(piece, &mut largest, &mut witness);
    }
    Some(f64::sqrt(largest))
}

/// The Hausdorff distance: the larger of the two directed distances. `None` where either solid is empty.
pub fn hausdorff(left: &Solid, right: &Solid, scale: [f64; 3]) -> Option<f64> {
    Some(directed_hausdorff(left, right, scale)?.max(directed_hausdorff(right, left, scale)?))
}

/// A step that has no divisor in common with the number of pieces, and so visits each once.
fn scattering_stride(pieces: usize) -> u64 {
    fn divisor(a: u64, b: u64) -> u64 {
        if b == 0 { a } else { divisor(b, a % b) }
    }
    let pieces = pieces as u64;
    // The golden section spreads the visits evenly.
    let start = (pieces as f64 * 0.618_033_988_75) as u64;
    (start.max(1)..)
        .find(|stride| divisor(*stride, pieces) == 1)
        .expect("there are primes beyond any number")
}

/// Neighbouring pixels of one line of one slice, first and last included.
#[derive(Debug, Clone, Copy)]
struct Piece {
    slice: usize,
    line: u32,
    first: u32,
    last: u32,
}

/// A solid's pieces, by slice and line.
struct Lines {
    /// For each slice, its lines that hold pixels, in order.
    slices: Vec<Vec<Line>>,
    /// First and last pixel of the pieces of all lines.
    pieces: Vec<(u32, u32)>,
}

/// A line of pixels that are not all outside.
#[derive(Debug, Clone, Copy)]
struct Line {
    position: u32,
    /// Where its pieces lie in [`Lines::pieces`].
    start: usize,
    end: usize,
}

impl Lines {
    /// The lines of a solid: its columns for [`Order::ColumnMajor`], its rows for [`Order::RowMajor`].
    fn of(solid: &Solid, order: Order) -> Lines {
        let mut lines =
            Lines { slices: Vec::with_capacity(solid.slices.len()), pieces: Vec::new() };
        for mask in &solid.slices {
            let turned;
            let mask = if solid.shape.order == order {
                mask
            } else {
                turned = solid.shape.turned(mask);
                &turned
            };
            let length = match order {
                Order::ColumnMajor => solid.shape.height,
                Order::RowMajor => solid.shape.width,
            };
            lines.append_slice(mask.runs(), length);
        }
        lines
    }

    fn append_slice(&mut self, runs: &[Run], length: u64) {
        let mut slice: Vec<Line> = Vec::new();
        for run in runs {
            let mut start = run.start;
            while start < run.end {
                let position = (start / length) as u32;
                let end = run.end.min((start / length + 1) * length);
                if slice.last().is_none_or(|line| line.position != position) {
                    slice.push(Line { position, start: self.pieces.len(), end: self.pieces.len() });
                }
                self.pieces.push(((start % length) as u32, ((end - 1) % length) as u32));
                slice.last_mut().expect("it was just put there").end = self.pieces.len();
                start = end;
            }
        }
        self.slices.push(slice);
    }

    fn pieces(&self) -> impl Iterator<Item = Piece> {
        self.slices.iter().enumerate().flat_map(move |(slice, lines)| {
            lines.iter().flat_map(move |line| {
                self.pieces[line.start..line.end].iter().map(move |&(first, last)| Piece {
                    slice,
                    line: line.position,
                    first,
                    last,
                })
            })
        })
    }
}

/// Finds how far pieces lie from a solid. All distances in here are squared.
struct Search<'a> {
    to: &'a Lines,
    slice: f64,
    line: f64,
    along: f64,
}

/// The square of the distance of two positions on an axis with that scale.
fn squared(a: u32, b: u32, scale: f64) -> f64 {
    let difference = f64::from(a) / scale - f64::from(b) / scale;
    difference * difference
}

impl Search<'_> {
    /// Raises `largest` to the distance of the farthest pixel of the piece, where that is more.
    fn raise(&self, piece: Piece, largest: &mut f64, witness: &mut Option<Piece>) {
        let bound = self.bound(piece, *largest, witness);
        if bound <= *largest {
            return;
        }
        if piece.first == piece.last {
            // Of a single pixel the bound is the distance.
            *largest = bound;
            return;
        }
        let middle = piece.first + (piece.last - piece.first) / 2;
        self.raise(Piece { last: middle, ..piece }, largest, witness);
        self.raise(Piece { first: middle + 1, ..piece }, largest, witness);
    }

    /// The least, over the pieces of the solid, of the larger distance of the two ends of `piece` to it; any number up
    /// to `enough` once it is known not to exceed that. `witness` is the piece that last was near enough: as pieces are
    /// halved and neighbours follow each other, it often still is.
    fn bound(&self, piece: Piece, enough: f64, witness: &mut Option<Piece>) -> f64 {
        let mut best = f64::INFINITY;
        if let Some(near) = *witness {
            best = squared(piece.slice as u32, near.slice as u32, self.slice)
                + squared(piece.line, near.line, self.line)
                + self.along_line(piece, (near.first, near.last));
            if best <= enough {
                return best;
            }
        }
        let below = (0..=piece.slice.min(self.to.slices.len() - 1)).rev();
        let above = piece.slice + 1..self.to.slices.len();
        // The nearest slices first, on either side, until they alone are too far.
        let (mut below, mut above) = (below.peekable(), above.peekable());
        loop {
            let slice = match (below.peek(), above.peek()) {
                (Some(lower), Some(upper)) if piece.slice - lower > upper - piece.slice => {
                    above.next()
                }
                (Some(_), _) => below.next(),
                (None, _) => above.next(),
            };
            let Some(slice) = slice else { return best };
            let apart = squared(piece.slice as u32, slice as u32, self.slice);
            if apart >= best {
                return best;
            }
            let lines = &self.to.slices[slice];
            let middle = lines.partition_point(|line| line.position < piece.line);
            for line in lines[middle..].iter() {
                if !self.try_line(piece, slice, line, apart, &mut best, witness) {
                    break;
                }
            }
            for line in lines[..middle].iter().rev() {
                if !self.try_line(piece, slice, line, apart, &mut best, witness) {
                    break;
                }
            }
            if best <= enough {
                return best;
            }
        }
    }

    /// Lowers `best` by the pieces of one line; false where this line, and all beyond it, are too far for that.
    fn try_line(
        &self,
        piece: Piece,
        slice: usize,
        line: &Line,
        apart: f64,
        best: &mut f64,
        witness: &mut Option<Piece>,
    ) -> bool {
        let apart = apart + squared(piece.line, line.position, self.line);
        if apart >= *best {
            return false;
        }
        let pieces = &self.to.pieces[line.start..line.end];
        // Only the piece around the middle, or the nearest on either side of it, can be the best of its line.
        let middle = piece.first + (piece.last - piece.first) / 2;
        let after = pieces.partition_point(|(_, last)| *last < middle);
        for &(first, last) in &pieces[after.saturating_sub(1)..(after + 1).min(pieces.len())] {
            let distance = apart + self.along_line(piece, (first, last));
            if distance < *best {
                *best = distance;
                *witness = Some(Piece { slice, line: line.position, first, last });
            }
        }
        true
    }

    /// The larger distance of the two ends of a piece to another one, along the line.
    fn along_line(&self, piece: Piece, (first, last): (u32, u32)) -> f64 {
        let end = |position: u32| squared(position, position.clamp(first, last), self.along);
        end(piece.first).max(end(piece.last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_definition(from: &[[u64; 3]], to: &[[u64; 3]], scale: [f64; 3]) -> f64 {
        let distance = |a: &[u64; 3], b: &[u64; 3]| {
            let axis = |k: usize| (a[k] as f64 / scale[k] - b[k] as f64 / scale[k]).powi(2);
            (axis(0) + axis(1) + axis(2)).sqrt()
        };
        let nearest =
            |a: &[u64; 3]| to.iter().map(|b| distance(a, b)).fold(f64::INFINITY, f64::min);
        from.iter().map(nearest).fold(0.0, f64::max)
    }

    fn points(solid: &Solid) -> Vec<[u64; 3]> {
        let positions = |slice: usize, mask: &Mask| {
            let pixels: Vec<u64> = mask.runs().iter().flat_map(|run| run.start..run.end).collect();
            pixels.into_iter().map(move |pixel| (slice as u64, pixel))
        };
        let pixels =
            solid.slices.iter().enumerate().flat_map(|(slice, mask)| positions(slice, mask));
        pixels
            .map(|(slice, pixel)| {
                let (row, column) = solid.shape.position(pixel);
                [slice, row, column]
            })
            .collect()
    }

    fn solids() -> impl Strategy<Value = Solid> {
        let size = (1u64..9, 1u64..7, any::<bool>());
        size.prop_flat_map(|(height, width, down)| {
            let order = if down { Order::ColumnMajor } else { Order::RowMajor };
            let shape = Shape { height, width, order };
            let run = (0..height * width, 1u64..12).prop_map(move |(start, length)| Run {
                start,
                end: (start + length).min(height * width),
            });
            let slice = proptest::collection::vec(run, 0..4).prop_map(Mask::from_runs);
            proptest::collection::vec(slice, 1..6).prop_map(move |slices| Solid::new(slices, shape))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

        #[test]
        fn distances_agree_with_the_definition(left in solids(), right in solids(), scale in (1.0f64..9.0, 1.0f64..9.0)) {
            let scale = [scale.0, 5.0, scale.1];
            let (a, b) = (points(&left), points(&right));
            match directed_hausdorff(&left, &right, scale) {
                None => prop_assert!(a.is_empty() || b.is_empty()),
                Some(distance) => {
                    prop_assert!((distance - by_definition(&a, &b, scale)).abs() < 1e-12);
                    let both = hausdorff(&left, &right, scale).unwrap();
                    prop_assert!((both - distance.max(by_definition(&b, &a, scale))).abs() < 1e-12);
                    prop_assert_eq!(directed_hausdorff(&left, &left, scale), Some(0.0));
                }
            }
        }
    }

    #[test]
    fn equality_is_of_pixels_and_size() {
        let slice = || Mask::from_runs([Run { start: 0, end: 6 }]);
        let tall = Solid::new(vec![slice()], Shape::column_major(3, 2));
        let wide = Solid::new(vec![slice()], Shape::column_major(2, 3));
        assert_ne!(tall, wide);
        assert_eq!(tall, tall.clone());
        assert_eq!((tall.volume(), tall.depth(), tall.is_empty()), (6, 1, false));
    }

    #[test]
    fn distant_balls_are_measured_quickly() {
        // Two balls of some 500,000 pixels each: by definition this would take 10¹¹ steps.
        let ball = |center: f64| {
            let slices = (0..144).map(|slice| {
                Mask::from_pixels((0..360 * 310).map(|pixel| {
                    let (row, column) = ((pixel % 310) as f64, (pixel / 310) as f64);
                    let (z, y, x) = (f64::from(slice) - center, row - center, column - center);
                    z * z + y * y + x * x <= 50.0 * 50.0
                }))
            });
            Solid::new(slices.collect(), Shape::column_major(310, 360))
        };
        let distance = hausdorff(&ball(51.0), &ball(92.0), [1.0, 1.0, 1.0]).unwrap();
        assert!((distance - 41.0 * 3f64.sqrt()).abs() < 1.5, "{distance}");
    }
}
