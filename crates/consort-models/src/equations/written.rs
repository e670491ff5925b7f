//! The source form of a model, for exports.

use super::{Form, read_tree};
use crate::request::{GivenParameter, ModelRequest};
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Report, ValueType, Values};
use consort_equations::Expression;
use consort_equations::tree::{EquationModel, ExpressionKind, Kind, VariableDeclaration};

/// The equations in a text, with the request's parameters as start values. `None`, with diagnostics, if something is
/// wrong with them.
pub(crate) fn written_model(
    text: &[u8],
    form: Form,
    request: &ModelRequest<'_>,
    report: &mut Report,
) -> Option<EquationModel> {
    let mut model = read_tree(request.model, text, form, report)?;
    let before = report.error_count();
    for parameter in request.parameters {
        set(&mut model, parameter, report);
    }
    (report.error_count() == before).then_some(model)
}

/// Gives a declaration another first value.
fn set(model: &mut EquationModel, parameter: &GivenParameter<'_>, report: &mut Report) {
    let number = match parameter.value.to_values(ValueType::Float64, &[]) {
        Ok(Values::Float64(list)) if list.len() == 1 => Ok(list[0]),
        Ok(_) => Err("takes one number".to_owned()),
        Err(error) => Err(format!("takes a number: {error}")),
    };
    let name = parameter.name;
    let found = model.declarations.iter_mut().find(|it| it.name.text == name);
    let result = match (found, number) {
        (Some(found), Ok(number)) => give(found, number),
        (Some(_), Err(reason)) => Err(format!("`{name}` {reason}")),
        (None, _) => Err(format!("there is no `{name}`")),
    };
    let Err(message) = result else { return };
    let can_be_set = model.declarations.iter().filter(|it| is_settable(it));
    let names = can_be_set.map(|it| it.name.text.as_str());
    let help = match nearest_name(name, names).filter(|nearest| *nearest != name) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "parameters, inputs, states and discretes have a value to start with".to_owned(),
    };
    let diagnostic = Diagnostic::error("model::cannot-set", message);
    report.push(diagnostic.maybe_at(parameter.span, "given here").help(help));
}

fn give(declaration: &mut VariableDeclaration, number: f64) -> Result<(), String> {
    if !is_settable(declaration) {
        let name = &declaration.name.text;
        return Err(format!("`{name}` is computed from others and cannot be set"));
    }
    declaration.value = Some(Expression::number(number));
    Ok(())
}

/// Outputs and variables are computed, and so are parameters that are more than a number.
fn is_settable(declaration: &VariableDeclaration) -> bool {
    let is_number = declaration.value.as_ref().is_none_or(is_number);
    match declaration.kind {
        Kind::Input | Kind::State | Kind::Discrete => true,
        Kind::Parameter => is_number,
        Kind::Output | Kind::Variable => false,
    }
}

fn is_number(value: &Expression) -> bool {
    match &value.kind {
        ExpressionKind::Number(_) => true,
        ExpressionKind::Builtin(_, arguments) => arguments.iter().all(is_number),
        _ => false,
    }
}
