//! What right files mean, and what sloppy ones are taken to mean.

use crate::files::{read, read_clean, ssd, ssm, ssv};
use consort_core::{Report, SetupOrder};
use consort_formats::ssp;
use consort_system::{Hold, LoopChoice, Order, Record, SystemDescription};

const ENDS: &str = r#"<ssd:Elements>
  <ssd:Component name="a" source="resources/a.fmu"><ssd:Connectors>
    <ssd:Connector name="y" kind="output"><ssc:Real unit="K"/></ssd:Connector>
  </ssd:Connectors></ssd:Component>
  <ssd:Component name="b" source="resources/b.fmu"><ssd:Connectors>
    <ssd:Connector name="u" kind="input"><ssc:Real unit="degC"/></ssd:Connector>
    <ssd:Connector name="v" kind="input"><ssc:Real/></ssd:Connector>
  </ssd:Connectors></ssd:Component>
</ssd:Elements>"#;

const UNITS: &str = r#"<ssd:Units>
  <ssc:Unit name="K"><ssc:BaseUnit K="1"/></ssc:Unit>
  <ssc:Unit name="degC"><ssc:BaseUnit K="1" offset="273.15"/></ssc:Unit>
</ssd:Units>"#;

/// Connections as text: ends, then everything that is not plain.
pub(crate) fn wires(system: &SystemDescription) -> Vec<String> {
    let shown = |wire: &consort_system::Connection| {
        let mut text = format!("{} -> {}", wire.from.value, wire.to.value);
        if let Some(linear) = wire.transformation {
            text += &format!(" *{:?} +{:?}", linear.factor, linear.offset);
        }
        if wire.suppress_unit_conversion {
            text += " as is";
        }
        if wire.delay {
            text += " delayed";
        }
        text
    };
    system.connections.iter().map(shown).collect()
}

/// Parameters as text, of all components.
pub(crate) fn parameters(system: &SystemDescription) -> Vec<String> {
    let of = |component: &consort_system::Component| {
        let name = component.name.value.clone();
        let shown = move |it: &consort_system::Parameter| {
            let unit = it.unit.as_ref().map(|unit| format!(" {}", unit.value)).unwrap_or_default();
            format!("{name}.{} = {}{unit}", it.name.value, it.value.value)
        };
        component.parameters.iter().map(shown).collect::<Vec<_>>()
    };
    system.components.iter().flat_map(of).collect()
}

fn check_wires(system: &str, rest: &str, expected: &[&str]) {
    let system = read_clean(&[("SystemStructure.ssd", &ssd(system, rest))]);
    assert_eq!(wires(&system), expected);
}

fn check_parameters(files: &[(&str, &str)], expected: &[&str]) {
    assert_eq!(parameters(&read_clean(files)), expected);
}

#[test]
fn units_of_connectors_are_converted_and_transformations_follow() {
    let connection = |inside: &str, attributes: &str| {
        format!(
            r#"{ENDS}<ssd:Connections><ssd:Connection startElement="a" startConnector="y"
               endElement="b" endConnector="u"{attributes}>{inside}</ssd:Connection></ssd:Connections>"#
        )
    };
    check_wires(&connection("", ""), UNITS, &["a.y -> b.u *1.0 +-273.15 as is"]);
    let linear = r#"<ssc:LinearTransformation factor="2" offset="1"/>"#;
    check_wires(&connection(linear, ""), UNITS, &["a.y -> b.u *2.0 +-545.3 as is"]);
    let suppress = r#" suppressUnitConversion="true""#;
    check_wires(&connection(linear, suppress), UNITS, &["a.y -> b.u *2.0 +1.0 as is"]);
    check_wires(&connection("", suppress), UNITS, &["a.y -> b.u as is"]);
}

#[test]
fn a_unit_that_only_one_end_declares_is_left_to_the_models() {
    let inside = format!(
        r#"{ENDS}<ssd:Connections><ssd:Connection startElement="a" startConnector="y"
        endElement="b" endConnector="v"><ssc:LinearTransformation factor="3"/></ssd:Connection></ssd:Connections>"#
    );
    check_wires(&inside, UNITS, &["a.y -> b.v *3.0 +0.0"]);
}

#[test]
fn start_and_end_do_not_say_which_way_values_go() {
    let inside = format!(
        r#"{ENDS}<ssd:Connections><ssd:Connection startElement="b" startConnector="v"
        endElement="a" endConnector="y"/></ssd:Connections>"#
    );
    check_wires(&inside, UNITS, &["a.y -> b.v"]);
}

/// A component `src`, a system `plant` with `tank` and a deeper system `deep` with `valve`.
const NESTED: &str = r#"<ssd:Connectors>
  <ssd:Connector name="outside" kind="input"><ssc:Real/></ssd:Connector>
  <ssd:Connector name="seen" kind="output"><ssc:Real/></ssd:Connector>
  <ssd:Connector name="size" kind="parameter"><ssc:Real/></ssd:Connector>
</ssd:Connectors>
<ssd:Elements>
  <ssd:Component name="src" source="resources/src.fmu"/>
  <ssd:System name="plant">
    <ssd:Connectors>
      <ssd:Connector name="flow" kind="input"><ssc:Real unit="BORDER"/></ssd:Connector>
      <ssd:Connector name="level" kind="output"><ssc:Real/></ssd:Connector>
      <ssd:Connector name="width" kind="parameter"><ssc:Real/></ssd:Connector>
    </ssd:Connectors>
    <ssd:Elements>
      <ssd:Component name="tank" source="resources/tank.fmu"/>
      <ssd:System name="deep">
        <ssd:Connectors>
          <ssd:Connector name="in" kind="input"><ssc:Real/></ssd:Connector>
        </ssd:Connectors>
        <ssd:Elements><ssd:Component name="valve" source="resources/valve.fmu"/></ssd:Elements>
        <ssd:Connections><ssd:Connection startConnector="in" endElement="valve" endConnector="u"/></ssd:Connections>
      </ssd:System>
    </ssd:Elements>
    <ssd:Connections>
      <ssd:Connection startConnector="flow" endElement="tank" endConnector="inflow"/>
      <ssd:Connection startConnector="flow" endElement="deep" endConnector="in"><ssc:LinearTransformation factor="2"/></ssd:Connection>
      <ssd:Connection startElement="tank" startConnector="h" endConnector="level"/>
      <ssd:Connection startConnector="width" endElement="tank" endConnector="area"><ssc:LinearTransformation factor="10"/></ssd:Connection>
    </ssd:Connections>
  </ssd:System>
  <ssd:Component name="sink" source="resources/sink.fmu"/>
</ssd:Elements>
<ssd:Connections>
  <ssd:Connection startElement="src" startConnector="y" endElement="plant" endConnector="flow"><ssc:LinearTransformation offset="1"/></ssd:Connection>
  <ssd:Connection startElement="plant" startConnector="level" endElement="sink" endConnector="u"/>
  <ssd:Connection startElement="plant" startConnector="level" endConnector="seen"/>
  <ssd:Connection startConnector="outside" endElement="sink" endConnector="v"/>
  <ssd:Connection startConnector="size" endElement="plant" endConnector="width"/>
</ssd:Connections>"#;

#[test]
fn nested_systems_become_flat_and_their_borders_vanish() {
    let inside = NESTED.replace(" unit=\"BORDER\"", "");
    let system = read_clean(&[("SystemStructure.ssd", &ssd(&inside, ""))]);
    let names: Vec<&str> = system.components.iter().map(|it| it.name.value.as_str()).collect();
    assert_eq!(names, ["src", "plant/tank", "plant/deep/valve", "sink"]);
    let expected = [
        "plant/tank.h -> sink.u",
        "src.y -> plant/tank.inflow *1.0 +1.0",
        "src.y -> plant/deep/valve.u *2.0 +2.0",
    ];
    assert_eq!(wires(&system), expected, "an input at the root's border has no source");
}

#[test]
fn values_at_a_border_reach_what_is_connected_inside() {
    let binding = binding(
        "",
        r#"<ssv:Parameter name="size"><ssv:Real value="0.5"/></ssv:Parameter>
        <ssv:Parameter name="plant.flow"><ssv:Real value="3"/></ssv:Parameter>"#,
    );
    let inside = NESTED.replace(" unit=\"BORDER\"", "");
    let inside = inside.replacen("<ssd:Elements>", &format!("{binding}<ssd:Elements>"), 1);
    let expected = ["plant/tank.area = 5.0", "plant/tank.inflow = 3.0", "plant/deep/valve.u = 6.0"];
    check_parameters(&[("SystemStructure.ssd", &ssd(&inside, ""))], &expected);
}

/// A system of one component with bindings at both.
fn bound(system: &str, component: &str) -> String {
    let element = format!(
        r#"{system}<ssd:Elements><ssd:Component name="tank" source="tank.fmu">
        <ssd:Connectors><ssd:Connector name="temperature" kind="parameter"><ssc:Real unit="K"/></ssd:Connector></ssd:Connectors>
        {component}</ssd:Component></ssd:Elements>"#
    );
    ssd(&element, UNITS)
}

fn binding(attributes: &str, parameters: &str) -> String {
    format!(
        r#"<ssd:ParameterBindings><ssd:ParameterBinding{attributes}><ssd:ParameterValues>
        <ssv:ParameterSet version="1.0" name="inline"><ssv:Parameters>{parameters}</ssv:Parameters></ssv:ParameterSet>
        </ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>"#
    )
}

fn real(name: &str, value: &str) -> String {
    format!(r#"<ssv:Parameter name="{name}"><ssv:Real value="{value}"/></ssv:Parameter>"#)
}

#[test]
fn later_bindings_and_outer_systems_win() {
    let two = r#"<ssd:ParameterBindings><ssd:ParameterBinding source="1.ssv"/>
        <ssd:ParameterBinding source="2.ssv"/></ssd:ParameterBindings>"#;
    let set = |list: &[(&str, &str)]| {
        let list: String = list.iter().map(|(name, value)| real(name, value)).collect();
        ssv(&format!("<ssv:Parameters>{list}</ssv:Parameters>"))
    };
    let (first, second) =
        (set(&[("a", "1"), ("b", "2"), ("c", "3")]), set(&[("b", "20"), ("c", "30")]));
    let outer = binding("", &real("tank.c", "300"));
    check_parameters(
        &[("SystemStructure.ssd", &bound(&outer, two)), ("1.ssv", &first), ("2.ssv", &second)],
        &["tank.a = 1.0", "tank.b = 20.0", "tank.c = 300.0"],
    );
}

#[test]
fn a_prefix_goes_before_every_name() {
    let outer = binding(r#" prefix="tank.""#, &real("area", "1.5"));
    check_parameters(&[("SystemStructure.ssd", &bound(&outer, ""))], &["tank.area = 1.5"]);
}

#[test]
fn a_mapping_renames_transforms_and_leaves_the_rest_out() {
    let entries = r#"<ssm:MappingEntry source="T" target="tank.temperature"><ssc:LinearTransformation factor="2" offset="1"/></ssm:MappingEntry>
        <ssm:MappingEntry source="A" target="tank.area"/>
        <ssm:MappingEntry source="A" target="tank.width"><ssc:LinearTransformation factor="0.5"/></ssm:MappingEntry>
        <ssm:MappingEntry source="L" target="tank.length" suppressUnitConversion="true"/>"#;
    let values = ssv(r#"<ssv:Parameters>
        <ssv:Parameter name="T"><ssv:Real value="20" unit="degC"/></ssv:Parameter>
        <ssv:Parameter name="A"><ssv:Real value="4"/></ssv:Parameter>
        <ssv:Parameter name="L"><ssv:Real value="4" unit="cm"/></ssv:Parameter>
        <ssv:Parameter name="unused"><ssv:Real value="4"/></ssv:Parameter></ssv:Parameters>"#);
    let expected =
        ["tank.temperature = 587.3 K", "tank.area = 4.0", "tank.width = 2.0", "tank.length = 4.0"];
    let external = r#"<ssd:ParameterBindings><ssd:ParameterBinding source="resources/v.ssv">
        <ssd:ParameterMapping source="resources/m.ssm"/></ssd:ParameterBinding></ssd:ParameterBindings>"#;
    let files = [
        ("SystemStructure.ssd", &*bound(external, "")),
        ("resources/v.ssv", &values),
        ("resources/m.ssm", &ssm(entries)),
    ];
    check_parameters(&files, &expected);
    let inline = external.replace(
        r#"<ssd:ParameterMapping source="resources/m.ssm"/>"#,
        &format!(r#"<ssd:ParameterMapping><ssm:ParameterMapping version="1.0">{entries}</ssm:ParameterMapping></ssd:ParameterMapping>"#),
    );
    let files = [("SystemStructure.ssd", &*bound(&inline, "")), ("resources/v.ssv", &values)];
    check_parameters(&files, &expected);
}

#[test]
fn values_of_every_type_are_read() {
    let parameters = r#"
        <ssv:Parameter name="real"><ssv:Real value="1e-3"/></ssv:Parameter>
        <ssv:Parameter name="infinite"><ssv:Real value="-INF"/></ssv:Parameter>
        <ssv:Parameter name="whole"><ssv:Integer value="-7"/></ssv:Parameter>
        <ssv:Parameter name="big"><ssv:UInt64 value="18446744073709551615"/></ssv:Parameter>
        <ssv:Parameter name="flag"><ssv:Boolean value="1"/></ssv:Parameter>
        <ssv:Parameter name="text"><ssv:String value="a &lt; b"/></ssv:Parameter>
        <ssv:Parameter name="item"><ssv:Enumeration value="open"/></ssv:Parameter>
        <ssv:Parameter name="number"><ssv:Enumeration value="2" name="Mode"/></ssv:Parameter>
        <ssv:Parameter name="bytes"><ssv:Binary value="0aFF"/></ssv:Parameter>
        <ssv:Parameter name="matrix"><ssv:Float64 value="1 2 3 4"/><ssc:Dimension size="2"/><ssc:Dimension size="2"/></ssv:Parameter>
        <ssv:Parameter name="words"><ssv:String><ssv:Value value="a b"/><ssv:Value value="c"/></ssv:String><ssc:Dimension size="2"/></ssv:Parameter>
        <ssv:Parameter name="pressure"><ssv:Real value="3" unit="hPa"/></ssv:Parameter>"#;
    let set = format!(
        r#"<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>
        <ssv:ParameterSet version="2.0" name="s"><ssv:Parameters>{parameters}</ssv:Parameters>
        <ssv:Units><ssc:Unit name="hPa"><ssc:BaseUnit kg="1" m="-1" s="-2" factor="100"/></ssc:Unit></ssv:Units>
        </ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>"#
    );
    let expected = [
        "tank.real = 0.001",
        "tank.infinite = -inf",
        "tank.whole = -7",
        "tank.big = 18446744073709551615",
        "tank.flag = true",
        "tank.text = \"a < b\"",
        "tank.item = \"open\"",
        "tank.number = 2",
        "tank.bytes = \"0aFF\"",
        "tank.matrix = [[1.0, 2.0], [3.0, 4.0]]",
        "tank.words = [\"a b\", \"c\"]",
        "tank.pressure = 300.0 kg.m-1.s-2",
    ];
    check_parameters(&[("SystemStructure.ssd", &bound("", &set))], &expected);
}

#[test]
fn a_structure_may_be_a_component_from_a_file_or_from_the_same_file() {
    let inner = ssd(
        r#"<ssd:Connectors><ssd:Connector name="u" kind="input"/></ssd:Connectors>
        <ssd:ParameterBindings><ssd:ParameterBinding source="values.ssv"/></ssd:ParameterBindings>
        <ssd:Elements><ssd:Component name="gain" source="gain.fmu"/></ssd:Elements>
        <ssd:Connections><ssd:Connection startConnector="u" endElement="gain" endConnector="u"/></ssd:Connections>"#,
        "",
    );
    let outer = ssd(
        &format!(
            r##"<ssd:Elements>
            <ssd:Component name="src" source="native:sine" type="application/x-consort-native"/>
            <ssd:Component name="sub" source="sub/inner.ssd" type="application/x-ssp-definition">{}</ssd:Component>
            <ssd:System name="own" id="own"><ssd:Elements><ssd:Component name="x" source="x.fmu"/></ssd:Elements></ssd:System>
            <ssd:Component name="copy" source="#own"/>
            </ssd:Elements>
            <ssd:Connections><ssd:Connection startElement="src" startConnector="y" endElement="sub" endConnector="u"/></ssd:Connections>"##,
            binding("", &real("gain.k", "9"))
        ),
        "",
    );
    let values = ssv(&format!(
        "<ssv:Parameters>{}{}</ssv:Parameters>",
        real("gain.k", "1"),
        real("gain.l", "2")
    ));
    let system = read_clean(&[
        ("SystemStructure.ssd", &outer),
        ("sub/inner.ssd", &inner),
        ("sub/values.ssv", &values),
    ]);
    let models: Vec<String> = system
        .components
        .iter()
        .map(|it| format!("{} {}", it.name.value, it.model.value))
        .collect();
    assert_eq!(models, ["src native:sine", "sub/gain sub/gain.fmu", "own/x x.fmu", "copy/x x.fmu"]);
    assert_eq!(wires(&system), ["src.y -> sub/gain.u"]);
    assert_eq!(parameters(&system), ["sub/gain.k = 9.0", "sub/gain.l = 2.0"]);
}

#[test]
fn arrays_are_connected_whole_or_by_element() {
    let inside = r#"<ssd:Elements>
        <ssd:Component name="a" source="a.fmu"><ssd:Connectors><ssd:Connector name="y" kind="output"><ssc:Float64/><ssc:Dimension size="3"/></ssd:Connector></ssd:Connectors></ssd:Component>
        <ssd:Component name="b" source="b.fmu"><ssd:Connectors><ssd:Connector name="u" kind="input"><ssc:Float64/><ssc:Dimension size="2"/><ssc:Dimension sizeConnector="n"/></ssd:Connector></ssd:Connectors></ssd:Component>
        </ssd:Elements><ssd:Connections>
        <ssd:Connection startElement="a" startConnector="y" startIndices="3" endElement="b" endConnector="u" endIndices="1 2"/>
        </ssd:Connections>"#;
    check_wires(inside, "", &["a.y[3] -> b.u[1, 2]"]);
}

#[test]
fn wide_characters_are_read() {
    let text =
        ssd(r#"<ssd:Elements><ssd:Component name="grün" source="a.fmu"/></ssd:Elements>"#, "");
    let little = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes);
    let big = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_be_bytes);
    for bytes in [little.collect::<Vec<u8>>(), big.collect()] {
        let mut report = Report::default();
        let system = crate::files::read(&[("SystemStructure.ssd", &bytes)], &mut report).unwrap();
        assert_eq!(system.components[0].name.value, "grün");
        assert!(report.diagnostics().is_empty());
    }
}

#[test]
fn annotations_of_others_give_the_step() {
    let one = r#"<ssd:Elements><ssd:Component name="a" source="a.fmu"><ssd:Annotations>
        <ssc:Annotation type="com.opensimulationplatform"><osp:StepSizeHint xmlns:osp="o" value="0.05"/></ssc:Annotation>
        </ssd:Annotations></ssd:Component></ssd:Elements>"#;
    let osp = r#"<ssd:DefaultExperiment startTime="1" stopTime="2.5"><ssd:Annotations>
        <ssc:Annotation type="com.opensimulationplatform"><osp:Algorithm xmlns:osp="o">
        <osp:FixedStepAlgorithm baseStepSize="1e-4"/></osp:Algorithm></ssc:Annotation></ssd:Annotations></ssd:DefaultExperiment>"#;
    let system = read_clean(&[("SystemStructure.ssd", &ssd(one, osp))]);
    let experiment = &system.experiment;
    assert_eq!(experiment.start.value.to_string(), "1");
    assert_eq!(experiment.stop.as_ref().unwrap().value.to_string(), "2.5");
    assert_eq!(experiment.step.as_ref().unwrap().value.to_string(), "0.0001");
    assert_eq!(system.components[0].step.as_ref().unwrap().value.to_string(), "0.05");

    let old = r#"<ssd:Elements><ssd:Component name="a" source="a.fmu"/></ssd:Elements><ssd:Annotations>
        <ssc:Annotation type="org.open-simulation-platform"><osp:SimulationInformation xmlns:osp="o">
        <osp:FixedStepMaster description="FixedStepAlgorithm" stepSize="0.05"/></osp:SimulationInformation></ssc:Annotation></ssd:Annotations>"#;
    let system = read_clean(&[("SystemStructure.ssd", &ssd(old, ""))]);
    assert_eq!(system.experiment.step.unwrap().value.to_string(), "0.05");

    let oms = |inside: &str| {
        let inside = format!(
            r#"{one}<ssd:Annotations><ssc:Annotation type="org.openmodelica"><oms:Annotations xmlns:oms="m">
            <oms:SimulationInformation>{inside}</oms:SimulationInformation></oms:Annotations></ssc:Annotation></ssd:Annotations>"#
        );
        read_clean(&[("SystemStructure.ssd", &ssd(&inside, ""))]).experiment
    };
    let fixed = oms(
        r#"<oms:FixedStepMaster description="oms-ma" stepSize="0.001000" relativeTolerance="0.000100"/>"#,
    );
    assert_eq!(fixed.step.unwrap().value.to_string(), "0.001");
    assert_eq!(fixed.tolerance.unwrap().value.to_string(), "0.0001");
    let variable = oms(r#"<oms:VariableStepMaster description="oms-mav" initialStepSize="0.000001"
        minimumStepSize="0.000000" maximumStepSize="0.001000" absoluteTolerance="0.0002" relativeTolerance="0.0001"/>"#);
    let variable = variable.coupling.variable_step.unwrap();
    assert_eq!(variable.initial.unwrap().value.to_string(), "0.000001");
    assert!(variable.min.is_none(), "zero is nothing");
    assert_eq!(variable.absolute.unwrap().value.to_string(), "0.0002");
}

#[test]
fn our_own_annotations_say_the_rest() {
    let inside = r#"<ssd:Elements>
        <ssd:Component name="a" source="native:gain"><ssd:Annotations><ssc:Annotation type="org.consort.component">
          <consort:Component step="1/30" stepLength="to-end" concurrent="true" sendStartValues="true" setup="after-parameters" eventMode="false">
            <consort:Reactive variable="u"/><consort:Parameter name="k" value="[1, true]"/></consort:Component>
        </ssc:Annotation></ssd:Annotations></ssd:Component></ssd:Elements>
        <ssd:Connections><ssd:Connection startElement="a" startConnector="y" endElement="a" endConnector="u"><ssd:Annotations>
          <ssc:Annotation type="org.consort.connection"><consort:Connection delay="true" hold="extrapolate" group="bus"/></ssc:Annotation>
        </ssd:Annotations></ssd:Connection></ssd:Connections>"#;
    let rest = r#"<ssd:DefaultExperiment stopTime="0.333"/><ssd:Annotations><ssc:Annotation type="org.consort.experiment">
        <consort:Experiment stop="1/3" seed="7" record="these" order="gauss-seidel" loops="iterate">
          <consort:Record pattern="a.*"/><consort:Loop through="a.y" iterate="false" method="newton"/>
          <consort:Intervention when="a.y &gt; 1" target="a.k" override="2.5" unit="cm"/>
        </consort:Experiment></ssc:Annotation></ssd:Annotations>"#;
    let system = read_clean(&[("SystemStructure.ssd", &ssd(inside, rest))]);
    let component = &system.components[0];
    assert_eq!(component.step.as_ref().unwrap().value.to_string(), "1/30");
    assert!(component.concurrent && component.send_start_values && !component.event_mode);
    assert_eq!(component.setup, SetupOrder::AfterParameters);
    assert_eq!(component.reactive[0].value, "u");
    assert_eq!(parameters(&system), ["a.k = [1, true]"]);
    assert_eq!(wires(&system), ["a.y -> a.u delayed"]);
    assert_eq!(system.connections[0].hold, Hold::Extrapolate);
    assert_eq!(system.connections[0].group.as_deref(), Some("bus"));
    let experiment = &system.experiment;
    assert_eq!(experiment.stop.as_ref().unwrap().value.to_string(), "1/3");
    assert_eq!(experiment.seed, 7);
    assert!(matches!(&experiment.record, Record::These(list) if list[0].value == "a.*"));
    assert_eq!(experiment.coupling.order.as_ref().unwrap().value, Order::GaussSeidel);
    assert_eq!(experiment.coupling.rules[0].policy, LoopChoice::Error);
    assert_eq!(system.interventions.len(), 1);
}

#[test]
fn an_undeclared_prefix_is_bound_and_places_stay_right() {
    let text = ssd(
        r#"<ssd:Elements><ssd:Component name="a" source="a.fmu" odd="1"/></ssd:Elements>"#,
        r#"<ssd:DefaultExperiment><ssd:Annotations><ssc:Annotation type="com.opensimulationplatform">
        <osp:Algorithm><osp:FixedStepAlgorithm baseStepSize="0.01"/></osp:Algorithm>
        </ssc:Annotation></ssd:Annotations></ssd:DefaultExperiment>"#,
    );
    let mut report = Report::default();
    let system = read(&[("SystemStructure.ssd", text.as_bytes())], &mut report).unwrap();
    assert_eq!(system.experiment.step.unwrap().value.to_string(), "0.01");
    let codes: Vec<&str> = report.diagnostics().iter().map(|it| it.code).collect();
    assert_eq!(codes, ["ssp::undeclared-prefix", "ssp::unknown-attribute"]);
    let span = report.diagnostics()[1].primary.as_ref().unwrap().span;
    assert_eq!(&text[span.range()], "odd", "spans point into what was written");
    assert_eq!(report.source(span.source).text, text);
}

#[test]
fn names_that_cannot_be_are_changed_and_still_found() {
    let inside = r#"<ssd:Elements>
        <ssd:Component name="my tank.1" source="a.fmu"/><ssd:Component name="my_tank_1" source="b.fmu"/></ssd:Elements>
        <ssd:Connections><ssd:Connection startElement="my tank.1" startConnector="y" endElement="my_tank_1" endConnector="u"/></ssd:Connections>"#;
    let mut report = Report::default();
    let text = ssd(inside, "");
    let system = read(&[("SystemStructure.ssd", text.as_bytes())], &mut report).unwrap();
    assert_eq!(wires(&system), ["my_tank_1.y -> my_tank_1_2.u"]);
    let codes: Vec<&str> = report.diagnostics().iter().map(|it| it.code).collect();
    assert_eq!(codes, ["ssp::renamed", "ssp::renamed"]);
}

#[test]
fn a_place_is_in_the_file_where_the_mistake_is() {
    let outer = bound(
        r#"<ssd:ParameterBindings><ssd:ParameterBinding source="v.ssv"/></ssd:ParameterBindings>"#,
        "",
    );
    let values = ssv(&format!("<ssv:Parameters>{}</ssv:Parameters>", real("tank.a", "much")));
    let files = [("SystemStructure.ssd", outer.as_bytes()), ("v.ssv", values.as_bytes())];
    let mut report = Report::default();
    assert!(read(&files, &mut report).is_none());
    let span = report.diagnostics()[0].primary.as_ref().unwrap().span;
    assert_eq!(report.source(span.source).name, "demo.ssp/v.ssv");
    assert_eq!(&values[span.range()], "much");
}

#[test]
fn variants_are_the_structures_at_the_top() {
    let paths = ["resources/x.ssd", "b.ssd", "SystemStructure.ssd", "a.ssd", "a.fmu"];
    assert_eq!(ssp::variants(paths), ["SystemStructure.ssd", "a.ssd", "b.ssd"]);
}

#[test]
fn values_for_variables_a_model_does_not_have_are_dropped_when_it_is_known() {
    let models = consort_formats::fuzz::models();
    let values = real("area", "2") + &real("aera", "3");
    let mut system = read_clean(&[("SystemStructure.ssd", &bound("", &binding("", &values)))]);
    let mut report = Report::default();
    ssp::drop_unknown_parameters(&mut system, &[Some(&models[0])], &mut report);
    assert_eq!(parameters(&system), ["tank.area = 2.0"]);
    assert!(report.diagnostics()[0].message.contains("`aera`"));
}
