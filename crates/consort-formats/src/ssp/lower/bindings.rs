//! Values for parameters and start values: bindings of outer systems go before those of inner
//! ones, later ones before earlier ones (SSP, "ParameterBindings").

use super::super::document::{Binding, Kind, Mapped, Value};
use super::super::units::{is_identity, linear, then, well_known};
use super::super::xml::{Session, shorten};
use super::Tree;
use super::wires::{Edges, Port};
use consort_core::{Diagnostic, Literal, Unit};
use consort_system::{Linear, Parameter, Spanned};
use std::collections::{BTreeMap, BTreeSet};

/// The parameters of each component.
pub(super) fn parameters(
    session: &mut Session<'_>,
    tree: &Tree<'_>,
    edges: &Edges<'_>,
) -> Vec<Vec<Parameter>> {
    let own = tree.components.iter().map(|component| component.parameters.clone());
    let lists: Vec<Vec<Parameter>> = own.collect();
    let mut work = Work { tree, edges, places: places(&lists), lists };
    // Children stand behind their parents: from the last to the first is from inside to outside.
    for part in (0..tree.parts.len()).rev() {
        for binding in &tree.parts[part].element.bindings {
            work.apply_binding(session, part, binding);
        }
    }
    work.lists
}

struct Work<'w, 'e> {
    tree: &'w Tree<'e>,
    edges: &'w Edges<'e>,
    lists: Vec<Vec<Parameter>>,
    /// Where in its list a parameter is, by component.
    places: Vec<BTreeMap<String, usize>>,
}

fn places(lists: &[Vec<Parameter>]) -> Vec<BTreeMap<String, usize>> {
    let place = |(at, parameter): (usize, &Parameter)| (parameter.name.value.clone(), at);
    lists.iter().map(|list| list.iter().enumerate().map(place).collect()).collect()
}

/// The entries of a mapping, by the name they take.
fn by_source(mapping: &[Mapped]) -> BTreeMap<&str, Vec<&Mapped>> {
    let mut entries: BTreeMap<&str, Vec<&Mapped>> = BTreeMap::new();
    for entry in mapping {
        entries.entry(&entry.source.value).or_default().push(entry);
    }
    entries
}

/// What a name may be split into: a child and something in it.
fn splits(name: &str) -> impl Iterator<Item = (&str, &str)> {
    name.match_indices('.').map(|(at, _)| (&name[..at], &name[at + 1..]))
}

/// What happens to a value before it is given to a variable.
#[derive(Clone, Copy)]
struct Change {
    linear: Option<Linear>,
    suppress: bool,
}

impl Work<'_, '_> {
    fn apply_binding(&mut self, session: &mut Session<'_>, part: usize, binding: &Binding) {
        let (mut unmatched, mut passed_by) = (Vec::new(), Vec::new());
        let mapping = binding.mapping.as_deref().map(by_source);
        for value in &binding.values {
            let name = format!("{}{}", binding.prefix, value.name.value);
            let Some(mapping) = &mapping else {
                let change = Change { linear: None, suppress: false };
                if !self.apply(session, part, &name, value, change) {
                    unmatched.push(name);
                }
                continue;
            };
            let entries = mapping.get(name.as_str()).map_or(&[][..], Vec::as_slice);
            if entries.is_empty() && self.is_name(part, &name) {
                passed_by.push(name);
            }
            for entry in entries {
                let change = Change { linear: entry.linear, suppress: entry.suppress };
                if !self.apply(session, part, &entry.target.value, value, change) {
                    unmatched.push(entry.target.value.clone());
                }
            }
        }
        if let Some(mapping) = &binding.mapping {
            report_sources(session, binding, mapping);
            if !passed_by.is_empty() {
                session.report(not_mapped(binding, &listed(&passed_by)));
            }
        }
        if !unmatched.is_empty() {
            session.report(unused(binding, &listed(&unmatched)));
        }
    }

    /// Whether something that takes values is called so, as far as the file says.
    fn is_name(&self, part: usize, name: &str) -> bool {
        let part = &self.tree.parts[part];
        part.connectors.get(name).is_some_and(|it| it.kind.enters() != Some(false))
            || splits(name).any(|(child, rest)| {
                part.children.get(child).is_some_and(|&index| self.is_name(index, rest))
            })
    }

    /// Gives a value to everything of that name; false if there is nothing.
    fn apply(
        &mut self,
        session: &mut Session<'_>,
        part: usize,
        name: &str,
        value: &Value,
        change: Change,
    ) -> bool {
        let (tree, found) = (self.tree, &self.tree.parts[part]);
        if let Some(component) = found.component {
            let unit = tree.unit(part, name);
            if let Some(value) = changed(session, value, change, unit) {
                self.give(component, name, &value);
            }
            return true;
        }
        let mut matched = false;
        if let Some((connector, declared)) = found.connectors.get_key_value(name) {
            matched = true;
            if declared.kind.enters() != Some(false) {
                // A reference whose dictionary was not found is no place for a value.
                let Some(holder) = tree.holder(part) else { return true };
                let port = Port { part: holder, connector, indices: "" };
                if let Some(value) = changed(session, value, change, declared.unit.as_ref()) {
                    self.spread(session, port, &value, &mut BTreeSet::new());
                }
            }
        }
        for (child, rest) in splits(name) {
            if let Some(&index) = found.children.get(child) {
                matched |= self.apply(session, index, rest, value, change);
            }
        }
        matched
    }

    /// Gives a value at the border of a system to everything inside that is connected to it.
    fn spread(
        &mut self,
        session: &mut Session<'_>,
        port: Port<'_>,
        value: &Value,
        seen: &mut BTreeSet<usize>,
    ) {
        let (tree, edges) = (self.tree, self.edges);
        for &index in edges.leaving.get(&port).map_or(&[][..], Vec::as_slice) {
            if !seen.insert(index) {
                continue;
            }
            let edge = &edges.list[index];
            let change = Change { linear: edge.wire.linear, suppress: edge.wire.suppress };
            let unit = tree.unit(edge.to.part, edge.to.connector);
            let Some(value) = changed(session, value, change, unit) else { continue };
            match tree.parts[edge.to.part].component {
                Some(component) => {
                    if edge.to.indices.is_empty() && takes_start(tree, edge.to) {
                        self.give(component, edge.to.connector, &value);
                    }
                }
                None => self.spread(session, edge.to, &value, seen),
            }
        }
    }

    fn give(&mut self, component: usize, name: &str, value: &Value) {
        let unit = value.unit.as_ref().map(|unit| (well_known(&unit.value), unit.span));
        let literal = match &unit {
            Some(((_, conversion), _)) if !conversion.is_identity() => {
                map(&value.literal.value, linear(*conversion))
            }
            _ => value.literal.value.clone(),
        };
        let parameter = Parameter {
            name: Spanned { value: name.to_owned(), span: value.name.span },
            value: Spanned { value: literal, span: value.literal.span },
            unit: unit.map(|((name, _), span)| Spanned { value: name, span }),
        };
        let list = &mut self.lists[component];
        match self.places[component].get(name) {
            Some(&place) => list[place] = parameter,
            None => {
                self.places[component].insert(name.to_owned(), list.len());
                list.push(parameter);
            }
        }
    }
}

/// Whether a component's connector can be given a value before the run.
fn takes_start(tree: &Tree<'_>, port: Port<'_>) -> bool {
    let connector = tree.parts[port.part].connectors.get(port.connector);
    let kind = connector.map_or(Kind::Unspecified, |connector| connector.kind);
    kind.enters() != Some(false)
}

/// A value after its transformation, which is in the unit of the target.
fn changed(
    session: &mut Session<'_>,
    value: &Value,
    change: Change,
    target: Option<&Unit>,
) -> Option<Value> {
    let mut value = value.clone();
    if change.suppress {
        value.unit = None;
    }
    let Some(transformation) = change.linear.filter(|it| !is_identity(Some(*it))) else {
        return Some(value);
    };
    if !is_number(&value.literal.value) {
        let message = format!("the value of `{}` is no number", value.name.value);
        session.report(
            Diagnostic::error("ssp::transformed-value", message)
                .maybe_at(value.literal.span, "cannot be transformed")
                .help("remove the `LinearTransformation` from the mapping"),
        );
        return None;
    }
    let Some(unit) = &value.unit else {
        value.literal.value = map(&value.literal.value, transformation);
        return Some(value);
    };
    let conversion = target.and_then(|target| unit.value.conversion_to(target));
    let scales = transformation.offset == 0.0 && unit.value.base.is_none_or(|it| it.offset == 0.0);
    match (conversion, target) {
        (Some(conversion), Some(target)) => {
            let both = then(linear(conversion), transformation);
            value.literal.value = map(&value.literal.value, both);
            value.unit = Some(Spanned { value: target.clone(), span: unit.span });
        }
        _ if scales => value.literal.value = map(&value.literal.value, transformation),
        _ => {
            let message =
                format!("the value of `{}` is transformed in an unknown unit", value.name.value);
            session.report(
                Diagnostic::error("ssp::unknown-unit", message)
                    .maybe_at(unit.span, format!("given in `{}`", unit.value))
                    .help("declare the unit of the connector, or write `suppressUnitConversion`"),
            );
            return None;
        }
    }
    Some(value)
}

fn is_number(literal: &Literal) -> bool {
    literal.scalars().iter().all(|it| matches!(it, Literal::Float(_) | Literal::Integer(_)))
}

fn map(literal: &Literal, transformation: Linear) -> Literal {
    match literal {
        Literal::Array(items) => {
            Literal::Array(items.iter().map(|item| map(item, transformation)).collect())
        }
        Literal::Float(value) => {
            Literal::Float(transformation.factor * value + transformation.offset)
        }
        Literal::Integer(value) => {
            Literal::Float(transformation.factor * *value as f64 + transformation.offset)
        }
        other => other.clone(),
    }
}

/// Entries of a mapping whose source no parameter set has.
fn report_sources(session: &mut Session<'_>, binding: &Binding, mapping: &[Mapped]) {
    let names =
        binding.values.iter().map(|value| format!("{}{}", binding.prefix, value.name.value));
    let names: BTreeSet<String> = names.collect();
    for entry in mapping.iter().filter(|entry| !names.contains(&entry.source.value)) {
        let message = format!("the parameter set has no `{}`", shorten(&entry.source.value));
        session.report(
            Diagnostic::warning("ssp::unmapped", message)
                .maybe_at(entry.source.span, "mapped from here")
                .help("the entry does nothing; remove it, or correct the name"),
        );
    }
}

/// Values that fit by their own name, which counts for nothing where there is a mapping. Other
/// tools read that otherwise.
fn not_mapped(binding: &Binding, names: &str) -> Diagnostic {
    Diagnostic::warning("ssp::not-mapped", format!("the mapping does not name {names}"))
        .at(binding.span, "its values go only where the mapping says")
        .help("add an entry with `source` and `target` of that name, or remove the value")
}

/// The standard lets values go unused, so this is only worth a note.
fn unused(binding: &Binding, names: &str) -> Diagnostic {
    Diagnostic::note("ssp::unused-value", format!("nothing in the system is called {names}"))
        .at(binding.span, "given by this binding")
        .help("names are `element.parameter`, seen from the system that has the binding")
}

/// The first names, and how many there are more.
fn listed(names: &[String]) -> String {
    const SHOWN_MAX: usize = 5;
    let shown: Vec<String> = names.iter().take(SHOWN_MAX).map(|it| format!("`{it}`")).collect();
    match names.len().saturating_sub(SHOWN_MAX) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
