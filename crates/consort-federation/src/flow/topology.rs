//! Nodes and flows as plain data: what is sent between which nodes, and when.
//!
//! Everything a node must know of the others before the first message is here: the tags of first
//! messages, periods, capacities. So nothing is negotiated at run time, and two nodes that hold the same
//! [`Topology`] (the same [`Topology::hash`]) agree on everything that orders their messages.

use consort_core::{NodeId, Tag, Time};
use sha2::{Digest, Sha256};

/// Opens the bytes under [`Topology::hash`], so that a later form cannot be mistaken for this one.
const DOMAIN: &[u8] = b"consort flow topology 1\n";

/// A flow of a topology: index into [`Topology::flows`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FlowId(pub u32);

impl FlowId {
    /// The id as an index into [`Topology::flows`].
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The id of the flow at `index`.
    ///
    /// # Panics
    /// If `index` does not fit in 32 bits.
    #[inline]
    pub fn from_index(index: usize) -> Self {
        FlowId(u32::try_from(index).expect("an index fits in 32 bits"))
    }
}

/// Nodes and the flows between them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Topology {
    /// Names of the nodes; [`NodeId`] indexes. Unique.
    pub nodes: Vec<String>,
    /// The flows, sorted by canonical name bytewise; [`FlowId`] indexes.
    pub flows: Vec<Flow>,
}

/// A stream of messages from one node to others, in the order of their tags.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flow {
    /// Canonical name: unique, and the last criterion of the order at one tag.
    pub name: String,
    /// The node that emits.
    pub source: NodeId,
    /// The nodes that receive; each at most once.
    pub sinks: Vec<NodeId>,
    /// What an emission waits for.
    pub kind: FlowKind,
    /// The tag of the first message; of an event flow the tag before which there is none.
    pub first: Tag,
    /// When the others follow. Event flows are [`FlowTiming::Variable`].
    pub timing: FlowTiming,
    /// What a message carries, as a name that the hand-shake compares.
    pub payload: String,
    /// What comes first at one tag: the smaller number; then the name decides.
    pub priority: i32,
    /// How many messages each sink has room for; at least 1.
    pub capacity: u32,
    /// The inputs of the source that an observation waits for at its tag, or that may cause an event;
    /// `None`: all of them. A state flow waits for none, whatever is written here.
    pub feedthrough: Option<Vec<FlowId>>,
    /// Whether the source may be one of the sinks.
    pub self_flow: bool,
}

impl Flow {
    /// The next tag after `tag`, where the timing alone determines it: `None` for the end of a
    /// [`FlowTiming::Once`], and for [`FlowTiming::Variable`], where the source decides it.
    pub fn following(&self, tag: Tag) -> Option<Tag> {
        match self.timing {
            FlowTiming::Periodic(period) => {
                let time = tag.time.checked_add(period)?;
                Some(Tag { time, microstep: tag.microstep })
            }
            FlowTiming::Once | FlowTiming::Variable => None,
        }
    }

    /// Whether a message may be stamped with this tag, as far as the timing alone determines it.
    pub fn may_be_stamped(&self, tag: Tag) -> bool {
        match self.timing {
            FlowTiming::Once => tag == self.first,
            FlowTiming::Variable => self.first <= tag,
            FlowTiming::Periodic(period) => {
                let since = tag.time.checked_sub(self.first.time).map_or(-1, Time::ticks);
                tag.microstep == self.first.microstep
                    && 0 <= since
                    && since.checked_rem(period.ticks()) == Some(0)
            }
        }
    }
}

#[cfg(test)]
impl Flow {
    /// For tests: events from one node to another, at least a tick after their cause, with bounds on demand.
    pub(crate) fn asked(name: &str, source: u32, sink: u32) -> Self {
        let (lookahead, bounds) = (Time::from_ticks(1), BoundPolicy::OnDemand);
        Flow {
            name: name.to_owned(),
            source: NodeId(source),
            sinks: vec![NodeId(sink)],
            kind: FlowKind::Event { lookahead, adds_microstep: false, bounds },
            first: Tag::at(Time::ZERO),
            timing: FlowTiming::Variable,
            payload: "u64".to_owned(),
            priority: 0,
            capacity: 1,
            feedthrough: None,
            self_flow: false,
        }
    }
}

/// What an emission waits for, which decides what its value can depend on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FlowKind {
    /// Computed from the strict past: at its tag, emitted before anything is consumed.
    State,
    /// Computed from the present: at its tag, emitted after everything it depends on was consumed.
    Observation,
    /// Happens when its source decides.
    Event {
        /// How long after its cause it happens at the earliest; zero: at the same time.
        lookahead: Time,
        /// With zero lookahead: whether it happens one microstep after its cause (as an answer does),
        /// or at the very same tag.
        adds_microstep: bool,
        /// How its sinks learn that nothing comes for a while. It changes no message.
        bounds: BoundPolicy,
    },
}

/// When the source of an event flow sends bounds: that no event comes before some tag.
///
/// Asking pays where sinks need to know seldom: a bound costs two frames then, the question and the answer, but only
/// those are sent that a sink waits for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum BoundPolicy {
    /// Whenever it knows more.
    #[default]
    Eager,
    /// When a sink asks, and at the end of the flow. Where event flows may cause each other in a ring every bound is
    /// needed by the next one: there they are sent when their source has nothing else to do. What leads to such a ring,
    /// or to an eager flow, is as [`BoundPolicy::Eager`].
    OnDemand,
}

impl FlowKind {
    /// Whether it is an event flow.
    pub fn is_event(self) -> bool {
        matches!(self, FlowKind::Event { .. })
    }

    /// Whether it is an event flow whose sinks ask for bounds.
    pub fn is_on_demand(self) -> bool {
        matches!(self, FlowKind::Event { bounds: BoundPolicy::OnDemand, .. })
    }

    /// Whether a message may depend on others of the very same tag: observations, and events without
    /// any delay. Only circuits of such flows can wait for themselves.
    pub fn is_immediate(self) -> bool {
        match self {
            FlowKind::State => false,
            FlowKind::Observation => true,
            FlowKind::Event { lookahead, adds_microstep, .. } => {
                lookahead == Time::ZERO && !adds_microstep
            }
        }
    }
}

/// When the messages after the first come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FlowTiming {
    /// At equal distances, at the same microstep.
    Periodic(Time),
    /// Each message has the tag of the next one.
    Variable,
    /// There are no others.
    Once,
}

impl Topology {
    /// The flows that a node receives.
    pub fn inputs(&self, node: NodeId) -> impl Iterator<Item = FlowId> + '_ {
        self.ids().filter(move |flow| self.flows[flow.index()].sinks.contains(&node))
    }

    /// The flows that a node emits.
    pub fn outputs(&self, node: NodeId) -> impl Iterator<Item = FlowId> + '_ {
        self.ids().filter(move |flow| self.flows[flow.index()].source == node)
    }

    /// The same flows, with the bounds of each event flow from `of`.
    #[must_use]
    pub fn with_bounds(mut self, mut of: impl FnMut(FlowId) -> BoundPolicy) -> Self {
        for (id, flow) in self.ids().zip(&mut self.flows) {
            if let FlowKind::Event { bounds, .. } = &mut flow.kind {
                *bounds = of(id);
            }
        }
        self
    }

    /// The flow of this name.
    pub fn flow(&self, name: &str) -> Option<FlowId> {
        let found = self.flows.binary_search_by(|flow| flow.name.as_str().cmp(name));
        found.ok().map(FlowId::from_index)
    }

    /// The node of this name.
    pub fn node(&self, name: &str) -> Option<NodeId> {
        self.nodes.iter().position(|node| node == name).map(NodeId::from_index)
    }

    fn ids(&self) -> impl Iterator<Item = FlowId> + use<> {
        (0..self.flows.len()).map(FlowId::from_index)
    }

    /// What two nodes compare before they talk: equal for equal topologies, and different for any that
    /// differ anywhere.
    pub fn hash(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(DOMAIN);
        put_number(&mut hash, self.nodes.len() as i64);
        self.nodes.iter().for_each(|node| put_text(&mut hash, node));
        put_number(&mut hash, self.flows.len() as i64);
        self.flows.iter().for_each(|flow| put_flow(&mut hash, flow));
        hash.finalize().into()
    }
}

fn put_flow(hash: &mut Sha256, flow: &Flow) {
    put_text(hash, &flow.name);
    put_text(hash, &flow.payload);
    put_kind(hash, flow.kind);
    let (is_variable, period) = match flow.timing {
        FlowTiming::Periodic(period) => (0, period.ticks()),
        FlowTiming::Variable => (1, 0),
        FlowTiming::Once => (2, 0),
    };
    let first = [flow.first.time.ticks(), i64::from(flow.first.microstep)];
    let rest = [i64::from(flow.priority), i64::from(flow.capacity), i64::from(flow.self_flow)];
    [is_variable, period].iter().chain(&first).chain(&rest).for_each(|it| put_number(hash, *it));
    put_number(hash, i64::from(flow.source.0));
    put_list(hash, flow.sinks.iter().map(|sink| sink.0));
    put_number(hash, i64::from(flow.feedthrough.is_some()));
    put_list(hash, flow.feedthrough.iter().flatten().map(|it| it.0));
}

fn put_kind(hash: &mut Sha256, kind: FlowKind) {
    let words = match kind {
        FlowKind::State => [0, 0, 0],
        FlowKind::Observation => [1, 0, 0],
        FlowKind::Event { lookahead, adds_microstep, bounds } => {
            let which = match bounds {
                BoundPolicy::Eager => 2,
                BoundPolicy::OnDemand => 3,
            };
            [which, lookahead.ticks(), i64::from(adds_microstep)]
        }
    };
    words.iter().for_each(|word| put_number(hash, *word));
}

fn put_list(hash: &mut Sha256, ids: impl Iterator<Item = u32> + Clone) {
    put_number(hash, ids.clone().count() as i64);
    ids.for_each(|id| put_number(hash, i64::from(id)));
}

fn put_text(hash: &mut Sha256, text: &str) {
    put_number(hash, text.len() as i64);
    hash.update(text.as_bytes());
}

fn put_number(hash: &mut Sha256, number: i64) {
    hash.update(number.to_le_bytes());
}
