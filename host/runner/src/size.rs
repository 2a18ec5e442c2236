//! Sizes in bytes as people and Docker write them: `4G`, `512MiB`, `1000000`. As with Docker, `k`, `m`, `g` are powers of 1,024.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

impl Size {
    /// Reads a size.
    ///
    /// # Errors
    /// What sizes look like.
    pub fn parse(text: &str) -> Result<Size, String> {
        let wrong = || format!("`{text}` is no size: write 4G, 512MiB or a number of bytes");
        let lower = text.trim().to_ascii_lowercase();
        let end = lower.find(|character: char| !character.is_ascii_digit()).unwrap_or(lower.len());
        let number: u64 = lower[..end].parse().map_err(|_| wrong())?;
        let shift = match lower[end..].trim() {
            "" | "b" => 0,
            "k" | "kb" | "kib" => 10,
            "m" | "mb" | "mib" => 20,
            "g" | "gb" | "gib" => 30,
            "t" | "tb" | "tib" => 40,
            _ => return Err(wrong()),
        };
        // The engine counts in signed numbers.
        number
            .checked_mul(1 << shift)
            .filter(|bytes| i64::try_from(*bytes).is_ok())
            .map(Size)
            .ok_or_else(wrong)
    }

    /// The bytes as the engine counts them.
    pub(crate) fn signed(self) -> i64 {
        i64::try_from(self.0).unwrap_or(i64::MAX)
    }
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Size, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(u64),
            Text(String),
        }
        let text = match Written::deserialize(deserializer)? {
            Written::Number(number) => number.to_string(),
            Written::Text(text) => text,
        };
        Size::parse(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::Size;

    #[test]
    fn sizes_are_read_as_docker_reads_them() {
        for (text, bytes) in [
            ("4G", Some(4 << 30)),
            ("4g", Some(4 << 30)),
            ("512 MiB", Some(512 << 20)),
            ("1000", Some(1000)),
            ("2kb", Some(2048)),
            ("", None),
            ("G", None),
            ("-1", None),
            ("1.5G", None),
            ("99999999T", None),
        ] {
            assert_eq!(Size::parse(text).ok(), bytes.map(Size), "{text}");
        }
    }
}
