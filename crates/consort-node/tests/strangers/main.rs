//! A thousand connections that say nothing, little, too much or what is not true, before a run and during it, with TLS
//! and without: the run completes, and the node takes little room.

#[path = "../node/bodies.rs"]
#[expect(dead_code, reason = "the tests of nodes use more of it")]
mod bodies;
mod crowd;

use bodies::{Body as Bodies, Hashes, bodies as topology, hashes, options};
use consort_node::{
    Authority, Credentials, Endpoint, Gathering, Hub, JoinOptions, Node, NodeError,
};
use crowd::{Attack, Crowd};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

const HORIZON: i64 = 400;
/// How long a node rests after each step: a run takes some seconds.
const PACE: Duration = Duration::from_millis(1);
/// The last tick of runs that are timed.
const LONG: i64 = 5_000;
const RUN_MAX: Duration = Duration::from_secs(40);
/// How much more room the process may take, both ends of the thousand connections included.
const GROWTH_MAX: u64 = 64 << 20;

/// One at a time: what they take is measured.
static TURN: Mutex<()> = Mutex::new(());

/// When the crowd comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum When {
    Before,
    During,
}

/// Options of three nodes over TCP or TLS, and the port of the first.
fn three(horizon: i64, tls: Option<&dyn Fn(&str) -> Credentials>) -> ([JoinOptions; 3], u16) {
    let ports = ports();
    let endpoint = |index: usize| {
        let address = format!("localhost:{}", ports[index]);
        if tls.is_some() { Endpoint::Tls(address) } else { Endpoint::Tcp(address) }
    };
    let mut all = options(&topology(4), horizon);
    let names: Vec<String> = all.iter().map(|it| it.name.clone()).collect();
    for (index, options) in all.iter_mut().enumerate() {
        options.listen = Some(endpoint(index));
        let peers = names.iter().enumerate().map(|(index, name)| (name.clone(), endpoint(index)));
        options.peers = peers.collect();
        options.tls = tls.map(|credentials| credentials(&options.name));
    }
    (all.try_into().expect("three of them"), ports[0])
}

/// Runs three nodes with a crowd at the door of `a`; all come to the undisturbed end.
fn withstands(attack: Attack, is_tls: bool, when: When) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    allow_descriptors();
    let expected = undisturbed();
    let folder = tempfile::tempdir().expect("a folder");
    let authority = Authority::new(folder.path()).expect("the folder is writable");
    let certify = |name: &str| authority.certify(name).expect("it is writable").into();
    let ([a, b, c], port) = three(HORIZON, is_tls.then_some(&certify));
    let begin = Instant::now();
    let room = resident();
    let (first, all_are_there) = started(a, PACE);
    let crowd = (when == When::Before).then(|| Crowd::gather(attack, port, HORIZON));
    let others = [b, c].map(|options| started(options, PACE).0);
    if when == When::During {
        while all_are_there.recv().is_ok_and(|missing| missing != 0) {}
    }
    let crowd = crowd.unwrap_or_else(|| Crowd::gather(attack, port, HORIZON));
    let mut found = Hashes::new();
    for node in [first].into_iter().chain(others) {
        found.extend(node.join().expect("no panic").expect("the run continues"));
    }
    let growth = resident().saturating_sub(room);
    drop(crowd);
    assert_eq!(found, expected, "{attack:?}");
    assert!(begin.elapsed() < RUN_MAX, "{attack:?}: {:?}", begin.elapsed());
    assert!(growth < GROWTH_MAX, "{attack:?}: {growth} bytes");
}

/// How long a run without rests takes, with a crowd at the door or without; from when all are there.
fn seconds(attack: Option<Attack>) -> f64 {
    let ([a, b, c], port) = three(LONG, None);
    let (first, all_are_there) = started(a, Duration::ZERO);
    let crowd = attack.map(|attack| Crowd::gather(attack, port, LONG));
    let others = [b, c].map(|options| started(options, Duration::ZERO).0);
    while all_are_there.recv().is_ok_and(|missing| missing != 0) {}
    let begin = Instant::now();
    for node in [first].into_iter().chain(others) {
        node.join().expect("no panic").expect("the run continues");
    }
    let seconds = begin.elapsed().as_secs_f64();
    drop(crowd);
    seconds
}

#[test]
#[expect(clippy::print_stdout, reason = "a soak says what it found")]
fn a_crowd_does_not_slow_a_run_down() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    allow_descriptors();
    let pairs = std::env::var("CONSORT_STRANGERS").ok();
    let pairs = pairs.map_or(1, |text| text.parse().expect("a whole number"));
    // One pair on a busy machine says little.
    let most = if pairs == 1 { 5.0 } else { 1.1 };
    for attack in [Attack::Silent, Attack::Slow, Attack::Huge, Attack::Forged] {
        let ratio = |_| seconds(Some(attack)) / seconds(None);
        let mut ratios: Vec<f64> = (0..pairs).map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        let median = ratios[ratios.len() / 2];
        println!("{attack:?}: median of {pairs} pairs {median:.3}, all {ratios:.2?}");
        assert!(median < most, "{attack:?}: {median}");
    }
}

macro_rules! attacks {
    ($($name:ident: $attack:ident $when:ident $is_tls:literal;)*) => {
        $(#[test] fn $name() { withstands(Attack::$attack, $is_tls, When::$when); })*
    };
}

attacks! {
    silence_before_a_run: Silent Before false;
    silence_during_a_run: Silent During false;
    silence_before_a_run_over_tls: Silent Before true;
    silence_during_a_run_over_tls: Silent During true;
    slowness_before_a_run: Slow Before false;
    slowness_during_a_run: Slow During false;
    slowness_before_a_run_over_tls: Slow Before true;
    slowness_during_a_run_over_tls: Slow During true;
    size_before_a_run: Huge Before false;
    size_during_a_run: Huge During false;
    size_before_a_run_over_tls: Huge Before true;
    size_during_a_run_over_tls: Huge During true;
    forgeries_before_a_run: Forged Before false;
    forgeries_during_a_run: Forged During false;
    forgeries_before_a_run_over_tls: Forged Before true;
    forgeries_during_a_run_over_tls: Forged During true;
}

/// A node `a` that waits for others, at an address.
fn lonely(address: String) -> JoinOptions {
    let mut all = options(&topology(4), HORIZON);
    let gather = Duration::from_secs(6);
    let listen = Some(Endpoint::Tcp(address));
    JoinOptions { listen, gather, allows_plain: true, ..all.swap_remove(0) }
}

#[test]
fn what_strangers_did_is_reported_if_no_node_came() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    allow_descriptors();
    let port = ports()[0];
    let (node, _) = started(lonely(format!("localhost:{port}")), PACE);
    let crowds =
        [Attack::Silent, Attack::Huge, Attack::Forged].map(|it| Crowd::gather(it, port, HORIZON));
    let error = node.join().expect("no panic").expect_err("no node came").to_string();
    drop(crowds);
    for part in [
        " connections closed before the handshake",
        "no hello: frame too long: 67108864 bytes, at most ",
        " times)",
        "refused: node `a` takes part in another run",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

/// Passes on what comes to a port, as soon as there is a listener there, and keeps what the side says that connects.
fn recording(to: u16) -> (u16, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    let record = Arc::new(Mutex::new(Vec::new()));
    let kept = record.clone();
    std::thread::spawn(move || {
        for near in listener.incoming() {
            // A node that finds no listener tries again.
            let Ok(far) = TcpStream::connect(("127.0.0.1", to)) else { continue };
            let kept = kept.clone();
            let near = near.expect("a connection came");
            std::thread::spawn(move || pass_on(near, far, &kept));
        }
    });
    (port, record)
}

fn pass_on(mut near: TcpStream, mut far: TcpStream, kept: &Mutex<Vec<u8>>) {
    let copies = (near.try_clone().expect("a copy"), far.try_clone().expect("a copy"));
    let (mut near_again, mut far_again) = copies;
    std::thread::spawn(move || drop(std::io::copy(&mut far_again, &mut near_again)));
    let mut room = [0; 4096];
    while let Ok(count @ 1..) = near.read(&mut room) {
        kept.lock().expect("no panic").extend_from_slice(&room[..count]);
        if far.write_all(&room[..count]).is_err() {
            return;
        }
    }
}

#[test]
fn what_was_recorded_of_a_run_with_a_secret_is_of_no_use_to_who_says_it_again() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("secret");
    consort_node::secret::create(&path).expect("the folder is writable");
    let ([a, mut b, c], port) = three(HORIZON, Some(&|_: &str| Credentials::Secret(path.clone())));
    let (recorder, record) = recording(port);
    b.peers.insert("a".to_owned(), Endpoint::Tls(format!("localhost:{recorder}")));
    let nodes = [a, b, c].map(|options| started(options, Duration::from_millis(5)));
    while nodes[0].1.recv_timeout(RUN_MAX).expect("all come") != 0 {}
    // Again and again, in the middle of the run, all that `b` has said so far.
    for _ in 0..20 {
        let said = record.lock().expect("no panic").clone();
        let mut stranger = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
        drop(stranger.write_all(&said));
        std::thread::sleep(Duration::from_millis(10));
    }
    let found = nodes.map(|(node, _)| node.join().expect("no panic").expect("nothing is wrong"));
    assert!(100 < record.lock().expect("no panic").len(), "it was recorded");
    assert_eq!(found.into_iter().flatten().collect::<Hashes>(), undisturbed());
}

/// The address of this machine in a network, if it has one; nothing is sent.
fn outward() -> Option<String> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.77:9").ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback()).then(|| address.to_string())
}

#[test]
fn from_another_machine_one_hello_that_does_not_fit_ends_nothing_and_the_status_is_not_shown() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(address) = outward() else { return };
    let place = format!("{address}:{}", ports()[0]);
    let (node, _) = started(lonely(place.clone()), PACE);
    let refused = crowd::misfit(&place);
    assert!(refused.contains("has flow `a/state`"), "{refused}");
    assert!(!node.is_finished(), "the right one may still come");
    let asked = consort_node::ask_status(&Endpoint::Tcp(place)).expect_err("it is not shown");
    let reason = "status requests are answered on this machine, and over `tls` endpoints";
    assert!(asked.to_string().ends_with(reason), "{asked}");
    let error = node.join().expect("no panic").expect_err("no node came").to_string();
    assert!(error.contains("refused: node `b`: node `b` has flow `a/state`"), "{error}");
}

/// A node in a thread, and how many are missing whenever that changes.
fn started(
    mut options: JoinOptions,
    pace: Duration,
) -> (std::thread::JoinHandle<Result<Hashes, NodeError>>, Receiver<usize>) {
    let (sender, reported) = channel();
    options.gathering = Some(Gathering::new(move |missing| {
        // Not all receivers listen.
        let _ = sender.send(missing.len());
    }));
    (std::thread::spawn(move || drive(options, pace)), reported)
}

fn drive(options: JoinOptions, pace: Duration) -> Result<Hashes, NodeError> {
    let mut node = Node::join(options)?;
    let mut body = Bodies::new(&node);
    while body.step(&mut node)? {
        if !pace.is_zero() {
            std::thread::sleep(pace);
        }
    }
    let found = hashes(&node);
    node.leave(&[])?;
    Ok(found)
}

fn undisturbed() -> Hashes {
    let hub = Hub::new();
    let all = options(&topology(4), HORIZON);
    let all = all.into_iter().map(|options| JoinOptions { hub: Some(hub.clone()), ..options });
    bodies::run(all.collect()).expect("nothing is wrong")
}

fn ports() -> [u16; 3] {
    let listeners = [0; 3].map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port"));
    listeners.map(|it| it.local_addr().expect("bound").port())
}

/// Both ends of a thousand connections are in this process.
fn allow_descriptors() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).expect("up to the maximum");
}

/// Bytes of this process that are in memory.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").expect("Linux has this file");
    let line = text.lines().find(|line| line.starts_with("VmRSS:")).expect("it has some");
    let kilobytes = line.split_whitespace().nth(1).and_then(|word| word.parse::<u64>().ok());
    kilobytes.expect("a number") << 10
}
