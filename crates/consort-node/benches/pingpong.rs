//! A message there and one back, between two processes: what do machine, session and frames cost beside
//! bare sockets?
//!
//! Node `a` emits a state in every tick; node `b` answers with an observation of the same tick; then `a` may
//! continue. The bare ping-pong sends the same 64 bytes there and back with plain writes and reads over the same
//! kind of socket, in the same run, in turns with ours.
//!
//! ```sh
//! cargo bench -p consort-node --bench pingpong -- [--check] [--quick]
//! ```
//!
//! `--check` fails if ours takes more than 3 times as long.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use consort_core::{NodeId, Resolution, Seconds, Tag, Time};
use consort_federation::flow::{Flow, FlowKind, FlowTiming, Topology};
use consort_node::{Endpoint, JoinOptions, Node, NodeStep};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, Command, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};

const PAYLOAD: usize = 64;
const ROUNDS: usize = 7;
const TIMES_MAX: f64 = 3.0;
/// The first word of the arguments of the other process.
const OTHER: &str = "pingpong-other";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [word, kind, endpoint, trips] = arguments.as_slice()
        && word == OTHER
    {
        let endpoint = endpoint.parse().expect("an endpoint");
        other(kind, &endpoint, trips.parse().expect("a number"));
        return ExitCode::SUCCESS;
    }
    let is_given = |name: &str| arguments.iter().any(|argument| argument == name);
    let trips = if is_given("--quick") { 2_000 } else { 20_000 };
    println!(
        "{PAYLOAD} bytes there and back between two processes; microseconds, median of {ROUNDS}"
    );
    println!("{:8} {:>8} {:>8} {:>8}", "socket", "bare", "ours", "times");
    let folder = tempfile::tempdir().expect("a folder");
    let mut is_fine = true;
    for kind in ["unix", "tcp"] {
        let times = report(kind, folder.path(), trips);
        is_fine &= times <= TIMES_MAX || !is_given("--check");
    }
    if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn report(kind: &str, folder: &Path, trips: i64) -> f64 {
    let mut figures: [Vec<f64>; 2] = Default::default();
    for round in 0..ROUNDS {
        let endpoint = |what: &str| match kind {
            "unix" => Endpoint::Unix(folder.join(format!("{what}{round}"))),
            _ => Endpoint::Tcp(format!("127.0.0.1:{}", free_port())),
        };
        figures[0].push(bare(&endpoint("bare"), trips));
        figures[1].push(ours(&endpoint("ours"), trips));
    }
    let [bare, ours] = figures.map(median);
    let times = ours / bare;
    println!("{kind:8} {bare:8.2} {ours:8.2} {times:8.2}");
    times
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("it is bound").port()
}

/// Starts the other process.
fn start(kind: &str, endpoint: &Endpoint, trips: i64) -> Child {
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.args([OTHER, kind, &endpoint.to_string(), &trips.to_string()]);
    command.spawn().expect("the other process")
}

fn microseconds(since: Instant, trips: i64) -> f64 {
    1e6 * since.elapsed().as_secs_f64() / trips as f64
}

fn bare(endpoint: &Endpoint, trips: i64) -> f64 {
    let mut child;
    let mut stream: Box<dyn Stream> = match endpoint {
        Endpoint::Unix(path) => {
            let listener = UnixListener::bind(path).expect("a socket");
            child = start("bare", endpoint, trips);
            Box::new(listener.accept().expect("the other").0)
        }
        Endpoint::Tcp(address) => {
            let listener = TcpListener::bind(address).expect("a socket");
            child = start("bare", endpoint, trips);
            let (stream, _) = listener.accept().expect("the other");
            stream.set_nodelay(true).expect("a socket");
            Box::new(stream)
        }
        other => panic!("no bare ping-pong over {other}"),
    };
    let mut buffer = [1; PAYLOAD];
    let since = Instant::now();
    for _ in 0..trips {
        stream.write_all(&buffer).expect("it listens");
        stream.read_exact(&mut buffer).expect("it answers");
    }
    let found = microseconds(since, trips);
    assert!(child.wait().expect("it ends").success(), "the other process is content");
    found
}

trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

fn ours(endpoint: &Endpoint, trips: i64) -> f64 {
    let mut child = start("ours", endpoint, trips);
    let options = JoinOptions { listen: Some(endpoint.clone()), ..options("a", trips) };
    let mut node = Node::join(options).expect("both come");
    let since = Instant::now();
    drive(&mut node);
    let found = microseconds(since, trips);
    node.leave(b"").expect("both leave");
    assert!(child.wait().expect("it ends").success(), "the other process is content");
    found
}

/// What the other process does.
fn other(kind: &str, endpoint: &Endpoint, trips: i64) {
    if kind == "ours" {
        let peers = [("a".to_owned(), endpoint.clone())].into();
        let mut node = Node::join(JoinOptions { peers, ..options("b", trips) }).expect("both come");
        drive(&mut node);
        node.leave(b"").expect("both leave");
        return;
    }
    let mut stream: Box<dyn Stream> = match endpoint {
        Endpoint::Unix(path) => Box::new(UnixStream::connect(path).expect("it listens")),
        Endpoint::Tcp(address) => {
            let stream = TcpStream::connect(address).expect("it listens");
            stream.set_nodelay(true).expect("a socket");
            Box::new(stream)
        }
        other => panic!("no bare ping-pong over {other}"),
    };
    let mut buffer = [0; PAYLOAD];
    for _ in 0..trips {
        stream.read_exact(&mut buffer).expect("it speaks");
        stream.write_all(&buffer).expect("it listens");
    }
}

fn options(name: &str, trips: i64) -> JoinOptions {
    let flow = |name: &str, source: u32, kind| Flow {
        name: name.to_owned(),
        source: NodeId(source),
        sinks: vec![NodeId(1 - source)],
        kind,
        first: Tag::at(Time::ZERO),
        timing: FlowTiming::Periodic(Time::from_ticks(1)),
        payload: format!("{PAYLOAD} bytes"),
        priority: 0,
        capacity: 4,
        feedthrough: None,
        self_flow: false,
    };
    let flows = vec![flow("ping", 0, FlowKind::State), flow("pong", 1, FlowKind::Observation)];
    let nodes = vec!["a".to_owned(), "b".to_owned()];
    let topology = Arc::new(Topology { nodes, flows });
    let tick = Seconds::new(1, 1000).expect("a number");
    let resolution = Resolution::new(tick).expect("positive");
    JoinOptions {
        horizon: Some(Tag::at(Time::from_ticks(trips - 1))),
        gather: Duration::from_secs(20),
        ..JoinOptions::new(name, topology, resolution)
    }
}

fn drive(node: &mut Node) {
    let payload = [7; PAYLOAD];
    loop {
        match node.next().expect("all is well") {
            NodeStep::Emit { flow, tag } => {
                let next = node.following(flow, tag);
                node.emit(flow, &payload, next).expect("all is well");
            }
            NodeStep::Inputs { batch, .. } => assert_eq!(batch[0].1.len(), PAYLOAD),
            NodeStep::Done => return,
        }
    }
}
