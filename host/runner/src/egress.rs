//! What an agent reaches with `network = "allow-list"`: the hosts that the configuration lists, through a proxy of the runner.
//!
//! The container has no network. Podium's forwarder opens `localhost:3128` in it and relays to a Unix socket of the host,
//! where `Proxy` speaks HTTP as proxies do, for one run. A host is looked up here, its address is checked here, and the
//! connection goes to the very address that was checked, so that a name cannot lead to one place when it is checked and to
//! another when it is used. Every request is a line in `egress.jsonl`.

mod address;
mod allow_list;
mod connection;
mod log;
mod proxy;

pub(crate) use allow_list::AllowList;
pub use allow_list::Destination;
pub use log::EgressRecord;
pub(crate) use proxy::{Proxy, serve};

/// The port of the proxy in a container, as Podium's forwarder opens it.
pub(crate) const PORT: u16 = 3128;
