//! Archives within archives, dictionaries of signals, and what tools leave empty or undefined.

use crate::files::{read, read_clean, ssb, ssd, ssv};
use crate::good::{parameters, wires};
use consort_core::{Report, Severity};
use consort_system::SystemDescription;
use consort_testkit::render;

/// What is said about some files, and the system they describe.
fn findings(files: &[(&str, &str)]) -> (Vec<String>, Option<SystemDescription>) {
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    let mut report = Report::default();
    let system = read(&files, &mut report);
    let shown = |it: &consort_core::Diagnostic| format!("{}: {}", it.code, it.message);
    let loud = report.diagnostics().iter().filter(|it| it.severity != Severity::Note);
    (loud.map(shown).collect(), system)
}

fn check_findings(files: &[(&str, &str)], expected: &[&str]) -> Option<SystemDescription> {
    let (said, system) = findings(files);
    assert_eq!(said, expected);
    system
}

/// A tank and a valve at the border of a system.
const INNER: &str = r#"<ssd:Connectors>
  <ssd:Connector name="in" kind="input"/><ssd:Connector name="out" kind="output"/>
  <ssd:Connector name="width" kind="parameter"/>
</ssd:Connectors>
<ssd:ParameterBindings><ssd:ParameterBinding source="inner.ssv"/></ssd:ParameterBindings>
<ssd:Elements>
  <ssd:Component name="tank" source="resources/tank.fmu"/>
  <ssd:Component name="pipe" source="../pipe.fmu"/>
</ssd:Elements>
<ssd:Connections>
  <ssd:Connection startConnector="in" endElement="tank" endConnector="u"/>
  <ssd:Connection startElement="tank" startConnector="y" endConnector="out"/>
  <ssd:Connection startConnector="width" endElement="tank" endConnector="area"/>
</ssd:Connections>"#;

fn inner() -> String {
    ssd(&INNER.replace("  <ssd:Component name=\"pipe\" source=\"../pipe.fmu\"/>\n", ""), "")
}

fn outer(component: &str) -> String {
    let around = format!(
        r#"<ssd:Elements><ssd:Component name="src" source="src.fmu"/>{component}</ssd:Elements>
<ssd:Connections>
  <ssd:Connection startElement="src" startConnector="y" endElement="plant" endConnector="in"/>
  <ssd:Connection startElement="plant" startConnector="out" endElement="src" endConnector="u"/>
</ssd:Connections>"#
    );
    ssd(&around, "")
}

const PLANT: &str = r#"<ssd:Component name="plant" type="application/x-ssp-package" source="resources/sub.ssp">
<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version="1.0" name="p"><ssv:Parameters>
  <ssv:Parameter name="width"><ssv:Real value="4"/></ssv:Parameter>
  <ssv:Parameter name="tank.start"><ssv:Real value="2"/></ssv:Parameter>
</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>
</ssd:Component>"#;

fn inner_values() -> String {
    ssv(
        r#"<ssv:Parameters><ssv:Parameter name="tank.start"><ssv:Real value="1"/></ssv:Parameter><ssv:Parameter name="tank.rate"><ssv:Real value="9"/></ssv:Parameter></ssv:Parameters>"#,
    )
}

#[test]
fn a_nested_archive_is_a_system_whose_files_are_in_it() {
    let system = read_clean(&[
        ("SystemStructure.ssd", &outer(PLANT)),
        ("resources/sub.ssp/SystemStructure.ssd", &inner()),
        ("resources/sub.ssp/inner.ssv", &inner_values()),
    ]);
    let models: Vec<(&str, &str)> = (system.components.iter())
        .map(|it| (it.name.value.as_str(), it.model.value.as_str()))
        .collect();
    let tank = "resources/sub.ssp/resources/tank.fmu";
    assert_eq!(models, [("src", "src.fmu"), ("plant/tank", tank)]);
    assert_eq!(wires(&system), ["plant/tank.y -> src.u", "src.y -> plant/tank.u"]);
    let given = ["plant/tank.start = 2.0", "plant/tank.rate = 9.0", "plant/tank.area = 4.0"];
    assert_eq!(parameters(&system), given, "the outer values go before the inner ones");
}

#[test]
fn a_variant_of_a_nested_archive_is_named_behind_it() {
    for source in ["sub.ssp#Other.ssd", "sub%2Essp#Other.ssd"] {
        let component = format!(
            r#"<ssd:Component name="plant" type="application/x-ssp-package" source="{source}"/>"#
        );
        let files = [
            ("SystemStructure.ssd", outer(&component)),
            ("sub.ssp/Other.ssd", inner()),
            ("sub.ssp/inner.ssv", inner_values()),
        ];
        let files: Vec<(&str, &str)> =
            files.iter().map(|(name, it)| (*name, it.as_str())).collect();
        let (said, system) = findings(&files);
        // An escaped dot is part of the name of a file: only the plain name has a variant.
        assert_eq!(system.is_some(), !source.contains('%'), "{said:?}");
    }
}

#[test]
fn what_is_in_a_nested_archive_stays_in_it() {
    let files = [
        ("SystemStructure.ssd", outer(PLANT)),
        ("resources/sub.ssp/SystemStructure.ssd", ssd(INNER, "")),
        ("resources/sub.ssp/inner.ssv", inner_values()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, it)| (*name, it.as_str())).collect();
    let message = "ssp::outside: `../pipe.fmu` is outside of the archive `resources/sub.ssp`";
    assert!(check_findings(&files, &[message]).is_none());
}

#[test]
fn an_archive_within_itself_comes_to_an_end() {
    let itself = ssd(
        r#"<ssd:Elements><ssd:Component name="a" source="a.ssp"/><ssd:Component name="b" source="a.ssp"/></ssd:Elements>"#,
        "",
    );
    let find = |path: &str| path.ends_with(".ssd").then(|| itself.clone().into_bytes());
    let mut report = Report::default();
    let structure = consort_formats::ssp::DEFAULT_STRUCTURE;
    assert!(consort_formats::ssp::read("demo.ssp", &find, structure, &mut report).is_none());
    let said = render::report(&report);
    assert!(said.contains("ssp::limit"), "{said}");
}

/// Two components, and a system of one more, that meet in a dictionary; `DICTIONARY` is its content.
const BUS: &str = r#"<ssd:SignalDictionaries>DICTIONARY</ssd:SignalDictionaries>
<ssd:Elements>
  <ssd:Component name="a" source="a.fmu"><ssd:Connectors>
    <ssd:Connector name="y" kind="output"><ssc:Real unit="m"/></ssd:Connector>
  </ssd:Connectors></ssd:Component>
  <ssd:Component name="b" source="b.fmu"/>
  <ssd:SignalDictionaryReference name="bus" dictionary="signals"><ssd:Connectors>
    <ssd:Connector name="level" kind="inout"/><ssd:Connector name="speed" kind="output"/>
  </ssd:Connectors></ssd:SignalDictionaryReference>
  <ssd:System name="deep"><ssd:Elements>
    <ssd:Component name="c" source="c.fmu"><ssd:Connectors>
      <ssd:Connector name="u" kind="input"><ssc:Real unit="cm"/></ssd:Connector>
      <ssd:Connector name="w" kind="output"/>
    </ssd:Connectors></ssd:Component>
    <ssd:SignalDictionaryReference name="far" dictionary="signals"><ssd:Connectors>
      <ssd:Connector name="level" kind="output"/><ssd:Connector name="speed" kind="input"/>
    </ssd:Connectors></ssd:SignalDictionaryReference>
  </ssd:Elements><ssd:Connections>
    <ssd:Connection startElement="far" startConnector="level" endElement="c" endConnector="u"/>
    <ssd:Connection startElement="c" startConnector="w" endElement="far" endConnector="speed"/>
  </ssd:Connections></ssd:System>
</ssd:Elements>
<ssd:Connections>
  <ssd:Connection startElement="a" startConnector="y" endElement="bus" endConnector="level"/>
  <ssd:Connection startElement="bus" startConnector="level" endElement="b" endConnector="u"/>
  <ssd:Connection startElement="b" startConnector="v" endElement="bus" endConnector="speed"/>
</ssd:Connections>"#;

const ENTRIES: &str = r#"<ssb:DictionaryEntry name="level"><ssc:Real unit="mm"/></ssb:DictionaryEntry>
<ssb:DictionaryEntry name="speed"><ssc:Real/></ssb:DictionaryEntry>"#;

fn bus(dictionary: &str) -> String {
    ssd(&BUS.replace("DICTIONARY", dictionary), "")
}

const EXTERNAL: &str = r#"<ssd:SignalDictionary name="signals" source="dictionaries/all.ssb"/>"#;

#[test]
fn what_goes_into_a_dictionary_comes_out_wherever_it_is_reached() {
    let inline = format!(
        r#"<ssd:SignalDictionary name="signals"><ssb:SignalDictionary version="1.0" xmlns:ssb="http://ssp-standard.org/SSP1/SystemStructureSignalDictionary">{ENTRIES}</ssb:SignalDictionary></ssd:SignalDictionary>"#
    );
    let file = ssb(ENTRIES);
    for files in [
        vec![("SystemStructure.ssd", bus(&inline))],
        vec![("SystemStructure.ssd", bus(EXTERNAL)), ("dictionaries/all.ssb", file)],
    ] {
        let files: Vec<(&str, &str)> =
            files.iter().map(|(name, it)| (*name, it.as_str())).collect();
        let system = read_clean(&files);
        let expected = ["deep/c.w -> b.v", "a.y -> b.u", "a.y -> deep/c.u *100.0 +0.0 as is"];
        let mut found = wires(&system);
        found.sort();
        let mut expected: Vec<String> = expected.iter().map(|&it| it.to_owned()).collect();
        expected.sort();
        assert_eq!(found, expected);
    }
}

#[test]
fn mistakes_with_dictionaries_are_named() {
    let all = ssb(ENTRIES);
    let check = |text: String, expected: &[&str]| {
        let files = [("SystemStructure.ssd", text.as_str()), ("dictionaries/all.ssb", &all)];
        assert!(check_findings(&files, expected).is_none());
    };
    check(
        bus(EXTERNAL)
            .replace("name=\"far\" dictionary=\"signals\"", "name=\"far\" dictionary=\"signal\""),
        &["ssp::unknown-dictionary: there is no signal dictionary `signal`"],
    );
    check(
        bus(EXTERNAL)
            .replace(
                "<ssd:Connector name=\"level\" kind=\"inout\"/>",
                "<ssd:Connector name=\"lvel\"/>",
            )
            .replace("\"bus\" endConnector=\"level\"", "\"bus\" endConnector=\"levl\""),
        &[
            "ssp::unknown-signal: the dictionary `signals` has no signal `lvel`",
            "ssp::unknown-signal: the dictionary `signals` has no signal `levl`",
        ],
    );
    check(
        bus(EXTERNAL).replace(
            "name=\"level\" kind=\"inout\"/>",
            "name=\"level\"><ssc:Real unit=\"m\"/></ssd:Connector>",
        ),
        &["ssp::dictionary-unit: the signal `level` is in `mm`, its connector here is in `m`"],
    );
    // Who writes a signal must be one.
    check(
        bus(EXTERNAL).replace(
            r#"<ssd:Connection startElement="bus" startConnector="level" endElement="b" endConnector="u"/>"#,
            r#"<ssd:Connection startElement="b" startConnector="x" endElement="bus" endConnector="level"/>"#,
        ),
        &["ssp::several-sources: the connector `level` is fed by several connections"],
    );
    for (dictionary, mistake) in [
        ("source=\"none.ssb\"/", "ssp::missing-file: there is no `none.ssb` in this SSP"),
        (
            "type=\"text/x-dbc\" source=\"a.dbc\"/",
            "ssp::dictionary-type: signal dictionaries of type `text/x-dbc` are not supported",
        ),
        ("/", "ssp::missing-element: a signal dictionary has no content"),
    ] {
        let [level, speed] = ["level", "speed"].map(|it| {
            format!("ssp::unknown-signal: the dictionary `signals` has no signal `{it}`")
        });
        check(
            bus(&format!("<ssd:SignalDictionary name=\"signals\" {dictionary}>")),
            &[mistake, &level, &speed, &level, &speed],
        );
    }
}

#[test]
fn an_empty_element_is_the_system_itself() {
    let text = inner()
        .replace(
            "<ssd:Connection startConnector",
            "<ssd:Connection startElement=\"\" startConnector",
        )
        .replace("endConnector=\"out\"", "endElement=\" \" endConnector=\"out\"");
    assert_ne!(text, inner());
    let files = [
        ("SystemStructure.ssd", outer(PLANT)),
        ("resources/sub.ssp/SystemStructure.ssd", text),
        ("resources/sub.ssp/inner.ssv", inner_values()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, it)| (*name, it.as_str())).collect();
    assert_eq!(wires(&read_clean(&files)), ["plant/tank.y -> src.u", "src.y -> plant/tank.u"]);
}

#[test]
fn what_is_in_an_undefined_unit_is_passed_on_as_it_is() {
    let text = ssd(
        r#"<ssd:ParameterBindings><ssd:ParameterBinding source="v.ssv"/></ssd:ParameterBindings>
<ssd:Elements>
  <ssd:Component name="a" source="a.fmu"><ssd:Connectors><ssd:Connector name="y" kind="output"><ssc:Real unit="[m]"/></ssd:Connector></ssd:Connectors></ssd:Component>
  <ssd:Component name="b" source="b.fmu"><ssd:Connectors><ssd:Connector name="u" kind="input"><ssc:Real unit="cm"/></ssd:Connector></ssd:Connectors></ssd:Component>
</ssd:Elements>
<ssd:Connections><ssd:Connection startElement="a" startConnector="y" endElement="b" endConnector="u"><ssc:LinearTransformation factor="2" offset="1"/></ssd:Connection></ssd:Connections>"#,
        "",
    );
    let values = ssv(
        r#"<ssv:Parameters><ssv:Parameter name="a.h"><ssv:Real value="1.5" unit="[m]"/></ssv:Parameter>
<ssv:Parameter name="b.h"><ssv:Real value="2.5" unit="named"/></ssv:Parameter></ssv:Parameters>
<ssv:Units><ssc:Unit name="named"/></ssv:Units>"#,
    );
    let system = check_findings(
        &[("SystemStructure.ssd", &text), ("v.ssv", &values)],
        &[
            "ssp::undefined-unit: the unit `[m]` is not defined",
            "ssp::undefined-unit: the unit `named` is not defined by base units",
            "ssp::undefined-unit: the unit `[m]` is not defined",
        ],
    );
    let system = system.expect("warnings only");
    assert_eq!(wires(&system), ["a.y -> b.u *2.0 +1.0"]);
    assert_eq!(parameters(&system), ["a.h = 1.5", "b.h = 2.5"]);
}

#[test]
fn prefixes_that_tools_leave_undeclared_are_known() {
    let text = ssd(
        r#"<ssd:Elements><ssd:Component name="a" source="a.fmu"/></ssd:Elements>
<ssd:Annotations><ssc:Annotation type="com.opensimulationplatform"><osp:FixedStepAlgorithm baseStepSize="0.5"/></ssc:Annotation></ssd:Annotations>"#,
        "",
    );
    let text = text.replace(" name=\"demo\"", " name=\"demo\" xsi:schemaLocation=\"a b\"");
    let system = check_findings(
        &[("SystemStructure.ssd", &text)],
        &[
            "ssp::undeclared-prefix: the prefix `xsi` is not declared",
            "ssp::undeclared-prefix: the prefix `osp` is not declared",
        ],
    );
    let step = system.expect("warnings only").experiment.step.expect("it is said");
    assert_eq!(step.value.to_string(), "0.5");
}
