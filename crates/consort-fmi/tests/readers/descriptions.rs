//! What is read from good model descriptions.

use consort_core::{
    Causality, DependencyKind, DependsOn, Dimension, Initial, Report, Unknown, ValueType, Values,
    Variability, Variable, VariableId,
};
use consort_fmi::description::{self, FmiVersion, FmuDescription};

fn read(text: &str) -> FmuDescription {
    let mut report = Report::default();
    let read = description::read("modelDescription.xml", text.as_bytes(), &mut report);
    assert!(report.diagnostics().is_empty(), "{}", crate::render::render(&report));
    read.unwrap()
}

fn variable<'a>(fmu: &'a FmuDescription, name: &str) -> &'a Variable {
    &fmu.model.variables[fmu.model.variable(name).unwrap().index()]
}

const TANK_2: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- written by a tool -->
<fmiModelDescription xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xsi:noNamespaceSchemaLocation="fmi2ModelDescription.xsd" fmiVersion="2.0" modelName="Tank"
    guid="{8c4e810f}" description="a tank" author="Ann" version="1.2" generationTool="Tool 3"
    generationDateAndTime="2024-01-01T00:00:00Z" license="MIT" copyright="(c) Ann"
    variableNamingConvention="structured" numberOfEventIndicators="0">
  <ModelExchange modelIdentifier="tank_me"/>
  <CoSimulation modelIdentifier="tank" needsExecutionTool="false"
      canHandleVariableCommunicationStepSize="true" canInterpolateInputs="1"
      maxOutputDerivativeOrder="2" canGetAndSetFMUstate="true" canSerializeFMUstate="true"
      providesDirectionalDerivative="true" canBeInstantiatedOnlyOncePerProcess="true">
    <SourceFiles><File name="all.c"/><File name="sub/more.c"/></SourceFiles>
  </CoSimulation>
  <UnitDefinitions>
    <Unit name="mm"><BaseUnit m="1" factor="0.001"/><DisplayUnit name="in" factor="0.04"/></Unit>
    <Unit name="degF"><BaseUnit K="1" factor="0.5" offset="255"/></Unit>
    <Unit name="km/h"/>
    <Unit name="furlong"/>
  </UnitDefinitions>
  <TypeDefinitions>
    <SimpleType name="Level"><Real unit="mm" min="0" max="10" nominal="3" quantity="Length"/></SimpleType>
    <SimpleType name="Mode"><Enumeration><Item name="off" value="-1"/><Item name="on" value="4"/></Enumeration></SimpleType>
  </TypeDefinitions>
  <LogCategories><Category name="logAll"/><Category name="logError" description="errors"/></LogCategories>
  <DefaultExperiment startTime="0" stopTime="1e1" tolerance="1E-4" stepSize="0.010"/>
  <VendorAnnotations><Tool name="Tool"><anything at="all"/></Tool></VendorAnnotations>
  <ModelVariables>
    <ScalarVariable name="h" valueReference="0" causality="output" initial="exact" description="level">
      <Real declaredType="Level" max="5" start="1e5"/>
    </ScalarVariable>
    <ScalarVariable name="der(h)" valueReference="1"><Real derivative="1" unit="km/h"/></ScalarVariable>
    <ScalarVariable name="u" valueReference="2" causality="input"><Real start="-INF"/></ScalarVariable>
    <ScalarVariable name="k" valueReference="0" causality="parameter" variability="tunable"><Integer start=" -7 " min="-9"/></ScalarVariable>
    <ScalarVariable name="on" valueReference="0" causality="parameter"><Boolean start="1"/></ScalarVariable>
    <ScalarVariable name="file" valueReference="0" causality="parameter" variability="fixed"><String start="a &amp; b"/><Annotations/></ScalarVariable>
    <ScalarVariable name="mode" valueReference="1" causality="input"><Enumeration declaredType="Mode" start="4"/></ScalarVariable>
    <ScalarVariable name="same" valueReference="0"><Real/></ScalarVariable>
    <ScalarVariable name="time" valueReference="9" causality="independent"><Real/></ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs><Unknown index="1" dependencies="2 3" dependenciesKind="constant dependent"/></Outputs>
    <Derivatives><Unknown index="2" dependencies=""/></Derivatives>
    <InitialUnknowns><Unknown index="2"/></InitialUnknowns>
  </ModelStructure>
</fmiModelDescription>"#;

#[test]
fn an_fmu_of_fmi_2_is_read() {
    let fmu = read(TANK_2);
    assert_eq!((fmu.version, fmu.token.as_str()), (FmiVersion::V2, "{8c4e810f}"));
    assert_eq!(fmu.model_exchange.as_ref().unwrap().model_identifier, "tank_me");
    assert_eq!(fmu.log_categories, ["logAll", "logError"]);
    let interface = fmu.co_simulation.as_ref().unwrap();
    assert_eq!(interface.model_identifier, "tank");
    assert_eq!(interface.source_files, ["all.c", "sub/more.c"]);
    assert_eq!(interface.output_derivatives_max, 2);
    let can = &fmu.model.capabilities;
    assert!(can.variable_step && can.save_state && can.serialize_state && can.single_instance);
    assert!(can.directional_derivatives && !can.event_mode && !can.early_return);
    assert_eq!(can.input_derivatives_max, 1);
    assert_eq!(
        (fmu.model.name.as_str(), fmu.model.kind.as_str()),
        ("Tank", "FMI 2.0 Co-Simulation")
    );
    let experiment = &fmu.model.default_experiment;
    assert_eq!(experiment.stop.as_deref(), Some("1e1"));
    assert_eq!(experiment.step.as_deref(), Some("0.010"));
    let facts = &fmu.model.facts;
    assert!(facts.contains(&("tool".to_owned(), "Tool 3".to_owned())), "{facts:?}");
    let interfaces = ("interfaces".to_owned(), "Co-Simulation, Model Exchange".to_owned());
    assert!(facts.contains(&interfaces), "{facts:?}");
    assert_eq!(facts.len(), 9);
}

#[test]
fn variables_of_fmi_2_have_their_types_and_roles() {
    let fmu = read(TANK_2);
    let h = variable(&fmu, "h");
    assert_eq!((h.value_type, h.causality), (ValueType::Float64, Causality::Output));
    assert_eq!((h.variability, h.initial), (Variability::Continuous, Initial::Exact));
    assert_eq!((h.min, h.max, h.nominal), (Some(0.0), Some(5.0), Some(3.0)));
    assert_eq!(h.start, Some(Values::Float64(vec![1e5])));
    assert_eq!(h.description, "level");
    assert_eq!(variable(&fmu, "der(h)").derivative_of, Some(VariableId(0)));
    assert_eq!(variable(&fmu, "u").start, Some(Values::Float64(vec![f64::NEG_INFINITY])));
    let k = variable(&fmu, "k");
    assert_eq!(
        (k.variability, k.initial, k.min),
        (Variability::Tunable, Initial::Exact, Some(-9.0))
    );
    assert_eq!(k.start, Some(Values::Int32(vec![-7])));
    let on = variable(&fmu, "on");
    assert_eq!(
        (on.variability, &on.start),
        (Variability::Fixed, &Some(Values::Boolean(vec![true])))
    );
    let file = variable(&fmu, "file");
    assert_eq!(file.start, Some(Values::String(vec!["a & b".to_owned()])));
    let mode = variable(&fmu, "mode");
    assert_eq!((mode.variability, mode.initial), (Variability::Discrete, Initial::None));
    let items = &fmu.model.enumerations[mode.enumeration.unwrap()].items;
    assert_eq!(items, &[("off".to_owned(), -1), ("on".to_owned(), 4)]);
    let same = variable(&fmu, "same");
    assert_eq!((same.causality, same.initial), (Causality::Local, Initial::Calculated));
    assert_eq!(same.reference, h.reference);
}

#[test]
fn units_are_made_of_base_units() {
    let fmu = read(TANK_2);
    let base = |name: &str| {
        fmu.model.units.iter().find(|unit| unit.name == name).and_then(|unit| unit.base)
    };
    let millimeter = base("mm").unwrap();
    assert_eq!((millimeter.exponents[1], millimeter.factor.to_bits()), (1, 0.001f64.to_bits()));
    // What the FMU declares wins over what the name says; the name helps if it declares nothing.
    assert_eq!(base("degF").unwrap().offset.to_bits(), 255f64.to_bits());
    assert_eq!(base("km/h").unwrap().exponents[..3], [0, 1, -1]);
    assert_eq!(base("furlong"), None);
    assert_eq!(variable(&fmu, "h").unit, Some(0));
    assert_eq!(variable(&fmu, "der(h)").unit, Some(2));
}

#[test]
fn dependencies_of_fmi_2_are_read() {
    let structure = read(TANK_2).model.structure;
    let on =
        vec![(VariableId(1), DependencyKind::Constant), (VariableId(2), DependencyKind::Dependent)];
    let output = Unknown { variable: VariableId(0), on: DependsOn::These(on) };
    assert_eq!(structure.outputs, [output]);
    let nothing = Unknown { variable: VariableId(1), on: DependsOn::These(Vec::new()) };
    assert_eq!(structure.derivatives, [nothing]);
    assert_eq!(structure.initial, [Unknown { variable: VariableId(1), on: DependsOn::All }]);
}

const ALL_3: &str = r#"<fmiModelDescription fmiVersion="3.0.1" modelName="All" instantiationToken="t">
  <CoSimulation modelIdentifier="all" hasEventMode="true" mightReturnEarlyFromDoStep="true"
      providesIntermediateUpdate="true" canGetAndSetFMUState="true" canSerializeFMUState="true"
      providesDirectionalDerivatives="true" fixedInternalStepSize="1e-3" maxOutputDerivativeOrder="1"/>
  <ScheduledExecution modelIdentifier="all_se"/>
  <TypeDefinitions>
    <Float64Type name="Angle" min="-1" max="1" nominal="0.5"/>
    <EnumerationType name="Mode"><Item name="on" value="9007199254740993"/></EnumerationType>
  </TypeDefinitions>
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent"/>
    <UInt64 name="n" valueReference="100" causality="structuralParameter" start="2"/>
    <UInt64 name="c" valueReference="101" causality="local" variability="constant" start="3"/>
    <Float64 name="x" valueReference="1" causality="input" start="1 2 3 4 5 6" declaredType="Angle" clocks="20 21">
      <Dimension valueReference="100"/><Dimension valueReference="101"/>
      <Alias name="x again" description="the same"/><Alias name="x still"/>
    </Float64>
    <Float32 name="f" valueReference="2" causality="input" start="0.1 NaN -INF"><Dimension start="3"/></Float32>
    <Int8 name="i8" valueReference="3" causality="input" start="-128"/>
    <UInt8 name="u8" valueReference="4" causality="input" start="255"/>
    <Int16 name="i16" valueReference="5" causality="input" start="-32768"/>
    <UInt16 name="u16" valueReference="6" causality="input" start="65535"/>
    <Int32 name="i32" valueReference="7" causality="input" start="-2147483648"/>
    <UInt32 name="u32" valueReference="8" causality="input" start="4294967295"/>
    <Int64 name="i64" valueReference="9" causality="input" start="-9223372036854775808 9223372036854775806 9007199254740993"><Dimension start="3"/></Int64>
    <UInt64 name="u64" valueReference="10" causality="input" start="18446744073709551615 18446744073709551614"><Dimension start="2"/></UInt64>
    <Boolean name="b" valueReference="11" causality="input" start="true 0"><Dimension start="2"/></Boolean>
    <String name="s" valueReference="12" causality="input"><Dimension start="2"/><Start value="one word"/><Start value=""/></String>
    <Binary name="bin" valueReference="13" causality="input" mimeType="a/b" maxSize="10"><Start value="CAfe"/></Binary>
    <Enumeration name="e" valueReference="14" causality="input" declaredType="Mode" start="9007199254740993"/>
    <Clock name="tick" valueReference="20" causality="input" intervalVariability="constant" intervalDecimal="0.1"/>
    <Clock name="tock" valueReference="21" causality="output" intervalVariability="triggered"/>
    <Float64 name="y" valueReference="30" causality="output" previous="1"><Dimension valueReference="100"/></Float64>
    <Float64 name="dy" valueReference="31" derivative="30"/>
  </ModelVariables>
  <ModelStructure>
    <Output valueReference="30" dependencies="1 0" dependenciesKind="dependent fixed"/>
    <ContinuousStateDerivative valueReference="31" dependencies=""/>
    <ClockedState valueReference="30"/>
    <InitialUnknown valueReference="31"/>
    <EventIndicator valueReference="31"/>
  </ModelStructure>
</fmiModelDescription>"#;

#[test]
fn every_type_of_fmi_3_is_read_exactly() {
    let fmu = read(ALL_3);
    let start = |name: &str| variable(&fmu, name).start.clone().unwrap();
    assert_eq!(start("i8"), Values::Int8(vec![i8::MIN]));
    assert_eq!(start("u8"), Values::UInt8(vec![u8::MAX]));
    assert_eq!(start("i16"), Values::Int16(vec![i16::MIN]));
    assert_eq!(start("u16"), Values::UInt16(vec![u16::MAX]));
    assert_eq!(start("i32"), Values::Int32(vec![i32::MIN]));
    assert_eq!(start("u32"), Values::UInt32(vec![u32::MAX]));
    // The extremes alone prove nothing: a detour over doubles saturates back to them.
    let beyond_doubles = (1 << 53) + 1;
    assert_eq!(start("i64"), Values::Int64(vec![i64::MIN, i64::MAX - 1, beyond_doubles]));
    assert_eq!(start("u64"), Values::UInt64(vec![u64::MAX, u64::MAX - 1]));
    assert_eq!(start("b"), Values::Boolean(vec![true, false]));
    assert_eq!(start("s"), Values::String(vec!["one word".to_owned(), String::new()]));
    assert_eq!(start("bin"), Values::Binary(vec![vec![0xCA, 0xFE]]));
    assert_eq!(start("e"), Values::Enumeration(vec![beyond_doubles]));
    let items = &fmu.model.enumerations[0].items;
    assert_eq!(items, &[("on".to_owned(), beyond_doubles)]);
    let Values::Float32(floats) = start("f") else { panic!("floats") };
    assert_eq!(floats[0].to_bits(), 0.1f32.to_bits());
    assert!(floats[1].is_nan() && floats[2].is_infinite());
    assert_eq!(variable(&fmu, "tick").value_type, ValueType::Clock);
}

#[test]
fn arrays_clocks_and_aliases_of_fmi_3_are_read() {
    let fmu = read(ALL_3);
    let x = variable(&fmu, "x still");
    assert_eq!(x.name, "x");
    assert_eq!(x.aliases, ["x again", "x still"]);
    let n = fmu.model.variable("n").unwrap();
    assert_eq!(x.dimensions, [Dimension::Structural(n), Dimension::Fixed(3)]);
    assert_eq!((x.min, x.max, x.nominal), (Some(-1.0), Some(1.0), Some(0.5)));
    let clocks = ["tick", "tock"].map(|name| fmu.model.variable(name).unwrap());
    assert_eq!(x.clocks, clocks);
    assert_eq!(variable(&fmu, "n").initial, Initial::Exact);
    assert_eq!(variable(&fmu, "dy").derivative_of, fmu.model.variable("y"));
}

#[test]
fn structure_and_capabilities_of_fmi_3_are_read() {
    let fmu = read(ALL_3);
    let id = |name: &str| fmu.model.variable(name).unwrap();
    let structure = &fmu.model.structure;
    let on = vec![(id("x"), DependencyKind::Dependent), (id("time"), DependencyKind::Fixed)];
    let output = Unknown { variable: id("y"), on: DependsOn::These(on) };
    assert_eq!(structure.outputs, [output]);
    let derivative = Unknown { variable: id("dy"), on: DependsOn::These(Vec::new()) };
    assert_eq!(structure.derivatives, [derivative]);
    assert_eq!(structure.initial, [Unknown { variable: id("dy"), on: DependsOn::All }]);
    assert_eq!(structure.event_indicators, [id("dy")]);
    let can = &fmu.model.capabilities;
    assert!(can.event_mode && can.early_return && can.intermediate_update && can.save_state);
    assert!(can.serialize_state && can.directional_derivatives && !can.variable_step);
    let interface = fmu.co_simulation.as_ref().unwrap();
    assert_eq!(interface.fixed_internal_step.as_deref(), Some("1e-3"));
    assert_eq!(fmu.model_exchange, None);
}

#[test]
fn an_fmu_without_co_simulation_is_read() {
    let text = TANK_2.replace("CoSimulation", "Removed");
    let mut report = Report::default();
    let fmu = description::read("m.xml", text.as_bytes(), &mut report).unwrap();
    assert_eq!(fmu.co_simulation, None);
    assert!(fmu.model_exchange.is_some());
    assert_eq!(fmu.model.kind, "FMI 2.0 Model Exchange");
}

#[test]
fn every_encoding_gives_the_same_names() {
    let text = TANK_2.replace("name=\"u\"", "name=\"Zufluß\"");
    let with_mark = [b"\xEF\xBB\xBF", text.as_bytes()].concat();
    let wide: Vec<u8> =
        [0xFEFFu16].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let latin = text.replace("UTF-8", "ISO-8859-1");
    let latin: Vec<u8> = latin.chars().map(|c| u8::try_from(c).unwrap()).collect();
    for bytes in [text.as_bytes(), &with_mark, &wide, &latin] {
        let mut report = Report::default();
        let fmu = description::read("m.xml", bytes, &mut report).unwrap();
        assert!(report.diagnostics().is_empty(), "{report:?}");
        assert!(fmu.model.variable("Zufluß").is_some());
    }
}
