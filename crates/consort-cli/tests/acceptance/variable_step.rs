//! Two masses on springs: steps of changing size against the exact solution, and against steps of one
//! size; steps that an FMU does not take.

use crate::linear::{self, Matrix};
use crate::record::Record;
use crate::world::{NEVER_SAID, World, filters};
use consort_testkit::fmus::{BuildOptions, Fmi, example};

/// How far positions may be from the exact ones, in m; they start 1 m off.
const GOAL: f64 = 1e-3;

/// m = 1 kg, k = 100 N/m, c = 4 N s/m each; the spring between them has 20 N/m.
fn slope() -> Matrix {
    let (wall, between, damper) = (100.0, 20.0, 4.0);
    Matrix::of(&[
        [0.0, 1.0, 0.0, 0.0],
        [-wall - between, -damper, between, 0.0],
        [0.0, 0.0, 0.0, 1.0],
        [between, 0.0, -wall - between, -damper],
    ])
}

/// The matrix exponential: the Taylor series of a small part, squared up.
fn exponential(matrix: &Matrix) -> Matrix {
    let norm = matrix.0.iter().map(|row| row.iter().map(|cell| cell.abs()).sum::<f64>());
    let squarings = (norm.fold(0.0, f64::max) / 0.125).log2().ceil().max(0.0) as i32;
    let small = matrix.scaled(0.5_f64.powi(squarings));
    let (mut sum, mut term) = (Matrix::identity(4), Matrix::identity(4));
    for n in 1..20 {
        term = term.times(&small).scaled(1.0 / f64::from(n));
        sum = sum.plus(&term);
    }
    (0..squarings).fold(sum, |power, _| power.times(&power))
}

/// The exact positions of both masses.
fn exact(time: f64) -> [f64; 2] {
    let state = exponential(&slope().scaled(time)).apply(&[1.0, 0.0, 0.0, 0.0]);
    [state[0], state[2]]
}

#[test]
fn the_exact_solution_is_one() {
    // Both together move as one mass without a spring between, m x'' = -100 x - 4 x'.
    let decay = |t: f64| {
        let frequency = 96.0_f64.sqrt();
        (-2.0 * t).exp() * ((frequency * t).cos() + 2.0 / frequency * (frequency * t).sin())
    };
    for time in [0.0, 0.1, 0.7, 2.0, 5.0] {
        let [left, right] = exact(time);
        assert!((left + right - decay(time)).abs() < 1e-12, "{time}");
    }
}

/// A system file of the example, changed, as the system `s`.
fn put(world: &World, file: &str, changes: &[(&str, &str)]) {
    linear::put(world, &format!("spring-damper/{file}.toml"), changes);
}

/// A run, and what it cost.
struct Outcome {
    record: Record,
    /// The largest difference from the exact positions.
    error: f64,
    /// Steps of single components, those that were taken back included.
    steps: usize,
    /// Why steps ended before their end.
    cut: Vec<String>,
}

fn run(world: &World, file: &str, args: &[&str]) -> Outcome {
    let path = example(&format!("spring-damper/{file}.toml")).display().to_string();
    let base = ["run", path.as_str(), "--csv", "--log-calls", "--out", "run"];
    world.done(&[&base, args].concat());
    let record = Record::parse(&world.read("run/trace.csv"));
    let columns = [record.floats("left.x"), record.floats("right.x")];
    let mut error: f64 = 0.0;
    for (row, time) in record.times().into_iter().enumerate() {
        for (column, exact) in columns.iter().zip(exact(time)) {
            error = error.max((column[row] - exact).abs());
        }
    }
    let calls = world.events("run", "step");
    let cut = calls.iter().filter_map(|call| call["reason"].as_str().map(ToOwned::to_owned));
    let cut = cut.collect();
    Outcome { record, error, steps: calls.len(), cut }
}

/// The fewest steps of one size that reach the goal, by halving.
fn fixed(world: &World) -> (f64, Outcome) {
    let mut step = 0.02;
    loop {
        let outcome = run(world, "fixed", &["--step", &format!("{step}")]);
        if outcome.error <= GOAL {
            return (step, outcome);
        }
        step /= 2.0;
        assert!(1e-5 < step, "steps of one size never reach the goal");
    }
}

#[test]
fn steps_of_changing_size_reach_the_tolerance_with_fewer_steps() {
    let world = World::new();
    let (step, fixed) = fixed(&world);
    println!("steps of {step} s: {} steps, error {:.2e} m", fixed.steps, fixed.error);
    for file in ["system", "fmi3"] {
        let varied = run(&world, file, &[]);
        let tags = varied.record.times().len();
        println!("{file}: {} steps for {tags} tags, error {:.2e} m", varied.steps, varied.error);
        assert!(varied.error <= GOAL, "{file}: {}", varied.error);
        assert!(3 * varied.steps < fixed.steps, "{file}: {}", varied.steps);
        assert_eq!(varied.record.times().last(), Some(&20.0));
    }
}

#[test]
fn when_an_fmu_stops_early_all_go_back_and_the_result_stays_right() {
    for (file, reason) in [("discard", "discard"), ("early-return", "early return")] {
        let world = World::new();
        let outcome = run(&world, file, &[]);
        let (cut, steps) = (outcome.cut.len(), outcome.steps);
        println!("{file}: {steps} steps, {cut} cut short, error {:.2e} m", outcome.error);
        assert!(outcome.cut.iter().all(|it| it == reason), "{file}: {:?}", outcome.cut);
        assert!(outcome.error <= GOAL, "{file}: {}", outcome.error);
        assert!(2 <= cut, "{file}: {cut}");
        let times = outcome.record.times();
        let longest = times.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
        assert!(longest <= 0.05 + 1e-12, "{file}: {longest}");
        assert!(times.contains(&2.5), "{file}: no step goes over the barrier");
    }
}

/// Without control of the error steps shrink only where a component rejects them.
#[test]
fn without_error_control_steps_shrink_only_where_one_is_not_taken() {
    let world = World::new();
    let changes = [
        ("relative = 1e-4\nabsolute = 1e-4", "error-control = false"),
        ("initial = 0.001", "initial = 0.04"),
        ("step = 0.001", "step = 0.04"),
    ];
    put(&world, "discard", &changes);
    world.done(&["run", "s", "--csv", "--log-calls", "--out", "run"]);
    let times = Record::parse(&world.read("run/trace.csv")).times();
    assert!(times.contains(&2.5), "{times:?}");
    let longest = times.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
    assert!(longest <= 0.05 + 1e-12, "{longest}");
    let calls = world.events("run", "step");
    assert!(calls.iter().any(|call| call["reason"] == "discard"));
}

#[test]
fn a_component_that_takes_no_step_at_all_is_named() {
    let world = World::new();
    put(&world, "discard", &[("longest = 0.05", "longest = 1e-8")]);
    let said = world.consort(&["run", "s", "--out", "run"]);
    assert_eq!(said.code, Some(2), "{said}");
    assert!(NEVER_SAID.iter().all(|word| !said.stderr.contains(word)), "{said}");
    assert!(said.stderr.contains("`right`"), "{said}");
    insta::with_settings!({filters => filters()}, { insta::assert_snapshot!(said.stderr) });
}

#[test]
fn workers_do_not_change_a_bit_of_steps_of_changing_size() {
    for file in ["system", "fmi3", "discard", "early-return"] {
        let world = World::new();
        put(&world, file, &[]);
        linear::one_hash(&world);
    }
}

/// A multi-model of one FMU whose steps end at 2 s and are bounded by what the FMU says.
fn bounded(world: &World, fmu: &str, parameters: &str) {
    world.archive(fmu, Fmi::V2, &BuildOptions::archive());
    world.write(
        "s/mm.json",
        format!(
            r#"{{ "fmus": {{ "{{f}}": "{fmu}.fmu" }}, "connections": {{}}, "parameters": {{ {parameters} }},
            "logVariables": {{ "{{f}}.f": ["y"] }}, "startTime": 0, "endTime": 2,
            "algorithm": {{ "type": "var-step", "initsize": 0.5, "size": [1e-3, 0.5],
            "constraints": {{ "m": {{ "type": "fmumaxstepsize" }} }} }} }}"#
        ),
    );
}

/// By hand: steps of 0.1 s in the first second, then of 0.03 s.
#[test]
fn the_longest_step_that_an_fmu_allows_is_taken() {
    let world = World::new();
    bounded(&world, "paced", "");
    let slow = (0..10).map(|step| 0.1 * f64::from(step));
    let fast = (0..34).map(|step| 1.0 + 0.03 * f64::from(step));
    let expected: Vec<f64> = slow.chain(fast).chain([2.0]).collect();
    for options in [&[][..], &["--isolate"]] {
        let line = ["run", "s/mm.json", "--csv", "--out", "run"];
        let said = world.done(&[&line, options].concat());
        assert!(!said.stderr.contains("constraint"), "{said}");
        let times = Record::parse(&world.read("run/trace.csv")).times();
        assert_eq!(times.len(), expected.len(), "{times:?}");
        let is_near = |(found, expected): (&f64, &f64)| (found - expected).abs() < 1e-9;
        assert!(times.iter().zip(&expected).all(is_near), "{times:?}");
    }
}

#[test]
fn what_an_fmu_cannot_say_about_its_steps_is_reported() {
    let world = World::new();
    bounded(&world, "integrator", "");
    let said = world.done(&["run", "s/mm.json", "--out", "run"]);
    assert!(
        said.stderr.contains("note[run::constraint]: `component-max-step` has no effect"),
        "{said}"
    );
    bounded(&world, "paced", r#""{f}.f.fault": 3"#);
    let said = world.consort(&["run", "s/mm.json", "--out", "run"]);
    assert_eq!(said.code, Some(2), "{said}");
    for part in ["`f` failed", "fmi2GetMaxStepsize", "a longest step of `-0.5` s"] {
        assert!(said.stderr.contains(part), "{part}: {said}");
    }
}
