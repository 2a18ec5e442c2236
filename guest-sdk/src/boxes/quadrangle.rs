//! The area that two convex quadrangles share.

/// A point of the plane.
pub(super) type Point = (f64, f64);

/// The area of the intersection of two convex quadrangles whose corners go counter-clockwise.
///
/// One is cut along each edge of the other (Sutherland and Hodgman, "Reentrant polygon clipping", Communications of the
/// ACM 17, 1974). An edge along an axis cuts at its own coordinate exactly, so that the areas of axis-parallel boxes
/// are as exact as their corners.
pub(super) fn shared_area(subject: &[Point; 4], cutter: &[Point; 4]) -> f64 {
    let mut polygon = subject.to_vec();
    for (corner, &from) in cutter.iter().enumerate() {
        polygon = cut(&polygon, from, cutter[(corner + 1) % 4]);
    }
    area(&polygon)
}

/// The part of a polygon that lies to the left of the line from `from` to `to`.
fn cut(polygon: &[Point], from: Point, to: Point) -> Vec<Point> {
    // Positive on the left; the product grows with the distance from the line.
    let side =
        |point: Point| (to.0 - from.0) * (point.1 - from.1) - (to.1 - from.1) * (point.0 - from.0);
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (corner, &start) in polygon.iter().enumerate() {
        let end = polygon[(corner + 1) % polygon.len()];
        let (here, there) = (side(start), side(end));
        if here >= 0.0 {
            kept.push(start);
        }
        if (here > 0.0 && there < 0.0) || (here < 0.0 && there > 0.0) {
            let share = here / (here - there);
            let x = if from.0 == to.0 { from.0 } else { start.0 + share * (end.0 - start.0) };
            let y = if from.1 == to.1 { from.1 } else { start.1 + share * (end.1 - start.1) };
            kept.push((x, y));
        }
    }
    kept
}

/// The area of a polygon whose corners go counter-clockwise; 0 for less than three corners.
fn area(polygon: &[Point]) -> f64 {
    let Some(&origin) = polygon.first() else { return 0.0 };
    let mut doubled = 0.0;
    for (corner, point) in polygon.iter().enumerate() {
        let before = polygon[(corner + polygon.len() - 1) % polygon.len()];
        let after = polygon[(corner + 1) % polygon.len()];
        doubled += (point.0 - origin.0) * (after.1 - before.1);
    }
    f64::max(0.0, doubled / 2.0)
}
