//! Variables that had a value which is noticed, each for the first time.

use crate::error::Noticed;
use crate::executable::Executable;
use crate::store::Slot;
use consort_core::{Tag, Variable, VariableId};

/// The most variables that are named.
const NAMED_MAX: usize = 6;

/// A variable whose values are looked at.
#[derive(Clone, Copy)]
pub(super) struct WatchedVariable {
    pub(super) component: usize,
    pub(super) variable: VariableId,
    pub(super) slot: Slot,
}

impl WatchedVariable {
    /// The variable, or an element of it if it is an array, for messages.
    fn name(&self, element: usize, executable: &Executable) -> String {
        let path = executable.path(self.component, self.variable);
        match self.slot.count {
            1 => path,
            _ => format!("{path} (element {})", element + 1),
        }
    }
}

/// The first value of a variable that is noticed.
#[derive(Clone, Copy)]
pub(super) struct Sighting {
    pub(super) place: WatchedVariable,
    pub(super) element: usize,
    pub(super) value: f64,
    pub(super) tag: Tag,
}

/// What was noticed so far.
pub(super) struct Sightings {
    /// The first ones, in that order.
    named: Vec<Sighting>,
    /// How many there are.
    count: usize,
}

impl Sightings {
    /// None; the first ones find room without allocation.
    pub(super) fn new() -> Self {
        Sightings { named: Vec::with_capacity(NAMED_MAX), count: 0 }
    }

    pub(super) fn note(&mut self, sighting: Sighting) {
        self.count += 1;
        if self.named.len() < NAMED_MAX {
            self.named.push(sighting);
        }
    }

    /// How many variables were noticed.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// What is said of them, and the description of the first; `None` if there is none.
    pub(super) fn noticed<'e>(
        &self,
        executable: &'e Executable,
    ) -> Option<(Noticed, &'e Variable)> {
        let (first, others) = self.named.split_first()?;
        let name = |it: &Sighting| it.place.name(it.element, executable);
        let noticed = Noticed {
            variable: name(first),
            tag: first.tag,
            value: first.value,
            at_start: first.tag == Tag::at(executable.system.experiment.start),
            others: others.iter().map(name).collect(),
            more: self.count - self.named.len(),
        };
        Some((noticed, executable.variable(first.place.component, first.place.variable)))
    }
}
