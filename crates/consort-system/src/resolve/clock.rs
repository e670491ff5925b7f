//! Times: what is assumed, how long a tick is, and whether everything falls on ticks and steps.

mod assumed;
mod grid;
mod variable;

use crate::system::{Spanned, SystemDescription};
use consort_core::{
    Diagnostic, ModelDescription, Report, Resolution, Seconds, Span, Time, TimeError,
};

pub(super) use variable::StepSizes;

/// The experiment's times in ticks.
pub(super) struct Timing {
    pub(super) resolution: Resolution,
    pub(super) start: Time,
    pub(super) stop: Time,
    pub(super) step: Time,
    /// The period of each component.
    pub(super) periods: Vec<Time>,
    /// If steps change their size.
    pub(super) sizes: Option<StepSizes>,
}

/// A number of seconds and what it is, for messages.
struct Number {
    value: Seconds,
    span: Option<Span>,
    what: String,
}

impl Number {
    fn new(written: &Spanned<Seconds>, what: impl Into<String>) -> Self {
        Number { value: written.value, span: written.span, what: what.into() }
    }
}

/// Checks the times of a system that need no model: steps and resolution are positive, the stop is
/// later than the start, steps of changing size are all there are. [`resolve`](crate::resolve()) does that too; a reader calls it for a
/// system that is too broken to be resolved.
pub fn check_times(system: &SystemDescription, report: &mut Report) {
    let experiment = &system.experiment;
    let own = |time: &Option<Spanned<Seconds>>, what: &str| {
        time.as_ref().map(|time| Number::new(time, what))
    };
    let mut lengths: Vec<Number> = Vec::new();
    lengths.extend(own(&experiment.step, "the step"));
    lengths.extend(own(&experiment.resolution, "the resolution"));
    for component in &system.components {
        let Some(step) = &component.step else { continue };
        lengths.push(Number::new(step, format!("the step of `{}`", component.name.value)));
    }
    lengths.extend(experiment.coupling.variable_step.iter().flat_map(variable::numbers));
    for length in lengths.iter().filter(|length| !length.value.is_positive()) {
        let message = format!("{} is {} s", length.what, length.value);
        report.push(
            Diagnostic::error("time::not-positive", message)
                .maybe_at(length.span, "must be more than zero")
                .help("write how many seconds it takes, such as `0.01` or `\"1/30\"`"),
        );
    }
    check_order(&experiment.start, experiment.stop.as_ref(), report);
    variable::check_rates(system, report);
}

fn check_order(start: &Spanned<Seconds>, stop: Option<&Spanned<Seconds>>, report: &mut Report) {
    let Some(stop) = stop.filter(|stop| stop.value <= start.value) else { return };
    let message =
        format!("the stop, {} s, is not later than the start, {} s", stop.value, start.value);
    let diagnostic = Diagnostic::error("time::stop-before-start", message)
        .maybe_at(stop.span, "ends here")
        .help("let `stop` be greater than `start`")
        .maybe_label(start.span, "starts here");
    report.push(diagnostic);
}

/// The times in ticks; `None` if they were reported not to fit.
pub(super) fn resolve(
    system: &SystemDescription,
    models: &[Option<&ModelDescription>],
    report: &mut Report,
) -> Option<Timing> {
    let errors_before = report.error_count();
    check_times(system, report);
    let step = first_step(system, models, report);
    let stop = assumed::stop(system, models, report);
    if report.error_count() != errors_before {
        return None;
    }
    let (step, stop) = (step?, stop?);
    if system.experiment.stop.is_none() {
        check_order(&system.experiment.start, Some(&stop), report);
    }
    let variable_step = system.experiment.coupling.variable_step.as_ref();
    if let Some(variable_step) = variable_step {
        variable::check_order(variable_step, &step, report);
    }
    let given = GivenTimes { system, step: &step, stop: &stop };
    let resolution = given.resolution(report)?;
    let fits = given.check_ticks(resolution, report)
        && given.check_length(resolution, report)
        && (variable_step.is_some() || grid::check(given, resolution, report));
    (fits && report.error_count() == errors_before).then_some(())?;
    given.timing(resolution)
}

/// The step, or the first where steps change their size.
fn first_step(
    system: &SystemDescription,
    models: &[Option<&ModelDescription>],
    report: &mut Report,
) -> Option<Spanned<Seconds>> {
    let variable_step = system.experiment.coupling.variable_step.as_ref();
    match variable_step.and_then(|step| step.initial.clone()) {
        Some(initial) => Some(initial),
        None => assumed::step(system, models, report),
    }
}

/// A system with the step and the stop that count: those it gives, or those that are assumed.
#[derive(Clone, Copy)]
struct GivenTimes<'a> {
    system: &'a SystemDescription,
    step: &'a Spanned<Seconds>,
    stop: &'a Spanned<Seconds>,
}

impl GivenTimes<'_> {
    /// How long a tick is: as given, or such that every number is a multiple of it.
    fn resolution(self, report: &mut Report) -> Option<Resolution> {
        let GivenTimes { system, step, stop } = self;
        let experiment = &system.experiment;
        if let Some(given) = &experiment.resolution {
            return Resolution::new(given.value);
        }
        let numbers = self.numbers();
        let values: Vec<Seconds> = numbers.iter().map(|number| number.value).collect();
        let chosen = match Resolution::for_all(&values) {
            Ok(resolution) => resolution,
            Err(error) => {
                report_no_common_tick(&numbers, &error, report);
                return None;
            }
        };
        if chosen == Resolution::NANOSECOND {
            return Some(chosen);
        }
        let ends = [experiment.start.value, stop.value];
        let chosen = match &experiment.coupling.variable_step {
            Some(variable_step) => variable::refine(chosen, variable_step, step.value, ends),
            None => chosen,
        };
        report_chosen(&numbers, chosen, report);
        Some(chosen)
    }

    /// Whether every number is a multiple of the tick; complains about each that is not.
    fn check_ticks(self, resolution: Resolution, report: &mut Report) -> bool {
        let mut fits = true;
        for number in self.numbers() {
            if let Err(error) = resolution.ticks(number.value) {
                report_ticks(self.system, &number, &error, report);
                fits = false;
            }
        }
        fits
    }

    /// Whether the ticks from start to stop can be counted, so that no difference of two times of the
    /// run can leave 64 bits.
    fn check_length(self, resolution: Resolution, report: &mut Report) -> bool {
        let GivenTimes { system, stop, .. } = self;
        let start = &system.experiment.start;
        let ticks = |seconds| resolution.ticks(seconds).ok();
        let length = ticks(stop.value).zip(ticks(start.value)).map(|(a, b)| a.checked_sub(b));
        if !matches!(length, Some(None)) {
            return true;
        }
        let message = format!(
            "from the start, {} s, to the stop, {} s, are more than 64 bits of ticks of {resolution}",
            start.value, stop.value
        );
        let diagnostic = Diagnostic::error("time::out-of-range", message)
            .maybe_at(stop.span, "ends here")
            .help("choose a coarser resolution or a shorter experiment")
            .maybe_label(start.span, "starts here");
        report.push(diagnostic);
        false
    }

    /// Every number that must be a multiple of the tick, each value once.
    fn numbers(self) -> Vec<Number> {
        let GivenTimes { system, step, stop } = self;
        let mut numbers = vec![
            Number::new(&system.experiment.start, "the start"),
            Number::new(stop, "the stop"),
            Number::new(step, "the step"),
        ];
        let mut seen: std::collections::BTreeSet<Seconds> =
            numbers.iter().map(|number| number.value).collect();
        for component in &system.components {
            let Some(own) = &component.step else { continue };
            if seen.insert(own.value) {
                let what = format!("the step of `{}`", component.name.value);
                numbers.push(Number::new(own, what));
            }
        }
        let sizes = system.experiment.coupling.variable_step.iter().flat_map(variable::numbers);
        numbers.extend(sizes.filter(|size| seen.insert(size.value)));
        numbers
    }

    fn timing(self, resolution: Resolution) -> Option<Timing> {
        let GivenTimes { system, step, stop } = self;
        let ticks = |seconds: Seconds| resolution.ticks(seconds).ok();
        let period = |own: &Option<Spanned<Seconds>>| ticks(own.as_ref().unwrap_or(step).value);
        let periods: Option<Vec<Time>> =
            system.components.iter().map(|component| period(&component.step)).collect();
        let (start, stop, step) =
            (ticks(system.experiment.start.value)?, ticks(stop.value)?, ticks(step.value)?);
        let sizes = match &system.experiment.coupling.variable_step {
            Some(variable_step) => {
                Some(variable::sizes(variable_step, step, stop.checked_sub(start)?, resolution)?)
            }
            None => None,
        };
        Some(Timing { resolution, start, stop, step, periods: periods?, sizes })
    }
}

fn report_chosen(numbers: &[Number], resolution: Resolution, report: &mut Report) {
    let is_reason = |number: &&Number| Resolution::NANOSECOND.ticks(number.value).is_err();
    let reasons: Vec<String> = numbers
        .iter()
        .filter(is_reason)
        .map(|number| format!("{}, {} s", number.what, number.value))
        .collect();
    let message = format!("a tick is {resolution} in this run");
    let mut diagnostic = Diagnostic::note("resolution::chosen", message)
        .with_note(format!("not a whole number of nanoseconds in 64 bits: {}", reasons.join("; ")));
    if let Some(first) = numbers.iter().find(is_reason) {
        diagnostic = diagnostic.maybe_at(first.span, "asked for by this number");
    }
    report.push(diagnostic.help("write `resolution` in `[experiment]` to choose it yourself"));
}

fn report_no_common_tick(numbers: &[Number], error: &TimeError, report: &mut Report) {
    let mut diagnostic = Diagnostic::error("time::no-common-tick", error.to_string())
        .help("choose numbers that have a common divisor, such as 1/30 and 1/100");
    if let TimeError::NoCommonTick { first, second } = error {
        let find = |value: &Seconds| numbers.iter().find(|number| number.value == *value);
        if let Some(number) = find(second) {
            diagnostic = diagnostic.maybe_at(number.span, number.what.clone());
        }
        if let Some((span, what)) =
            find(first).and_then(|number| Some((number.span?, number.what.clone())))
        {
            diagnostic = diagnostic.label(span, what);
        }
    }
    report.push(diagnostic);
}

fn report_ticks(
    system: &SystemDescription,
    number: &Number,
    error: &TimeError,
    report: &mut Report,
) {
    let (code, help) = match error {
        TimeError::OutOfRange { .. } => {
            ("time::out-of-range", "choose a coarser resolution or a nearer time")
        }
        _ => (
            "time::not-a-multiple",
            "choose a resolution that divides it, or leave `resolution` out to have one chosen",
        ),
    };
    let diagnostic = Diagnostic::error(code, format!("{}: {error}", number.what))
        .maybe_at(number.span, number.what.clone())
        .help(help)
        .maybe_label(
            system.experiment.resolution.as_ref().and_then(|given| given.span),
            "the resolution",
        );
    report.push(diagnostic);
}

impl Timing {
    /// The first tick at or after a time; complains if that is never.
    pub(super) fn at_or_after(&self, at: &Spanned<Seconds>, report: &mut Report) -> Option<Time> {
        let tick = self.resolution.tick();
        let above = i128::from(at.value.numerator()) * i128::from(tick.denominator());
        let below = i128::from(at.value.denominator()) * i128::from(tick.numerator());
        let up = i128::from(above.rem_euclid(below) != 0);
        let time = above.div_euclid(below) + up;
        if i128::from(self.stop.ticks()) < time {
            let message = format!("an intervention at {} s is after the stop", at.value);
            report.push(
                Diagnostic::warning("system::never", message)
                    .maybe_at(at.span, "never happens")
                    .help("let `stop` be later or the intervention earlier"),
            );
        }
        let clamped = time.clamp(i128::from(i64::MIN), i128::from(i64::MAX));
        i64::try_from(clamped).ok().map(Time::from_ticks)
    }
}
