//! The competitions on a search path.
//!
//! Relies on [`Competition`] for each folder. Nothing is read before it is asked for: grading one submission must not
//! cost the reading of all competitions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::competition::{Competition, DEFINITION_FILE};
use crate::competition_id;
use crate::error::Error;

/// A search path of folders that hold competition folders, and of folders that hold graders.
///
/// Where two folders hold a competition of the same id, the one in the earlier folder wins, and so with graders.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    competition_folders: Vec<PathBuf>,
    grader_folders: Vec<PathBuf>,
}

/// All competitions of a catalog that can be read, and what is wrong with the others.
#[derive(Debug, Default)]
pub struct Listing {
    /// The competitions, by id (letters before their case).
    pub competitions: Vec<Competition>,
    /// Why folders were left out; each error names its file or folder.
    pub problems: Vec<Error>,
}

impl Catalog {
    /// A catalog over these folders, in the order in which they are searched.
    pub fn new(competition_folders: Vec<PathBuf>, grader_folders: Vec<PathBuf>) -> Catalog {
        Catalog { competition_folders, grader_folders }
    }

    /// The folders that hold competition folders.
    pub fn competition_folders(&self) -> &[PathBuf] {
        &self.competition_folders
    }

    /// The folders that hold graders named `<id>.wasm`.
    pub fn grader_folders(&self) -> &[PathBuf] {
        &self.grader_folders
    }

    /// The competition of this id.
    ///
    /// # Errors
    /// [`Error::UnknownCompetition`], with the ids that may have been meant and the folders that were searched; the
    /// errors of [`Competition::load`] where the competition is there but broken.
    pub fn get(&self, id: &str) -> Result<Competition, Error> {
        if competition_id::check(id).is_ok() {
            for folder in &self.competition_folders {
                let own = folder.join(id);
                if lies_at(&own.join(DEFINITION_FILE)) && is_spelled(&own, id) {
                    return Competition::load(&own, &self.grader_folders);
                }
            }
        }
        Err(Error::UnknownCompetition {
            id: shown(id),
            similar: self.similar_ids(id),
            searched: self.competition_folders.clone(),
        })
    }

    /// Reads all competitions. A folder without a `competition.toml` is no competition and is passed over in silence.
    pub fn list(&self) -> Listing {
        let mut listing = Listing::default();
        let mut seen = BTreeSet::new();
        for folder in &self.competition_folders {
            match ids_in(folder) {
                Err(error) => listing.problems.push(error),
                Ok(ids) => {
                    for id in ids {
                        if !seen.insert(id.clone()) {
                            continue;
                        }
                        match Competition::load(&folder.join(&id), &self.grader_folders) {
                            Ok(competition) => listing.competitions.push(competition),
                            Err(error) => listing.problems.push(error),
                        }
                    }
                }
            }
        }
        listing.competitions.sort_by_cached_key(|competition| {
            (competition.id().to_lowercase(), competition.id().to_owned())
        });
        listing
    }

    /// The ids closest to a wrong one, best first; at most three.
    fn similar_ids(&self, id: &str) -> Vec<String> {
        let wanted = id.to_lowercase();
        let ids: BTreeSet<String> = self
            .competition_folders
            .iter()
            .filter_map(|folder| ids_in(folder).ok())
            .flatten()
            .collect();
        let mut ranked: Vec<(f64, String)> = ids
            .into_iter()
            .map(|known| {
                let lower = known.to_lowercase();
                let likeness = strsim::jaro_winkler(&wanted, &lower)
                    .max(strsim::normalized_levenshtein(&wanted, &lower));
                // Half of a long id is a usual way to name a competition.
                let holds = wanted.len() >= 4 && lower.contains(&wanted);
                (if holds { likeness.max(0.9) } else { likeness }, known)
            })
            .filter(|(likeness, _)| *likeness >= 0.8)
            .collect();
        ranked.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
        ranked.into_iter().take(3).map(|(_, known)| known).collect()
    }
}

/// An id that somebody wrote, fit to be shown.
fn shown(id: &str) -> String {
    const CHARACTERS: usize = 200;
    match id.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", id[..end].escape_debug()),
        None => id.escape_debug().to_string(),
    }
}

/// The names of the competition folders in a folder, sorted.
fn ids_in(folder: &Path) -> Result<Vec<String>, Error> {
    let mut ids = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|source| Error::read(folder, source))? {
        let entry = entry.map_err(|source| Error::read(folder, source))?;
        if let Ok(name) = entry.file_name().into_string()
            && lies_at(&entry.path().join(DEFINITION_FILE))
        {
            ids.push(name);
        }
    }
    ids.sort();
    Ok(ids)
}

/// Whether something lies there, even if it cannot be read: a competition that is broken is said to be.
fn lies_at(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Whether the folder is really called so: on a file system that ignores case, `ai4code` finds `AI4Code`.
fn is_spelled(folder: &Path, id: &str) -> bool {
    let Some(above) = folder.parent() else { return true };
    std::fs::read_dir(above)
        .map(|entries| entries.flatten().any(|entry| entry.file_name() == id))
        .unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn add(folder: &Path, id: &str, name: &str) {
        let own = folder.join(id);
        fs::create_dir_all(&own).unwrap();
        let text = format!(
            "id = \"{id}\"\nname = \"{name}\"\n[metric]\nname = \"m\"\ndirection = \"higher\"\n[data]\nanswers = [\"a.csv\"]"
        );
        fs::write(own.join(DEFINITION_FILE), text).unwrap();
    }

    #[test]
    fn the_earlier_folder_wins_whoever_made_it() {
        let above = tempfile::tempdir().unwrap();
        let (first, second) = (above.path().join("first"), above.path().join("second"));
        add(&first, "seals", "ours");
        add(&second, "seals", "theirs");
        add(&second, "AI4Seals", "theirs, too");
        fs::create_dir(first.join("no-competition")).unwrap();
        fs::write(first.join("file"), "").unwrap();
        let catalog = Catalog::new(vec![first, second], Vec::new());
        assert_eq!(catalog.get("seals").unwrap().definition.name, "ours");
        assert_eq!(catalog.get("AI4Seals").unwrap().definition.name, "theirs, too");
        let listing = catalog.list();
        let ids: Vec<&str> = listing.competitions.iter().map(Competition::id).collect();
        assert_eq!(ids, ["AI4Seals", "seals"]);
        assert!(listing.problems.is_empty());
    }

    #[test]
    fn what_is_broken_is_reported_and_does_not_stop_the_rest() {
        let above = tempfile::tempdir().unwrap();
        add(above.path(), "seals", "fine");
        add(above.path(), "walruses", "broken");
        fs::write(above.path().join("walruses").join(DEFINITION_FILE), "id = ").unwrap();
        let missing = above.path().join("missing");
        let catalog = Catalog::new(vec![missing, above.path().to_owned()], Vec::new());
        let listing = catalog.list();
        assert_eq!(listing.competitions.len(), 1);
        let problems: Vec<String> = listing.problems.iter().map(Error::to_string).collect();
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].contains("missing"), "{problems:?}");
        assert!(problems[1].contains("walruses"), "{problems:?}");
        assert!(matches!(catalog.get("walruses"), Err(Error::Definition { .. })));
        assert_eq!(catalog.get("seals").unwrap().id(), "seals");
    }

    #[test]
    fn a_wrong_id_gets_what_may_have_been_meant() {
        let above = tempfile::tempdir().unwrap();
        for id in ["spaceship-titanic", "tabular-playground-series-may-2022", "AI4Code", "seals"] {
            add(above.path(), id, "x");
        }
        let catalog = Catalog::new(vec![above.path().to_owned()], Vec::new());
        for (id, meant) in [
            ("spaceship-titanik", Some("spaceship-titanic")),
            ("titanic", Some("spaceship-titanic")),
            ("tabular-playground-may-2022", Some("tabular-playground-series-may-2022")),
            ("ai4code", Some("AI4Code")),
            ("quite-something-else", None),
            ("", None),
            ("../seals", Some("seals")),
            ("\u{1b}[2J", None),
        ] {
            let error = catalog.get(id).unwrap_err();
            let Error::UnknownCompetition { similar, searched, .. } = &error else {
                panic!("{error}")
            };
            assert_eq!(similar.first().map(String::as_str), meant, "{id}");
            assert_eq!(searched, &[above.path()]);
            assert!(!error.to_string().contains('\u{1b}'));
        }
        let long = catalog.get(&"x".repeat(100_000)).unwrap_err().to_string();
        assert!(long.chars().count() < 500 && long.contains("x…"), "{long}");
    }

    #[test]
    fn ids_that_are_paths_lead_nowhere() {
        let above = tempfile::tempdir().unwrap();
        let inside = above.path().join("inside");
        fs::create_dir(&inside).unwrap();
        add(above.path(), "seals", "outside");
        let catalog = Catalog::new(vec![inside.clone()], Vec::new());
        let absolute = above.path().join("seals");
        for id in
            ["../seals", "./../seals", absolute.to_str().unwrap(), ".", "..", "seals/", "a\0b"]
        {
            assert!(matches!(catalog.get(id), Err(Error::UnknownCompetition { .. })), "{id:?}");
        }
    }

    /// The competitions that come with Podium.
    #[test]
    fn every_built_in_competition_is_sound() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../competitions");
        let listing = Catalog::new(vec![folder], Vec::new()).list();
        assert!(listing.problems.is_empty(), "{:?}", listing.problems);
        assert_eq!(listing.competitions.len(), 82);
        for competition in &listing.competitions {
            check_built_in(competition);
        }
    }

    fn check_built_in(competition: &Competition) {
        use crate::definition::LeaderboardSnapshot;
        use crate::medals::Thresholds;

        let id = competition.id();
        let definition = &competition.definition;
        assert!(competition.description.as_ref().is_some_and(|text| text.len() > 100), "{id}");
        assert!(definition.category.is_some() && definition.complexity.is_some(), "{id}");
        let medals =
            definition.medals.as_ref().unwrap_or_else(|| panic!("{id} has no medal lines"));
        // Lines out of grading reports are exact; those that were published have five decimal places.
        let is_exact = medals.source.as_ref().is_some_and(|source| source.contains("exact"));
        let tolerance = if is_exact { 1e-9 } else { 0.501e-5 };
        let agrees =
            |left: f64, right: f64| (left - right).abs() <= tolerance * right.abs().max(1.0);
        let Some(board) = &competition.leaderboard else {
            assert_eq!(medals.leaderboard_snapshot, Some(LeaderboardSnapshot::None), "{id}");
            return;
        };
        let (stated, follows) = (medals.thresholds(), Thresholds::from_leaderboard(board));
        let lines_agree = agrees(stated.gold, follows.gold)
            && agrees(stated.silver, follows.silver)
            && agrees(stated.bronze, follows.bronze);
        let found = match (lines_agree, agrees(stated.median, follows.median)) {
            (true, true) => LeaderboardSnapshot::Agrees,
            (true, false) => LeaderboardSnapshot::MedianDiffers,
            (false, _) => LeaderboardSnapshot::MedalLinesDiffer,
        };
        assert_eq!(medals.leaderboard_snapshot, Some(found), "{id}: {stated:?} and {follows:?}");
    }
}
