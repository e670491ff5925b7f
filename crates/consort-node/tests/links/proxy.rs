//! What stands between two nodes and does one thing wrong, once.

use consort_node::frame::{self, HEADER};
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// What is done to one byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Harm {
    Flip,
    Drop,
    Double,
    /// A flipped bit with checksums that fit: as if there were none.
    Forge,
}

/// Which frame (on an encrypted link: which record) is harmed, and where.
#[derive(Clone, Debug)]
pub(crate) struct Aim {
    /// From the side that connects, or to it.
    pub(crate) is_forward: bool,
    /// The kinds of frames that count; none: everything does.
    pub(crate) kinds: &'static [u8],
    /// How many of them pass before.
    pub(crate) skipped: usize,
    pub(crate) harm: Harm,
    /// Place and bit, to be cut to what there is.
    pub(crate) place: usize,
}

/// How bytes are cut into pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cut {
    /// Frames: 64 bytes of header, the length in the first four, the kind in the fifth.
    Frames,
    /// Records of TLS: 5 bytes of header, the length of the rest in the last two.
    Records,
}

/// What passed a proxy, and what it has still to do.
#[derive(Default, Debug)]
pub(crate) struct Passed {
    pub(crate) aim: Option<Aim>,
    pub(crate) is_hit: bool,
    /// Kinds of the frames that passed, forward and back.
    pub(crate) kinds: [Vec<u8>; 2],
}

/// Where a proxy listens or goes.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Unix(PathBuf),
    Tcp(SocketAddr),
}

/// A proxy for one pair of nodes, until it is dropped.
pub(crate) struct Proxy {
    /// Where it listens.
    pub(crate) place: Place,
    pub(crate) passed: Arc<Mutex<Passed>>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

enum Listener {
    Unix(UnixListener),
    Tcp(TcpListener),
}

enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Proxy {
    /// Listens at a place (port 0: any that is free) for connections to the other.
    pub(crate) fn start(at: &Place, to: Place, cut: Cut, aim: Option<Aim>) -> Proxy {
        let listener = Listener::bind(at);
        let place = listener.place(at);
        let passed = Arc::new(Mutex::new(Passed { aim, ..Passed::default() }));
        let is_over = Arc::new(AtomicBool::new(false));
        let (shared, stop) = (passed.clone(), is_over.clone());
        let thread = std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                match listener.accept() {
                    Some(stream) => join(stream, &to, cut, &shared),
                    None => std::thread::sleep(Duration::from_millis(2)),
                }
            }
        });
        Proxy { place, passed, is_over, thread: Some(thread) }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// Carries bytes in both directions; who cannot be reached is closed to the one who came.
fn join(near: Stream, to: &Place, cut: Cut, passed: &Arc<Mutex<Passed>>) {
    let Some(far) = Stream::connect(to) else { return };
    let ways = [(near.copy(), far.copy(), true), (far, near, false)];
    for (from, into, is_forward) in ways {
        let passed = passed.clone();
        std::thread::spawn(move || drop(carry(from, into, cut, is_forward, &passed)));
    }
}

fn carry(
    mut from: Stream,
    mut into: Stream,
    cut: Cut,
    is_forward: bool,
    passed: &Mutex<Passed>,
) -> io::Result<()> {
    let mut piece = Vec::new();
    let carried = loop {
        let kind = match from.piece(cut, &mut piece) {
            Ok(kind) => kind,
            Err(error) => break Err(error),
        };
        passed.lock().expect("no panic").pass(is_forward, kind, &mut piece);
        if let Err(error) = into.write(&piece) {
            break Err(error);
        }
    };
    from.close();
    into.close();
    carried
}

impl Passed {
    fn pass(&mut self, is_forward: bool, kind: u8, piece: &mut Vec<u8>) {
        self.kinds[usize::from(!is_forward)].push(kind);
        let is_it = |aim: &&mut Aim| {
            aim.is_forward == is_forward && (aim.kinds.is_empty() || aim.kinds.contains(&kind))
        };
        let Some(aim) = self.aim.as_mut().filter(|_| !self.is_hit).filter(is_it) else { return };
        if 0 < aim.skipped {
            aim.skipped -= 1;
            return;
        }
        self.is_hit = true;
        let at = aim.place / 8 % piece.len();
        match aim.harm {
            Harm::Flip => piece[at] ^= 1 << (aim.place % 8),
            Harm::Drop => drop(piece.remove(at)),
            Harm::Double => piece.insert(at, piece[at]),
            Harm::Forge => {
                let payload = HEADER..piece.len();
                piece[HEADER + aim.place / 8 % payload.len()] ^= 1 << (aim.place % 8);
                frame::seal(piece);
            }
        }
    }
}

impl Listener {
    fn bind(at: &Place) -> Listener {
        match at {
            Place::Unix(path) => {
                let listener = UnixListener::bind(path).expect("a free path");
                listener.set_nonblocking(true).expect("a socket");
                Listener::Unix(listener)
            }
            Place::Tcp(address) => {
                let listener = TcpListener::bind(address).expect("a free port");
                listener.set_nonblocking(true).expect("a socket");
                Listener::Tcp(listener)
            }
        }
    }

    fn place(&self, at: &Place) -> Place {
        match self {
            Listener::Unix(_) => at.clone(),
            Listener::Tcp(listener) => Place::Tcp(listener.local_addr().expect("it is bound")),
        }
    }

    fn accept(&self) -> Option<Stream> {
        match self {
            Listener::Unix(listener) => listener.accept().ok().map(|(it, _)| Stream::Unix(it)),
            Listener::Tcp(listener) => {
                let (stream, _) = listener.accept().ok()?;
                stream.set_nodelay(true).ok()?;
                Some(Stream::Tcp(stream))
            }
        }
    }
}

impl Stream {
    fn connect(to: &Place) -> Option<Stream> {
        match to {
            Place::Unix(path) => UnixStream::connect(path).ok().map(Stream::Unix),
            Place::Tcp(address) => {
                let stream = TcpStream::connect(address).ok()?;
                stream.set_nodelay(true).ok()?;
                Some(Stream::Tcp(stream))
            }
        }
    }

    fn copy(&self) -> Stream {
        match self {
            Stream::Unix(stream) => Stream::Unix(stream.try_clone().expect("a descriptor")),
            Stream::Tcp(stream) => Stream::Tcp(stream.try_clone().expect("a descriptor")),
        }
    }

    /// The next frame or record; its kind.
    fn piece(&mut self, cut: Cut, into: &mut Vec<u8>) -> io::Result<u8> {
        let (header, kind_at) = if cut == Cut::Frames { (64, 4) } else { (5, 0) };
        into.resize(header, 0);
        self.read(into)?;
        let length = match cut {
            Cut::Frames => u32::from_le_bytes([into[0], into[1], into[2], into[3]]) as usize,
            Cut::Records => 5 + usize::from(u16::from_be_bytes([into[3], into[4]])),
        };
        into.resize(length, 0);
        self.read(&mut into[header..])?;
        Ok(into[kind_at])
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<()> {
        match self {
            Stream::Unix(stream) => stream.read_exact(into),
            Stream::Tcp(stream) => stream.read_exact(into),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Stream::Unix(stream) => stream.write_all(bytes),
            Stream::Tcp(stream) => stream.write_all(bytes),
        }
    }

    fn close(&self) {
        drop(match self {
            Stream::Unix(stream) => stream.shutdown(Shutdown::Both),
            Stream::Tcp(stream) => stream.shutdown(Shutdown::Both),
        });
    }
}
