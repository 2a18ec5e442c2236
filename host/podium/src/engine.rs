//! The WebAssembly engine: its settings, and how a call into a grader is run under its limits.
//!
//! The settings are what makes gradings deterministic: see [`configuration`].

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use wasmtime::component::{Component, InstancePre, Linker};
use wasmtime::{Config, Store, Trap, WasmFeatures};

use crate::cache::{Cache, CacheLocation};
use crate::cancellation::Cancellation;
use crate::code_generation::CodeGeneration;
use crate::compilation::{self, Compilation, Gate, NotCompiled};
use crate::compile_work;
use crate::error::Error;
use crate::inspection::{self, ComponentLimits, GraderProblem, Inspection};
use crate::limits::Limits;
use crate::message;
use crate::precompiled::Precompiled;
use crate::sandbox::{Sandbox, link_v1, virtual_wasi};
use crate::verdict::GraderFailure;

/// The version of wasmtime that graders run in; part of what a receipt says it was made by.
pub const WASMTIME_VERSION: &str = wasmtime_environ::VERSION;

/// The stack that a grader may use, in bytes. The same for all: where calls nest too deeply is part of a result.
const STACK_BYTES: usize = 1 << 20;

/// The stack that a grader runs on: its own, and what the host's functions need on top of it.
const WHOLE_STACK_BYTES: usize = 4 << 20;

/// How often the cancellation and the time of a running grading are looked at.
const TICK: Duration = Duration::from_millis(20);

/// The fuel after which a running grader pauses, to learn whether it shall end: a few milliseconds of work.
const FUEL_BETWEEN_PAUSES: u64 = 10_000_000;

/// How an [`Engine`] is set up.
#[derive(Debug, Clone, Default)]
pub struct EngineSettings {
    /// Where compiled components are kept between processes.
    pub cache: CacheLocation,
    /// What a component may be made of.
    pub component_limits: ComponentLimits,
    /// Where components are compiled that are not in the cache.
    pub compilation: Compilation,
    /// How code is generated. Results do not depend on it; comparing two is a test of that.
    pub code: CodeGeneration,
}

/// Compiles and runs graders. Cloning is cheap and shares everything; one engine serves any number of threads.
#[derive(Clone)]
pub struct Engine(Arc<Shared>);

struct Shared {
    wasmtime: wasmtime::Engine,
    linker: Linker<Sandbox>,
    cache: Cache,
    component_limits: ComponentLimits,
    compilation: Compilation,
    compiling: Gate,
    code: CodeGeneration,
}

impl Engine {
    /// Sets up an engine. That the cache cannot be used is no error: see [`Engine::cache_folder`].
    ///
    /// # Errors
    /// [`Error::Engine`] on a machine for which there is no code generation, or not the one that the settings ask for.
    pub fn new(settings: EngineSettings) -> Result<Engine, Error> {
        let failed = |error: wasmtime::Error| Error::Engine(format!("{error:#}"));
        let wasmtime = wasmtime_engine(settings.code)?;
        let mut linker = Linker::new(&wasmtime);
        link_v1(&mut linker).map_err(failed)?;
        let cache = Cache::open(&settings.cache, &wasmtime);
        let EngineSettings { component_limits, compilation, code, .. } = settings;
        let compiling = Gate::default();
        Ok(Engine(Arc::new(Shared {
            wasmtime,
            linker,
            cache,
            component_limits,
            compilation,
            compiling,
            code,
        })))
    }

    /// How code is generated.
    pub fn code_generation(&self) -> CodeGeneration {
        self.0.code
    }

    /// The folder in which compiled components are kept.
    ///
    /// # Errors
    /// Why there is none, for people: switched off, not private, not to be created. Gradings work without.
    pub fn cache_folder(&self) -> Result<&Path, &str> {
        self.0.cache.folder()
    }

    #[cfg(test)]
    pub(crate) fn cache(&self) -> &Cache {
        &self.0.cache
    }

    pub(crate) fn component_limits(&self) -> &ComponentLimits {
        &self.0.component_limits
    }

    /// Connects a component with what it imports: the contract, and the virtual WASI if it asks for WASI.
    pub(crate) fn link(
        &self,
        component: &Component,
        inspection: &Inspection,
    ) -> wasmtime::Result<InstancePre<Sandbox>> {
        if inspection.sealed {
            return self.0.linker.instantiate_pre(component);
        }
        let mut linker = self.0.linker.clone();
        virtual_wasi::link(&mut linker, &self.0.wasmtime, component)?;
        linker.instantiate_pre(component)
    }

    /// Turns bytes into a component that can be run, compiled or from the cache.
    pub(crate) fn load(&self, bytes: &[u8]) -> Result<(Component, Inspection), GraderProblem> {
        let mut inspection = inspection::scan(bytes, &self.0.component_limits)?;
        if !inspection.problems.is_empty() {
            return Err(inspection.problems.swap_remove(0));
        }
        let engine = &self.0.wasmtime;
        let kept = self.0.cache.get(&inspection.sha256);
        if let Some(component) = kept.and_then(|kept| kept.load(engine).ok()) {
            return Ok((component, inspection));
        }
        compile_work::check(bytes, &self.0.component_limits)?;
        let compiled = self.0.compiling.pass(|| match &self.0.compilation {
            Compilation::Here => compile_here(engine, bytes).map(Precompiled::vouched_for),
            Compilation::Apart(process) => process.compile(bytes, self.0.code),
        });
        let fit = |reason: &str| message::fit(reason, Limits::MESSAGE_CHARACTERS);
        let compiled = compiled.map_err(|error| match error {
            NotCompiled::Malformed(reason) => GraderProblem::Malformed(fit(&reason)),
            NotCompiled::Failed(reason) => GraderProblem::NotCompilable(fit(&reason)),
            NotCompiled::TimedOut(limit) => GraderProblem::CompilationTimedOut { limit },
        })?;
        let component = compiled
            .load(engine)
            .map_err(|error| GraderProblem::NotCompilable(fit(&format!("{error:#}"))))?;
        check_parts(&component)?;
        self.0.cache.put(&inspection.sha256, compiled.code());
        Ok((component, inspection))
    }

    /// Runs `call` in a fresh store under `limits`, on a thread of its own, and waits for it.
    ///
    /// The caller meanwhile watches the clock and the cancellation, so that no further thread has to. The grader has a
    /// stack of its own, the same for all, and pauses whenever it has used some fuel. It counts that anyway; a clock of its
    /// own, as wasmtime's epochs are, would have to be looked at in each turn of a loop.
    pub(crate) fn run<T: Send>(
        &self,
        sandbox: Sandbox,
        limits: &Limits,
        cancellation: &Cancellation,
        call: impl AsyncFnOnce(&mut Store<Sandbox>) -> wasmtime::Result<T> + Send,
    ) -> Run<T> {
        let began = Instant::now();
        let stop = Stop::default();
        let (done, finished) = mpsc::sync_channel::<()>(1);
        std::thread::scope(|scope| {
            let running = std::thread::Builder::new()
                .name("podium-grader".to_owned())
                .spawn_scoped(scope, || {
                    // Dropped when the thread is done, in whatever way: that wakes the caller.
                    let _done = done;
                    self.run_here(sandbox, limits, &stop, call)
                });
            let running = match running {
                Ok(running) => running,
                Err(error) => {
                    let reason = format!("no thread to run it on: {error}");
                    return Run::failed(GraderFailure::Machine { reason });
                }
            };
            while let Err(RecvTimeoutError::Timeout) = finished.recv_timeout(TICK) {
                if cancellation.is_cancelled() {
                    stop.set(Stop::CANCELLED);
                } else if began.elapsed() >= limits.wall_clock {
                    stop.set(Stop::TIMED_OUT);
                }
            }
            let mut run = match running.join() {
                Ok(run) => run,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            run.wall_clock = began.elapsed();
            run
        })
    }

    fn run_here<T>(
        &self,
        sandbox: Sandbox,
        limits: &Limits,
        stop: &Stop,
        call: impl AsyncFnOnce(&mut Store<Sandbox>) -> wasmtime::Result<T>,
    ) -> Run<T> {
        let mut store = Store::new(&self.0.wasmtime, sandbox);
        store.limiter(|sandbox| sandbox);
        store.set_hostcall_fuel(usize::try_from(limits.output_bytes).unwrap_or(usize::MAX));
        store.set_max_component_handles(HANDLES);
        let outcome = store
            .set_fuel(limits.fuel)
            .and_then(|()| store.fuel_async_yield_interval(Some(FUEL_BETWEEN_PAUSES)))
            .and_then(|()| to_its_end(call(&mut store), || stop.reason(limits)));
        let fuel = limits.fuel.saturating_sub(store.get_fuel().unwrap_or(0));
        let outcome = outcome.map_err(|error| classify(&error, store.data(), limits));
        let mut sandbox = store.into_data();
        Run {
            outcome,
            fuel,
            log: sandbox.take_log(),
            warnings: sandbox.warnings,
            peak_memory_bytes: sandbox.peak_memory_bytes,
            wall_clock: Duration::ZERO,
        }
    }
}

/// Runs a call to its end, or up to the first pause at which there is a reason to end it.
fn to_its_end<T>(
    call: impl Future<Output = wasmtime::Result<T>>,
    reason_to_end: impl Fn() -> Option<GraderFailure>,
) -> wasmtime::Result<T> {
    let mut call = pin!(call);
    // A grader that pauses is ready to go on at once.
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(outcome) = call.as_mut().poll(&mut context) {
            return outcome;
        }
        if let Some(reason) = reason_to_end() {
            return Err(wasmtime::Error::new(reason));
        }
    }
}

/// wasmtime's engine with Podium's settings.
///
/// # Errors
/// [`Error::Engine`] on a machine for which there is no code generation, or not this one.
pub(crate) fn wasmtime_engine(code: CodeGeneration) -> Result<wasmtime::Engine, Error> {
    configuration(code)
        .and_then(|configuration| wasmtime::Engine::new(&configuration))
        .map_err(|error| Error::Engine(format!("{error:#}")))
}

/// Compiles in this process, on threads of its own, whatever thread this is.
///
/// wasmtime compiles in parallel on rayon's threads. A caller that is one of them would take up other work while it
/// waits, with whatever locks it holds; and where all of them wait for one grader, nobody would be left to compile it.
pub(crate) fn compile_here(
    engine: &wasmtime::Engine,
    bytes: &[u8],
) -> Result<Vec<u8>, NotCompiled> {
    let no_thread = |reason: &dyn std::fmt::Display| {
        NotCompiled::Failed(format!("no thread to compile it on: {reason}"))
    };
    std::thread::scope(|scope| {
        let compiling = std::thread::Builder::new().spawn_scoped(scope, || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(compilation::threads());
            let pool = pool.build().map_err(|error| no_thread(&error))?;
            pool.install(|| engine.precompile_component(bytes)).map_err(|error| {
                let reason = format!("{error:#}");
                match error.is::<wasmparser::BinaryReaderError>() {
                    true => NotCompiled::Malformed(reason),
                    false => NotCompiled::Failed(reason),
                }
            })
        });
        compiling.map_err(|error| no_thread(&error))?.join().unwrap_or_else(|_| {
            // A bug of the compiler, which says more on stderr. The component cannot be used, the host goes on.
            Err(NotCompiled::Failed("the compiler panicked on it".to_owned()))
        })
    })
}

/// Refuses a component with so many memories or tables that reserving their addresses is a burden of its own.
fn check_parts(component: &Component) -> Result<(), GraderProblem> {
    // Without a number, the component has modules as imports; those are foreign, and refused as such.
    let Some(required) = component.resources_required() else { return Ok(()) };
    let (memories, tables) = (required.num_memories, required.num_tables);
    if memories.max(tables) as usize > Sandbox::PARTS {
        let parts = Sandbox::PARTS;
        return Err(GraderProblem::NotCompilable(format!(
            "it has {memories} memories and {tables} tables, and at most {parts} of each are allowed"
        )));
    }
    Ok(())
}

/// What it means that a component cannot be instantiated. If it is not the component's own start function, and not a
/// limit of its own, then the machine did not have the memory for it.
pub(crate) fn instantiation_failed(error: wasmtime::Error, sandbox: &Sandbox) -> wasmtime::Error {
    let is_told = error.is::<Trap>() || error.is::<GraderFailure>() || sandbox.refused.is_some();
    if is_told {
        return error;
    }
    let reason = message::fit(&format!("{error:#}"), Limits::MESSAGE_CHARACTERS);
    wasmtime::Error::new(GraderFailure::Machine { reason })
}

/// The most handles that a grader may hold at once, of its own resources and of the host's.
const HANDLES: usize = 10_000;

/// What became of a call into a grader.
pub(crate) struct Run<T> {
    pub(crate) outcome: Result<T, GraderFailure>,
    pub(crate) warnings: Vec<String>,
    pub(crate) log: Option<String>,
    pub(crate) fuel: u64,
    pub(crate) peak_memory_bytes: u64,
    pub(crate) wall_clock: Duration,
}

impl<T> Run<T> {
    pub(crate) fn failed(failure: GraderFailure) -> Run<T> {
        Run {
            outcome: Err(failure),
            warnings: Vec::new(),
            log: None,
            fuel: 0,
            peak_memory_bytes: 0,
            wall_clock: Duration::ZERO,
        }
    }
}

/// Why a running grading shall end, between the thread that waits and the one that runs.
#[derive(Default)]
struct Stop(AtomicU8);

impl Stop {
    const CANCELLED: u8 = 1;
    const TIMED_OUT: u8 = 2;

    fn set(&self, reason: u8) {
        // The first reason stays.
        let _ = self.0.compare_exchange(0, reason, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn reason(&self, limits: &Limits) -> Option<GraderFailure> {
        match self.0.load(Ordering::Relaxed) {
            Stop::CANCELLED => Some(GraderFailure::Cancelled),
            Stop::TIMED_OUT => Some(GraderFailure::TimedOut { limit: limits.wall_clock }),
            _ => None,
        }
    }
}

/// The engine's configuration. What keeps results the same everywhere: canonical NaNs, no relaxed SIMD, no threads,
/// fuel always on, one way to generate code. What keeps gradings apart: no pooling allocator, one store a grading.
fn configuration(code: CodeGeneration) -> wasmtime::Result<Config> {
    let mut config = Config::new();
    code.configure(&mut config)?;
    config
        .cranelift_nan_canonicalization(true)
        .consume_fuel(true)
        .max_wasm_stack(STACK_BYTES)
        .async_stack_size(WHOLE_STACK_BYTES)
        .wasm_backtrace_max_frames(std::num::NonZeroUsize::new(BACKTRACE_FRAMES))
        .generate_address_map(false)
        .wasm_features(WasmFeatures::all(), false)
        .wasm_features(inspection::FEATURES, true);
    // Memory of our own begins as a copy of what the component's data say; only wasmtime's own can be mapped from it.
    #[cfg(target_os = "linux")]
    config.memory_init_cow(false).with_host_memory(Arc::new(crate::linear_memory::LargePages));
    Ok(config)
}

/// The configuration of the engine, for programs that measure what one of its settings costs. No part of what the library
/// promises: what it holds may change with any version.
///
/// # Errors
/// On a machine for which there is no code generation.
#[doc(hidden)]
pub fn engine_configuration() -> wasmtime::Result<Config> {
    configuration(CodeGeneration::default())
}

/// The frames of a trap that are kept: enough to see where, not enough to fill a page.
const BACKTRACE_FRAMES: usize = 12;

/// What an error out of wasmtime means for the grading.
fn classify(error: &wasmtime::Error, sandbox: &Sandbox, limits: &Limits) -> GraderFailure {
    if let Some(failure) = error.downcast_ref::<GraderFailure>() {
        return failure.clone();
    }
    let trap = error.downcast_ref::<Trap>();
    match trap {
        Some(Trap::OutOfFuel) => return GraderFailure::OutOfFuel { limit: limits.fuel },
        Some(Trap::StackOverflow) => {
            return GraderFailure::OutOfStack { limit: STACK_BYTES as u64 };
        }
        _ => {}
    }
    // Most graders do not survive that memory is refused, and end in a trap or a panic that does not tell.
    if let Some(refused) = &sandbox.refused {
        return refused.clone();
    }
    if let Some(message) = &sandbox.panic {
        return GraderFailure::Panicked { message: message.clone() };
    }
    match trap {
        Some(trap) => GraderFailure::Trapped {
            trap: trap.to_string().trim_start_matches("wasm trap: ").to_owned(),
            backtrace: backtrace(error),
        },
        None => {
            let what = error.root_cause().to_string();
            if what.contains(OUTPUT_EXHAUSTED) {
                return GraderFailure::OutputTooLarge { limit: limits.output_bytes };
            }
            GraderFailure::BrokenContract { what: message::fit(&what, Limits::MESSAGE_CHARACTERS) }
        }
    }
}

/// wasmtime has a type of its own for this error, but keeps it to itself.
const OUTPUT_EXHAUSTED: &str = "fuel allocated for hostcalls has been exhausted";

fn backtrace(error: &wasmtime::Error) -> Vec<String> {
    let Some(backtrace) = error.downcast_ref::<wasmtime::WasmBacktrace>() else {
        return Vec::new();
    };
    let name = |frame: &wasmtime::FrameInfo| match frame.func_name() {
        Some(name) => message::fit(name, Limits::MEASURE_NAME_CHARACTERS),
        None => format!("function {}", frame.func_index()),
    };
    backtrace.frames().iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_instantiation_runs_into_is_the_machines_unless_it_is_the_components() {
        let fresh = || Sandbox::new(Limits::default(), Vec::new());
        let failure = |error, sandbox: &Sandbox| {
            classify(&instantiation_failed(error, sandbox), sandbox, &Limits::default())
        };
        let no_memory = || wasmtime::format_err!("mmap failed to reserve 0x104000000 bytes");
        let machine = failure(no_memory(), &fresh());
        assert_eq!(machine.kind(), "machine");
        assert!(machine.to_string().contains("mmap failed"), "{machine}");
        let trap = failure(Trap::IntegerDivisionByZero.into(), &fresh());
        assert_eq!(trap.kind(), "trapped");
        let mut refusing = fresh();
        let limit = 65_536;
        refusing.refused = Some(GraderFailure::OutOfMemory { limit });
        assert_eq!(failure(no_memory(), &refusing), GraderFailure::OutOfMemory { limit });
        let read = GraderFailure::InputChanged { name: "answers.csv".to_owned() };
        assert_eq!(failure(wasmtime::Error::new(read.clone()), &fresh()), read);
    }
}
