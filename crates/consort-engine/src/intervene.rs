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
    feeders: Vec<Feeder>,
    mode: Mode,
    /// The value without us.
    raw: Values,
}

/// What a target is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TargetKind {
    Output,
    Input,
    /// A tunable parameter of a component.
    Parameter {
        component: usize,
    },
}

/// Who gives some elements of a target fresh values; nobody does that to the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Feeder {
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) by: FedBy,
}

/// Where fresh values come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FedBy {
    /// A component, whenever its step ends.
    Component(usize),
    /// The table of inputs, at every tag.
    Table,
}

#[derive(Clone, PartialEq, Debug)]
enum Mode {
    Idle,
    /// Put the value into place once, after the exchange of this tag.
    Once(Values),
    Override(Values),
    Offset(Values),
    Freeze(Values),
    /// Put the value without us back, as soon as it is known which elements are fresh.
    Release,
}

impl TargetState {
    pub(crate) fn new(slot: Slot, kind: TargetKind, feeders: Vec<Feeder>) -> Self {
        let raw = Values::zeros(slot.value_type, slot.count());
        TargetState { slot, kind, feeders, mode: Mode::Idle, raw }
    }

    /// Starts an effect. `bank` holds the value of this moment.
    fn begin(&mut self, effect: &Effect, bank: &Bank) {
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
            Effect::Release => Mode::Release,
        };
    }

    /// Puts the effective value into the slot; `is_fresh` tells which components have new values.
    fn apply(&mut self, is_fresh: &dyn Fn(usize) -> bool, bank: &mut Bank) {
        if self.mode == Mode::Idle {
            return;
        }
        for feeder in self.feeders.iter().filter(|feeder| feeder.by.is_fresh(is_fresh)) {
            let part = self.slot.part(feeder.first, feeder.count);
            self.raw.slice_mut(feeder.first as usize, part.count()).copy_from(bank.get(part));
        }
        match &self.mode {
            Mode::Idle => {}
            Mode::Once(values) => {
                bank.put(self.slot, values.view());
                self.mode = Mode::Idle;
            }
            Mode::Override(values) | Mode::Freeze(values) => bank.put(self.slot, values.view()),
            Mode::Release => {
                bank.put(self.slot, self.raw.view());
                self.mode = Mode::Idle;
            }
            Mode::Offset(values) => {
                bank.put(self.slot, self.raw.view());
                exchange::add(bank, self.slot, values.view());
            }
        }
    }
}

impl FedBy {
    fn is_fresh(self, is_fresh: &dyn Fn(usize) -> bool) -> bool {
        match self {
            FedBy::Component(component) => is_fresh(component),
            FedBy::Table => true,
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
                target.apply(&|_| false, bank);
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
                (TargetKind::Output, Which::Outputs) | (TargetKind::Input, Which::Inputs) => {
                    target.apply(is_fresh, bank);
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

    const FRESH: &dyn Fn(usize) -> bool = &|_| true;
    const STALE: &dyn Fn(usize) -> bool = &|_| false;

    fn fed_by(first: u32, component: usize) -> Feeder {
        Feeder { first, count: 1, by: FedBy::Component(component) }
    }

    #[test]
    fn an_offset_does_not_add_up_and_a_release_gives_the_raw_value_back() {
        let mut bank = Bank::new();
        let slot = bank.reserve(ValueType::Float64, 1);
        let mut target = TargetState::new(slot, TargetKind::Input, vec![fed_by(0, 0)]);
        bank.put(slot, ValuesRef::Float64(&[1.0]));
        target.begin(&Effect::Offset(Values::Float64(vec![10.0])), &bank);
        target.apply(FRESH, &mut bank);
        assert_eq!(bank.get(slot), ValuesRef::Float64(&[11.0]));
        target.apply(STALE, &mut bank);
        assert_eq!(bank.get(slot), ValuesRef::Float64(&[11.0]));
        bank.put(slot, ValuesRef::Float64(&[2.0]));
        target.apply(FRESH, &mut bank);
        assert_eq!(bank.get(slot), ValuesRef::Float64(&[12.0]));
        target.begin(&Effect::Release, &bank);
        target.apply(STALE, &mut bank);
        assert_eq!(bank.get(slot), ValuesRef::Float64(&[2.0]));
    }

    #[test]
    fn each_element_of_an_array_is_fresh_with_its_own_source() {
        let mut bank = Bank::new();
        let slot = bank.reserve(ValueType::Float64, 2);
        let feeders = vec![fed_by(0, 0), fed_by(1, 1)];
        let mut target = TargetState::new(slot, TargetKind::Input, feeders);
        bank.put(slot, ValuesRef::Float64(&[1.0, 2.0]));
        target.begin(&Effect::Offset(Values::Float64(vec![10.0, 10.0])), &bank);
        target.apply(FRESH, &mut bank);
        for _ in 0..3 {
            bank.put(slot.part(0, 1), ValuesRef::Float64(&[5.0]));
            target.apply(&|component| component == 0, &mut bank);
            assert_eq!(bank.get(slot), ValuesRef::Float64(&[15.0, 12.0]));
        }
    }

    #[test]
    fn a_freeze_keeps_the_value_of_its_moment() {
        let mut bank = Bank::new();
        let slot = bank.reserve(ValueType::Int32, 1);
        let mut target = TargetState::new(slot, TargetKind::Output, vec![fed_by(0, 0)]);
        bank.put(slot, ValuesRef::Int32(&[5]));
        target.begin(&Effect::Freeze, &bank);
        bank.put(slot, ValuesRef::Int32(&[6]));
        target.apply(FRESH, &mut bank);
        assert_eq!(bank.get(slot), ValuesRef::Int32(&[5]));
    }
}
