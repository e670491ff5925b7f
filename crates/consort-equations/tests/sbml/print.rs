//! Shows a tree as text, near to the one it could be written as.

use consort_equations::tree::{EquationModel, Event, Expression, ExpressionKind, Left};
use consort_equations::{Builtin, tree::VariableDeclaration};
use std::fmt::Write as _;

/// One line for each thing.
pub(crate) fn model(model: &EquationModel) -> String {
    let mut text = String::new();
    for function in &model.functions {
        let parameters: Vec<&str> =
            function.parameters.iter().map(|parameter| parameter.text.as_str()).collect();
        let body = expression(&function.body);
        let _ =
            writeln!(text, "function {}({}) = {body}", function.name.text, parameters.join(", "));
    }
    for declared in &model.declarations {
        let _ = writeln!(text, "{}", declaration(declared));
    }
    for equation in &model.equations {
        let (name, right) = (&equation.name.text, expression(&equation.right));
        let _ = match equation.left {
            Left::Value => writeln!(text, "{name} = {right}"),
            Left::Derivative => writeln!(text, "der({name}) = {right}"),
        };
    }
    for residual in &model.implicit.residuals {
        let states: Vec<&str> =
            model.implicit.states.iter().map(|state| state.text.as_str()).collect();
        let _ = writeln!(text, "0 = {} for {}", expression(residual), states.join(", "));
    }
    model.events.iter().for_each(|shown| event(shown, &mut text));
    text
}

fn declaration(declared: &VariableDeclaration) -> String {
    let value = declared.value.as_ref().map(|value| format!(" = {}", expression(value)));
    let (unit, description) = (&declared.unit.text, &declared.description);
    let unit = if unit.is_empty() { String::new() } else { format!(" [{unit}]") };
    let description =
        if description.is_empty() { String::new() } else { format!(" \"{description}\"") };
    let (kind, name) = (declared.kind.keyword(), &declared.name.text);
    format!("{kind} {name}{}{unit}{description}", value.unwrap_or_default())
}

fn event(event: &Event, text: &mut String) {
    let _ = write!(text, "when {}", expression(&event.condition));
    for (word, part) in [("delay", &event.delay), ("priority", &event.priority)] {
        if let Some(part) = part {
            let _ = write!(text, " {word} {}", expression(part));
        }
    }
    let flags = [
        (!event.persistent, "not persistent"),
        (!event.initially, "initially false"),
        (!event.values_from_trigger, "values when executed"),
    ];
    for (_, words) in flags.iter().filter(|(set, _)| *set) {
        let _ = write!(text, " ({words})");
    }
    let assign = |name: &str, value| format!("{name} = {}", expression(value));
    let assignments: Vec<String> =
        event.assignments.iter().map(|part| assign(&part.name.text, &part.value)).collect();
    let _ = writeln!(text, " then {}", assignments.join("; "));
}

/// An expression with parentheses around everything that is made of parts.
pub(crate) fn expression(shown: &Expression) -> String {
    match &shown.kind {
        ExpressionKind::Number(number) => format!("{number}"),
        ExpressionKind::Boolean(value) => format!("{value}"),
        ExpressionKind::Time => "time".to_owned(),
        ExpressionKind::Variable(name) => name.clone(),
        ExpressionKind::Derivative(name) => format!("der({name})"),
        ExpressionKind::Pre(name) => format!("pre({name})"),
        ExpressionKind::Builtin(Builtin::Negate, arguments) => {
            format!("-{}", expression(&arguments[0]))
        }
        ExpressionKind::Builtin(builtin, arguments) if is_operator(*builtin, arguments.len()) => {
            format!("({})", list(arguments, &format!(" {} ", builtin.name())))
        }
        ExpressionKind::Builtin(builtin, arguments) => {
            format!("{}({})", builtin.name(), list(arguments, ", "))
        }
        ExpressionKind::Call(name, arguments) => {
            format!("{}({})", name.text, list(arguments, ", "))
        }
        ExpressionKind::If(branches, otherwise) => {
            let mut text = String::from("(");
            for (condition, value) in branches {
                let (condition, value) = (expression(condition), expression(value));
                let _ = write!(text, "if {condition} then {value} else ");
            }
            text + &expression(otherwise) + ")"
        }
        ExpressionKind::Delay(value, duration) => {
            format!("delay({}, {})", expression(value), expression(duration))
        }
    }
}

fn is_operator(builtin: Builtin, arguments: usize) -> bool {
    1 < arguments && builtin < Builtin::Exp
}

fn list(arguments: &[Expression], between: &str) -> String {
    arguments.iter().map(expression).collect::<Vec<_>>().join(between)
}
