//! Splits of the benchmark: which competitions an aggregate is over.

use std::path::Path;

use podium::{Complexity, read_file};

use crate::benchmark::Benchmark;
use crate::error::Error;
use crate::shown::shown_name;

/// The thirty competitions that OpenAI's system cards report on, as the reference lists them.
const SYSTEM_CARD: &str = include_str!("split/systemcard.txt");

/// No file of a split is larger.
const MOST_BYTES: u64 = 16 << 20;

/// The competitions that an aggregate is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The name, or the path of the file.
    pub name: String,
    /// The ids, sorted, each once; there is at least one.
    pub competitions: Vec<String>,
}

impl Split {
    /// The names that are known, for messages.
    pub const NAMES: &'static str =
        "low (or lite), medium, high, split75 (or all), dev (or development), systemcard";

    /// Finds a split by its name, by the id of a single competition, or in a file with an id a line.
    ///
    /// # Errors
    /// A name that is not known; a file that cannot be read, or names no competition or one that is not known.
    pub fn resolve(text: &str, benchmark: &Benchmark) -> Result<Split, Error> {
        let by = |wanted: &dyn Fn(Complexity) -> bool| {
            let competitions = benchmark.competitions();
            competitions
                .filter(|(_, facts)| facts.complexity.is_some_and(wanted))
                .map(|(id, _)| id.to_owned())
                .collect()
        };
        let competitions = match text {
            "low" | "lite" => by(&|complexity| complexity == Complexity::Low),
            "medium" => by(&|complexity| complexity == Complexity::Medium),
            "high" => by(&|complexity| complexity == Complexity::High),
            "dev" | "development" => by(&|complexity| complexity == Complexity::Development),
            "split75" | "all" | "all75" => by(&|complexity| complexity != Complexity::Development),
            "systemcard" => ids(SYSTEM_CARD),
            id if benchmark.get(id).is_some() => vec![id.to_owned()],
            file if file.contains(['/', '\\', '.']) => {
                let bytes = read_file(Path::new(file), MOST_BYTES)?;
                let text = std::str::from_utf8(&bytes)
                    .map_err(|_| Error::file(Path::new(file), "it is not UTF-8 text"))?;
                let ids = ids(text.trim_start_matches('\u{feff}'));
                // One that is misspelt would be missing from every seed, and count as failed where those are padded.
                if let Some(unknown) = ids.iter().find(|id| benchmark.get(id).is_none()) {
                    let unknown = shown_name(unknown);
                    let what =
                        format!("there is no competition `{unknown}`; `podium list` shows all");
                    return Err(Error::file(Path::new(file), what));
                }
                ids
            }
            _ => {
                return Err(Error::Asked(format!(
                    "there is no split `{}`: give one of {}, a competition's id, or the path of a file with an id a \
                     line (./ids.txt)",
                    shown_name(text),
                    Split::NAMES
                )));
            }
        };
        if competitions.is_empty() {
            return Err(Error::Nothing(format!(
                "the split `{}` has no competition",
                shown_name(text)
            )));
        }
        Ok(Split { name: text.to_owned(), competitions })
    }
}

/// The ids of a text with one a line, sorted, each once.
fn ids(text: &str) -> Vec<String> {
    let mut ids: Vec<String> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect();
    ids.sort();
    ids.dedup();
    ids
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::tests::benchmark;

    #[test]
    fn splits_follow_from_complexities_or_from_files() {
        use Complexity::{Development, High, Low, Medium};
        let known = benchmark(&[Low, Medium, High, Development, Low]);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mine.txt");
        std::fs::write(&file, "e\n\n# a remark\nb\r\ne\n").unwrap();
        for (name, expected) in [
            ("low", "a e"),
            ("lite", "a e"),
            ("medium", "b"),
            ("high", "c"),
            ("dev", "d"),
            ("all", "a b c e"),
            ("split75", "a b c e"),
            ("c", "c"),
            (file.to_str().unwrap(), "b e"),
        ] {
            let split = Split::resolve(name, &known).unwrap();
            assert_eq!(split.competitions.join(" "), expected, "{name}");
        }
        assert_eq!(Split::resolve("systemcard", &known).unwrap().competitions.len(), 30);
        std::fs::write(&file, "\n").unwrap();
        for (name, part) in [
            ("hihg", "there is no split `hihg`"),
            ("./none.txt", "cannot be read"),
            (file.to_str().unwrap(), "has no competition"),
        ] {
            let message = Split::resolve(name, &known).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
        std::fs::write(&file, "\u{feff}b\nbb\n").unwrap();
        let message = Split::resolve(file.to_str().unwrap(), &known).unwrap_err().to_string();
        assert!(message.contains("there is no competition `bb`"), "{message}");
    }
}
