//! Compiling a component: where that happens, and how it is ended when it takes too long.
//!
//! A compiler cannot be interrupted, and what a component makes of its time is only bounded roughly by what can be
//! counted beforehand ([`ComponentLimits`](crate::ComponentLimits)). So a program that takes components from strangers
//! compiles them in another process ([`Compilation::Apart`]) that is ended at a deadline and may take so much memory and
//! no more. What it sends back is code that will be run, so it is believed only as far as it comes through a pipe from
//! a process that was started here.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::code_generation::CodeGeneration;
use crate::engine::{compile_here, wasmtime_engine};
use crate::error::Error;
use crate::precompiled::Precompiled;

/// Where components are compiled.
#[derive(Debug, Clone, Default)]
pub enum Compilation {
    /// In this process, which waits until it is done, however long that takes. For components that are trusted not to
    /// be made to take long.
    #[default]
    Here,
    /// In a process of its own for each component.
    Apart(CompilerProcess),
}

/// A program that compiles one component, and how long it may take.
///
/// What it has to do is [`compile_for_parent`], so a program can start itself.
#[derive(Debug, Clone)]
pub struct CompilerProcess {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// When it is ended, counted from its start.
    pub deadline: Duration,
}

/// Why a component was not compiled.
#[derive(Debug)]
pub(crate) enum NotCompiled {
    /// It is not valid.
    Malformed(String),
    /// The compiler refused it, crashed on it, or could not be run.
    Failed(String),
    /// It was ended at this deadline.
    TimedOut(Duration),
}

/// What a request begins with; changes with its layout and that of the reply.
const MAGIC: &[u8; 16] = b"podium compile\x01\n";

/// The address space of a compiler process, in bytes. A component that just keeps the default limits takes a quarter.
#[cfg(unix)]
const ADDRESS_SPACE: u64 = 8 << 30;

/// The most threads of one compilation: each takes memory of its own.
const MOST_THREADS: usize = 8;

/// No compiled component is larger.
const LARGEST_REPLY: u64 = 1 << 30;

/// How many components are compiled at once at most, here or apart. Each takes up all cores as it is; that there are
/// two keeps one that takes long from holding up all others.
const AT_ONCE: usize = 2;

/// Lets a few in at a time.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    inside: Mutex<usize>,
    left: Condvar,
}

impl Gate {
    /// Waits for its turn, then does it.
    pub(crate) fn pass<T>(&self, work: impl FnOnce() -> T) -> T {
        let inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        let mut inside = self
            .left
            .wait_while(inside, |inside| *inside >= AT_ONCE)
            .unwrap_or_else(PoisonError::into_inner);
        *inside += 1;
        drop(inside);
        // Dropped also when the work panics.
        let _leaving = Leaving(self);
        work()
    }
}

struct Leaving<'a>(&'a Gate);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        *self.0.inside.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.left.notify_one();
    }
}

/// The threads of one compilation.
pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS)
}

/// Compiles the component that comes through `input` and writes the code to `output`: the part of a program that a
/// [`CompilerProcess`] names.
///
/// Takes no more memory than a compilation should need, by ending the process where it asks for more (on Unix), and ends
/// with the process that started it (on Linux).
///
/// # Errors
/// [`Error::Engine`] where there is no code generation for this machine, or the two ends do not fit together: input that
/// is no request of this version of Podium, output that is closed.
pub fn compile_for_parent(mut input: impl Read, mut output: impl Write) -> Result<(), Error> {
    let broken = |error: io::Error| Error::Engine(format!("no request to compile: {error}"));
    let mut head = [0; MAGIC.len() + 1];
    input.read_exact(&mut head).map_err(broken)?;
    let (magic, code) = head.split_at(MAGIC.len());
    let code = code.first().copied().and_then(CodeGeneration::numbered);
    let Some(code) = code.filter(|_| magic == MAGIC) else {
        return Err(broken(io::Error::other("it is of another version")));
    };
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).map_err(broken)?;
    limit_this_process();
    let engine = wasmtime_engine(code)?;
    let reply = match compile_here(&engine, &bytes) {
        Ok(code) => [&[0], &*code].concat(),
        Err(NotCompiled::Malformed(reason)) => [&[1], reason.as_bytes()].concat(),
        Err(NotCompiled::Failed(reason)) => [&[2], reason.as_bytes()].concat(),
        Err(NotCompiled::TimedOut(_)) => unreachable!("there is no deadline here"),
    };
    output.write_all(&reply).and_then(|()| output.flush()).map_err(broken)
}

/// Bounds the memory of this process, and ties its life to its parent's. Where the system does not do that, the
/// deadline is all there is.
fn limit_this_process() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { current, maximum } = getrlimit(Resource::As);
        let least = |limit: Option<u64>| {
            Some(limit.map_or(ADDRESS_SPACE, |limit| limit.min(ADDRESS_SPACE)))
        };
        let limit = Rlimit { current: least(current), maximum: least(maximum) };
        let _ = setrlimit(Resource::As, limit);
        // A crash is expected here, and nobody would look at the memory of it.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    }
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
}

impl CompilerProcess {
    /// Has a component compiled, and waits for it until the deadline.
    pub(crate) fn compile(
        &self,
        bytes: &[u8],
        code: CodeGeneration,
    ) -> Result<Precompiled, NotCompiled> {
        let failed = |what: &str, error: io::Error| {
            NotCompiled::Failed(format!("{what} {}: {error}", self.program.display()))
        };
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed("no compiler could be started from", error))?;
        let (reply, status) = std::thread::scope(|scope| {
            let (done, finished) = mpsc::sync_channel::<()>(1);
            let (request, reply) = (child.stdin.take(), child.stdout.take());
            let code = code.number();
            scope.spawn(move || {
                // A compiler that ends before it has read all is told by what it says, or by how it ended.
                if let Some(mut request) = request {
                    let _ = request
                        .write_all(MAGIC)
                        .and_then(|()| request.write_all(&[code]))
                        .and_then(|()| request.write_all(bytes));
                }
            });
            let replying = scope.spawn(move || {
                let mut bytes = Vec::new();
                let read = reply.map(|reply| reply.take(LARGEST_REPLY).read_to_end(&mut bytes));
                // The one who waits may have gone already.
                let _ = done.send(());
                read.transpose().map(|_| bytes)
            });
            let timed_out = finished.recv_timeout(self.deadline) == Err(RecvTimeoutError::Timeout);
            if timed_out {
                // Fails where it has just ended on its own.
                let _ = child.kill();
            }
            let reply = replying.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            if timed_out {
                let _ = child.wait();
                return Err(NotCompiled::TimedOut(self.deadline));
            }
            let status = end(&mut child);
            Ok((
                reply.map_err(|error| failed("no reply from the compiler", error))?,
                status.map_err(|error| failed("no end of the compiler", error))?,
            ))
        })?;
        if !status.success() {
            return Err(NotCompiled::Failed(format!(
                "the compiler ended with {status}: it crashed on this component, needed more memory than it may have, \
                 or was ended from outside"
            )));
        }
        let text = |reason: &[u8]| String::from_utf8_lossy(reason).into_owned();
        match reply.split_first() {
            Some((0, code)) => Ok(Precompiled::vouched_for(code.to_vec())),
            Some((1, reason)) => Err(NotCompiled::Malformed(text(reason))),
            Some((2, reason)) => Err(NotCompiled::Failed(text(reason))),
            _ => Err(NotCompiled::Failed(format!(
                "{} is no compiler of this version of Podium",
                self.program.display()
            ))),
        }
    }
}

/// Waits for a process that has closed its output, but does not wait for one that then goes on.
fn end(child: &mut Child) -> io::Result<ExitStatus> {
    const PATIENCE: Duration = Duration::from_secs(10);
    let began = std::time::Instant::now();
    loop {
        match child.try_wait()? {
            Some(status) => return Ok(status),
            None if began.elapsed() > PATIENCE => child.kill()?,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}
