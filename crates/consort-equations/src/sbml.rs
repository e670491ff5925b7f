//! Models in the Systems Biology Markup Language: Level 2 versions 1 to 5, Level 3 core versions 1 and 2.
//!
//! [`read_sbml`] makes a [`tree::EquationModel`](crate::tree::EquationModel) of the text, for
//! [`compile`](crate::compile()). It goes in this order: the text is bounded and parsed
//! (`consort_xml`), everything with an identifier is declared (`collect`, `table`), formulas are read
//! (`math`) where they stand (`change`, `reaction`), rules without a variable are solved (`algebraic`), and
//! all is put together (`before`, `event`, `fast`, `form`, `inline`, `lower`, `rate`, `scale`, `units`). What is not supported is refused by name.
//!
//! Identifiers keep their meaning: that of a species is its concentration, or its amount if it has only
//! substance units. A reaction's identifier is its rate, an output.

mod algebraic;
mod before;
mod change;
mod collect;
mod event;
mod fast;
mod form;
mod inline;
mod lower;
mod math;
mod rate;
mod reaction;
mod scale;
mod table;
mod units;
mod xml;

use crate::tree::EquationModel;
use consort_core::{Diagnostic, Report};
use consort_xml::{File, Reporter};
use lower::Parts;
use table::Edition;
use xml::{FORMAT, Node, Reader, child, shorten};

/// The longest text that is read, in bytes.
pub const TEXT_BYTES_MAX: usize = 64 << 20;

/// Whether a text is SBML, by its root element; its beginning is enough.
pub fn is_sbml(text: &str) -> bool {
    consort_xml::root_name(text) == Some("sbml")
}

/// Reads a model; `name` is what diagnostics call the text.
///
/// Mistakes of SBML and what is not supported are reported; mistakes of meaning that equations have, too,
/// such as closed chains of assignments, are found by [`compile`](crate::compile()). `None` if there was
/// an error.
pub fn read_sbml(name: &str, text: &str, report: &mut Report) -> Option<EquationModel> {
    if TEXT_BYTES_MAX < text.len() {
        report.push(FORMAT.too_large(&format!("`{name}`")));
        return None;
    }
    let text = text.trim_start_matches('\u{feff}');
    let source = report.add_source(name, text);
    let mut reporter = Reporter::new(report);
    let file = File::check(source, text, &FORMAT, &mut reporter)?;
    let document = file.parse(&mut reporter)?;
    let mut reader = Reader::new(reporter, &file);
    let model = interpret(&mut reader, document.root_element());
    if reader.finish() { model } else { None }
}

fn interpret<'a>(reader: &mut Reader<'_>, root: Node<'a>) -> Option<EquationModel> {
    let edition = edition(reader, root)?;
    packages(reader, root);
    let Some(node) = child(root, "model") else {
        let at = (reader.tag(root), "nothing inside");
        let help = "an SBML document holds one `<model>...</model>`";
        reader.error("sbml::missing", "there is no model in the document", at, help);
        return None;
    };
    let mut table = collect::collect(reader, node, edition);
    let functions = collect::functions(reader, node, &table);
    let algebraic = change::rules(reader, node, &mut table);
    change::initial_assignments(reader, node, &mut table);
    let reactions = reaction::reactions(reader, node, &mut table);
    let events = change::events(reader, node, &mut table);
    constraints(reader, node);
    if reader.failed() {
        return None;
    }
    let solved = algebraic::solve(reader, &mut table, &reactions, algebraic);
    let parts = Parts { functions, reactions, events, solved };
    Some(lower::lower(reader, node, &mut table, parts))
}

/// Which level and version it is, if that is one that is read.
fn edition(reader: &mut Reader<'_>, root: Node<'_>) -> Option<Edition> {
    if root.tag_name().name() != "sbml" {
        let message = format!("this is no SBML: it is `{}`", shorten(root.tag_name().name()));
        let at = (reader.tag(root), "must be `sbml`");
        reader.error("sbml::syntax", message, at, "give an SBML file");
        return None;
    }
    let level = reader.required(root, "level")?;
    let version = reader.required(root, "version")?;
    let edition = match (level, version) {
        ("2", "1" | "2" | "3" | "4" | "5") | ("3", "1" | "2") => {
            let digit = |text: &str| text.parse().ok();
            digit(level).zip(digit(version))
        }
        _ => None,
    };
    let Some((level, version)) = edition else {
        let (level, version) = (shorten(level), shorten(version));
        let message = format!("SBML level {level} version {version} is not supported");
        let help = match level {
            "1" => {
                "level 1 writes formulas as text; convert the model to level 2 or 3 \
                    with libSBML's `convertSBML` or the tool that wrote it"
            }
            _ => "level 2 versions 1 to 5 and level 3 versions 1 and 2 are read",
        };
        let at = (reader.place(root, "level"), "not read");
        reader.error("sbml::level", message, at, help);
        return None;
    };
    Some(Edition { level, version })
}

/// Refuses packages that change what a model means; others are left out.
fn packages(reader: &mut Reader<'_>, root: Node<'_>) {
    for attribute in root.attributes().filter(|attribute| attribute.name() == "required") {
        let Some(namespace) = attribute.namespace() else { continue };
        let name = namespace.rsplit_once("/version1/").map_or(namespace, |(_, name)| name);
        let name = shorten(name.split('/').next().unwrap_or(name));
        let span = reader.span(attribute.range());
        if matches!(attribute.value().trim(), "false" | "0") {
            let message = format!("the package `{name}` is left out");
            let help =
                "it is declared as not required, so it does not change the meaning of the model";
            reader
                .report(Diagnostic::note("sbml::package", message).at(span, "not read").help(help));
        } else {
            let message = format!("the package `{name}` is not supported");
            let help = "it changes what the model means; export the model without it, \
                        such as with a flattened hierarchy";
            reader.error("sbml::package", message, (span, "required"), help);
        }
    }
}

/// Says that constraints are not watched.
fn constraints(reader: &mut Reader<'_>, model: Node<'_>) {
    for node in reader.items(model, "listOfConstraints", &["constraint"]) {
        let at = (reader.tag(node), "not watched");
        let help = "it does not change the result; look at the results yourself";
        reader.warn("sbml::constraint", "the constraint is not checked", at, help);
    }
}

/// What the fuzz target calls: reads bytes as a model and compiles it.
///
/// # Panics
/// If a model is refused without a reason, or accepted with one: that is a finding.
pub fn fuzz(data: &[u8]) {
    crate::fuzz::compiled(data, |text, report| read_sbml("fuzz.xml", text, report));
}
