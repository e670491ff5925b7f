//! A bad network of real IP packets: two network namespaces, each with a TUN device, and a seeded forwarder
//! between them that delays, reorders and drops.
//!
//! It stands in for the `netem` that many kernels lack. What happens to the n-th packet of a direction follows
//! from the seed; which packet is the n-th is up to the kernel's clocks. Nothing outlives the test: a namespace
//! lives as long as the helper process that holds it, and the helper as long as its socket.

mod forwarder;

use crate::{cache, process};
use forwarder::{Counters, Forwarder};
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, recv, socketpair};
use std::ffi::OsStr;
use std::fs;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

/// What the network does to packets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Weather {
    /// How long a packet takes, on average.
    pub delay: Duration,
    /// How much earlier or later it may come: packets closer to each other than that change places.
    pub jitter: Duration,
    /// The share of packets that never come.
    pub loss: f64,
}

impl Weather {
    /// A bad day: 50 ms, give or take 20, and one packet of twenty lost.
    pub const BAD: Weather =
        Weather { delay: Duration::from_millis(50), jitter: Duration::from_millis(20), loss: 0.05 };
}

/// One of the two namespaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The first namespace.
    Left,
    /// The second namespace.
    Right,
}

/// What has become of the packets so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Number of packets delivered.
    pub delivered: u64,
    /// Number of packets dropped.
    pub dropped: u64,
    /// Handed over before one that was sent earlier.
    pub overtaken: u64,
}

/// Two network namespaces that see each other through a forwarder, for as long as this value lives.
#[derive(Debug)]
pub struct BadNetwork {
    helpers: [Child; 2],
    counters: Arc<Counters>,
    forwarder: Option<JoinHandle<()>>,
}

/// A test's own network has no other machines in it, so that these never clash.
const ADDRESSES: [&str; 2] = ["10.77.0.1", "10.77.0.2"];

impl BadNetwork {
    /// Makes the namespaces and joins them.
    ///
    /// # Errors
    /// Why this machine has no such network: it takes root, `/dev/net/tun` and `nsenter`. A test then skips
    /// itself by name.
    ///
    /// # Panics
    /// If the C compiler fails.
    pub fn new(seed: u64, weather: Weather) -> Result<BadNetwork, String> {
        process::try_run(Command::new("nsenter").arg("--version"))?;
        let program = helper();
        let (left, left_end) = start(&program, Side::Left)?;
        let (right, right_end) = start(&program, Side::Right)?;
        let counters = Arc::default();
        let forwarder = Forwarder::new(seed, weather, [left_end, right_end], Arc::clone(&counters));
        let forwarder = std::thread::spawn(move || forwarder.run());
        Ok(BadNetwork { helpers: [left, right], counters, forwarder: Some(forwarder) })
    }

    /// The network, or `None` where a machine has none: the test is then skipped, and says so.
    #[expect(clippy::print_stderr, reason = "a test that does not run must be heard of")]
    pub fn or_skip(test: &str, seed: u64, weather: Weather) -> Option<BadNetwork> {
        let said = |why: &String| eprintln!("skipped `{test}`: {why}");
        BadNetwork::new(seed, weather).inspect_err(said).ok()
    }

    /// The address of a side, as both see it.
    pub fn address(&self, side: Side) -> &'static str {
        ADDRESSES[side as usize]
    }

    /// A command that runs the program in the namespace.
    pub fn command(&self, side: Side, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net=/proc/{}/ns/net", self.helpers[side as usize].id()));
        command.arg("--").arg(program);
        command
    }

    /// What has become of the packets so far.
    pub fn counts(&self) -> Counts {
        Counts {
            delivered: self.counters.delivered.load(Ordering::Relaxed),
            dropped: self.counters.dropped.load(Ordering::Relaxed),
            overtaken: self.counters.overtaken.load(Ordering::Relaxed),
        }
    }
}

impl Drop for BadNetwork {
    fn drop(&mut self) {
        for helper in &mut self.helpers {
            let _ = helper.kill();
            let _ = helper.wait();
        }
        // Without its helpers the forwarder finds both sockets closed.
        if let Some(forwarder) = self.forwarder.take() {
            let _ = forwarder.join();
        }
    }
}

/// The helper of a side, once its device is up, and our end of its socket.
fn start(program: &Path, side: Side) -> Result<(Child, OwnedFd), String> {
    let flags = SocketFlags::CLOEXEC;
    let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)
        .map_err(|error| format!("no socket pair: {error}"))?;
    let mut command = Command::new(program);
    command.args([ADDRESSES[side as usize], ADDRESSES[1 - side as usize]]);
    command.stdin(Stdio::from(theirs)).stderr(Stdio::piped());
    let child = command.spawn().map_err(|error| format!("no helper: {error}"))?;
    // Our copy of its end goes, so that the socket closes when the helper ends.
    drop(command);
    let mut word = [0; 16];
    match recv(&ours, &mut word[..], RecvFlags::empty()) {
        Ok((5, _)) => Ok((child, ours)),
        _ => Err(last_output(child)),
    }
}

fn last_output(child: Child) -> String {
    match child.wait_with_output() {
        Ok(output) => format!("no TUN device: {}", String::from_utf8_lossy(&output.stderr).trim()),
        Err(error) => format!("no TUN device: {error}"),
    }
}

/// The program that holds a namespace, compiled once.
fn helper() -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("network/tun.c");
    let text = fs::read(&source).expect("the source is part of this crate");
    let make = |folder: &Path| {
        let mut compiler = Command::new("cc");
        compiler.args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"]).arg(folder.join("tun"));
        process::run(compiler.arg(&source));
    };
    cache::folder("tun", &cache::key([text.as_slice()]), make).join("tun")
}
