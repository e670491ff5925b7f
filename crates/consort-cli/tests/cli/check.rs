//! `consort check`: plans written by hand, scenarios, and what is neither.

use crate::bench::{Bench, assert_said};
use crate::plan::{every_example, with_examples};

/// A motor and a cart, with an algorithm that reads and steps in the right order.
const CART: &str = "
name = \"cart and motor\"
scenario = {
  fmus = {
    motor = {
      inputs = { speed = {reactivity=delayed} }
      outputs = { force = {dependencies-init=[speed], dependencies=[speed]} }
    }
    cart = {
      inputs = { force = {reactivity=delayed} }
      outputs = { speed = {dependencies-init=[], dependencies=[]} }
    }
  }
  connections = [cart.speed -> motor.speed, motor.force -> cart.force]
}
initialization = [
  {get: cart.speed}
  {set: motor.speed}
  {get: motor.force}
  {set: cart.force}
]
cosim-step = [
  {step: cart}
  {step: motor}
  {get: cart.speed}
  {set: motor.speed}
  {get: motor.force}
  {set: cart.force}
]
";

/// The same text with two of its lines in each other's place.
fn swapped(text: &str, one: &str, other: &str) -> String {
    assert!(text.contains(one) && text.contains(other), "{text}");
    text.replace(one, "\u{0}").replace(other, one).replace('\u{0}', other)
}

fn program(bench: &Bench) -> String {
    bench.done(&["plan", "loop", "--format", "program"]).stdout
}

#[test]
fn what_plan_prints_check_accepts_for_every_example() {
    let bench = with_examples();
    for file in every_example() {
        for order in ["derived", "jacobi", "gauss-seidel"] {
            let options = if file.contains("spring") { vec![] } else { vec!["--order", order] };
            let plan = [&["plan", &file, "--format", "program"], &options[..]].concat();
            let said = bench.consort(&plan);
            if said.code == Some(1) && said.stderr.contains("plan::algebraic-loop") {
                continue;
            }
            assert_eq!(said.code, Some(0), "{file}, {order}: {said}");
            bench.write("plan.txt", &said.stdout);
            let said = bench.done(&[&["check", "plan", &file, "plan.txt"], &options[..]].concat());
            assert_eq!(said.stdout, "plan.txt: accepted\n", "{file}, {order}");
        }
    }
}

#[test]
fn two_lines_in_the_wrong_order_are_found() {
    let bench = Bench::with_loop();
    let (late, early) =
        ("    controller.u -> plant.u\n", "    plant.y -> controller.measurement\n");
    bench.write("swapped.txt", &swapped(&program(&bench), late, early));
    let said = bench.consort(&["check", "plan", "loop", "swapped.txt"]);
    assert_eq!(said.code, Some(1), "{said}");
    assert_said!(said);
}

/// The tour swaps two lines of the plan of its first example.
#[test]
fn the_tour_shows_a_real_refusal() {
    let bench = with_examples();
    let text = bench.done(&["plan", "examples/quickstart", "--format", "program"]).stdout;
    let (initialization, cycle) = text.split_once("present\n").unwrap();
    let (one, other) =
        ("    tank.level -> controller.measurement\n", "    controller.u -> tank.valve\n");
    let cycle = swapped(cycle, one, other);
    bench.write("swapped.txt", &format!("{initialization}present\n{cycle}"));
    let said = bench.consort(&["check", "plan", "examples/quickstart", "swapped.txt"]);
    assert_eq!(said.code, Some(1), "{said}");
    let root = consort_testkit::fmus::example("").parent().unwrap().to_owned();
    let tour = std::fs::read_to_string(root.join("docs/tour.md")).unwrap();
    let shown = format!("swapped.txt\n{}{}```", said.stdout, said.stderr);
    assert!(tour.contains(&shown), "the tour does not show\n{shown}");
}

#[test]
fn reading_before_giving_is_found() {
    let bench = Bench::with_loop();
    let text = program(&bench);
    let (right, wrong) = ("set setpoint, measurement; get u", "get u; set setpoint, measurement");
    assert_eq!(text.matches(right).count(), 2, "{text}");
    let (before, after) = text.rsplit_once(right).unwrap();
    bench.write("early.txt", &format!("{before}{wrong}{after}"));
    assert_said!(bench.consort(&["check", "plan", "loop", "early.txt"]));
}

#[test]
fn a_naive_plan_is_right_only_as_long_as_it_says_what_it_is() {
    let bench = Bench::with_loop();
    let text = bench.done(&["plan", "loop", "--order", "jacobi", "--format", "program"]).stdout;
    bench.write("naive.txt", &text);
    bench.done(&["check", "plan", "loop", "naive.txt"]);
    bench.write("naive.txt", &text.replace("order jacobi", "order derived"));
    let said = bench.consort(&["check", "plan", "loop", "naive.txt"]);
    assert_eq!(said.code, Some(1), "{said}");
    assert_said!(said);
}

#[test]
fn a_plan_in_another_order_than_the_system_says_so() {
    let bench = Bench::with_loop();
    let text = bench.done(&["plan", "loop", "--order", "jacobi", "--format", "program"]).stdout;
    bench.write("naive.txt", &text);
    let said = bench.done(&["check", "plan", "loop", "naive.txt"]);
    insta::assert_snapshot!(said.stderr, @r"
    note[check::other-order]: the plan's order is `jacobi`, the system's is `derived`
    help: the plan is checked with its own order; `--order jacobi` makes them agree
    ");
    let said = bench.done(&["check", "plan", "loop", "naive.txt", "--order", "jacobi"]);
    assert_eq!(said.stderr, "");
}

#[test]
fn what_is_no_plan_is_reported_with_its_lines() {
    let bench = Bench::with_loop();
    let text = program(&bench);
    let broken = text.replace("controller:", "controler:").replace("-> plant.u", "plant.u");
    bench.write("broken.txt", &broken.replace("plant: set u; step", "plant: set u; stop"));
    let said = bench.consort(&["check", "plan", "loop", "broken.txt"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(2), ""), "{said}");
    assert_said!(said);
}

#[test]
fn a_scenario_is_accepted_or_refused_with_what_it_missed() {
    let bench = Bench::new();
    bench.write("cart.conf", CART);
    let said = bench.done(&["check", "scenario", "cart.conf"]);
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("cart.conf: accepted\n", ""));
    let (before, after) = CART.split_once("cosim-step").unwrap();
    let after = swapped(after, "{set: motor.speed}", "{get: motor.force}");
    bench.write("early.conf", &format!("{before}cosim-step{after}"));
    let said = bench.consort(&["check", "scenario", "early.conf"]);
    assert_eq!(said.code, Some(1), "{said}");
    assert_said!(said);
}

#[test]
fn a_scenario_is_planned_and_the_result_is_accepted() {
    let bench = Bench::new();
    let (scenario, _) = CART.split_once("initialization").unwrap();
    bench.write("cart.conf", &format!("{scenario}initialization = []\ncosim-step = []\n"));
    let said = bench.consort(&["check", "scenario", "cart.conf"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(2), ""), "{said}");
    assert!(said.stderr.contains("help: `consort plan cart.conf` prints"), "{said}");
    let said = bench.done(&["plan", "cart.conf"]);
    bench.write("planned.conf", &said.stdout);
    bench.done(&["check", "scenario", "planned.conf"]);
    for format in ["program", "json", "dot", "svg"] {
        assert!(!bench.done(&["plan", "cart.conf", "--format", format]).stdout.is_empty());
    }
    assert_said!(said);
}

#[test]
fn options_of_experiments_do_not_apply_to_scenarios() {
    let bench = Bench::new();
    bench.write("cart.conf", CART);
    let said = bench.consort(&["plan", "cart.conf", "--order", "jacobi", "--stop", "3"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(2), ""), "{said}");
    assert_said!(said);
}

#[test]
fn a_broken_scenario_is_reported_with_its_lines() {
    let bench = Bench::new();
    bench.write("broken.conf", &CART.replace("cart.speed -> motor.sp", "cart.sped -> motor.sp"));
    bench.write("open.conf", &CART.replace("cart.force]\n", "cart.force\n"));
    for (verb, code) in [(&["check", "scenario"][..], 2), (&["plan"], 1)] {
        let said = bench.consort(&[verb, &["broken.conf"]].concat());
        assert_eq!((said.code, said.stdout.as_str()), (Some(code), ""), "{said}");
        let said = bench.consort(&[verb, &["open.conf"]].concat());
        assert_eq!((said.code, said.stdout.as_str()), (Some(code), ""), "{said}");
    }
    assert_said!(bench.consort(&["check", "scenario", "broken.conf"]));
    assert_said!(bench.consort(&["check", "scenario", "open.conf"]));
}

#[test]
fn what_is_not_there_cannot_be_judged() {
    let bench = Bench::with_loop();
    bench.write("notes.txt", "");
    for (args, code) in [
        (vec!["check", "plan", "loop", "gone.txt"], 2),
        (vec!["check", "plan", "loop", "loop"], 2),
        (vec!["check", "plan", "gone", "notes.txt"], 2),
        (vec!["check", "plan", "notes.txt", "notes.txt"], 2),
        (vec!["check", "plan", "loop", "notes.txt"], 2),
        (vec!["check", "plan", "loop"], 2),
        (vec!["check", "scenario", "gone.conf"], 2),
        (vec!["check", "scenario", "loop"], 2),
        (vec!["check", "scenario", "notes.txt"], 2),
        (vec!["check"], 2),
        (vec!["check", "taste"], 2),
    ] {
        let said = bench.consort(&args);
        assert_eq!((said.code, said.stdout.as_str()), (Some(code), ""), "{args:?}: {said}");
        assert!(!said.stderr.is_empty(), "{args:?}");
    }
}
