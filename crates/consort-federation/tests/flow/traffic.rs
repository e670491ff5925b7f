//! What it costs to know that nothing happens: bounds and requests on flows with few events. The table of
//! `docs/flows.md` is made here.

use crate::support::{at, event, flow, topology};
use consort_core::{NodeId, Tag, Time};
use consort_federation::flow::{
    Behavior, BoundPolicy, Flow, FlowId, FlowInput, FlowKind, FlowNode, FlowOutput, NextAction,
    NextEvent, Topology,
};
use std::collections::VecDeque;

const END: i64 = 1_000;

/// Makes an event every hundred ticks, or passes on what comes after a delay.
#[derive(Clone, Default)]
struct Part {
    makes: bool,
    delay: i64,
    came: Option<Tag>,
}

impl Behavior<u64> for Part {
    fn on_inputs(&mut self, tag: Tag, inputs: &[(FlowId, u64)]) {
        let is_event = inputs.iter().any(|(_, value)| *value == 1);
        let is_due = self.makes && tag.time.ticks() % 100 == 0;
        self.came = (is_due || (!self.makes && is_event)).then_some(tag);
    }

    /// Events carry 1, clocks 0.
    fn emit(&mut self, _: FlowId, _: Tag, next: Option<Tag>) -> (u64, Option<Tag>) {
        (u64::from(next.is_none()), next)
    }

    fn plan(&mut self, _: FlowId) -> NextEvent {
        self.came.take().map_or(NextEvent::Keep, |tag| {
            NextEvent::At(Tag::at(tag.time + Time::from_ticks(self.delay)))
        })
    }
}

/// What was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Sent {
    events: u64,
    bounds: u64,
    requests: u64,
}

/// All nodes, one action each in turn.
struct World {
    nodes: Vec<FlowNode<u64>>,
    parts: Vec<Part>,
    moving: VecDeque<(NodeId, FlowInput<u64>)>,
    sent: Sent,
}

impl World {
    fn act(&mut self, node: usize, action: NextAction) {
        match action {
            NextAction::Emit { flow, tag } => {
                let following = self.nodes[node].topology().flows[flow.index()].following(tag);
                let (payload, next) = self.parts[node].emit(flow, tag, following);
                self.handle(node, FlowInput::Emit { flow, payload, next });
            }
            NextAction::Consume { tag } => {
                let batch = self.handle(node, FlowInput::Consume);
                self.parts[node].on_inputs(tag, &batch);
                self.plan(node);
            }
            _ => drop(self.handle(node, FlowInput::Announce)),
        }
    }

    fn plan(&mut self, node: usize) {
        let flows = self.nodes[node].topology().flows.iter();
        let is_mine = |flow: &Flow| flow.kind.is_event() && flow.source.index() == node;
        let Some(flow) = flows.map(is_mine).position(|it| it) else { return };
        let flow = FlowId::from_index(flow);
        if let NextEvent::At(tag) = self.parts[node].plan(flow) {
            self.handle(node, FlowInput::Plan { flow, tag: Some(tag) });
        }
    }

    fn handle(&mut self, node: usize, input: FlowInput<u64>) -> Vec<(FlowId, u64)> {
        let (mut out, mut batch) = (Vec::new(), Vec::new());
        self.nodes[node].handle(input, &mut out).expect("no promise is broken");
        let me = NodeId::from_index(node);
        for output in out {
            let flows = &self.nodes[node].topology().flows;
            let source = |flow: FlowId| flows[flow.index()].source;
            let (to, input) = match output {
                FlowOutput::Send { flow, sink, message } => {
                    self.sent.events += u64::from(flows[flow.index()].kind.is_event());
                    (sink, FlowInput::Arrived { flow, message })
                }
                FlowOutput::SendBound { flow, sink, tag } => {
                    self.sent.bounds += 1;
                    (sink, FlowInput::Bound { flow, tag })
                }
                FlowOutput::Request { flow, tag } => {
                    self.sent.requests += 1;
                    (source(flow), FlowInput::Request { flow, sink: me, tag })
                }
                FlowOutput::Credit { flow, count } => {
                    (source(flow), FlowInput::Credit { flow, sink: me, count })
                }
                FlowOutput::Deliver { flow, message } => {
                    batch.push((flow, message.payload));
                    continue;
                }
            };
            self.moving.push_back((to, input));
        }
        batch
    }
}

fn run(topology: &Topology, parts: &[Part], poll: fn(&FlowNode<u64>) -> NextAction) -> Sent {
    let nodes = FlowNode::all(topology, Some(at(END)));
    let mut world =
        World { nodes, parts: parts.to_vec(), moving: VecDeque::new(), sent: Sent::default() };
    let mut goes_on = true;
    while std::mem::take(&mut goes_on) {
        for node in 0..parts.len() {
            let action = poll(&world.nodes[node]);
            if !action.is_wait() {
                world.act(node, action);
                goes_on = true;
            }
            while let Some((to, input)) = world.moving.pop_front() {
                world.handle(to.index(), input);
                goes_on = true;
            }
        }
    }
    assert!(world.nodes.iter().all(|node| node.poll() == NextAction::Done));
    world.sent
}

/// Bounds if announced at once, if announced before waiting only, and bounds and requests on demand.
fn check(topology: Topology, parts: &[Part], events: u64, expected: [u64; 4]) {
    let eager = run(&topology, parts, FlowNode::poll);
    let lazy = run(&topology, parts, FlowNode::poll_lazily);
    let asked = run(&topology.with_bounds(|_| BoundPolicy::OnDemand), parts, FlowNode::poll);
    assert_eq!([eager.events, lazy.events, asked.events], [events; 3]);
    assert_eq!([eager.requests, lazy.requests], [0, 0]);
    assert_eq!([eager.bounds, lazy.bounds, asked.bounds, asked.requests], expected);
}

fn link(source: u32, sink: u32, kind: FlowKind) -> Flow {
    Flow { kind, capacity: 4, ..flow(&format!("e{source}"), source, &[sink], 0) }
}

/// The first node makes events by a clock that ticks; all others pass them on after so many ticks.
fn parts(nodes: usize, delay: i64) -> Vec<Part> {
    let mut parts = vec![Part { delay, ..Part::default() }; nodes];
    parts[0].makes = true;
    parts
}

/// Nodes 0 to 4 in a row. The first has a clock of its own; the last has something to do every `work` ticks (0: never).
fn chain(work: i64) -> Topology {
    let mut flows: Vec<Flow> = (0..4).map(|it| link(it, it + 1, event(0, false))).collect();
    flows.push(Flow { self_flow: true, ..flow("clock", 0, &[0], 1) });
    if work != 0 {
        flows.push(Flow { self_flow: true, ..flow("work", 4, &[4], work) });
    }
    topology(5, flows)
}

#[test]
fn a_chain_whose_last_node_works_seldom() {
    check(chain(0), &parts(5, 0), 44, [3950, 0, 0, 0]);
    check(chain(100), &parts(5, 0), 44, [3950, 0, 40, 69]);
    check(chain(10), &parts(5, 0), 44, [3950, 0, 760, 789]);
}

#[test]
fn a_chain_in_step() {
    // What the last node does in every tick is the clock of the first: all wait for each other.
    let mut flows: Vec<Flow> = (0..4).map(|it| link(it, it + 1, event(0, false))).collect();
    flows.push(flow("clock", 4, &[0], 1));
    check(topology(5, flows), &parts(5, 0), 44, [3960, 3960, 3960, 3980]);
}

#[test]
fn a_ring() {
    // Each passes on what comes five ticks later; the first has a clock of its own.
    let mut flows: Vec<Flow> = (0..4).map(|it| link(it, (it + 1) % 4, event(5, false))).collect();
    flows.push(Flow { self_flow: true, ..flow("clock", 0, &[0], 1) });
    check(topology(4, flows), &parts(4, 5), 40, [3738, 166, 166, 0]);
}
