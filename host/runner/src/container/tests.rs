use super::*;

fn agent(extra: &str) -> Agent {
    let text = format!("id = \"a\"\nimage = \"i\"\n{extra}");
    Agent::parse(&text, Path::new("agent.toml")).unwrap()
}

fn request(
    agent: &Agent,
    configuration: &RunConfiguration,
    devices: &[String],
    privileged: bool,
) -> ContainerCreateBody {
    let delivery = Delivery::Mounted {
        public_data: Path::new("/data/example/prepared/public"),
        exchange: Path::new("/tmp/exchange"),
        forwarder: Path::new("/programs/podium-forwarder"),
    };
    delivered(agent, configuration, devices, privileged, delivery)
}

fn delivered(
    agent: &Agent,
    configuration: &RunConfiguration,
    devices: &[String],
    privileged: bool,
    delivery: Delivery<'_>,
) -> ContainerCreateBody {
    ContainerPlan {
        agent,
        configuration,
        image: "sha256:1",
        command: vec!["run".into(), "--fast".into()],
        environment: &BTreeMap::from([("A".to_owned(), "b".to_owned())]),
        devices,
        privileged,
        competition_id: "example",
        delivery,
        sample_submission: Some("sample_submission.csv".into()),
        network: Some("podium-net".to_owned()),
        labels: BTreeMap::from([(RUN_LABEL.to_owned(), "r".to_owned())]),
    }
    .request()
}

/// Threat 1: nothing private is mounted.
/// Threat 2: nor the engine's socket, nor anything writable of the host.
#[test]
fn all_that_is_mounted_is_read_only_and_expected() {
    let body = request(&agent(""), &RunConfiguration::default(), &[], false);
    let mounts = body.host_config.as_ref().unwrap().mounts.clone().unwrap();
    let seen: Vec<(&str, &str)> = mounts
        .iter()
        .map(|mount| {
            assert_eq!(mount.read_only, Some(true), "{mount:?}");
            (mount.source.as_deref().unwrap(), mount.target.as_deref().unwrap())
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("/data/example/prepared/public", "/home/data"),
            ("/tmp/exchange/instructions.txt", "/home/instructions.txt"),
            ("/tmp/exchange/description.md", "/home/description.md"),
            ("/tmp/exchange/validate_submission.sh", "/home/validate_submission.sh"),
            ("/programs/podium-forwarder", "/podium/forwarder"),
            ("/tmp/exchange/socket", "/podium/socket"),
        ]
    );
    assert!(body.host_config.unwrap().binds.is_none());
}

/// Threat 1: an engine that does not see the files of this machine is asked for the public data alone.
#[test]
fn nothing_of_this_machine_is_mounted_elsewhere() {
    for (data, source, kind) in [
        (DataSource::Folder("/srv/e/public".into()), "/srv/e/public", MountType::BIND),
        (DataSource::Volume("podium-data-e".into()), "podium-data-e", MountType::VOLUME),
    ] {
        let delivery = Delivery::Carried { public_data: &data };
        let plain = delivered(&agent(""), &RunConfiguration::default(), &[], false, delivery);
        assert_eq!(plain.entrypoint.unwrap(), ["/podium/forwarder", "launch-carried"]);
        let mounts = plain.host_config.unwrap().mounts.unwrap();
        assert_eq!(mounts.len(), 1);
        assert_eq!(mounts[0].source.as_deref(), Some(source));
        assert_eq!(mounts[0].target.as_deref(), Some("/home/data"));
        assert_eq!((mounts[0].typ, mounts[0].read_only), (Some(kind), Some(true)));
        let read_only = agent("read_only_root = true");
        let body = delivered(&read_only, &RunConfiguration::default(), &[], false, delivery);
        let mounts = body.host_config.unwrap().mounts.unwrap();
        let nameless = mounts.iter().filter(|mount| mount.source.is_none());
        let targets: Vec<&str> = nameless.filter_map(|mount| mount.target.as_deref()).collect();
        assert_eq!(targets, ["/home", "/podium"]);
    }
}

/// Threat 2: nothing of the host's power is there by default.
#[test]
fn a_container_has_no_powers_unless_somebody_gave_them() {
    let host = request(&agent(""), &RunConfiguration::default(), &[], false).host_config.unwrap();
    assert_eq!(host.privileged, Some(false));
    assert_eq!(host.cap_drop, Some(vec!["ALL".to_owned()]));
    assert_eq!(host.cap_add, Some(vec![]));
    assert_eq!(host.security_opt, Some(vec!["no-new-privileges".to_owned()]));
    assert_eq!(host.network_mode.as_deref(), Some("none"));
    assert!(host.device_requests.is_none() && host.devices.is_none());
    assert!(host.pid_mode.is_none() && host.userns_mode.is_none());

    let wants = agent("capabilities = [\"CHOWN\"]");
    let host = request(&wants, &RunConfiguration::default(), &[], false).host_config.unwrap();
    assert_eq!(host.cap_add, Some(vec!["CHOWN".to_owned()]));
    let host = request(&wants, &RunConfiguration::default(), &[], true).host_config.unwrap();
    assert_eq!((host.privileged, host.cap_drop), (Some(true), None));
}

/// Threat 24: what hooks and loaders read is taken out, whatever the image sets.
#[test]
fn the_environment_is_scrubbed() {
    let variables = request(&agent(""), &RunConfiguration::default(), &[], false).env.unwrap();
    for name in SCRUBBED {
        assert!(variables.iter().any(|variable| variable == name), "{name}");
    }
    assert!(variables.contains(&"A=b".to_owned()));
    assert!(variables.contains(&"COMPETITION_ID=example".to_owned()));
    assert!(variables.contains(&"SAMPLE_SUBMISSION=/home/data/sample_submission.csv".to_owned()));
}

#[test]
fn an_allow_list_is_a_proxy_and_no_network() {
    let configuration = RunConfiguration::parse_toml(
        "network = \"allow-list\"\n[egress]\nallow = [\"api.example.org\"]",
    )
    .unwrap();
    let body = request(&agent(""), &configuration, &[], false);
    let variables = body.env.unwrap();
    for variable in [
        "HTTPS_PROXY=http://127.0.0.1:3128",
        "https_proxy=http://127.0.0.1:3128",
        "NO_PROXY=localhost,127.0.0.1,::1",
    ] {
        assert!(variables.iter().any(|one| one == variable), "{variable}: {variables:?}");
    }
    assert_eq!(body.host_config.unwrap().network_mode.as_deref(), Some("none"));
    let without = request(&agent(""), &RunConfiguration::default(), &[], false).env.unwrap();
    assert!(!without.iter().any(|variable| variable.to_lowercase().contains("proxy")));
}

/// An agent's own value takes the place of the runner's, and no variable is there twice.
#[test]
fn variables_of_the_agent_come_before_those_of_the_runner() {
    let agent = agent("");
    let plan = ContainerPlan {
        agent: &agent,
        configuration: &RunConfiguration::default(),
        image: "sha256:1",
        command: vec![],
        environment: &BTreeMap::from([("LOGS_DIR".to_owned(), "/tmp".to_owned())]),
        devices: &[],
        privileged: false,
        competition_id: "example",
        delivery: Delivery::Carried {
            public_data: &DataSource::Folder("/data/example/prepared/public".into()),
        },
        sample_submission: None,
        network: None,
        labels: BTreeMap::new(),
    };
    let variables = plan.request().env.unwrap();
    let logs: Vec<&String> =
        variables.iter().filter(|variable| variable.starts_with("LOGS_DIR")).collect();
    assert_eq!(logs, ["LOGS_DIR=/tmp"]);
}

#[test]
fn limits_reach_the_engine() {
    let configuration = RunConfiguration::parse_toml(
        "cpus = 1.5\nmemory = \"2G\"\nshm = \"1G\"\npids = 100\ndisk = \"5G\"\nruntime = \"runsc\"\nnetwork = \"internal\"",
    )
    .unwrap();
    let host =
        request(&agent("read_only_root = true"), &configuration, &[], false).host_config.unwrap();
    assert_eq!(host.nano_cpus, Some(1_500_000_000));
    assert_eq!((host.memory, host.memory_swap), (Some(2 << 30), Some(2 << 30)));
    assert_eq!(host.shm_size, Some(1 << 30));
    assert_eq!(host.pids_limit, Some(100));
    assert_eq!(host.storage_opt.unwrap()["size"], (5_u64 << 30).to_string());
    assert_eq!(host.runtime.as_deref(), Some("runsc"));
    assert_eq!(host.network_mode.as_deref(), Some("podium-net"));
    assert_eq!(host.readonly_rootfs, Some(true));
    let volumes =
        host.mounts.unwrap().into_iter().filter(|mount| mount.typ == Some(MountType::VOLUME));
    assert_eq!(volumes.count(), 3);
}

#[test]
fn gpus_are_asked_for_by_count_or_by_id() {
    let by = |text: &str, devices: &[&str]| {
        let configuration = RunConfiguration::parse_toml(text).unwrap();
        let devices: Vec<String> = devices.iter().map(ToString::to_string).collect();
        let host = request(&agent(""), &configuration, &devices, false).host_config.unwrap();
        host.device_requests.unwrap().remove(0)
    };
    let all = by("gpus = -1", &[]);
    assert_eq!((all.count, all.device_ids), (Some(-1), None));
    assert_eq!(all.capabilities, Some(vec![vec!["gpu".to_owned()]]));
    let one = by("gpus = 1\ngpu_devices = [\"0\", \"1\"]", &["1"]);
    assert_eq!((one.count, one.device_ids), (None, Some(vec!["1".to_owned()])));
}

#[test]
fn the_launcher_comes_before_the_command() {
    let body = request(&agent("user = \"1000\""), &RunConfiguration::default(), &[], false);
    assert_eq!(body.entrypoint.unwrap(), ["/podium/forwarder", "launch"]);
    assert_eq!(body.cmd.unwrap(), ["run", "--fast"]);
    assert_eq!(body.user.as_deref(), Some("1000"));
    assert_eq!(body.stop_signal.as_deref(), Some("SIGTERM"));
    assert_eq!(body.host_config.unwrap().init, Some(true));
}
