//! `podium grader new`: a competition folder with a grader to begin from.
//!
//! What it makes is graded, checked and put on a search path like any other: a definition, a description, an example, and
//! the sources of a grader that counts how many labels are right.

use std::path::{Path, PathBuf};

use podium::DEFINITION_FILE;
use serde::Serialize;

use super::language::Language;
use super::{build, project, sdk};
use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// What `podium grader new` is told.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The id of the competition: letters, digits and hyphens
    id: String,
    /// What the grader is written in
    #[arg(long, value_enum)]
    language: Language,
    /// The folder that the competition's folder is made in
    #[arg(long, value_name = "DIR", default_value = ".")]
    into: PathBuf,
}

/// What is made, in the JSON of `podium grader new`.
#[derive(Serialize)]
struct Made<'a> {
    #[serde(serialize_with = "podium::path_text::serialize")]
    folder: &'a Path,
    #[serde(serialize_with = "podium::path_text::serialize")]
    main_file: &'a Path,
}

macro_rules! template {
    ($path:literal) => {
        include_str!(concat!("../../../templates/", $path))
    };
}

/// The files of every competition.
const COMPETITION: &[(&str, &str)] = &[
    ("description.md", template!("competition/description.md")),
    ("example/answers.csv", template!("competition/answers.csv")),
    ("example/expected.json", template!("competition/expected.json")),
    ("example/submissions/good.csv", template!("competition/good.csv")),
    ("example/submissions/missing-row.csv", template!("competition/missing-row.csv")),
];

/// The sources of a grader, the one to be edited first.
fn sources(language: Language) -> &'static [(&'static str, &'static str)] {
    match language {
        Language::Rust => &[
            ("src/lib.rs", template!("rust/lib.rs")),
            ("Cargo.toml", template!("rust/Cargo.toml")),
            (".cargo/config.toml", template!("rust/cargo-config.toml")),
            (".gitignore", template!("rust/gitignore")),
        ],
        Language::Python => &[("grader.py", template!("python/grader.py"))],
        Language::C => &[
            ("grader.c", template!("c/grader.c")),
            ("competition.h", template!("c/competition.h")),
            ("competition.c", template!("c/competition.c")),
        ],
    }
}

/// Makes the folder and says what to do next.
///
/// # Errors
/// An id that is none; a folder that is there already; files that cannot be written.
pub(super) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let Arguments { id, language, into } = arguments;
    // Before it is written into anything: what is no id could say more there than an id.
    podium::check_competition_id(id).map_err(|reason| Failure::new(Exit::Usage, reason))?;
    let filled = |template: &str| template.replace("{{id}}", id);
    let definition = filled(template!("competition/competition.toml"));
    let folder = if into == Path::new(".") { PathBuf::from(id) } else { into.join(id) };
    // A link that leads nowhere is something, too.
    if folder.symlink_metadata().is_ok() {
        return Err(Failure::new(Exit::Usage, format!("{}: is there already", folder.display()))
            .hint("remove it, or give another id"));
    }
    build::write(&folder.join(DEFINITION_FILE), definition)?;
    for (name, template) in COMPETITION {
        build::write(&folder.join(name), filled(template))?;
    }
    let grader = project::sources(&folder);
    let sources = sources(*language);
    for (name, template) in sources {
        build::write(&grader.join(name), filled(template))?;
    }
    if *language == Language::Rust {
        write_sdk(&grader)?;
    }
    let main_file = grader.join(sources[0].0);
    if shared.json {
        output::print_json(&Made { folder: &folder, main_file: &main_file })?;
    } else {
        output::print(&what_to_do(&folder, &main_file))?;
    }
    Ok(Exit::Success)
}

/// The SDK lies beside the grader's own sources.
fn write_sdk(grader: &Path) -> Result<(), Failure> {
    let folder = grader.join("podium-grader");
    build::write(&folder.join("Cargo.toml"), sdk::manifest())?;
    for (name, content) in sdk::SOURCES {
        build::write(&folder.join(name), content)?;
    }
    let (name, content) = sdk::CONTRACT;
    build::write(&grader.join(name), content)?;
    build::write(&grader.join("Cargo.lock"), sdk::LOCK)
}

fn what_to_do(folder: &Path, main_file: &Path) -> String {
    let (folder, main_file) = (folder.display(), main_file.display());
    format!(
        "{folder} is a competition, and {main_file} its grader. Next:\n\
         \n  podium grader build {folder}\
         \n  podium grader test {folder}\
         \n  podium grader check {folder}"
    )
}
