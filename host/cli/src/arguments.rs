//! The command line: what can be asked, and the options that all commands share.
//!
//! Relies on clap. The commands `grade` and `grade-sample` and their flags are those of the reference's `mlebench`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::styling::AnsiColor;
use clap::builder::{OsStringValueParser, Styles, TypedValueParser};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use podium::{Limit, LimitOverrides};

use crate::commands;
use crate::exit::Exit;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default())
    .error(AnsiColor::Red.on_default().bold())
    .valid(AnsiColor::Cyan.on_default())
    .invalid(AnsiColor::Yellow.on_default());

/// Grades machine-learning competition submissions with sealed WebAssembly graders
///
/// A submission goes in; a score, a medal and a receipt that anybody can verify come out. Grading needs the private
/// answers of a competition in a prepared data folder, laid out as MLE-bench lays it out.
#[derive(Debug, Parser)]
#[command(name = "podium", version, styles = STYLES, max_term_width = 110, propagate_version = false)]
#[command(after_help = Exit::help(), subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// The options that all commands share.
    #[command(flatten)]
    pub(crate) shared: Shared,
}

/// The options that all commands share.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of all commands")]
pub(crate) struct Shared {
    /// Folder with the prepared data, one folder a competition [default: where MLE-bench keeps it, ~/.cache/mle-bench/data]
    #[arg(
        long,
        global = true,
        env = "PODIUM_DATA",
        value_name = "DIR",
        value_parser = path(),
        hide_env_values = true
    )]
    pub(crate) data_dir: Option<PathBuf>,
    /// Folder that holds competition folders; may be repeated, earlier ones win [default: beside the program]
    #[arg(
        long,
        global = true,
        env = "PODIUM_COMPETITIONS",
        value_name = "DIR",
        value_delimiter = PATH_LIST_DELIMITER,
        value_parser = path(),
        hide_env_values = true
    )]
    pub(crate) competitions: Vec<PathBuf>,
    /// Folder that holds graders named <competition>.wasm; may be repeated, earlier ones win [default: beside the program]
    #[arg(
        long,
        global = true,
        env = "PODIUM_GRADERS",
        value_name = "DIR",
        value_delimiter = PATH_LIST_DELIMITER,
        value_parser = path(),
        hide_env_values = true
    )]
    pub(crate) graders: Vec<PathBuf>,
    /// Folder for compiled graders [default: podium/ in the user's cache folder]
    #[arg(
        long,
        global = true,
        env = "PODIUM_CACHE",
        value_name = "DIR",
        value_parser = path(),
        hide_env_values = true
    )]
    pub(crate) cache_dir: Option<PathBuf>,
    /// Folder of the component store [default: podium/store/ in the user's data folder]
    #[arg(
        long,
        global = true,
        env = "PODIUM_STORE",
        value_name = "DIR",
        value_parser = path(),
        hide_env_values = true
    )]
    pub(crate) store: Option<PathBuf>,
    /// Trust policy: which components may grade what [default: podium/trust.toml in the user's config folder, if it is there]
    #[arg(
        long,
        global = true,
        env = "PODIUM_TRUST",
        value_name = "FILE",
        value_parser = path(),
        hide_env_values = true
    )]
    pub(crate) trust: Option<PathBuf>,
    /// Compile graders anew and keep nothing, whatever folder is named for them
    #[arg(long, global = true)]
    pub(crate) no_cache: bool,
    /// Print JSON, and nothing else, on stdout; errors as well
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// Parses a command line. A variable that is set to nothing is as good as not set; a flag that names nothing is a mistake, be
/// it that a variable of a script was not set, and must not set aside what a variable of the environment names.
///
/// # Errors
/// What clap has to say.
pub(crate) fn parse<T: Into<OsString> + Clone>(
    arguments: impl IntoIterator<Item = T>,
) -> Result<CommandLine, clap::Error> {
    let mut command = CommandLine::command();
    let matches = command.try_get_matches_from_mut(arguments)?;
    if let Some(flag) = flag_that_names_nothing(&command, &matches) {
        let message = format!("--{flag} names nothing: name a path, or leave it out");
        return Err(command.error(ErrorKind::InvalidValue, message));
    }
    let mut command_line = CommandLine::from_arg_matches(&matches)?;
    command_line.shared.forget_empty();
    Ok(command_line)
}

/// A flag of the shared ones that stands on the command line with an empty path.
fn flag_that_names_nothing(command: &clap::Command, matches: &ArgMatches) -> Option<String> {
    let ids = ["data_dir", "competitions", "graders", "cache_dir", "store", "trust"];
    let names_nothing = |id: &&&str| {
        matches.value_source(id) == Some(ValueSource::CommandLine)
            && matches
                .get_many::<PathBuf>(id)
                .is_some_and(|mut paths| paths.any(|path| path.as_os_str().is_empty()))
    };
    let id = ids.iter().find(names_nothing)?;
    let flag = command.get_arguments().find(|argument| argument.get_id() == *id)?;
    flag.get_long().map(str::to_owned)
}

impl Shared {
    /// Takes variables that are set to nothing for variables that are not set, as shells do, and folders named so for none.
    fn forget_empty(&mut self) {
        let is_named = |path: &PathBuf| !path.as_os_str().is_empty();
        for path in [&mut self.data_dir, &mut self.cache_dir, &mut self.store, &mut self.trust] {
            *path = path.take().filter(is_named);
        }
        for folders in [&mut self.competitions, &mut self.graders] {
            folders.retain(is_named);
        }
    }
}

/// A folder or a file; an empty name is dealt with by [`Shared::forget_empty`].
fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// What separates the folders in `PODIUM_COMPETITIONS` and `PODIUM_GRADERS`: as in `PATH`.
const PATH_LIST_DELIMITER: char = if cfg!(windows) { ';' } else { ':' };

/// The limits of a grading that a command line may change.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Limits of one grading")]
pub(crate) struct LimitOptions {
    /// Instructions that a grading may take, roughly: 500000, 20G
    #[arg(long, value_name = "N", value_parser = fuel)]
    fuel: Option<u64>,
    /// Memory that a grader may use: 512MiB, up to 4GiB
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    memory: Option<u64>,
    /// Time that a grading may take on this machine: 90s, 30m, 2h
    #[arg(long, value_name = "TIME", value_parser = wall_clock)]
    wall_clock: Option<u64>,
    /// Size that a submission, and each file of answers, may have: 100MiB, 8GiB
    #[arg(long, value_name = "SIZE", value_parser = input)]
    max_input: Option<u64>,
}

impl LimitOptions {
    /// The limits that were given, for the library.
    pub(crate) fn overrides(&self) -> LimitOverrides {
        LimitOverrides {
            fuel: self.fuel,
            memory_bytes: self.memory,
            wall_clock_seconds: self.wall_clock,
            input_bytes: self.max_input,
        }
    }
}

/// What can be asked.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Grade one submission
    GradeSample(commands::grade_sample::Arguments),
    /// Grade a list of submissions and write one report
    Grade(commands::grade::Arguments),
    /// Say whether a submission is valid, and why not; never its score
    Validate(commands::validate::Arguments),
    /// Grade again what a receipt states, and say what differs
    Verify(commands::verify::Arguments),
    /// Grade again what an archive of runs holds, and compare with what was recorded; sets of such gradings
    Regrade(commands::regrade::Arguments),
    /// Make the list of submissions of a run group by its metadata.json
    MakeSubmission(commands::make_submission::Arguments),
    /// List the competitions
    List(commands::list::Arguments),
    /// Show a competition: task, submission format, metric, medal lines, known problems
    Show(commands::show::Arguments),
    /// Look into a grader without running a grading
    Inspect(commands::inspect::Arguments),
    /// Run agents in containers and grade what they submit
    #[cfg(unix)]
    Run(commands::run::Arguments),
    /// Write a grader (make one to begin from, build, check, test it), and keep graders (add, list, remove, pin)
    Grader(commands::grader::Arguments),
    /// Many grading reports together: tables, figures, comparisons
    Experiment(commands::experiment::Arguments),
    /// Leaderboards: show one, import those of the reference
    Leaderboard(commands::leaderboard::Arguments),
    /// Check whether this machine is ready, and say what to do where it is not
    Doctor(commands::doctor::Arguments),
    /// Print the completions of a shell
    Completions(commands::completions::Arguments),
    /// Compile the component that comes through stdin; how this program starts itself
    #[command(hide = true)]
    CompileComponent,
}

/// Parses a limit of fuel.
fn fuel(text: &str) -> Result<u64, String> {
    within(Limit::Fuel, count(text)?)
}

/// Parses a limit of memory.
fn memory(text: &str) -> Result<u64, String> {
    within(Limit::Memory, size(text)?)
}

/// Parses a limit of wall-clock time. Whole seconds are what limits are written in.
fn wall_clock(text: &str) -> Result<u64, String> {
    let time = duration(text)?;
    let seconds = time.as_secs();
    if time.subsec_nanos() > 0 {
        return Err(format!(
            "this limit is in whole seconds: give {seconds}s or {}s",
            seconds.saturating_add(1)
        ));
    }
    within(Limit::WallClock, seconds)
}

/// Parses a limit of the size of inputs.
fn input(text: &str) -> Result<u64, String> {
    within(Limit::Input, size(text)?)
}

fn within(limit: Limit, value: u64) -> Result<u64, String> {
    limit.check(value).map(|()| value).map_err(|error| error.to_string())
}

/// Parses a count with an optional decimal suffix: `20G` are 20 thousand million.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    const SUFFIXES: [(&str, u64); 5] = [
        ("k", 1_000),
        ("m", 1_000_000),
        ("g", 1_000_000_000),
        ("b", 1_000_000_000),
        ("t", 1_000_000_000_000),
    ];
    scaled(text, &SUFFIXES, 1)
        .ok_or_else(|| "give a whole number such as 500000, 500k, 20M or 2G".to_owned())
}

/// Parses a size in bytes with an optional suffix: `KB` are thousand bytes, `K` and `KiB` 1,024.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    const SUFFIXES: [(&str, u64); 13] = [
        ("b", 1),
        ("k", 1 << 10),
        ("kib", 1 << 10),
        ("kb", 1_000),
        ("m", 1 << 20),
        ("mib", 1 << 20),
        ("mb", 1_000_000),
        ("g", 1 << 30),
        ("gib", 1 << 30),
        ("gb", 1_000_000_000),
        ("t", 1 << 40),
        ("tib", 1 << 40),
        ("tb", 1_000_000_000_000),
    ];
    scaled(text, &SUFFIXES, 1)
        .ok_or_else(|| "give a size such as 512MiB, 4GiB or 1000000".to_owned())
}

/// Parses a duration: seconds, or with one of the suffixes ms, s, m, h.
fn duration(text: &str) -> Result<Duration, String> {
    const SUFFIXES: [(&str, u64); 5] =
        [("ms", 1), ("s", 1_000), ("m", 60_000), ("min", 60_000), ("h", 3_600_000)];
    scaled(text, &SUFFIXES, 1_000)
        .map(Duration::from_millis)
        .ok_or_else(|| "give a time such as 90s, 30m or 2h".to_owned())
}

/// A whole number times the factor of its suffix; `None` where either is unknown or the product too large.
fn scaled(text: &str, suffixes: &[(&str, u64)], without_suffix: u64) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let digits = text
        .find(|character: char| !character.is_ascii_digit() && character != '_')
        .unwrap_or(text.len());
    let number: u64 = text[..digits].replace('_', "").parse().ok()?;
    let suffix = text[digits..].trim();
    let factor = if suffix.is_empty() {
        without_suffix
    } else {
        suffixes.iter().find(|(known, _)| *known == suffix)?.1
    };
    number.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn a_flag_that_names_nothing_is_refused_wherever_it_stands() {
        for flag in
            ["--data-dir", "--competitions", "--graders", "--cache-dir", "--store", "--trust"]
        {
            for arguments in [["podium", flag, "", "list"], ["podium", "list", flag, ""]] {
                let error = parse(arguments).unwrap_err().to_string();
                assert!(error.contains(&format!("{flag} names nothing")), "{arguments:?}: {error}");
            }
            assert!(parse(["podium", "list", flag, "x"]).is_ok(), "{flag}");
        }
        assert!(parse(["podium", "list", "--graders", "x", "--graders", ""]).is_err());
        assert!(parse(["podium", "regrade", "list", "--trust", ""]).is_err());
    }

    #[test]
    fn sizes_counts_and_times_are_read_as_people_write_them() {
        for (text, bytes) in [
            ("0", Some(0)),
            ("1000000", Some(1_000_000)),
            ("1_000", Some(1_000)),
            ("4GiB", Some(4 << 30)),
            ("4 gib", Some(4 << 30)),
            ("512M", Some(512 << 20)),
            ("1kB", Some(1_000)),
            ("", None),
            ("GiB", None),
            ("-1", None),
            ("1.5G", None),
            ("1X", None),
            ("99999999999999999999", None),
            ("18446744073709551615G", None),
        ] {
            assert_eq!(size(text).ok(), bytes, "{text}");
        }
        assert_eq!(count("20G").unwrap(), 20_000_000_000);
        assert_eq!(count("500k").unwrap(), 500_000);
        assert!(count("5kib").is_err());
        assert_eq!(duration("90").unwrap(), Duration::from_secs(90));
        assert_eq!(duration("2h").unwrap(), Duration::from_secs(7_200));
        assert_eq!(duration("1500ms").unwrap(), Duration::from_millis(1_500));
        assert!(duration("2 days").is_err());
    }

    #[test]
    fn limits_that_make_no_sense_are_refused_with_the_range() {
        for (error, part) in [
            (fuel("0"), "between 1 unit of fuel and"),
            (fuel("99999T"), "between 1 unit of fuel and"),
            (memory("1"), "between 64 KiB and 4 GiB"),
            (memory("99TiB"), "between 64 KiB and 4 GiB"),
            (wall_clock("0"), "between 1 second and"),
            (input("0"), "between 1 byte and"),
            (input("lots"), "give a size"),
        ] {
            let message = error.unwrap_err();
            assert!(message.contains(part), "{message}");
        }
        assert_eq!(memory("4GiB"), Ok(4 << 30));
    }

    #[test]
    fn limits_are_in_whole_seconds() {
        let message = wall_clock("1001ms").unwrap_err();
        assert!(message.contains("whole seconds: give 1s or 2s"), "{message}");
        assert_eq!(wall_clock("3000ms"), Ok(3));
        assert_eq!(wall_clock("2h"), Ok(7_200));
    }
}
