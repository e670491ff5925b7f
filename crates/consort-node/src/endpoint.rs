//! Where a node is reached, as it is written on a command line.

use std::fmt;
use std::net::ToSocketAddrs as _;
use std::path::PathBuf;
use std::str::FromStr;

/// Where a node listens, and how others get there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Endpoint {
    /// A socket in the file system, `unix:/path`: nodes on one machine.
    Unix(PathBuf),
    /// `tcp:host:port`.
    Tcp(String),
    /// `tls:host:port`: TCP, encrypted, both sides known by their certificates.
    Tls(String),
    /// `zenoh:tcp/host:port`: the locator of Zenoh's own follows the colon.
    Zenoh(String),
}

impl Endpoint {
    /// Whether it is reachable from other machines without encryption.
    pub fn is_exposed(&self) -> bool {
        match self {
            Endpoint::Unix(_) | Endpoint::Tls(_) => false,
            Endpoint::Tcp(address) => !is_loopback(address),
            Endpoint::Zenoh(locator) => match locator.split_once('/') {
                Some(("tls" | "unixsock-stream", _)) => false,
                Some((_, address)) => !is_loopback(address.split(['?', '#']).next().unwrap_or("")),
                None => true,
            },
        }
    }

    /// Whether Zenoh encrypts it. Without certificates of the user's it trusts the public authorities of the web.
    pub(crate) fn is_zenoh_tls(&self) -> bool {
        matches!(self, Endpoint::Zenoh(locator) if locator.starts_with("tls/"))
    }
}

/// A name that does not resolve is taken for one of another machine.
fn is_loopback(address: &str) -> bool {
    let Ok(found) = address.to_socket_addrs() else { return false };
    let mut found = found.map(|address| address.ip().to_canonical().is_loopback()).peekable();
    found.peek().is_some() && found.all(|is_loopback| is_loopback)
}

/// A text that is no endpoint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EndpointError {
    given: String,
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given = &self.given;
        write!(
            f,
            "`{given}` is no endpoint; write `unix:/path`, `tcp:host:port`, `tls:host:port` or `zenoh:tcp/host:port`"
        )
    }
}

impl std::error::Error for EndpointError {}

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, EndpointError> {
        let foreign = || EndpointError { given: text.to_owned() };
        let (kind, rest) = text.split_once(':').ok_or_else(foreign)?;
        match kind {
            "unix" if !rest.is_empty() => Ok(Endpoint::Unix(PathBuf::from(rest))),
            "tcp" if has_port(rest) => Ok(Endpoint::Tcp(rest.to_owned())),
            "tls" if has_port(rest) => Ok(Endpoint::Tls(rest.to_owned())),
            "zenoh" if rest.contains('/') => Ok(Endpoint::Zenoh(rest.to_owned())),
            _ => Err(foreign()),
        }
    }
}

fn has_port(text: &str) -> bool {
    let port = text.rsplit_once(':').filter(|(host, _)| !host.is_empty());
    port.is_some_and(|(_, port)| port.parse::<u16>().is_ok())
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Unix(path) => write!(f, "unix:{}", path.display()),
            Endpoint::Tcp(address) => write!(f, "tcp:{address}"),
            Endpoint::Tls(address) => write!(f, "tls:{address}"),
            Endpoint::Zenoh(locator) => write!(f, "zenoh:{locator}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_written_again() {
        for text in ["unix:/run/a", "tcp:localhost:4000", "tls:[::1]:1", "zenoh:tcp/10.0.0.1:7447"]
        {
            assert_eq!(text.parse::<Endpoint>().map(|it| it.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn what_is_no_endpoint_is_refused_with_the_forms_that_there_are() {
        for text in ["", "unix:", "tcp:host", "tcp::80", "tls:host:99999", "zenoh:host", "ftp:a:1"]
        {
            let refused = text.parse::<Endpoint>().expect_err(text);
            assert!(refused.to_string().contains("`tcp:host:port`"), "{refused}");
        }
    }

    #[test]
    fn what_others_can_reach_without_tls_is_known() {
        let cases = [
            ("unix:/run/a", false),
            ("tcp:127.0.0.1:1", false),
            ("tcp:localhost:1", false),
            ("tcp:[::1]:1", false),
            ("tcp:0.0.0.0:1", true),
            ("tcp:[::]:1", true),
            ("tcp:192.0.2.1:1", true),
            ("tcp:no-such-host.invalid:1", true),
            ("tls:0.0.0.0:1", false),
            ("zenoh:tcp/127.0.0.1:7447?rel=1", false),
            ("zenoh:tcp/192.0.2.1:7447", true),
            ("zenoh:tls/192.0.2.1:7447", false),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse::<Endpoint>().unwrap().is_exposed(), expected, "{text}");
        }
    }
}
