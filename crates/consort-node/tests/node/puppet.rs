//! Node `z` played by hand over a Unix socket: it says what a node would never say.

use crate::bodies::{Hashes, drive, flow, resolution, tick};
use consort_core::Tag;
use consort_federation::flow::Topology;
use consort_node::frame::{self, Body, Frame};
use consort_node::hello::Hello;
use consort_node::{Endpoint, JoinOptions, Node, NodeError};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Nodes `a` and `z`, which send each other a message in every tick.
pub(crate) fn topology() -> Topology {
    let mut flows = vec![flow("ping", 0, &[1], 1), flow("pong", 1, &[0], 1)];
    flows.iter_mut().for_each(|flow| flow.capacity = 2);
    Topology { nodes: vec!["a".to_owned(), "z".to_owned()], flows }
}

/// What `z` says of itself.
pub(crate) fn hello() -> Hello {
    let topology = topology();
    Hello {
        run: [0; 16],
        node: "z".to_owned(),
        incarnation: 1,
        resolution: resolution(),
        horizon: None,
        begins: None,
        facts: Vec::new(),
        hash: topology.hash(),
        topology,
    }
}

/// Options of node `a`, which listens at a path.
pub(crate) fn options(path: &Path) -> JoinOptions {
    JoinOptions {
        listen: Some(Endpoint::Unix(path.to_owned())),
        patience: Duration::from_millis(300),
        gather: Duration::from_millis(400),
        ..JoinOptions::new("a", Arc::new(topology()), resolution())
    }
}

/// Node `a`, in a thread.
pub(crate) fn start(options: JoinOptions) -> JoinHandle<Result<Hashes, NodeError>> {
    std::thread::spawn(move || drive(Node::join(options)?))
}

/// Node `z`, played by hand.
pub(crate) struct Puppet {
    stream: UnixStream,
    sequence: u64,
}

impl Puppet {
    /// Connects as soon as there is a listener.
    pub(crate) fn connect(path: &Path) -> Self {
        let end = Instant::now() + Duration::from_secs(5);
        loop {
            match UnixStream::connect(path) {
                Ok(stream) => {
                    let patience = Some(Duration::from_secs(5));
                    stream.set_read_timeout(patience).expect("a socket");
                    return Puppet { stream, sequence: 0 };
                }
                Err(error) if Instant::now() < end => drop(error),
                Err(error) => panic!("there is no listener: {error}"),
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Connects, says hello, hears hello, and is ready.
    pub(crate) fn join(path: &Path) -> Self {
        Puppet::join_until(path, None)
    }

    /// The same, for a run that ends with this tag.
    pub(crate) fn join_until(path: &Path, horizon: Option<Tag>) -> Self {
        let mut puppet = Puppet::connect(path);
        puppet.say(Body::Hello(&Hello { horizon, ..hello() }.to_bytes()));
        let heard = puppet.hear().expect("an answer");
        assert!(matches!(frame::decode(&heard).expect("a frame").body, Body::Hello(_)));
        puppet.say(Body::Ready);
        puppet
    }

    /// The number of its next frame follows this one.
    pub(crate) fn goes_on_after(&mut self, sequence: u64) {
        self.sequence = sequence;
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        // A node that is refused early cannot send everything.
        drop(self.stream.write_all(bytes));
    }

    pub(crate) fn say(&mut self, body: Body<'_>) {
        let bytes = self.bytes(body);
        self.raw(&bytes);
    }

    /// The next frame, as bytes that can still be damaged.
    pub(crate) fn bytes(&mut self, body: Body<'_>) -> Vec<u8> {
        self.sequence += u64::from(body.is_sequenced());
        let sequence = if body.is_sequenced() { self.sequence } else { 0 };
        let mut bytes = Vec::new();
        frame::encode(&Frame { sequence, acknowledgment: 0, body }, &mut bytes);
        bytes
    }

    /// Says something with one byte changed, and checksums that fit.
    pub(crate) fn forge(&mut self, body: Body<'_>, place: usize, byte: u8) {
        let mut bytes = self.bytes(body);
        bytes[place] = byte;
        frame::seal(&mut bytes);
        self.raw(&bytes);
    }

    /// A message of a flow at a tick.
    pub(crate) fn message(&mut self, flow: u32, at: i64, next: Option<i64>) {
        let flow = consort_federation::flow::FlowId(flow);
        let next = next.map(tick);
        self.say(Body::Message { flow, tag: tick(at), next, payload: &[0; 8] });
    }

    /// The next frame; none at the end of the line.
    pub(crate) fn hear(&mut self) -> Option<Vec<u8>> {
        let mut bytes = vec![0; frame::HEADER];
        self.stream.read_exact(&mut bytes).ok()?;
        let length = frame::length(&bytes).expect("a header").expect("all of it");
        bytes.resize(length, 0);
        self.stream.read_exact(&mut bytes[frame::HEADER..]).ok()?;
        Some(bytes)
    }

    /// Why it was sent away, or why the other gave up.
    pub(crate) fn reason(&mut self) -> String {
        while let Some(bytes) = self.hear() {
            match frame::decode(&bytes).expect("a frame").body {
                Body::Refused(reason) => return format!("refused: {reason}"),
                Body::Failed { failed_node, reason, .. } => {
                    return format!("`{failed_node}`: {reason}");
                }
                _ => {}
            }
        }
        "nothing".to_owned()
    }
}
