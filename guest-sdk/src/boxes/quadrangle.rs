//! The area that two convex quadrangles share.
//!
//! Whether a corner lies inside the other quadrangle is decided exactly (Shewchuk, "Adaptive precision floating-point
//! arithmetic and fast robust geometric predicates", Discrete & Computational Geometry 18, 1997), and crossings of edges
//! are rounded as GEOS 3.11 rounds them, so that areas agree with shapely's to the last bits. That matters where an
//! overlap is compared with a threshold that it meets: a box that is 20 % too long is a common mistake.

use robust::{Coord, orient2d};

/// A point of the plane.
pub(super) type Point = (f64, f64);

/// The area of the intersection of two convex quadrangles whose corners go counter-clockwise.
pub(super) fn shared_area(left: &[Point; 4], right: &[Point; 4]) -> f64 {
    // Of each corner of one and each edge of the other: positive on the inner side, 0 on the line.
    let sides = |corners: &[Point; 4], other: &[Point; 4]| -> [[f64; 4]; 4] {
        corners.map(|corner| {
            std::array::from_fn(|edge| side(other[edge], other[(edge + 1) % 4], corner))
        })
    };
    let (left_sides, right_sides) = (sides(left, right), sides(right, left));
    let mut corners = Vec::with_capacity(16);
    for (points, sides) in [(left, &left_sides), (right, &right_sides)] {
        let inside =
            points.iter().zip(sides).filter(|(_, sides)| sides.iter().all(|side| *side >= 0.0));
        corners.extend(inside.map(|(point, _)| *point));
    }
    for edge in 0..4 {
        let next = (edge + 1) % 4;
        for other in 0..4 {
            let other_next = (other + 1) % 4;
            let straddle = |a: f64, b: f64| (a > 0.0 && b < 0.0) || (a < 0.0 && b > 0.0);
            if straddle(left_sides[edge][other], left_sides[next][other])
                && straddle(right_sides[other][edge], right_sides[other_next][edge])
            {
                corners.push(crossing((left[edge], left[next]), (right[other], right[other_next])));
            }
        }
    }
    convex_area(corners)
}

/// On which side of the line from `from` to `to` a point lies: positive on the left, exactly 0 on the line.
fn side(from: Point, to: Point, point: Point) -> f64 {
    let coordinates = |(x, y): Point| Coord { x, y };
    orient2d(coordinates(from), coordinates(to), coordinates(point))
}

/// Where two edges cross that do.
///
/// Computed in homogeneous coordinates about the middle of what the edges' bounds share; a point that rounding puts
/// outside these bounds gives way to the nearest end of an edge.
fn crossing((a, b): (Point, Point), (c, d): (Point, Point)) -> Point {
    let low = |get: fn(Point) -> f64| get(a).min(get(b)).max(get(c).min(get(d)));
    let high = |get: fn(Point) -> f64| get(a).max(get(b)).min(get(c).max(get(d)));
    let bounds = ((low(|p| p.0), high(|p| p.0)), (low(|p| p.1), high(|p| p.1)));
    let middle = ((bounds.0.0 + bounds.0.1) / 2.0, (bounds.1.0 + bounds.1.1) / 2.0);
    let line = |from: Point, to: Point| {
        let (from, to) =
            ((from.0 - middle.0, from.1 - middle.1), (to.0 - middle.0, to.1 - middle.1));
        (from.1 - to.1, to.0 - from.0, from.0 * to.1 - to.0 * from.1)
    };
    let (one, other) = (line(a, b), line(c, d));
    let x = one.1 * other.2 - other.1 * one.2;
    let y = other.0 * one.2 - one.0 * other.2;
    let w = one.0 * other.1 - other.0 * one.1;
    let point = (x / w + middle.0, y / w + middle.1);
    let within = |value: f64, (low, high): (f64, f64)| (low..=high).contains(&value);
    if within(point.0, bounds.0) && within(point.1, bounds.1) {
        return point;
    }
    let distance = |point: Point, (from, to): (Point, Point)| {
        let along = (to.0 - from.0, to.1 - from.1);
        let offset = (point.0 - from.0, point.1 - from.1);
        let share =
            (offset.0 * along.0 + offset.1 * along.1) / (along.0 * along.0 + along.1 * along.1);
        let share = share.clamp(0.0, 1.0);
        f64::hypot(offset.0 - share * along.0, offset.1 - share * along.1)
    };
    let ends = [
        (a, distance(a, (c, d))),
        (b, distance(b, (c, d))),
        (c, distance(c, (a, b))),
        (d, distance(d, (a, b))),
    ];
    ends.into_iter()
        .reduce(|nearest, end| if end.1 < nearest.1 { end } else { nearest })
        .expect("four ends")
        .0
}

/// The area of a convex polygon with those corners, given in any order; 0 for less than three.
fn convex_area(mut corners: Vec<Point>) -> f64 {
    if corners.len() < 3 {
        return 0.0;
    }
    let count = corners.len() as f64;
    let center = corners
        .iter()
        .fold((0.0, 0.0), |sum, corner| (sum.0 + corner.0 / count, sum.1 + corner.1 / count));
    let angle = |corner: &Point| (corner.1 - center.1).atan2(corner.0 - center.0);
    corners.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    let origin = corners[0];
    let mut doubled = 0.0;
    for (place, corner) in corners.iter().enumerate() {
        let before = corners[(place + corners.len() - 1) % corners.len()];
        let after = corners[(place + 1) % corners.len()];
        doubled += (corner.0 - origin.0) * (after.1 - before.1);
    }
    f64::max(0.0, doubled / 2.0)
}
