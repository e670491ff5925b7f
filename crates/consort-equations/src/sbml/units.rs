//! Units: numbers are taken as they are written, so units are declared, never converted.

use super::table::{SbmlQuantity, Sort};
use super::xml::{Reader, shorten};
use crate::tree::{Name, VariableDeclaration};
use consort_core::Unit;

/// SBML's names of units that are the same under another name.
const NAMES: &[(&str, &str)] = &[
    ("ampere", "A"),
    ("becquerel", "Bq"),
    ("candela", "cd"),
    ("coulomb", "C"),
    ("farad", "F"),
    ("gram", "g"),
    ("henry", "H"),
    ("hertz", "Hz"),
    ("joule", "J"),
    ("kelvin", "K"),
    ("kilogram", "kg"),
    ("liter", "l"),
    ("litre", "l"),
    ("meter", "m"),
    ("metre", "m"),
    ("mole", "mol"),
    ("newton", "N"),
    ("ohm", "Ohm"),
    ("pascal", "Pa"),
    ("radian", "rad"),
    ("second", "s"),
    ("siemens", "S"),
    ("tesla", "T"),
    ("volt", "V"),
    ("watt", "W"),
    ("weber", "Wb"),
];

/// Copies what the author says about a quantity: its name, and its unit.
///
/// A unit that the model defines, or that is only a part of the whole (the substance of a
/// concentration), becomes a part of the description.
pub(super) fn describe(
    reader: &Reader<'_>,
    quantity: &SbmlQuantity<'_>,
    declaration: &mut VariableDeclaration,
) {
    let node = quantity.node;
    declaration.description = node.attribute("name").unwrap_or_default().trim().to_owned();
    let attribute = match quantity.sort {
        Sort::Species(_) if node.has_attribute("substanceUnits") => "substanceUnits",
        _ => "units",
    };
    let Some(unit) = node.attribute(attribute).map(str::trim) else { return };
    let known = NAMES.iter().find(|(name, _)| *name == unit).map(|(_, known)| *known);
    let known = known.filter(|known| Unit::named(known).base.is_some());
    match (known, &quantity.sort) {
        (Some(known), Sort::Parameter | Sort::Compartment) => {
            let span = Some(reader.place(node, attribute));
            declaration.unit = Name { text: known.to_owned(), span };
        }
        _ => {
            let space = if declaration.description.is_empty() { "" } else { " " };
            declaration.description += &format!("{space}({attribute}: {})", shorten(unit));
        }
    }
}
