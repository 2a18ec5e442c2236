//! What an agent is: `agents/<id>/agent.toml`.
//!
//! A definition holds no secret. `${{ secrets.NAME }}` in a value of the environment stands for the variable `NAME` of the
//! host's environment; it is looked up when a run starts and handed to the agent alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::configuration::{Network, RunConfiguration};
use crate::container::{SCRUBBED, SET_BY_PODIUM, SET_FOR_THE_PROXY};
use crate::definition_file;
use crate::error::Error;
use crate::secrets;

/// The file that defines an agent, in the agent's folder.
pub const DEFINITION_FILE: &str = "agent.toml";

/// The capabilities that Linux has; the engine takes them with `CAP_` in front as well, and in any letters.
const CAPABILITIES: [&str; 42] = [
    "ALL",
    "AUDIT_CONTROL",
    "AUDIT_READ",
    "AUDIT_WRITE",
    "BLOCK_SUSPEND",
    "BPF",
    "CHECKPOINT_RESTORE",
    "CHOWN",
    "DAC_OVERRIDE",
    "DAC_READ_SEARCH",
    "FOWNER",
    "FSETID",
    "IPC_LOCK",
    "IPC_OWNER",
    "KILL",
    "LEASE",
    "LINUX_IMMUTABLE",
    "MAC_ADMIN",
    "MAC_OVERRIDE",
    "MKNOD",
    "NET_ADMIN",
    "NET_BIND_SERVICE",
    "NET_BROADCAST",
    "NET_RAW",
    "PERFMON",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYSLOG",
    "SYS_ADMIN",
    "SYS_BOOT",
    "SYS_CHROOT",
    "SYS_MODULE",
    "SYS_NICE",
    "SYS_PACCT",
    "SYS_PTRACE",
    "SYS_RAWIO",
    "SYS_RESOURCE",
    "SYS_TIME",
    "SYS_TTY_CONFIG",
    "WAKE_ALARM",
];

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
    /// The same agent with other settings, by the name that stands behind the agent's: `aide/dev`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variants: BTreeMap<String, Variant>,
    /// Which of the variants this is; none for the agent as it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
}

/// What differs in a variant of an agent. What is not said is as in the agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Variant {
    /// What it is, in a sentence.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Whether the instructions do without the name of the benchmark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obfuscated: Option<bool>,
    /// Variables that are added or changed; with an empty value they are taken away.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// Arguments that are added or changed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, toml::Value>,
}

/// How an agent's image is built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The build context, relative to the agent's folder.
    pub context: PathBuf,
    /// The image that it builds on, which has to be there. The Dockerfile gets its name as the argument `BASE`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
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
        let text = definition_file::read(&path)?;
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
        let agent: Agent =
            toml::from_str(text).map_err(|error| wrong(podium::explain_toml(&error, text)))?;
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
        if self.variant.is_some() {
            return Err("`variant` is chosen by whoever starts the agent".to_owned());
        }
        for capability in &self.capabilities {
            let upper = capability.to_ascii_uppercase();
            if !CAPABILITIES.contains(&upper.strip_prefix("CAP_").unwrap_or(&upper)) {
                return Err(format!(
                    "there is no capability `{}`; they are called as in capabilities(7): NET_ADMIN, SYS_PTRACE …",
                    capability.escape_debug()
                ));
            }
        }
        check_environment(&self.environment)?;
        for value in self.start.iter().chain(self.environment.keys()) {
            if !secrets::names_in(value)?.is_empty() {
                return Err("secrets can stand in values of the environment only".to_owned());
            }
        }
        for (name, variant) in &self.variants {
            let in_variant = |message| format!("the variant `{}`: {message}", name.escape_debug());
            if name.is_empty() || !name.chars().all(|one| simple(one) || one == '.') {
                return Err(in_variant(
                    "its name has to be made of small letters, digits, hyphens and dots".to_owned(),
                ));
            }
            check_environment(&variant.environment).map_err(in_variant)?;
            if !variant.arguments.is_empty() && self.arguments.is_none() {
                return Err(in_variant(
                    "it has arguments, and the agent has no `[arguments]` that say how they are written"
                        .to_owned(),
                ));
            }
        }
        Ok(())
    }

    /// The agent with what differs in one of its variants.
    ///
    /// # Errors
    /// [`Error::NoSuchVariant`].
    pub fn with_variant(mut self, name: &str) -> Result<Agent, Error> {
        let Some(variant) = self.variants.remove(name) else {
            return Err(Error::NoSuchVariant {
                agent: self.id,
                variant: name.to_owned(),
                known: self.variants.into_keys().collect(),
            });
        };
        self.obfuscated = variant.obfuscated.unwrap_or(self.obfuscated);
        self.environment.extend(variant.environment);
        self.environment.retain(|_, value| !value.is_empty());
        if let Some(arguments) = &mut self.arguments {
            arguments.values.extend(variant.arguments);
        }
        if !variant.description.is_empty() {
            self.description = variant.description;
        }
        self.variants.clear();
        self.variant = Some(name.to_owned());
        Ok(self)
    }

    /// Looks whether the agent's own variables go together with a run configuration.
    ///
    /// # Errors
    /// [`Error::Agent`]; `folder` is what it names.
    pub fn check_with(&self, configuration: &RunConfiguration, folder: &Path) -> Result<(), Error> {
        let is_proxied = configuration.network == Network::AllowList;
        let own = SET_FOR_THE_PROXY.iter().find(|name| self.environment.contains_key(**name));
        match own.filter(|_| is_proxied) {
            Some(name) => Err(Error::Agent {
                path: folder.join(DEFINITION_FILE),
                message: format!(
                    "`{name}` in `[environment]` would lead past the proxy, which with `network = \"allow-list\"` is all that \
                     there is; leave it out"
                ),
            }),
            None => Ok(()),
        }
    }

    /// The id, with the variant behind it: `aide/dev`.
    pub fn full_id(&self) -> String {
        match &self.variant {
            Some(variant) => format!("{}/{variant}", self.id),
            None => self.id.clone(),
        }
    }

    /// Looks whether there is anything to start in an image that has this command of its own.
    ///
    /// # Errors
    /// [`Error::Agent`]; `folder` is what it names.
    pub(crate) fn check_command(&self, of_image: &[String], folder: &Path) -> Result<(), Error> {
        if !self.start.is_empty() || !of_image.is_empty() {
            return Ok(());
        }
        Err(Error::Agent {
            path: folder.join(DEFINITION_FILE),
            message: "there is no `start`, and the image has no command of its own, so there is nothing to run: say in `start` \
                      what to run"
                .to_owned(),
        })
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

/// What is wrong with variables.
fn check_environment(environment: &BTreeMap<String, String>) -> Result<(), String> {
    for (name, value) in environment {
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            return Err(format!("`{}` cannot be a variable", name.escape_debug()));
        }
        if SET_BY_PODIUM.contains(&name.as_str()) {
            return Err(format!(
                "`{name}` is set by Podium, and agents rely on what it says; leave it out"
            ));
        }
        if SCRUBBED.contains(&name.as_str()) {
            return Err(format!(
                "`{name}` is taken out of every container: it changes what the engine's own hooks load"
            ));
        }
        secrets::names_in(value).map_err(|message| format!("`{name}`: {message}"))?;
    }
    Ok(())
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
        let plain =
            parse("id = \"a\"\nimage = \"i\"\ncapabilities = [\"cap_kill\", \"ALL\"]").unwrap();
        assert_eq!(plain.command(vec!["own".into()]), ["own"]);
    }

    #[test]
    fn a_variant_changes_what_it_names() {
        let text = "id = \"a\"\nimage = \"i\"\nstart = [\"run\"]\n\
                    [environment]\nKEY = \"one\"\nKEPT = \"k\"\nGONE = \"g\"\n\
                    [arguments]\nstyle = \"key-value\"\nvalues = { steps = 500, fast = false }\n\
                    [variants.\"m-1.5\"]\nobfuscated = true\nenvironment = { KEY = \"two\", GONE = \"\" }\n\
                    arguments = { steps = 8, more = \"x\" }\n";
        let agent = parse(text).unwrap();
        assert_eq!(agent.full_id(), "a");
        let variant = agent.clone().with_variant("m-1.5").unwrap();
        assert_eq!((variant.full_id().as_str(), variant.obfuscated), ("a/m-1.5", true));
        assert_eq!(variant.command(vec![]), ["run", "fast=false", "more=x", "steps=8"]);
        let environment: Vec<(&str, &str)> =
            variant.environment.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(environment, [("KEPT", "k"), ("KEY", "two")]);
        // As it stands in `run.toml`.
        let written = toml::to_string(&variant).unwrap();
        assert_eq!(toml::from_str::<Agent>(&written).unwrap(), variant);
        let message = agent.with_variant("m-2").unwrap_err().to_string();
        assert!(message.contains("m-2") && message.contains("m-1.5"), "{message}");
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, part) in [
            ("id = \"a\"", "neither"),
            ("id = \"A b\"\nimage = \"i\"", "small letters"),
            ("id = \"a\"\nimage = \"i\"\n[build]\ncontext = \".\"", "both"),
            ("id = \"a\"\n[build]\ncontext = \"../b\"", "leaves"),
            ("id = \"a\"\n[build]\ncontext = \"/b\"", "leaves"),
            ("id = \"a\"\nimage = \"i\"\nvolumes = []", "unknown key"),
            ("id = \"a\"\nimage = \"i\"\n[environment]\nLD_PRELOAD = \"x\"", "taken out"),
            (
                "id = \"a\"\nimage = \"i\"\ncapabilities = [\"SYS_MAGIC\"]",
                "no capability `SYS_MAGIC`",
            ),
            ("id = \"a\"\nimage = \"i\"\n[environment]\nTIME_LIMIT_SECS = \"1\"", "set by Podium"),
            (
                "id = \"a\"\nimage = \"i\"\n[variants.b.environment]\nSUBMISSION_DIR = \"/tmp\"",
                "`b`: `SUBMISSION_DIR` is set by Podium",
            ),
            ("id = \"a\"\nimage = \"i\"\n[environment]\nKEY = \"${{ secrets.a-b }}\"", "KEY"),
            ("id = \"a\"\nimage = \"i\"\nvariant = \"b\"", "whoever starts"),
            ("id = \"a\"\nimage = \"i\"\n[variants.B]", "small letters"),
            ("id = \"a\"\nimage = \"i\"\n[variants.b]\nstart = []", "unknown key"),
            (
                "id = \"a\"\nimage = \"i\"\n[variants.b.environment]\nLD_AUDIT = \"x\"",
                "`b`: `LD_AUDIT`",
            ),
            ("id = \"a\"\nimage = \"i\"\n[variants.b.arguments]\nx = 1", "no `[arguments]`"),
            ("id = \"a\"\nimage = \"i\"\nstart = [\"${{ secrets.KEY }}\"]", "environment only"),
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
    }

    #[test]
    fn variables_for_the_proxy_are_the_agents_own_only_where_there_is_none() {
        let allow_list = "network = \"allow-list\"\n[egress]\nallow = [\"a.example\"]\n";
        for (name, configuration, is_refused) in [
            ("HTTP_PROXY", allow_list, true),
            ("no_proxy", allow_list, true),
            ("PROXY", allow_list, false),
            ("HTTP_PROXY", "network = \"bridge\"", false),
        ] {
            let agent = parse(&format!("id = \"a\"\nimage = \"i\"\n[environment]\n{name} = \"x\""));
            let configuration = RunConfiguration::parse_toml(configuration).unwrap();
            let checked = agent.unwrap().check_with(&configuration, Path::new("agents/a"));
            assert_eq!(checked.is_err(), is_refused, "{name}");
            if let Err(error) = checked {
                let said = error.to_string();
                assert!(said.contains(name) && said.contains("agents/a/agent.toml"), "{said}");
            }
        }
    }

    /// Every agent that comes along, with each of its variants: the definition is understood, and what it is built from is
    /// there.
    #[test]
    fn the_agents_that_come_along_are_whole() {
        let agents = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../agents");
        let mut ids = Vec::new();
        for entry in std::fs::read_dir(agents).unwrap() {
            let folder = entry.unwrap().path();
            if !folder.join(DEFINITION_FILE).exists() {
                continue;
            }
            let agent = Agent::load(&folder).unwrap_or_else(|error| panic!("{error}"));
            let build = agent.build.as_ref().unwrap();
            let context = folder.join(&build.context);
            let dockerfile = std::fs::read_to_string(context.join("Dockerfile")).unwrap();
            assert_eq!(build.base.is_some(), dockerfile.contains("FROM ${BASE}"), "{}", agent.id);
            for line in dockerfile.lines().filter_map(|line| line.strip_prefix("COPY ")) {
                let source = line.split(' ').find(|word| !word.starts_with("--")).unwrap();
                let is_there =
                    context.join(source).exists() || build.programs.contains(&source.into());
                assert!(is_there, "{}: {source} is not in the context", agent.id);
            }
            for variant in agent.variants.clone().into_keys() {
                let variant = agent.clone().with_variant(&variant).unwrap();
                assert_ne!(variant, agent);
                assert_eq!(variant.start, agent.start);
            }
            ids.push(agent.id);
        }
        ids.sort();
        assert_eq!(ids, ["aide", "dummy", "mlab", "openhands"]);
    }
}
