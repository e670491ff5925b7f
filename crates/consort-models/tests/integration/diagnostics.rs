//! What is said about bad blocks and parameters.

use crate::harness::{load, load_in, render_all};
use crate::loader::Place;
use crate::source_fmu::{SOURCE_FILES, description, write, write_doubler};
use consort_core::Report;
use consort_models::{Loader, LoaderOptions};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

#[test]
fn bad_parameters_are_reported_with_names_numbers_and_help() {
    let cases = [
        ("integratr", ""),
        ("teapot", ""),
        ("sine", "amplitude = \"big\"\nfrequency = true"),
        ("sine", "amplitude = [1.0, 2.0]"),
        ("ramp", "duration = -1.0"),
        ("saturation", "min = 2.0"),
        ("pid", "kd = 1.0\ntf = 0.0"),
        ("gain", "size = 0"),
        ("gain", "size = 2.5"),
        ("integrator", "size = 3\nx0 = [1.0, 2.0]"),
        ("sum", "signs = \"+*\""),
        ("sum", "signs = 2"),
        ("noise", "distribution = \"gaussian\""),
        ("constant", "value = []"),
        ("constant", "value = 300\ntype = \"Int8\""),
        ("constant", "value = 1\ntype = \"Float16\""),
        ("state-space", "B = [[1.0]]"),
        ("state-space", "A = [[1.0, 2.0]]"),
        ("state-space", "A = [[1.0, 2.0], [3.0]]\nB = 4.0"),
        ("state-space", "A = [[1.0]]\nB = [[1.0], [2.0]]\nC = [[1.0, 2.0]]\nD = [[1.0, 2.0]]"),
        ("state-space", "A = [[1.0, \"x\"], [0.0, 0.0]]"),
        ("state-space", "A = [[1.0]]\nmethod = \"heun\"\nstarter = 2"),
        ("table", ""),
        ("table", "file = \"nowhere/flow.csv\""),
    ];
    let mut text = String::new();
    for (block, parameters) in cases {
        let mut report = Report::default();
        assert!(load(block, parameters, &mut report).is_none(), "{block}: {parameters}");
        let given = parameters.replace('\n', ", ");
        writeln!(text, "native:{block} {{ {given} }}\n{}", render_all(&report)).unwrap();
    }
    insta::assert_snapshot!(text);
}

#[test]
fn bad_tables_are_reported_with_file_and_line() {
    let cases: [&[u8]; 11] = [
        b"",
        b"time,x\n",
        b"time\n0\n",
        b"0,1\n1,2\n",
        b"time,x,x\n0,1,2\n",
        b"time,file\n0,1\n",
        b"time,x\n0,1,2\n",
        b"time,x\n0,1\n1,abc\n2,\n",
        b"time,x\n0,1\n2,1\n1,0\n",
        b"time,x\nnan,1\n",
        b"time,x\n0,\xff\n",
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for content in cases {
        fs::write(folder.path().join("flow.csv"), content).unwrap();
        let mut report = Report::default();
        let loaded = load_in(folder.path(), "table", "file = \"flow.csv\"", &mut report);
        assert!(loaded.is_none(), "{content:?}");
        writeln!(text, "{:?}\n{}", String::from_utf8_lossy(content), render_all(&report)).unwrap();
    }
    let mut report = Report::default();
    assert!(load_in(folder.path(), "table", "file = \"flw.csv\"", &mut report).is_none());
    text += &render_all(&report);
    insta::assert_snapshot!(text);
}

#[test]
fn models_that_cannot_be_loaded_are_reported_with_help() {
    let place = Place::new();
    let base = place.base();
    write_doubler(&base.join("tank"));
    fs::write(base.join("tank.fmu"), "no archive at all").unwrap();
    fs::write(base.join("notes.txt"), "").unwrap();
    fs::create_dir(base.join("empty")).unwrap();
    let bare = |name: &str, description: &str| {
        fs::create_dir(base.join(name)).unwrap();
        fs::write(base.join(name).join("modelDescription.xml"), description).unwrap();
    };
    bare("old", r#"<fmiModelDescription fmiVersion="1.0" modelName="old"/>"#);
    bare("no-binary", &description(""));
    let exchange = description("").replace("CoSimulation", "ModelExchange");
    bare("exchange", &exchange);
    let scheduled = description("").replace("CoSimulation", "ScheduledExecution");
    bare("scheduled", &scheduled);
    write(&base.join("no-source"), &description(&SOURCE_FILES.replace("doubler", "dubler")), "");
    write(&base.join("no-listing"), &description(""), "");
    fs::rename(base.join("no-listing/sources/doubler.c"), base.join("no-listing/sources/x.txt"))
        .unwrap();
    write(&base.join("other"), &description(""), "");
    let other = r#"<fmiBuildDescription fmiVersion="3.0"><BuildConfiguration modelIdentifier="else"
        platform="x86_64-windows"/></fmiBuildDescription>"#;
    fs::write(base.join("other/sources/buildDescription.xml"), other).unwrap();
    write(&base.join("no-function"), &description(SOURCE_FILES), "int nothing;\n");
    let models = [
        "tnak.fmu",
        "far/tank.fmu",
        "tank.fmu",
        "notes.txt",
        "tank/modelDescription.xml",
        "empty",
        "python:gain",
        "native:gian",
        "old",
        "exchange",
        "scheduled",
        "no-binary",
        "no-source",
        "no-listing",
        "other",
        "no-function",
    ];
    let mut text = String::new();
    for model in models {
        let error = place.load(&mut place.loader(), model).err().unwrap();
        writeln!(text, "model = \"{model}\"\n{error}").unwrap();
    }
    insta::assert_snapshot!(text);
}

#[test]
fn a_missing_compiler_and_a_bad_cache_are_reported() {
    let place = Place::new();
    write_doubler(&place.base().join("tank"));
    let load = |cache: PathBuf, compiler: Option<&str>| {
        let compiler = compiler.map(PathBuf::from);
        let options = LoaderOptions { compiler, ..LoaderOptions::new(cache) };
        place.load(&mut Loader::new(options), "tank").err().unwrap()
    };
    let blocked = place.base().join("tank/modelDescription.xml");
    let text = [
        load(place.cache(), Some("no-such-cc")),
        load(place.cache(), Some("/no/such/cc")),
        load(blocked, None).replace(&place.base().display().to_string(), "BASE"),
    ];
    insta::assert_snapshot!(text.join("\n"));
}
