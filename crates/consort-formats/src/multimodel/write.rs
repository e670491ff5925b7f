//! Writes a system as a multi-model, with warnings about what a multi-model cannot express.

mod losses;

use super::Keys;
use crate::quoted::quoted;
use consort_core::{Diagnostic, Literal, ModelReference, Report, Seconds};
use consort_system::{Component, LoopChoice, Record, Spanned, SystemDescription, VariableStep};
use losses::Losses;
use std::collections::{BTreeMap, BTreeSet};

/// The two files of a multi-model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenMultimodel {
    /// `mm.json`: FMUs, connections, parameters.
    pub model: String,
    /// `coe.json`: times, the algorithm, what is logged.
    pub configuration: String,
}

/// Writes a system as a multi-model that [`read`](super::read()) makes the same system of, but for
/// what the form cannot express: each of that is a warning. Errors are values that JSON cannot express.
///
/// FMUs are called as `keys` says, the others after their file.
pub fn write(system: &SystemDescription, keys: &Keys, report: &mut Report) -> WrittenMultimodel {
    let names = InstanceNames::new(system, keys);
    let mut losses = Losses::of(system);
    losses.extend("the name", names.renamed.iter().cloned());
    let model = object(
        0,
        &[
            ("fmus".to_owned(), fmus(system, &names)),
            ("connections".to_owned(), connections(system, &names)),
            ("parameters".to_owned(), parameters(system, &names, report)),
        ],
    );
    let mut entries = Vec::new();
    entries
        .push(("startTime".to_owned(), time(system.experiment.start.value, "start", &mut losses)));
    if let Some(stop) = &system.experiment.stop {
        entries.push(("endTime".to_owned(), time(stop.value, "stop", &mut losses)));
    }
    if let Some(algorithm) = algorithm(system, &mut losses) {
        entries.push(("algorithm".to_owned(), algorithm));
    }
    entries.extend(stabilization(system));
    entries.push(("logVariables".to_owned(), logged(system, &names, &mut losses)));
    losses.report(report);
    note_native(system, report);
    WrittenMultimodel { model: model + "\n", configuration: object(0, &entries) + "\n" }
}

/// Only Consort reads them.
fn note_native(system: &SystemDescription, report: &mut Report) {
    let native = system.components.iter().filter(|it| ModelReference::is_native(&it.model.value));
    let names: Vec<String> = native.map(|it| format!("`{}`", it.name.value)).collect();
    if names.is_empty() {
        return;
    }
    let message = format!("only Consort has native blocks: {}", losses::listed(&names));
    report.push(
        Diagnostic::note("export::native", message).help("other tools need FMUs in their place"),
    );
}

/// What FMUs and instances are called.
struct InstanceNames<'s> {
    /// By component: the key without braces, and the instance.
    of: BTreeMap<&'s str, (String, String)>,
    /// Components whose name cannot be kept.
    renamed: Vec<String>,
}

impl<'s> InstanceNames<'s> {
    fn new(system: &'s SystemDescription, keys: &Keys) -> Self {
        let mut names = InstanceNames { of: BTreeMap::new(), renamed: Vec::new() };
        let mut models: BTreeMap<String, &str> = BTreeMap::new();
        let mut taken: BTreeSet<(String, String)> = BTreeSet::new();
        for component in &system.components {
            let (name, model) = (component.name.value.as_str(), component.model.value.as_str());
            let given = keys.0.get(name);
            let wanted = given.cloned().unwrap_or_else(|| key_of(model));
            let is_free = |key: &String| models.get(key).is_none_or(|known| *known == model);
            let key = numbered(&wanted, is_free);
            models.entry(key.clone()).or_insert(model);
            let wanted = match given {
                Some(_) => name.rsplit('/').next().unwrap_or(name).to_owned(),
                None => name.replace('/', "_"),
            };
            let instance = numbered(&wanted, |it| !taken.contains(&(key.clone(), it.clone())));
            taken.insert((key.clone(), instance.clone()));
            if given.is_none() && instance != name {
                names.renamed.push(name.to_owned());
            }
            names.of.insert(name, (key, instance));
        }
        names
    }

    fn instance(&self, component: &str) -> Option<String> {
        self.of.get(component).map(|(key, instance)| format!("{{{key}}}.{instance}"))
    }

    /// `component.variable` as `{key}.instance.variable`; as it is if there is no such component.
    fn path(&self, path: &str) -> String {
        let split = path.split_once('.').and_then(|(component, variable)| {
            Some(format!("{}.{variable}", self.instance(component)?))
        });
        split.unwrap_or_else(|| path.to_owned())
    }
}

/// `wanted`, or with the first number that is free.
fn numbered(wanted: &str, is_free: impl Fn(&String) -> bool) -> String {
    let first = wanted.to_owned();
    if is_free(&first) {
        return first;
    }
    let mut others = (2u32..).map(|number| format!("{wanted}-{number}"));
    others.find(|it| is_free(it)).expect("there are more numbers than components")
}

/// `tank` for `models/tank.fmu` and `native:tank`.
fn key_of(model: &str) -> String {
    let file = model.rsplit(['/', '\\', ':']).find(|part| !part.is_empty()).unwrap_or("model");
    let stem = file.strip_suffix(".fmu").unwrap_or(file);
    stem.replace(['{', '}'], "_")
}

fn fmus(system: &SystemDescription, names: &InstanceNames<'_>) -> String {
    let mut entries: Vec<(String, String)> = Vec::new();
    let mut known = BTreeSet::new();
    for component in &system.components {
        let Some((key, _)) = names.of.get(component.name.value.as_str()) else { continue };
        if known.insert(key) {
            entries.push((format!("{{{key}}}"), quoted(&component.model.value)));
        }
    }
    object(1, &entries)
}

/// By source, in the order of their first wire.
fn connections(system: &SystemDescription, names: &InstanceNames<'_>) -> String {
    let mut sources: Vec<(String, Vec<String>)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for wire in &system.connections {
        let from = names.path(&wire.from.value);
        let place = *places.entry(from.clone()).or_insert_with(|| {
            sources.push((from, Vec::new()));
            sources.len() - 1
        });
        sources[place].1.push(quoted(&names.path(&wire.to.value)));
    }
    let entries: Vec<(String, String)> =
        sources.into_iter().map(|(from, to)| (from, format!("[{}]", to.join(", ")))).collect();
    object(1, &entries)
}

fn parameters(
    system: &SystemDescription,
    names: &InstanceNames<'_>,
    report: &mut Report,
) -> String {
    let mut entries = Vec::new();
    for component in &system.components {
        for parameter in &component.parameters {
            let path = format!("{}.{}", component.name.value, parameter.name.value);
            match literal(&parameter.value.value) {
                Some(value) => entries.push((names.path(&path), value)),
                None => report.push(
                    Diagnostic::error(
                        "export::no-number",
                        format!("JSON cannot express the value of `{path}`"),
                    )
                    .maybe_at(parameter.value.span, "not a finite number")
                    .help("give it a finite value"),
                ),
            }
        }
    }
    object(1, &entries)
}

fn literal(value: &Literal) -> Option<String> {
    Some(match value {
        Literal::Boolean(value) => value.to_string(),
        Literal::Integer(value) => value.to_string(),
        Literal::Float(value) if value.is_finite() => format!("{value:?}"),
        Literal::Float(_) => return None,
        Literal::Text(value) => quoted(value),
        Literal::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(literal).collect();
            format!("[{}]", items?.join(", "))
        }
    })
}

fn algorithm(system: &SystemDescription, losses: &mut Losses) -> Option<String> {
    let experiment = &system.experiment;
    let entry = |key: &str, value: String| (key.to_owned(), value);
    let Some(step) = &experiment.coupling.variable_step else {
        let size = time(experiment.step.as_ref()?.value, "step", losses);
        return Some(object(1, &[entry("type", quoted("fixed-step")), entry("size", size)]));
    };
    let mut entries = vec![entry("type", quoted("var-step"))];
    let initial = step.initial.as_ref().or(experiment.step.as_ref());
    if let Some(initial) = initial {
        entries.push(entry("initsize", time(initial.value, "initial", losses)));
    }
    if let Some((min, max)) = sizes(step, initial, experiment.stop.as_ref()) {
        let (min, max) = (time(min, "min", losses), time(max, "max", losses));
        entries.push(entry("size", format!("[{min}, {max}]")));
    }
    Some(object(1, &entries))
}

/// Both sizes must be said: what is not given is as [`VariableStep`] has it.
fn sizes(
    step: &VariableStep,
    initial: Option<&Spanned<Seconds>>,
    stop: Option<&Spanned<Seconds>>,
) -> Option<(Seconds, Seconds)> {
    let thousandth = |first: &Spanned<Seconds>| {
        Seconds::new(first.value.numerator(), first.value.denominator().checked_mul(1000)?)
    };
    let min = step.min.as_ref().map(|min| min.value);
    let max = step.max.as_ref().or(stop).map(|max| max.value);
    Some((min.or_else(|| initial.and_then(thousandth))?, max?))
}

fn stabilization(system: &SystemDescription) -> Vec<(String, String)> {
    let coupling = &system.experiment.coupling;
    if coupling.loops.as_ref().is_none_or(|loops| loops.value != LoopChoice::Iterate) {
        return Vec::new();
    }
    let mut entries = vec![("stabalizationEnabled".to_owned(), true.to_string())];
    if let Some(attempts) = &coupling.iteration.accept_after {
        entries.push(("convergenceAttempts".to_owned(), attempts.value.to_string()));
    }
    if let Some(tolerance) = coupling.iteration.tolerance.as_ref().filter(|it| it.value.is_finite())
    {
        for key in ["global_absolute_tolerance", "global_relative_tolerance"] {
            entries.push((key.to_owned(), format!("{:?}", tolerance.value)));
        }
    }
    entries
}

/// Every instance is named, so that none is forgotten that has no wires and parameters.
fn logged(system: &SystemDescription, names: &InstanceNames<'_>, losses: &mut Losses) -> String {
    let mut variables: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    if let Record::These(patterns) = &system.experiment.record {
        for pattern in patterns {
            let split = pattern.value.split_once('.').filter(|_| !pattern.value.contains('*'));
            match split.filter(|(component, _)| names.of.contains_key(component)) {
                Some((component, name)) => {
                    variables.entry(component).or_default().push(quoted(name));
                }
                None => losses.extend("the pattern", [pattern.value.clone()]),
            }
        }
    }
    let entry = |component: &Component| {
        let name = component.name.value.as_str();
        let list = variables.get(name).map(|list| list.join(", ")).unwrap_or_default();
        Some((names.instance(name)?, format!("[{list}]")))
    };
    let entries: Vec<(String, String)> = system.components.iter().filter_map(entry).collect();
    object(1, &entries)
}

/// A time as a number; a fraction becomes the nearest decimal, and that is said.
fn time(seconds: Seconds, what: &str, losses: &mut Losses) -> String {
    let exact = seconds.to_string();
    if !exact.contains('/') {
        return exact;
    }
    losses.extend("the exact time", [format!("{what} = {exact} s")]);
    format!("{:?}", seconds.to_f64())
}

fn object(depth: usize, entries: &[(String, String)]) -> String {
    if entries.is_empty() {
        return "{}".to_owned();
    }
    let indent = "  ".repeat(depth + 1);
    let lines: Vec<String> =
        entries.iter().map(|(key, value)| format!("{indent}{}: {value}", quoted(key))).collect();
    format!("{{\n{}\n{}}}", lines.join(",\n"), "  ".repeat(depth))
}
