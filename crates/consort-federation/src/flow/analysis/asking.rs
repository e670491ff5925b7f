//! Of which event flows bounds are asked for.
//!
//! Where event flows may cause each other in a ring, the bound of each follows from the one before it, a lookahead or
//! a microstep further: each of them is needed, however small, and asking would only double the frames. The same
//! holds for what leads to a ring, or to a flow that tells its bounds unasked. What is left has no ring, and a
//! question that is passed on from flow to flow comes to an end.

use super::waiting::Waiting;
use crate::flow::Topology;

/// Of each flow, whether its sinks ask for bounds.
pub(in crate::flow) fn asked_flows(topology: &Topology) -> Vec<bool> {
    let mut is_asked: Vec<bool> = topology.flows.iter().map(|it| it.kind.is_on_demand()).collect();
    if !is_asked.contains(&true) {
        return is_asked;
    }
    let waiting = Waiting::between_events(topology);
    for flow in told_unasked(&waiting, &is_asked) {
        is_asked[waiting.flows[flow].index()] = false;
    }
    is_asked
}

/// The vertices of flows that are on a ring, or not on demand, or lead to such.
fn told_unasked(waiting: &Waiting, is_on_demand: &[bool]) -> impl Iterator<Item = usize> + use<> {
    let graph = &waiting.graph;
    let count = u32::try_from(graph.len()).expect("vertices fit in 32 bits");
    let all: Vec<u32> = (0..count).collect();
    let mut is_told = vec![false; graph.len()];
    for (vertex, flow) in waiting.flows.iter().enumerate() {
        is_told[vertex] = !is_on_demand[flow.index()];
    }
    for vertex in graph.knots(&all).into_iter().flatten() {
        is_told[vertex as usize] = true;
    }
    let leads_there = |is_told: &[bool], vertex: u32| {
        let next = graph.successors(vertex);
        !is_told[vertex as usize] && next.iter().any(|next| is_told[*next as usize])
    };
    while let Some(vertex) = all.iter().find(|vertex| leads_there(&is_told, **vertex)) {
        is_told[*vertex as usize] = true;
    }
    (0..waiting.flows.len()).filter(move |vertex| is_told[*vertex])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::{Bounds, Flow, FlowId, FlowKind, Timing};
    use consort_core::{NodeId, Tag, Time};

    /// Event flows on demand, each from a node to one other.
    fn flows(ends: &[(u32, u32)]) -> Topology {
        let flow = |(index, (source, sink)): (usize, &(u32, u32))| Flow {
            name: format!("f{index}"),
            source: NodeId(*source),
            sinks: vec![NodeId(*sink)],
            kind: FlowKind::Event {
                lookahead: Time::from_ticks(1),
                adds_microstep: false,
                bounds: Bounds::OnDemand,
            },
            first: Tag::at(Time::ZERO),
            timing: Timing::Variable,
            payload: "u64".to_owned(),
            priority: 0,
            capacity: 1,
            feedthrough: None,
            self_flow: false,
        };
        let nodes = (0..9).map(|node| format!("n{node}")).collect();
        Topology { nodes, flows: ends.iter().enumerate().map(flow).collect() }
    }

    #[test]
    fn what_is_on_a_ring_or_leads_to_one_is_told_unasked() {
        let topology = flows(&[(0, 1), (1, 2), (2, 1), (2, 3), (3, 4)]);
        assert_eq!(asked_flows(&topology), [false, false, false, true, true]);
    }

    #[test]
    fn what_leads_to_an_eager_flow_is_told_unasked() {
        let mut topology = flows(&[(0, 1), (1, 2), (2, 3)]);
        let FlowKind::Event { bounds, .. } = &mut topology.flows[1].kind else { unreachable!() };
        *bounds = Bounds::Eager;
        assert_eq!(asked_flows(&topology), [false, false, true]);
    }

    #[test]
    fn a_reply_that_does_not_cause_the_next_question_makes_no_ring() {
        let mut topology = flows(&[(0, 1), (1, 0), (2, 0)]);
        assert_eq!(asked_flows(&topology), [false, false, false]);
        topology.flows[0].feedthrough = Some(vec![FlowId(2)]);
        assert_eq!(asked_flows(&topology), [true, true, true]);
    }
}
