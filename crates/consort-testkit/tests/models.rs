//! The kit's own tests: every model builds, is valid, and does what its README says when FMPy drives it.

use consort_testkit::fmus::{self, BuildOptions, EXCHANGE_MODELS, Fmi, MODELS};
use consort_testkit::python;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The FMUs of the examples.
const EXAMPLES: [&str; 11] = [
    "quickstart/tank",
    "tank-safety/plc",
    "arrays/rod",
    "aircraft/fmi2/environment",
    "aircraft/fmi2/flight",
    "coupled-exchange/mass",
    "coupled-exchange/spring",
    "feedthrough-chain/linear-fmi2",
    "feedthrough-chain/linear-fmi3",
    "spring-damper/mass-fmi2",
    "spring-damper/mass-fmi3",
];

/// Every FMU we make, with a name for messages.
fn all_fmus(options: &BuildOptions) -> Vec<(String, PathBuf)> {
    let ours = MODELS.iter().chain(EXCHANGE_MODELS);
    let ours = ours.flat_map(|model| model.versions.iter().map(move |&fmi| (model, fmi)));
    let ours =
        ours.map(|(m, fmi)| (format!("{} {fmi:?}", m.name), fmus::build(m.name, fmi, options)));
    let examples = EXAMPLES.iter();
    let examples =
        examples.map(|path| (path.to_string(), fmus::build_folder(&fmus::example(path), options)));
    ours.chain(examples).collect()
}

fn drive(name: &str, fmi: Fmi, request: &Value) -> Value {
    let answer = python::drive(&fmus::build(name, fmi, &BuildOptions::binary()), request);
    assert_eq!(answer["error"], Value::Null, "{name} {fmi:?}: {answer}");
    answer
}

/// `count` steps of length `step` from 0.
fn steps(count: u32, step: f64) -> Value {
    (0..count).map(|i| json!([f64::from(i) * step, step])).collect()
}

fn last(answer: &Value) -> &Value {
    let steps = answer["steps"].as_array().expect("an answer has steps");
    &steps.last().expect("there was a step")["values"]
}

fn assert_near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not near {expected}");
}

#[test]
fn every_model_is_valid_in_every_form() {
    for options in [BuildOptions::archive(), BuildOptions::source()] {
        let (names, paths): (Vec<_>, Vec<_>) = all_fmus(&options).into_iter().unzip();
        let problems = python::validate_all(&paths);
        assert_eq!(names.len(), problems.len());
        for (name, problems) in names.iter().zip(problems) {
            assert_eq!(problems, Vec::<String>::new(), "{name}");
        }
    }
}

#[test]
fn every_binary_exports_the_functions_its_version_declares() {
    for (name, folder) in all_fmus(&BuildOptions::binary()) {
        let output = Command::new("nm").arg("-D").arg(fmus::library(&folder)).output().unwrap();
        let exported = String::from_utf8_lossy(&output.stdout).into_owned();
        let expected = declared(&folder);
        assert!(30 < expected.len(), "{name} declares only {expected:?}");
        for function in expected {
            assert!(exported.contains(&format!(" T {function}\n")), "{name} lacks {function}");
        }
    }
}

/// The functions in the standard's header for the FMU; one of FMI 2 needs those for Model Exchange, and
/// those for Co-Simulation, only if it offers that.
fn declared(folder: &Path) -> Vec<String> {
    let description = std::fs::read_to_string(folder.join("modelDescription.xml"))
        .expect("an FMU has a description");
    let version = if description.contains(r#"fmiVersion="2.0""#) { 2 } else { 3 };
    let header = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("../consort-fmi/include/fmi{version}Functions.h"));
    let header = std::fs::read_to_string(header).expect("the headers are there");
    let export = format!("FMI{version}_Export ");
    let lines = header.lines().filter_map(|line| line.strip_prefix(&export)?.strip_suffix(';'));
    let names = lines.map(|line| line.split(' ').next_back().expect("a name is last").to_string());
    let offers = |interface: &str| version == 3 || description.contains(interface);
    let (exchange, stepping) = (offers("<ModelExchange"), offers("<CoSimulation"));
    let is_needed = |name: &String| {
        (exchange || !EXCHANGE_OF_FMI_2.contains(&name.as_str()))
            && (stepping || !STEPPING_OF_FMI_2.contains(&name.as_str()))
    };
    names.filter(is_needed).collect()
}

/// Section 4.2 of FMI 2.0.
const STEPPING_OF_FMI_2: [&str; 9] = [
    "fmi2SetRealInputDerivatives",
    "fmi2GetRealOutputDerivatives",
    "fmi2DoStep",
    "fmi2CancelStep",
    "fmi2GetStatus",
    "fmi2GetRealStatus",
    "fmi2GetIntegerStatus",
    "fmi2GetBooleanStatus",
    "fmi2GetStringStatus",
];

/// Section 3.2 of FMI 2.0.
const EXCHANGE_OF_FMI_2: [&str; 10] = [
    "fmi2EnterEventMode",
    "fmi2NewDiscreteStates",
    "fmi2EnterContinuousTimeMode",
    "fmi2CompletedIntegratorStep",
    "fmi2SetTime",
    "fmi2SetContinuousStates",
    "fmi2GetDerivatives",
    "fmi2GetEventIndicators",
    "fmi2GetContinuousStates",
    "fmi2GetNominalsOfContinuousStates",
];

#[test]
fn files_that_several_examples_share_are_the_same() {
    let linear = ["feedthrough-chain/linear-fmi2", "feedthrough-chain/linear-fmi3"];
    let mass = ["spring-damper/mass-fmi2", "spring-damper/mass-fmi3"];
    let shared: [(&str, &[&str]); 2] = [("linear.c", &linear), ("mass.c", &mass)];
    for (file, examples) in shared {
        let read = |example| std::fs::read(fmus::example(example).join("sources").join(file));
        let first = read(examples[0]).unwrap();
        for example in &examples[1..] {
            assert!(first == read(example).unwrap(), "{example}: {file}");
        }
    }
}

#[test]
fn the_same_request_gives_the_same_folder() {
    let options = BuildOptions::binary();
    let first = fmus::build("gain", Fmi::V2, &options);
    assert_eq!(first, fmus::build("gain", Fmi::V2, &options));
    let flags = vec!["-O1".to_string()];
    assert_ne!(first, fmus::build("gain", Fmi::V2, &BuildOptions { flags, ..options }));
}

#[test]
fn several_makers_of_one_fmu_agree() {
    // A flag that was not used before, so that all of them find the cache empty.
    let flags = vec![format!("-DMAKER_{}", std::process::id())];
    let options = BuildOptions { flags, ..BuildOptions::archive() };
    let paths: Vec<PathBuf> = std::thread::scope(|scope| {
        let makers = [(); 4].map(|()| scope.spawn(|| fmus::build("gain", Fmi::V3, &options)));
        makers.map(|maker| maker.join().unwrap()).into()
    });
    assert!(paths.iter().all(|path| path == &paths[0] && path.is_file()));
    std::fs::remove_dir_all(paths[0].parent().unwrap()).unwrap();
}

#[test]
fn a_source_fmu_stands_on_its_own() {
    for model in MODELS.iter().chain(EXCHANGE_MODELS) {
        for &fmi in model.versions {
            let folder = fmus::source_fmu_folder(model.name, fmi);
            assert!(!folder.join("binaries").exists());
            // Built from nothing but the folder and the standard's headers.
            let built = fmus::build_folder(&folder, &BuildOptions::binary());
            assert!(fmus::library(&built).is_file());
        }
    }
}

#[test]
fn gain_multiplies() {
    for fmi in [Fmi::V2, Fmi::V3] {
        let request = json!({"start": {"u": 1.5, "k": 3.0}, "steps": [
            [0.0, 0.1], {"time": 0.1, "step": 0.1, "set": {"u": -0.1}}]});
        let answer = drive("gain", fmi, &request);
        assert_eq!(answer["initial"]["y"], python::exact(4.5));
        assert_eq!(answer["steps"][0]["values"]["y"], python::exact(4.5));
        assert_eq!(last(&answer)["y"], python::exact(3.0 * -0.1));
    }
}

#[test]
fn mixed_fills_and_drains() {
    for fmi in [Fmi::V2, Fmi::V3] {
        let request = json!({"start": {"before": 7}, "steps": steps(150, 0.01)});
        let answer = drive("mixed", fmi, &request);
        let (mut y, mut above, mut rate) = (0.0, 0, 0.0);
        for step in 0..150 {
            rate = if step < 100 { 1.0 - y } else { -y };
            y += 0.01 * rate;
            above = if 0.5 < y { above + 1 } else { above };
            let values = &answer["steps"][step]["values"];
            assert_eq!(values["above"], 0.5 < y, "step {step}");
            let message =
                if (99..199).contains(&step) { "draining towards 0" } else { "filling towards 1" };
            assert_eq!(values["message"], message, "step {step}");
        }
        assert!(0 < above);
        let last = last(&answer);
        assert_eq!((&last["count"], &last["mode"]), (&json!(157), &json!(2)));
        assert_eq!(
            (&last["y"], &last["rate"]),
            (&json!(python::exact(y)), &json!(python::exact(rate)))
        );
    }
}

#[test]
fn integrator_adds_length_times_input() {
    for fmi in [Fmi::V2, Fmi::V3] {
        let request = json!({"start": {"u": 2.0, "x0": 1.0}, "steps": steps(10, 0.1)});
        let expected = (0..10).fold(1.0, |sum, _| sum + 0.1 * 2.0);
        assert_eq!(last(&drive("integrator", fmi, &request))["y"], python::exact(expected));
    }
}

#[test]
fn oscillator_follows_the_closed_form() {
    let (mass, damping, stiffness) = (2.0, 0.4, 8.0);
    let decay: f64 = damping / (2.0 * mass);
    let frequency = (stiffness / mass - decay * decay).sqrt();
    let time = 3.0;
    let swing = (frequency * time).cos() + decay / frequency * (frequency * time).sin();
    for fmi in [Fmi::V2, Fmi::V3] {
        let start = json!({"mass": mass, "damping": damping, "stiffness": stiffness, "x0": 1.0});
        let answer = drive("oscillator", fmi, &json!({"start": start, "steps": steps(30, 0.1)}));
        let [x, v, a] = ["x", "v", "a"].map(|name| python::float(&last(&answer)[name]));
        assert_near(x, (-decay * time).exp() * swing, 1e-10);
        assert_near(a, (-damping * v - stiffness * x) / mass, 1e-12);
    }
}

#[test]
fn statespace_takes_euler_steps_in_the_size_asked_for() {
    let a = [0.0, 1.0, -4.0, -0.4];
    let request = json!({
        "structural": {"m": 1, "n": 2, "r": 1}, "record": ["y", "x"],
        "start": {"A": a, "B": [0.0, 1.0], "C": [1.0, 0.5], "D": [0.25], "x0": [1.0, 0.0], "u": [2.0]},
        "steps": steps(20, 0.05)});
    let mut x = [1.0, 0.0];
    for _ in 0..20 {
        let slope = [a[0] * x[0] + a[1] * x[1], (a[2] * x[0] + a[3] * x[1]) + 2.0];
        x = [x[0] + 0.05 * slope[0], x[1] + 0.05 * slope[1]];
    }
    let answer = drive("statespace", Fmi::V3, &request);
    assert_eq!(last(&answer)["x"], json!([python::exact(x[0]), python::exact(x[1])]));
    assert_eq!(last(&answer)["y"], json!([python::exact(x[0] + 0.5 * x[1] + 0.5)]));
}

#[test]
fn statespace_has_its_start_values_in_its_default_size() {
    let answer = drive("statespace", Fmi::V3, &json!({"record": ["A", "y"], "steps": []}));
    let one = python::exact(-1.0);
    let zero = python::exact(0.0);
    let row = json!([one, zero, zero, zero, one, zero, zero, zero, one]);
    assert_eq!(answer["initial"]["A"], row);
}

#[test]
fn feedthrough_keeps_every_value_exactly() {
    let values = json!({
        "float64": python::exact(0.1), "float32": "0x3dcccccd", "int8": i8::MIN, "uint8": u8::MAX,
        "int16": i16::MIN, "uint16": u16::MAX, "int32": i32::MIN, "uint32": u32::MAX,
        "int64": i64::MIN + 1, "uint64": u64::MAX, "boolean": true, "choice": 3,
        "string": "grün\n", "binary": "00ff00", "names": ["", "x"],
        "matrix": ["0x8000000000000000", "0x0000000000000001", "0x7ff0000000000000",
                   "0x3ff0000000000000", "0x4000000000000000", "0x4008000000000000"]});
    let inputs: serde_json::Map<_, _> =
        values.as_object().unwrap().iter().map(|(k, v)| (format!("{k}_in"), v.clone())).collect();
    let answer = drive("feedthrough", Fmi::V3, &json!({"start": inputs, "steps": [[0.0, 0.1]]}));
    for (name, value) in values.as_object().unwrap() {
        assert_eq!(&answer["initial"][format!("{name}_out")], value, "{name}");
        assert_eq!(&last(&answer)[format!("{name}_out")], value, "{name}");
    }
}

#[test]
fn feedthrough_of_fmi_2_keeps_every_value_exactly() {
    let start = json!({"float64_in": 0.1, "int32_in": -7, "boolean_in": true, "choice_in": 2,
        "string_in": "grün"});
    let answer = drive("feedthrough", Fmi::V2, &json!({"start": start, "steps": [[0.0, 0.1]]}));
    let expected = json!({"float64_out": python::exact(0.1), "int32_out": -7, "boolean_out": true,
        "choice_out": 2, "string_out": "grün"});
    assert_eq!(last(&answer), &expected);
}

#[test]
fn bouncing_ball_stops_at_the_impact_only_if_it_may() {
    let impact = (2.0_f64 / 9.81).sqrt();
    let step = json!([[0.0, 1.0]]);
    let mut ends = Vec::new();
    for (event_mode, early_return) in [(true, true), (true, false), (false, false)] {
        let request =
            json!({"event_mode": event_mode, "early_return": early_return, "steps": step});
        let answer = drive("bouncing-ball", Fmi::V3, &request);
        let stopped = answer["steps"][0]["early"].as_bool().unwrap();
        assert_eq!(stopped, early_return);
        let reached = python::float(&answer["steps"][0]["reached"]);
        assert_near(reached, if stopped { impact } else { 1.0 }, 1e-12);
        ends.push(last(&answer).clone());
    }
    assert_near(python::float(&ends[0]["v"]), 0.7 * 9.81 * impact, 1e-12);
    assert_eq!(ends[1], ends[2]);
    assert_eq!(ends[2], *last(&drive("bouncing-ball", Fmi::V2, &json!({"steps": step}))));
}

#[test]
fn stair_announces_its_events_and_ends_at_ten() {
    let request =
        json!({"event_mode": true, "early_return": true, "steps": [[0.0, 0.4], [0.4, 1.0]]});
    let answer = drive("stair", Fmi::V3, &request);
    assert_eq!(answer["steps"][1]["reached"], python::exact(1.0));
    assert_eq!(answer["steps"][1]["next_event"], python::exact(2.0));
    assert_eq!(last(&answer)["count"], 2);
    let request = json!({"start": {"terminate": true}, "steps": [[0.0, 8.5], [8.5, 1.0]]});
    let answer = drive("stair", Fmi::V3, &request);
    assert_eq!(answer["steps"][0]["terminate"], false);
    assert_eq!(answer["steps"][1]["terminate"], true);
    let folder = fmus::build("stair", Fmi::V2, &BuildOptions::binary());
    let answer = python::drive(&folder, &request);
    assert_eq!(answer["error"], "fmi2DoStep failed with status 2 (discard).");
}

#[test]
fn clocks_counts_ticks() {
    let tick = json!({"event": true, "clocks": ["tick"]});
    let request = json!({"event_mode": true, "steps": [tick, [0.0, 0.1], tick, {"event": true}]});
    assert_eq!(last(&drive("clocks", Fmi::V3, &request))["total"], 2);
}

#[test]
fn resource_reads_its_file() {
    for fmi in [Fmi::V2, Fmi::V3] {
        let answer = drive("resource", fmi, &json!({"steps": [[0.0, 0.1]]}));
        assert_eq!(last(&answer), &json!({"number": 42, "text": "hello"}));
    }
}

#[test]
fn counter_static_counts_the_steps_of_the_process() {
    for fmi in [Fmi::V2, Fmi::V3] {
        let answer = drive("counter-static", fmi, &json!({"steps": steps(5, 0.1)}));
        assert_eq!(last(&answer)["calls"], 5);
    }
}

#[test]
fn fastmath_flushes_subnormals_to_zero_and_plain_math_does_not() {
    let request = json!({"steps": steps(20, 0.1)});
    let fast = drive("fastmath", Fmi::V3, &request);
    let exactly = 1e-307 / f64::from(1u32 << 20);
    assert!(exactly.is_subnormal());
    assert_eq!(last(&fast)["x"], python::exact(0.0));
    // The same sources without the flag.
    let folder = fmus::source_fmu_folder("fastmath", Fmi::V3);
    let plain = python::drive(&fmus::build_folder(&folder, &BuildOptions::binary()), &request);
    assert_eq!(last(&plain)["x"], python::exact(exactly));
}

/// The calls that FMPy's driver makes, by the number of their phase, without the version's prefix.
const CALLS: [(i32, &str); 6] = [
    (2, "EnterInitializationMode"),
    (3, "ExitInitializationMode"),
    (4, "SetFloat64"),
    (5, "GetFloat64"),
    (6, "DoStep"),
    (7, "Terminate"),
];

#[test]
fn misbehave_returns_each_status_from_each_call() {
    for fmi in [Fmi::V2, Fmi::V3] {
        let cases = CALLS.iter().flat_map(|call| [2, 3, 4, 5, 99].map(|status| (call, status)));
        let cases: Vec<_> = cases.collect();
        let requests = cases.iter().map(|((phase, _), status)| {
            json!({"start": {"phase": phase, "status": status}, "steps": [
                {"time": 0.0, "step": 0.1, "set": {"u": 1.0}}]})
        });
        let folder = fmus::build("misbehave", fmi, &BuildOptions::binary());
        let answers = python::drive_all(&folder, &requests.collect::<Vec<_>>());
        for (((_, call), status), answer) in cases.iter().zip(answers) {
            let call =
                if fmi == Fmi::V2 { call.replace("Float64", "Real") } else { (*call).into() };
            let words = answer["error"].as_str().unwrap_or_default();
            let expected = format!("{call} failed with status {status} ");
            assert!(words.contains(&expected), "{fmi:?} {call} {status}: {words:?}");
        }
    }
}

#[test]
fn misbehave_continues_after_a_warning() {
    for fmi in [Fmi::V2, Fmi::V3] {
        for (phase, call) in CALLS {
            let start = json!({"phase": phase, "status": 1, "u": 2.0});
            let answer = drive("misbehave", fmi, &json!({"start": start, "steps": [[0.0, 0.1]]}));
            assert_eq!(last(&answer)["y"], python::exact(2.0), "{fmi:?} {call}");
        }
    }
}

#[test]
fn misbehave_steps_too_far_or_not_far_enough() {
    for (behavior, reached) in [(3, 0.75), (4, 0.25)] {
        let request = json!({"start": {"behavior": behavior}, "steps": [[0.0, 0.5]]});
        let answer = drive("misbehave", Fmi::V3, &request);
        assert_eq!(answer["steps"][0]["reached"], python::exact(reached));
    }
}

#[test]
fn misbehave_survives_what_it_does_to_the_log() {
    for behavior in [1, 2, 9, 11] {
        for fmi in [Fmi::V2, Fmi::V3] {
            drive(
                "misbehave",
                fmi,
                &json!({"start": {"behavior": behavior}, "steps": steps(2, 0.1)}),
            );
        }
    }
}

#[test]
fn a_restored_state_continues_as_the_first_time() {
    let models = [("oscillator", "x"), ("bouncing-ball", "h"), ("stair", "count")];
    for (name, output) in models {
        for fmi in [Fmi::V2, Fmi::V3] {
            let rest = [json!([0.5, 0.5]), json!([1.0, 0.5])];
            let mut script = vec![json!([0.0, 0.5]), json!({"save": "a"})];
            script.extend(rest.clone());
            script.push(json!({"restore": "a"}));
            script.extend(rest.clone());
            script.push(json!({"restore_bytes": "a"}));
            script.extend(rest);
            let answer = drive(name, fmi, &json!({"steps": script}));
            let value = |step: usize| &answer["steps"][step]["values"][output];
            assert_ne!(value(1), value(3), "{name} {fmi:?} does not move");
            for (first, again) in [(1, 4), (2, 5), (3, 6), (1, 7), (2, 8), (3, 9)] {
                assert_eq!(value(first), value(again), "{name} {fmi:?}");
            }
        }
    }
}

#[test]
fn directional_derivatives_are_those_of_the_equations() {
    for fmi in [Fmi::V2, Fmi::V3] {
        let ask = json!({"derivatives": [["x", "a"], ["force"], [3.0]]});
        let request = json!({"start": {"mass": 2.0}, "steps": [ask]});
        let answer = drive("oscillator", fmi, &request);
        let expected = json!([python::exact(0.0), python::exact(1.5)]);
        assert_eq!(answer["steps"][0]["derivatives"], expected);
    }
}

#[test]
fn misbehave_refuses_some_instances() {
    for fmi in [Fmi::V2, Fmi::V3] {
        let folder = fmus::build("misbehave", fmi, &BuildOptions::binary());
        let answer = python::drive(&folder, &json!({"name": "refused", "steps": []}));
        assert!(answer["error"].as_str().unwrap().starts_with("Failed to instantiate"), "{answer}");
    }
}

#[test]
fn misbehave_waits_for_its_time() {
    let start = json!({"phase": 6, "status": 3, "at": 0.15});
    let folder = fmus::build("misbehave", Fmi::V3, &BuildOptions::binary());
    let answer = python::drive(&folder, &json!({"start": start, "steps": steps(5, 0.1)}));
    assert_eq!(answer["steps"].as_array().unwrap().len(), 2);
}

#[test]
fn fmus_refuse_calls_out_of_order() {
    let folder = fmus::build("gain", Fmi::V3, &BuildOptions::binary());
    let answer = python::drive(&folder, &json!({"steps": [[0.0, 0.1], [0.5, 0.1]]}));
    assert_eq!(answer["error"], "fmi3DoStep failed with status 3 (error).");
}

#[test]
fn tank_empties_as_torricelli_says() {
    let folder = fmus::build_folder(&fmus::example("quickstart/tank"), &BuildOptions::binary());
    let answer =
        python::drive(&folder, &json!({"start": {"valve": 0.5}, "steps": steps(100, 0.1)}));
    assert_eq!(answer["error"], Value::Null);
    let rate = 0.6 * 0.01 * 0.5 * (2.0_f64 * 9.81).sqrt();
    assert_near(python::float(&last(&answer)["level"]), (1.0 - rate / 2.0 * 10.0).powi(2), 1e-9);
    let outflow = python::float(&last(&answer)["outflow"]);
    assert_near(outflow, rate * (1.0 - rate / 2.0 * 10.0), 1e-9);
}

#[test]
fn rod_keeps_its_heat_and_spreads_it() {
    let folder = fmus::build_folder(&fmus::example("arrays/rod"), &BuildOptions::binary());
    let request = json!({"structural": {"n": 3}, "start": {"heating": [30.0, 0.0, 0.0], "loss": 0.0},
        "steps": steps(100, 1.0)});
    let answer = python::drive(&folder, &request);
    assert_eq!(answer["error"], Value::Null);
    let heated = last(&answer)["temperature"].as_array().unwrap().clone();
    let temperature: Vec<f64> = heated.iter().map(python::float).collect();
    assert!(temperature[2] < temperature[1] && temperature[1] < temperature[0]);
    let mean = 293.15 + 30.0 * 100.0 / (3.0 * 50.0);
    assert_near(python::float(&last(&answer)["mean"]), mean, 1e-9);
}

#[test]
fn fmpy_simulates_our_archives_by_itself() {
    for fmi in [Fmi::V2, Fmi::V3] {
        let archive = fmus::build("oscillator", fmi, &BuildOptions::archive());
        let result = python::simulate(&archive, 1.0, 0.1);
        assert_eq!(result["rows"].as_array().unwrap().len(), 11);
        assert_eq!(result["names"], json!(["time", "x", "v", "a"]));
    }
}

/// The last row of FMPy's own run with CVODE: a column by its name.
fn simulated(name: &str, fmi: Fmi, stop: f64, column: &str) -> f64 {
    let result =
        python::simulate(&fmus::build(name, fmi, &BuildOptions::archive()), stop, stop / 10.0);
    let names = result["names"].as_array().expect("a run has columns");
    let index = names.iter().position(|name| name == column).expect("the column is there");
    let rows = result["rows"].as_array().expect("a run has rows");
    python::float(&rows.last().expect("a run has a last row")[index])
}

#[test]
fn fmpy_integrates_the_models_for_model_exchange() {
    for fmi in [Fmi::V2, Fmi::V3] {
        // The integral of 1, 2, 3, ... over ten periods; the eleventh begins at the end.
        assert_near(simulated("exchange-stair", fmi, 10.0, "level"), 55.0, 1e-6);
        assert_near(simulated("exchange-rescaled", fmi, 5.0, "x"), 5_f64.exp(), 0.05);
        assert_near(simulated("exchange-wall", fmi, 200.0, "inside"), 300.0, 0.01);
        // On the ground for the first time at sqrt(2 / g), with 0.7 of the speed afterwards.
        let (fall, speed) = ((2.0 / 9.81_f64).sqrt(), 0.7 * (2.0 * 9.81_f64).sqrt());
        let flight = 0.6 - fall;
        let height = speed * flight - 0.5 * 9.81 * flight * flight;
        assert_near(simulated("exchange-ball", fmi, 0.6, "h"), height, 1e-3);
        let amplitude = simulated("exchange-vanderpol", fmi, 20.0, "x").abs();
        assert!(amplitude < 2.1, "{amplitude}");
    }
}
