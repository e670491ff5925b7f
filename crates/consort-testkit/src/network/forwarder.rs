//! The forwarder: a thread that holds packets for a while, and forgets some.

use super::Weather;
use consort_core::Prng;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{RecvFlags, SendFlags, recv, send};
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// More than a TUN device's largest packet.
const PACKET_MAX: usize = 2048;

/// What has become of the packets; written by the forwarder alone.
#[derive(Default, Debug)]
pub(super) struct Counters {
    pub(super) delivered: AtomicU64,
    pub(super) dropped: AtomicU64,
    pub(super) overtaken: AtomicU64,
}

/// A packet on its way.
struct Packet {
    /// The index of the end that it goes to.
    to: usize,
    /// Its number among those that go there.
    number: u64,
    bytes: Vec<u8>,
}

/// Both ends of the network and what lies between them.
pub(super) struct Forwarder {
    weather: Weather,
    ends: [OwnedFd; 2],
    /// One for each direction, so that the fates of one do not depend on the traffic of the other.
    fates: [Prng; 2],
    sent: [u64; 2],
    /// The largest number delivered so far.
    delivered: [u64; 2],
    /// By the time of arrival; the second number keeps equal times apart.
    under_way: BTreeMap<(Instant, u64), Packet>,
    counters: Arc<Counters>,
}

impl Forwarder {
    pub(super) fn new(
        seed: u64,
        weather: Weather,
        ends: [OwnedFd; 2],
        counters: Arc<Counters>,
    ) -> Forwarder {
        let root = Prng::new(seed);
        Forwarder {
            weather,
            ends,
            fates: [root.split("to the left"), root.split("to the right")],
            sent: [0; 2],
            delivered: [0; 2],
            under_way: BTreeMap::new(),
            counters,
        }
    }

    /// Forwards until an end is closed.
    pub(super) fn run(mut self) {
        while self.wait().is_some_and(|ready| self.take(ready)) {
            self.deliver(Instant::now());
        }
    }

    /// Which ends have a packet, once one has or one must be delivered; `None` if the wait fails.
    fn wait(&self) -> Option<[bool; 2]> {
        let due = self.under_way.first_key_value().map(|((due, _), _)| *due);
        let patience = due.map(|due| due.saturating_duration_since(Instant::now()));
        let patience = patience.and_then(|patience| Timespec::try_from(patience).ok());
        let mut ends = self.ends.each_ref().map(|end| PollFd::new(end, PollFlags::IN));
        poll(&mut ends, patience.as_ref()).ok()?;
        Some(ends.map(|end| !end.revents().is_empty()))
    }

    /// Takes a packet from each end that has one; false if an end is closed.
    fn take(&mut self, ready: [bool; 2]) -> bool {
        (0..2).filter(|&end| ready[end]).all(|end| {
            let mut bytes = vec![0; PACKET_MAX];
            let Ok((length @ 1.., _)) = recv(&self.ends[end], &mut bytes[..], RecvFlags::DONTWAIT)
            else {
                return false;
            };
            bytes.truncate(length);
            self.decide(1 - end, bytes);
            true
        })
    }

    fn decide(&mut self, to: usize, bytes: Vec<u8>) {
        self.sent[to] += 1;
        let number = self.sent[to];
        match fate(&mut self.fates[to], &self.weather) {
            Some(delay) => {
                let key = (Instant::now() + delay, self.sent[0] + self.sent[1]);
                self.under_way.insert(key, Packet { to, number, bytes });
            }
            None => count(&self.counters.dropped),
        }
    }

    /// Hands over all that have arrived by now.
    fn deliver(&mut self, now: Instant) {
        while let Some(first) = self.under_way.first_entry()
            && first.key().0 <= now
        {
            let Packet { to, number, bytes } = first.remove();
            // An end that takes no more loses it, as a full queue of a router does.
            let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
            match send(&self.ends[to], &bytes, flags) {
                Ok(_) => count(&self.counters.delivered),
                Err(_) => count(&self.counters.dropped),
            }
            if number < self.delivered[to] {
                count(&self.counters.overtaken);
            }
            self.delivered[to] = self.delivered[to].max(number);
        }
    }
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// How long the next packet takes; `None` if it is lost.
fn fate(prng: &mut Prng, weather: &Weather) -> Option<Duration> {
    // Both are drawn in any case, so that a change of the loss leaves the delays as they are.
    let (chance, place) = (prng.next_f64(), prng.next_f64());
    let earliest = weather.delay.saturating_sub(weather.jitter);
    let delay = earliest + (2 * weather.jitter).mul_f64(place);
    (weather.loss <= chance).then_some(delay)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fates(seed: u64, weather: &Weather) -> Vec<Option<Duration>> {
        let mut prng = Prng::new(seed);
        (0..10_000).map(|_| fate(&mut prng, weather)).collect()
    }

    #[test]
    fn fates_follow_from_the_seed() {
        assert_eq!(fates(7, &Weather::BAD), fates(7, &Weather::BAD));
        assert_ne!(fates(7, &Weather::BAD), fates(8, &Weather::BAD));
    }

    #[test]
    fn packets_are_lost_and_delayed_as_the_weather_says() {
        let fates = fates(1, &Weather::BAD);
        let delays: Vec<Duration> = fates.iter().copied().flatten().collect();
        let lost = fates.len() - delays.len();
        assert!((400..600).contains(&lost), "{lost} of 10000 lost instead of about 500");
        let [least, most] = [delays.iter().min(), delays.iter().max()].map(Option::unwrap);
        assert!((30..35).contains(&least.as_millis()), "{least:?}");
        assert!((65..71).contains(&most.as_millis()), "{most:?}");
    }

    #[test]
    fn without_loss_and_jitter_all_take_the_same_time() {
        let weather = Weather { jitter: Duration::ZERO, loss: 0.0, ..Weather::BAD };
        assert!(fates(1, &weather).iter().all(|fate| *fate == Some(weather.delay)));
    }
}
