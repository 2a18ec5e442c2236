//! Boxes out of any prediction strings.
//!
//! Graders read the strings in ways of their own; so the graders themselves are tried, as they stand.

use podium_grader::boxes::{Cuboid, Rectangle};
use podium_grader::source::Bytes;
use podium_grader::{Failure, Score};

#[path = "../../graders-wasm/3d-object-detection-for-autonomous-vehicles/src/lib.rs"]
mod cuboids;
#[path = "../../graders-wasm/siim-covid19-detection/src/lib.rs"]
mod labelled;
#[path = "../../graders-wasm/vinbigdata-chest-xray-abnormalities-detection/src/lib.rs"]
mod numbered;

type Grade = fn(&Bytes, &[Bytes]) -> Result<Score, Failure>;

/// Graders of boxes, the name of the column with ids, and answers for the two ids `a` and `b`.
const GRADERS: [(Grade, &str, &str); 3] = [
    (
        cuboids::grade_natively,
        "Id",
        "Id,PredictionString\na,1 0 0 0 2 2 2 0 car 1 9 9 0 1 1 1 0.5 bus\nb,1 5 5 5 1 4 2 1.5 car\n",
    ),
    (
        labelled::grade_natively,
        "id",
        "id,PredictionString\na,opacity 1 10 10 20 20 opacity 1 30 30 50 50\nb,none 1 0 0 1 1\n",
    ),
    (
        numbered::grade_natively,
        "image_id",
        "image_id,class_id,x_min,y_min,x_max,y_max\na,3,10,10,20,20\na,14,0,0,1,1\nb,3,30,30,50,50\n",
    ),
];

/// Takes any bytes as the prediction strings of two rows, with a line feed between them.
///
/// - No grader panics, and a grading ends as it did before.
/// - The answers are never to blame.
/// - No score is outside of the range of average precisions.
/// - Of numbers among the words, boxes are made, whose overlaps are shares and do not depend on which box comes first.
pub fn boxes(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (first, second) = text.split_once('\n').unwrap_or((text, ""));
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let (first, second) = (quoted(first), quoted(second));
    for (grade, id, answers) in GRADERS {
        let submission =
            Bytes::new("s.csv", format!("{id},PredictionString\na,{first}\nb,{second}\n"));
        let answers = Bytes::new("answers.csv", answers);
        let once = grade(&submission, std::slice::from_ref(&answers));
        let again = grade(&submission, &[answers]);
        assert_eq!(format!("{once:?}"), format!("{again:?}"));
        match once {
            Err(Failure::InvalidAnswers(message)) => panic!("the answers are blamed: {message}"),
            Err(Failure::InvalidSubmission(_)) => {}
            // pycocotools says -1 where there is nothing to evaluate.
            Ok(Score { value, .. }) => assert!((-1.0..=1.0).contains(&value), "{value}"),
        }
    }
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    overlaps(&numbers);
}

fn overlaps(numbers: &[f64]) {
    let rectangles: Vec<Rectangle> = numbers
        .chunks_exact(4)
        .map(|corners| Rectangle {
            x_min: corners[0].min(corners[2]),
            y_min: corners[1].min(corners[3]),
            x_max: corners[0].max(corners[2]),
            y_max: corners[1].max(corners[3]),
        })
        // Where areas overflow or vanish, so does the ratio of two.
        .filter(|box_| (1e-100..1e100).contains(&box_.area()))
        .collect();
    for pair in rectangles.windows(2) {
        let iou = pair[0].iou(pair[1]);
        assert!((0.0..=1.0 + 1e-9).contains(&iou), "{pair:?}: {iou}");
        assert_eq!(iou.to_bits(), pair[1].iou(pair[0]).to_bits(), "{pair:?}");
    }
    let cuboids: Vec<Cuboid> = numbers
        .chunks_exact(7)
        .filter(|numbers| numbers.iter().all(|number| (1e-2..1e4).contains(&number.abs())))
        .filter_map(|numbers| {
            let [center, size] = [0, 3].map(|at| [numbers[at], numbers[at + 1], numbers[at + 2]]);
            Cuboid::new(center, size, numbers[6]).ok()
        })
        .collect();
    for pair in cuboids.windows(2) {
        let (iou, turned) = (pair[0].iou(&pair[1]), pair[1].iou(&pair[0]));
        assert!((-1e-6..=1.0 + 1e-6).contains(&iou), "{pair:?}: {iou}");
        assert!((iou - turned).abs() < 1e-6, "{pair:?}: {iou} and {turned}");
    }
}
