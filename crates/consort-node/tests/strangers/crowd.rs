//! A thousand connections that do not mean well.

use crate::bodies::{bodies, resolution, tick};
use consort_federation::flow::FlowTiming;
use consort_node::frame::{self, Body, Frame};
use consort_node::hello::Hello;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

const CROWD: usize = 1_000;
/// How long they wait before they say more.
const PAUSE: Duration = Duration::from_millis(50);

/// What they do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Attack {
    /// Nothing.
    Silent,
    /// They say hello, a byte at a time.
    Slow,
    /// They announce the longest frame that there is, and send.
    Huge,
    /// They say hello as nodes that there are, of another run, with numbers that cannot be, or once more.
    Forged,
}

/// The connections, until it is dropped.
pub(crate) struct Crowd {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Crowd {
    /// All have connected when this returns. Hellos are of runs that end with this tick.
    pub(crate) fn gather(attack: Attack, port: u16, horizon: i64) -> Crowd {
        let is_over = Arc::new(AtomicBool::new(false));
        let mut all: Vec<Stranger> = (0..CROWD).map_while(|_| Stranger::come(port)).collect();
        let hellos = [0, 1, 2, 3].map(|index| forged(index, horizon));
        all.iter_mut().zip(hellos.iter().cycle()).for_each(|(it, hello)| it.act(attack, hello, 0));
        let stop = is_over.clone();
        let thread = std::thread::spawn(move || {
            let mut round = 0;
            while !stop.load(Ordering::Relaxed) {
                round += 1;
                std::thread::sleep(PAUSE);
                all.iter_mut().for_each(|it| it.act(attack, &hellos[0], round));
            }
        });
        Crowd { is_over, thread: Some(thread) }
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        drop(self.thread.take().map(JoinHandle::join));
    }
}

struct Stranger {
    stream: TcpStream,
    /// It was sent away.
    is_gone: bool,
}

impl Stranger {
    fn come(port: u16) -> Option<Stranger> {
        let stream = connected(&format!("127.0.0.1:{port}"))?;
        stream.set_nonblocking(true).ok()?;
        Some(Stranger { stream, is_gone: false })
    }

    /// One round; what cannot be sent is not.
    fn act(&mut self, attack: Attack, hello: &[u8], round: usize) {
        let bytes = match attack {
            _ if self.is_gone => return,
            Attack::Silent => return,
            Attack::Slow => vec![hello.get(round).copied().unwrap_or(0)],
            Attack::Huge if round == 0 => announced(),
            Attack::Huge => vec![0; 8 << 10],
            Attack::Forged if round == 0 => hello.to_vec(),
            Attack::Forged => return,
        };
        let written = self.stream.write(&bytes);
        self.is_gone |= written.is_err_and(|error| error.kind() != ErrorKind::WouldBlock);
    }
}

/// A connection, as soon as there is a listener.
fn connected(place: &str) -> Option<TcpStream> {
    for _ in 0..500 {
        if let Ok(stream) = TcpStream::connect(place) {
            return Some(stream);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    None
}

/// The header of the longest frame.
fn announced() -> Vec<u8> {
    let mut bytes = framed(&[], 0);
    bytes[0..4].copy_from_slice(&(frame::FRAME_MAX as u32).to_le_bytes());
    frame::seal(&mut bytes);
    bytes
}

/// What `b` says of itself, as far as others know it.
fn hello(horizon: i64) -> Hello {
    let topology = bodies(4);
    Hello {
        run: [0; 16],
        node: "b".to_owned(),
        incarnation: 1,
        resolution: resolution(),
        horizon: Some(tick(horizon)),
        begins: None,
        facts: Vec::new(),
        hash: topology.hash(),
        topology,
    }
}

fn forged(index: usize, horizon: i64) -> Vec<u8> {
    let name = |name: &str| Hello { node: name.to_owned(), ..hello(horizon) };
    let (hello, received) = match index {
        0 => (Hello { run: [7; 16], ..name("b") }, 0),
        1 => (name("d"), 0),
        2 => (name("a"), 0),
        _ => (name("c"), u64::MAX),
    };
    framed(&hello.to_bytes(), received)
}

fn framed(hello: &[u8], acknowledgment: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::encode(&Frame { sequence: 0, acknowledgment, body: Body::Hello(hello) }, &mut bytes);
    bytes
}

/// Says hello as `b` with another period; what it hears.
pub(crate) fn misfit(place: &str) -> String {
    let mut hello = hello(crate::HORIZON);
    hello.topology.flows[0].timing = FlowTiming::Once;
    hello.hash = hello.topology.hash();
    let mut stream = connected(place).expect("there is a listener");
    stream.write_all(&framed(&hello.to_bytes(), 0)).expect("it is taken");
    let mut heard = Vec::new();
    match stream.read_to_end(&mut heard) {
        Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("{error}"),
        _ => {}
    }
    match frame::decode(&heard).expect("a frame").body {
        Body::Refused(reason) => reason.to_owned(),
        other => panic!("{other:?}"),
    }
}
