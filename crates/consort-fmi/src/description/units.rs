//! `UnitDefinitions`: units by name, with what they are made of.

use super::section;
use crate::xml::{Node, Reader, child, shorten};
use consort_core::unit::{BASE_UNITS, BaseUnit};
use consort_core::{Diagnostic, Unit};
use std::collections::BTreeMap;

/// Longer names are no expression of units.
const EXPRESSION_BYTES_MAX: usize = 64;

/// The units of a description.
pub(super) struct Units {
    pub(super) list: Vec<Unit>,
    by_name: BTreeMap<String, usize>,
}

impl Units {
    /// Reads all definitions.
    pub(super) fn read(reader: &mut Reader<'_>, root: Node<'_>) -> Self {
        let mut units = Units { list: Vec::new(), by_name: BTreeMap::new() };
        for node in section(root, "UnitDefinitions") {
            reader.known_attributes(node, &["name"]);
            let Some(name) = reader.required(node, "name", "give the unit its name") else {
                continue;
            };
            let base = child(node, "BaseUnit").and_then(|base| base_unit(reader, base));
            let unit = match base {
                Some(base) => Unit { name: name.to_owned(), base: Some(base) },
                None => by_expression(name),
            };
            if units.by_name.contains_key(name) {
                let message = format!("the unit `{}` is defined twice", shorten(name));
                let warning = Diagnostic::warning("description::duplicate-unit", message);
                reader.defined_twice(node, warning);
                continue;
            }
            units.add(unit);
        }
        units
    }

    fn add(&mut self, unit: Unit) -> usize {
        let index = self.list.len();
        self.by_name.insert(unit.name.clone(), index);
        self.list.push(unit);
        index
    }

    /// The unit a variable or type names; one that is not defined is read from its name.
    pub(super) fn named_by(&mut self, reader: &mut Reader<'_>, node: Node<'_>) -> Option<usize> {
        let name = node.attribute("unit").filter(|name| !name.is_empty())?;
        if let Some(&index) = self.by_name.get(name) {
            return Some(index);
        }
        let unit = by_expression(name);
        let help = match unit.base {
            Some(_) => "it was understood as an expression; define it in `UnitDefinitions`",
            None => "it is only a name and cannot be converted; define it in `UnitDefinitions`",
        };
        let message = format!("the unit `{}` is not defined", shorten(name));
        reader.report(
            Diagnostic::warning("description::unknown-unit", message)
                .at(reader.place(node, "unit"), "not in `UnitDefinitions`")
                .help(help),
        );
        Some(self.add(unit))
    }
}

fn by_expression(name: &str) -> Unit {
    if name.len() <= EXPRESSION_BYTES_MAX {
        return Unit::named(name);
    }
    Unit { name: name.to_owned(), base: None }
}

fn base_unit(reader: &mut Reader<'_>, node: Node<'_>) -> Option<BaseUnit> {
    let mut known = BASE_UNITS.to_vec();
    known.extend(["factor", "offset"]);
    reader.known_attributes(node, &known);
    let mut exponents = [0; 8];
    for (exponent, name) in exponents.iter_mut().zip(BASE_UNITS) {
        *exponent = reader.number(node, name, "a whole number").unwrap_or(0);
    }
    let factor: f64 = reader.number(node, "factor", "a number").unwrap_or(1.0);
    let offset: f64 = reader.number(node, "offset", "a number").unwrap_or(0.0);
    if factor.is_normal() && offset.is_finite() {
        return Some(BaseUnit { exponents, factor, offset });
    }
    reader.report(
        Diagnostic::warning("description::unit-factor", "a unit cannot be converted")
            .at(reader.place(node, "factor"), "must be finite and other than zero")
            .help("the unit is used by its name only"),
    );
    None
}
