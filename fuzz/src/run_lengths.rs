//! Masks out of any run-length encodings.

use podium_grader::masks::{Mask, Run, Shape, decode};

/// The largest image whose pixels are looked at one by one.
const SMALL: u64 = 1 << 12;

/// Takes eight bytes as the size of an image, and the rest as two encodings with a line feed between them.
///
/// - A mask lies within the image: its runs are sorted, apart, not empty, and end where the image ends.
/// - What is encoded of a mask is decoded as that mask.
/// - Areas of intersection and union are those of the pixels, one by one where there are few of them.
/// - A mask that is turned from rows to columns and back is the same.
pub fn run_lengths(bytes: &[u8]) {
    let Some((size, texts)) = bytes.split_first_chunk() else { return };
    let Ok(texts) = std::str::from_utf8(texts) else { return };
    let (left, right) = texts.split_once('\n').unwrap_or((texts, ""));
    // No image has 2⁶³ pixels or more: `Shape::pixels` says so.
    let size = u64::from_le_bytes(*size) >> 1;
    for pixels in [size, size % SMALL] {
        let masks = [left, right].map(|text| decode(text, pixels));
        for mask in masks.iter().flatten() {
            is_well_formed(mask, pixels);
            survives_writing(mask, pixels);
        }
        if let [Ok(left), Ok(right)] = &masks {
            agree_with_pixels(left, right, pixels);
        }
    }
}

fn is_well_formed(mask: &Mask, pixels: u64) {
    let mut end = None;
    for run in mask.runs() {
        assert!(run.start < run.end && run.end <= pixels, "{run:?} of {pixels}");
        assert!(end.is_none_or(|end| end < run.start), "{:?}", mask.runs());
        end = Some(run.end);
    }
    assert!(mask.area() <= pixels);
    assert_eq!(mask.is_empty(), mask.area() == 0);
}

fn survives_writing(mask: &Mask, pixels: u64) {
    let last = mask.runs().last().map_or(0, |run| run.end);
    // Beyond, `start + length` is no int64 any more, which the encoding cannot tell from nothing.
    if i64::try_from(last).is_ok() {
        assert_eq!(decode(&mask.encode(), pixels).as_ref(), Ok(mask), "{}", mask.encode());
    }
}

fn agree_with_pixels(left: &Mask, right: &Mask, pixels: u64) {
    let (common, all) = (left.intersection(right), left.union(right));
    assert_eq!(common.area(), left.intersection_area(right));
    assert_eq!(all.area(), left.union_area(right));
    assert_eq!(u128::from(common.area()) + u128::from(all.area()), sum(left, right));
    for ratio in [left.iou(right), left.dice(right)].into_iter().flatten() {
        assert!((0.0..=1.0).contains(&ratio), "{ratio}");
    }
    if pixels >= SMALL {
        return;
    }
    let pixel_by_pixel = |holds: &dyn Fn(u64) -> bool| Mask::from_pixels((0..pixels).map(holds));
    assert_eq!(pixel_by_pixel(&|pixel| left.contains(pixel)), *left);
    assert_eq!(pixel_by_pixel(&|pixel| left.contains(pixel) && right.contains(pixel)), common);
    assert_eq!(pixel_by_pixel(&|pixel| left.contains(pixel) || right.contains(pixel)), all);
    let reversed: Vec<Run> = left.runs().iter().rev().chain(right.runs()).copied().collect();
    assert_eq!(Mask::from_runs(reversed), all);
    let (height, width) = (pixels.isqrt(), pixels.isqrt());
    let square = Shape::row_major(height, width);
    let within = Mask::from_pixels((0..height * width).map(|pixel| left.contains(pixel)));
    let turned = square.turned(&within);
    assert_eq!(turned.area(), within.area());
    assert_eq!(Shape::column_major(height, width).turned(&turned), within);
}

fn sum(left: &Mask, right: &Mask) -> u128 {
    u128::from(left.area()) + u128::from(right.area())
}
