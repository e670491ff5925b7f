//! Plans written by hand for two components, `a` and `b`, with `a.y -> b.u` and `b.y -> a.u`.

use super::Oracle;
use crate::random_system::{RandomSystem, Shape};
use consort_core::{
    Capabilities, Causality, ComponentId, ConnectionId, DependencyKind, DependsOn,
    ModelDescription, Refresh, Unknown, Variable, VariableId,
};
use consort_system::{
    Hold, Iteration, Loop, Operation, Plan, Port, ResolvedConnection, ResolvedSystem, Stage, Task,
};

const U: VariableId = VariableId(0);
const Y: VariableId = VariableId(1);
const A_TO_B: ConnectionId = ConnectionId(0);
const B_TO_A: ConnectionId = ConnectionId(1);

fn model(refresh: Refresh, feedthrough: bool) -> ModelDescription {
    let [u, y] = [("u", Causality::Input), ("y", Causality::Output)];
    let scalar = |(name, causality)| Variable::scalar(name, consort_core::Reference(0), causality);
    let list = if feedthrough { vec![(U, DependencyKind::Dependent)] } else { Vec::new() };
    let unknown = Unknown { variable: Y, on: DependsOn::These(list) };
    let template = RandomSystem::new(0, &Shape::default()).models.swap_remove(0);
    let mut model = ModelDescription { variables: vec![scalar(u), scalar(y)], ..template };
    model.structure = Default::default();
    model.structure.outputs.push(unknown);
    model.capabilities = Capabilities { refresh, ..Capabilities::native() };
    model
}

/// `a` never has feedthrough.
fn pair(b: ModelDescription) -> (ResolvedSystem, Vec<ModelDescription>) {
    let seeds = 0..;
    let fits = |system: &ResolvedSystem| 2 <= system.components.len();
    let mut systems = seeds.map(|seed| RandomSystem::new(seed, &Shape::default()).system);
    let mut system = systems.find(fits).expect("most systems have two components");
    system.components.truncate(2);
    for component in &mut system.components {
        component.counts = vec![1, 1];
        component.period = consort_core::Time::from_ticks(1);
        (component.recorded, component.hashed, component.reactive) = Default::default();
    }
    let port = |component: u32, variable| Port {
        component: ComponentId(component),
        variable,
        first: 0,
        count: 1,
    };
    let wire = |from: u32, to: u32| ResolvedConnection {
        from: port(from, Y),
        to: port(to, U),
        conversion: consort_core::Conversion::IDENTITY,
        hold: Hold::Hold,
        delay: false,
        origin: consort_system::Origin::default(),
    };
    system.connections = vec![wire(0, 1), wire(1, 0)];
    (system.feed, system.coupling) = Default::default();
    system.interventions.clear();
    (system, vec![model(Refresh::AtOnce, false), b])
}

fn task(component: u32, operations: &[Operation]) -> Task {
    Task { component: ComponentId(component), operations: operations.to_vec() }
}

fn work(component: u32, operations: &[Operation]) -> Stage {
    Stage::Work(vec![task(component, operations)])
}

fn get() -> Operation {
    Operation::Get(vec![Y])
}

fn set() -> Operation {
    Operation::Set(vec![U])
}

fn plan(present: Vec<Stage>, advance: Vec<Stage>) -> Plan {
    let initialization = vec![
        work(0, &[get()]),
        Stage::Exchange(vec![A_TO_B]),
        work(1, &[set(), get()]),
        Stage::Exchange(vec![B_TO_A]),
        work(0, &[set()]),
    ];
    Plan { order: "derived".to_owned(), initialization, present, advance }
}

fn in_order() -> Vec<Stage> {
    vec![Stage::Exchange(vec![A_TO_B]), work(1, &[set(), get()]), Stage::Exchange(vec![B_TO_A])]
}

fn check(b: ModelDescription, plan: &Plan, expected: Option<&str>) {
    let (system, models) = pair(b);
    let result = Oracle::new(&system, &models).check(plan);
    match (result, expected) {
        (Ok(()), None) => {}
        (Err(mismatch), Some(part)) if mismatch.0.contains(part) => {}
        (result, expected) => panic!("{result:?}, expected {expected:?}"),
    }
}

fn both_step() -> Vec<Stage> {
    vec![Stage::Work(vec![task(0, &[set(), Operation::Step, get()]), task(1, &[Operation::Step])])]
}

#[test]
fn an_output_that_follows_at_once_is_read_after_its_input() {
    check(model(Refresh::AtOnce, true), &plan(in_order(), both_step()), None);
}

#[test]
fn an_output_read_too_early_is_noticed() {
    let mut early = in_order();
    early.swap(0, 1);
    check(model(Refresh::AtOnce, true), &plan(early, both_step()), Some("`a.u[0]` is value"));
}

#[test]
fn a_dropped_input_of_a_step_is_noticed() {
    let mut advance = both_step();
    advance[0] = Stage::Work(vec![task(0, &[Operation::Step, get()]), task(1, &[Operation::Step])]);
    let plan = plan(in_order(), advance);
    check(model(Refresh::AtOnce, true), &plan, Some("the next state of `a`"));
}

#[test]
fn a_step_made_twice_is_noticed() {
    let mut advance = both_step();
    advance.push(work(1, &[Operation::Step]));
    let plan = plan(in_order(), advance);
    check(model(Refresh::AtOnce, true), &plan, Some("the next state of `b`"));
}

#[test]
fn what_answers_by_step_is_not_read_after_it_was_set() {
    let present = vec![Stage::Exchange(vec![A_TO_B, B_TO_A])];
    let step = [set(), Operation::Step, get()];
    let advance = vec![Stage::Work(vec![task(0, &step), task(1, &step)])];
    check(model(Refresh::ByStep, true), &plan(present, advance), None);
    let plan = plan(in_order(), both_step());
    check(model(Refresh::ByStep, true), &plan, Some("is read after it was set"));
}

#[test]
fn a_rejected_attempt_shows_who_was_not_restored() {
    let attempt = |components: &[u32]| Stage::Attempt {
        components: components.iter().map(|&id| ComponentId(id)).collect(),
        stages: both_step(),
    };
    let b = model(Refresh::AtOnce, true);
    check(b.clone(), &plan(in_order(), vec![attempt(&[0, 1])]), None);
    check(b, &plan(in_order(), vec![attempt(&[0])]), Some("the next state of `b`"));
}

/// Both outputs follow at once.
fn check_loop(unknowns: &[ConnectionId], present: Vec<Stage>, expected: Option<&str>) {
    let (system, mut models) = pair(model(Refresh::AtOnce, true));
    models[0] = model(Refresh::AtOnce, true);
    let iterate = |stages: Vec<Stage>| {
        vec![Stage::Iterate(Loop {
            unknowns: unknowns.to_vec(),
            stages,
            rollback: Vec::new(),
            iteration: Iteration::default(),
        })]
    };
    let step = [Operation::Step];
    let plan = Plan {
        initialization: iterate(around()),
        present: iterate(present),
        ..plan(Vec::new(), vec![Stage::Work(vec![task(0, &step), task(1, &step)])])
    };
    let mut oracle = Oracle::new(&system, &models);
    assert!(oracle.has_loop());
    let result = oracle.check(&plan);
    match (&result, expected) {
        (Ok(()), None) => {}
        (Err(mismatch), Some(part)) if mismatch.0.contains(part) => {}
        _ => panic!("{result:?}, expected {expected:?}"),
    }
}

fn around() -> Vec<Stage> {
    vec![
        work(0, &[set(), get()]),
        Stage::Exchange(vec![A_TO_B]),
        work(1, &[set(), get()]),
        Stage::Exchange(vec![B_TO_A]),
    ]
}

#[test]
fn a_loop_is_solved_where_it_is_cut() {
    check_loop(&[B_TO_A], around(), None);
    check_loop(&[A_TO_B, B_TO_A], around(), None);
}

#[test]
fn a_loop_that_is_not_cut_has_no_values() {
    check_loop(&[], around(), Some("depends on itself"));
}

#[test]
fn an_evaluation_that_leaves_something_out_is_noticed() {
    let mut stages = around();
    stages.remove(1);
    check_loop(&[B_TO_A], stages, Some("is not what solves the loop"));
    let mut stages = around();
    stages.pop();
    check_loop(&[B_TO_A], stages, Some("is not what solves the loop"));
}
