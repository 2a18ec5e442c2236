//! Pins: which component grades which competition, whatever lies elsewhere.
//!
//! ```toml
//! [pins]
//! spaceship-titanic = "sha256:0f…"
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::competition_id;
use crate::definition::explain;
use crate::digest::Digest;

/// What the file begins with, for people.
const HEAD: &str = "\
# Which component of this store grades which competition, whatever lies elsewhere.
# Written by `podium grader pin` and `podium grader unpin`.
";

/// Which components are pinned for which competitions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pins(BTreeMap<String, Digest>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PinsFile {
    #[serde(default)]
    pins: BTreeMap<String, String>,
}

impl Pins {
    /// The component that a competition is pinned to.
    pub fn get(&self, competition: &str) -> Option<&Digest> {
        self.0.get(competition)
    }

    /// The competitions that are pinned to a component, sorted.
    pub fn competitions_of(&self, sha256: &Digest) -> Vec<String> {
        let pinned = self.0.iter().filter(|(_, pinned)| *pinned == sha256);
        pinned.map(|(competition, _)| competition.clone()).collect()
    }

    /// All pins, by competition.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Digest)> {
        self.0.iter().map(|(competition, sha256)| (competition.as_str(), sha256))
    }

    /// Pins; gives what was pinned before.
    pub(super) fn set(&mut self, competition: &str, sha256: Digest) -> Option<Digest> {
        self.0.insert(competition.to_owned(), sha256)
    }

    /// Ends a pin; gives what was pinned.
    pub(super) fn remove(&mut self, competition: &str) -> Option<Digest> {
        self.0.remove(competition)
    }

    /// Parses `pins.toml`.
    ///
    /// # Errors
    /// The line or the competition, and what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Pins, String> {
        let file: PinsFile = toml::from_str(text).map_err(|error| explain(&error, text))?;
        let mut pins = BTreeMap::new();
        for (competition, sha256) in file.pins {
            competition_id::check(&competition)?;
            let sha256 = Digest::parse_prefixed(&sha256)
                .map_err(|problem| format!("`{competition}`: {problem}"))?;
            pins.insert(competition, sha256);
        }
        Ok(Pins(pins))
    }

    /// The text of `pins.toml`.
    pub(super) fn to_text(&self) -> String {
        // Ids are letters, digits and hyphens, which TOML takes for keys as they are.
        let lines = self.0.iter().map(|(id, sha256)| format!("{id} = \"{}\"\n", sha256.prefixed()));
        format!("{HEAD}\n[pins]\n{}", lines.collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_survive_their_file() {
        let mut pins = Pins::default();
        assert_eq!(Pins::parse(&pins.to_text()), Ok(Pins::default()));
        assert_eq!(Pins::parse(""), Ok(Pins::default()));
        let (seal, other) = (Digest::of(b"seal"), Digest::of(b"other"));
        assert_eq!(pins.set("seals", other), None);
        assert_eq!(pins.set("seals", seal), Some(other));
        pins.set("2048", seal);
        pins.set("AI4Code", other);
        assert_eq!(Pins::parse(&pins.to_text()), Ok(pins.clone()));
        assert_eq!(pins.competitions_of(&seal), ["2048", "seals"]);
        assert_eq!((pins.remove("seals"), pins.remove("seals")), (Some(seal), None));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("pins = 3", "line 1"),
            ("[pins]\nseals = 3", "line 2"),
            ("[pins]\nseals = \"sha256:12\"", "`seals`: not a SHA-256 digest"),
            ("[pins]\n\"../seals\" = \"\"", "letters, digits and hyphens"),
            ("[pin]\n", "unknown key `pin`"),
            ("[pins]\na = \"x\"\na = \"y\"", "line 3"),
        ] {
            let message = Pins::parse(text).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
