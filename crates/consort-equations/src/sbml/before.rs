//! What `delay` finds before the start: formulas as they were at that earlier time.
//!
//! A quantity with a formula, be it an assignment rule or an initial assignment, had the value of that formula then; any
//! other had its first value, and nothing changed. Where that differs from what there is at the start, a delay becomes a
//! choice: `if time < start + d then FORMULA AT (time - d) else delay(x, d)`. What is a formula of time alone needs no
//! memory at all.

use super::form::{Form, start};
use super::inline::{PARTS_MAX, replace, size};
use super::table::Table;
use super::xml::Reader;
use crate::builtin::Builtin;
use crate::tree::{EquationModel, Expression, ExpressionKind, Function, Kind, VariableDeclaration};
use consort_core::{Diagnostic, Span};
use std::collections::BTreeMap;

/// How deep formulas may lead from one to the next.
const DEPTH_MAX: usize = 64;

/// Puts what was before the start into every delay for which that is not what there is at the start.
pub(super) fn delays(
    reader: &mut Reader<'_>,
    table: &mut Table<'_>,
    forms: &[Form],
    model: &mut EquationModel,
) {
    let is_delay = |kind: &ExpressionKind| matches!(kind, ExpressionKind::Delay(..));
    if !model.formulas_mut().any(|formula| formula.has(is_delay)) {
        return;
    }
    let known = Known::new(table, forms, model);
    let (moving, start) = (BTreeMap::new(), table.free_name("start_time".to_owned()));
    let mut before = Before { known, moving, start, is_used: false, parts: 0, trouble: None };
    model.formulas_mut().for_each(|formula| before.rewrite(formula));
    if let Some(span) = before.trouble {
        let message = "what `delay` finds before the start is too large, or needs itself";
        let help = "give what is delayed a value at the start that does not change with time";
        let diagnostic = Diagnostic::error("sbml::limit", message).maybe_at(span, "looks back");
        reader.report(diagnostic.help(help));
    }
    if before.is_used {
        let start =
            VariableDeclaration::new(Kind::Discrete, before.start, Some(Expression::time()));
        model.declarations.push(start);
    }
}

/// What names mean before the start.
struct Known {
    /// Formulas of what has one.
    formulas: BTreeMap<String, (Kind, Expression)>,
    functions: BTreeMap<String, Function>,
    /// Species that fast reactions have not moved yet, and what there was of them.
    unmoved: BTreeMap<String, Expression>,
}

impl Known {
    fn new(table: &Table<'_>, forms: &[Form], model: &EquationModel) -> Self {
        let declared = model.declarations.iter();
        let formulas =
            declared.filter_map(|it| Some((it.name.text.clone(), (it.kind, it.value.clone()?))));
        let functions = model.functions.iter().map(|it| (it.name.text.clone(), it.clone()));
        let moved = forms.iter().enumerate().filter(|(_, form)| !form.moved.is_empty());
        let unmoved = moved.map(|(index, form)| {
            let (first, _) = start(table, index, form);
            let value = match &form.divisor {
                Some(size) => {
                    Expression::builtin(Builtin::Divide, vec![first, Expression::variable(size)])
                }
                None => first,
            };
            (table.quantities[index].id.to_owned(), value)
        });
        let unmoved = unmoved.collect();
        Known { formulas: formulas.collect(), functions: functions.collect(), unmoved }
    }
}

struct Before {
    known: Known,
    /// Names, and whether they were something else before the start than at it.
    moving: BTreeMap<String, bool>,
    /// The discrete that keeps the time of the start, and whether anything uses it.
    start: String,
    is_used: bool,
    /// How many parts all formulas have that were made.
    parts: usize,
    /// Where it was too much.
    trouble: Option<Option<Span>>,
}

impl Before {
    /// Replaces delays in a formula.
    fn rewrite(&mut self, formula: &mut Expression) {
        let choice = match &formula.kind {
            ExpressionKind::Delay(value, duration) if self.is_of_time(value, DEPTH_MAX) => {
                formula.kind = self.at(value, duration, DEPTH_MAX).kind;
                return;
            }
            ExpressionKind::Delay(value, duration) if self.moves(value) => {
                let (ago, start) = (duration.as_ref().clone(), Expression::variable(&self.start));
                let value = self.at(value, &ago, DEPTH_MAX);
                let until = Expression::builtin(Builtin::Add, vec![start, ago]);
                let is_before = Expression::builtin(Builtin::Less, vec![Expression::time(), until]);
                self.is_used = true;
                Some((is_before, value))
            }
            _ => None,
        };
        formula.parts_mut().into_iter().for_each(|part| self.rewrite(part));
        if let Some(choice) = choice {
            let span = formula.span;
            let looked_up = std::mem::replace(formula, 0.0.into());
            *formula = Expression { span, ..Expression::piecewise(vec![choice], looked_up) };
        }
    }

    /// Whether a formula is one of time and parameters, without jumps: what it was is known to the last digit.
    fn is_of_time(&self, formula: &Expression, depth: usize) -> bool {
        let is_inside = || formula.parts().into_iter().all(|part| self.is_of_time(part, depth - 1));
        match &formula.kind {
            ExpressionKind::Time | ExpressionKind::Number(_) => true,
            ExpressionKind::Variable(name) => match self.known.formulas.get(name) {
                Some((Kind::Parameter, _)) => true,
                Some((Kind::Output, formula)) if 0 < depth => self.is_of_time(formula, depth - 1),
                _ => false,
            },
            ExpressionKind::Builtin(builtin, _) => {
                let is_condition = (Builtin::Equal..=Builtin::Implies).contains(builtin);
                !is_condition && 0 < depth && is_inside()
            }
            _ => false,
        }
    }

    /// Whether a formula had other values before the start than at it.
    fn moves(&mut self, formula: &Expression) -> bool {
        match &formula.kind {
            ExpressionKind::Time | ExpressionKind::Derivative(_) => true,
            ExpressionKind::Variable(name) => self.name_moves(name),
            ExpressionKind::Delay(value, _) => self.moves(value),
            ExpressionKind::Call(name, _) if self.reads_time(&name.text, DEPTH_MAX) => true,
            _ => formula.parts().into_iter().any(|part| self.moves(part)),
        }
    }

    fn name_moves(&mut self, name: &str) -> bool {
        if let Some(moves) = self.moving.get(name) {
            return *moves;
        }
        // A circle is refused later.
        self.moving.insert(name.to_owned(), false);
        let moves = self.known.unmoved.contains_key(name)
            || match self.known.formulas.get(name).cloned() {
                Some((Kind::Parameter | Kind::Input, _)) | None => false,
                Some((_, formula)) => self.moves(&formula),
            };
        self.moving.insert(name.to_owned(), moves);
        moves
    }

    /// Whether a function uses the time.
    fn reads_time(&self, name: &str, depth: usize) -> bool {
        let Some(function) = self.known.functions.get(name).filter(|_| 0 < depth) else {
            return false;
        };
        let (mut found, mut calls) = (false, Vec::new());
        function.body.visit(&mut |kind| match kind {
            ExpressionKind::Time => found = true,
            ExpressionKind::Call(name, _) => calls.push(name.text.clone()),
            _ => {}
        });
        found || calls.iter().any(|name| self.reads_time(name, depth - 1))
    }

    /// A formula as it was so long ago, before the start.
    fn at(&mut self, formula: &Expression, ago: &Expression, depth: usize) -> Expression {
        self.parts += size(ago);
        if depth == 0 || PARTS_MAX < self.parts {
            self.trouble = self.trouble.or(Some(formula.span));
            return 0.0.into();
        }
        match &formula.kind {
            ExpressionKind::Time => {
                Expression::builtin(Builtin::Subtract, vec![Expression::time(), ago.clone()])
            }
            ExpressionKind::Derivative(_) => 0.0.into(),
            ExpressionKind::Variable(name) => self.name_at(name, ago, depth),
            ExpressionKind::Delay(value, duration) => {
                let further = self.at(duration, ago, depth - 1);
                let ago = Expression::builtin(Builtin::Add, vec![ago.clone(), further]);
                self.at(value, &ago, depth - 1)
            }
            ExpressionKind::Call(name, arguments) => match self.known.functions.get(&name.text) {
                Some(function) if function.parameters.len() == arguments.len() => {
                    let names = function.parameters.iter().map(|parameter| parameter.text.as_str());
                    let given = names.zip(arguments).collect();
                    let mut body = function.body.clone();
                    replace(&mut body, &given);
                    self.at(&body, ago, depth - 1)
                }
                _ => formula.clone(),
            },
            _ => {
                let mut formula = formula.clone();
                let parts = formula.parts_mut().into_iter();
                parts.for_each(|part| *part = self.at(part, ago, depth - 1));
                formula
            }
        }
    }

    fn name_at(&mut self, name: &str, ago: &Expression, depth: usize) -> Expression {
        if let Some(formula) = self.known.unmoved.get(name).cloned() {
            return self.at(&formula, ago, depth - 1);
        }
        match self.known.formulas.get(name).cloned() {
            // Its first value, which is what is found before the start.
            Some((Kind::State | Kind::Discrete, _)) if !self.name_moves(name) => {
                Expression::delay(Expression::variable(name), ago.clone())
            }
            Some((Kind::Parameter | Kind::Input, _)) | None => Expression::variable(name),
            Some((_, formula)) => self.at(&formula, ago, depth - 1),
        }
    }
}
