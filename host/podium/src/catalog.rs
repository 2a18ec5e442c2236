//! The competitions on a search path.
//!
//! Relies on [`Competition`] for each folder. Nothing is read before it is asked for: grading one submission must not
//! cost the reading of all competitions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::competition::{Competition, DEFINITION_FILE};
use crate::definition::check_id;
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
        if check_id(id).is_ok() {
            for folder in &self.competition_folders {
                let own = folder.join(id);
                if own.join(DEFINITION_FILE).is_file() && is_spelled(&own, id) {
                    return Competition::load(&own, &self.grader_folders);
                }
            }
        }
        Err(Error::UnknownCompetition {
            id: id.escape_debug().to_string(),
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

/// The names of the competition folders in a folder, sorted.
fn ids_in(folder: &Path) -> Result<Vec<String>, Error> {
    let mut ids = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|source| Error::read(folder, source))? {
        let entry = entry.map_err(|source| Error::read(folder, source))?;
        if let Ok(name) = entry.file_name().into_string() {
            if entry.path().join(DEFINITION_FILE).is_file() {
                ids.push(name);
            }
        }
    }
    ids.sort();
    Ok(ids)
}

/// Whether the folder is really called so: on a file system that ignores case, `ai4code` finds `AI4Code`.
fn is_spelled(folder: &Path, id: &str) -> bool {
    let Some(above) = folder.parent() else { return true };
    std::fs::read_dir(above)
        .map(|entries| entries.flatten().any(|entry| entry.file_name() == id))
        .unwrap_or(true)
}
