//! Suspends and resumes node processes, as a debugger does: what is computed must not depend on it.

use crate::message::NodeMessage;
use crate::node_process::NodeProcess;
use consort_core::Prng;
use consort_process::Supervisor;
use std::time::{Duration, Instant};

/// The longest time from one stop to the next.
const PAUSE_MAX: Duration = Duration::from_millis(500);
/// One in so many runs is disturbed while its nodes still meet; the others when they compute.
const EARLY: u64 = 4;

/// How nodes are disturbed while they compute. Results may not depend on any of it.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeDisturbance {
    /// Decides which node, when and for how long.
    pub seed: u64,
    /// How often a node is suspended.
    pub stops: u32,
    /// The shortest time that a node is stopped.
    pub stop_min: Duration,
    /// The longest time that a node is stopped.
    pub stop_max: Duration,
}

/// How nodes really were disturbed: what came too late is not counted.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Disturbed {
    /// The duration of each stop.
    pub stops: Vec<Duration>,
    /// How many links broke and were made again.
    pub links: u64,
}

impl Disturbed {
    /// The disturbances of nodes that have ended.
    pub(crate) fn of(nodes: &[NodeProcess], disturber: Option<Disturber>) -> Self {
        let outcomes = nodes.iter().filter_map(|node| node.outcome.as_ref());
        let links = outcomes.map(|outcome| outcome.links_remade).sum();
        Disturbed { stops: disturber.map(|it| it.stops).unwrap_or_default(), links }
    }
}

/// Stops nodes, one at a time.
#[derive(Debug)]
pub(crate) struct Disturber {
    disturbance: NodeDisturbance,
    random: Prng,
    left: u32,
    /// Whether it is time to begin.
    has_begun: bool,
    /// When the next thing is to be done.
    due: Instant,
    /// The stopped nodes, and the time of their stop.
    stopped: Option<(usize, Instant)>,
    /// The duration of each stop.
    stops: Vec<Duration>,
}

impl Disturber {
    /// Begins to disturb now.
    pub(crate) fn new(disturbance: &NodeDisturbance) -> Self {
        let mut random = Prng::new(disturbance.seed).split("stops");
        let has_begun = random.below(EARLY) == 0;
        let mut disturber = Disturber {
            disturbance: disturbance.clone(),
            random,
            left: disturbance.stops,
            has_begun,
            due: Instant::now(),
            stopped: None,
            stops: Vec::new(),
        };
        disturber.wait(Duration::ZERO, PAUSE_MAX);
        disturber
    }

    /// Does what is due.
    pub(crate) fn act(&mut self, nodes: &[NodeProcess], supervisor: &mut Supervisor<NodeMessage>) {
        if !self.has_begun && nodes.iter().all(|node| node.at.is_some()) {
            self.has_begun = true;
            self.wait(Duration::ZERO, PAUSE_MAX);
        }
        if !self.has_begun || Instant::now() < self.due {
            return;
        }
        if let Some((index, since)) = self.stopped.take() {
            // A node that has reported its end meanwhile had done so before.
            if nodes[index].outcome.is_none() {
                self.stops.push(since.elapsed());
            }
            nodes[index].resume(supervisor);
            self.wait(Duration::ZERO, PAUSE_MAX);
        } else if 0 < self.left {
            self.stop(nodes, supervisor);
        }
    }

    /// Stops one of those that still compute.
    fn stop(&mut self, nodes: &[NodeProcess], supervisor: &mut Supervisor<NodeMessage>) {
        let computing = nodes.iter().enumerate().filter(|(_, node)| node.outcome.is_none());
        let computing: Vec<usize> = computing.map(|(index, _)| index).collect();
        if computing.is_empty() {
            return;
        }
        self.left -= 1;
        let index = computing[self.random.below(computing.len() as u64) as usize];
        nodes[index].suspend(supervisor);
        self.stopped = Some((index, Instant::now()));
        self.wait(self.disturbance.stop_min, self.disturbance.stop_max);
    }

    fn wait(&mut self, least: Duration, most: Duration) {
        let more = most.saturating_sub(least).mul_f64(self.random.next_f64());
        self.due = Instant::now() + least + more;
    }
}
