//! The relay: every connection to `localhost:5000` becomes one to the host's socket, byte for byte.

use std::io::{self, Write};
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::{Done, host};

/// The port that agents know.
const PORT: u16 = 5000;

/// How many connections are relayed at once; more are closed. The host has limits of its own.
const MOST_CONNECTIONS: usize = 128;

/// What is printed once the port is open.
pub(crate) const READY: &str = "ready";

static CONNECTIONS: AtomicUsize = AtomicUsize::new(0);

/// Listens and relays for ever.
pub(crate) fn run() -> Done {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, PORT)).map_err(|error| {
        println!("{error}");
        (1, error.to_string())
    })?;
    // Where `localhost` means this one. Not all containers have it.
    if let Ok(listener) = TcpListener::bind((Ipv6Addr::LOCALHOST, PORT)) {
        thread::spawn(move || accept(&listener));
    }
    println!("{READY}");
    let _ = io::stdout().flush();
    accept(&listener);
    Ok(())
}

fn accept(listener: &TcpListener) {
    for connection in listener.incoming().flatten() {
        if CONNECTIONS.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
            CONNECTIONS.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let relayed = thread::Builder::new().spawn(move || {
            let _ = relay(&connection);
            CONNECTIONS.fetch_sub(1, Ordering::Relaxed);
        });
        if relayed.is_err() {
            CONNECTIONS.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Relays one connection until both sides have ended.
fn relay(mut agent: &TcpStream) -> io::Result<()> {
    let host = host::connect()?;
    thread::scope(|scope| {
        scope.spawn(|| {
            let _ = io::copy(&mut &*agent, &mut &host);
            let _ = host.shutdown(Shutdown::Write);
        });
        let _ = io::copy(&mut &host, &mut agent);
        // The host has said all, so nothing that the agent still sends is read.
        let _ = agent.shutdown(Shutdown::Both);
        let _ = host.shutdown(Shutdown::Both);
    });
    Ok(())
}
