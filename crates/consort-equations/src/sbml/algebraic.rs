//! Algebraic rules, `0 = f`: those that can be solved for one quantity become assignment rules.

use super::change::Algebraic;
use super::form::visit;
use super::reaction::product;
use super::table::{Quantity, Rule, Table};
use super::xml::Reader;
use crate::builtin::Builtin;
use crate::tree::{Expression, ExpressionKind};

/// Solves rules for the one quantity that nothing else determines, as long as that leads on.
pub(super) fn solve(reader: &mut Reader<'_>, table: &mut Table<'_>, mut rules: Vec<Algebraic>) {
    loop {
        let before = rules.len();
        rules.retain(|rule| !determine(table, &rule.expression));
        if rules.len() == before {
            break;
        }
    }
    for rule in rules {
        let open = unknowns(table, &rule.expression);
        let names: Vec<String> =
            open.iter().map(|index| format!("`{}`", table.quantities[*index].id)).collect();
        let why = match names.len() {
            0 => "it determines nothing: everything in it is constant or determined already".into(),
            1 => format!("it is not linear in {}", names[0]),
            _ => format!("it leaves open which of {} it determines", names.join(", ")),
        };
        let message = format!("an algebraic rule cannot be solved: {why}");
        let help = "solve it by hand and write an assignment rule";
        reader.error("sbml::algebraic", message, (rule.span, "not supported"), help);
    }
}

/// Makes it an assignment rule if it determines one quantity in a simple way.
fn determine(table: &mut Table<'_>, expression: &Expression) -> bool {
    let [index] = unknowns(table, expression)[..] else { return false };
    let name = table.quantities[index].id;
    let Some(Linear { slope: Some(slope), rest }) = linear(expression, name) else { return false };
    let rest = rest.unwrap_or_else(|| 0.0.into());
    let ratio = Expression::builtin(Builtin::Divide, vec![rest, slope]);
    let mut value = Expression::builtin(Builtin::Negate, vec![ratio]);
    value.span = expression.span;
    table.quantities[index].rule = Some(Rule::Assignment(value));
    // It holds from the start, so a formula for the first value has nothing to say.
    table.quantities[index].initial = None;
    true
}

/// What in a formula may change and is determined by nothing else.
fn unknowns(table: &Table<'_>, expression: &Expression) -> Vec<usize> {
    let mut found = Vec::new();
    visit(expression, &mut |kind| {
        let ExpressionKind::Variable(name) = kind else { return };
        let is_open = |quantity: &Quantity<'_>| !quantity.constant && !quantity.varies();
        let index = table.index(name);
        found.extend(index.filter(|index| is_open(&table.quantities[*index])));
    });
    found.sort_unstable();
    found.dedup();
    found
}

/// `slope * x + rest`; what is missing is zero.
struct Linear {
    slope: Option<Expression>,
    rest: Option<Expression>,
}

/// Takes a formula apart that is linear in `x`; `None` if it is not, or not in a simple way.
fn linear(expression: &Expression, x: &str) -> Option<Linear> {
    if !mentions(expression, x) {
        return Some(Linear { slope: None, rest: Some(expression.clone()) });
    }
    let ExpressionKind::Builtin(builtin, arguments) = &expression.kind else {
        let is_itself = matches!(&expression.kind, ExpressionKind::Variable(name) if name == x);
        return is_itself.then(|| Linear { slope: Some(1.0.into()), rest: None });
    };
    match (builtin, &arguments[..]) {
        (Builtin::Negate, [of]) => {
            linear(of, x).map(|of| of.map(|part| Expression::builtin(Builtin::Negate, vec![part])))
        }
        (Builtin::Subtract, [a, b]) => {
            let negated = Expression::builtin(Builtin::Negate, vec![b.clone()]);
            sum(&[a.clone(), negated], x)
        }
        (Builtin::Add, terms) => sum(terms, x),
        (Builtin::Divide, [above, below]) if !mentions(below, x) => {
            let divide = |part| Expression::builtin(Builtin::Divide, vec![part, below.clone()]);
            linear(above, x).map(|above| above.map(divide))
        }
        (Builtin::Multiply, factors) => {
            let (with, without): (Vec<_>, Vec<_>) =
                factors.iter().cloned().partition(|factor| mentions(factor, x));
            let [with] = &with[..] else { return None };
            let scale = Expression::builtin(Builtin::Multiply, without);
            linear(with, x).map(|with| with.map(|part| product(scale.clone(), part)))
        }
        _ => None,
    }
}

impl Linear {
    fn map(self, change: impl Fn(Expression) -> Expression) -> Self {
        Linear { slope: self.slope.map(&change), rest: self.rest.map(&change) }
    }
}

fn sum(terms: &[Expression], x: &str) -> Option<Linear> {
    let terms: Vec<Linear> = terms.iter().map(|term| linear(term, x)).collect::<Option<_>>()?;
    let (slopes, rests): (Vec<_>, Vec<_>) =
        terms.into_iter().map(|term| (term.slope, term.rest)).unzip();
    let add = |parts: Vec<Option<Expression>>| {
        let mut parts: Vec<Expression> = parts.into_iter().flatten().collect();
        match parts.len() {
            0 => None,
            1 => parts.pop(),
            _ => Some(Expression::builtin(Builtin::Add, parts)),
        }
    };
    Some(Linear { slope: add(slopes), rest: add(rests) })
}

fn mentions(expression: &Expression, x: &str) -> bool {
    let mut found = false;
    visit(expression, &mut |kind| match kind {
        ExpressionKind::Variable(name) | ExpressionKind::Derivative(name) => found |= name == x,
        _ => {}
    });
    found
}
