//! A system for programs: as it was written, with the models its components use.

use super::{double, to_json};
use consort_core::{Literal, ModelDescription, Seconds};
use consort_system::{
    Action, Component, Connection, Coupling, Experiment, Intervention, IterationOptions, LoopRule,
    Parameter, Record, Spanned, StepConstraint, SystemDescription, VariableStep, When,
};
use serde_json::{Map, Value, json};

/// A system as it was written; `models` has one entry per component, `None` where the model could
/// not be loaded.
///
/// Times are texts, because they are exact and need not be doubles: `"1/30"`.
pub fn system_to_json(system: &SystemDescription, models: &[Option<&ModelDescription>]) -> Value {
    let models = models.iter().copied().chain(std::iter::repeat(None));
    let components = system.components.iter().zip(models);
    json!({
        "name": system.name,
        "experiment": experiment(&system.experiment),
        "components": components.map(|(each, model)| component(each, model)).collect::<Vec<_>>(),
        "connections": system.connections.iter().map(connection).collect::<Vec<_>>(),
        "interventions": system.interventions.iter().map(intervention).collect::<Vec<_>>(),
    })
}

fn experiment(experiment: &Experiment) -> Value {
    let record = match &experiment.record {
        Record::Outputs => json!("outputs"),
        Record::All => json!("all"),
        Record::Nothing => json!("nothing"),
        Record::These(patterns) => json!(texts(patterns)),
    };
    json!({
        "start": experiment.start.value.to_string(),
        "stop": seconds(experiment.stop.as_ref()),
        "step": seconds(experiment.step.as_ref()),
        "resolution": seconds(experiment.resolution.as_ref()),
        "seed": experiment.seed,
        "tolerance": experiment.tolerance.as_ref().map(|number| double(number.value)),
        "solver": experiment.solver.solver.as_ref().map(|solver| solver.value.name()),
        "solver_step": seconds(experiment.solver.step.as_ref()),
        "isolate": experiment.isolate,
        "record": record,
        "hash": experiment.hash.name(),
        "unhashed": texts(&experiment.unhashed),
        "plot": texts(&experiment.plot),
        "input": experiment.input.as_ref().map(|path| &path.value),
        "coupling": coupling(&experiment.coupling),
    })
}

fn coupling(coupling: &Coupling) -> Value {
    let rule = |rule: &LoopRule| {
        json!({
            "through": rule.through.value,
            "policy": rule.policy.name(),
            "iteration": iteration(&rule.iteration),
        })
    };
    let step = |step: &VariableStep| {
        json!({
            "initial": seconds(step.initial.as_ref()),
            "min": seconds(step.min.as_ref()),
            "max": seconds(step.max.as_ref()),
            "relative": step.relative.as_ref().map(|number| double(number.value)),
            "absolute": step.absolute.as_ref().map(|number| double(number.value)),
            "error_control": step.error_control.as_ref().map(|flag| flag.value),
            "constraints": step.constraints.iter().map(StepConstraint::kind).collect::<Vec<_>>(),
        })
    };
    json!({
        "order": coupling.order.as_ref().map(|order| order.value).unwrap_or_default().name(),
        "continuous": coupling.continuous.as_ref().map(|it| it.value).unwrap_or_default().name(),
        "loops": coupling.loops.as_ref().map(|it| it.value).unwrap_or_default().name(),
        "on_divergence":
            coupling.on_divergence.as_ref().map(|it| it.value).unwrap_or_default().name(),
        "iteration": iteration(&coupling.iteration),
        "rules": coupling.rules.iter().map(rule).collect::<Vec<_>>(),
        "variable_step": coupling.variable_step.as_ref().map(step),
    })
}

fn iteration(options: &IterationOptions) -> Value {
    json!({
        "method": options.method.as_ref().map(|method| method.value.name()),
        "tolerance": options.tolerance.as_ref().map(|number| double(number.value)),
        "limit": options.limit.as_ref().map(|limit| limit.value),
        "relaxation": options.relaxation.as_ref().map(|number| double(number.value)),
        "accept_after": options.accept_after.as_ref().map(|count| count.value),
    })
}

fn component(component: &Component, model: Option<&ModelDescription>) -> Value {
    let parameter = |parameter: &Parameter| {
        let unit = parameter.unit.as_ref().map(|unit| &unit.value);
        let value = json!({ "value": literal(&parameter.value.value), "unit": unit });
        (parameter.name.value.clone(), value)
    };
    let parameters: Map<String, Value> = component.parameters.iter().map(parameter).collect();
    json!({
        "name": component.name.value,
        "model": component.model.value,
        "step": seconds(component.step.as_ref()),
        "step_length": component.step_length.name(),
        "concurrent": component.concurrent,
        "send_start_values": component.send_start_values,
        "setup": component.setup.name(),
        "event_mode": component.event_mode,
        "reactive": texts(&component.reactive),
        "interface": component.solving.interface.as_ref().map(|interface| interface.value.name()),
        "solver": component.solving.solver.as_ref().map(|solver| solver.value.name()),
        "tolerance": component.solving.tolerance.as_ref().map(|number| double(number.value)),
        "solver_step": seconds(component.solving.step.as_ref()),
        "isolate": component.isolation.isolate.as_ref().map(|isolate| isolate.value),
        "state": component.isolation.state.as_ref().map(|state| state.value.name()),
        "parameters": parameters,
        "description": model.map(to_json),
    })
}

fn connection(connection: &Connection) -> Value {
    json!({
        "from": connection.from.value,
        "to": connection.to.value,
        "hold": connection.hold.name(),
        "group": connection.group,
        "delay": connection.delay,
        "factor": connection.transformation.map(|linear| double(linear.factor)),
        "offset": connection.transformation.map(|linear| double(linear.offset)),
        "suppress_unit_conversion": connection.suppress_unit_conversion,
        "convert": connection.convert,
    })
}

fn intervention(intervention: &Intervention) -> Value {
    let (at, when) = match &intervention.when {
        When::At(time) => (Some(time.value.to_string()), None),
        When::Condition(condition) => (None, Some(&condition.value)),
    };
    let (action, value) = match &intervention.action {
        Action::Set(value) => ("set", Some(value)),
        Action::Override(value) => ("override", Some(value)),
        Action::Offset(value) => ("offset", Some(value)),
        Action::Freeze => ("freeze", None),
        Action::Release => ("release", None),
    };
    json!({
        "at": at,
        "when": when,
        "target": intervention.target.value,
        "action": action,
        "value": value.map(|value| literal(&value.value)),
        "unit": intervention.unit.as_ref().map(|unit| &unit.value),
    })
}

/// A value as written; whole numbers beyond 64 bits are text.
fn literal(literal_value: &Literal) -> Value {
    match literal_value {
        Literal::Boolean(value) => json!(value),
        Literal::Float(value) => double(*value),
        Literal::Text(text) => json!(text),
        Literal::Array(items) => items.iter().map(literal).collect(),
        Literal::Integer(value) => match (i64::try_from(*value), u64::try_from(*value)) {
            (Ok(value), _) => json!(value),
            (_, Ok(value)) => json!(value),
            _ => json!(value.to_string()),
        },
    }
}

fn seconds(time: Option<&Spanned<Seconds>>) -> Option<String> {
    time.map(|time| time.value.to_string())
}

fn texts(list: &[Spanned<String>]) -> Vec<&str> {
    list.iter().map(|each| each.value.as_str()).collect()
}
