//! One live model.

use super::chatter::watched;
use super::events::{EventMoment, condition};
use super::sensitivity;
use super::state::{Phase, State};
use super::work::Work;
use super::{Identity, bytes};
use consort_core::model::CallResult;
use consort_core::{
    CallError, CallStatus, CompletedStep, ContinuousEvent, ContinuousInstance, Direction,
    LiveModel, Prng, Reference, SavedState, Setup, Sizes, ValuesMut, ValuesRef,
};
use consort_equations::{Equations, ModelPart};
use std::sync::Arc;

/// A live model; see the module above.
pub(super) struct EquationsInstance {
    equations: Arc<Equations>,
    identity: Arc<Identity>,
    state: State,
    work: Work,
    /// How long each buffer must remember, as far as that is settled; found anew from the state.
    durations: Vec<Option<f64>>,
}

/// The saved state of an instance.
struct EquationsState {
    identity: Arc<Identity>,
    state: State,
}

impl EquationsInstance {
    pub(super) fn new(identity: Arc<Identity>, prng: &Prng) -> Self {
        let equations = Arc::clone(&identity.equations);
        let (state, work) = (State::new(&equations, prng), Work::new(&equations));
        let durations = equations.delays.iter().map(|delay| delay.duration).collect();
        EquationsInstance { equations, identity, state, work, durations }
    }

    /// First values follow from parameters; those that were set from outside stay.
    fn start(&mut self) {
        let first = self.work.initial.compute(&self.equations.programs.initial, &self.state);
        let State { states, discretes, is_set, .. } = &mut self.state;
        let values = states.iter_mut().chain(discretes);
        for ((value, first), is_set) in values.zip(first).zip(is_set.iter()) {
            if !*is_set {
                *value = *first;
            }
        }
        self.start_pasts();
        self.work.forget();
    }

    /// Before the start everything was as there. What is remembered may be delayed itself: as often as
    /// there are delays at most, something more is known.
    fn start_pasts(&mut self) {
        let State { pasts, time, .. } = &mut self.state;
        pasts.iter_mut().for_each(|past| past.begin(*time, f64::NAN));
        for _ in 0..self.equations.delays.len() {
            let program = &self.equations.programs.remembered;
            let values = self.work.remembered.compute(program, &self.state);
            let mut has_changed = false;
            let State { pasts, time, .. } = &mut self.state;
            for (past, value) in pasts.iter_mut().zip(values) {
                has_changed |= past.at(*time).to_bits() != value.to_bits();
                past.begin(*time, *value);
            }
            if !has_changed {
                break;
            }
        }
    }

    /// How long each buffer must remember is known once parameters are.
    fn settle_durations(&mut self) {
        let program = &self.equations.programs.durations;
        let found = self.work.durations.compute(program, &self.state);
        let delays = self.equations.delays.iter().zip(found);
        for (duration, (delay, found)) in self.durations.iter_mut().zip(delays) {
            *duration = delay.is_fixed.then_some(*found);
        }
    }

    /// Remembers what is now; at an event also if something of the same time is remembered.
    fn remember(&mut self, is_event: bool) {
        let time = self.state.time;
        if !self.state.pasts.iter().any(|past| is_event || past.last_time() < time) {
            return;
        }
        let values = self.work.remembered.compute(&self.equations.programs.remembered, &self.state);
        let pasts = self.state.pasts.iter_mut().zip(&self.durations);
        for ((past, duration), value) in pasts.zip(values) {
            past.push(time, *value);
            if let Some(duration) = duration {
                past.forget_before(time - duration);
            }
        }
        // What looks back may see another slope now.
        self.work.forget();
    }

    fn put(&mut self, reference: Reference, value: f64) -> CallResult<()> {
        let part = self.equations.part(reference.0 as usize);
        let quantity = part.and_then(|part| self.equations.quantity(part));
        let is_free = quantity.is_some_and(|quantity| quantity.is_start_fixed);
        let State { parameters, inputs, states, discretes, is_set, phase, .. } = &mut self.state;
        match part {
            Some(ModelPart::Input(at)) => inputs[at] = value,
            Some(ModelPart::Parameter(at)) if *phase == Phase::Start => {
                parameters.slice_mut()[at] = value;
            }
            Some(ModelPart::State(at)) if *phase == Phase::Start && is_free => {
                (states[at], is_set.slice_mut()[at]) = (value, true);
            }
            Some(ModelPart::Discrete(at)) if *phase == Phase::Start && is_free => {
                is_set.slice_mut()[states.len() + at] = true;
                discretes[at] = value;
            }
            _ => return Err(self.refuse_set(reference)),
        }
        Ok(())
    }

    #[cold]
    fn refuse_set(&self, reference: Reference) -> Box<CallError> {
        let part = self.equations.part(reference.0 as usize);
        let quantity = part.and_then(|part| self.equations.quantity(part));
        let reason = match (quantity, self.state.phase) {
            (None, _) => format!("there is no variable with reference {}", reference.0),
            (Some(it), Phase::Start) => format!("`{}` is computed", it.name),
            (Some(it), _) => format!("`{}` can be set before the start only", it.name),
        };
        CallError::new("set values", CallStatus::Refused(reason))
    }

    fn value(&mut self, reference: Reference) -> CallResult<f64> {
        let EquationsInstance { equations, state, work, .. } = self;
        let programs = &equations.programs;
        Ok(match equations.part(reference.0 as usize) {
            Some(ModelPart::Time) => state.time,
            Some(ModelPart::Parameter(at)) => state.parameters[at],
            Some(ModelPart::Input(at)) => state.inputs[at],
            Some(ModelPart::State(at)) => state.states[at],
            Some(ModelPart::Discrete(at)) => state.discretes[at],
            Some(ModelPart::Derivative(at)) => {
                work.derivatives.ask(&programs.derivatives, state)[at]
            }
            Some(ModelPart::Output(at)) => work.outputs.show(&programs.outputs, state)[at],
            Some(ModelPart::Local(at)) => work.locals.show(&programs.locals, state)[at],
            Some(ModelPart::Indicator(_)) | None => {
                let reason = format!("there is no variable with reference {}", reference.0);
                return Err(CallError::new("get values", CallStatus::Refused(reason)));
            }
        })
    }

    fn expect_phase(&self, phase: Phase, call: &'static str) -> CallResult<()> {
        if self.state.phase == phase {
            return Ok(());
        }
        let state = match self.state.phase {
            Phase::Start => "initialization",
            Phase::Event => "event mode",
            Phase::Continuous => "continuous mode",
        };
        Err(CallError::new(call, CallStatus::WrongState(state)))
    }

    /// Refuses to creep along a switch for ever.
    fn look_for_chatter(&mut self) -> CallResult<()> {
        if self.state.chatters.is_empty() {
            return Ok(());
        }
        let EquationsInstance { equations, state, work, .. } = self;
        let values = work.indicators.compute(&equations.programs.indicators, state);
        let State { chatters, start, time, .. } = state;
        for (chatter, at) in chatters.iter_mut().zip(watched(equations)) {
            if chatter.is_endless(values[at], *start, *time) {
                let reason =
                    "an `if` in the equations switches back and forth without end; give it \
                              a hysteresis, or a discrete of its own"
                        .to_owned();
                let (arguments, status) = (format!("t = {time}"), CallStatus::Refused(reason));
                let call = "integrate";
                return Err(Box::new(CallError { call, arguments, status, log: Vec::new() }));
            }
        }
        Ok(())
    }

    fn moment(&mut self) -> EventMoment<'_> {
        let EquationsInstance { equations, state, work, durations, .. } = self;
        EventMoment { equations, state, work, durations }
    }
}

impl LiveModel for EquationsInstance {
    fn enter_initialization(&mut self, setup: &Setup) -> CallResult<()> {
        self.expect_phase(Phase::Start, "enter initialization")?;
        self.state.start = setup.resolution.to_f64(setup.start);
        self.state.time = self.state.start;
        self.state.tolerance = setup.tolerance.unwrap_or(self.state.tolerance);
        self.start();
        Ok(())
    }

    fn exit_initialization(&mut self) -> CallResult<()> {
        self.expect_phase(Phase::Start, "exit initialization")?;
        self.start();
        self.settle_durations();
        self.moment().begin()?;
        self.state.phase = Phase::Event;
        Ok(())
    }

    fn set(&mut self, references: &[Reference], values: ValuesRef<'_>) -> CallResult<()> {
        let ValuesRef::Float64(values) = values else { return Err(not_numbers("set values")) };
        for (reference, value) in references.iter().zip(values) {
            self.put(*reference, *value)?;
        }
        self.work.forget();
        Ok(())
    }

    fn get(&mut self, references: &[Reference], values: ValuesMut<'_>) -> CallResult<()> {
        let ValuesMut::Float64(values) = values else { return Err(not_numbers("get values")) };
        if self.state.phase == Phase::Start {
            self.start();
        }
        for (reference, value) in references.iter().zip(values) {
            *value = self.value(*reference)?;
        }
        Ok(())
    }

    fn enter_event_mode(&mut self) -> CallResult<()> {
        self.expect_phase(Phase::Continuous, "enter event mode")?;
        self.state.phase = Phase::Event;
        Ok(())
    }

    fn directional_derivative(&mut self, along: Direction<'_>, to: &mut [f64]) -> CallResult<()> {
        let EquationsInstance { equations, state, work, .. } = self;
        sensitivity::directional(equations, state, work, along, to)
    }

    fn save(&mut self) -> CallResult<SavedState> {
        let saved =
            EquationsState { identity: Arc::clone(&self.identity), state: self.state.clone() };
        Ok(SavedState(Box::new(saved)))
    }

    fn restore(&mut self, state: &SavedState) -> CallResult<()> {
        let saved = self.own("restore a state", state)?;
        self.state.clone_from(&saved.state);
        self.work.forget();
        self.settle_durations();
        Ok(())
    }

    fn serialize(&mut self, state: &SavedState) -> CallResult<Vec<u8>> {
        let saved = self.own("serialize a state", state)?;
        Ok(bytes::write(self.identity.fingerprint(), &saved.state))
    }

    fn deserialize(&mut self, bytes: &[u8]) -> CallResult<SavedState> {
        let fingerprint = self.identity.fingerprint();
        let state = bytes::read(bytes, fingerprint, &self.equations).map_err(|reason| {
            CallError::new("deserialize a state", CallStatus::Refused(reason.to_owned()))
        })?;
        Ok(SavedState(Box::new(EquationsState { identity: Arc::clone(&self.identity), state })))
    }

    fn unshared_bytes(&self, state: &SavedState) -> u64 {
        let saved = state.0.downcast_ref::<EquationsState>();
        saved.map_or(0, |saved| saved.state.unshared_bytes() as u64)
    }

    fn terminate(&mut self) -> CallResult<()> {
        Ok(())
    }
}

impl ContinuousInstance for EquationsInstance {
    fn sizes(&self) -> Sizes {
        let (states, indicators) = (self.equations.states.len(), self.equations.indicators.len());
        Sizes { states, indicators }
    }

    fn step_max(&self) -> Option<f64> {
        let durations = self.durations.iter().flatten().copied();
        let shortest = durations.filter(|it| 0.0 < *it).reduce(f64::min)?;
        // Between steps the past is a cubic, whose error grows with their fourth power.
        Some(shortest * (3.0 * self.state.tolerance.sqrt().sqrt()).min(1.0))
    }

    fn set_time(&mut self, time: f64) -> CallResult<()> {
        self.expect_phase(Phase::Continuous, "set the time")?;
        (self.state.time, self.state.is_still) = (time, false);
        self.work.forget();
        Ok(())
    }

    fn set_states(&mut self, states: &[f64]) -> CallResult<()> {
        self.expect_phase(Phase::Continuous, "set states")?;
        self.state.states.copy_from_slice(states);
        self.state.is_still = false;
        self.work.forget();
        Ok(())
    }

    fn states(&mut self, states: &mut [f64]) -> CallResult<()> {
        states.copy_from_slice(&self.state.states);
        Ok(())
    }

    fn derivatives(&mut self, derivatives: &mut [f64]) -> CallResult<()> {
        let program = &self.equations.programs.derivatives;
        derivatives.copy_from_slice(self.work.derivatives.ask(program, &self.state));
        Ok(())
    }

    fn nominals(&mut self, nominals: &mut [f64]) -> CallResult<()> {
        for (nominal, state) in nominals.iter_mut().zip(&self.equations.states) {
            *nominal = state.nominal.unwrap_or(1.0);
        }
        Ok(())
    }

    fn indicators(&mut self, indicators: &mut [f64]) -> CallResult<()> {
        let program = &self.equations.programs.indicators;
        let values = self.work.indicators.compute(program, &self.state);
        let each = indicators.iter_mut().zip(&self.equations.indicators);
        for ((value, indicator), found) in each.zip(values) {
            *value = match indicator.instant {
                // What only time moves is known ahead and must not be found a second time.
                Some(_) => 1.0,
                // Zero counts as not above zero; some solvers overlook what leaves an exact zero.
                None if *found == 0.0 => -f64::MIN_POSITIVE,
                None => *found,
            };
        }
        Ok(())
    }

    fn indicator_name(&self, index: usize) -> String {
        match self.equations.indicators[index].events[..] {
            [] => "an `if` in the equations".to_owned(),
            [event, ..] => condition(&self.equations, event),
        }
    }

    fn completed_step(&mut self) -> CallResult<CompletedStep> {
        self.remember(false);
        self.look_for_chatter()?;
        Ok(CompletedStep::default())
    }

    fn update_discrete_states(&mut self) -> CallResult<ContinuousEvent> {
        self.expect_phase(Phase::Event, "update discrete states")?;
        self.remember(false);
        let event = self.moment().update()?;
        self.work.forget();
        self.remember(true);
        Ok(event)
    }

    fn enter_continuous_mode(&mut self) -> CallResult<()> {
        self.expect_phase(Phase::Event, "enter continuous mode")?;
        (self.state.phase, self.state.is_first) = (Phase::Continuous, false);
        self.work.forget();
        Ok(())
    }
}

impl EquationsInstance {
    fn own<'s>(&self, call: &'static str, state: &'s SavedState) -> CallResult<&'s EquationsState> {
        let saved = state.0.downcast_ref::<EquationsState>();
        saved.filter(|saved| saved.identity.is(&self.identity)).ok_or_else(|| {
            let reason = "the state was saved from another model".to_owned();
            CallError::new(call, CallStatus::Refused(reason))
        })
    }
}

#[cold]
fn not_numbers(call: &'static str) -> Box<CallError> {
    let reason = "variables of equations are of type `Float64`".to_owned();
    CallError::new(call, CallStatus::Refused(reason))
}
