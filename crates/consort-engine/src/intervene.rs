//! Interventions: changes of a run from outside.
//!
//! An override, offset or freeze stays on its target until released. The value the target would
//! have without it is kept beside (`raw`), so that an offset never adds up and a release gives the
//! undisturbed value back at once. Code that gives a target a fresh value must call one of the `freshen`
//! functions right after, so each fresh value is adjusted exactly once, before any component sees it.
//!
//! Values of the next tag, which `advance` hands on early to reactive inputs, are adjusted as well,
//! but in place: what was raw at the present tag stays known. An intervention that begins at the
//! next tag reaches such inputs one step later.

mod fed;

use crate::exchange;
use crate::store::{Bank, Slot};
use consort_core::{ConnectionId, Time, Values};
use consort_system::{Comparison, Effect};

pub(crate) use fed::{FedIndex, Fresh};

/// When and what, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Intervention {
    pub(crate) trigger: CompiledTrigger,
    pub(crate) target: usize,
    pub(crate) effect: Effect,
    pub(crate) progress: Progress,
}

/// How far an intervention is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Progress {
    Waiting,
    /// Its trigger holds now.
    Called,
    Begun,
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
    pub(crate) feeders: Vec<Feeder>,
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

/// The sources that give some elements of a target fresh values; the others get none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Feeder {
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) by: FedBy,
}

/// Where fresh values come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FedBy {
    /// A component, whenever it is read.
    Component(usize),
    /// A connection, whenever it is exchanged.
    Connection(ConnectionId),
    /// The table of inputs, at every tag.
    Table,
}

/// What is done to a target at present.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Mode {
    Idle,
    /// Stays for this tag only, whatever arrives.
    Once(Values),
    Override(Values),
    Offset(Values),
    Freeze(Values),
    /// Keeps the value that it will have at this tag.
    FreezeSoon,
}

impl TargetState {
    pub(crate) fn new(slot: Slot, kind: TargetKind, feeders: Vec<Feeder>) -> Self {
        let raw = Values::zeros(slot.value_type, slot.count());
        TargetState { slot, kind, feeders, mode: Mode::Idle, raw }
    }

    /// Starts an effect. `bank` holds the value of this moment; `settled` if it stays for this tag.
    fn begin(&mut self, effect: &Effect, settled: bool, bank: &mut Bank) {
        let idle = self.mode == Mode::Idle;
        if idle {
            self.raw.slice_mut(0, self.slot.count()).copy_from(bank.get(self.slot));
        }
        match effect {
            Effect::Set(values) if idle => self.mode = Mode::Once(values.clone()),
            Effect::Set(values) => self.raw.clone_from(values),
            Effect::Override(values) => self.mode = Mode::Override(values.clone()),
            Effect::Offset(values) => self.mode = Mode::Offset(values.clone()),
            // An output may be read yet at this tag; a wire breaks with what it carried.
            Effect::Freeze if idle && !settled && self.kind == TargetKind::Output => {
                self.mode = Mode::FreezeSoon;
            }
            Effect::Freeze => self.mode = Mode::Freeze(bank.get(self.slot).to_values()),
            Effect::Release => {
                self.mode = Mode::Idle;
                bank.put(self.slot, self.raw.view());
            }
        }
        self.put(0, self.slot.count, bank);
    }

    /// Some elements have a fresh value.
    fn freshen(&mut self, feeder: usize, bank: &mut Bank) {
        if self.mode == Mode::Idle {
            return;
        }
        let Feeder { first, count, .. } = self.feeders[feeder];
        let part = self.slot.part(first, count);
        self.raw.slice_mut(first as usize, part.count()).copy_from(bank.get(part));
        self.put(first, count, bank);
    }

    /// Puts the effective value of some elements into their places.
    fn put(&self, first: u32, count: u32, bank: &mut Bank) {
        let part = self.slot.part(first, count);
        match &self.mode {
            Mode::Idle | Mode::FreezeSoon => {}
            Mode::Once(values) | Mode::Override(values) | Mode::Freeze(values) => {
                bank.put(part, values.slice(first as usize, part.count()));
            }
            Mode::Offset(values) => {
                bank.put(part, self.raw.slice(first as usize, part.count()));
                exchange::add(bank, part, values.slice(first as usize, part.count()));
            }
        }
    }

    /// Some elements have a fresh value of the next tag.
    fn freshen_ahead(&self, feeder: usize, bank: &mut Bank) {
        let Feeder { first, count, .. } = self.feeders[feeder];
        match &self.mode {
            Mode::Offset(values) => {
                let part = self.slot.part(first, count);
                exchange::add(bank, part, values.slice(first as usize, part.count()));
            }
            _ => self.put(first, count, bank),
        }
    }

    /// All values of this tag are known.
    fn settle(&mut self, bank: &Bank) {
        match self.mode {
            Mode::Once(_) => self.mode = Mode::Idle,
            Mode::FreezeSoon => self.mode = Mode::Freeze(bank.get(self.slot).to_values()),
            _ => {}
        }
    }
}

/// A target as it was.
#[derive(Clone, Debug)]
pub(crate) struct SavedTarget {
    pub(crate) mode: Mode,
    pub(crate) raw: Values,
}

/// The effects of interventions that began at a tag.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Begun {
    pub(crate) any: bool,
    /// Components whose parameters must be set anew.
    pub(crate) changed_parameters: Vec<usize>,
}

/// All interventions of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interventions {
    pub(crate) list: Vec<Intervention>,
    pub(crate) targets: Vec<TargetState>,
    pub(crate) index: FedIndex,
}

impl Interventions {
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Keeps how far everything is.
    pub(crate) fn save(&self, progress: &mut Vec<Progress>, targets: &mut Vec<SavedTarget>) {
        progress.extend(self.list.iter().map(|intervention| intervention.progress));
        let saved = |target: &TargetState| {
            let TargetState { mode, raw, .. } = target;
            SavedTarget { mode: mode.clone(), raw: raw.clone() }
        };
        targets.extend(self.targets.iter().map(saved));
    }

    /// Whether these can have been saved from here.
    pub(crate) fn fit(&self, progress: &[Progress], targets: &[SavedTarget]) -> bool {
        let mut pairs = self.targets.iter().zip(targets);
        progress.len() == self.list.len()
            && targets.len() == self.targets.len()
            && pairs.all(|(own, saved)| saved.fits(own.slot))
    }

    /// Goes back to what was saved.
    pub(crate) fn restore(&mut self, progress: &[Progress], targets: &[SavedTarget]) {
        for (own, saved) in self.list.iter_mut().zip(progress) {
            own.progress = *saved;
        }
        for (own, saved) in self.targets.iter_mut().zip(targets) {
            own.mode.clone_from(&saved.mode);
            own.raw.clone_from(&saved.raw);
        }
    }

    /// Begins what `time` calls for.
    pub(crate) fn begin_timed(&mut self, time: Time, bank: &mut Bank) -> Begun {
        for intervention in &mut self.list {
            let is_time = matches!(intervention.trigger, CompiledTrigger::At(at) if at <= time);
            if is_time && intervention.progress == Progress::Waiting {
                intervention.progress = Progress::Called;
            }
        }
        self.begin_called(false, bank)
    }

    /// Begins what the values of this tag call for, once they are all known.
    pub(crate) fn begin_conditional(&mut self, bank: &mut Bank) -> Begun {
        for intervention in &mut self.list {
            if intervention.progress == Progress::Waiting && intervention.trigger.holds(bank) {
                intervention.progress = Progress::Called;
            }
        }
        self.begin_called(true, bank)
    }

    fn begin_called(&mut self, settled: bool, bank: &mut Bank) -> Begun {
        let mut begun = Begun::default();
        for intervention in &mut self.list {
            if intervention.progress != Progress::Called {
                continue;
            }
            intervention.progress = Progress::Begun;
            begun.any = true;
            let target = &mut self.targets[intervention.target];
            target.begin(&intervention.effect, settled, bank);
            if let TargetKind::Parameter { component } = target.kind {
                begun.changed_parameters.push(component);
            }
        }
        begun
    }

    /// Adjusts fresh values of the present tag; `due` says which rates are.
    pub(crate) fn freshen(&mut self, fresh: Fresh<'_>, due: &[bool], bank: &mut Bank) {
        let Interventions { targets, index, .. } = self;
        index.visit(fresh, due, |(target, feeder)| targets[target].freshen(feeder, bank));
    }

    /// Adjusts fresh values of the next tag.
    pub(crate) fn freshen_ahead(&self, fresh: Fresh<'_>, due: &[bool], bank: &mut Bank) {
        let targets = &self.targets;
        self.index.visit(fresh, due, |(target, feeder)| {
            targets[target].freshen_ahead(feeder, bank);
        });
    }

    /// All values of this tag are known.
    pub(crate) fn settle(&mut self, bank: &Bank) {
        self.targets.iter_mut().for_each(|target| target.settle(bank));
    }
}

impl SavedTarget {
    /// Whether its values are those of such a place.
    fn fits(&self, slot: Slot) -> bool {
        let is_ours = |values: &Values| {
            values.value_type() == slot.value_type && values.len() == slot.count()
        };
        self.mode.values().is_none_or(is_ours) && is_ours(&self.raw)
    }
}

impl Mode {
    /// What it holds on to.
    pub(crate) fn values(&self) -> Option<&Values> {
        match self {
            Mode::Idle | Mode::FreezeSoon => None,
            Mode::Once(values)
            | Mode::Override(values)
            | Mode::Offset(values)
            | Mode::Freeze(values) => Some(values),
        }
    }
}

impl CompiledTrigger {
    /// Whether the values of this tag call for it.
    fn holds(self, bank: &Bank) -> bool {
        match self {
            CompiledTrigger::At(_) => false,
            CompiledTrigger::When { slot, comparison, number } => {
                let value = bank.get(slot).as_f64(0);
                value.is_some_and(|value| comparison.holds(value, number))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use consort_core::{ValueType, ValuesRef};

    fn fed_by(first: u32, connection: u32) -> Feeder {
        Feeder { first, count: 1, by: FedBy::Connection(ConnectionId(connection)) }
    }

    #[test]
    fn an_offset_does_not_add_up_and_a_release_gives_the_raw_value_back() {
        let mut bank = Bank::new();
        let slot = bank.reserve(ValueType::Float64, 1);
        let mut target = TargetState::new(slot, TargetKind::Input, vec![fed_by(0, 0)]);
        bank.put(slot, ValuesRef::Float64(&[1.0]));
        target.begin(&Effect::Offset(Values::Float64(vec![10.0])), true, &mut bank);
        assert_eq!(bank.get(slot), ValuesRef::Float64(&[11.0]));
        bank.put(slot, ValuesRef::Float64(&[2.0]));
        target.freshen(0, &mut bank);
        assert_eq!(bank.get(slot), ValuesRef::Float64(&[12.0]));
        let mut ahead = bank.clone();
        ahead.put(slot, ValuesRef::Float64(&[3.0]));
        target.freshen_ahead(0, &mut ahead);
        assert_eq!(ahead.get(slot), ValuesRef::Float64(&[13.0]));
        target.begin(&Effect::Release, true, &mut bank);
        assert_eq!(bank.get(slot), ValuesRef::Float64(&[2.0]));
    }

    #[test]
    fn each_element_of_an_array_is_fresh_with_its_own_source() {
        let mut bank = Bank::new();
        let slot = bank.reserve(ValueType::Float64, 2);
        let feeders = vec![fed_by(0, 0), fed_by(1, 1)];
        let mut target = TargetState::new(slot, TargetKind::Input, feeders);
        bank.put(slot, ValuesRef::Float64(&[1.0, 2.0]));
        target.begin(&Effect::Offset(Values::Float64(vec![10.0, 10.0])), true, &mut bank);
        for _ in 0..3 {
            bank.put(slot.part(0, 1), ValuesRef::Float64(&[5.0]));
            target.freshen(0, &mut bank);
            assert_eq!(bank.get(slot), ValuesRef::Float64(&[15.0, 12.0]));
        }
    }

    #[test]
    fn a_freeze_keeps_the_value_of_its_moment_or_of_its_tag() {
        for (settled, kept) in [(true, 5), (false, 6)] {
            let mut bank = Bank::new();
            let slot = bank.reserve(ValueType::Int32, 1);
            let mut target = TargetState::new(slot, TargetKind::Output, vec![fed_by(0, 0)]);
            bank.put(slot, ValuesRef::Int32(&[5]));
            target.begin(&Effect::Freeze, settled, &mut bank);
            for value in [6, 7] {
                bank.put(slot, ValuesRef::Int32(&[value]));
                target.freshen(0, &mut bank);
                target.settle(&bank);
                assert_eq!(bank.get(slot), ValuesRef::Int32(&[kept]), "{settled}");
            }
        }
    }
}
