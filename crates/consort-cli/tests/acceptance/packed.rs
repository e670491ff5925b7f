//! Folders of source FMUs, packed by `consort export fmu`.

use crate::world::World;
use consort_testkit::{fmus, python};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of source FMUs in the examples.
fn source_fmus(folder: &Path, found: &mut Vec<PathBuf>) {
    if folder.join("modelDescription.xml").is_file() {
        return found.push(folder.to_owned());
    }
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_dir()).for_each(|path| source_fmus(&path, found));
}

/// FMPy compiles what is packed without a binary, and both give what Consort's binary gives.
#[test]
fn fmpy_compiles_and_runs_every_packed_source_fmu_of_the_examples() {
    let mut folders = Vec::new();
    source_fmus(&fmus::example(""), &mut folders);
    assert!(11 <= folders.len(), "{folders:?}");
    for folder in folders {
        let world = World::new();
        let [name, path] =
            [folder.file_name().unwrap(), folder.as_os_str()].map(|it| it.to_str().unwrap());
        let fmu = format!("{name}.fmu");
        world.done(&["export", "fmu", path, "sources.fmu", "--no-binary"]);
        world.done(&["export", "fmu", path, &fmu]);
        let built = world.path("built.fmu");
        python::exported(&world.path("sources.fmu"), &[json!({"compile": built})]);
        assert_eq!(python::validate(&built), Vec::<String>::new(), "{path}");
        let text = fs::read_to_string(folder.join("modelDescription.xml")).unwrap();
        let is_stepping = text.contains("<CoSimulation");
        let interface = if is_stepping { "CoSimulation" } else { "ModelExchange" };
        let tasks = [json!({"simulate": interface, "stop": 2.0, "step": 0.01, "tolerance": 1e-9})];
        let ours = python::exported(&world.path(&fmu), &tasks);
        assert!(!ours[0]["rows"].as_array().unwrap().is_empty(), "{path}");
        assert_eq!(ours, python::exported(&built, &tasks), "{path}");
        for (out, model) in [("folder", path), ("archive", fmu.as_str())] {
            world.done(&["run", model, "--stop", "1", "--step", "0.01", "--out", out]);
        }
        assert_eq!(world.trace_hash("folder"), world.trace_hash("archive"), "{path}");
    }
}

#[test]
fn the_folder_of_an_fmu_is_packed_as_it_is() {
    let world = World::new();
    let tank = fmus::example("quickstart/tank");
    let said =
        world.consort(&["export", "fmu", tank.to_str().unwrap(), "--fmi", "3", "--set", "area=2"]);
    assert_eq!(said.code, Some(2), "{said}");
    for option in ["--fmi", "--set"] {
        let words = format!("`{option}` does not apply to the folder of an FMU");
        assert!(said.stderr.contains(&words), "{said}");
    }
    assert!(!world.path("tank.fmu").exists());
}
