//! The chain of Chaudron et al. (2016), section 3: four federates in a row, as native components and as
//! FMUs of both versions, against the global matrices of its equations 19 to 24.

use crate::linear::{self, Expected, Federate, Matrix, Names, Tolerance, iterate};
use crate::record::Record;
use crate::world::World;
use consort_testkit::fmus::example;
use std::fs;

/// How far a trace may be from the equations.
const TOLERANCE: Tolerance = Tolerance::Relative(1e-12);

const KINDS: [(&str, Names); 3] =
    [("system", Names::Arrays), ("fmi2", Names::Scalars), ("fmi3", Names::Arrays)];

/// Equations 19 and 20: no output follows an input at once.
fn standard(source: &[f64]) -> Expected {
    let federates = linear::chain();
    let [one, two, three] = &federates;
    let zeros = |a: &Matrix, b: &Matrix| Matrix::zeros(a.0.len(), b.0[0].len());
    let a = Matrix::blocks(&[
        &[&one.a, &zeros(&one.a, &two.a), &zeros(&one.a, &three.a)],
        &[&two.b.times(&one.c), &two.a, &zeros(&two.a, &three.a)],
        &[&zeros(&three.a, &one.a), &three.b.times(&two.c), &three.a],
    ]);
    let c = Matrix::blocks(&[
        &[&one.c, &zeros(&one.c, &two.a), &zeros(&one.c, &three.a)],
        &[&zeros(&two.c, &one.a), &two.c, &zeros(&two.c, &three.a)],
        &[&zeros(&three.c, &one.a), &zeros(&three.c, &two.a), &three.c],
    ]);
    iterate(&a, &input(&federates), &c, &federates, source)
}

/// Equations 23 and 24, with the D3 C2 that stands there as D3 C3.
fn feedthrough(source: &[f64]) -> Expected {
    let federates = linear::chain();
    let [one, two, three] = &federates;
    let zeros = |a: &Matrix, b: &Matrix| Matrix::zeros(a.0.len(), b.0[0].len());
    let d2c1 = two.d.times(&one.c);
    let a = Matrix::blocks(&[
        &[&one.a, &zeros(&one.a, &two.a), &zeros(&one.a, &three.a)],
        &[&two.b.times(&one.c), &two.a, &zeros(&two.a, &three.a)],
        &[&three.b.times(&d2c1), &three.b.times(&two.c), &three.a],
    ]);
    let c = Matrix::blocks(&[
        &[&one.c, &zeros(&one.c, &two.a), &zeros(&one.c, &three.a)],
        &[&d2c1, &two.c, &zeros(&two.c, &three.a)],
        &[&three.d.times(&d2c1), &three.d.times(&two.c), &three.c],
    ]);
    iterate(&a, &input(&federates), &c, &federates, source)
}

/// The source drives the first federate only.
fn input(federates: &[Federate; 3]) -> Matrix {
    let [one, two, three] = federates;
    let none = |federate: &Federate| Matrix::zeros(federate.x0.len(), 1);
    Matrix::blocks(&[&[&one.b], &[&none(two)], &[&none(three)]])
}

/// What the naive order shows: a state is moved by the input of its time, but an output that follows
/// an input shows that of the step before, so every feedthrough on the way costs one step.
fn naive(source: &[f64]) -> Expected {
    let federates = linear::chain();
    let mut x: Vec<Vec<f64>> = federates.iter().map(|federate| federate.x0.clone()).collect();
    let mut inputs_before: Option<Vec<Vec<f64>>> = None;
    let mut expected = Expected::default();
    for u in source {
        let (mut inputs, mut outputs) = (vec![vec![*u]], Vec::new());
        for (i, federate) in federates.iter().enumerate() {
            // In initialization everything is computed in its order.
            let seen = inputs_before.as_ref().map_or(&inputs[i], |before| &before[i]);
            let y = federate.output(&x[i], seen);
            outputs.push(y.clone());
            inputs.push(y);
        }
        expected.states.push(x.clone());
        expected.outputs.push(outputs);
        for (i, federate) in federates.iter().enumerate() {
            x[i] = federate.next(&x[i], &inputs[i]);
        }
        inputs_before = Some(inputs);
    }
    expected
}

fn check(
    file: &str,
    changes: &[(&str, &str)],
    names: Names,
    output: &str,
    model: fn(&[f64]) -> Expected,
) {
    let file = format!("feedthrough-chain/{file}.toml");
    linear::check(&file, changes, names, output, TOLERANCE, model);
}

#[test]
fn without_feedthrough_even_the_naive_order_equals_the_global_matrices() {
    check("standard", &[], Names::Arrays, "y", standard);
    check("standard", &[("record", "order = \"jacobi\"\nrecord")], Names::Arrays, "y", standard);
    // FMUs whose inputs are those at the start of a step need no special order either.
    let plain = [("order = \"gauss-seidel\"\n", ""), ("reactive = true", "reactive = false")];
    let scalars = [("federate1.y", "federate1.s"), ("federate2.y", "federate2.s")];
    for (file, names) in &KINDS[1..] {
        let changes = [plain, scalars].concat();
        check(file, &changes, *names, "s", standard);
    }
}

#[test]
fn with_feedthrough_the_derived_order_equals_the_global_matrices() {
    check("system", &[], Names::Arrays, "y", feedthrough);
}

/// Native components hold what they are given over a step: if that is the input of the step's end, it
/// moves their states.
#[test]
fn native_components_one_after_another_are_moved_by_the_inputs_at_the_end_of_steps() {
    fn reactive(source: &[f64]) -> Expected {
        let federates = linear::chain();
        let mut x: Vec<Vec<f64>> = federates.iter().map(|federate| federate.x0.clone()).collect();
        let mut expected = Expected::default();
        for (n, u) in source.iter().enumerate() {
            let mut values = vec![vec![*u]];
            for (i, federate) in federates.iter().enumerate() {
                if n != 0 {
                    x[i] = federate.next(&x[i], &values[i]);
                }
                values.push(federate.output(&x[i], &values[i]));
            }
            expected.states.push(x.clone());
            expected.outputs.push(values[1..].to_vec());
        }
        expected
    }
    let gauss_seidel = [("record", "order = \"gauss-seidel\"\nrecord")];
    check("system", &gauss_seidel, Names::Arrays, "y", reactive);
}

#[test]
fn fmus_stepped_one_after_another_equal_the_global_matrices() {
    for (file, names) in &KINDS[1..] {
        check(file, &[], *names, "y", feedthrough);
        // The same, said input by input.
        let inputs = if *names == Names::Scalars { "[\"u1\", \"u2\"]" } else { "[\"u\"]" };
        let model = format!("model = \"linear-{file}\"");
        let reactive = format!("{model}\nreactive = {inputs}");
        let changes = [("order = \"gauss-seidel\"\n", ""), (&model, &reactive)];
        check(file, &changes, *names, "y", feedthrough);
    }
}

#[test]
fn the_naive_order_is_late_by_one_step_for_each_feedthrough() {
    check("jacobi", &[], Names::Arrays, "y", naive);
    // FMUs read their inputs at the start of a step are the naive order, if nothing else is said.
    let changes = [("order = \"gauss-seidel\"\n", ""), ("reactive = true", "reactive = false")];
    for (file, names) in &KINDS[1..] {
        check(file, &changes, *names, "y", naive);
    }
    let world = World::new();
    let record = linear::run(&world, "feedthrough-chain/jacobi.toml", &[]);
    let source = record.floats("source.y");
    let (late, right) = (naive(&source), feedthrough(&source));
    let off = |n: usize| (late.outputs[n][2][0] - right.outputs[n][2][0]).abs();
    let worst = (0..source.len()).map(off).fold(0.0, f64::max);
    assert!(0.05 < worst, "the naive order is wrong by {worst}");
    println!("the naive order is wrong by up to {worst:.3}");
}

/// FMUs that take their inputs for those at the end of a step, but get those at its start, are late by
/// one step for each connection.
#[test]
fn fmus_in_the_wrong_order_are_late_by_one_step_for_each_connection() {
    fn late(source: &[f64]) -> Expected {
        let federates = linear::chain();
        let mut x: Vec<Vec<f64>> = federates.iter().map(|federate| federate.x0.clone()).collect();
        let mut before: Option<Vec<Vec<f64>>> = None;
        let mut expected = Expected::default();
        for u in source {
            let (mut values, mut seen) = (vec![vec![*u]], Vec::new());
            for (i, federate) in federates.iter().enumerate() {
                let input = before.as_ref().map_or(&values[i], |before| &before[i]).clone();
                values.push(federate.output(&x[i], &input));
                seen.push(input);
            }
            expected.states.push(x.clone());
            expected.outputs.push(values[1..].to_vec());
            for (i, federate) in federates.iter().enumerate() {
                x[i] = federate.next(&x[i], &seen[i]);
            }
            before = Some(values);
        }
        expected
    }
    for (file, names) in &KINDS[1..] {
        check(file, &[("order = \"gauss-seidel\"\n", "")], *names, "y", late);
    }
}

/// How many steps after the source the fiftieth component sees its signal.
fn delay(record: &Record) -> usize {
    let (source, last) = (record.floats("source.y"), record.floats("c50.u"));
    let delay = (0..source.len()).find(|&n| source[..source.len() - n] == last[n..]);
    let delay = delay.expect("the signal arrives");
    assert_eq!(last[..delay], vec![source[0]; delay]);
    delay
}

#[test]
fn fifty_feedthroughs_cost_nothing_or_49_steps() {
    let world = World::new();
    for (file, expected) in [("fifty", 0), ("fifty-jacobi", 49)] {
        let path = example(&format!("feedthrough-chain/{file}.toml")).display().to_string();
        world.done(&["run", &path, "--csv", "--out", file]);
        let record = Record::parse(&world.read(&format!("{file}/trace.csv")));
        assert!(record.floats("source.y").contains(&1.0));
        assert_eq!(delay(&record), expected, "{file}");
        same_picture(&world, file);
    }
}

/// The picture in the example's README is that of the run; `cargo xtask bless` draws it anew.
fn same_picture(world: &World, file: &str) {
    let drawn = world.read(&format!("{file}/plot.svg"));
    let path = example(&format!("feedthrough-chain/{file}.svg"));
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        fs::write(&path, &drawn).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(drawn == kept, "{} is out of date: run `cargo xtask bless`", path.display());
}

/// What a README shows of its run is what the run says, but for the time it took.
#[test]
fn the_readmes_show_what_the_examples_say() {
    for name in ["feedthrough-chain", "feedback-loop", "spring-damper"] {
        let world = World::new();
        let said = world.done(&["run", &example(name).display().to_string()]).stderr;
        let readme = fs::read_to_string(example(name).join("README.md")).unwrap();
        for part in said.lines().flat_map(|line| line.split(" in ")) {
            let part = part.split_once(" ms; ").map_or(part, |(_, rest)| rest);
            let part = part.split_once(" s; ").map_or(part, |(_, rest)| rest);
            assert!(readme.contains(part), "{name}: the README lacks `{part}` of\n{said}");
        }
    }
}

/// Every system file of these examples runs, but the one that shall not.
#[test]
fn all_files_of_the_examples_run() {
    let world = World::new();
    let mut count = 0;
    for folder in ["feedthrough-chain", "feedback-loop", "spring-damper"] {
        for entry in fs::read_dir(example(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.ends_with(".toml") && name != "refused.toml" {
                let (path, out) = (path.display().to_string(), format!("{folder}-{name}"));
                world.done(&["run", &path, "--out", &out]);
                count += 1;
            }
        }
    }
    assert!(14 <= count, "{count} files");
}

#[test]
fn workers_do_not_change_a_bit_of_a_chain() {
    for (file, _) in KINDS {
        let world = World::new();
        linear::put(&world, &format!("feedthrough-chain/{file}.toml"), &[]);
        linear::one_hash(&world);
    }
}
