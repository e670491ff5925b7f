//! A model as it is written, for whoever makes something else of it.

use super::load::read_file;
use super::{Form, read_tree};
use crate::files::cache::unreadable;
use crate::nearby;
use crate::request::{ModelRequest, Parameter};
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Report, ValueType, Values};
use consort_equations::Expression;
use consort_equations::tree::{EquationModel, ExpressionKind, Kind, VariableDeclaration};

/// The equations of what a request asks for: a text, SBML or a native block, with the request's parameters as
/// start values. `None`, with diagnostics, if there are none.
pub fn written_model(request: &ModelRequest<'_>, report: &mut Report) -> Option<EquationModel> {
    if let Some(name) = request.model.strip_prefix("native:") {
        return crate::native::equations(name, request, report);
    }
    let path = request.base.join(request.model);
    let Some(form) = Form::of(&path).filter(|_| path.exists()) else {
        report.push(no_equations(request));
        return None;
    };
    let text = read_file(&path, form);
    let text = text.map_err(|error| report.push(unreadable(request, &error))).ok()?;
    let mut model = read_tree(request.model, &text, form, report)?;
    let before = report.error_count();
    for parameter in request.parameters {
        set(&mut model, parameter, report);
    }
    (report.error_count() == before).then_some(model)
}

fn no_equations(request: &ModelRequest<'_>) -> Diagnostic {
    let model = request.model;
    let (code, what, help) = if request.base.join(model).exists() {
        let help =
            "name an equations file (`.eq`), an SBML file (`.sbml`, `.xml`) or `native:NAME`";
        ("model::no-equations", "has no equations that could be read", help.to_owned())
    } else {
        ("model::missing-file", "is not there", nearby::help(request, model))
    };
    Diagnostic::error(code, format!("the model `{model}` {what}"))
        .maybe_at(request.span, "asked for here")
        .help(help)
}

/// Gives a declaration another first value.
fn set(model: &mut EquationModel, parameter: &Parameter<'_>, report: &mut Report) {
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
