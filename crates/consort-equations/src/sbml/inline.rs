//! Functions that look back in time are put in place where they are called: what is remembered belongs to
//! the model, not to a function.

use super::xml::Reader;
use crate::tree::{EquationModel, Expression, ExpressionKind, Function};
use consort_core::Span;
use std::collections::BTreeMap;

/// How large formulas may become: functions that call others, or use an argument twice, make more of them.
pub(super) const PARTS_MAX: usize = 1_000_000;
/// How deep functions may call each other.
const DEPTH_MAX: usize = 16;

/// Puts functions that look back in the place of their calls.
pub(super) fn delays(reader: &mut Reader<'_>, model: &mut EquationModel) {
    let functions: BTreeMap<String, Function> = looking_back(&model.functions);
    if functions.is_empty() {
        return;
    }
    model.functions.retain(|function| !functions.contains_key(&function.name.text));
    let mut inline = Inline { functions: &functions, parts: 0, trouble: None };
    model.formulas_mut().for_each(|formula| inline.expression(formula, 0));
    if let Some(span) = inline.trouble {
        let message = "functions that use `delay` call each other too often, or in a circle";
        let diagnostic = consort_core::Diagnostic::error("sbml::limit", message)
            .maybe_at(span, "called here")
            .help("use `delay` outside, and give the function the delayed value");
        reader.report(diagnostic);
    }
}

/// The functions that use `delay`, themselves or through others.
fn looking_back(functions: &[Function]) -> BTreeMap<String, Function> {
    let mut found: BTreeMap<String, Function> = BTreeMap::new();
    loop {
        let before = found.len();
        for function in functions {
            let mut looks_back = false;
            function.body.visit(&mut |kind| match kind {
                ExpressionKind::Delay(..) => looks_back = true,
                ExpressionKind::Call(name, _) => looks_back |= found.contains_key(&name.text),
                _ => {}
            });
            if looks_back && !found.contains_key(&function.name.text) {
                found.insert(function.name.text.clone(), function.clone());
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

struct Inline<'f> {
    functions: &'f BTreeMap<String, Function>,
    /// How many parts all that was put in place has, at most.
    parts: usize,
    /// Where it was too much.
    trouble: Option<Option<Span>>,
}

impl Inline<'_> {
    fn expression(&mut self, expression: &mut Expression, depth: usize) {
        if let ExpressionKind::Call(name, arguments) = &expression.kind
            && let Some(function) = self.functions.get(&name.text)
            && function.parameters.len() == arguments.len()
        {
            let given: usize = arguments.iter().map(size).sum();
            self.parts = self.parts.saturating_add(size(&function.body).saturating_mul(1 + given));
            if PARTS_MAX < self.parts || DEPTH_MAX < depth {
                self.trouble = self.trouble.or(Some(expression.span));
                return;
            }
            let names = function.parameters.iter().map(|parameter| parameter.text.as_str());
            let given: BTreeMap<&str, &Expression> = names.zip(arguments).collect();
            let mut body = function.body.clone();
            replace(&mut body, &given);
            expression.kind = body.kind;
            return self.expression(expression, depth + 1);
        }
        for part in expression.parts_mut() {
            self.expression(part, depth);
        }
    }
}

/// How many parts a formula has.
pub(super) fn size(expression: &Expression) -> usize {
    let mut count = 0;
    expression.visit(&mut |_| count += 1);
    count
}

/// Puts arguments in the place of a function's parameters.
pub(super) fn replace(expression: &mut Expression, given: &BTreeMap<&str, &Expression>) {
    if let ExpressionKind::Variable(name) = &expression.kind {
        if let Some(argument) = given.get(name.as_str()) {
            *expression = (*argument).clone();
        }
        return;
    }
    for part in expression.parts_mut() {
        replace(part, given);
    }
}
