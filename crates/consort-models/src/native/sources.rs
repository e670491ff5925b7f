//! Blocks without inputs: functions of the exact time of a tag.

use super::behavior::{BlockBehavior, BlockMoment};
use super::draft::BlockDraft;
use super::store::{Slot, Store};
use consort_core::{DependencyKind, Literal, Time, ValueType, Values, Variability};
use std::f64::consts::TAU;

/// Declares a source's output, which depends on all its parameters in initialization.
fn source_output(draft: &mut BlockDraft<'_>, parameters: &[Slot], text: &str) -> Slot {
    let y = draft.output("y", &[], text).slot();
    for &parameter in parameters {
        draft.depends(y, parameter, DependencyKind::Dependent);
    }
    y
}

struct Constant {
    value: Slot,
    y: Slot,
}

pub(super) fn constant(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let zero = Literal::Float(0.0);
    let given = draft.given("value");
    let literal = given.map_or(&zero, |given| given.value);
    let value_type = constant_type(draft, literal);
    let shape = literal.shape().filter(|shape| shape.iter().all(|&extent| extent != 0));
    let values = literal.to_values(value_type, &[]);
    let (shape, values) = match (shape, values) {
        (Some(shape), Ok(values)) => (shape, values),
        (None, _) => {
            let message =
                format!("{} is empty or has rows of different length", draft.path("value"));
            let help = "write a value, a list, or a list of equally long lists";
            draft.wrong("model::parameter-shape", given, message, help);
            return None;
        }
        (_, Err(error)) => {
            let message = format!("{}: {error}", draft.path("value"));
            let help = "`type` says what kind of values the block has, such as `\"Int32\"`";
            draft.wrong("model::parameter-type", given, message, help);
            return None;
        }
    };
    let text = "what the block puts out";
    let entry = draft.with_start("value", &shape, values, text);
    let value = entry.variability(Variability::Tunable).slot();
    let y = draft.output("y", &shape, "the value").value_type(value_type).slot();
    draft.depends(y, value, DependencyKind::Tunable);
    Some(Box::new(Constant { value, y }))
}

/// What `type` says, else what the literal looks like; numbers are `Float64`.
fn constant_type(draft: &mut BlockDraft<'_>, literal: &Literal) -> ValueType {
    let scalars = literal.scalars();
    let inferred = match scalars.first() {
        Some(Literal::Boolean(_)) => ValueType::Boolean,
        Some(Literal::Text(_)) => ValueType::String,
        _ => ValueType::Float64,
    };
    let is_other = |other: &ValueType| ![inferred, ValueType::Clock].contains(other);
    let others = ValueType::ALL.into_iter().filter(is_other);
    let types: Vec<ValueType> = std::iter::once(inferred).chain(others).collect();
    let names: Vec<&'static str> = types.iter().map(|value_type| value_type.name()).collect();
    let chosen = draft.choice("type", &names, "the type of the value");
    types.into_iter().find(|value_type| value_type.name() == chosen).unwrap_or(inferred)
}

impl BlockBehavior for Constant {
    fn outputs(&self, _now: &BlockMoment<'_>, store: &mut Store) {
        store.copy(self.value, self.y);
    }
}

struct Step {
    time: Slot,
    before: Slot,
    after: Slot,
    y: Slot,
}

pub(super) fn step(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let time = draft.tunable("time", 0.0, "when the value changes").unit("s").slot();
    let before = draft.tunable("before", 0.0, "the value before that").slot();
    let after = draft.tunable("after", 1.0, "the value from then on").slot();
    let y = source_output(draft, &[time, before, after], "`before`, then `after`");
    Some(Box::new(Step { time, before, after, y }))
}

impl BlockBehavior for Step {
    fn outputs(&self, now: &BlockMoment<'_>, store: &mut Store) {
        let is_after = store.scalar(self.time) <= now.seconds();
        store.copy(if is_after { self.after } else { self.before }, self.y);
    }
}

struct Ramp {
    start: Slot,
    duration: Slot,
    from: Slot,
    to: Slot,
    y: Slot,
}

pub(super) fn ramp(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let start = draft.tunable("start", 0.0, "when the ramp begins").unit("s").slot();
    let duration = draft.tunable("duration", 1.0, "how long it takes").unit("s").min(0.0).slot();
    let from = draft.tunable("from", 0.0, "the value before the ramp").slot();
    let to = draft.tunable("to", 1.0, "the value after the ramp").slot();
    let y = source_output(draft, &[start, duration, from, to], "straight from `from` to `to`");
    Some(Box::new(Ramp { start, duration, from, to, y }))
}

impl BlockBehavior for Ramp {
    fn outputs(&self, now: &BlockMoment<'_>, store: &mut Store) {
        let elapsed = now.seconds() - store.scalar(self.start);
        let duration = store.scalar(self.duration);
        let (from, to) = (store.scalar(self.from), store.scalar(self.to));
        let y = if elapsed <= 0.0 {
            from
        } else if duration <= elapsed {
            to
        } else {
            from + (to - from) * (elapsed / duration)
        };
        store.set_scalar(self.y, y);
    }
}

struct Sine {
    amplitude: Slot,
    frequency: Slot,
    phase: Slot,
    offset: Slot,
    y: Slot,
}

pub(super) fn sine(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let amplitude = draft.tunable("amplitude", 1.0, "from the middle to the crest").slot();
    let frequency = draft.tunable("frequency", 1.0, "cycles per second").unit("Hz").slot();
    let phase = draft.tunable("phase", 0.0, "the angle at time zero").unit("rad").slot();
    let offset = draft.tunable("offset", 0.0, "the middle").slot();
    let text = "offset + amplitude * sin(2 pi frequency time + phase)";
    let y = source_output(draft, &[amplitude, frequency, phase, offset], text);
    Some(Box::new(Sine { amplitude, frequency, phase, offset, y }))
}

impl BlockBehavior for Sine {
    fn outputs(&self, now: &BlockMoment<'_>, store: &mut Store) {
        // Whole cycles are dropped before the rounding of 2 pi can grow with them.
        let cycles = store.scalar(self.frequency) * now.seconds();
        let angle = TAU * (cycles - cycles.floor()) + store.scalar(self.phase);
        let wave = store.scalar(self.amplitude) * libm::sin(angle);
        store.set_scalar(self.y, store.scalar(self.offset) + wave);
    }
}

struct Pulse {
    period: Slot,
    duty: Slot,
    delay: Slot,
    low: Slot,
    high: Slot,
    y: Slot,
}

pub(super) fn pulse(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let text = "from one rise to the next, to the nearest tick";
    let period = draft.fixed("period", 1.0, text).unit("s").min(0.0).slot();
    let duty = draft.tunable("duty", 0.5, "the part of a period that is high").min(0.0).slot();
    let delay = draft.tunable("delay", 0.0, "when the first rise is").unit("s").slot();
    let low = draft.tunable("low", 0.0, "the value between pulses").slot();
    let high = draft.tunable("high", 1.0, "the value of pulses").slot();
    let y = source_output(draft, &[period, duty, delay, low, high], "`high` in pulses, else `low`");
    Some(Box::new(Pulse { period, duty, delay, low, high, y }))
}

/// Refuses a period that is shorter than half a tick.
pub(super) fn check_period(now: &BlockMoment<'_>, period: f64) -> Result<(), String> {
    if now.ticks(period).is_none() {
        let resolution = now.resolution;
        return Err(format!("`period` = {period:?} s is not a tick of {resolution} or more"));
    }
    Ok(())
}

impl Pulse {
    /// In ticks, so that pulses neither drift nor jitter.
    fn is_high(&self, now: &BlockMoment<'_>, store: &Store) -> bool {
        let delay = now.resolution.from_f64(store.scalar(self.delay)).ok();
        let elapsed = delay.and_then(|delay| now.time.checked_sub(delay)).map(Time::ticks);
        let (Some(period), Some(elapsed)) = (now.ticks(store.scalar(self.period)), elapsed) else {
            return false;
        };
        0 <= elapsed && ((elapsed % period) as f64) < store.scalar(self.duty) * period as f64
    }
}

impl BlockBehavior for Pulse {
    fn check(&self, now: &BlockMoment<'_>, store: &Store) -> Result<(), String> {
        check_period(now, store.scalar(self.period))
    }

    fn outputs(&self, now: &BlockMoment<'_>, store: &mut Store) {
        store.copy(if self.is_high(now, store) { self.high } else { self.low }, self.y);
    }
}

/// The values of a `String` parameter with one element.
pub(super) fn text_values(text: &str) -> Values {
    Values::String(vec![text.to_owned()])
}
