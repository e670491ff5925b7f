//! What changes from run to run: all of it follows from one number.

use super::placements::Units;
use crate::cli::{LinkChoice, LinkKind, RepeatArgs};
use crate::commands::run;
use crate::outcome::CommandError;
use crate::output::diagnostics::plural;
use crate::pipeline::Prepared;
use crate::spread::{self, Disturbance, Spread, Suffered};
use consort_core::Prng;
use consort_node::Faults;
use consort_system::{Crossing, Placement};
use consort_view::numbers::duration;
use std::time::Duration;

/// The links that are gone through if nobody names some.
const LINKS: [LinkKind; 3] = [LinkKind::Thread, LinkKind::Unix, LinkKind::Tcp];
/// How many placements are drawn if nobody says.
const PLACEMENTS: u32 = 4;
/// The longest a message is under way if nobody says, in seconds.
const LINK_DELAY: f64 = 0.0002;
/// How long a node is stopped at most if nobody says.
const STOP_MOST: Duration = Duration::from_millis(1500);
/// The longest stop is so many of the shortest.
const STOP_RANGE: u32 = 15;
/// What a simulated link loses, and what it doubles.
const SHARE: f64 = 0.02;

/// How one run differs from others.
#[derive(Debug)]
pub(super) struct Setting {
    /// How many workers compute.
    pub(super) workers: usize,
    /// How many threads keep the machine busy.
    pub(super) load: usize,
    /// Where it is computed, if not here.
    pub(super) spread: Option<Spread>,
}

/// All that is varied.
pub(super) struct Variety<'a> {
    args: &'a RepeatArgs,
    load: usize,
    random: Prng,
    links: Vec<Linked>,
}

/// A kind of link and the placements that it allows.
struct Linked {
    link: LinkKind,
    candidates: Vec<Candidate>,
}

/// A placement and how much it makes nodes talk.
#[derive(Clone)]
struct Candidate {
    placement: Placement,
    messages: i64,
}

impl<'a> Variety<'a> {
    /// What the options and the system ask for.
    ///
    /// # Errors
    /// If nodes cannot be linked as asked for.
    pub(super) fn new(args: &'a RepeatArgs, prepared: &Prepared) -> Result<Self, CommandError> {
        let random = Prng::new(args.varied.vary).split("repeat");
        let links = match is_spread(args, prepared) {
            true => links(args, prepared, &random)?,
            false => Vec::new(),
        };
        Ok(Variety { args, load: load_threads(args), random, links })
    }

    /// Whether runs are spread over nodes at all.
    pub(super) fn is_spread(&self) -> bool {
        !self.links.is_empty()
    }

    /// Of the run with this index. The first one is in one piece: the others are compared with it.
    pub(super) fn setting(&self, index: u32) -> Setting {
        let counts = &self.args.workers.0;
        let workers = counts[index as usize % counts.len()];
        if !self.is_spread() {
            return Setting { workers, load: self.load, spread: None };
        }
        let mut random = self.random.split(&index.to_string());
        let load = random.below(self.load as u64 + 1) as usize;
        let spread = index.checked_sub(1).map(|turn| self.spread(turn as usize, &mut random));
        Setting { workers, load, spread }
    }

    /// Links and placements are gone through in turn, so that few runs meet many of them.
    fn spread(&self, turn: usize, random: &mut Prng) -> Spread {
        let linked = &self.links[turn % self.links.len()];
        let candidate = turn / self.links.len() + turn % self.links.len();
        let candidate = &linked.candidates[candidate % linked.candidates.len()];
        // Small ones more often: they are where nodes wait for each other.
        let capacity_max = 1 << random.below(7);
        let capacity = 1 + random.below(capacity_max) as u32;
        let faults = self.faults(linked.link, candidate.messages, random);
        let disturb = self.disturbance(linked.link, random);
        let link = linked.link;
        let placement = candidate.placement.clone();
        Spread { link, capacity, faults, disturb, ..Spread::new(placement) }
    }

    fn faults(&self, link: LinkKind, messages: i64, random: &mut Prng) -> Option<Faults> {
        let varied = &self.args.varied;
        let is_delayed = random.below(2) == 0 || link == LinkKind::Simulated;
        let longest = varied.link_delay.unwrap_or(LINK_DELAY) * random.next_f64();
        let half = Duration::from_secs_f64(if is_delayed { longest / 2.0 } else { 0.0 });
        let share = if link == LinkKind::Simulated { SHARE } else { 0.0 };
        let faults = Faults {
            delay: half,
            jitter: half,
            loss: share,
            duplication: share,
            cuts: (f64::from(varied.cuts) / messages.max(1) as f64).min(0.5),
            ..Faults::none(random.next_u64())
        };
        (is_delayed || 0 < varied.cuts).then_some(faults)
    }

    fn disturbance(&self, link: LinkKind, random: &mut Prng) -> Option<Disturbance> {
        let varied = &self.args.varied;
        let stop_max = varied.stop_most.unwrap_or(STOP_MOST);
        let disturbance = Disturbance {
            seed: random.next_u64(),
            stops: varied.stops,
            stop_min: stop_max / STOP_RANGE,
            stop_max,
        };
        (0 < varied.stops && link.has_processes()).then_some(disturbance)
    }
}

impl Setting {
    /// `tcp, 4 nodes, capacity 3, 2 workers, 1 thread of load, up to 0.1 ms under way, 1 stop, 2 links cut`.
    pub(super) fn describe(&self, suffered: &Suffered) -> String {
        let mut words = Vec::new();
        match &self.spread {
            None => words.push("in one piece".to_owned()),
            Some(spread) => {
                words.push(spread.link.name().to_owned());
                words.push(plural(spread.placement.nodes.len() as u64, "node"));
                words.push(format!("capacity {}", spread.capacity));
            }
        }
        words.push(plural(self.workers as u64, "worker"));
        words.push(format!("{} of load", plural(self.load as u64, "thread")));
        let delay = self.delay();
        if !delay.is_zero() {
            words.push(format!("up to {} under way", duration(delay.as_secs_f64())));
        }
        if !suffered.stops.is_empty() {
            words.push(plural(suffered.stops.len() as u64, "stop"));
        }
        if 0 < suffered.links {
            words.push(format!("{} cut", plural(suffered.links, "link")));
        }
        words.join(", ")
    }

    /// The longest that a message is under way.
    pub(super) fn delay(&self) -> Duration {
        let faults = self.spread.as_ref().and_then(|spread| spread.faults.as_ref());
        faults.map_or(Duration::ZERO, |faults| faults.delay + faults.jitter)
    }
}

fn is_spread(args: &RepeatArgs, prepared: &Prepared) -> bool {
    let is_asked = !args.varied.links.is_empty() || args.varied.placements.is_some();
    !args.varied.local && (is_asked || prepared.resolved.placement.is_some())
}

fn load_threads(args: &RepeatArgs) -> usize {
    match args.load {
        _ if args.no_load => 0,
        Some(Some(threads)) => threads,
        Some(None) | None => 2 * run::available_workers(),
    }
}

fn links(
    args: &RepeatArgs,
    prepared: &Prepared,
    random: &Prng,
) -> Result<Vec<Linked>, CommandError> {
    let wanted = match LinkChoice::kinds(&args.varied.links) {
        links if links.is_empty() => LINKS.to_vec(),
        links => links,
    };
    let linked = wanted.into_iter().map(|link| {
        spread::check_link(link)?;
        Ok(Linked { link, candidates: candidates(args, prepared, (link, random))? })
    });
    linked.collect()
}

/// The placement of the system, and some that are drawn.
fn candidates(
    args: &RepeatArgs,
    prepared: &Prepared,
    (link, random): (LinkKind, &Prng),
) -> Result<Vec<Candidate>, CommandError> {
    let units = Units::of(prepared, link);
    let written = spread::placement(prepared, &[])?;
    if let Some(written) = &written {
        // A mistake of the system's own is told, whatever is drawn.
        spread::project(prepared, written)?;
    }
    let mut placements: Vec<Placement> =
        written.into_iter().filter(|placement| units.allow(placement)).collect();
    let drawn = args.varied.placements.unwrap_or(PLACEMENTS);
    // All kinds of links see the same draws, as far as they allow the same placements.
    let mut random = random.split("placements");
    placements.extend((0..drawn).map(|_| units.draw(&mut random)));
    if placements.is_empty() {
        placements.push(units.draw(&mut random));
    }
    let candidate = |placement: Placement| {
        let projection = spread::project(prepared, &placement)?;
        let messages = projection.crossings.iter().map(messages).sum();
        Ok(Candidate { placement, messages })
    };
    placements.into_iter().map(candidate).collect()
}

/// How many messages a crossing has.
fn messages(crossing: &Crossing) -> i64 {
    let length = (crossing.last - crossing.first).ticks();
    crossing.period.map_or(1, |period| length / period.ticks().max(1) + 1)
}
