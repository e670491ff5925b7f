//! When bounds of event flows are sent.
//!
//! A request for a bound is passed on from flow to flow, so it has to come to an end: where event flows may cause each
//! other in a ring there is none. There the bound of each follows from the one before it, a lookahead or a microstep
//! further, and each is needed, however small. But no node on a ring gets far without the others, so it is enough to
//! send them when there is nothing else to do.

use super::waiting::Waiting;
use crate::flow::Topology;

/// When the source of an event flow sends bounds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in crate::flow) enum BoundSending {
    /// Whenever it knows more.
    AtOnce,
    /// When it has nothing else to do.
    BeforeWaiting,
    /// When a sink asks.
    WhenAsked,
}

/// When bounds of each flow are sent; without a meaning for flows that are no events.
pub(in crate::flow) fn bound_sending(topology: &Topology) -> Vec<BoundSending> {
    let mut sending = vec![BoundSending::AtOnce; topology.flows.len()];
    if !topology.flows.iter().any(|flow| flow.kind.is_on_demand()) {
        return sending;
    }
    let waiting = Waiting::between_events(topology);
    let rings = rings(&waiting);
    let unasked = unasked(topology, &waiting, &rings);
    for (vertex, id) in waiting.flows.iter().enumerate() {
        if topology.flows[id.index()].kind.is_on_demand() {
            sending[id.index()] = match (rings[vertex], unasked[vertex]) {
                (true, _) => BoundSending::BeforeWaiting,
                (false, true) => BoundSending::AtOnce,
                (false, false) => BoundSending::WhenAsked,
            };
        }
    }
    sending
}

/// Of each vertex, whether it is on a ring.
fn rings(waiting: &Waiting) -> Vec<bool> {
    let graph = &waiting.graph;
    let count = u32::try_from(graph.len()).expect("vertices fit in 32 bits");
    let all: Vec<u32> = (0..count).collect();
    let mut is_on_ring = vec![false; graph.len()];
    for vertex in graph.cyclic_components(&all).into_iter().flatten() {
        is_on_ring[vertex as usize] = true;
    }
    is_on_ring
}

/// Of each vertex, whether it is on a ring, or an eager flow, or leads to one of these: a bound that is sent without a request must not
/// depend on one that is only sent on request.
fn unasked(topology: &Topology, waiting: &Waiting, rings: &[bool]) -> Vec<bool> {
    let mut is_unasked = rings.to_vec();
    for (vertex, id) in waiting.flows.iter().enumerate() {
        is_unasked[vertex] |= !topology.flows[id.index()].kind.is_on_demand();
    }
    let leads_there = |is_unasked: &[bool], vertex: usize| {
        let vertex = u32::try_from(vertex).expect("vertices fit in 32 bits");
        waiting.graph.successors(vertex).iter().any(|next| is_unasked[*next as usize])
    };
    let all = 0..waiting.graph.len();
    while let Some(vertex) =
        all.clone().find(|vertex| !is_unasked[*vertex] && leads_there(&is_unasked, *vertex))
    {
        is_unasked[vertex] = true;
    }
    is_unasked
}

#[cfg(test)]
mod tests {
    use super::BoundSending::{AtOnce, BeforeWaiting, WhenAsked};
    use super::*;
    use crate::flow::{BoundPolicy, Flow, FlowId, FlowKind};

    /// Event flows on demand, each from a node to one other.
    fn flows(ends: &[(u32, u32)]) -> Topology {
        let flow = |(index, (source, sink)): (usize, &(u32, u32))| {
            Flow::asked(&format!("f{index}"), *source, *sink)
        };
        let nodes = (0..9).map(|node| format!("n{node}")).collect();
        Topology { nodes, flows: ends.iter().enumerate().map(flow).collect() }
    }

    #[test]
    fn what_is_on_a_ring_is_announced_before_waiting_and_what_leads_to_it_at_once() {
        let topology = flows(&[(0, 1), (1, 2), (2, 1), (2, 3), (3, 4)]);
        let expected = [AtOnce, BeforeWaiting, BeforeWaiting, WhenAsked, WhenAsked];
        assert_eq!(bound_sending(&topology), expected);
    }

    #[test]
    fn what_leads_to_an_eager_flow_is_announced_at_once() {
        let mut topology = flows(&[(0, 1), (1, 2), (2, 3)]);
        let FlowKind::Event { bounds, .. } = &mut topology.flows[1].kind else { unreachable!() };
        *bounds = BoundPolicy::Eager;
        assert_eq!(bound_sending(&topology), [AtOnce, AtOnce, WhenAsked]);
    }

    #[test]
    fn a_reply_that_does_not_cause_the_next_question_makes_no_ring() {
        let mut topology = flows(&[(0, 1), (1, 0), (2, 0)]);
        assert_eq!(bound_sending(&topology), [BeforeWaiting, BeforeWaiting, AtOnce]);
        topology.flows[0].feedthrough = Some(vec![FlowId(2)]);
        assert_eq!(bound_sending(&topology), [WhenAsked; 3]);
    }
}
