//! Nothing is allocated per step: counted, not hoped.

use crate::equations::{At, Equations};
use crate::support::{Behavior, Bench, TestModel, options, put, stepped, through, variable};
use consort_core::model::CallResult;
use consort_core::{Causality, NodeId, Report, Step, StepOutcome, Time, ValueType, Values};
use consort_engine::{Courier, CourierError, Part, Run};
use consort_system::{Iteration, IterationMethod, LoopPolicy, Placement};

/// Copies u to y in place, for a float and a string.
struct InPlace;

impl Behavior for InPlace {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        let [from, to, text_from, text_to] = values else { unreachable!() };
        let (Values::Float64(from), Values::Float64(to)) = (from, to) else { unreachable!() };
        to[0] = from[0] + 1.0;
        let (Values::String(from), Values::String(to)) = (text_from, text_to) else {
            unreachable!()
        };
        to[0].clone_from(&from[0]);
        if to[0].is_empty() {
            to[0].push_str("grows once");
        }
        Ok(StepOutcome::complete(step))
    }
}

/// Numbers and texts go to and fro.
fn talkers() -> Bench {
    let model = || {
        let variables = vec![
            variable("u", Causality::Input, ValueType::Float64),
            variable("y", Causality::Output, ValueType::Float64),
            variable("text", Causality::Input, ValueType::String),
            variable("said", Causality::Output, ValueType::String),
        ];
        TestModel::new(variables, || InPlace).shared()
    };
    Bench::new(3000)
        .add("a", model(), 1)
        .add("b", model(), 2)
        .wire("a.y", "b.u")
        .wire("b.y", "a.u")
        .wire("a.said", "b.text")
        .wire("b.said", "a.text")
}

#[test]
fn no_step_allocates_whatever_is_connected_and_recorded() {
    check(talkers());
}

/// One chunk of rows is enough for every buffer to have its size; the sink of these tests allocates
/// when it is handed a chunk, so the count is taken between two hand-overs.
fn check(bench: Bench) {
    check_run(bench.start(1).expect("it starts").0);
}

fn check_run(mut run: Run) {
    run.advance(Time::from_ticks(1100)).expect("it runs");
    let counted = allocation_counter::measure(|| {
        run.advance(Time::from_ticks(1900)).expect("it runs");
    });
    assert_eq!(counted.count_total, 0, "allocations in 800 tags");
}

/// Brings what was sent last, without making anything of it.
struct Echo(Vec<u8>);

impl Courier for Echo {
    fn begin(&mut self, _: Option<Time>) -> Result<(), CourierError> {
        Ok(())
    }
    fn send(&mut self, _: usize, _: Time, payload: &[u8]) -> Result<(), CourierError> {
        self.0.clear();
        self.0.extend_from_slice(payload);
        Ok(())
    }
    fn receive(&mut self, _: usize, _: Time, into: &mut Vec<u8>) -> Result<(), CourierError> {
        into.clear();
        into.extend_from_slice(&self.0);
        Ok(())
    }
}

#[test]
fn nothing_that_crosses_between_nodes_allocates() {
    let bench = talkers();
    let models: Vec<_> = bench.models.iter().map(|model| model.description()).collect();
    let (plan, placement) = (bench.plan(), Placement::from_names(&["one", "two"]));
    let mut report = Report::default();
    let projection =
        consort_planner::project(&bench.system, &models, &plan, &placement, &mut report);
    let projection = std::sync::Arc::new(projection.expect("nothing is in the way"));
    let (mut options, _) = options(1);
    let courier = Box::new(Echo(Vec::new()));
    options.part = Some(Part { projection, node: NodeId(0), courier });
    let run = Run::start(&bench.executable(), options);
    check_run(run.expect("it starts"));
}

/// y = the time at the end of the step.
struct Ramp;

impl Behavior for Ramp {
    fn step(&mut self, values: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        put(values, 0, step.start + step.length);
        Ok(StepOutcome::complete(step))
    }
}

fn ramp() -> std::sync::Arc<dyn consort_core::Model> {
    let variables = vec![variable("y", Causality::Output, ValueType::Float64)];
    TestModel::new(variables, || Ramp).shared()
}

/// Feedthrough in `present`, a reactive input in `advance`, a delay, two rates.
fn staged() -> Bench {
    let mut bench = Bench::new(3000)
        .add("ramp", ramp(), 1)
        .add("a", through(2.0, 0.0), 1)
        .add("b", through(2.0, 0.0), 2)
        .add("c", stepped(2.0, 0.0), 1)
        .add("d", through(2.0, 0.0), 1)
        .wire("ramp.y", "a.u")
        .wire("a.y", "b.u")
        .wire("ramp.y", "c.u")
        .wire("c.y", "d.u");
    bench.system.components[3].reactive = vec![consort_core::VariableId(0)];
    bench.system.connections[3].delay = true;
    bench
}

#[test]
fn no_stage_allocates() {
    check(staged());
}

#[test]
fn no_intervention_allocates_while_it_is_in_force() {
    let mut bench = staged();
    for path in ["ramp.y", "a.y", "c.y"] {
        bench.system.interventions.push(consort_system::ResolvedIntervention {
            trigger: consort_system::Trigger::At(Time::from_ticks(3)),
            target: consort_system::Target::Output(bench.port(path)),
            effect: consort_system::Effect::Offset(Values::Float64(vec![1.0])),
        });
    }
    check(bench);
}

#[test]
fn no_loop_allocates_that_is_solved_by_reading_again() {
    for method in [IterationMethod::FixedPoint, IterationMethod::Newton, IterationMethod::Broyden] {
        let mut bench = Bench::new(3000)
            .add("a", through(0.5, 1.0), 1)
            .add("b", through(-0.5, 1.0), 1)
            .wire("a.y", "b.u")
            .wire("b.y", "a.u");
        bench.system.coupling.loops =
            LoopPolicy::Iterate(Iteration { method, ..Iteration::default() });
        check(bench);
    }
}

#[test]
fn integrating_together_allocates_nothing_between_events() {
    let a = Equations::new(&[1.0], |at, f| f[0] = at.u[0], |at, y| y[0] = at.x[0]);
    let b = Equations::new(&[0.0], |at, f| f[0] = -at.u[0], |at, y| y[0] = at.x[0]);
    let through = Equations::new(&[], |_, _| {}, |at, y| y[0] = at.u[0]).through(&[(0, 0)]);
    let bench = Bench::new(3000)
        .add("a", a.shared(), 1)
        .add("b", b.shared(), 1)
        .add("t", through.shared(), 1)
        .wire("a.y0", "t.u0")
        .wire("t.y0", "b.u0")
        .wire("b.y0", "a.u0");
    check(bench);
}

#[test]
fn a_loop_between_what_is_integrated_together_allocates_nothing() {
    let half = || {
        let f = |at: &At, f: &mut [f64]| f[0] = -at.x[0];
        let y = |at: &At, y: &mut [f64]| y[0] = 0.5 * at.u[0] + at.x[0];
        Equations::new(&[1.0], f, y).through(&[(0, 0)]).shared()
    };
    let mut bench = Bench::new(3000).add("a", half(), 1).add("b", half(), 1);
    bench = bench.wire("a.y0", "b.u0").wire("b.y0", "a.u0");
    bench.system.coupling.loops = LoopPolicy::Iterate(Iteration::default());
    check(bench);
}
