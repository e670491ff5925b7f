//! Bad model descriptions: every mistake at once, each with its place and a help.

use crate::render::Cases;
use consort_core::{Report, Severity};
use consort_fmi::description;

fn fmi2(variables: &str, structure: &str) -> String {
    format!(
        "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"m\" guid=\"g\">\n\
         <CoSimulation modelIdentifier=\"m\"/>\n\
         <ModelVariables>\n{variables}\n</ModelVariables>\n\
         <ModelStructure>{structure}</ModelStructure>\n</fmiModelDescription>"
    )
}

fn fmi3(variables: &str, structure: &str) -> String {
    format!(
        "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"m\" instantiationToken=\"t\">\n\
         <CoSimulation modelIdentifier=\"m\"/>\n\
         <ModelVariables>\n{variables}\n</ModelVariables>\n\
         <ModelStructure>{structure}</ModelStructure>\n</fmiModelDescription>"
    )
}

fn types2(types: &str, variables: &str) -> String {
    let types = format!("<TypeDefinitions>{types}</TypeDefinitions>\n<ModelVariables>");
    fmi2(variables, "").replace("<ModelVariables>", &types)
}

/// Reads descriptions that must be refused, or else only warned about.
fn check(snapshot: &str, refused: bool, texts: &[(&str, String)]) {
    let mut cases = Cases::default();
    for (name, text) in texts {
        check_bytes(&mut cases, refused, name, text.as_bytes());
    }
    insta::assert_snapshot!(snapshot, cases.finish());
}

fn check_bytes(cases: &mut Cases, refused: bool, name: &str, bytes: &[u8]) {
    let mut report = Report::default();
    let read = description::read("modelDescription.xml", bytes, &mut report);
    assert_eq!(read.is_none(), refused, "{name}: {report:?}");
    assert_eq!(report.has_errors(), refused, "{name}");
    cases.add(name, &report);
}

#[test]
fn what_is_not_harmless_xml_is_refused() {
    let bomb = "<!DOCTYPE a [<!ENTITY b \"ha\"><!ENTITY c \"&b;&b;&b;\">]>\n";
    let empty = fmi3("", "");
    check(
        "not_xml",
        true,
        &[
            ("an empty file", String::new()),
            ("a text", "model tank is 3 m high".to_owned()),
            ("half a file", empty[..empty.len() / 2].to_owned()),
            ("a tag that is not closed", empty.replace("</ModelVariables>", "")),
            ("an attribute twice", empty.replace("modelName=", "guid=\"1\" guid=\"2\" modelName=")),
            ("an undeclared prefix", empty.replace("<ModelStructure>", "<ModelStructure><a:b/>")),
            ("an entity bomb", format!("{bomb}{empty}")),
            ("an unknown entity", empty.replace("\"m\"", "\"&chapter1;\"")),
            ("deep nesting", "<a>".repeat(100_000)),
            ("many attributes", format!("<a {}/>", "b='' ".repeat(1000))),
            ("another root", "<SystemStructureDescription/>".to_owned()),
        ],
    );
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let mut cases = Cases::default();
    check_bytes(&mut cases, true, "a shared object", b"\x7FELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\xFF");
    check_bytes(&mut cases, true, "half of UTF-16", b"\xFF\xFE<\0a\0>\0\x00\xD8");
    insta::assert_snapshot!("no_text", cases.finish());
}

#[test]
fn what_does_not_say_what_it_is_is_refused() {
    let (two, three) = (fmi2("", ""), fmi3("", ""));
    check(
        "identity",
        true,
        &[
            ("no version", two.replace("fmiVersion=\"2.0\"", "")),
            ("FMI 1.0", two.replace("fmiVersion=\"2.0\"", "fmiVersion=\"1.0\"")),
            ("a version to come", two.replace("fmiVersion=\"2.0\"", "fmiVersion=\"4.0\"")),
            ("no guid", two.replace("guid=\"g\"", "")),
            ("no token", three.replace("instantiationToken=\"t\"", "guid=\"g\"")),
            ("no identifier", two.replace(" modelIdentifier=\"m\"", "")),
            ("a path", two.replace("modelIdentifier=\"m\"", "modelIdentifier=\"../../m\"")),
            (
                "flags and numbers",
                two.replace(
                    "modelIdentifier=\"m\"",
                    "modelIdentifier=\"m\" needsExecutionTool=\"maybe\" maxOutputDerivativeOrder=\"-1\"",
                ),
            ),
            (
                "everything at once",
                two.replace("guid=\"g\"", "").replace(" modelIdentifier=\"m\"", ""),
            ),
        ],
    );
}

#[test]
fn broken_variables_of_fmi_2_are_refused() {
    let real = |attributes: &str, inner: &str| {
        fmi2(&format!("<ScalarVariable {attributes}><Real {inner}/></ScalarVariable>"), "")
    };
    let named = "name=\"x\" valueReference=\"1\" causality=\"input\"";
    let of = |inner: &str| fmi2(&format!("<ScalarVariable {named}>{inner}</ScalarVariable>"), "");
    let twice = format!(
        "<ScalarVariable {named}><Real start=\"0\"/></ScalarVariable>\n\
         <ScalarVariable name=\"x\" valueReference=\"2\"><Real/></ScalarVariable>"
    );
    check(
        "variables_2",
        true,
        &[
            ("neither name nor reference", real("", "")),
            ("a negative reference", real("name=\"x\" valueReference=\"-1\"", "")),
            ("a reference that is too large", real("name=\"x\" valueReference=\"4294967296\"", "")),
            ("two of one name", fmi2(&twice, "")),
            ("no type", of("")),
            ("an unknown type", of("<Complex start=\"1\"/>")),
            ("a variable of FMI 3", fmi2("<Float64 name=\"x\" valueReference=\"1\"/>", "")),
            ("a decimal comma", real(named, "start=\"0,5\"")),
            ("no number at all", real(named, "start=\"\" min=\"low\"")),
            ("a number beyond doubles", real(named, "start=\"1e999\"")),
            ("an integer beyond 32 bits", of("<Integer start=\"3000000000\"/>")),
            ("an integer with a fraction", of("<Integer start=\"1.5\"/>")),
            ("a truth value as a word", of("<Boolean start=\"yes\"/>")),
        ],
    );
}

#[test]
fn broken_types_are_refused() {
    let variable = |inner: &str| {
        format!("<ScalarVariable name=\"x\" valueReference=\"1\">{inner}</ScalarVariable>")
    };
    let length = "<SimpleType name=\"Length\"><Real/></SimpleType>";
    let enumeration = |items: &str| {
        format!("<SimpleType name=\"Mode\"><Enumeration>{items}</Enumeration></SimpleType>")
    };
    check(
        "types",
        true,
        &[
            ("a misspelt type", types2(length, &variable("<Real declaredType=\"Lenght\"/>"))),
            ("an unknown type", types2(length, &variable("<Real declaredType=\"Temperature\"/>"))),
            (
                "a type of another kind",
                types2(length, &variable("<Integer declaredType=\"Length\"/>")),
            ),
            ("a type without name", types2("<SimpleType><Real/></SimpleType>", "")),
            ("no items", types2(&enumeration(""), "")),
            ("an item without value", types2(&enumeration("<Item name=\"on\"/>"), "")),
            (
                "two items of one name",
                types2(
                    &enumeration("<Item name=\"on\" value=\"1\"/><Item name=\"on\" value=\"2\"/>"),
                    "",
                ),
            ),
            (
                "two items of one value",
                types2(
                    &enumeration("<Item name=\"on\" value=\"1\"/><Item name=\"off\" value=\"1\"/>"),
                    "",
                ),
            ),
        ],
    );
}

#[test]
fn broken_variables_of_fmi_3_are_refused() {
    let of = |name: &str, rest: &str| {
        fmi3(&format!("<{name} name=\"x\" valueReference=\"1\" causality=\"input\" {rest}"), "")
    };
    let alias = "<Float64 name=\"x\" valueReference=\"1\"><Alias name=\"y\"/></Float64>\n\
                 <Float64 name=\"y\" valueReference=\"2\"/>";
    check(
        "variables_3",
        true,
        &[
            ("Int8 of 300", of("Int8", "start=\"300\"/>")),
            ("one of many", of("Int16", "start=\"1 2 99999\"><Dimension start=\"3\"/></Int16>")),
            ("UInt64 of -1", of("UInt64", "start=\"-1\"/>")),
            ("UInt64 beyond 64 bits", of("UInt64", "start=\"18446744073709551616\"/>")),
            ("Float32 of 1e300", of("Float32", "start=\"1e300\"/>")),
            ("half a byte", of("Binary", "><Start value=\"0af\"/></Binary>")),
            ("no hexadecimal", of("Binary", "><Start value=\"xyz!\"/></Binary>")),
            ("a text without value", of("String", "><Start/></String>")),
            ("a variable of FMI 2", fmi3("<ScalarVariable name=\"x\" valueReference=\"1\"/>", "")),
            ("a name that is an alias", fmi3(alias, "")),
            ("an alias without name", of("Float64", "start=\"0\"><Alias/></Float64>")),
            ("a clock that is none", of("Float64", "start=\"0\" clocks=\"1 7\"/>")),
        ],
    );
}

#[test]
fn broken_arrays_are_refused() {
    let of = |start: &str, dimensions: &str| {
        let x = format!(
            "<UInt64 name=\"n\" valueReference=\"2\" causality=\"structuralParameter\" start=\"2\"/>\n\
             <UInt64 name=\"p\" valueReference=\"3\" causality=\"parameter\" start=\"2\"/>\n\
             <Float64 name=\"x\" valueReference=\"1\" causality=\"input\" start=\"{start}\">{dimensions}</Float64>"
        );
        fmi3(&x, "")
    };
    let two = "<Dimension start=\"2\"/>";
    let huge = "<Dimension start=\"1000000000000000000\"/>";
    check(
        "arrays",
        true,
        &[
            ("a list for a scalar", of("1 2", "")),
            ("two of three", of("1 2", "<Dimension start=\"3\"/>")),
            ("five of four", of("1 2 3 4 5", &two.repeat(2))),
            (
                "three for a structural parameter of two",
                of("1 2 3", "<Dimension valueReference=\"2\"/>"),
            ),
            ("a parameter as dimension", of("1", "<Dimension valueReference=\"3\"/>")),
            ("nothing as dimension", of("1", "<Dimension valueReference=\"9\"/>")),
            ("both kinds of dimension", of("1", "<Dimension start=\"1\" valueReference=\"2\"/>")),
            ("no kind of dimension", of("1", "<Dimension/>")),
            ("a negative dimension", of("1", "<Dimension start=\"-3\"/>")),
            ("an absurd array", of("1", huge)),
            ("an array beyond 64 bits", of("1", &huge.repeat(2))),
            ("a hundred dimensions", of("1", &two.repeat(100))),
        ],
    );
}

#[test]
fn broken_structures_are_refused() {
    let two = |structure: &str| {
        fmi2("<ScalarVariable name=\"x\" valueReference=\"7\"><Real/></ScalarVariable>", structure)
    };
    let three = |structure: &str| fmi3("<Float64 name=\"x\" valueReference=\"7\"/>", structure);
    check(
        "structure",
        true,
        &[
            ("an index beyond the end", two("<Outputs><Unknown index=\"2\"/></Outputs>")),
            ("an index of zero", two("<Derivatives><Unknown index=\"0\"/></Derivatives>")),
            ("no index", two("<InitialUnknowns><Unknown/></InitialUnknowns>")),
            (
                "a dependency beyond the end",
                two("<Outputs><Unknown index=\"1\" dependencies=\"1 5\"/></Outputs>"),
            ),
            ("an unknown reference", three("<Output valueReference=\"1\"/>")),
            ("no reference", three("<EventIndicator/>")),
            (
                "an unknown dependency",
                three("<InitialUnknown valueReference=\"7\" dependencies=\"8 x\"/>"),
            ),
        ],
    );
}

#[test]
fn sloppy_variables_are_read_with_a_warning() {
    let of = |outer: &str, inner: &str| {
        let variable = format!(
            "<ScalarVariable name=\"x\" valueReference=\"1\" {outer}>{inner}</ScalarVariable>"
        );
        fmi2(&variable, "")
    };
    let items = "<SimpleType name=\"Mode\"><Enumeration><Item name=\"on\" value=\"1\"/></Enumeration></SimpleType>";
    let mode = "<ScalarVariable name=\"x\" valueReference=\"1\" causality=\"input\"><Enumeration declaredType=\"Mode\" start=\"5\"/></ScalarVariable>";
    check(
        "sloppy_variables",
        false,
        &[
            (
                "an illegal pair",
                of("causality=\"input\" variability=\"fixed\"", "<Real start=\"1\"/>"),
            ),
            ("unknown words", of("causality=\"internal\" variability=\"none\"", "<Real/>")),
            ("a continuous integer", of("variability=\"continuous\"", "<Integer/>")),
            (
                "an input with initial",
                of("causality=\"input\" initial=\"exact\"", "<Real start=\"1\"/>"),
            ),
            (
                "a parameter that is approximate",
                of("causality=\"parameter\" initial=\"approx\"", "<Real start=\"1\"/>"),
            ),
            ("no start", of("causality=\"parameter\"", "<Real/>")),
            ("a needless start", of("initial=\"calculated\"", "<Real start=\"1\"/>")),
            ("min above max", of("", "<Real min=\"2\" max=\"1\"/>")),
            ("an undefined unit", of("", "<Real unit=\"km/h\"/>")),
            ("an undefined unit that is only a name", of("", "<Real unit=\"furlong\"/>")),
            ("a misspelt attribute", of("causalty=\"input\"", "<Real/>")),
            ("a derivative of nothing", of("", "<Real derivative=\"4\"/>")),
            ("an enumeration without type", of("", "<Enumeration/>")),
            ("a start that is no item", types2(items, mode)),
            ("an output outside the structure", of("causality=\"output\"", "<Real/>")),
            (
                "one reference twice",
                fmi3(
                    "<Int8 name=\"a\" valueReference=\"1\"/>\n<Int8 name=\"b\" valueReference=\"1\"/>",
                    "",
                ),
            ),
            (
                "a text as attribute",
                fmi3(
                    "<String name=\"a\" valueReference=\"1\" causality=\"input\" start=\"hello\"/>",
                    "",
                ),
            ),
        ],
    );
}

#[test]
fn sloppy_descriptions_are_read_with_a_warning() {
    let two = fmi2("", "");
    let identified = "modelIdentifier=\"m\"";
    check(
        "sloppy_descriptions",
        false,
        &[
            ("no name", two.replace(" modelName=\"m\"", "")),
            ("no variables", two.replace("<ModelVariables>\n\n</ModelVariables>", "")),
            ("no interface", two.replace("<CoSimulation modelIdentifier=\"m\"/>", "")),
            ("an identifier with a dash", two.replace(identified, "modelIdentifier=\"my-model\"")),
            (
                "a misspelt capability",
                two.replace(identified, "modelIdentifier=\"m\" canGetAndSetFMUState=\"true\""),
            ),
            ("an unknown element", two.replace("<ModelStructure>", "<Implementation/><ModelStructure>")),
            (
                "an odd experiment",
                two.replace("<ModelStructure>", "<DefaultExperiment stopTime=\"INF\" stepSize=\"fast\"/><ModelStructure>"),
            ),
            (
                "a unit that cannot be converted",
                two.replace(
                    "<ModelVariables>",
                    "<UnitDefinitions><Unit name=\"q\"><BaseUnit m=\"1\" factor=\"0\"/></Unit><Unit name=\"q\"/></UnitDefinitions><ModelVariables>",
                ),
            ),
            (
                "kinds that do not match",
                fmi3(
                    "<Int8 name=\"a\" valueReference=\"1\"/>",
                    "<Output valueReference=\"1\" dependencies=\"1\" dependenciesKind=\"fixed linear\"/><Wrong/>",
                ),
            ),
        ],
    );
}

#[test]
fn a_text_that_is_not_the_utf_8_it_claims_is_read_with_a_warning() {
    let mut cases = Cases::default();
    let text = fmi2("", "").replace("modelName=\"m\"", "modelName=\"W?rme\"");
    let bytes: Vec<u8> = text.bytes().map(|byte| if byte == b'?' { 0xE4 } else { byte }).collect();
    check_bytes(&mut cases, false, "Latin-1 that claims to be UTF-8", &bytes);
    insta::assert_snapshot!("encoding", cases.finish());
}

#[test]
fn a_mistake_repeated_without_end_is_said_fifty_times() {
    let variables: String = (0..1000)
        .map(|n| format!("<Int8 name=\"v{n}\" valueReference=\"{n}\" start=\"x\"/>\n"))
        .collect();
    let mut report = Report::default();
    assert_eq!(description::read("m.xml", fmi3(&variables, "").as_bytes(), &mut report), None);
    assert_eq!(report.error_count(), 50);
    let note = report.diagnostics().iter().find(|found| found.severity == Severity::Note).unwrap();
    assert_eq!(note.message, "and 950 more like this");
}
