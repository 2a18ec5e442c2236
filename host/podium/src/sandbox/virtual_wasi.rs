//! The WASI that graders made with an ordinary toolchain find: virtual, and the same in every grading.
//!
//! Rust's standard library, CPython and C libraries import WASI 0.2 whether a grader uses it or not. What they find is a
//! machine with nothing on it: a clock that only the grader itself moves, random numbers that are always the same, no
//! arguments, no environment, no files, no network, nothing to read from standard input. What they print becomes the
//! grading's log.
//!
//! Written out here, and not taken from `wasmtime-wasi`, because that crate is about everything that must not be there:
//! it brings an asynchronous runtime, files and sockets into every program that embeds Podium, to have them switched off
//! again. What a grader may really do is a dozen functions; all others answer what [`refusal`] says. Relies on wasmtime
//! to check every import's type against the function that it gets.

use wasmtime::component::types::ComponentItem;
use wasmtime::component::{
    Component, ComponentType, Lift, Linker, LinkerInstance, Lower, Resource, ResourceTable,
    ResourceType, WasmList,
};
use wasmtime::{Engine, StoreContextMut};

use super::log::Log;
use super::virtual_clock::VirtualClock;
use super::virtual_random::VirtualRandom;
use super::{Sandbox, charge, refusal, take_fuel};
use crate::limits::Limits;
use crate::verdict::GraderFailure;

/// The interfaces that exist here, in version 0.2 of WASI.
const INTERFACES: &[&str] = &[
    "wasi:cli/environment",
    "wasi:cli/exit",
    "wasi:cli/stderr",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/terminal-input",
    "wasi:cli/terminal-output",
    "wasi:cli/terminal-stderr",
    "wasi:cli/terminal-stdin",
    "wasi:cli/terminal-stdout",
    "wasi:clocks/monotonic-clock",
    "wasi:clocks/wall-clock",
    "wasi:filesystem/preopens",
    "wasi:filesystem/types",
    "wasi:io/error",
    "wasi:io/poll",
    "wasi:io/streams",
    "wasi:random/insecure",
    "wasi:random/insecure-seed",
    "wasi:random/random",
    "wasi:sockets/instance-network",
    "wasi:sockets/ip-name-lookup",
    "wasi:sockets/network",
    "wasi:sockets/tcp",
    "wasi:sockets/tcp-create-socket",
    "wasi:sockets/udp",
    "wasi:sockets/udp-create-socket",
];

/// Whether an import is one that [`link`] provides: `wasi:clocks/wall-clock@0.2.6`.
pub(crate) fn provides(import: &str) -> bool {
    let Some((interface, version)) = import.split_once('@') else { return false };
    version.starts_with("0.2.") && INTERFACES.contains(&interface)
}

/// What one grading sees of a machine.
#[derive(Default)]
pub(crate) struct VirtualMachine {
    clock: VirtualClock,
    random: VirtualRandom,
    pub(crate) log: Log,
    pollables: ResourceTable,
}

/// WASI's `pollable`: ready from an instant on. Streams are always ready.
struct Pollable {
    ready_from: u64,
}

/// WASI's `output-stream`: standard output and standard error, which end in the same log.
struct OutputStream;

/// WASI's `input-stream`: standard input, which has ended.
struct InputStream;

/// WASI's `error`, of which there is none: streams end, but do not fail.
struct IoError;

/// WASI's `network`, on which nobody is allowed to do anything.
struct Network;

/// Everything that cannot be had: descriptors, sockets, terminals.
struct Unobtainable;

/// WASI's `stream-error`.
#[derive(ComponentType, Lift, Lower)]
#[component(variant)]
enum StreamError {
    #[component(name = "last-operation-failed")]
    LastOperationFailed(Resource<IoError>),
    #[component(name = "closed")]
    Closed,
}

/// WASI's `datetime`.
#[derive(ComponentType, Lower)]
#[component(record)]
struct DateTime {
    seconds: u64,
    nanoseconds: u32,
}

/// Lends a component what it imports of WASI.
pub(crate) fn link(
    linker: &mut Linker<Sandbox>,
    engine: &Engine,
    component: &Component,
) -> wasmtime::Result<()> {
    let component_type = component.component_type();
    for (import, item) in component_type.imports(engine) {
        let ComponentItem::ComponentInstance(instance_type) = item.ty else { continue };
        if !provides(import) {
            continue;
        }
        let interface = import.split_once('@').map_or(import, |(interface, _)| interface);
        let mut instance = linker.instance(import)?;
        for (name, item) in instance_type.exports(engine) {
            match item.ty {
                ComponentItem::Resource(_) => link_resource(&mut instance, name)?,
                ComponentItem::ComponentFunc(_) => link_function(&mut instance, interface, name)?,
                _ => {}
            }
        }
    }
    Ok(())
}

fn link_resource(instance: &mut LinkerInstance<'_, Sandbox>, name: &str) -> wasmtime::Result<()> {
    if name == "pollable" {
        return instance.resource(name, ResourceType::host::<Pollable>(), |mut store, handle| {
            let pollables = &mut store.data_mut().machine.pollables;
            pollables.delete(Resource::<Pollable>::new_own(handle))?;
            Ok(())
        });
    }
    let resource = match name {
        "output-stream" => ResourceType::host::<OutputStream>(),
        "input-stream" => ResourceType::host::<InputStream>(),
        "error" => ResourceType::host::<IoError>(),
        "network" => ResourceType::host::<Network>(),
        _ => ResourceType::host::<Unobtainable>(),
    };
    // There is nothing behind these handles.
    instance.resource(name, resource, |_, _| Ok(()))
}

type Store<'a> = StoreContextMut<'a, Sandbox>;

fn link_function(
    instance: &mut LinkerInstance<'_, Sandbox>,
    interface: &str,
    name: &str,
) -> wasmtime::Result<()> {
    match (interface, name) {
        ("wasi:clocks/monotonic-clock", "now") => instance
            .func_wrap(name, |mut store: Store, ()| Ok((machine(&mut store)?.clock.look(),))),
        ("wasi:clocks/monotonic-clock", "resolution") => {
            instance.func_wrap(name, |_: Store, ()| Ok((VirtualClock::STEP,)))
        }
        ("wasi:clocks/monotonic-clock", "subscribe-instant") => {
            instance.func_wrap(name, |mut store: Store, (ready_from,): (u64,)| {
                Ok((machine(&mut store)?.pollables.push(Pollable { ready_from })?,))
            })
        }
        ("wasi:clocks/monotonic-clock", "subscribe-duration") => {
            instance.func_wrap(name, |mut store: Store, (duration,): (u64,)| {
                let machine = machine(&mut store)?;
                let ready_from = machine.clock.look().saturating_add(duration);
                Ok((machine.pollables.push(Pollable { ready_from })?,))
            })
        }
        ("wasi:clocks/wall-clock", "now") => instance.func_wrap(name, |mut store: Store, ()| {
            let (seconds, nanoseconds) = machine(&mut store)?.clock.look_at_wall();
            Ok((DateTime { seconds, nanoseconds },))
        }),
        ("wasi:clocks/wall-clock", "resolution") => instance.func_wrap(name, |_: Store, ()| {
            Ok((DateTime { seconds: 0, nanoseconds: VirtualClock::STEP as u32 },))
        }),
        ("wasi:random/random", "get-random-bytes")
        | ("wasi:random/insecure", "get-insecure-random-bytes") => {
            instance.func_wrap(name, random_bytes)
        }
        ("wasi:random/random", "get-random-u64")
        | ("wasi:random/insecure", "get-insecure-random-u64") => instance
            .func_wrap(name, |mut store: Store, ()| Ok((machine(&mut store)?.random.number(),))),
        ("wasi:random/insecure-seed", _) => instance.func_wrap(name, |mut store: Store, ()| {
            let random = &mut machine(&mut store)?.random;
            Ok(((random.number(), random.number()),))
        }),
        ("wasi:cli/stdout" | "wasi:cli/stderr", _) => {
            instance.func_wrap(name, |mut store: Store, ()| {
                machine(&mut store)?;
                Ok((Resource::<OutputStream>::new_own(0),))
            })
        }
        ("wasi:cli/stdin", _) => instance.func_wrap(name, |mut store: Store, ()| {
            machine(&mut store)?;
            Ok((Resource::<InputStream>::new_own(0),))
        }),
        ("wasi:cli/exit", "exit") => {
            instance.func_wrap(name, |_: Store, (status,): (Result<(), ()>,)| {
                Err::<(), _>(exited(u8::from(status.is_err())))
            })
        }
        ("wasi:cli/exit", "exit-with-code") => {
            instance.func_wrap(name, |_: Store, (status,): (u8,)| Err::<(), _>(exited(status)))
        }
        ("wasi:sockets/instance-network", _) => instance.func_wrap(name, |mut store: Store, ()| {
            machine(&mut store)?;
            Ok((Resource::<Network>::new_own(0),))
        }),
        ("wasi:io/poll", "[method]pollable.ready") => {
            instance.func_wrap(name, |mut store: Store, (pollable,): (Resource<Pollable>,)| {
                let machine = machine(&mut store)?;
                let ready_from = machine.pollables.get(&pollable)?.ready_from;
                Ok((ready_from <= machine.clock.look(),))
            })
        }
        ("wasi:io/poll", "[method]pollable.block") => {
            instance.func_wrap(name, |mut store: Store, (pollable,): (Resource<Pollable>,)| {
                let machine = machine(&mut store)?;
                let ready_from = machine.pollables.get(&pollable)?.ready_from;
                machine.clock.sleep_until(ready_from);
                Ok(())
            })
        }
        ("wasi:io/poll", "poll") => instance.func_wrap(name, poll),
        ("wasi:io/streams", "[method]input-stream.subscribe") => {
            instance.func_wrap(name, |mut store: Store, (_,): (Resource<InputStream>,)| {
                Ok((machine(&mut store)?.pollables.push(Pollable { ready_from: 0 })?,))
            })
        }
        ("wasi:io/streams", "[method]output-stream.subscribe") => {
            instance.func_wrap(name, |mut store: Store, (_,): (Resource<OutputStream>,)| {
                Ok((machine(&mut store)?.pollables.push(Pollable { ready_from: 0 })?,))
            })
        }
        ("wasi:io/streams", "[method]output-stream.check-write") => {
            instance.func_wrap(name, |mut store: Store, (_,): (Resource<OutputStream>,)| {
                machine(&mut store)?;
                Ok((Ok::<u64, StreamError>(Limits::LOG_BYTES as u64),))
            })
        }
        (
            "wasi:io/streams",
            "[method]output-stream.write" | "[method]output-stream.blocking-write-and-flush",
        ) => instance.func_wrap(name, write),
        (
            "wasi:io/streams",
            "[method]output-stream.flush" | "[method]output-stream.blocking-flush",
        ) => instance.func_wrap(name, |mut store: Store, (_,): (Resource<OutputStream>,)| {
            machine(&mut store)?;
            Ok((Ok::<(), StreamError>(()),))
        }),
        (
            "wasi:io/streams",
            "[method]output-stream.write-zeroes"
            | "[method]output-stream.blocking-write-zeroes-and-flush",
        ) => instance.func_wrap(name, write_zeroes),
        _ => refusal::link_function(instance, interface, name),
    }
}

/// The virtual machine, at the price of a call.
fn machine<'a>(store: &'a mut Store<'_>) -> wasmtime::Result<&'a mut VirtualMachine> {
    take_fuel(store, Limits::FUEL_PER_WASI_CALL)?;
    Ok(&mut store.data_mut().machine)
}

fn random_bytes(mut store: Store<'_>, (count,): (u64,)) -> wasmtime::Result<(Vec<u8>,)> {
    if count > u64::from(Limits::READ_BYTES) {
        let what = format!(
            "it asked for {count} random bytes at once, and at most {} are given",
            Limits::READ_BYTES
        );
        return Err(GraderFailure::BrokenContract { what }.into());
    }
    // Each byte has to be computed.
    take_fuel(&mut store, count)?;
    Ok((machine(&mut store)?.random.bytes(count as usize),))
}

fn write(
    mut store: Store<'_>,
    (_, contents): (Resource<OutputStream>, WasmList<u8>),
) -> wasmtime::Result<(Result<(), StreamError>,)> {
    let length = contents.as_le_slice(&store).len();
    charge(&mut store, length)?;
    take_fuel(&mut store, Limits::FUEL_PER_WASI_CALL)?;
    let mut log = std::mem::take(&mut store.data_mut().machine.log);
    log.write(contents.as_le_slice(&store));
    store.data_mut().machine.log = log;
    Ok((Ok(()),))
}

fn write_zeroes(
    mut store: Store<'_>,
    (_, count): (Resource<OutputStream>, u64),
) -> wasmtime::Result<(Result<(), StreamError>,)> {
    let most = Limits::LOG_BYTES;
    let Some(count) = usize::try_from(count).ok().filter(|count| *count <= most) else {
        let what =
            format!("it wrote {count} zero bytes at once, and at most {most} may be written");
        return Err(GraderFailure::BrokenContract { what }.into());
    };
    charge(&mut store, count)?;
    machine(&mut store)?.log.write(&vec![0; count]);
    Ok((Ok(()),))
}

/// Waits until one of the pollables is ready, which takes no time: the clock is put forward to the first of them.
fn poll(
    mut store: Store<'_>,
    (list,): (Vec<Resource<Pollable>>,),
) -> wasmtime::Result<(Vec<u32>,)> {
    take_fuel(&mut store, list.len() as u64)?;
    let machine = machine(&mut store)?;
    let mut instants = Vec::with_capacity(list.len());
    for pollable in &list {
        instants.push(machine.pollables.get(pollable)?.ready_from);
    }
    let Some(&first) = instants.iter().min() else {
        let what = "it polled nothing, which would wait forever".to_owned();
        return Err(GraderFailure::BrokenContract { what }.into());
    };
    machine.clock.sleep_until(first);
    let now = machine.clock.look();
    let ready = (0_u32..).zip(instants).filter(|(_, instant)| *instant <= now);
    Ok((ready.map(|(index, _)| index).collect(),))
}

fn exited(status: u8) -> wasmtime::Error {
    GraderFailure::Exited { status }.into()
}
