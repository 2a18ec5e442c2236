//! A carrier: what the host starts through the engine, to carry connections from this container to itself. Its input and
//! output are the host's; here it leads them to the [`exchange`](crate::exchange).

use std::io;
use std::os::unix::net::UnixStream;
use std::process;
use std::thread;
use std::time::{Duration, Instant};

use crate::{CARRIERS, Done};

/// How long the exchange may take to be there: it comes with the agent.
const PATIENCE: Duration = Duration::from_secs(60);

/// Carries until the host or the exchange has gone.
pub(crate) fn run() -> Done {
    let failed = |error: io::Error| (1, error.to_string());
    let begun = Instant::now();
    let exchange = loop {
        match UnixStream::connect(CARRIERS) {
            Err(_) if begun.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(20)),
            connected => break connected.map_err(failed)?,
        }
    };
    let inward = exchange.try_clone().map_err(failed)?;
    thread::spawn(move || {
        let _ = io::copy(&mut io::stdin().lock(), &mut &inward);
        // The host has gone, and the connection that was under way with it.
        process::exit(0);
    });
    let _ = io::copy(&mut &exchange, &mut Unbuffered(io::stdout()));
    Ok(())
}

/// The output without waiting for the end of a line.
struct Unbuffered(io::Stdout);

impl io::Write for Unbuffered {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(bytes)?;
        self.0.flush()?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
