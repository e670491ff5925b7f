//! The FMUs of `examples/aircraft/fmi2` have the equations and the dependencies of the blocks.

use super::{example_folder, example_parameters};
use crate::harness::{Bench, render_all};
use consort_core::{DependsOn, ModelDescription, Prng, Report};
use consort_models::{Loader, LoaderOptions, ModelRequest};

/// An FMU of the example, compiled into a folder that is gone afterwards.
fn fmu(name: &str) -> (Bench, tempfile::TempDir) {
    let cache = tempfile::tempdir().unwrap();
    let (python_library, compiler) = (None, None);
    let options =
        LoaderOptions { python_library, compiler, ..LoaderOptions::new(cache.path().to_owned()) };
    let (model, base) = (format!("fmi2/{name}"), example_folder());
    let request = ModelRequest { component: name, ..ModelRequest::new(&model, &base) };
    let mut report = Report::default();
    let loaded = Loader::new(options).load(&request, &mut report);
    (Bench::of(&loaded.unwrap_or_else(|| panic!("{}", render_all(&report))), "0.01", 1), cache)
}

/// Outputs with the inputs each follows at once.
fn feedthrough(description: &ModelDescription) -> Vec<(String, Vec<String>)> {
    let name = |index: usize| description.variables[index].name.clone();
    let row = |unknown: &consort_core::Unknown| {
        let DependsOn::These(list) = &unknown.on else { panic!("dependencies are declared") };
        let mut on: Vec<String> = list.iter().map(|(id, _)| name(id.index())).collect();
        on.sort_unstable();
        (name(unknown.variable.index()), on)
    };
    let mut rows: Vec<_> = description.structure.outputs.iter().map(row).collect();
    rows.sort_unstable();
    rows
}

/// Steps both with the same inputs and compares every output after every step. A step differs by a
/// few roundings, because the host's `sin` is not ours; no mode of the airplane grows fast, so 3000
/// steps with 100 roundings each stay below 3000 * 100 * 1.1e-16 = 3e-11 of what they are made of.
fn check(bench: &mut Bench, other: &mut Bench, seed: u64, mut feed: impl FnMut(&str, f64) -> f64) {
    println!("seed {seed}");
    let mut prng = Prng::new(seed);
    let names = |part: &ModelDescription, causality| -> Vec<String> {
        let list = part.variables.iter().filter(|variable| variable.causality == causality);
        list.map(|variable| variable.name.clone()).collect()
    };
    let inputs = names(&bench.description, consort_core::Causality::Input);
    let outputs = names(&bench.description, consort_core::Causality::Output);
    assert_eq!(inputs, names(&other.description, consort_core::Causality::Input));
    assert_eq!(outputs, names(&other.description, consort_core::Causality::Output));
    let mut worst = 0.0_f64;
    for n in 0..3000 {
        for input in &inputs {
            let value = feed(input, prng.next_f64() - 0.5);
            bench.set(input, value);
            other.set(input, value);
        }
        bench.step();
        other.step();
        for output in &outputs {
            let (ours, theirs) = (bench.get(output), other.get(output));
            let error = (ours - theirs).abs() / ours.abs().max(1.0);
            assert!(error < 3e-11, "{output} after {n} steps: {ours:?} and {theirs:?}");
            worst = worst.max(error);
        }
    }
    println!("worst {worst:.1e}");
}

#[test]
fn the_flight_fmu_flies_as_the_block_does() {
    let (mut other, _cache) = fmu("flight");
    let mut bench = Bench::fresh("flight-dynamics", &example_parameters("flight"), "0.01");
    let start = |bench: &mut Bench| {
        bench.set("density", 0.96);
        bench.set("speed_of_sound", 331.0);
        bench.start();
    };
    start(&mut bench);
    start(&mut other);
    check(&mut bench, &mut other, 20_261_116, |input, chance| match input {
        "density" => 0.96 + 0.1 * chance,
        "speed_of_sound" => 331.0 + chance,
        "elevator" => 0.0295 + 0.1 * chance,
        "aileron" | "rudder" => 0.1 * chance,
        "thrust_left" | "thrust_right" => 1200.0 + 500.0 * chance,
        _ => 6.0 * chance,
    });
}

#[test]
fn the_environment_fmu_is_the_atmosphere_of_the_block() {
    let (mut other, _cache) = fmu("environment");
    let parameters = "wind = [1, -2, 0.5]\ngust = [0, 3, -2]\ngust_start = 0.5\ngust_duration = 4";
    let mut bench = Bench::started("atmosphere", parameters, "0.01");
    for (name, value) in [
        ("wind0_north", 1.0),
        ("wind0_east", -2.0),
        ("wind0_down", 0.5),
        ("gust_east", 3.0),
        ("gust_down", -2.0),
        ("gust_start", 0.5),
        ("gust_duration", 4.0),
    ] {
        other.set(name, value);
    }
    other.start();
    check(&mut bench, &mut other, 20_261_117, |_, chance| 45_000.0 + 95_000.0 * chance);
}

#[test]
fn the_fmus_declare_the_dependencies_of_the_blocks_and_can_go_back() {
    for (name, block) in [("flight", "flight-dynamics"), ("environment", "atmosphere")] {
        let (other, _cache) = fmu(name);
        let bench = Bench::fresh(block, "", "0.01");
        assert_eq!(feedthrough(&other.description), feedthrough(&bench.description), "{name}");
        assert!(other.description.capabilities.save_state, "{name}");
    }
}
