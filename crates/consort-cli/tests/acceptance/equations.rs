//! Models written as equations or in SBML: alone, in systems, wrong, and as the examples have them.

mod bad;

use crate::record::Record;
use crate::world::World;
use consort_testkit::fmus::example;
use std::fs;

const BALL: &str = r#"model ball "a ball on a floor"
  experiment stop 2 step 0.01 tolerance 1e-9
  parameter g = 9.81 "m/s2"
  parameter e = 0.8
  output state h = 1 "m"
  state v = 0 "m/s"
  output discrete bounces = 0
  der(h) = v
  der(v) = -g
  when h < 0 then
    v = -e*v
    bounces = bounces + 1
  end
end
"#;

fn world(files: &[(&str, &str)]) -> World {
    let world = World::new();
    files.iter().for_each(|(name, text)| world.write(name, text));
    world
}

/// Runs a model alone; what was recorded.
fn run(world: &World, model: &str, options: &[&str]) -> Record {
    world.done(&[&["run", model, "--out", "run", "--csv"], options].concat());
    Record::parse(&world.read("run/trace.csv"))
}

fn last(record: &Record, name: &str) -> f64 {
    *record.floats(name).last().unwrap()
}

fn assert_near(found: f64, expected: f64, tolerance: f64, what: &str) {
    let error = (found - expected).abs();
    assert!(error <= tolerance, "{what}: {found} for {expected}, error {error:e}");
}

/// The height of the ball after its first bounce.
fn height(g: f64, t: f64) -> f64 {
    let speed = 0.8 * (2.0 * g).sqrt();
    let since = t - (2.0 / g).sqrt();
    speed * since - 0.5 * g * since * since
}

#[test]
fn a_model_of_equations_runs_alone_as_its_author_had_in_mind() {
    let world = world(&[("ball.eq", BALL)]);
    let record = run(&world, "ball.eq", &[]);
    assert_eq!(record.times().len(), 201);
    let row = record.row_at(1.0).unwrap();
    assert_near(record.floats("ball.h")[row], height(9.81, 1.0), 1e-6, "at one second");
    assert_near(last(&record, "ball.bounces"), 3.0, 0.0, "bounces");
    let manifest = world.manifest("run");
    assert_eq!(manifest["experiment"]["stop"], "2");
    assert_eq!(manifest["experiment"]["tolerance"], 1e-9);
    let inputs = manifest["inputs"].as_array().unwrap();
    assert_eq!(inputs.len(), 1, "{inputs:?}");
    assert_eq!((&inputs[0]["path"], &inputs[0]["role"]), (&"ball.eq".into(), &"equations".into()));
}

#[test]
fn parameters_and_first_values_are_set_from_outside() {
    let world = world(&[("ball.eq", BALL)]);
    let record = run(&world, "ball.eq", &["--set", "g=1.62", "--stop", "1.5"]);
    assert_near(last(&record, "ball.h"), height(1.62, 1.5), 1e-6, "on the moon");
    let record = run(&world, "ball.eq", &["--set", "h=2", "--stop", "0.5"]);
    assert_near(last(&record, "ball.h"), 2.0 - 0.5 * 9.81 * 0.25, 1e-9, "from another height");
    let said = world.consort(&["run", "ball.eq", "--set", "bounces2=1"]);
    assert!(said.stderr.contains("did you mean `bounces`?"), "{said}");
}

#[test]
fn inputs_come_from_a_table() {
    let text = "model cart\nexperiment stop 4 step 0.1 tolerance 1e-9\ninput push = 0\noutput state x = 0\n\
                state v = 0\noutput feel = 2*push\nder(x) = v\nder(v) = push\nend";
    let table = "time,push\n0,1\n1,0\n2,-1\n3,0\n";
    let world = world(&[("cart.eq", text), ("push.csv", table)]);
    let record = run(&world, "cart.eq", &["--input", "push.csv", "--set", "x=5"]);
    // The table is read at each tag, straight between its rows, and holds until the next.
    let push = |t: f64| if t < 2.0 { 1.0 - t } else { (t - 3.0).min(0.0) };
    let (mut x, mut v, h) = (5.0, 0.0, 0.1);
    for step in 0..40 {
        let push = push(f64::from(step) * h);
        x += h * (v + 0.5 * h * push);
        v += h * push;
    }
    assert_near(last(&record, "cart.x"), x, 1e-5, "where it is");
    let felt = record.floats("cart.feel")[record.row_at(2.0).unwrap()];
    assert_near(felt, -2.0, 0.0, "at once");
}

#[test]
fn outputs_that_follow_inputs_are_handed_on_at_the_same_tag() {
    let gain = "model gain\nparameter k = 2\ninput u = 0\noutput y = k*u\nend";
    let lag = "model lag\ninput u = 0\noutput state x = 0\nder(x) = u - x\nend";
    let mut text = "[experiment]\nstop = 2\nstep = 0.1\n\
                    [components.source]\nmodel = \"native:sine\"\n"
        .to_owned();
    // Listed against the direction of the wires, so that the order must be found.
    for (name, model) in [("c", "gain"), ("b", "gain"), ("a", "gain"), ("late", "lag")] {
        text += &format!("[components.{name}]\nmodel = \"{model}.eq\"\n");
    }
    for (from, to) in [("source.y", "a.u"), ("a.y", "b.u"), ("b.y", "c.u"), ("c.y", "late.u")] {
        text += &format!("[[connections]]\nfrom = \"{from}\"\nto = \"{to}\"\n");
    }
    let world = world(&[("s/gain.eq", gain), ("s/lag.eq", lag), ("s/system.toml", &text)]);
    let record = run(&world, "s", &[]);
    let (source, last) = (record.floats("source.y"), record.floats("c.y"));
    for (at, (source, last)) in source.iter().zip(last).enumerate() {
        assert_eq!((8.0 * source).to_bits(), last.to_bits(), "at row {at}");
    }
    let plan = world.done(&["plan", "s"]).stdout;
    assert!(
        plan.starts_with("s: order derived, 5 components, 4 levels, no loop, no delay"),
        "{plan}"
    );
}

/// Balls, delays, events that wait, and wires between them.
fn busy() -> World {
    let echo = "model echo\ninput u = 0\noutput state x = 0\noutput discrete n = 0\n\
                der(x) = u - delay(x, 0.3)\n\
                when x > 0.2 after 0.25 then\n  n = n + 1\n  x = x/2\nend\nend";
    let mut text = "[experiment]\nstop = 3\nstep = 0.05\n".to_owned();
    for at in 0..4 {
        text +=
            &format!("[components.ball{at}]\nmodel = \"ball.eq\"\nparameters = {{ h = 1.{at} }}\n");
        text += &format!("[components.echo{at}]\nmodel = \"echo.eq\"\n");
        text += &format!("[[connections]]\nfrom = \"ball{at}.h\"\nto = \"echo{at}.u\"\n");
    }
    world(&[("s/ball.eq", BALL), ("s/echo.eq", echo), ("s/system.toml", &text)])
}

#[test]
fn the_trace_is_the_same_for_any_number_of_workers() {
    let world = busy();
    for coupling in ["together", "apart"] {
        let hashes = ["1", "2", "8"].map(|workers| {
            let options = ["--workers", workers, "--continuous", coupling, "--out", workers];
            world.done(&[&["run", "s"], &options[..]].concat());
            world.trace_hash(workers)
        });
        assert_eq!([&hashes[0], &hashes[0]], [&hashes[1], &hashes[2]], "{coupling}");
    }
    let said = world.done(&["repeat", "s", "--runs", "6"]);
    assert!(said.stdout.contains("identical"), "{said}");
}

#[test]
fn a_network_of_reactions_runs_alone() {
    let world = World::new();
    fs::copy(example("glycolysis").join("glycolysis.sbml"), world.path("cell.sbml")).unwrap();
    let said = world.done(&["run", "cell.sbml", "--csv", "--out", "run"]);
    assert!(said.stderr.contains("it runs to 100 s in steps of 0.1 s"), "{said}");
    let record = Record::parse(&world.read("run/trace.csv"));
    assert_eq!(record.times().len(), 1001);
    let (f6p, adp) = glycolysis(100.0, f64::INFINITY);
    assert_near(last(&record, "cell.F6P"), f6p, 1e-3, "F6P");
    assert_near(last(&record, "cell.ADP"), adp, 1e-3, "ADP");
    let total = 4.0;
    assert_near(last(&record, "cell.ATP"), total - last(&record, "cell.ADP"), 1e-12, "ATP");
}

/// The equations of the example, by the classical Runge-Kutta method in small steps.
fn glycolysis(stop: f64, fed_at: f64) -> (f64, f64) {
    let h = 1e-3;
    let slope = |t: f64, [f6p, adp]: [f64; 2]| {
        let supply = if t < fed_at { 0.6 } else { 0.9 };
        let pfk = (0.08 + adp * adp) * f6p;
        [supply - pfk, pfk - adp]
    };
    let add = |x: [f64; 2], k: [f64; 2], h: f64| [x[0] + h * k[0], x[1] + h * k[1]];
    let mut x = [1.0, 1.0];
    let steps = (stop / h).round() as u32;
    for n in 0..steps {
        let t = f64::from(n) * h;
        // Half a step inside, so that the feeding is on one side for all four.
        let middle = t + 0.5 * h;
        let k1 = slope(middle, x);
        let k2 = slope(middle, add(x, k1, 0.5 * h));
        let k3 = slope(middle, add(x, k2, 0.5 * h));
        let k4 = slope(middle, add(x, k3, h));
        let sum = |at: usize| (k1[at] + 2.0 * (k2[at] + k3[at]) + k4[at]) / 6.0;
        x = add(x, [sum(0), sum(1)], h);
    }
    (x[0], x[1])
}

#[test]
fn glycolysis_oscillates_until_it_is_fed() {
    let world = World::new();
    let path = example("glycolysis").display().to_string();
    let record = run(&world, &path, &[]);
    let at = |name: &str, time: f64| record.floats(name)[record.row_at(time).unwrap()];
    for time in [40.0, 149.0, 160.0] {
        let (f6p, adp) = glycolysis(time, 150.0);
        assert_near(at("cell.F6P", time), f6p, 2e-3, &format!("F6P at {time}"));
        assert_near(at("cell.ADP", time), adp, 2e-3, &format!("ADP at {time}"));
    }
    // Fed well it comes to rest, where ADP is what comes in.
    assert_near(last(&record, "cell.ADP"), 0.9, 5e-3, "at rest");
    assert!((15.0..25.0).contains(&last(&record, "sensor.peaks")), "peaks before that");
}

#[test]
fn the_paddle_throws_the_ball_as_high_as_it_shall_fly() {
    let world = World::new();
    let path = example("bouncing-ball").display().to_string();
    let record = run(&world, &path, &[]);
    let (bounces, energies) = (record.floats("ball.bounces"), record.floats("ball.energy"));
    // From impact to impact: the paddle's mirror law as a map of the ball's energy.
    let (g, e, target, gain) = (9.81_f64, 0.7_f64, 2.0, 0.01);
    let mut energy = g;
    for bounce in 1..=8 {
        let mirror = (1.0 - e) / (1.0 + e) + gain * (g * target - energy);
        energy *= (e + (1.0 + e) * mirror).powi(2);
        let row = bounces.iter().position(|it| *it >= f64::from(bounce)).unwrap();
        assert_near(energies[row], energy, 1e-4, &format!("bounce {bounce}"));
    }
    assert_near(energy, g * target, 0.05, "as high as it shall fly");
}

/// A fast reaction A -> B with the law k*A*B, and k = -1 until it is 1 at 1.5 s.
const TURNED: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<sbml xmlns="http://www.sbml.org/sbml/level2/version4" level="2" version="4"><model id="turned">
  <listOfCompartments><compartment id="C" size="1"/></listOfCompartments>
  <listOfSpecies><species id="A" compartment="C" initialConcentration="5"/>
    <species id="B" compartment="C" initialConcentration="5"/></listOfSpecies>
  <listOfParameters><parameter id="k" value="-1" constant="false"/></listOfParameters>
  <listOfReactions><reaction id="F" fast="true">
    <listOfReactants><speciesReference species="A"/></listOfReactants>
    <listOfProducts><speciesReference species="B"/></listOfProducts>
    <kineticLaw><math xmlns="http://www.w3.org/1998/Math/MathML">
      <apply><times/><ci>k</ci><ci>A</ci><ci>B</ci></apply></math></kineticLaw></reaction></listOfReactions>
  <listOfEvents><event><trigger><math xmlns="http://www.w3.org/1998/Math/MathML"><apply><gt/>
      <csymbol encoding="text" definitionURL="http://www.sbml.org/sbml/symbols/time">t</csymbol><cn>1.5</cn>
    </apply></math></trigger><listOfEventAssignments><eventAssignment variable="k">
      <math xmlns="http://www.w3.org/1998/Math/MathML"><cn>1</cn></math></eventAssignment></listOfEventAssignments>
  </event></listOfEvents></model></sbml>"#;

#[test]
fn a_fast_reaction_is_where_it_flows_to_and_refuses_to_stay_where_it_would_leave() {
    let world = world(&[("turned.sbml", TURNED)]);
    world.done(&["export", "fmu", "turned.sbml", "exported.fmu"]);
    for (model, name) in [("turned.sbml", "turned"), ("exported.fmu", "exported")] {
        let record = run(&world, model, &["--stop", "1", "--step", "0.5"]);
        assert_near(last(&record, &format!("{name}.A")), 10.0, 1e-9, model);
        assert_near(last(&record, &format!("{name}.B")), 0.0, 1e-9, model);
        let said = world.consort(&["run", model, "--out", "late", "--stop", "2", "--step", "0.5"]);
        assert_eq!(said.code, Some(2), "{}", said.stderr);
        assert!(said.stderr.contains("`F_extent`"), "{}", said.stderr);
        fs::remove_dir_all(world.path("late")).unwrap();
    }
}
