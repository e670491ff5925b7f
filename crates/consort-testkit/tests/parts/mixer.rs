//! A model for any description: chaotic, so that every difference shows, and with exactly the
//! dependencies that are declared.

use consort_core::bytes::{Reader, Writer};
use consort_core::model::CallResult;
use consort_core::{
    CallError, Causality, DependsOn, EventUpdate, Instance, Instantiation, LiveModel, Model,
    ModelDescription, Reference, Refresh, SavedState, Setup, Step, StepOutcome, StepReason, Values,
    ValuesMut, ValuesRef, VariableId,
};
use std::sync::Arc;

pub(crate) struct Mixer {
    description: Arc<ModelDescription>,
    counts: Vec<u32>,
}

impl Mixer {
    pub(crate) fn shared(description: &ModelDescription, counts: &[u32]) -> Arc<dyn Model> {
        Arc::new(Mixer { description: Arc::new(description.clone()), counts: counts.to_vec() })
    }
}

impl Model for Mixer {
    fn description(&self) -> &ModelDescription {
        &self.description
    }

    fn instantiate(&self, instantiation: &Instantiation<'_>) -> CallResult<Box<dyn Instance>> {
        let variables = self.description.variables.iter().zip(&self.counts);
        let values = variables.map(|(it, &count)| Values::zeros(it.value_type, count as usize));
        let mut prng = instantiation.prng.clone();
        let state =
            State { mixed: prng.next_f64(), slope: 0.0, updated: false, values: values.collect() };
        let description = Arc::clone(&self.description);
        let event_mode = instantiation.event_mode;
        Ok(Box::new(Mixing { description, state, starting: true, event_mode }))
    }
}

#[derive(Clone)]
struct State {
    mixed: f64,
    /// What was last said of the slope of an input.
    slope: f64,
    /// Discrete states were updated since the last step: once is enough, so that events settle.
    updated: bool,
    /// By variable.
    values: Vec<Values>,
}

struct Mixing {
    description: Arc<ModelDescription>,
    state: State,
    starting: bool,
    event_mode: bool,
}

impl Mixing {
    fn of_causality(&self, causality: Causality) -> Vec<usize> {
        let all = self.description.variables.iter().enumerate();
        all.filter(|(_, it)| it.causality == causality).map(|(index, _)| index).collect()
    }

    /// The inputs that an output follows at once.
    fn followed(&self, output: usize) -> Vec<usize> {
        let structure = &self.description.structure;
        let id = VariableId::from_index(output);
        let initial = structure.initial.iter().filter(|_| self.starting);
        let said = initial.chain(&structure.outputs).find(|unknown| unknown.variable == id);
        match said.map(|unknown| &unknown.on) {
            Some(DependsOn::These(list)) => list.iter().map(|(input, _)| input.index()).collect(),
            Some(DependsOn::All) | None => self.of_causality(Causality::Input),
        }
    }

    /// A contraction in each input, so that loops have one solution.
    fn output(&self, output: usize, element: usize) -> f64 {
        let own = 0.7 * self.state.mixed + 0.01 * output as f64 + 0.003 * element as f64;
        let inputs = self.followed(output);
        let share = 0.5 / (1.0 + inputs.len() as f64);
        own + inputs.into_iter().map(|it| share * mean(self.state.values[it].view())).sum::<f64>()
    }

    /// Outputs that are no real numbers follow the state alone: a loop of them settles at once.
    fn compute_outputs(&mut self) {
        for output in self.of_causality(Causality::Output) {
            for element in 0..self.state.values[output].len() {
                let number = self.output(output, element);
                put(&mut self.state.values[output], element, number, self.state.mixed);
            }
        }
        for local in self.of_causality(Causality::Local) {
            put(&mut self.state.values[local], 0, self.state.mixed, self.state.mixed);
        }
    }

    fn mix(&mut self, more: f64) {
        let inputs = self.of_causality(Causality::Input);
        let given = inputs.into_iter().map(|it| mean(self.state.values[it].view())).sum::<f64>();
        let mixed = 0.9 * self.state.mixed + 0.31 * given + 0.07 * self.state.slope + more;
        let mixed = (mixed % 1.0).abs();
        self.state.mixed = 3.9 * mixed * (1.0 - mixed);
        self.compute_outputs();
    }

    fn is_at_once(&self) -> bool {
        self.starting || self.description.capabilities.refresh == Refresh::AtOnce
    }
}

fn put(values: &mut Values, element: usize, number: f64, state: f64) {
    let whole = (1000.0 * state) as i64;
    match values {
        Values::Float64(list) => list[element] = number,
        Values::Float32(list) => list[element] = number as f32,
        Values::Int32(list) => list[element] = whole as i32,
        Values::Int64(list) => list[element] = -whole,
        Values::UInt16(list) => list[element] = whole as u16,
        Values::Boolean(list) => list[element] = whole % 2 == 1,
        Values::String(list) => list[element] = format!("{state}, é"),
        Values::Binary(list) => {
            list[element] = state.to_le_bytes()[..(whole % 9) as usize].to_vec();
        }
        other => panic!("mixers have no {}", other.value_type()),
    }
}

/// A number for values of any type.
fn mean(values: ValuesRef<'_>) -> f64 {
    let number = |index: usize| match values {
        ValuesRef::String(list) => sum(list[index].as_bytes()),
        ValuesRef::Binary(list) => sum(&list[index]),
        _ => values.as_f64(index).expect("a number"),
    };
    (0..values.len()).map(number).sum::<f64>() / values.len() as f64
}

fn sum(bytes: &[u8]) -> f64 {
    let fold = |sum: u64, &byte: &u8| (sum.wrapping_mul(31) + u64::from(byte)) % 1009;
    bytes.iter().fold(7, fold) as f64 / 1009.0
}

impl LiveModel for Mixing {
    fn enter_initialization(&mut self, _: &Setup) -> CallResult<()> {
        Ok(())
    }

    fn exit_initialization(&mut self) -> CallResult<()> {
        self.starting = false;
        self.compute_outputs();
        Ok(())
    }

    fn set(&mut self, references: &[Reference], values: ValuesRef<'_>) -> CallResult<()> {
        let mut at = 0;
        for reference in references {
            let place = &mut self.state.values[reference.0 as usize];
            for index in 0..place.len() {
                place.slice_mut(index, 1).copy_from(values.element(at));
                at += 1;
            }
        }
        Ok(())
    }

    fn get(&mut self, references: &[Reference], mut values: ValuesMut<'_>) -> CallResult<()> {
        if self.is_at_once() {
            self.compute_outputs();
        }
        let mut all = Values::zeros(values.value_type(), 0);
        for reference in references {
            assert!(all.extend(self.state.values[reference.0 as usize].view()), "one type");
        }
        values.copy_from(all.view());
        Ok(())
    }

    fn enter_event_mode(&mut self) -> CallResult<()> {
        Ok(())
    }

    fn save(&mut self) -> CallResult<SavedState> {
        Ok(SavedState(Box::new(self.state.clone())))
    }

    fn restore(&mut self, state: &SavedState) -> CallResult<()> {
        self.state.clone_from(state.0.downcast_ref().expect("a state of a mixer"));
        Ok(())
    }

    fn serialize(&mut self, state: &SavedState) -> CallResult<Vec<u8>> {
        let state: &State = state.0.downcast_ref().expect("a state of a mixer");
        let mut writer = Writer::new(*b"mixing01");
        writer.reals(&[state.mixed, state.slope]);
        writer.flag(state.updated);
        state.values.iter().for_each(|values| writer.values(values.view()));
        Ok(writer.finish())
    }

    fn deserialize(&mut self, bytes: &[u8]) -> CallResult<SavedState> {
        let refused = |_| CallError::unsupported("deserialize a state");
        let mut reader = Reader::new(bytes, *b"mixing01").map_err(refused)?;
        let reals = reader.reals(2).map_err(refused)?;
        let updated = reader.flag().map_err(refused)?;
        let mut state = State { mixed: reals[0], slope: reals[1], updated, values: Vec::new() };
        for values in &self.state.values {
            state.values.push(reader.values(values.value_type()).map_err(refused)?);
        }
        Ok(SavedState(Box::new(state)))
    }

    fn terminate(&mut self) -> CallResult<()> {
        Ok(())
    }
}

impl Instance for Mixing {
    fn set_input_derivatives(
        &mut self,
        _: &[Reference],
        _: &[i32],
        values: &[f64],
    ) -> CallResult<()> {
        self.state.slope = 0.5 * self.state.slope + values.iter().sum::<f64>();
        Ok(())
    }

    fn step(&mut self, step: &Step) -> CallResult<StepOutcome> {
        self.mix(step.length);
        self.state.updated = false;
        let is_event = self.event_mode && self.state.mixed < 0.4;
        let reason = if is_event { StepReason::Event } else { StepReason::Complete };
        Ok(StepOutcome { reason, ..StepOutcome::complete(step) })
    }

    fn update_discrete_states(&mut self) -> CallResult<EventUpdate> {
        if !std::mem::replace(&mut self.state.updated, true) {
            self.mix(0.1);
        }
        Ok(EventUpdate::default())
    }

    fn enter_step_mode(&mut self) -> CallResult<()> {
        Ok(())
    }
}
