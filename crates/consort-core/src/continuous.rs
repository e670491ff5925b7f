//! Models given as equations: what a solver needs to integrate them.
//!
//! A [`ContinuousModel`] (FMI Model Exchange, equations written as text, SBML) has no steps of its
//! own: a solver outside integrates x' = f(t, x) and handles its events. The life of an instance:
//!
//! ```text
//! instantiate -> set_up -> [configuration] -> enter_initialization -> set and get -> exit_initialization
//!   -> event mode: update_discrete_states until it is not needed again -> enter_continuous_mode
//!   -> { set_time, set_states, derivatives, indicators, ... completed_step } -> enter_event_mode ...
//!   -> terminate -> drop
//! ```
//!
//! Times are seconds: a solver's own steps and the roots it finds lie on no tick.

use crate::call::CallResult;
use crate::description::ModelDescription;
use crate::id::VariableId;
use crate::live::LiveModel;
use crate::setup::Instantiation;

/// A kind of component that is given by its equations.
pub trait ContinuousModel: Send + Sync {
    /// What the model is, before anything runs.
    fn description(&self) -> &ModelDescription;

    /// Its states and what a solver must know about them.
    fn continuous(&self) -> &ContinuousDescription;

    /// Makes a live instance.
    ///
    /// # Errors
    /// If the model refuses to be instantiated.
    fn instantiate(
        &self,
        instantiation: &Instantiation<'_>,
    ) -> CallResult<Box<dyn ContinuousInstance>>;
}

/// What a solver must know about a model before anything runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ContinuousDescription {
    /// The states, in the order in which they are set and got. An array counts with all its elements.
    pub states: Vec<VariableId>,
    /// Their derivatives, in the same order.
    pub derivatives: Vec<VariableId>,
    /// How many states and event indicators there are unless an instance says otherwise; `None` if
    /// structural parameters decide it.
    pub sizes: Option<Sizes>,
    /// The solver must report every accepted step to the instance.
    pub needs_completed_step: bool,
}

/// How many numbers an instance exchanges with its solver.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Sizes {
    /// Number of continuous states.
    pub states: usize,
    /// Number of event indicators.
    pub indicators: usize,
}

/// What an instance says about a step that its solver has accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CompletedStep {
    /// A step event: event mode must be entered here.
    pub enter_event_mode: bool,
    /// The instance asks for the run to end.
    pub terminate: bool,
}

/// What one event iteration brought about.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ContinuousEvent {
    /// Another iteration is needed at the same time.
    pub again: bool,
    /// The instance asks for the run to end.
    pub terminate: bool,
    /// When the next time event is due, in seconds, if one is known.
    pub next_event: Option<f64>,
    /// The states have jumped: they must be got, and the solver be started anew.
    pub states_changed: bool,
    /// The magnitudes of the states have changed: they must be got.
    pub nominals_changed: bool,
    /// The numbers of states or indicators have changed: see [`ContinuousInstance::sizes`].
    pub sizes_changed: bool,
}

impl ContinuousEvent {
    /// What has changed in any of several events has changed.
    pub fn add_changes(&mut self, other: &ContinuousEvent) {
        self.states_changed |= other.states_changed;
        self.nominals_changed |= other.nominals_changed;
        self.sizes_changed |= other.sizes_changed;
    }
}

/// Changes and events of an instance whose equations are integrated together with those of others, since
/// the solver took note of them last.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct CoupledEvents {
    /// The solver is handling events: anything may be set.
    pub in_event_mode: bool,
    /// Inputs were set since the last step.
    pub is_disturbed: bool,
    /// What may change at events only was set, and the events that this made were handled.
    pub had_event: bool,
    /// What events brought about; when the next one is due stays valid.
    pub event: ContinuousEvent,
}

impl CoupledEvents {
    /// Takes note of events that were handled: what has changed adds up, the rest is replaced.
    pub fn note(&mut self, event: ContinuousEvent) {
        self.event.add_changes(&event);
        self.event.terminate |= event.terminate;
        self.event.next_event = event.next_event;
    }

    /// Forgets what has changed, once the solver has taken note of it.
    pub fn clear_changes(&mut self) {
        let ContinuousEvent { next_event, terminate, .. } = self.event;
        self.event = ContinuousEvent { next_event, terminate, ..ContinuousEvent::default() };
        (self.is_disturbed, self.had_event) = (false, false);
    }
}

/// One live example of a model given by its equations. It is in event mode after initialization, and what
/// is got follows time, states and inputs at once.
///
/// Slices of states, derivatives, nominals and indicators have the length that
/// [`ContinuousInstance::sizes`] gives.
pub trait ContinuousInstance: LiveModel {
    /// How many states and indicators there are, settled from the end of initialization on.
    fn sizes(&self) -> Sizes;

    /// The longest step a solver may take, in seconds, settled from the end of initialization on: a
    /// model that reads past values must have received them.
    fn step_max(&self) -> Option<f64> {
        None
    }

    /// Moves to another time, in seconds; in continuous mode.
    ///
    /// # Errors
    /// If the instance refuses.
    fn set_time(&mut self, time: f64) -> CallResult<()>;

    /// Gives the states their values; in continuous mode.
    ///
    /// # Errors
    /// If the instance refuses, for instance values outside of its range: a solver may try a
    /// shorter step after [`CallStatus::Discard`](crate::CallStatus).
    fn set_states(&mut self, states: &[f64]) -> CallResult<()>;

    /// Reads the states, as they are after an event.
    ///
    /// # Errors
    /// If the instance refuses.
    fn states(&mut self, states: &mut [f64]) -> CallResult<()>;

    /// Computes the time derivatives of the states.
    ///
    /// # Errors
    /// As [`ContinuousInstance::set_states`].
    fn derivatives(&mut self, derivatives: &mut [f64]) -> CallResult<()>;

    /// Reads the typical magnitudes of the states.
    ///
    /// # Errors
    /// If the instance refuses.
    fn nominals(&mut self, nominals: &mut [f64]) -> CallResult<()>;

    /// Computes the event indicators: an event happens where one of them changes its sign.
    ///
    /// # Errors
    /// As [`ContinuousInstance::set_states`].
    fn indicators(&mut self, indicators: &mut [f64]) -> CallResult<()>;

    /// What an event indicator stands for, for a message: something that a sentence can begin with.
    fn indicator_name(&self, index: usize) -> String {
        format!("event indicator {}", index + 1)
    }

    /// The solver has accepted a step that ends at the time and the states set last. Costs nothing
    /// if the instance does not want to know.
    ///
    /// # Errors
    /// If the instance refuses.
    fn completed_step(&mut self) -> CallResult<CompletedStep> {
        Ok(CompletedStep::default())
    }

    /// One event iteration; in event mode.
    ///
    /// # Errors
    /// If the instance refuses.
    fn update_discrete_states(&mut self) -> CallResult<ContinuousEvent>;

    /// Lets time advance.
    ///
    /// # Errors
    /// If the instance refuses.
    fn enter_continuous_mode(&mut self) -> CallResult<()>;
}
