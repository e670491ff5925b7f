//! One small change of a plan.

use super::draw::Draw;
use consort_core::{ComponentId, ConnectionId, VariableId};
use consort_system::{Operation, Plan, Stage, Task};

/// What was done to a plan: `swap stage`, `drop unknown`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mutation {
    /// The kind of change.
    pub action: Action,
    /// The part that is changed.
    pub part: Part,
}

/// What is done with a part of a plan.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Action {
    /// Two parts are exchanged.
    Swap,
    /// A part is removed.
    Drop,
    /// A part is duplicated.
    Double,
    /// A part is moved elsewhere.
    Move,
}

/// A part of a plan.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    /// A whole stage.
    Stage,
    /// A connection of an exchange.
    Connection,
    /// All that is done with a component in a stage.
    Task,
    /// One thing done with a component.
    Operation,
    /// A variable that is set or read.
    Variable,
    /// A cut of a loop.
    Unknown,
    /// A component that is saved and restored.
    Saved,
}

impl std::fmt::Display for Mutation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:?} {:?}", self.action, self.part);
        f.write_str(&text.to_lowercase())
    }
}

/// How often another change is tried if one changed nothing.
const TRIES_MAX: usize = 50;

/// The plan with one random change, made of `seed`; `None` if there is nothing to change.
pub fn mutated(plan: &Plan, seed: u64) -> Option<(Mutation, Plan)> {
    let mut draw = Draw::new(seed);
    for _ in 0..TRIES_MAX {
        let mutation = Mutation {
            part: draw.weighted(&[
                (15, Part::Stage),
                (25, Part::Connection),
                (15, Part::Task),
                (12, Part::Operation),
                (20, Part::Variable),
                (7, Part::Unknown),
                (6, Part::Saved),
            ]),
            action: draw.weighted(&[
                (25, Action::Swap),
                (30, Action::Drop),
                (15, Action::Double),
                (30, Action::Move),
            ]),
        };
        let mut changed = plan.clone();
        change(&mut changed, mutation, &mut draw);
        if changed != *plan {
            return Some((mutation, changed));
        }
    }
    None
}

fn change(plan: &mut Plan, Mutation { action, part }: Mutation, draw: &mut Draw) {
    if part == Part::Stage {
        return change_stage(plan, action, draw);
    }
    let mut parts = Parts::default();
    for stages in [&mut plan.initialization, &mut plan.present, &mut plan.advance] {
        parts.collect(stages, part);
    }
    match part {
        Part::Stage => {}
        Part::Connection => act(parts.connections, action, draw),
        Part::Task => act(parts.tasks, action, draw),
        Part::Operation => act(one(parts.operations, draw), action, draw),
        Part::Variable => act(of_one_component(parts.variables, draw), action, draw),
        Part::Unknown => act(one(parts.unknowns, draw), action, draw),
        Part::Saved => act(one(parts.saved, draw), action, draw),
    }
}

/// All lists of parts of a plan; only the wanted kind is filled, so that no two overlap.
#[derive(Default)]
struct Parts<'a> {
    connections: Vec<&'a mut Vec<ConnectionId>>,
    tasks: Vec<&'a mut Vec<Task>>,
    operations: Vec<&'a mut Vec<Operation>>,
    variables: Vec<(ComponentId, bool, &'a mut Vec<VariableId>)>,
    unknowns: Vec<&'a mut Vec<ConnectionId>>,
    saved: Vec<&'a mut Vec<ComponentId>>,
}

impl<'a> Parts<'a> {
    fn collect(&mut self, stages: &'a mut [Stage], part: Part) {
        for stage in stages {
            match stage {
                Stage::Exchange(list) => self.connections.push(list),
                Stage::Work(tasks) => match part {
                    Part::Task => self.tasks.push(tasks),
                    _ => tasks.iter_mut().for_each(|task| self.collect_task(task, part)),
                },
                Stage::Iterate(it) => {
                    self.unknowns.push(&mut it.unknowns);
                    self.saved.push(&mut it.rollback);
                    self.collect(&mut it.stages, part);
                }
                Stage::Attempt { components, stages } => {
                    self.saved.push(components);
                    self.collect(stages, part);
                }
                Stage::Integrate(it) => self.collect(&mut it.stages, part),
            }
        }
    }

    fn collect_task(&mut self, task: &'a mut Task, part: Part) {
        if part == Part::Operation {
            self.operations.push(&mut task.operations);
            return;
        }
        for operation in &mut task.operations {
            match operation {
                Operation::Set(list) => self.variables.push((task.component, true, list)),
                Operation::Get(list) => self.variables.push((task.component, false, list)),
                Operation::Step | Operation::Tick(_) => {}
            }
        }
    }
}

fn one<'a, T>(mut lists: Vec<&'a mut Vec<T>>, draw: &mut Draw) -> Vec<&'a mut Vec<T>> {
    match lists.len() {
        0 => lists,
        len => vec![lists.swap_remove(draw.index(len))],
    }
}

/// The lists of variables that one component is given, or that are read from it.
fn of_one_component<'a>(
    lists: Vec<(ComponentId, bool, &'a mut Vec<VariableId>)>,
    draw: &mut Draw,
) -> Vec<&'a mut Vec<VariableId>> {
    if lists.is_empty() {
        return Vec::new();
    }
    let chosen = draw.index(lists.len());
    let (component, set) = (lists[chosen].0, lists[chosen].1);
    let same = lists.into_iter().filter(|it| it.0 == component && it.1 == set);
    same.map(|it| it.2).collect()
}

/// Changes one of the items of some lists.
fn act<T: Clone>(mut lists: Vec<&mut Vec<T>>, action: Action, draw: &mut Draw) {
    let full: Vec<usize> = (0..lists.len()).filter(|&it| !lists[it].is_empty()).collect();
    if full.is_empty() {
        return;
    }
    let (from, to) = (draw.one_of(&full), draw.index(lists.len()));
    let at = draw.index(lists[from].len());
    match action {
        Action::Swap => {
            let other = draw.one_of(&full);
            let other_at = draw.index(lists[other].len());
            let (first, second) = (lists[from][at].clone(), lists[other][other_at].clone());
            lists[from][at] = second;
            lists[other][other_at] = first;
        }
        Action::Drop => {
            lists[from].remove(at);
        }
        Action::Double => {
            let item = lists[from][at].clone();
            let to_at = draw.index(lists[to].len() + 1);
            lists[to].insert(to_at, item);
        }
        Action::Move => {
            let item = lists[from].remove(at);
            let to_at = draw.index(lists[to].len() + 1);
            lists[to].insert(to_at, item);
        }
    }
}

/// Stages contain stages, so they are found by their place in a walk over all lists of stages.
fn change_stage(plan: &mut Plan, action: Action, draw: &mut Draw) {
    let lengths = list_lengths(plan);
    let full: Vec<usize> = (0..lengths.len()).filter(|&it| 0 < lengths[it]).collect();
    if full.is_empty() {
        return;
    }
    let from = draw.one_of(&full);
    let mut taken = None;
    with_list(plan, from, &mut |list| {
        let at = draw.index(list.len());
        match action {
            Action::Swap => {
                let other = draw.index(list.len());
                list.swap(at, other);
            }
            Action::Drop | Action::Move => taken = Some(list.remove(at)),
            Action::Double => taken = Some(list[at].clone()),
        }
    });
    if let (Some(stage), false) = (taken, action == Action::Drop) {
        let to = draw.index(list_lengths(plan).len());
        with_list(plan, to, &mut |list| {
            let at = draw.index(list.len() + 1);
            list.insert(at, stage.clone());
        });
    }
}

fn list_lengths(plan: &mut Plan) -> Vec<usize> {
    let mut lengths = Vec::new();
    each_list(plan, &mut |list| lengths.push(list.len()));
    lengths
}

fn with_list(plan: &mut Plan, wanted: usize, visit: &mut dyn FnMut(&mut Vec<Stage>)) {
    let mut index = 0;
    each_list(plan, &mut |list| {
        if index == wanted {
            visit(list);
        }
        index += 1;
    });
}

fn each_list(plan: &mut Plan, visit: &mut dyn FnMut(&mut Vec<Stage>)) {
    for stages in [&mut plan.initialization, &mut plan.present, &mut plan.advance] {
        walk(stages, visit);
    }
}

/// Inner lists first, so that a visit that changes `list` does not change what is visited.
fn walk(list: &mut Vec<Stage>, visit: &mut dyn FnMut(&mut Vec<Stage>)) {
    for stage in list.iter_mut() {
        match stage {
            Stage::Iterate(it) => walk(&mut it.stages, visit),
            Stage::Attempt { stages, .. } => walk(stages, visit),
            Stage::Integrate(it) => walk(&mut it.stages, visit),
            Stage::Exchange(_) | Stage::Work(_) => {}
        }
    }
    visit(list);
}
