//! Iteration over the parts of a tree.

use super::{EquationModel, Expression, ExpressionKind};

impl Expression {
    /// The expressions it is made of.
    pub fn parts(&self) -> Vec<&Expression> {
        let mut parts = Vec::new();
        self.push_parts(&mut parts);
        parts
    }

    /// Puts the expressions it is made of behind others.
    pub(crate) fn push_parts<'e>(&'e self, to: &mut Vec<&'e Expression>) {
        match &self.kind {
            ExpressionKind::Builtin(_, arguments) | ExpressionKind::Call(_, arguments) => {
                to.extend(arguments);
            }
            ExpressionKind::If(branches, otherwise) => {
                to.extend(branches.iter().flat_map(|(condition, value)| [condition, value]));
                to.push(otherwise);
            }
            ExpressionKind::Delay(value, duration) => to.extend([&**value, &**duration]),
            _ => {}
        }
    }

    /// The expressions it is made of, to change them.
    pub fn parts_mut(&mut self) -> Vec<&mut Expression> {
        match &mut self.kind {
            ExpressionKind::Builtin(_, arguments) | ExpressionKind::Call(_, arguments) => {
                arguments.iter_mut().collect()
            }
            ExpressionKind::If(branches, otherwise) => {
                let both = branches.iter_mut().flat_map(|(condition, value)| [condition, value]);
                both.chain([&mut **otherwise]).collect()
            }
            ExpressionKind::Delay(value, duration) => vec![value, duration],
            _ => Vec::new(),
        }
    }

    /// Calls `see` with it and with everything inside of it.
    pub fn visit(&self, see: &mut impl FnMut(&ExpressionKind)) {
        let mut open = vec![self];
        while let Some(next) = open.pop() {
            see(&next.kind);
            next.push_parts(&mut open);
        }
    }
}

impl Expression {
    /// Whether it, or something inside of it, is so.
    pub(crate) fn has(&self, is_so: impl Fn(&ExpressionKind) -> bool) -> bool {
        let mut found = false;
        self.visit(&mut |kind| found |= is_so(kind));
        found
    }
}

impl EquationModel {
    /// Every formula, to change it; those inside of functions are not among them.
    pub fn formulas_mut(&mut self) -> impl Iterator<Item = &mut Expression> {
        let values = self.declarations.iter_mut().filter_map(|one| one.value.as_mut());
        let rights = self.equations.iter_mut().map(|equation| &mut equation.right);
        let residuals = self.implicit.residuals.iter_mut();
        let scales = self.scales.iter_mut().map(|scale| &mut scale.value);
        let events = self.events.iter_mut().flat_map(|event| {
            let parts = event.delay.iter_mut().chain(&mut event.priority);
            let values = event.assignments.iter_mut().map(|assignment| &mut assignment.value);
            [&mut event.condition].into_iter().chain(parts).chain(values)
        });
        values.chain(rights).chain(residuals).chain(scales).chain(events)
    }
}
