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
        let mut compiled = Vec::new();
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
