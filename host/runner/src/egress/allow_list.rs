//! Which hosts and ports may be asked for, and to which addresses their names may lead.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use hyper::Uri;
use ipnet::IpNet;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::address;

/// The port where none is written.
const USUAL_PORT: u16 = 443;

/// The longest name that the domain name system has.
const LONGEST_NAME: usize = 253;

/// A line of an allow-list: `api.example.org`, `api.example.org:8443`, `*.example.org`, `*`, `192.0.2.7:443`, `[2001:db8::7]:443`.
/// Without a port it is 443.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    hosts: Hosts,
    port: u16,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Hosts {
    /// This host.
    One(Host),
    /// All names below this one, at any depth, without it.
    Below(String),
    /// All names; addresses have to be listed one by one.
    AnyName,
}

/// A host, as it is listed and as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    /// A name in small letters, without a dot at the end.
    Name(String),
    /// An address.
    Address(IpAddr),
}

impl Host {
    /// Reads a host. A name has to look like one to every resolver: `127.1` and `0x7f000001` are addresses to some.
    fn parse(text: &str) -> Result<Host, String> {
        let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        if let Ok(address) = bare.unwrap_or(text).parse::<IpAddr>() {
            return Ok(Host::Address(address.to_canonical()));
        }
        let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
        let wrong = |why: &str| Err(format!("`{}` is no host: {why}", text.escape_debug()));
        if name.is_empty() || name.len() > LONGEST_NAME {
            return wrong("a name has between 1 and 253 characters");
        }
        if !name.is_ascii() {
            return wrong("write a name with other letters in its form for machines, `xn--…`");
        }
        let simple =
            |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
        if !name.split('.').all(|label| !label.is_empty() && label.chars().all(simple)) {
            return wrong("a name is made of letters, digits and hyphens, with dots between");
        }
        let last = name.rsplit('.').next().unwrap_or_default();
        let is_number = last.chars().all(|character| character.is_ascii_digit())
            || last
                .strip_prefix("0x")
                .is_some_and(|rest| rest.chars().all(|character| character.is_ascii_hexdigit()));
        if is_number {
            return wrong("write an address with its four numbers");
        }
        Ok(Host::Name(name))
    }
}

impl fmt::Display for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Host::Name(name) => formatter.write_str(name),
            Host::Address(IpAddr::V4(address)) => address.fmt(formatter),
            Host::Address(IpAddr::V6(address)) => write!(formatter, "[{address}]"),
        }
    }
}

impl FromStr for Destination {
    type Err = String;

    fn from_str(text: &str) -> Result<Destination, String> {
        if text.contains('/') {
            return Err(format!(
                "`{}` is more than a host: write its name alone, without `https://` and without a path, and a port behind a \
                 colon where it is not 443",
                text.escape_debug()
            ));
        }
        // The colons of an address of version 6 stand in brackets, before the port's.
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => {
                let port = port.parse().ok().filter(|port| *port != 0);
                (
                    host,
                    port.ok_or_else(|| {
                        format!(
                            "`{}` has no port after the colon, which would be a number from 1 to 65535",
                            text.escape_debug()
                        )
                    })?,
                )
            }
            _ => (text, USUAL_PORT),
        };
        let hosts = match (host, host.strip_prefix("*.")) {
            ("*", _) => Hosts::AnyName,
            (_, Some(parent)) => match Host::parse(parent)? {
                Host::Name(parent) => Hosts::Below(parent),
                Host::Address(_) => return Err(format!("`{text}`: nothing is below an address")),
            },
            (host, None) => Hosts::One(Host::parse(host)?),
        };
        Ok(Destination { hosts, port })
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.hosts {
            Hosts::One(host) => host.fmt(formatter)?,
            Hosts::Below(parent) => write!(formatter, "*.{parent}")?,
            Hosts::AnyName => formatter.write_str("*")?,
        }
        write!(formatter, ":{}", self.port)
    }
}

impl Serialize for Destination {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Destination {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Destination, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl Destination {
    fn covers(&self, target: &Target) -> bool {
        let host = match (&self.hosts, &target.host) {
            (Hosts::One(listed), asked) => listed == asked,
            (Hosts::Below(parent), Host::Name(name)) => {
                name.strip_suffix(parent.as_str()).is_some_and(|rest| rest.ends_with('.'))
            }
            (Hosts::AnyName, Host::Name(_)) => true,
            (Hosts::Below(_) | Hosts::AnyName, Host::Address(_)) => false,
        };
        host && self.port == target.port
    }
}

/// What a request asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) host: Host,
    pub(crate) port: u16,
}

impl Target {
    /// The target of a request through a proxy: `CONNECT host:port`, or another method with a whole address.
    pub(super) fn of(uri: &Uri, is_connect: bool) -> Result<Target, String> {
        let Some(authority) = uri.authority() else {
            return Err("this is a proxy: ask it for whole addresses, or to CONNECT".to_owned());
        };
        let usual_port = match (is_connect, uri.scheme_str()) {
            (true, _) => None,
            (false, Some("http")) => Some(80),
            (false, _) => return Err("anything else than http goes through CONNECT".to_owned()),
        };
        if authority.as_str().contains('@') {
            return Err("an address with a user in it is not understood".to_owned());
        }
        let port = match authority.port() {
            Some(port) => port.as_str().parse().ok(),
            None => usual_port,
        };
        let port = port.filter(|port| *port != 0).ok_or("there is no port")?;
        Ok(Target { host: Host::parse(authority.host())?, port })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.host, self.port)
    }
}

/// What may be reached.
#[derive(Clone, Debug)]
pub(crate) struct AllowList {
    pub(crate) destinations: Vec<Destination>,
    /// Networks that are not public, and to which listed names may lead all the same.
    pub(crate) private_networks: Vec<IpNet>,
}

impl AllowList {
    /// Whether a target is listed.
    pub(super) fn permits(&self, target: &Target) -> bool {
        self.destinations.iter().any(|destination| destination.covers(target))
    }

    /// Whether a target that is listed may be reached at this address. Who lists an address means it; a name is somebody
    /// else's, and may lead anywhere.
    pub(super) fn permits_address(&self, target: &Target, address: IpAddr) -> bool {
        let address = address.to_canonical();
        match target.host {
            Host::Address(listed) => listed == address,
            Host::Name(_) => {
                address::is_public(address)
                    || self.private_networks.iter().any(|network| network.contains(&address))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(destinations: &[&str], private: &[&str]) -> AllowList {
        AllowList {
            destinations: destinations.iter().map(|text| text.parse().unwrap()).collect(),
            private_networks: private.iter().map(|text| text.parse().unwrap()).collect(),
        }
    }

    fn connect(text: &str) -> Result<Target, String> {
        Target::of(&text.parse().unwrap(), true)
    }

    #[test]
    fn a_host_and_its_port_have_to_be_listed() {
        let list = list(
            &["api.example.org", "*.example.com:8443", "192.0.2.7:80", "[2001:db8::7]:443"],
            &[],
        );
        for (asked, expected) in [
            ("api.example.org:443", true),
            ("API.Example.ORG.:443", true),
            ("api.example.org:80", false),
            ("api.example.org:8443", false),
            ("example.org:443", false),
            ("evil-api.example.org:443", false),
            ("api.example.org.evil.net:443", false),
            ("a.example.com:8443", true),
            ("a.b.example.com:8443", true),
            ("example.com:8443", false),
            ("notexample.com:8443", false),
            ("192.0.2.7:80", true),
            ("192.0.2.8:80", false),
            ("[2001:db8::7]:443", true),
            ("[2001:DB8:0:0::7]:443", true),
            ("[::ffff:192.0.2.7]:80", true),
        ] {
            assert_eq!(list.permits(&connect(asked).unwrap()), expected, "{asked}");
        }
    }

    #[test]
    fn a_star_is_every_name_and_no_address() {
        let list = list(&["*"], &[]);
        assert!(list.permits(&connect("anything.example.org:443").unwrap()));
        assert!(!list.permits(&connect("192.0.2.7:443").unwrap()));
    }

    #[test]
    fn names_lead_to_public_addresses_unless_a_network_is_listed() {
        let name = connect("api.example.org:443").unwrap();
        let narrow = list(&["api.example.org", "127.0.0.1:443"], &[]);
        let wide = list(&["api.example.org"], &["10.0.0.0/8"]);
        for (address, in_narrow, in_wide) in [
            ("8.8.8.8", true, true),
            ("10.1.2.3", false, true),
            ("::ffff:10.1.2.3", false, true),
            ("127.0.0.1", false, false),
            ("169.254.169.254", false, false),
        ] {
            let address = address.parse().unwrap();
            assert_eq!(narrow.permits_address(&name, address), in_narrow, "{address}");
            assert_eq!(wide.permits_address(&name, address), in_wide, "{address}");
        }
        let listed = connect("127.0.0.1:443").unwrap();
        assert!(narrow.permits_address(&listed, "127.0.0.1".parse().unwrap()));
        assert!(!narrow.permits_address(&listed, "127.0.0.2".parse().unwrap()));
    }

    #[test]
    fn what_some_resolver_takes_for_an_address_is_refused() {
        for asked in ["2130706433:443", "127.1:443", "0x7f000001:443", "0177.0.0.1:443", "a.1:443"]
        {
            assert!(connect(asked).is_err(), "{asked}");
        }
    }

    #[test]
    fn targets_are_those_of_proxies() {
        let of = |text: &str| Target::of(&text.parse().unwrap(), false);
        assert_eq!(of("http://Example.org/a").unwrap().to_string(), "example.org:80");
        assert_eq!(of("http://example.org:81/a").unwrap().to_string(), "example.org:81");
        for (text, part) in [
            ("/a", "a proxy"),
            ("https://example.org/", "CONNECT"),
            ("http://user@example.org/", "a user"),
            ("http://example.org:0/", "no port"),
        ] {
            assert!(of(text).unwrap_err().contains(part), "{text}");
        }
        assert!(connect("example.org").unwrap_err().contains("no port"));
    }

    #[test]
    fn lines_are_written_as_they_are_read() {
        for (text, written) in [
            ("Example.org", "example.org:443"),
            ("*.example.org:80", "*.example.org:80"),
            ("*", "*:443"),
            ("[::1]:1", "[::1]:1"),
            ("[::1]", "[::1]:443"),
        ] {
            assert_eq!(text.parse::<Destination>().unwrap().to_string(), written);
        }
        for wrong in [
            "",
            ":443",
            "a:",
            "a:0",
            "a:70000",
            "a b",
            "*.",
            "a.*.org",
            "*.127.0.0.1",
            "http://a",
            "müller.example",
            "a..b",
            "127.1",
        ] {
            assert!(wrong.parse::<Destination>().is_err(), "{wrong}");
        }
    }
}
