//! A Unix socket in the exchange folder, through which a container speaks to the host.

use std::fs::Permissions;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tokio::net::UnixListener;

use crate::error::Error;

/// Listens on a socket in a folder, in the place of one that was left behind. Any user of the container may speak to it.
///
/// # Errors
/// A folder in which there can be no socket.
pub(crate) fn listen(folder: &Path, name: &str) -> Result<UnixListener, Error> {
    let path = folder.join(name);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::file(&path)(error));
        }
        _ => {}
    }
    // The name of a socket has room for some hundred characters; the folder's own may be longer.
    let opened = std::fs::File::open(folder).map_err(Error::file(folder))?;
    let short = format!("/proc/self/fd/{}/{name}", opened.as_raw_fd());
    let listener = UnixListener::bind(short).map_err(Error::file(&path))?;
    std::fs::set_permissions(&path, Permissions::from_mode(0o666)).map_err(Error::file(&path))?;
    Ok(listener)
}
