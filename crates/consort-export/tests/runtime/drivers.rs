//! FMUs under sanitizers: right and wrong calls, hostile bytes; and states that go to another process.

use crate::bench::{VERSIONS, compiled, unpacked};
use crate::saving::EVERYTHING;
use consort_equations::{Equations, ModelPart};
use consort_export::FmiVersion;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a driver must know about the model it is built with.
fn header(equations: &Equations, token: &str) -> String {
    let number = |part| equations.number(part);
    [
        format!("#define TOKEN \"{token}\"\n"),
        format!("#define COUNT {}\n", equations.part_count()),
        format!("#define STATES {}\n", equations.states.len()),
        format!("#define INDICATORS {}\n", equations.indicators.len()),
        format!("#define FIRST_STATE {}\n", number(ModelPart::State(0))),
        format!("#define FIRST_INPUT {}\n", number(ModelPart::Input(0))),
        format!("#define FIRST_DERIVATIVE {}\n", number(ModelPart::Derivative(0))),
    ]
    .concat()
}

#[expect(clippy::disallowed_methods, reason = "tests put sources where a compiler finds them")]
fn put(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}

#[expect(clippy::disallowed_methods, reason = "tests look into the FMUs they have made")]
fn text_of(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// The driver, built with the model's sources in `folder`.
fn build(equations: &Equations, folder: &Path, driver: &str, flags: &[&str]) -> PathBuf {
    let description = text_of(&folder.join("modelDescription.xml"));
    let start = description.find('{').unwrap();
    let token = &description[start..=start + description[start..].find('}').unwrap()];
    let sources = folder.join("sources");
    put(&sources.join("driven.h"), &header(equations, token));
    let drivers = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/drivers");
    let entries = std::fs::read_dir(&sources).unwrap().map(|entry| entry.unwrap().path());
    let mut units: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "c")).collect();
    units.sort();
    let program = folder.join("driver");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"]).args(flags);
    compiler.arg("-I").arg(&sources).args(units).arg(drivers.join(driver));
    let output = compiler.arg("-o").arg(&program).arg("-lm").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

fn run(program: &Path, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{:?}\n{said}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn sanitizers_find_nothing_in_right_and_wrong_calls() {
    let equations = compiled(EVERYTHING);
    let flags =
        ["-g", "-O1", "-pedantic", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    for version in VERSIONS {
        let folder = unpacked(&equations, version);
        let driver = match version {
            FmiVersion::V2 => "drive2.c",
            FmiVersion::V3 => "drive3.c",
        };
        let folder = folder.path().join(&equations.name);
        let program = build(&equations, &folder, driver, &flags);
        assert_eq!(run(&program, &[]), "", "nothing is printed");
    }
}

#[test]
fn a_state_continues_in_another_process_bit_for_bit() {
    let equations = compiled(EVERYTHING);
    let folder = unpacked(&equations, FmiVersion::V2);
    let folder = folder.path().join(&equations.name);
    let program = build(&equations, &folder, "continue2.c", &["-O2"]);
    let state = folder.join("state").to_string_lossy().into_owned();
    for kind in ["exchange", "cosimulation"] {
        let first = run(&program, &[kind, "save", &state]);
        let second = run(&program, &[kind, "load", &state]);
        assert!(first.lines().count() == equations.part_count(), "{first}");
        assert_eq!(first, second, "{kind}");
    }
}
