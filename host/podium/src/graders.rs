//! Which component grades a competition, and whether it may.
//!
//! In this order: the one that somebody names for a grading; the one that the competition is pinned to in the component
//! store; the `grader.wasm` in the competition's own folder; the first `<id>.wasm` in the folders of graders. Whichever it
//! is, a trust policy is asked before anything of it is compiled or run. Relies on [`ComponentStore`] for pins and stored
//! components, on [`TrustPolicy`] for who is trusted, on [`Competition`] for the files.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::competition::Competition;
use crate::component_file::ComponentFile;
use crate::digest::Digest;
use crate::engine::Engine;
use crate::error::Error;
use crate::grader::Grader;
use crate::inspection::ComponentLimits;
use crate::store::{ComponentStore, Pins, StoreProblem};
use crate::trust::{TrustPolicy, TrustedBy};

/// Where a component is taken from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GraderSource {
    /// From a file.
    File(PathBuf),
    /// From the component store, by its digest.
    Stored(Digest),
}

impl From<PathBuf> for GraderSource {
    fn from(path: PathBuf) -> GraderSource {
        GraderSource::File(path)
    }
}

/// Why it is that component that grades.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GraderOrigin {
    /// Somebody named it for this grading.
    Named,
    /// The competition is pinned to it.
    Pinned,
    /// It lies in the competition's own folder.
    Competition,
    /// It lies in a folder of graders.
    Folder,
}

/// The component that grades a competition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenGrader {
    /// Where it is taken from.
    pub source: GraderSource,
    /// Why it is that one.
    pub origin: GraderOrigin,
}

/// A grader that may grade, and why it may.
#[derive(Clone, Debug)]
pub struct TrustedGrader {
    /// The grader.
    pub grader: Grader,
    /// What the policy said; `None` where there is no policy, and anything may grade.
    pub trusted_by: Option<TrustedBy>,
}

/// Chooses, reads and loads graders. Cloning is cheap. Pins are those of the moment in which it was made.
///
/// The default has no store and no policy: no competition is pinned, and any component may grade.
#[derive(Clone, Debug, Default)]
pub struct Graders(Arc<Parts>);

#[derive(Debug, Default)]
struct Parts {
    store: Option<ComponentStore>,
    pins: Pins,
    policy: Option<TrustPolicy>,
}

impl Graders {
    /// Graders with a component store and a trust policy, where there are any.
    ///
    /// # Errors
    /// [`Error::Store`] or [`Error::Read`] where the pins of the store cannot be read: without them, competitions would be
    /// graded by others than somebody chose.
    pub fn new(
        store: Option<ComponentStore>,
        policy: Option<TrustPolicy>,
    ) -> Result<Graders, Error> {
        let pins = store.as_ref().map(ComponentStore::pins).transpose()?.unwrap_or_default();
        Ok(Graders(Arc::new(Parts { store, pins, policy })))
    }

    /// The same without the policy: for looking at a component that somebody names, on data that are made up.
    #[must_use]
    pub fn without_policy(&self) -> Graders {
        let Parts { store, pins, .. } = &*self.0;
        Graders(Arc::new(Parts { store: store.clone(), pins: pins.clone(), policy: None }))
    }

    /// The component store.
    pub fn store(&self) -> Option<&ComponentStore> {
        self.0.store.as_ref()
    }

    /// Which components are pinned.
    pub fn pins(&self) -> &Pins {
        &self.0.pins
    }

    /// The trust policy.
    pub fn policy(&self) -> Option<&TrustPolicy> {
        self.0.policy.as_ref()
    }

    /// The component that grades a competition where nobody names another.
    ///
    /// # Errors
    /// [`Error::Store`] where the competition is pinned to a component that is not there; [`Error::NoGrader`] with all
    /// places where one was looked for.
    pub fn choose(&self, competition: &Competition) -> Result<ChosenGrader, Error> {
        if let (Some(sha256), Some(store)) = (self.0.pins.get(competition.id()), self.store()) {
            if !store.holds(sha256) {
                let (competition, sha256) = (competition.id().to_owned(), *sha256);
                return Err(store.error(StoreProblem::PinnedIsMissing { competition, sha256 }));
            }
            let source = GraderSource::Stored(*sha256);
            return Ok(ChosenGrader { source, origin: GraderOrigin::Pinned });
        }
        let path = competition.grader()?;
        let is_own = path.parent() == Some(competition.folder.as_path());
        let origin = if is_own { GraderOrigin::Competition } else { GraderOrigin::Folder };
        Ok(ChosenGrader { source: GraderSource::File(path.to_owned()), origin })
    }

    /// Where a component lies, for people and for programs of the machine.
    pub fn path_of(&self, source: &GraderSource) -> PathBuf {
        match (source, self.store()) {
            (GraderSource::File(path), _) => path.clone(),
            (GraderSource::Stored(sha256), Some(store)) => store.path_of(sha256),
            (GraderSource::Stored(sha256), None) => PathBuf::from(sha256.prefixed()),
        }
    }

    /// Reads a component, without looking into it. One from the store is held against its digest.
    ///
    /// # Errors
    /// [`Error::Grader`] where it cannot be read, [`Error::Store`] where it is not there or damaged.
    pub fn read(
        &self,
        source: &GraderSource,
        limits: &ComponentLimits,
    ) -> Result<ComponentFile, Error> {
        match source {
            GraderSource::File(path) => ComponentFile::read(path, limits),
            GraderSource::Stored(sha256) => match self.store() {
                Some(store) => store.read(sha256, limits),
                None => Err(Error::NoStore { sha256: *sha256 }),
            },
        }
    }

    /// Asks the policy whether a component may grade a competition; `None` where there is no policy.
    ///
    /// # Errors
    /// [`Error::NotTrusted`].
    pub fn judge(
        &self,
        competition: &str,
        component: &ComponentFile,
    ) -> Result<Option<TrustedBy>, Error> {
        let judged = self.policy().map(|policy| policy.judge(competition, component)).transpose();
        judged.map_err(Error::NotTrusted)
    }

    /// Reads a component, asks the policy whether it may grade a competition, and only then compiles and loads it. What
    /// the grader says of itself is for whoever loads it to compare ([`Competition::mismatch`]).
    ///
    /// # Errors
    /// Those of [`Graders::read`] and [`Graders::judge`]; [`Error::Grader`] where it is no grader.
    pub fn load(
        &self,
        engine: &Engine,
        competition: &str,
        source: &GraderSource,
    ) -> Result<TrustedGrader, Error> {
        let component = self.read(source, engine.component_limits())?;
        let trusted_by = self.judge(competition, &component)?;
        let name = component.path.display().to_string();
        let grader = Grader::from_bytes(engine, name, &component.bytes)?;
        Ok(TrustedGrader { grader, trusted_by })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::{component, engine};
    use crate::testing_competition::TestingCompetition;

    #[test]
    fn a_pin_goes_before_the_own_grader_and_that_before_the_folders() {
        let world = TestingCompetition::new();
        let competition = || {
            let graders = [world.path("graders")];
            Competition::load(&world.path("competitions/tiny"), &graders).unwrap()
        };
        let store = ComponentStore::at(world.path("store"));
        let choose = || Graders::new(Some(store.clone()), None).unwrap().choose(&competition());
        let half = component("(call $score (f64.const 0.5))");
        let in_folder = world.write("graders/tiny.wasm", &half);
        let own = world.path("competitions/tiny/grader.wasm");
        let chosen = |source, origin| ChosenGrader { source, origin };
        assert_eq!(choose().unwrap(), chosen(own.clone().into(), GraderOrigin::Competition));
        fs::remove_file(&own).unwrap();
        assert_eq!(choose().unwrap(), chosen(in_folder.clone().into(), GraderOrigin::Folder));

        let file = ComponentFile::read(&in_folder, &ComponentLimits::default()).unwrap();
        let sha256 = store.add(&file, None).unwrap().sha256;
        store.pin("tiny", &sha256).unwrap();
        let pinned = chosen(GraderSource::Stored(sha256), GraderOrigin::Pinned);
        assert_eq!(choose().unwrap(), pinned);
        // Nothing else grades it because the component is gone.
        store.remove(&sha256, true).unwrap();
        let message = choose().unwrap_err().to_string();
        assert!(message.contains("`tiny` is pinned to"), "{message}");
        assert!(message.contains("podium grader unpin tiny"), "{message}");
        store.unpin("tiny").unwrap();
        assert_eq!(choose().unwrap().origin, GraderOrigin::Folder);
        fs::write(store.folder().join("pins.toml"), "pins = 3").unwrap();
        assert!(matches!(choose_error(&store), Error::Store { .. }));
    }

    fn choose_error(store: &ComponentStore) -> Error {
        Graders::new(Some(store.clone()), None).unwrap_err()
    }

    #[test]
    fn the_policy_is_asked_before_anything_is_compiled() {
        let world = TestingCompetition::new();
        let policy = world.write("trust.toml", "default = \"refuse\"\n");
        let policy = TrustPolicy::read(&policy).unwrap();
        let graders = Graders::new(None, Some(policy)).unwrap();
        // Not even a component: had it been looked into, that would be what is said of it.
        let path = world.write("graders/none.wasm", "not a component");
        let error = graders.load(&engine(), "tiny", &path.into()).unwrap_err();
        assert!(matches!(error, Error::NotTrusted(_)), "{error}");
        let path = world.path("competitions/tiny/grader.wasm");
        assert!(graders.load(&engine(), "tiny", &path.clone().into()).is_err());
        let trusting = Graders::default().load(&engine(), "tiny", &path.into()).unwrap();
        assert_eq!(trusting.trusted_by, None);
    }

    #[test]
    fn without_a_store_there_is_nothing_by_digest() {
        let source = GraderSource::Stored(Digest::of(b"x"));
        let error = Graders::default().load(&engine(), "tiny", &source).unwrap_err();
        assert!(matches!(error, Error::NoStore { .. }), "{error}");
    }
}
