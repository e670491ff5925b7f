//! Exactly once and in order, under everything a network can do, in simulated time.

use consort_core::Prng;
use consort_federation::flow::FlowId;
use consort_node::frame::Frame;
use consort_node::frame::{Body, WireError, decode, encode};
use consort_node::session::{FrameArrival, Session, WINDOW};
use std::collections::BTreeMap;
use std::time::Duration;

/// What the network does, in percent of frames; times in milliseconds.
#[derive(Clone, Copy, Debug)]
struct Weather {
    loss: u64,
    doubles: u64,
    jitter: u64,
    cuts: u64,
}

/// One direction of a line: frames by when they arrive.
#[derive(Default)]
struct Way {
    frames: BTreeMap<(u64, u64), Vec<u8>>,
    count: u64,
}

impl Way {
    fn send(&mut self, now: u64, frame: &[u8], weather: Weather, random: &mut Prng) {
        let copies = 1 + u64::from(random.below(100) < weather.doubles);
        for _ in 0..copies {
            self.count += 1;
            if weather.loss <= random.below(100) {
                let arrives = now + 1 + random.below(weather.jitter + 1);
                self.frames.insert((arrives, self.count), frame.to_vec());
            }
        }
    }

    fn arrived(&mut self, now: u64) -> Option<Vec<u8>> {
        let first = self.frames.first_entry().filter(|first| first.key().0 <= now)?;
        Some(first.remove())
    }
}

struct Side {
    session: Session,
    /// What it has to say, and how much of it was said.
    total: u32,
    said: u32,
    heard: Vec<u32>,
}

impl Side {
    fn new(total: u32) -> Self {
        Side { session: Session::default(), total, said: 0, heard: Vec::new() }
    }

    fn speak(&mut self, now: u64, way: &mut Way, weather: Weather, random: &mut Prng) {
        for _ in 0..random.below(4) {
            if self.said < self.total && self.session.has_room() {
                self.said += 1;
                self.session.push(Body::Credit { flow: FlowId(0), count: self.said });
            }
        }
        let is_reliable = weather.loss + weather.doubles + weather.jitter == 0;
        let mut frames = Vec::new();
        let keep = |bytes: &[u8]| {
            frames.push(bytes.to_vec());
            Ok(())
        };
        let time = Duration::from_millis(now);
        self.session.transmit(time, is_reliable, keep).expect("nothing can fail");
        let mut ack = Vec::new();
        if self.session.acknowledgment(is_reliable, &mut ack) {
            frames.push(ack);
        }
        frames.iter().for_each(|frame| way.send(now, frame, weather, random));
    }

    fn listen(&mut self, now: u64, way: &mut Way) {
        while let Some(mut bytes) = way.arrived(now) {
            let arrival = self.session.arrive(Duration::from_millis(now), &mut bytes);
            if arrival.expect("all frames are right") == FrameArrival::Deliver {
                self.hear(&bytes);
                while self.session.early(&mut bytes) {
                    self.hear(&bytes);
                }
            }
        }
    }

    fn hear(&mut self, bytes: &[u8]) {
        if let Body::Credit { count, .. } = decode(bytes).expect("a frame").body {
            self.heard.push(count);
        }
    }
}

/// Both sides say what they have to; how many milliseconds that takes.
fn converse(seed: u64, weather: Weather, totals: [u32; 2]) -> u64 {
    let mut random = Prng::new(seed);
    let (mut one, mut other) = (Side::new(totals[0]), Side::new(totals[1]));
    let (mut there, mut back) = (Way::default(), Way::default());
    for now in 0..1_000_000 {
        if random.below(1000) < weather.cuts {
            (there, back) = (Way::default(), Way::default());
            one.session.reconnected(other.session.received()).expect("it received that");
            other.session.reconnected(one.session.received()).expect("it received that");
        }
        one.speak(now, &mut there, weather, &mut random);
        other.speak(now, &mut back, weather, &mut random);
        one.listen(now, &mut back);
        other.listen(now, &mut there);
        let is_over = |side: &Side| side.said == side.total && side.session.is_settled();
        // On a reliable line the last few are acknowledged when there is a reason to.
        let has_heard = |side: &Side, total: u32| side.heard.len() == total as usize;
        let is_reliable = weather.loss + weather.doubles + weather.jitter == 0;
        let is_settled = is_reliable || (is_over(&one) && is_over(&other));
        if has_heard(&one, totals[1]) && has_heard(&other, totals[0]) && is_settled {
            assert!(one.heard.iter().copied().eq(1..=totals[1]), "seed {seed}, {weather:?}");
            assert!(other.heard.iter().copied().eq(1..=totals[0]), "seed {seed}, {weather:?}");
            return now;
        }
    }
    panic!("seed {seed}, {weather:?}: no end; heard {} and {}", one.heard.len(), other.heard.len())
}

#[test]
fn everything_arrives_once_and_in_order_whatever_the_network_does() {
    for seed in 0..300 {
        let mut draw = Prng::new(seed).split("weather");
        let weather = Weather {
            loss: draw.below(40),
            doubles: draw.below(30),
            jitter: draw.below(60),
            cuts: draw.below(20),
        };
        let mut total = || u32::try_from(draw.below(300)).expect("small");
        converse(seed, weather, [total(), total()]);
    }
}

#[test]
fn a_reliable_line_that_is_cut_loses_nothing() {
    for seed in 0..100 {
        let weather = Weather { loss: 0, doubles: 0, jitter: 0, cuts: 50 };
        converse(seed, weather, [500, 20]);
    }
}

#[test]
fn on_a_reliable_line_nothing_is_sent_twice() {
    let weather = Weather { loss: 0, doubles: 0, jitter: 0, cuts: 0 };
    let mut random = Prng::new(1);
    let (mut one, mut other) = (Side::new(2000), Side::new(0));
    let (mut there, mut back) = (Way::default(), Way::default());
    let mut now = 0;
    while other.heard.len() < 2000 {
        one.speak(now, &mut there, weather, &mut random);
        other.speak(now, &mut back, weather, &mut random);
        other.listen(now, &mut there);
        one.listen(now, &mut back);
        now += 1;
    }
    assert_eq!(there.count, 2000, "one frame each");
    assert!(back.count <= 2000 / 32, "an acknowledgment for 32 frames, not {}", back.count);
}

#[test]
fn a_lost_frame_is_sent_again_and_not_the_ones_that_arrived() {
    let mut session = Session::default();
    (1..=3).for_each(|count| session.push(Body::Credit { flow: FlowId(0), count }));
    let mut sent = Vec::new();
    let mut at = |session: &mut Session, milliseconds| {
        sent.clear();
        let time = Duration::from_millis(milliseconds);
        let keep = |bytes: &[u8]| {
            sent.push(decode(bytes).expect("a frame").sequence);
            Ok(())
        };
        session.transmit(time, false, keep).expect("nothing can fail");
        sent.clone()
    };
    assert_eq!(at(&mut session, 0), [1, 2, 3]);
    assert_eq!(at(&mut session, 1), [0; 0], "too early");
    let mut ack = Vec::new();
    encode(&Frame { sequence: 0, acknowledgment: 2, body: Body::Acknowledge }, &mut ack);
    let arrived = session.arrive(Duration::from_millis(2), &mut ack);
    assert_eq!(arrived, Ok(FrameArrival::Done));
    assert_eq!(at(&mut session, 1000), [3]);
    assert!(session.due().is_some_and(|due| Duration::from_millis(1000) < due), "and again later");
}

#[test]
fn numbers_that_cannot_be_are_refused() {
    let arrive = |sequence, acknowledgment| {
        let body = if sequence == 0 { Body::Acknowledge } else { Body::Ready };
        let mut bytes = Vec::new();
        encode(&Frame { sequence, acknowledgment, body }, &mut bytes);
        Session::default().arrive(Duration::ZERO, &mut bytes)
    };
    let most = WINDOW as u64;
    assert_eq!(arrive(most, 0), Ok(FrameArrival::Done), "early, but possible");
    let found = most + 1;
    assert_eq!(arrive(found, 0), Err(WireError::Sequence { found, most }));
    assert_eq!(arrive(0, 1), Err(WireError::Sequence { found: 1, most: 0 }), "nothing was sent");
    assert_eq!(Session::default().reconnected(7), Err(WireError::Sequence { found: 7, most: 0 }));
}
