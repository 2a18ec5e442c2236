//! The key that tells the sets of regrades that this person made from those that came with an archive.

use std::path::PathBuf;

use etcetera::BaseStrategy;
use podium::{Error, SealingKey};

use crate::failure::Failure;
use crate::output;

/// Where the key lies, be it there or not; why nobody knows, for a user without a home folder.
pub(crate) fn path() -> Result<PathBuf, String> {
    let folders = etcetera::choose_base_strategy().map_err(|error| error.to_string())?;
    Ok(folders.data_dir().join("podium").join("regrade.key"))
}

/// The key in the user's data folder, `podium/regrade.key`; made on first use. Where none can be kept, one for this process.
///
/// # Errors
/// A file that is no key, or that others may read.
pub(crate) fn key() -> Result<SealingKey, Failure> {
    let reason = match path() {
        Err(reason) => reason,
        Ok(path) => match SealingKey::at(&path) {
            Err(error @ Error::Write { .. }) => error.to_string(),
            read => return Ok(read?),
        },
    };
    output::warning_line(&format!(
        "sets of this regrade will not be known again for your own, because no key can be kept: {reason}"
    ));
    Ok(SealingKey::for_this_process()?)
}
