//! Frames over TLS: encrypted, and both sides show a certificate of an authority that both trust, for the name
//! of their node.

use super::stream::{Outbox, ReceiveBuffer};
use super::{Link, Received};
use crate::certificates::{Identity, no_dns_name};
use crate::credentials::Credentials;
use crate::frame::WireError;
use crate::private_file::in_file;
use rustls::client::verify_server_name;
use rustls::pki_types::{CertificateDer, DnsName, ServerName};
use rustls::server::{ParsedCertificate, WebPkiClientVerifier};
use rustls::{
    ClientConfig, ClientConnection, Connection, RootCertStore, ServerConfig, ServerConnection,
};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a record may stay incomplete while bytes arrive. A record has 16 KiB at most.
const UNFINISHED_MAX: Duration = Duration::from_secs(3);

/// What both ends of an encrypted link need, made once.
#[derive(Clone)]
pub(crate) struct TlsConfigs {
    client: Arc<ClientConfig>,
    server: Arc<ServerConfig>,
    /// The name in all certificates, if hosts do not matter.
    server_name: Option<&'static str>,
    #[cfg(feature = "zenoh")]
    pub(crate) credentials: Credentials,
}

impl TlsConfigs {
    /// Those of `node`; the text says which file is wrong, and how.
    pub(crate) fn read(credentials: &Credentials, node: &str) -> Result<Self, String> {
        let (authorities, own) = match credentials {
            Credentials::Files(files) => (&files.authorities, &files.certificate),
            Credentials::Secret(path) => (path, path),
        };
        let identity = Identity::read(credentials, node)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = RootCertStore::empty();
        for authority in identity.authorities {
            roots.add(authority).map_err(|error| in_file(authorities, &error))?;
        }
        let roots = Arc::new(roots);
        let (chain, key) = (identity.chain, identity.key);
        let verifier = WebPkiClientVerifier::builder_with_provider(roots.clone(), provider.clone())
            .build()
            .map_err(|error| in_file(authorities, &error))?;
        let server = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain.clone(), key.clone_key())
            .map_err(|error| in_file(own, &error))?;
        let client = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(roots)
            .with_client_auth_cert(chain, key)
            .map_err(|error| in_file(own, &error))?;
        Ok(TlsConfigs {
            client: Arc::new(client),
            server: Arc::new(server),
            server_name: identity.server_name,
            #[cfg(feature = "zenoh")]
            credentials: credentials.clone(),
        })
    }
}

#[cfg(feature = "zenoh")]
impl TlsConfigs {
    /// The files, for Zenoh, which has TLS of its own.
    pub(crate) fn files(&self) -> io::Result<&crate::credentials::TlsFiles> {
        match &self.credentials {
            Credentials::Files(files) => Ok(files),
            Credentials::Secret(_) => {
                let reason = "Zenoh takes certificates, not a secret: use a `tls` endpoint";
                Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
            }
        }
    }
}

/// A link over TLS.
pub(crate) struct TlsLink {
    stream: TcpStream,
    connection: Connection,
    inbox: ReceiveBuffer,
    outbox: Outbox,
    /// Since when a record has been incomplete.
    unfinished: Option<Instant>,
}

impl TlsLink {
    /// The side that connects.
    pub(crate) fn client(stream: TcpStream, host: &str, configs: &TlsConfigs) -> io::Result<Self> {
        let name = configs.server_name.unwrap_or(host).to_owned();
        let name = ServerName::try_from(name).map_err(io::Error::other)?;
        let connection = ClientConnection::new(configs.client.clone(), name);
        TlsLink::new(stream, connection.map_err(io::Error::other)?.into())
    }

    /// The side that listens.
    pub(crate) fn server(stream: TcpStream, configs: &TlsConfigs) -> io::Result<Self> {
        let connection = ServerConnection::new(configs.server.clone());
        TlsLink::new(stream, connection.map_err(io::Error::other)?.into())
    }

    fn new(stream: TcpStream, connection: Connection) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(TlsLink {
            stream,
            connection,
            inbox: ReceiveBuffer::default(),
            outbox: Outbox::default(),
            unfinished: None,
        })
    }

    fn write_records(&mut self) -> io::Result<()> {
        while self.connection.wants_write() {
            match self.connection.write_tls(&mut self.stream) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads what has arrived, and answers the TLS handshake.
    fn read_records(&mut self) -> io::Result<bool> {
        match self.connection.read_tls(&mut self.stream) {
            Ok(0) => return Ok(false),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(true),
            Err(error) => return Err(error),
        }
        let state = self.connection.process_new_packets();
        // An alert with the reason is sent before the link is dropped.
        let written = self.flush();
        let came = state.map_err(readable)?.plaintext_bytes_to_read();
        self.check_record(0 < came)?;
        written.map(|()| true)
    }

    /// The length of a record is read before it is authenticated: if it was changed in transit, the record would stay
    /// incomplete while heartbeats arrive. While nothing arrives the other side may be stopped.
    fn check_record(&mut self, has_come: bool) -> io::Result<()> {
        if has_come || self.connection.is_handshaking() {
            self.unfinished = None;
            return Ok(());
        }
        let since = *self.unfinished.get_or_insert_with(Instant::now);
        let is_lost = UNFINISHED_MAX < since.elapsed();
        if is_lost { Err(io::Error::other(WireError::Unfinished)) } else { Ok(()) }
    }
}

impl Link for TlsLink {
    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        self.outbox.put(frame);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_records()?;
        // What is written before the handshake is done would be buffered without a limit.
        while !self.connection.is_handshaking() && !self.outbox.bytes.is_empty() {
            let mut writer = self.connection.writer();
            self.outbox.drain(|bytes| match writer.write(bytes)? {
                0 => Err(io::ErrorKind::WouldBlock.into()),
                count => Ok(count),
            })?;
            self.write_records()?;
            if self.connection.wants_write() {
                break;
            }
        }
        Ok(())
    }

    fn wants_write(&self) -> bool {
        let has_more = !self.outbox.bytes.is_empty() && !self.connection.is_handshaking();
        self.connection.wants_write() || has_more
    }

    fn receive(&mut self, into: &mut Vec<u8>) -> io::Result<Received> {
        // Buffered frames are taken first: the decrypted buffer has a limit.
        if self.inbox.take(into)? {
            return Ok(Received::Frame);
        }
        let is_open = self.read_records()?;
        let connection = &mut self.connection;
        let received = self.inbox.receive(into, |room| connection.reader().read(room));
        match received {
            Ok(Received::Nothing) if !is_open => Ok(Received::Closed),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(Received::Closed),
            received => received,
        }
    }

    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    fn is_reliable(&self) -> bool {
        true
    }

    fn limit(&mut self, frame_max: usize) {
        self.inbox.frame_max = frame_max;
    }

    fn check_name(&self, node: &str) -> Result<(), String> {
        let shown = self.connection.peer_certificates().and_then(<[_]>::first);
        check_certificate(shown.ok_or("it has no certificate")?, node)
    }
}

/// Messages for the usual failures; those of the library for the others.
fn readable(error: rustls::Error) -> io::Error {
    use rustls::{AlertDescription as Alert, CertificateError as Certificate, Error};
    let message = match error {
        Error::InvalidCertificate(Certificate::UnknownIssuer) => {
            "certificate not trusted: it has another secret or another authority (`--tls-ca`)"
        }
        Error::AlertReceived(Alert::UnknownCA) => {
            "our certificate was not trusted: it has another secret or another authority (`--tls-ca`)"
        }
        Error::InvalidMessage(_) => "no TLS, or the data was damaged",
        error => return io::Error::other(error),
    };
    io::Error::other(message)
}

/// Whether a certificate is for a node: its name is one of the DNS names.
fn check_certificate(certificate: &CertificateDer<'_>, node: &str) -> Result<(), String> {
    let name = DnsName::try_from(node).map_err(|_| no_dns_name(node))?;
    let parsed = ParsedCertificate::try_from(certificate).map_err(|error| error.to_string())?;
    let verified = verify_server_name(&parsed, &ServerName::DnsName(name));
    verified.map_err(|_| {
        format!(
            "the certificate is not for node `{node}`: add `{node}` to its DNS names (subject alternative names)"
        )
    })
}
