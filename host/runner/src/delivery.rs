//! Brings what an agent needs to an engine that does not see the files of this machine: small files into the container
//! before it starts, public data into a volume that all runs of a competition read.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use bollard::models::{ContainerCreateBody, HostConfig, Mount, MountType, VolumeCreateRequest};
use bollard::query_parameters::{
    CreateContainerOptionsBuilder, ListVolumesOptionsBuilder, RemoveVolumeOptionsBuilder,
    UploadToContainerOptionsBuilder,
};
use bollard::{body_full, body_try_stream};
use bytes::Bytes;
use podium::Digest;
use tokio::sync::mpsc;

use crate::container::{DataSource, KEPT_FOLDERS};
use crate::engine::{Engine, status_of};
use crate::error::Error;

/// How long an upload may take.
const PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);

/// The label of a volume with public data.
pub(crate) const DATA_LABEL: &str = "podium.data";

/// What the name of the volume ends with that says that the one before it is whole.
const WHOLE: &str = "-whole";

/// Where the volume lies in the container that it is filled through.
const TARGET: &str = "/podium-data";

/// Makes the folders that are kept, which any user of the container may write.
pub(crate) async fn make_kept_folders(engine: &Engine, container: &str) -> Result<(), Error> {
    let mut archive = Archive::default();
    archive.folder("home", 0o777);
    KEPT_FOLDERS.iter().for_each(|name| archive.folder(&format!("home/{name}"), 0o777));
    put(engine, container, "/", archive).await
}

/// Puts the forwarder and the files of the exchange into a container that was made and not started. Where the root is
/// read-only, both places are volumes.
pub(crate) async fn put_files(
    engine: &Engine,
    container: &str,
    exchange: &Path,
    forwarder: &Path,
    read_only_root: bool,
) -> Result<(), Error> {
    let read = |path: &Path| fs::read(path).map_err(Error::file(path));
    let (home, podium) = if read_only_root { ("", "") } else { ("home/", "podium/") };
    let mut archive = Archive::default();
    for (name, mode) in
        [("instructions.txt", 0o644), ("description.md", 0o644), ("validate_submission.sh", 0o755)]
    {
        archive.file(&format!("{home}{name}"), mode, &read(&exchange.join(name))?);
    }
    if read_only_root {
        KEPT_FOLDERS.iter().for_each(|name| archive.folder(name, 0o777));
        put(engine, container, "/home", archive).await?;
        archive = Archive::default();
    } else {
        archive.folder("podium", 0o755);
    }
    archive.file(&format!("{podium}forwarder"), 0o755, &read(forwarder)?);
    // The socket is made there by whatever user the agent is.
    archive.folder(&format!("{podium}socket"), 0o1777);
    put(engine, container, if read_only_root { "/podium" } else { "/" }, archive).await
}

/// A small archive in memory.
struct Archive(tar::Builder<Vec<u8>>);

impl Default for Archive {
    fn default() -> Archive {
        Archive(tar::Builder::new(Vec::new()))
    }
}

impl Archive {
    fn folder(&mut self, name: &str, mode: u32) {
        self.add(&format!("{name}/"), tar::EntryType::Directory, mode, &[]);
    }

    fn file(&mut self, name: &str, mode: u32, content: &[u8]) {
        self.add(name, tar::EntryType::Regular, mode, content);
    }

    fn add(&mut self, name: &str, kind: tar::EntryType, mode: u32, content: &[u8]) {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(content.len() as u64);
        header.set_mode(mode);
        // Nothing of this can fail in memory; what is missing would be seen at once by every run.
        let _ = self.0.append_data(&mut header, name, content);
    }
}

/// Unpacks an archive in a container, in a folder that is there.
async fn put(
    engine: &Engine,
    container: &str,
    target: &str,
    archive: Archive,
) -> Result<(), Error> {
    let archive = archive.0.into_inner().unwrap_or_default();
    let options = UploadToContainerOptionsBuilder::default().path(target).build();
    engine
        .docker()
        .upload_to_container(container, Some(options), body_full(archive.into()))
        .await
        .map_err(Error::engine(format!("put files into `{container}`")))
}

/// The container that a volume is filled through; it is never started.
pub(crate) struct Filler<'a> {
    pub(crate) container: String,
    /// Any image that the engine has.
    pub(crate) image: &'a str,
    pub(crate) labels: BTreeMap<String, String>,
}

/// The volume with a competition's public data; it is made and filled where it is not there.
pub(crate) async fn data_volume(
    engine: &Engine,
    filler: &Filler<'_>,
    competition_id: &str,
    public_data: &Path,
) -> Result<DataSource, Error> {
    let listing = public_data.to_owned();
    let digest = tokio::task::spawn_blocking(move || digest(&listing))
        .await
        .map_err(io::Error::other)
        .and_then(|digest| digest)
        .map_err(Error::file(public_data))?;
    let volume = format!("podium-data-{competition_id}-{}", &digest.to_string()[..16]);
    let whole = format!("{volume}{WHOLE}");
    if engine.docker().inspect_volume(&whole).await.is_ok() {
        return Ok(DataSource::Volume(volume));
    }
    make_volume(engine, &volume, competition_id).await?;
    let filled = fill(engine, filler, &volume, public_data).await;
    engine.remove_container(&filler.container).await?;
    filled?;
    // Only now, so that a volume that was filled by half is filled again.
    make_volume(engine, &whole, competition_id).await?;
    Ok(DataSource::Volume(volume))
}

async fn make_volume(engine: &Engine, name: &str, competition_id: &str) -> Result<(), Error> {
    let request = VolumeCreateRequest {
        name: Some(name.to_owned()),
        labels: Some([(DATA_LABEL.to_owned(), competition_id.to_owned())].into()),
        ..VolumeCreateRequest::default()
    };
    let made = engine.docker().create_volume(request).await;
    made.map(|_| ()).map_err(Error::engine(format!("make the volume `{name}`")))
}

async fn fill(
    engine: &Engine,
    filler: &Filler<'_>,
    volume: &str,
    public_data: &Path,
) -> Result<(), Error> {
    let container = filler.container.as_str();
    let request = ContainerCreateBody {
        image: Some(filler.image.to_owned()),
        labels: Some(filler.labels.clone().into_iter().collect()),
        entrypoint: Some(vec!["/podium-never-started".to_owned()]),
        network_disabled: Some(true),
        host_config: Some(HostConfig {
            mounts: Some(vec![Mount {
                target: Some(TARGET.to_owned()),
                source: Some(volume.to_owned()),
                typ: Some(MountType::VOLUME),
                ..Mount::default()
            }]),
            ..HostConfig::default()
        }),
        ..ContainerCreateBody::default()
    };
    let options = CreateContainerOptionsBuilder::default().name(container).build();
    engine.remove_container(container).await?;
    engine
        .docker()
        .create_container(Some(options), request)
        .await
        .map_err(Error::engine(format!("make the container `{container}`")))?;
    let (sender, receiver) = mpsc::channel(16);
    let folder = public_data.to_owned();
    let packing = tokio::task::spawn_blocking(move || {
        let writer = io::BufWriter::with_capacity(1 << 16, ChannelWriter(sender));
        let mut builder = tar::Builder::new(writer);
        // A link leads nowhere in a container where the folder is mounted, either.
        builder.follow_symlinks(false);
        builder.append_dir_all(".", &folder)?;
        builder.into_inner()?.flush()
    });
    let body = futures_util::stream::unfold(receiver, |mut receiver| async {
        receiver.recv().await.map(|chunk: Bytes| (Ok::<_, io::Error>(chunk), receiver))
    });
    let docker = engine.docker().clone().with_timeout(PATIENCE);
    let options = UploadToContainerOptionsBuilder::default().path(TARGET).build();
    let sent = docker.upload_to_container(container, Some(options), body_try_stream(body)).await;
    sent.map_err(Error::engine(format!("take the public data into `{volume}`")))?;
    packing
        .await
        .map_err(io::Error::other)
        .and_then(|packed| packed)
        .map_err(Error::file(public_data))
}

/// Bytes that are written here are read as a body there.
struct ChannelWriter(mpsc::Sender<Bytes>);

impl Write for ChannelWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.0.blocking_send(Bytes::copy_from_slice(bytes)).map_err(gone)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What tells one state of a folder from another: names, sizes and times. The contents may be a hundred gigabytes.
fn digest(folder: &Path) -> io::Result<Digest> {
    let mut lines = Vec::new();
    collect(folder, folder, &mut lines)?;
    lines.sort();
    Ok(Digest::of(lines.concat().as_bytes()))
}

fn collect(root: &Path, folder: &Path, lines: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, metadata) = (entry.path(), entry.metadata()?);
        let name = path.strip_prefix(root).unwrap_or(&path);
        lines.push(format!(
            "{:?} {} {} {}.{}\n",
            name,
            metadata.mode(),
            if metadata.is_dir() { 0 } else { metadata.len() },
            metadata.mtime(),
            metadata.mtime_nsec(),
        ));
        if metadata.is_dir() {
            collect(root, &path, lines)?;
        }
    }
    Ok(())
}

/// The volumes with public data in an engine.
pub(crate) async fn data_volumes(engine: &Engine) -> Result<Vec<String>, Error> {
    let filters = [("label".to_owned(), vec![DATA_LABEL.to_owned()])].into();
    let options = ListVolumesOptionsBuilder::default().filters(&filters).build();
    let listed = engine.docker().list_volumes(Some(options)).await;
    let listed = listed.map_err(Error::engine("list its volumes"))?;
    Ok(listed.volumes.unwrap_or_default().into_iter().map(|volume| volume.name).collect())
}

/// Removes a volume; whether it is gone. One that a container uses stays.
pub(crate) async fn remove_data_volume(engine: &Engine, name: &str) -> Result<bool, Error> {
    let options = RemoveVolumeOptionsBuilder::default().build();
    match engine.docker().remove_volume(name, Some(options)).await {
        Ok(()) => Ok(true),
        Err(error) if status_of(&error) == Some(404) => Ok(true),
        Err(error) if status_of(&error) == Some(409) => Ok(false),
        Err(error) => Err(Error::engine(format!("remove the volume `{name}`"))(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_state_of_a_folder_has_another_digest() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/b.csv"), "1").unwrap();
        let first = digest(folder.path()).unwrap();
        assert_eq!(digest(folder.path()).unwrap(), first);
        fs::write(folder.path().join("a/b.csv"), "12").unwrap();
        let second = digest(folder.path()).unwrap();
        fs::rename(folder.path().join("a/b.csv"), folder.path().join("a/c.csv")).unwrap();
        let third = digest(folder.path()).unwrap();
        assert!(first != second && second != third);
    }
}
