//! Measures what metering fuel and making receipts cost; `cargo xtask bench fuel receipts` makes the data and starts this
//! program.
//!
//! Podium never runs a grader without fuel. So the two sides of the first comparison are run here, with the engine's own
//! configuration and nothing else changed: the same component compiled twice, the same files in memory, in turns. What
//! is compared is the time that the thread was on a processor, which other programs hardly change.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Parser;
use podium::wasmtime::component::{Component, Linker, Resource, ResourceAny, ResourceType, Val};
use podium::wasmtime::{Config, Store, StoreContextMut};
use podium::{Engine, EngineSettings, Grader, Input, Limits, Receipt};
use podium_tests::artifacts;
use serde::Serialize;

/// Measures what metering fuel and making receipts cost.
#[derive(Parser)]
struct Arguments {
    /// A competition with a submission and its answers; may be repeated
    #[arg(long, num_args = 3, value_names = ["COMPETITION", "SUBMISSION", "ANSWERS"], required = true)]
    workload: Vec<String>,
    /// What is measured
    #[arg(long, value_enum)]
    cost: Cost,
    /// Components as <id>.wasm, instead of those in target/graders
    #[arg(long, value_name = "FOLDER")]
    graders: Option<PathBuf>,
    /// How often each side is run, in turns; once where that takes long
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    pairs: usize,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Cost {
    Fuel,
    Receipts,
}

/// What is printed of a workload, a line each.
#[derive(Serialize)]
struct Measured {
    competition: String,
    /// Seconds of the parts, the median of all runs.
    #[serde(flatten)]
    seconds: Seconds,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Seconds {
    Fuel {
        /// Grading with metering.
        metered: f64,
        /// Grading without.
        unmetered: f64,
    },
    Receipts {
        /// Digests of the inputs.
        hashing: f64,
        /// Grading alone.
        grading: f64,
        /// Making the receipt of it, and writing it.
        receipt: f64,
    },
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let graders = arguments.graders.clone().unwrap_or_else(artifacts::graders);
    for workload in arguments.workload.chunks(3) {
        let [competition, submission, answers] = workload else { bail!("three values each") };
        let component = graders.join(format!("{competition}.wasm"));
        let files = [Path::new(submission), Path::new(answers)];
        let seconds = match arguments.cost {
            Cost::Fuel => fuel(&component, &files, arguments.pairs),
            Cost::Receipts => receipts(&component, files, arguments.pairs),
        };
        let seconds = seconds.with_context(|| competition.clone())?;
        let measured = Measured { competition: competition.clone(), seconds };
        println!("{}", serde_json::to_string(&measured)?);
    }
    Ok(())
}

/// Runs that take longer are not repeated.
const LONG_SECONDS: f64 = 10.0;

fn fuel(component: &Path, files: &[&Path], pairs: usize) -> Result<Seconds> {
    let files = files.iter().map(|path| File::read(path)).collect::<Result<Vec<_>>>()?;
    let with = Side::compile(podium::engine_configuration()?, component, true)?;
    let mut without = podium::engine_configuration()?;
    without.consume_fuel(false);
    let without = Side::compile(without, component, false)?;
    let (mut metered, mut unmetered) = (Vec::new(), Vec::new());
    let mut files = files;
    // One more before, so that both sides find warm caches.
    for pair in 0..=pairs {
        let (graded, seconds) = with.grade(&mut files)?;
        let (same, other_seconds) = without.grade(&mut files)?;
        let same_bits = graded.to_bits() == same.to_bits();
        ensure!(same_bits, "another score without metering: {graded}, {same}");
        if pair > 0 || seconds > LONG_SECONDS {
            metered.push(seconds);
            unmetered.push(other_seconds);
        }
        if seconds > LONG_SECONDS {
            break;
        }
    }
    Ok(Seconds::Fuel { metered: median(metered), unmetered: median(unmetered) })
}

fn receipts(component: &Path, files: [&Path; 2], pairs: usize) -> Result<Seconds> {
    let grader = Grader::from_file(&Engine::new(EngineSettings::default())?, component)?;
    let limits = Limits::default();
    let folder = tempfile::tempdir()?;
    let (mut hashing, mut grading, mut receipt) = (Vec::new(), Vec::new(), Vec::new());
    for run in 0..=pairs {
        let began = Instant::now();
        let [submission, answers] = files.map(|path| Input::open(path, limits.input_bytes));
        let (submission, answers) = (submission?, [answers?]);
        let of_hashing = began.elapsed();
        let graded = grader.grade(&submission, &answers, &limits);
        let of_grading = began.elapsed() - of_hashing;
        let made = Receipt::new(&grader, &submission, &answers, &limits, &graded);
        made.context("there is no receipt")?.write_to(&folder.path().join(run.to_string()))?;
        let of_receipt = began.elapsed() - of_hashing - of_grading;
        let is_long = of_grading.as_secs_f64() > LONG_SECONDS;
        if run > 0 || is_long {
            hashing.push(of_hashing.as_secs_f64());
            grading.push(of_grading.as_secs_f64());
            receipt.push(of_receipt.as_secs_f64());
        }
        if is_long {
            break;
        }
    }
    Ok(Seconds::Receipts {
        hashing: median(hashing),
        grading: median(grading),
        receipt: median(receipt),
    })
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// A file as a grader gets it, in memory.
#[derive(Clone)]
struct File {
    name: String,
    bytes: Vec<u8>,
}

impl File {
    fn read(path: &Path) -> Result<File> {
        let name = path.file_name().context("a file has a name")?.to_string_lossy().into_owned();
        let bytes = fs::read(path).with_context(|| format!("could not read {}", path.display()))?;
        Ok(File { name, bytes })
    }
}

/// The type behind the contract's `file`: its number among the files.
struct OpenFile;

/// A component, compiled in one of two ways.
struct Side {
    engine: podium::wasmtime::Engine,
    component: Component,
    linker: Linker<Vec<File>>,
    is_metered: bool,
}

impl Side {
    fn compile(configuration: Config, component: &Path, is_metered: bool) -> Result<Side> {
        let engine = podium::wasmtime::Engine::new(&configuration).map_err(anyhow::Error::from)?;
        let component = Component::from_file(&engine, component).map_err(anyhow::Error::from)?;
        let linker = linker(&engine).map_err(anyhow::Error::from)?;
        Ok(Side { engine, component, linker, is_metered })
    }

    /// The score and the seconds that grading took of a processor.
    fn grade(&self, files: &mut Vec<File>) -> Result<(f64, f64)> {
        let mut store = Store::new(&self.engine, std::mem::take(files));
        store.set_hostcall_fuel(usize::MAX);
        let graded = self.grade_in(&mut store).map_err(|error| anyhow!("{error:#}"));
        *files = store.into_data();
        graded
    }

    fn grade_in(&self, store: &mut Store<Vec<File>>) -> podium::wasmtime::Result<(f64, f64)> {
        if self.is_metered {
            store.set_fuel(u64::MAX)?;
        }
        let began = busy_seconds();
        let instance = self.linker.instantiate(&mut *store, &self.component)?;
        let missing = || podium::wasmtime::Error::msg("the component exports no `grade`");
        let interface = "podium:grading/grader@1.0.0";
        let interface =
            instance.get_export_index(&mut *store, None, interface).ok_or_else(missing)?;
        let function = instance
            .get_export_index(&mut *store, Some(&interface), "grade")
            .ok_or_else(missing)?;
        let function = instance.get_func(&mut *store, function).ok_or_else(missing)?;
        let mut handles = Vec::new();
        for number in 0..store.data().len() {
            let file = Resource::<OpenFile>::new_own(number as u32);
            handles.push(Val::Resource(ResourceAny::try_from_resource(file, &mut *store)?));
        }
        let submission = handles.remove(0);
        let mut results = [Val::Bool(false)];
        function.call(&mut *store, &[submission, Val::List(handles)], &mut results)?;
        let took = busy_seconds() - began;
        match &results[0] {
            Val::Result(Ok(Some(score))) => match &**score {
                Val::Record(fields) => match fields.first() {
                    Some((_, Val::Float64(score))) => Ok((*score, took)),
                    other => Err(podium::wasmtime::Error::msg(format!("no score: {other:?}"))),
                },
                other => Err(podium::wasmtime::Error::msg(format!("no record: {other:?}"))),
            },
            other => Err(podium::wasmtime::Error::msg(format!("not graded: {other:?}"))),
        }
    }
}

/// What the contract's version 1 imports, as the library lends it, but for the limits.
fn linker(engine: &podium::wasmtime::Engine) -> podium::wasmtime::Result<Linker<Vec<File>>> {
    type Files<'a> = StoreContextMut<'a, Vec<File>>;
    let mut linker = Linker::new(engine);
    let mut files = linker.instance("podium:grading/files@1.0.0")?;
    files.resource("file", ResourceType::host::<OpenFile>(), |_, _| Ok(()))?;
    files.func_wrap("[method]file.name", |store: Files<'_>, (file,): (Resource<OpenFile>,)| {
        Ok((store.data()[file.rep() as usize].name.clone(),))
    })?;
    files.func_wrap("[method]file.size", |store: Files<'_>, (file,): (Resource<OpenFile>,)| {
        Ok((store.data()[file.rep() as usize].bytes.len() as u64,))
    })?;
    files.func_wrap(
        "[method]file.read",
        |store: Files<'_>, (file, offset, length): (Resource<OpenFile>, u64, u32)| {
            let bytes = &store.data()[file.rep() as usize].bytes;
            let from = usize::try_from(offset)?.min(bytes.len());
            let length = length.min(Limits::READ_BYTES) as usize;
            let to = from.saturating_add(length).min(bytes.len());
            Ok((bytes[from..to].to_vec(),))
        },
    )?;
    let mut diagnostics = linker.instance("podium:grading/diagnostics@1.0.0")?;
    diagnostics.func_wrap("warn", |_: Files<'_>, (_,): (String,)| Ok(()))?;
    diagnostics.func_wrap("panicked", |_: Files<'_>, (message,): (String,)| {
        eprintln!("the grader panicked: {message}");
        Ok(())
    })?;
    Ok(linker)
}

/// The seconds that this thread has been on a processor, where Linux tells; else those of the clock.
fn busy_seconds() -> f64 {
    let nanoseconds = fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    match nanoseconds {
        Some(nanoseconds) => nanoseconds as f64 / 1e9,
        None => {
            static BEGAN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
            BEGAN.get_or_init(Instant::now).elapsed().as_secs_f64()
        }
    }
}
