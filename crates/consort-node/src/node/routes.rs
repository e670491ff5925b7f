//! How the other nodes are reached.

use crate::endpoint::Endpoint;
use crate::link::{self, Faults, Hub, Link, SimulatedLink, TlsConfigs};
use std::collections::BTreeMap;
use std::io;

/// How the other nodes are reached.
pub(crate) struct Routes {
    pub(crate) me: String,
    pub(crate) endpoints: BTreeMap<String, Endpoint>,
    pub(crate) hub: Option<Hub>,
    pub(crate) tls: Option<TlsConfigs>,
    pub(crate) faults: Option<Faults>,
}

impl Routes {
    /// Connects to another node; the `count`th attempt.
    pub(crate) fn dial(&self, name: &str, count: u32) -> io::Result<Box<dyn Link>> {
        self.connect(name).map(|link| self.disturbed(link, name, count))
    }

    fn connect(&self, name: &str) -> io::Result<Box<dyn Link>> {
        match (self.endpoints.get(name), &self.hub) {
            (Some(endpoint), _) => link::connect(endpoint, self.tls.as_ref()),
            (None, Some(hub)) => hub.connect(name),
            (None, None) => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Whether a node that does not answer may be stopped: the kernel accepts connections for a stopped process. A node
    /// that this one connects to would be connected then, except over Zenoh, which needs an answer.
    pub(crate) fn may_be_stopped(&self, name: &str, is_dialed: bool) -> bool {
        match self.endpoints.get(name) {
            Some(Endpoint::Zenoh(locator)) => link::accepts(locator),
            _ => !is_dialed && self.connect(name).is_ok(),
        }
    }

    /// A link with the faults that were asked for.
    pub(crate) fn disturbed(&self, link: Box<dyn Link>, to: &str, count: u32) -> Box<dyn Link> {
        let Some(faults) = &self.faults else { return link };
        let which = format!("{}>{to}#{count}", self.me);
        Box::new(SimulatedLink::new(link, faults, &which))
    }
}
