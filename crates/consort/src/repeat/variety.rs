//! The settings that vary from run to run: all of them follow from one number.

use super::RepeatRequest;
use super::placements::Units;
use consort_core::Prng;
use consort_distributed::deployment::{check_link, placement, project};
use consort_distributed::{Deployment, Disturbed, NodeDisturbance};
use consort_node::{Faults, LinkKind};
use consort_run::settings::available_workers;
use consort_run::{Error, Prepared};
use consort_system::{Crossing, Placement};
use consort_view::numbers::{duration, plural};
use std::time::Duration;

/// The links that are gone through if none are named.
const LINKS: [LinkKind; 3] = [LinkKind::Thread, LinkKind::Unix, LinkKind::Tcp];
/// How many placements are drawn, unless the request says otherwise.
const PLACEMENTS: u32 = 4;
/// The longest delay of a message, unless the request says otherwise, in seconds.
const LINK_DELAY: f64 = 0.0002;
/// The longest stop of a node, unless the request says otherwise.
const STOP_MAX: Duration = Duration::from_millis(1500);
/// The longest stop divided by the shortest.
const STOP_RATIO: u32 = 15;
/// The share of messages that a simulated link loses, and the share that it doubles.
const FAULT_SHARE: f64 = 0.02;

/// How one run differs from others.
#[derive(Debug)]
pub struct RunVariant {
    /// The number of workers.
    pub workers: usize,
    /// How many threads keep the machine busy.
    pub load: usize,
    /// The nodes that compute it; this process alone without.
    pub deployment: Option<Deployment>,
}

/// All that is varied.
pub(super) struct Variety<'a> {
    request: &'a RepeatRequest,
    load: usize,
    random: Prng,
    links: Vec<Linked>,
}

/// A kind of link and the placements that it allows.
struct Linked {
    link: LinkKind,
    candidates: Vec<PlacementCandidate>,
}

/// A placement, and how many messages its nodes exchange.
#[derive(Clone)]
struct PlacementCandidate {
    placement: Placement,
    messages: i64,
}

impl<'a> Variety<'a> {
    /// What the options and the system ask for.
    ///
    /// # Errors
    /// If nodes cannot be linked as asked for.
    pub(super) fn new(request: &'a RepeatRequest, prepared: &Prepared) -> Result<Self, Error> {
        let random = Prng::new(request.vary).split("repeat");
        let links = match is_distributed(request, prepared) {
            true => links(request, prepared, &random)?,
            false => Vec::new(),
        };
        Ok(Variety {
            request,
            load: request.load.unwrap_or_else(|| 2 * available_workers()),
            random,
            links,
        })
    }

    /// Whether runs are distributed at all.
    fn is_distributed(&self) -> bool {
        !self.links.is_empty()
    }

    /// The setting of the run with this index. The first run is local: the others are compared with it.
    pub(super) fn setting(&self, index: u32) -> RunVariant {
        let counts = &self.request.workers;
        let workers = counts[index as usize % counts.len()];
        if !self.is_distributed() {
            return RunVariant { workers, load: self.load, deployment: None };
        }
        let mut random = self.random.split(&index.to_string());
        let load = random.below(self.load as u64 + 1) as usize;
        let deployment =
            index.checked_sub(1).map(|turn| self.deployment(turn as usize, &mut random));
        RunVariant { workers, load, deployment }
    }

    /// Links and placements are gone through in turn, so that few runs meet many of them.
    fn deployment(&self, turn: usize, random: &mut Prng) -> Deployment {
        let linked = &self.links[turn % self.links.len()];
        let candidate = turn / self.links.len() + turn % self.links.len();
        let candidate = &linked.candidates[candidate % linked.candidates.len()];
        // Small ones more often: they are where nodes wait for each other.
        let capacity_max = 1 << random.below(7);
        let capacity = 1 + random.below(capacity_max) as u32;
        let faults = self.faults(linked.link, candidate.messages, random);
        let disturbance = self.disturbance(linked.link, random);
        let link = linked.link;
        let tls = self.request.tls.clone();
        let placement = candidate.placement.clone();
        Deployment { link, capacity, tls, faults, disturbance, ..Deployment::new(placement) }
    }

    fn faults(&self, link: LinkKind, messages: i64, random: &mut Prng) -> Option<Faults> {
        let request = self.request;
        let is_delayed = random.below(2) == 0 || link == LinkKind::Simulated;
        let longest = request.link_delay.unwrap_or(LINK_DELAY) * random.next_f64();
        let half = Duration::from_secs_f64(if is_delayed { longest / 2.0 } else { 0.0 });
        let share = if link == LinkKind::Simulated { FAULT_SHARE } else { 0.0 };
        let faults = Faults {
            delay: half,
            jitter: half,
            loss: share,
            duplication: share,
            cuts: (f64::from(request.cuts) / messages.max(1) as f64).min(0.5),
            ..Faults::none(random.next_u64())
        };
        (is_delayed || 0 < request.cuts).then_some(faults)
    }

    fn disturbance(&self, link: LinkKind, random: &mut Prng) -> Option<NodeDisturbance> {
        let request = self.request;
        let stop_max = request.stop_max.unwrap_or(STOP_MAX);
        let disturbance = NodeDisturbance {
            seed: random.next_u64(),
            stops: request.stops,
            stop_min: stop_max / STOP_RATIO,
            stop_max,
        };
        (0 < request.stops && link.has_processes()).then_some(disturbance)
    }
}

impl RunVariant {
    /// `tcp, 4 nodes, capacity 3, 2 workers, 1 thread of load, up to 0.1 ms of delay, 1 stop, 2 links cut`.
    pub fn describe(&self, disturbed: &Disturbed) -> String {
        let mut words = Vec::new();
        match &self.deployment {
            None => words.push("local".to_owned()),
            Some(nodes) => {
                words.push(nodes.link.name().to_owned());
                words.push(plural(nodes.placement.nodes.len() as u64, "node"));
                words.push(format!("capacity {}", nodes.capacity));
            }
        }
        words.push(plural(self.workers as u64, "worker"));
        words.push(format!("{} of load", plural(self.load as u64, "thread")));
        let delay = self.delay();
        if !delay.is_zero() {
            words.push(format!("up to {} of delay", duration(delay.as_secs_f64())));
        }
        if !disturbed.stops.is_empty() {
            words.push(plural(disturbed.stops.len() as u64, "stop"));
        }
        if 0 < disturbed.links {
            words.push(format!("{} cut", plural(disturbed.links, "link")));
        }
        words.join(", ")
    }

    /// The longest delay of a message.
    pub fn delay(&self) -> Duration {
        let faults = self.deployment.as_ref().and_then(|nodes| nodes.faults.as_ref());
        faults.map_or(Duration::ZERO, |faults| faults.delay + faults.jitter)
    }
}

fn is_distributed(request: &RepeatRequest, prepared: &Prepared) -> bool {
    let is_asked = !request.links.is_empty() || request.placements.is_some();
    !request.local && (is_asked || prepared.resolved().placement.is_some())
}

fn links(
    request: &RepeatRequest,
    prepared: &Prepared,
    random: &Prng,
) -> Result<Vec<Linked>, Error> {
    let wanted = if request.links.is_empty() { &LINKS[..] } else { &request.links };
    let linked = wanted.iter().map(|&link| {
        check_link(link)?;
        let units = Units::of(prepared, link);
        Ok(Linked { link, candidates: candidates(request, prepared, &units, random)? })
    });
    linked.collect()
}

/// The placement of the system, and some that are drawn.
fn candidates(
    request: &RepeatRequest,
    prepared: &Prepared,
    units: &Units,
    random: &Prng,
) -> Result<Vec<PlacementCandidate>, Error> {
    let written = placement(prepared, &[])?;
    if let Some(written) = &written {
        // A mistake in the system's own placement is an error, whatever is drawn.
        project(prepared, written)?;
    }
    let mut placements: Vec<Placement> =
        written.into_iter().filter(|placement| units.allow(placement)).collect();
    let drawn = request.placements.unwrap_or(PLACEMENTS);
    // All kinds of links see the same draws, as far as they allow the same placements.
    let mut random = random.split("placements");
    placements.extend((0..drawn).map(|_| units.draw(&mut random)));
    if placements.is_empty() {
        placements.push(units.draw(&mut random));
    }
    let candidate = |placement: Placement| {
        let projection = project(prepared, &placement)?;
        let messages = projection.crossings.iter().map(messages).sum();
        Ok(PlacementCandidate { placement, messages })
    };
    placements.into_iter().map(candidate).collect()
}

/// How many messages a crossing has.
fn messages(crossing: &Crossing) -> i64 {
    let length = (crossing.last - crossing.first).ticks();
    crossing.period.map_or(1, |period| length / period.ticks().max(1) + 1)
}
