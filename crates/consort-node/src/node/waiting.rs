//! Waiting: for what, for how long, and how it is reported.

use super::status_board::OpenWait;
use super::{Node, deliver};
use crate::error::NodeError;
use crate::status::{FlowStatus, Need};
use consort_core::{LongWait, NodeId, Tag};
use consort_federation::flow::{FlowId, FlowSide};
use std::time::{Duration, Instant};

/// A shorter wait is not reported.
const MOMENT: Duration = Duration::from_millis(20);
/// How long to sleep at most before the links are checked again.
const ROUND: Duration = Duration::from_secs(1);
/// How old the published status may be while the node works.
const STALE: Duration = Duration::from_millis(100);
/// How long a failing node waits until the others have received its failure.
pub(super) const LINGER: Duration = Duration::from_secs(1);

/// How long a node that is done still acknowledges repeated frames, on links that lose frames.
pub(super) const ECHO: Duration = Duration::from_millis(200);

/// What a node waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Want {
    pub(super) node: NodeId,
    pub(super) flow: Option<FlowId>,
    pub(super) tag: Option<Tag>,
    pub(super) what: Need,
}

impl Want {
    pub(super) fn message(flow: FlowId, tag: Tag, node: NodeId) -> Self {
        Want { node, flow: Some(flow), tag: Some(tag), what: Need::Message }
    }

    pub(super) fn room(flow: FlowId, node: NodeId) -> Self {
        Want { node, flow: Some(flow), tag: None, what: Need::Room }
    }
}

impl Node {
    /// Sends and receives until something came, or for a while.
    pub(super) fn wait(&mut self, want: Want) -> Result<(), NodeError> {
        self.check_left(want)?;
        let is_known = self.want.is_some_and(|(known, _)| known == want);
        if !is_known && self.pump(MOMENT)? {
            return Ok(());
        }
        if !is_known {
            self.want = Some((want, Instant::now()));
            self.long_wait = LongWait::default();
        }
        self.publish_wait();
        self.report_wait();
        self.pump(ROUND).map(|_| ())
    }

    /// Reports a long wait when it is due.
    fn report_wait(&mut self) {
        let (Some(listener), Some((_, since))) = (&self.listener, self.want) else { return };
        if self.long_wait.is_due(since.elapsed()) {
            self.board.status().waits.iter().for_each(|wait| listener.notify(wait));
        }
    }

    /// The wait is over.
    pub(super) fn end_wait(&mut self) {
        if self.want.take().is_some() {
            self.board.end_wait();
        }
    }

    /// A node that has sent its final message sends nothing more, and grants no more credit.
    fn check_left(&mut self, want: Want) -> Result<(), NodeError> {
        if !matches!(want.what, Need::Message | Need::Room) || want.node == self.me {
            return Ok(());
        }
        let at = self.mesh.at;
        let peer = self.mesh.peer(want.node);
        if peer.final_message.is_none() {
            return Ok(());
        }
        Err(NodeError::Left { node: peer.name.clone(), at })
    }

    fn pump(&mut self, wait: Duration) -> Result<bool, NodeError> {
        let now = Instant::now();
        if STALE <= now.duration_since(self.written) {
            self.publish_status(now);
        }
        let Node { mesh, machine, out, awaited, .. } = self;
        let came = mesh.pump(wait, &mut |from, body| deliver(machine, out, awaited, from, body))?;
        self.dispatch()?;
        if !self.awaited.is_empty() {
            self.compare(false)?;
        }
        Ok(came)
    }

    fn publish_wait(&mut self) {
        let Some((want, since)) = self.want else { return };
        let wait = OpenWait {
            node: self.topology.nodes[want.node.index()].clone(),
            flow: want.flow.map(|flow| self.topology.flows[flow.index()].name.clone()),
            tag: want.tag,
            what: want.what,
        };
        self.board.waits(wait, since);
        self.publish_status(Instant::now());
    }

    pub(super) fn publish_status(&mut self, now: Instant) {
        self.written = now;
        let flows = self.machine.records().map(|record| FlowStatus {
            flow: self.topology.flows[record.flow.index()].name.clone(),
            is_output: record.side == FlowSide::Source,
            count: record.count,
            next: record.next,
        });
        let mut flows: Vec<FlowStatus> = flows.collect();
        flows.sort_by(|one, other| (&one.flow, one.is_output).cmp(&(&other.flow, other.is_output)));
        self.board.write(self.mesh.peer_states(), flows);
    }
}
