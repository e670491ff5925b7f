//! One Model Exchange instance, whatever the version: what is allowed when, and how many numbers are
//! exchanged.
//!
//! What an instance has whatever its interface is for (values, saved states, its log and its end) is
//! [`FmuInstance`]'s. Setting time and states and computing derivatives and indicators neither
//! allocates nor locks as long as the FMU answers "OK".

use super::FmuInstance;
use super::Loaded;
use super::calls::{Asked, ExchangeCalls, Request, refused};
use super::instance::nothing;
use super::phase::Phase;
use consort_core::model::CallResult;
use consort_core::{
    CompletedStep, ContinuousDescription, ContinuousEvent, ContinuousInstance, Direction,
    LiveModel, Reference, SavedState, Setup, Sizes, ValuesMut, ValuesRef,
};
use std::sync::Arc;

/// A live FMU whose equations a solver integrates.
pub(super) struct ModelExchangeInstance<C: ExchangeCalls> {
    fmu: FmuInstance<C>,
    sizes: Sizes,
    /// Structural parameters decide the sizes: the FMU must be asked.
    asks_sizes: bool,
    /// The sizes have changed, which was not reported yet.
    resized: bool,
    needs_completed_step: bool,
    /// The time that was set last.
    time: f64,
}

impl<C: ExchangeCalls> ModelExchangeInstance<C> {
    /// Has an instance made and drives it.
    pub(super) fn make(
        request: Request,
        loaded: Arc<Loaded>,
        continuous: &ContinuousDescription,
        instantiate: impl FnOnce(Request) -> CallResult<C>,
    ) -> CallResult<Self> {
        Ok(ModelExchangeInstance {
            fmu: FmuInstance::make(request, loaded, instantiate)?,
            sizes: continuous.sizes.unwrap_or_default(),
            asks_sizes: continuous.sizes.is_none(),
            resized: false,
            needs_completed_step: continuous.needs_completed_step,
            time: f64::NEG_INFINITY,
        })
    }

    /// Asks the FMU how many states and indicators there are now, where that can change.
    fn ask_sizes(&mut self) -> CallResult<()> {
        if !self.asks_sizes {
            return Ok(());
        }
        let mut sizes = Sizes::default();
        let asked = self.fmu.calls.sizes(&mut sizes);
        self.fmu.check_float_mode();
        self.fmu.finish(asked, nothing)?;
        self.resized |= self.sizes != sizes;
        self.sizes = sizes;
        Ok(())
    }

    /// The description declares how many states and indicators there are: an FMU that has others is
    /// ignored, and a missing one is no error.
    fn check_sizes(&mut self) {
        let (declared, phase) = (self.sizes, self.fmu.phase);
        let mut found = Sizes::default();
        let asked = if self.asks_sizes { return } else { self.fmu.calls.sizes(&mut found) };
        let is_said = self.fmu.finish(asked, nothing).is_ok();
        if self.fmu.phase == Phase::Failed {
            self.fmu.phase = phase;
        }
        if !is_said || found == declared {
            return;
        }
        let is_sane = found.states.max(found.indicators) <= SIZE_MAX;
        let counts = if is_sane { "which is used" } else { "which is implausible and ignored" };
        self.sizes = if is_sane { found } else { declared };
        let count = |sizes: Sizes| {
            format!("{} continuous states and {} event indicators", sizes.states, sizes.indicators)
        };
        let (found, declared) = (count(found), count(declared));
        let message = format!("it has {found}, {counts}; its description declares {declared}");
        self.fmu.warn_once("sizes", &message);
    }

    /// A call that moves as many numbers as there are.
    #[inline]
    fn exchange(
        &mut self,
        call: &'static str,
        phases: (Phase, Phase),
        counts: Counts,
        ask: impl FnOnce(&mut C) -> Asked,
    ) -> CallResult<()> {
        self.fmu.require(call, phases.0, phases.1)?;
        let Counts { given, expected } = counts;
        if given != expected {
            return Err(refused(call, format!("{given} values where there are {expected}")));
        }
        if expected == 0 {
            // No call for nothing: FMUs without states or indicators crash on it or refuse it.
            return Ok(());
        }
        let asked = ask(&mut self.fmu.calls);
        self.fmu.check_float_mode();
        self.fmu.finish(asked, nothing)
    }

    /// The counts of a call that moves `given` states.
    #[inline]
    fn of_states(&self, given: usize) -> Counts {
        Counts { given, expected: self.sizes.states }
    }
}

/// The length of an argument, and the one that the model has.
#[derive(Clone, Copy)]
struct Counts {
    given: usize,
    expected: usize,
}

/// More states or indicators than this are no number of them.
const SIZE_MAX: usize = 1 << 24;
/// Where states may be set.
const MOVING: (Phase, Phase) = (Phase::Continuous, Phase::Continuous);
/// Where what depends on the states may be read.
const KNOWN: (Phase, Phase) = (Phase::Initialization, Phase::Terminated);
/// Where the magnitudes of the states may be read.
const SETTLED: (Phase, Phase) = (Phase::Event, Phase::Terminated);

impl<C: ExchangeCalls> LiveModel for ModelExchangeInstance<C> {
    fn set_up(&mut self, setup: &Setup) -> CallResult<()> {
        self.fmu.set_up(setup)
    }

    fn enter_configuration(&mut self) -> CallResult<()> {
        if self.fmu.phase == Phase::Event {
            return self.fmu.transition(Phase::Reconfiguration, C::enter_configuration, nothing);
        }
        self.fmu.enter_configuration()
    }

    fn exit_configuration(&mut self) -> CallResult<()> {
        if self.fmu.phase == Phase::Reconfiguration {
            self.fmu.transition(Phase::Event, C::exit_configuration, nothing)?;
        } else {
            self.fmu.exit_configuration()?;
        }
        self.ask_sizes()
    }

    fn enter_initialization(&mut self, setup: &Setup) -> CallResult<()> {
        self.fmu.enter_initialization(setup)?;
        self.time = setup.resolution.to_f64(setup.start);
        self.ask_sizes()?;
        self.check_sizes();
        Ok(())
    }

    fn exit_initialization(&mut self) -> CallResult<()> {
        // These are the first sizes: they are not new.
        self.resized = false;
        self.fmu.exit_initialization()
    }

    fn set(&mut self, references: &[Reference], values: ValuesRef<'_>) -> CallResult<()> {
        self.fmu.set(references, values)
    }

    fn get(&mut self, references: &[Reference], values: ValuesMut<'_>) -> CallResult<()> {
        self.fmu.get(references, values)
    }

    fn read_back(&mut self, references: &[Reference], values: ValuesMut<'_>) -> CallResult<()> {
        self.fmu.read_back(references, values)
    }

    fn enter_event_mode(&mut self) -> CallResult<()> {
        self.fmu.require("enter event mode", Phase::Continuous, Phase::Continuous)?;
        self.fmu.transition(Phase::Event, C::enter_event_mode, nothing)
    }

    fn directional_derivative(&mut self, along: Direction<'_>, to: &mut [f64]) -> CallResult<()> {
        self.fmu.directional_derivative(along, to)
    }

    fn save(&mut self) -> CallResult<SavedState> {
        self.fmu.save()
    }

    fn restore(&mut self, state: &SavedState) -> CallResult<()> {
        self.fmu.restore(state)?;
        self.time = f64::NEG_INFINITY;
        if Phase::Initialization <= self.fmu.phase {
            self.ask_sizes()?;
        }
        Ok(())
    }

    fn serialize(&mut self, state: &SavedState) -> CallResult<Vec<u8>> {
        self.fmu.serialize(state)
    }

    fn deserialize(&mut self, bytes: &[u8]) -> CallResult<SavedState> {
        self.fmu.deserialize(bytes)
    }

    fn terminate(&mut self) -> CallResult<()> {
        self.fmu.terminate()
    }
}

impl<C: ExchangeCalls> ContinuousInstance for ModelExchangeInstance<C> {
    fn sizes(&self) -> Sizes {
        self.sizes
    }

    fn set_time(&mut self, time: f64) -> CallResult<()> {
        self.fmu.require("set the time", Phase::Continuous, Phase::Continuous)?;
        self.time = time;
        let asked = self.fmu.calls.set_time(time);
        self.fmu.check_float_mode();
        self.fmu.finish(asked, |_| format!("t = {time}"))
    }

    fn set_states(&mut self, states: &[f64]) -> CallResult<()> {
        let counts = self.of_states(states.len());
        self.exchange("set the states", MOVING, counts, |calls| calls.set_states(states))
    }

    fn states(&mut self, states: &mut [f64]) -> CallResult<()> {
        let counts = self.of_states(states.len());
        self.exchange("get the states", KNOWN, counts, |calls| calls.get_states(states))
    }

    fn derivatives(&mut self, derivatives: &mut [f64]) -> CallResult<()> {
        let counts = self.of_states(derivatives.len());
        self.exchange("compute the derivatives", KNOWN, counts, |calls| {
            calls.get_derivatives(derivatives)
        })
    }

    fn nominals(&mut self, nominals: &mut [f64]) -> CallResult<()> {
        let counts = self.of_states(nominals.len());
        self.exchange("get the nominals", SETTLED, counts, |calls| calls.get_nominals(nominals))
    }

    fn indicators(&mut self, indicators: &mut [f64]) -> CallResult<()> {
        let counts = Counts { given: indicators.len(), expected: self.sizes.indicators };
        self.exchange("compute the event indicators", KNOWN, counts, |calls| {
            calls.get_indicators(indicators)
        })
    }

    fn completed_step(&mut self) -> CallResult<CompletedStep> {
        self.fmu.require("complete a step", Phase::Continuous, Phase::Continuous)?;
        let mut completed = CompletedStep::default();
        if self.needs_completed_step {
            let may_go_back = self.fmu.may_go_back;
            let asked = self.fmu.calls.completed_step(may_go_back, &mut completed);
            self.fmu.check_float_mode();
            self.fmu.finish(asked, nothing)?;
        }
        Ok(completed)
    }

    fn update_discrete_states(&mut self) -> CallResult<ContinuousEvent> {
        self.fmu.require("update discrete states", Phase::Event, Phase::Event)?;
        let mut event = ContinuousEvent::default();
        let update = |calls: &mut C| calls.update_discrete_states(&mut event);
        self.fmu.transition(Phase::Event, update, nothing)?;
        self.fmu.check_announced(&event, self.time);
        self.ask_sizes()?;
        // Some tools announce an event that never comes by an infinite time.
        event.next_event = event.next_event.filter(|time| time.is_finite());
        event.sizes_changed = std::mem::take(&mut self.resized);
        event.states_changed |= event.sizes_changed;
        event.nominals_changed |= event.sizes_changed;
        Ok(event)
    }

    fn enter_continuous_mode(&mut self) -> CallResult<()> {
        self.fmu.require("enter continuous-time mode", Phase::Event, Phase::Event)?;
        self.fmu.transition(Phase::Continuous, C::enter_continuous_mode, nothing)
    }
}
