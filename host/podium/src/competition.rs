//! A competition: a folder with its definition, description, leaderboard, examples and (maybe) its grader.
//!
//! A folder of a third party is read by the same code as a built-in one. Relies on the layout
//! `<id>/{competition.toml, description.md, leaderboard.csv, example/, grader.wasm}`, of which the definition alone is
//! mandatory.

use std::io;
use std::path::{Path, PathBuf};

use crate::definition::Definition;
use crate::error::Error;
use crate::grader::{Description, Direction};
use crate::leaderboard::Leaderboard;
use crate::limits::{LimitOverrides, Limits};
use crate::medals::Thresholds;
use crate::regular_file;
use crate::rounding::Rounding;

/// The name of the file that makes a folder a competition's.
pub const DEFINITION_FILE: &str = "competition.toml";

/// No definition or description is longer.
const MOST_BYTES: u64 = 16 << 20;

/// A competition, read from its folder.
#[derive(Clone, Debug)]
pub struct Competition {
    /// What `competition.toml` says.
    pub definition: Definition,
    /// Where the competition's own files lie.
    pub folder: PathBuf,
    /// The text of `description.md` (Markdown), where there is one.
    pub description: Option<String>,
    /// The private leaderboard, where there is one.
    pub leaderboard: Option<Leaderboard>,
    /// The medal lines: those of the definition, else those of the leaderboard, else none.
    pub thresholds: Option<Thresholds>,
    /// Where the grader may lie, the first existing file winning.
    pub grader_candidates: Vec<PathBuf>,
}

impl Competition {
    /// Reads the competition in `folder`. Its grader is the `grader.wasm` in the folder, else the first `<id>.wasm` in
    /// `grader_folders`; it need not exist yet.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Definition`] or [`Error::Leaderboard`], each with the file. A definition whose id is
    /// not the name of the folder is an error, too.
    pub fn load(folder: &Path, grader_folders: &[PathBuf]) -> Result<Competition, Error> {
        let definition_path = folder.join(DEFINITION_FILE);
        let text = read_text(&definition_path)?;
        let definition = Definition::parse(&text, &definition_path)?;
        // `.` and `..` have no name of their own.
        let canonical = folder.canonicalize().map_err(|source| Error::read(folder, source))?;
        let names = [folder.file_name(), canonical.file_name()];
        if !names.contains(&Some(definition.id.as_ref())) {
            return Err(Error::Definition {
                path: definition_path,
                message: format!(
                    "`id` is `{}`, but the folder is called `{}`: the two have to be the same",
                    definition.id,
                    names[0].or(names[1]).unwrap_or_default().to_string_lossy(),
                ),
            });
        }
        let direction = definition.metric.direction;
        let description = if_exists(read_text(&folder.join("description.md")))?;
        let leaderboard = if_exists(Leaderboard::read(&folder.join("leaderboard.csv"), direction))?;
        let thresholds = match (&definition.medals, &leaderboard) {
            (Some(medals), _) => Some(medals.thresholds()),
            (None, Some(board)) => Some(Thresholds::from_leaderboard(board)),
            (None, None) => None,
        };
        let component = format!("{}.wasm", definition.id);
        let grader_candidates = std::iter::once(folder.join("grader.wasm"))
            .chain(grader_folders.iter().map(|folder| folder.join(&component)))
            .collect();
        Ok(Competition {
            definition,
            folder: folder.to_owned(),
            description,
            leaderboard,
            thresholds,
            grader_candidates,
        })
    }

    /// The id.
    pub fn id(&self) -> &str {
        &self.definition.id
    }

    /// Which of two scores wins.
    pub fn direction(&self) -> Direction {
        self.definition.metric.direction
    }

    /// How a score is rounded before it is compared.
    pub fn rounding(&self) -> Rounding {
        self.definition.metric.rounding
    }

    /// The file of the grader.
    ///
    /// # Errors
    /// [`Error::NoGrader`] with all places where one was looked for.
    pub fn grader(&self) -> Result<&Path, Error> {
        self.grader_candidates.iter().find(|path| path.is_file()).map(PathBuf::as_path).ok_or_else(
            || Error::NoGrader {
                competition: self.id().to_owned(),
                searched: self.grader_candidates.clone(),
            },
        )
    }

    /// The files of answers in a data folder, whether they exist or not: `<data folder>/<id>/…`.
    pub fn answers_in(&self, data_folder: &Path) -> Vec<PathBuf> {
        let own = data_folder.join(self.id());
        self.definition.data.answers.iter().map(|path| own.join(path)).collect()
    }

    /// The sample submission in a data folder, whether it exists or not.
    pub fn sample_submission_in(&self, data_folder: &Path) -> Option<PathBuf> {
        let own = data_folder.join(self.id());
        self.definition.data.sample_submission.as_ref().map(|path| own.join(path))
    }

    /// The answers that are missing from a data folder; empty means that submissions can be graded.
    pub fn missing_answers_in(&self, data_folder: &Path) -> Vec<PathBuf> {
        self.answers_in(data_folder).into_iter().filter(|path| !path.is_file()).collect()
    }

    /// Why a grader is not this competition's: it says of itself that it grades another one, or that scores are ranked
    /// the other way round. `None` where it says what the definition says.
    pub fn mismatch(&self, says: &Description) -> Option<String> {
        if says.competition != self.id() {
            Some(format!(
                "the grader says that it grades `{}`, not `{}`: put the right component in its place",
                says.competition,
                self.id(),
            ))
        } else if says.direction != self.direction() {
            Some(format!(
                "the grader says that {}, the definition of `{}` that {}: one of the two has to be corrected",
                says.direction,
                self.id(),
                self.direction(),
            ))
        } else {
            None
        }
    }

    /// The limits of a grading: the default ones, changed by the competition, changed by `overrides`.
    pub fn limits(&self, overrides: &LimitOverrides) -> Limits {
        Limits::default().with(&self.definition.limits).with(overrides)
    }

    /// The limits of a validation: those of a grading, but a competition's own only where they allow more than the
    /// default ones.
    ///
    /// What a grading takes may depend on the answers. Whoever may validate as often as they like and make submissions a
    /// little larger each time would learn from the one at which a limit is reached how they compare with the answers; so
    /// limits have to be out of reach of any submission that is graded as it should be. That of the size of inputs is
    /// about files that are known, and holds.
    pub fn validation_limits(&self, overrides: &LimitOverrides) -> Limits {
        let (default, own) = (Limits::default(), Limits::default().with(&self.definition.limits));
        let limits = Limits {
            fuel: own.fuel.max(default.fuel),
            memory_bytes: own.memory_bytes.max(default.memory_bytes),
            wall_clock: own.wall_clock.max(default.wall_clock),
            ..own
        };
        limits.with(overrides)
    }
}

/// A file that need not be there.
fn if_exists<T>(read: Result<T, Error>) -> Result<Option<T>, Error> {
    match read {
        Ok(content) => Ok(Some(content)),
        Err(Error::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn read_text(path: &Path) -> Result<String, Error> {
    regular_file::read_text(path, MOST_BYTES).map_err(|source| Error::read(path, source))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const DEFINITION: &str = r#"
        id = "seals"
        name = "Seals"
        [metric]
        name = "accuracy"
        direction = "higher"
        [data]
        answers = ["prepared/private/test.csv", "prepared/private/more.csv"]
        sample_submission = "prepared/public/sample.csv"
        [limits]
        fuel = 5
        memory_bytes = 65536
    "#;

    fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("seals");
        fs::create_dir(&folder).unwrap();
        for (name, content) in files {
            fs::write(folder.join(name), content).unwrap();
        }
        (above, folder)
    }

    #[test]
    fn a_definition_alone_is_a_competition() {
        let (above, folder) = folder(&[("competition.toml", DEFINITION)]);
        let competition = Competition::load(&folder, &[]).unwrap();
        assert_eq!(competition.id(), "seals");
        assert_eq!((&competition.description, &competition.leaderboard), (&None, &None));
        assert_eq!(competition.thresholds, None);
        let data = above.path().join("data");
        let private = data.join("seals/prepared/private");
        assert_eq!(
            competition.answers_in(&data),
            [private.join("test.csv"), private.join("more.csv")]
        );
        assert_eq!(
            competition.sample_submission_in(&data),
            Some(data.join("seals/prepared/public/sample.csv"))
        );
        fs::create_dir_all(&private).unwrap();
        fs::write(private.join("test.csv"), "").unwrap();
        assert_eq!(competition.missing_answers_in(&data), [private.join("more.csv")]);
    }

    #[test]
    fn limits_go_from_default_over_the_competitions_to_the_callers() {
        let (_above, folder) = folder(&[("competition.toml", DEFINITION)]);
        let competition = Competition::load(&folder, &[]).unwrap();
        let overrides = LimitOverrides { fuel: Some(7), ..LimitOverrides::default() };
        let limits = competition.limits(&overrides);
        let expected = Limits { fuel: 7, memory_bytes: 65_536, ..Limits::default() };
        assert_eq!(limits, expected);
    }

    #[test]
    fn no_limit_of_a_competition_is_in_the_way_of_a_validation() {
        let none = LimitOverrides::default();
        let default = Limits::default();
        for (own, fuel, wall_clock, input_bytes) in [
            ("fuel = 7\nwall_clock_seconds = 1", default.fuel, 7_200, default.input_bytes),
            ("memory_bytes = 65536\ninput_bytes = 9", default.fuel, 7_200, 9),
            ("fuel = 20000000000000", 20_000_000_000_000, 7_200, default.input_bytes),
            ("wall_clock_seconds = 9000", default.fuel, 9_000, default.input_bytes),
        ] {
            let definition = DEFINITION.split("[limits]").next().unwrap();
            let definition = format!("{definition}\n[limits]\n{own}\n");
            let (_above, folder) = folder(&[("competition.toml", &definition)]);
            let competition = Competition::load(&folder, &[]).unwrap();
            let wall_clock = std::time::Duration::from_secs(wall_clock);
            let expected = Limits { fuel, wall_clock, input_bytes, ..Limits::default() };
            assert_eq!(competition.validation_limits(&none), expected, "{own}");
            // What whoever set the context up chose is theirs to choose.
            let chosen = LimitOverrides { fuel: Some(5), ..LimitOverrides::default() };
            assert_eq!(competition.validation_limits(&chosen).fuel, 5, "{own}");
        }
    }

    #[test]
    fn medal_lines_come_from_the_board_unless_they_are_stated() {
        let board = ("leaderboard.csv", "score\n0.9\n0.8\n0.7\n0.6\n0.5\n");
        let (_above, plain) = folder(&[("competition.toml", DEFINITION), board]);
        let from_board = Thresholds { gold: 0.9, silver: 0.9, bronze: 0.8, median: 0.7 };
        assert_eq!(Competition::load(&plain, &[]).unwrap().thresholds, Some(from_board));
        let stated =
            format!("{DEFINITION}\n[medals]\ngold = 3\nsilver = 2\nbronze = 1\nmedian = 0\n");
        let (_above, own) = folder(&[("competition.toml", &stated), board]);
        let lines = Thresholds { gold: 3.0, silver: 2.0, bronze: 1.0, median: 0.0 };
        assert_eq!(Competition::load(&own, &[]).unwrap().thresholds, Some(lines));
    }

    #[test]
    fn the_competitions_own_grader_goes_first() {
        let (above, folder) = folder(&[("competition.toml", DEFINITION)]);
        let graders = [above.path().join("first"), above.path().join("second")];
        let competition = Competition::load(&folder, &graders).unwrap();
        let message = competition.grader().unwrap_err().to_string();
        for place in ["seals/grader.wasm", "first/seals.wasm", "second/seals.wasm"] {
            assert!(message.contains(place), "{message}");
        }
        let places = [
            graders[1].join("seals.wasm"),
            graders[0].join("seals.wasm"),
            folder.join("grader.wasm"),
        ];
        for place in places {
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(&place, "").unwrap();
            assert_eq!(competition.grader().unwrap(), place);
        }
    }

    #[test]
    fn broken_folders_are_named() {
        let cases: &[(&[(&str, &str)], &str)] = &[
            (&[], "seals/competition.toml: cannot be read"),
            (&[("competition.toml", "id = 3")], "seals/competition.toml: line 1"),
            (
                &[("competition.toml", &DEFINITION.replace("\"seals\"", "\"walruses\""))],
                "`id` is `walruses`, but the folder is called `seals`",
            ),
            (
                &[("competition.toml", DEFINITION), ("leaderboard.csv", "score\n1\n2\n")],
                "seals/leaderboard.csv: team 2 (2) is better than team 1 (1)",
            ),
        ];
        for (files, part) in cases {
            let (_above, folder) = folder(files);
            let message = Competition::load(&folder, &[]).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
