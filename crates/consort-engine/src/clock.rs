//! Where a run is in time: its tag, which rates are due there, and the steps that begin there.

mod step_size;

use crate::timing::Rates;
use consort_core::{Resolution, Step, Tag, Time};
use consort_system::ResolvedSystem;

pub(crate) use step_size::StepSize;

/// The time of a run.
pub(crate) struct Clock {
    resolution: Resolution,
    tag: Tag,
    /// The last tag up to which everything is done.
    done: Tag,
    rates: Rates,
    /// By rate: its components have fresh values at the present tag.
    due: Vec<bool>,
    /// By rate: the step that its components take, if they take any.
    steps: Vec<Step>,
    /// There was a tag before, so that delayed connections have something to hand over.
    has_previous: bool,
    /// How long steps are that may be rejected.
    pub(crate) step_size: StepSize,
}

/// A rate of a saved run: where the step under way ends, and whether its components are at the tag.
pub(crate) type SavedRate = (Time, bool);

/// What a snapshot keeps of a clock, but for its rates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct SavedClock {
    pub(crate) tag: Tag,
    pub(crate) has_previous: bool,
    /// How long the next step is where steps may be rejected.
    pub(crate) proposed: Time,
}

impl Clock {
    /// At the start of an experiment.
    pub(crate) fn new(system: &ResolvedSystem, rates: Rates) -> Self {
        let resolution = system.experiment.resolution;
        let tag = Tag::at(system.experiment.start);
        let count = rates.list.len();
        Clock {
            resolution,
            tag,
            done: tag,
            due: vec![true; count],
            steps: vec![no_step(tag, resolution); count],
            has_previous: false,
            step_size: StepSize::of(system),
            rates,
        }
    }

    /// The present tag.
    #[inline]
    pub(crate) fn tag(&self) -> Tag {
        self.tag
    }

    /// The present time.
    #[inline]
    pub(crate) fn time(&self) -> Time {
        self.tag.time
    }

    /// The last tag up to which everything is done.
    #[inline]
    pub(crate) fn done(&self) -> Tag {
        self.done
    }

    /// Everything up to the present tag is done.
    #[inline]
    pub(crate) fn mark_done(&mut self) {
        self.done = self.tag;
    }

    /// The length of a tick.
    #[inline]
    pub(crate) fn resolution(&self) -> Resolution {
        self.resolution
    }

    /// All rates.
    #[inline]
    pub(crate) fn rates(&self) -> &Rates {
        &self.rates
    }

    /// By rate: whether it is due at the present tag.
    #[inline]
    pub(crate) fn due(&self) -> &[bool] {
        &self.due
    }

    /// The rates that are due at the present tag, or all of them.
    #[inline]
    pub(crate) fn due_rates(&self, all: bool) -> impl Iterator<Item = usize> + '_ {
        let due = self.due.iter().enumerate();
        due.filter(move |(_, is_due)| all || **is_due).map(|(rate, _)| rate)
    }

    /// Whether a rate is due at the present tag.
    #[inline]
    pub(crate) fn is_due(&self, rate: usize) -> bool {
        self.due[rate]
    }

    /// Whether a component is at the present time. A slow one is ahead of it, at the end of its
    /// step: until the others are there, it takes part in nothing and its values may not be read.
    #[inline]
    pub(crate) fn has_component(&self, component: usize) -> bool {
        self.due[self.rates.of_component[component]]
    }

    /// Whether connections hand over values now whose sources have a rate.
    #[inline]
    pub(crate) fn hands_over(&self, rate: usize, is_delayed: bool) -> bool {
        self.due[rate] && (self.has_previous || !is_delayed)
    }

    /// The step of the components of a rate.
    #[inline]
    pub(crate) fn step(&self, rate: usize) -> Step {
        self.steps[rate]
    }

    /// From now on delayed connections have something to hand over.
    #[inline]
    pub(crate) fn keep_previous(&mut self) {
        self.has_previous = true;
    }

    /// Calls at a tag set and read only: no rate takes a step.
    pub(crate) fn stand_still(&mut self, tag: Tag) {
        self.steps.fill(no_step(tag, self.resolution));
    }

    /// Plans the steps that begin now.
    #[inline]
    pub(crate) fn begin_steps(&mut self) {
        let start = self.resolution.to_f64(self.tag.time);
        for (step, rate) in self.steps.iter_mut().zip(&mut self.rates.list) {
            if rate.due == self.tag.time {
                *step = rate.step_from(self.tag, start, self.resolution);
                rate.due = step.to;
            }
        }
    }

    /// Plans a step of any size for every rate.
    pub(crate) fn plan_step(&mut self, from: Tag, to: Time) {
        for (step, rate) in self.steps.iter_mut().zip(&self.rates.list) {
            *step = rate.step_to(from, to, self.resolution);
        }
    }

    /// All steps under way end at a time.
    pub(crate) fn end_steps(&mut self, time: Time) {
        self.rates.arrive(time);
    }

    /// The earliest time at which a step under way ends.
    #[inline]
    pub(crate) fn next_end(&self) -> Time {
        self.rates.next()
    }

    /// The same before the steps that begin now have begun.
    #[inline]
    pub(crate) fn planned_end(&self) -> Time {
        self.rates.after(self.tag.time)
    }

    /// Moves on to a time; the rates whose steps end there are due.
    #[inline]
    pub(crate) fn move_to(&mut self, time: Time) {
        self.tag = Tag::at(time);
        for (due, rate) in self.due.iter_mut().zip(&self.rates.list) {
            *due = rate.due == time;
        }
    }

    /// Moves on to a microstep of the present time.
    pub(crate) fn move_to_microstep(&mut self, tag: Tag) {
        debug_assert_eq!(self.tag.time, tag.time);
        self.tag = tag;
    }

    /// What a snapshot keeps; the rates are appended to a list.
    pub(crate) fn save(&self, rates: &mut Vec<SavedRate>) -> SavedClock {
        let saved = self.rates.list.iter().zip(&self.due);
        rates.extend(saved.map(|(rate, is_due)| (rate.due, *is_due)));
        let (tag, has_previous) = (self.tag, self.has_previous);
        SavedClock { tag, has_previous, proposed: self.step_size.proposed() }
    }

    /// Goes back, or on, to what was saved.
    pub(crate) fn restore(&mut self, saved: SavedClock, rates: &[SavedRate]) {
        let own = self.rates.list.iter_mut().zip(&mut self.due);
        for ((rate, is_due), saved) in own.zip(rates) {
            (rate.due, *is_due) = *saved;
        }
        (self.tag, self.done, self.has_previous) = (saved.tag, saved.tag, saved.has_previous);
        self.step_size.propose(saved.proposed);
    }
}

/// No step: for calls that are made at a tag.
fn no_step(tag: Tag, resolution: Resolution) -> Step {
    Step { from: tag, to: tag.time, start: resolution.to_f64(tag.time), length: 0.0 }
}
