//! What an agent is: `agents/<id>/agent.toml`.
//!
//! A definition holds no secret. `${{ secrets.NAME }}` in a value of the environment stands for the variable `NAME` of the
//! host's environment; it is looked up when a run starts and handed to the agent alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::container::SCRUBBED;
use crate::error::Error;
use crate::secrets;

/// The file that defines an agent, in the agent's folder.
pub const DEFINITION_FILE: &str = "agent.toml";

/// An agent's definition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// The id; the agent's folder is called so.
    pub id: String,
    /// The name for people.
    #[serde(default)]
    pub name: String,
    /// What the agent does, in a sentence.
    #[serde(default)]
    pub description: String,
    /// The image, where it is not built from a context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// How the image is built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<Build>,
    /// The start command; the image's own where it is empty.
    #[serde(default)]
    pub start: Vec<String>,
    /// The user that the agent runs as, as Docker writes users; the image's own where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Linux capabilities that the agent keeps. All others are dropped.
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// Whether the agent works only in a privileged container. Whoever starts it has to allow that explicitly.
    #[serde(default)]
    pub privileged: bool,
    /// Whether the agent allows that its root file system is read-only, but for the folders that are kept and `/tmp`.
    #[serde(default)]
    pub read_only_root: bool,
    /// Whether the instructions do without the name of the benchmark.
    #[serde(default)]
    pub obfuscated: bool,
    /// The environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// Further arguments of the start command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Arguments>,
}

/// How an agent's image is built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The build context, relative to the agent's folder.
    pub context: PathBuf,
    /// Static programs of Podium that are put into the context.
    #[serde(default)]
    pub programs: Vec<String>,
    /// Arguments of the build.
    #[serde(default)]
    pub arguments: BTreeMap<String, String>,
}

/// Arguments of a start command, in one of the two styles of MLE-bench's agents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    /// How they are written.
    pub style: ArgumentStyle,
    /// The arguments.
    pub values: BTreeMap<String, toml::Value>,
}

/// How arguments are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArgumentStyle {
    /// `--name value`
    Argparse,
    /// `name=value`
    KeyValue,
}

impl Agent {
    /// Reads the definition in an agent's folder.
    ///
    /// # Errors
    /// [`Error::File`] or [`Error::Agent`].
    pub fn load(folder: &Path) -> Result<Agent, Error> {
        let path = folder.join(DEFINITION_FILE);
        let text = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
        let agent = Agent::parse(&text, &path)?;
        match folder.file_name() {
            Some(name) if name != agent.id.as_str() => Err(Error::Agent {
                message: format!(
                    "the id is `{}`, but the folder is called {}; they have to agree",
                    agent.id,
                    name.display()
                ),
                path,
            }),
            _ => Ok(agent),
        }
    }

    /// Parses a definition; `path` is what an error names.
    ///
    /// # Errors
    /// [`Error::Agent`].
    pub fn parse(text: &str, path: &Path) -> Result<Agent, Error> {
        let wrong = |message| Error::Agent { path: path.to_owned(), message };
        let agent: Agent = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        agent.check().map_err(wrong)?;
        Ok(agent)
    }

    fn check(&self) -> Result<(), String> {
        let simple = |character: char| {
            character.is_ascii_lowercase() || character.is_ascii_digit() || character == '-'
        };
        if self.id.is_empty() || self.id.len() > 64 || !self.id.chars().all(simple) {
            return Err(format!(
                "the id `{}` has to be made of small letters, digits and hyphens",
                self.id.escape_debug()
            ));
        }
        match (&self.image, &self.build) {
            (None, None) => return Err("there is neither an `image` nor a `[build]`".to_owned()),
            (Some(_), Some(_)) => {
                return Err("there is both an `image` and a `[build]`; keep one".to_owned());
            }
            (None, Some(build)) => {
                for path in build.programs.iter().map(Path::new).chain([build.context.as_path()]) {
                    let inside = path.components().all(|part| {
                        matches!(
                            part,
                            std::path::Component::Normal(_) | std::path::Component::CurDir
                        )
                    });
                    if !inside {
                        return Err(format!("{} leaves the agent's folder", path.display()));
                    }
                }
            }
            (Some(_), None) => {}
        }
        for (name, value) in &self.environment {
            if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
                return Err(format!("`{}` cannot be a variable", name.escape_debug()));
            }
            if SCRUBBED.contains(&name.as_str()) {
                return Err(format!(
                    "`{name}` is taken out of every container: it changes what the engine's own hooks load"
                ));
            }
            secrets::names_in(value).map_err(|message| format!("`{name}`: {message}"))?;
        }
        for value in self.start.iter().chain(self.environment.keys()) {
            if !secrets::names_in(value)?.is_empty() {
                return Err("secrets can stand in values of the environment only".to_owned());
            }
        }
        Ok(())
    }

    /// The command, with its arguments, given the image's own.
    pub(crate) fn command(&self, of_image: Vec<String>) -> Vec<String> {
        let mut command = if self.start.is_empty() { of_image } else { self.start.clone() };
        let Some(Arguments { style, values }) = &self.arguments else { return command };
        for (name, value) in values {
            let value = match value {
                toml::Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            match style {
                ArgumentStyle::Argparse => command.extend([format!("--{name}"), value]),
                ArgumentStyle::KeyValue => command.push(format!("{name}={value}")),
            }
        }
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Agent, String> {
        Agent::parse(text, Path::new("agent.toml")).map_err(|error| error.to_string())
    }

    #[test]
    fn arguments_are_written_in_both_styles() {
        for (style, expected) in [
            ("argparse", ["run", "--model", "m x", "--steps", "5"].as_slice()),
            ("key-value", ["run", "model=m x", "steps=5"].as_slice()),
        ] {
            let text = format!(
                "id = \"a\"\nimage = \"i\"\nstart = [\"run\"]\n[arguments]\nstyle = \"{style}\"\nvalues = {{ model = \"m x\", steps = 5 }}"
            );
            assert_eq!(parse(&text).unwrap().command(vec!["other".into()]), expected);
        }
        let plain = parse("id = \"a\"\nimage = \"i\"").unwrap();
        assert_eq!(plain.command(vec!["own".into()]), ["own"]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, part) in [
            ("id = \"a\"", "neither"),
            ("id = \"A b\"\nimage = \"i\"", "small letters"),
            ("id = \"a\"\nimage = \"i\"\n[build]\ncontext = \".\"", "both"),
            ("id = \"a\"\n[build]\ncontext = \"../b\"", "leaves"),
            ("id = \"a\"\n[build]\ncontext = \"/b\"", "leaves"),
            ("id = \"a\"\nimage = \"i\"\nvolumes = []", "unknown field"),
            ("id = \"a\"\nimage = \"i\"\n[environment]\nLD_PRELOAD = \"x\"", "taken out"),
            ("id = \"a\"\nimage = \"i\"\n[environment]\nKEY = \"${{ secrets.a-b }}\"", "KEY"),
            ("id = \"a\"\nimage = \"i\"\nstart = [\"${{ secrets.KEY }}\"]", "environment only"),
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
