//! `UnitDefinitions`: each unit once, with what it is made of.

use crate::xml::{Attributes, XmlWriter, float};
use consort_core::Unit;
use consort_core::unit::BASE_UNITS;
use consort_equations::Equations;
use std::collections::BTreeMap;

pub(super) fn write(xml: &mut XmlWriter, equations: &Equations) {
    let units = units(equations);
    if units.is_empty() {
        return; // the standard has no empty list
    }
    xml.element("UnitDefinitions", &[], |xml| {
        for unit in units.values() {
            let name = vec![("name", unit.name.clone())];
            xml.element("Unit", &name, |xml| {
                if let Some(base) = base_unit(unit) {
                    xml.leaf("BaseUnit", &base);
                }
            });
        }
    });
}

/// By name, so that the order of variables does not matter.
fn units(equations: &Equations) -> BTreeMap<&str, &Unit> {
    let quantities = equations.parts().filter_map(|part| equations.quantity(part));
    let units = quantities.filter_map(|quantity| quantity.unit.as_ref());
    units.map(|unit| (unit.name.as_str(), unit)).collect()
}

/// What differs from the standard's defaults; `None` for a mere name.
fn base_unit(unit: &Unit) -> Option<Attributes<'static>> {
    let base = unit.base?;
    let exponents = BASE_UNITS.into_iter().zip(base.exponents).filter(|(_, it)| *it != 0);
    let mut attributes: Attributes<'_> =
        exponents.map(|(name, it)| (name, it.to_string())).collect();
    let is_plain = |value: f64, default: f64| value.to_bits() == default.to_bits();
    if !is_plain(base.factor, 1.0) {
        attributes.push(("factor", float(base.factor)));
    }
    if !is_plain(base.offset, 0.0) {
        attributes.push(("offset", float(base.offset)));
    }
    Some(attributes)
}
