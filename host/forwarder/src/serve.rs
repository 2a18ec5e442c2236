//! The relay: every connection to a port becomes one to a socket of the host, byte for byte.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::{Done, PROXY_SOCKET, SOCKET, host};

/// The port that agents know for validation, and the usual one of proxies.
const PORTS: [(u16, &str); 2] = [(5000, SOCKET), (3128, PROXY_SOCKET)];

/// How many connections to a port are relayed at once; more are closed. The host has limits of its own.
const MOST_CONNECTIONS: usize = 128;

/// What is printed once the ports are open.
pub(crate) const READY: &str = "ready";

/// Listens and relays for ever, to the sockets that the host has for this run.
pub(crate) fn run() -> Done {
    let mut accepting = Vec::new();
    for (port, socket) in PORTS.into_iter().filter(|(_, socket)| Path::new(socket).exists()) {
        let open = Arc::new(AtomicUsize::new(0));
        let listen = |address: IpAddr| TcpListener::bind((address, port));
        let listener = listen(Ipv4Addr::LOCALHOST.into()).map_err(|error| {
            println!("port {port}: {error}");
            (1, error.to_string())
        })?;
        // Where `localhost` means this one. Not all containers have it.
        let second = listen(Ipv6Addr::LOCALHOST.into()).ok();
        for listener in [Some(listener), second].into_iter().flatten() {
            let open = Arc::clone(&open);
            accepting.push(thread::spawn(move || accept(&listener, socket, &open)));
        }
    }
    println!("{READY}");
    let _ = io::stdout().flush();
    for thread in accepting {
        let _ = thread.join();
    }
    Ok(())
}

fn accept(listener: &TcpListener, socket: &'static str, open: &Arc<AtomicUsize>) {
    for connection in listener.incoming().flatten() {
        if open.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
            open.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let counted = Arc::clone(open);
        let relayed = thread::Builder::new().spawn(move || {
            let _ = relay(&connection, socket);
            counted.fetch_sub(1, Ordering::Relaxed);
        });
        if relayed.is_err() {
            open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Relays one connection until both sides have ended.
fn relay(mut agent: &TcpStream, socket: &str) -> io::Result<()> {
    let host = host::connect(socket)?;
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
