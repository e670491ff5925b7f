//! Where every value lives: lane by lane, inputs before what is read, so that handing a lane its
//! inputs and taking back its outputs is one copy per type.

use crate::exchange::CopyOp;
use crate::program::{Delay, Home, Program, Source};
use crate::store::{Bank, Segment, Slot};
use consort_core::{Causality, ComponentId, ConnectionId, Conversion, VariableId};
use consort_system::{Condition, Operation, Port, Stage, Target, Task, Trigger};

/// By component: which variables need a place, and why.
pub(super) struct Layout {
    inputs: Vec<Vec<VariableId>>,
    observed: Vec<Vec<VariableId>>,
    once: Vec<Vec<VariableId>>,
}

impl Layout {
    pub(super) fn of(source: &Source<'_>) -> Self {
        let count = source.system.components.len();
        let empty = || vec![Vec::new(); count];
        let mut layout = Layout { inputs: empty(), observed: empty(), once: empty() };
        for (_, stages) in source.plan.programs() {
            layout.take_stages(stages);
        }
        layout.take_ports(source);
        layout.take_recorded(source);
        for list in [&mut layout.inputs, &mut layout.observed, &mut layout.once] {
            list.iter_mut().for_each(sort);
        }
        layout
    }

    fn take_tasks(&mut self, tasks: &[Task]) {
        for task in tasks {
            let index = task.component.index();
            for operation in &task.operations {
                match operation {
                    Operation::Set(variables) => self.inputs[index].extend(variables),
                    Operation::Get(variables) => self.observed[index].extend(variables),
                    Operation::Tick(clock) => self.inputs[index].push(*clock),
                    Operation::Step => {}
                }
            }
        }
    }

    fn take_stages(&mut self, stages: &[Stage]) {
        for stage in stages {
            match stage {
                Stage::Exchange(_) => {}
                Stage::Work(tasks) => self.take_tasks(tasks),
                Stage::Iterate(it) => self.take_stages(&it.stages),
                Stage::Attempt { stages, .. } => self.take_stages(stages),
                Stage::Integrate(it) => self.take_stages(&it.stages),
            }
        }
    }

    fn take_ports(&mut self, source: &Source<'_>) {
        for wire in &source.system.connections {
            self.observed[wire.from.component.index()].push(wire.from.variable);
            self.inputs[wire.to.component.index()].push(wire.to.variable);
        }
        for column in source.system.feed.iter().flat_map(|feed| &feed.columns) {
            self.inputs[column.to.component.index()].push(column.to.variable);
        }
        for column in source.system.feed.iter().flat_map(|feed| &feed.parameters) {
            self.once[column.to.component.index()].push(column.to.variable);
        }
        for intervention in &source.system.interventions {
            let list = |layout: &mut Self, port: Port, which: fn(&mut Self) -> &mut Lists| {
                which(layout)[port.component.index()].push(port.variable);
            };
            match intervention.target {
                Target::Input(port) => list(self, port, |layout| &mut layout.inputs),
                Target::Output(port) => list(self, port, |layout| &mut layout.observed),
                Target::Parameter(port) => list(self, port, |layout| &mut layout.once),
                Target::Connection(_) => {}
            }
            // Also inputs that are not fed; all else that is looked at is read after every step.
            if let Trigger::When(Condition { port, .. }) = intervention.trigger
                && is_input(source, port)
            {
                list(self, port, |layout| &mut layout.inputs);
            }
        }
    }

    fn take_recorded(&mut self, source: &Source<'_>) {
        for (index, component) in source.system.components.iter().enumerate() {
            let variables = &source.models[index].variables;
            sort(&mut self.observed[index]);
            for &id in &component.recorded {
                match variables[id.index()].causality {
                    Causality::Input => self.inputs[index].push(id),
                    _ if self.observed[index].binary_search(&id).is_ok() => {}
                    _ => self.once[index].push(id),
                }
            }
        }
    }

    /// Gives every variable its place in its lane's bank and in the shared one.
    pub(super) fn place(self, source: &Source<'_>, assignment: &[Vec<ComponentId>]) -> Program {
        let count = source.system.components.len();
        let none = |index: usize| vec![None; source.models[index].variables.len()];
        let mut program = Program {
            present: Vec::new(),
            advance: Vec::new(),
            shared: Bank::new(),
            ahead: Bank::new(),
            homes: vec![Home { lane: 0, member: 0 }; count],
            places: (0..count).map(none).collect(),
            arriving: Vec::new(),
            copies: Vec::new(),
            outgoing: vec![Vec::new(); count],
            slopes: Vec::new(),
            delays: Vec::new(),
            inputs: self.inputs,
            observed: self.observed,
            once: self.once,
            ticks: Vec::new(),
            refreshed: Vec::new(),
            groups: Vec::new(),
            own: Vec::new(),
        };
        for (lane, members) in assignment.iter().enumerate() {
            program.place_lane(source, lane, members);
        }
        let ids = (0..count).map(ComponentId::from_index);
        let (own, others): (Vec<ComponentId>, Vec<ComponentId>) =
            ids.partition(|&id| source.is_own(id));
        program.own = own.into_iter().map(ComponentId::index).collect();
        // What lives elsewhere has places, for what comes from there, but no lane.
        program.place_lane(source, usize::MAX, &others);
        program.compile_connections(source);
        program
    }
}

type Lists = Vec<Vec<VariableId>>;

impl Program {
    fn place_lane(&mut self, source: &Source<'_>, lane: usize, members: &[ComponentId]) {
        let mut bank = Bank::new();
        for (member, component) in members.iter().enumerate() {
            let member = u32::try_from(member).expect("members fit in 32 bits");
            self.homes[component.index()] = Home { lane, member };
        }
        for which in [PlaceKind::Input, PlaceKind::Observed, PlaceKind::Once] {
            for rate in 0..source.rates.list.len() {
                let due = |id: &&ComponentId| source.rates.of_component[id.index()] == rate;
                for component in members.iter().filter(due) {
                    self.place_component(source, *component, which, &mut bank);
                }
            }
        }
    }

    fn place_component(
        &mut self,
        source: &Source<'_>,
        component: ComponentId,
        which: PlaceKind,
        bank: &mut Bank,
    ) {
        let index = component.index();
        let list = match which {
            PlaceKind::Input => &self.inputs[index],
            PlaceKind::Observed => &self.observed[index],
            PlaceKind::Once => &self.once[index],
        };
        for &variable in list {
            let value_type = source.models[index].variables[variable.index()].value_type;
            let elements = source.system.components[index].counts[variable.index()];
            let lane = bank.reserve(value_type, elements);
            let shared = self.shared.reserve(value_type, elements);
            let segment = Segment { lane, shared_at: shared.at };
            self.places[index][variable.index()] = Some(segment);
        }
    }

    fn compile_connections(&mut self, source: &Source<'_>) {
        for (index, wire) in source.system.connections.iter().enumerate() {
            let (mut from, to) = (self.port(wire.from), self.port(wire.to));
            let component = wire.from.component.index();
            if wire.delay {
                let kept = self.shared.reserve(from.value_type, from.count);
                let keep = CopyOp { from, to: kept, conversion: Conversion::IDENTITY };
                if source.is_own(wire.from.component) {
                    self.delays.push(Delay { rate: source.rates.of_component[component], keep });
                }
                from = kept;
            } else {
                self.outgoing[component].push(ConnectionId::from_index(index));
            }
            self.copies.push(CopyOp { from, to, conversion: wire.conversion });
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PlaceKind {
    Input,
    Observed,
    Once,
}

/// A bank with room for everything placed in a lane.
pub(super) fn lane_bank(members: &[ComponentId], program: &Program) -> Bank {
    let mut bank = Bank::new();
    let places = members.iter().flat_map(|id| program.places[id.index()].iter().flatten());
    let mut slots: Vec<Slot> = places.map(|segment| segment.lane).collect();
    slots.sort_by_key(|slot| (slot.value_type, slot.at));
    for slot in slots {
        let reserved = bank.reserve(slot.value_type, slot.count);
        assert_eq!(reserved, slot, "a lane's places are handed out without gaps");
    }
    bank
}

fn is_input(source: &Source<'_>, port: Port) -> bool {
    let variables = &source.models[port.component.index()].variables;
    variables[port.variable.index()].causality == Causality::Input
}

fn sort(list: &mut Vec<VariableId>) {
    list.sort_unstable();
    list.dedup();
}
