//! Accuracy of `Transported` once more, for WASI: Podium's SDK, and beside it what the standard library makes of a
//! machine that is not there.

use std::collections::HashMap;
use std::io::Read;
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, fs, thread};

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct SpaceshipTitanic;

impl Grader for SpaceshipTitanic {
    const COMPETITION: &'static str = "spaceship-titanic";
    const METRIC: &'static str = "accuracy";
    const DIRECTION: Direction = Direction::HigherIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let score = families::accuracy::accuracy(submission, answers, "PassengerId", "Transported")?;
        let begin = Instant::now();
        thread::sleep(Duration::from_secs(3));
        let slept = begin.elapsed().as_secs_f64();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // The standard library seeds its hash maps with random numbers.
        let numbers: HashMap<u32, u32> = (0..8).map(|number| (number, number)).collect();
        let order = numbers.keys().fold(0.0, |order, &number| order * 8.0 + f64::from(number));
        let mut input = String::new();
        let has_ended = std::io::stdin().read_to_string(&mut input).is_ok();
        assert!(has_ended, "standard input cannot be read");
        println!("graded by Rust, {} rows", submission.len());
        eprintln!("order of a hash map: {:?}", numbers.keys().collect::<Vec<_>>());
        Ok(score
            .with("wall clock", now.as_secs_f64())
            .with("slept", slept)
            .with("order", order)
            .with("environment", env::vars().count() as f64)
            .with("files", f64::from(fs::read_dir("/").is_ok()))
            .with("standard input", input.len() as f64)
            .with("names", f64::from("localhost:80".to_socket_addrs().is_ok()))
            .with("network", f64::from(TcpStream::connect("127.0.0.1:80").is_ok())))
    }
}

podium_grader::export!(SpaceshipTitanic);
