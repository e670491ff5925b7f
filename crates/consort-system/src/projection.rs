//! A plan cut into nodes: what crosses between them, and when.
//!
//! Every node of a distributed run carries out the same plan, each for its own components. Every
//! [`Stage::Exchange`](crate::Stage) of the plan has an ordinal: its number, counted through all
//! programs in the order they run. (Loops and the like are on one node: exchanges within them are not
//! counted, for nothing crosses there.) What an exchange moves depends only on what was exchanged before,
//! so at the tag (time, ordinal) each node sends what crosses from it, then waits for what crosses to
//! it: there is no circle of nodes that wait for each other.

use crate::placement::Placement;
use consort_core::{ConnectionId, NodeId, Tag, Time, named};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// A plan cut into nodes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Projection {
    /// The placement for which it was made.
    pub placement: Placement,
    /// The values that cross between nodes, sorted by name.
    pub crossings: Vec<Crossing>,
}

/// Values that one node sends another at one exchange: a flow with exactly known tags.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Crossing {
    /// Unique in its projection, and the same on every node: `plant>control/present.1/0.01s`.
    pub name: String,
    /// The node that sends.
    pub from: NodeId,
    /// The node that receives.
    pub to: NodeId,
    /// Which exchange of the plan this is; the microstep of its messages.
    pub ordinal: u32,
    /// The program with that exchange.
    pub program: ProgramKind,
    /// When the first message is sent.
    pub first: Time,
    /// From one message to the next; `None` if there is only one.
    pub period: Option<Time>,
    /// When the last message is sent; not before the first.
    pub last: Time,
    /// Whose values these are, in id order. Their sources are all due at the same times.
    pub connections: Vec<ConnectionId>,
}

named! {
    /// The programs of a plan, in the order in which they run, as [`Plan::programs`](crate::Plan::programs) gives
    /// them.
    #[derive(Serialize, Deserialize)]
    pub enum ProgramKind {
        /// The program that runs once, before the first step.
        Initialization => "initialization",
        /// Run at every tag.
        Present => "present",
        /// Run at every tag but the last, and leads to the next.
        Advance => "advance",
    }
}

impl Crossing {
    /// The tag of the message that is sent at a time: no two exchanges share one.
    pub fn tag(&self, time: Time) -> Tag {
        Tag { time, microstep: self.ordinal }
    }

    /// When the first message is sent after everything up to and including `after` was done, but for
    /// `advance` at it; `None` if there is none left.
    pub fn first_after(&self, after: Time) -> Option<Time> {
        let is_left = match self.program {
            ProgramKind::Advance => after <= self.first,
            ProgramKind::Initialization | ProgramKind::Present => after < self.first,
        };
        if is_left {
            return Some(self.first);
        }
        let period = self.period?;
        let done = (after - self.first).ticks() / period.ticks();
        let at = self.first + period.checked_mul(done)?;
        let is_at = self.program == ProgramKind::Advance && at == after;
        let next = if is_at { at } else { at.checked_add(period)? };
        (next <= self.last).then_some(next)
    }
}

impl Projection {
    /// Everything that counts, as text: equal on all nodes that may run together.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (index, name) in self.placement.nodes.iter().enumerate() {
            let of = self.placement.components(NodeId::from_index(index));
            let of: Vec<String> = of.map(|id| id.0.to_string()).collect();
            let _ = writeln!(text, "node {name}: {}", of.join(" "));
        }
        for crossing in &self.crossings {
            let Crossing { name, first, last, connections, .. } = crossing;
            let ids: Vec<String> = connections.iter().map(|id| id.0.to_string()).collect();
            let (first, last, ids) = (first.ticks(), last.ticks(), ids.join(" "));
            let _ = writeln!(text, "crossing {name} from {first} to {last}: {ids}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(program: ProgramKind, after: i64, expected: Option<i64>) {
        let crossing = Crossing {
            name: "a>b".to_owned(),
            from: NodeId(0),
            to: NodeId(1),
            ordinal: 3,
            program,
            first: Time::from_ticks(10),
            period: (program != ProgramKind::Initialization).then_some(Time::from_ticks(4)),
            last: Time::from_ticks(if program == ProgramKind::Initialization { 10 } else { 18 }),
            connections: Vec::new(),
        };
        let next = crossing.first_after(Time::from_ticks(after));
        assert_eq!(next, expected.map(Time::from_ticks), "{program:?} after {after}");
    }

    #[test]
    fn a_run_continues_with_the_first_message_that_was_not_sent() {
        use ProgramKind::{Advance, Initialization, Present};
        for (program, after, expected) in [
            (Initialization, 9, Some(10)),
            (Initialization, 10, None),
            (Present, 9, Some(10)),
            (Present, 10, Some(14)),
            (Present, 13, Some(14)),
            (Present, 14, Some(18)),
            (Present, 18, None),
            (Advance, 10, Some(10)),
            (Advance, 11, Some(14)),
            (Advance, 14, Some(14)),
            (Advance, 18, Some(18)),
            (Advance, 19, None),
        ] {
            check(program, after, expected);
        }
    }
}
