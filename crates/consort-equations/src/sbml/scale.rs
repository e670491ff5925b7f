//! How large quantities typically are: cells hold amounts far below one, and a solver must know.

use super::form::{Form, start};
use super::reaction::product;
use super::table::{SbmlQuantity, Species, Table};
use crate::builtin::Builtin;
use crate::tree::{EventAssignment, Expression, ExpressionKind, Kind};
use std::collections::BTreeMap;

/// The typical magnitude of every state: its first value, or what is usual for such a quantity
/// where that is zero.
pub(super) fn scales(table: &Table<'_>, forms: &[Form]) -> Vec<EventAssignment> {
    let (usual, mut scales) = (Usual::new(table), Vec::new());
    for (index, form) in forms.iter().enumerate() {
        let state = match &form.near {
            Some(near) => near,
            None if form.kind == Kind::State => &form.name,
            None => continue,
        };
        let is_amount = form.divisor.is_some() || !form.moved.is_empty();
        let usual = usual.of(&table.quantities[index], is_amount);
        let (first, _) = start(table, index, form);
        scales.push(EventAssignment::new(state.as_str(), or_usual(first, usual)));
    }
    scales
}

/// The magnitude of a first value, if it has one.
fn or_usual(first: Expression, usual: Expression) -> Expression {
    if let ExpressionKind::Number(number) = first.kind {
        return if 0.0 < number.abs() { number.abs().into() } else { usual };
    }
    let differs = Expression::builtin(Builtin::NotEqual, vec![first.clone(), 0.0.into()]);
    let size = Expression::builtin(Builtin::Abs, vec![first]);
    Expression::piecewise(vec![(differs, size)], usual)
}

/// The greatest first values of the species of each compartment.
pub(super) struct Usual<'a> {
    /// The greatest concentration and amount, by compartment.
    greatest: BTreeMap<&'a str, [f64; 2]>,
}

impl<'a> Usual<'a> {
    pub(super) fn new(table: &Table<'a>) -> Self {
        let mut greatest: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
        for species in table.quantities.iter().filter_map(SbmlQuantity::species) {
            let place = table.quantity(species.compartment);
            let found = greatest.entry(species.compartment).or_default();
            let both = first_values(species, place.and_then(|place| place.value));
            for (found, value) in found.iter_mut().zip(both) {
                let value = value.map(f64::abs).filter(|value| value.is_finite());
                *found = found.max(value.unwrap_or(0.0));
            }
        }
        Usual { greatest }
    }

    /// What is usual for a quantity: one where nothing is known.
    pub(super) fn of(&self, quantity: &SbmlQuantity<'_>, is_amount: bool) -> Expression {
        let Some(species) = quantity.species() else { return 1.0.into() };
        let found = self.greatest.get(species.compartment).copied().unwrap_or_default();
        let [concentration, amount] =
            found.map(|greatest| if 0.0 < greatest { greatest } else { 1.0 });
        if species.is_amount {
            amount.into()
        } else if is_amount {
            product(Expression::variable(species.compartment), concentration.into())
        } else {
            concentration.into()
        }
    }
}

/// Concentration and amount that a species starts with, as far as numbers say so.
fn first_values(species: &Species<'_>, size: Option<f64>) -> [Option<f64>; 2] {
    let spread = species.amount.zip(size).map(|(amount, size)| amount / size);
    let all = species.concentration.zip(size).map(|(value, size)| value * size);
    [species.concentration.or(spread), species.amount.or(all)]
}
