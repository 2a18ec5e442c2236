//! The second passage: the submissions of a survey, opened one after the other, to be graded as they come.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::archive::{Archive, EntryPath, EntryVisitor, Held, hold, is_pointer};
use crate::error::Error;
use crate::input::{Input, InputProblem};

use super::subject::RegradeSubject;
use super::survey::{SubmissionPlace, Survey};

/// A submission that is ready to be graded, or cannot be.
pub(super) struct Job {
    /// The run, by its place in the survey.
    pub(super) run: usize,
    pub(super) content: Content,
}

/// What became of opening a submission.
#[derive(Clone)]
pub(super) enum Content {
    Input(Input),
    /// It cannot be an input of a grading, which is a result.
    Refused {
        size: u64,
        limit: u64,
    },
    /// It cannot be had.
    Unusable(String),
}

const POINTER: &str = "it is a Git LFS pointer; run `git lfs pull`";

/// Opens the submissions of these runs. `limit` gives the most bytes that a run's may have; `send` takes them and says
/// whether more are wanted.
pub(super) fn send_all(
    subject: &RegradeSubject,
    survey: &Survey,
    runs: &[usize],
    limit: &dyn Fn(usize) -> u64,
    send: &dyn Fn(Job) -> bool,
) {
    let mut archived: HashMap<EntryPath, Vec<usize>> = HashMap::new();
    for &run in runs {
        let content = match &survey.runs[run].submission {
            SubmissionPlace::Archived(path) => {
                let opened =
                    subject.archive().and_then(|archive| archive.open_directly(path, limit(run)));
                match opened {
                    Some(opened) => content_of(opened),
                    None => {
                        archived.entry(path.clone()).or_default().push(run);
                        continue;
                    }
                }
            }
            SubmissionPlace::Beside(path) => content_of(open_beside(path, limit(run))),
            SubmissionPlace::Named(path) => content_of(Input::open(path, limit(run))),
            _ => continue,
        };
        if !send(Job { run, content }) {
            return;
        }
    }
    if let Some(archive) = subject.archive().filter(|_| !archived.is_empty()) {
        send_packed(archive, archived, limit, send);
    }
}

fn send_packed(
    archive: &Archive,
    wanted: HashMap<EntryPath, Vec<usize>>,
    limit: &dyn Fn(usize) -> u64,
    send: &dyn Fn(Job) -> bool,
) {
    let mut sender = Sender { wanted, limit, send, is_wanted: true };
    let passage = archive.visit(&mut sender);
    if !sender.is_wanted {
        return;
    }
    // What did not come by, in the order of the archive's runs.
    let mut rest: Vec<(usize, EntryPath)> = sender
        .wanted
        .iter()
        .flat_map(|(path, runs)| runs.iter().map(|run| (*run, path.clone())))
        .collect();
    rest.sort();
    for (run, path) in rest {
        let reason = passage.unusable.get(&path).cloned();
        let reason = reason.or_else(|| passage.broken.clone());
        let reason = reason.unwrap_or_else(|| "it is not there any more".to_owned());
        if !send(Job { run, content: Content::Unusable(reason) }) {
            return;
        }
    }
}

/// Sends what comes by.
struct Sender<'a> {
    wanted: HashMap<EntryPath, Vec<usize>>,
    limit: &'a dyn Fn(usize) -> u64,
    send: &'a dyn Fn(Job) -> bool,
    is_wanted: bool,
}

impl EntryVisitor for Sender<'_> {
    fn wants(&mut self, path: &EntryPath, _size: u64) -> bool {
        self.wanted.contains_key(path)
    }

    fn read(&mut self, path: &EntryPath, size: u64, content: &mut dyn Read) -> io::Result<()> {
        let Some(runs) = self.wanted.get(path).cloned() else { return Ok(()) };
        // One entry may be several runs' submission, of competitions with different limits.
        let most = runs.iter().map(|run| (self.limit)(*run)).max().unwrap_or_default();
        let held = match hold(path.name(), size, most, content)? {
            Held::Input(input) => Content::Input(input),
            Held::Refused(InputProblem::TooLarge { size, limit }) => {
                Content::Refused { size, limit }
            }
            Held::Refused(problem) => Content::Unusable(problem.to_string()),
            Held::Pointer => Content::Unusable(POINTER.to_owned()),
            Held::NoRoom(error) => {
                Content::Unusable(format!("there is no room to put it aside: {error}"))
            }
        };
        self.wanted.remove(path);
        for run in runs {
            let limit = (self.limit)(run);
            let content = match &held {
                Content::Input(input) if input.size() > limit => {
                    Content::Refused { size: input.size(), limit }
                }
                other => other.clone(),
            };
            if !(self.send)(Job { run, content }) {
                self.is_wanted = false;
                break;
            }
        }
        Ok(())
    }

    fn goes_on(&self) -> bool {
        self.is_wanted && !self.wanted.is_empty()
    }
}

fn open_beside(path: &Path, limit: u64) -> Result<Input, Error> {
    let folder = Dir::open_ambient_dir(".", ambient_authority())
        .map_err(|source| Error::read(Path::new("."), source))?;
    Input::open_in(&folder, path, limit)
}

fn content_of(opened: Result<Input, Error>) -> Content {
    const HEAD_BYTES: u32 = 1_024;
    match opened {
        Ok(input) if is_pointer(&input.head(HEAD_BYTES)) => Content::Unusable(POINTER.to_owned()),
        Ok(input) => Content::Input(input),
        Err(Error::Input { problem: InputProblem::TooLarge { size, limit }, .. }) => {
            Content::Refused { size, limit }
        }
        Err(Error::Input { problem, .. }) => Content::Unusable(problem.to_string()),
        Err(other) => Content::Unusable(other.to_string()),
    }
}
