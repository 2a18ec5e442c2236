//! What `podium doctor` says of Docker engines: that of this machine, or those of a hosts file, a line each.
//!
//! The engine of this machine is what grading does without, so it is never a problem that there is none. Hosts that somebody
//! names are meant to run agents: one that cannot is a problem.

use super::Check;
use crate::docker::DockerEngine;

/// Below so much room on its disk an engine cannot do much.
const LITTLE_ROOM: u64 = 10 << 30;

/// The lines of the engine that the `docker` program would ask.
pub(super) fn look() -> Vec<Check> {
    let answer = DockerEngine::ask();
    vec![docker(&answer), gpus(answer.ok().as_ref())]
}

/// The lines of the engines of hosts.
#[cfg(unix)]
pub(super) fn look_at(hosts: &podium_runner::Hosts) -> Vec<Check> {
    match DockerEngine::ask_all(hosts) {
        Ok(answers) => hosts
            .hosts
            .iter()
            .zip(answers)
            .map(|(host, answer)| of_host(&host.name, &host.address, &host.gpu_devices, &answer))
            .collect(),
        Err(reason) => vec![Check::problem("host", reason, "see the message")],
    }
}

fn docker(engine: &Result<DockerEngine, String>) -> Check {
    match engine {
        Ok(engine) => has_room("docker", in_words(engine), engine),
        Err(reason) => Check::warning(
            "docker",
            format!("no engine answers: {}", reason.replace('\n', " ")),
            "only running agents needs it: start the Docker engine, or set DOCKER_HOST or a Docker context to where it listens",
        ),
    }
}

fn gpus(engine: Option<&DockerEngine>) -> Check {
    let advice = "only agents that use GPUs need it: install the NVIDIA Container Toolkit and restart the Docker engine";
    match engine {
        None => Check::warning("gpus", "unknown: no Docker engine answers", advice),
        Some(engine) if engine.offers_gpus() => {
            Check::ok("gpus", format!("containers can have them: {}", gpus_in_words(engine)))
        }
        Some(_) => Check::warning("gpus", "the Docker engine offers none", advice),
    }
}

/// The line of one host. `gpu_devices` are those that its definition gives to runs.
#[cfg(unix)]
fn of_host(
    name: &str,
    address: &str,
    gpu_devices: &[String],
    answer: &Result<DockerEngine, String>,
) -> Check {
    let place = format!("{name} at {address}");
    let engine = match answer {
        Ok(engine) => engine,
        Err(reason) => {
            let reason = reason.replace('\n', " ");
            return Check::problem("host", format!("{place}: {reason}"), advice(address));
        }
    };
    let found = format!("{place}: {}; GPUs: {}", in_words(engine), gpus_in_words(engine));
    if !gpu_devices.is_empty() && !engine.offers_gpus() {
        return Check::problem(
            "host",
            format!("{found}, and its `gpu_devices` are {}", gpu_devices.join(", ")),
            "install the NVIDIA Container Toolkit there and restart the engine, or take `gpu_devices` out of the hosts file",
        );
    }
    has_room("host", found, engine)
}

/// What to try where an engine does not answer.
#[cfg(unix)]
fn advice(address: &str) -> String {
    match address.split_once("://") {
        Some(("ssh", place)) => format!(
            "try `ssh -o BatchMode=yes {} docker version`: it has to get in without asking, and the engine has to run there",
            place.split(['/', ':']).next().unwrap_or(place)
        ),
        Some(("tcp", _)) => "see whether the engine listens there, and whether it takes these certificates: `docker --tlsverify \
                             --tlscacert … --tlscert … --tlskey … --host ADDRESS version`"
            .to_owned(),
        _ => "start the engine, and see whether you may use its socket".to_owned(),
    }
}

fn has_room(name: &'static str, found: String, engine: &DockerEngine) -> Check {
    match engine.free_bytes {
        Some(free) if free < LITTLE_ROOM => Check::warning(
            name,
            found,
            "make room for images and for what agents write: `docker system df` says what takes it",
        ),
        _ => Check::ok(name, found),
    }
}

fn in_words(engine: &DockerEngine) -> String {
    let gibibytes = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    let mut parts = vec![
        format!("engine {}", engine.version.as_deref().unwrap_or("of unknown version")),
        format!("runtimes {}", engine.runtimes.join(", ")),
    ];
    if let (Some(cpus), Some(memory)) = (engine.cpus, engine.memory) {
        let memory = gibibytes(u64::try_from(memory).unwrap_or_default());
        parts.push(format!("{cpus} CPUs, {memory:.1} GiB of memory"));
    }
    if let (Some(driver), Some(folder)) = &engine.storage {
        let room = match engine.free_bytes {
            Some(free) => format!("{:.1} GiB free", gibibytes(free)),
            None => "its room is not seen from here".to_owned(),
        };
        parts.push(format!("disk {driver} in {folder}, {room}"));
    }
    parts.join("; ")
}

fn gpus_in_words(engine: &DockerEngine) -> String {
    match (engine.offers_gpus(), engine.devices.is_empty()) {
        (false, _) => "none".to_owned(),
        (true, true) => "runtime nvidia".to_owned(),
        (true, false) => engine.devices.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    #[test]
    fn an_engine_that_does_not_answer_is_no_problem_for_grading() {
        let check = docker(&Err("no such file\nor folder".to_owned()));
        assert_eq!(check.state, State::Warning);
        assert!(!check.found.contains('\n'), "{}", check.found);
        assert_eq!(gpus(None).state, State::Warning);
    }

    #[cfg(unix)]
    #[test]
    fn a_host_is_a_line_with_what_it_has_and_what_to_do() {
        let engine = |nvidia: bool, free: Option<u64>| DockerEngine {
            version: Some("28.1".into()),
            runtimes: if nvidia { vec!["nvidia".into()] } else { vec!["runc".into()] },
            cpus: Some(36),
            memory: Some(440 << 30),
            storage: (Some("overlay2".into()), Some("/var/lib/docker".into())),
            free_bytes: free,
            ..DockerEngine::default()
        };
        let gpus = ["0".to_owned()];
        let room = Some(100 << 30);
        for (address, gpus, answer, state, part) in [
            ("unix:///d", &[][..], Ok(engine(false, room)), State::Ok, "100.0 GiB free"),
            ("ssh://a", &[], Ok(engine(false, None)), State::Ok, "not seen from here"),
            ("ssh://a", &[], Ok(engine(true, None)), State::Ok, "GPUs: runtime nvidia"),
            ("ssh://a", &gpus, Ok(engine(true, None)), State::Ok, "36 CPUs, 440.0 GiB"),
            ("ssh://a", &gpus, Ok(engine(false, None)), State::Problem, "`gpu_devices` are 0"),
            ("unix:///d", &[], Ok(engine(false, Some(1))), State::Warning, "0.0 GiB free"),
            ("ssh://me@a:22", &[], Err("no\nanswer".to_owned()), State::Problem, "no answer"),
        ] {
            let check = of_host("alpha", address, gpus, &answer);
            assert_eq!(check.state, state, "{}", check.found);
            assert!(check.found.contains(part), "{}", check.found);
            assert!(check.found.starts_with("alpha at "), "{}", check.found);
        }
        assert!(advice("ssh://me@a:22/x").contains(" me@a docker version"));
    }
}
