//! The service behind the socket: HTTP, limits, the log.

use std::convert::Infallible;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyDataStream, Full};
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use podium::{Cancellation, Competition, GradingContext, GradingOptions, Input, Validation};
use serde_json::json;
use tempfile::NamedTempFile;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::reply;
use crate::configuration::ValidationLimits;
use crate::error::Error;
use crate::event::{self, ValidationRecord};
use crate::snapshots::Snapshots;
use crate::socket;

/// How many submissions of a run are received and validated at once; more wait.
const AT_ONCE: usize = 2;

/// How many connections of a run are open at once; more wait.
const CONNECTIONS: usize = 128;

/// How long a connection may last.
const PATIENCE: Duration = Duration::from_secs(30 * 60);

/// The socket's name in its folder.
const SOCKET: &str = "validation.sock";

/// What validates the submissions of a run.
pub struct Validator {
    /// Grades, and keeps the scores.
    pub context: Arc<GradingContext>,
    /// The competition.
    pub competition: Competition,
    /// What may be asked.
    pub limits: ValidationLimits,
    pub(crate) snapshots: Snapshots,
    /// Where a line is written for each validation.
    log: PathBuf,
    /// Where submissions are received, each in a file of its own.
    received: PathBuf,
    /// What the launcher gets, once: variables that hold secrets.
    secrets: Mutex<Option<Vec<u8>>>,
    /// The file that says that the launcher got them: for a runner that takes the run over.
    mark: PathBuf,
    started: AtomicBool,
    counted: Mutex<Counted>,
    turns: Semaphore,
    connections: Arc<Semaphore>,
    cancellation: Cancellation,
}

#[derive(Default)]
struct Counted {
    record: ValidationRecord,
    /// When the calls of the last minute came.
    recent: Vec<Instant>,
}

impl Validator {
    /// A validator for the run in this folder. `secrets` is what the launcher gets, once, if no runner before this one gave
    /// it to it.
    pub(crate) fn new(
        context: Arc<GradingContext>,
        competition: Competition,
        limits: ValidationLimits,
        snapshots: Snapshots,
        run_folder: &Path,
        exchange: &Path,
        secrets: Vec<u8>,
    ) -> Validator {
        let log = run_folder.join("validations.jsonl");
        // A runner that takes a run over goes on counting.
        let mut record = ValidationRecord::default();
        for line in std::fs::read_to_string(&log).unwrap_or_default().lines() {
            record.calls += 1;
            match serde_json::from_str::<serde_json::Value>(line)
                .ok()
                .and_then(|line| line["valid"].as_bool())
            {
                Some(true) => record.valid += 1,
                Some(false) => record.invalid += 1,
                None => record.refused += 1,
            }
        }
        let mark = exchange.join("started");
        let has_started = mark.exists();
        Validator {
            context,
            competition,
            limits,
            snapshots,
            log,
            received: exchange.join("received"),
            secrets: Mutex::new((!has_started).then_some(secrets)),
            mark,
            started: AtomicBool::new(has_started),
            counted: Mutex::new(Counted { record, recent: Vec::new() }),
            turns: Semaphore::new(AT_ONCE),
            connections: Arc::new(Semaphore::new(CONNECTIONS)),
            cancellation: Cancellation::new(),
        }
    }

    /// Whether the launcher in the container has called: the agent was started after that.
    pub(crate) fn has_started(&self) -> bool {
        self.started.load(Ordering::Relaxed)
    }

    /// What was asked so far.
    pub(crate) fn record(&self) -> ValidationRecord {
        let left_out = self.snapshots.left_out();
        ValidationRecord {
            snapshots: self.snapshots.count(),
            snapshots_left_out: left_out.as_ref().map_or(0, |left_out| left_out.count),
            snapshots_left_out_because: left_out.map(|left_out| left_out.why),
            ..self.counted().record.clone()
        }
    }

    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers on one connection, until it ends or has lasted too long.
    pub(crate) async fn serve_connection(
        self: &Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Unpin,
    ) {
        let service = service_fn(|request| {
            let validator = Arc::clone(self);
            async move { Ok::<_, Infallible>(validator.answer(request).await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(Duration::from_secs(30))
            .keep_alive(false)
            .half_close(true)
            .serve_connection(TokioIo::new(stream), service);
        let _ = tokio::time::timeout(PATIENCE, connection).await;
    }

    /// Ends what is under way when it is dropped, where there is no socket that would.
    pub(crate) fn serving_elsewhere(&self) -> Serving {
        Serving { task: None, cancellation: self.cancellation.clone() }
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Response<Full<Bytes>> {
        match (request.method(), request.uri().path()) {
            (&Method::GET, "/health") => {
                reply::json(StatusCode::OK, &json!({ "status": "running" }))
            }
            (&Method::POST, "/validate") => self.validate(request).await,
            (&Method::POST, "/start") => self.start(),
            (_, "/health" | "/validate" | "/start") => {
                reply::refused(StatusCode::METHOD_NOT_ALLOWED, "the method is not allowed here")
            }
            _ => reply::refused(StatusCode::NOT_FOUND, "there are /validate and /health"),
        }
    }

    /// Hands the secrets to the first that asks, which is the launcher: nothing else runs before it.
    fn start(&self) -> Response<Full<Bytes>> {
        let marked = std::fs::write(&self.mark, []).is_ok();
        self.started.store(marked, Ordering::Relaxed);
        if !marked {
            return reply::refused(StatusCode::INTERNAL_SERVER_ERROR, "the start cannot be noted");
        }
        match self.secrets.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(variables) => Response::new(Full::new(Bytes::from(variables))),
            None => reply::refused(StatusCode::FORBIDDEN, "the agent was started already"),
        }
    }

    async fn validate(self: Arc<Self>, request: Request<Incoming>) -> Response<Full<Bytes>> {
        if let Err((status, why)) = self.admit() {
            return self.refuse(status, &why);
        }
        let Ok(_turn) = self.turns.acquire().await else {
            return self.refuse(StatusCode::SERVICE_UNAVAILABLE, "the run has ended");
        };
        let file = match self.receive(request).await {
            Ok(file) => file,
            Err((status, why)) => return self.refuse(status, &why),
        };
        let validator = Arc::clone(&self);
        let done = tokio::task::spawn_blocking(move || validator.judge(file)).await;
        match done {
            Ok(Ok((status, body))) => reply::json(status, &body),
            _ => self.refuse(StatusCode::INTERNAL_SERVER_ERROR, "An unexpected error occurred."),
        }
    }

    /// Whether one more call is allowed.
    fn admit(&self) -> Result<(), (StatusCode, String)> {
        let mut counted = self.counted();
        if counted.record.calls >= self.limits.each_run {
            let why = format!(
                "a run has {} validations, and this one has had them",
                self.limits.each_run
            );
            return Err((StatusCode::TOO_MANY_REQUESTS, why));
        }
        let now = Instant::now();
        counted.recent.retain(|call| now.duration_since(*call) < Duration::from_secs(60));
        if counted.recent.len() >= self.limits.each_minute as usize {
            let why = format!(
                "there are {} validations a minute; wait, then ask again",
                self.limits.each_minute
            );
            return Err((StatusCode::TOO_MANY_REQUESTS, why));
        }
        counted.recent.push(now);
        Ok(())
    }

    /// Receives the field `file` into a file of its own.
    async fn receive(
        &self,
        request: Request<Incoming>,
    ) -> Result<NamedTempFile, (StatusCode, String)> {
        let bad = |why: String| (StatusCode::BAD_REQUEST, why);
        let failed =
            |_| (StatusCode::INTERNAL_SERVER_ERROR, "An unexpected error occurred.".to_owned());
        let most = self.limits.submission.0;
        let too_large =
            || (StatusCode::PAYLOAD_TOO_LARGE, format!("a submission may have {most} bytes"));
        let boundary = request
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok())
            .and_then(|kind| multer::parse_boundary(kind).ok())
            .ok_or_else(|| {
                bad("send the submission as multipart/form-data, in the field `file`".to_owned())
            })?;
        // The limit on the whole body bounds fields of other names.
        let limits =
            multer::SizeLimit::new().whole_stream(most.saturating_add(1 << 16)).per_field(most);
        let constraints = multer::Constraints::new().size_limit(limits);
        let body = BodyDataStream::new(request.into_body());
        let mut parts = multer::Multipart::with_constraints(body, boundary, constraints);
        let broken = |error: multer::Error| match error {
            multer::Error::FieldSizeExceeded { .. } | multer::Error::StreamSizeExceeded { .. } => {
                too_large()
            }
            other => bad(format!("the request is not understood: {other}")),
        };
        while let Some(mut field) = parts.next_field().await.map_err(broken)? {
            if field.name() != Some("file") {
                continue;
            }
            let is_csv = field.file_name().is_none_or(|name| name.to_lowercase().ends_with(".csv"));
            let file = NamedTempFile::new_in(&self.received).map_err(failed)?;
            let handle = file.as_file().try_clone().map_err(failed)?;
            let mut handle = tokio::fs::File::from_std(handle);
            while let Some(chunk) = field.chunk().await.map_err(broken)? {
                handle.write_all(&chunk).await.map_err(failed)?;
            }
            handle.flush().await.map_err(failed)?;
            if !is_csv {
                // In the words of the reference.
                return Err((
                    StatusCode::OK,
                    "Submission invalid! Submission file must be a CSV file.".to_owned(),
                ));
            }
            return Ok(file);
        }
        Err(bad("there is no field `file` with a submission".to_owned()))
    }

    /// Validates, logs, keeps what is new.
    fn judge(&self, file: NamedTempFile) -> Result<(StatusCode, serde_json::Value), Error> {
        let submission =
            Input::open(file.path(), self.limits.submission.0)?.renamed("submission.csv");
        let options =
            GradingOptions { cancellation: self.cancellation.clone(), ..GradingOptions::default() };
        let validation: Validation =
            self.context.validate_input(&self.competition, &submission, &options);
        let (status, body) = reply::verdict(&validation);
        let is_verdict = status == StatusCode::OK;
        let calls = {
            let record = &mut self.counted().record;
            record.calls += 1;
            match (is_verdict, validation.valid) {
                (true, true) => record.valid += 1,
                (true, false) => record.invalid += 1,
                (false, _) => record.refused += 1,
            }
            record.calls
        };
        self.log(
            calls,
            &json!({
                "at": event::now(),
                "sha256": submission.sha256(),
                "bytes": submission.size(),
                "valid": is_verdict.then_some(validation.valid),
                "reply": body,
            }),
        );
        let path = file.into_temp_path();
        if self.snapshots.keep(&path, *submission.sha256(), submission.size(), "validated")? {
            // It lies elsewhere now.
            let _ = path.keep();
        }
        Ok((status, body))
    }

    fn refuse(&self, status: StatusCode, why: &str) -> Response<Full<Bytes>> {
        let calls = {
            let record = &mut self.counted().record;
            record.calls += 1;
            match status {
                StatusCode::OK => record.invalid += 1,
                _ => record.refused += 1,
            }
            record.calls
        };
        let valid = (status == StatusCode::OK).then_some(false);
        self.log(calls, &json!({ "at": event::now(), "valid": valid, "refused": why }));
        match status {
            StatusCode::OK => reply::json(status, &json!({ "result": why })),
            _ => reply::refused(status, why),
        }
    }

    /// Adds a line to the log. A disk that is full costs the line, not the reply. The first call beyond those of a run is the
    /// last line; whatever follows is counted alone, so that an agent cannot fill the disk.
    fn log(&self, calls: u64, line: &serde_json::Value) {
        if calls > self.limits.each_run.saturating_add(1) {
            return;
        }
        let _ = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.log)
            .and_then(|mut log| log.write_all(format!("{line}\n").as_bytes()));
    }
}

/// A service that runs; it ends when this is dropped.
pub struct Serving {
    task: Option<JoinHandle<()>>,
    cancellation: Cancellation,
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.cancellation.cancel();
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// Serves on the socket in the exchange folder, in the place of one that was left behind.
///
/// # Errors
/// A folder in which there can be no socket.
pub fn serve(validator: &Arc<Validator>, exchange: &Path) -> Result<Serving, Error> {
    let listener = socket::listen(&exchange.join("socket"), SOCKET)?;
    let serving = Arc::clone(validator);
    let cancellation = validator.cancellation.clone();
    let task = tokio::spawn(async move {
        loop {
            let Ok(place) = Arc::clone(&serving.connections).acquire_owned().await else { break };
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let validator = Arc::clone(&serving);
            tokio::spawn(async move {
                let _place = place;
                validator.serve_connection(stream).await;
            });
        }
    });
    Ok(Serving { task: Some(task), cancellation })
}
