//! Values that cross between the nodes of a run: handed to the courier, and waited for, right before
//! the exchange that moves them on.
//!
//! A value that comes from elsewhere is put into the place of its source, as if its component were
//! here; the exchange then copies, converts and extrapolates it as always.

mod payload;

use super::Interpreter;
use crate::clock::Clock;
use crate::courier::{Courier, CourierError, Part};
use crate::error::RunError;
use crate::program::crossing::{Cargo, CrossStage};
use crate::store::Bank;
use consort_core::NodeId;
use consort_system::Projection;
use std::sync::Arc;

/// What a node knows of the others.
pub(crate) struct Link {
    projection: Arc<Projection>,
    node: NodeId,
    courier: Box<dyn Courier>,
    buffer: Vec<u8>,
    mode: CrossingMode,
}

/// Whether values cross just now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CrossingMode {
    /// All values cross.
    Open,
    /// The tag is gone through again: what came holds, and nothing is waited for.
    Closed,
    /// Instances are only made ready to be restored: nothing is moved on that comes from elsewhere.
    Muted,
}

impl Link {
    pub(crate) fn new(part: Part) -> Box<Self> {
        let Part { projection, node, courier } = part;
        Box::new(Link { projection, node, courier, buffer: Vec::new(), mode: CrossingMode::Open })
    }

    /// The plan, cut into nodes, and which of them this is.
    pub(crate) fn cut(&self) -> (&Projection, NodeId) {
        (&self.projection, self.node)
    }

    /// Everything is sent that others may wait for before anything is waited for.
    fn cross(
        &mut self,
        stage: &CrossStage,
        clock: &Clock,
        shared: &mut Bank,
    ) -> Result<(), CourierError> {
        let is_due = |cargo: &&Cargo| clock.hands_over(cargo.rate, cargo.is_delayed);
        for cargo in stage.sends.iter().filter(is_due) {
            payload::pack(shared, &cargo.slots, &mut self.buffer);
            self.courier.send(cargo.crossing, clock.time(), &self.buffer)?;
        }
        for cargo in stage.receives.iter().filter(is_due) {
            self.courier.receive(cargo.crossing, clock.time(), &mut self.buffer)?;
            self.unpack(cargo, shared)?;
        }
        Ok(())
    }

    fn unpack(&self, cargo: &Cargo, shared: &mut Bank) -> Result<(), CourierError> {
        let put = payload::unpack(&self.buffer, &cargo.slots, shared);
        put.map_err(|what| {
            let crossing = &self.projection.crossings[cargo.crossing];
            let node = self.projection.placement.name(crossing.from).to_owned();
            let reason = format!("what it sent for `{}` {what}", crossing.name);
            CourierError { node, reason, at: None }
        })
    }
}

impl Interpreter {
    /// The run begins, here and elsewhere.
    pub(crate) fn begin_together(&mut self) -> Result<(), RunError> {
        let Some(link) = &mut self.link else { return Ok(()) };
        if link.mode == CrossingMode::Muted {
            return Ok(());
        }
        let tag = self.clock.tag();
        link.courier.begin(None).map_err(|error| RunError::Courier { tag, error })
    }

    /// The run continues from its present tag, here and elsewhere.
    pub(crate) fn continue_together(&mut self) -> Result<(), RunError> {
        let Some(link) = &mut self.link else { return Ok(()) };
        link.mode = CrossingMode::Closed;
        let tag = self.clock.tag();
        link.courier.begin(Some(tag.time)).map_err(|error| RunError::Courier { tag, error })
    }

    /// Nothing crosses until the run continues from elsewhere.
    pub(crate) fn mute(&mut self) {
        if let Some(link) = &mut self.link {
            link.mode = CrossingMode::Muted;
        }
    }

    /// Whether values cross to other nodes from now on, or the last ones hold.
    #[inline]
    pub(crate) fn enable_crossings(&mut self, is_open: bool) {
        if let Some(link) = self.link.as_mut().filter(|link| link.mode != CrossingMode::Muted) {
            link.mode = if is_open { CrossingMode::Open } else { CrossingMode::Closed };
        }
    }

    /// Everything up to the present tag is done; the other nodes may know.
    pub(crate) fn reached(&mut self) {
        self.clock.mark_done();
        if let Some(link) = self.link.as_mut().filter(|link| link.mode != CrossingMode::Muted) {
            link.courier.reached(self.clock.tag());
        }
    }

    /// The run is saved here; the other nodes may know.
    pub(crate) fn report_saved(&mut self) {
        if let Some(link) = self.link.as_mut().filter(|link| link.mode != CrossingMode::Muted) {
            link.courier.saved();
        }
    }

    pub(crate) fn cross(&mut self, stage: &CrossStage) -> Result<(), RunError> {
        let link = self.link.as_mut().expect("only parts of a run are compiled with crossings");
        let result = match link.mode {
            CrossingMode::Open => link.cross(stage, &self.clock, &mut self.program.shared),
            CrossingMode::Closed | CrossingMode::Muted => Ok(()),
        };
        let is_moved = link.mode != CrossingMode::Muted;
        result.map_err(|error| RunError::Courier { tag: self.clock.tag(), error })?;
        if is_moved {
            self.exchange(&stage.exchange);
        }
        Ok(())
    }
}
