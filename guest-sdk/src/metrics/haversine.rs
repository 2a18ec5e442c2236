//! Distances between places on the globe.

use super::sin_cos;
use crate::failure::Failure;
use crate::frame::{Column, Values};

/// A place on the globe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    latitude: f64,
    cosine_of_latitude: f64,
    longitude: f64,
}

impl Place {
    /// The place at a latitude and a longitude in degrees; any floats.
    pub fn from_degrees(latitude: f64, longitude: f64) -> Place {
        let latitude = radians(latitude);
        Place { latitude, cosine_of_latitude: sin_cos(latitude).1, longitude: radians(longitude) }
    }

    /// The places of rows whose latitudes and longitudes stand in two columns, in degrees. As in numpy, truth values
    /// become radians of half precision.
    ///
    /// # Errors
    /// Where a column holds text, even of numbers, or truth values of which some are missing.
    ///
    /// # Panics
    /// Where the columns differ in length.
    pub fn of_columns(latitudes: &Column, longitudes: &Column) -> Result<Vec<Place>, Failure> {
        assert_eq!(latitudes.len(), longitudes.len(), "a latitude and a longitude each");
        // In half precision, the cosine of one degree is 1.
        let in_halves = matches!(latitudes.values(), Values::Bool(_));
        let (latitudes, longitudes) = (radians_of(latitudes)?, radians_of(longitudes)?);
        Ok(latitudes
            .into_iter()
            .zip(longitudes)
            .map(|(latitude, longitude)| Place {
                latitude,
                cosine_of_latitude: if in_halves { 1.0 } else { sin_cos(latitude).1 },
                longitude,
            })
            .collect())
    }
}

/// The distance of two places along a great circle, in metres, by the haversine formula on a sphere of 6,371 km.
///
/// NaN where a coordinate is NaN or infinite; also where latitudes beyond the poles make the formula's root exceed 1.
/// The mean radius is what Google's smartphone decimeter challenges use.
///
/// ```
/// use podium_grader::metrics::haversine::{Place, great_circle_distance};
/// let quarter =
///     great_circle_distance(Place::from_degrees(0.0, 0.0), Place::from_degrees(0.0, 90.0));
/// assert!((quarter - 6_371_000.0 * std::f64::consts::FRAC_PI_2).abs() < 1e-6);
/// ```
pub fn great_circle_distance(from: Place, to: Place) -> f64 {
    const RADIUS: f64 = 6_371_000.0;
    let half_latitude = sin_cos((to.latitude - from.latitude) / 2.0).0;
    let half_longitude = sin_cos((to.longitude - from.longitude) / 2.0).0;
    let haversine = half_latitude * half_latitude
        + from.cosine_of_latitude * to.cosine_of_latitude * (half_longitude * half_longitude);
    2.0 * RADIUS * haversine.sqrt().asin()
}

/// numpy's `deg2rad`.
fn radians(degrees: f64) -> f64 {
    degrees * (std::f64::consts::PI / 180.0)
}

/// numpy's `deg2rad` of an array, which has none for objects.
fn radians_of(column: &Column) -> Result<Vec<f64>, Failure> {
    /// One degree in radians, rounded to float16.
    const HALF_PRECISION_DEGREE: f64 = 0.017_456_054_687_5;
    Ok(match column.values() {
        Values::Object(_) => {
            return Err(match column.cause_of_text() {
                Some(row) => column.unexpected(row, "a number of degrees"),
                None => column.failure("expected numbers of degrees, found truth values"),
            });
        }
        Values::Bool(values) => {
            values.iter().map(|value| if *value { HALF_PRECISION_DEGREE } else { 0.0 }).collect()
        }
        _ => column.to_f64()?.iter().map(|degrees| radians(*degrees)).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Frame, Role};

    /// Computed with numpy 1.26.4.
    #[test]
    fn distances_agree_with_recorded_values() {
        for (from, to, expected) in [
            ((37.4, -122.1), (37.4, -122.1), 0.0),
            ((37.42340123, -122.09413204), (37.42341, -122.09414), 1.2021147803946068),
            ((52.52, 13.405), (48.8566, 2.3522), 877463.3259175433),
            ((90.0, 0.0), (-90.0, 0.0), 20015086.79602057),
            ((100.0, 0.0), (50.0, 170.0), 3357391.890402367),
        ] {
            let place = |(latitude, longitude)| Place::from_degrees(latitude, longitude);
            let distance = great_circle_distance(place(from), place(to));
            assert!((distance - expected).abs() <= 1e-8 * expected, "{from:?} {to:?} {distance}");
        }
        for (latitude, longitude) in [(f64::NAN, 0.0), (0.0, f64::INFINITY)] {
            let distance = great_circle_distance(
                Place::from_degrees(latitude, longitude),
                Place::from_degrees(1.0, 1.0),
            );
            assert!(distance.is_nan());
        }
    }

    #[test]
    fn columns_of_places() {
        let places = |text: &str| {
            let table = Frame::from_text(Role::Submission, text).unwrap();
            Place::of_columns(table.column("latitude")?, table.column("longitude")?)
        };
        let found = places("latitude,longitude\n37,-122.5\n-1,\n").unwrap();
        assert_eq!(found[0], Place::from_degrees(37.0, -122.5));
        assert!(found[1].longitude.is_nan());
        // numpy 1.26.4: `numpy.deg2rad([True])` and its cosine are 0.01746 and 1 as float16.
        let found = places("latitude,longitude\nTrue,False\n").unwrap();
        let degree = Place { latitude: 0.0174560546875, cosine_of_latitude: 1.0, longitude: 0.0 };
        assert_eq!(found, [degree]);
        for (text, expected) in [
            ("1.5\nnorth", "column `latitude`, row 2: expected a number of degrees, found `north`"),
            ("True\n", "column `latitude`: expected numbers of degrees, found truth values"),
        ] {
            let rows = text.replace('\n', ",0\n");
            let failure = places(&format!("latitude,longitude\n{rows},0\n")).unwrap_err();
            assert_eq!(failure.message(), expected);
        }
    }
}
