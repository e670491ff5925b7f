//! Links over Zenoh: the results of any other link, also when a peer is stopped, and an error when it is killed.

mod links;
#[path = "../support/processes.rs"]
mod processes;
#[path = "../support/ring.rs"]
mod ring;
#[path = "../support/runner.rs"]
mod runner;

use consort_node::Endpoint;
use processes::{Place, Running, Said};
use ring::Ring;
use rustix::process::{Pid, Signal, kill_process};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == processes::NODE) {
        return processes::serve(&words[1..]);
    }
    let tests: &[runner::Test] = &[
        ("frames_arrive_whole_and_in_both_directions", links::frames_arrive),
        ("a_link_that_is_dropped_is_closed_at_the_other_end", links::dropped_is_closed),
        ("a_missing_listener_is_an_error_in_time", links::no_listener),
        ("a_locator_that_is_none_is_an_error", links::no_locator),
        ("a_node_without_a_certificate_does_not_connect", links::no_certificate),
        ("rings_of_all_sizes_give_the_expected_bits", rings),
        ("over_tls_the_bits_are_the_same", over_tls),
        ("a_peer_that_is_stopped_for_8_s_changes_nothing", stopped_8),
        ("a_peer_that_is_stopped_for_14_s_changes_nothing", stopped_14),
        ("a_peer_that_is_killed_is_named", killed),
    ];
    runner::run(tests, &words)
}

/// Locators at ports of this machine that are free.
fn locators(kind: &str, count: usize) -> Vec<String> {
    let bind = |_| TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    // All of them are held until the last is found, so that none is found twice.
    let listeners: Vec<TcpListener> = (0..count).map(bind).collect();
    let port = |listener: &TcpListener| listener.local_addr().expect("it is bound").port();
    listeners.iter().map(|listener| format!("{kind}/127.0.0.1:{}", port(listener))).collect()
}

fn locator(kind: &str) -> String {
    locators(kind, 1).remove(0)
}

fn start(ring: Ring, pace: Duration, certificates: Option<&Path>) -> Vec<Running> {
    let kind = if certificates.is_some() { "tls" } else { "tcp" };
    let endpoints: Vec<Endpoint> =
        locators(kind, ring.nodes).into_iter().map(Endpoint::Zenoh).collect();
    let program = std::env::current_exe().expect("this program has a path");
    let certificates = certificates.map(|folder| folder.display().to_string());
    let start = |index: usize| {
        let (endpoints, certificates) = (endpoints.clone(), certificates.clone());
        let place = Place { ring, index, endpoints, pace, certificates };
        Running::start(place.command(Command::new(&program)))
    };
    (0..ring.nodes).map(start).collect()
}

fn finish(ring: Ring, nodes: Vec<Running>) -> Vec<Said> {
    let finished: Result<Vec<Said>, String> = nodes.into_iter().map(Running::finish).collect();
    let said = finished.unwrap_or_else(|complaint| panic!("{ring:?}: {complaint}"));
    let x: Vec<Vec<f64>> = said.iter().map(|said| said.x.clone()).collect();
    assert_eq!(x, ring.expected(), "{ring:?}");
    said
}

fn rings() {
    for (nodes, doubles, capacity) in [(2, 1, 1), (3, 8, 64), (5, 2_000, 3)] {
        let ring = Ring { nodes, doubles, steps: 50, capacity };
        finish(ring, start(ring, Duration::ZERO, None));
    }
}

fn over_tls() {
    let folder = links::certificates();
    let ring = Ring { nodes: 3, doubles: 4, steps: 50, capacity: 2 };
    finish(ring, start(ring, Duration::ZERO, Some(folder.path())));
}

fn stopped_8() {
    stopped(Duration::from_secs(8));
}

fn stopped_14() {
    stopped(Duration::from_secs(14));
}

/// Longer than Zenoh waits for a congested peer (5 s), and longer than its lease (10 s), by default.
fn stopped(pause: Duration) {
    let ring = Ring { nodes: 3, doubles: 4, steps: 400, capacity: 16 };
    let mut nodes = start(ring, Duration::from_millis(5), None);
    nodes.iter_mut().for_each(Running::wait_until_joined);
    std::thread::sleep(Duration::from_millis(300));
    signal(&nodes[1], Signal::STOP);
    std::thread::sleep(pause);
    signal(&nodes[1], Signal::CONT);
    let said = finish(ring, nodes);
    let took = Duration::from_nanos(said[0].end - said[0].begin);
    assert!(pause <= took, "the peer was stopped after the end: {took:?}");
}

fn killed() {
    let ring = Ring { nodes: 2, doubles: 1, steps: 100_000, capacity: 4 };
    let mut nodes = start(ring, Duration::from_millis(1), None);
    nodes.iter_mut().for_each(Running::wait_until_joined);
    std::thread::sleep(Duration::from_millis(200));
    let begin = Instant::now();
    signal(&nodes[1], Signal::KILL);
    let complaint = nodes.remove(0).finish().expect_err("a ring needs both");
    assert!(complaint.contains(&Ring::name(1)), "{complaint}");
    assert!(begin.elapsed() < Duration::from_secs(15), "it took {:?}", begin.elapsed());
    nodes.remove(0).finish().expect_err("it was killed");
}

fn signal(node: &Running, signal: Signal) {
    let id = i32::try_from(node.child.id()).expect("a process id is small");
    let id = Pid::from_raw(id).expect("a child is no process 0");
    kill_process(id, signal).expect("our own child can be signaled");
}
