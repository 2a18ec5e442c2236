//! The contract as this host speaks it: the bindings made from `wit/`, and which versions can be loaded.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bindings of version 1.0.0. The imports are linked by hand in the sandbox; the exports are called through these.
pub(crate) mod v1 {
    #![allow(unreachable_pub, missing_docs)]

    wasmtime::component::bindgen!({
        path: "../../wit/1.0.0",
        world: "competition",
        with: { "podium:grading/files.file": crate::sandbox::OpenFile },
        require_store_data_send: true,
        exports: { default: async },
    });
}

/// The package that contracts are published under.
pub(crate) const PACKAGE: &str = "podium:grading";

/// The interface that a grader exports.
pub(crate) const GRADER_INTERFACE: &str = "podium:grading/grader";

/// The custom section that holds the version of the contract as text, at any depth of the component.
pub(crate) const VERSION_SECTION: &str = "podium:contract";

/// The newest version of the contract that this host speaks. It loads what was built for any version with the same
/// major number that is not newer.
pub const CONTRACT_VERSION: ContractVersion = ContractVersion { major: 1, minor: 0, patch: 0 };

/// A version of the contract: `1.0.0`. Serialised as that text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContractVersion {
    /// Changes when components built for another major version cannot be loaded.
    pub major: u32,
    /// Changes when there is something new that a component may use.
    pub minor: u32,
    /// Changes when something was put right.
    pub patch: u32,
}

/// Text that is not three numbers with dots between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a version: expected three numbers as in 1.0.0")]
pub struct NotAVersion;

impl ContractVersion {
    /// Whether this host loads components built for this version.
    pub fn is_spoken(&self) -> bool {
        self.fits(CONTRACT_VERSION)
    }

    /// Whether a host that speaks `host` has all that a component built for this version may import. That holds for no
    /// older minor version: what was added since may be what the component needs.
    fn fits(&self, host: ContractVersion) -> bool {
        self.major == host.major && self.minor <= host.minor
    }
}

impl fmt::Display for ContractVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl FromStr for ContractVersion {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<ContractVersion, NotAVersion> {
        let number = |part: &str| {
            // A sign would parse as part of a number, but is none here.
            let digits = part.bytes().all(|byte| byte.is_ascii_digit());
            part.parse().ok().filter(|_| digits).ok_or(NotAVersion)
        };
        let [major, minor, patch] = text.split('.').collect::<Vec<_>>()[..] else {
            return Err(NotAVersion);
        };
        Ok(ContractVersion { major: number(major)?, minor: number(minor)?, patch: number(patch)? })
    }
}

impl Serialize for ContractVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ContractVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ContractVersion, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_three_numbers() {
        assert_eq!("1.0.0".parse(), Ok(CONTRACT_VERSION));
        assert_eq!("2.10.3".parse(), Ok(ContractVersion { major: 2, minor: 10, patch: 3 }));
        for text in
            ["", "1", "1.0", "1.0.0.0", "1.0.x", "+1.0.0", "1..0", "1.0.0\n", "1.0.4294967296"]
        {
            assert_eq!(text.parse::<ContractVersion>(), Err(NotAVersion), "{text:?}");
        }
    }

    #[test]
    fn what_is_newer_or_of_another_major_version_is_not_spoken() {
        for (text, spoken) in
            [("1.0.0", true), ("1.0.7", true), ("1.1.0", false), ("2.0.0", false), ("0.9.0", false)]
        {
            assert_eq!(text.parse::<ContractVersion>().unwrap().is_spoken(), spoken, "{text}");
        }
        let host = ContractVersion { major: 1, minor: 4, patch: 2 };
        for (text, fits) in [("1.4.9", true), ("1.0.0", true), ("1.5.0", false), ("2.0.0", false)] {
            assert_eq!(text.parse::<ContractVersion>().unwrap().fits(host), fits, "{text}");
        }
    }
}
