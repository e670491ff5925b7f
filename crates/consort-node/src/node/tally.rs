//! Both ends of a flow count and hash what it carries. The source sends its tally to the sinks at every save and at its
//! end; a sink compares when it has consumed as much. This detects changes before a frame was written or after it was
//! read, which the checksums of frames do not.

use super::Node;
use super::waiting::Want;
use crate::error::{FlowDifference, NodeError};
use crate::frame::{Body, Count, FlowTally};
use crate::status::Need;
use consort_core::NodeId;
use consort_federation::flow::{FlowError, FlowHash, FlowId, FlowNode, FlowRecord, FlowSide};

/// Tallies of sources that this node has not reached yet.
pub(super) type Awaited = Vec<Count>;

/// Keeps the tally of a source.
pub(super) fn keep(
    machine: &FlowNode<Vec<u8>>,
    from: NodeId,
    tally: FlowTally<'_>,
    awaited: &mut Awaited,
) -> Result<(), FlowError> {
    for count in tally.counts() {
        let flow = machine.topology().flows.get(count.flow.index());
        let is_ours = flow.is_some_and(|it| it.source == from && it.sinks.contains(&machine.me()));
        if !is_ours {
            return Err(FlowError::UnknownFlow { flow: count.flow.0 });
        }
        awaited.push(count);
    }
    Ok(())
}

impl Node {
    /// Sends to every sink what its flows have carried so far: at a save. A sink with another tally ends the run with
    /// [`NodeError::Differs`], as soon as it has consumed as much.
    pub fn tally(&mut self) {
        self.send_tallies(false);
        self.flush();
    }

    /// The last comparison: every flow is compared before the run counts as successful.
    pub(super) fn tally_last(&mut self) -> Result<(), NodeError> {
        self.send_tallies(true);
        let is_missing =
            |peer: &&super::peer::Peer| !peer.has_tallied && peer.final_message.is_none();
        while let Some(peer) = self.mesh.peers.iter().find(is_missing) {
            self.wait(Want { node: peer.node, flow: None, tag: None, what: Need::End })?;
        }
        self.compare(true)
    }

    pub(super) fn send_tallies(&mut self, is_last: bool) {
        let mut bytes = Vec::new();
        for peer in &mut self.mesh.peers {
            let goes_there = |record: &FlowRecord| {
                let flow = &self.topology.flows[record.flow.index()];
                record.side == FlowSide::Source && flow.sinks.contains(&peer.node)
            };
            let records = self.machine.records().filter(goes_there);
            FlowTally::write(records.map(Count::from), &mut bytes);
            let tally = FlowTally::read(0, &bytes).expect("it was written so");
            peer.session.push(Body::Tally { is_last, tally });
        }
    }

    /// Compares what has been reached here; at the end of all flows everything has.
    pub(super) fn compare(&mut self, is_end: bool) -> Result<(), NodeError> {
        let mut awaited = std::mem::take(&mut self.awaited);
        let mut different = None;
        awaited.retain(|sent| {
            let taken = self.taken(sent.flow);
            let is_reached = is_end || sent.count <= taken.count;
            if is_reached && taken != *sent {
                different.get_or_insert((*sent, taken));
            }
            !is_reached
        });
        self.awaited = awaited;
        different.map_or(Ok(()), |(sent, taken)| Err(self.differs(sent, taken)))
    }

    /// What was consumed of a flow.
    fn taken(&self, flow: FlowId) -> Count {
        let is_it = |record: &FlowRecord| record.flow == flow && record.side == FlowSide::Sink;
        let record = self.machine.records().find(is_it);
        record.map_or(Count { flow, count: 0, hash: FlowHash::default() }, Count::from)
    }

    fn differs(&self, sent: Count, taken: Count) -> NodeError {
        let flow = &self.topology.flows[sent.flow.index()];
        let nodes = &self.topology.nodes;
        let difference = FlowDifference {
            flow: flow.name.clone(),
            node: nodes[flow.source.index()].clone(),
            sink: nodes[self.me.index()].clone(),
            sent: (sent.count, sent.hash),
            taken: (taken.count, taken.hash),
        };
        NodeError::Differs { difference: Box::new(difference), at: self.mesh.at }
    }
}
