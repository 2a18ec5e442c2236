//! Carries connections of an agent to this side, where the engine runs on a machine that does not see the host's socket.
//!
//! The engine starts the forwarder once more in the container, a *carrier*, whose input and output come here. A carrier
//! takes one connection after the other; another is started whenever all are busy, up to a limit, so that a slow connection
//! holds up nothing but itself. There is no other way out of the container, and what comes this way is answered by the same
//! services as on the sockets: validation, and the proxy where the run has one.
//!
//! In both directions go frames: four bytes of length, then so many bytes; none says that this direction has ended. A
//! connection begins with a frame that names the service, which is answered with the same frame.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bollard::container::LogOutput;
use bollard::exec::{CreateExecOptions, StartExecOptions, StartExecResults};
use bytes::{Buf, BytesMut};
use futures_util::{FutureExt, Stream, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

use crate::egress::Proxy;
use crate::engine::Engine;
use crate::validation::Validator;

/// How many connections of a run are carried at once; more wait in the container.
const MOST: usize = 32;

/// As [`MOST`], where there is a proxy as well. The forwarder carries at most 48 connections to it at once, so that there
/// are carriers left for validation.
const MOST_WITH_PROXY: usize = 64;

/// The longest frame.
const LONGEST: usize = 1 << 16;

/// The service that validates, by its name in the first frame.
const VALIDATION: &[u8] = b"validation";

/// The proxy, by its name in the first frame.
const EGRESS: &[u8] = b"egress";

/// What connections of a run may lead to.
#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) validator: Arc<Validator>,
    /// The proxy, where the run has one.
    pub(crate) proxy: Option<Arc<Proxy>>,
}

/// How long the engine is left alone after a carrier could not be started.
const PAUSE: Duration = Duration::from_millis(500);

/// Carries connections for as long as it is polled.
pub(crate) async fn carry(engine: Engine, container: String, services: Services) {
    // Tunnels through the proxy end with this.
    let (_running, ended) = watch::channel(());
    let most = if services.proxy.is_some() { MOST_WITH_PROXY } else { MOST };
    let idle = Arc::new(AtomicUsize::new(0));
    let changed = Arc::new(Notify::new());
    let mut carriers = JoinSet::new();
    loop {
        while carriers.try_join_next().is_some() {}
        if idle.load(Ordering::Relaxed) == 0 && carriers.len() < most {
            idle.fetch_add(1, Ordering::Relaxed);
            let mut place =
                Place { idle: Arc::clone(&idle), changed: Arc::clone(&changed), is_idle: true };
            let (engine, container) = (engine.clone(), container.clone());
            let (services, ended) = (services.clone(), ended.clone());
            carriers.spawn(async move {
                carrier(&engine, &container, &services, &ended, &mut place).await;
                // Its place is kept for a moment, so that an engine that starts none is not asked without end.
                place.set_idle(true);
                tokio::time::sleep(PAUSE).await;
            });
        }
        changed.notified().await;
    }
}

/// A carrier's share in the number of idle ones, given back however the carrier ends.
struct Place {
    idle: Arc<AtomicUsize>,
    changed: Arc<Notify>,
    is_idle: bool,
}

impl Place {
    fn set_idle(&mut self, is_idle: bool) {
        match (self.is_idle, is_idle) {
            (true, false) => self.idle.fetch_sub(1, Ordering::Relaxed),
            (false, true) => self.idle.fetch_add(1, Ordering::Relaxed),
            _ => return,
        };
        self.is_idle = is_idle;
        self.changed.notify_one();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.set_idle(false);
        self.changed.notify_one();
    }
}

/// One carrier, until the engine or the container ends it.
async fn carrier(
    engine: &Engine,
    container: &str,
    services: &Services,
    ended: &watch::Receiver<()>,
    place: &mut Place,
) -> Option<()> {
    let mut frames = start(engine, container).await?;
    loop {
        let service = frames.read().await?;
        place.set_idle(false);
        let proxy = match (&*service, &services.proxy) {
            (VALIDATION, _) => None,
            (EGRESS, Some(proxy)) => Some(proxy),
            // Nothing that this run may have.
            _ => return None,
        };
        frames.write(&service).await?;
        let (ours, theirs) = tokio::io::duplex(LONGEST);
        let serving = async {
            match proxy {
                Some(proxy) => proxy.serve_connection(theirs, ended.clone()).await,
                None => services.validator.serve_connection(theirs).await,
            }
        };
        let pumping = pump(&mut frames, ours);
        // The service ends when it has said all, or when the connection is gone; a tunnel goes on as long as it is pumped.
        let (_, pumped) = futures_util::future::join(serving, pumping).await;
        pumped?;
        place.set_idle(true);
    }
}

async fn start(engine: &Engine, container: &str) -> Option<Frames> {
    let options = CreateExecOptions {
        attach_stdin: Some(true),
        attach_stdout: Some(true),
        cmd: Some(vec!["/podium/forwarder", "carry"]),
        ..CreateExecOptions::default()
    };
    let docker = engine.docker();
    let made = docker.create_exec(container, options).await.ok()?;
    let options =
        StartExecOptions { output_capacity: Some(2 * LONGEST), ..StartExecOptions::default() };
    match docker.start_exec(&made.id, Some(options)).await.ok()? {
        StartExecResults::Attached { output, input } => {
            Some(Frames { output, input, buffer: BytesMut::new() })
        }
        StartExecResults::Detached => None,
    }
}

/// Takes a connection's frames from and to the service, until both directions have ended.
async fn pump(frames: &mut Frames, ours: DuplexStream) -> Option<()> {
    let Frames { output, input, buffer } = frames;
    let (mut from_service, to_service) = tokio::io::split(ours);
    let inward = async {
        let mut to_service = Some(to_service);
        loop {
            let frame = read(output, buffer).await?;
            if frame.is_empty() {
                if let Some(mut to_service) = to_service {
                    let _ = to_service.shutdown().await;
                }
                return Some(());
            }
            // A service that has said all reads no more; what still comes is passed over.
            if let Some(open) = &mut to_service
                && open.write_all(&frame).await.is_err()
            {
                to_service = None;
            }
        }
    };
    let outward = async {
        let mut chunk = vec![0; LONGEST];
        loop {
            let count = from_service.read(&mut chunk).await.unwrap_or(0);
            write(input, &chunk[..count]).await?;
            if count == 0 {
                return Some(());
            }
        }
    };
    // One that fails ends the other: the service must not wait for a connection that is gone.
    let inward = inward.map(|done| done.ok_or(()));
    let outward = outward.map(|done| done.ok_or(()));
    futures_util::future::try_join(pin!(inward), pin!(outward)).await.ok().map(|_| ())
}

type Output = Pin<Box<dyn Stream<Item = Result<LogOutput, bollard::errors::Error>> + Send>>;

/// The frames of a carrier.
struct Frames {
    output: Output,
    input: Pin<Box<dyn AsyncWrite + Send>>,
    buffer: BytesMut,
}

impl Frames {
    async fn read(&mut self) -> Option<BytesMut> {
        read(&mut self.output, &mut self.buffer).await
    }

    async fn write(&mut self, frame: &[u8]) -> Option<()> {
        write(&mut self.input, frame).await
    }
}

async fn read(
    output: &mut (impl Stream<Item = Result<LogOutput, bollard::errors::Error>> + Unpin),
    buffer: &mut BytesMut,
) -> Option<BytesMut> {
    loop {
        if let Some(head) = buffer.first_chunk::<4>() {
            let length = u32::from_be_bytes(*head) as usize;
            // An agent can start a carrier of its own, which leads nowhere, but not this one; still, nothing is believed.
            if length > LONGEST {
                return None;
            }
            if buffer.len() >= 4 + length {
                buffer.advance(4);
                return Some(buffer.split_to(length));
            }
        }
        match output.next().await? {
            Ok(LogOutput::StdOut { message }) => buffer.extend_from_slice(&message),
            Ok(_) => {}
            Err(_) => return None,
        }
    }
}

async fn write(input: &mut (impl AsyncWrite + Unpin), frame: &[u8]) -> Option<()> {
    let mut bytes = Vec::with_capacity(4 + frame.len());
    bytes.extend_from_slice(&u32::try_from(frame.len()).ok()?.to_be_bytes());
    bytes.extend_from_slice(frame);
    input.write_all(&bytes).await.ok()?;
    input.flush().await.ok()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use futures_util::stream;

    use super::*;

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
    }

    #[test]
    fn frames_are_whole_however_they_come() {
        let mut wire = Vec::new();
        for frame in [b"validation".as_slice(), b"x", b"", &[7; LONGEST]] {
            block_on(write(&mut wire, frame)).unwrap();
        }
        for size in [1, 3, 8, 70_000] {
            let chunks: Vec<_> = wire
                .chunks(size)
                .map(|chunk| Ok(LogOutput::StdOut { message: Bytes::copy_from_slice(chunk) }))
                .collect();
            let (mut output, mut buffer) = (stream::iter(chunks), BytesMut::new());
            let mut lengths = Vec::new();
            while let Some(frame) = block_on(read(&mut output, &mut buffer)) {
                lengths.push(frame.len());
            }
            assert_eq!(lengths, [10, 1, 0, LONGEST]);
        }
    }

    #[test]
    fn a_frame_that_is_too_long_is_not_waited_for() {
        let message = Bytes::from_static(&[0xff; 12]);
        let chunks =
            [Ok(LogOutput::StdOut { message: message.clone() }), Ok(LogOutput::StdOut { message })];
        let (mut output, mut buffer) = (stream::iter(chunks), BytesMut::new());
        assert!(block_on(read(&mut output, &mut buffer)).is_none());
        assert!(block_on(output.next()).is_some());
    }
}
