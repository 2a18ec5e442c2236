//! What a container gives: its log as it comes, its folders as archives.

use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use bollard::query_parameters::{DownloadFromContainerOptionsBuilder, LogsOptionsBuilder};
use bytes::{Buf, Bytes};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use futures_util::StreamExt;
use podium::Input;
use tokio::sync::mpsc;

use crate::copy_out::{self, Copied, Limits};
use crate::engine::{Engine, is_of_connection, status_of};
use crate::error::Error;
use crate::host::Host;
use crate::secrets::Redactor;
use crate::validation::Validator;

/// How often an archive is asked for before it is given up.
const TRIES: u32 = 5;

/// Copies a folder of the container into the run's folder. A folder that is not there is empty.
pub(crate) async fn copy(
    host: &Host,
    container: &str,
    run_folder: &Path,
    name: &'static str,
    limits: Limits,
) -> Result<Copied, Error> {
    let mut tries = 1;
    loop {
        let run_folder = run_folder.to_owned();
        let (bytes, reader) = channel();
        let task = tokio::task::spawn_blocking(move || -> io::Result<Copied> {
            let folder = Dir::open_ambient_dir(&run_folder, ambient_authority())?;
            copy_out::copy_out(reader, &folder, name, limits)
        });
        let path = format!("/home/{name}");
        let downloaded = download(&host.engine, container, &path, bytes).await;
        let copied = task.await.map_err(io::Error::other).and_then(|copied| copied);
        let copied = copied.map_err(Error::file(Path::new(name)))?;
        match downloaded {
            Ok(()) => return Ok(copied),
            // What the agent has made is still there; whoever waits for the host ends this where it is gone.
            Err(error) if is_of_connection(&error) && !host.ask().await.is_zero() => {}
            Err(error) if tries >= TRIES => return Err(error),
            Err(_) => tries += 1,
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Keeps the submission that lies in a running container, where there is one and it is new.
pub(crate) async fn keep_snapshot(
    engine: &Engine,
    container: &str,
    validator: &Validator,
    received: &Path,
) {
    let most = validator.limits.submission.0;
    let Ok(file) = tempfile::NamedTempFile::new_in(received) else { return };
    let (bytes, reader) = channel();
    let task =
        tokio::task::spawn_blocking(move || -> io::Result<Option<tempfile::NamedTempFile>> {
            let mut archive = tar::Archive::new(reader);
            let Some(entry) = archive.entries()?.next() else { return Ok(None) };
            let entry = entry?;
            if entry.header().entry_type() != tar::EntryType::Regular || entry.size() > most {
                return Ok(None);
            }
            let mut file = file;
            io::copy(&mut entry.take(most), &mut file)?;
            Ok(Some(file))
        });
    let downloaded = download(engine, container, "/home/submission/submission.csv", bytes).await;
    let (Ok(()), Ok(Ok(Some(file)))) = (downloaded, task.await) else { return };
    let Ok(input) = Input::open(file.path(), most) else { return };
    let path = file.into_temp_path();
    if let Ok(true) = validator.snapshots.keep(&path, *input.sha256(), input.size(), "interval") {
        let _ = path.keep();
    }
}

/// Writes what the agent prints to a file, as it comes, without secrets, up to a limit.
///
/// # Errors
/// A file that cannot be written.
pub(crate) async fn write_log(
    engine: Engine,
    container: String,
    path: std::path::PathBuf,
    mut redactor: Redactor,
    most: u64,
) -> Result<(), Error> {
    let mut file = std::fs::File::create(&path).map_err(Error::file(&path))?;
    let options = LogsOptionsBuilder::default().follow(true).stdout(true).stderr(true).build();
    let mut log = engine.docker().logs(&container, Some(options)).boxed();
    let mut left = most;
    while let Some(Ok(chunk)) = log.next().await {
        let passed = redactor.pass(&chunk.into_bytes());
        if !write_within(&mut file, &passed, &mut left).map_err(Error::file(&path))? {
            return Ok(());
        }
    }
    write_within(&mut file, &redactor.finish(), &mut left).map_err(Error::file(&path))?;
    Ok(())
}

/// Whether there is room for more.
fn write_within(file: &mut std::fs::File, bytes: &[u8], left: &mut u64) -> io::Result<bool> {
    let fits = usize::try_from(*left).map_or(bytes.len(), |left| left.min(bytes.len()));
    file.write_all(&bytes[..fits])?;
    *left -= fits as u64;
    if fits < bytes.len() {
        file.write_all(b"\n[podium: the log goes beyond its limit and ends here]\n")?;
        return Ok(false);
    }
    Ok(true)
}

async fn download(
    engine: &Engine,
    container: &str,
    path: &str,
    bytes: mpsc::Sender<io::Result<Bytes>>,
) -> Result<(), Error> {
    let options = DownloadFromContainerOptionsBuilder::default().path(path).build();
    let mut archive = engine.docker().download_from_container(container, Some(options)).boxed();
    while let Some(chunk) = archive.next().await {
        match chunk {
            Ok(chunk) => {
                if bytes.send(Ok(chunk)).await.is_err() {
                    // Whoever reads has seen enough.
                    return Ok(());
                }
            }
            Err(error) if status_of(&error) == Some(404) => return Ok(()),
            Err(error) => {
                let _ = bytes.send(Err(io::Error::other(error.to_string()))).await;
                return Err(Error::engine(format!("copy {path} out of `{container}`"))(error));
            }
        }
    }
    Ok(())
}

/// Bytes that come from the engine, read by code that waits for them.
struct ChannelReader {
    receiver: mpsc::Receiver<io::Result<Bytes>>,
    chunk: Bytes,
}

fn channel() -> (mpsc::Sender<io::Result<Bytes>>, ChannelReader) {
    let (sender, receiver) = mpsc::channel(16);
    (sender, ChannelReader { receiver, chunk: Bytes::new() })
}

impl Read for ChannelReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.chunk.is_empty() {
            match self.receiver.blocking_recv() {
                None => return Ok(0),
                Some(chunk) => self.chunk = chunk?,
            }
        }
        let count = self.chunk.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.chunk[..count]);
        self.chunk.advance(count);
        Ok(count)
    }
}
