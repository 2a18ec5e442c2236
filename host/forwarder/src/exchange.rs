//! Stands in for the host's sockets where the engine runs on another machine than the host: takes connections on sockets of
//! the same names, and hands each to a carrier, which leads to the host and says which of them is meant.
//!
//! Carriers are started by the host through the engine and connect here ([`carry`](crate::carry)). A connection waits until
//! one is free. A carrier that has died meanwhile is noticed before anything is sent, and another is taken.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::{CARRIERS, Done, PROXY_SOCKET, SOCKET, frames};

/// A socket of the host, by the name that carriers have for it, and how many of its connections are carried at once; more
/// wait. The host starts so many carriers that what goes through its proxy never keeps an agent from validating.
struct Service {
    name: &'static [u8],
    socket: &'static str,
    places: Places,
}

static VALIDATION: Service =
    Service { name: b"validation", socket: SOCKET, places: Places::new(usize::MAX) };

static EGRESS: Service =
    Service { name: b"egress", socket: PROXY_SOCKET, places: Places::new(MOST_TO_PROXY) };

/// How many connections to the proxy are carried at once.
const MOST_TO_PROXY: usize = 48;

/// What makes the exchange stand in for the proxy's socket, too.
pub(crate) const WITH_EGRESS: &str = "with-egress";

/// Places for connections.
struct Places {
    free: Mutex<usize>,
    freed: Condvar,
}

impl Places {
    const fn new(count: usize) -> Places {
        Places { free: Mutex::new(count), freed: Condvar::new() }
    }

    fn take(&self) {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.freed.wait_while(free, |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
    }

    fn give_back(&self) {
        *self.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.freed.notify_one();
    }
}

/// How long a connection waits for a carrier: a runner that was stopped or killed comes back by `podium run resume`.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

/// The carriers that wait for a connection.
struct Carriers {
    idle: Mutex<VecDeque<UnixStream>>,
    arrived: Condvar,
}

static IDLE: Carriers = Carriers { idle: Mutex::new(VecDeque::new()), arrived: Condvar::new() };

impl Carriers {
    fn add(&self, carrier: UnixStream) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push_back(carrier);
        self.arrived.notify_one();
    }

    /// Waits for a carrier until a time.
    fn take(&self, until: Instant) -> Option<UnixStream> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(carrier) = idle.pop_front() {
                return Some(carrier);
            }
            let left = until.checked_duration_since(Instant::now())?;
            let woken = self.arrived.wait_timeout(idle, left);
            idle = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Listens for ever, for connections and for carriers.
pub(crate) fn run(arguments: &[OsString]) -> Done {
    let failed = |error: io::Error| {
        println!("{error}");
        (1, error.to_string())
    };
    let validation = listen(VALIDATION.socket).map_err(failed)?;
    let has_proxy = arguments.iter().any(|argument| argument == WITH_EGRESS);
    let egress = has_proxy.then(|| listen(EGRESS.socket)).transpose().map_err(failed)?;
    let carriers = listen(CARRIERS).map_err(failed)?;
    println!("{}", crate::serve::READY);
    let _ = io::stdout().flush();
    thread::spawn(move || carriers.incoming().flatten().for_each(|carrier| IDLE.add(carrier)));
    if let Some(egress) = egress {
        thread::spawn(move || accept(&egress, &EGRESS));
    }
    accept(&validation, &VALIDATION);
    Ok(())
}

fn accept(listener: &UnixListener, service: &'static Service) {
    for connection in listener.incoming().flatten() {
        service.places.take();
        // One that cannot have a thread is closed, as a host that is full would do it.
        let served = thread::Builder::new().spawn(move || {
            serve(&connection, service);
            service.places.give_back();
        });
        if served.is_err() {
            service.places.give_back();
        }
    }
}

fn listen(path: &str) -> io::Result<UnixListener> {
    let _ = std::fs::remove_file(path);
    UnixListener::bind(path)
}

/// Takes a connection to the host and back.
fn serve(connection: &UnixStream, service: &Service) {
    let until = Instant::now() + PATIENCE;
    while let Some(carrier) = IDLE.take(until) {
        if !answers(&carrier, service) {
            continue;
        }
        if relay(connection, &carrier).is_ok() {
            IDLE.add(carrier);
        }
        return;
    }
}

/// Whether there is a host at the other end of a carrier, which now waits for a connection's bytes.
fn answers(mut carrier: &UnixStream, service: &Service) -> bool {
    frames::write(&mut carrier, service.name).is_ok()
        && matches!(frames::read(&mut carrier), Ok(Some(answer)) if answer == service.name)
}

/// Relays until both directions have ended. An error says that the carrier is of no use any more.
fn relay(connection: &UnixStream, carrier: &UnixStream) -> io::Result<()> {
    thread::scope(|scope| {
        let outward = scope.spawn(|| -> io::Result<()> {
            let mut chunk = vec![0; frames::LONGEST];
            loop {
                let count = (&*connection).read(&mut chunk).unwrap_or(0);
                frames::write(&mut &*carrier, &chunk[..count])?;
                if count == 0 {
                    return Ok(());
                }
            }
        });
        let inward = inward(connection, carrier);
        // The host has said all, so nothing that the agent still sends is read.
        let _ = connection.shutdown(Shutdown::Both);
        if inward.is_err() {
            let _ = carrier.shutdown(Shutdown::Both);
        }
        let outward = outward.join().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
        inward.and(outward)
    })
}

fn inward(mut connection: &UnixStream, mut carrier: &UnixStream) -> io::Result<()> {
    let mut is_open = true;
    loop {
        let frame = frames::read(&mut carrier)?
            .ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?;
        if frame.is_empty() {
            return Ok(());
        }
        // An agent that has gone does not spoil the carrier for the next one.
        is_open = is_open && connection.write_all(&frame).is_ok();
    }
}
