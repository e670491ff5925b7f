//! Systems of other tools as they are published: where their files are found, archives within archives, dictionaries, and
//! scenarios of several configurations.

use crate::world::World;
use consort_testkit::fmus::{self, BuildOptions, Fmi};
use std::fs;
use std::io::Cursor;

/// An FMU of the test kit, somewhere in the world.
fn place(world: &World, name: &str, path: &str) {
    let archive = fmus::build(name, Fmi::V2, &BuildOptions::archive());
    let path = world.path(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::copy(archive, path).unwrap();
}

fn model(gain: &str, integrator: &str, rest: &str) -> String {
    format!(
        r#"{{ "fmus": {{ "{{g}}": "{gain}", "{{i}}": "{integrator}" }},
  "connections": {{ "{{g}}.gain.y": ["{{i}}.sum.u"], "{{i}}.sum.y": ["{{g}}.gain.u"] }},
  "parameters": {{ "{{i}}.sum.x0": 1 }}{rest} }}"#
    )
}

const CONFIGURATION: &str =
    r#"{ "startTime": 0, "endTime": 1, "algorithm": { "type": "fixed-step", "size": 0.1 } }"#;

fn hash(world: &World, system: &str, options: &[&str]) -> String {
    world.done(&[&["run", system, "--out", "run"], options].concat());
    let hash = world.trace_hash("run");
    fs::remove_dir_all(world.path("run")).unwrap();
    hash
}

/// FMUs where the multi-model is, in the project, around it, and where the program is started; the experiment beside, below,
/// and in the files of Maestro's web interface.
#[test]
fn a_multi_model_runs_wherever_its_fmus_and_its_experiment_are() {
    let world = World::new();
    let plain = model(
        "gain.fmu",
        "integrator.fmu",
        ", \"endTime\": 1, \"algorithm\": { \"type\": \"fixed-step\", \"size\": 0.1 }",
    );
    world.write("plain/mm.json", plain);
    for name in ["gain", "integrator"] {
        place(&world, name, &format!("plain/{name}.fmu"));
        place(&world, name, &format!("project/FMUs/{name}.fmu"));
        place(&world, name, &format!("target/classes/{name}.fmu"));
    }
    let expected = hash(&world, "plain", &[]);
    let absolute = world.path("plain/gain.fmu").display().to_string();
    let strange = "C:\\\\Users\\\\me\\\\project\\\\FMUs\\\\integrator.fmu";
    let from_here = ("target/classes/gain.fmu", "target/classes/integrator.fmu");
    let in_project = ("gain.fmu", "integrator.fmu");
    let cases: &[(&str, (&str, &str), &str, &str)] = &[
        ("project/Multi-models/mm", in_project, "coe.json", ""),
        ("project/Multi-models/below", in_project, "co-sim/coe.json", ""),
        ("project/Multi-models/named", in_project, "co-sim/run.coe.json", ""),
        ("project/Multi-models/deep/co-sim/R_1", in_project, "coe.json", ""),
        ("project/Multi-models/root", ("FMUs/gain.fmu", "FMUs\\\\integrator.fmu"), "coe.json", ""),
        ("project/Multi-models/strange", (&format!("file://{absolute}"), strange), "coe.json", ""),
        (
            "maestro",
            from_here,
            "simulate.json",
            ", \"algorithm\": { \"type\": \"fixed-step\", \"size\": 0.1 }",
        ),
    ];
    for (folder, (gain, integrator), configuration, rest) in cases {
        world.write(&format!("{folder}/mm.json"), model(gain, integrator, rest));
        let configuration = format!("{folder}/{configuration}");
        world.write(&configuration, CONFIGURATION);
        assert_eq!(hash(&world, folder, &[]), expected, "{folder}");
        let mm = format!("{folder}/mm.json");
        assert_eq!(hash(&world, &mm, &["--with", &configuration]), expected, "{configuration}");
    }
    world.write("maestro/initialize.json", model(from_here.0, from_here.1, ""));
    assert_eq!(hash(&world, "maestro/initialize.json", &[]), expected);
}

#[test]
fn where_an_fmu_was_looked_for_is_said() {
    let world = World::new();
    world.write("some/mm.json", model("gain.fmu", "FMUs/integrator.fmu", ", \"endTime\": 1"));
    place(&world, "gain", "some/gain.fmu");
    let said = world.consort(&["run", "some/mm.json"]);
    assert_eq!(said.code, Some(1), "{said}");
    let error = "the model `FMUs/integrator.fmu` of `sum` is not there";
    assert!(said.stderr.contains(error), "{said}");
    let here = world.path("").canonicalize().unwrap();
    for place in [here.join("some"), here] {
        let place = format!("`{}`", place.display().to_string().trim_end_matches('/'));
        assert!(said.stderr.contains(&place), "{place}: {said}");
    }
}

#[test]
fn several_configurations_are_listed_and_none_is_chosen() {
    let world = World::new();
    world.write("mm.json", model("gain.fmu", "integrator.fmu", ""));
    for name in ["gain", "integrator"] {
        place(&world, name, &format!("{name}.fmu"));
    }
    world.write("slow/coe.json", CONFIGURATION);
    world.write("fast/coe.json", CONFIGURATION);
    let said = world.consort(&["plan", "mm.json"]);
    let note = "there are several configurations: `fast/coe.json`, `slow/coe.json`";
    assert!(said.stderr.contains(note), "{said}");
    world.done(&["run", "mm.json", "--with", "slow/coe.json", "--out", "run"]);
}

const OUTER: &str = r#"<ssd:SystemStructureDescription name="outer" version="1.0"
    xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
    xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"
    xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues">
  <ssd:System name="root"><ssd:Elements>
    <ssd:Component name="amp" source="resources/gain.fmu"/>
    <ssd:Component name="plant" type="application/x-ssp-package" source="resources/sub.ssp">
      <ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>
        <ssv:ParameterSet version="1.0" name="values"><ssv:Parameters>
          <ssv:Parameter name="sum.x0"><ssv:Real value="1" unit="[m]"/></ssv:Parameter>
        </ssv:Parameters></ssv:ParameterSet>
      </ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>
    </ssd:Component>
  </ssd:Elements><ssd:Connections>
    <ssd:Connection startElement="amp" startConnector="y" endElement="plant" endConnector="in"/>
    <ssd:Connection startElement="plant" startConnector="out" endElement="amp" endConnector="u"/>
  </ssd:Connections></ssd:System>
  <ssd:DefaultExperiment stopTime="1"/>
</ssd:SystemStructureDescription>"#;

/// Its input reaches the integrator through a dictionary.
const INNER: &str = r#"<ssd:SystemStructureDescription name="inner" version="1.0"
    xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
    xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon">
  <ssd:System name="root">
    <ssd:Connectors>
      <ssd:Connector name="in" kind="input"/><ssd:Connector name="out" kind="output"/>
    </ssd:Connectors>
    <ssd:Elements>
      <ssd:Component name="sum" source="resources/integrator.fmu"/>
      <ssd:SignalDictionaryReference name="bus" dictionary="signals"><ssd:Connectors>
        <ssd:Connector name="flow" kind="inout"/>
      </ssd:Connectors></ssd:SignalDictionaryReference>
    </ssd:Elements>
    <ssd:Connections>
      <ssd:Connection startElement="" startConnector="in" endElement="bus" endConnector="flow"/>
      <ssd:Connection startElement="bus" startConnector="flow" endElement="sum" endConnector="u"/>
      <ssd:Connection startElement="sum" startConnector="y" endElement="" endConnector="out"/>
    </ssd:Connections>
    <ssd:SignalDictionaries><ssd:SignalDictionary name="signals" source="signals.ssb"/></ssd:SignalDictionaries>
  </ssd:System>
</ssd:SystemStructureDescription>"#;

const SIGNALS: &str = r#"<ssb:SignalDictionary version="1.0"
    xmlns:ssb="http://ssp-standard.org/SSP1/SystemStructureSignalDictionary"
    xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon">
  <ssb:DictionaryEntry name="flow"><ssc:Real/></ssb:DictionaryEntry>
</ssb:SignalDictionary>"#;

const FLAT: &str = r#"
[experiment]
stop = 1
step = 0.1
[components.amp]
model = "gain.fmu"
[components."plant/sum"]
model = "integrator.fmu"
parameters = { x0 = 1 }
[[connections]]
from = "amp.y"
to = "plant/sum.u"
[[connections]]
from = "plant/sum.y"
to = "amp.u"
"#;

/// An archive of files and FMUs.
fn archive(world: &World, path: &str, files: &[(&str, &[u8])]) {
    let mut archive = Cursor::new(Vec::new());
    let own = |(name, content): &(&str, &[u8])| ((*name).to_owned(), content.to_vec());
    let files: Vec<(String, Vec<u8>)> = files.iter().map(own).collect();
    consort_models::pack::write_archive(&mut archive, &files, &[]).unwrap();
    world.write(path, archive.into_inner());
}

#[test]
fn an_archive_within_an_archive_or_a_folder_is_the_flat_system() {
    let world = World::new();
    for name in ["gain", "integrator"] {
        place(&world, name, &format!("s/{name}.fmu"));
    }
    world.system(FLAT);
    let expected = hash(&world, "s", &[]);
    let [gain, integrator] =
        ["gain", "integrator"].map(|name| fs::read(world.path(&format!("s/{name}.fmu"))).unwrap());
    let inner: &[(&str, &[u8])] = &[
        ("SystemStructure.ssd", INNER.as_bytes()),
        ("signals.ssb", SIGNALS.as_bytes()),
        ("resources/integrator.fmu", &integrator),
    ];
    world.write("folder/SystemStructure.ssd", OUTER);
    world.write("folder/resources/gain.fmu", &gain);
    archive(&world, "folder/resources/sub.ssp", inner);
    let sub = fs::read(world.path("folder/resources/sub.ssp")).unwrap();
    archive(
        &world,
        "outer.ssp",
        &[
            ("SystemStructure.ssd", OUTER.as_bytes()),
            ("resources/gain.fmu", &gain),
            ("resources/sub.ssp", &sub),
        ],
    );
    let step = ["--step", "0.1"];
    for system in ["folder", "outer.ssp"] {
        assert_eq!(hash(&world, system, &step), expected, "{system}");
        let out = format!("of-{}", system.replace('.', "-"));
        for form in ["system.toml", "again.ssp"] {
            let written = format!("{out}/{form}");
            world.done(&["export", system, &written, "--step", "0.1"]);
            assert_eq!(hash(&world, &written, &[]), expected, "{system} as {form}");
        }
    }
    world.write("folder/resources/sub.ssp", "no archive at all");
    let said = world.consort(&["run", "folder"]);
    assert_eq!(said.code, Some(1), "{said}");
    assert!(said.stderr.contains("folder/resources/sub.ssp"), "{said}");
}

const ADAPTIVE: &str = "name = adaptive
scenario = {
  fmus = { a = {}, b = {} }
  configuration = {
    configurable-inputs = [a.u, b.u]
    configurations = {
      first = { inputs = { \"b.u\" = {reactivity=reactive} } }
      second = { inputs = { \"a.u\" = {reactivity=reactive} } }
    }
  }
  connections = [ a.y -> b.u, b.y -> a.u ]
}
";

#[test]
fn an_adaptive_scenario_gets_an_algorithm_for_each_configuration() {
    let world = World::new();
    world.write("a.conf", ADAPTIVE);
    let said = world.consort(&["check", "scenario", "a.conf"]);
    assert_eq!(said.code, Some(2), "{said}");
    assert!(said.stderr.contains("`a.conf` has no algorithm to be judged"), "{said}");
    let made = world.done(&["plan", "a.conf"]).stdout;
    world.write("made.conf", &made);
    let judged = world.done(&["check", "scenario", "made.conf"]);
    assert_eq!(judged.stdout, "made.conf: accepted\n");
    let step = made.find("  first = [\n").expect("an algorithm of that name");
    let (head, tail) = made.split_at(step);
    world.write("wrong.conf", format!("{head}{}", tail.replacen("    {step: a}\n", "", 1)));
    let judged = world.consort(&["check", "scenario", "wrong.conf"]);
    assert_eq!(judged.code, Some(1), "{judged}");
    assert!(judged.stdout.contains("in the configuration `first`: "), "{judged}");
    world.write("half.conf", made.replacen("        cosim-step = \"second\"\n", "", 1));
    let judged = world.consort(&["check", "scenario", "half.conf"]);
    let message = "`half.conf` has no algorithm for the configuration `second`";
    assert!(judged.stderr.contains(message), "{judged}");
    for format in ["program", "json", "dot", "svg"] {
        let said = world.done(&["plan", "a.conf", "--format", format]);
        assert!(said.stderr.contains("`--format text` prints the algorithms"), "{said}");
    }
}
