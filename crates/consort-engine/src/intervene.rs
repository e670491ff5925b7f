//! Interventions: what is done to the system while it runs.
//!
//! An override, offset or freeze stays on its target until released. The value the target would
//! have without it is kept beside (`raw`), so that an offset never adds up and a release gives the
//! undisturbed value back at once.

use crate::exchange;
use crate::store::{Bank, Slot};
use consort_core::{Time, Values, ValuesRef};
use consort_system::{Comparison, Effect};

/// When and what, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Intervention {
    pub(crate) trigger: CompiledTrigger,
    pub(crate) target: usize,
    pub(crate) effect: Effect,
    pub(crate) done: bool,
}

/// When an intervention begins.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CompiledTrigger {
    At(Time),
    When { slot: Slot, comparison: Comparison, number: f64 },
}

/// What is acted on, and how at present.
#[derive(Clone, Debug)]
pub(crate) struct TargetState {
    pub(crate) slot: Slot,
    pub(crate) kind: TargetKind,
    mode: Mode,
    /// The value without us.
    raw: Values,
}

/// When the target's slot gets a fresh value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TargetKind {
    /// An output of this component.
    Output { component: usize },
    /// An input that this component feeds, or a table at every tag, or nobody.
    Input { source: Option<usize>, fed: bool },
    /// A tunable parameter of a component.
    Parameter { component: usize },
}

#[derive(Clone, PartialEq, Debug)]
enum Mode {
    Idle,
    /// Put the value into place once, after the exchange of this tag.
    Once(Values),
    Override(Values),
    Offset(Values),
    Freeze(Values),
}

impl TargetState {
    pub(crate) fn new(slot: Slot, kind: TargetKind) -> Self {
        let raw = Values::zeros(slot.value_type, slot.count());
        TargetState { slot, kind, mode: Mode::Idle, raw }
    }

    /// Starts an effect. `bank` holds the value of this moment.
    fn begin(&mut self, effect: &Effect, bank: &mut Bank) {
        if self.mode == Mode::Idle {
            self.raw.slice_mut(0, self.slot.count()).copy_from(bank.get(self.slot));
        }
        self.mode = match effect {
            Effect::Set(values) if self.mode == Mode::Idle => Mode::Once(values.clone()),
            Effect::Set(values) => {
                self.raw = values.clone();
                return;
            }
            Effect::Override(values) => Mode::Override(values.clone()),
            Effect::Offset(values) => Mode::Offset(values.clone()),
            Effect::Freeze => Mode::Freeze(bank.get(self.slot).to_values()),
            Effect::Release => {
                bank.put(self.slot, self.raw.view());
                Mode::Idle
            }
        };
    }

    /// Puts the effective value into the slot; `fresh` if the slot got a new raw value just now.
    fn apply(&mut self, fresh: bool, bank: &mut Bank) {
        if fresh && self.mode != Mode::Idle {
            self.raw.slice_mut(0, self.slot.count()).copy_from(bank.get(self.slot));
        }
        match &self.mode {
            Mode::Idle => {}
            Mode::Once(values) => {
                bank.put(self.slot, values.view());
                self.mode = Mode::Idle;
            }
            Mode::Override(values) | Mode::Freeze(values) => bank.put(self.slot, values.view()),
            Mode::Offset(values) => {
                bank.put(self.slot, self.raw.view());
                exchange::add(bank, self.slot, values.view());
            }
        }
    }
}

/// All interventions of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interventions {
    pub(crate) list: Vec<Intervention>,
    pub(crate) targets: Vec<TargetState>,
}

impl Interventions {
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Begins what is due at `time`; gives the components whose parameters must be set anew.
    pub(crate) fn begin_due(&mut self, time: Time, bank: &mut Bank) -> Vec<usize> {
        let mut changed = Vec::new();
        for intervention in &mut self.list {
            if intervention.done || !intervention.trigger.holds(time, bank) {
                continue;
            }
            intervention.done = true;
            let target = &mut self.targets[intervention.target];
            target.begin(&intervention.effect, bank);
            if let TargetKind::Parameter { component } = target.kind {
                target.apply(false, bank);
                changed.push(component);
            }
        }
        changed
    }

    /// Adjusts outputs or inputs; `is_fresh` tells which components have new values.
    pub(crate) fn apply(
        &mut self,
        which: Which,
        is_fresh: &dyn Fn(usize) -> bool,
        bank: &mut Bank,
    ) {
        for target in &mut self.targets {
            match (target.kind, which) {
                (TargetKind::Output { component }, Which::Outputs) => {
                    target.apply(is_fresh(component), bank);
                }
                (TargetKind::Input { source, fed }, Which::Inputs) => {
                    target.apply(fed || source.is_some_and(is_fresh), bank);
                }
                _ => {}
            }
        }
    }
}

/// Which side of the exchange is adjusted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Which {
    Outputs,
    Inputs,
}

impl CompiledTrigger {
    fn holds(self, time: Time, bank: &Bank) -> bool {
        match self {
            CompiledTrigger::At(at) => at <= time,
            CompiledTrigger::When { slot, comparison, number } => {
                let value: ValuesRef<'_> = bank.get(slot);
                value.as_f64(0).is_some_and(|value| comparison.holds(value, number))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use consort_core::ValueType;

    #[test]
    fn an_offset_does_not_add_up_and_a_release_gives_the_raw_value_back() {
        let mut bank = Bank::new();
        let slot = bank.reserve(ValueType::Float64, 1);
        let mut target = TargetState::new(slot, TargetKind::Input { source: Some(0), fed: false });
        bank.put(slot, ValuesRef::Float64(&[1.0]));
        target.begin(&Effect::Offset(Values::Float64(vec![10.0])), &mut bank);
        target.apply(true, &mut bank);
        assert_eq!(bank.get(slot), ValuesRef::Float64(&[11.0]));
        target.apply(false, &mut bank);
        assert_eq!(bank.get(slot), ValuesRef::Float64(&[11.0]));
        bank.put(slot, ValuesRef::Float64(&[2.0]));
        target.apply(true, &mut bank);
        assert_eq!(bank.get(slot), ValuesRef::Float64(&[12.0]));
        target.begin(&Effect::Release, &mut bank);
        assert_eq!(bank.get(slot), ValuesRef::Float64(&[2.0]));
    }

    #[test]
    fn a_freeze_keeps_the_value_of_its_moment() {
        let mut bank = Bank::new();
        let slot = bank.reserve(ValueType::Int32, 1);
        let mut target = TargetState::new(slot, TargetKind::Output { component: 0 });
        bank.put(slot, ValuesRef::Int32(&[5]));
        target.begin(&Effect::Freeze, &mut bank);
        bank.put(slot, ValuesRef::Int32(&[6]));
        target.apply(true, &mut bank);
        assert_eq!(bank.get(slot), ValuesRef::Int32(&[5]));
    }
}
