//! The one place where bytes become native code without passing the compiler.

#![allow(unsafe_code)]

use wasmtime::component::Component;

/// A compiled component whose origin was checked by the cache.
pub(crate) struct Precompiled(Vec<u8>);

impl Precompiled {
    /// Vouches that these bytes are what `Component::serialize` gave for an engine of the same version and settings,
    /// unaltered.
    pub(crate) fn vouched_for(bytes: Vec<u8>) -> Precompiled {
        Precompiled(bytes)
    }

    /// Loads the compiled component.
    pub(crate) fn load(&self, engine: &wasmtime::Engine) -> wasmtime::Result<Component> {
        // SAFETY: `deserialize` needs bytes that wasmtime's own serialisation produced, because it runs them as native
        // code. The cache is the only caller of `vouched_for`, and reads nothing but what it wrote: files in a folder
        // that belongs to this user and that nobody else can enter, each of them this user's, not writable by others,
        // and carrying a digest of the compiled bytes together with the digests of the component and of the engine's
        // version and settings. Whoever can forge that already runs code as this user. wasmtime itself checks version
        // and settings once more.
        unsafe { Component::deserialize(engine, &self.0) }
    }
}
