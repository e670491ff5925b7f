//! `rateOf`: what the rate of change of a quantity is in the tree.

use super::form::Form;
use super::reaction::product;
use super::table::{Rule, Table};
use super::xml::Reader;
use crate::builtin::Builtin;
use crate::tree::{EquationModel, Expression, ExpressionKind, Kind};
use consort_core::Span;

/// Replaces every rate of change of an identifier by what it is.
pub(super) fn resolve(
    reader: &mut Reader<'_>,
    table: &Table<'_>,
    forms: &[Form],
    model: &mut EquationModel,
) {
    let is_rate = |kind: &ExpressionKind| matches!(kind, ExpressionKind::Derivative(_));
    let mut resolver = Resolver { reader, table, forms };
    for formula in model.formulas_mut().filter(|formula| formula.has(is_rate)) {
        resolver.expression(formula);
    }
}

struct Resolver<'t, 'r, 'a> {
    reader: &'t mut Reader<'r>,
    table: &'t Table<'a>,
    forms: &'t [Form],
}

impl Resolver<'_, '_, '_> {
    fn expression(&mut self, expression: &mut Expression) {
        if let ExpressionKind::Derivative(id) = &expression.kind {
            let rate = self.rate(&id.clone(), expression.span);
            expression.kind = rate.kind;
            return;
        }
        for part in expression.parts_mut() {
            self.expression(part);
        }
    }

    fn rate(&mut self, id: &str, span: Option<Span>) -> Expression {
        let Some(index) = self.table.index(id) else { return 0.0.into() };
        let form = &self.forms[index];
        if form.near.is_some() {
            return self.refuse(id, "an algebraic rule", span);
        }
        if !form.moved.is_empty() {
            return self.refuse(id, "a fast reaction", span);
        }
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
            Some(Rule::Assignment(_) | Rule::Solved) => {
                return self.refuse(id, "a compartment with an assignment or algebraic rule", span);
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
        self.reader.report(diagnostic);
        0.0.into()
    }
}
