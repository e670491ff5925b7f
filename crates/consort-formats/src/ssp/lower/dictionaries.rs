//! Which dictionary a reference means: that of the nearest system around it which has one of that
//! name (SSP, "SignalDictionaryReference").

use super::super::document::Content;
use super::super::xml::Session;
use super::{Tree, nearest_or, report_not_found};
use consort_core::{Conversion, Diagnostic};
use consort_system::Spanned;

/// Finds the dictionary of every reference.
pub(super) fn find(session: &mut Session<'_>, tree: &mut Tree<'_>) {
    for index in 0..tree.parts.len() {
        let element = tree.parts[index].element;
        let Content::Reference(wanted) = &element.content else { continue };
        let Some(dictionary) = lookup(tree, index, &wanted.value) else {
            report_unknown(session, tree, index, wanted);
            continue;
        };
        check_connectors(session, tree, index, dictionary);
        tree.parts[index].dictionary = Some(dictionary);
    }
}

/// The systems around a part, the nearest first.
fn around(tree: &Tree<'_>, part: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(tree.parts[part].parent, move |&system| tree.parts[system].parent)
}

fn lookup(tree: &Tree<'_>, reference: usize, name: &str) -> Option<usize> {
    around(tree, reference).find_map(|system| tree.parts[system].dictionaries.get(name).copied())
}

fn report_unknown(
    session: &mut Session<'_>,
    tree: &Tree<'_>,
    reference: usize,
    wanted: &Spanned<String>,
) {
    let known = around(tree, reference).flat_map(|system| tree.parts[system].dictionaries.keys());
    let way_out = "define it in `SignalDictionaries` of this system or of one around it";
    let help = nearest_or(&wanted.value, known.copied(), way_out);
    let message = format!("there is no signal dictionary `{}`", wanted.value);
    report_not_found(session, "ssp::unknown-dictionary", message, wanted, help);
}

/// What a reference declares must be in the dictionary, and measured as it is there.
fn check_connectors(
    session: &mut Session<'_>,
    tree: &Tree<'_>,
    reference: usize,
    dictionary: usize,
) {
    let (from, signals) = (&tree.parts[reference], &tree.parts[dictionary]);
    for connector in &from.element.connectors {
        let span = from.element.name.span;
        let Some(signal) = signals.connectors.get(connector.name.as_str()) else {
            let message = format!(
                "the dictionary `{}` has no signal `{}`",
                signals.element.name.value, connector.name
            );
            let known = signals.connectors.keys().copied();
            let help = nearest_or(&connector.name, known, "add a `DictionaryEntry` of that name");
            session.report(
                Diagnostic::error("ssp::unknown-signal", message)
                    .maybe_at(span, "named by a connector in here")
                    .help(help),
            );
            continue;
        };
        let Some((own, given)) = connector.unit.as_ref().zip(signal.unit.as_ref()) else {
            continue;
        };
        if !own.conversion_to(given).is_some_and(Conversion::is_identity) {
            let message = format!(
                "the signal `{}` is in `{given}`, its connector here is in `{own}`",
                connector.name
            );
            session.report(
                Diagnostic::error("ssp::dictionary-unit", message)
                    .maybe_at(span, format!("in `{own}` here"))
                    .help(format!(
                        "write `unit=\"{given}\"`, or leave the unit of the connector out"
                    )),
            );
        }
    }
}
