//! A request to the host, and its reply: as much of HTTP/1.1 as that takes.
//!
//! The host closes the connection after each reply, so that a reply ends where the connection does.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

use crate::SOCKET;

/// The longest reply that is read.
const LONGEST_REPLY: u64 = 16 << 20;

/// How long a host that is gone is waited for: a runner that was stopped or killed comes back by `podium run resume`.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

/// Connects to the host, and waits for it where it is gone, so that an agent does not fail for what is not its fault.
pub(crate) fn connect(socket: &str) -> io::Result<UnixStream> {
    let begun = Instant::now();
    loop {
        match UnixStream::connect(socket) {
            Err(_) if begun.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(200)),
            connected => return connected,
        }
    }
}

/// A reply.
pub(crate) struct Reply {
    /// The status: 200 where all is well.
    pub(crate) status: u16,
    /// The body.
    pub(crate) body: Vec<u8>,
}

/// Asks the host. The body is what the parts give, `length` bytes together.
pub(crate) fn ask(
    method_and_path: &str,
    content_type: &str,
    length: u64,
    parts: &mut [&mut dyn Read],
) -> io::Result<Reply> {
    let mut stream = connect(SOCKET)?;
    let head = format!(
        "{method_and_path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {content_type}\r\n\
         Content-Length: {length}\r\n\r\n"
    );
    let mut sent = stream.write_all(head.as_bytes());
    for part in parts {
        if sent.is_ok() {
            sent = io::copy(*part, &mut stream).map(|_| ());
        }
    }
    // A host that has seen enough replies before it has read all. Its reply says more than the broken pipe.
    let mut reply = Vec::new();
    let read = stream.take(LONGEST_REPLY).read_to_end(&mut reply);
    match parse(&reply) {
        Some(reply) => Ok(reply),
        None => {
            sent?;
            read?;
            Err(io::Error::new(io::ErrorKind::InvalidData, "the host's reply is not understood"))
        }
    }
}

/// Takes a reply apart.
fn parse(reply: &[u8]) -> Option<Reply> {
    let end = reply.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    let status_line = std::str::from_utf8(&reply[..end]).ok()?.lines().next()?;
    let status = status_line.split(' ').nth(1)?.parse().ok()?;
    Some(Reply { status, body: reply[end + 4..].to_vec() })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn replies_are_taken_apart() {
        let reply =
            parse(b"HTTP/1.1 429 Too Many Requests\r\ncontent-length: 2\r\n\r\n{}").unwrap();
        assert_eq!((reply.status, reply.body.as_slice()), (429, b"{}".as_slice()));
        for wrong in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 many\r\n\r\n"] {
            assert!(parse(wrong.as_bytes()).is_none(), "{wrong:?}");
        }
    }
}
