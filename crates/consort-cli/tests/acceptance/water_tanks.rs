//! The water tank and the three water tanks of INTO-CPS, as they are published: projects with a folder of FMUs, multi-models
//! and configurations, and the files that Maestro is given. Their FMUs behave as those of 20-sim and Overture do. What comes
//! out is compared with a straight-line master in Python over FMPy, to the bit.

use crate::record::Record;
use crate::world::World;
use consort_testkit::{python, water_tanks};
use serde_json::{Value, json};
use std::fs;

/// Puts FMUs into a folder of the world.
fn place(world: &World, folder: &str, fmus: &[&str]) {
    fs::create_dir_all(world.path(folder)).unwrap();
    for fmu in fmus {
        let name = format!("{fmu}.fmu");
        fs::copy(water_tanks::build(fmu), world.path(folder).join(name)).unwrap();
    }
}

/// A value of a trace as a number: false is 0, true is 1.
fn number(cell: &str) -> f64 {
    match cell {
        "false" => 0.0,
        "true" => 1.0,
        number => number.parse().unwrap(),
    }
}

/// Runs a system of the world and compares every recorded value with the master's.
fn check(world: &World, system: &[&str], master: &Value, least: usize) {
    world.done(&[&["run", "--csv", "--out", "run"], system].concat());
    let record = Record::parse(&world.read("run/trace.csv"));
    fs::remove_dir_all(world.path("run")).unwrap();
    let floats =
        |list: &Value| -> Vec<f64> { list.as_array().unwrap().iter().map(python::float).collect() };
    assert_eq!(record.times(), floats(&master["times"]), "{system:?}");
    assert_eq!(record.times().len(), least + 1);
    for (name, column) in master["columns"].as_object().unwrap() {
        let ours: Vec<f64> = record.column(name).iter().map(|cell| number(cell)).collect();
        let theirs = floats(column);
        let differs = ours.iter().zip(&theirs).position(|(a, b)| a.to_bits() != b.to_bits());
        assert_eq!(differs, None, "{name} of {system:?}: {ours:?}\n{theirs:?}");
        let distinct = theirs.iter().any(|value| value.to_bits() != theirs[0].to_bits());
        assert!(distinct, "{name} moves");
    }
}

const SINGLE: [&str; 2] = ["singlewatertank-20sim", "watertankcontroller-c"];

/// A multi-model in the form of the INTO-CPS application, or with more behind its parameters.
fn single(tank: &str, controller: &str, rest: &str) -> String {
    format!(
        r#"{{
	"fmus": {{
		"{{crtl}}": "{controller}",
		"{{wt}}": "{tank}"
	}},
	"connections": {{
		"{{crtl}}.crtlInstance.valve": ["{{wt}}.wtInstance.valvecontrol"],
		"{{wt}}.wtInstance.level": ["{{crtl}}.crtlInstance.level"]
	}},
	"parameters": {{
		"{{crtl}}.crtlInstance.maxlevel": 2,
		"{{crtl}}.crtlInstance.minlevel": 1
	}}{rest}
}}"#
    )
}

/// What the application writes beside the times and the algorithm.
fn configuration(model: &str, end: &str, size: &str, rest: &str) -> String {
    format!(
        r#"{{"startTime":0,"endTime":{end},"multimodel_path":"{model}","liveGraphColumns":1,"liveGraphVisibleRowCount":1,"graphs":[],"livestreamInterval":0,"logVariables":{{}},"visible":false,"loggingOn":false,"overrideLogLevel":null,"enableAllLogCategoriesPerInstance":false,"algorithm":{{"type":"fixed-step","size":{size}}},"postProcessingScript":"","multimodel_crc":"5f1d7c3b9a2e4860b7d9e1f3a5c70824","parallelSimulation":false,"stabalizationEnabled":false,"global_absolute_tolerance":0,"global_relative_tolerance":0.01,"simulationProgramDelay":false{rest}}}"#
    )
}

fn single_master(world: &World, parameters: &[Value]) -> Value {
    let path = |fmu: &str| world.path(&format!("FMUs/{fmu}.fmu")).display().to_string();
    let given = [json!(["crtlInstance", "maxlevel", 2]), json!(["crtlInstance", "minlevel", 1])];
    python::master(&json!({
        "fmus": { "wt": path(SINGLE[0]), "crtl": path(SINGLE[1]) },
        "instances": { "crtlInstance": "crtl", "wtInstance": "wt" },
        "parameters": given.iter().chain(parameters).collect::<Vec<_>>(),
        "connections": [
            ["crtlInstance", "valve", "wtInstance", "valvecontrol"],
            ["wtInstance", "level", "crtlInstance", "level"],
        ],
        "start": "0", "step": "0.1", "count": 300,
        "record": [["wtInstance", "level"], ["crtlInstance", "valve"]],
    }))
}

#[test]
fn the_water_tank_runs_as_published() {
    let world = World::new();
    place(&world, "FMUs", &SINGLE);
    let (tank, controller) = ("singlewatertank-20sim.fmu", "watertankcontroller-c.fmu");
    world.write("Multi-models/mm/mm.json", single(tank, controller, ""));
    let coe = configuration("Multi-models/mm/mm.json", "30", "0.1", "");
    world.write("Multi-models/mm/co-sim/coe.json", coe);
    let master = single_master(&world, &[]);
    for system in ["Multi-models/mm/co-sim/coe.json", "Multi-models/mm/mm.json", "Multi-models/mm"]
    {
        check(&world, &[system], &master, 300);
        check(&world, &[system, "--isolate"], &master, 300);
    }
    // As Maestro takes it: paths from where it is started, times in a second file.
    let rest = r#",
  "livestream": { "{crtl}.crtlInstance": ["valve"], "{wt}.wtInstance": ["level"] },
  "algorithm": { "type": "fixed-step", "size": 0.1 }"#;
    place(&world, "target/test-classes/watertankexample", &SINGLE);
    let from_here = |name: &str| format!("target/test-classes/watertankexample/{name}");
    world.write("wt/initialize.json", single(&from_here(tank), &from_here(controller), rest));
    let simulate = r#"{"startTime":0.0,"endTime":30.0,"logLevels":null,"reportProgress":null,"liveLogInterval":null}"#;
    world.write("wt/simulate.json", simulate);
    check(&world, &["wt/initialize.json"], &master, 300);
}

/// 20-sim's FMUs put parameters back when the experiment is set up.
#[test]
fn the_water_tank_keeps_the_parameters_of_a_multi_model() {
    let world = World::new();
    place(&world, "FMUs", &SINGLE);
    let text = single("FMUs/singlewatertank-20sim.fmu", "FMUs/watertankcontroller-c.fmu", "");
    let text = text.replace(
        "\"{crtl}.crtlInstance.maxlevel\": 2,",
        "\"{crtl}.crtlInstance.maxlevel\": 2, \"{wt}.wtInstance.tank.area\": 0.75,",
    );
    world.write("mm.json", text);
    world.write("coe.json", configuration("mm.json", "30", "0.1", ""));
    let other = single_master(&world, &[]);
    let master = single_master(&world, &[json!(["wtInstance", "tank.area", 0.75])]);
    assert_ne!(master["columns"]["wtInstance.level"], other["columns"]["wtInstance.level"]);
    check(&world, &["mm.json"], &master, 300);
}

const THREE: [&str; 3] = ["threewatertank1", "threewatertank2", "threewatertankcontroller-c"];

#[test]
fn the_three_water_tanks_run_as_published() {
    let world = World::new();
    place(&world, "FMUs", &THREE);
    world.write(
        "Multi-models/Non-3D/Non-3D.mm.json",
        r#"{
	"fmus": {
		"{controller}": "threewatertankcontroller-c.fmu",
		"{tank1}": "threewatertank1.fmu",
		"{tank2}": "threewatertank2.fmu"
	},
	"connections": {
		"{tank1}.waterTanks1.Tank2OutFlow": ["{tank2}.waterTanks2.inFlow"],
		"{controller}.controller.wt3_valve": ["{tank2}.waterTanks2.valveControl"],
		"{tank2}.waterTanks2.level": ["{controller}.controller.wt3_level"]
	},
	"parameters": {
		"{controller}.controller.wt3_min": 1.0,
		"{controller}.controller.wt3_max": 2.0,
		"{tank1}.waterTanks1.source.flow": 1.25
	}
}"#,
    );
    let log = r#","logLevels":{},"livestream":{"{tank2}.waterTanks2":["level"]}"#;
    let coe = configuration("Multi-models\\\\Non-3D\\\\Non-3D.mm.json", "24", "0.01", log);
    world.write("Multi-models/Non-3D/co-sim/co-sim.coe.json", coe);
    let path = |fmu: &str| world.path(&format!("FMUs/{fmu}.fmu")).display().to_string();
    let outputs = [
        ("waterTanks1", "Tank1InFlow"),
        ("waterTanks1", "Tank1WaterLevel"),
        ("waterTanks1", "Tank2WaterLevel"),
        ("waterTanks1", "Tank2OutFlow"),
        ("waterTanks2", "level"),
        ("waterTanks2", "Tank3OutFlow"),
        ("waterTanks2", "puddle"),
        ("controller", "wt3_valve"),
    ];
    let master = python::master(&json!({
        "fmus": { "1": path(THREE[0]), "2": path(THREE[1]), "c": path(THREE[2]) },
        "instances": { "controller": "c", "waterTanks1": "1", "waterTanks2": "2" },
        "parameters": [
            ["controller", "wt3_min", 1.0],
            ["controller", "wt3_max", 2.0],
            ["waterTanks1", "source.flow", 1.25],
        ],
        "connections": [
            ["waterTanks1", "Tank2OutFlow", "waterTanks2", "inFlow"],
            ["controller", "wt3_valve", "waterTanks2", "valveControl"],
            ["waterTanks2", "level", "controller", "wt3_level"],
        ],
        "start": "0", "step": "0.01", "count": 2400,
        "record": outputs.map(|(instance, output)| json!([instance, output])),
    }));
    check(&world, &["Multi-models/Non-3D/co-sim/co-sim.coe.json"], &master, 2400);
    check(&world, &["Multi-models/Non-3D/Non-3D.mm.json"], &master, 2400);
    // Started from elsewhere, a project is found around its multi-model.
    fs::create_dir_all(world.path("elsewhere")).unwrap();
    let mut away = world.command(&["plan", "../Multi-models/Non-3D/Non-3D.mm.json"]);
    let planned = away.current_dir(world.path("elsewhere")).output().unwrap();
    assert!(planned.status.success(), "{}", String::from_utf8_lossy(&planned.stderr));
}
