//! Least and greatest values that models declare are watched while they run.

use crate::world::World;

/// Empties at 1 s, and continues.
const TANK: &str = "model tank\n  experiment stop 2 step 0.1\n  parameter outflow = 1\n\
    output state level = 1 \"m\" min 0 max 3\n  der(level) = -outflow\nend\n";

/// What is said of ranges.
fn said(world: &World, line: &[&str]) -> String {
    let said = world.done(line).stderr;
    let lines: Vec<&str> =
        said.lines().skip_while(|it| !it.contains("run::out-of-range")).collect();
    lines.join("\n")
}

#[test]
fn a_value_that_leaves_its_range_is_a_warning_with_its_first_time() {
    let world = World::new();
    world.write("tank.eq", TANK);
    for workers in ["1", "2", "8"] {
        let said = said(&world, &["run", "tank.eq", "--workers", workers, "--out", "out"]);
        assert!(said.contains("`tank.level` became -0.1"), "{said}");
        assert!(said.contains("below its least value 0, at 1.1 s"), "{said}");
        assert!(said.contains("help: its model declares this range"), "{said}");
    }
    let upwards = ["run", "tank.eq", "--set", "outflow=-2", "--out", "up"];
    let said = said(&world, &upwards);
    assert!(said.contains("above its greatest value 3, at 1.1 s"), "{said}");
    world.write("free/tank.eq", TANK.replace(" min 0 max 3", ""));
    world.done(&["run", "free/tank.eq", "--out", "unwatched"]);
    assert_eq!(world.trace_hash("unwatched"), world.trace_hash("out"), "it changes nothing");
}

#[test]
fn an_exported_fmu_and_what_it_is_fed_are_watched_too() {
    let world = World::new();
    let text = TANK.replace("parameter outflow = 1", "input outflow = 0 min -1 max 5");
    world.write("tank.eq", text);
    world.done(&["export", "fmu", "tank.eq", "s/tank.fmu"]);
    world.system(
        "[experiment]\nstop = 2\nstep = 0.1\n[components.tank]\nmodel = \"tank.fmu\"\n\
         [components.pump]\nmodel = \"native:ramp\"\nparameters = { duration = 2, to = 20 }\n\
         [[connections]]\nfrom = \"pump.y\"\nto = \"tank.outflow\"\n",
    );
    let said = said(&world, &["run", "s", "--out", "out"]);
    assert!(
        said.contains("`tank.outflow` became 6, above its greatest value 5, at 0.6 s"),
        "{said}"
    );
    assert!(said.contains("after it `tank.level`"), "{said}");
}

#[test]
fn the_error_of_a_solver_is_no_violation() {
    let world = World::new();
    world.write(
        "decay.eq",
        "model decay\n  experiment stop 40 step 0.5\n  output state x = 1 min 0 max 1\n  der(x) = -x\nend\n",
    );
    for solver in ["bdf", "adams", "dopri5", "dop853"] {
        let said = said(&world, &["run", "decay.eq", "--solver", solver, "--out", "out"]);
        assert_eq!(said, "", "{solver}");
    }
}
