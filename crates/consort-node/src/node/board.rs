//! Where a node writes what others may ask for. Whoever computes writes rarely and never waits for readers.

use crate::hello::Hello;
use crate::status::{FlowStatus, Need, PeerStatus, Phase, Status, Wait};
use consort_core::{NodeId, Resolution, Tag, Time};
use consort_federation::flow::Topology;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The microstep that stands for "no tag yet".
const NO_TAG: u64 = u64::MAX;

/// What others may ask for.
pub(crate) struct Board {
    node: String,
    run: [u8; 16],
    resolution: Resolution,
    time: AtomicI64,
    microstep: AtomicU64,
    is_waiting: AtomicBool,
    told: Mutex<Told>,
}

/// What is written seldom.
struct Told {
    phase: Phase,
    lack: Option<(Lack, Instant)>,
    peers: Vec<PeerTold>,
    flows: Vec<FlowStatus>,
}

/// How another node looks, with points in time instead of spans.
pub(crate) struct PeerTold {
    pub(crate) node: String,
    pub(crate) is_connected: bool,
    pub(crate) heard: Option<Instant>,
    pub(crate) connections: u32,
}

/// What a node lacks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lack {
    pub(crate) node: String,
    pub(crate) flow: Option<String>,
    pub(crate) tag: Option<Tag>,
    pub(crate) what: Need,
}

impl Board {
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
        let told = Told { phase: Phase::Joining, lack: None, peers: Vec::new(), flows };
        let board = Board {
            node: hello.node.clone(),
            run: hello.run,
            resolution: hello.resolution,
            time: AtomicI64::new(0),
            microstep: AtomicU64::new(NO_TAG),
            is_waiting: AtomicBool::new(false),
            told: Mutex::new(told),
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
        self.told().phase = phase;
    }

    pub(crate) fn waits(&self, lack: Lack, since: Instant) {
        self.told().lack = Some((lack, since));
        self.is_waiting.store(true, Ordering::Relaxed);
    }

    pub(crate) fn goes_on(&self) {
        self.is_waiting.store(false, Ordering::Relaxed);
    }

    pub(crate) fn write(&self, peers: Vec<PeerTold>, flows: Vec<FlowStatus>) {
        let mut told = self.told();
        told.peers = peers;
        told.flows = flows;
    }

    /// All of it, for whoever asks.
    pub(crate) fn status(&self) -> Status {
        let told = self.told();
        let is_waiting = self.is_waiting.load(Ordering::Relaxed);
        let lack = told.lack.as_ref().filter(|_| is_waiting);
        let waits = lack.map(|(lack, since)| Wait {
            for_node: lack.node.clone(),
            flow: lack.flow.clone(),
            tag: lack.tag,
            what: lack.what,
            since: since.elapsed(),
        });
        let peer = |peer: &PeerTold| PeerStatus {
            node: peer.node.clone(),
            is_connected: peer.is_connected,
            silent_for: peer.heard.map(|heard| heard.elapsed()),
            connections: peer.connections,
        };
        Status {
            node: self.node.clone(),
            run: self.run,
            resolution: self.resolution,
            phase: told.phase,
            tag: self.tag(),
            waits,
            peers: told.peers.iter().map(peer).collect(),
            flows: told.flows.clone(),
        }
    }

    /// A thread that panicked leaves it readable: every write is one assignment.
    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
