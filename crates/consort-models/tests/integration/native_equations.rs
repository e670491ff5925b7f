//! Native blocks as equations do what the blocks do.

use crate::harness::{Bench, blocks, literal, load, render_all};
use crate::samples::{count, samples};
use consort_core::{
    Causality, Dimension, Model, Prng, Report, SolverKind, SolverSettings, Variable,
};
use consort_equations::{Equations, compile};
use consort_models::continuous::SolvedModel;
use consort_models::equations::EquationsModel;
use consort_models::{GivenParameter, LoadedModel, ModelRequest};
use std::path::Path;
use std::sync::Arc;

/// Blocks that step by definition, or whose values are no real numbers.
const STEPPING: [&str; 4] = ["noise", "round", "threshold", "unit-delay"];

/// The block's equations, or what was said instead.
fn equations(name: &str, parameters: &str) -> Result<Equations, String> {
    let lines = parameters.lines().filter_map(|line| line.split_once(" = "));
    let given: Vec<_> = lines.map(|(name, value)| (name.trim(), literal(value))).collect();
    let given: Vec<GivenParameter<'_>> = given
        .iter()
        .map(|(name, value)| GivenParameter { name, value, has_unit: false, span: None })
        .collect();
    let model = format!("native:{name}");
    let request = ModelRequest { parameters: &given, ..ModelRequest::new(&model, Path::new("")) };
    let mut report = Report::default();
    let tree = blocks().equations(name, &request, &mut report);
    let compiled = tree.and_then(|tree| compile(&tree, &mut report));
    compiled.ok_or_else(|| render_all(&report))
}

fn solved(equations: Equations) -> LoadedModel {
    let settings =
        SolverSettings { tolerance: Some(1e-9), ..SolverSettings::from(SolverKind::Bdf) };
    let model = Arc::new(EquationsModel::new(Arc::new(equations)));
    let model: Arc<dyn Model> = Arc::new(SolvedModel::new(model, settings));
    LoadedModel { model, inputs: Vec::new(), assumed: Vec::new(), saved_by: None }
}

/// `u`; or `u[1]`, `u[2]`, ...; or `u[1,1]`, `u[1,2]`, ...
fn names(variable: &Variable) -> Vec<String> {
    let name = &variable.name;
    match variable.dimensions.as_slice() {
        [] => vec![name.clone()],
        [_, Dimension::Fixed(columns)] => {
            let elements = 0..count(variable) as u64;
            elements
                .map(|at| format!("{name}[{},{}]", at / columns + 1, at % columns + 1))
                .collect()
        }
        _ => (1..=count(variable)).map(|at| format!("{name}[{at}]")).collect(),
    }
}

/// A value that makes sense where numbers of any size do not.
fn sensible(name: &str, random: f64) -> f64 {
    match name {
        "density" => 1.1 + 0.1 * random,
        "speed_of_sound" => 335.0 + 5.0 * random,
        "pressure" => 8e4 + 1e4 * random,
        "temperature" => 280.0 + 10.0 * random,
        "mach" => 0.3 + 0.1 * random,
        "airspeed" | "airspeed_command" => 50.0 + 10.0 * random,
        "altitude" | "altitude_command" => 30_000.0 + 30_000.0 * random,
        "thrust_left" | "thrust_right" => 1000.0 + 200.0 * random,
        "elevator" | "aileron" | "rudder" | "pitch" => 0.1 * random,
        "latitude" => 1.2 * random,
        "throttle" => 0.5 + 0.7 * random,
        _ => random,
    }
}

/// Both over the same random inputs, held over each step; the greatest difference between their outputs, by their
/// size or 1.
fn difference(name: &str, parameters: &str) -> f64 {
    let mut report = Report::default();
    let block = load(name, parameters, &mut report).expect("the samples are good");
    let compiled = equations(name, parameters).unwrap_or_else(|message| panic!("{message}"));
    let mut block = Bench::of(&block, "0.01", 1);
    let mut model = Bench::of(&solved(compiled), "0.01", 1);
    block.start();
    model.start();
    let variables = block.description.variables.clone();
    let is = |causality| move |it: &&Variable| it.causality == causality;
    let mut random = Prng::new(SEED).split(name);
    let mut worst: f64 = 0.0;
    for at in 0..100 {
        for variable in variables.iter().filter(is(Causality::Input)).filter(|_| at % 10 == 0) {
            let values: Vec<f64> = (0..count(variable))
                .map(|_| sensible(&variable.name, 2.0 * random.next_f64() - 1.0))
                .collect();
            block.set_list(&variable.name, &values);
            names(variable).iter().zip(&values).for_each(|(name, value)| model.set(name, *value));
        }
        for variable in variables.iter().filter(is(Causality::Output)) {
            let mut ours = vec![f64::NAN; count(variable)];
            block.get_list(&variable.name, &mut ours);
            for (name, ours) in names(variable).iter().zip(ours) {
                let theirs = model.get(name);
                worst = worst.max((ours - theirs).abs() / ours.abs().max(1.0));
                assert!(!theirs.is_nan(), "{name} after {at} steps");
            }
        }
        block.step();
        model.step();
    }
    worst
}

const SEED: u64 = 20_261_115;
const ROUNDS: usize = 4;

/// The parameters, each number a little larger or smaller; those that shape a block stay.
fn varied(parameters: &str, name: &str) -> String {
    let mut random = Prng::new(SEED).split(name);
    let mut vary = |word: &str| match word.parse::<f64>() {
        Ok(number) => format!("{:?}", number * (0.8 + 0.4 * random.next_f64())),
        Err(_) => word.to_owned(),
    };
    let mut line = |line: &str| {
        if line.contains('"') || line.starts_with("size") {
            return line.to_owned();
        }
        let is_part = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
        let words = line.split_inclusive(|letter| !is_part(letter)).map(|word| {
            let number = word.trim_end_matches(|letter| !is_part(letter));
            vary(number) + &word[number.len()..]
        });
        words.collect()
    };
    let lines: Vec<String> = parameters.lines().map(&mut line).collect();
    lines.join("\n")
}

#[test]
fn every_block_but_the_stepping_ones_is_what_its_equations_say() {
    println!("seed {SEED}");
    for (name, parameters) in samples() {
        // Jumps are off the grid: on it, whether they are past is a matter of the last bit.
        let parameters = match name {
            "pulse" => "period = 0.0713\nduty = 0.31\ndelay = 0.013".to_owned(),
            "step" => "time = 0.305\nafter = 3".to_owned(),
            _ => parameters,
        };
        // Blocks with states step by formulas of order 4 or exact ones; where they clamp, they do so once in a
        // step.
        let tolerance = match name {
            "actuator" | "pid" | "integrator" | "flight-controller" => 2e-2,
            "flight-dynamics" => 1e-4,
            _ => 1e-5,
        };
        for round in (0..ROUNDS).filter(|_| !STEPPING.contains(&name)) {
            let parameters = varied(&parameters, &format!("{name} {round}"));
            let worst = difference(name, &parameters);
            println!("{name} {round}: {worst:e}");
            assert!(worst <= tolerance, "{name} with {parameters}: {worst:e}");
        }
    }
}

#[test]
fn without_limits_in_the_way_states_agree_closely() {
    for (name, parameters) in [
        ("integrator", "x0 = 0.25\nsize = 2"),
        ("pid", "kp = 2.0\nki = 0.7\nkd = 0.05\ntf = 0.05\nintegral0 = 0.3"),
        ("actuator", "y0 = 0.1\nfrequency = 10"),
        ("flight-controller", "speed_gain = 0.001\nspeed_integral = 0.001\nthrottle_trim = 0.5"),
        ("sum", "signs = \"-+-\""),
        ("constant", "value = [[1.0, 2.0], [3.0, 4.5]]"),
        ("state-space", "A = [[0.0, 1.0], [-4.0, -0.3]]\nB = [[0.0], [1.0]]\nports = \"scalars\""),
    ] {
        let worst = difference(name, parameters);
        assert!(worst <= 1e-5, "{name}: {worst:e}");
    }
}

#[test]
fn blocks_that_step_by_definition_are_refused() {
    for name in STEPPING {
        let message = equations(name, "").unwrap_err();
        assert!(
            message.contains(&format!("`native:{name}` cannot be written as equations")),
            "{message}"
        );
    }
    let message = equations("constant", "value = true").unwrap_err();
    assert!(message.contains("values that are no numbers"), "{message}");
    let message = equations("gain", "gian = 2").unwrap_err();
    assert!(message.contains("`native:gain` has no parameter `gian`"), "{message}");
}

#[test]
fn a_table_is_held_or_interpolated_and_may_not_be_endless() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("table.csv");
    std::fs::write(&file, "time,a b,c [m]\n0.0,1,2\n0.155,3,-2\n0.155,4,5\n0.505,0,1\n").unwrap();
    for interpolation in ["linear", "hold"] {
        let text = format!("file = {file:?}\ninterpolation = {interpolation:?}");
        let worst = difference("table", &text);
        assert!(worst <= 1e-12, "{interpolation}: {worst:e}");
    }
    let rows: String = (0..1001).map(|row| format!("{row},1\n")).collect();
    std::fs::write(&file, format!("time,a\n{rows}")).unwrap();
    let message = equations("table", &format!("file = {file:?}")).unwrap_err();
    assert!(message.contains("has 1001 rows, too many to be written as equations"), "{message}");
}

#[test]
fn zeros_of_a_matrix_are_no_dependencies() {
    let text = "A = [[-1.0, 0.0], [0.0, -2.0]]\nB = [[1.0, 0.0], [0.0, 1.0]]\nD = [[0.0, 3.0], [0.0, 0.0]]";
    let compiled = equations("state-space", text).unwrap();
    let states: Vec<_> = compiled.derivative_dependence.iter().map(|it| &it.states).collect();
    assert_eq!(states, [&vec![0], &vec![1]]);
    let inputs: Vec<_> = compiled.output_dependence.iter().map(|it| &it.inputs).collect();
    assert_eq!(inputs, [&vec![1], &vec![]]);
}
