//! The course of a check: how long the model runs, in which steps, and where it is saved.

use super::CheckOptions;
use consort_core::{Capabilities, ModelDescription, Resolution, Seconds, Time};

/// A horizon has this many parts of length tau, by default: Sinisi et al. (2021), section 4.2.
const PARTS: u64 = 100;
/// The most communication steps in one tau: a model with very short steps runs for a shorter time.
const STEPS_MAX: u64 = 100;
/// Excursions of models that take steps of any length end between two steps: at one of so many places.
const PLACES: u64 = 16;
/// The horizon of a model whose author had none in mind, in whole seconds.
const HORIZON: i64 = 1;
/// A horizon has at least so many steps of a run.
const STEPS_MIN: u64 = 20;

/// The run on which a model's states are saved, in ticks of its resolution.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Course {
    /// How long a tick is.
    pub resolution: Resolution,
    /// The start of the run.
    pub start: Time,
    /// One communication step.
    pub step: Time,
    /// What `sim(tau)` moves on by: whole steps.
    pub tau: Time,
    /// The longest excursion.
    pub bound: Time,
    /// Excursions are whole multiples of this.
    pub place: Time,
    /// How many points of the run are saved, tau apart.
    pub points: u32,
    /// How many excursions start at each.
    pub tries: u32,
    /// The relative tolerance of solvers.
    pub tolerance: Option<f64>,
    /// The root of all randomness.
    pub seed: u64,
}

impl Course {
    /// What the options and the model's author say; `None` if their times have no common tick.
    pub fn new(model: &ModelDescription, options: &CheckOptions) -> Option<Self> {
        let experiment = &model.default_experiment;
        let conditions = &options.conditions;
        let own_start = experiment.start.as_deref().and_then(read).unwrap_or(Seconds::ZERO);
        let start = conditions.start.unwrap_or(own_start);
        let horizon = horizon(options, model, own_start)?;
        let stop = sum(start, horizon)?;
        let tau = options.tau.or_else(|| part(horizon, PARTS))?;
        let own = experiment.step.as_deref().and_then(read).filter(|step| step.is_positive());
        let step = conditions.step.unwrap_or_else(|| step(own, tau, &model.capabilities));
        let place = if model.capabilities.variable_step { part(step, PLACES)? } else { step };
        let resolution = Resolution::for_all(&[start, stop, place]).ok()?;
        let ticks = |seconds: Seconds| resolution.ticks(seconds).ok();
        let (step, place) = (ticks(step)?, ticks(place)?);
        let horizon = ticks(stop)? - ticks(start)?;
        let steps = (resolution.from_f64(tau.to_f64()).ok()?.ticks() / step.ticks()).max(1);
        let steps = match options.tau {
            Some(_) => steps,
            None => steps.min(i64::try_from(STEPS_MAX).ok()?),
        };
        let tau = step.checked_mul(steps)?;
        let bound = options.bound.and_then(|bound| resolution.from_f64(bound.to_f64()).ok());
        let bound = bound.unwrap_or(horizon.min(tau.checked_mul(i64::try_from(PARTS).ok()?)?));
        let trials = options.trials();
        let points = u32::try_from(horizon.ticks() / tau.ticks()).unwrap_or(u32::MAX);
        let points = points.clamp(1, trials);
        Some(Course {
            resolution,
            start: ticks(start)?,
            step,
            tau,
            bound: bound.max(place),
            place,
            points,
            tries: trials.div_ceil(points),
            tolerance: conditions
                .tolerance
                .or_else(|| experiment.tolerance.as_deref().and_then(|text| text.parse().ok())),
            seed: options.seed,
        })
    }

    /// How often the state is restored and compared.
    pub fn trials(&self) -> u32 {
        self.points * self.tries
    }

    /// The point of that index.
    pub(super) fn point(&self, index: u32) -> Time {
        let gone =
            self.tau.checked_mul(i64::from(index)).and_then(|gone| self.start.checked_add(gone));
        gone.expect("the last point lies before the stop")
    }

    /// A length of time in seconds.
    pub(super) fn seconds(&self, time: Time) -> f64 {
        self.resolution.to_f64(time)
    }
}

/// How long the run is: what was asked for, else what the author had in mind, or some steps of the run that is to be.
fn horizon(options: &CheckOptions, model: &ModelDescription, start: Seconds) -> Option<Seconds> {
    if options.horizon.is_some() {
        return options.horizon;
    }
    let stop = model.default_experiment.stop.as_deref().and_then(read);
    let own = match stop.filter(|stop| start < *stop) {
        Some(stop) => sum(stop, negated(start)?)?,
        None => Seconds::new(HORIZON, 1)?,
    };
    let steps = options.conditions.step.and_then(|step| times(step, STEPS_MIN));
    Some(steps.filter(|steps| own < *steps).unwrap_or(own))
}

/// The author's step where that makes whole parts of tau, or the model takes no other; else tau.
fn step(own: Option<Seconds>, tau: Seconds, capabilities: &Capabilities) -> Seconds {
    match own {
        Some(own) if own <= tau || !capabilities.variable_step => own,
        _ => tau,
    }
}

/// A time as a model writes it; digits that say more than a double can are dropped.
fn read(text: &str) -> Option<Seconds> {
    let shortest = || text.trim().parse::<f64>().ok()?.to_string().parse().ok();
    text.trim().parse().ok().or_else(shortest)
}

fn negated(time: Seconds) -> Option<Seconds> {
    Seconds::new(time.numerator().checked_neg()?, time.denominator())
}

fn sum(a: Seconds, b: Seconds) -> Option<Seconds> {
    let below = i128::from(a.denominator()) * i128::from(b.denominator());
    let left = i128::from(a.numerator()).checked_mul(i128::from(b.denominator()))?;
    let right = i128::from(b.numerator()).checked_mul(i128::from(a.denominator()))?;
    reduced(left.checked_add(right)?, below)
}

fn times(time: Seconds, count: u64) -> Option<Seconds> {
    let above = i128::from(time.numerator()) * i128::from(count);
    reduced(above, i128::from(time.denominator()))
}

/// One of so many equal parts.
fn part(time: Seconds, count: u64) -> Option<Seconds> {
    reduced(i128::from(time.numerator()), i128::from(time.denominator()) * i128::from(count))
}

fn reduced(above: i128, below: i128) -> Option<Seconds> {
    let (mut a, mut b) = (above.unsigned_abs(), below.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let divisor = i128::try_from(a).ok()?.max(1);
    Seconds::new(i64::try_from(above / divisor).ok()?, u64::try_from(below / divisor).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Conditions;
    use consort_core::ModelStructure;
    use consort_core::model::DefaultExperiment;

    fn model(stop: &str, step: Option<&str>, variable_step: bool) -> ModelDescription {
        ModelDescription {
            name: "model".to_owned(),
            kind: "test".to_owned(),
            variables: Vec::new(),
            structure: ModelStructure::default(),
            units: Vec::new(),
            enumerations: Vec::new(),
            capabilities: Capabilities { variable_step, ..Capabilities::native() },
            default_experiment: DefaultExperiment {
                stop: Some(stop.to_owned()),
                step: step.map(str::to_owned),
                ..DefaultExperiment::default()
            },
            facts: Vec::new(),
        }
    }

    /// Seconds of step, tau and bound; points and tries.
    fn check(model: &ModelDescription, expected: ([f64; 3], [u32; 2])) {
        let course = Course::new(model, &CheckOptions::default()).unwrap();
        let times = [course.step, course.tau, course.bound].map(|time| course.seconds(time));
        assert_eq!(
            (times, [course.points, course.tries]),
            expected,
            "{:?}",
            model.default_experiment
        );
    }

    #[test]
    fn tau_is_a_hundredth_of_the_horizon_in_whole_steps() {
        check(&model("10", None, true), ([0.1, 0.1, 10.0], [100, 1]));
        check(&model("10", Some("0.01"), true), ([0.01, 0.1, 10.0], [100, 1]));
        check(&model("10", Some("1"), true), ([0.1, 0.1, 10.0], [100, 1]));
        check(&model("1e3", None, true), ([10.0, 10.0, 1000.0], [100, 1]));
    }

    #[test]
    fn a_model_of_long_steps_is_restored_often_at_each_point() {
        check(&model("1", Some("0.1"), false), ([0.1, 0.1, 1.0], [10, 10]));
        check(&model("1", Some("2"), false), ([2.0, 2.0, 2.0], [1, 100]));
    }

    #[test]
    fn the_step_of_a_run_is_that_of_its_check() {
        let seconds = |text: &str| text.parse::<Seconds>().ok();
        let check = |step: &str, expected: ([f64; 3], [u32; 2])| {
            let conditions = Conditions { step: seconds(step), ..Conditions::default() };
            let options = CheckOptions { conditions, ..CheckOptions::default() };
            let course = Course::new(&model("10", Some("0.1"), true), &options).unwrap();
            let times = [course.step, course.tau, course.bound].map(|time| course.seconds(time));
            assert_eq!((times, [course.points, course.tries]), expected, "{step}");
        };
        check("0.1", ([0.1, 0.1, 10.0], [100, 1]));
        check("0.03", ([0.03, 0.09, 9.0], [100, 1]));
        check("1", ([1.0, 1.0, 20.0], [20, 5]));
    }

    #[test]
    fn a_model_of_very_short_steps_runs_for_a_shorter_time() {
        check(&model("100", Some("1e-4"), true), ([1e-4, 0.01, 1.0], [100, 1]));
    }
}
