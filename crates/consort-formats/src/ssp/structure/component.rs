//! Components: FMUs, native blocks, and structures in files of their own.

use super::super::document::{Content, Element};
use super::super::uri::{self, Fault};
use super::super::xml::{Session, Tag};
use super::super::{DEFAULT_STRUCTURE, EQUATIONS_TYPE, SBML_TYPE, annotation, implementation};
use super::{Place, binding, element_name, read_connectors, read_nested, read_system};
use consort_core::{Diagnostic, Interface, ModelReference};
use consort_system::{Component, Spanned};

/// What the `source` of a component is.
enum Source {
    Model(String),
    Structure(String),
    /// An archive, and which `.ssd` of it.
    Package(String, String),
    /// A system of the same file, by its `id`.
    Same(String),
}

/// What a component may hold, and a place where a system reaches a dictionary.
pub(super) const CHILDREN: &[&str] =
    &["Connectors", "ElementGeometry", "ParameterBindings", "Annotations", "MetaData", "Signature"];

pub(super) fn read(
    session: &mut Session<'_>,
    tag: Tag<'_>,
    place: &mut Place<'_>,
) -> Option<Element> {
    session.known(tag, &["name", "type", "source", "implementation"], CHILDREN);
    let name = element_name(session, tag);
    let connectors = read_connectors(session, tag, place);
    let source = source(session, tag, place);
    let bindings = binding::read_all(session, tag, place, tag.text("source"));
    let (name, source) = (name?, source?);
    let inner = match source {
        Source::Model(model) => {
            let model =
                Spanned { value: model, span: tag.attribute("source").and_then(|it| it.span) };
            let mut component = Component::new(name.clone(), model);
            component.solving.interface = interface(session, tag);
            annotation::component(session, tag, &mut component);
            let content = Content::Component(Box::new(component));
            return Some(Element { name, connectors, bindings, content });
        }
        Source::Structure(path) => read_nested(session, tag, &path, None, place)?.root,
        Source::Package(path, structure) => {
            let inside = format!("{path}/{structure}");
            read_nested(session, tag, &inside, Some(&path), place)?.root
        }
        Source::Same(id) => read_same(session, tag, &id, place)?,
    };
    // Bindings of the component come after those of the system it refers to.
    let bindings = inner.bindings.into_iter().chain(bindings).collect();
    Some(Element { name, bindings, ..inner })
}

fn read_same(
    session: &mut Session<'_>,
    tag: Tag<'_>,
    id: &str,
    place: &mut Place<'_>,
) -> Option<Element> {
    let found = tag.by_id(id).filter(|found| found.name() == "System");
    if found.is_none() {
        let message = format!("no system of this file has the id `{id}`");
        session.report(
            Diagnostic::error("ssp::unknown-id", message)
                .maybe_at(tag.attribute("source").and_then(|it| it.span), "not found")
                .help("give the system that is meant the attribute `id`"),
        );
    }
    read_system(session, found?, &mut place.deeper())
}

/// What `implementation` asks for; `any` and nothing leave it to the FMU.
fn interface(session: &mut Session<'_>, tag: Tag<'_>) -> Option<Spanned<Interface>> {
    let [together, exchange] =
        Interface::ALL.map(|(interface, _)| (Some(interface), implementation(interface)));
    let known = [(None, "any"), together, exchange, (None, SCHEDULED)];
    let found = session.choice(tag, "implementation", &known)?;
    if tag.text("implementation") == Some(SCHEDULED) {
        let message = format!("`{SCHEDULED}` is asked for; the FMU is used by another interface");
        session.report(
            Diagnostic::warning("ssp::implementation", message)
                .maybe_at(found.span, "not supported")
                .help("write `CoSimulation`, `ModelExchange`, or `any`"),
        );
    }
    Some(Spanned { value: found.value?, span: found.span })
}

const SCHEDULED: &str = "ScheduledExecution";

/// What a component is made of, by its type, else by the ending of its source.
fn source(session: &mut Session<'_>, tag: Tag<'_>, place: &Place<'_>) -> Option<Source> {
    let Some(source) = tag.attribute("source") else {
        let message = match tag.text("name") {
            Some(name) => format!("the component `{name}` has no `source`"),
            None => "a component without a name has no `source`".to_owned(),
        };
        session.report(
            Diagnostic::error("ssp::no-source", message)
                .at(tag.span(), "nothing says what it is made of")
                .help("name its model, such as `source=\"resources/tank.fmu\"`"),
        );
        return None;
    };
    if let Some(id) = source.value.strip_prefix('#') {
        return Some(Source::Same(id.to_owned()));
    }
    if let ModelReference::Native(block) = ModelReference::of(source.value.trim()) {
        let block = uri::decoded(block);
        return Some(Source::Model(format!("{}{block}", ModelReference::NATIVE)));
    }
    let (file, variant) = package_and_variant(source.value);
    let path = path(session, place, &Spanned { value: file, span: source.span })?;
    let ending = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let kind = tag.attribute("type");
    let media = kind.as_ref().map(|kind| kind.value.split(';').next().unwrap_or_default().trim());
    match (media, ending.as_str()) {
        (Some("application/x-ssp-definition"), _) | (None, "ssd") => Some(Source::Structure(path)),
        (Some("application/x-ssp-package"), _) | (None, "ssp") => {
            Some(Source::Package(path, variant.unwrap_or(DEFAULT_STRUCTURE).to_owned()))
        }
        (Some("application/x-fmu-sharedlibrary" | EQUATIONS_TYPE | SBML_TYPE), _) => {
            Some(Source::Model(path))
        }
        (None, _) => Some(Source::Model(path)),
        (Some(other), "fmu") => {
            let message = format!("the type `{other}` is not known, but the source is an FMU");
            session.report(
                Diagnostic::warning("ssp::component-type", message)
                    .maybe_at(kind.and_then(|kind| kind.span), "not known")
                    .help("write `application/x-fmu-sharedlibrary`"),
            );
            Some(Source::Model(path))
        }
        _ => {
            refuse_type(session, media.unwrap_or_default(), kind.and_then(|kind| kind.span));
            None
        }
    }
}

fn refuse_type(session: &mut Session<'_>, media: &str, span: Option<consort_core::Span>) {
    let help = "components are FMUs, equations, SBML, `.ssd` and `.ssp` files and `native:NAME`; \
                export the model as an FMU";
    session.report(
        Diagnostic::error(
            "ssp::component-type",
            format!("components of type `{media}` are not supported"),
        )
        .maybe_at(span, "not supported")
        .help(help),
    );
}

/// `sub.ssp#Variant.ssd` names one of several structures of an archive.
fn package_and_variant(source: &str) -> (&str, Option<&str>) {
    let is_package = |file: &str| file.to_ascii_lowercase().ends_with(".ssp");
    match source.split_once('#') {
        Some((file, variant)) if is_package(file) => {
            (file, Some(variant).filter(|it| !it.is_empty()))
        }
        _ => (source, None),
    }
}

/// The path of a source below the root of the SSP.
pub(super) fn path(
    session: &mut Session<'_>,
    place: &Place<'_>,
    source: &Spanned<&str>,
) -> Option<String> {
    match uri::resolve(place.folder, source.value) {
        Ok(path) if !is_below(&path, place.package) => {
            let message =
                format!("`{}` is outside of the archive `{}`", source.value, place.package);
            session.report(
                Diagnostic::error("ssp::outside", message)
                    .maybe_at(source.span, "leaves the nested archive")
                    .help("put the file into the nested archive"),
            );
            None
        }
        Ok(path) => {
            if path.starts_with("..") {
                let message = format!("`{}` is outside of the SSP", source.value);
                session.report(
                    Diagnostic::warning("ssp::outside", message)
                        .maybe_at(source.span, "leaves the folder of the SSP")
                        .help("put the file into the SSP, or it will not be found elsewhere"),
                );
            }
            Some(path)
        }
        Err(fault) => {
            let (message, help) = match fault {
                Fault::Absolute => (
                    format!("the source `{}` is not relative", source.value),
                    "put the file into the SSP: `source=\"resources/...\"`",
                ),
                Fault::Scheme => (
                    format!("the source `{}` is no file of the SSP", source.value),
                    "nothing is fetched or run elsewhere: put the file into the SSP and name it, \
                     such as `source=\"resources/tank.fmu\"`",
                ),
                Fault::Empty => (
                    "the source names no file".to_owned(),
                    "write where the file is: `source=\"resources/...\"`",
                ),
            };
            session.report(
                Diagnostic::error("ssp::bad-source", message)
                    .maybe_at(source.span, "cannot be found from here")
                    .help(help),
            );
            None
        }
    }
}

/// Whether a path is in a nested archive; an empty one is no archive, and holds every path.
fn is_below(path: &str, package: &str) -> bool {
    package.is_empty() || path.strip_prefix(package).is_some_and(|rest| rest.starts_with('/'))
}
