//! Which variables of which component take part in a cycle.

use consort_core::{Causality, ModelDescription, ValueType, Variability, Variable, VariableId};
use consort_system::{Port, ResolvedComponent, ResolvedSystem, Target, Trigger};

/// What each component is given and what is read from it at every tag.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Usage {
    /// Inputs handed over before a step, per component, in description order.
    pub set_in_cycle: Vec<Vec<VariableId>>,
    /// Variables read after a step, per component, in description order.
    pub get_in_cycle: Vec<Vec<VariableId>>,
}

impl Usage {
    /// Looks at connections, feeds, interventions, the record and the hash.
    pub fn of(system: &ResolvedSystem, models: &[&ModelDescription]) -> Self {
        let fed = fed_inputs(system);
        let watched = watched_variables(system);
        let mut usage = Usage { set_in_cycle: Vec::new(), get_in_cycle: Vec::new() };
        for (index, (component, model)) in system.components.iter().zip(models).enumerate() {
            let of_component = |ports: &[Port]| -> Vec<VariableId> {
                let start = ports.partition_point(|port| port.component.index() < index);
                let own = ports[start..].iter().take_while(|port| port.component.index() == index);
                own.map(|port| port.variable).collect()
            };
            usage.set_in_cycle.push(settable(component, model, of_component(&fed)));
            usage.get_in_cycle.push(readable(component, model, of_component(&watched)));
        }
        usage
    }
}

/// Inputs that are fed, sorted.
fn fed_inputs(system: &ResolvedSystem) -> Vec<Port> {
    let mut ports: Vec<Port> = system.connections.iter().map(|wire| wire.to).collect();
    ports.extend(system.feed.iter().flat_map(|feed| feed.columns.iter().map(|column| column.to)));
    ports.extend(system.interventions.iter().filter_map(
        |intervention| match intervention.target {
            Target::Input(port) => Some(port),
            _ => None,
        },
    ));
    ports.sort_unstable();
    ports
}

/// Variables that connections, conditions and interventions look at, sorted.
fn watched_variables(system: &ResolvedSystem) -> Vec<Port> {
    let mut ports: Vec<Port> = system.connections.iter().map(|wire| wire.from).collect();
    for intervention in &system.interventions {
        if let Trigger::When(condition) = &intervention.trigger {
            ports.push(condition.port);
        }
        if let Target::Output(port) = intervention.target {
            ports.push(port);
        }
    }
    ports.extend(system.coupling.constrained());
    ports.sort_unstable();
    ports
}

/// In event mode, only continuous inputs may be set between steps (FMI 3.0.1, section 4.2.1).
fn settable(
    component: &ResolvedComponent,
    model: &ModelDescription,
    mut fed: Vec<VariableId>,
) -> Vec<VariableId> {
    fed.sort_unstable();
    fed.dedup();
    fed.retain(|id| {
        let variable = &model.variables[id.index()];
        let any_time = !component.event_mode || variable.variability == Variability::Continuous;
        any_time && variable.value_type != ValueType::Clock
    });
    fed
}

fn readable(
    component: &ResolvedComponent,
    model: &ModelDescription,
    watched: Vec<VariableId>,
) -> Vec<VariableId> {
    let mut list = watched;
    list.extend(&component.hashed);
    list.extend(&component.recorded);
    list.sort_unstable();
    list.dedup();
    list.retain(|id| changes_by_stepping(&model.variables[id.index()]));
    list
}

/// Whether a variable's value may differ after a step; outputs are always read, so that they are
/// available. A calculated parameter follows the tunable parameters it is calculated from.
fn changes_by_stepping(variable: &Variable) -> bool {
    match variable.causality {
        // Clocks tick in event mode and may be asked there only.
        _ if variable.value_type == ValueType::Clock => false,
        Causality::Output => true,
        Causality::Local => {
            !matches!(variable.variability, Variability::Constant | Variability::Fixed)
        }
        Causality::CalculatedParameter => variable.variability == Variability::Tunable,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use consort_core::Reference;

    #[test]
    fn what_may_change_after_the_start_is_read_after_every_step() {
        use Causality::{CalculatedParameter, Local, Output, Parameter};
        use Variability::{Constant, Continuous, Discrete, Fixed, Tunable};
        for (causality, variability, value_type, expected) in [
            (Output, Constant, ValueType::Float64, true),
            (Output, Discrete, ValueType::Clock, false),
            (Local, Continuous, ValueType::Float64, true),
            (Local, Fixed, ValueType::Float64, false),
            (CalculatedParameter, Tunable, ValueType::Float64, true),
            (CalculatedParameter, Fixed, ValueType::Float64, false),
            (Parameter, Tunable, ValueType::Float64, false),
        ] {
            let scalar = Variable::scalar("x", Reference(0), causality);
            let variable = Variable { variability, value_type, ..scalar };
            assert_eq!(changes_by_stepping(&variable), expected, "{causality} {variability}");
        }
    }
}
