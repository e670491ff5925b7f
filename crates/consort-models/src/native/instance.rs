//! The one instance type of all blocks: life cycle, references, values, states.

use super::behavior::{BlockBehavior, BlockMoment};
use super::state::BlockState;
use super::store::{self, Misfit, Slot, Store};
use consort_core::model::CallResult;
use consort_core::value::{ValueType, ValuesMut, ValuesRef};
use consort_core::{
    CallError, CallStatus, Causality, Direction, Instance, Instantiation, LiveModel, Model,
    ModelDescription, Prng, Reference, Resolution, SavedState, Setup, Step, StepOutcome, Time,
    Variability, Variable,
};
use std::sync::Arc;

/// A native block with its parameters: what `native:NAME` in a system file becomes.
pub(super) struct NativeModel(pub(super) Arc<Blueprint>);

/// What all instances of one block share.
pub(super) struct Blueprint {
    pub(super) description: ModelDescription,
    pub(super) behavior: Box<dyn BlockBehavior>,
    /// The values of a fresh instance.
    pub(super) start: Store,
    /// Per variable: it shaped the block when that was made, so its value can only be confirmed.
    pub(super) shaping: Vec<bool>,
}

impl Model for NativeModel {
    fn description(&self) -> &ModelDescription {
        &self.0.description
    }

    fn instantiate(&self, instantiation: &Instantiation<'_>) -> CallResult<Box<dyn Instance>> {
        Ok(Box::new(NativeInstance {
            store: self.0.start.clone(),
            blueprint: Arc::clone(&self.0),
            prng: instantiation.prng.clone(),
            phase: BlockPhase::Instantiated,
            time: Time::ZERO,
            resolution: Resolution::NANOSECOND,
            is_stale: true,
        }))
    }
}

/// How far an instance's life has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BlockPhase {
    Instantiated,
    Initialization,
    Stepping,
    Terminated,
}

impl BlockPhase {
    pub(super) const ALL: [BlockPhase; 4] = [
        BlockPhase::Instantiated,
        BlockPhase::Initialization,
        BlockPhase::Stepping,
        BlockPhase::Terminated,
    ];

    fn name(self) -> &'static str {
        match self {
            BlockPhase::Instantiated => "a fresh instance",
            BlockPhase::Initialization => "initialization",
            BlockPhase::Stepping => "a running instance",
            BlockPhase::Terminated => "a terminated instance",
        }
    }
}

struct NativeInstance {
    blueprint: Arc<Blueprint>,
    store: Store,
    prng: Prng,
    phase: BlockPhase,
    time: Time,
    resolution: Resolution,
    /// Something was set or time continued since the outputs were computed.
    is_stale: bool,
}

impl NativeInstance {
    fn moment(&self) -> BlockMoment<'_> {
        BlockMoment { time: self.time, resolution: self.resolution, prng: &self.prng }
    }

    fn require(&self, call: &'static str, phase: BlockPhase) -> CallResult<()> {
        if self.phase != phase {
            return Err(CallError::new(call, CallStatus::WrongState(self.phase.name())));
        }
        Ok(())
    }

    /// Computes the outputs if they may have changed. Outside of a run there is no time to compute
    /// them for.
    fn refresh(&mut self) {
        if !self.is_stale || matches!(self.phase, BlockPhase::Instantiated | BlockPhase::Terminated)
        {
            return;
        }
        let behavior = &self.blueprint.behavior;
        if self.phase == BlockPhase::Initialization {
            behavior.begin(&mut self.store);
        }
        let now = BlockMoment { time: self.time, resolution: self.resolution, prng: &self.prng };
        behavior.outputs(&now, &mut self.store);
        self.is_stale = false;
    }

    fn variable(&self, call: &'static str, reference: Reference) -> CallResult<&Variable> {
        let variable = self.blueprint.description.variables.get(reference.0 as usize);
        variable.ok_or_else(|| {
            refused(call, "", format!("no variable has the reference {}", reference.0))
        })
    }

    /// Whether a set would be accepted, checked before anything is changed.
    fn check_set(&self, references: &[Reference], values: ValuesRef<'_>) -> CallResult<()> {
        let mut at = 0;
        for &reference in references {
            let variable = self.variable("set", reference)?;
            let index = reference.0 as usize;
            let now = &self.store.values[index];
            let count = now.len();
            if now.value_type() != values.value_type() {
                let misfit = Misfit::Type(now.value_type());
                return Err(misfitting("set", &variable.name, misfit, values.value_type()));
            }
            if values.len() < at + count {
                return Err(misfitting("set", &variable.name, Misfit::Length, values.value_type()));
            }
            if let Some(reason) = self.objection(variable, self.blueprint.shaping[index])
                && !store::is_same(now, values, at)
            {
                return Err(refused("set", &variable.name, reason.to_owned()));
            }
            at += count;
        }
        if at != values.len() {
            return Err(too_many("set", at, values.len()));
        }
        Ok(())
    }

    /// How many elements a variable has.
    fn count(&self, reference: Reference) -> CallResult<usize> {
        self.variable(DERIVATIVE, reference)?;
        Ok(self.store.values[reference.0 as usize].len())
    }

    /// Adds to `sensitivity` how one variable changes with all of `knowns`.
    fn derivative(
        &self,
        unknown: Reference,
        knowns: &[Reference],
        seed: &[f64],
        sensitivity: &mut [f64],
    ) -> CallResult<()> {
        let slot = |reference: Reference| Slot(reference.0 as usize);
        let mut at = 0;
        for &known in knowns {
            let end = at + self.count(known)?;
            let part = seed.get(at..end).ok_or_else(too_short)?;
            let behavior = &self.blueprint.behavior;
            if !behavior.derivative(slot(unknown), slot(known), part, sensitivity) {
                return Err(CallError::unsupported(DERIVATIVE));
            }
            at = end;
        }
        Ok(())
    }

    /// Why a variable may not be given another value now.
    fn objection(&self, variable: &Variable, is_shaping: bool) -> Option<&'static str> {
        let is_fixed = variable.variability == Variability::Fixed;
        match (variable.causality, self.phase) {
            (_, BlockPhase::Terminated) => Some("the run has ended"),
            (Causality::Parameter, _) if is_shaping => {
                Some("it determines the shape of the block and cannot change")
            }
            (Causality::Parameter, BlockPhase::Stepping) if is_fixed => {
                Some("it is fixed once the run has started")
            }
            (Causality::Parameter | Causality::Input, _) => None,
            _ => Some("the block computes it"),
        }
    }
}

impl LiveModel for NativeInstance {
    fn enter_initialization(&mut self, setup: &Setup) -> CallResult<()> {
        self.require("enter initialization", BlockPhase::Instantiated)?;
        self.phase = BlockPhase::Initialization;
        self.time = setup.start;
        self.resolution = setup.resolution;
        self.is_stale = true;
        Ok(())
    }

    fn exit_initialization(&mut self) -> CallResult<()> {
        self.require("exit initialization", BlockPhase::Initialization)?;
        let check = self.blueprint.behavior.check(&self.moment(), &self.store);
        check.map_err(|reason| refused("exit initialization", "", reason))?;
        self.refresh();
        self.phase = BlockPhase::Stepping;
        Ok(())
    }

    fn set(&mut self, references: &[Reference], values: ValuesRef<'_>) -> CallResult<()> {
        self.check_set(references, values)?;
        let mut at = 0;
        for &reference in references {
            let place = &mut self.store.values[reference.0 as usize];
            at = store::write(place, values, at).expect("checked above");
        }
        self.is_stale = true;
        Ok(())
    }

    fn get(&mut self, references: &[Reference], mut values: ValuesMut<'_>) -> CallResult<()> {
        self.refresh();
        let (asked, count) = (values.value_type(), values.len());
        let mut at = 0;
        for &reference in references {
            let name = &self.variable("get", reference)?.name;
            let stored = &self.store.values[reference.0 as usize];
            at = store::read(stored, &mut values, at)
                .map_err(|misfit| misfitting("get", name, misfit, asked))?;
        }
        if at != count {
            return Err(too_many("get", at, count));
        }
        Ok(())
    }

    fn directional_derivative(&mut self, along: Direction<'_>, to: &mut [f64]) -> CallResult<()> {
        let Direction { unknowns, knowns, seed } = along;
        to.fill(0.0);
        let mut at = 0;
        for &unknown in unknowns {
            let end = at + self.count(unknown)?;
            let room = to.get_mut(at..end).ok_or_else(too_short)?;
            self.derivative(unknown, knowns, seed, room)?;
            at = end;
        }
        Ok(())
    }

    fn save(&mut self) -> CallResult<SavedState> {
        Ok(SavedState(Box::new(BlockState {
            block: self.blueprint.description.name.clone(),
            phase: self.phase,
            time: self.time,
            resolution: self.resolution,
            store: self.store.clone(),
        })))
    }

    fn restore(&mut self, state: &SavedState) -> CallResult<()> {
        let foreign = || refused("restore", "", "the state is another model's".to_owned());
        let state = state.0.downcast_ref::<BlockState>().ok_or_else(foreign)?;
        if !state.fits(&self.blueprint.description.name, &self.store) {
            return Err(foreign());
        }
        (self.phase, self.time, self.resolution) = (state.phase, state.time, state.resolution);
        self.store.copy_from(&state.store);
        self.is_stale = true;
        Ok(())
    }

    fn serialize(&mut self, state: &SavedState) -> CallResult<Vec<u8>> {
        let foreign = || refused("serialize", "", "the state is another model's".to_owned());
        Ok(state.0.downcast_ref::<BlockState>().ok_or_else(foreign)?.to_bytes())
    }

    fn deserialize(&mut self, bytes: &[u8]) -> CallResult<SavedState> {
        let state = BlockState::from_bytes(bytes, &self.blueprint.description.name, &self.store)
            .map_err(|error| {
                refused("deserialize", "", format!("invalid state of this block: {error}"))
            })?;
        Ok(SavedState(Box::new(state)))
    }

    fn unshared_bytes(&self, state: &SavedState) -> u64 {
        let Some(state) = state.0.downcast_ref::<BlockState>() else { return 0 };
        let values: usize = state.store.values.iter().map(|it| size_of_val(it) + it.bytes()).sum();
        (size_of::<BlockState>() + state.block.len() + values) as u64
    }

    fn terminate(&mut self) -> CallResult<()> {
        self.refresh();
        self.phase = BlockPhase::Terminated;
        Ok(())
    }
}

impl Instance for NativeInstance {
    fn step(&mut self, step: &Step) -> CallResult<StepOutcome> {
        self.require("step", BlockPhase::Stepping)?;
        if step.from.time != self.time || step.to < step.from.time {
            let (from, to, time) = (step.from.time.ticks(), step.to.ticks(), self.time.ticks());
            let reason = format!("a step from tick {from} to {to} cannot start at tick {time}");
            return Err(refused("step", "", reason));
        }
        let advanced = self.blueprint.behavior.advance(step, &mut self.store);
        advanced.map_err(|reason| refused("step", "", reason))?;
        self.time = step.to;
        self.is_stale = true;
        Ok(StepOutcome::complete(step))
    }
}

const DERIVATIVE: &str = "compute directional derivatives";

#[cold]
fn too_short() -> Box<CallError> {
    let reason = "the variables have more elements than the lists".to_owned();
    refused(DERIVATIVE, "", reason)
}

#[cold]
fn refused(call: &'static str, arguments: &str, reason: String) -> Box<CallError> {
    let mut error = CallError::new(call, CallStatus::Refused(reason));
    error.arguments = arguments.to_owned();
    error
}

#[cold]
fn misfitting(call: &'static str, name: &str, misfit: Misfit, asked: ValueType) -> Box<CallError> {
    let reason = match misfit {
        Misfit::Type(actual) => format!("`{name}` is {actual}, not {asked}"),
        Misfit::Length => format!("`{name}` has more elements than the batch has left"),
    };
    refused(call, name, reason)
}

#[cold]
fn too_many(call: &'static str, used: usize, given: usize) -> Box<CallError> {
    refused(call, "", format!("the variables have {used} elements, the batch has {given}"))
}
