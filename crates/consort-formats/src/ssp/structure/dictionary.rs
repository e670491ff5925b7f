//! Signal dictionaries: signals with a name that several systems read and write, and the places
//! where a system reaches them.

use super::super::document::{Connector, Content, Element, Kind};
use super::super::units::Units;
use super::super::values::{TYPES, check_root};
use super::super::xml::{Session, Tag};
use super::{
    META, Media, Place, binding, check_type, check_version, component, element_name, file,
    read_connectors, report_duplicate,
};
use consort_core::Span;
use consort_system::Spanned;
use std::collections::BTreeMap;

/// The media type of a signal dictionary.
const MEDIA: Media = Media {
    name: "application/x-ssp-signal-dictionary",
    code: "ssp::dictionary-type",
    plural: "signal dictionaries",
    pronoun: "it",
};

/// The dictionaries that a system defines.
pub(super) fn read_all(
    session: &mut Session<'_>,
    system: Tag<'_>,
    place: &Place<'_>,
) -> Vec<Element> {
    let mut found: Vec<Element> = Vec::new();
    for list in system.all("SignalDictionaries") {
        session.known(list, &[], &["SignalDictionary"]);
        for tag in list.all("SignalDictionary") {
            let Some(dictionary) = read(session, tag, place) else { continue };
            let name = &dictionary.name;
            if let Some(first) = found.iter().find(|it| it.name.value == name.value) {
                report_duplicate(session, name, first.name.span);
            }
            found.push(dictionary);
        }
    }
    found
}

fn read(session: &mut Session<'_>, tag: Tag<'_>, place: &Place<'_>) -> Option<Element> {
    let attributes = ["name", "type", "source", "sourceBase"];
    session.known(tag, &attributes, &["SignalDictionary", "Annotations"]);
    let name = element_name(session, tag);
    let connectors = content(session, tag, place).unwrap_or_default();
    Some(Element { name: name?, connectors, bindings: Vec::new(), content: Content::Dictionary })
}

/// What is inline, or in the file that is named.
fn content(session: &mut Session<'_>, tag: Tag<'_>, place: &Place<'_>) -> Option<Vec<Connector>> {
    if !check_type(session, tag, &MEDIA) {
        return None;
    }
    if let Some(source) = tag.attribute("source") {
        let path = component::path(session, place, &source)?;
        let bytes = file(session, tag, &path)?;
        return session.open(&path, &bytes, |session, root| Some(entries(session, root, None)));
    }
    if let Some(inline) = tag.child("SignalDictionary") {
        return Some(entries(session, inline, Some(place.units)));
    }
    let label = "neither `source` nor `ssb:SignalDictionary`";
    let help = "name an `.ssb` file with `source`, or put the signals into it";
    session.missing("a signal dictionary has no content", tag, label, help);
    None
}

/// The signals of a dictionary; `outer` are the units of the file around it.
fn entries(session: &mut Session<'_>, root: Tag<'_>, outer: Option<&Units>) -> Vec<Connector> {
    if !check_root(session, root, "SignalDictionary", "a signal dictionary (`.ssb`)") {
        return Vec::new();
    }
    const CHILDREN: &[&str] =
        &["DictionaryEntry", "Enumerations", "Units", "Annotations", "MetaData", "Signature"];
    session.known(root, &[META, &["version"]].concat(), CHILDREN);
    check_version(session, root);
    let own = Units::read(session, root);
    let units = outer.filter(|_| root.child("Units").is_none()).unwrap_or(&own);
    let mut names: BTreeMap<String, Option<Span>> = BTreeMap::new();
    let mut list = Vec::new();
    for tag in root.all("DictionaryEntry") {
        let types = [TYPES, &["Clock"]].concat();
        session.known(tag, &["name"], &[&types[..], &["Dimension", "Annotations"]].concat());
        let help = "name the signal: `name=\"level\"`";
        let Some(name) = session.required(tag, "name", help) else { continue };
        if let Some(first) = names.insert(name.value.to_owned(), name.span) {
            let name = Spanned { value: name.value.to_owned(), span: name.span };
            report_duplicate(session, &name, first);
        }
        let typed = tag.children().find(|child| types.contains(&child.name()));
        let unit = typed.and_then(|typed| units.named(session, typed));
        let unit = unit.map(|unit| unit.value);
        list.push(Connector { name: name.value.to_owned(), kind: Kind::Inout, unit });
    }
    list
}

/// The place where a system reaches a dictionary.
pub(super) fn reference(
    session: &mut Session<'_>,
    tag: Tag<'_>,
    place: &mut Place<'_>,
) -> Option<Element> {
    session.known(tag, &["name", "dictionary"], component::CHILDREN);
    let name = element_name(session, tag);
    let connectors = read_connectors(session, tag, place);
    let bindings = binding::read_all(session, tag, place, None);
    let help = "name a dictionary of this system or of one around it: `dictionary=\"bus\"`";
    let dictionary = session.required(tag, "dictionary", help)?;
    let dictionary = Spanned { value: dictionary.value.to_owned(), span: dictionary.span };
    let content = Content::Reference(dictionary);
    Some(Element { name: name?, connectors, bindings, content })
}
