//! Facts about the variables of a system.

use consort_core::{Causality, DependsOn, ModelDescription, Refresh, Unknown, Variability};
use consort_core::{ComponentId, ConnectionId, VariableId};
use consort_system::{Port, ResolvedSystem, Target, Trigger};

/// The source of the value of an element of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Feeder {
    /// No source: the start value stays.
    None,
    /// A table or an intervention.
    Outside,
    /// A connection, from this slot.
    Wire(ConnectionId, u32),
}

/// A component as far as values are concerned.
pub(super) struct Part {
    /// The first slot of each variable; one more at the end.
    pub(super) slots: Vec<u32>,
    /// Inputs that are fed, sorted.
    pub(super) fed: Vec<VariableId>,
    /// Outputs and locals that are read, sorted.
    pub(super) used: Vec<VariableId>,
    /// By variable: the fed inputs it follows at once at run time.
    pub(super) follows: Vec<Vec<VariableId>>,
    /// The same in initialization.
    pub(super) follows_initially: Vec<Vec<VariableId>>,
    /// Outputs are those of the last step.
    pub(super) by_step: bool,
    /// The period in ticks.
    pub(super) period: i64,
}

impl Part {
    /// The slots of a variable's elements.
    pub(super) fn elements(&self, variable: VariableId) -> std::ops::Range<usize> {
        let index = variable.index();
        self.slots[index] as usize..self.slots[index + 1] as usize
    }
}

/// Everything the definition and the executor want to know of a system. A slot is an element of a
/// variable of a component.
pub(super) struct Facts<'a> {
    pub(super) system: &'a ResolvedSystem,
    pub(super) models: &'a [ModelDescription],
    pub(super) parts: Vec<Part>,
    /// The source of each slot.
    pub(super) feeders: Vec<Feeder>,
    /// The component of each slot.
    pub(super) owners: Vec<ComponentId>,
    /// The variable of each slot.
    pub(super) variables: Vec<VariableId>,
    /// By first slot of a variable: no step may wait for it.
    pub(super) late: Vec<bool>,
    /// By first slot of a variable: whose steps it waits for, a bit per component.
    pub(super) steps: Vec<u64>,
}

impl<'a> Facts<'a> {
    pub(super) fn of(system: &'a ResolvedSystem, models: &'a [ModelDescription]) -> Self {
        let (mut owners, mut variables, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        for (index, component) in system.components.iter().enumerate() {
            let mut slots = Vec::new();
            for (variable, &count) in component.counts.iter().enumerate() {
                slots.push(u32::try_from(owners.len()).expect("slots fit in 32 bits"));
                for _ in 0..count {
                    owners.push(ComponentId::from_index(index));
                    variables.push(VariableId::from_index(variable));
                }
            }
            slots.push(u32::try_from(owners.len()).expect("slots fit in 32 bits"));
            starts.push(slots);
        }
        let feeders = vec![Feeder::None; owners.len()];
        let (parts, late, steps) = (Vec::new(), Vec::new(), Vec::new());
        let mut facts = Facts { system, models, parts, feeders, owners, variables, late, steps };
        facts.feed(&starts);
        let parts = starts.into_iter().enumerate().map(|(index, slots)| facts.part(index, slots));
        facts.parts = parts.collect();
        facts.late = late_variables(&facts);
        facts.steps = steps_before(&facts);
        facts
    }

    fn feed(&mut self, starts: &[Vec<u32>]) {
        let first = |port: Port| starts[port.component.index()][port.variable.index()] + port.first;
        let outside = |feeders: &mut Vec<Feeder>, port: Port| {
            for element in first(port)..first(port) + port.count {
                feeders[element as usize] = Feeder::Outside;
            }
        };
        for intervention in &self.system.interventions {
            if let Target::Input(port) = intervention.target {
                outside(&mut self.feeders, port);
            }
        }
        for column in self.system.feed.iter().flat_map(|feed| &feed.columns) {
            outside(&mut self.feeders, column.to);
        }
        for (index, wire) in self.system.connections.iter().enumerate() {
            for element in 0..wire.to.count {
                self.feeders[(first(wire.to) + element) as usize] =
                    Feeder::Wire(ConnectionId::from_index(index), first(wire.from) + element);
            }
        }
    }

    fn part(&self, index: usize, slots: Vec<u32>) -> Part {
        let model = &self.models[index];
        let ids = || (0..model.variables.len()).map(VariableId::from_index);
        let range = |id: VariableId| slots[id.index()] as usize..slots[id.index() + 1] as usize;
        let is_fed = |id: &VariableId| range(*id).any(|slot| self.feeders[slot] != Feeder::None);
        let fed: Vec<VariableId> = ids().filter(is_fed).collect();
        let structure = &model.structure;
        let run_time = [&structure.outputs];
        let initial = [&structure.initial, &structure.outputs];
        let follows = ids().map(|id| followed(&run_time, id, &fed)).collect();
        let follows_initially = ids().map(|id| followed(&initial, id, &fed)).collect();
        Part {
            used: self.used(index),
            fed,
            follows,
            follows_initially,
            by_step: model.capabilities.refresh == Refresh::ByStep,
            period: self.system.components[index].period.ticks(),
            slots,
        }
    }

    /// What connections, conditions, interventions, the record and the hash look at, as far as it
    /// changes.
    fn used(&self, index: usize) -> Vec<VariableId> {
        let component = &self.system.components[index];
        let mut ports: Vec<Port> = self.system.connections.iter().map(|wire| wire.from).collect();
        for intervention in &self.system.interventions {
            if let Trigger::When(condition) = &intervention.trigger {
                ports.push(condition.port);
            }
            if let Target::Output(port) = intervention.target {
                ports.push(port);
            }
        }
        let own = ports.iter().filter(|port| port.component.index() == index);
        let mut used: Vec<VariableId> = own.map(|port| port.variable).collect();
        used.extend(component.recorded.iter().chain(&component.hashed));
        used.retain(|id| {
            let variable = &self.models[index].variables[id.index()];
            let changes =
                !matches!(variable.variability, Variability::Constant | Variability::Fixed);
            variable.causality == Causality::Output
                || (variable.causality == Causality::Local && changes)
        });
        used.sort_unstable();
        used.dedup();
        used
    }

    /// The first slot of the variable that a slot is part of.
    pub(super) fn first_slot(&self, slot: usize) -> usize {
        self.parts[self.owners[slot].index()].elements(self.variables[slot]).start
    }

    /// Whether a table feeds an element.
    pub(super) fn is_in_table(&self, slot: usize) -> bool {
        let columns = self.system.feed.iter().flat_map(|feed| &feed.columns);
        let mut ports = columns.map(|column| column.to);
        ports.any(|port| {
            let first = self.parts[port.component.index()].slots[port.variable.index()];
            (first + port.first) as usize <= slot
                && slot < (first + port.first + port.count) as usize
        })
    }

    /// `component.variable[element]`, for messages.
    pub(super) fn name(&self, slot: usize) -> String {
        let (owner, variable) = (self.owners[slot].index(), self.variables[slot]);
        let element = slot - self.parts[owner].slots[variable.index()] as usize;
        let name = &self.models[owner].variables[variable.index()].name;
        format!("{}.{name}[{element}]", self.system.components[owner].name)
    }

    /// The slots a connection goes from and to, element by element.
    pub(super) fn wire(&self, id: ConnectionId) -> impl Iterator<Item = (usize, usize)> + use<> {
        let wire = &self.system.connections[id.index()];
        let first = |port: Port| {
            let slots = &self.parts[port.component.index()].slots;
            (slots[port.variable.index()] + port.first) as usize
        };
        let (from, to) = (first(wire.from), first(wire.to));
        (0..wire.to.count as usize).map(move |element| (from + element, to + element))
    }
}

/// The fed inputs that a variable follows at once; of a variable that no list knows, all.
fn followed(lists: &[&Vec<Unknown>], id: VariableId, fed: &[VariableId]) -> Vec<VariableId> {
    let mut unknowns = lists.iter().flat_map(|list| list.iter());
    match unknowns.find(|unknown| unknown.variable == id).map(|unknown| &unknown.on) {
        Some(DependsOn::These(list)) => {
            let is_listed = |input: &VariableId| list.iter().any(|(on, _)| on == input);
            fed.iter().copied().filter(is_listed).collect()
        }
        _ => fed.to_vec(),
    }
}

/// By first slot of a variable: its value at the end of a step cannot be known before the tag at which
/// the step ends. So are inputs with a table, a delayed connection or one from another period, and
/// all that follows such inputs at once.
fn late_variables(facts: &Facts<'_>) -> Vec<bool> {
    let mut late = vec![false; facts.owners.len()];
    loop {
        let before = late.clone();
        for part in &facts.parts {
            for &id in &part.fed {
                let mut elements = part.elements(id);
                late[part.elements(id).start] |= elements.any(|slot| is_late(facts, &late, slot));
            }
            let variables = part.used.iter().filter(|_| !part.by_step);
            for &id in variables {
                let mut follows = part.follows[id.index()].iter();
                let is_late = follows.any(|&input| late[part.elements(input).start]);
                late[part.elements(id).start] |= is_late;
            }
        }
        if before == late {
            return late;
        }
    }
}

fn is_late(facts: &Facts<'_>, late: &[bool], slot: usize) -> bool {
    match facts.feeders[slot] {
        Feeder::None => false,
        Feeder::Outside => true,
        Feeder::Wire(wire, source) => {
            let (from, to) = (facts.owners[source as usize], facts.owners[slot]);
            let first = facts.first_slot(source as usize);
            facts.system.connections[wire.index()].delay
                || facts.parts[from.index()].period != facts.parts[to.index()].period
                || late[first]
        }
    }
}

/// By first slot of a variable: the steps that its value at the next tag waits for. That is the step of
/// its component and, through inputs it follows at once, those of others.
fn steps_before(facts: &Facts<'_>) -> Vec<u64> {
    assert!(facts.parts.len() <= 64, "a bit per component");
    let mut steps = vec![0; facts.owners.len()];
    loop {
        let before = steps.clone();
        for (owner, part) in facts.parts.iter().enumerate() {
            for &id in &part.used {
                let follows = if part.by_step { &[][..] } else { &part.follows[id.index()] };
                let inputs = follows.iter().flat_map(|&input| part.elements(input));
                let sources = inputs.filter_map(|slot| match facts.feeders[slot] {
                    Feeder::Wire(_, source) => Some(facts.first_slot(source as usize)),
                    Feeder::None | Feeder::Outside => None,
                });
                let others = sources.fold(0, |all, source| all | steps[source]);
                steps[part.elements(id).start] |= others | 1 << owner;
            }
        }
        if before == steps {
            return steps;
        }
    }
}
