//! Start, stop and step of a model alone: those of its default experiment, unless options
//! override them.

use super::exact::{self, Fit};
use crate::request::Changes;
use consort_core::{Diagnostic, ModelDescription, Report, Seconds};
use consort_models::equations::Form;
use consort_system::{Spanned, SystemDescription};

/// The times of a model's default experiment, as far as they can be counted.
pub(super) struct Times {
    start: Option<Seconds>,
    stop: Option<Seconds>,
    step: Option<Seconds>,
    /// The form has no place for an experiment, and its times are those of a network of reactions.
    is_sbml: bool,
}

impl Times {
    pub(super) fn of(model: &ModelDescription, form: Option<Form>, report: &mut Report) -> Self {
        let defaults = &model.default_experiment;
        let mut read = |what: &str, text: &Option<String>| {
            let text = text.as_ref()?;
            let time = exact::read(text);
            if time.is_none() {
                let message = format!(
                    "the default {what} of the model, `{text}`, cannot be represented exactly"
                );
                let diagnostic = Diagnostic::warning("model::odd-default", message);
                report.push(diagnostic.help(format!("it is ignored; say it with `--{what}`")));
            }
            time
        };
        let start = read("start", &defaults.start);
        let stop = read("stop", &defaults.stop);
        let step = read("step", &defaults.step).filter(|step| step.is_positive());
        Times { start, stop, step, is_sbml: form == Some(Form::Sbml) }
    }

    pub(super) fn apply(
        &self,
        system: &mut SystemDescription,
        changes: &Changes,
        report: &mut Report,
    ) {
        let experiment = &mut system.experiment;
        if let Some(start) = self.start.filter(|_| changes.start.is_none()) {
            experiment.start = Spanned::assumed(start);
        }
        let mut said = Said::default();
        let start = experiment.start.value;
        let own_stop = experiment.stop.as_ref().map(|stop| stop.value);
        let own_step = experiment.step.as_ref().map(|step| step.value);
        let stop = own_stop.or_else(|| self.stop(start, &mut said));
        // Times that are wrong, or too far apart to be counted, are reported when the system is resolved.
        let Some(stop) = stop.filter(|stop| start < *stop) else {
            experiment.step = experiment.step.take().or(self.step.map(Spanned::assumed));
            return;
        };
        let Some(step) = own_step.or_else(|| self.step(start, stop, &mut said)) else { return };
        let (stop, step) = match (own_stop, own_step) {
            (Some(_), Some(_)) => (stop, step),
            (Some(_), None) => (stop, ending_at(start, stop, step)),
            (None, Some(_)) => (whole_steps(start, stop, step, report), step),
            (None, None) => on_grid(start, stop, step, report),
        };
        experiment.stop.get_or_insert(Spanned::assumed(stop));
        experiment.step.get_or_insert(Spanned::assumed(step));
        said.push(report);
    }

    fn stop(&self, start: Seconds, said: &mut Said) -> Option<Seconds> {
        if let Some(stop) = self.stop.filter(|stop| start < *stop) {
            return Some(stop);
        }
        let stop = match self.is_sbml {
            true => exact::sum(start, Seconds::new(SBML_LENGTH, 1)?)?,
            // As long as FMPy runs a model that does not say.
            false => exact::second_after(start)?,
        };
        let suggested = self.stop.map_or("no stop".to_owned(), |stop| {
            format!("the stop {stop} s, which is not later than the start, {start} s")
        });
        said.add("stop", suggested, format!("to {stop} s"));
        Some(stop)
    }

    fn step(&self, start: Seconds, stop: Seconds, said: &mut Said) -> Option<Seconds> {
        if self.step.is_some() {
            return self.step;
        }
        let length = exact::length(start, stop)?;
        let step = match self.is_sbml {
            true => exact::part(length, SBML_STEPS)?,
            false => exact::nice_step(length)?,
        };
        said.add("step", "no step".to_owned(), format!("in steps of {step} s"));
        Some(step)
    }
}

/// The model's stop and step, or the nearest that fit each other.
fn on_grid(
    start: Seconds,
    stop: Seconds,
    step: Seconds,
    report: &mut Report,
) -> (Seconds, Seconds) {
    let step = ending_at(start, stop, step);
    let length = exact::length(start, stop);
    let fit = length.and_then(|length| exact::fit(length, step));
    let (Some(Fit::None), Some(length)) = (fit, length) else {
        return (whole_steps(start, stop, step, report), step);
    };
    let message = format!(
        "the model's stop, {stop} s, comes before its first step of {step} s ends; it runs in one \
         step of {length} s"
    );
    report.push(Diagnostic::warning("model::stop-off-grid", message).help(CHOOSE));
    (stop, length)
}

/// How long a network of reactions runs, and in how many steps, unless an option says.
const SBML_LENGTH: i64 = 100;
const SBML_STEPS: u32 = 1000;

const CHOOSE: &str = "choose others with `--stop` and `--step`";

/// The step, or the fraction that its author meant: the same double, and it ends at the stop.
fn ending_at(start: Seconds, stop: Seconds, step: Seconds) -> Seconds {
    let length = exact::length(start, stop);
    length.and_then(|length| exact::same_double(length, step)).unwrap_or(step)
}

/// The model's stop, or the last step before it: its author had nothing later in mind.
fn whole_steps(start: Seconds, stop: Seconds, step: Seconds, report: &mut Report) -> Seconds {
    let length = exact::length(start, stop);
    let Some(Fit::Until(covered)) = length.and_then(|length| exact::fit(length, step)) else {
        return stop;
    };
    let Some(last) = exact::sum(start, covered) else { return stop };
    let message = format!(
        "the model's stop, {stop} s, is no whole number of steps of {step} s; it runs to {last} s"
    );
    report.push(Diagnostic::warning("model::stop-off-grid", message).help(CHOOSE));
    last
}

/// What was assumed because the model says nothing.
#[derive(Default)]
struct Said {
    suggested: Vec<String>,
    assumed: Vec<String>,
    options: Vec<String>,
}

impl Said {
    fn add(&mut self, option: &str, suggested: String, assumed: String) {
        self.suggested.push(suggested);
        self.assumed.push(assumed);
        self.options.push(format!("`--{option}`"));
    }

    fn push(self, report: &mut Report) {
        if self.options.is_empty() {
            return;
        }
        let (suggested, assumed) = (self.suggested.join(" and "), self.assumed.join(" "));
        let message = format!("the model suggests {suggested}; it runs {assumed}");
        let help = format!("choose with {}", self.options.join(" and "));
        report.push(Diagnostic::note("model::assumed-times", message).help(help));
    }
}
