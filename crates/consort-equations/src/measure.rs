//! Units in equations: what is added, compared or assigned must measure the same thing, where both sides say so.
//!
//! Numbers are neutral and fit everything; one that is multiplied may stand for a quantity with a unit of its own, so
//! what does not fit because of it is a warning. What declares no unit is unknown, and so is what is computed from it. Numbers
//! are never converted: a sum of meters and kilometers is said too.

mod quantity;

use crate::builtin::Builtin;
use crate::findings::Findings;
use crate::tree::{EquationModel, Expression, ExpressionKind, Left};
use consort_core::{Diagnostic, Span};
use quantity::{Measure, Mismatch};
use std::collections::BTreeMap;
use std::fmt;

/// Deeper expressions are refused elsewhere.
const DEPTH_MAX: usize = 192;

/// Looks at every formula of the model; mistakes are errors, or warnings where units are only said.
pub(crate) fn check(model: &EquationModel, findings: &mut Findings<'_>) {
    let has_units = model.declarations.iter().any(|it| !it.unit.text.is_empty());
    // What was computed from a block has no place where a mistake could be mended.
    let is_written = model.equations.iter().any(|it| it.name.span.is_some());
    if !(has_units && is_written) {
        return;
    }
    let one = |unit: &str| Measure::declared(unit);
    let declared = model.declarations.iter();
    let declared = declared.map(|it| (&*it.name.text, one(&it.unit.text))).collect();
    let mut check = Check { declared, findings, depth: 0, is_lenient: model.units_are_hints };
    check.declarations(model);
    check.equations(model);
    check.events(model);
}

struct Check<'a, 'f, 'r> {
    declared: BTreeMap<&'a str, Measure>,
    findings: &'f mut Findings<'r>,
    depth: usize,
    is_lenient: bool,
}

/// A value and where it stands.
type PlacedMeasure = (Measure, Option<Span>);

impl Check<'_, '_, '_> {
    fn declarations(&mut self, model: &EquationModel) {
        for declaration in &model.declarations {
            if let Some(value) = &declaration.value {
                let wanted = self.named(&declaration.name.text);
                let what = format_args!("`{}` and its value", declaration.name.text);
                self.assign(what, (wanted, declaration.unit.span), value);
            }
        }
    }

    fn equations(&mut self, model: &EquationModel) {
        for equation in &model.equations {
            let (name, span) = (&equation.name.text, equation.name.span);
            let (wanted, right) = (self.named(name), &equation.right);
            match equation.left {
                Left::Value => {
                    self.assign(format_args!("`{name}` and its value"), (wanted, span), right);
                }
                Left::Derivative => {
                    let wanted = wanted.per_second();
                    self.assign(format_args!("`der({name})` and its value"), (wanted, span), right);
                }
            }
        }
    }

    fn events(&mut self, model: &EquationModel) {
        for event in &model.events {
            self.measure(&event.condition);
            if let Some(priority) = &event.priority {
                self.measure(priority);
            }
            if let Some(delay) = &event.delay {
                self.assign(
                    format_args!("seconds and a delay"),
                    (Measure::second(), delay.span),
                    delay,
                );
            }
            for assignment in &event.assignments {
                let wanted = self.named(&assignment.name.text);
                let what = format_args!("`{}` and its value", assignment.name.text);
                self.assign(what, (wanted, assignment.name.span), &assignment.value);
            }
        }
    }

    fn named(&self, name: &str) -> Measure {
        self.declared.get(name).copied().unwrap_or(Measure::Unknown)
    }

    fn assign(&mut self, what: fmt::Arguments<'_>, wanted: PlacedMeasure, value: &Expression) {
        let found = self.measure(value);
        self.unite(what, wanted, (found, value.span));
    }

    /// What an expression measures; mistakes inside of it are reported.
    fn measure(&mut self, expression: &Expression) -> Measure {
        if self.depth == DEPTH_MAX {
            return Measure::Unknown;
        }
        self.depth += 1;
        let measure = match &expression.kind {
            ExpressionKind::Number(_) => Measure::Neutral,
            ExpressionKind::Boolean(_) => Measure::Unknown,
            ExpressionKind::Time => Measure::second(),
            ExpressionKind::Variable(name) | ExpressionKind::Pre(name) => self.named(name),
            ExpressionKind::Derivative(name) => self.named(name).per_second(),
            ExpressionKind::Builtin(builtin, arguments) => self.builtin(*builtin, arguments),
            ExpressionKind::Call(_, arguments) => {
                for argument in arguments {
                    self.measure(argument);
                }
                Measure::Unknown
            }
            ExpressionKind::If(branches, otherwise) => self.choice(branches, otherwise),
            ExpressionKind::Delay(value, duration) => {
                self.assign(
                    format_args!("seconds and a delay"),
                    (Measure::second(), duration.span),
                    duration,
                );
                self.measure(value)
            }
        };
        self.depth -= 1;
        measure
    }

    fn choice(&mut self, branches: &[(Expression, Expression)], otherwise: &Expression) -> Measure {
        let mut all = (self.measure(otherwise), otherwise.span);
        for (condition, value) in branches {
            self.measure(condition);
            let found = (self.measure(value), value.span);
            all.0 = self.unite(format_args!("the values of an `if`"), all, found);
        }
        all.0
    }

    fn builtin(&mut self, builtin: Builtin, arguments: &[Expression]) -> Measure {
        let found: Vec<PlacedMeasure> =
            arguments.iter().map(|it| (self.measure(it), it.span)).collect();
        let first = found.first().map_or(Measure::Neutral, |(measure, _)| *measure);
        match builtin {
            Builtin::Add | Builtin::Subtract | Builtin::Min | Builtin::Max | Builtin::Rem => {
                self.unite_all(format_args!("what `{}` joins", builtin.name()), &found)
            }
            Builtin::Equal
            | Builtin::NotEqual
            | Builtin::Less
            | Builtin::LessEqual
            | Builtin::Greater
            | Builtin::GreaterEqual
            | Builtin::Quotient
            | Builtin::Atan2 => {
                self.unite_all(format_args!("what `{}` compares", builtin.name()), &found);
                Measure::Unknown
            }
            Builtin::Negate | Builtin::Abs | Builtin::Floor | Builtin::Ceil => first,
            Builtin::Multiply => {
                found.iter().fold(Measure::Neutral, |product, (next, _)| product.times(*next))
            }
            Builtin::Divide => first.times(found.get(1).map_or(first, |it| it.0).to_power(-1, 1)),
            Builtin::Sqrt => first.to_power(1, 2),
            Builtin::Power | Builtin::Pow => power(first, arguments.get(1)),
            Builtin::Root => Measure::Unknown,
            Builtin::Sign | Builtin::And | Builtin::Or | Builtin::Xor | Builtin::Not => {
                Measure::Unknown
            }
            Builtin::Implies | Builtin::Factorial | Builtin::Log => Measure::Unknown,
            _ => {
                for it in &found {
                    let what =
                        format_args!("a plain number and the argument of `{}`", builtin.name());
                    self.unite(what, (Measure::one(), it.1), *it);
                }
                Measure::Unknown
            }
        }
    }

    fn unite_all(&mut self, what: fmt::Arguments<'_>, found: &[PlacedMeasure]) -> Measure {
        let Some((first, rest)) = found.split_first() else { return Measure::Neutral };
        rest.iter().fold(*first, |all, next| (self.unite(what, all, *next), next.1)).0
    }

    /// Checks that both operands measure the same, and returns what they measure.
    fn unite(
        &mut self,
        what: fmt::Arguments<'_>,
        (left, at): PlacedMeasure,
        (right, there): PlacedMeasure,
    ) -> Measure {
        let mismatch = match left.unite(right) {
            Ok(both) => return both,
            Err(mismatch) => mismatch,
        };
        let (message, help) = match mismatch {
            Mismatch::Kind => (
                format!("{what} have units that do not fit: `{left}` and `{right}`"),
                "check the formula, or the units that were declared; what declares none is not checked",
            ),
            Mismatch::KindOfNumber => (
                format!("{what} have units that do not fit: `{left}` and `{right}`"),
                "if the number in it has a unit, make it a parameter that declares it; else check the formula",
            ),
            Mismatch::Scale => (
                format!("{what} have units of different size: `{left}` and `{right}`"),
                "numbers are not converted: multiply one by the factor between them",
            ),
        };
        let is_error = mismatch == Mismatch::Kind && !self.is_lenient;
        let diagnostic = match is_error {
            true => Diagnostic::error("equations::units", message),
            false => Diagnostic::warning("equations::units", message),
        };
        let diagnostic = diagnostic
            .maybe_at(there, format!("measures `{right}`"))
            .help(help)
            .maybe_label(at.filter(|span| Some(*span) != there), format!("measures `{left}`"));
        self.findings.push(diagnostic);
        Measure::Unknown
    }
}

/// A power with a number as its exponent.
fn power(base: Measure, exponent: Option<&Expression>) -> Measure {
    let number = match exponent.map(|it| &it.kind) {
        Some(ExpressionKind::Number(number)) => *number,
        Some(ExpressionKind::Builtin(Builtin::Negate, inner)) => match inner.as_slice() {
            [Expression { kind: ExpressionKind::Number(number), .. }] => -number,
            _ => return Measure::Unknown,
        },
        _ => return Measure::Unknown,
    };
    let halves = 2.0 * number;
    if halves.fract() != 0.0 || 100.0 < halves.abs() {
        return Measure::Unknown;
    }
    base.to_power(halves as i32, 2)
}
