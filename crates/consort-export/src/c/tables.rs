//! The tables of a model that the C runtime needs besides its programs.

use super::program::Programs;
use super::text::{number, string, table};
use crate::Identity;
use consort_core::solving::{TOLERANCE, is_tolerance};
use consort_equations::equations::CompiledEvent;
use consort_equations::{
    Dependence, Equations, EventTarget, Indicator, Jacobian, Op, Program, Quantity,
};
use std::fmt::Write as _;

/// All tables but the last, with the programs they speak of.
pub(super) fn write(equations: &Equations, programs: &mut Programs) -> String {
    for (name, program) in self::programs(equations) {
        programs.add(name, program);
    }
    let mut tables = "\n".to_owned();
    for (name, jacobian) in jacobians(equations) {
        programs.add(name, &jacobian.program);
        tables += &sparsity(name, jacobian);
    }
    tables += &point(equations);
    tables += &indicators(&equations.indicators);
    tables + &events(equations, programs)
}

fn programs(equations: &Equations) -> [(&'static str, &Program); 8] {
    let programs = &equations.programs;
    [
        ("initial", &programs.initial),
        ("derivative", &programs.derivatives),
        ("output", &programs.outputs),
        ("local", &programs.locals),
        ("indicate", &programs.indicators),
        ("instant", &programs.instants),
        ("remembered", &programs.remembered),
        ("durations", &programs.durations),
    ]
}

fn jacobians(equations: &Equations) -> [(&'static str, &Jacobian); 4] {
    let programs = &equations.programs;
    [
        ("by_state", &programs.state_jacobian),
        ("by_input", &programs.input_jacobian),
        ("output_by_state", &programs.output_jacobian),
        ("output_by_input", &programs.feedthrough),
    ]
}

fn sparsity(name: &str, jacobian: &Jacobian) -> String {
    let texts = |list: &[usize]| -> Vec<String> { list.iter().map(usize::to_string).collect() };
    let starts = table("uint32_t", &format!("{name}_starts"), &texts(&jacobian.column_starts));
    starts + &table("uint32_t", &format!("{name}_rows"), &texts(&jacobian.row_of))
}

/// What is known about the places of the point.
fn point(equations: &Equations) -> String {
    let Equations { parameters, inputs, states, discretes, delays, .. } = equations;
    let point = [&parameters[..], inputs, states, discretes].concat();
    let starts = std::iter::once(0.0).chain(point.iter().map(|quantity| quantity.start));
    let starts: Vec<String> = starts.map(number).collect();
    let changing = states.iter().chain(discretes);
    let exact: Vec<String> = changing.map(|it| u8::from(it.is_start_fixed).to_string()).collect();
    let nominals: Vec<String> = states.iter().map(|it| number(nominal(it))).collect();
    let names: Vec<String> = states.iter().map(|it| string(&it.name)).collect();
    let fixed: Vec<String> = delays.iter().map(|it| u8::from(it.is_fixed).to_string()).collect();
    [
        table("double", "start", &starts),
        table("unsigned char", "is_exact", &exact),
        table("double", "nominals", &nominals),
        table("char *const", "state_names", &names),
        table("unsigned char", "is_duration_fixed", &fixed),
    ]
    .concat()
}

fn nominal(quantity: &Quantity) -> f64 {
    let nominal = quantity.nominal.unwrap_or(1.0);
    if nominal.is_finite() && nominal != 0.0 { nominal } else { 1.0 }
}

fn indicators(indicators: &[Indicator]) -> String {
    let row = |indicator: &Indicator| {
        let is_equality = matches!(indicator.op, Op::Equal | Op::NotEqual);
        format!("{{ {is_equality}, {} }}", indicator.instant.is_some())
    };
    let mut rows: Vec<String> = indicators.iter().map(row).collect();
    if rows.is_empty() {
        rows.push("{ false, false }".to_owned());
    }
    table("IndicatorRow", "indicators", &rows)
}

fn events(equations: &Equations, programs: &mut Programs) -> String {
    let mut tables = String::new();
    let mut rows = Vec::new();
    for (number, event) in equations.events.iter().enumerate() {
        let place = |target: &EventTarget| match target {
            EventTarget::State(at) => equations.layout.first_state() + at,
            EventTarget::Discrete(at) => equations.layout.first_discrete() + at,
        };
        let targets: Vec<String> = event.targets.iter().map(|it| place(it).to_string()).collect();
        tables += &table("uint32_t", &format!("event_{number}_targets"), &targets);
        rows.push(event_row(number, event, programs));
    }
    if rows.is_empty() {
        rows.push("{ NULL, NULL, NULL, NULL, NULL, NULL, 0, false, false, false }".to_owned());
    }
    tables + &table("EventRow", "events", &rows)
}

fn event_row(number: usize, event: &CompiledEvent, programs: &mut Programs) -> String {
    let none = || "NULL".to_owned();
    let mut add = |name: &str, program| programs.add(&format!("event_{number}_{name}"), program);
    let condition = add("condition", &event.condition);
    let delay = event.delay.as_ref().map_or_else(none, |program| add("delay", program));
    let priority = event.priority.as_ref().map_or_else(none, |program| add("priority", program));
    let assignments = add("assignments", &event.assignments);
    let flags = [event.persistent, event.initially, event.values_from_trigger];
    format!(
        "{{ {}, {condition}, {delay}, {priority}, {assignments}, event_{number}_targets, {}, {} }}",
        string(&event.name),
        event.targets.len(),
        flags.map(|flag| flag.to_string()).join(", "),
    )
}

/// The table of the whole model.
pub(super) fn model(
    equations: &Equations,
    identity: &Identity,
    work_size: usize,
    fingerprint: u64,
) -> String {
    let mut table = "const Model model = {\n".to_owned();
    let mut field = |name: &str, value: String| {
        let _ = writeln!(table, "    .{name} = {value},");
    };
    field("token", string(&identity.token));
    field("fingerprint", format!("UINT64_C({fingerprint})"));
    for (name, count) in counts(equations, work_size) {
        field(name, count.to_string());
    }
    for (name, known) in [
        ("start", "start"),
        ("is_exact", "is_exact"),
        ("nominals", "nominals"),
        ("state_names", "state_names"),
        ("is_duration_fixed", "is_duration_fixed"),
        ("event", "events"),
        ("indicator", "indicators"),
    ] {
        field(name, known.to_owned());
    }
    let depends = |it: &Dependence| it.time || !it.delays.is_empty();
    field("tolerance", number(tolerance(equations)));
    field("events_are_unordered", equations.events_are_unordered.to_string());
    field("depends_on_time", equations.derivative_dependence.iter().any(depends).to_string());
    for (name, _) in programs(equations) {
        field(name, format!("program_{name}"));
    }
    for (name, jacobian) in jacobians(equations) {
        let sizes = [jacobian.rows, jacobian.columns(), jacobian.row_of.len()];
        let sizes = sizes.map(|size| size.to_string()).join(", ");
        field(name, format!("{{ program_{name}, {sizes}, {name}_starts, {name}_rows }}"));
    }
    table + "};\n"
}

fn counts(equations: &Equations, work_size: usize) -> [(&'static str, usize); 12] {
    let layout = equations.layout;
    let targets = equations.events.iter().map(|event| event.targets.len());
    [
        ("parameters", layout.parameters),
        ("inputs", layout.inputs),
        ("states", layout.states),
        ("discretes", layout.discretes),
        ("outputs", equations.outputs.len()),
        ("locals", equations.locals.len()),
        ("indicators", equations.indicators.len()),
        ("events", equations.events.len()),
        ("delays", equations.delays.len()),
        ("instants", equations.programs.instants.results.len()),
        ("work_size", work_size),
        ("targets_max", targets.max().unwrap_or(0)),
    ]
}

/// The relative tolerance the model asks for.
fn tolerance(equations: &Equations) -> f64 {
    let wanted = equations.experiment.tolerance.as_ref().and_then(|text| text.parse().ok());
    wanted.filter(|it| is_tolerance(*it)).unwrap_or(TOLERANCE)
}
