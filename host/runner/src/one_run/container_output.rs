//! What a container gives: its log as it comes, its folders as archives.

use std::io::{self, Read, Seek, SeekFrom, Write};
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
    let task = tokio::task::spawn_blocking(move || -> io::Result<Found> {
        let mut archive = tar::Archive::new(reader);
        let Some(entry) = archive.entries()?.next() else { return Ok(Found::Nothing) };
        let entry = entry?;
        if entry.header().entry_type() != tar::EntryType::Regular {
            return Ok(Found::Nothing);
        }
        if entry.size() > most {
            return Ok(Found::TooLarge(entry.size()));
        }
        let mut file = file;
        io::copy(&mut entry.take(most), &mut file)?;
        Ok(Found::Submission(file))
    });
    let downloaded = download(engine, container, "/home/submission/submission.csv", bytes).await;
    let (Ok(()), Ok(Ok(found))) = (downloaded, task.await) else { return };
    let file = match found {
        Found::Nothing => return,
        Found::TooLarge(bytes) => {
            return validator.snapshots.leave_out(|| {
                format!("the submission had {bytes} bytes, and `validation.submission` is {most}")
            });
        }
        Found::Submission(file) => file,
    };
    let Ok(input) = Input::open(file.path(), most) else { return };
    let path = file.into_temp_path();
    if let Ok(true) = validator.snapshots.keep(&path, *input.sha256(), input.size(), "interval") {
        let _ = path.keep();
    }
}

/// What lies in a container where the submission belongs.
enum Found {
    Nothing,
    TooLarge(u64),
    Submission(tempfile::NamedTempFile),
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

/// Adds to the log of a container that has ended what is not in it yet. An engine may end the stream for whoever follows it
/// before it has sent the last line, all the more one that no line break ends.
///
/// # Errors
/// A file that cannot be read or written. What an engine does not give any more is left out.
pub(crate) async fn complete_log(
    engine: &Engine,
    container: &str,
    path: &Path,
    secrets: &[String],
    most: u64,
) -> Result<(), Error> {
    for tries in 1.. {
        let mut file = Completed::open(path).map_err(Error::file(path))?;
        let mut redactor = Redactor::new(secrets);
        let options = LogsOptionsBuilder::default().stdout(true).stderr(true).build();
        let mut log = engine.docker().logs(container, Some(options)).boxed();
        let mut left = most;
        loop {
            let passed = match log.next().await {
                Some(Ok(chunk)) => redactor.pass(&chunk.into_bytes()),
                None => {
                    let rest = redactor.finish();
                    write_within(&mut file, &rest, &mut left).map_err(Error::file(path))?;
                    return Ok(());
                }
                Some(Err(_)) => break,
            };
            let has_room = write_within(&mut file, &passed, &mut left);
            if !has_room.map_err(Error::file(path))? || file.is_another {
                return Ok(());
            }
        }
        if tries >= TRIES {
            break;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Ok(())
}

/// A file to which only what it does not hold yet is written, by whoever writes all of it again.
struct Completed {
    file: std::fs::File,
    place: u64,
    length: u64,
    /// Whether it begins otherwise than what is written: an engine keeps the end of a long log alone. It is left as it is.
    is_another: bool,
}

impl Completed {
    /// How far from its end a file may differ: what may be the beginning of a secret is written when a stream ends.
    const CORRECTED: u64 = 64 << 10;

    fn open(path: &Path) -> io::Result<Completed> {
        let file = std::fs::OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(path)?;
        let length = file.metadata()?.len();
        Ok(Completed { file, place: 0, length, is_another: false })
    }

    /// How many of these bytes the file holds already at this place.
    fn held(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = usize::try_from(self.length - self.place).unwrap_or(usize::MAX);
        let mut present = vec![0; left.min(bytes.len())];
        self.file.read_exact(&mut present)?;
        let same = present.iter().zip(bytes).take_while(|(one, other)| one == other).count();
        self.place += same as u64;
        if same < present.len() {
            self.is_another = self.length - self.place > Completed::CORRECTED;
            if !self.is_another {
                self.length = self.place;
                self.file.set_len(self.place)?;
                self.file.seek(SeekFrom::Start(self.place))?;
            }
        }
        Ok(same)
    }
}

impl Write for Completed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let held = if self.place < self.length { self.held(bytes)? } else { 0 };
        if !self.is_another && held < bytes.len() {
            self.file.write_all(&bytes[held..])?;
            self.place += (bytes.len() - held) as u64;
            self.length = self.place;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Whether there is room for more.
fn write_within(file: &mut impl Write, bytes: &[u8], left: &mut u64) -> io::Result<bool> {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn complete(present: &[u8], whole: &[u8], chunk: usize) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.log");
        std::fs::write(&path, present).unwrap();
        let mut file = Completed::open(&path).unwrap();
        for bytes in whole.chunks(chunk) {
            file.write_all(bytes).unwrap();
        }
        std::fs::read(&path).unwrap()
    }

    #[test]
    fn what_is_missing_at_the_end_is_added() {
        let long = vec![b'x'; 100_000];
        let end = [&long[..], b"no line break"].concat();
        for (present, whole, expected) in [
            (&b""[..], &b"a\nb"[..], &b"a\nb"[..]),
            (b"a\n", b"a\nb", b"a\nb"),
            (b"a\nb", b"a\nb", b"a\nb"),
            // The beginning of a secret that the stream broke off in.
            (b"key=hus", b"key=***\n", b"key=***\n"),
            // What the engine has is shorter, or another part: what was followed is more.
            (b"a\nb", b"a\n", b"a\nb"),
            (&end, b"no line break", &end),
            (&long, &end, &end),
        ] {
            for chunk in [1, 3, 1 << 16] {
                assert!(complete(present, whole, chunk) == expected, "{chunk}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_log_that_broke_off_anywhere_is_whole_again(
            whole in proptest::collection::vec(any::<u8>(), 0..200), cut in 0usize..200, chunk in 1usize..70
        ) {
            let present = &whole[..cut.min(whole.len())];
            prop_assert_eq!(complete(present, &whole, chunk), whole);
        }
    }
}
