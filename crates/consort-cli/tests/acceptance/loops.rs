//! The circle of Chaudron et al. (2016), section 4: three cases, and what may be done about an algebraic
//! loop, against the global matrices of its equations 29 to 42, with D1' wherever D1 is printed.

use crate::linear::{self, Expected, Federate, Matrix, Names, Tolerance, iterate};
use crate::world::{NEVER_SAID, World, filters};
use consort_testkit::fmus::example;

/// How far a trace may be from the equations where nothing is iterated.
const TOLERANCE: Tolerance = Tolerance::Relative(1e-12);

/// Loops are solved to 1e-12; over a hundred steps the errors of single ones add up to a little more.
const ITERATED: Tolerance = Tolerance::Residual(5e-12);

const FMUS: [(&str, Names); 2] = [("fmi2", Names::Scalars), ("fmi3", Names::Arrays)];

/// The parts of the first federate that belong to u1 and u1'.
struct Parts {
    b: Matrix,
    b_circle: Matrix,
    d_circle: Matrix,
}

fn parts(one: &Federate) -> Parts {
    Parts { b: one.b.column(0), b_circle: one.b.column(1), d_circle: one.d.column(1) }
}

fn input(federates: &[Federate; 2]) -> Matrix {
    let [one, two] = federates;
    Matrix::blocks(&[&[&parts(one).b], &[&Matrix::zeros(two.x0.len(), 1)]])
}

/// Equations 29 and 30.
fn standard(source: &[f64]) -> Expected {
    let federates = linear::circle();
    let [one, two] = &federates;
    let Parts { b_circle, .. } = parts(one);
    let a = Matrix::blocks(&[&[&one.a, &b_circle.times(&two.c)], &[&two.b.times(&one.c), &two.a]]);
    let c = Matrix::blocks(&[
        &[&one.c, &Matrix::zeros(one.c.0.len(), two.x0.len())],
        &[&Matrix::zeros(two.c.0.len(), one.x0.len()), &two.c],
    ]);
    iterate(&a, &input(&federates), &c, &federates, source)
}

/// Equations 33 and 34.
fn one_feedthrough(source: &[f64]) -> Expected {
    let federates = linear::circle();
    let [one, two] = &federates;
    let Parts { b_circle, d_circle, .. } = parts(one);
    let d1c2 = d_circle.times(&two.c);
    let a = Matrix::blocks(&[
        &[&one.a, &b_circle.times(&two.c)],
        &[&two.b.times(&one.c), &two.a.plus(&two.b.times(&d1c2))],
    ]);
    let c =
        Matrix::blocks(&[&[&one.c, &d1c2], &[&Matrix::zeros(two.c.0.len(), one.x0.len()), &two.c]]);
    iterate(&a, &input(&federates), &c, &federates, source)
}

/// Equations 39 to 42.
fn closed_form(federates: &[Federate; 2], source: &[f64]) -> Expected {
    let [one, two] = federates;
    let Parts { b_circle, d_circle, .. } = parts(one);
    let inverse = |product: &Matrix| Matrix::identity(product.0.len()).minus(product).inverse();
    let first = inverse(&d_circle.times(&two.d));
    let second = inverse(&two.d.times(&d_circle));
    let c = Matrix::blocks(&[
        &[&first.times(&one.c), &first.times(&d_circle).times(&two.c)],
        &[&second.times(&two.d).times(&one.c), &second.times(&two.c)],
    ]);
    let a = Matrix::blocks(&[
        &[
            &one.a.plus(&b_circle.times(&second).times(&two.d).times(&one.c)),
            &b_circle.times(&second).times(&two.c),
        ],
        &[
            &two.b.times(&first).times(&one.c),
            &two.a.plus(&two.b.times(&first).times(&d_circle).times(&two.c)),
        ],
    ]);
    iterate(&a, &input(federates), &c, federates, source)
}

/// With a delay on the way back, u1'(n) = y2(n - 1), and what the input starts with at first.
fn delayed(source: &[f64]) -> Expected {
    let [one, two] = linear::circle();
    let (mut x1, mut x2) = (one.x0.clone(), two.x0.clone());
    let mut back = 0.0;
    let mut expected = Expected::default();
    for u in source {
        let y1 = one.output(&x1, &[*u, back]);
        let y2 = two.output(&x2, &y1);
        expected.states.push(vec![x1.clone(), x2.clone()]);
        expected.outputs.push(vec![y1.clone(), y2.clone()]);
        x1 = one.next(&x1, &[*u, back]);
        x2 = two.next(&x2, &y1);
        back = y2[0];
    }
    expected
}

fn check(
    file: &str,
    changes: &[(&str, &str)],
    names: Names,
    output: &str,
    tolerance: Tolerance,
    model: impl Fn(&[f64]) -> Expected,
) {
    let file = format!("feedback-loop/{file}.toml");
    linear::check(&file, changes, names, output, tolerance, model);
}

#[test]
fn circles_without_an_algebraic_loop_equal_the_global_matrices() {
    check("standard", &[], Names::Arrays, "y", TOLERANCE, standard);
    check("one-feedthrough", &[], Names::Arrays, "y", TOLERANCE, one_feedthrough);
}

/// The FMUs of the loop, but no output follows an input.
#[test]
fn fmus_in_a_circle_without_an_algebraic_loop_equal_the_global_matrices() {
    for (file, names) in FMUS {
        let inputs = if names == Names::Scalars { "[\"u1\", \"u2\"]" } else { "[\"u\"]" };
        let reactive = format!("reactive = {inputs}\n");
        let plain = [
            (reactive.as_str(), ""),
            ("reactive = true", "reactive = false"),
            ("loops = \"iterate\"\n", ""),
            ("\"federate2.y", "\"federate2.s"),
            ("\"federate1.y", "\"federate1.s"),
        ];
        check(file, &plain, names, "s", TOLERANCE, standard);
    }
}

/// The FMUs of the loop, but the second one's output does not follow its input: it steps first, with the
/// inputs at the start of its step.
#[test]
fn one_feedthrough_in_a_circle_of_fmus_needs_an_order_but_no_iteration() {
    let without = [("loops = \"iterate\"\n", ""), ("\"federate2.y", "\"federate2.s")];
    let two = [
        (
            "reactive = [\"u1\", \"u2\"]\n[components.federate2.parameters]\nreactive = true",
            "[components.federate2.parameters]\nreactive = false",
        ),
        ("D11 = 0.5\nD12 = 0.25\n", ""),
    ];
    let three = [
        (
            "reactive = [\"u\"]\nparameters.reactive = true\nparameters.A = [[-0.8",
            "parameters.reactive = false\nparameters.A = [[-0.8",
        ),
        ("[[0.5, 0.25], [0.0, 0.0]]", "[[0.0, 0.0], [0.0, 0.0]]"),
    ];
    for ((file, names), second) in FMUS.into_iter().zip([two, three]) {
        let changes = [without, second].concat();
        check(file, &changes, names, "y", TOLERANCE, one_feedthrough);
    }
}

#[test]
fn an_iterated_loop_equals_the_closed_form() {
    let right = |source: &[f64]| closed_form(&linear::circle(), source);
    check("system", &[], Names::Arrays, "y", ITERATED, right);
    for method in ["fixed-point", "newton", "broyden"] {
        let method = format!("tolerance = 1e-12\nmethod = \"{method}\"");
        check("system", &[("tolerance = 1e-12", &method)], Names::Arrays, "y", ITERATED, right);
    }
}

#[test]
fn fmus_in_an_iterated_loop_equal_the_closed_form() {
    let right = |source: &[f64]| closed_form(&linear::circle(), source);
    for (file, names) in FMUS {
        check(file, &[], names, "y", ITERATED, right);
    }
}

/// |D1' D2| = 1.9: going round and round does not converge.
#[test]
fn a_loop_that_does_not_contract_is_solved_too() {
    let mut federates = linear::circle();
    federates[0].d = Matrix::of(&[[0.0, 4.0], [0.0, -0.4]]);
    let right = |source: &[f64]| closed_form(&federates, source);
    let change = [("[[0.0, 0.6], [0.0, -0.4]]", "[[0.0, 4.0], [0.0, -0.4]]")];
    check("system", &change, Names::Arrays, "y", ITERATED, right);
    check("fmi2", &[("D12 = 0.6", "D12 = 4.0")], Names::Scalars, "y", ITERATED, right);
    let change = [("[[0.0, 0.6], [0.0, -0.4]]", "[[0.0, 4.0], [0.0, -0.4]]")];
    check("fmi3", &change, Names::Arrays, "y", ITERATED, right);
}

#[test]
fn a_delayed_connection_gives_what_one_delayed_edge_gives() {
    check("delay", &[], Names::Arrays, "y", TOLERANCE, delayed);
    let world = World::new();
    let source = linear::run(&world, "feedback-loop/delay.toml", &[]).floats("source.y");
    let (late, right) = (delayed(&source), closed_form(&linear::circle(), &source));
    let off = |n: usize| (late.outputs[n][1][0] - right.outputs[n][1][0]).abs();
    let worst = (0..source.len()).map(off).fold(0.0, f64::max);
    assert!(0.02 < worst, "a delay changes the result by {worst}");
    println!("the delay changes the result by up to {worst:.3}");
}

/// What the program says about a system it does not run.
fn refused(name: &str, file: &str, changes: &[(&str, &str)], code: i32) -> String {
    let world = World::new();
    linear::put(&world, &format!("feedback-loop/{file}.toml"), changes);
    let said = world.consort(&["run", "s", "--out", "run"]);
    assert_eq!(said.code, Some(code), "{said}");
    assert!(NEVER_SAID.iter().all(|word| !said.stderr.contains(word)), "{said}");
    insta::with_settings!({filters => filters()}, { insta::assert_snapshot!(name, said.stderr) });
    said.stderr
}

#[test]
fn a_loop_nothing_is_said_about_is_refused_by_name() {
    let said = refused("refused", "refused", &[], 1);
    assert!(said.contains("plan::algebraic-loop"), "{said}");
    for name in ["federate1.y", "federate2.u", "federate2.y", "federate1.u"] {
        assert!(said.contains(name), "{said}");
    }
}

/// D2 D1' = 1 exactly: there is no solution, or there are many.
#[test]
fn a_singular_loop_fails_and_says_so() {
    let change = [("[[0.0, 0.6], [0.0, -0.4]]", "[[0.0, 1.0], [0.0, 2.0]]")];
    let said = refused("singular", "system", &change, 2);
    assert!(said.contains("singular"), "{said}");
    let change = [("D12 = 0.6", "D12 = 1.0"), ("D22 = -0.4", "D22 = 2.0")];
    let said = refused("singular-fmi2", "fmi2", &change, 2);
    assert!(said.contains("singular"), "{said}");
}

#[test]
fn workers_do_not_change_a_bit_of_a_loop() {
    for file in ["system", "fmi2", "fmi3", "delay"] {
        let world = World::new();
        linear::put(&world, &format!("feedback-loop/{file}.toml"), &[]);
        linear::one_hash(&world);
    }
}

/// The message that the README shows is the one the program gives.
#[test]
fn the_readme_shows_the_real_refusal() {
    let world = World::new();
    let path = example("feedback-loop/refused.toml").display().to_string();
    let said = world.consort(&["run", &path]);
    let readme = std::fs::read_to_string(example("feedback-loop/README.md")).unwrap();
    let folder = example("feedback-loop").display().to_string();
    let said = said.stderr.replace(&folder, "examples/feedback-loop");
    for line in said.lines().filter(|line| !line.trim().is_empty()) {
        assert!(readme.contains(line.trim_end()), "the README lacks: {line}\n{said}");
    }
}
