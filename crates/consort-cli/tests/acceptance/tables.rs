//! Tables of inputs with jumps, in every kind of run: against FMPy, closed forms and interventions.

use crate::record::Record;
use crate::world::World;
use consort_testkit::fmus::{BuildOptions, Fmi};
use consort_testkit::python;

const BOTH: [Fmi; 2] = [Fmi::V2, Fmi::V3];

/// A system of one component that a table feeds, in the folder `s`.
fn fed(model: &str, fmi: Fmi, experiment: &str, table: &str) -> World {
    let world = World::new();
    world.archive(model, fmi, &BuildOptions::archive());
    world.write("s/in.csv", table);
    let input = "input = \"in.csv\"\nrecord = \"all\"\n";
    let component = format!("[components.it]\nmodel = \"{model}.fmu\"\n");
    world.system(&format!("[experiment]\n{input}{experiment}\n{component}"));
    world
}

fn run(world: &World, options: &[&str]) -> Record {
    world.done(&[&["run", "s", "--out", "run", "--csv", "--quiet"], options].concat());
    Record::parse(&world.read("run/trace.csv"))
}

/// Lines and jumps whose values at the steps are exact: both compute the same numbers.
const JUMPS: &str = "time,u\n0,1\n0.5,1\n0.5,-3\n0.5,2\n1,4\n1,0\n1.25,0\n1.25,0\n1.5,8\n2,8\n";

#[test]
fn a_table_with_jumps_is_what_fmpy_makes_of_it() {
    for fmi in BOTH {
        let world = fed("integrator", fmi, "stop = 2\nstep = \"1/64\"", JUMPS);
        let record = run(&world, &[]);
        let (fmu, table) = (world.path("s/integrator.fmu"), world.path("s/in.csv"));
        let answer = python::simulate_fed(&fmu, &table, 2.0, 1.0 / 64.0);
        let names = answer["names"].as_array().unwrap();
        let column = names.iter().position(|name| name == "y").unwrap();
        let rows = answer["rows"].as_array().unwrap();
        assert_eq!((rows.len(), record.times().len()), (129, 129), "{fmi:?}");
        for (row, ours) in rows.iter().zip(record.floats("it.y")) {
            let theirs = python::float(&row[column]);
            assert_eq!(theirs.to_bits(), ours.to_bits(), "{fmi:?} at {}", python::float(&row[0]));
        }
    }
}

/// From a jump of the input from 0 to 1 on, an integrator counts the time.
#[test]
fn an_integrator_counts_from_the_jump_on() {
    let step = "time,u\n0,0\n0.75,0\n0.75,1\n";
    for fmi in BOTH {
        let world = fed("integrator", fmi, "stop = 2\nstep = 0.25", step);
        assert_eq!(run(&world, &[]).floats("it.y").last(), Some(&1.25), "{fmi:?}");
        // A row less than a tick after another is a jump as well.
        world.write("s/in.csv", "time,u\n0,0\n0.75,0\n0.7500000000001,1\n");
        assert_eq!(run(&world, &[]).floats("it.y").last(), Some(&1.25), "{fmi:?}");
    }
}

/// Steps of changing size end where the table jumps, wherever that is.
#[test]
fn steps_of_changing_size_end_at_jumps() {
    let sizes = "[experiment.variable-step]\ninitial = 0.1\nmin = 1e-6\nmax = 0.5\nrelative = 1e-3";
    for fmi in BOTH {
        let table = "time,u\n0,0\n0.3173,0\n0.3173,1\n1.71,1\n1.71,-2\n";
        let world = fed("integrator", fmi, &format!("stop = 2\nstep = 0.1\n{sizes}"), table);
        let record = run(&world, &[]);
        let times = record.times();
        assert!([0.3173, 1.71].iter().all(|jump| times.contains(jump)), "{times:?}");
        let last = *record.floats("it.y").last().unwrap();
        let expected = (1.71 - 0.3173) - 2.0 * (2.0 - 1.71);
        assert!((last - expected).abs() < 1e-12, "{fmi:?}: {last} is not {expected}");
    }
}

/// A free mass that a force acts on from 0.75 s on, integrated by solvers of every family.
#[test]
fn a_jump_is_an_event_for_a_solver() {
    for fmi in BOTH {
        let table = "time,f,k\n0,0,0\n0.75,0,0\n0.75,3,0\n2,3,0\n";
        let world = fed("exchange-mass", fmi, "stop = 2\nstep = 0.25", table);
        for solver in ["euler", "rk4", "dopri5", "ab3", "adams", "bdf"] {
            let record = run(&world, &["--solver", solver]);
            let v = *record.floats("it.v").last().unwrap();
            assert!((v - 3.0 * 1.25).abs() < 1e-4, "{fmi:?} {solver}: {v}");
            let before = record.row_at(0.75).unwrap();
            assert_eq!(record.column("it.v")[before], "0.0", "{fmi:?} {solver}");
        }
    }
}

/// A table sets a tunable parameter as an intervention would.
#[test]
fn a_tunable_parameter_in_a_table_is_set_at_its_rows() {
    let set = |at: &str, value: &str| {
        format!("[[interventions]]\nat = {at}\ntarget = \"it.stiffness\"\nset = {value}\n")
    };
    for fmi in BOTH {
        let experiment = "stop = 2\nstep = 0.01";
        let table = "time,stiffness\n0,9\n0.5,9\n0.5,1\n1.203,25\n3,1\n";
        let world = fed("oscillator", fmi, experiment, table);
        let tuned = run(&world, &["--set", "it.x0=1"]);
        let text = world.read("s/system.toml").replace("input = \"in.csv\"\n", "");
        world.system(&format!("{text}{}{}", set("0.5", "1"), set("1.203", "25")));
        let given = ["--set", "it.x0=1", "--set", "it.stiffness=9"];
        let intervened = run(&world, &given);
        assert_eq!(tuned.column("it.stiffness")[60], "1.0", "{fmi:?}");
        for name in ["it.x", "it.v", "it.stiffness"] {
            assert_eq!(tuned.column(name), intervened.column(name), "{fmi:?}: {name}");
        }
    }
}

/// Rows with a value that is no number are said with their place, and the run continues.
#[test]
fn what_is_not_a_number_is_said() {
    let world = fed("integrator", Fmi::V2, "stop = 1\nstep = 0.25", "time,u\n0,1\n0.5,nan\n");
    let said = world.done(&["run", "s", "--out", "run"]);
    assert!(said.stderr.contains("csv::nan") && said.stderr.contains("in.csv:3:5"), "{said}");
}
