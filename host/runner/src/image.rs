//! An agent's image: named, or built from its context and named by the context's digest, so that it is built once.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use bollard::body_full;
use bollard::models::ImageInspect;
use bollard::query_parameters::BuildImageOptionsBuilder;
use futures_util::StreamExt;
use podium::Digest;

use crate::agent::{Agent, Build};
use crate::engine::{Engine, status_of};
use crate::error::Error;

/// The largest build context; it is held in memory.
const LARGEST_CONTEXT: u64 = 256 << 20;

/// Where Podium's static programs for containers lie.
#[derive(Clone, Debug)]
pub struct Programs(pub PathBuf);

impl Programs {
    /// The forwarder.
    ///
    /// # Errors
    /// [`Error::MissingProgram`].
    pub fn forwarder(&self) -> Result<PathBuf, Error> {
        self.find("podium-forwarder")
    }

    fn find(&self, name: &str) -> Result<PathBuf, Error> {
        let path = self.0.join(name);
        match fs::canonicalize(&path) {
            Ok(path) => Ok(path),
            Err(_) => Err(Error::MissingProgram { path }),
        }
    }
}

/// An image that is there.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    /// Its digest.
    pub(crate) id: String,
    /// The command that it starts by itself.
    pub(crate) command: Vec<String>,
}

/// Finds the agent's image, or builds it.
pub(crate) async fn find_or_build(
    engine: &Engine,
    agent: &Agent,
    folder: &Path,
    programs: &Programs,
) -> Result<Image, Error> {
    let failed = |message: String| Error::Build { agent: agent.id.clone(), message };
    match (&agent.image, &agent.build) {
        (Some(name), _) => inspect(engine, name).await?.ok_or_else(|| {
            failed(format!("the engine has no image `{name}`; `docker pull {name}` or `docker build` gets it there"))
        }),
        (None, Some(build)) => {
            let context = context(agent, build, folder, programs)?;
            let mut arguments = build.arguments.clone();
            // The base's digest is part of what names the image, so that another base makes another image.
            let mut base_id = String::new();
            if let Some(base) = &build.base {
                base_id = inspect(engine, base).await?.ok_or_else(|| {
                    failed(format!(
                        "it builds on `{base}`, which the engine does not have; `docker build` or `docker pull` gets it there \
                         (for the agents that come along: `docker build --tag {base} agents/base`, see docs/agents.md)"
                    ))
                })?.id;
                arguments.insert("BASE".to_owned(), base.clone());
            }
            let named = serde_json::to_string(&(&arguments, base_id)).unwrap_or_default();
            let digest = Digest::of(&[Digest::of(&context).as_bytes().as_slice(), named.as_bytes()].concat());
            let tag = format!("podium-agent-{}:{}", agent.id, &digest.to_string()[..16]);
            if let Some(image) = inspect(engine, &tag).await? {
                return Ok(image);
            }
            run_build(engine, &arguments, &tag, context).await.map_err(&failed)?;
            let built = inspect(engine, &tag).await?;
            built.ok_or_else(|| failed("the engine built it, and then has it not".to_owned()))
        }
        (None, None) => Err(failed("there is neither an image nor a context".to_owned())),
    }
}

async fn inspect(engine: &Engine, name: &str) -> Result<Option<Image>, Error> {
    match engine.docker().inspect_image(name).await {
        Ok(ImageInspect { id: Some(id), config, .. }) => {
            let config = config.unwrap_or_default();
            let mut command = config.entrypoint.unwrap_or_default();
            command.extend(config.cmd.unwrap_or_default());
            Ok(Some(Image { id, command }))
        }
        Ok(_) => Ok(None),
        Err(error) if status_of(&error) == Some(404) => Ok(None),
        Err(error) => Err(Error::engine(format!("look for the image `{name}`"))(error)),
    }
}

async fn run_build(
    engine: &Engine,
    given: &BTreeMap<String, String>,
    tag: &str,
    context: Vec<u8>,
) -> Result<(), String> {
    let mut arguments: HashMap<String, String> = [
        ("SUBMISSION_DIR", "/home/submission"),
        ("LOGS_DIR", "/home/logs"),
        ("CODE_DIR", "/home/code"),
        ("AGENT_DIR", "/home/agent"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    arguments.extend(given.clone());
    let options = BuildImageOptionsBuilder::default()
        .t(tag)
        .rm(true)
        .forcerm(true)
        .buildargs(&arguments)
        .build();
    let mut steps = engine.docker().build_image(options, None, Some(body_full(context.into())));
    let mut said = Said::default();
    while let Some(step) = steps.next().await {
        let step = step.map_err(|error| format!("{error}; it said last:\n{said}"))?;
        if let Some(error) = step.error_detail.and_then(|detail| detail.message) {
            return Err(format!("{error}; it said last:\n{said}"));
        }
        said.add(&step.stream.unwrap_or_default());
    }
    Ok(())
}

/// The last lines of what a build says, which are those of the program that failed.
#[derive(Default)]
struct Said {
    text: String,
}

impl Said {
    /// How many lines are kept.
    const LINES: usize = 20;

    /// How many bytes are kept, at least.
    const BYTES: usize = 4096;

    fn add(&mut self, more: &str) {
        self.text.push_str(more);
        if self.text.len() > 4 * Said::BYTES {
            let mut start = self.text.len() - Said::BYTES;
            while !self.text.is_char_boundary(start) {
                start += 1;
            }
            self.text.drain(..start);
        }
    }
}

impl fmt::Display for Said {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = || self.text.lines().map(str::trim_end).filter(|line| !line.is_empty());
        let skipped = lines().count().saturating_sub(Said::LINES);
        for (index, line) in lines().skip(skipped).enumerate() {
            let begin = if index == 0 { "" } else { "\n" };
            write!(formatter, "{begin}  {line}")?;
        }
        Ok(())
    }
}

/// The build context as a tar archive whose bytes depend on names, modes and contents alone.
fn context(
    agent: &Agent,
    build: &Build,
    folder: &Path,
    programs: &Programs,
) -> Result<Vec<u8>, Error> {
    let root = folder.join(&build.context);
    let dockerfile = root.join("Dockerfile");
    if !dockerfile.is_file() {
        return Err(Error::Build {
            agent: agent.id.clone(),
            message: format!(
                "there is no {}; `context` under `[build]` names the folder that holds the Dockerfile",
                dockerfile.display()
            ),
        });
    }
    let mut files = Vec::new();
    collect(&root, &root, &mut files)?;
    for program in &build.programs {
        files.push((PathBuf::from(program), programs.find(program)?));
    }
    files.sort();
    let mut total = 0;
    let mut builder = tar::Builder::new(Vec::new());
    for (name, path) in files {
        total += fs::metadata(&path).map_err(Error::file(&path))?.len();
        if total > LARGEST_CONTEXT {
            return Err(Error::Build {
                agent: agent.id.clone(),
                message: format!("its context has more than {} MiB", LARGEST_CONTEXT >> 20),
            });
        }
        let bytes = fs::read(&path).map_err(Error::file(&path))?;
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(if is_program(&path)? { 0o755 } else { 0o644 });
        // 2000-01-01: some tools complain about files from 1970.
        header.set_mtime(946_684_800);
        builder.append_data(&mut header, &name, bytes.as_slice()).map_err(Error::file(&path))?;
    }
    builder.into_inner().map_err(Error::file(&root))
}

fn is_program(path: &Path) -> Result<bool, Error> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::metadata(path).map_err(Error::file(path))?.permissions().mode() & 0o100 != 0)
}

/// The regular files in a folder; links are passed over, so that nothing outside of the context gets in.
fn collect(root: &Path, folder: &Path, files: &mut Vec<(PathBuf, PathBuf)>) -> Result<(), Error> {
    for entry in fs::read_dir(folder).map_err(Error::file(folder))? {
        let entry = entry.map_err(Error::file(folder))?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(Error::file(folder))?);
        if kind.is_dir() {
            collect(root, &path, files)?;
        } else if kind.is_file()
            && let Ok(name) = path.strip_prefix(root)
        {
            files.push((name.to_owned(), path.clone()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_of_a_build_are_those_that_are_shown() {
        let mut said = Said::default();
        for part in ["Step 1/2 : RUN make\n", " ---> Running in 1\n", "no rule", " to make\n", "\n"]
        {
            said.add(part);
        }
        assert_eq!(
            said.to_string(),
            "  Step 1/2 : RUN make\n   ---> Running in 1\n  no rule to make"
        );
        (0..10_000).for_each(|number| said.add(&format!("é {number}\n")));
        let shown = said.to_string();
        assert_eq!(shown.lines().count(), Said::LINES);
        assert!(shown.starts_with("  é 9980\n") && shown.ends_with("  é 9999"), "{shown}");
        assert!(said.text.len() <= 4 * Said::BYTES + 9);
    }

    #[test]
    fn a_missing_dockerfile_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("image")).unwrap();
        let text = "id = \"a\"\n[build]\ncontext = \"image\"\n";
        let agent = Agent::parse(text, Path::new("agent.toml")).unwrap();
        let build = agent.build.as_ref().unwrap();
        let programs = Programs("nowhere".into());
        let said = context(&agent, build, folder.path(), &programs).unwrap_err().to_string();
        assert!(said.contains("image/Dockerfile; `context` under"), "{said}");
    }
}
