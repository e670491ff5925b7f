//! Nodes that are stopped and go on, as in a debugger: what is computed must not depend on it.

use super::crew::Member;
use consort_core::Prng;
use std::time::{Duration, Instant};

/// The longest time from one stop to the next.
const PAUSE_MAX: Duration = Duration::from_millis(500);
/// One in so many runs is disturbed while its nodes still meet; the others when they compute.
const EARLY: u64 = 4;

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

/// What nodes really suffered: what came too late is not counted.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Suffered {
    /// How long each stop took.
    pub(crate) stops: Vec<Duration>,
    /// How many links broke and were made again.
    pub(crate) links: u64,
}

impl Suffered {
    /// By nodes that have ended.
    pub(crate) fn of(members: &[Member], disturber: Option<Disturber>) -> Self {
        let endings = members.iter().filter_map(|member| member.ending.as_ref());
        let links = endings.map(|ending| ending.links_remade).sum();
        Suffered { stops: disturber.map(|it| it.stops).unwrap_or_default(), links }
    }
}

/// Stops nodes, one at a time.
#[derive(Debug)]
pub(crate) struct Disturber {
    disturbance: Disturbance,
    random: Prng,
    left: u32,
    /// Whether it is time to begin.
    has_begun: bool,
    /// When the next thing is to be done.
    due: Instant,
    /// Who is stopped, and since when.
    stopped: Option<(usize, Instant)>,
    /// How long each stop took.
    stops: Vec<Duration>,
}

impl Disturber {
    /// From now on.
    pub(crate) fn new(disturbance: &Disturbance) -> Self {
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
    pub(crate) fn act(&mut self, members: &[Member]) {
        if !self.has_begun && members.iter().all(|member| member.at.is_some()) {
            self.has_begun = true;
            self.wait(Duration::ZERO, PAUSE_MAX);
        }
        if !self.has_begun || Instant::now() < self.due {
            return;
        }
        if let Some((index, since)) = self.stopped.take() {
            // Who has told its end meanwhile had done so before the stop.
            if members[index].ending.is_none() {
                self.stops.push(since.elapsed());
            }
            members[index].go_on();
            self.wait(Duration::ZERO, PAUSE_MAX);
        } else if 0 < self.left {
            self.stop(members);
        }
    }

    /// Stops one of those that still compute.
    fn stop(&mut self, members: &[Member]) {
        let computing = members.iter().enumerate().filter(|(_, member)| member.ending.is_none());
        let computing: Vec<usize> = computing.map(|(index, _)| index).collect();
        if computing.is_empty() {
            return;
        }
        self.left -= 1;
        let index = computing[self.random.below(computing.len() as u64) as usize];
        members[index].pause();
        self.stopped = Some((index, Instant::now()));
        self.wait(self.disturbance.stop_min, self.disturbance.stop_max);
    }

    fn wait(&mut self, least: Duration, most: Duration) {
        let more = most.saturating_sub(least).mul_f64(self.random.next_f64());
        self.due = Instant::now() + least + more;
    }
}
