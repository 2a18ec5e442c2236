//! Compiled components on disk, so that a grader is compiled once a machine and not once a process.
//!
//! What lies in the cache is run as native code, so nothing in it is believed: the folder and each file must belong to
//! this user and be closed to others, and each file carries the digests of what it is for and of what it holds. All
//! that does not fit is as good as not there; a cache never makes a grading fail. Two processes may use one cache at
//! once, because files are written beside and then renamed.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::digest::Digest;
use crate::precompiled::Precompiled;

/// Where compiled components are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum CacheLocation {
    /// Nowhere: every process compiles for itself.
    Off,
    /// In a subfolder of this folder; both are created.
    Folder(PathBuf),
    /// In the folder for caches of this user: `$XDG_CACHE_HOME/podium`, `~/.cache/podium`, or what the platform has.
    #[default]
    UserDefault,
}

/// What every file begins with; changes with the layout.
const MAGIC: &[u8; 16] = b"podium compiled\x01";

/// No compiled component is that large; a file that is was not written here.
const LARGEST: u64 = 1 << 30;

/// An open cache.
#[derive(Debug)]
pub(crate) struct Cache {
    state: Result<PathBuf, String>,
    /// Digest of the engine's version and settings.
    settings: Digest,
}

impl Cache {
    /// Opens the cache at a location for an engine. If that is not possible, the cache is there but stays empty.
    pub(crate) fn open(location: &CacheLocation, engine: &wasmtime::Engine) -> Cache {
        let folder = match location {
            CacheLocation::Off => Err("it is switched off".to_owned()),
            CacheLocation::Folder(folder) => Ok(folder.clone()),
            CacheLocation::UserDefault => user_folder(),
        };
        let state = folder.map(|folder| folder.join("compiled")).and_then(|folder| {
            match make_private(&folder) {
                Ok(()) => Ok(folder),
                Err(error) => Err(format!("{}: {error}", folder.display())),
            }
        });
        Cache { state, settings: digest_of_settings(engine) }
    }

    /// The folder in use, or why there is none.
    pub(crate) fn folder(&self) -> Result<&Path, &str> {
        self.state.as_deref().map_err(String::as_str)
    }

    /// What was compiled for a component, if that is there and beyond doubt.
    pub(crate) fn get(&self, component: &Digest) -> Option<Precompiled> {
        let mut file = open_private(&self.path(component)?).ok()?;
        let mut header = [0; HEADER_BYTES];
        file.read_exact(&mut header).ok()?;
        let size = file.metadata().ok()?.len().min(LARGEST);
        let mut compiled = Vec::with_capacity(usize::try_from(size).ok()?);
        file.take(LARGEST).read_to_end(&mut compiled).ok()?;
        let expected = self.header(component, &compiled);
        (header == expected).then(|| Precompiled::vouched_for(compiled))
    }

    /// Keeps what was compiled for a component. That this can fail (disk full, folder gone) is nobody's concern.
    pub(crate) fn put(&self, component: &Digest, compiled: &[u8]) {
        // The outcome decides nothing: without the file, the next process compiles again.
        let _ = self.try_put(component, compiled);
    }

    fn try_put(&self, component: &Digest, compiled: &[u8]) -> io::Result<()> {
        let (Some(path), Ok(folder)) = (self.path(component), self.folder()) else {
            return Ok(());
        };
        // Created readable and writable by this user alone.
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&self.header(component, compiled))?;
        file.write_all(compiled)?;
        file.persist(path)?;
        Ok(())
    }

    fn path(&self, component: &Digest) -> Option<PathBuf> {
        let settings = self.settings.to_string();
        let name = format!("{component}-{}.compiled", &settings[..16]);
        Some(self.folder().ok()?.join(name))
    }

    fn header(&self, component: &Digest, compiled: &[u8]) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        let (magic, digests) = header.split_at_mut(MAGIC.len());
        magic.copy_from_slice(MAGIC);
        for (place, digest) in
            digests.chunks_exact_mut(32).zip([component, &self.settings, &Digest::of(compiled)])
        {
            place.copy_from_slice(digest.as_bytes());
        }
        header
    }
}

/// Magic, then three digests: of the component, of the engine's version and settings, of what follows.
const HEADER_BYTES: usize = MAGIC.len() + 3 * 32;

fn user_folder() -> Result<PathBuf, String> {
    use etcetera::BaseStrategy;
    match etcetera::choose_base_strategy() {
        Ok(strategy) => Ok(strategy.cache_dir().join("podium")),
        Err(error) => Err(format!("this user has no folder for caches: {error}")),
    }
}

/// A digest of all that decides whether compiled code fits an engine.
fn digest_of_settings(engine: &wasmtime::Engine) -> Digest {
    struct Hashing(Sha256);
    impl std::hash::Hasher for Hashing {
        fn write(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }
        fn finish(&self) -> u64 {
            0
        }
    }
    let mut hashing = Hashing(Sha256::new());
    std::hash::Hash::hash(&engine.precompile_compatibility_hash(), &mut hashing);
    std::hash::Hash::hash(&crate::engine::WASMTIME_VERSION, &mut hashing);
    Digest::from(<[u8; 32]>::from(hashing.0.finalize()))
}

/// Makes a folder that only this user can enter, or checks that an existing one is.
fn make_private(folder: &Path) -> io::Result<()> {
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let metadata = fs::symlink_metadata(folder)?;
    if !metadata.is_dir() {
        return Err(io::Error::other("is not a folder; remove it"));
    }
    check_private(&metadata, 0o077).map_err(|problem| {
        io::Error::other(format!("{problem}; remove it, or make it private with `chmod 700`"))
    })
}

fn open_private(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("is not a regular file"));
    }
    check_private(&metadata, 0o022).map_err(io::Error::other)?;
    Ok(file)
}

/// Whether something belongs to this user and has none of the `closed` permissions.
#[cfg(unix)]
fn check_private(metadata: &fs::Metadata, closed: u32) -> Result<(), &'static str> {
    use std::os::unix::fs::MetadataExt;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err("belongs to another user");
    }
    if metadata.mode() & closed != 0 {
        return Err("is open to other users");
    }
    Ok(())
}

/// On other systems the folder for caches is the user's own.
#[cfg(not(unix))]
fn check_private(_metadata: &fs::Metadata, _closed: u32) -> Result<(), &'static str> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code_generation::CodeGeneration;
    use crate::engine::{Engine, EngineSettings};
    use crate::grader::Grader;
    use crate::testing::component;
    use crate::{Input, Limits, Verdict};

    fn engine(folder: &Path) -> Engine {
        let cache = CacheLocation::Folder(folder.to_owned());
        Engine::new(EngineSettings { cache, ..EngineSettings::default() }).unwrap()
    }

    /// Loads and runs a grader in a new engine over this cache; the score is 0.5 if all is well.
    fn score(folder: &Path) -> f64 {
        let bytes = component("(call $score (f64.const 0.5))");
        let grader = Grader::from_bytes(&engine(folder), "test", &bytes).unwrap();
        let input = Input::from_bytes("submission.csv", "");
        match grader.grade(&input, &[], &Limits::default()).verdict {
            Verdict::Scored { value, .. } => value,
            verdict => panic!("{verdict:?}"),
        }
    }

    fn kept(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder.join("compiled")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    fn is_hit(folder: &Path) -> bool {
        let digest = Digest::of(&component("(call $score (f64.const 0.5))"));
        engine(folder).cache().get(&digest).is_some()
    }

    #[test]
    fn what_was_compiled_once_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!is_hit(folder.path()));
        assert_eq!(score(folder.path()), 0.5);
        assert_eq!(kept(folder.path()).len(), 1);
        assert!(is_hit(folder.path()));
        assert_eq!(score(folder.path()), 0.5);
        assert_eq!(kept(folder.path()).len(), 1);
    }

    /// Threat 17: code that is not what was written is not run.
    #[test]
    fn damage_is_a_miss_and_is_repaired() {
        let folder = tempfile::tempdir().unwrap();
        score(folder.path());
        let file = kept(folder.path()).remove(0);
        let whole = fs::read(&file).unwrap();
        let flipped = |index: usize| {
            let mut bytes = whole.clone();
            bytes[index] ^= 1;
            bytes
        };
        let last = whole.len() - 1;
        for (what, bytes) in [
            ("empty", Vec::new()),
            ("a cut header", whole[..50].to_vec()),
            ("a header alone", whole[..HEADER_BYTES].to_vec()),
            ("cut", whole[..last].to_vec()),
            ("longer", [&whole[..], b"x"].concat()),
            ("another layout", flipped(15)),
            ("of another component", flipped(16)),
            ("of other settings", flipped(48)),
            ("another digest", flipped(80)),
            ("other code", flipped(HEADER_BYTES + (last - HEADER_BYTES) / 2)),
        ] {
            fs::write(&file, bytes).unwrap();
            assert!(!is_hit(folder.path()), "{what}");
            assert_eq!(score(folder.path()), 0.5, "{what}");
            assert_eq!(fs::read(&file).unwrap().len(), whole.len(), "{what}");
            assert!(is_hit(folder.path()), "{what}");
        }
    }

    #[test]
    fn other_settings_have_other_files() {
        let folder = tempfile::tempdir().unwrap();
        score(folder.path());
        let bytes = component("(call $score (f64.const 0.5))");
        let others = [CodeGeneration::Plain, CodeGeneration::Small, CodeGeneration::Baseline];
        for (before, code) in (1..).zip(others) {
            assert_eq!(kept(folder.path()).len(), before);
            let settings = EngineSettings {
                cache: CacheLocation::Folder(folder.path().to_owned()),
                code,
                ..EngineSettings::default()
            };
            let other = Engine::new(settings).unwrap();
            assert!(other.cache().get(&Digest::of(&bytes)).is_none(), "{code:?}");
            Grader::from_bytes(&other, "test", &bytes).unwrap();
            assert!(other.cache().get(&Digest::of(&bytes)).is_some(), "{code:?}");
        }
        assert_eq!(kept(folder.path()).len(), 1 + others.len());
    }

    /// Threat 17: code that others could have written is not run.
    #[cfg(unix)]
    #[test]
    fn what_others_could_have_written_is_not_believed() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let set = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        let folder = tempfile::tempdir().unwrap();
        score(folder.path());
        let compiled = folder.path().join("compiled");
        assert_eq!(fs::metadata(&compiled).unwrap().permissions().mode() & 0o777, 0o700);

        let file = kept(folder.path()).remove(0);
        set(&file, 0o620);
        assert!(!is_hit(folder.path()));
        assert_eq!(score(folder.path()), 0.5);
        assert!(is_hit(folder.path()), "it is replaced by one that is private");

        let elsewhere = folder.path().join("elsewhere");
        fs::rename(&file, &elsewhere).unwrap();
        symlink(&elsewhere, &file).unwrap();
        assert!(!is_hit(folder.path()), "a link");

        set(&compiled, 0o750);
        let engine = engine(folder.path());
        let reason = engine.cache_folder().unwrap_err();
        assert!(reason.contains("open to other users") && reason.contains("chmod 700"), "{reason}");
        assert_eq!(score(folder.path()), 0.5, "works without");
        set(&compiled, 0o700);
    }

    #[test]
    fn gradings_work_where_no_cache_can_be() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(engine(&file).cache_folder().is_err());
        assert_eq!(score(&file), 0.5);
        fs::write(folder.path().join("compiled"), "").unwrap();
        assert_eq!(score(folder.path()), 0.5);
        let off = EngineSettings { cache: CacheLocation::Off, ..EngineSettings::default() };
        assert_eq!(Engine::new(off).unwrap().cache_folder(), Err("it is switched off"));
    }

    #[test]
    fn many_may_load_at_once() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|_| scope.spawn(|| score(folder.path()))).collect();
            assert!(all.into_iter().all(|one| one.join().unwrap() == 0.5));
        });
        assert_eq!(kept(folder.path()).len(), 1, "no temporary file is left");
        assert!(is_hit(folder.path()));
    }
}
