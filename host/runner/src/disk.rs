//! Whether the engine can limit what a container writes: not all storage drivers can, and the engine says so only when a
//! container is made. So one is made, and never started, before hours of waiting.

use std::collections::HashMap;
use std::path::Path;

use bollard::models::{ContainerCreateBody, HostConfig};

use crate::container::{FOLDER_LABEL, GROUP_LABEL};
use crate::engine::Engine;
use crate::error::Error;
use crate::image::Image;
use crate::size::Size;

/// Tries a limit, where there is one, for the group in this folder.
///
/// # Errors
/// [`Error::Configuration`] where the engine refuses.
pub(crate) async fn check(
    engine: &Engine,
    limit: Option<Size>,
    folder: &Path,
    image: &Image,
) -> Result<(), Error> {
    let Some(limit) = limit else { return Ok(()) };
    let folder = folder.to_string_lossy().into_owned();
    let request = ContainerCreateBody {
        image: Some(image.id.clone()),
        cmd: Some(vec!["never-started".to_owned()]),
        // Found by `clean`, should this runner be killed now.
        labels: Some(HashMap::from([
            (GROUP_LABEL.to_owned(), "disk-check".to_owned()),
            (FOLDER_LABEL.to_owned(), folder),
        ])),
        host_config: Some(HostConfig {
            storage_opt: Some(HashMap::from([("size".to_owned(), limit.0.to_string())])),
            ..HostConfig::default()
        }),
        ..ContainerCreateBody::default()
    };
    let options = None::<bollard::query_parameters::CreateContainerOptions>;
    match engine.docker().create_container(options, request).await {
        Ok(made) => engine.remove_container(&made.id).await,
        Err(bollard::errors::Error::DockerResponseServerError { message, .. }) => {
            Err(Error::Configuration {
                place: "for this engine".to_owned(),
                message: format!(
                    "`disk` is asked for, and the engine's storage driver cannot limit it: {message}; leave `disk` out, or use \
                     an engine whose driver can, overlay2 on an xfs with pquota for instance"
                ),
            })
        }
        Err(error) => Err(Error::engine("make a container")(error)),
    }
}
