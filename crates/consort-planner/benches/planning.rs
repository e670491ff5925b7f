//! How long planning takes as systems grow.
//!
//! Each component has ten connections: some along chains of feedthrough, some that close loops, most to
//! outputs without feedthrough anywhere in the system. A third of the components step at another
//! rate. Fails if 10,000 components take two seconds or more.

use consort_core::model::DefaultExperiment;
use consort_core::{
    Capabilities, Causality, ComponentId, Conversion, DependencyKind, DependsOn, ModelDescription,
    ModelStructure, Reference, Report, Resolution, Time, Unknown, Variable, VariableId,
};
use consort_system::{
    Hold, Iteration, LoopPolicy, Order, Port, ResolvedComponent, ResolvedConnection,
    ResolvedCoupling, ResolvedExperiment, ResolvedSystem, StepLength,
};
use std::time::Instant;

const INPUTS: usize = 10;
/// An output that follows the first two inputs.
const THROUGH: usize = INPUTS;
/// An output that follows none.
const FREE: usize = INPUTS + 1;
/// An output about which nothing is said.
const SILENT: usize = INPUTS + 2;
/// Components in one chain of feedthrough.
const CHAIN: usize = 100;
const LIMIT_SECONDS: f64 = 2.0;

#[expect(clippy::print_stdout, reason = "a benchmark reports on stdout")]
fn main() {
    println!("order        components  connections   seconds  ns per n log n  stages");
    let mut slow = false;
    for order in [Order::Derived, Order::GaussSeidel] {
        for count in [1_000, 10_000, 30_000] {
            let (system, model) = (system(count, order), model());
            let models = vec![&model; count];
            let (seconds, stages) = best_of_three(&system, &models);
            let scale = count as f64 * (count as f64).log2();
            let connections = system.connections.len();
            println!(
                "{:<12} {count:>10} {connections:>12} {seconds:>9.3} {:>15.1} {stages:>7}",
                order.name(),
                seconds / scale * 1e9,
            );
            slow |= count == 10_000 && LIMIT_SECONDS <= seconds;
        }
    }
    if slow {
        println!("too slow: 10,000 components must be planned in less than {LIMIT_SECONDS} s");
        std::process::exit(1);
    }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark looks at the clock")]
fn best_of_three(system: &ResolvedSystem, models: &[&ModelDescription]) -> (f64, usize) {
    let mut best = (f64::INFINITY, 0);
    for _ in 0..3 {
        let start = Instant::now();
        let plan = consort_planner::plan(system, models, &mut Report::default());
        let seconds = start.elapsed().as_secs_f64();
        let plan = plan.expect("loops are iterated, so nothing is wrong");
        best = (best.0.min(seconds), plan.present.len() + plan.advance.len());
    }
    best
}

fn system(count: usize, order: Order) -> ResolvedSystem {
    let experiment = ResolvedExperiment {
        resolution: Resolution::NANOSECOND,
        start: Time::ZERO,
        stop: Time::from_ticks(6_000),
        step: Time::from_ticks(1),
        seed: 1,
        tolerance: None,
    };
    ResolvedSystem {
        name: "large".into(),
        experiment,
        components: (0..count).map(component).collect(),
        connections: (0..count).flat_map(|index| connections(index, count)).collect(),
        feed: None,
        interventions: Vec::new(),
        coupling: ResolvedCoupling {
            order,
            loops: LoopPolicy::Iterate(Iteration::default()),
            ..ResolvedCoupling::default()
        },
    }
}

fn component(index: usize) -> ResolvedComponent {
    let outputs = [THROUGH, FREE, SILENT].map(VariableId::from_index);
    ResolvedComponent {
        name: format!("c{index}"),
        period: Time::from_ticks(if index.is_multiple_of(3) { 2 } else { 1 }),
        step_length: StepLength::Fixed,
        concurrent: false,
        event_mode: false,
        reactive: Vec::new(),
        counts: vec![1; INPUTS + 3],
        structural: Vec::new(),
        settings: Vec::new(),
        recorded: outputs.to_vec(),
        hashed: outputs.to_vec(),
    }
}

fn connections(index: usize, count: usize) -> Vec<ResolvedConnection> {
    let wire = |from: usize, output: usize, input: usize| ResolvedConnection {
        from: port(from % count, output),
        to: port(index, input),
        conversion: Conversion::IDENTITY,
        hold: Hold::Hold,
        delay: false,
    };
    let mut wires = Vec::with_capacity(INPUTS);
    let in_chain = !index.is_multiple_of(CHAIN);
    wires.push(if in_chain { wire(index - 1, THROUGH, 0) } else { wire(index + 7, FREE, 0) });
    // A short way back now and then: a loop of six.
    let closes = index % 20 == 10;
    wires.push(wire(index + 5, if closes { THROUGH } else { FREE }, 1));
    // Anywhere: a multiplicative hash spreads the sources.
    wires.extend(
        (2..INPUTS).map(|input| {
            wire((index * INPUTS + input).wrapping_mul(2_654_435_761) >> 7, FREE, input)
        }),
    );
    wires
}

fn port(component: usize, variable: usize) -> Port {
    let component = ComponentId::from_index(component);
    Port { component, variable: VariableId::from_index(variable), first: 0, count: 1 }
}

fn model() -> ModelDescription {
    let scalar = |name: String, causality| Variable::scalar(&name, Reference(0), causality);
    let mut variables: Vec<Variable> =
        (0..INPUTS).map(|index| scalar(format!("u{index}"), Causality::Input)).collect();
    for name in ["through", "free", "silent"] {
        variables.push(scalar(name.to_owned(), Causality::Output));
    }
    let first_two = [0, 1].map(|index| (VariableId::from_index(index), DependencyKind::Dependent));
    let unknown = |variable: usize, on: &[(VariableId, DependencyKind)]| Unknown {
        variable: VariableId::from_index(variable),
        on: DependsOn::These(on.to_vec()),
    };
    let outputs = vec![unknown(THROUGH, &first_two), unknown(FREE, &[])];
    ModelDescription {
        name: "part".into(),
        kind: "benchmark".into(),
        variables,
        structure: ModelStructure { outputs, ..ModelStructure::default() },
        units: Vec::new(),
        enumerations: Vec::new(),
        capabilities: Capabilities::native(),
        default_experiment: DefaultExperiment::default(),
        facts: Vec::new(),
    }
}
