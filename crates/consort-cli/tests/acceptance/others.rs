//! FMUs made by others: `pythonfmu` (2.0) and `pythonfmu3` (3.0), against FMPy; and whole numbers
//! of 64 bits on every way through the product.

use crate::oracle::{self, Part};
use crate::record::Record;
use crate::world::World;
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use consort_testkit::python;
use std::path::Path;

fn system(fmu: &Path, parameters: &str) -> World {
    let world = World::new();
    world.system(&format!(
        "[experiment]\nstop = 2\nstep = 0.1\nrecord = \"all\"\n\
         [components.source]\nmodel = \"native:sine\"\nparameters = {{ frequency = 0.3 }}\n\
         [components.mixer]\nmodel = {fmu:?}\nparameters = {{ {parameters} }}\n\
         [[connections]]\nfrom = \"source.y\"\nto = \"mixer.u\"\n"
    ));
    world
}

fn check(fmu: &Path, parameters: &str, part: &Part<'_>) -> World {
    let world = system(fmu, parameters);
    let record = oracle::run(&world, &[]);
    let steps = oracle::compare(&world, &record, fmu, part);
    assert_eq!(steps, 20);
    world
}

/// FMUs made by `pythonfmu` need the interpreter's library; `python3` on the path knows where it is.
#[test]
fn an_fmu_made_by_pythonfmu_gives_what_fmpy_gives() {
    let part = Part {
        component: "mixer",
        parameters: &["rate"],
        inputs: &["u"],
        outputs: &["x", "steps", "odd", "text"],
        ..Part::NOTHING
    };
    let world = check(&python::pythonfmu_archive(), "rate = 0.7", &part);
    let record = Record::parse(&world.read("run/trace.csv"));
    assert_eq!(record.column("mixer.text").last(), Some(&"after 20 steps"));
}

#[test]
fn an_fmu_made_by_pythonfmu3_gives_what_fmpy_gives() {
    let part = Part {
        component: "mixer",
        parameters: &["offset"],
        inputs: &["u"],
        outputs: &["x", "steps", "big", "huge", "odd", "text"],
        ..Part::NOTHING
    };
    let offset = i64::MAX - 40;
    let world = check(&python::pythonfmu3_archive(), &format!("offset = {offset}"), &part);
    let record = Record::parse(&world.read("run/trace.csv"));
    assert_eq!(record.column("mixer.big").last(), Some(&i64::MAX.to_string().as_str()));
    assert_eq!(record.column("mixer.huge").last(), Some(&(u64::MAX - 20).to_string().as_str()));
}

#[test]
fn the_interpreter_may_be_named() {
    let library = python::libpython().expect("the tests' Python has a library");
    let world = system(&python::pythonfmu3_archive(), "");
    let library = library.display().to_string();
    world.done(&["run", "s", "--out", "named", "--python-library", &library]);
    world.done(&["run", "s", "--out", "found"]);
    assert_eq!(world.trace_hash("named"), world.trace_hash("found"));
    world.done(&["replay", "named"]);
}

#[test]
fn both_makers_share_a_process() {
    let two = system(&python::pythonfmu_archive(), "");
    let text = two.read("s/system.toml");
    two.system(&format!(
        "{text}[components.other]\nmodel = {:?}\n[components.third]\nmodel = {:?}\n\
         [[connections]]\nfrom = \"mixer.x\"\nto = \"other.u\"\n\
         [[connections]]\nfrom = \"other.x\"\nto = \"third.u\"\n",
        python::pythonfmu3_archive(),
        python::pythonfmu_archive(),
    ));
    for workers in ["1", "8"] {
        two.done(&["run", "s", "--out", workers, "--workers", workers]);
    }
    assert_eq!(two.trace_hash("1"), two.trace_hash("8"));
}

/// From a parameter over a connection, from a table, from the command line; to both forms of trace.
#[test]
fn whole_numbers_of_64_bits_stay_exact() {
    let fmu = fmus::build("feedthrough", Fmi::V3, &BuildOptions::binary());
    let world = World::new();
    let mut text = String::from("[experiment]\nstop = 0.3\nstep = 0.1\nrecord = \"all\"\n");
    for name in ["a", "b", "fed"] {
        text += &format!("[components.{name}]\nmodel = {fmu:?}\n");
    }
    text += "[components.a.parameters]\nint64_in = -9223372036854775808\n\
             [[connections]]\nfrom = \"a.int64_out\"\nto = \"b.int64_in\"\n\
             [[connections]]\nfrom = \"a.uint64_out\"\nto = \"b.uint64_in\"\n";
    world.system(&text);
    let table = "time,fed.int64_in,fed.uint64_in\n0,9223372036854775807,18446744073709551615\n\
                 0.1,-9223372036854775808,9007199254740993\n0.2,9007199254740993,1\n";
    world.write("in.csv", table);
    let args = ["--set", "a.uint64_in=18446744073709551615", "--input", "in.csv"];
    let record = oracle::run(&world, &args);
    assert_eq!(record.column("b.int64_out")[3], i64::MIN.to_string());
    assert_eq!(record.column("b.uint64_out")[3], u64::MAX.to_string());
    let fed = ["9223372036854775807", "-9223372036854775808", "9007199254740993"];
    assert_eq!(record.column("fed.int64_out")[1..], fed);
    let fed = ["18446744073709551615", "9007199254740993", "1"];
    assert_eq!(record.column("fed.uint64_out")[1..], fed);
    world.done(&["diff", "run/trace.csv", "run/trace.parquet"]);
    world.done(&["replay", "run"]);
}
