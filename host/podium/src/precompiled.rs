//! The one place where bytes become native code without passing the compiler.

#![allow(unsafe_code)]

use wasmtime::component::Component;

/// A compiled component whose origin is known: it was compiled here, by a process that was started here, or was checked
/// by the cache.
pub(crate) struct Precompiled(Vec<u8>);

impl Precompiled {
    /// Vouches that these bytes are what `Component::serialize` gave for an engine of the same version and settings,
    /// unaltered.
    pub(crate) fn vouched_for(bytes: Vec<u8>) -> Precompiled {
        Precompiled(bytes)
    }

    /// The bytes, to be kept.
    pub(crate) fn code(&self) -> &[u8] {
        &self.0
    }

    /// Loads the compiled component.
    pub(crate) fn load(&self, engine: &wasmtime::Engine) -> wasmtime::Result<Component> {
        // SAFETY: `deserialize` needs bytes that wasmtime's own serialisation produced, because it runs them as native
        // code. `vouched_for` has three callers. The engine has just compiled the bytes itself. A compiler process was
        // started by this one, from a program that its embedder chose, and writes to a pipe that nobody else holds. The
        // cache reads nothing but what it wrote: files in a folder that belongs to this user and that nobody else can
        // enter, each of them this user's, not writable by others, and carrying a digest of the compiled bytes together
        // with the digests of the component and of the engine's version and settings. Whoever can forge any of these
        // already runs code as this user. wasmtime itself checks version and settings once more.
        unsafe { Component::deserialize(engine, &self.0) }
    }
}
