//! Step and stop that were not given: taken from the models where they agree.

use crate::system::{Spanned, SystemDescription};
use consort_core::model::DefaultExperiment;
use consort_core::{Diagnostic, ModelDescription, Report, Seconds};
use std::collections::BTreeMap;

/// The step of components that have none of their own.
pub(super) fn step(
    system: &SystemDescription,
    models: &[Option<&ModelDescription>],
    report: &mut Report,
) -> Option<Spanned<Seconds>> {
    if let Some(step) = &system.experiment.step {
        return Some(step.clone());
    }
    let own: Option<Vec<&Spanned<Seconds>>> =
        system.components.iter().map(|component| component.step.as_ref()).collect();
    if let Some(shortest) = own.and_then(|own| own.into_iter().min_by_key(|step| step.value)) {
        return Some(shortest.clone());
    }
    let without = |index: usize| system.components[index].step.is_none();
    let words = Words { code: "time::assumed-step", missing: "time::no-step", name: "step" };
    agreed(system, models, &words, without, |defaults| defaults.step.as_deref(), report)
}

/// The stop time of the experiment.
pub(super) fn stop(
    system: &SystemDescription,
    models: &[Option<&ModelDescription>],
    report: &mut Report,
) -> Option<Spanned<Seconds>> {
    if let Some(stop) = &system.experiment.stop {
        return Some(stop.clone());
    }
    let words = Words { code: "time::assumed-stop", missing: "time::no-stop", name: "stop" };
    agreed(system, models, &words, |_| true, |defaults| defaults.stop.as_deref(), report)
}

struct Words {
    code: &'static str,
    missing: &'static str,
    name: &'static str,
}

impl Words {
    /// What every form of a system understands, and then where the files have it.
    fn help(&self, seconds: &str) -> String {
        let (attribute, key) = match self.name {
            "step" => ("an annotation", "algorithm"),
            _ => ("`DefaultExperiment`", "endTime"),
        };
        let name = self.name;
        format!(
            "add `--{name} {seconds}` (seconds), or write it into the file: `{name}` in \
             `[experiment]`, {attribute} of an SSP, `{key}` of a multi-model"
        )
    }
}

/// The one value that all models give that give any.
fn agreed(
    system: &SystemDescription,
    models: &[Option<&ModelDescription>],
    words: &Words,
    which: impl Fn(usize) -> bool,
    pick: impl Fn(&DefaultExperiment) -> Option<&str>,
    report: &mut Report,
) -> Option<Spanned<Seconds>> {
    let mut found: BTreeMap<Seconds, &str> = BTreeMap::new();
    for (index, component) in system.components.iter().enumerate().filter(|(at, _)| which(*at)) {
        let model = models.get(index).copied().flatten();
        let text = model.and_then(|model| pick(&model.default_experiment));
        let Some(value) = text.and_then(|text| text.parse().ok()) else { continue };
        found.entry(value).or_insert(&component.name.value);
    }
    let name = words.name;
    let mut values = found.iter();
    match (values.next(), values.next()) {
        (Some((value, component)), None) if name != "step" || value.is_positive() => {
            let message = format!("no {name} was given; {value} s is assumed");
            report.push(
                Diagnostic::note(words.code, message).with_note(format!(
                    "from the default experiment of the model of `{component}`"
                )),
            );
            return Some(Spanned::assumed(*value));
        }
        (Some((first, a)), Some((second, b))) => {
            let message = format!("no {name} was given, and the models disagree");
            report.push(
                Diagnostic::error(words.missing, message)
                    .with_note(format!("{first} s for `{a}`, {second} s for `{b}`"))
                    .help(words.help(&first.to_string())),
            );
        }
        // A model that could not be loaded might have given it.
        _ if models.iter().any(Option::is_none) => {}
        _ => {
            let example = if name == "step" { "0.01" } else { "10" };
            let message = format!("no {name} was given, and no model suggests one");
            report.push(Diagnostic::error(words.missing, message).help(words.help(example)));
        }
    }
    None
}
