//! Which reports an experiment is made of, and how its seeds are chosen: the options that `podium experiment` commands share.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use podium::Cancellation;
use podium_analysis::{
    Alignment, Benchmark, Incomplete, Loaded, MetadataByExperiment, Plan, SeedOptions, Sources,
    Split, StudyOptions, read_metadata, shown_name,
};

use crate::analysis_failure::there_are;
use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use crate::places::Places;
use crate::progress::Progress;

/// Which reports experiments are made of.
#[derive(Debug, clap::Args)]
pub(crate) struct ReportOptions {
    /// An experiment by name, with its reports or folders that hold them; may be repeated
    #[arg(long, value_name = "NAME=PATH", num_args = 1.., allow_hyphen_values = false)]
    pub(crate) experiment: Vec<OsString>,
    /// Only the experiment of this name; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,
    /// Agent, model, hardware, running time and date of experiments: a TOML or JSON file
    #[arg(long, value_name = "FILE")]
    pub(crate) metadata: Option<PathBuf>,
}

/// How seeds are chosen.
#[derive(Debug, clap::Args)]
pub(crate) struct SeedArguments {
    /// What is done about seeds that lack runs
    #[arg(long, value_enum, default_value_t = OnIncomplete::Drop)]
    incomplete: OnIncomplete,
    /// This many seeds, the first ones; -1 for all
    #[arg(long, value_name = "N", default_value = "-1", allow_negative_numbers = true, value_parser = seeds)]
    num_seeds: NumSeeds,
    /// How runs of different competitions are put together to seeds
    #[arg(long, value_enum, default_value_t = Align::Auto)]
    align: Align,
}

/// So many seeds; `None` for all.
#[derive(Clone, Copy, Debug)]
struct NumSeeds(Option<usize>);

fn seeds(text: &str) -> Result<NumSeeds, String> {
    match text.parse::<i64>() {
        Ok(-1) => Ok(NumSeeds(None)),
        Ok(number) if number > 0 => Ok(NumSeeds(usize::try_from(number).ok())),
        _ => Err("give a number from 1 on, or -1 for all".to_owned()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OnIncomplete {
    /// Missing runs count as failed
    Pad,
    /// The seed does not count
    Drop,
    /// There is no result
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Align {
    /// By the seeds that reports name, if all do; else by order
    Auto,
    /// By the seeds that reports name
    Ids,
    /// The k-th run of each competition is seed k
    Order,
}

impl SeedArguments {
    pub(crate) fn options(&self) -> SeedOptions {
        SeedOptions {
            incomplete: match self.incomplete {
                OnIncomplete::Pad => Incomplete::Pad,
                OnIncomplete::Drop => Incomplete::Drop,
                OnIncomplete::Error => Incomplete::Error,
            },
            seeds: self.num_seeds.0,
        }
    }

    pub(crate) fn alignment(&self) -> Alignment {
        match self.align {
            Align::Auto => Alignment::Auto,
            Align::Ids => Alignment::Ids,
            Align::Order => Alignment::Order,
        }
    }

    /// What a study over that split is told.
    ///
    /// # Errors
    /// A split that is not known.
    pub(crate) fn over(&self, split: &str, benchmark: &Benchmark) -> Result<StudyOptions, Failure> {
        Ok(StudyOptions {
            split: Split::resolve(split, benchmark)?,
            seeds: self.options(),
            alignment: self.alignment(),
        })
    }
}

/// The competitions that are known here; folders that are broken are said on stderr.
///
/// # Errors
/// No folder of competitions.
pub(crate) fn benchmark(shared: &Shared) -> Result<Benchmark, Failure> {
    let listing = Places::find(shared)?.catalog().list();
    listing.problems.iter().for_each(|problem| output::warning_line(&problem.to_string()));
    if listing.competitions.is_empty() {
        return Err(Failure::new(Exit::Missing, "no competition was found")
            .hint("name a folder that holds competition folders with --competitions or PODIUM_COMPETITIONS"));
    }
    Ok(Benchmark::of(&listing))
}

impl ReportOptions {
    /// Where reports lie.
    ///
    /// # Errors
    /// A path without the name of its experiment; nothing named at all.
    pub(crate) fn sources(&self, trees: &[PathBuf]) -> Result<Sources, Failure> {
        let mut experiments: Vec<(String, Vec<PathBuf>)> = Vec::new();
        for value in &self.experiment {
            match named(value) {
                Some((name, path)) => {
                    // The same name again adds to it.
                    let known = experiments.iter_mut().position(|(known, _)| *known == name);
                    let place = known.unwrap_or_else(|| {
                        experiments.push((name, Vec::new()));
                        experiments.len() - 1
                    });
                    let mut experiment = experiments.remove(place);
                    experiment.1.push(path);
                    experiments.push(experiment);
                }
                None => match experiments.last_mut() {
                    Some((_, paths)) => paths.push(PathBuf::from(value)),
                    None => {
                        let message = format!(
                            "--experiment {}: there is no name in front of the path",
                            output::harmless_name(&value.to_string_lossy())
                        );
                        return Err(Failure::new(Exit::Usage, message)
                            .hint("write --experiment NAME=PATH, and further paths behind it"));
                    }
                },
            }
        }
        if experiments.is_empty() && trees.is_empty() {
            return Err(Failure::new(Exit::Usage, "no report was named").hint(
                "name a folder of experiments such as runs/, or an experiment with --experiment NAME=PATH",
            ));
        }
        Ok(Sources { experiments, trees: trees.to_vec(), only: self.only.clone() })
    }

    /// Reads reports.
    ///
    /// # Errors
    /// Metadata that cannot be read; no report that can be used; Ctrl-C.
    pub(crate) fn load(
        &self,
        sources: &Sources,
        trees: &[PathBuf],
        benchmark: &Benchmark,
        cancellation: &Cancellation,
    ) -> Result<Loaded, Failure> {
        let mut metadata = MetadataByExperiment::new();
        // Where each experiment is described.
        let mut described: BTreeMap<String, PathBuf> = BTreeMap::new();
        let beside =
            trees.iter().map(|tree| tree.join("experiments.toml")).filter(|file| is_there(file));
        let plan = Plan::of(sources);
        for file in beside.chain(self.metadata.clone()) {
            if let Ok(leads_to) = fs::read_link(&file) {
                warn_of(
                    &file,
                    &format!(
                        "this is a link, and is read as it leads to {}",
                        output::path(&leads_to)
                    ),
                );
            }
            let mut read = read_metadata(&file)?;
            for name in read.experiments.keys() {
                if let Some(before) = described.insert(name.clone(), file.clone()) {
                    warn_of(
                        &file,
                        &format!(
                            "`{}` is described in {} as well; what stands here counts",
                            shown_name(name),
                            output::path(&before)
                        ),
                    );
                }
            }
            for key in &read.unknown_keys {
                warn_of(&file, &format!("the key `{key}` is not known, and was passed over"));
            }
            let unknown: Vec<String> = read
                .experiments
                .keys()
                .filter(|name| !plan.names().contains(name))
                .map(|name| format!("`{}`", shown_name(name)))
                .collect();
            if !unknown.is_empty() {
                warn_of(&file, &format!("there is no experiment {}", unknown.join(", ")));
            }
            metadata.append(&mut read.experiments);
        }
        if let Some(unknown) = sources.only.iter().find(|name| !plan.names().contains(name)) {
            let message = format!("there is no experiment `{}`", shown_name(unknown));
            let hint = there_are(plan.names().iter().map(String::as_str));
            return Err(Failure::new(Exit::Missing, message).hint(hint));
        }
        let progress = Progress::of(plan.reports(), "reports read");
        let loaded = plan.read(benchmark, &metadata, cancellation, |path| {
            progress.say(&output::path(path));
            progress.step();
        });
        progress.finish();
        Ok(loaded?)
    }
}

/// Whether anything has that name, be it no file; reading it says what is wrong then.
fn is_there(file: &Path) -> bool {
    match file.symlink_metadata() {
        Ok(_) => true,
        Err(error) => {
            !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        }
    }
}

fn warn_of(file: &Path, what: &str) {
    output::warning_line(&format!("{}: {what}", output::path(file)));
}

/// The name and the path of `NAME=PATH`; `None` for a path alone, be it one with an equals sign behind a slash.
fn named(value: &OsStr) -> Option<(String, PathBuf)> {
    let bytes = value.as_encoded_bytes();
    let equals = bytes.iter().position(|byte| *byte == b'=')?;
    let name = std::str::from_utf8(&bytes[..equals]).ok()?;
    let path = behind(value, name.len() + 1)?;
    let is_name = !name.is_empty() && !name.contains(['/', '\\']);
    (is_name && !path.is_empty()).then(|| (name.to_owned(), PathBuf::from(path)))
}

/// The end of a text, which need not be UTF-8.
#[cfg(unix)]
fn behind(value: &OsStr, begin: usize) -> Option<&OsStr> {
    use std::os::unix::ffi::OsStrExt;
    value.as_bytes().get(begin..).map(OsStr::from_bytes)
}

/// The end of a text.
#[cfg(not(unix))]
fn behind(value: &OsStr, begin: usize) -> Option<&OsStr> {
    value.to_str()?.get(begin..).map(OsStr::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_belong_to_the_name_before_them() {
        let options = |values: &[&str]| ReportOptions {
            experiment: values.iter().map(OsString::from).collect(),
            only: Vec::new(),
            metadata: None,
        };
        let sources = options(&["a=x", "y", "b=./p=q", "./r=s", "a=z"]).sources(&[]).unwrap();
        let paths = |name: &str| -> Vec<String> {
            let (_, paths) = sources.experiments.iter().find(|(known, _)| known == name).unwrap();
            paths.iter().map(|path| path.display().to_string()).collect()
        };
        assert_eq!(paths("a"), ["x", "y", "z"]);
        assert_eq!(paths("b"), ["./p=q", "./r=s"]);
        assert!(options(&["x.json"]).sources(&[]).is_err());
        assert!(options(&[]).sources(&[]).is_err());
        assert!(options(&[]).sources(&[PathBuf::from("runs")]).is_ok());
        assert!(seeds("0").is_err() && seeds("x").is_err() && seeds("-2").is_err());
        assert_eq!((seeds("-1").unwrap().0, seeds("3").unwrap().0), (None, Some(3)));
    }
}
