//! System structures of the SSP standard, versions 1.0 and 2.0: `.ssd`, `.ssv` and `.ssm` files.
//!
//! [`read`] makes a [`SystemDescription`] of the files of an SSP; where they come from is the caller's
//! business (an unpacked archive, a folder, a test). [`write()`] makes the files of a system.
//!
//! - Nested systems become flat: a component `tank` in a system `plant` is called `plant/tank`.
//!   Connections through the borders of systems become direct ones, with all transformations and
//!   unit conversions on the way. Characters that names cannot have become `_`.
//! - Components are FMUs, models written as equations ([`EQUATIONS_TYPE`], [`SBML_TYPE`]), `.ssd` files,
//!   systems of the same file (`source="#id"`), native blocks (`source="native:gain"`, type
//!   [`NATIVE_TYPE`]) and nested `.ssp` archives, whose files are asked for as if the archive were a
//!   folder (`sub.ssp/SystemStructure.ssd`). Modelica models and transformations other than linear
//!   ones are refused by name.
//! - Signal dictionaries, inline or in `.ssb` files, are reached by references in the system that
//!   defines them and in those inside of it; what one element writes there, all others read.
//! - Values come from parameter bindings, inline or in files, with prefixes and mappings. Outer
//!   systems' go before inner ones', later ones before earlier ones. A value at the border of a
//!   system goes to everything inside that is connected to it.
//! - Indices of array elements (`startIndices`) are counted from 1.
//! - What the standard cannot express is in annotations: ours (see the source of `annotation`),
//!   and those of OMSimulator and the Open Simulation Platform, which are read but not written.
//! - Files are read as real tools write them: unknown attributes and elements, undeclared prefixes
//!   and missing connectors are warnings.
//!
//! ```
//! use consort_core::Report;
//!
//! let ssd = br#"
//! <ssd:SystemStructureDescription version="1.0" name="demo"
//!     xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription">
//!   <ssd:System name="root"><ssd:Elements>
//!     <ssd:System name="plant"><ssd:Elements>
//!       <ssd:Component name="tank" source="resources/tank.fmu"/>
//!     </ssd:Elements></ssd:System>
//!   </ssd:Elements></ssd:System>
//!   <ssd:DefaultExperiment stopTime="60"/>
//! </ssd:SystemStructureDescription>"#;
//! let files = |path: &str| (path == "SystemStructure.ssd").then(|| ssd.to_vec());
//! let mut report = Report::default();
//! let system = consort_formats::ssp::read("demo.ssp", &files, "SystemStructure.ssd", &mut report);
//! assert_eq!(system.expect("it is right").components[0].name.value, "plant/tank");
//! ```

mod annotation;
mod document;
mod lower;
mod structure;
mod units;
mod uri;
mod values;
mod write;
mod xml;

use consort_core::{Diagnostic, Interface, ModelDescription, ModelReference, Report};
use consort_system::SystemDescription;
use xml::Session;

pub use write::{Resource, WrittenSsp, write};
pub use xml::TEXT_BYTES_MAX;

/// The structure that is meant if no variant is named.
pub const DEFAULT_STRUCTURE: &str = "SystemStructure.ssd";

/// The media type of native blocks as components.
pub const NATIVE_TYPE: &str = "application/x-consort-native";

/// The media type of models written as equations.
pub const EQUATIONS_TYPE: &str = "application/x-consort-equations";

/// The media type of models in SBML (RFC 3823).
pub const SBML_TYPE: &str = "application/sbml+xml";

/// The media type of a model by the ending of its path, if it is no FMU.
fn equations_type(path: &str) -> Option<&'static str> {
    let (_, ending) = path.rsplit_once('.')?;
    match ending.to_ascii_lowercase().as_str() {
        "eq" => Some(EQUATIONS_TYPE),
        "sbml" | "xml" => Some(SBML_TYPE),
        _ => None,
    }
}

/// An interface as the attribute `implementation` calls it.
const fn implementation(interface: Interface) -> &'static str {
    match interface {
        Interface::CoSimulation => "CoSimulation",
        Interface::ModelExchange => "ModelExchange",
    }
}

/// The files of an SSP: the content of a path below its root, with `/`, if there is such a file.
pub type Files<'f> = &'f dyn Fn(&str) -> Option<Vec<u8>>;

/// Reads the system of an SSP.
///
/// `name` is what the user calls the archive or folder, for messages; `ssd` is the path of the
/// variant in it, usually [`DEFAULT_STRUCTURE`]. Paths of models in the result are relative to the
/// root of the SSP. Everything that is wrong goes to `report`, with its place in the file it is in;
/// the result is `None` if there was an error.
///
/// Values for variables that a model does not have are no mistake in SSP: call
/// [`drop_unknown_parameters`] when the models are known, before resolving the system.
pub fn read(
    name: &str,
    files: Files<'_>,
    ssd: &str,
    report: &mut Report,
) -> Option<SystemDescription> {
    let mut session = Session::new(name, files, report);
    let system = structure::read(&mut session, ssd).map(|structure| {
        let called = structure.name.clone().unwrap_or_else(|| default_name(name, ssd));
        lower::lower(&mut session, structure, &called)
    });
    if session.finish() { system } else { None }
}

/// The variants among the files of an SSP: `.ssd` files at its top, the default one first.
pub fn variants<'p>(paths: impl IntoIterator<Item = &'p str>) -> Vec<&'p str> {
    let is_variant = |path: &&str| !path.contains('/') && path.ends_with(".ssd");
    let mut found: Vec<&str> = paths.into_iter().filter(is_variant).collect();
    found.sort_unstable_by_key(|path| (*path != DEFAULT_STRUCTURE, *path));
    found.dedup();
    found
}

/// Removes values for variables that their models do not have, with a warning for each: parameter
/// sets may hold more than a system needs. `models` has one entry per component.
pub fn drop_unknown_parameters(
    system: &mut SystemDescription,
    models: &[Option<&ModelDescription>],
    report: &mut Report,
) {
    for (component, model) in system.components.iter_mut().zip(models) {
        let Some(model) = model else { continue };
        if ModelReference::is_native(&component.model.value) {
            continue;
        }
        let name = &component.name.value;
        component.parameters.retain(|parameter| {
            let known = model.variable(&parameter.name.value).is_some();
            if !known {
                let message = format!("`{name}` has no variable `{}`", parameter.name.value);
                report.push(
                    Diagnostic::warning("ssp::unused-value", message)
                        .maybe_at(parameter.name.span, "this value is not used")
                        .help("remove it, or correct the name"),
                );
            }
            known
        });
    }
}

/// The archive's name without its ending, else the structure's.
fn default_name(name: &str, ssd: &str) -> String {
    let file =
        |path: &str| path.trim_end_matches('/').rsplit(['/', '\\']).next().map(str::to_owned);
    let name = file(name).filter(|name| !name.is_empty()).or_else(|| file(ssd)).unwrap_or_default();
    let plain = name.strip_suffix(".ssp").or_else(|| name.strip_suffix(".ssd"));
    plain.unwrap_or(&name).to_owned()
}
