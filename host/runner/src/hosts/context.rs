//! The contexts of the `docker` program: engines that somebody gave names, one of which is in use.
//!
//! They are files below `DOCKER_CONFIG`, else `~/.docker`: `config.json` says which is in use unless `DOCKER_CONTEXT` does,
//! `contexts/meta/<digest of the name>/meta.json` where its engine listens, `contexts/tls/<digest>/docker/` holds
//! certificates.

use std::io;
use std::path::{Path, PathBuf};

use podium::Digest;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Tls;
use crate::error::Error;

/// The context that stands for the variables, or for this machine's own engine.
const DEFAULT: &str = "default";

/// The endpoint of a context that is an engine.
const ENDPOINT: &str = "docker";

/// An engine that a context names.
#[derive(Debug, PartialEq)]
pub(super) struct Context {
    /// The context's name.
    pub(super) name: String,
    pub(super) address: String,
    pub(super) tls: Option<Tls>,
}

/// What is read of `config.json`.
#[derive(Deserialize)]
struct Configuration {
    #[serde(rename = "currentContext", default)]
    current_context: String,
}

/// What is read of a `meta.json`.
#[derive(Deserialize)]
struct Metadata {
    #[serde(rename = "Endpoints", default)]
    endpoints: std::collections::BTreeMap<String, Endpoint>,
}

#[derive(Deserialize)]
struct Endpoint {
    #[serde(rename = "Host", default)]
    host: String,
    #[serde(rename = "SkipTLSVerify", default)]
    skip_tls_verify: bool,
}

/// The context in use; none where it is the default one.
///
/// # Errors
/// [`Error::Hosts`] for a context that is not there or cannot be used, [`Error::File`] for a file that cannot be read.
pub(super) fn in_use(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Context>, Error> {
    let Some(folder) = variable("DOCKER_CONFIG")
        .map(PathBuf::from)
        .or_else(|| Some(Path::new(&variable("HOME")?).join(".docker")))
    else {
        return Ok(None);
    };
    let (name, said_by) = match variable("DOCKER_CONTEXT") {
        Some(name) => (name, "DOCKER_CONTEXT".to_owned()),
        None => {
            let path = folder.join("config.json");
            let configuration: Option<Configuration> = read(&path)?;
            let name = configuration.map(|read| read.current_context).unwrap_or_default();
            (name, path.display().to_string())
        }
    };
    if name.is_empty() || name == DEFAULT {
        return Ok(None);
    }
    let wrong = |message: String| Error::Hosts {
        place: format!("of the Docker context `{}`, which {said_by} names", name.escape_debug()),
        message,
    };
    let id = Digest::of(name.as_bytes()).to_string();
    let contexts = folder.join("contexts");
    let path = contexts.join("meta").join(&id).join("meta.json");
    let metadata: Metadata = read(&path)?.ok_or_else(|| {
        wrong(format!(
            "there is no such context: {} is not there; `docker context ls` lists them, and DOCKER_CONTEXT=default takes \
             this machine's engine",
            path.display()
        ))
    })?;
    let endpoint = metadata.endpoints.get(ENDPOINT).filter(|endpoint| !endpoint.host.is_empty());
    let Some(endpoint) = endpoint else {
        return Err(wrong(format!("it names no engine: {}", path.display())));
    };
    if endpoint.skip_tls_verify {
        return Err(wrong(
            "it believes any certificate, which Podium does not; write the engine into a hosts file, with its authority"
                .to_owned(),
        ));
    }
    let tls = tls(&contexts.join("tls").join(&id).join(ENDPOINT)).map_err(wrong)?;
    Ok(Some(Context { address: endpoint.host.clone(), tls, name }))
}

/// The certificates of a context, if it has any.
fn tls(folder: &Path) -> Result<Option<Tls>, String> {
    let files = ["ca.pem", "cert.pem", "key.pem"].map(|name| folder.join(name));
    let missing: Vec<&PathBuf> = files.iter().filter(|file| !file.is_file()).collect();
    match missing.as_slice() {
        [] => {
            let [ca, certificate, key] = files;
            Ok(Some(Tls { ca, certificate, key }))
        }
        _ if missing.len() == files.len() => Ok(None),
        [first, ..] => Err(format!(
            "it has some certificates, and not {}: an authority, a certificate and its key belong together",
            first.display()
        )),
    }
}

/// Reads a file in JSON; none where there is none.
fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    let text = match std::fs::read(path) {
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Ok(None);
        }
        text => text.map_err(Error::file(path))?,
    };
    serde_json::from_slice(&text).map(Some).map_err(|error| Error::Hosts {
        place: path.display().to_string(),
        message: format!("this is not what the `docker` program writes: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Home(tempfile::TempDir);

    impl Home {
        fn new() -> Home {
            Home(tempfile::tempdir().unwrap())
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(".docker").join(name)
        }

        fn write(&self, name: &str, text: &str) {
            let path = self.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }

        /// As `docker context create` does it.
        fn context(&self, name: &str, endpoints: &str, files: &[&str]) {
            let id = Digest::of(name.as_bytes());
            let text = format!(
                "{{\"Name\":{name:?},\"Metadata\":{{\"Description\":\"d\"}},\"Endpoints\":{endpoints}}}"
            );
            self.write(&format!("contexts/meta/{id}/meta.json"), &text);
            files.iter().for_each(|file| {
                self.write(&format!("contexts/tls/{id}/docker/{file}"), "PEM");
            });
        }

        fn in_use(&self, variables: &[(&str, &str)]) -> Result<Option<Context>, Error> {
            let home = self.0.path().display().to_string();
            in_use(|name| match name {
                "HOME" => Some(home.clone()),
                _ => variables.iter().find(|one| one.0 == name).map(|one| one.1.to_owned()),
            })
        }
    }

    #[test]
    fn the_variable_comes_before_the_file_and_default_is_this_machines() {
        let home = Home::new();
        assert_eq!(home.in_use(&[]).unwrap(), None);
        home.context("far", r#"{"docker":{"Host":"ssh://me@far","SkipTLSVerify":false}}"#, &[]);
        let all = ["ca.pem", "cert.pem", "key.pem"];
        home.context("safe", r#"{"docker":{"Host":"tcp://safe:2376"}}"#, &all);
        assert_eq!(home.in_use(&[]).unwrap(), None);
        home.write("config.json", r#"{"auths":{},"currentContext":"far"}"#);
        let named = |variables: &[(&str, &str)]| home.in_use(variables).unwrap();
        let far = named(&[]).unwrap();
        assert_eq!(
            (far.name.as_str(), far.address.as_str(), far.tls),
            ("far", "ssh://me@far", None)
        );
        let safe = named(&[("DOCKER_CONTEXT", "safe")]).unwrap();
        assert_eq!(safe.address, "tcp://safe:2376");
        assert!(safe.tls.unwrap().key.ends_with("docker/key.pem"));
        assert_eq!(named(&[("DOCKER_CONTEXT", "default")]), None);
        assert_eq!(named(&[("DOCKER_CONFIG", "/nowhere")]), None);
        assert_eq!(in_use(|_| None).unwrap(), None);
    }

    #[test]
    fn a_context_that_cannot_be_used_is_said() {
        let home = Home::new();
        home.context("loose", r#"{"docker":{"Host":"tcp://a:1","SkipTLSVerify":true}}"#, &[]);
        home.context("half", r#"{"docker":{"Host":"tcp://a:1"}}"#, &["ca.pem"]);
        home.context("none", r#"{"kubernetes":{"Host":"https://a"}}"#, &[]);
        home.context("broken", "[", &[]);
        for (name, part) in [
            ("missing", "there is no such context"),
            ("../../etc", "there is no such context"),
            ("loose", "any certificate"),
            ("half", "cert.pem"),
            ("none", "names no engine"),
            ("broken", "not what the `docker` program writes"),
        ] {
            let error = home.in_use(&[("DOCKER_CONTEXT", name)]).unwrap_err().to_string();
            assert!(error.contains(part), "{name}: {error}");
        }
        home.write("config.json", "{");
        assert!(home.in_use(&[]).unwrap_err().to_string().contains("config.json"));
    }
}
