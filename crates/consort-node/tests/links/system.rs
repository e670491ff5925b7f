//! Three nodes, and a proxy between each two of them.

use crate::bodies::{Body, Hashes, bodies, hashes, options};
use crate::proxy::{Aim, Cut, Place, Proxy};
use consort_node::{Authority, Endpoint, JoinOptions, Node, NodeError, TlsFiles};
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const HORIZON: i64 = 60;
/// Nodes send the tallies of their flows after so many steps, as at a save.
const SAVE_EVERY: u32 = 40;
const GATHER: Duration = Duration::from_secs(30);
const PATIENCE: Duration = Duration::from_secs(2);
/// Every run ends within this time.
const RUN_MAX: Duration = Duration::from_secs(60);
/// Who connects to whom: the later name to the earlier.
const LINKS: [(usize, usize); 3] = [(1, 0), (2, 0), (2, 1)];

/// What links are made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Nature {
    Tcp,
    Unix,
    Tls,
}

impl Nature {
    pub(crate) const ALL: [Nature; 3] = [Nature::Tcp, Nature::Unix, Nature::Tls];
}

/// How a disturbed run ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Verdict {
    /// With the hashes of the undisturbed run.
    Same,
    /// With an error.
    Error,
    /// What was aimed at did not come.
    Missed,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Same => "with the hashes of the undisturbed run",
            Verdict::Error => "with an error",
            Verdict::Missed => "not disturbed: what was aimed at did not come",
        })
    }
}

/// Links of one nature, and what happens on them if nothing is disturbed.
pub(crate) struct System {
    pub(crate) nature: Nature,
    pub(crate) hashes: Hashes,
    /// Per link, forward and back: the kinds of what passed.
    kinds: Vec<[Vec<u8>; 2]>,
    files: Vec<TlsFiles>,
    _certificates: TempDir,
}

impl System {
    pub(crate) fn undisturbed(nature: Nature) -> System {
        let folder = tempfile::tempdir().expect("a folder");
        let authority = Authority::new(folder.path()).expect("the folder is writable");
        let files = ["a", "b", "c"].map(|name| authority.certify(name).expect("it is writable"));
        let mut system = System {
            nature,
            hashes: Hashes::new(),
            kinds: Vec::new(),
            files: files.to_vec(),
            _certificates: folder,
        };
        let (found, proxies) = system.run(None);
        let taken = |proxy: &Proxy| proxy.passed.lock().expect("no panic").kinds.clone();
        system.kinds = proxies.iter().map(taken).collect();
        system.hashes = found.into_iter().flat_map(|it| it.expect("nothing is wrong")).collect();
        system
    }

    /// Links, whether forward or back, and how many frames of these kinds pass there, if any do.
    pub(crate) fn ways(&self, kinds: &[u8]) -> Vec<(usize, bool, usize)> {
        let is_one = |kind: &&u8| kinds.is_empty() || kinds.contains(kind);
        let count = |link: usize, back: usize| self.kinds[link][back].iter().filter(is_one).count();
        let ways = (0..LINKS.len()).flat_map(|link| [(link, 0), (link, 1)]);
        let counted = ways.map(|(link, back)| (link, back == 0, count(link, back)));
        counted.filter(|(_, _, count)| 0 < *count).collect()
    }

    /// Runs with one value wrong that no checksum shows; what each node says of it.
    pub(crate) fn forged(&self, link: usize, aim: Aim) -> Vec<String> {
        let (found, _) = self.run(Some(&(link, aim)));
        let said = |it: Result<Hashes, NodeError>| {
            it.map_or_else(|error| error.to_string(), |_| String::new())
        };
        found.into_iter().map(said).collect()
    }

    /// Runs with one thing wrong on a link, and judges how that ends.
    pub(crate) fn disturbed(&self, link: usize, aim: Aim, what: &str) -> Verdict {
        let what = format!("{:?}, {what}", self.nature);
        let begin = Instant::now();
        let (found, proxies) = self.run(Some(&(link, aim)));
        assert!(begin.elapsed() < RUN_MAX, "{what}: it took {:?}", begin.elapsed());
        let mut verdict = Verdict::Same;
        for result in found {
            match result {
                Ok(hashes) => hashes.iter().for_each(|(flow, found)| {
                    assert_eq!(self.hashes.get(flow), Some(found), "{what}: {flow:?}");
                }),
                Err(error) => {
                    assert_ne!(error.to_string(), "", "{what}");
                    verdict = Verdict::Error;
                }
            }
        }
        let is_hit = proxies[link].passed.lock().expect("no panic").is_hit;
        if is_hit { verdict } else { Verdict::Missed }
    }

    fn run(&self, aim: Option<&(usize, Aim)>) -> (Vec<Result<Hashes, NodeError>>, Vec<Proxy>) {
        let folder = tempfile::tempdir().expect("a folder");
        let addresses = [0; 3].map(|_| address());
        let place = |index: usize| match self.nature {
            Nature::Unix => Place::Unix(folder.path().join(index.to_string())),
            _ => Place::Tcp(addresses.get(index).copied().unwrap_or(([127, 0, 0, 1], 0).into())),
        };
        let cut = if self.nature == Nature::Tls { Cut::Records } else { Cut::Frames };
        let mut all = options(&bodies(4), HORIZON);
        for (index, options) in all.iter_mut().enumerate() {
            options.listen = Some(self.endpoint(&place(index)));
            options.patience = PATIENCE;
            options.gather = GATHER;
            options.tls = Some(self.files[index].clone().into());
        }
        let mut proxies = Vec::new();
        for (link, (from, to)) in LINKS.into_iter().enumerate() {
            let aim = aim.filter(|(aimed, _)| *aimed == link).map(|(_, aim)| aim.clone());
            let proxy = Proxy::start(&place(3 + link), place(to), cut, aim);
            let name = all[to].name.clone();
            all[from].peers.insert(name, self.endpoint(&proxy.place));
            proxies.push(proxy);
        }
        let (sender, ends) = channel();
        for options in all {
            let sender = sender.clone();
            std::thread::spawn(move || drop(sender.send(drive(options))));
        }
        let found = (0..3).map(|_| ends.recv_timeout(RUN_MAX).expect("it ends in time"));
        (found.collect(), proxies)
    }

    fn endpoint(&self, place: &Place) -> Endpoint {
        match (place, self.nature) {
            (Place::Unix(path), _) => Endpoint::Unix(path.clone()),
            // The name is in the certificates; nodes themselves listen at other addresses of this machine.
            (Place::Tcp(address), Nature::Tls) if address.ip() == Ipv4Addr::LOCALHOST => {
                Endpoint::Tls(format!("localhost:{}", address.port()))
            }
            (Place::Tcp(address), Nature::Tls) => Endpoint::Tls(address.to_string()),
            (Place::Tcp(address), _) => Endpoint::Tcp(address.to_string()),
        }
    }
}

/// A node to its end; it sends its tallies now and then, as at a save.
fn drive(options: JoinOptions) -> Result<Hashes, NodeError> {
    let mut node = Node::join(options)?;
    let mut body = Body::new(&node);
    let mut steps = 0;
    while body.step(&mut node)? {
        steps += 1;
        if steps % SAVE_EVERY == 0 {
            node.tally();
        }
    }
    let found = hashes(&node);
    node.leave(&body.state.to_le_bytes())?;
    Ok(found)
}

/// Where nothing else listens or connects from: an address of this process alone, each port once.
fn address() -> SocketAddr {
    static NEXT: AtomicU16 = AtomicU16::new(10_000);
    let [_, high, middle, low] = std::process::id().to_be_bytes();
    ([127, 64 + high % 64, middle, low.max(2)], NEXT.fetch_add(1, Ordering::Relaxed)).into()
}
