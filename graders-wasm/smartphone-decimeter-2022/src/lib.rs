//! Median and 95th percentile of the distances between predicted and true places, averaged, for each trip; then the mean
//! over the trips, which are matched by `tripId`.
//!
//! Within a trip, rows are matched by their order: `UnixTimeMillis` has to be there, but nothing reads it. A coordinate
//! that is missing or infinite makes the score undefined.

use podium_grader::frame::require_as_many_rows;
use podium_grader::metrics::haversine::{Place, great_circle_distance};
use podium_grader::metrics::numeric;
use podium_grader::{Cell, Column, Direction, Failure, Frame, Grader, Score};

const TRIP: &str = "tripId";
const LATITUDE: &str = "LatitudeDegrees";
const LONGITUDE: &str = "LongitudeDegrees";

struct SmartphoneDecimeter2022;

impl Grader for SmartphoneDecimeter2022 {
    const COMPETITION: &'static str = "smartphone-decimeter-2022";
    const METRIC: &'static str = "mean of the 50th and 95th percentile distance errors";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&[TRIP, LATITUDE, LONGITUDE]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_columns(&[TRIP, LATITUDE, LONGITUDE])?;
        submission.require_columns(&[TRIP, "UnixTimeMillis", LATITUDE, LONGITUDE])?;
        require_as_many_rows(submission, answers)?;
        let submission = submission.identified_by(TRIP)?;
        let (trips, expected) = (submission.column(TRIP)?, answers.column(TRIP)?);
        let predicted =
            Place::of_columns(submission.column(LATITUDE)?, submission.column(LONGITUDE)?)?;
        let truth = Place::of_columns(answers.column(LATITUDE)?, answers.column(LONGITUDE)?)?;

        let mut errors = Vec::new();
        let mut score = Score::new(0.0);
        for first in expected.unique() {
            let trip = expected.cell(first as usize);
            let (rows, expected_rows) = (rows_of(trips, trip), rows_of(expected, trip));
            if rows.len() != expected_rows.len() {
                return Err(trips.failure(format_args!(
                    "the trip {} has {} rows where {} are expected",
                    trip.describe(),
                    rows.len(),
                    expected_rows.len()
                )));
            }
            let pairs = rows.into_iter().zip(expected_rows);
            let distances: Vec<f64> = pairs
                .map(|(row, expected_row)| {
                    great_circle_distance(predicted[row], truth[expected_row])
                })
                .collect();
            let error = numeric::mean(&[
                numeric::quantile(&distances, 0.5),
                numeric::quantile(&distances, 0.95),
            ]);
            score = score.with(format!("error of {trip} in metres"), error);
            errors.push(error);
        }
        score.value = numeric::mean(&errors);
        Ok(score)
    }
}

/// The rows of a trip, in the order of the file.
fn rows_of(trips: &Column, trip: Cell<'_>) -> Vec<usize> {
    (0..trips.len()).filter(|row| trips.cell(*row).equals(trip)).collect()
}

podium_grader::export!(SmartphoneDecimeter2022);
