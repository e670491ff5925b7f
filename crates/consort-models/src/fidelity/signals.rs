//! What the inputs and tunable parameters of a model are while it is put through its course: a function of the seed, so
//! that every run sees the same.
//!
//! They are held as often as they are varied. What changes from outside makes an integrator begin anew, so a state that
//! lost its history stays equal wherever something changes; and what is not set again after a restore shows whether it
//! was saved.

mod shape;

use super::given::Given;
use super::watch::element_count;
use consort_core::{
    Causality, ModelDescription, Prng, Reference, Values, Variability, Variable, VariableId,
};
use shape::Shape;

/// What is varied, and how far.
pub(super) struct Signals {
    all: Vec<Signal>,
    varied: Varied,
    seed: u64,
}

/// What of a model is varied, least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Varied {
    /// No signals are varied.
    Nothing,
    /// Inputs are varied.
    Inputs,
    /// These and tunable parameters that are real numbers.
    RealParameters,
    /// These and all other tunable parameters: a choice may make another model of it.
    All,
}

struct Signal {
    name: String,
    reference: Reference,
    start: Values,
    shape: Shape,
    is_parameter: bool,
    /// What is varied at least if it is.
    varied_from: Varied,
    /// Those who use event mode set it there.
    at_event: bool,
}

/// Which of the runs of a model a signal is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Path {
    /// The one that is compared.
    Main,
    /// An excursion, with inputs of its own.
    Excursion(u32),
}

impl Path {
    /// Its part of the seed of what is drawn for it: it never changes.
    fn seed(self) -> String {
        match self {
            Path::Main => "Main".to_owned(),
            Path::Excursion(number) => format!("Excursion({number})"),
        }
    }
}

/// What happens at the beginning of a period.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SignalChange {
    /// No input is set.
    Silent,
    /// What was set is set again.
    Again,
    /// Every input changes.
    Every,
    /// Some inputs change.
    Some,
}

/// A variable that is set, and where.
pub(super) struct Change {
    pub(super) reference: Reference,
    pub(super) values: Values,
    pub(super) at_event: bool,
}

impl Signals {
    /// All inputs and tunable parameters that can be varied, about what they are `given`.
    pub(super) fn new(model: &ModelDescription, given: &Given, seed: u64) -> Self {
        let all = model.variables.iter().enumerate().filter_map(|(index, variable)| {
            Signal::new(model, variable, given.values(VariableId::from_index(index)))
        });
        Signals { all: all.collect(), varied: Varied::All, seed }
    }

    /// What can be varied, most first.
    pub(super) fn ladder(&self) -> Vec<Varied> {
        let mut ladder: Vec<Varied> = self.all.iter().map(|signal| signal.varied_from).collect();
        ladder.push(Varied::Nothing);
        ladder.sort_unstable();
        ladder.dedup();
        ladder.reverse();
        ladder
    }

    pub(super) fn vary(&mut self, varied: Varied) {
        self.varied = varied;
    }

    /// What is set for the period of length tau that is `index` after the start.
    pub(super) fn changes(&self, path: Path, index: i64) -> Vec<Change> {
        let is_varied = |signal: &&Signal| signal.varied_from <= self.varied;
        let signals = self.all.iter().filter(is_varied);
        signals.filter_map(|signal| self.change(signal, path, index)).collect()
    }

    fn change(&self, signal: &Signal, path: Path, index: i64) -> Option<Change> {
        let drawn_at = match (self.kind(path, index), path) {
            (SignalChange::Silent, _) | (SignalChange::Again, Path::Excursion(_)) => return None,
            (SignalChange::Again, Path::Main) => {
                (0..index).rev().find(|&past| self.is_drawn(signal, path, past))?
            }
            (SignalChange::Every | SignalChange::Some, _) => {
                Some(index).filter(|_| self.is_drawn(signal, path, index))?
            }
        };
        let mut values = signal.start.clone();
        signal.shape.fill(&mut values, &mut self.prng(&signal.name, path, drawn_at));
        Some(Change { reference: signal.reference, values, at_event: signal.at_event })
    }

    /// Whether the signal gets a new value there.
    fn is_drawn(&self, signal: &Signal, path: Path, index: i64) -> bool {
        let by_chance = || self.prng(&format!("{}?", signal.name), path, index).below(2) == 0;
        match self.kind(path, index) {
            SignalChange::Silent | SignalChange::Again => false,
            SignalChange::Every if !signal.is_parameter => true,
            SignalChange::Every | SignalChange::Some => by_chance(),
        }
    }

    fn kind(&self, path: Path, index: i64) -> SignalChange {
        match self.prng("", path, index).below(8) {
            0..=2 => SignalChange::Silent,
            3 => SignalChange::Again,
            4 | 5 => SignalChange::Every,
            _ => SignalChange::Some,
        }
    }

    fn prng(&self, what: &str, path: Path, index: i64) -> Prng {
        Prng::new(self.seed).split(&format!("{what}/{}/{index}", path.seed()))
    }
}

impl Signal {
    fn new(model: &ModelDescription, variable: &Variable, given: Option<&Values>) -> Option<Self> {
        let is_tunable = variable.variability == Variability::Tunable;
        let is_parameter = variable.causality == Causality::Parameter && is_tunable;
        let is_wanted = is_parameter || variable.causality == Causality::Input;
        if !is_wanted || !variable.clocks.is_empty() {
            return None;
        }
        let count = element_count(model, variable)?;
        let start = match given.or(variable.start.as_ref()) {
            Some(start) if start.len() == count => start.clone(),
            Some(start) if start.len() == 1 => {
                let mut all = Values::zeros(variable.value_type, 0);
                (0..count).for_each(|_| {
                    all.extend(start.view());
                });
                all
            }
            _ => Values::zeros(variable.value_type, count),
        };
        let enumeration = variable.enumeration.and_then(|index| model.enumerations.get(index));
        let varied_from = match (is_parameter, variable.value_type.is_float()) {
            (false, _) => Varied::Inputs,
            (true, true) => Varied::RealParameters,
            (true, false) => Varied::All,
        };
        let shape = match varied_from {
            Varied::RealParameters => Shape::of_real_parameter(variable)?,
            _ => Shape::of_input(variable, enumeration)?,
        };
        let at_event = variable.variability != Variability::Continuous;
        let (name, reference) = (variable.name.clone(), variable.reference);
        Some(Signal { name, reference, start, shape, is_parameter, varied_from, at_event })
    }
}
