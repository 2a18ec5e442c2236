//! The proxy behind the socket: HTTP as proxies speak it, tunnels, limits.

use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{join, select};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::{Frame, Incoming};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, Uri, client, server};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinHandle;

use super::allow_list::{AllowList, Target};
use super::connection::{self, Failure, Resolver};
use super::log::{Decision, EgressRecord, Log, Ongoing};
use crate::error::Error;
use crate::socket;

/// How many connections of a run are open at once; more wait.
const CONNECTIONS: usize = 128;

/// The socket's name in its folder. Podium's forwarder opens its port where it finds it.
const SOCKET: &str = "egress.sock";

/// Headers that concern one connection alone, and those between an agent and its proxy.
const OF_ONE_CONNECTION: [HeaderName; 9] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

type Body = UnsyncBoxBody<Bytes, hyper::Error>;

/// The proxy of a run.
pub(crate) struct Proxy {
    list: AllowList,
    log: Arc<Log>,
    resolve: Resolver,
    connections: Arc<Semaphore>,
}

/// A proxy that serves. It, and all tunnels through it, end when this is dropped.
pub(crate) struct Serving(
    JoinHandle<()>,
    #[expect(dead_code, reason = "is dropped")] watch::Sender<()>,
);

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Serves on the socket in the exchange folder, in the place of one that was left behind.
///
/// # Errors
/// A folder in which there can be no socket.
pub(crate) fn serve(proxy: &Arc<Proxy>, exchange: &Path) -> Result<Serving, Error> {
    let listener = socket::listen(&exchange.join("socket"), SOCKET)?;
    let proxy = Arc::clone(proxy);
    let (running, ended) = watch::channel(());
    let task = tokio::spawn(async move {
        loop {
            let Ok(place) = Arc::clone(&proxy.connections).acquire_owned().await else { break };
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let (proxy, ended) = (Arc::clone(&proxy), ended.clone());
            tokio::spawn(async move { proxy.serve_one(stream, ended, place).await });
        }
    });
    Ok(Serving(task, running))
}

impl Proxy {
    /// A proxy for the run in this folder, with at most so many requests.
    pub(crate) fn new(list: AllowList, most_requests: u64, run_folder: &Path) -> Proxy {
        Proxy {
            list,
            log: Arc::new(Log::open(run_folder, most_requests)),
            resolve: connection::resolver(),
            connections: Arc::new(Semaphore::new(CONNECTIONS)),
        }
    }

    /// What was asked so far.
    pub(crate) fn record(&self) -> EgressRecord {
        self.log.record()
    }

    /// Answers on a connection that was carried here, until it ends or has become a tunnel, which ends with `ended`.
    pub(crate) async fn serve_connection(
        self: &Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        ended: watch::Receiver<()>,
    ) {
        if let Ok(place) = Arc::clone(&self.connections).acquire_owned().await {
            self.serve_one(stream, ended, place).await;
        }
    }

    async fn serve_one(
        self: &Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        mut ended: watch::Receiver<()>,
        place: OwnedSemaphorePermit,
    ) {
        let place = Arc::new(place);
        let held = Arc::clone(&place);
        let (answering, tunnel_ended) = (Arc::clone(self), ended.clone());
        let service = service_fn(move |request| {
            let (proxy, ended) = (Arc::clone(&answering), tunnel_ended.clone());
            // A tunnel goes on after its connection has become one, and still has the connection's place.
            let place = Arc::clone(&place);
            async move { Ok::<_, Infallible>(proxy.answer(request, ended, place).await) }
        });
        let connection = server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(Duration::from_secs(30))
            .keep_alive(false)
            .half_close(true)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        select(pin!(connection), pin!(ended.changed())).await;
        drop(held);
    }

    async fn answer<P: Send + 'static>(
        self: Arc<Self>,
        request: Request<Incoming>,
        mut ended: watch::Receiver<()>,
        place: P,
    ) -> Response<Body> {
        let is_connect = request.method() == Method::CONNECT;
        let method = request.method().as_str().chars().take(20).collect::<String>();
        let refuse = |status, target: Option<&Target>, why: &str| {
            self.log.decide(&method, target, &Decision::Refused(why));
            refused(status, why)
        };
        if !self.log.has_room() {
            return refuse(
                StatusCode::TOO_MANY_REQUESTS,
                None,
                "this run has made all its requests",
            );
        }
        let target = match Target::of(request.uri(), is_connect) {
            Ok(target) => target,
            Err(why) => return refuse(StatusCode::BAD_REQUEST, None, &why),
        };
        if !self.list.permits(&target) {
            let why = format!("{target} is not on the list of what this run may reach");
            return refuse(StatusCode::FORBIDDEN, Some(&target), &why);
        }
        let (stream, address) = match connection::connect(&target, &self.list, &self.resolve).await
        {
            Ok(connected) => connected,
            Err(Failure::Refused(why)) => {
                return refuse(StatusCode::FORBIDDEN, Some(&target), &why);
            }
            Err(Failure::Failed(why)) => {
                self.log.decide(&method, Some(&target), &Decision::Failed(&why));
                return refused(StatusCode::BAD_GATEWAY, &why);
            }
        };
        let number = self.log.decide(&method, Some(&target), &Decision::Connected(address));
        let ongoing = Ongoing::new(Arc::clone(&self.log), number);
        if !is_connect {
            return match forward(request, stream, ongoing).await {
                Ok(response) => response,
                Err(error) => refused(StatusCode::BAD_GATEWAY, &error.to_string()),
            };
        }
        tokio::spawn(async move {
            let _place = place;
            let Ok(upgraded) = hyper::upgrade::on(request).await else { return };
            let tunnel = tunnel(TokioIo::new(upgraded), stream, &ongoing);
            select(pin!(tunnel), pin!(ended.changed())).await;
        });
        Response::new(Empty::new().map_err(|never| match never {}).boxed_unsync())
    }
}

/// A reply of the proxy's own.
fn refused(status: StatusCode, why: &str) -> Response<Body> {
    let text = Full::new(Bytes::from(format!("podium: {why}\n")));
    let mut response = Response::new(text.map_err(|never| match never {}).boxed_unsync());
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

/// Sends a request on, and gives the reply as it comes. A redirect is a reply as any other: where it leads is asked for by
/// the agent, and checked like everything else.
async fn forward(
    request: Request<Incoming>,
    stream: TcpStream,
    ongoing: Ongoing,
) -> Result<Response<Body>, hyper::Error> {
    let ongoing = Arc::new(ongoing);
    let (mut parts, body) = request.into_parts();
    let authority = parts.uri.authority().map(|authority| authority.as_str().to_owned());
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    parts.uri = path.parse().unwrap_or_else(|_| Uri::from_static("/"));
    drop_headers_of_the_connection(&mut parts.headers);
    parts.headers.remove(header::EXPECT);
    // The host that was checked is the one that is asked, whatever the agent's header says.
    if let Some(host) = authority.and_then(|authority| HeaderValue::from_str(&authority).ok()) {
        parts.headers.insert(header::HOST, host);
    }
    parts.headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    let out = Arc::clone(&ongoing);
    let body = body.map_frame(move |frame: Frame<Bytes>| {
        out.sent(frame.data_ref().map_or(0, Bytes::len));
        frame
    });
    let (mut sender, connection) = client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let (mut parts, body) =
        sender.send_request(Request::from_parts(parts, body)).await?.into_parts();
    drop_headers_of_the_connection(&mut parts.headers);
    // The request is over when this body is.
    let body = body.map_frame(move |frame: Frame<Bytes>| {
        ongoing.received(frame.data_ref().map_or(0, Bytes::len));
        frame
    });
    Ok(Response::from_parts(parts, body.boxed_unsync()))
}

/// Takes out what concerns one connection alone, and what `Connection` says to be so.
fn drop_headers_of_the_connection(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    if headers.contains_key(header::TRANSFER_ENCODING) {
        // Of two lengths this is the one that does not count.
        headers.remove(header::CONTENT_LENGTH);
    }
    for name in OF_ONE_CONNECTION.into_iter().chain(named) {
        headers.remove(name);
    }
}

/// Carries bytes both ways until both sides have ended.
async fn tunnel(
    agent: impl AsyncRead + AsyncWrite,
    server: impl AsyncRead + AsyncWrite,
    ongoing: &Ongoing,
) {
    let (from_agent, to_agent) = tokio::io::split(agent);
    let (from_server, to_server) = tokio::io::split(server);
    join(
        carry(from_agent, to_server, |count| ongoing.sent(count)),
        carry(from_server, to_agent, |count| ongoing.received(count)),
    )
    .await;
}

/// Carries bytes one way until it ends, and says so to the other side.
async fn carry(from: impl AsyncRead, to: impl AsyncWrite, carried: impl Fn(usize)) {
    let (mut from, mut to) = (pin!(from), pin!(to));
    let mut buffer = vec![0; 16 << 10];
    let _: io::Result<()> = async {
        loop {
            let count = from.read(&mut buffer).await?;
            if count == 0 {
                return Ok(());
            }
            to.write_all(&buffer[..count]).await?;
            carried(count);
        }
    }
    .await;
    let _ = to.shutdown().await;
}

#[cfg(test)]
mod tests;
