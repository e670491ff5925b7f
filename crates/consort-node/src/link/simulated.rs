//! A bad network: what a link can do to frames, by a seed.

use super::{Link, Received};
use consort_core::Prng;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::os::fd::BorrowedFd;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// What a bad network does to frames. Results may not depend on any of it.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Faults {
    /// Decides all of it, together with the names of the two nodes.
    pub seed: u64,
    /// How long a frame takes at least.
    pub delay: Duration,
    /// How much longer it may take; frames overtake each other.
    pub jitter: Duration,
    /// The share of frames that is lost.
    pub loss: f64,
    /// The share of frames that arrives twice.
    pub duplication: f64,
    /// The share of frames at which the link breaks and must be made anew.
    pub cuts: f64,
    /// The share of frames at which a partition begins: frames are lost for a while.
    pub partitions: f64,
    /// The duration of a partition.
    pub partition_lasts: Duration,
}

impl Faults {
    /// A network without faults.
    pub fn none(seed: u64) -> Self {
        Faults {
            seed,
            delay: Duration::ZERO,
            jitter: Duration::ZERO,
            loss: 0.0,
            duplication: 0.0,
            cuts: 0.0,
            partitions: 0.0,
            partition_lasts: Duration::ZERO,
        }
    }

    fn keeps_order(&self) -> bool {
        let shares = [self.loss, self.duplication, self.partitions];
        self.jitter == Duration::ZERO && shares.iter().all(|share| *share <= 0.0)
    }
}

/// The names of the settings that are times, and those that are shares, as they are written.
const TIMES: [&str; 3] = ["delay", "jitter", "partition_lasts"];
const SHARES: [&str; 4] = ["loss", "duplication", "cuts", "partitions"];

impl Faults {
    fn times(&mut self) -> [&mut Duration; 3] {
        [&mut self.delay, &mut self.jitter, &mut self.partition_lasts]
    }

    fn shares(&mut self) -> [&mut f64; 4] {
        [&mut self.loss, &mut self.duplication, &mut self.cuts, &mut self.partitions]
    }

    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        if name == "seed" {
            self.seed = value.parse().ok()?;
        } else if let Some(place) = TIMES.iter().position(|it| *it == name) {
            *self.times()[place] = Duration::try_from_secs_f64(value.parse().ok()?).ok()?;
        } else {
            let place = SHARES.iter().position(|it| *it == name)?;
            let share = value.parse().ok().filter(|share| (0.0..1.0).contains(share));
            *self.shares()[place] = share?;
        }
        Some(())
    }
}

/// A text that does not describe faults.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FaultsError {
    given: String,
}

impl fmt::Display for FaultsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given = &self.given;
        let (times, shares) = (TIMES.join(", "), SHARES.join(", "));
        write!(
            f,
            "`{given}` is no fault; write `seed=1,loss=0.05`: {times} in seconds, {shares} below 1"
        )
    }
}

impl std::error::Error for FaultsError {}

/// `seed=1,delay=0.001,loss=0.05`: what is not written is not there.
impl FromStr for Faults {
    type Err = FaultsError;

    fn from_str(text: &str) -> Result<Self, FaultsError> {
        let mut faults = Faults::none(0);
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let set = part.split_once('=').and_then(|(name, value)| faults.set(name, value));
            set.ok_or_else(|| FaultsError { given: part.to_owned() })?;
        }
        Ok(faults)
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut faults = self.clone();
        write!(f, "seed={}", faults.seed)?;
        for (name, time) in TIMES.iter().zip(faults.times()) {
            if *time != Duration::ZERO {
                write!(f, ",{name}={}", time.as_secs_f64())?;
            }
        }
        for (name, share) in SHARES.iter().zip(faults.shares()) {
            if 0.0 < *share {
                write!(f, ",{name}={share}")?;
            }
        }
        Ok(())
    }
}

/// A link that does to outgoing frames what a bad network does.
pub struct SimulatedLink {
    inner: Box<dyn Link>,
    faults: Faults,
    random: Prng,
    /// Frames that are on their way, by when they arrive; the number keeps equal times apart.
    travelling: BTreeMap<(Instant, u64), Vec<u8>>,
    count: u64,
    is_cut: bool,
    partition_ends: Option<Instant>,
}

impl SimulatedLink {
    /// Puts a bad network into a link. `which` distinguishes this link from others with the same seed.
    pub fn new(inner: Box<dyn Link>, faults: &Faults, which: &str) -> Self {
        SimulatedLink {
            inner,
            random: Prng::new(faults.seed).split(which),
            faults: faults.clone(),
            travelling: BTreeMap::new(),
            count: 0,
            is_cut: false,
            partition_ends: None,
        }
    }

    fn is_drawn(&mut self, share: f64) -> bool {
        self.random.next_f64() < share
    }

    fn check(&self) -> io::Result<()> {
        if self.is_cut { Err(io::ErrorKind::ConnectionReset.into()) } else { Ok(()) }
    }

    fn is_lost(&mut self, now: Instant) -> bool {
        if self.is_drawn(self.faults.partitions) {
            self.partition_ends = Some(now + self.faults.partition_lasts);
        }
        let is_parted = self.partition_ends.is_some_and(|end| now < end);
        self.is_drawn(self.faults.loss) || is_parted
    }

    fn travel(&mut self, now: Instant, frame: &[u8]) {
        let late = self.faults.jitter.mul_f64(self.random.next_f64());
        let arrives = now + self.faults.delay + late;
        self.travelling.insert((arrives, self.count), frame.to_vec());
        self.count += 1;
    }
}

impl Link for SimulatedLink {
    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        let now = Instant::now();
        self.is_cut |= self.is_drawn(self.faults.cuts);
        self.check()?;
        if !self.is_lost(now) {
            self.travel(now, frame);
        }
        if self.is_drawn(self.faults.duplication) {
            self.travel(now, frame);
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.check()?;
        let now = Instant::now();
        while let Some(first) = self.travelling.first_entry()
            && first.key().0 <= now
        {
            self.inner.send(&first.remove())?;
        }
        self.inner.flush()
    }

    fn wants_write(&self) -> bool {
        self.inner.wants_write()
    }

    fn receive(&mut self, into: &mut Vec<u8>) -> io::Result<Received> {
        self.check()?;
        self.inner.receive(into)
    }

    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inner.as_fd()
    }

    fn is_reliable(&self) -> bool {
        self.inner.is_reliable() && self.faults.keeps_order()
    }

    fn check_name(&self, node: &str) -> Result<(), String> {
        self.inner.check_name(node)
    }

    fn due(&self) -> Option<Instant> {
        let first = self.travelling.first_key_value().map(|((arrives, _), _)| *arrives);
        first.into_iter().chain(self.inner.due()).min()
    }
}
