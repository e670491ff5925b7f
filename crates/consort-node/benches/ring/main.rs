//! A ring of nodes, each of which hands numbers to the next in every step: how much faster than HELICS?
//!
//! Node i holds a few numbers x, at first all i. In each step it hands x to the next node, receives u from the
//! one before, and x = (x + u) / 2: so little work that what remains is the cost of coordination. Both sides do the
//! same and must end with the same bits.
//!
//! HELICS is driven from C (`helics.c`), by the shared library of the PyPI wheel. In process it has one core of
//! kind `inproc` with a thread for each federate (`threads`), or calls the federates back (`callbacks`, its
//! fastest way); across processes the faster of its `tcp` and `zmq` cores counts. Ours are the scheduler of
//! `consort-federation` on one thread, and one process for each node over TCP.
//!
//! ```sh
//! cargo bench -p consort-node --bench ring -- [--check] [--quick]
//! ```
//!
//! The last column is the share of our steps over TCP that checksums take at most: as if all nodes computed theirs one after
//! another.
//!
//! `--check` fails if ours is not 10 times faster than `threads` in process and 5 times over TCP, or checksums take more than 5 %. `--quick`
//! runs fewer steps once. With `--features zenoh` the ring runs over Zenoh, too.

mod helics;
mod ours;
#[path = "../../tests/support/processes.rs"]
mod processes;
#[path = "../../tests/support/ring.rs"]
mod ring;

use consort_core::{Tag, Time};
use consort_federation::flow::FlowId;
use consort_node::frame::{self, Body, Frame};
use helics::{Helics, Way};
use ring::Ring;
use std::hint::black_box;
use std::net::TcpListener;
use std::process::ExitCode;
use std::time::Instant;

/// How long it took, and a hash of the numbers at the end.
#[derive(Clone, Copy)]
struct Measured {
    seconds: f64,
    hash: u64,
}

/// Microseconds per step.
struct Row {
    threads: f64,
    callbacks: f64,
    ours: f64,
    helics_tcp: f64,
    ours_tcp: f64,
    /// The checksums of all frames of a step.
    checksums: f64,
}

/// Enough that no node waits for room.
const CAPACITY: u32 = 8;
const LEAST_IN_PROCESS: f64 = 10.0;
const LEAST_OVER_TCP: f64 = 5.0;
const CHECKSUMS_MOST: f64 = 0.05;
/// In a step a node sends a message, and credit for the one that it took.
const FRAMES_PER_STEP: usize = 2;

#[expect(clippy::print_stdout, reason = "a benchmark's data are its figures")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|word| word == processes::NODE) {
        return processes::serve(&arguments[1..]);
    }
    let is_given = |name: &str| arguments.iter().any(|argument| argument == name);
    let (helics, effort) = (Helics::compile(), Effort::new(is_given("--quick")));
    println!("a ring of nodes; microseconds per time step, and how many times faster ours is");
    println!("               in process                                          over TCP");
    println!(
        "nodes doubles   threads  callbacks      ours   times   (callbacks)     helics      ours   times  checksums"
    );
    let mut is_enough = true;
    for (nodes, doubles) in [(2, 1), (2, 8), (8, 1), (8, 8), (32, 1), (32, 8)] {
        let row = measure(&helics, nodes, doubles, &effort);
        let (times, times_tcp) = (row.threads / row.ours, row.helics_tcp / row.ours_tcp);
        println!(
            "{nodes:>5} {doubles:>7} {:>9.2} {:>10.2} {:>9.3} {times:>7.1} {:>13.1} {:>10.1} {:>9.1} {times_tcp:>7.1} {:>8.1} %",
            row.threads,
            row.callbacks,
            row.ours,
            row.callbacks / row.ours,
            row.helics_tcp,
            row.ours_tcp,
            100.0 * row.checksums / row.ours_tcp,
        );
        is_enough &= LEAST_IN_PROCESS <= times && LEAST_OVER_TCP <= times_tcp;
        is_enough &= row.checksums <= CHECKSUMS_MOST * row.ours_tcp;
    }
    #[cfg(feature = "zenoh")]
    over_zenoh(&effort);
    let is_fine = is_enough || !is_given("--check");
    if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Printed for those who wonder what Zenoh costs; nothing is asked of it.
#[cfg(feature = "zenoh")]
#[expect(clippy::print_stdout, reason = "a benchmark's data are its figures")]
fn over_zenoh(effort: &Effort) {
    for nodes in [2, 8, 32] {
        let steps = 3_200 / nodes as u64 / effort.less;
        let ring = Ring { nodes, doubles: 1, steps, capacity: CAPACITY };
        let mut best = f64::INFINITY;
        (0..effort.rounds).for_each(|_| lower(&mut best, ring, ours::over_zenoh(ring)));
        println!("{nodes:>5} {:>7} over Zenoh: {best:.1}", ring.doubles);
    }
}

/// How often, and how long.
struct Effort {
    rounds: usize,
    /// Divides the numbers of steps.
    less: u64,
}

impl Effort {
    fn new(is_quick: bool) -> Effort {
        if is_quick { Effort { rounds: 1, less: 10 } } else { Effort { rounds: 3, less: 1 } }
    }
}

/// Everything in turns, so that all suffer alike from whatever else the machine does; the best of each.
fn measure(helics: &Helics, nodes: usize, doubles: usize, effort: &Effort) -> Row {
    let ring = |steps: u64| {
        let steps = steps / nodes as u64 / effort.less;
        Ring { nodes, doubles, steps, capacity: CAPACITY }
    };
    let none = f64::INFINITY;
    let mut row = Row {
        threads: none,
        callbacks: none,
        ours: none,
        helics_tcp: none,
        ours_tcp: none,
        checksums: none,
    };
    for _ in 0..effort.rounds {
        let few = ring(8_000);
        let threads = helics.run(Way::Threads, few);
        lower(&mut row.threads, few, threads);
        let more = ring(80_000);
        lower(&mut row.callbacks, more, helics.run(Way::Callbacks, more));
        let many = ring(2_000_000);
        lower(&mut row.ours, many, ours::in_process(many));
        let spread = ring(32_000);
        let over_tcp = ours::over_tcp(spread);
        lower(&mut row.ours_tcp, spread, over_tcp);
        for way in [Way::Tcp, Way::Zmq] {
            let theirs = helics.run(way, spread);
            assert_eq!(theirs.hash, over_tcp.hash, "both compute the same");
            lower(&mut row.helics_tcp, spread, theirs);
        }
        row.checksums = row.checksums.min(checksums(nodes, doubles));
        let expected = hash(few.expected().iter().flatten());
        assert_eq!(ours::in_process(few).hash, expected, "ours computes what a loop does");
        assert_eq!(helics.run(Way::Callbacks, few).hash, expected, "and so does theirs");
        assert_eq!(threads.hash, expected, "either way");
    }
    row
}

/// Microseconds for the checksums of all frames of a step, made by their senders and again by their receivers.
fn checksums(nodes: usize, doubles: usize) -> f64 {
    const TIMES: u32 = 20_000;
    let (payload, flow) = (vec![1; 8 * doubles], FlowId(0));
    let (tag, next) = (Tag::at(Time::ZERO), None);
    let body = Body::Message { flow, tag, next, payload: &payload };
    let mut bytes = Vec::new();
    frame::encode(&Frame { sequence: 1, acknowledgment: 0, body }, &mut bytes);
    let begin = Instant::now();
    for _ in 0..TIMES {
        frame::seal(black_box(&mut bytes));
    }
    let each = 1e6 * begin.elapsed().as_secs_f64() / f64::from(TIMES);
    each * (2 * FRAMES_PER_STEP * nodes) as f64
}

fn lower(best: &mut f64, ring: Ring, measured: Measured) {
    *best = best.min(1e6 * measured.seconds / ring.steps as f64);
}

/// A hash of the numbers of all nodes, in their order.
fn hash<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325;
    let add = |hash: u64, x: &f64| (hash ^ x.to_bits()).wrapping_mul(0x0100_0000_01b3);
    numbers.into_iter().fold(start, add)
}

/// Ports that are free at the moment.
fn free_ports(count: usize) -> Vec<u16> {
    let bind = |_| TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    // All of them are held until the last is found, so that none is found twice.
    let listeners: Vec<TcpListener> = (0..count).map(bind).collect();
    let port = |listener: &TcpListener| listener.local_addr().expect("it is bound").port();
    listeners.iter().map(port).collect()
}
