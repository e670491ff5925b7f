//! Frames over a stream socket: Unix, TCP, or a pair of sockets within one process.

use super::{Link, Received, TlsConfigs, TlsLink};
use crate::endpoint::Endpoint;
use crate::frame::{self, FRAME_MAX, WireError};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socketpair,
};
use socket2::{Domain, SockRef, Socket, TcpKeepalive, Type};
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::time::Duration;

/// How much is read at a time, and about how much is written.
const CHUNK: usize = 64 << 10;
/// How long one attempt to connect may take.
const CONNECT_MAX: Duration = Duration::from_secs(2);
/// How many connections may wait to be accepted: unknown programs must not keep a node out.
const BACKLOG: i32 = 1024;
/// The kernel detects a lost host after about this long; it never takes a stopped process for one.
const KEEPALIVE: Duration = Duration::from_secs(10);

/// Frames over a stream socket. What is sent leaves with one write per flush.
#[derive(Debug)]
pub struct StreamLink {
    socket: OwnedFd,
    inbox: ReceiveBuffer,
    outbox: Outbox,
}

impl StreamLink {
    /// Frames over a connected stream socket.
    pub fn new(socket: OwnedFd) -> Self {
        StreamLink { socket, inbox: ReceiveBuffer::default(), outbox: Outbox::default() }
    }
}

impl Link for StreamLink {
    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        self.outbox.put(frame);
        if CHUNK <= self.outbox.bytes.len() { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let socket = &self.socket;
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        self.outbox.drain(|bytes| Ok(send(socket, bytes, flags)?))
    }

    fn wants_write(&self) -> bool {
        !self.outbox.bytes.is_empty()
    }

    fn receive(&mut self, into: &mut Vec<u8>) -> io::Result<Received> {
        let socket = &self.socket;
        self.inbox.receive(into, |room| Ok(recv(socket, room, RecvFlags::DONTWAIT)?.0))
    }

    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    fn is_reliable(&self) -> bool {
        true
    }

    fn limit(&mut self, frame_max: usize) {
        self.inbox.frame_max = frame_max;
    }
}

/// Bytes on their way out.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    pub(super) bytes: Vec<u8>,
    written: usize,
}

impl Outbox {
    pub(super) fn put(&mut self, frame: &[u8]) {
        self.bytes.extend_from_slice(frame);
    }

    /// Writes until everything is written or the transport takes no more.
    pub(super) fn drain(
        &mut self,
        mut write: impl FnMut(&[u8]) -> io::Result<usize>,
    ) -> io::Result<()> {
        while self.written < self.bytes.len() {
            match write(&self.bytes[self.written..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => self.written += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.bytes.clear();
        self.written = 0;
        Ok(())
    }
}

/// Bytes that came, cut into frames.
#[derive(Debug)]
pub(super) struct ReceiveBuffer {
    /// Longer frames are refused.
    pub(super) frame_max: usize,
    /// Room; `start..end` of it was read and not taken yet.
    room: Vec<u8>,
    start: usize,
    end: usize,
    /// The last read left room: there was no more, another one would find nothing.
    is_drained: bool,
}

impl Default for ReceiveBuffer {
    fn default() -> Self {
        ReceiveBuffer {
            frame_max: FRAME_MAX,
            room: Vec::new(),
            start: 0,
            end: 0,
            is_drained: false,
        }
    }
}

impl ReceiveBuffer {
    pub(super) fn receive(
        &mut self,
        into: &mut Vec<u8>,
        mut read: impl FnMut(&mut [u8]) -> io::Result<usize>,
    ) -> io::Result<Received> {
        loop {
            if self.take(into)? {
                return Ok(Received::Frame);
            }
            if std::mem::take(&mut self.is_drained) {
                return Ok(Received::Nothing);
            }
            self.make_room();
            match read(&mut self.room[self.end..]) {
                Ok(0) => return Ok(Received::Closed),
                Ok(count) => {
                    self.end += count;
                    self.is_drained = self.end < self.room.len();
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Ok(Received::Nothing);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The next frame, if all of it is here; it replaces `into`.
    pub(super) fn take(&mut self, into: &mut Vec<u8>) -> io::Result<bool> {
        let bytes = &self.room[self.start..self.end];
        let length = frame::length(bytes).map_err(io::Error::other)?;
        if let Some(length) = length.filter(|length| self.frame_max < *length) {
            let most = self.frame_max;
            return Err(io::Error::other(WireError::TooLong { length, most }));
        }
        let Some(frame) = length.and_then(|length| bytes.get(..length)) else { return Ok(false) };
        into.clear();
        into.extend_from_slice(frame);
        self.start += frame.len();
        Ok(true)
    }

    /// Moves what is left to the front; doubles the buffer if it is full, so that it grows with what was received
    /// and not with the length in a header.
    fn make_room(&mut self) {
        self.room.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end == self.room.len() {
            self.room.resize((2 * self.room.len()).max(CHUNK), 0);
        }
    }
}

/// Two ends of a link within one process.
///
/// # Errors
/// If there are no descriptors left.
pub fn pair() -> io::Result<(StreamLink, StreamLink)> {
    let flags = SocketFlags::CLOEXEC;
    let (one, other) = socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    Ok((StreamLink::new(one), StreamLink::new(other)))
}

/// Connects to an endpoint.
pub(crate) fn connect(endpoint: &Endpoint, tls: Option<&TlsConfigs>) -> io::Result<Box<dyn Link>> {
    match endpoint {
        Endpoint::Unix(path) => Ok(Box::new(StreamLink::new(UnixStream::connect(path)?.into()))),
        Endpoint::Tcp(address) => Ok(Box::new(StreamLink::new(tcp(address)?.into()))),
        Endpoint::Tls(address) => {
            let host = address.rsplit_once(':').map_or(address.as_str(), |(host, _)| host);
            let host = host.trim_start_matches('[').trim_end_matches(']');
            Ok(Box::new(TlsLink::client(tcp(address)?, host, needed(tls)?)?))
        }
        #[cfg(feature = "zenoh")]
        Endpoint::Zenoh(locator) => {
            let files = tls.map(TlsConfigs::files).transpose()?;
            Ok(Box::new(super::ZenohLink::connect(locator, files, CONNECT_MAX)?))
        }
        #[cfg(not(feature = "zenoh"))]
        Endpoint::Zenoh(_) => Err(without_zenoh()),
    }
}

#[cfg(not(feature = "zenoh"))]
fn without_zenoh() -> io::Error {
    let reason = "this consort was built without the feature `zenoh`";
    io::Error::new(io::ErrorKind::Unsupported, reason)
}

fn needed(tls: Option<&TlsConfigs>) -> io::Result<&TlsConfigs> {
    let missing =
        "a `tls` endpoint needs a secret (`--secret`) or certificates (`--tls-certificate`)";
    tls.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, missing))
}

/// Whether connections are accepted at a locator of Zenoh, like `tcp/127.0.0.1:7447`.
pub(crate) fn accepts(locator: &str) -> bool {
    let address = locator.split_once('/').map_or("", |(_, address)| address);
    let address = address.split(['?', '#']).next().unwrap_or_default();
    tcp(address).is_ok()
}

fn tcp(address: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_MAX) {
            Ok(stream) => return tuned(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Sends small messages at once, and detects lost hosts.
fn tuned(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    let keepalive = TcpKeepalive::new().with_time(KEEPALIVE).with_interval(KEEPALIVE / 4);
    SockRef::from(&stream).set_tcp_keepalive(&keepalive)?;
    Ok(stream)
}

/// Where others connect to.
pub(crate) enum Listener {
    Unix {
        listener: UnixListener,
        path: PathBuf,
    },
    Tcp(TcpListener),
    Tls(TcpListener, TlsConfigs),
    #[cfg(feature = "zenoh")]
    Zenoh(Box<super::ZenohListener>),
}

/// Listens at an endpoint.
pub(crate) fn listen(endpoint: &Endpoint, tls: Option<&TlsConfigs>) -> io::Result<Listener> {
    match endpoint {
        Endpoint::Unix(path) => {
            // A socket that refuses connections was left by a killed node.
            if UnixStream::connect(path)
                .is_err_and(|e| e.kind() == io::ErrorKind::ConnectionRefused)
            {
                std::fs::remove_file(path)?;
            }
            let listener = UnixListener::bind(path)?;
            listener.set_nonblocking(true)?;
            Ok(Listener::Unix { listener, path: path.clone() })
        }
        Endpoint::Tcp(address) => Ok(Listener::Tcp(bound(address)?)),
        Endpoint::Tls(address) => Ok(Listener::Tls(bound(address)?, needed(tls)?.clone())),
        #[cfg(feature = "zenoh")]
        Endpoint::Zenoh(locator) => {
            let files = tls.map(TlsConfigs::files).transpose()?;
            Ok(Listener::Zenoh(Box::new(super::ZenohListener::open(locator, files)?)))
        }
        #[cfg(not(feature = "zenoh"))]
        Endpoint::Zenoh(_) => Err(without_zenoh()),
    }
}

fn bound(address: &str) -> io::Result<TcpListener> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in address.to_socket_addrs()? {
        match bind(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// The other side of a connection, as far as it is known before its first frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Caller {
    /// Its address; none if it is on this machine or behind Zenoh.
    pub(crate) address: Option<IpAddr>,
    /// It must show a certificate of our authority before its first frame.
    is_certified: bool,
}

impl Caller {
    /// A program on this machine.
    pub(crate) const LOCAL: Caller = Caller { address: None, is_certified: false };

    fn at(address: SocketAddr, is_certified: bool) -> Self {
        let address = Some(address.ip().to_canonical()).filter(|it| !it.is_loopback());
        Caller { address, is_certified }
    }

    /// Whether it is trusted: it is on this machine, or it has a certificate.
    pub(crate) fn is_trusted(&self) -> bool {
        self.address.is_none() || self.is_certified
    }
}

impl Listener {
    /// The next connection that waits; none if none does.
    pub(crate) fn accept(&self) -> io::Result<Option<(Box<dyn Link>, Caller)>> {
        let accepted: io::Result<(Box<dyn Link>, Caller)> = match self {
            Listener::Unix { listener, .. } => listener
                .accept()
                .map(|(stream, _)| (Box::new(StreamLink::new(stream.into())) as _, Caller::LOCAL)),
            Listener::Tcp(listener) => listener.accept().and_then(|(stream, address)| {
                let link = StreamLink::new(tuned(stream)?.into());
                Ok((Box::new(link) as _, Caller::at(address, false)))
            }),
            Listener::Tls(listener, tls) => listener.accept().and_then(|(stream, address)| {
                let link = TlsLink::server(tuned(stream)?, tls)?;
                Ok((Box::new(link) as _, Caller::at(address, true)))
            }),
            #[cfg(feature = "zenoh")]
            Listener::Zenoh(listener) => {
                let link = listener.accept()?.map(|link| Box::new(link) as Box<dyn Link>);
                return Ok(link.map(|link| (link, Caller::LOCAL)));
            }
        };
        match accepted {
            Ok(link) => Ok(Some(link)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Listener::Unix { listener, .. } => listener.as_fd(),
            Listener::Tcp(listener) | Listener::Tls(listener, _) => listener.as_fd(),
            #[cfg(feature = "zenoh")]
            Listener::Zenoh(listener) => listener.as_fd(),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Listener::Unix { path, .. } = self {
            // An error means that it was removed already.
            drop(std::fs::remove_file(path));
        }
    }
}
