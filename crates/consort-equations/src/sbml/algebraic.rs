//! Algebraic rules, `0 = f`: those that are linear in one quantity become assignment rules, the others are
//! solved together at every instant.

use super::change::Algebraic;
use super::reaction::{Reaction, product, sum};
use super::table::{Rule, SbmlQuantity, Table};
use super::xml::Reader;
use crate::builtin::Builtin;
use crate::tree::{Expression, ExpressionKind};
use std::collections::BTreeSet;

/// Solves rules for quantities that nothing else determines; what is left is zero at every instant
/// and returned.
pub(super) fn solve<'a>(
    reader: &mut Reader<'_>,
    table: &mut Table<'a>,
    reactions: &[Reaction<'a>],
    mut rules: Vec<Algebraic>,
) -> Vec<Expression> {
    loop {
        let before = rules.len();
        rules.retain(|rule| !determine(table, reactions, &rule.expression));
        if rules.len() == before {
            break;
        }
    }
    let mut solved = Vec::new();
    while !rules.is_empty() {
        let (group, mut unknowns) = connected(table, reactions, &mut rules);
        if group.len() < unknowns.len() {
            give_boundaries(reader, table, &group[0], &mut unknowns);
        }
        if group.len() == unknowns.len() {
            for unknown in unknowns {
                table.quantities[unknown].rule = Some(Rule::Solved);
            }
            solved.extend(group);
        } else {
            group.iter().for_each(|rule| refuse(reader, table, rule, &unknowns, group.len()));
        }
    }
    solved.into_iter().map(|rule| rule.expression).collect()
}

/// Where rules leave a choice, takes species of a boundary as given.
fn give_boundaries(
    reader: &mut Reader<'_>,
    table: &Table<'_>,
    rule: &Algebraic,
    open: &mut BTreeSet<usize>,
) {
    let is_boundary = |index: &usize| {
        table.quantities[*index].species().is_some_and(|species| species.is_boundary)
    };
    let given: Vec<usize> = open.iter().copied().filter(is_boundary).collect();
    open.retain(|index| !is_boundary(index));
    for index in given {
        let message = format!(
            "an algebraic rule leaves open whether it determines `{}`",
            table.quantities[index].id
        );
        let help = "declare the species with `constant=\"true\"`, or give it a rule";
        reader.warn("sbml::assumed", message, (rule.span, "boundary species taken as given"), help);
    }
}

/// Takes the first rule and all that share quantities with it.
fn connected(
    table: &Table<'_>,
    reactions: &[Reaction<'_>],
    rules: &mut Vec<Algebraic>,
) -> (Vec<Algebraic>, BTreeSet<usize>) {
    let mut group = vec![rules.remove(0)];
    let mut all: BTreeSet<usize> =
        group.iter().flat_map(|rule| unknowns(table, reactions, &rule.expression)).collect();
    while let Some(next) = rules
        .iter()
        .position(|rule| !unknowns(table, reactions, &rule.expression).is_disjoint(&all))
    {
        let rule = rules.remove(next);
        all.extend(unknowns(table, reactions, &rule.expression));
        group.push(rule);
    }
    (group, all)
}

fn refuse(
    reader: &mut Reader<'_>,
    table: &Table<'_>,
    rule: &Algebraic,
    open: &BTreeSet<usize>,
    rules: usize,
) {
    let names: Vec<String> =
        open.iter().map(|index| format!("`{}`", table.quantities[*index].id)).collect();
    let why = if names.is_empty() {
        "it determines nothing: everything in it is constant or determined already".to_owned()
    } else if rules < names.len() {
        format!("it leaves open which of {} it determines", names.join(", "))
    } else {
        format!("{rules} rules determine {} together", names.join(", "))
    };
    let message = format!("an algebraic rule cannot be solved: {why}");
    let help = "there must be as many algebraic rules as quantities that nothing else determines";
    reader.error("sbml::algebraic", message, (rule.span, "cannot be solved"), help);
}

/// Makes it an assignment rule if it determines one quantity in a simple way.
fn determine(table: &mut Table<'_>, reactions: &[Reaction<'_>], expression: &Expression) -> bool {
    let open = unknowns(table, reactions, expression);
    let (Some(index), 1) = (open.first().copied(), open.len()) else { return false };
    let name = table.quantities[index].id;
    let Some(Linear { slope: Some(slope), rest }) = linear(expression, name) else { return false };
    let is_hidden = |part: &Expression| unknowns(table, reactions, part).contains(&index);
    if is_hidden(&slope) || rest.as_ref().is_some_and(is_hidden) {
        return false;
    }
    let rest = rest.unwrap_or_else(|| 0.0.into());
    let ratio = Expression::builtin(Builtin::Divide, vec![rest, slope]);
    let mut value = Expression::builtin(Builtin::Negate, vec![ratio]);
    value.span = expression.span;
    table.quantities[index].rule = Some(Rule::Assignment(value));
    // It holds from the start, so a formula for the first value has nothing to say.
    table.quantities[index].initial = None;
    true
}

/// What in a formula, and in what that is computed from, may change and is determined by nothing else.
fn unknowns(
    table: &Table<'_>,
    reactions: &[Reaction<'_>],
    expression: &Expression,
) -> BTreeSet<usize> {
    let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut names = Vec::new();
    mentioned(expression, &mut names);
    while let Some(name) = names.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        let Some(index) = table.index(&name) else {
            let reaction = reactions.iter().find(|reaction| reaction.id == name);
            let law = reaction.and_then(|reaction| reaction.rate.as_ref());
            law.iter().for_each(|law| mentioned(law, &mut names));
            continue;
        };
        let quantity: &SbmlQuantity<'_> = &table.quantities[index];
        match &quantity.rule {
            Some(Rule::Assignment(value)) => mentioned(value, &mut names),
            _ if !quantity.constant && !quantity.varies() => {
                found.insert(index);
            }
            _ => {}
        }
    }
    found
}

fn mentioned(expression: &Expression, names: &mut Vec<String>) {
    expression.visit(&mut |kind| {
        if let ExpressionKind::Variable(name) = kind {
            names.push(name.clone());
        }
    });
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
            linear_sum(&[a.clone(), negated], x)
        }
        (Builtin::Add, terms) => linear_sum(terms, x),
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

fn linear_sum(terms: &[Expression], x: &str) -> Option<Linear> {
    let terms: Vec<Linear> = terms.iter().map(|term| linear(term, x)).collect::<Option<_>>()?;
    let (slopes, rests): (Vec<_>, Vec<_>) =
        terms.into_iter().map(|term| (term.slope, term.rest)).unzip();
    let add = |parts: Vec<Option<Expression>>| sum(parts.into_iter().flatten().collect());
    Some(Linear { slope: add(slopes), rest: add(rests) })
}

fn mentions(expression: &Expression, x: &str) -> bool {
    let mut found = false;
    expression.visit(&mut |kind| match kind {
        ExpressionKind::Variable(name) | ExpressionKind::Derivative(name) => found |= name == x,
        _ => {}
    });
    found
}
