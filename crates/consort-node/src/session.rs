//! Exactly once and in order, whatever a link does: numbers, acknowledgments, resending.
//!
//! A [`Session`] is what two nodes know of their exchange; it outlives the links that carry it. It does
//! no input or output and has no clock: time is a parameter, frames are passed in and out. Every frame that
//! must arrive has a number. The receiver delivers them in the order of their numbers, drops doubles,
//! keeps what came early, and acknowledges all up to a number, mostly on frames that travel anyway. The
//! sender keeps each frame until it is acknowledged. After a new connection everything that is not
//! acknowledged is sent again; on a link that loses frames also after a while.

use crate::frame::{self, Body, Frame, WireError};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::time::Duration;

/// How many frames may be on their way at a time.
pub const WINDOW: usize = 1024;
/// A receiver that has nothing else to send acknowledges after so many frames.
const SILENT_MAX: u64 = 32;
/// How many frames are sent again at a time.
const RESEND_MAX: usize = 32;
/// How often the same acknowledgment comes before the frame after it counts as lost.
const REPEATED_MAX: u32 = 2;
/// Bounds for the time after which a frame is sent again.
const PAUSE_MIN: Duration = Duration::from_millis(10);
const PAUSE_MAX: Duration = Duration::from_secs(1);
/// Buffers kept for frames to come.
const SPARE_MAX: usize = 64;

/// What two nodes know of their exchange, seen from one of them.
#[derive(Debug, Default)]
pub struct Session {
    outgoing: Outgoing,
    incoming: Incoming,
}

#[derive(Debug, Default)]
struct Outgoing {
    /// Frames that are not acknowledged; the first has the number `acknowledged + 1`.
    waiting: VecDeque<Vec<u8>>,
    acknowledged: u64,
    /// How many of `waiting` have left on this connection.
    sent: usize,
    /// Buffers of acknowledged frames, to be used again.
    spare: Vec<Vec<u8>>,
    timer: Timer,
    /// How often the last acknowledgment was repeated.
    repeated: u32,
}

#[derive(Debug, Default)]
struct Incoming {
    /// Everything up to this number was delivered.
    received: u64,
    /// Frames that arrived too early, by number.
    early: BTreeMap<u64, Vec<u8>>,
    /// The acknowledgment of the last frame that was sent.
    acknowledged: u64,
    /// The sender needs an acknowledgment now.
    is_ack_due: bool,
}

/// When to send again, from measured round trips.
#[derive(Debug, Default)]
struct Timer {
    due: Option<Duration>,
    /// Doubled each time that nothing came.
    pause: Option<Duration>,
    round_trip: Option<Duration>,
    /// The frame whose round trip is being measured, and when it left.
    probe: Option<(u64, Duration)>,
}

/// What became of a frame that arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameArrival {
    /// It is next: carry it out, then ask for [`Session::early`] ones.
    Deliver,
    /// It came early and is kept, or it came twice, or it had nothing but its acknowledgment.
    Done,
}

impl Session {
    /// Gives the next number to what must arrive, and keeps it until it has.
    pub fn push(&mut self, body: Body<'_>) {
        let outgoing = &mut self.outgoing;
        let sequence = outgoing.last() + 1;
        let mut bytes = outgoing.spare.pop().unwrap_or_default();
        bytes.clear();
        frame::encode(&Frame { sequence, acknowledgment: 0, body }, &mut bytes);
        outgoing.waiting.push_back(bytes);
    }

    /// Whether more may be pushed without waiting for acknowledgments.
    pub fn has_room(&self) -> bool {
        self.outgoing.waiting.len() < WINDOW
    }

    /// Whether everything that was pushed has arrived.
    pub fn is_settled(&self) -> bool {
        self.outgoing.waiting.is_empty()
    }

    /// Everything up to this number was delivered here: sent in the handshake.
    pub fn received(&self) -> u64 {
        self.incoming.received
    }

    /// The number of a frame that is missing while later ones are here: on a link that keeps the order it was lost.
    pub fn gap(&self) -> Option<u64> {
        let is_one = !self.incoming.early.is_empty();
        is_one.then_some(self.incoming.received + 1)
    }

    /// Whether everything up to this number was ever pushed.
    pub fn has_sent(&self, sequence: u64) -> bool {
        sequence <= self.outgoing.last()
    }

    /// Sends the frames that have not been sent yet and, if the link is not reliable, those that seem
    /// to be lost.
    ///
    /// # Errors
    /// Those of `send`.
    pub fn transmit(
        &mut self,
        now: Duration,
        is_reliable: bool,
        mut send: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        if !is_reliable {
            self.resend(now, &mut send)?;
        }
        let outgoing = &mut self.outgoing;
        let end = outgoing.waiting.len().min(WINDOW);
        if end <= outgoing.sent {
            return Ok(());
        }
        if !is_reliable {
            outgoing.timer.start(now, outgoing.acknowledged + outgoing.sent as u64 + 1);
        }
        for bytes in outgoing.waiting.range_mut(outgoing.sent..end) {
            frame::acknowledge(bytes, self.incoming.received);
            send(bytes)?;
        }
        outgoing.sent = end;
        self.incoming.has_acknowledged();
        Ok(())
    }

    fn resend(
        &mut self,
        now: Duration,
        send: &mut impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let outgoing = &mut self.outgoing;
        let is_late = outgoing.timer.due.is_some_and(|due| due <= now);
        let count = if is_late {
            outgoing.timer.double(now);
            outgoing.sent.min(RESEND_MAX)
        } else if outgoing.repeated == REPEATED_MAX {
            // Once only: the count grows and is not equal again before something is acknowledged.
            outgoing.repeated += 1;
            outgoing.sent.min(1)
        } else {
            0
        };
        for bytes in outgoing.waiting.range_mut(..count) {
            frame::acknowledge(bytes, self.incoming.received);
            send(bytes)?;
        }
        Ok(())
    }

    /// A frame came. If it is to be delivered it is still in `bytes`; if it came early its buffer was
    /// taken.
    ///
    /// # Errors
    /// If its numbers are out of range.
    pub fn arrive(
        &mut self,
        now: Duration,
        bytes: &mut Vec<u8>,
    ) -> Result<FrameArrival, WireError> {
        let frame = frame::decode(bytes)?;
        let (sequence, is_ack) = (frame.sequence, matches!(frame.body, Body::Acknowledge));
        self.outgoing.acknowledged_to(frame.acknowledgment, is_ack, now)?;
        if !frame.body.is_sequenced() {
            return Ok(if is_ack { FrameArrival::Done } else { FrameArrival::Deliver });
        }
        let is_last = matches!(frame.body, Body::Ready | Body::Final(_) | Body::Failed { .. });
        self.incoming.take(sequence, is_last, bytes)
    }

    /// The next frame that came early and whose turn it is now; it replaces `into`.
    pub fn early(&mut self, into: &mut Vec<u8>) -> bool {
        let incoming = &mut self.incoming;
        let Some(bytes) = incoming.early.remove(&(incoming.received + 1)) else { return false };
        incoming.received += 1;
        *into = bytes;
        true
    }

    /// A frame with nothing but the acknowledgment, if it is time for one; it replaces `into`.
    pub fn acknowledgment(&mut self, is_reliable: bool, into: &mut Vec<u8>) -> bool {
        let incoming = &self.incoming;
        let silent = incoming.received - incoming.acknowledged;
        let is_due = SILENT_MAX <= silent || (!is_reliable && 0 < silent) || incoming.is_ack_due;
        if is_due {
            self.alive(into);
        }
        is_due
    }

    /// A heartbeat with an acknowledgment; it replaces `into`.
    pub fn alive(&mut self, into: &mut Vec<u8>) {
        into.clear();
        let acknowledgment = self.incoming.received;
        frame::encode(&Frame { sequence: 0, acknowledgment, body: Body::Acknowledge }, into);
        self.incoming.has_acknowledged();
    }

    /// There is a new connection, and this is what the other side has received: everything else is sent
    /// again.
    ///
    /// # Errors
    /// If it cannot have received that.
    pub fn reconnected(&mut self, acknowledgment: u64) -> Result<(), WireError> {
        let outgoing = &mut self.outgoing;
        outgoing.acknowledged_to(acknowledgment, false, Duration::ZERO)?;
        // What came early comes again.
        self.incoming.early.clear();
        outgoing.sent = 0;
        outgoing.repeated = 0;
        outgoing.timer = Timer { round_trip: outgoing.timer.round_trip, ..Timer::default() };
        Ok(())
    }

    /// When [`Session::transmit`] has something to send again; of use on links that lose frames.
    pub fn due(&self) -> Option<Duration> {
        self.outgoing.timer.due
    }
}

impl Outgoing {
    /// The number of the last frame that was pushed.
    fn last(&self) -> u64 {
        self.acknowledged + self.waiting.len() as u64
    }

    fn acknowledged_to(&mut self, to: u64, is_ack: bool, now: Duration) -> Result<(), WireError> {
        if self.last() < to {
            return Err(WireError::Sequence { found: to, most: self.last() });
        }
        if to <= self.acknowledged {
            let is_repeated = is_ack && to == self.acknowledged && 0 < self.sent;
            self.repeated += u32::from(is_repeated);
            return Ok(());
        }
        while self.acknowledged < to {
            let bytes = self.waiting.pop_front().expect("the number is not above the last");
            if self.spare.len() < SPARE_MAX {
                self.spare.push(bytes);
            }
            self.acknowledged += 1;
            self.sent = self.sent.saturating_sub(1);
        }
        self.repeated = 0;
        self.timer.progress(now, to, self.sent != 0);
        Ok(())
    }
}

impl Incoming {
    fn take(
        &mut self,
        sequence: u64,
        is_last: bool,
        bytes: &mut Vec<u8>,
    ) -> Result<FrameArrival, WireError> {
        let most = self.received + WINDOW as u64;
        if most < sequence {
            return Err(WireError::Sequence { found: sequence, most });
        }
        if sequence == self.received + 1 {
            self.received = sequence;
            self.is_ack_due |= is_last;
            return Ok(FrameArrival::Deliver);
        }
        // A double or a gap: the sender needs to know what was received.
        self.is_ack_due = true;
        if self.received < sequence {
            self.early.entry(sequence).or_insert_with(|| std::mem::take(bytes));
        }
        Ok(FrameArrival::Done)
    }

    fn has_acknowledged(&mut self) {
        self.acknowledged = self.received;
        self.is_ack_due = false;
    }
}

impl Timer {
    fn start(&mut self, now: Duration, sequence: u64) {
        self.probe.get_or_insert((sequence, now));
        let pause = self.pause();
        self.due.get_or_insert(now + pause);
    }

    fn pause(&self) -> Duration {
        let measured = self.round_trip.map_or(5 * PAUSE_MIN, |trip| 2 * trip + PAUSE_MIN);
        self.pause.unwrap_or(measured).clamp(PAUSE_MIN, PAUSE_MAX)
    }

    fn double(&mut self, now: Duration) {
        let pause = self.pause();
        self.due = Some(now + pause);
        self.pause = Some((2 * pause).min(PAUSE_MAX));
        // What was sent twice measures nothing.
        self.probe = None;
    }

    fn progress(&mut self, now: Duration, to: u64, has_more: bool) {
        if let Some((sequence, sent)) = self.probe
            && sequence <= to
        {
            let trip = now.saturating_sub(sent);
            let smooth = self.round_trip.map_or(trip, |old| (7 * old + trip) / 8);
            self.round_trip = Some(smooth);
            self.probe = None;
        }
        self.pause = None;
        let pause = self.pause();
        self.due = has_more.then_some(now + pause);
    }
}
