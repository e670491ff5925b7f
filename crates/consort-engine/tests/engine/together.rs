//! Components that are integrated as one.

pub(crate) mod events;

use crate::equations::{At, Equations};
use crate::support::{Behavior, Bench, TestModel, column, in_and_out, numbers, stepped};
use consort_core::model::CallResult;
use consort_core::{
    ConnectionId, SolverKind, Step, StepOutcome, StepReason, Time, Values, Variability,
};
use consort_system::{
    Continuous, Effect, Iteration, LoopPolicy, Order, ResolvedIntervention, Stage, Target, Trigger,
};
use events::{growing, kicked, ticking, trigger};
use std::sync::atomic::{AtomicU64, Ordering};

/// Tolerance of the solvers of these tests, unless they say otherwise.
const RELATIVE: f64 = 1e-8;

/// x' = u0, y0 = x: half of an oscillator.
fn position() -> Equations {
    Equations::new(&[1.0], |at, f| f[0] = at.u[0], |at, y| y[0] = at.x[0])
}

/// v' = -u0, y0 = v: the other half.
fn velocity() -> Equations {
    Equations::new(&[0.0], |at, f| f[0] = -at.u[0], |at, y| y[0] = at.x[0])
}

/// x'' = -x in two components that step every `period` tenths of a second: x = cos t, v = -sin t.
pub(crate) fn oscillator(period: i64, kind: SolverKind) -> Bench {
    coupled(Bench::new(30), position().solver(kind), velocity().solver(kind), period)
}

fn coupled(bench: Bench, a: Equations, b: Equations, period: i64) -> Bench {
    tolerant(bench, RELATIVE)
        .add("a", a.shared(), period)
        .add("b", b.shared(), period)
        .wire("a.y0", "b.u0")
        .wire("b.y0", "a.u0")
}

pub(crate) fn tolerant(mut bench: Bench, relative: f64) -> Bench {
    bench.system.experiment.tolerance = Some(relative);
    bench
}

fn apart(mut bench: Bench) -> Bench {
    bench.system.coupling.continuous = Continuous::Apart;
    bench
}

fn last(bench: Bench, path: &str) -> f64 {
    let (trace, _) = bench.run(1);
    *numbers(&trace, path).last().expect("rows")
}

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
}

#[test]
fn one_huge_step_is_as_good_as_many_small_ones() {
    for (kind, name) in SolverKind::ALL.into_iter().filter(|(kind, _)| !kind.has_fixed_step()) {
        for period in [30, 10, 1] {
            let (trace, _) = oscillator(period, kind).run(1);
            for (row, x) in numbers(&trace, "a.y0").into_iter().enumerate() {
                let t = (row as i64 * period) as f64 / 10.0;
                assert!((x - t.cos()).abs() < 3e-6, "{name}, step {period}, t = {t}: {x}");
            }
        }
    }
}

#[test]
fn apart_the_error_falls_with_the_communication_step_and_no_faster() {
    let error =
        |period| (last(apart(oscillator(period, SolverKind::Bdf)), "a.y0") - 3.0_f64.cos()).abs();
    let (coarse, fine) = (error(2), error(1));
    let order = (coarse / fine).log2();
    assert!(1e-2 < fine, "{fine}");
    assert!((order - 1.0).abs() < 0.2, "{order}");
}

#[test]
fn a_method_of_fixed_step_keeps_its_order() {
    for (kind, order) in [
        (SolverKind::Euler, 1.0),
        (SolverKind::AdamsBashforth2, 2.0),
        (SolverKind::AdamsBashforth3, 3.0),
        (SolverKind::RungeKutta4, 4.0),
    ] {
        let error = |period| {
            let (trace, _) = oscillator(period, kind).run(1);
            let end = |path| *numbers(&trace, path).last().expect("rows");
            (end("a.y0") - 3.0_f64.cos()).hypot(end("b.y0") + 3.0_f64.sin())
        };
        let found = (error(2) / error(1)).log2();
        assert!((found - order).abs() < 0.2, "{kind:?}: {found}");
    }
}

#[test]
fn the_same_system_as_one_model_gives_the_same() {
    let whole = Equations::new(
        &[1.0, 0.0],
        |at, f| (f[0], f[1]) = (at.x[1], -at.x[0]),
        |at, y| (y[0], y[1]) = (at.x[0], at.x[1]),
    );
    let whole = whole.inputs(&[]).outputs(2);
    let (one, _) = tolerant(Bench::new(30), RELATIVE).add("w", whole.shared(), 10).run(1);
    let (two, _) = oscillator(10, SolverKind::Bdf).run(1);
    // The same equations in the same order, by the same solver: the same bits.
    assert_eq!(column(&one, "w.y0"), column(&two, "a.y0"));
    assert_eq!(column(&one, "w.y1"), column(&two, "b.y0"));
}

/// x' = -1000 (x - u), u = w; w' = 1000 (x - w) - w: stiff, and stiff between the two.
#[test]
fn a_stiff_pair_that_apart_blows_up_at_the_same_step() {
    let a = || {
        let f = |at: &At, f: &mut [f64]| f[0] = -1000.0 * (at.x[0] - at.u[0]);
        Equations::new(&[1.0], f, |at, y| y[0] = at.x[0])
    };
    // The second one gets the force of a spring between both.
    let b = || {
        let f = |at: &At, f: &mut [f64]| f[0] = 1000.0 * at.u[0] - 1.0 * at.x[0];
        Equations::new(&[1.0], f, |at, y| y[0] = at.x[0])
    };
    let spring = || {
        let y = |at: &At, y: &mut [f64]| y[0] = at.u[0] - at.u[1];
        Equations::new(&[], |_, _| {}, y)
            .inputs(&[Variability::Continuous; 2])
            .through(&[(0, 0), (0, 1)])
    };
    let system = || {
        tolerant(Bench::new(20), RELATIVE)
            .add("a", a().shared(), 1)
            .add("b", b().shared(), 1)
            .add("spring", spring().shared(), 1)
            .wire("b.y0", "a.u0")
            .wire("a.y0", "spring.u0")
            .wire("b.y0", "spring.u1")
            .wire("spring.y0", "b.u0")
    };
    // With s = a + b and d = a - b: a' = -1000 d, b' = 1000 d - b.
    let together = last(system(), "b.y0");
    let (trace, determinant): (f64, f64) = (-2001.0, 1000.0);
    let root = (trace * trace - 4.0 * determinant).sqrt();
    let (slow, fast) = ((trace + root) / 2.0, (trace - root) / 2.0);
    // b(0) = 1, b'(0) = -1.
    let of_fast = (-1.0 - slow) / (fast - slow);
    let expected = (1.0 - of_fast) * (slow * 2.0).exp() + of_fast * (fast * 2.0).exp();
    near(together, expected, 1e-6);
    let (mut run, recorded) = apart(system()).start(1).expect("it starts");
    let went = run.advance(Time::MAX);
    run.finish();
    let alone = *numbers(&recorded.trace(), "b.y0").last().expect("rows");
    assert!(went.is_err() || 1e3 < alone.abs(), "{alone}");
}

/// y0 = factor u0 + x, x' = -x.
fn through(factor: f64) -> Equations {
    let equations = match factor {
        0.5 => {
            Equations::new(&[1.0], |at, f| f[0] = -at.x[0], |at, y| y[0] = 0.5 * at.u[0] + at.x[0])
        }
        2.0 => {
            Equations::new(&[1.0], |at, f| f[0] = -at.x[0], |at, y| y[0] = 2.0 * at.u[0] + at.x[0])
        }
        _ => Equations::new(&[1.0], |at, f| f[0] = -at.x[0], |at, y| y[0] = -at.u[0] + at.x[0]),
    };
    equations.through(&[(0, 0)])
}

#[test]
fn an_algebraic_loop_between_them_is_solved_at_every_evaluation() {
    // y_a = y_b / 2 + e, y_b = y_a / 2 + e, so both are 2 e; c integrates y_a.
    let sum = Equations::new(&[0.0], |at, f| f[0] = at.u[0], |at, y| y[0] = at.x[0]);
    let mut bench = tolerant(Bench::new(10), RELATIVE)
        .add("a", through(0.5).shared(), 10)
        .add("b", through(0.5).shared(), 10)
        .add("c", sum.shared(), 10)
        .wire("b.y0", "a.u0")
        .wire("a.y0", "b.u0")
        .wire("a.y0", "c.u0");
    bench.system.coupling.loops = LoopPolicy::Iterate(Iteration::default());
    near(last(bench, "c.y0"), 2.0 * (1.0 - (-1.0_f64).exp()), 1e-6);
}

#[test]
fn feedthrough_is_followed_through_three_whatever_their_order() {
    // c = 2 b + e, b = 2 a + e, a = -u + e with u = the integral of c.
    let sum = Equations::new(&[0.0], |at, f| f[0] = at.u[0], |at, y| y[0] = at.x[0]);
    let parts = [("c", through(2.0)), ("a", through(-1.0)), ("b", through(2.0)), ("s", sum)];
    let run = |order: [usize; 4]| {
        let mut bench = tolerant(Bench::new(10), RELATIVE);
        for index in order {
            let (name, part) = &parts[index];
            bench = bench.add(name, part.clone().shared(), 10);
        }
        let wires = [("a.y0", "b.u0"), ("b.y0", "c.u0"), ("c.y0", "s.u0"), ("s.y0", "a.u0")];
        last(wires.into_iter().fold(bench, |it, (from, to)| it.wire(from, to)), "s.y0")
    };
    // s' = c = -4 s + 7 exp(-t), s(0) = 0.
    let expected = 7.0 / 3.0 * ((-1.0_f64).exp() - (-4.0_f64).exp());
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
        near(run(order), expected, 1e-6);
    }
}

#[test]
fn others_are_exchanged_with_at_communication_points_only() {
    // s holds twice what b was at the tag before; a integrates it.
    for order in [Order::Derived, Order::Jacobi, Order::GaussSeidel] {
        let mut bench = tolerant(Bench::new(30), RELATIVE)
            .add("a", position().shared(), 10)
            .add("r", ramp().shared(), 10)
            .add("s", stepped(2.0, 0.0), 10)
            .wire("r.y0", "s.u")
            .wire("s.y", "r.u0")
            .wire("r.y1", "a.u0");
        bench.system.coupling.order = order;
        let (trace, _) = bench.run(1);
        let (ramp, s) = (numbers(&trace, "r.y0"), numbers(&trace, "s.y"));
        let late = usize::from(order != Order::GaussSeidel);
        for tag in 1..4 {
            assert_eq!(s[tag].to_bits(), (2.0 * ramp[tag - late]).to_bits(), "{order:?}");
        }
        // x' = y1 = 1: the solver's own steps do not show at the tags.
        near(numbers(&trace, "a.y0")[3], 4.0, 1e-9);
    }
}

/// y0 = t by x' = 1, y1 = 1; the input is there to be fed.
fn ramp() -> Equations {
    Equations::new(&[0.0], |_, f| f[0] = 1.0, |at, y| (y[0], y[1]) = (at.x[0], 1.0)).outputs(2)
}

#[test]
fn a_failure_names_the_states_and_the_components() {
    // x' = x^2 + u has a pole.
    let pole =
        Equations::new(&[1.0], |at, f| f[0] = at.x[0] * at.x[0] + at.u[0], |at, y| y[0] = at.x[0]);
    let bench = coupled(Bench::new(30), pole, velocity(), 30);
    let (mut run, _) = bench.start(1).expect("it starts");
    let error = run.advance(Time::MAX).expect_err("there is a pole");
    let text = error.to_string();
    assert!(text.contains("a + b"), "{text}");
    let consort_engine::RunError::Call { error, .. } = error else { panic!("{error}") };
    assert!(error.arguments.contains("worst = `a.x0`"), "{error}");
}

fn busy(step_sizes: bool) -> Bench {
    let mut bench = tolerant(Bench::new(40), 1e-6)
        .add("b", kicked().shared(), 5)
        .add("a", trigger().shared(), 5)
        .add("t", ticking().shared(), 5)
        .add("p", position().shared(), 5)
        .add("v", velocity().shared(), 5)
        .add("g", growing().shared(), 5)
        .add("s", stepped(0.5, 0.1), 5)
        .wire("a.y0", "b.u0")
        .wire("t.y0", "g.u0")
        .wire("p.y0", "v.u0")
        .wire("v.y0", "p.u0")
        .wire("p.y0", "s.u");
    if step_sizes {
        bench = crate::variable::variable_step(bench, [500, 1, 5000], Some(1e-5));
        bench.system.experiment.stop = Time::from_ticks(5_000);
        for component in &mut bench.system.components {
            component.period = Time::from_ticks(500);
        }
    }
    bench
}

#[test]
fn the_number_of_workers_cannot_be_seen() {
    for step_sizes in [false, true] {
        let (reference, summary) = busy(step_sizes).run(1);
        for workers in [2, 8] {
            let (trace, other) = busy(step_sizes).run(workers);
            assert_eq!(other.trace_hash, summary.trace_hash, "{workers} workers");
            assert_eq!(trace, reference, "{workers} workers");
        }
    }
}

/// With error control every step is taken whole, taken back, and taken in halves: what is restored goes
/// on as if nothing had been.
#[test]
fn steps_that_are_taken_back_leave_nothing_behind() {
    let halves = |tolerance| {
        let bench = oscillator(1, SolverKind::Bdf);
        let mut bench = crate::variable::variable_step(bench, [1000, 1000, 1000], tolerance);
        bench.system.experiment.stop = Time::from_ticks(20_000);
        for component in &mut bench.system.components {
            component.period = Time::from_ticks(1000);
        }
        bench.run(1).0
    };
    let (plain, doubled) = (halves(None), halves(Some(1.0)));
    let (plain, doubled) = (numbers(&plain, "a.y0"), numbers(&doubled, "a.y0"));
    assert_eq!(plain.len(), 21);
    for (row, (one, two)) in plain.iter().zip(&doubled).enumerate() {
        near(*one, (row as f64 / 10.0).cos(), 3e-6);
        near(*two, *one, 3e-6);
    }
}

#[test]
fn who_belongs_together_is_integrated_together() {
    let groups = |change: fn(&mut Bench)| -> Vec<Vec<String>> {
        let mut bench = oscillator(10, SolverKind::Bdf);
        change(&mut bench);
        let models: Vec<_> = bench.models.iter().map(|model| model.description()).collect();
        let mut report = consort_core::Report::default();
        let plan = consort_planner::plan(&bench.system, &models, &mut report).expect("a plan");
        let name =
            |id: &consort_core::ComponentId| bench.system.components[id.index()].name.clone();
        let stages = plan.advance.iter().filter_map(|stage| match stage {
            Stage::Integrate(it) => Some(it.components.iter().map(name).collect()),
            _ => None,
        });
        stages.collect()
    };
    let none: Vec<Vec<String>> = Vec::new();
    assert_eq!(groups(|_| {}), [["a", "b"]]);
    assert_eq!(groups(|it| it.system.coupling.order = Order::Jacobi), [["a", "b"]]);
    assert_eq!(groups(|it| it.system.coupling.continuous = Continuous::Apart), none);
    assert_eq!(groups(|it| it.system.components[1].period = Time::from_ticks(5)), none);
    assert_eq!(groups(|it| it.models[1] = velocity().solver(SolverKind::Adams).shared()), none);
    assert_eq!(groups(|it| it.system.connections.iter_mut().for_each(|it| it.delay = true)), none);
    // One connection without delay is enough; the other stays delayed.
    assert_eq!(groups(|it| it.system.connections[0].delay = true), [["a", "b"]]);
}

/// Refuses every step of more than 1000 ticks, if it is strict.
struct Picky {
    is_strict: bool,
}

impl Behavior for Picky {
    fn step(&mut self, _: &mut [Values], step: &Step) -> CallResult<StepOutcome> {
        let most = step.from.time + Time::from_ticks(1000);
        let is_too_long = self.is_strict && most < step.to;
        let reached = if is_too_long { most } else { step.to };
        let reason = if is_too_long { StepReason::Discard } else { StepReason::Complete };
        Ok(StepOutcome { reached, stopped_at: None, reason, next_event: None })
    }
}

/// Every second try is of a step that a component refuses after the group has taken it: what is restored, with
/// the solver, continues bit for bit as if it had never been tried.
#[test]
fn a_group_that_was_taken_back_continues_bit_for_bit() {
    let run = |is_strict: bool| {
        let size = if is_strict { 2000 } else { 1000 };
        let picky = TestModel::new(in_and_out(), move || Picky { is_strict }).shared();
        let bench = busy(false).add("picky", picky, 5);
        let mut bench = crate::variable::variable_step(bench, [size, 1, size], None);
        bench.system.experiment.stop = Time::from_ticks(20_000);
        for component in &mut bench.system.components {
            component.period = Time::from_ticks(size);
        }
        bench.run(1)
    };
    let ((tried, tries), (plain, straight)) = (run(true), run(false));
    assert!(10 < tries.statistics.steps_rejected, "{:?}", tries.statistics);
    assert_eq!(straight.statistics.steps_rejected, 0);
    assert_eq!(tried, plain);
    assert_eq!(tries.trace_hash, straight.trace_hash);
}

#[test]
fn a_loop_over_their_step_is_solved_by_taking_it_again() {
    // s at the end of a step is half of b there, plus 1; a takes it over the whole step.
    let adds = Equations::new(&[0.0], |at, f| f[0] = at.u[0] + at.u[1], |at, y| y[0] = at.x[0]);
    let adds = adds.inputs(&[Variability::Continuous; 2]);
    let mut bench = tolerant(Bench::new(10), RELATIVE)
        .add("a", adds.shared(), 10)
        .add("b", velocity().shared(), 10)
        .add("s", stepped(0.5, 1.0), 10)
        .wire("a.y0", "b.u0")
        .wire("b.y0", "a.u0")
        .wire("b.y0", "s.u")
        .wire("s.y", "a.u1");
    for path in ["s.u", "a.u1"] {
        let port = bench.port(path);
        bench.system.components[port.component.index()].reactive.push(port.variable);
    }
    bench.system.coupling.loops = LoopPolicy::Iterate(Iteration::default());
    let (trace, summary) = bench.run(1);
    assert!(1 < summary.statistics.loop_evaluations);
    // a' = b + s, b' = -a, so a = s sin t, b = s (cos t - 1).
    let s = 1.0 / (1.0 - 0.5 * (1.0_f64.cos() - 1.0));
    near(numbers(&trace, "s.y")[1], s, 1e-6);
    near(numbers(&trace, "a.y0")[1], s * 1.0_f64.sin(), 1e-6);
    near(numbers(&trace, "b.y0")[1], s * (1.0_f64.cos() - 1.0), 1e-6);
}

#[test]
fn an_intervention_between_them_holds_at_every_evaluation() {
    // From t = 1 on, b is given 0 instead of x: v stays, and x continues with it.
    let mut bench = oscillator(10, SolverKind::Bdf);
    bench.system.interventions.push(ResolvedIntervention {
        trigger: Trigger::At(Time::from_ticks(10)),
        target: Target::Connection(ConnectionId(0)),
        effect: Effect::Override(Values::Float64(vec![0.0])),
    });
    let (trace, _) = bench.run(1);
    let (x, v) = (numbers(&trace, "a.y0"), numbers(&trace, "b.y0"));
    near(v[3], -1.0_f64.sin(), 1e-6);
    near(x[3], 1.0_f64.cos() - 2.0 * 1.0_f64.sin(), 1e-6);
}

/// How often derivatives were computed.
static EVALUATIONS: AtomicU64 = AtomicU64::new(0);

/// A rod of 24 parts, each a component with one state; only neighbors touch each other.
fn rod(is_silent: bool) -> (Vec<String>, u64) {
    const PARTS: usize = 24;
    let part = || {
        let f = |at: &At, f: &mut [f64]| {
            EVALUATIONS.fetch_add(1, Ordering::Relaxed);
            f[0] = 100.0 * (at.u[0] + at.u[1] - 2.0 * at.x[0]);
        };
        let part = Equations::new(&[1.0], f, |at, y| y[0] = at.x[0]);
        let part = part.inputs(&[Variability::Continuous; 2]);
        if is_silent { part.silent().shared() } else { part.shared() }
    };
    let mut bench = tolerant(Bench::new(10), RELATIVE);
    for index in 0..PARTS {
        bench = bench.add(&format!("p{index}"), part(), 10);
    }
    for index in 1..PARTS {
        let (left, right) = (index - 1, index);
        bench = bench.wire(&format!("p{left}.y0"), &format!("p{right}.u0"));
        bench = bench.wire(&format!("p{right}.y0"), &format!("p{left}.u1"));
    }
    EVALUATIONS.store(0, Ordering::Relaxed);
    let (trace, _) = bench.run(1);
    (column(&trace, "p11.y0"), EVALUATIONS.load(Ordering::Relaxed))
}

/// The Jacobian of the whole is tridiagonal: three evaluations give all of it instead of 24.
#[test]
fn what_components_declare_saves_evaluations_of_the_whole() {
    let ((sparse, few), (dense, many)) = (rod(false), rod(true));
    let value = |column: &[String]| column[1].parse::<f64>().expect("a number");
    near(value(&sparse), value(&dense), 1e-7);
    let saved = (many - few) / 24;
    assert!(saved != 0 && saved.is_multiple_of(21), "{few} and {many} evaluations");
}
