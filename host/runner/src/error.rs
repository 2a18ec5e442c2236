//! What can go wrong outside of a run: definitions, the engine, files. What a run itself comes to is an
//! [`Ending`](crate::Ending) and no error.

use std::io;
use std::path::{Path, PathBuf};

/// Why the runner could not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An agent's definition is not understood, or asks for what is refused.
    #[error("the agent definition {}: {message}", path.display())]
    Agent {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// An agent has no variant of this name.
    #[error("the agent `{agent}` has no variant `{variant}`; {}", of_variants(known))]
    NoSuchVariant {
        /// The agent.
        agent: String,
        /// What was asked for.
        variant: String,
        /// The names of its variants.
        known: Vec<String>,
    },
    /// A run configuration is not understood.
    #[error("the run configuration {place}: {message}")]
    Configuration {
        /// The file, or where else it comes from.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// A hosts file, or a variable that names a host, is not understood or cannot be followed.
    #[error("the hosts {place}: {message}")]
    Hosts {
        /// The file, or where else it comes from.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// No engine answers any more.
    #[error("no engine answers: {hosts}; what runs there goes on by itself")]
    NoHost {
        /// The hosts, with how long each has been silent.
        hosts: String,
    },
    /// A secret that an agent needs is not in the environment.
    #[error(
        "the agent needs the secret `{name}`, and the environment has no variable of that name"
    )]
    MissingSecret {
        /// The name of the variable.
        name: String,
    },
    /// The Docker engine does not answer, or refuses.
    #[error("the Docker engine could not {what}: {}", in_full(source))]
    Engine {
        /// What it was asked to do.
        what: String,
        /// What it says.
        source: bollard::errors::Error,
    },
    /// Podium's own file for containers is not there.
    #[error("{} is not there; `cargo xtask runner` builds it", path.display())]
    MissingProgram {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// An image could not be built.
    #[error("the image of the agent `{agent}` could not be built: {message}")]
    Build {
        /// The agent.
        agent: String,
        /// What the engine says.
        message: String,
    },
    /// The data of a competition are not there.
    #[error(
        "the data of `{competition_id}` are not prepared: there is no {}; prepare the competition, or name the data \
         folder that holds it",
        path.display()
    )]
    NotPrepared {
        /// The competition.
        competition_id: String,
        /// What was looked for.
        path: PathBuf,
    },
    /// There is no run group in a folder.
    #[error("{} is no run group: it holds no {}", path.display(), crate::group::DEFINITION)]
    NoGroup {
        /// The folder.
        path: PathBuf,
    },
    /// A run group's folder cannot go on.
    #[error("{}: {message}", path.display())]
    Group {
        /// The folder or file.
        path: PathBuf,
        /// What is wrong, and what to do.
        message: String,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// An error of the library.
    #[error(transparent)]
    Podium(#[from] podium::Error),
}

/// An error with all that it came from, as far as one does not say the other: those of connections name their cause last.
fn in_full(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let said = cause.to_string();
        if !text.contains(&said) {
            text.push_str(&format!(": {said}"));
        }
        source = cause.source();
    }
    text
}

/// The variants that there are.
fn of_variants(known: &[String]) -> String {
    match known {
        [] => "it has none".to_owned(),
        known => format!("it has {}", known.join(", ")),
    }
}

impl Error {
    /// The engine could not do something.
    pub(crate) fn engine(what: impl Into<String>) -> impl FnOnce(bollard::errors::Error) -> Error {
        let what = what.into();
        move |source| Error::Engine { what, source }
    }

    /// A file could not be read or written.
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_owned();
        move |source| Error::File { path, source }
    }
}
