//! Event iteration at one point in time: microsteps until nothing discrete changes any more.
//!
//! Components that use event mode take part when they announced or found an event, when a discrete
//! input of theirs changed, or when a clock of theirs ticks. In each microstep they are given their
//! inputs, update their discrete states, and their outputs move along the connections; whose
//! discrete inputs changed by that takes part in the next microstep.

use super::Run;
use crate::error::RunError;
use crate::interpreter::Interpreter;
use crate::transfer;
use consort_core::model::CallResult;
use consort_core::model::stepping;
use consort_core::{
    CallError, Causality, Tag, ValueType, Values, ValuesRef, Variability, VariableId,
};

/// How many microsteps one point in time may have.
const MICROSTEPS_MAX: u32 = 1000;

/// Everything about events that outlives a tag.
#[derive(Default)]
pub(crate) struct Events {
    /// The components that may take part.
    components: Vec<EventComponent>,
    /// Components whose clocks ticked at the present time already.
    ticked: Vec<usize>,
    /// Values for components that use event mode, not handed over yet.
    pending_inputs: Vec<PendingDiscreteInput>,
}

/// A value that a component in event mode takes at its next event; that it is pending causes the event.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct PendingDiscreteInput {
    pub(crate) component: usize,
    pub(crate) variable: VariableId,
    /// The value, if it has no place in the shared bank.
    pub(crate) values: Option<Values>,
}

/// A component that uses event mode, and its discrete inputs as it last saw them.
struct EventComponent {
    component: usize,
    /// Everything it is given in event mode, clocks apart.
    inputs: Vec<VariableId>,
    clocks: Vec<VariableId>,
    discrete: Vec<(VariableId, Values)>,
    /// What is read in event mode, clocks apart.
    observed: Vec<VariableId>,
    clock_outputs: Vec<VariableId>,
}

/// What one event iteration came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Iterated {
    pub(super) tag: Tag,
    /// A component that asked for the run to end.
    pub(super) terminated: Option<usize>,
}

impl Run {
    /// Handles all events at `tag`; every microstep is hashed and recorded.
    pub(super) fn iterate_events(&mut self, mut tag: Tag) -> Result<Iterated, RunError> {
        let mut terminated = None;
        let mut pending = self.events.pending(&self.interpreter, tag);
        while !pending.is_empty() {
            tag = tag.next_microstep();
            let components = self.events.ids(&pending);
            if MICROSTEPS_MAX < tag.microstep {
                let name = |index: &usize| self.interpreter.executable.name(*index).to_owned();
                let components = components.iter().map(name).collect();
                return Err(RunError::EventsDoNotSettle { tag, components });
            }
            for (&index, &component) in pending.iter().zip(&components) {
                let ends = self.events.handle(&mut self.interpreter, index, tag)?;
                terminated = terminated.or(ends.then_some(component));
            }
            self.publish_components(&components, tag)?;
            self.events.release_clock_outputs(&mut self.interpreter, &pending);
            if terminated.is_some() {
                break;
            }
            pending = self.events.changed_inputs(&self.interpreter);
        }
        self.events.resume_stepping(&self.interpreter, tag)?;
        Ok(Iterated { tag, terminated })
    }
}

impl Events {
    /// The components of a run that may take part in events, none of which has begun.
    pub(super) fn of(run: &Interpreter) -> Self {
        let own = run.program.own.iter();
        let system = &run.executable.system;
        let eventful = own.filter(|&&index| system.components[index].event_mode);
        let components = eventful.map(|&index| EventComponent::new(run, index)).collect();
        Events { components, ..Events::default() }
    }

    /// Whether no component uses event mode.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.components.is_empty()
    }

    /// Keeps a value until the component handles its next event.
    pub(super) fn add_input(&mut self, input: PendingDiscreteInput) {
        self.pending_inputs.push(input);
    }

    /// Values not handed over yet.
    pub(crate) fn pending_inputs(&self) -> &Vec<PendingDiscreteInput> {
        &self.pending_inputs
    }

    /// Goes back to the values that were pending at a save; clocks have not ticked then.
    pub(crate) fn restore(&mut self, pending_inputs: &Vec<PendingDiscreteInput>) {
        self.ticked.clear();
        self.pending_inputs.clone_from(pending_inputs);
    }

    /// Discrete inputs as their components last saw them.
    pub(crate) fn seen(&self) -> impl Iterator<Item = &Values> {
        self.components.iter().flat_map(|it| &it.discrete).map(|(_, seen)| seen)
    }

    /// The same, to go back to others.
    pub(crate) fn seen_mut(&mut self) -> impl Iterator<Item = &mut Values> {
        self.components.iter_mut().flat_map(|it| &mut it.discrete).map(|(_, seen)| seen)
    }

    /// The components at some indices of `components`.
    fn ids(&self, indices: &[usize]) -> Vec<usize> {
        indices.iter().map(|&index| self.components[index].component).collect()
    }

    /// The components that take part in the first microstep: indices of `components`.
    fn pending(&self, run: &Interpreter, tag: Tag) -> Vec<usize> {
        let mut pending = self.changed_inputs(run);
        for (index, it) in self.components.iter().enumerate() {
            let component = it.component;
            if !run.clock.has_component(component) {
                continue;
            }
            let has_input = self.pending_inputs.iter().any(|it| it.component == component);
            let is_called = is_ticking(run, component) || has_input;
            let wants_event = run.with_member(component, |member| {
                let arrived = member.arrival.take().is_some_and(|arrival| arrival.event);
                let announced = member.next_event.is_some_and(|event| event <= tag.time);
                // After initialization an instance is in event mode already and waits to leave it.
                arrived || announced || member.in_event_mode
            });
            if wants_event || is_called {
                pending.push(index);
            }
        }
        pending.sort_unstable();
        pending.dedup();
        pending
    }

    /// Components whose discrete inputs differ from what they last saw, or whose clocks are active.
    fn changed_inputs(&self, run: &Interpreter) -> Vec<usize> {
        let is_changed = |it: &EventComponent| {
            let differs = |(id, last): &(VariableId, Values)| {
                !run.shared_value(it.component, *id).is_same(last.view())
            };
            run.clock.has_component(it.component)
                && (it.discrete.iter().any(differs)
                    || it.clocks.iter().any(|clock| is_active(run, it.component, *clock)))
        };
        let all = self.components.iter().enumerate();
        all.filter(|(_, it)| is_changed(it)).map(|(index, _)| index).collect()
    }

    /// One microstep of one component; true if it asks for the run to end.
    fn handle(&mut self, run: &mut Interpreter, index: usize, tag: Tag) -> Result<bool, RunError> {
        let component = self.components[index].component;
        self.activate_clocks(run, component);
        let result = self.update(run, index);
        let it = &mut self.components[index];
        if result.is_ok() {
            it.release_clocks(run);
        }
        it.look_at_inputs(run);
        result.map_err(|error| failed_at(run, component, tag, error))
    }

    fn update(&self, run: &mut Interpreter, index: usize) -> CallResult<bool> {
        let EventComponent { component, inputs, clocks, observed, clock_outputs, .. } =
            &self.components[index];
        let component = *component;
        let active = clocks.iter().copied().filter(|&id| is_active(run, component, id));
        let active: Vec<VariableId> = active.collect();
        let pending = || self.pending_inputs.iter().filter(|it| it.component == component);
        let placed = pending().filter(|it| it.values.is_none()).map(|it| it.variable);
        let placed: Vec<VariableId> = placed.collect();
        let Interpreter { executable, program, pool, .. } = run;
        let model = executable.description(component);
        let home = program.homes[component];
        let mut lane = pool.lane(home.lane);
        let member = &mut lane.members[home.member as usize];
        if !member.in_event_mode {
            member.instance.enter_event_mode()?;
            member.in_event_mode = true;
        }
        for (it, values) in pending().filter_map(|it| Some((it, it.values.as_ref()?))) {
            let reference = model.variables[it.variable.index()].reference;
            member.instance.set(&[reference], values.view())?;
        }
        for variables in [&placed, inputs, &active] {
            transfer::set(&mut lane, model, program, component, variables)?;
        }
        // Updating the discrete states ends every tick, so clocks are asked before.
        transfer::get(&mut lane, model, program, component, clock_outputs)?;
        let member = &mut lane.members[home.member as usize];
        let update = stepping::update_until_settled(member.instance.as_mut())?;
        member.next_event = update.next_event;
        transfer::get(&mut lane, model, program, component, observed)?;
        Ok(update.terminate)
    }

    fn activate_clocks(&mut self, run: &mut Interpreter, component: usize) {
        if !is_ticking(run, component) || self.ticked.contains(&component) {
            return;
        }
        for at in 0..run.program.ticks.len() {
            let (id, clock) = run.program.ticks[at];
            if id.index() == component {
                let slot = run.slot(component, clock).expect("clocks have places");
                run.program.shared.put(slot.part(0, 1), ValuesRef::Clock(&[true]));
            }
        }
        self.ticked.push(component);
    }

    /// What a clock says to others is over once they have seen it.
    fn release_clock_outputs(&self, run: &mut Interpreter, pending: &[usize]) {
        for eventful in pending.iter().map(|&index| &self.components[index]) {
            let mut lane = run.pool.lane(run.program.homes[eventful.component].lane);
            for id in &eventful.clock_outputs {
                let place = run.program.places[eventful.component][id.index()];
                let place = place.expect("clocks have places");
                let silent = Values::zeros(ValueType::Clock, place.lane.count());
                lane.bank.put(place.lane, silent.view());
                run.program.shared.put(place.shared(), silent.view());
            }
        }
    }

    /// Lets all components leave event mode, and forgets what was handed over.
    fn resume_stepping(&mut self, run: &Interpreter, tag: Tag) -> Result<(), RunError> {
        self.ticked.clear();
        for &EventComponent { component, .. } in &self.components {
            let left = run.with_member(component, |member| {
                match std::mem::take(&mut member.in_event_mode) {
                    true => member.instance.enter_step_mode(),
                    false => Ok(()),
                }
            });
            left.map_err(|error| failed_at(run, component, tag, error))?;
        }
        self.pending_inputs.retain(|it| !run.clock.has_component(it.component));
        Ok(())
    }
}

impl EventComponent {
    fn new(run: &Interpreter, component: usize) -> Self {
        let variables = &run.executable.description(component).variables;
        let given = run.program.inputs[component].iter().copied();
        let given = given.filter(|id| variables[id.index()].causality == Causality::Input);
        let is_clock = |id: &VariableId| variables[id.index()].value_type == ValueType::Clock;
        let (clocks, inputs): (Vec<_>, Vec<_>) = given.partition(is_clock);
        let is_discrete =
            |id: &&VariableId| variables[id.index()].variability != Variability::Continuous;
        let discrete = inputs.iter().filter(is_discrete);
        let discrete = discrete.map(|&id| (id, run.shared_value(component, id).to_values()));
        let discrete = discrete.collect();
        let read = run.program.observed[component].iter().copied();
        let (clock_outputs, observed): (Vec<_>, Vec<_>) = read.partition(is_clock);
        EventComponent { component, inputs, clocks, discrete, observed, clock_outputs }
    }

    /// Remembers its discrete inputs as they are.
    fn look_at_inputs(&mut self, run: &Interpreter) {
        for (id, seen) in &mut self.discrete {
            *seen = run.shared_value(self.component, *id).to_values();
        }
    }

    /// A clock is active for one microstep.
    fn release_clocks(&self, run: &mut Interpreter) {
        for id in &self.clocks {
            let slot = run.slot(self.component, *id).expect("clocks have places");
            for element in 0..slot.count {
                run.program.shared.put(slot.part(element, 1), ValuesRef::Clock(&[false]));
            }
        }
    }
}

/// Whether a clock of the component ticks now: clocks tick whenever their component is due.
fn is_ticking(run: &Interpreter, component: usize) -> bool {
    let mut ticks = run.program.ticks.iter();
    run.clock.has_component(component) && ticks.any(|(id, _)| id.index() == component)
}

fn is_active(run: &Interpreter, component: usize, clock: VariableId) -> bool {
    let ticks = run.shared_value(component, clock);
    matches!(ticks, ValuesRef::Clock(ticks) if ticks.contains(&true))
}

fn failed_at(run: &Interpreter, component: usize, tag: Tag, error: Box<CallError>) -> RunError {
    RunError::Call { component: run.executable.name(component).to_owned(), tag, error }
}
