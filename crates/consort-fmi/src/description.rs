//! `modelDescription.xml` of FMI 2.0 and 3.0, read into one form.
//!
//! Every mistake is reported at once, with its place. What only offends the standard is a warning,
//! because real tools offend it daily; what leaves the meaning open is an error.
//!
//! ```
//! use consort_core::Report;
//!
//! let text = r#"<fmiModelDescription fmiVersion="3.0" modelName="Tank" instantiationToken="{1}">
//!   <CoSimulation modelIdentifier="tank"/>
//!   <ModelVariables><Float64 name="level" valueReference="1" causality="output"/></ModelVariables>
//!   <ModelStructure><Output valueReference="1"/></ModelStructure>
//! </fmiModelDescription>"#;
//! let mut report = Report::default();
//! let tank = consort_fmi::description::read("tank.xml", text.as_bytes(), &mut report).unwrap();
//! assert_eq!(tank.model.variables[0].name, "level");
//! ```

mod continuous;
mod defaults;
mod interface;
mod references;
mod start;
mod structure;
mod types;
mod units;
mod variables;

use crate::xml::{self, Kind, Node, Reader, child};
use consort_core::{
    Capabilities, ContinuousDescription, Diagnostic, ModelDescription, Report, named,
};
use consort_xml::Codes;
use interface::Interfaces;
use types::Types;
use units::Units;

/// Most elements an array may have at its start.
pub const ARRAY_ELEMENTS_MAX: u64 = 1 << 27;

named! {
    /// The major version of the standard an FMU follows.
    pub enum FmiVersion {
        /// FMI 2.0.x
        V2 => "FMI 2.0",
        /// FMI 3.0.x
        V3 => "FMI 3.0",
    }
}

/// The description of an FMU.
#[derive(Clone, PartialEq, Debug)]
pub struct FmuDescription {
    /// The standard it follows.
    pub version: FmiVersion,
    /// `guid` (FMI 2) or `instantiationToken` (FMI 3): handed back when instantiating.
    pub token: String,
    /// Its Co-Simulation interface, if it has one.
    pub co_simulation: Option<CoSimulation>,
    /// Its Model Exchange interface, if it has one.
    pub model_exchange: Option<ModelExchange>,
    /// The categories its log lines may have.
    pub log_categories: Vec<String>,
    /// Variables, structure, units, capabilities: what other crates need. The capabilities are those
    /// of Co-Simulation where the FMU has it, else those of Model Exchange.
    pub model: ModelDescription,
}

/// The Co-Simulation interface of an FMU: what the binding needs beyond the capabilities.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoSimulation {
    /// Base name of the binary and prefix of static functions.
    pub model_identifier: String,
    /// A tool must run beside the FMU.
    pub needs_execution_tool: bool,
    /// `sources/` files to compile (FMI 2 `SourceFiles`); FMI 3 has `buildDescription.xml`.
    pub source_files: Vec<String>,
    /// The step the FMU uses inside, in seconds as written, if fixed.
    pub fixed_internal_step: Option<String>,
    /// Highest order of output derivatives.
    pub output_derivatives_max: u32,
}

/// The Model Exchange interface of an FMU.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelExchange {
    /// Base name of the binary and prefix of static functions.
    pub model_identifier: String,
    /// A tool must run beside the FMU.
    pub needs_execution_tool: bool,
    /// `sources/` files to compile (FMI 2 `SourceFiles`); FMI 3 has `buildDescription.xml`.
    pub source_files: Vec<String>,
    /// The capabilities of its instances.
    pub capabilities: Capabilities,
    /// States, derivatives, indicators.
    pub continuous: ContinuousDescription,
}

static KIND: Kind = Kind {
    format: xml::format(
        "a model description",
        Codes {
            syntax: "description::syntax",
            entity: "description::entities",
            limit: "description::limit",
            missing: "description::missing",
            value: "description::number",
            attribute: "description::unknown-attribute",
            element: "description::unknown-element",
        },
        "a model description must be a well-formed XML file; export the FMU again",
    ),
    encoding: "description::encoding",
};

/// Reads a model description of FMI 2.0 or 3.0; `None` if it has any error.
///
/// `name` is the file as the user knows it, such as `tank.fmu/modelDescription.xml`. A description
/// without Co-Simulation is no error here but where it is needed.
pub fn read(name: &str, bytes: &[u8], report: &mut Report) -> Option<FmuDescription> {
    xml::read(name, bytes, &KIND, report, interpret)
}

fn interpret(reader: &mut Reader<'_>, root: Node<'_>) -> Option<FmuDescription> {
    let version = version(reader, root)?;
    reader.known_attributes(root, ROOT_ATTRIBUTES);
    reader.known_elements(root, ROOT_ELEMENTS);
    let token = token(reader, root, version);
    let Interfaces { co_simulation, model_exchange, capabilities, kind } =
        interface::read(reader, root, version);
    let log_categories = interface::log_categories(root);
    let mut units = Units::read(reader, root);
    let types = Types::read(reader, root, version, &mut units);
    let variables = variables::read(reader, root, version, &types, &mut units);
    let structure = structure::read(reader, root, version, &variables);
    let is_only = co_simulation.is_none();
    let model =
        continuous::Equations { variables: &variables.list, structure: &structure, is_only };
    let model_exchange = model_exchange.and_then(|it| model.complete(reader, root, version, it));
    let model = ModelDescription {
        name: model_name(reader, root, identifier(co_simulation.as_ref(), model_exchange.as_ref())),
        kind,
        variables: variables.list,
        structure,
        units: units.list,
        enumerations: types.enumerations,
        capabilities,
        default_experiment: interface::default_experiment(reader, root),
        facts: interface::facts(root),
    };
    let token = token.unwrap_or_default().to_owned();
    Some(FmuDescription { version, token, co_simulation, model_exchange, log_categories, model })
}

const ROOT_ATTRIBUTES: &[&str] = &[
    "fmiVersion",
    "modelName",
    "guid",
    "instantiationToken",
    "description",
    "author",
    "version",
    "copyright",
    "license",
    "generationTool",
    "generationDateAndTime",
    "variableNamingConvention",
    "numberOfEventIndicators",
];

const ROOT_ELEMENTS: &[&str] = &[
    "ModelExchange",
    "CoSimulation",
    "ScheduledExecution",
    "UnitDefinitions",
    "TypeDefinitions",
    "LogCategories",
    "DefaultExperiment",
    "VendorAnnotations",
    "Annotations",
    "ModelVariables",
    "ModelStructure",
];

fn version(reader: &mut Reader<'_>, root: Node<'_>) -> Option<FmiVersion> {
    let element = root.tag_name().name();
    if element != "fmiModelDescription" {
        let message = format!("the root element is `{}`", xml::shorten(element));
        reader.report(
            Diagnostic::error("description::root", message)
                .at(reader.tag(root), "expected `fmiModelDescription`")
                .help("this is not the `modelDescription.xml` of an FMU"),
        );
        return None;
    }
    let help = "write `fmiVersion=\"2.0\"` or `fmiVersion=\"3.0\"`";
    let text = reader.required(root, "fmiVersion", help)?.trim();
    match text.split('.').next() {
        Some("2") => Some(FmiVersion::V2),
        Some("3") => Some(FmiVersion::V3),
        major => {
            unsupported(reader, root, text, major == Some("1"));
            None
        }
    }
}

fn unsupported(reader: &mut Reader<'_>, root: Node<'_>, text: &str, is_first: bool) {
    let text = xml::shorten(text);
    let (code, help) = if is_first {
        ("description::fmi-1", "FMI 1.0 is not supported; export the model as FMI 2.0 or 3.0")
    } else {
        ("description::version", "FMI 2.0 and 3.0 are supported; export the model as one of them")
    };
    reader.report(
        Diagnostic::error(code, format!("the model follows FMI `{text}`"))
            .at(reader.place(root, "fmiVersion"), "not supported")
            .help(help),
    );
}

fn token<'a>(reader: &mut Reader<'_>, root: Node<'a>, version: FmiVersion) -> Option<&'a str> {
    let name = match version {
        FmiVersion::V2 => "guid",
        FmiVersion::V3 => "instantiationToken",
    };
    reader.required(root, name, "the FMU compares it when it is instantiated; export it again")
}

/// The name of the binary, whichever interface it is for.
fn identifier<'a>(
    co_simulation: Option<&'a CoSimulation>,
    model_exchange: Option<&'a ModelExchange>,
) -> &'a str {
    let exchange = || model_exchange.map(|found| found.model_identifier.as_str());
    let found = co_simulation.map(|found| found.model_identifier.as_str());
    found.or_else(exchange).unwrap_or_default()
}

fn model_name(reader: &mut Reader<'_>, root: Node<'_>, name: &str) -> String {
    if let Some(name) = root.attribute("modelName") {
        return name.to_owned();
    }
    let message = "the model has no `modelName`";
    let diagnostic = Diagnostic::warning("description::no-name", message)
        .at(reader.tag(root), "`modelName` is missing");
    reader.report(match name {
        "" => diagnostic.help("export the FMU again"),
        name => diagnostic.help(format!("it is called `{name}` instead")),
    });
    name.to_owned()
}

/// The element of the root that holds a list, or nothing.
fn section<'a>(root: Node<'a>, name: &str) -> impl Iterator<Item = Node<'a>> + use<'a> {
    child(root, name).into_iter().flat_map(xml::elements)
}
