//! An agent for tests: does, one after the other, what its arguments say. Linked statically, for images FROM scratch.

#![forbid(unsafe_code)]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, ExitCode, exit};
use std::thread;
use std::time::Duration;

const SUBMISSION: &str = "/home/submission/submission.csv";

fn main() -> ExitCode {
    for argument in std::env::args().skip(1) {
        let (verb, value) = argument.split_once('=').unwrap_or((&argument, ""));
        match verb {
            "print" => println!("{value}"),
            "unfinished" => print!("{value}"),
            "port" => {
                let open = TcpStream::connect(("127.0.0.1", value.parse().unwrap())).is_ok();
                println!("port {value}: {}", if open { "open" } else { "closed" });
            }
            "reach" => {
                println!("reach {value}: {}", if is_reached(value) { "open" } else { "closed" })
            }
            "fetch" => println!("fetch {value}: {}", fetch(value)),
            "tunnel" => println!("tunnel {value}: {}", tunnel(value)),
            "validate-beside-tunnels" => validate_beside_tunnels(value),
            "environment" => {
                println!("{value}={}", std::env::var(value).unwrap_or_else(|_| "(unset)".into()))
            }
            "submit" => fs::write(SUBMISSION, value.replace("\\n", "\n")).unwrap(),
            "sleep" => thread::sleep(Duration::from_millis(value.parse().unwrap())),
            "exit" => exit(value.parse().unwrap()),
            "links" => links(),
            "large" => fs::write("/home/code/large", vec![b'x'; value.parse().unwrap()]).unwrap(),
            "sparse" => {
                let file = fs::File::create("/home/code/sparse").unwrap();
                file.set_len(value.parse().unwrap()).unwrap();
            }
            "submit-bytes" => fs::write(SUBMISSION, vec![b'x'; value.parse().unwrap()]).unwrap(),
            "validate" => println!("{}", post(&value.replace("\\n", "\n"))),
            "validate-at-once" => validate_at_once(value.parse().unwrap()),
            "script" => script(),
            "health" => println!(
                "{}",
                talk("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            ),
            "request" => println!("{}", talk(&value.replace("\\r", "\r").replace("\\n", "\n"))),
            "find" => find(Path::new("/"), value),
            "status" => println!("{}", fs::read_to_string("/proc/self/status").unwrap()),
            "mounts" => println!("{}", fs::read_to_string("/proc/self/mountinfo").unwrap()),
            other => panic!("there is no {other}"),
        }
        std::io::stdout().flush().unwrap();
    }
    ExitCode::SUCCESS
}

/// Fills the kept folders with what must not be copied out as it is.
fn links() {
    let _ = fs::remove_file(SUBMISSION);
    symlink("/etc/passwd", SUBMISSION).unwrap();
    symlink("/home/data", "/home/code/data").unwrap();
    fs::write("/home/code/real", "real").unwrap();
    fs::hard_link("/home/code/real", "/home/code/second").unwrap();
}

fn post(submission: &str) -> String {
    let body = format!(
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"submission.csv\"\r\n\r\n{submission}\r\n--b--\r\n"
    );
    talk(&format!(
        "POST /validate HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=b\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    ))
}

/// Whether something listens at an address with its port; `gateway` stands for the address of the default route.
fn is_reached(address: &str) -> bool {
    let address = address.replace("gateway", &gateway());
    TcpStream::connect_timeout(&address.parse().unwrap(), Duration::from_secs(3)).is_ok()
}

/// The gateway of the default route, as the kernel lists it.
fn gateway() -> String {
    let routes = fs::read_to_string("/proc/net/route").unwrap();
    let columns = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let route = routes.lines().map(columns).find(|columns| columns[1] == "00000000");
    let Some(route) = route else { return "192.0.2.1".to_owned() };
    std::net::Ipv4Addr::from(u32::from_str_radix(&route[2], 16).unwrap().to_le_bytes()).to_string()
}

/// Asks the proxy for an address, and gives what came after the head of its reply.
fn fetch(url: &str) -> String {
    let request = format!("GET {url} HTTP/1.1\r\nHost: ignored\r\nConnection: close\r\n\r\n");
    let reply = talk_to(3128, &request);
    reply.split_once("\n\n").map_or(reply.clone(), |(_, body)| body.trim().to_owned())
}

/// A tunnel through the proxy that leads to a host and port; nothing where the proxy refuses.
fn open_tunnel(target: &str) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", 3128)).unwrap();
    write!(stream, "CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n").unwrap();
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    head.starts_with(b"HTTP/1.1 200").then_some(stream)
}

fn tunnel(target: &str) -> String {
    let Some(mut stream) = open_tunnel(target) else { return "refused".to_owned() };
    stream.write_all(b"GET /through HTTP/1.1\r\nHost: there\r\n\r\n").unwrap();
    let mut reply = Vec::new();
    let _ = stream.read_to_end(&mut reply);
    String::from_utf8_lossy(&reply).lines().last().unwrap_or_default().to_owned()
}

/// Opens as many tunnels as can be carried and more, then validates while they are open.
fn validate_beside_tunnels(target: &str) {
    let opening: Vec<_> = (0..60)
        .map(|_| {
            let target = target.to_owned();
            thread::spawn(move || {
                let open = open_tunnel(&target).is_some();
                thread::sleep(Duration::from_millis(1500));
                open
            })
        })
        .collect();
    thread::sleep(Duration::from_millis(700));
    println!("beside: {}", post("id,value\n1,1\n").contains("Submission is valid."));
    let open = opening.into_iter().filter_map(|one| one.join().ok()).filter(|open| *open).count();
    println!("tunnels: {open}");
}

fn talk(request: &str) -> String {
    talk_to(5000, request)
}

fn talk_to(port: u16, request: &str) -> String {
    let mut stream = TcpStream::connect(("localhost", port)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut reply = Vec::new();
    let _ = stream.read_to_end(&mut reply);
    String::from_utf8_lossy(&reply).replace("\r\n", "\n")
}

/// Every second submission is empty, which is refused; all others are valid. Each must get its own answer.
fn validate_at_once(count: usize) {
    let threads: Vec<_> = (0..count)
        .map(|index| {
            thread::spawn(move || {
                let valid = index % 2 == 0;
                let submission =
                    if valid { format!("id,value\n1,{index}\n") } else { String::new() };
                post(&submission).contains("Submission is valid.") == valid
            })
        })
        .collect();
    let right =
        threads.into_iter().map(|thread| thread.join().unwrap()).filter(|right| *right).count();
    println!("right answers: {right} of {count}");
}

fn script() {
    let output = Command::new("/podium/forwarder").args(["validate", SUBMISSION]).output().unwrap();
    println!("script: {}", String::from_utf8_lossy(&output.stdout));
}

/// Prints every file that can be read and holds the text.
fn find(folder: &Path, text: &str) {
    if ["/proc", "/sys", "/dev"].iter().any(|skipped| folder == Path::new(skipped)) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(metadata) = path.symlink_metadata() else { continue };
        if metadata.is_dir() {
            find(&path, text);
        } else if metadata.is_file()
            && let Ok(bytes) = fs::read(&path)
            && bytes.windows(text.len()).any(|window| window == text.as_bytes())
        {
            println!("found in {}", path.display());
        }
    }
    if folder == Path::new("/") {
        println!("searched all");
    }
}
