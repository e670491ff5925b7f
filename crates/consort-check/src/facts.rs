//! Facts about a system that the judge needs: the source of each input, what is read, dependencies.
//!
//! Everything is derived here from the resolved system and the descriptions; variables are numbered
//! through all components, so that the state of the execution is a few flat arrays.

mod reactive;

use consort_core::graph::Lists;
use consort_core::{
    Causality, DependencyKind, DependsOn, ModelDescription, Refresh, Time, ValueType, Variability,
    Variable, VariableId,
};
use consort_system::{Order, Plan, Port, ResolvedSystem, Target, Trigger};
use std::collections::BTreeMap;

/// What a variable depends on.
#[derive(Clone, Copy)]
pub(crate) enum Depends<'a> {
    /// On every input of its component.
    All,
    /// On the variables of this list.
    These(&'a [(VariableId, DependencyKind)]),
}

pub(crate) struct Facts<'a> {
    pub(crate) system: &'a ResolvedSystem,
    pub(crate) models: &'a [&'a ModelDescription],
    /// The number of a component's first variable.
    pub(crate) first: Vec<u32>,
    pub(crate) periods: Vec<Time>,
    /// Index into `periods`, by component.
    pub(crate) rate: Vec<u32>,
    /// By component: which of the plan's groups it is integrated with; 0 for none.
    group: Vec<u32>,
    /// A get after a set sees it, by component; never in Jacobi order.
    pub(crate) at_once: Vec<bool>,
    /// Connections by the number of the input they go to; clocks are left out.
    pub(crate) wires: Lists,
    /// Clocks tick in event mode: their connections are not judged. By connection.
    pub(crate) clocked: Vec<bool>,
    /// Inputs that must be set before each step, by component.
    pub(crate) fed: Lists,
    /// Inputs that must be set in initialization, by component.
    pub(crate) fed_initially: Lists,
    /// Variables that must be known at every tag, by component.
    pub(crate) used: Lists,
    /// By number of a variable: it is in `fed`, in `fed_initially`, a table feeds it.
    pub(crate) is_fed: Vec<bool>,
    pub(crate) is_fed_initially: Vec<bool>,
    pub(crate) has_table: Vec<bool>,
    /// The step needs the input's value at its end. By number of a variable.
    pub(crate) is_reactive: Vec<bool>,
    dependencies: Dependencies<'a>,
}

/// What depends on what, once per distinct model.
struct Dependencies<'a> {
    of_component: Vec<usize>,
    /// By model, then by variable: in the cycle, in initialization.
    tables: Vec<Vec<(Depends<'a>, Depends<'a>)>>,
}

impl<'a> Dependencies<'a> {
    fn new(models: &'a [&'a ModelDescription]) -> Self {
        // Addresses only distinguish models; nothing depends on their order.
        let mut known: BTreeMap<usize, usize> = BTreeMap::new();
        let mut tables = Vec::new();
        let of_component = models.iter().map(|&model| {
            *known.entry(std::ptr::from_ref(model).addr()).or_insert_with(|| {
                tables.push(dependency_table(model));
                tables.len() - 1
            })
        });
        let of_component = of_component.collect();
        Dependencies { of_component, tables }
    }
}

fn dependency_table(model: &ModelDescription) -> Vec<(Depends<'_>, Depends<'_>)> {
    let mut table = vec![(Depends::All, Depends::All); model.variables.len()];
    let depends = |on| match on {
        &DependsOn::All => Depends::All,
        DependsOn::These(list) => Depends::These(list),
    };
    for unknown in &model.structure.outputs {
        if let Some(entry) = table.get_mut(unknown.variable.index()) {
            *entry = (depends(&unknown.on), depends(&unknown.on));
        }
    }
    for unknown in &model.structure.initial {
        if let Some(entry) = table.get_mut(unknown.variable.index()) {
            entry.1 = depends(&unknown.on);
        }
    }
    // Dependencies of anything but an output are not part of the contract.
    for (variable, entry) in model.variables.iter().zip(&mut table) {
        if variable.causality != Causality::Output {
            *entry = (Depends::All, Depends::All);
        }
    }
    table
}

impl<'a> Facts<'a> {
    pub(crate) fn new(
        system: &'a ResolvedSystem,
        models: &'a [&'a ModelDescription],
        plan: &Plan,
    ) -> Self {
        assert_eq!(system.components.len(), models.len(), "one description per component");
        let order = Order::from_name(&plan.order).unwrap_or(Order::Derived);
        let first = first_numbers(models);
        let (periods, rate) = rates(system);
        let at_once = models
            .iter()
            .map(|model| order != Order::Jacobi && model.capabilities.refresh == Refresh::AtOnce);
        let total = first[models.len()] as usize;
        let mut facts = Facts {
            system,
            models,
            periods,
            rate,
            group: reactive::groups(models.len(), plan),
            at_once: at_once.collect(),
            wires: Lists::default(),
            clocked: Vec::new(),
            fed: Lists::default(),
            fed_initially: Lists::default(),
            used: Lists::default(),
            is_fed: vec![false; total],
            is_fed_initially: vec![false; total],
            has_table: vec![false; total],
            is_reactive: Vec::new(),
            dependencies: Dependencies::new(models),
            first,
        };
        facts.find_wires();
        facts.find_fed();
        facts.find_used();
        facts.is_reactive = reactive::inputs(&facts, plan, order);
        facts
    }

    /// The number of a variable.
    pub(crate) fn number(&self, component: usize, variable: VariableId) -> usize {
        self.first[component] as usize + variable.index()
    }

    /// The number of the variable a port is part of.
    pub(crate) fn at(&self, port: Port) -> usize {
        self.number(port.component.index(), port.variable)
    }

    pub(crate) fn depends(&self, component: usize, variable: VariableId) -> Depends<'a> {
        self.dependencies.tables[self.dependencies.of_component[component]][variable.index()].0
    }

    pub(crate) fn depends_initially(&self, component: usize, variable: VariableId) -> Depends<'a> {
        self.dependencies.tables[self.dependencies.of_component[component]][variable.index()].1
    }

    pub(crate) fn variable(&self, component: usize, variable: VariableId) -> &'a Variable {
        &self.models[component].variables[variable.index()]
    }

    fn find_wires(&mut self) {
        let mut pairs = Vec::with_capacity(self.system.connections.len());
        for (index, wire) in self.system.connections.iter().enumerate() {
            let ends = [wire.from, wire.to];
            let clocked = ends.iter().any(|end| {
                let variable = self.variable(end.component.index(), end.variable);
                variable.value_type == ValueType::Clock
            });
            self.clocked.push(clocked);
            if !clocked {
                pairs.push((id(self.at(wire.to)), id(index)));
            }
        }
        self.wires = Lists::new(self.is_fed.len(), pairs);
    }

    fn find_fed(&mut self) {
        let (mut fed, mut initially) = (Vec::new(), Vec::new());
        for wire in &self.system.connections {
            fed.push(wire.to);
            if !wire.delay {
                initially.push(wire.to);
            }
        }
        for column in self.system.feed.iter().flat_map(|feed| &feed.columns) {
            fed.push(column.to);
            initially.push(column.to);
            let number = self.at(column.to);
            self.has_table[number] = true;
        }
        let targets = self.system.interventions.iter().map(|intervention| intervention.target);
        fed.extend(targets.filter_map(|target| match target {
            Target::Input(port) => Some(port),
            _ => None,
        }));
        let is_clock = |facts: &Self, port: &Port| {
            let variable = facts.variable(port.component.index(), port.variable);
            variable.value_type == ValueType::Clock
        };
        initially.retain(|port| !is_clock(self, port));
        fed.retain(|port| !is_clock(self, port) && self.is_set_between_steps(port));
        (self.fed, self.is_fed) = self.by_component(&fed);
        (self.fed_initially, self.is_fed_initially) = self.by_component(&initially);
    }

    /// In event mode, only continuous inputs are set between steps (FMI 3.0.1, section 4.2.1).
    fn is_set_between_steps(&self, port: &Port) -> bool {
        let component = port.component.index();
        let variability = self.variable(component, port.variable).variability;
        !self.system.components[component].event_mode || variability == Variability::Continuous
    }

    fn by_component(&self, ports: &[Port]) -> (Lists, Vec<bool>) {
        let mut marks = vec![false; self.is_fed.len()];
        for &port in ports {
            marks[self.at(port)] = true;
        }
        let pairs = ports.iter().map(|port| (port.component.0, port.variable.0)).collect();
        (Lists::new(self.models.len(), pairs), marks)
    }

    fn find_used(&mut self) {
        let mut used: Vec<(u32, u32)> = Vec::new();
        let pair = |port: Port| (port.component.0, port.variable.0);
        used.extend(self.system.connections.iter().map(|wire| pair(wire.from)));
        for intervention in &self.system.interventions {
            if let Trigger::When(condition) = &intervention.trigger {
                used.push(pair(condition.port));
            }
            if let Target::Output(port) = intervention.target {
                used.push(pair(port));
            }
        }
        used.extend(self.system.coupling.constrained().map(pair));
        for (component, index) in self.system.components.iter().zip(0u32..) {
            let seen = component.hashed.iter().chain(&component.recorded);
            used.extend(seen.map(|variable| (index, variable.0)));
        }
        used.retain(|&(component, variable)| {
            is_read(self.variable(component as usize, VariableId(variable)))
        });
        self.used = Lists::new(self.models.len(), used);
    }
}

/// Whether a variable must be read at every tag to be known; everything else keeps its value.
pub(crate) fn is_read(variable: &Variable) -> bool {
    let changes = !matches!(variable.variability, Variability::Constant | Variability::Fixed);
    match variable.causality {
        _ if variable.value_type == ValueType::Clock => false,
        Causality::Output => true,
        Causality::Local => changes,
        Causality::CalculatedParameter => variable.variability == Variability::Tunable,
        _ => false,
    }
}

pub(crate) fn id(index: usize) -> u32 {
    u32::try_from(index).expect("a system has fewer than 2^32 variables and connections")
}

fn first_numbers(models: &[&ModelDescription]) -> Vec<u32> {
    let mut first = vec![0];
    let mut total = 0;
    for model in models {
        total += model.variables.len();
        first.push(id(total));
    }
    first
}

fn rates(system: &ResolvedSystem) -> (Vec<Time>, Vec<u32>) {
    let mut periods: Vec<Time> = system.components.iter().map(|it| it.period).collect();
    periods.sort_unstable();
    periods.dedup();
    let find = |period: &Time| periods.binary_search(period).expect("every period is listed");
    let rate = system.components.iter().map(|it| id(find(&it.period))).collect();
    (periods, rate)
}
