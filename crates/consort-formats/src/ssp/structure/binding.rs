//! Parameter bindings: which values, under which names.

use super::super::document::{Binding, Mapped};
use super::super::values::{parameter_mapping, parameter_set};
use super::super::xml::{Session, Tag};
use super::{Media, Place, check_type, component};
use consort_core::Diagnostic;

/// The bindings of an element in order; `component` is its source, if it is a component.
pub(super) fn read_all(
    session: &mut Session<'_>,
    tag: Tag<'_>,
    place: &Place<'_>,
    component: Option<&str>,
) -> Vec<Binding> {
    let Some(list) = tag.child("ParameterBindings") else { return Vec::new() };
    session.known(list, &[], &["ParameterBinding"]);
    list.all("ParameterBinding").map(|tag| read(session, tag, place, component)).collect()
}

fn read(
    session: &mut Session<'_>,
    tag: Tag<'_>,
    place: &Place<'_>,
    component: Option<&str>,
) -> Binding {
    let attributes = ["type", "source", "sourceBase", "prefix"];
    session.known(tag, &attributes, &["ParameterValues", "ParameterMapping", "Annotations"]);
    let inline = tag.child("ParameterValues");
    let external = source(session, tag, place, component, "application/x-ssp-parameter-set");
    let values = match (external, inline) {
        (Wanted::File(path), inline) => {
            if let Some(inline) = inline {
                report_both(session, inline);
            }
            file(session, tag, &path, parameter_set).unwrap_or_default()
        }
        (Wanted::Nothing, Some(inline)) => {
            inline.children().flat_map(|set| parameter_set(session, set)).collect()
        }
        (Wanted::Nothing, None) => {
            session.report(
                Diagnostic::warning("ssp::empty-binding", "a parameter binding has no values")
                    .at(tag.span(), "neither `source` nor `ParameterValues`")
                    .help("name a `.ssv` file with `source`, or remove it"),
            );
            Vec::new()
        }
        (Wanted::Refused, _) => Vec::new(),
    };
    let mapping = tag.child("ParameterMapping").map(|tag| mapping(session, tag, place, component));
    let prefix = tag.text("prefix").unwrap_or_default().to_owned();
    Binding { prefix, values, mapping, span: tag.span() }
}

fn mapping(
    session: &mut Session<'_>,
    tag: Tag<'_>,
    place: &Place<'_>,
    component: Option<&str>,
) -> Vec<Mapped> {
    match source(session, tag, place, component, "application/x-ssp-parameter-mapping") {
        Wanted::File(path) => file(session, tag, &path, parameter_mapping).unwrap_or_default(),
        Wanted::Nothing => tag.children().flat_map(|it| parameter_mapping(session, it)).collect(),
        Wanted::Refused => Vec::new(),
    }
}

enum Wanted {
    File(String),
    Nothing,
    Refused,
}

/// Which file is asked for, if it can be read from here.
fn source(
    session: &mut Session<'_>,
    tag: Tag<'_>,
    place: &Place<'_>,
    component: Option<&str>,
    name: &'static str,
) -> Wanted {
    let (code, plural) = ("ssp::parameter-type", "parameters");
    if !check_type(session, tag, &Media { name, code, plural, pronoun: "them" }) {
        return Wanted::Refused;
    }
    let Some(found) = tag.attribute("source") else { return Wanted::Nothing };
    if tag.text("sourceBase") == Some("component") {
        let inside = component.map_or(String::new(), |it| format!(" `{it}`"));
        let message = format!("parameters inside of the component{inside} are not supported");
        session.report(
            Diagnostic::error("ssp::source-base", message)
                .maybe_at(found.span, "is within the component")
                .help("put the file into the SSP and leave `sourceBase` out"),
        );
        return Wanted::Refused;
    }
    component::path(session, place, &found).map_or(Wanted::Refused, Wanted::File)
}

/// Reads a file that an element names.
fn file<T>(
    session: &mut Session<'_>,
    tag: Tag<'_>,
    path: &str,
    read: fn(&mut Session<'_>, Tag<'_>) -> Vec<T>,
) -> Option<Vec<T>> {
    let bytes = super::file(session, tag, path)?;
    session.open(path, &bytes, |session, root| Some(read(session, root)))
}

fn report_both(session: &mut Session<'_>, inline: Tag<'_>) {
    session.report(
        Diagnostic::warning("ssp::two-sources", "a binding has a `source` and values inline")
            .at(inline.span(), "not used")
            .help("remove one of the two"),
    );
}
