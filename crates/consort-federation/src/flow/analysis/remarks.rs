//! Remarks on what works and is seldom intended: nodes that starve, flows that begin late or end early, bounds
//! that creep.

use super::ports::Ports;
use super::waiting::Waiting;
use crate::flow::{FlowId, FlowKind, FlowTiming, Topology};
use consort_core::{NodeId, Tag, Time};

/// A remark about a topology that runs all the same.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Remark {
    /// All inputs of a node come so seldom that most of what it emits follows from the same inputs.
    Starves {
        /// The node whose inputs are too slow.
        node: NodeId,
        /// The flow that the node emits.
        output: FlowId,
        /// The fastest of its inputs.
        input: FlowId,
        /// Messages of the output per message of the input.
        ratio: i64,
    },
    /// All inputs of a node come so often that it works through very many to emit anything.
    Drowns {
        /// The node whose inputs are too fast.
        node: NodeId,
        /// The fastest of its outputs.
        output: FlowId,
        /// The slowest of its inputs.
        input: FlowId,
        /// Messages of the input per message of the output.
        ratio: i64,
    },
    /// A flow has one message and its sinks continue without it.
    EndsEarly {
        /// The flow with one message.
        flow: FlowId,
        /// The tag of its only message.
        last: Tag,
    },
    /// The sinks of a flow work for more than one of its periods before it begins.
    BeginsLate {
        /// The flow that begins late.
        flow: FlowId,
        /// The tag of its first message.
        first: Tag,
    },
    /// Event flows in a ring: the bound of each rests on the others, so that time advances by no
    /// more than their lookaheads with each round of bounds.
    Creeps {
        /// The flows of the ring.
        flows: Vec<FlowId>,
        /// The time by which one round advances.
        lookahead: Time,
    },
    /// Event flows in a ring without any lookahead, of which one adds a microstep: time advances by
    /// one tick only after as many rounds as there are microsteps.
    Climbs {
        /// The flows of the ring.
        flows: Vec<FlowId>,
    },
}

/// A node whose inputs and outputs differ more than this in period is worth a remark.
const RATIO_MAX: i64 = 1000;

/// Everything worth reporting, in the order of nodes and flows.
pub(super) fn find(topology: &Topology, horizon: Option<Tag>) -> Vec<Remark> {
    let ports = Ports::new(topology);
    let nodes = (0..topology.nodes.len()).map(NodeId::from_index);
    let mut remarks: Vec<Remark> =
        nodes.filter_map(|node| of_node(topology, &ports, node)).collect();
    let flows = (0..topology.flows.len()).map(FlowId::from_index);
    remarks.extend(flows.filter_map(|flow| of_flow(topology, &ports, flow, horizon)));
    remarks.extend(creeping(topology));
    remarks
}

/// A flow and its period in ticks.
type Rate = (i64, FlowId);

fn rate(topology: &Topology, flow: FlowId) -> Option<Rate> {
    match topology.flows[flow.index()].timing {
        FlowTiming::Periodic(period) => Some((period.ticks(), flow)),
        FlowTiming::Once | FlowTiming::Variable => None,
    }
}

fn of_node(topology: &Topology, ports: &Ports, node: NodeId) -> Option<Remark> {
    // A flow without a known period may have any.
    let rates = |flows: &[FlowId]| -> Option<Vec<Rate>> {
        flows.iter().map(|&flow| rate(topology, flow)).collect()
    };
    let (inputs, outputs) = (rates(ports.inputs(node))?, rates(ports.outputs(node))?);
    let (fastest_input, fastest_output) = (inputs.iter().min()?, outputs.iter().min()?);
    let slowest_input = inputs.iter().max()?;
    let starves = fastest_input.0 / fastest_output.0;
    let drowns = fastest_output.0 / slowest_input.0;
    if RATIO_MAX < starves {
        let (output, input) = (fastest_output.1, fastest_input.1);
        return Some(Remark::Starves { node, output, input, ratio: starves });
    }
    let (output, input) = (fastest_output.1, slowest_input.1);
    (RATIO_MAX < drowns).then_some(Remark::Drowns { node, output, input, ratio: drowns })
}

fn of_flow(topology: &Topology, ports: &Ports, id: FlowId, horizon: Option<Tag>) -> Option<Remark> {
    let flow = &topology.flows[id.index()];
    // That a flow begins after the end is reported by `check`.
    if horizon.is_some_and(|end| end < flow.first) {
        return None;
    }
    let at_sinks = flow.sinks.iter();
    let at_sinks = at_sinks.flat_map(|&sink| ports.inputs(sink).iter().chain(ports.outputs(sink)));
    let mut others =
        at_sinks.filter(|&&other| other != id).map(|other| &topology.flows[other.index()]);
    match flow.timing {
        FlowTiming::Once => {
            let goes_on = others.any(|other| other.timing != FlowTiming::Once);
            goes_on.then_some(Remark::EndsEarly { flow: id, last: flow.first })
        }
        FlowTiming::Periodic(period) => {
            let earlier = others.map(|other| other.first.time).min()?;
            let late = period < flow.first.time.checked_sub(earlier)?;
            late.then_some(Remark::BeginsLate { flow: id, first: flow.first })
        }
        FlowTiming::Variable => None,
    }
}

/// Rings of event flows; one of each strongly connected part.
fn creeping(topology: &Topology) -> Vec<Remark> {
    let waiting = Waiting::between_events(topology);
    let count = u32::try_from(waiting.graph.len()).expect("vertices fit in 32 bits");
    let all: Vec<u32> = (0..count).collect();
    let components = waiting.graph.cyclic_components(&all);
    components.iter().filter_map(|component| creeping_in(topology, &waiting, component)).collect()
}

fn creeping_in(topology: &Topology, waiting: &Waiting, component: &[u32]) -> Option<Remark> {
    let flows = waiting.flows_of(&waiting.graph.circuit(component[0], component)?);
    let lookaheads = flows.iter().map(|id| match topology.flows[id.index()].kind {
        FlowKind::Event { lookahead, .. } => lookahead,
        FlowKind::State | FlowKind::Observation => Time::ZERO,
    });
    let sum = lookaheads.fold(0, |sum: i64, lookahead| sum.saturating_add(lookahead.ticks()));
    let is_immediate = |id: &FlowId| topology.flows[id.index()].kind.is_immediate();
    match sum {
        // It is reported as a circuit.
        0 if flows.iter().all(is_immediate) => None,
        0 => Some(Remark::Climbs { flows }),
        sum => Some(Remark::Creeps { flows, lookahead: Time::from_ticks(sum) }),
    }
}
