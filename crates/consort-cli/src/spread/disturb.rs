//! Nodes that are stopped and go on, as in a debugger: what is computed must not depend on it.

use super::crew::Member;
use consort_core::Prng;
use std::time::{Duration, Instant};

/// The longest time from one stop to the next.
const PAUSE_MAX: Duration = Duration::from_millis(500);

/// What nodes shall suffer while they compute. Results may not depend on any of it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Disturbance {
    /// Decides who, when and for how long.
    pub(crate) seed: u64,
    /// How often a node is stopped.
    pub(crate) stops: u32,
    /// The shortest stop.
    pub(crate) stop_min: Duration,
    /// The longest.
    pub(crate) stop_max: Duration,
}

/// Stops nodes, one at a time.
#[derive(Debug)]
pub(crate) struct Disturber {
    disturbance: Disturbance,
    random: Prng,
    left: u32,
    /// When the next thing is to be done.
    due: Instant,
    /// Who is stopped.
    stopped: Option<usize>,
}

impl Disturber {
    /// From now on.
    pub(crate) fn new(disturbance: &Disturbance) -> Self {
        let mut random = Prng::new(disturbance.seed).split("stops");
        let due = Instant::now() + PAUSE_MAX.mul_f64(random.next_f64());
        let left = disturbance.stops;
        Disturber { disturbance: disturbance.clone(), random, left, due, stopped: None }
    }

    /// Does what is due.
    pub(crate) fn act(&mut self, members: &[Member]) {
        if Instant::now() < self.due || members.is_empty() {
            return;
        }
        if let Some(index) = self.stopped.take() {
            members[index].go_on();
            self.wait(Duration::ZERO, PAUSE_MAX);
        } else if 0 < self.left {
            self.left -= 1;
            let index = self.random.below(members.len() as u64) as usize;
            members[index].pause();
            self.stopped = Some(index);
            self.wait(self.disturbance.stop_min, self.disturbance.stop_max);
        }
    }

    fn wait(&mut self, least: Duration, most: Duration) {
        let more = most.saturating_sub(least).mul_f64(self.random.next_f64());
        self.due = Instant::now() + least + more;
    }
}
