//! Small topologies in few words, and nodes driven by hand.

use consort_core::{NodeId, Tag, Time};
use consort_federation::flow::{
    BoundPolicy, Flow, FlowError, FlowId, FlowInput, FlowKind, FlowNode, FlowOutput, FlowTiming,
    Message, NextAction, Topology,
};

/// A tag at microstep 0.
pub(crate) fn at(time: i64) -> Tag {
    Tag::at(Time::from_ticks(time))
}

pub(crate) fn tag(time: i64, microstep: u32) -> Tag {
    Tag { time: Time::from_ticks(time), microstep }
}

pub(crate) fn event(lookahead: i64, adds_microstep: bool) -> FlowKind {
    FlowKind::Event {
        lookahead: Time::from_ticks(lookahead),
        adds_microstep,
        bounds: BoundPolicy::Eager,
    }
}

/// A state flow of capacity 1 from tick 0 on; its period 0 stands for variable.
pub(crate) fn flow(name: &str, source: u32, sinks: &[u32], period: i64) -> Flow {
    let timing = match period {
        0 => FlowTiming::Variable,
        _ => FlowTiming::Periodic(Time::from_ticks(period)),
    };
    Flow {
        name: name.to_owned(),
        source: NodeId(source),
        sinks: sinks.iter().map(|sink| NodeId(*sink)).collect(),
        kind: FlowKind::State,
        first: at(0),
        timing,
        payload: "u64".to_owned(),
        priority: 0,
        capacity: 1,
        feedthrough: None,
        self_flow: false,
    }
}

/// Nodes are called `a`, `b`, ...; flows are sorted by name.
pub(crate) fn topology(nodes: usize, mut flows: Vec<Flow>) -> Topology {
    flows.sort_by(|first, second| first.name.cmp(&second.name));
    let names = ('a'..='z').take(nodes).map(String::from);
    Topology { nodes: names.collect(), flows }
}

/// A machine driven by hand.
#[derive(Clone)]
pub(crate) struct Hand {
    pub(crate) node: FlowNode<u64>,
    pub(crate) out: Vec<FlowOutput<u64>>,
}

impl Hand {
    pub(crate) fn new(topology: &Topology, me: u32, horizon: Option<Tag>) -> Self {
        Hand { node: FlowNode::new(topology, NodeId(me), horizon), out: Vec::new() }
    }

    pub(crate) fn flow(&self, name: &str) -> FlowId {
        self.node.topology().flow(name).unwrap_or_else(|| panic!("there is a flow `{name}`"))
    }

    pub(crate) fn handle(
        &mut self,
        input: FlowInput<u64>,
    ) -> Result<Vec<FlowOutput<u64>>, FlowError> {
        self.node.handle(input, &mut self.out).map(|()| std::mem::take(&mut self.out))
    }

    /// A message comes.
    pub(crate) fn arrives(&mut self, name: &str, tag: Tag, next: Option<Tag>) {
        let message = Message { tag, next, payload: 0 };
        let input = FlowInput::Arrived { flow: self.flow(name), message };
        assert_eq!(self.handle(input), Ok(Vec::new()));
    }

    /// Consumes what is due, and says which flows it came on.
    pub(crate) fn consume(&mut self) -> Vec<String> {
        let out = self.handle(FlowInput::Consume).expect("consuming is due");
        let names = out.iter().filter_map(|output| match output {
            FlowOutput::Deliver { flow, .. } => {
                Some(self.node.topology().flows[flow.index()].name.clone())
            }
            _ => None,
        });
        names.collect()
    }

    /// Emits what is due on a flow.
    pub(crate) fn emit(&mut self, name: &str, next: Option<Tag>) -> Vec<FlowOutput<u64>> {
        let input = FlowInput::Emit { flow: self.flow(name), payload: 0, next };
        self.handle(input).expect("emitting is due")
    }

    pub(crate) fn check(&self, expected: &str) {
        assert_eq!(self.next(), expected);
    }

    /// What is next, in short words.
    pub(crate) fn next(&self) -> String {
        let topology = self.node.topology();
        let name = |flow: FlowId| topology.flows[flow.index()].name.as_str();
        let shown = |tag: Tag| format!("{}.{}", tag.time.ticks(), tag.microstep);
        match self.node.poll() {
            NextAction::Emit { flow, tag } => format!("emit {} {}", name(flow), shown(tag)),
            NextAction::Consume { tag } => format!("consume {}", shown(tag)),
            NextAction::Announce => "announce".to_owned(),
            NextAction::AwaitInput { flow, tag } => format!("await {} {}", name(flow), shown(tag)),
            NextAction::AwaitCredit { flow, sink } => {
                format!("await room {} {}", name(flow), topology.nodes[sink.index()])
            }
            NextAction::Done => "done".to_owned(),
        }
    }
}
