//! A system for a person to read: what it is made of, what is wired to what, what will be done.

mod coupling;

use super::{InspectExtra, byte_size, values};
use crate::page::Page;
use crate::table::Table;
use crate::units;
use consort_core::{Causality, ComponentId, HashMode, ModelDescription, Seconds, Time};
use consort_system::{
    Action, Component, Hold, Intervention, Port, Record, ResolvedConnection, ResolvedSystem,
    Spanned, SystemDescription, When,
};
use std::collections::BTreeSet;

/// The most lines a table has unless everything is wanted.
const LINES_MAX: usize = 100;

/// A system for a person to read.
///
/// `models` has one entry per component, `None` where the model could not be loaded. With
/// `resolved` the text says what the system means: exact steps, converted units.
pub fn describe_system(
    system: &SystemDescription,
    models: &[Option<&ModelDescription>],
    resolved: Option<&ResolvedSystem>,
    extra: &InspectExtra,
) -> String {
    let lines_max = if extra.all { usize::MAX } else { LINES_MAX };
    let mut page = Page::new(extra.width, extra.color).cut_after(lines_max);
    let count = system.components.len();
    let noun = if count == 1 { "component" } else { "components" };
    page.title(&format!("{}: a system of {count} {noun}", system.name));
    let from = match extra.size {
        Some(bytes) => format!("{} ({})", extra.path, byte_size(bytes)),
        None => extra.path.clone(),
    };
    page.facts(&[("from".to_owned(), from)]);
    page.heading("Experiment");
    page.facts(&experiment(system, resolved));
    page.heading("Coupling");
    page.facts(&coupling::facts(system));
    components(&mut page, system, models, resolved);
    solvers(&mut page, system, models);
    connections(&mut page, system, models, resolved);
    page.bullets("Inputs that nothing feeds: they keep their start value", &unfed(system, models));
    let interventions: Vec<String> = system.interventions.iter().map(intervention).collect();
    page.bullets("Interventions", &interventions);
    page.bullets("Assumed", &extra.assumed);
    page.finish()
}

fn experiment(
    system: &SystemDescription,
    resolved: Option<&ResolvedSystem>,
) -> Vec<(String, String)> {
    let written = &system.experiment;
    let seconds = |time: &Option<Spanned<Seconds>>| {
        time.as_ref().map_or("not given".to_owned(), |time| format!("{} s", time.value))
    };
    let exact =
        |time: fn(&ResolvedSystem) -> Time| resolved.map(|system| in_seconds(system, time(system)));
    let stop = exact(|system| system.experiment.stop).unwrap_or_else(|| seconds(&written.stop));
    let step = exact(|system| system.experiment.step).unwrap_or_else(|| seconds(&written.step));
    let resolution = match (resolved, &written.resolution) {
        (Some(system), None) => Some(format!("{} (chosen)", system.experiment.resolution)),
        (Some(system), Some(_)) => Some(system.experiment.resolution.to_string()),
        (None, Some(time)) => Some(format!("{} s", time.value)),
        (None, None) => None,
    };
    let mut facts = vec![
        ("time", format!("{} s to {stop}", written.start.value)),
        ("step", step),
        ("seed", written.seed.to_string()),
        ("record", record(&written.record)),
    ];
    let hash = Some(written.hash).filter(|hash| *hash != HashMode::default());
    facts.extend(hash.map(|hash| ("hash", hash.name().to_owned())));
    facts.extend(resolution.map(|text| ("resolution", text)));
    facts.extend(written.tolerance.as_ref().map(|each| ("tolerance", values::number(each.value))));
    let solver = &written.solver;
    facts.extend(solver.solver.as_ref().map(|it| ("solver", it.value.name().to_owned())));
    facts.extend(solver.step.as_ref().map(|it| ("solver step", format!("{} s", it.value))));
    facts.extend(written.input.as_ref().map(|each| ("input table", each.value.clone())));
    facts.into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
}

fn in_seconds(system: &ResolvedSystem, time: Time) -> String {
    let resolution = system.experiment.resolution;
    match resolution.seconds(time) {
        Some(seconds) => format!("{seconds} s"),
        None => format!("{} s", resolution.to_f64(time)),
    }
}

fn record(record: &Record) -> String {
    match record {
        Record::Outputs => "every output".to_owned(),
        Record::All => "every variable".to_owned(),
        Record::Nothing => "nothing".to_owned(),
        Record::These(patterns) => {
            let names: Vec<&str> = patterns.iter().map(|each| each.value.as_str()).collect();
            names.join(", ")
        }
    }
}

fn components(
    page: &mut Page,
    system: &SystemDescription,
    models: &[Option<&ModelDescription>],
    resolved: Option<&ResolvedSystem>,
) {
    let headings = ["name", "model", "kind", "step", "variables", "parameters set here"];
    let mut table = Table::new(&headings);
    for (index, component) in system.components.iter().enumerate() {
        let model = models.get(index).copied().flatten();
        let step = match resolved.and_then(|system| Some((system, system.components.get(index)?))) {
            Some((system, component)) => in_seconds(system, component.period),
            None => {
                component.step.as_ref().map_or(String::new(), |time| format!("{} s", time.value))
            }
        };
        table.row(vec![
            component.name.value.clone(),
            component.model.value.clone(),
            model.map_or("not loaded".to_owned(), |model| model.kind.clone()),
            step,
            model.map_or(String::new(), variable_count),
            parameters(component),
        ]);
    }
    if !table.is_empty() {
        page.heading(&format!("Components ({})", system.components.len()));
        page.table(&table);
    }
}

/// Which components one of our solvers integrates, and how.
fn solvers(page: &mut Page, system: &SystemDescription, models: &[Option<&ModelDescription>]) {
    let solver = |(component, model): (&Component, &Option<&ModelDescription>)| {
        let solved_by = model.as_ref()?.capabilities.solved_by?;
        Some((component.name.value.clone(), solved_by.settings.to_string()))
    };
    let facts: Vec<_> = system.components.iter().zip(models).filter_map(solver).collect();
    if !facts.is_empty() {
        page.heading("Integrated by our solvers");
        page.facts(&facts);
    }
}

/// `12 (2 in, 1 out)`
fn variable_count(model: &ModelDescription) -> String {
    let count = |causality| super::variables::of(model, causality).count();
    let (inputs, outputs) = (count(Causality::Input), count(Causality::Output));
    format!("{} ({inputs} in, {outputs} out)", model.variables.len())
}

fn parameters(component: &Component) -> String {
    let written = component.parameters.iter().map(|parameter| {
        let unit = parameter.unit.as_ref();
        let unit =
            unit.map_or(String::new(), |unit| format!(" {}", units::readable_unit(&unit.value)));
        format!("{} = {}{unit}", parameter.name.value, parameter.value.value)
    });
    written.collect::<Vec<_>>().join(", ")
}

fn connections(
    page: &mut Page,
    system: &SystemDescription,
    models: &[Option<&ModelDescription>],
    resolved: Option<&ResolvedSystem>,
) {
    let mut table = Table::new(&["from", "", "to", "remarks"]);
    for (index, connection) in system.connections.iter().enumerate() {
        let meaning = resolved.and_then(|system| system.connections.get(index));
        let mut remarks = Vec::new();
        remarks.extend(meaning.and_then(|meaning| types(meaning, models)));
        remarks.extend(meaning.and_then(|meaning| conversion(meaning, models)));
        if connection.delay {
            remarks.push("delayed by one step".to_owned());
        }
        remarks.extend(connection.transformation.map(coupling::transformation));
        if connection.suppress_unit_conversion {
            remarks.push("in its own unit".to_owned());
        }
        if connection.hold == Hold::Extrapolate {
            remarks.push("extrapolated".to_owned());
        }
        remarks.extend(connection.group.as_ref().map(|group| format!("part of {group}")));
        let (from, to) = (connection.from.value.clone(), connection.to.value.clone());
        table.row(vec![from, "->".to_owned(), to, remarks.join(", ")]);
    }
    if !table.is_empty() {
        page.heading(&format!("Connections ({})", system.connections.len()));
        page.table(&table);
    }
}

/// `Boolean as Float64`
fn types(meaning: &ResolvedConnection, models: &[Option<&ModelDescription>]) -> Option<String> {
    let of = |port: Port| {
        let model = (*models.get(port.component.index())?)?;
        Some(model.variables.get(port.variable.index())?.value_type)
    };
    let (from, to) = (of(meaning.from)?, of(meaning.to)?);
    (from != to).then(|| format!("{from} as {to}"))
}

/// `converted from m to mm`
fn conversion(
    meaning: &ResolvedConnection,
    models: &[Option<&ModelDescription>],
) -> Option<String> {
    if meaning.conversion.is_identity() {
        return None;
    }
    let unit = |port: Port| {
        let model = (*models.get(port.component.index())?)?;
        let unit = model.variables.get(port.variable.index())?.unit?;
        Some(units::readable_unit(&model.units.get(unit)?.name))
    };
    Some(format!("converted from {} to {}", unit(meaning.from)?, unit(meaning.to)?))
}

/// Inputs that neither a connection nor a table feeds.
fn unfed(system: &SystemDescription, models: &[Option<&ModelDescription>]) -> Vec<String> {
    let wired = system.connections.iter().map(|connection| connection.to.value.as_str());
    let columns = system.inputs.iter().flat_map(|table| &table.columns);
    let tabled = columns.map(|column| column.name.value.as_str());
    let whole = |path: &str| path.split('[').next().unwrap_or(path).trim().to_owned();
    let fed: BTreeSet<String> = wired.chain(tabled).map(whole).collect();
    let mut unfed = Vec::new();
    for (index, component) in system.components.iter().enumerate() {
        let id = ComponentId::from_index(index);
        let Some(model) = models.get(id.index()).copied().flatten() else { continue };
        for input in super::variables::of(model, Causality::Input) {
            let path = format!("{}.{}", component.name.value, input.name);
            if !fed.contains(&path) && !fed.contains(&input.name) {
                unfed.push(described_start(&path, component, input, model));
            }
        }
    }
    unfed
}

fn described_start(
    path: &str,
    component: &Component,
    input: &consort_core::Variable,
    model: &ModelDescription,
) -> String {
    let given = component.parameters.iter().find(|each| each.name.value == input.name);
    match given {
        Some(parameter) => format!("{path} = {}", parameter.value.value),
        None => match values::start(input, &model.enumerations).as_str() {
            "" => format!("{path} (has no start value)"),
            start => format!("{path} = {start}"),
        },
    }
}

fn intervention(intervention: &Intervention) -> String {
    let when = match &intervention.when {
        When::At(time) => format!("at {} s", time.value),
        When::Condition(condition) => format!("when {}", condition.value),
    };
    let target = &intervention.target.value;
    let unit = intervention.unit.as_ref();
    let unit = unit.map_or(String::new(), |unit| format!(" {}", units::readable_unit(&unit.value)));
    let what = match &intervention.action {
        Action::Set(value) => format!("set {target} to {}{unit}", value.value),
        Action::Override(value) => format!("hold {target} at {}{unit}", value.value),
        Action::Offset(value) => format!("add {}{unit} to {target}", value.value),
        Action::Freeze => format!("freeze {target}"),
        Action::Release => format!("release {target}"),
    };
    format!("{when}: {what}")
}
