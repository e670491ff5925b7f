//! Systems in other forms than `system.toml`, and `consort export`.

use crate::bench::{Bench, LOOP, assert_said};

/// The trace hash of a run of `system`, recorded in `out`.
fn hash(bench: &Bench, system: &str, out: &str, options: &[&str]) -> String {
    bench.done(&[&["run", system, "--out", out], options].concat());
    bench.trace_hash(out)
}

/// The loop of native blocks, with everything that only a `system.toml` can say.
fn rich() -> String {
    let loops = LOOP.replace(
        "[components.setpoint]",
        "seed = 3\nrecord = [\"plant.*\"]\n[components.setpoint]",
    );
    format!("{loops}delay = true\n[[interventions]]\nat = 1\ntarget = \"plant.y\"\nfreeze = true\n")
}

#[test]
fn a_multi_model_keeps_the_trace() {
    let bench = Bench::with_loop();
    let before = hash(&bench, "loop", "a", &["--order", "jacobi"]);
    assert_said!(bench.done(&["export", "loop", "into/mm.json", "--order", "jacobi"]));
    assert_eq!(bench.list("into"), ["coe.json", "mm.json"]);
    for (system, out) in [("into/mm.json", "b"), ("into", "c")] {
        assert_eq!(hash(&bench, system, out, &[]), before, "{system}");
    }
    assert_eq!(bench.json("b/manifest.json")["system"]["name"], "into");
    let inputs = bench.json("b/manifest.json")["inputs"].clone();
    let paths: Vec<&str> =
        inputs.as_array().unwrap().iter().map(|it| it["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["mm.json", "coe.json"]);
    bench.done(&["replay", "b"]);
}

#[test]
fn models_of_a_multi_model_are_found_from_where_it_is() {
    let bench = Bench::new();
    let examples = consort_testkit::fmus::example("");
    std::os::unix::fs::symlink(examples, bench.path("examples")).unwrap();
    let system = "examples/quickstart";
    let before = hash(&bench, system, "a", &["--order", "jacobi", "--stop", "5"]);
    bench.done(&["export", system, "x/y/tank.mm.json", "--stop", "5"]);
    assert_eq!(bench.list("x/y"), ["tank.coe.json", "tank.mm.json"]);
    assert_eq!(hash(&bench, "x/y/tank.mm.json", "b", &[]), before);
    bench.done(&["export", "x/y/tank.mm.json", "z/system.toml"]);
    assert_eq!(hash(&bench, "z", "c", &[]), before);
    let again = bench.done(&["export", "x/y/tank.mm.json", "x/again.json"]);
    assert!(!again.stderr.contains("warning"), "{again}");
    let text = |path: &str| bench.read(path).replace("../../", "../");
    assert_eq!(
        text("x/again.json").replace("../", ""),
        text("x/y/tank.mm.json").replace("../", "")
    );
}

#[test]
fn what_a_form_cannot_say_is_lost_with_a_warning() {
    let bench = Bench::new();
    bench.write("loop/system.toml", &rich());
    assert_said!(bench.done(&["export", "loop", "mm.json"]));
}

#[test]
fn a_written_toml_is_the_same_system() {
    let bench = Bench::new();
    bench.write("loop/system.toml", &rich());
    let before = hash(&bench, "loop", "a", &[]);
    bench.done(&["export", "loop", "copy/system.toml"]);
    assert_eq!(hash(&bench, "copy", "b", &[]), before);
}

#[test]
fn nothing_is_replaced_without_leave_and_nothing_is_written_that_is_wrong() {
    let bench = Bench::with_loop();
    bench.write("mm.json", "mine");
    assert_said!(bench.consort(&["export", "loop", "mm.json"]));
    assert_eq!(bench.list(""), ["loop", "mm.json"]);
    bench.done(&["export", "loop", "mm.json", "--force"]);
    bench.write("bad/system.toml", &LOOP.replace("plant.y", "plant.z"));
    let said = bench.consort(&["export", "bad", "bad.toml"]);
    assert_eq!(said.code, Some(1), "{said}");
    assert!(said.stderr.contains("nothing was written"), "{said}");
    assert!(!bench.path("bad.toml").exists());
    assert_eq!(bench.consort(&["export", "loop", "loop.xml"]).code, Some(2));
    bench.write("file", "");
    assert_eq!(bench.consort(&["export", "loop", "file/mm.json"]).code, Some(2));
}

#[test]
fn the_order_and_delays_can_be_given_and_are_repeated() {
    let bench = Bench::with_loop();
    let options = [
        "--order",
        "gauss-seidel",
        "--loops",
        "iterate",
        "--delay",
        "plant.y -> controller.measurement",
    ];
    let delayed = hash(&bench, "loop", "a", &options);
    assert_ne!(delayed, hash(&bench, "loop", "b", &[]));
    let manifest = bench.json("a/manifest.json");
    assert_eq!(manifest["options"]["order"], "gauss-seidel");
    assert_eq!(manifest["options"]["delay"][0], "plant.y -> controller.measurement");
    bench.done(&["replay", "a"]);
    bench.done(&[&["repeat", "loop", "--runs", "2", "--no-load"], &options[..]].concat());
}

#[test]
fn a_delay_of_nothing_is_refused_with_what_was_meant() {
    let bench = Bench::with_loop();
    let delay = |text: &str| bench.consort(&["run", "loop", "--delay", text]);
    assert_said!(delay("plant.y -> controller.mesurement"));
    assert_eq!(delay("plant.y").code, Some(2));
    assert_eq!(bench.consort(&["run", "loop", "--order", "random"]).code, Some(2));
}

#[test]
fn what_is_no_system_is_reported_with_what_would_be_one() {
    let bench = Bench::with_loop();
    bench.write("notes.txt", "");
    assert_said!(bench.consort(&["run", "notes.txt"]));
    let said = bench.consort(&["run", "loop", "--with", "coe.json", "--variant", "a.ssd"]);
    assert_eq!(said.code, Some(2), "{said}");
    for option in ["--with", "--variant"] {
        assert!(said.stderr.contains(&format!("`{option}` is only for")), "{said}");
    }
}

#[test]
fn files_are_added_to_a_multi_model_by_name() {
    let bench = Bench::with_loop();
    bench.done(&["export", "loop", "a/mm.json"]);
    let before = hash(&bench, "a", "x", &[]);
    std::fs::rename(bench.path("a/coe.json"), bench.path("slow.json")).unwrap();
    assert_eq!(bench.consort(&["run", "a"]).code, Some(1), "there is no step");
    assert_eq!(hash(&bench, "a", "y", &["--with", "slow.json"]), before);
    bench.done(&["replay", "y"]);
    bench.done(&["inspect", "a", "--with", "slow.json"]);
    assert_eq!(bench.consort(&["run", "a", "--with", "gone.json"]).code, Some(2));
}

#[test]
fn a_project_of_into_cps_has_its_fmus_in_one_folder() {
    let bench = Bench::new();
    bench.write("project/Multi-models/tank/tank.mm.json", MULTIMODEL);
    let from = consort_testkit::fmus::example("quickstart/tank");
    std::fs::create_dir_all(bench.path("project/FMUs")).unwrap();
    std::os::unix::fs::symlink(from, bench.path("project/FMUs/tank")).unwrap();
    assert_said!(bench.done(&["run", "project/Multi-models/tank/tank.mm.json", "--out", "a"]));
}

#[test]
fn a_configuration_finds_its_multi_model() {
    let bench = Bench::with_loop();
    bench.done(&["export", "loop", "project/Multi-models/a/a.mm.json"]);
    let from = bench.path("project/Multi-models/a/a.coe.json");
    let before = hash(&bench, "project/Multi-models/a/a.mm.json", "x", &[]);
    let text = std::fs::read_to_string(&from).unwrap();
    std::fs::remove_file(from).unwrap();
    let named = "{\n  \"multimodel_path\": \"Multi-models\\\\a\\\\a.mm.json\",";
    let place = "project/Multi-models/a/slow/coe.json";
    bench.write(place, &text.replacen('{', named, 1));
    assert_eq!(hash(&bench, place, "y", &[]), before);
    let inputs = bench.json("y/manifest.json")["inputs"].clone();
    assert_eq!((&inputs[0]["path"], &inputs[1]["path"]), (&"a.mm.json".into(), &"coe.json".into()));
    bench.done(&["replay", "y"]);
    bench.write("lost/coe.json", &text.replacen('{', named, 1));
    assert_said!(bench.consort(&["run", "lost/coe.json"]));
}

#[test]
fn an_archive_names_nothing_outside_of_it() {
    let bench = Bench::new();
    let parts = "[experiment]\nstop = 1\nstep = 0.1\n[components.a]\nmodel = \"native:constant\"\n";
    bench.write("s/system.toml", parts);
    bench.done(&["export", "s", "ssp/"]);
    let text = bench.read("ssp/SystemStructure.ssd");
    let outside = r#"<ssd:Component name="b" source="../../../b.fmu"/>
<ssd:Component name="t" type="application/x-consort-native" source="native:table"><ssd:Annotations>
<ssc:Annotation type="org.consort.component"><consort:Component><consort:Parameter name="file" value="'/etc/passwd'"/></consort:Component></ssc:Annotation>
</ssd:Annotations></ssd:Component></ssd:Elements>"#;
    let text = text.replacen("</ssd:Elements>", outside, 1);
    let files = [("SystemStructure.ssd".to_owned(), text.into_bytes())];
    let archive = std::fs::File::create(bench.path("a.ssp")).unwrap();
    consort_models::pack::write_archive(archive, &files, &[]).unwrap();
    let said = bench.consort(&["run", "a.ssp"]);
    assert_eq!(said.code, Some(1), "{said}");
    for path in ["../../../b.fmu", "/etc/passwd"] {
        assert!(said.stderr.contains(&format!("`{path}` is not in the archive")), "{said}");
    }
}

#[test]
fn the_step_of_the_command_line_is_the_first_where_steps_change() {
    let bench = Bench::new();
    let steps = "[experiment.variable-step]\ninitial = 0.01\nmin = 0.001\n\n[components.setpoint]";
    bench.write("loop/system.toml", &LOOP.replacen("[components.setpoint]", steps, 1));
    let given = hash(&bench, "loop", "a", &["--step", "0.02"]);
    let manifest = bench.json("a/manifest.json");
    assert_eq!(manifest["experiment"]["variable_step"]["initial"], "0.02");
    assert_eq!(manifest["experiment"]["order"], "derived");
    assert_eq!(manifest["experiment"]["loops"], "error");
    assert_ne!(given, hash(&bench, "loop", "b", &[]));
}

#[test]
fn an_ssp_keeps_the_trace() {
    let bench = Bench::new();
    bench.write("loop/system.toml", &rich());
    let before = hash(&bench, "loop", "a", &[]);
    for (system, out) in [("loop.ssp", "b"), ("folder", "c"), ("folder/SystemStructure.ssd", "d")] {
        if !bench.path(system).exists() {
            bench.done(&["export", "loop", system]);
        }
        assert_eq!(hash(&bench, system, out, &[]), before, "{system}");
        bench.done(&["replay", out]);
    }
    let inputs = bench.json("b/manifest.json")["inputs"].clone();
    assert_eq!(inputs[0]["path"], "loop.ssp");
    assert_eq!(bench.json("c/manifest.json")["inputs"][0]["path"], "SystemStructure.ssd");
    let said = bench.done(&["inspect", "loop.ssp"]);
    assert!(said.stdout.contains("controller"), "{said}");
}

#[test]
fn an_ssp_takes_its_models_along() {
    let bench = Bench::new();
    let examples = consort_testkit::fmus::example("");
    std::os::unix::fs::symlink(examples, bench.path("examples")).unwrap();
    let before = hash(&bench, "examples/quickstart", "a", &["--stop", "5"]);
    bench.done(&["export", "examples/quickstart", "tank.ssp", "--stop", "5"]);
    bench.done(&["export", "examples/quickstart", "again.ssp", "--stop", "5"]);
    let bytes = |path: &str| std::fs::read(bench.path(path)).unwrap();
    assert!(bytes("tank.ssp") == bytes("again.ssp"), "the same system gives the same bytes");
    std::fs::remove_file(bench.path("examples")).unwrap();
    assert_eq!(hash(&bench, "tank.ssp", "b", &[]), before);
    bench.done(&["export", "tank.ssp", "c/system.toml"]);
    assert_eq!(hash(&bench, "c", "d", &[]), before);
    assert_eq!(bench.list("c"), ["resources", "system.toml"]);
    bench.done(&["export", "tank.ssp", "e/"]);
    assert_eq!(hash(&bench, "e", "f", &[]), before);
    bench.done(&["export", "tank.ssp", "g/mm.json"]);
    let jacobi = hash(&bench, "tank.ssp", "h", &["--order", "jacobi"]);
    assert_eq!(hash(&bench, "g", "i", &[]), jacobi);
}

#[test]
fn a_variant_of_an_ssp_is_chosen_by_name() {
    let bench = Bench::with_loop();
    bench.done(&["export", "loop", "ssp/"]);
    let text = bench.read("ssp/SystemStructure.ssd");
    bench.write("ssp/Short.ssd", &text.replace("stopTime=\"2\"", "stopTime=\"1\""));
    let short = hash(&bench, "loop", "a", &["--stop", "1"]);
    assert_eq!(hash(&bench, "ssp", "b", &["--variant", "Short.ssd"]), short);
    bench.done(&["replay", "b"]);
    assert_eq!(hash(&bench, "ssp/Short.ssd", "c", &[]), short);
    assert_said!(bench.consort(&["run", "ssp", "--variant", "Shrt.ssd"]));
    for gone in ["gone.ssp", "gone/SystemStructure.ssd"] {
        assert_eq!(bench.consort(&["run", gone]).code, Some(2), "{gone}");
    }
    bench.write("broken.ssp", "PK");
    assert_eq!(bench.consort(&["run", "broken.ssp"]).code, Some(1));
}

const MULTIMODEL: &str = r#"{
  "fmus": { "{tank}": "tank", "{inflow}": "native:constant" },
  "connections": { "{inflow}.source.y": ["{tank}.t.inflow"] },
  "parameters": { "{inflow}.source.value": 0.01 },
  "endTime": 1,
  "algorithm": { "type": "fixed-step", "size": 0.1 }
}"#;
