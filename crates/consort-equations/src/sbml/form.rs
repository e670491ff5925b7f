//! How quantities stand in the tree: as parameters, discretes, states or outputs, and with which
//! first values.

use super::reaction::{product, sum};
use super::table::{Rule, SbmlQuantity, Sort, Species, Table};
use crate::builtin::Builtin;
use crate::tree::{Expression, ExpressionKind, Function, Kind};
use std::collections::BTreeMap;

/// How a quantity stands in the tree.
#[derive(Clone, Debug)]
pub(super) struct Form {
    /// What is declared, with its start value: the amount's name if it has one of its own.
    pub(super) name: String,
    pub(super) kind: Kind,
    /// The compartment by which the amount is divided.
    pub(super) divisor: Option<String>,
    /// The state near the solution, for one that equations determine.
    pub(super) near: Option<String>,
    /// What fast reactions have added to the amount that is kept.
    pub(super) moved: Vec<Expression>,
}

impl Form {
    /// The amount with all that fast reactions have added.
    pub(super) fn amount(&self) -> Expression {
        let kept = Expression::variable(&self.name);
        let parts = std::iter::once(kept).chain(self.moved.iter().cloned());
        sum(parts.collect()).expect("what is kept is there")
    }
}

/// How each quantity stands in the tree; `moved` is what fast reactions have added to amounts.
pub(super) fn forms(
    table: &mut Table<'_>,
    functions: &[Function],
    moved: &BTreeMap<usize, Vec<Expression>>,
) -> Vec<Form> {
    let mut forms = Vec::with_capacity(table.quantities.len());
    for index in 0..table.quantities.len() {
        let quantity = &table.quantities[index];
        let (kind, id) = (kind(quantity), quantity.id);
        let divisor = divisor(table, quantity);
        let near = matches!(quantity.rule, Some(Rule::Solved));
        let near = near.then(|| table.free_name(format!("{id}_near")));
        let moved = moved.get(&index).cloned().unwrap_or_default();
        let name = match divisor {
            _ if !moved.is_empty() => table.free_name(format!("{id}_pool")),
            Some(_) => table.free_name(format!("{id}_amount")),
            None => id.to_owned(),
        };
        forms.push(Form { name, kind, divisor, near, moved });
    }
    settle_parameters(table, functions, &mut forms);
    forms
}

fn kind(quantity: &SbmlQuantity<'_>) -> Kind {
    let reacts = quantity.species().is_some_and(|species| species.reacts);
    match quantity.rule {
        Some(Rule::Assignment(_) | Rule::Solved) => Kind::Output,
        Some(Rule::Rate(_)) => Kind::State,
        None if reacts => Kind::State,
        None if quantity.in_events => Kind::Discrete,
        None => Kind::Parameter,
    }
}

/// The compartment by which the amount of a species is divided, if the amount is what is kept.
fn divisor(table: &Table<'_>, quantity: &SbmlQuantity<'_>) -> Option<String> {
    let species = quantity.species().filter(|species| !species.is_amount)?;
    let compartment = table.quantity(species.compartment)?;
    let is_kept = match quantity.rule {
        Some(Rule::Assignment(_) | Rule::Solved) => false,
        // The rule speaks of the concentration; only an event on the compartment breaks that.
        Some(Rule::Rate(_)) => compartment.in_events,
        None => species.reacts || compartment.varies(),
    };
    is_kept.then(|| species.compartment.to_owned())
}

/// A parameter whose formula needs something that changes keeps its first value as a discrete.
fn settle_parameters(table: &Table<'_>, functions: &[Function], forms: &mut [Form]) {
    let moving: Vec<&str> = functions
        .iter()
        .filter(|function| is_moving(&function.body))
        .map(|function| function.name.text.as_str())
        .collect();
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); forms.len()];
    let mut changing: Vec<usize> = Vec::new();
    for (index, form) in forms.iter_mut().enumerate() {
        // The identifier of an amount means a concentration, which is computed.
        if form.kind != Kind::Parameter || form.divisor.is_some() {
            changing.push(index);
        }
        if form.kind != Kind::Parameter {
            continue;
        }
        let (formula, _) = start(table, index, form);
        if let Some(needs) = needs(table, &formula, &moving) {
            needs.into_iter().for_each(|need| users[need].push(index));
        } else {
            form.kind = Kind::Discrete;
            changing.push(index);
        }
    }
    while let Some(index) = changing.pop() {
        for user in std::mem::take(&mut users[index]) {
            if forms[user].kind == Kind::Parameter {
                forms[user].kind = Kind::Discrete;
                changing.push(user);
            }
        }
    }
}

/// Whether a function gives other values at other times, as far as can be seen here.
fn is_moving(body: &Expression) -> bool {
    let mut found = false;
    body.visit(&mut |kind| {
        let moves = matches!(
            kind,
            ExpressionKind::Time | ExpressionKind::Delay(..) | ExpressionKind::Call(..)
        );
        found |= moves;
    });
    found
}

/// The quantities a formula needs; `None` if it changes with time by itself.
fn needs(table: &Table<'_>, formula: &Expression, moving: &[&str]) -> Option<Vec<usize>> {
    let (mut needs, mut moves) = (Vec::new(), false);
    formula.visit(&mut |kind| match kind {
        ExpressionKind::Variable(name) => match table.index(name) {
            Some(need) => needs.push(need),
            None => moves = true,
        },
        ExpressionKind::Time | ExpressionKind::Derivative(_) | ExpressionKind::Delay(..) => {
            moves = true;
        }
        ExpressionKind::Call(name, _) => moves |= moving.contains(&name.text.as_str()),
        _ => {}
    });
    (!moves).then_some(needs)
}

/// The value a quantity starts with, and whether it had to be assumed.
pub(super) fn start(table: &Table<'_>, index: usize, form: &Form) -> (Expression, bool) {
    let quantity = &table.quantities[index];
    let size = |species: &Species<'_>| Expression::variable(species.compartment);
    if let Some(initial) = &quantity.initial {
        return match (&form.divisor, quantity.species()) {
            (Some(_), Some(species)) => (product(initial.clone(), size(species)), false),
            _ => (initial.clone(), false),
        };
    }
    let Some(species) = quantity.species() else {
        // Where a solution is looked for, one is as good as any number.
        let is_zero = matches!(quantity.sort, Sort::Parameter) && form.near.is_none();
        let default = if is_zero { 0.0 } else { 1.0 };
        return (quantity.value.unwrap_or(default).into(), quantity.value.is_none());
    };
    let wants_amount = species.is_amount || form.divisor.is_some();
    let value = match (species.amount, species.concentration, wants_amount) {
        (Some(amount), _, true) => amount.into(),
        (Some(amount), _, false) => {
            Expression::builtin(Builtin::Divide, vec![amount.into(), size(species)])
        }
        (None, Some(concentration), true) => product(concentration.into(), size(species)),
        (None, Some(concentration), false) => concentration.into(),
        (None, None, _) => return (0.0.into(), true),
    };
    (value, false)
}
