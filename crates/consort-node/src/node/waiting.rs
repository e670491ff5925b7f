//! Waiting: what for, for how long, and that others can see it.

use super::board::Lack;
use super::{Node, deliver};
use crate::error::NodeError;
use crate::status::{FlowStatus, Need};
use consort_core::{LongWait, NodeId, Tag};
use consort_federation::flow::{FlowId, Role};
use std::time::{Duration, Instant};

/// What takes no longer than this is not worth telling.
const MOMENT: Duration = Duration::from_millis(20);
/// How long to sleep at most before the lines are looked after again.
const ROUND: Duration = Duration::from_secs(1);
/// How old what is on the board may be while the node works.
const STALE: Duration = Duration::from_millis(100);
/// How long a node that fails waits for the others to hear it.
pub(super) const LINGER: Duration = Duration::from_secs(1);

/// How long a node that is done answers those who did not hear that it has received everything; on links
/// that lose frames.
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
        self.tell_waiting();
        self.report_wait();
        self.pump(ROUND).map(|_| ())
    }

    /// Reports a long wait when it is due.
    fn report_wait(&mut self) {
        let (Some(listener), Some((_, since))) = (&self.listener, self.want) else { return };
        if self.long_wait.is_due(since.elapsed()) {
            self.board.status().waits.iter().for_each(|wait| listener.tell(wait));
        }
    }

    /// The machine goes on: nobody waits any more.
    pub(super) fn goes_on(&mut self) {
        if self.want.take().is_some() {
            self.board.goes_on();
        }
    }

    /// Who has said its last words sends nothing more, and grants no more room than it has granted.
    fn check_left(&mut self, want: Want) -> Result<(), NodeError> {
        if !matches!(want.what, Need::Message | Need::Room) || want.node == self.me {
            return Ok(());
        }
        let at = self.mesh.at;
        let peer = self.mesh.peer(want.node);
        if peer.words.is_none() {
            return Ok(());
        }
        Err(NodeError::Left { node: peer.name.clone(), at })
    }

    fn pump(&mut self, wait: Duration) -> Result<bool, NodeError> {
        let now = Instant::now();
        if STALE <= now.duration_since(self.written) {
            self.write_board(now);
        }
        let Node { mesh, machine, out, awaited, .. } = self;
        let came = mesh.pump(wait, &mut |from, body| deliver(machine, out, awaited, from, body))?;
        self.dispatch()?;
        if !self.awaited.is_empty() {
            self.compare(false)?;
        }
        Ok(came)
    }

    fn tell_waiting(&mut self) {
        let Some((want, since)) = self.want else { return };
        let lack = Lack {
            node: self.topology.nodes[want.node.index()].clone(),
            flow: want.flow.map(|flow| self.topology.flows[flow.index()].name.clone()),
            tag: want.tag,
            what: want.what,
        };
        self.board.waits(lack, since);
        self.write_board(Instant::now());
    }

    pub(super) fn write_board(&mut self, now: Instant) {
        self.written = now;
        let flows = self.machine.records().map(|record| FlowStatus {
            flow: self.topology.flows[record.flow.index()].name.clone(),
            is_output: record.role == Role::Source,
            count: record.count,
            next: record.next,
        });
        let mut flows: Vec<FlowStatus> = flows.collect();
        flows.sort_by(|one, other| (&one.flow, one.is_output).cmp(&(&other.flow, other.is_output)));
        self.board.write(self.mesh.told(), flows);
    }
}
