//! How long the next step is.

use consort_core::Time;
use consort_system::{
    ResolvedStepConstraint, ResolvedSystem, ResolvedVariableStep, StepTolerances,
};

/// A step is a little shorter than its error would allow.
const SAFETY: f64 = 0.9;
/// No step is shorter, or longer, than the one before by more than these.
const SHRINK_MAX: f64 = 0.2;
const GROWTH_MAX: f64 = 5.0;
/// How fast steps grow back where their error is unknown.
const GROWTH_BACK: f64 = 2.0;

/// The size of steps, between its limits.
#[derive(Clone, Debug)]
pub(crate) struct StepSize {
    limits: ResolvedVariableStep,
    stop: Time,
    proposed: Time,
    /// How long steps become again where their error is unknown.
    grown: Time,
    /// Instants at which steps end: the first, and from one to the next.
    samples: Vec<Samples>,
    asked: Option<Asked>,
}

/// Instants at which steps must end: `start`, and every `period` after it.
#[derive(Clone, Copy, Debug)]
struct Samples {
    start: Time,
    period: Time,
}

/// What components say about the step to come, where they are asked.
#[derive(Clone, Copy, Debug)]
struct Asked {
    longest: Time,
    /// Some step had a bound.
    has_effect: bool,
}

impl StepSize {
    /// As the system says; by default, steps as long as the experiment's.
    pub(crate) fn of(system: &ResolvedSystem) -> Self {
        let step = system.components.first().map_or(system.experiment.step, |it| it.period);
        let fixed = ResolvedVariableStep { initial: step, min: step, max: step, tolerances: None };
        let limits = system.coupling.variable_step.unwrap_or(fixed);
        let (stop, proposed) = (system.experiment.stop, limits.initial.min(limits.max));
        let constraints = &system.coupling.constraints;
        let samples = constraints.iter().filter_map(|it| match *it {
            ResolvedStepConstraint::Sampling { start, period } => Some(Samples { start, period }),
            _ => None,
        });
        // Constraints keep steps as short as they must be.
        let grown = if constraints.is_empty() { limits.initial } else { limits.max };
        let asks = constraints.contains(&ResolvedStepConstraint::ComponentMax);
        let asked = asks.then_some(Asked { longest: Time::MAX, has_effect: false });
        StepSize { limits, stop, proposed, grown, samples: samples.collect(), asked }
    }

    /// Whether components are asked how long a step may be.
    pub(crate) fn asks(&self) -> bool {
        self.asked.is_some()
    }

    /// Takes what they said about the next step; `None` if they set no bound.
    pub(crate) fn bound(&mut self, longest: Option<Time>) {
        if let Some(asked) = &mut self.asked {
            asked.longest = longest.unwrap_or(Time::MAX);
            asked.has_effect |= longest.is_some();
        }
    }

    /// Whether a step is longer than components allow.
    pub(crate) fn is_beyond(&self, size: Time) -> bool {
        self.asked.is_some_and(|asked| asked.longest < size)
    }

    /// Components were asked, and none has reported a limit so far.
    pub(crate) fn has_no_reported_limit(&self) -> bool {
        self.asked.is_some_and(|asked| !asked.has_effect)
    }

    pub(crate) fn tolerances(&self) -> Option<StepTolerances> {
        self.limits.tolerances
    }

    /// The size of the next step, before limits of the moment.
    pub(crate) fn proposed(&self) -> Time {
        self.proposed
    }

    /// Goes back to a size that was proposed before.
    pub(crate) fn propose(&mut self, size: Time) {
        self.proposed = size.clamp(self.limits.min, self.limits.max);
    }

    pub(crate) fn min(&self) -> Time {
        self.limits.min
    }

    /// Where the proposed step would end; never past the end of all.
    pub(crate) fn end_from(&self, now: Time) -> Time {
        let longest = self.asked.map_or(Time::MAX, |asked| asked.longest.max(self.limits.min));
        let end =
            now.checked_add(self.proposed.min(longest)).map_or(self.stop, |end| end.min(self.stop));
        let samples = self.samples.iter().filter_map(|it| it.next(now));
        samples.fold(end, Time::min)
    }

    /// Proposes the next step after one of that size was accepted.
    pub(crate) fn accept(&mut self, taken: Time, error: Option<f64>) {
        let next = match (error, self.limits.tolerances) {
            (Some(error), _) => scaled(taken, factor(error)),
            (None, Some(_)) => taken,
            (None, None) => scaled(taken, GROWTH_BACK).min(self.grown),
        };
        // A step that was cut short at the end or at an event says nothing against a longer one.
        let next = if taken < self.proposed { next.max(self.proposed) } else { next };
        self.proposed = next.clamp(self.limits.min, self.limits.max);
    }

    /// The size to try after one that was too coarse; `None` if there is no shorter one.
    pub(crate) fn more_accurate(&mut self, size: Time, error: f64) -> Option<Time> {
        let shorter = self.at_least_min(size, scaled(size, factor(error).min(SAFETY)))?;
        self.proposed = shorter;
        Some(shorter)
    }

    /// The size to try after a component stopped after `done`, or refused to go further; `None` if
    /// there is no shorter one. Where something happens is where a step ends, however short it is.
    pub(crate) fn shorter(&mut self, size: Time, done: Time, refused: bool) -> Option<Time> {
        let is_progress = Time::ZERO < done && done < size;
        if is_progress && !refused {
            return Some(done);
        }
        let half = Time::from_ticks(size.ticks() / 2);
        let is_enough = is_progress && self.limits.min <= done;
        let shorter = self.at_least_min(size, if is_enough { done } else { half })?;
        self.proposed = shorter;
        Some(shorter)
    }

    /// The size to try after one that broke a constraint; `None` if there is no shorter one. Where
    /// something happens is where a step ends; the next may be as long as before.
    pub(crate) fn constrained(&mut self, size: Time, part: f64, is_event: bool) -> Option<Time> {
        let shorter = self.at_least_min(size, scaled(size, part))?;
        if !is_event {
            self.proposed = shorter;
        }
        Some(shorter)
    }

    fn at_least_min(&self, size: Time, shorter: Time) -> Option<Time> {
        let shorter = shorter.max(self.limits.min);
        (shorter < size).then_some(shorter)
    }
}

impl Samples {
    /// The first instant after `now`; none if that is beyond all times.
    fn next(&self, now: Time) -> Option<Time> {
        let Samples { start, period } = *self;
        if now < start {
            return Some(start);
        }
        let count = (now - start).ticks() / period.ticks() + 1;
        start.checked_add(period.checked_mul(count)?)
    }
}

/// By how much the error allows steps to grow. Values are held over a step, so its error grows with
/// the square of its size.
fn factor(error: f64) -> f64 {
    if error <= 0.0 { GROWTH_MAX } else { (SAFETY / error.sqrt()).clamp(SHRINK_MAX, GROWTH_MAX) }
}

fn scaled(size: Time, factor: f64) -> Time {
    Time::from_ticks(((size.ticks() as f64 * factor) as i64).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ticks(ticks: i64) -> Time {
        Time::from_ticks(ticks)
    }

    fn sizes(tolerances: Option<StepTolerances>) -> StepSize {
        let limits = ResolvedVariableStep {
            initial: ticks(100),
            min: ticks(10),
            max: ticks(400),
            tolerances,
        };
        StepSize {
            limits,
            stop: ticks(10_000),
            proposed: ticks(100),
            grown: ticks(100),
            samples: Vec::new(),
            asked: None,
        }
    }

    #[test]
    fn a_refused_step_shrinks_to_where_it_came_or_to_half_and_no_further_than_allowed() {
        let mut sizes = sizes(None);
        for (size, done, refused, expected) in [
            (100, 70, true, Some(70)),
            (100, 0, true, Some(50)),
            (100, 3, true, Some(50)),
            (100, 3, false, Some(3)),
            (15, 0, true, Some(10)),
            (10, 0, true, None),
            (100, 100, false, Some(50)),
        ] {
            let found = sizes.shorter(ticks(size), ticks(done), refused);
            assert_eq!(found, expected.map(ticks), "{size} {done} {refused}");
        }
    }

    #[test]
    fn steps_grow_back_to_the_first_one() {
        let mut sizes = sizes(None);
        let mut seen = Vec::new();
        assert_eq!(sizes.shorter(ticks(100), ticks(20), true), Some(ticks(20)));
        sizes.accept(ticks(20), None);
        for _ in 0..4 {
            seen.push(sizes.proposed.ticks());
            sizes.accept(sizes.proposed, None);
        }
        assert_eq!(seen, [40, 80, 100, 100]);
    }

    #[test]
    fn the_error_decides_on_the_next_step_within_limits() {
        let tolerances = StepTolerances { relative: 1e-3, absolute: 1e-3 };
        for (error, expected) in [(0.0, 400), (0.25, 180), (0.81, 100), (1.0, 90), (1e-9, 400)] {
            let mut sizes = sizes(Some(tolerances));
            sizes.accept(ticks(100), Some(error));
            assert_eq!(sizes.proposed, ticks(expected), "{error}");
        }
        let mut sizes = sizes(Some(tolerances));
        assert_eq!(sizes.more_accurate(ticks(100), 4.0), Some(ticks(45)));
        assert_eq!(sizes.more_accurate(ticks(100), f64::INFINITY), Some(ticks(20)));
        assert_eq!(sizes.more_accurate(ticks(10), 4.0), None);
    }
}
