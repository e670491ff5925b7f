//! How many messages a second are delivered in one process, on one thread.
//!
//! Four bodies send each other their positions, each with a period of its own: four nodes, twelve links, three
//! numbers per message. What is measured is all there is per message: the emission, the machine of its source,
//! the way to the sink, the sink's machine, both hashes, and the behavior. With `--check` it fails below five million
//! deliveries a second (in a release build; `cargo bench -p consort-federation`).

use consort_core::{NodeId, Tag, Time};
use consort_federation::flow::{
    Behavior, Flow, FlowId, FlowKind, FlowSide, FlowTiming, Scheduler, Topology,
};
use std::time::Instant;

const BODIES: u32 = 4;
const PERIODS: [i64; 4] = [2, 3, 4, 6];
/// Short enough that some round is not disturbed, on a machine that has other things to do.
const HORIZON: i64 = 4_000;
const DELIVERIES_PER_SECOND_MIN: f64 = 5e6;
const ROUNDS: usize = 500;

/// A body that knows where the others were last.
struct Body {
    others: [[f64; 3]; 4],
    position: [f64; 3],
    velocity: [f64; 3],
}

impl Behavior<[f64; 3]> for Body {
    fn on_inputs(&mut self, _: Tag, inputs: &[(FlowId, [f64; 3])]) {
        for (flow, position) in inputs {
            self.others[flow.index()] = *position;
        }
    }

    fn emit(&mut self, _: FlowId, _: Tag, next: Option<Tag>) -> ([f64; 3], Option<Tag>) {
        for axis in 0..3 {
            let pull: f64 = self.others.iter().map(|other| other[axis] - self.position[axis]).sum();
            self.velocity[axis] += 1e-6 * pull;
            self.position[axis] += 1e-3 * self.velocity[axis];
        }
        (self.position, next)
    }
}

fn topology(capacity: u32) -> Topology {
    let flow = |source: u32| Flow {
        name: format!("position{source}"),
        source: NodeId(source),
        sinks: (0..BODIES).filter(|sink| *sink != source).map(NodeId).collect(),
        kind: FlowKind::State,
        first: Tag::at(Time::ZERO),
        timing: FlowTiming::Periodic(Time::from_ticks(PERIODS[source as usize])),
        payload: "f64[3]".to_owned(),
        priority: 0,
        capacity,
        feedthrough: None,
        self_flow: false,
    };
    let nodes = (0..BODIES).map(|node| format!("body{node}")).collect();
    Topology { nodes, flows: (0..BODIES).map(flow).collect() }
}

fn scheduler(topology: &Topology) -> Scheduler<[f64; 3], Body> {
    let body = |index: u32| {
        let place = f64::from(index);
        Body { others: [[0.0; 3]; 4], position: [place, -place, 1.0], velocity: [0.0; 3] }
    };
    let horizon = Tag::at(Time::from_ticks(HORIZON));
    Scheduler::new(topology, (0..BODIES).map(body).collect(), Some(horizon))
}

/// Deliveries, and deliveries per second: the best of some rounds.
#[expect(clippy::disallowed_methods, reason = "a benchmark looks at the clock")]
fn measured(capacity: u32) -> (u64, f64) {
    let topology = topology(capacity);
    let mut best = (0, 0.0_f64);
    for _ in 0..ROUNDS {
        let mut scheduler = scheduler(&topology);
        let start = Instant::now();
        scheduler.run().expect("state flows never wait for each other");
        let seconds = start.elapsed().as_secs_f64();
        let sinks = scheduler.records().filter(|(_, record)| record.side == FlowSide::Sink);
        let deliveries: u64 = sinks.map(|(_, record)| record.count).sum();
        best = (deliveries, best.1.max(deliveries as f64 / seconds));
    }
    best
}

#[expect(clippy::print_stdout, reason = "a benchmark reports on stdout")]
fn main() {
    let mut rate_best = 0.0_f64;
    println!("capacity  deliveries  million per second");
    for capacity in [1, 8, 64] {
        let (deliveries, rate) = measured(capacity);
        println!("{capacity:>8}  {deliveries:>10}  {:>18.1}", rate / 1e6);
        rate_best = rate_best.max(rate);
    }
    let is_checked = std::env::args().any(|argument| argument == "--check");
    if is_checked && rate_best < DELIVERIES_PER_SECOND_MIN {
        println!("fewer than {:.0} million deliveries a second", DELIVERIES_PER_SECOND_MIN / 1e6);
        std::process::exit(1);
    }
}
