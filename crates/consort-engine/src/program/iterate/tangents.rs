//! The derivatives of a loop, by those of its components: a seed on an unknown is followed through
//! one evaluation.

use crate::program::{Program, Source};
use crate::store::Slot;
use consort_core::{ComponentId, ConnectionId, Reference, ValueType, VariableId};
use consort_system::{Loop as PlannedLoop, Operation, Stage, Task};

/// How a small change of the unknowns goes through the loop.
pub(crate) struct Tangents {
    /// Slots of these count along `places`.
    pub(crate) passages: Vec<Passage>,
    /// The places of doubles in the shared bank that have a part in it, sorted.
    places: Vec<usize>,
    /// By entry of `places`: how much it changes.
    pub(crate) changes: Vec<f64>,
}

/// One thing that hands changes on.
pub(crate) enum Passage {
    Wire { rate: usize, from: Slot, to: Slot, gain: f64 },
    Component(Box<Sensitivity>),
}

/// From the inputs of a component to the outputs that are read.
pub(crate) struct Sensitivity {
    pub(crate) component: ComponentId,
    pub(crate) rate: usize,
    pub(crate) inputs: Side,
    pub(crate) outputs: Side,
}

/// Variables of one component, their places, and room for their changes.
#[derive(Default)]
pub(crate) struct Side {
    pub(crate) references: Vec<Reference>,
    places: Vec<Slot>,
    pub(crate) changes: Vec<f64>,
}

impl Tangents {
    /// `None` if some component cannot provide its derivatives, or not all is in doubles.
    pub(crate) fn of(
        planned: &PlannedLoop,
        source: &Source<'_>,
        program: &Program,
    ) -> Option<Self> {
        if !planned.rollback.is_empty() {
            return None;
        }
        let mut builder =
            Builder { source, program, wires: wires(&planned.stages)?, given: Vec::new() };
        let mut passages = Vec::new();
        for stage in &planned.stages {
            match stage {
                Stage::Exchange(wires) => {
                    for &wire in wires {
                        passages.push(builder.wire(wire)?);
                    }
                }
                Stage::Work(tasks) => {
                    for task in tasks {
                        builder.task(task, &mut passages)?;
                    }
                }
                Stage::Iterate(_) | Stage::Attempt { .. } | Stage::Integrate(_) => return None,
            }
        }
        let places = compact(&mut passages);
        Some(Tangents { passages, changes: vec![0.0; places.len()], places })
    }

    /// How much the unknown at a place changed.
    pub(crate) fn change_at(&self, place: usize) -> f64 {
        self.changes[self.index_of(place)]
    }

    pub(crate) fn index_of(&self, place: usize) -> usize {
        self.places.binary_search(&place).expect("the last exchange has all unknowns")
    }
}

impl Passage {
    fn slots(&mut self) -> Vec<&mut Slot> {
        match self {
            Passage::Wire { from, to, .. } => vec![from, to],
            Passage::Component(it) => {
                it.inputs.places.iter_mut().chain(&mut it.outputs.places).collect()
            }
        }
    }
}

/// Lets slots count along the places that are used at all, which are few of those in the bank.
fn compact(passages: &mut [Passage]) -> Vec<usize> {
    let slots = passages.iter_mut().flat_map(Passage::slots);
    let mut places: Vec<usize> = slots.flat_map(|slot| slot.range()).collect();
    places.sort_unstable();
    places.dedup();
    for slot in passages.iter_mut().flat_map(Passage::slots) {
        let at = places.binary_search(&slot.at()).expect("all were collected");
        slot.at = u32::try_from(at).expect("fits in 32 bits");
    }
    places
}

impl Side {
    fn push(&mut self, reference: Reference, place: Slot) {
        self.references.push(reference);
        self.places.push(place);
        self.changes.resize(self.changes.len() + place.count(), 0.0);
    }

    pub(crate) fn read(&mut self, changes: &[f64]) {
        let places = self.places.iter().flat_map(|place| place.range());
        for (own, place) in self.changes.iter_mut().zip(places) {
            *own = changes[place];
        }
    }

    pub(crate) fn write(&self, changes: &mut [f64]) {
        let places = self.places.iter().flat_map(|place| place.range());
        for (own, place) in self.changes.iter().zip(places) {
            changes[place] = *own;
        }
    }
}

struct Builder<'a> {
    source: &'a Source<'a>,
    program: &'a Program,
    /// The connections of the loop.
    wires: Vec<ConnectionId>,
    /// The inputs that were set so far.
    given: Vec<(ComponentId, VariableId)>,
}

impl Builder<'_> {
    fn wire(&self, id: ConnectionId) -> Option<Passage> {
        let wire = &self.source.system.connections[id.index()];
        let copy = &self.program.copies[id.index()];
        let is_double = |slot: Slot| slot.value_type == ValueType::Float64;
        let rate = self.source.rates.of_component[wire.from.component.index()];
        let (from, to, gain) = (copy.from, copy.to, wire.conversion.gain);
        (is_double(from) && is_double(to)).then_some(Passage::Wire { rate, from, to, gain })
    }

    fn task(&mut self, task: &Task, passages: &mut Vec<Passage>) -> Option<()> {
        let model = self.source.models[task.component.index()];
        if !model.capabilities.directional_derivatives {
            return None;
        }
        for operation in &task.operations {
            match operation {
                Operation::Set(list) => {
                    self.given.extend(list.iter().map(|&id| (task.component, id)));
                }
                Operation::Get(list) => passages.extend(self.sensitivity(task.component, list)),
                Operation::Step | Operation::Tick(_) => return None,
            }
        }
        Some(())
    }

    /// How the outputs that the loop hands on follow the inputs that it gave.
    fn sensitivity(&self, component: ComponentId, read: &[VariableId]) -> Option<Passage> {
        let is_source = |id: &&VariableId| {
            self.wires.iter().any(|wire| {
                let from = self.source.system.connections[wire.index()].from;
                from.component == component && from.variable == **id
            })
        };
        let given = self.given.iter().filter(|(other, _)| *other == component);
        let inputs = self.side(component, given.map(|(_, id)| *id));
        let outputs = self.side(component, read.iter().filter(is_source).copied());
        let rate = self.source.rates.of_component[component.index()];
        let has_any = !inputs.places.is_empty() && !outputs.places.is_empty();
        has_any
            .then(|| Passage::Component(Box::new(Sensitivity { component, rate, inputs, outputs })))
    }

    fn side(&self, component: ComponentId, variables: impl Iterator<Item = VariableId>) -> Side {
        let mut side = Side::default();
        for id in variables {
            let place = self.program.places[component.index()][id.index()];
            let place = place.expect("what is set or read has a place").shared();
            let model = self.source.models[component.index()];
            if place.value_type == ValueType::Float64 {
                side.push(model.variables[id.index()].reference, place);
            }
        }
        side
    }
}

/// The connections of a loop; `None` if it has a loop of its own.
fn wires(stages: &[Stage]) -> Option<Vec<ConnectionId>> {
    let mut wires = Vec::new();
    for stage in stages {
        match stage {
            Stage::Exchange(connections) => wires.extend(connections),
            Stage::Work(_) => {}
            Stage::Iterate(_) | Stage::Attempt { .. } | Stage::Integrate(_) => return None,
        }
    }
    Some(wires)
}
