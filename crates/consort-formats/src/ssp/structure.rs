//! System structure descriptions (`.ssd`): elements, connectors and connections.

mod binding;
mod component;
mod dictionary;

use super::annotation;
use super::document::{Connector, Content, Element, End, Inside, Kind, Structure, Wire};
use super::units::{Units, transformation};
use super::values::{TYPES, check_root};
use super::xml::{Session, Tag};
use consort_core::Diagnostic;
use consort_system::{Hold, Spanned};
use std::collections::BTreeMap;

/// Most systems within systems, files included.
const DEPTH_MAX: usize = 64;
/// Most components and systems together, however often a definition is used.
const ELEMENTS_MAX: usize = 200_000;

/// Attributes of every file that say who wrote it.
pub(super) const META: &[&str] =
    &["author", "fileversion", "copyright", "license", "generationTool", "generationDateAndTime"];

/// Where the reader is: in which file, and how deep.
struct Place<'p> {
    /// The folder of the file.
    folder: &'p str,
    /// The nested archive that it is in; empty outside of any.
    package: &'p str,
    units: &'p Units,
    depth: usize,
    /// How many elements there are so far, in all files.
    count: &'p mut usize,
}

impl Place<'_> {
    fn deeper(&mut self) -> Place<'_> {
        let Place { folder, package, units, depth, .. } = *self;
        Place { folder, package, units, depth: depth + 1, count: self.count }
    }
}

/// Reads an `.ssd` file and everything it names.
pub(super) fn read(session: &mut Session<'_>, path: &str) -> Option<Structure> {
    if let Some(bytes) = (session.files)(path) {
        let at = Nesting { package: "", depth: 0, count: &mut 0 };
        return session.open(path, &bytes, |session, root| read_root(session, root, path, at));
    }
    session.report(
        Diagnostic::error("ssp::missing-file", format!("there is no `{path}` in this SSP"))
            .help("an SSP has `SystemStructure.ssd` at its top; name another variant otherwise"),
    );
    None
}

/// Within what a file is read.
struct Nesting<'n> {
    package: &'n str,
    depth: usize,
    count: &'n mut usize,
}

/// Reads an `.ssd` file that a component names in its `source`, or that of a nested archive, which
/// is a folder to the reader.
fn read_nested(
    session: &mut Session<'_>,
    tag: Tag<'_>,
    path: &str,
    package: Option<&str>,
    place: &mut Place<'_>,
) -> Option<Structure> {
    let bytes = file(session, tag, path)?;
    let package = package.unwrap_or(place.package);
    let at = Nesting { package, depth: place.depth + 1, count: place.count };
    session.open(path, &bytes, |session, root| read_root(session, root, path, at))
}

fn read_root(
    session: &mut Session<'_>,
    root: Tag<'_>,
    path: &str,
    at: Nesting<'_>,
) -> Option<Structure> {
    let what = "a system structure description (`.ssd`)";
    if !check_root(session, root, "SystemStructureDescription", what) {
        return None;
    }
    let children = ["System", "Enumerations", "Units", "DefaultExperiment", "Annotations"];
    let more = ["MetaData", "Signature"];
    session.known(root, &[META, &["version", "name"]].concat(), &[&children[..], &more].concat());
    check_version(session, root);
    let units = Units::read(session, root);
    let Some(system) = root.child("System") else {
        let help = "put the components into `<ssd:System name=\"...\"><ssd:Elements>`";
        session.missing("the description has no `System`", root, "nothing in here", help);
        return None;
    };
    let folder = super::uri::folder(path);
    let Nesting { package, depth, count } = at;
    let mut place = Place { folder, package, units: &units, depth, count };
    let root_element = read_system(session, system, &mut place)?;
    Some(Structure {
        name: root.text("name").filter(|name| !name.is_empty()).map(str::to_owned),
        root: root_element,
        settings: annotation::settings(session, root),
    })
}

/// The content of a file that an element names in its `source`.
fn file(session: &mut Session<'_>, tag: Tag<'_>, path: &str) -> Option<Vec<u8>> {
    if session.is_full() {
        return None;
    }
    let bytes = (session.files)(path);
    if bytes.is_none() {
        let message = format!("there is no `{path}` in this SSP");
        session.report(
            Diagnostic::error("ssp::missing-file", message)
                .maybe_at(tag.attribute("source").and_then(|it| it.span), "not found")
                .help("sources are relative to the file that names them"),
        );
    }
    bytes
}

/// What is `asked` for must be of the media type that can be read, if it has any.
fn check_type(session: &mut Session<'_>, tag: Tag<'_>, asked: &Media) -> bool {
    let Media { name, code, plural, pronoun } = asked;
    let other = tag.attribute("type").filter(|kind| kind.value.trim() != *name);
    if let Some(kind) = &other {
        let message = format!("{plural} of type `{}` are not supported", kind.value);
        session.report(
            Diagnostic::error(code, message)
                .maybe_at(kind.span, "not supported")
                .help(format!("convert {pronoun} to `{name}`")),
        );
    }
    other.is_none()
}

/// A media type, and how something of another one is refused.
struct Media {
    name: &'static str,
    code: &'static str,
    plural: &'static str,
    pronoun: &'static str,
}

/// Warns about an unknown version.
pub(super) fn check_version(session: &mut Session<'_>, tag: Tag<'_>) {
    let Some(version) = tag.attribute("version") else { return };
    let is_known = |number: &str| version.value.trim().starts_with(number);
    if is_known("1.") || is_known("2.") {
        return;
    }
    let message = format!("version `{}` of SSP is not known", version.value);
    session.report(
        Diagnostic::warning("ssp::unknown-version", message)
            .maybe_at(version.span, "known are 1.0 and 2.0")
            .help("the file is read as version 2.0"),
    );
}

/// Whether another element fits within the limits.
fn admit(session: &mut Session<'_>, tag: Tag<'_>, place: &mut Place<'_>) -> bool {
    *place.count += 1;
    let (what, most) = if DEPTH_MAX < place.depth {
        ("systems within systems", DEPTH_MAX)
    } else if ELEMENTS_MAX < *place.count {
        ("elements", ELEMENTS_MAX)
    } else {
        return true;
    };
    session.report(
        Diagnostic::error("ssp::limit", format!("there are more than {most} {what}"))
            .at(tag.span(), "too many from here on")
            .help("does a system contain itself, by `source=\"#id\"` or by a file?"),
    );
    false
}

fn read_system(session: &mut Session<'_>, tag: Tag<'_>, place: &mut Place<'_>) -> Option<Element> {
    if !admit(session, tag, place) {
        return None;
    }
    const CHILDREN: &[&str] = &[
        "Connectors",
        "ElementGeometry",
        "ParameterBindings",
        "Elements",
        "Connections",
        "SignalDictionaries",
        "SystemGeometry",
        "GraphicalElements",
        "SimulationInformation",
        "Annotations",
        "MetaData",
        "Signature",
    ];
    session.known(tag, &["name"], CHILDREN);
    let name = element_name(session, tag);
    let connectors = read_connectors(session, tag, place);
    let bindings = binding::read_all(session, tag, place, None);
    let dictionaries = dictionary::read_all(session, tag, place);
    let elements = read_elements(session, tag, place);
    let wires = tag.child("Connections").map(|list| read_wires(session, list)).unwrap_or_default();
    let content = Content::System(Inside { elements: elements?, wires, dictionaries });
    Some(Element { name: name?, connectors, bindings, content })
}

fn element_name(session: &mut Session<'_>, tag: Tag<'_>) -> Option<Spanned<String>> {
    let help = "give it a name of its own: `name=\"tank\"`";
    let name = session.required(tag, "name", help)?;
    if !name.value.trim().is_empty() {
        return Some(Spanned { value: name.value.to_owned(), span: name.span });
    }
    session.report(
        Diagnostic::error("ssp::empty-name", format!("a `{}` has an empty name", tag.name()))
            .maybe_at(name.span, "nothing in here")
            .help(help),
    );
    None
}

/// The elements of a system; `None` if one of them could not be read.
fn read_elements(
    session: &mut Session<'_>,
    tag: Tag<'_>,
    place: &mut Place<'_>,
) -> Option<Vec<Element>> {
    let Some(list) = tag.child("Elements") else { return Some(Vec::new()) };
    session.known(list, &[], &["Component", "System", "SignalDictionaryReference"]);
    let mut elements: Vec<Element> = Vec::new();
    let mut names: BTreeMap<String, Option<consort_core::Span>> = BTreeMap::new();
    let mut complete = true;
    for child in list.children() {
        let element = match child.name() {
            "Component" if !admit(session, child, place) => None,
            "Component" => component::read(session, child, place),
            "System" => read_system(session, child, &mut place.deeper()),
            "SignalDictionaryReference" if !admit(session, child, place) => None,
            "SignalDictionaryReference" => dictionary::reference(session, child, place),
            _ => continue,
        };
        let Some(element) = element else {
            complete = false;
            continue;
        };
        let name = element.name.clone();
        if let Some(first) = names.insert(name.value.clone(), name.span) {
            report_duplicate(session, &name, first);
        }
        elements.push(element);
    }
    complete.then_some(elements)
}

fn report_duplicate(
    session: &mut Session<'_>,
    name: &Spanned<String>,
    first: Option<consort_core::Span>,
) {
    let message = format!("two elements of one system are called `{}`", name.value);
    let diagnostic = Diagnostic::error("ssp::duplicate-element", message)
        .maybe_at(name.span, "again here")
        .help("give one of them another name")
        .maybe_label(first, "first here");
    session.report(diagnostic);
}

fn read_connectors(session: &mut Session<'_>, tag: Tag<'_>, place: &Place<'_>) -> Vec<Connector> {
    let Some(list) = tag.child("Connectors") else { return Vec::new() };
    session.known(list, &[], &["Connector"]);
    let mut connectors = Vec::new();
    for tag in list.all("Connector") {
        let types = [TYPES, &["Clock"]].concat();
        let children = [&types[..], &["Dimension", "ConnectorGeometry", "Annotations"]].concat();
        session.known(tag, &["name", "kind"], &children);
        let help = "name its variable: `name=\"level\"`";
        let Some(name) = session.required(tag, "name", help) else { continue };
        let kind = session.choice(tag, "kind", &Kind::ALL);
        let typed = tag.children().find(|child| types.contains(&child.name()));
        let unit = typed.and_then(|typed| place.units.named(session, typed));
        connectors.push(Connector {
            name: name.value.to_owned(),
            kind: kind.map_or(Kind::Unspecified, |kind| kind.value),
            unit: unit.map(|unit| unit.value),
        });
    }
    connectors
}

fn read_wires(session: &mut Session<'_>, list: Tag<'_>) -> Vec<Wire> {
    session.known(list, &[], &["Connection"]);
    list.all("Connection").filter_map(|tag| read_wire(session, tag)).collect()
}

fn read_wire(session: &mut Session<'_>, tag: Tag<'_>) -> Option<Wire> {
    const ATTRIBUTES: &[&str] = &[
        "startElement",
        "startConnector",
        "startIndices",
        "endElement",
        "endConnector",
        "endIndices",
        "suppressUnitConversion",
    ];
    const CHILDREN: &[&str] = &[
        "LinearTransformation",
        "BooleanMappingTransformation",
        "IntegerMappingTransformation",
        "EnumerationMappingTransformation",
        "ConnectionGeometry",
        "Annotations",
    ];
    session.known(tag, ATTRIBUTES, CHILDREN);
    let linear = transformation(session, tag);
    let suppress = session.flag(tag, "suppressUnitConversion").unwrap_or(false);
    let names = ["startElement", "startConnector", "startIndices"];
    let start = read_end(session, tag, names);
    let end = read_end(session, tag, ["endElement", "endConnector", "endIndices"]);
    let (start, end) = (start?, end?);
    let (delay, hold, group) = (false, Hold::Hold, None);
    let mut wire = Wire { start, end, linear, suppress, delay, hold, group, convert: false };
    annotation::wire(session, tag, &mut wire);
    Some(wire)
}

fn read_end(session: &mut Session<'_>, tag: Tag<'_>, names: [&str; 3]) -> Option<End> {
    let [element, connector, indices] = names;
    let help = format!("name the variable at this end: `{connector}=\"level\"`");
    let name = session.required(tag, connector, &help)?;
    let list = tag.attribute(indices);
    let numbers: Vec<&str> = list.iter().flat_map(|list| list.value.split_whitespace()).collect();
    if numbers.iter().any(|number| number.parse::<u64>().is_err()) {
        session.bad_value(indices, &list?, "a list of indices");
        return None;
    }
    Some(End {
        // Some tools write an empty name for the system's own connectors.
        element: tag.owned(element).filter(|name| !name.value.trim().is_empty()),
        connector: Spanned { value: name.value.to_owned(), span: name.span },
        indices: match numbers.as_slice() {
            [] => String::new(),
            numbers => format!("[{}]", numbers.join(", ")),
        },
    })
}
