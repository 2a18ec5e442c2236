use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::net::UnixStream as Socket;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpListener;

use super::*;

/// A proxy that serves, with names that lead where a test says.
struct Bench {
    folder: TempDir,
    proxy: Arc<Proxy>,
    serving: Option<Serving>,
    lookups: Arc<AtomicUsize>,
}

/// Where the names of a test lead. `rebinding.example` leads to a public place when it is asked for the first time, and to
/// this machine from then on.
fn addresses(name: &str, lookup: usize) -> Vec<IpAddr> {
    let addresses: &[&str] = match (name, lookup) {
        ("here.example", _) => &["127.0.0.1"],
        ("metadata.example", _) => &["169.254.169.254"],
        ("mixed.example", _) => &["169.254.169.254", "10.0.0.1", "127.0.0.1"],
        ("rebinding.example", 0) => &["127.0.0.1"],
        ("rebinding.example", _) => &["169.254.169.254"],
        _ => &[],
    };
    addresses.iter().map(|address| address.parse().unwrap()).collect()
}

impl Bench {
    /// A proxy with this list; names may lead to this machine.
    fn new(allow: &[String], most: u64) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("socket")).unwrap();
        let list = AllowList {
            destinations: allow.iter().map(|text| text.parse().unwrap()).collect(),
            private_networks: vec!["127.0.0.0/8".parse().unwrap()],
        };
        let lookups = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&lookups);
        let mut proxy = Proxy::new(list, most, folder.path());
        proxy.resolve = Box::new(move |name, port| {
            let lookup = counted.fetch_add(1, Ordering::Relaxed);
            let found = addresses(&name, lookup).into_iter();
            let found = found.map(|address| SocketAddr::new(address, port)).collect();
            Box::pin(async move { Ok(found) })
        });
        let proxy = Arc::new(proxy);
        let serving = serve(&proxy, folder.path()).unwrap();
        Bench { folder, proxy, serving: Some(serving), lookups }
    }

    fn open(&self) -> Socket {
        Socket::connect(self.folder.path().join("socket").join(SOCKET)).unwrap()
    }

    /// What the proxy answers to these bytes, until it closes.
    async fn ask(&self, request: &str) -> String {
        let stream = self.open();
        let request = request.to_owned();
        tokio::task::spawn_blocking(move || talk(stream, request.as_bytes())).await.unwrap()
    }

    /// The lines of the log, without those of ends.
    fn decisions(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.folder.path().join("egress.jsonl")).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["decision"].is_string()).collect()
    }
}

fn talk(mut stream: Socket, request: &[u8]) -> String {
    use std::io::{Read, Write};
    stream.write_all(request).unwrap();
    let mut reply = Vec::new();
    let _ = stream.read_to_end(&mut reply);
    String::from_utf8_lossy(&reply).into_owned()
}

/// A server that answers each connection with these bytes, once it has read the head of a request, and gives back what it
/// read.
async fn server(reply: &'static str) -> (u16, tokio::sync::mpsc::UnboundedReceiver<String>) {
    server_that(reply, true).await
}

/// The same, which closes connections or keeps them open.
async fn server_that(
    reply: &'static str,
    closes: bool,
) -> (u16, tokio::sync::mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, receiver) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut kept = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut read = Vec::new();
            let mut buffer = [0; 4096];
            while !read.windows(4).any(|end| end == b"\r\n\r\n") {
                match stream.read(&mut buffer).await {
                    Ok(count @ 1..) => read.extend_from_slice(&buffer[..count]),
                    _ => break,
                }
            }
            let _ = sender.send(String::from_utf8_lossy(&read).into_owned());
            let _ = stream.write_all(reply.as_bytes()).await;
            if !closes {
                kept.push(stream);
            }
        }
    });
    (port, receiver)
}

fn in_runtime(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(test);
}

#[test]
fn a_tunnel_carries_bytes_both_ways_and_is_counted() {
    in_runtime(async {
        let (port, mut read) = server("pong").await;
        let bench = Bench::new(&[format!("here.example:{port}")], 10);
        let head = format!("CONNECT here.example:{port} HTTP/1.1\r\nHost: x\r\n\r\n");
        let reply = bench.ask(&format!("{head}ping\r\n\r\n")).await;
        assert!(reply.starts_with("HTTP/1.1 200") && reply.ends_with("pong"), "{reply}");
        assert_eq!(read.recv().await.unwrap(), "ping\r\n\r\n");
        let record = bench.proxy.record();
        assert_eq!((record.connected, record.sent_bytes, record.received_bytes), (1, 8, 4));
        let decision = &bench.decisions()[0];
        assert_eq!((&decision["host"], &decision["port"]), (&"here.example".into(), &port.into()));
        assert_eq!(decision["address"], format!("127.0.0.1:{port}"));
    });
}

#[test]
fn what_is_not_listed_or_leads_elsewhere_is_refused() {
    in_runtime(async {
        let (port, mut read) = server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
        let other = if port == 1 { 2 } else { port - 1 };
        let list = ["here", "metadata", "nowhere"].map(|name| format!("{name}.example:{port}"));
        let bench = Bench::new(&list, 100);
        for (request, status, part) in [
            (format!("CONNECT other.example:{port}"), 403, "not on the list"),
            (format!("CONNECT here.example:{other}"), 403, "not on the list"),
            (format!("CONNECT 127.0.0.1:{port}"), 403, "not on the list"),
            (format!("CONNECT [::ffff:127.0.0.1]:{port}"), 403, "not on the list"),
            (format!("CONNECT 2130706433:{port}"), 400, "no host"),
            (format!("CONNECT metadata.example:{port}"), 403, "169.254.169.254"),
            (format!("GET http://metadata.example:{port}/latest"), 403, "169.254.169.254"),
            (format!("GET http://other.example:{port}/"), 403, "not on the list"),
            (format!("GET https://here.example:{port}/"), 400, "CONNECT"),
            (format!("CONNECT nowhere.example:{port}"), 502, "no address"),
            ("GET /validate".to_owned(), 400, "a proxy"),
            ("POST /start".to_owned(), 400, "a proxy"),
            ("CONNECT here.example".to_owned(), 400, ""),
        ] {
            let request = format!("{request} HTTP/1.1\r\nHost: here.example:{port}\r\n\r\n");
            let reply = bench.ask(&request).await;
            assert!(reply.starts_with(&format!("HTTP/1.1 {status}")), "{request}: {reply}");
            assert!(reply.contains(part), "{request}: {reply}");
        }
        assert!(read.try_recv().is_err(), "nobody reached the server");
        let record = bench.proxy.record();
        assert_eq!((record.connected, record.failed), (0, 1));
        assert!(bench.decisions().iter().all(|line| line["decision"] != "connected"));
    });
}

#[test]
fn a_name_is_looked_up_once_and_only_addresses_that_may_be_reached_are_used() {
    in_runtime(async {
        let (port, mut read) = server("pong").await;
        let names = ["rebinding", "mixed"].map(|name| format!("{name}.example:{port}"));
        let bench = Bench::new(&names, 10);
        for name in ["rebinding", "mixed"] {
            let reply =
                bench.ask(&format!("CONNECT {name}.example:{port} HTTP/1.1\r\n\r\n\r\n\r\n")).await;
            assert!(reply.starts_with("HTTP/1.1 200"), "{name}: {reply}");
            read.recv().await.unwrap();
        }
        assert_eq!(bench.lookups.load(Ordering::Relaxed), 2);
        let again = bench.ask(&format!("CONNECT rebinding.example:{port} HTTP/1.1\r\n\r\n")).await;
        assert!(again.contains("169.254.169.254"), "{again}");
    });
}

#[test]
fn plain_requests_go_to_the_host_that_was_checked_and_redirects_come_back() {
    in_runtime(async {
        let (port, mut read) = server(
            "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nKeep-Alive: x\r\nContent-Length: 5\r\n\r\nthere",
        )
        .await;
        let bench = Bench::new(&[format!("here.example:{port}")], 10);
        let reply = bench
            .ask(&format!(
                "POST http://here.example:{port}/a?b=c HTTP/1.1\r\nHost: evil.example\r\nProxy-Authorization: Basic eDp5\r\n\
                 Connection: x-mine, close\r\nX-Mine: 1\r\nX-Other: 2\r\nContent-Length: 3\r\n\r\nabc"
            ))
            .await;
        assert!(reply.starts_with("HTTP/1.1 302") && reply.ends_with("there"), "{reply}");
        assert!(!reply.to_lowercase().contains("keep-alive"), "{reply}");
        let seen = read.recv().await.unwrap().to_lowercase();
        assert!(seen.starts_with("post /a?b=c http/1.1\r\n"), "{seen}");
        assert!(seen.contains(&format!("host: here.example:{port}\r\n")), "{seen}");
        assert!(seen.contains("x-other: 2") && seen.contains("content-length: 3"), "{seen}");
        for hidden in ["evil.example", "proxy-authorization", "x-mine"] {
            assert!(!seen.contains(hidden), "{hidden}: {seen}");
        }
        let record = bench.proxy.record();
        assert_eq!((record.connected, record.sent_bytes, record.received_bytes), (1, 3, 5));
    });
}

#[test]
fn requests_are_limited_and_tunnels_end_with_the_run() {
    in_runtime(async {
        let (port, mut read) = server_that("pong", false).await;
        let mut bench = Bench::new(&[format!("here.example:{port}")], 2);
        // A tunnel that nobody closes.
        let mut held = bench.open();
        let request = format!("CONNECT here.example:{port} HTTP/1.1\r\n\r\n\r\n\r\n");
        std::io::Write::write_all(&mut held, request.as_bytes()).unwrap();
        read.recv().await.unwrap();
        held.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let answered = move || {
            let mut answer = Vec::new();
            while !answer.ends_with(b"pong") {
                let mut byte = [0];
                std::io::Read::read_exact(&mut held, &mut byte).unwrap();
                answer.extend(byte);
            }
            (held, String::from_utf8(answer).unwrap())
        };
        let (held, answer) = tokio::task::spawn_blocking(answered).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(bench.ask("GET / HTTP/1.1\r\n\r\n").await.contains("a proxy"));
        for _ in 0..2 {
            let request = format!("CONNECT here.example:{port} HTTP/1.1\r\n\r\n");
            let refused = bench.ask(&request).await;
            assert!(refused.starts_with("HTTP/1.1 429"), "{refused}");
        }
        assert_eq!(bench.decisions().len(), 3, "what is too much is a line once, and counted");
        assert_eq!(bench.proxy.record().requests, 4);
        drop(bench.serving.take());
        // Were the tunnel still there, there would be no end to read.
        let reading = move || std::io::read_to_string(held).unwrap();
        assert_eq!(tokio::task::spawn_blocking(reading).await.unwrap(), "");
    });
}
