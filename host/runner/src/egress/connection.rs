//! A connection to a target: its name is looked up once, and the address that was checked is the one that is used.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::allow_list::{AllowList, Host, Target};

/// How long a name is looked up, and how long an address is tried.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many addresses of a name are tried.
const MOST_ADDRESSES: usize = 4;

/// Looks names up.
pub(super) type Resolver =
    Box<dyn Fn(String, u16) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> + Send + Sync>;

/// The resolver of this machine.
pub(super) fn resolver() -> Resolver {
    Box::new(|name, port| {
        Box::pin(async move { Ok(tokio::net::lookup_host((name, port)).await?.collect()) })
    })
}

/// Why there is no connection.
#[derive(Debug)]
pub(super) enum Failure {
    /// The name leads nowhere where it may.
    Refused(String),
    /// There is nobody, or nobody answers.
    Failed(String),
}

/// Connects to a target that is listed.
pub(super) async fn connect(
    target: &Target,
    list: &AllowList,
    resolve: &Resolver,
) -> Result<(TcpStream, SocketAddr), Failure> {
    let addresses = match &target.host {
        Host::Address(address) => vec![SocketAddr::new(*address, target.port)],
        Host::Name(name) => match timeout(PATIENCE, resolve(name.clone(), target.port)).await {
            Ok(Ok(addresses)) => addresses,
            Ok(Err(error)) => {
                return Err(Failure::Failed(format!("the name could not be looked up: {error}")));
            }
            Err(_) => return Err(Failure::Failed("looking the name up took too long".to_owned())),
        },
    };
    let (allowed, refused): (Vec<SocketAddr>, Vec<SocketAddr>) =
        addresses.into_iter().partition(|address| list.permits_address(target, address.ip()));
    if allowed.is_empty() {
        return Err(match refused.first() {
            Some(address) => Failure::Refused(format!(
                "the name leads to {}, which is not on the public internet",
                address.ip()
            )),
            None => Failure::Failed("the name has no address".to_owned()),
        });
    }
    let mut failure = String::new();
    for address in allowed.into_iter().take(MOST_ADDRESSES) {
        match timeout(PATIENCE, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                // Requests are small, and their answers are waited for.
                let _ = stream.set_nodelay(true);
                return Ok((stream, address));
            }
            Ok(Err(error)) => failure = format!("{address}: {error}"),
            Err(_) => failure = format!("{address} does not answer"),
        }
    }
    Err(Failure::Failed(failure))
}
