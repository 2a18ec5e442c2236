//! An agent that does nothing but copy the sample submission: it shows that everything around an agent works.
//!
//! Linked statically, so that its image holds this one file. It prints what it finds, has its submission validated as
//! any agent would, and leaves a line in each folder that is kept.

#![forbid(unsafe_code)]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const DATA: &str = "/home/data";
const SUBMISSION: &str = "/home/submission/submission.csv";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the dummy agent failed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> io::Result<()> {
    println!("The instructions have {} bytes.", fs::read("/home/instructions.txt")?.len());
    println!("The private data can be seen: {}.", Path::new("/private").exists());
    let sample = sample_submission()?;
    println!("Copying {} …", sample.display());
    fs::copy(&sample, SUBMISSION)?;
    fs::write("/home/logs/dummy.log", format!("copied {}\n", sample.display()))?;
    fs::write("/home/code/README.txt", "The dummy agent writes no code.\n")?;
    let output = Command::new("/podium/forwarder").args(["validate", SUBMISSION]).output()?;
    println!("Validation says: {}", String::from_utf8_lossy(&output.stdout).trim());
    Ok(())
}

/// The sample submission: where the runner says, else the file that is called so.
fn sample_submission() -> io::Result<PathBuf> {
    if let Some(path) = std::env::var_os("SAMPLE_SUBMISSION") {
        return Ok(path.into());
    }
    let mut candidates: Vec<PathBuf> = fs::read_dir(DATA)?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
            name.contains("sample") && name.ends_with(".csv")
        })
        .collect();
    candidates.sort();
    candidates.into_iter().next().ok_or_else(|| {
        io::Error::new(io::ErrorKind::NotFound, format!("{DATA} holds no sample submission"))
    })
}
