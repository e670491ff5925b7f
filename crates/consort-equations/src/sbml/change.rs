//! What changes quantities: rules, initial assignments, events.

use super::math::{self, Math, MathScope};
use super::table::{Rule, SbmlQuantity, Sort, Table};
use super::xml::{Node, Reader, child};
use crate::tree::{self, Expression, Name};
use consort_core::Span;

/// `0 = expression`: which quantity it determines is found later.
pub(super) struct Algebraic {
    pub(super) expression: Expression,
    pub(super) span: Span,
}

/// An event with its formulas read.
pub(super) struct SbmlEvent {
    /// All but what it assigns.
    pub(super) event: tree::Event,
    /// The quantity, where it is named, its new value.
    pub(super) assignments: Vec<(usize, Span, Expression)>,
}

/// Gives quantities their rules; those without a variable are returned.
pub(super) fn rules<'a>(
    reader: &mut Reader<'_>,
    model: Node<'a>,
    table: &mut Table<'a>,
) -> Vec<Algebraic> {
    const KNOWN: [&str; 3] = ["assignmentRule", "rateRule", "algebraicRule"];
    let mut algebraic = Vec::new();
    for node in reader.items(model, "listOfRules", &KNOWN) {
        reader.known_attributes(node, &["variable"]);
        let expression = formula(reader, table, node);
        let name = node.tag_name().name();
        if name == "algebraicRule" {
            let span = reader.tag(node);
            algebraic.extend(expression.map(|expression| Algebraic { expression, span }));
            continue;
        }
        let Some(index) = target(reader, table, node, "variable") else { continue };
        let quantity = &table.quantities[index];
        if quantity.rule.is_some() {
            overdetermined(reader, node, "variable", quantity, "two rules");
            continue;
        }
        let rule = if name == "rateRule" { Rule::Rate } else { Rule::Assignment };
        table.quantities[index].rule = expression.map(rule);
    }
    algebraic
}

/// Gives quantities the formulas of their initial values.
pub(super) fn initial_assignments<'a>(
    reader: &mut Reader<'_>,
    model: Node<'a>,
    table: &mut Table<'a>,
) {
    for node in reader.items(model, "listOfInitialAssignments", &["initialAssignment"]) {
        reader.known_attributes(node, &["symbol"]);
        let expression = formula(reader, table, node);
        let Some(index) = named(reader, table, node, "symbol") else { continue };
        let quantity = &table.quantities[index];
        if quantity.initial.is_some() {
            overdetermined(reader, node, "symbol", quantity, "two initial assignments");
        } else if matches!(quantity.rule, Some(Rule::Assignment(_))) {
            let both = "an assignment rule and an initial assignment";
            overdetermined(reader, node, "symbol", quantity, both);
        } else {
            table.quantities[index].initial = expression;
        }
    }
}

/// Reads events and marks what they change.
pub(super) fn events<'a>(
    reader: &mut Reader<'_>,
    model: Node<'a>,
    table: &mut Table<'a>,
) -> Vec<SbmlEvent> {
    let nodes = reader.items(model, "listOfEvents", &["event"]);
    let events: Vec<_> = nodes.into_iter().filter_map(|node| event(reader, node, table)).collect();
    for (index, ..) in events.iter().flat_map(|event| &event.assignments) {
        table.quantities[*index].in_events = true;
    }
    events
}

fn event<'a>(reader: &mut Reader<'_>, node: Node<'a>, table: &Table<'a>) -> Option<SbmlEvent> {
    reader.known_attributes(node, &["useValuesFromTriggerTime", "timeUnits"]);
    let Some(trigger) = child(node, "trigger") else {
        let at = (reader.tag(node), "never happens");
        if super::table::Edition::L3V2 <= table.edition {
            let help = "it has no effect; remove it or add a `trigger`";
            reader.warn("sbml::assumed", "the event has no trigger", at, help);
        } else {
            let help = "write when it happens as `<trigger>...</trigger>`";
            reader.error("sbml::missing", "the event has no trigger", at, help);
        }
        return None;
    };
    reader.known_attributes(trigger, &["initialValue", "persistent"]);
    let scope = MathScope::default();
    let formula = math::find(reader, table, trigger)?;
    let condition = Math { reader, table, scope: &scope }.only(formula);
    let mut part =
        |name: &str| child(node, name).and_then(|part| self::formula(reader, table, part));
    let (delay, priority) = (part("delay"), part("priority"));
    let assignments = event_assignments(reader, node, table);
    let (id, condition) = (node.attribute("id").unwrap_or_default(), condition?);
    let event = tree::Event {
        name: Name { text: id.to_owned(), span: Some(reader.place(node, "id")) },
        delay,
        priority,
        persistent: reader.flag(trigger, "persistent").unwrap_or(true),
        initially: reader.flag(trigger, "initialValue").unwrap_or(true),
        values_from_trigger: reader.flag(node, "useValuesFromTriggerTime").unwrap_or(true),
        span: Some(reader.tag(node)),
        ..tree::Event::new(condition, Vec::new())
    };
    Some(SbmlEvent { event, assignments })
}

fn event_assignments<'a>(
    reader: &mut Reader<'_>,
    node: Node<'a>,
    table: &Table<'a>,
) -> Vec<(usize, Span, Expression)> {
    let mut found: Vec<(usize, Span, Expression)> = Vec::new();
    for node in reader.items(node, "listOfEventAssignments", &["eventAssignment"]) {
        reader.known_attributes(node, &["variable"]);
        let expression = formula(reader, table, node);
        let Some(index) = target(reader, table, node, "variable") else { continue };
        let quantity = &table.quantities[index];
        if matches!(quantity.rule, Some(Rule::Assignment(_))) {
            let both = "an assignment rule and an event's assignment";
            overdetermined(reader, node, "variable", quantity, both);
        } else if found.iter().any(|(other, ..)| *other == index) {
            overdetermined(reader, node, "variable", quantity, "two assignments in one event");
        } else if let Some(expression) = expression {
            found.push((index, reader.place(node, "variable"), expression));
        }
    }
    found
}

/// The formula of an element, as a number.
fn formula<'a>(reader: &mut Reader<'_>, table: &Table<'a>, node: Node<'a>) -> Option<Expression> {
    let math = math::find(reader, table, node)?;
    Math { reader, table, scope: &MathScope::default() }.only(math)
}

/// The quantity an attribute names.
fn named(reader: &mut Reader<'_>, table: &Table<'_>, node: Node<'_>, name: &str) -> Option<usize> {
    let id = reader.required(node, name)?;
    let index = table.index(id);
    if index.is_none() {
        let names = table.quantities.iter().map(|quantity| quantity.id);
        reader.unknown("quantity", id, reader.place(node, name), names);
    }
    index
}

/// The quantity an attribute names, which must be allowed to change.
fn target(reader: &mut Reader<'_>, table: &Table<'_>, node: Node<'_>, name: &str) -> Option<usize> {
    let index = named(reader, table, node, name)?;
    let quantity = &table.quantities[index];
    if !quantity.constant {
        return Some(index);
    }
    let message = format!("`{}` is constant, but something changes it", quantity.id);
    let help = match quantity.sort {
        Sort::Species(_) => "remove `constant=\"true\"` from the species, or what changes it",
        _ => "declare it with `constant=\"false\"`, or remove what changes it",
    };
    reader.error("sbml::constant", message, (reader.place(node, name), "changed here"), help);
    None
}

fn overdetermined(
    reader: &mut Reader<'_>,
    node: Node<'_>,
    name: &str,
    quantity: &SbmlQuantity<'_>,
    by: &str,
) {
    let message = format!("`{}` is determined by {by}", quantity.id);
    let at = (reader.place(node, name), "determined once more");
    reader.error("sbml::overdetermined", message, at, "keep one of them");
}
