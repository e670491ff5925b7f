//! Where a node publishes its status. The computing thread writes rarely and never waits for readers.

use crate::hello::Hello;
use crate::status::{FlowStatus, Need, NodeStatus, PeerStatus, Phase, Wait};
use consort_core::{NodeId, Resolution, Tag, Time};
use consort_federation::flow::Topology;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The microstep that stands for "no tag yet".
const NO_TAG: u64 = u64::MAX;

/// The status of a node, readable from other threads while it computes.
pub(crate) struct StatusBoard {
    node: String,
    run: [u8; 16],
    resolution: Resolution,
    time: AtomicI64,
    microstep: AtomicU64,
    is_waiting: AtomicBool,
    rare: Mutex<RareState>,
}

/// The part of the status that changes rarely.
struct RareState {
    phase: Phase,
    wait: Option<(OpenWait, Instant)>,
    peers: Vec<PeerState>,
    flows: Vec<FlowStatus>,
}

/// The state of the link to another node, with points in time instead of spans.
pub(crate) struct PeerState {
    pub(crate) node: String,
    pub(crate) is_connected: bool,
    pub(crate) last_received: Option<Instant>,
    pub(crate) connections: u32,
}

/// What a node waits for, by names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OpenWait {
    pub(crate) node: String,
    pub(crate) flow: Option<String>,
    pub(crate) tag: Option<Tag>,
    pub(crate) what: Need,
}

impl StatusBoard {
    pub(crate) fn new(hello: &Hello, me: NodeId) -> Self {
        let flow = |flow: &str, is_output, first| FlowStatus {
            flow: flow.to_owned(),
            is_output,
            count: 0,
            next: Some(first),
        };
        let topology: &Topology = &hello.topology;
        let mine = topology.flows.iter().flat_map(|it| {
            let out = (it.source == me).then(|| flow(&it.name, true, it.first));
            let into = it.sinks.contains(&me).then(|| flow(&it.name, false, it.first));
            out.into_iter().chain(into)
        });
        let flows = mine.collect();
        let rare = RareState { phase: Phase::Joining, wait: None, peers: Vec::new(), flows };
        let board = StatusBoard {
            node: hello.node.clone(),
            run: hello.run,
            resolution: hello.resolution,
            time: AtomicI64::new(0),
            microstep: AtomicU64::new(NO_TAG),
            is_waiting: AtomicBool::new(false),
            rare: Mutex::new(rare),
        };
        // What a snapshot holds is done.
        hello.begins.into_iter().for_each(|time| board.reached(Tag::at(time)));
        board
    }

    /// Everything up to this tag is done.
    pub(crate) fn reached(&self, tag: Tag) {
        self.time.store(tag.time.ticks(), Ordering::Relaxed);
        self.microstep.store(u64::from(tag.microstep), Ordering::Relaxed);
    }

    /// The last tag that is done.
    pub(crate) fn tag(&self) -> Option<Tag> {
        let microstep = u32::try_from(self.microstep.load(Ordering::Relaxed)).ok()?;
        Some(Tag { time: Time::from_ticks(self.time.load(Ordering::Relaxed)), microstep })
    }

    pub(crate) fn enter(&self, phase: Phase) {
        self.rare().phase = phase;
    }

    pub(crate) fn waits(&self, wait: OpenWait, since: Instant) {
        self.rare().wait = Some((wait, since));
        self.is_waiting.store(true, Ordering::Relaxed);
    }

    pub(crate) fn end_wait(&self) {
        self.is_waiting.store(false, Ordering::Relaxed);
    }

    pub(crate) fn write(&self, peers: Vec<PeerState>, flows: Vec<FlowStatus>) {
        let mut rare = self.rare();
        rare.peers = peers;
        rare.flows = flows;
    }

    /// The whole status, for an answer to a status request.
    pub(crate) fn status(&self) -> NodeStatus {
        let rare = self.rare();
        let is_waiting = self.is_waiting.load(Ordering::Relaxed);
        let wait = rare.wait.as_ref().filter(|_| is_waiting);
        let waits = wait.map(|(wait, since)| Wait {
            for_node: wait.node.clone(),
            flow: wait.flow.clone(),
            tag: wait.tag,
            what: wait.what,
            since: since.elapsed(),
        });
        let peer = |peer: &PeerState| PeerStatus {
            node: peer.node.clone(),
            is_connected: peer.is_connected,
            silent_for: peer.last_received.map(|last_received| last_received.elapsed()),
            connections: peer.connections,
        };
        NodeStatus {
            node: self.node.clone(),
            run: self.run,
            resolution: self.resolution,
            phase: rare.phase,
            tag: self.tag(),
            waits,
            peers: rare.peers.iter().map(peer).collect(),
            flows: rare.flows.clone(),
        }
    }

    /// A thread that panicked leaves it readable: every write is one assignment.
    fn rare(&self) -> MutexGuard<'_, RareState> {
        self.rare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
