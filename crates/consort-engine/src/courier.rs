//! Runs that are spread over nodes: what carries values between them.

use consort_core::{NodeId, Tag, Time};
use consort_system::Projection;
use std::fmt;
use std::sync::Arc;

/// The part of a run that one node carries out.
pub struct Part {
    /// The plan, cut into nodes.
    pub projection: Arc<Projection>,
    /// Which of them this is.
    pub node: NodeId,
    /// Carries values to and from the other nodes.
    pub courier: Box<dyn Courier>,
}

/// Carries values between the parts of a run that is spread over nodes. Every call may block; none may
/// change a value, lose one, or bring one twice.
pub trait Courier: Send {
    /// The run begins (`None`), or continues after everything up to and including this time was done, but
    /// for `advance` at it.
    ///
    /// # Errors
    /// If another node does not come along.
    fn begin(&mut self, after: Option<Time>) -> Result<(), CourierError>;

    /// Hands over what crosses from here at this exchange; `crossing` is an index into
    /// [`Projection::crossings`].
    ///
    /// # Errors
    /// If another node is gone.
    fn send(&mut self, crossing: usize, time: Time, payload: &[u8]) -> Result<(), CourierError>;

    /// Waits for what crosses to here; the payload replaces what is in `into`.
    ///
    /// # Errors
    /// If another node is gone.
    fn receive(
        &mut self,
        crossing: usize,
        time: Time,
        into: &mut Vec<u8>,
    ) -> Result<(), CourierError>;

    /// The run was saved here: what crossed so far is to be what others have sent.
    fn saved(&mut self) {}

    /// Every tag up to this one is done: for those who ask where the run is.
    fn reached(&mut self, _tag: Tag) {}
}

/// Why values did not come, or were not what they should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CourierError {
    /// The name of the other node.
    pub node: String,
    /// The reason of its failure.
    pub reason: String,
    /// The last tag up to which everything is done everywhere, if that is known.
    pub at: Option<Tag>,
}

impl fmt::Display for CourierError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node `{}`: {}", self.node, self.reason)
    }
}

impl std::error::Error for CourierError {}
