//! The flows of each node, looked up once.

use crate::flow::{FlowId, Topology};
use consort_core::NodeId;

/// What each node receives and emits, in the order of flows.
pub(super) struct Ports {
    inputs: Vec<Vec<FlowId>>,
    outputs: Vec<Vec<FlowId>>,
}

impl Ports {
    /// The ports of all nodes.
    pub(super) fn new(topology: &Topology) -> Self {
        let mut inputs = vec![Vec::new(); topology.nodes.len()];
        let mut outputs = inputs.clone();
        for (index, flow) in topology.flows.iter().enumerate() {
            let id = FlowId::from_index(index);
            outputs[flow.source.index()].push(id);
            flow.sinks.iter().for_each(|sink| inputs[sink.index()].push(id));
        }
        Ports { inputs, outputs }
    }

    /// The flows that a node receives.
    pub(super) fn inputs(&self, node: NodeId) -> &[FlowId] {
        &self.inputs[node.index()]
    }

    /// The flows that a node emits.
    pub(super) fn outputs(&self, node: NodeId) -> &[FlowId] {
        &self.outputs[node.index()]
    }
}
