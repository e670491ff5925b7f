//! Files with one mistake each.

use crate::files::{ssd, ssm, ssv};

/// Some files, and a name for what is wrong with them.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// All of `SystemStructure.ssd`.
    structure: Vec<u8>,
    values: Option<String>,
    mapping: Option<String>,
}

impl Case {
    pub(crate) fn files(&self) -> Vec<(&str, Vec<u8>)> {
        let mut files = vec![("SystemStructure.ssd", self.structure.clone())];
        let more = [("v.ssv", &self.values), ("m.ssm", &self.mapping)];
        let more =
            more.into_iter().filter_map(|(name, text)| Some((name, text.clone()?.into_bytes())));
        files.extend(more);
        files
    }
}

/// Cases about what is in no file.
pub(crate) const WITHOUT_PLACE: &[&str] = &[];

fn whole(name: &'static str, structure: impl Into<Vec<u8>>) -> Case {
    Case { name, structure: structure.into(), values: None, mapping: None }
}

fn inside(name: &'static str, system: &str) -> Case {
    whole(name, ssd(system, ""))
}

/// A mistake in the `Elements` beside a component `tank`.
fn element(name: &'static str, element: &str) -> Case {
    inside(
        name,
        &format!(
            r#"<ssd:Elements><ssd:Component name="tank" source="tank.fmu"/>
{element}
</ssd:Elements>"#
        ),
    )
}

/// A mistake in the connections of a tank, a valve and a system.
fn wire(name: &'static str, wires: &str) -> Case {
    inside(
        name,
        &format!(
            r#"<ssd:Connectors><ssd:Connector name="all" kind="output"/><ssd:Connector name="p" kind="parameter"/></ssd:Connectors>
<ssd:Elements>
<ssd:Component name="tank" source="tank.fmu"><ssd:Connectors><ssd:Connector name="level" kind="output"><ssc:Real unit="m"/></ssd:Connector><ssd:Connector name="mass" kind="calculatedParameter"/></ssd:Connectors></ssd:Component>
<ssd:Component name="valve" source="valve.fmu"><ssd:Connectors><ssd:Connector name="u" kind="input"><ssc:Real unit="s"/></ssd:Connector><ssd:Connector name="k" kind="parameter"/></ssd:Connectors></ssd:Component>
<ssd:System name="plant"><ssd:Connectors><ssd:Connector name="in" kind="input"><ssc:Real unit="cm"/></ssd:Connector><ssd:Connector name="out" kind="output"/></ssd:Connectors>
<ssd:Elements><ssd:Component name="pump" source="pump.fmu"/></ssd:Elements>
<ssd:Connections><ssd:Connection startConnector="in" endElement="pump" endConnector="u"/></ssd:Connections></ssd:System>
</ssd:Elements>
<ssd:Connections>
{wires}
</ssd:Connections>"#
        ),
    )
}

/// A mistake in values for a tank, in a file of their own.
fn values(name: &'static str, parameters: &str) -> Case {
    let system = r#"<ssd:ParameterBindings><ssd:ParameterBinding source="v.ssv"/></ssd:ParameterBindings>
<ssd:Elements><ssd:Component name="tank" source="tank.fmu"/></ssd:Elements>"#;
    Case { values: Some(ssv(parameters)), ..inside(name, system) }
}

/// A mistake in a mapping of values for a tank, in a file of its own.
fn mapping(name: &'static str, entries: &str) -> Case {
    let system = r#"<ssd:ParameterBindings><ssd:ParameterBinding source="v.ssv"><ssd:ParameterMapping source="m.ssm"/></ssd:ParameterBinding></ssd:ParameterBindings>
<ssd:Elements><ssd:Component name="tank" source="tank.fmu"/></ssd:Elements>"#;
    let values = ssv(
        r#"<ssv:Parameters><ssv:Parameter name="T"><ssv:Real value="20" unit="degC"/></ssv:Parameter><ssv:Parameter name="on"><ssv:Boolean value="true"/></ssv:Parameter></ssv:Parameters>"#,
    );
    let mapping = Some(ssm(entries));
    Case { values: Some(values), mapping, ..inside(name, system) }
}

fn bindings(name: &'static str, bindings: &str) -> Case {
    let binding = format!("<ssd:ParameterBindings>\n{bindings}\n</ssd:ParameterBindings>");
    let component =
        format!(r#"<ssd:Component name="pump" source="pump.fmu">{binding}</ssd:Component>"#);
    element(name, &component)
}

fn rest(name: &'static str, rest: &str) -> Case {
    let tank = r#"<ssd:Elements><ssd:Component name="tank" source="tank.fmu"/></ssd:Elements>"#;
    whole(name, ssd(tank, rest))
}

pub(crate) fn all() -> Vec<Case> {
    let groups = [texts(), elements(), wires(), ways(), parameters(), mappings(), experiments()];
    groups.into_iter().flatten().collect()
}

fn texts() -> Vec<Case> {
    let deep = format!("{}{}", "<a>".repeat(300), "</a>".repeat(300));
    vec![
        whole("not XML", "this is no XML"),
        whole("cut off", "<ssd:SystemStructureDescription>\n<System name='a'>"),
        whole("an entity bomb", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"),
        whole("an entity of its own", "<a>&nbsp;</a>"),
        whole("too deep", deep),
        whole("an unknown prefix", "<x:SystemStructureDescription/>"),
        whole("another file", "<ParameterSet/>"),
        whole("no system", "<SystemStructureDescription version='1.0' name='x'/>"),
        whole("another encoding", b"<SystemStructureDescription name='\xE4'><System name='r'><Elements><Component name='t' source='t.fmu'/></Elements></System></SystemStructureDescription>".to_vec()),
        whole("an unknown version", ssd(r#"<ssd:Elements><ssd:Component name="t" source="t.fmu"/></ssd:Elements>"#, "").replace("version=\"1.0\"", "version=\"3.1\"")),
        inside("an empty system", ""),
    ]
}

fn elements() -> Vec<Case> {
    let recursive = r##"<ssd:System name="a" id="a"><ssd:Elements><ssd:Component name="b" source="#a"/></ssd:Elements></ssd:System>"##;
    vec![
        element("no name", r#"<ssd:Component source="a.fmu"/>"#),
        element("an empty name", r#"<ssd:Component name="" source="a.fmu"/>"#),
        element("two of one name", r#"<ssd:Component name="tank" source="a.fmu"/>"#),
        element("no source", r#"<ssd:Component name="a"/>"#),
        element("an empty source", r#"<ssd:Component name="a" source=""/>"#),
        element("an absolute source", r#"<ssd:Component name="a" source="http://x.org/a.fmu"/>"#),
        element(
            "a source of another program",
            r#"<ssd:Component name="a" source="proxyfmu://localhost?file=../a.fmu"/>"#,
        ),
        element("a source of Windows", r#"<ssd:Component name="a" source="C:\models\a.fmu"/>"#),
        element("a source outside", r#"<ssd:Component name="a" source="../../a.fmu"/>"#),
        element(
            "a nested archive that is not there",
            r#"<ssd:Component name="a" source="a.ssp"/>"#,
        ),
        element(
            "a variant of a nested archive that is not there",
            r#"<ssd:Component name="a" source="a.ssp#Other.ssd" type="application/x-ssp-package"/>"#,
        ),
        element(
            "a Modelica model",
            r#"<ssd:Component name="a" source="a.mo" type="text/x-modelica; path=A"/>"#,
        ),
        element(
            "an odd type of an FMU",
            r#"<ssd:Component name="a" source="a.fmu" type="application/x-fmu"/>"#,
        ),
        element(
            "scheduled execution",
            r#"<ssd:Component name="a" source="a.fmu" implementation="ScheduledExecution"/>"#,
        ),
        element(
            "an unknown implementation",
            r#"<ssd:Component name="a" source="a.fmu" implementation="Magic"/>"#,
        ),
        element("a missing structure", r#"<ssd:Component name="a" source="b.ssd"/>"#),
        element("an unknown id", r##"<ssd:Component name="a" source="#b"/>"##),
        element("a system in itself", recursive),
        element(
            "a dictionary that is not there",
            r#"<ssd:SignalDictionaryReference name="a" dictionary="b"/>"#,
        ),
        element("an unknown attribute", r#"<ssd:Component name="a" source="a.fmu" sorce="b"/>"#),
        element("an unknown element", r#"<ssd:Componnet name="a" source="a.fmu"/>"#),
        element("a name with a dot", r#"<ssd:Component name="a.b" source="a.fmu"/>"#),
        element(
            "an unknown kind",
            r#"<ssd:Component name="a" source="a.fmu"><ssd:Connectors><ssd:Connector name="x" kind="outputt"/></ssd:Connectors></ssd:Component>"#,
        ),
        element(
            "an undefined unit",
            r#"<ssd:Component name="a" source="a.fmu"><ssd:Connectors><ssd:Connector name="x" kind="output"><ssc:Real unit="furlong"/></ssd:Connector></ssd:Connectors></ssd:Component>"#,
        ),
    ]
}

fn wires() -> Vec<Case> {
    let mapped = |kind: &str| {
        format!(
            r#"<ssd:Connection startElement="tank" startConnector="level" endElement="plant" endConnector="in">
<ssc:{kind}MappingTransformation><ssc:MapEntry source="1" target="0"/></ssc:{kind}MappingTransformation></ssd:Connection>"#
        )
    };
    vec![
        wire(
            "no end",
            r#"<ssd:Connection startElement="tank" startConnector="level" endElement="valve"/>"#,
        ),
        wire(
            "an unknown component",
            r#"<ssd:Connection startElement="tnak" startConnector="level" endElement="valve" endConnector="u"/>"#,
        ),
        wire(
            "an unknown connector of a system",
            r#"<ssd:Connection startElement="tank" startConnector="level" endElement="plant" endConnector="inn"/>"#,
        ),
        wire(
            "an undeclared connector of a component",
            r#"<ssd:Connection startElement="tank" startConnector="lvel" endElement="plant" endConnector="in"/>"#,
        ),
        wire(
            "two outputs",
            r#"<ssd:Connection startElement="tank" startConnector="level" endElement="plant" endConnector="out"/>"#,
        ),
        wire(
            "two inputs",
            r#"<ssd:Connection startElement="valve" startConnector="u" endElement="plant" endConnector="in"/>"#,
        ),
        wire(
            "units that measure different things",
            r#"<ssd:Connection startElement="tank" startConnector="level" endElement="valve" endConnector="u"/>"#,
        ),
        wire("a mapping of truth values", &mapped("Boolean")),
        wire("a mapping of items", &mapped("Enumeration")),
        wire(
            "a factor that is infinite",
            r#"<ssd:Connection startElement="tank" startConnector="level" endElement="plant" endConnector="in"><ssc:LinearTransformation factor="INF"/></ssd:Connection>"#,
        ),
        wire(
            "a factor that is no number",
            r#"<ssd:Connection startElement="tank" startConnector="level" endElement="plant" endConnector="in"><ssc:LinearTransformation factor="2,5"/></ssd:Connection>"#,
        ),
    ]
}

fn ways() -> Vec<Case> {
    vec![
        wire(
            "two sources at a border",
            r#"<ssd:Connection startElement="tank" startConnector="level" endElement="plant" endConnector="in"/>
<ssd:Connection startElement="tank" startConnector="mass" endElement="plant" endConnector="in"/>"#,
        ),
        wire(
            "a parameter of a component to another",
            r#"<ssd:Connection startElement="tank" startConnector="mass" endElement="valve" endConnector="k"/>"#,
        ),
        wire(
            "a transformation in an unknown unit",
            r#"<ssd:Connection startElement="tank" startConnector="level" endElement="plant" endConnector="in"><ssc:LinearTransformation offset="1"/></ssd:Connection>"#,
        ),
        wire(
            "elements of a system's connector",
            r#"<ssd:Connection startElement="tank" startConnector="level" endElement="plant" endConnector="in" endIndices="1"/>"#,
        ),
        wire(
            "an index that is none",
            r#"<ssd:Connection startElement="tank" startConnector="level" startIndices="one" endElement="valve" endConnector="u"/>"#,
        ),
        wire(
            "a delay of others",
            r#"<ssd:Connection startElement="tank" startConnector="level" endElement="plant" endConnector="in" information_delay="0.1"/>"#,
        ),
        wire(
            "a flag that is none",
            r#"<ssd:Connection startElement="tank" startConnector="level" endElement="plant" endConnector="in" suppressUnitConversion="yes"/>"#,
        ),
    ]
}

fn parameters() -> Vec<Case> {
    let one = |inside: &str| format!("<ssv:Parameters>\n{inside}\n</ssv:Parameters>");
    vec![
        bindings("a missing file of values", r#"<ssd:ParameterBinding source="resources/v.ssv"/>"#),
        bindings(
            "values within a component",
            r#"<ssd:ParameterBinding source="v.ssv" sourceBase="component"/>"#,
        ),
        bindings(
            "values of another type",
            r#"<ssd:ParameterBinding source="v.cdf" type="application/x-cdf"/>"#,
        ),
        bindings("a binding without values", r#"<ssd:ParameterBinding/>"#),
        values("no parameters", ""),
        values(
            "a parameter without a name",
            &one(r#"<ssv:Parameter><ssv:Real value="1"/></ssv:Parameter>"#),
        ),
        values("a parameter without a value", &one(r#"<ssv:Parameter name="tank.a"/>"#)),
        values(
            "a value that is no number",
            &one(r#"<ssv:Parameter name="tank.a"><ssv:Real value="1,5"/></ssv:Parameter>"#),
        ),
        values(
            "a number too large",
            &one(r#"<ssv:Parameter name="tank.a"><ssv:Real value="1e999"/></ssv:Parameter>"#),
        ),
        values(
            "a fraction for a whole number",
            &one(r#"<ssv:Parameter name="tank.a"><ssv:Integer value="1.5"/></ssv:Parameter>"#),
        ),
        values(
            "bytes that are none",
            &one(r#"<ssv:Parameter name="tank.a"><ssv:Binary value="0a0"/></ssv:Parameter>"#),
        ),
        values(
            "too few elements",
            &one(
                r#"<ssv:Parameter name="tank.a"><ssv:Real value="1 2 3"/><ssc:Dimension size="2"/><ssc:Dimension size="2"/></ssv:Parameter>"#,
            ),
        ),
        values(
            "a parameter given twice",
            &one(r#"<ssv:Parameter name="tank.a"><ssv:Real value="1"/></ssv:Parameter>
<ssv:Parameter name="tank.a"><ssv:Real value="2"/></ssv:Parameter>"#),
        ),
        values(
            "a value for nothing",
            &one(r#"<ssv:Parameter name="tnak.a"><ssv:Real value="1"/></ssv:Parameter>"#),
        ),
        values(
            "too many dimensions",
            &one(&format!(
                r#"<ssv:Parameter name="tank.a"><ssv:Real value="1"/>{}</ssv:Parameter>"#,
                r#"<ssc:Dimension size="1"/>"#.repeat(100_000)
            )),
        ),
        values("values that include others", &one(r#"<ssv:Include source="v.ssv"/>"#)),
        values(
            "a unit without a factor",
            &format!(
                r#"{}<ssv:Units><ssc:Unit name="x"><ssc:BaseUnit m="1" factor="0"/></ssc:Unit></ssv:Units>"#,
                one("")
            ),
        ),
    ]
}

fn mappings() -> Vec<Case> {
    vec![
        mapping("a mapping without a target", r#"<ssm:MappingEntry source="T"/>"#),
        mapping("a mapping of nothing", r#"<ssm:MappingEntry source="t" target="tank.T"/>"#),
        mapping(
            "a mapping of whole numbers",
            r#"<ssm:MappingEntry source="T" target="tank.T"><ssc:IntegerMappingTransformation/></ssm:MappingEntry>"#,
        ),
        passed_by(),
        mapping(
            "two mapped to one",
            r#"<ssm:MappingEntry source="T" target="tank.T"/><ssm:MappingEntry source="on" target="tank.T"/>"#,
        ),
        mapping(
            "a truth value transformed",
            r#"<ssm:MappingEntry source="on" target="tank.on"><ssc:LinearTransformation factor="2"/></ssm:MappingEntry>"#,
        ),
        mapping(
            "a value transformed in an unknown unit",
            r#"<ssm:MappingEntry source="T" target="tank.T"><ssc:LinearTransformation offset="2"/></ssm:MappingEntry>"#,
        ),
    ]
}

/// `tank.k` would fit by its name, but a mapping decides alone.
fn passed_by() -> Case {
    let system = r#"<ssd:ParameterBindings><ssd:ParameterBinding source="v.ssv"><ssd:ParameterMapping source="m.ssm"/></ssd:ParameterBinding></ssd:ParameterBindings>
<ssd:Elements><ssd:Component name="tank" source="tank.fmu"><ssd:Connectors>
<ssd:Connector name="k" kind="parameter"><ssc:Real/></ssd:Connector></ssd:Connectors></ssd:Component></ssd:Elements>"#;
    let values = ssv(
        r#"<ssv:Parameters><ssv:Parameter name="tank.k"><ssv:Real value="1"/></ssv:Parameter><ssv:Parameter name="T"><ssv:Real value="2"/></ssv:Parameter></ssv:Parameters>"#,
    );
    let mapping = Some(ssm(r#"<ssm:MappingEntry source="T" target="tank.T"/>"#));
    let name = "a value that fits and is not mapped";
    Case { values: Some(values), mapping, ..inside(name, system) }
}

fn experiments() -> Vec<Case> {
    let ours = |inside: &str| {
        format!(
            r#"<ssd:Annotations><ssc:Annotation type="org.consort.experiment">
{inside}
</ssc:Annotation></ssd:Annotations>"#
        )
    };
    vec![
        rest("a time that is none", r#"<ssd:DefaultExperiment stopTime="soon"/>"#),
        rest("an unknown order", &ours(r#"<consort:Experiment order="random"/>"#)),
        rest("an unknown solver", &ours(r#"<consort:Experiment solver="Dopri5" solverStep="1"/>"#)),
        rest("a solver's step that is none", &ours(r#"<consort:Experiment solverStep="tiny"/>"#)),
        rest("all in processes, perhaps", &ours(r#"<consort:Experiment isolate="perhaps"/>"#)),
        element(
            "an unknown provider of states",
            r#"<ssd:Component name="a" source="a.fmu"><ssd:Annotations><ssc:Annotation type="org.consort.component"><consort:Component isolate="yes" state="images"/></ssc:Annotation></ssd:Annotations></ssd:Component>"#,
        ),
        element(
            "an unknown solver of a component",
            r#"<ssd:Component name="a" source="a.fmu"><ssd:Annotations><ssc:Annotation type="org.consort.component"><consort:Component solver="rk5" tolerance="-1"/></ssc:Annotation></ssd:Annotations></ssd:Component>"#,
        ),
        rest("a seed below zero", &ours(r#"<consort:Experiment seed="-1"/>"#)),
        rest("a tolerance of zero", &ours(r#"<consort:Experiment tolerance="0"/>"#)),
        rest(
            "an intervention that does nothing",
            &ours(
                r#"<consort:Experiment><consort:Intervention at="1" target="tank.k"/></consort:Experiment>"#,
            ),
        ),
        rest(
            "an intervention at no time",
            &ours(
                r#"<consort:Experiment><consort:Intervention target="tank.k" set="1"/></consort:Experiment>"#,
            ),
        ),
        rest(
            "a value that is none",
            &ours(
                r#"<consort:Experiment><consort:Intervention at="1" target="tank.k" set="one two"/></consort:Experiment>"#,
            ),
        ),
        rest(
            "a solver of others",
            r#"<ssd:Annotations><ssc:Annotation type="org.openmodelica"><o:S xmlns:o="x"><o:VariableStepSolver description="cvode"/></o:S></ssc:Annotation></ssd:Annotations>"#,
        ),
    ]
}
