//! Names of blocks in a language whose names are letters, digits and `_`.
//!
//! `u[2]` is read as `u__2` and `A[1,2]` as `A__1_2`; afterwards each gets its name back, and `min_` becomes `min`.

use super::shape;
use consort_core::Variable;
use consort_equations::Expression;
use consort_equations::tree::{EquationModel, ExpressionKind, Name};
use std::collections::BTreeSet;

/// A parameter of this name would be taken for the time of the run; FMUs have a variable of that name.
const TIME: (&str, &str) = ("time", "step_time");

/// The text with names that can be read.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_index = false;
    for letter in text.chars() {
        match letter {
            '[' => {
                is_index = true;
                out.push_str("__");
            }
            ']' => is_index = false,
            ',' if is_index => out.push('_'),
            _ => out.push(letter),
        }
    }
    out
}

/// One name per element, as equations have them.
pub(super) fn element_names(variable: &Variable) -> Vec<String> {
    let name = if variable.name == TIME.0 { TIME.1 } else { &variable.name };
    let shape = shape(variable);
    if shape.is_empty() {
        return vec![name.to_owned()];
    }
    let count: usize = shape.iter().product();
    let index = |mut at: usize| {
        let mut parts: Vec<String> = Vec::new();
        for extent in shape.iter().rev() {
            parts.insert(0, (at % extent + 1).to_string());
            at /= extent;
        }
        format!("{name}[{}]", parts.join(","))
    };
    (0..count).map(index).collect()
}

/// Gives every name back; also says which names the equations use.
pub(super) fn renamed(mut model: EquationModel) -> (EquationModel, BTreeSet<String>) {
    model.declarations.iter_mut().for_each(|declaration| rename(&mut declaration.name));
    model.equations.iter_mut().for_each(|equation| rename(&mut equation.name));
    let assignments = model.events.iter_mut().flat_map(|event| &mut event.assignments);
    assignments.for_each(|assignment| rename(&mut assignment.name));
    let mut used = BTreeSet::new();
    model.formulas_mut().for_each(|formula| rename_inside(formula, &mut used));
    (model, used)
}

fn rename_inside(expression: &mut Expression, used: &mut BTreeSet<String>) {
    match &mut expression.kind {
        ExpressionKind::Variable(name)
        | ExpressionKind::Derivative(name)
        | ExpressionKind::Pre(name) => {
            *name = original(name);
            used.insert(name.clone());
        }
        _ => expression.parts_mut().into_iter().for_each(|part| rename_inside(part, used)),
    }
}

fn rename(name: &mut Name) {
    *name = original(&name.text).into();
}

/// `A[1,2]` of `A__1_2`, `min` of `min_`.
fn original(name: &str) -> String {
    match name.split_once("__") {
        Some((array, index)) => format!("{array}[{}]", index.replace('_', ",")),
        None => name.strip_suffix('_').unwrap_or(name).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_finds_back() {
        for (name, read) in
            [("u", "u"), ("u[12]", "u__12"), ("A[1,2]", "A__1_2"), ("speed_0", "speed_0")]
        {
            assert_eq!(plain(name), read);
            assert_eq!(original(read), name);
        }
        assert_eq!(original("min_"), "min");
        assert_eq!(plain("f(a, b[1])"), "f(a, b__1)");
    }
}
