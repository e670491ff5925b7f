//! Events: what they set becomes states and discretes of the tree.

use super::change::SbmlEvent;
use super::form::Form;
use super::reaction::product;
use super::table::{SbmlQuantity, Table};
use crate::builtin::Builtin;
use crate::tree;
use crate::tree::{
    EquationModel, EventAssignment, Expression, ExpressionKind, Kind, Name, VariableDeclaration,
};

/// Adds an event to the model.
pub(super) fn lower(
    table: &mut Table<'_>,
    forms: &[Form],
    event: &SbmlEvent,
    model: &mut EquationModel,
) {
    let mut lowered = event.event.clone();
    let assign = |(index, span, value): &(usize, consort_core::Span, Expression)| {
        let (name, value) = assigned(&forms[*index], value.clone());
        EventAssignment { name: Name { text: name, span: Some(*span) }, value }
    };
    match timing(table, forms, event) {
        Timing::Trigger => {}
        Timing::Execution => lowered.values_from_trigger = false,
        Timing::Both => return hold(table, forms, event, lowered, model),
    }
    lowered.assignments = event.assignments.iter().map(assign).collect();
    model.events.push(lowered);
}

/// What a quantity's new value sets in the tree, and to what.
fn assigned(form: &Form, value: Expression) -> (String, Expression) {
    // Even if the event sets the compartment, too: every new value is made of old ones.
    let value = match &form.divisor {
        Some(compartment) => product(value, Expression::variable(compartment)),
        None => value,
    };
    // What fast reactions have added stays until they find their new equilibrium.
    let value = form.moved.iter().fold(value, |value, part| {
        Expression::builtin(Builtin::Subtract, vec![value, part.clone()])
    });
    (form.name.clone(), value)
}

/// From which instant the values come that an event sets.
enum Timing {
    /// As the event says.
    Trigger,
    /// From that of its execution.
    Execution,
    /// Those written from its trigger, what makes amounts of them from its execution.
    Both,
}

/// A concentration becomes an amount by the size its compartment has when it is set, so that the
/// amount must not be remembered from the trigger if that size changes. Where the values cannot change,
/// there is nothing to remember.
fn timing(table: &Table<'_>, forms: &[Form], event: &SbmlEvent) -> Timing {
    let waits = event.event.delay.as_ref().is_some_and(|delay| !is_zero(delay));
    let moves = |index: &usize| {
        let species = table.quantities[*index].species();
        let compartment = species.and_then(|species| table.quantity(species.compartment));
        let grows =
            forms[*index].divisor.is_some() && compartment.is_some_and(SbmlQuantity::varies);
        grows || !forms[*index].moved.is_empty()
    };
    let is_moving = event.assignments.iter().any(|(index, ..)| moves(index));
    if !(waits && event.event.values_from_trigger && is_moving) {
        Timing::Trigger
    } else if event.assignments.iter().all(|(.., value)| is_settled(table, forms, value)) {
        Timing::Execution
    } else {
        Timing::Both
    }
}

/// Makes it two events: one that holds the values of its trigger when its time has come, and one that
/// sets them right after it, before any other.
fn hold(
    table: &mut Table<'_>,
    forms: &[Form],
    event: &SbmlEvent,
    mut first: tree::Event,
    model: &mut EquationModel,
) {
    let mut discrete = |wanted: String, model: &mut EquationModel| {
        let name = table.free_name(wanted);
        let value = Some(0.0.into());
        model.declarations.push(VariableDeclaration::new(Kind::Discrete, name.as_str(), value));
        name
    };
    let mut second = tree::Event::new(Expression::boolean(true), Vec::new());
    for (index, span, value) in &event.assignments {
        let held = discrete(format!("{}_held", forms[*index].name), model);
        let (name, value_then) = assigned(&forms[*index], Expression::variable(&held));
        let name = Name { text: name, span: Some(*span) };
        second.assignments.push(EventAssignment { name, value: value_then });
        first.assignments.push(EventAssignment::new(held, value.clone()));
    }
    let due = discrete(format!("{}_due", first.name.text), model);
    first.assignments.push(EventAssignment::new(due.as_str(), 1.0.into()));
    second.assignments.push(EventAssignment::new(due.as_str(), 0.0.into()));
    let half = Expression::number(0.5);
    second.condition = Expression::builtin(Builtin::Less, vec![half, Expression::variable(due)]);
    second.priority = Some(f64::INFINITY.into());
    second.values_from_trigger = false;
    second.name = first.name.clone();
    second.span = first.span;
    model.events.extend([first, second]);
}

fn is_zero(expression: &Expression) -> bool {
    matches!(expression.kind, ExpressionKind::Number(number) if number.abs() <= 0.0)
}

/// Whether an expression is made of numbers and parameters only.
fn is_settled(table: &Table<'_>, forms: &[Form], expression: &Expression) -> bool {
    let mut settled = true;
    expression.visit(&mut |kind| match kind {
        ExpressionKind::Number(_) | ExpressionKind::Builtin(..) | ExpressionKind::If(..) => {}
        ExpressionKind::Variable(name) => {
            let form = table.index(name).map(|index| &forms[index]);
            settled &=
                form.is_some_and(|form| form.kind == Kind::Parameter && form.divisor.is_none());
        }
        _ => settled = false,
    });
    settled
}
