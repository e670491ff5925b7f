//! Which components are due when: groups of components with one period.

use consort_core::{Resolution, Step, Tag, Time};
use consort_system::{ResolvedSystem, StepLength};

/// Components that are stepped together.
#[derive(Clone, Debug)]
pub(crate) struct Rate {
    pub(crate) period: Time,
    step_length: StepLength,
    /// The period in seconds, correctly rounded: the same in every step.
    length: f64,
    /// Where the step under way ends, which is where the next one starts.
    pub(crate) due: Time,
}

impl Rate {
    /// The step that starts at `from` and takes a whole period.
    pub(crate) fn step_from(&self, from: Tag, start: f64, resolution: Resolution) -> Step {
        let to = from.time + self.period;
        let length = match self.step_length {
            StepLength::Fixed => self.length,
            StepLength::ToEnd => resolution.to_f64(to) - start,
        };
        Step { from, to, start, length }
    }

    /// A step of any size.
    pub(crate) fn step_to(&self, from: Tag, to: Time, resolution: Resolution) -> Step {
        let start = resolution.to_f64(from.time);
        let length = match self.step_length {
            StepLength::Fixed => resolution.to_f64(to - from.time),
            StepLength::ToEnd => resolution.to_f64(to) - start,
        };
        Step { from, to, start, length }
    }
}

/// The distinct rates of a system and the rate of each component.
pub(crate) struct Rates {
    pub(crate) list: Vec<Rate>,
    pub(crate) of_component: Vec<usize>,
}

impl Rates {
    pub(crate) fn of(system: &ResolvedSystem) -> Self {
        let experiment = &system.experiment;
        let key = |component: &consort_system::ResolvedComponent| {
            (component.period, component.step_length == StepLength::ToEnd)
        };
        let mut keys: Vec<(Time, bool)> = system.components.iter().map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        let of_component = system.components.iter().map(|component| {
            keys.binary_search(&key(component)).expect("every component's key was collected")
        });
        let of_component = of_component.collect();
        let list = keys.iter().map(|&(period, to_end)| Rate {
            period,
            step_length: if to_end { StepLength::ToEnd } else { StepLength::Fixed },
            length: experiment.resolution.to_f64(period),
            due: experiment.start,
        });
        Rates { list: list.collect(), of_component }
    }

    /// The tag that follows `now`, at which the steps that begin now were not begun yet.
    pub(crate) fn after(&self, now: Time) -> Time {
        let end = |rate: &Rate| if rate.due == now { now + rate.period } else { rate.due };
        self.list.iter().map(end).min().unwrap_or(Time::MAX)
    }

    /// All steps under way end at `time`.
    pub(crate) fn arrive(&mut self, time: Time) {
        self.list.iter_mut().for_each(|rate| rate.due = time);
    }

    /// The earliest time at which any step under way ends.
    pub(crate) fn next(&self) -> Time {
        self.list.iter().map(|rate| rate.due).min().unwrap_or(Time::MAX)
    }
}
