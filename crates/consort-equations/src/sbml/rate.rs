//! `rateOf`: what the rate of change of a quantity is in the tree.

use super::form::Form;
use super::reaction::product;
use super::table::{Rule, Table};
use super::xml::Reader;
use crate::builtin::Builtin;
use crate::tree::{Expression, ExpressionKind, Kind, Model};
use consort_core::Span;

/// Replaces every rate of change of an identifier by what it is.
pub(super) fn resolve(
    reader: &mut Reader<'_>,
    table: &Table<'_>,
    forms: &[Form],
    model: &mut Model,
) {
    let mut resolver = Resolver { reader, table, forms };
    for declaration in &mut model.declarations {
        declaration.value.iter_mut().for_each(|value| resolver.expression(value));
    }
    for equation in &mut model.equations {
        resolver.expression(&mut equation.right);
    }
    for event in &mut model.events {
        resolver.expression(&mut event.condition);
        event.delay.iter_mut().for_each(|delay| resolver.expression(delay));
        event.priority.iter_mut().for_each(|priority| resolver.expression(priority));
        for assignment in &mut event.assignments {
            resolver.expression(&mut assignment.value);
        }
    }
}

struct Resolver<'t, 'r, 'a> {
    reader: &'t mut Reader<'r>,
    table: &'t Table<'a>,
    forms: &'t [Form],
}

impl Resolver<'_, '_, '_> {
    fn expression(&mut self, expression: &mut Expression) {
        match &mut expression.kind {
            ExpressionKind::Derivative(id) => {
                let rate = self.rate(&id.clone(), expression.span);
                expression.kind = rate.kind;
            }
            ExpressionKind::Builtin(_, arguments) | ExpressionKind::Call(_, arguments) => {
                arguments.iter_mut().for_each(|argument| self.expression(argument));
            }
            ExpressionKind::If(branches, otherwise) => {
                for (condition, value) in branches {
                    self.expression(condition);
                    self.expression(value);
                }
                self.expression(otherwise);
            }
            ExpressionKind::Delay(value, duration) => {
                self.expression(value);
                self.expression(duration);
            }
            _ => {}
        }
    }

    fn rate(&mut self, id: &str, span: Option<Span>) -> Expression {
        let Some(index) = self.table.index(id) else { return 0.0.into() };
        let form = &self.forms[index];
        let own = match form.kind {
            Kind::State => Expression::derivative(&form.name),
            Kind::Parameter | Kind::Discrete => 0.0.into(),
            _ => return self.refuse(id, "an assignment rule", span),
        };
        let Some(divisor) = form.divisor.clone() else { return own };
        let quantity = &self.table.quantities[index];
        let species = quantity.species();
        let compartment = species.and_then(|species| self.table.quantity(species.compartment));
        let growth = match compartment.and_then(|compartment| compartment.rule.as_ref()) {
            None => None,
            Some(Rule::Rate(_)) => Some(Expression::derivative(&divisor)),
            Some(Rule::Assignment(_)) => {
                return self.refuse(id, "a compartment with an assignment rule", span);
            }
        };
        let over = |above| {
            Expression::builtin(Builtin::Divide, vec![above, Expression::variable(&divisor)])
        };
        match growth {
            None => over(own),
            // The rule of the quotient: what is spread over a growing compartment gets thinner.
            Some(growth) => {
                let thinned = product(Expression::variable(id), growth);
                over(Expression::builtin(Builtin::Subtract, vec![own, thinned]))
            }
        }
    }

    fn refuse(&mut self, id: &str, by: &str, span: Option<Span>) -> Expression {
        let message = format!("`rateOf` of `{id}`, which is determined by {by}, is not supported");
        let diagnostic = consort_core::Diagnostic::error("sbml::rate-of", message)
            .maybe_at(span, "has no rate of its own")
            .help("write the rate of change out as a formula");
        self.reader.tell(diagnostic);
        0.0.into()
    }
}
