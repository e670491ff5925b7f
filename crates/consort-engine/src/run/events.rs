//! Event iteration at one point in time: microsteps until nothing discrete changes any more.
//!
//! Components that use event mode take part when they announced or found an event, when a discrete
//! input of theirs changed, or when a clock of theirs ticks. In each microstep they are given their
//! inputs, update their discrete states, and their outputs move along the connections; whose
//! discrete inputs changed by that takes part in the next microstep.

use super::Run;
use crate::error::RunError;
use crate::transfer;
use consort_core::model::CallResult;
use consort_core::model::stepping;
use consort_core::{Causality, Tag, ValueType, Values, ValuesRef, Variability, VariableId};

/// How many microsteps one point in time may have.
const MICROSTEPS_MAX: u32 = 1000;

/// A component that uses event mode, and its discrete inputs as it last saw them.
pub(crate) struct EventComponent {
    component: usize,
    /// Everything it is given in event mode, clocks apart.
    inputs: Vec<VariableId>,
    clocks: Vec<VariableId>,
    pub(crate) discrete: Vec<(VariableId, Values)>,
    /// What is read in event mode, clocks apart.
    observed: Vec<VariableId>,
    clock_outputs: Vec<VariableId>,
}

/// What one event iteration came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Iterated {
    pub(crate) tag: Tag,
    /// A component that asked for the run to end.
    pub(crate) terminated: Option<usize>,
}

impl Run {
    /// The components that may take part in events.
    pub(crate) fn event_components(&self) -> Vec<EventComponent> {
        let own = self.program.own.iter();
        let eventful = own.filter(|&&index| self.system.components[index].event_mode);
        eventful.map(|&index| self.event_component(index)).collect()
    }

    fn event_component(&self, component: usize) -> EventComponent {
        let model = self.models[component].description();
        let given = self.program.inputs[component].iter().copied();
        let given = given.filter(|id| model.variables[id.index()].causality == Causality::Input);
        let is_clock = |id: &VariableId| model.variables[id.index()].value_type == ValueType::Clock;
        let (clocks, inputs): (Vec<_>, Vec<_>) = given.partition(is_clock);
        let is_discrete =
            |id: &&VariableId| model.variables[id.index()].variability != Variability::Continuous;
        let discrete = inputs.iter().filter(is_discrete);
        let discrete = discrete.map(|&id| (id, self.shared_value(component, id).to_values()));
        let discrete = discrete.collect();
        let read = self.program.observed[component].iter().copied();
        let (clock_outputs, observed): (Vec<_>, Vec<_>) = read.partition(is_clock);
        EventComponent { component, inputs, clocks, discrete, observed, clock_outputs }
    }

    fn shared_value(&self, component: usize, id: VariableId) -> ValuesRef<'_> {
        let place = self.program.places[component][id.index()].expect("inputs have places");
        self.program.shared.get(place.shared())
    }

    /// Handles all events at `tag`; every microstep is hashed and recorded.
    pub(crate) fn iterate_events(&mut self, mut tag: Tag) -> Result<Iterated, RunError> {
        let mut terminated = None;
        let mut pending = self.pending_events(tag);
        while !pending.is_empty() {
            tag = tag.next_microstep();
            if MICROSTEPS_MAX < tag.microstep {
                return Err(self.events_do_not_settle(tag, &pending));
            }
            for &index in &pending {
                let ends = self.handle_event(index, tag)?;
                terminated = terminated.or(ends.then_some(self.eventful[index].component));
            }
            let components: Vec<usize> =
                pending.iter().map(|&index| self.eventful[index].component).collect();
            self.publish_components(&components, tag)?;
            self.release_clock_outputs(&pending);
            if terminated.is_some() {
                break;
            }
            pending = self.changed_inputs();
        }
        self.resume_stepping(tag)?;
        let due = &self.due;
        self.retuned.retain(|it| !due[self.rates.of_component[it.component]]);
        Ok(Iterated { tag, terminated })
    }

    fn events_do_not_settle(&self, tag: Tag, pending: &[usize]) -> RunError {
        let name =
            |&index: &usize| self.system.components[self.eventful[index].component].name.clone();
        RunError::EventsDoNotSettle { tag, components: pending.iter().map(name).collect() }
    }

    /// Who takes part in the first microstep: indices into `eventful`.
    fn pending_events(&mut self, tag: Tag) -> Vec<usize> {
        let mut pending = self.changed_inputs();
        for index in 0..self.eventful.len() {
            let component = self.eventful[index].component;
            if !self.is_here(component) {
                continue;
            }
            let home = self.program.homes[component];
            let mut lane = self.pool.lane(home.lane);
            let member = &mut lane.members[home.member as usize];
            let arrived = member.arrival.take().is_some_and(|arrival| arrival.event);
            let announced = member.next_event.is_some_and(|event| event <= tag.time);
            let is_retuned = self.retuned.iter().any(|it| it.component == component);
            let called = self.ticking(component) || is_retuned;
            // After initialization an instance is in event mode already and waits to leave it.
            if arrived || announced || called || member.in_event_mode {
                pending.push(index);
            }
        }
        pending.sort_unstable();
        pending.dedup();
        pending
    }

    /// Whether the component is at the present time. A slow one is ahead of it, at the end of its
    /// step: until everybody is there, it takes part in nothing and nobody may look at it.
    fn is_here(&self, component: usize) -> bool {
        self.due[self.rates.of_component[component]]
    }

    /// Whether a clock of the component ticks now: clocks tick whenever their component is due.
    fn ticking(&self, component: usize) -> bool {
        self.is_here(component) && self.program.ticks.iter().any(|(id, _)| id.index() == component)
    }

    /// Components whose discrete inputs differ from what they last saw, or whose clocks are active.
    fn changed_inputs(&mut self) -> Vec<usize> {
        let mut changed = Vec::new();
        for index in 0..self.eventful.len() {
            let eventful = &self.eventful[index];
            let differs = |(id, last): &(VariableId, Values)| {
                !self.shared_value(eventful.component, *id).is_same(last.view())
            };
            let active = |&id: &VariableId| self.is_active(eventful.component, id);
            if !self.is_here(eventful.component) {
                continue;
            }
            if eventful.discrete.iter().any(differs) || eventful.clocks.iter().any(active) {
                changed.push(index);
            }
        }
        changed
    }

    /// One microstep of one component; true if it asks for the run to end.
    fn handle_event(&mut self, index: usize, tag: Tag) -> Result<bool, RunError> {
        let component = self.eventful[index].component;
        let result = self.try_handle_event(index);
        for at in 0..self.eventful[index].discrete.len() {
            let id = self.eventful[index].discrete[at].0;
            let seen = self.shared_value(component, id).to_values();
            self.eventful[index].discrete[at].1 = seen;
        }
        result.map_err(|error| RunError::Call {
            component: self.system.components[component].name.clone(),
            tag,
            error,
        })
    }

    fn try_handle_event(&mut self, index: usize) -> CallResult<bool> {
        self.activate_clocks(self.eventful[index].component);
        let terminate = self.update_component(index)?;
        self.release_clocks(index);
        Ok(terminate)
    }

    fn update_component(&mut self, index: usize) -> CallResult<bool> {
        let EventComponent { component, inputs, clocks, observed, clock_outputs, .. } =
            &self.eventful[index];
        let component = *component;
        let active = clocks.iter().copied().filter(|&id| self.is_active(component, id));
        let active: Vec<VariableId> = active.collect();
        let retuned = || self.retuned.iter().filter(|it| it.component == component);
        let placed = retuned().filter(|it| it.values.is_none()).map(|it| it.variable);
        let placed: Vec<VariableId> = placed.collect();
        let model = self.models[component].description();
        let home = self.program.homes[component];
        let mut lane = self.pool.lane(home.lane);
        let member = &mut lane.members[home.member as usize];
        if !member.in_event_mode {
            member.instance.enter_event_mode()?;
            member.in_event_mode = true;
        }
        for (it, values) in retuned().filter_map(|it| Some((it, it.values.as_ref()?))) {
            let reference = model.variables[it.variable.index()].reference;
            member.instance.set(&[reference], values.view())?;
        }
        for variables in [&placed, inputs, &active] {
            transfer::set(&mut lane, model, &self.program, component, variables)?;
        }
        // Updating the discrete states ends every tick, so clocks are asked before.
        transfer::get(&mut lane, model, &mut self.program, component, clock_outputs)?;
        let member = &mut lane.members[home.member as usize];
        let update = stepping::update_until_settled(member.instance.as_mut())?;
        member.next_event = update.next_event;
        transfer::get(&mut lane, model, &mut self.program, component, observed)?;
        Ok(update.terminate)
    }

    fn is_active(&self, component: usize, clock: VariableId) -> bool {
        let ticks = self.shared_value(component, clock);
        matches!(ticks, ValuesRef::Clock(ticks) if ticks.contains(&true))
    }

    fn activate_clocks(&mut self, component: usize) {
        if !self.ticking(component) || self.ticked.contains(&component) {
            return;
        }
        for &(id, clock) in &self.program.ticks {
            if id.index() == component {
                let place = self.program.places[component][clock.index()];
                let slot = place.expect("clocks have places").shared();
                self.program.shared.put(slot.part(0, 1), ValuesRef::Clock(&[true]));
            }
        }
        self.ticked.push(component);
    }

    /// A clock is active for one microstep.
    fn release_clocks(&mut self, index: usize) {
        let eventful = &self.eventful[index];
        for id in &eventful.clocks {
            let place = self.program.places[eventful.component][id.index()];
            let slot = place.expect("clocks have places").shared();
            for element in 0..slot.count {
                self.program.shared.put(slot.part(element, 1), ValuesRef::Clock(&[false]));
            }
        }
    }

    /// What a clock told others is over once they were told.
    fn release_clock_outputs(&mut self, pending: &[usize]) {
        for eventful in pending.iter().map(|&index| &self.eventful[index]) {
            let home = self.program.homes[eventful.component];
            let mut lane = self.pool.lane(home.lane);
            for id in &eventful.clock_outputs {
                let place = self.program.places[eventful.component][id.index()];
                let place = place.expect("clocks have places");
                let silent = Values::zeros(ValueType::Clock, place.lane.count());
                lane.bank.put(place.lane, silent.view());
                self.program.shared.put(place.shared(), silent.view());
            }
        }
    }

    fn resume_stepping(&mut self, tag: Tag) -> Result<(), RunError> {
        self.ticked.clear();
        for index in 0..self.eventful.len() {
            let component = self.eventful[index].component;
            let home = self.program.homes[component];
            let mut lane = self.pool.lane(home.lane);
            let member = &mut lane.members[home.member as usize];
            if member.in_event_mode {
                member.in_event_mode = false;
                let name = || self.system.components[component].name.clone();
                member.instance.enter_step_mode().map_err(|error| RunError::Call {
                    component: name(),
                    tag,
                    error,
                })?;
            }
        }
        Ok(())
    }
}
