//! What a grader runs in: the state of one grading, its limits, and the functions that the host lends it.
//!
//! A sealed grader gets the contract's functions and nothing else. A foreign one gets a [`virtual_wasi`] beside them.
//!
//! Relies on wasmtime to check what graders hand over (handles, pointers, text) and to call the limiter here whenever
//! memory or tables grow.

mod log;
mod refusal;
mod virtual_clock;
mod virtual_random;
pub(crate) mod virtual_wasi;

use std::fmt;
use std::sync::Arc;

use wasmtime::component::{Linker, Resource, ResourceType, WasmStr};
use wasmtime::{ResourceLimiter, StoreContextMut, Trap};

use self::virtual_wasi::VirtualMachine;
use crate::input::Input;
use crate::limits::Limits;
use crate::told;
use crate::verdict::GraderFailure;

/// The type behind the contract's `file`. A handle carries the number of one of [`Sandbox::inputs`].
#[expect(unreachable_pub, reason = "the bindings pass it on as a public type of a private module")]
pub struct OpenFile;

/// The state of one grading, as its store holds it.
pub(crate) struct Sandbox {
    limits: Limits,
    inputs: Vec<Input>,
    /// What was last read, for the next read to be put in its place: memory that is new to each would be cleared for it.
    read: Arc<Vec<u8>>,
    pub(crate) warnings: Vec<String>,
    pub(crate) panic: Option<String>,
    /// Why memory or tables were last refused to grow.
    pub(crate) refused: Option<GraderFailure>,
    /// What a foreign grader finds; a sealed one has no way to it.
    machine: VirtualMachine,
    memory_bytes: u64,
    pub(crate) peak_memory_bytes: u64,
    table_elements: u64,
}

impl Sandbox {
    /// The most memories, and the most tables, of a component; checked when it is loaded. Real ones have a handful.
    pub(crate) const PARTS: usize = 100;

    pub(crate) fn new(limits: Limits, inputs: Vec<Input>) -> Sandbox {
        Sandbox {
            limits,
            inputs,
            read: Arc::default(),
            warnings: Vec::new(),
            panic: None,
            refused: None,
            machine: VirtualMachine::default(),
            memory_bytes: 0,
            peak_memory_bytes: 0,
            table_elements: 0,
        }
    }

    /// A handle for each of the inputs, to be given to the grader.
    pub(crate) fn handles(&self) -> Vec<Resource<OpenFile>> {
        // There are as many inputs as a competition lists: their number fits by far.
        (0..self.inputs.len()).map(|number| Resource::new_own(number as u32)).collect()
    }

    /// What the grader printed.
    pub(crate) fn take_log(&mut self) -> Option<String> {
        std::mem::take(&mut self.machine.log).into_text()
    }

    fn input(&self, file: &Resource<OpenFile>) -> wasmtime::Result<&Input> {
        // wasmtime vouches for the handle; that the number behind it is one of ours is checked all the same.
        self.inputs.get(file.rep() as usize).ok_or_else(|| wasmtime::Error::new(UnknownFile))
    }
}

#[derive(Debug)]
struct UnknownFile;

impl fmt::Display for UnknownFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a file that was not handed to the grader")
    }
}

impl std::error::Error for UnknownFile {}

/// Memory and tables grow up to their limits; what is refused is remembered, because a grader that gets no memory
/// mostly ends in a trap that does not say so.
impl ResourceLimiter for Sandbox {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let total = self.memory_bytes - current as u64 + desired as u64;
        let own = maximum.map_or(u64::MAX, |maximum| maximum as u64);
        if total > self.limits.memory_bytes || desired as u64 > own {
            let limit = self.limits.memory_bytes.min(own);
            self.refused = Some(GraderFailure::OutOfMemory { limit });
            return Ok(false);
        }
        self.memory_bytes = total;
        self.peak_memory_bytes = self.peak_memory_bytes.max(total);
        Ok(true)
    }

    /// Called after a growth within all limits: the machine has no memory left. A grader must not see that, its result
    /// would depend on the machine.
    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        Err(machine(&error))
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let total = self.table_elements - current as u64 + desired as u64;
        let limit = self.limits.table_elements;
        let own = maximum.map_or(u64::MAX, |maximum| maximum as u64);
        if total > limit || desired as u64 > own {
            self.refused = Some(GraderFailure::OutOfTables { limit: limit.min(own) });
            return Ok(false);
        }
        self.table_elements = total;
        Ok(true)
    }

    fn table_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        Err(machine(&error))
    }

    fn tables(&self) -> usize {
        Sandbox::PARTS
    }

    fn memories(&self) -> usize {
        Sandbox::PARTS
    }
}

fn machine(error: &wasmtime::Error) -> wasmtime::Error {
    wasmtime::Error::new(GraderFailure::Machine { reason: error.to_string() })
}

/// Lends a grader what the contract's version 1 imports.
pub(crate) fn link_v1(linker: &mut Linker<Sandbox>) -> wasmtime::Result<()> {
    let mut files = linker.instance("podium:grading/files@1.0.0")?;
    // Nothing else to do when a handle is dropped: inputs live as long as the grading.
    files
        .resource("file", ResourceType::host::<OpenFile>(), |mut store, _| charge(&mut store, 0))?;
    files.func_wrap(
        "[method]file.name",
        |mut store: StoreContextMut<'_, Sandbox>, (file,): (Resource<OpenFile>,)| {
            let name = store.data().input(&file)?.name().to_owned();
            charge(&mut store, name.len())?;
            Ok((name,))
        },
    )?;
    files.func_wrap(
        "[method]file.size",
        |mut store: StoreContextMut<'_, Sandbox>, (file,): (Resource<OpenFile>,)| {
            charge(&mut store, 0)?;
            Ok((store.data().input(&file)?.size(),))
        },
    )?;
    files.func_wrap(
        "[method]file.read",
        |mut store: StoreContextMut<'_, Sandbox>,
         (file, offset, length): (Resource<OpenFile>, u64, u32)| {
            let input = store.data().input(&file)?.clone();
            let length = input.available(offset, length.min(Limits::READ_BYTES));
            charge(&mut store, length)?;
            let mut bytes = std::mem::take(&mut store.data_mut().read);
            // Nobody else holds it any more: what was read before lies in the grader's memory.
            input.read(offset, length, Arc::make_mut(&mut bytes)).map_err(wasmtime::Error::new)?;
            store.data_mut().read = Arc::clone(&bytes);
            Ok((bytes,))
        },
    )?;
    let mut diagnostics = linker.instance("podium:grading/diagnostics@1.0.0")?;
    diagnostics.func_wrap(
        "warn",
        |mut store: StoreContextMut<'_, Sandbox>, (text,): (WasmStr,)| {
            let message = take(&mut store, &text)?;
            let warnings = &mut store.data_mut().warnings;
            if warnings.len() < Limits::WARNINGS {
                warnings.push(message);
            }
            Ok(())
        },
    )?;
    diagnostics.func_wrap(
        "panicked",
        |mut store: StoreContextMut<'_, Sandbox>, (text,): (WasmStr,)| {
            let message = take(&mut store, &text)?;
            // What panics while it panics does not say why it came to that.
            store.data_mut().panic.get_or_insert(message);
            Ok(())
        },
    )?;
    Ok(())
}

/// Reads a message out of the grader's memory, at the price of its length.
fn take(store: &mut StoreContextMut<'_, Sandbox>, text: &WasmStr) -> wasmtime::Result<String> {
    let text = text.to_str(&*store)?;
    let length = text.len();
    let message = told::message(&text);
    charge(store, length)?;
    Ok(message)
}

/// Takes fuel for a call and the bytes that the host copies in it, so that a grader cannot keep the host busy for
/// nothing.
fn charge(store: &mut StoreContextMut<'_, Sandbox>, bytes: usize) -> wasmtime::Result<()> {
    take_fuel(store, Limits::FUEL_PER_CALL + (bytes as u64).div_ceil(Limits::BYTES_PER_FUEL))
}

fn take_fuel(store: &mut StoreContextMut<'_, Sandbox>, price: u64) -> wasmtime::Result<()> {
    match store.get_fuel()?.checked_sub(price) {
        Some(left) => store.set_fuel(left),
        None => {
            store.set_fuel(0)?;
            Err(Trap::OutOfFuel.into())
        }
    }
}
