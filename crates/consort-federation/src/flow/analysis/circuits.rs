//! Zero-delay circuits: flows that wait for each other in a ring at one and the same tag.
//!
//! A system of flows deadlocks if and only if at some tag within the run the flows that wait for
//! inputs of their own tag and have a message then form a circuit. When a periodic flow has
//! messages is a congruence, so "all flows of this circuit meet" is a system of congruences.
//!
//! Enumerating circuits would be exponential in their number. Instead, the flows are gathered in
//! classes with equal stamps, and each strongly connected part is searched by asking class by
//! class: is the meeting one of its instants, or not? A part whose classes have been decided is a
//! circuit, one without circuits is dropped, and one that cannot meet before the best so far is cut
//! off. So the work is at most 2^classes searches for strongly connected parts, whatever the number
//! of flows and circuits; parts whose classes all meet at once, by far the most, take one.
//! (Circuits whose flows are pairwise compatible are paths without forbidden pairs: no way is known
//! that is cheap for every input.) Beyond [`WORK_MAX`] the search gives up with a message, and such a
//! system is refused.

use super::instants::Instants;
use super::waiting::Waiting;
use crate::flow::{FlowId, Topology};
use consort_core::{Tag, Time};
use std::collections::BTreeSet;

/// A ring of flows, each of which waits for the one before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Circuit {
    /// The flows in order; the first waits for the last.
    pub flows: Vec<FlowId>,
    /// Where all of them first have a message.
    pub at: Tag,
    /// The flow to change first: on as many ways round as any. With all flows that circuits name
    /// here changed to `state`, no circuit is left (unless there were so many that some are not reported).
    pub cut: FlowId,
}

/// Every circuit that has to be cut.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Found {
    /// In the order in which a run would meet them.
    pub(super) circuits: Vec<Circuit>,
    /// Whether the search was given up: more may be there.
    pub(super) gave_up: bool,
}

/// More vertices than this, counted each time they are looked at, are not looked at: some seconds.
const WORK_MAX: usize = 30_000_000;

/// How many circuits are reported at most.
const CIRCUITS_MAX: usize = 50;

/// Finds the first circuit, removes the flow to cut, and repeats until none is left.
pub(super) fn find(topology: &Topology, horizon: Option<Tag>) -> Found {
    let waiting = Waiting::within_a_tag(topology);
    let all = 0..u32::try_from(waiting.graph.len()).expect("vertices fit in 32 bits");
    let mut vertices: Vec<u32> = all.collect();
    let mut found = Found::default();
    let mut work_left = WORK_MAX;
    while found.circuits.len() < CIRCUITS_MAX {
        let first = first_meeting(&waiting, &vertices, horizon, &mut work_left);
        found.gave_up |= work_left == 0;
        let Some(at) = first else { break };
        let circuit = circuit_at(&waiting, &vertices, at);
        vertices.retain(|&vertex| waiting.flows.get(vertex as usize) != Some(&circuit.cut));
        found.circuits.push(circuit);
    }
    found
}

/// The earliest tag at which flows among `vertices` form a circuit.
fn first_meeting(
    waiting: &Waiting,
    vertices: &[u32],
    horizon: Option<Tag>,
    work_left: &mut usize,
) -> Option<Tag> {
    let components = waiting.graph.cyclic_components(vertices);
    let mut best: Option<Tag> = None;
    for component in &components {
        let stamps = component.iter().filter_map(|&vertex| waiting.stamps.get(vertex as usize));
        let levels: BTreeSet<u32> = stamps.map(|stamps| stamps.level()).collect();
        for level in levels {
            let end = last_time(level, horizon.into_iter().chain(best).min());
            let mut search = Search::new(waiting, level, end, work_left);
            search.explore(component, None, &BTreeSet::new());
            let tag = |time| Tag { time: Time::from_ticks(time), microstep: level };
            best = best.into_iter().chain(search.best.map(tag)).min();
        }
    }
    best
}

/// The last time at which microstep `level` is not after `last`.
fn last_time(level: u32, last: Option<Tag>) -> i64 {
    match last {
        None => i64::MAX,
        Some(last) if level <= last.microstep => last.time.ticks(),
        Some(last) => last.time.ticks().saturating_sub(1),
    }
}

/// A circuit of flows that all have a message at `at`, and what to cut.
fn circuit_at(waiting: &Waiting, vertices: &[u32], at: Tag) -> Circuit {
    let is_stamped = |vertex: &u32| match waiting.stamps.get(*vertex as usize) {
        Some(stamps) => {
            let instants = stamps.at_level(at.microstep);
            instants.is_some_and(|instants| instants.contain(at.time.ticks()))
        }
        None => true,
    };
    let stamped: Vec<u32> = vertices.iter().copied().filter(is_stamped).collect();
    let components = waiting.graph.cyclic_components(&stamped);
    let component = components.first().expect("flows that meet in a ring are strongly connected");
    let chain = shortest(waiting, component);
    let flows = waiting.flows_of(&chain);
    let cut = busiest(waiting, component, &chain);
    Circuit { flows, at, cut }
}

/// From at most so many flows of a part the shortest way round is looked for.
const STARTS_MAX: usize = 64;

/// The shortest circuit of a strongly connected part (of a large one: among those of its first
/// flows).
fn shortest(waiting: &Waiting, component: &[u32]) -> Vec<u32> {
    let flows = component.iter().copied().filter(|&vertex| (vertex as usize) < waiting.flows.len());
    let chains = flows.take(STARTS_MAX).filter_map(|start| waiting.graph.circuit(start, component));
    let shortest = chains.min_by_key(Vec::len);
    shortest.expect("nodes are joined by flows, and each part of a component reaches itself")
}

/// The flow of the chain that leads to the most flows and nodes of its part; of several the first.
fn busiest(waiting: &Waiting, component: &[u32], chain: &[u32]) -> FlowId {
    let leads_to = |vertex: u32| {
        let successors = waiting.graph.successors(vertex);
        successors.iter().filter(|next| component.binary_search(next).is_ok()).count()
    };
    let flows = chain.iter().copied().filter(|&vertex| (vertex as usize) < waiting.flows.len());
    let most = flows.rev().max_by_key(|&vertex| leads_to(vertex));
    waiting.flows[most.expect("a circuit has a flow") as usize]
}

/// The search in one microstep.
struct Search<'a> {
    waiting: &'a Waiting,
    /// The instants of each flow in this microstep; `None`: it has none.
    instants: Vec<Option<Instants>>,
    /// Nothing after this counts.
    end: i64,
    /// The earliest meeting found.
    best: Option<i64>,
    work_left: &'a mut usize,
}

impl<'a> Search<'a> {
    fn new(waiting: &'a Waiting, level: u32, end: i64, work_left: &'a mut usize) -> Self {
        let instants = waiting.stamps.iter().map(|stamps| stamps.at_level(level)).collect();
        Search { waiting, instants, end, best: None, work_left }
    }

    /// Looks for circuits among `vertices` at instants of `meeting` (`None`: at any). The classes
    /// in `decided` are part of the meeting.
    fn explore(
        &mut self,
        vertices: &[u32],
        meeting: Option<Instants>,
        decided: &BTreeSet<Instants>,
    ) {
        let can_be_there =
            |vertex: &u32| self.is_node(*vertex) || self.meets(*vertex, meeting).is_some();
        let left: Vec<u32> = vertices.iter().copied().filter(can_be_there).collect();
        let work = self.waiting.graph.len() + left.len();
        *self.work_left = self.work_left.saturating_sub(work);
        if *self.work_left == 0 {
            return;
        }
        for component in self.waiting.graph.cyclic_components(&left) {
            self.decide(&component, meeting, decided);
        }
    }

    /// Decides the next class of a strongly connected part, one way and the other.
    fn decide(
        &mut self,
        component: &[u32],
        meeting: Option<Instants>,
        decided: &BTreeSet<Instants>,
    ) {
        let classes: BTreeSet<Instants> =
            component.iter().filter_map(|&vertex| self.class(vertex)).collect();
        let meetings = classes.iter().filter_map(|&class| meet(meeting, class));
        let earliest = meetings.map(|instants| instants.first).min();
        if earliest.is_none_or(|earliest| !self.is_better(earliest)) {
            return;
        }
        let all =
            classes.iter().try_fold(meeting, |meeting, &class| meet(meeting, class).map(Some));
        if let Some(all) = all.flatten().filter(|all| self.is_better(all.first)) {
            self.best = Some(all.first);
        }
        let open: Vec<Instants> = classes.difference(decided).copied().collect();
        let Some(class) = most_at_odds(&open) else { return };
        let with = meet(meeting, class).filter(|with| self.is_better(with.first));
        if with.is_some() {
            let mut decided = decided.clone();
            decided.insert(class);
            self.explore(component, with, &decided);
        }
        let without: Vec<u32> =
            component.iter().copied().filter(|&vertex| self.class(vertex) != Some(class)).collect();
        self.explore(&without, meeting, decided);
    }

    fn is_better(&self, at: i64) -> bool {
        at <= self.end && self.best.is_none_or(|best| at < best)
    }

    fn is_node(&self, vertex: u32) -> bool {
        self.instants.len() <= vertex as usize
    }

    fn class(&self, vertex: u32) -> Option<Instants> {
        self.instants.get(vertex as usize).copied().flatten()
    }

    /// When a flow has a message at an instant of `meeting`.
    fn meets(&self, vertex: u32, meeting: Option<Instants>) -> Option<Instants> {
        meet(meeting, self.class(vertex)?).filter(|instants| self.is_better(instants.first))
    }
}

fn meet(meeting: Option<Instants>, class: Instants) -> Option<Instants> {
    meeting.map_or(Some(class), |meeting| meeting.meet(class))
}

/// The class that meets the fewest others: deciding it takes the most away.
fn most_at_odds(classes: &[Instants]) -> Option<Instants> {
    let odds =
        |class: &Instants| classes.iter().filter(|&&other| class.meet(other).is_none()).count();
    classes.iter().copied().rev().max_by_key(odds)
}
