//! How long planning takes as systems grow, and how long the judge of plans.
//!
//! Systems of several shapes. `mixed`: each component has ten connections, some along chains of
//! feedthrough, some that close loops, most to outputs without feedthrough anywhere in the system;
//! a third of the components step at another rate. `chain`: one feedthrough from the first
//! component to the last. `loop`: the same, closed. `wide`: two components with that many variables
//! each, which answer each other one by one. Fails if 10,000 components with 100,000 connections take two seconds or more.

use consort_core::model::DefaultExperiment;
use consort_core::{
    Capabilities, Causality, ComponentId, Conversion, DependencyKind, DependsOn, ModelDescription,
    ModelStructure, Reference, Report, Resolution, SetupOrder, Time, Unknown, Variable, VariableId,
};
use consort_system::{
    Hold, Iteration, LoopPolicy, Order, Plan, Port, ResolvedComponent, ResolvedConnection,
    ResolvedCoupling, ResolvedExperiment, ResolvedSystem, StepLength,
};
use std::time::Instant;

/// Inputs of each component; only a `wide` one has more.
const INPUTS: usize = 10;
/// Outputs: one that follows the first two inputs, one that follows none, one about which nothing
/// is said.
const OUTPUTS: usize = 3;
const THROUGH: usize = INPUTS;
const FREE: usize = INPUTS + 1;
/// Components in one chain of feedthrough.
const CHAIN: usize = 100;
const LIMIT_SECONDS: f64 = 2.0;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Shape {
    Mixed,
    Chain,
    Loop,
    Wide,
}

const CASES: [(Shape, Order, &[usize]); 8] = [
    (Shape::Mixed, Order::Derived, &[1_000, 10_000, 30_000]),
    (Shape::Mixed, Order::GaussSeidel, &[1_000, 10_000, 30_000]),
    (Shape::Chain, Order::Derived, &[1_000, 10_000, 30_000]),
    (Shape::Chain, Order::GaussSeidel, &[1_000, 10_000, 30_000]),
    (Shape::Loop, Order::Derived, &[1_000, 10_000, 30_000]),
    (Shape::Loop, Order::GaussSeidel, &[1_000, 10_000, 30_000]),
    (Shape::Wide, Order::Derived, &[1_000, 10_000, 30_000]),
    (Shape::Wide, Order::GaussSeidel, &[1_000, 10_000, 30_000]),
];

#[expect(clippy::print_stdout, reason = "a benchmark reports on stdout")]
fn main() {
    println!("shape order              n  connections   seconds  ns per n log n  stages  judge");
    let mut slow = false;
    for (shape, order, counts) in CASES {
        for &count in counts {
            let (system, model) = (system(shape, count, order), model(shape, count));
            let models = vec![&model; system.components.len()];
            let (seconds, plan) = best_of_three(|| planned(&system, &models));
            let (judged, ()) = best_of_three(|| judged(&system, &models, &plan));
            let scale = count as f64 * (count as f64).log2();
            println!(
                "{:<5} {:<12} {count:>7} {:>12} {seconds:>9.3} {:>15.1} {:>7} {judged:>6.3}",
                format!("{shape:?}").to_lowercase(),
                order.name(),
                system.connections.len(),
                seconds / scale * 1e9,
                plan.present.len() + plan.advance.len(),
            );
            slow |= count <= 10_000 && LIMIT_SECONDS <= seconds;
        }
    }
    if slow {
        println!("too slow: 10,000 components must be planned in less than {LIMIT_SECONDS} s");
        std::process::exit(1);
    }
}

fn planned(system: &ResolvedSystem, models: &[&ModelDescription]) -> Plan {
    let plan = consort_planner::plan(system, models, &mut Report::default());
    plan.expect("loops are iterated, so nothing is wrong")
}

fn judged(system: &ResolvedSystem, models: &[&ModelDescription], plan: &Plan) {
    consort_check::check_plan(system, models, plan).expect("the planner's plan is right");
}

/// The shortest of three times, in seconds, and what was made.
#[expect(clippy::disallowed_methods, reason = "a benchmark looks at the clock")]
fn best_of_three<T>(run: impl Fn() -> T) -> (f64, T) {
    let timed = || {
        let start = Instant::now();
        let made = run();
        (start.elapsed().as_secs_f64(), made)
    };
    let (first, made) = timed();
    (first.min(timed().0).min(timed().0), made)
}

fn system(shape: Shape, count: usize, order: Order) -> ResolvedSystem {
    let experiment = ResolvedExperiment {
        resolution: Resolution::NANOSECOND,
        start: Time::ZERO,
        stop: Time::from_ticks(6_000),
        step: Time::from_ticks(1),
        seed: 1,
        tolerance: None,
        hash: consort_core::HashMode::All,
    };
    let components = if shape == Shape::Wide { 2 } else { count };
    let ports = ports(shape, count);
    let rates = if shape == Shape::Mixed { 2 } else { 1 };
    ResolvedSystem {
        name: "large".into(),
        experiment,
        components: (0..components).map(|index| component(index, ports, rates)).collect(),
        connections: wires(shape, count),
        feed: None,
        interventions: Vec::new(),
        placement: None,
        coupling: ResolvedCoupling {
            order,
            loops: LoopPolicy::Iterate(Iteration::default()),
            ..ResolvedCoupling::default()
        },
    }
}

/// How many inputs and outputs a component has.
fn ports(shape: Shape, count: usize) -> (usize, usize) {
    if shape == Shape::Wide { (count / 2, count / 2) } else { (INPUTS, OUTPUTS) }
}

fn component(index: usize, (inputs, outputs): (usize, usize), rates: i64) -> ResolvedComponent {
    let outputs: Vec<VariableId> = (inputs..inputs + outputs).map(VariableId::from_index).collect();
    ResolvedComponent {
        name: format!("c{index}"),
        period: Time::from_ticks(if index.is_multiple_of(3) { rates } else { 1 }),
        step_length: StepLength::Fixed,
        concurrent: false,
        event_mode: false,
        reactive: Vec::new(),
        counts: vec![1; inputs + outputs.len()],
        structural: Vec::new(),
        settings: Vec::new(),
        setup: SetupOrder::First,
        recorded: outputs.clone(),
        hashed: outputs,
    }
}

fn wires(shape: Shape, count: usize) -> Vec<ResolvedConnection> {
    let along = |to: usize| wire(((to + count - 1) % count, THROUGH), (to, 0));
    match shape {
        Shape::Mixed => (0..count).flat_map(|index| mixed(index, count)).collect(),
        Shape::Chain => (1..count).map(along).collect(),
        Shape::Loop => (0..count).map(along).collect(),
        Shape::Wide => {
            let half = count / 2;
            let ends = (0..half).flat_map(|index| [(0, index), (1, index)]);
            ends.map(|(to, index)| wire((1 - to, half + index), (to, index))).collect()
        }
    }
}

fn mixed(index: usize, count: usize) -> Vec<ResolvedConnection> {
    let from =
        |from: usize, output: usize, input: usize| wire((from % count, output), (index, input));
    let mut wires = Vec::with_capacity(INPUTS);
    let in_chain = !index.is_multiple_of(CHAIN);
    wires.push(if in_chain { from(index - 1, THROUGH, 0) } else { from(index + 7, FREE, 0) });
    // A short way back now and then: a loop of six.
    let closes = index % 20 == 10;
    wires.push(from(index + 5, if closes { THROUGH } else { FREE }, 1));
    // Anywhere: a multiplicative hash spreads the sources.
    wires.extend(
        (2..INPUTS).map(|input| {
            from((index * INPUTS + input).wrapping_mul(2_654_435_761) >> 7, FREE, input)
        }),
    );
    wires
}

/// A connection between two variables, each given by its component and its number.
fn wire(from: (usize, usize), to: (usize, usize)) -> ResolvedConnection {
    ResolvedConnection {
        from: port(from),
        to: port(to),
        conversion: Conversion::IDENTITY,
        hold: Hold::Hold,
        delay: false,
        origin: consort_system::Origin::default(),
    }
}

fn port((component, variable): (usize, usize)) -> Port {
    let component = ComponentId::from_index(component);
    Port { component, variable: VariableId::from_index(variable), first: 0, count: 1 }
}

fn model(shape: Shape, count: usize) -> ModelDescription {
    let (inputs, outputs) = ports(shape, count);
    let scalar = |index: usize| {
        let causality = if index < inputs { Causality::Input } else { Causality::Output };
        Variable::scalar(&format!("v{index}"), Reference(0), causality)
    };
    let structure = ModelStructure { outputs: dependencies(shape, count), ..Default::default() };
    ModelDescription {
        name: "part".into(),
        kind: "benchmark".into(),
        variables: (0..inputs + outputs).map(scalar).collect(),
        structure,
        units: Vec::new(),
        enumerations: Vec::new(),
        capabilities: Capabilities::native(),
        default_experiment: DefaultExperiment::default(),
        facts: Vec::new(),
    }
}

/// The last output is silent. An output of a wide component follows the input before it, so that
/// the two components answer each other.
fn dependencies(shape: Shape, count: usize) -> Vec<Unknown> {
    let unknown = |variable: usize, on: &[usize]| {
        let on = on.iter().map(|&it| (VariableId::from_index(it), DependencyKind::Dependent));
        Unknown { variable: VariableId::from_index(variable), on: DependsOn::These(on.collect()) }
    };
    match shape {
        Shape::Wide => {
            let before = |index: usize| index.checked_sub(1).into_iter().collect::<Vec<_>>();
            let half = count / 2;
            (0..half - 1).map(|index| unknown(half + index, &before(index))).collect()
        }
        _ => vec![unknown(THROUGH, &[0, 1]), unknown(FREE, &[])],
    }
}
