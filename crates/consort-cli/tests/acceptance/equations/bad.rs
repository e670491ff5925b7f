//! What is said about models that cannot be run.

use crate::world::{NEVER_SAID, World, filters};
use std::fs;

/// Everything that is said about a file; nothing may be left behind.
fn refuse(name: &str, content: &[u8], args: &[&str]) -> String {
    let world = World::with_clean_cache();
    world.write(name, content);
    let before = world.contents();
    let said = world.consort(&[&["run", name], args].concat());
    assert!(matches!(said.code, Some(1 | 2)), "{name}: {said}");
    assert_eq!(said.stdout, "", "{name}");
    assert!(NEVER_SAID.iter().all(|never| !said.stderr.contains(never)), "{said}");
    assert!(said.stderr.contains("help"), "{name} is not helped: {said}");
    assert_eq!(world.contents(), before, "{name} left something behind");
    format!("exit {}\n{}\n", said.code.unwrap(), said.stderr)
}

fn check(snapshot: &str, cases: &[(&str, &str, &str)]) {
    let mut text = String::new();
    for (what, name, content) in cases {
        text += &format!("==== {what}: {}", refuse(name, content.as_bytes(), &[]));
    }
    insta::with_settings!({filters => filters()}, { insta::assert_snapshot!(snapshot, text) });
}

const SBML: &str = r#"<sbml xmlns="http://www.sbml.org/sbml/level3/version1/core" level="3" version="1">
  <model id="m">
    <listOfParameters><parameter id="k" value="1" constant="true"/></listOfParameters>
    BODY
  </model>
</sbml>"#;

#[test]
fn models_that_cannot_be_run_alone_are_reported() {
    let rule = "<listOfRules><rateRule variable=\"kk\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\">\
                <cn>1</cn></math></rateRule></listOfRules>";
    check(
        "alone",
        &[
            ("an empty text", "a.eq", ""),
            ("no model", "a.eq", "state x = 1\nder(x) = 1\n"),
            ("a missing end", "a.eq", "model a\nstate x = 1\nder(x) = -x\n"),
            (
                "an unknown name",
                "a.eq",
                "model a\nparameter rate = 1\nstate x = 1\nder(x) = -rte*x\nend",
            ),
            ("a missing derivative", "a.eq", "model a\nstate x = 1\nend"),
            (
                "several mistakes",
                "a.eq",
                "model a\nstate x = 1 +\nder(y) = 1\nwhen x then\n  z = 1\nend\nend",
            ),
            ("a circle", "a.eq", "model a\noutput x = y + 1\nvariable y = 2*x\nend"),
            (
                "an experiment that cannot be",
                "a.eq",
                "model a\nexperiment stop 0 step 1\noutput x = 1\nend",
            ),
            (
                "a unit that is none",
                "a.eq",
                "model a\nparameter p = 1 \"parsec/fortnight\"\noutput y = q\nend",
            ),
            ("an XML that is no SBML", "a.xml", "<html><body/></html>"),
            ("an XML that is none", "a.sbml", "model a\nend"),
            (
                "SBML called equations",
                "a.eq",
                "<?xml version=\"1.0\"?>\n<sbml level=\"3\" version=\"1\"/>",
            ),
            ("SBML of another level", "a.sbml", "<sbml level=\"1\" version=\"2\"/>"),
            ("SBML with a rule for nothing", "a.sbml", &SBML.replace("BODY", rule)),
            ("SBML without a model", "a.sbml", "<sbml level=\"3\" version=\"1\"/>"),
        ],
    );
}

#[test]
fn texts_of_other_editors_are_read_alike() {
    let text = "model a\nexperiment stop 1 step 0.5\noutput x = time\nend\n";
    let hashes = ["", "\u{feff}"].map(|mark| {
        ["\n", "\r\n"].map(|end| {
            let world = World::with_clean_cache();
            world.write("a.eq", format!("{mark}{}", text.replace('\n', end)));
            world.done(&["run", "a.eq"]);
            world.trace_hash("out/a")
        })
    });
    assert!(hashes.as_flattened().windows(2).all(|pair| pair[0] == pair[1]), "{hashes:?}");
}

#[test]
fn what_is_not_there_is_answered_by_what_was_meant() {
    let world = World::with_clean_cache();
    world.write("ball.eq", "model a\noutput x = time\nend\n");
    world.write("models/cell.sbml", "");
    fs::create_dir(world.path("folder.eq")).unwrap();
    let before = world.contents();
    let mut all = String::new();
    for line in [
        "run bal.eq",
        "inspect bal.eq",
        "export fmu bal.eq",
        "plan models/cel.sbml",
        "run temperature.eq",
        "run folder.eq",
        "inspect folder.eq",
        "export fmu folder.eq",
        "export fmu ball.eq /proc/ball.fmu --no-binary",
        "plot ball.eq",
        "plot nothing",
        "diff ball.eq ball.eq",
        "replay ball.eq",
        "check plan ball.eq plan.txt",
        "check plan ball.eq folder.eq",
        "run ball.eq --input wind.csv",
    ] {
        let said = world.consort(&line.split(' ').collect::<Vec<_>>());
        assert!(said.stderr.contains("help: "), "{line}: {said}");
        let (code, stderr) = (said.code.unwrap(), said.stderr);
        all += &format!("==== {line}: exit {code}\n{stderr}\n");
    }
    assert_eq!(world.contents(), before, "something was left behind");
    insta::with_settings!({filters => filters()}, { insta::assert_snapshot!("not-there", all) });
}

#[test]
fn values_that_a_model_does_not_take_are_reported() {
    let text = "model a\nparameter k = 1 \"m\"\nparameter twice = 2*k\ninput u = 0\n\
                output state x = k\nder(x) = u\nend";
    let mut all = String::new();
    for (what, option) in [
        ("a computed parameter", "twice=3"),
        ("a first value that is computed", "x=3"),
        ("a unit that does not fit", "k=3 kg"),
        ("nothing of that name", "kk=3"),
        ("no number", "k=three"),
    ] {
        let said = refuse("a.eq", text.as_bytes(), &["--set", option]);
        all += &format!("==== {what}: {said}");
    }
    insta::with_settings!({filters => filters()}, { insta::assert_snapshot!("values", all) });
}

#[test]
fn a_system_with_a_wrong_model_is_reported_where_it_is_asked_for() {
    let world = World::with_clean_cache();
    world.system(
        "[experiment]\nstop = 1\nstep = 0.1\n[components.ball]\nmodel = \"ball.eq\"\n\
         [components.other]\nmodel = \"ball.eq\"\n[components.cell]\nmodel = \"cell.xml\"\n\
         [components.gone]\nmodel = \"bal.eq\"\n",
    );
    world.write("s/ball.eq", "model ball\nstate h = 1\nder(h) = v\nend");
    world.write("s/cell.xml", SBML.replace("BODY", "<listOfSpecies><species/></listOfSpecies>"));
    let said = world.consort(&["run", "s"]);
    assert_eq!(said.code, Some(1), "{said}");
    insta::with_settings!({filters => filters()}, { insta::assert_snapshot!("system", said.stderr) });
}

#[test]
fn models_that_fail_while_they_run_say_when_and_why() {
    let mut all = String::new();
    for (what, text) in [
        ("no value", "output state x = 1\nder(x) = -sqrt(x - 2)"),
        ("nowhere to go", "output state x = 0.35\nder(x) = if x > 0 then -1 else 1"),
        (
            "events without end",
            "output discrete a = 0\ndiscrete b = 0\nwhen time >= 0.5 then\n  a = 1\nend\n\
             when a > b then\n  b = b + 2\nend\nwhen b > a then\n  a = a + 2\nend",
        ),
        (
            "an event before its time",
            "output state x = 0\nder(x) = 1\nwhen x > 0.5 after -x then\n  x = 0\nend",
        ),
    ] {
        let world = World::with_clean_cache();
        world.write("a.eq", format!("model a\nexperiment stop 1 step 0.1\n{text}\nend"));
        let said = world.consort(&["run", "a.eq", "--no-record"]);
        assert_eq!(said.code, Some(2), "{what}: {said}");
        all += &format!("==== {what}: {}\n", said.stderr);
    }
    insta::with_settings!({filters => filters()}, { insta::assert_snapshot!("running", all) });
}

#[test]
fn hostile_files_are_refused_soon() {
    let deep = format!("model a\noutput y = {}1{}\nend", "(".repeat(100_000), ")".repeat(100_000));
    let mistakes = format!("model a\n{}end", "variable v = q\n".repeat(20_000));
    let nested = "<a>".repeat(100_000);
    let mut long = b"model a\n".to_vec();
    long.resize((64 << 20) + 1, b'#');
    for (name, content) in [
        ("deep.eq", deep.as_bytes()),
        ("mistakes.eq", mistakes.as_bytes()),
        ("nested.sbml", nested.as_bytes()),
        ("long.eq", &long),
        ("binary.eq", &[0x7f, b'E', b'L', b'F', 0, 0xff, 0xfe]),
        ("binary.sbml", &[0xff; 100]),
    ] {
        let said = refuse(name, content, &[]);
        assert!(said.len() < 20_000_000, "{name}: {} bytes are said", said.len());
    }
}
