//! The boundary: bindings made from `wit/`, and what `export!` expands to.
//!
//! Nothing here is for graders to call; it is public because the macro's expansion lives in the grader's crate.

use crate::grader::{Direction, Grader};
use crate::source::Source;

wit_bindgen::generate!({
    path: "../wit/1.0.0",
    world: "competition",
    pub_export_macro: true,
    export_macro_name: "export_bindings",
    default_bindings_module: "podium_grader::contract",
    generate_all,
});

use exports::podium::grading::grader as exported;
use podium::grading::files::File;

/// The version of the contract that this SDK speaks, stamped into each grader's custom section `podium:contract`.
pub const VERSION: [u8; 5] = *b"1.0.0";

impl Source for File {
    fn name(&self) -> String {
        File::name(self)
    }

    fn size(&self) -> u64 {
        File::size(self)
    }

    fn read(&self, offset: u64, length: u32) -> Vec<u8> {
        File::read(self, offset, length)
    }
}

/// What `describe` answers for `G`.
pub fn describe<G: Grader>() -> exported::Description {
    exported::Description {
        competition: G::COMPETITION.to_owned(),
        metric: G::METRIC.to_owned(),
        direction: match G::DIRECTION {
            Direction::HigherIsBetter => exported::Direction::HigherIsBetter,
            Direction::LowerIsBetter => exported::Direction::LowerIsBetter,
        },
    }
}

/// What `grade` answers for `G`.
pub fn grade<G: Grader>(
    submission: File,
    answers: Vec<File>,
) -> Result<exported::Score, exported::Failure> {
    install_panic_hook();
    G::grade_files(&submission, &answers)
        .map(|score| exported::Score {
            value: score.value,
            measures: score
                .measures
                .into_iter()
                .map(|measure| exported::Measure { name: measure.name, value: measure.value })
                .collect(),
        })
        .map_err(|failure| match failure {
            crate::Failure::InvalidSubmission(message) => {
                exported::Failure::InvalidSubmission(message)
            }
            crate::Failure::InvalidAnswers(message) => exported::Failure::InvalidAnswers(message),
        })
}

/// Hands the text and the place of a panic to the host; what follows is a trap that knows neither.
fn install_panic_hook() {
    std::panic::set_hook(Box::new(|panic| {
        podium::grading::diagnostics::panicked(&panic.to_string())
    }));
}

/// Makes a type that implements [`Grader`](crate::Grader) the grader of this component.
///
/// ```
/// use podium_grader::{Direction, Failure, Frame, Grader, Score, families};
///
/// struct SpaceshipTitanic;
///
/// impl Grader for SpaceshipTitanic {
///     const COMPETITION: &'static str = "spaceship-titanic";
///     const METRIC: &'static str = "accuracy";
///     const DIRECTION: Direction = Direction::HigherIsBetter;
///
///     fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
///         families::accuracy::accuracy(submission, answers, "PassengerId", "Transported")
///     }
/// }
///
/// podium_grader::export!(SpaceshipTitanic);
/// ```
#[macro_export]
macro_rules! export {
    ($grader:ty) => {
        /// What the host calls.
        #[cfg(target_arch = "wasm32")]
        struct Exported;

        #[cfg(target_arch = "wasm32")]
        impl $crate::contract::exports::podium::grading::grader::Guest for Exported {
            fn describe() -> $crate::contract::exports::podium::grading::grader::Description {
                $crate::contract::describe::<$grader>()
            }

            fn grade(
                submission: $crate::contract::podium::grading::files::File,
                answers: Vec<$crate::contract::podium::grading::files::File>,
            ) -> Result<
                $crate::contract::exports::podium::grading::grader::Score,
                $crate::contract::exports::podium::grading::grader::Failure,
            > {
                $crate::contract::grade::<$grader>(submission, answers)
            }
        }

        #[cfg(target_arch = "wasm32")]
        $crate::contract::export_bindings!(Exported with_types_in $crate::contract);

        // Natively nothing is exported, but the grader is in use all the same: its parts are tested there.
        #[cfg(not(target_arch = "wasm32"))]
        const _: fn() -> $crate::contract::exports::podium::grading::grader::Description =
            $crate::contract::describe::<$grader>;

        /// Read by the host before it hands the component to the engine.
        #[cfg(target_arch = "wasm32")]
        #[used]
        #[unsafe(link_section = "podium:contract")]
        static CONTRACT_VERSION: [u8; 5] = $crate::contract::VERSION;

        /// Grades without WebAssembly, for tests and fuzzers that make a module of this grader's source.
        ///
        /// # Errors
        /// As the grader's own `grade_files`.
        #[cfg(not(target_arch = "wasm32"))]
        #[allow(unreachable_pub)]
        pub fn grade_natively<S: $crate::source::Source>(
            submission: &S,
            answers: &[S],
        ) -> Result<$crate::Score, $crate::Failure> {
            <$grader as $crate::Grader>::grade_files(submission, answers)
        }
    };
}
