//! The ring in two network namespaces, joined by a network that delays, reorders and drops real packets.

#[path = "../support/processes.rs"]
mod processes;
#[path = "../support/ring.rs"]
mod ring;
#[path = "../support/runner.rs"]
mod runner;

use consort_node::Endpoint;
use consort_testkit::network::{BadNetwork, Side, Weather};
use processes::{Place, Running, Said};
use ring::Ring;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == processes::NODE) {
        return processes::serve(&words[1..]);
    }
    let tests: &[runner::Test] = &[
        ("over_tcp_a_bad_network_changes_no_bit", over_tcp),
        #[cfg(feature = "zenoh")]
        ("over_zenoh_a_bad_network_changes_no_bit", over_zenoh),
    ];
    runner::run(tests, &words)
}

fn over_tcp() {
    check("over_tcp_a_bad_network_changes_no_bit", 21, |address, port| {
        Endpoint::Tcp(format!("{address}:{port}"))
    });
}

#[cfg(feature = "zenoh")]
fn over_zenoh() {
    check("over_zenoh_a_bad_network_changes_no_bit", 22, |address, port| {
        Endpoint::Zenoh(format!("tcp/{address}:{port}"))
    });
}

/// Four nodes, two on each side in turns, so that every flow crosses the network.
fn check(test: &str, seed: u64, endpoint: fn(&str, usize) -> Endpoint) {
    let Some(network) = BadNetwork::or_skip(test, seed, Weather::BAD) else { return };
    let ring = Ring { nodes: 4, doubles: 3, steps: 100, capacity: 4 };
    let side = |index: usize| if index.is_multiple_of(2) { Side::Left } else { Side::Right };
    let endpoints: Vec<Endpoint> =
        (0..ring.nodes).map(|index| endpoint(network.address(side(index)), 7100 + index)).collect();
    let program = std::env::current_exe().expect("this program has a path");
    let start = |index: usize| {
        let (endpoints, pace) = (endpoints.clone(), Duration::ZERO);
        let place = Place { ring, index, endpoints, pace, certificates: None };
        Running::start(place.command(network.command(side(index), &program)))
    };
    let mut nodes: Vec<Running> = (0..ring.nodes).map(start).collect();
    nodes.iter_mut().for_each(Running::wait_until_joined);
    let said: Vec<Result<Said, String>> = nodes.into_iter().map(Running::finish).collect();
    let x: Vec<Result<Vec<f64>, String>> =
        said.into_iter().map(|said| said.map(|said| said.x)).collect();
    let expected: Vec<Result<Vec<f64>, String>> = ring.expected().into_iter().map(Ok).collect();
    assert_eq!(x, expected, "seed {seed}");
    let counts = network.counts();
    let is_bad = 0 < counts.dropped && 0 < counts.overtaken && 100 < counts.delivered;
    assert!(is_bad, "the network was not bad: {counts:?}, seed {seed}");
}
