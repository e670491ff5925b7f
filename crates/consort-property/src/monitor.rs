//! A monitor: evaluates a property while a trace is produced.

use crate::interval::Interval;
use crate::operator::{Held, Mode, Reach};
use crate::plan::{Head, Plan};
use crate::round::{Node, Round, Sample};
use crate::single::Single;
use crate::ticks::FAR;
use crate::zip::Zip;
use consort_core::{Tag, Time};
use std::sync::Arc;

/// Watches a trace tag by tag and bounds the robustness of its property at the start, ever more tightly.
///
/// A plain value: a clone continues by itself, and so does one that was written to bytes. The formula is
/// that of the first time at or after the start it was made for; tags before are not looked at, nor are
/// tags that go back in time.
///
/// The values of a time count as soon as a later time is seen or the trace ends, since of several
/// microsteps the last one counts.
#[derive(Clone, Debug)]
pub struct PropertyMonitor {
    pub(crate) plan: Arc<Plan>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) slots: Vec<Slot>,
    /// The first time that was seen.
    pub(crate) origin: Option<Time>,
    /// The position of the time whose tags are being seen, and what was seen of it.
    pub(crate) now: i64,
    pub(crate) values: Vec<f64>,
    pub(crate) changed: Vec<bool>,
    pub(crate) ticked: Vec<bool>,
    /// The bounds on the robustness that are certain.
    pub(crate) bounds: Interval,
    pub(crate) is_finished: bool,
}

/// What is remembered of a formula that is asked for at the start only.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    First(Option<Interval>),
    Hold(Zip, Single),
}

impl PropertyMonitor {
    pub(crate) fn new(plan: Arc<Plan>) -> Self {
        let mut slots = vec![Slot::First(None); plan.slots];
        each_hold(&plan.head, &mut |slot, reach| {
            slots[slot] = Slot::Hold(Zip::default(), Single::new(reach));
        });
        let signals = plan.signals;
        PropertyMonitor {
            nodes: plan.rules.iter().map(Node::new).collect(),
            slots,
            origin: None,
            now: 0,
            values: vec![0.0; signals],
            changed: vec![false; signals],
            ticked: vec![false; signals],
            bounds: Interval::UNKNOWN,
            is_finished: false,
            plan,
        }
    }

    /// Shows the values of the property's signals at a tag, in their order. Takes constant time per
    /// operator on average, and allocates only while a window fills.
    ///
    /// # Panics
    /// If there are not as many values as signals.
    pub fn see(&mut self, tag: Tag, values: &[f64]) {
        assert_eq!(values.len(), self.plan.signals, "one value per signal");
        let Some(position) = self.position(tag.time).filter(|_| !self.is_finished) else { return };
        let is_first = self.origin.is_none();
        if is_first {
            self.origin = Some(tag.time);
        } else if position < self.now {
            return;
        }
        if self.now < position {
            self.commit(position);
            self.now = position;
            self.changed.fill(false);
            self.ticked.fill(false);
        }
        if self.plan.has_instants {
            self.notice(values, is_first);
        }
        self.values.copy_from_slice(values);
    }

    /// Remembers what happens at any microstep of a time.
    fn notice(&mut self, values: &[f64], is_first: bool) {
        for (place, value) in values.iter().enumerate() {
            let is_changed = value.to_bits() != self.values[place].to_bits();
            self.changed[place] |= is_changed && !is_first;
            self.ticked[place] |= *value < 0.0 || 0.0 < *value;
        }
    }

    /// Says that the trace ends, at the latest time seen or at `end` if that is later. Operators without
    /// an end look up to there; what others want to see beyond stays open. Tags shown later are not looked at.
    pub fn finish(&mut self, end: Time) {
        if self.is_finished {
            return;
        }
        if self.origin.is_some() {
            let end = self.position(end).map_or(self.now, |end| end.max(self.now));
            self.round(Some(end + 1), Mode::End);
        }
        self.is_finished = true;
    }

    /// Between what the robustness of the property at the start lies, whatever comes: each answer lies
    /// inside of the one before. Where operators that look ahead are nested, this takes time in
    /// proportion to what they have to remember.
    pub fn robustness(&self) -> Interval {
        if self.is_finished || self.plan.is_direct || self.origin.is_none() {
            return self.bounds;
        }
        let mut preview = self.clone();
        preview.round(None, Mode::Preview);
        preview.bounds
    }

    /// What of the robustness is certain, in constant time. Where operators that look ahead are nested,
    /// [`robustness`](Self::robustness) may know more.
    pub fn bounds(&self) -> Interval {
        self.bounds
    }

    /// Whether the property holds, as soon as that is certain; in constant time. Where operators that
    /// look ahead are nested, [`robustness`](Self::robustness) may be certain a little earlier.
    pub fn verdict(&self) -> Option<bool> {
        self.bounds.verdict()
    }

    /// Half ticks since the first time seen; `None` for what is not looked at.
    fn position(&self, time: Time) -> Option<i64> {
        let origin = self.origin.unwrap_or(time);
        let ticks = time.checked_sub(origin)?.ticks();
        (self.plan.start <= time && (0..FAR).contains(&ticks)).then(|| 2 * ticks)
    }

    fn commit(&mut self, until: i64) {
        self.round(Some(until), Mode::More);
    }

    /// Takes in the values of the time that has passed, if one has.
    fn round(&mut self, until: Option<i64>, mode: Mode) {
        let plan: &Plan = &self.plan;
        let hold = |until| if plan.is_dense { until } else { self.now + 1 };
        let sample = until.map(|until| Sample {
            start: self.now,
            end: hold(until),
            values: &self.values,
            changed: &self.changed,
            ticked: &self.ticked,
        });
        let known = until.unwrap_or(self.now);
        let round = Round { sample, known, mode, is_dense: plan.is_dense };
        for (place, rule) in plan.rules.iter().enumerate() {
            let (before, rest) = self.nodes.split_at_mut(place);
            rest[0].advance(rule, before, &round);
        }
        let value = head(&plan.head, &self.nodes, &mut self.slots, mode);
        self.bounds = self.bounds.narrowed(value);
    }
}

/// Calls with each slot of an operator along the trace.
fn each_hold(head: &Head, call: &mut dyn FnMut(usize, Reach)) {
    match head {
        Head::First { .. } => {}
        Head::Not(of) => each_hold(of, call),
        Head::Join(_, a, b) => {
            each_hold(a, call);
            each_hold(b, call);
        }
        Head::Hold { held, slot } => call(*slot, held.reach),
    }
}

/// What is known at the start, after a round.
fn head(of: &Head, nodes: &[Node], slots: &mut [Slot], mode: Mode) -> Interval {
    match of {
        Head::First { node, slot } => {
            let Slot::First(first) = &mut slots[*slot] else { return Interval::UNKNOWN };
            *first = first.or_else(|| nodes[*node].out.first().map(|piece| piece.value));
            first.unwrap_or(Interval::UNKNOWN)
        }
        Head::Not(of) => head(of, nodes, slots, mode).not(),
        Head::Join(joint, a, b) => {
            let (a, b) = (head(a, nodes, slots, mode), head(b, nodes, slots, mode));
            Interval::join(*joint, a, b)
        }
        Head::Hold { held, slot } => {
            let Slot::Hold(zip, single) = &mut slots[*slot] else { return Interval::UNKNOWN };
            hold(held, nodes, zip, single, mode)
        }
    }
}

fn hold(held: &Held, nodes: &[Node], zip: &mut Zip, single: &mut Single, mode: Mode) -> Interval {
    held.each(nodes, zip, |element| single.take(&element));
    single.known = held.known(nodes);
    let value = single.value(mode);
    if held.is_turned { value.not() } else { value }
}
