//! Status requests.

use crate::credentials::Credentials;
use crate::endpoint::Endpoint;
use crate::error::NodeError;
use crate::frame::{self, Body, Frame};
use crate::link::{Link, Received, TlsConfigs, connect};
use crate::status::NodeStatus;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::time::{Duration, Instant};

/// How long to wait for an answer: a stopped process gives none.
const ANSWER_MAX: Duration = Duration::from_secs(1);

/// The name in the certificate of a status request, which is no node.
const ASKER: &str = "status";

/// Requests the status of the node that listens at an endpoint.
///
/// # Errors
/// If the connection is refused, or there is no answer within a second.
pub fn ask_status(endpoint: &Endpoint) -> Result<NodeStatus, NodeError> {
    ask_status_with(endpoint, None)
}

/// Requests the status of a node, with credentials for an encrypted endpoint.
///
/// # Errors
/// If the connection is refused, or there is no answer within a second; if the certificates are not valid.
pub fn ask_status_with(
    endpoint: &Endpoint,
    tls: Option<&Credentials>,
) -> Result<NodeStatus, NodeError> {
    let tls = tls.map(|tls| TlsConfigs::read(tls, ASKER)).transpose();
    let tls = tls.map_err(|problem| NodeError::Options { problem })?;
    let unanswered = |reason| NodeError::Unanswered { endpoint: endpoint.clone(), reason };
    let link = connect(endpoint, tls.as_ref());
    let answer = link.and_then(|mut link| ask(&mut *link));
    let answer = answer.map_err(|error| unanswered(error.to_string()))?;
    match frame::decode(&answer).map(|frame| frame.body) {
        Ok(Body::Answer(bytes)) => {
            NodeStatus::from_bytes(bytes).map_err(|error| unanswered(error.to_string()))
        }
        Ok(Body::Refused(reason)) => Err(unanswered(reason.to_owned())),
        Ok(_) => Err(unanswered("invalid answer".to_owned())),
        Err(error) => Err(unanswered(error.to_string())),
    }
}

fn ask(link: &mut dyn Link) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    frame::encode(&Frame { sequence: 0, acknowledgment: 0, body: Body::Ask }, &mut bytes);
    link.send(&bytes)?;
    let end = Instant::now() + ANSWER_MAX;
    loop {
        link.flush()?;
        match link.receive(&mut bytes)? {
            Received::Frame => return Ok(bytes),
            Received::Closed => return Err(io::ErrorKind::UnexpectedEof.into()),
            Received::Nothing => {}
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            let silent = "no answer; the process may be stopped";
            return Err(io::Error::new(io::ErrorKind::TimedOut, silent));
        }
        let out = if link.wants_write() { PollFlags::OUT } else { PollFlags::empty() };
        let left = Timespec::try_from(left).expect("at most a second");
        poll(&mut [PollFd::from_borrowed_fd(link.as_fd(), PollFlags::IN | out)], Some(&left))?;
    }
}
