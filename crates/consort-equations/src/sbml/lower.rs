//! From the table to the tree: which quantity is a state, and how it changes.
//!
//! The identifier of a species means what it means in formulas: its concentration, or its amount if it
//! has only substance units. Reactions move amounts, and an amount stays what it is when a
//! compartment grows; so a species that reacts, or whose compartment changes, has its amount under
//! a name of its own (`S_amount`), and its concentration is computed from it.

use super::change::SbmlEvent;
use super::collect::is_point;
use super::event;
use super::fast;
use super::form::{Form, forms, start};
use super::reaction::{Reaction, missing_value, product, sum};
use super::scale;
use super::table::{Rule, SbmlQuantity, Sort, Table};
use super::units;
use super::xml::{Node, Reader};
use crate::builtin::Builtin;
use crate::tree::{Equation, EquationModel, Expression, Function, Kind, Name, VariableDeclaration};
use std::collections::BTreeMap;

/// What has been read, ready to be put together.
pub(super) struct Parts<'a> {
    pub(super) functions: Vec<Function>,
    pub(super) reactions: Vec<Reaction<'a>>,
    pub(super) events: Vec<SbmlEvent>,
    /// What algebraic rules determine together, and their formulas.
    pub(super) solved: Vec<Expression>,
}

/// Puts a model together.
pub(super) fn lower<'a>(
    reader: &mut Reader<'_>,
    node: Node<'a>,
    table: &mut Table<'a>,
    parts: Parts<'a>,
) -> EquationModel {
    let fast = fast::extents(reader, table, &parts.reactions);
    let forms = forms(table, &parts.functions, &fast.moved);
    let mut flows = flows(table, &parts.reactions);
    let mut model = EquationModel {
        functions: parts.functions,
        units_are_hints: true,
        conditions_are_numbers: true,
        events_are_unordered: true,
        ..EquationModel::default()
    };
    let id = node.attribute("id").or_else(|| node.attribute("name")).unwrap_or("model");
    model.name = Name { text: id.trim().to_owned(), span: Some(reader.tag(node)) };
    model.description = node.attribute("name").unwrap_or_default().to_owned();
    for index in 0..table.quantities.len() {
        declare(reader, table, index, &forms[index], &mut model);
        if forms[index].kind == Kind::State {
            let flow = flows.remove(&index).unwrap_or_default();
            let right = derivative(table, index, &forms, flow);
            let name = named(reader, &table.quantities[index], &forms[index].name);
            model.equations.push(Equation::derivative(name, right));
        }
    }
    for reaction in parts.reactions {
        model.declarations.extend(reaction.locals);
        let mut rate = VariableDeclaration::new(Kind::Output, reaction.id, reaction.rate);
        rate.name.span = Some(reader.place(reaction.node, "id"));
        rate.description = reaction.node.attribute("name").unwrap_or_default().to_owned();
        // Without a law it changes nothing, which was checked.
        if rate.value.is_some() {
            model.declarations.push(rate);
        }
    }
    model.implicit.residuals.extend(parts.solved);
    fast.declare(table, &mut model);
    model.scales.extend(scale::scales(table, &forms));
    for event in &parts.events {
        event::lower(table, &forms, event, &mut model);
    }
    super::inline::delays(reader, &mut model);
    super::before::delays(reader, table, &forms, &mut model);
    super::rate::resolve(reader, table, &forms, &mut model);
    model
}

fn named(reader: &Reader<'_>, quantity: &SbmlQuantity<'_>, name: &str) -> Name {
    Name { text: name.to_owned(), span: Some(reader.place(quantity.node, "id")) }
}

/// Declares a quantity, and its concentration if its amount is what is kept.
fn declare(
    reader: &mut Reader<'_>,
    table: &Table<'_>,
    index: usize,
    form: &Form,
    model: &mut EquationModel,
) {
    let quantity = &table.quantities[index];
    if let Some(near) = &form.near {
        let (guess, _) = start(table, index, form);
        let name = named(reader, quantity, near);
        model.declarations.push(VariableDeclaration::new(Kind::State, name.clone(), Some(guess)));
        model.implicit.states.push(name);
    }
    let value = match (&quantity.rule, &form.near) {
        (Some(Rule::Assignment(value)), _) => value.clone(),
        (_, Some(near)) => Expression::variable(near),
        _ => {
            let (value, is_assumed) = start(table, index, form);
            if is_assumed {
                assume(reader, quantity);
            }
            value
        }
    };
    let name = named(reader, quantity, &form.name);
    let mut declaration = VariableDeclaration::new(form.kind, name, Some(value));
    units::describe(reader, quantity, &mut declaration);
    // What changes is seen; a species whose amount is kept is seen by its concentration.
    let changes = form.kind == Kind::State || form.kind == Kind::Discrete && quantity.in_events;
    declaration.is_output = changes && form.divisor.is_none() && form.moved.is_empty();
    let value = match &form.divisor {
        None if form.moved.is_empty() => {
            model.declarations.push(declaration);
            return;
        }
        None => form.amount(),
        Some(compartment) => {
            let sides = vec![form.amount(), Expression::variable(compartment)];
            Expression::builtin(Builtin::Divide, sides)
        }
    };
    let name = named(reader, quantity, quantity.id);
    let mut seen = VariableDeclaration::new(Kind::Output, name, Some(value));
    seen.description.clone_from(&declaration.description);
    model.declarations.extend([declaration, seen]);
}

fn assume(reader: &mut Reader<'_>, quantity: &SbmlQuantity<'_>) {
    let (node, id) = (quantity.node, quantity.id);
    let taken_as = match quantity.sort {
        Sort::Parameter => return missing_value(reader, node, id),
        // A point has no size, and nothing is divided by it.
        Sort::Compartment if is_point(node) => return,
        Sort::Species(_) => "taken as zero",
        Sort::Compartment | Sort::Stoichiometry => "taken as one",
    };
    let help = "give it a value, an initial assignment or a rule";
    let message = format!("`{id}` has no initial value");
    reader.warn("sbml::assumed", message, (reader.tag(node), taken_as), help);
}

/// What all reactions together add to the amount of each species in a second.
fn flows(table: &Table<'_>, reactions: &[Reaction<'_>]) -> BTreeMap<usize, Vec<Expression>> {
    let mut flows: BTreeMap<usize, Vec<Expression>> = BTreeMap::new();
    for reaction in reactions.iter().filter(|reaction| reaction.rate.is_some() && !reaction.is_fast)
    {
        for term in &reaction.terms {
            let species = table.quantities[term.species].species();
            if species.is_some_and(|species| species.reacts) {
                flows.entry(term.species).or_default().push(term.flow(reaction.id));
            }
        }
    }
    flows
}

/// The rate of change of a state.
fn derivative(
    table: &Table<'_>,
    index: usize,
    forms: &[Form],
    flow: Vec<Expression>,
) -> Expression {
    let quantity = &table.quantities[index];
    if let Some(Rule::Rate(rate)) = &quantity.rule {
        return match &forms[index].divisor {
            None => rate.clone(),
            Some(compartment) => amount_rate(table, quantity, compartment, rate.clone()),
        };
    }
    quantity.converted(sum(flow).unwrap_or_else(|| 0.0.into()))
}

/// The rate of change of an amount whose concentration has a rate rule: the product rule.
fn amount_rate(
    table: &Table<'_>,
    quantity: &SbmlQuantity<'_>,
    compartment: &str,
    rate: Expression,
) -> Expression {
    let held = product(rate, Expression::variable(compartment));
    let growth = quantity.species().and_then(|species| table.quantity(species.compartment));
    match growth.and_then(|growth| growth.rule.as_ref()) {
        Some(Rule::Rate(growth)) => {
            let moved = product(Expression::variable(quantity.id), growth.clone());
            Expression::builtin(Builtin::Add, vec![held, moved])
        }
        _ => held,
    }
}
