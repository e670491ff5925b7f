//! Native blocks as models written as equations, for what needs more than their behavior: exporting them.
//!
//! A block's declarations come from its description, its equations from a text: `u[1]` is an element of an array,
//! `min_` is a variable called `min`, which is a keyword of the language. Blocks that step by definition have none;
//! those that solve an equation from step to step are here as that equation.

pub(super) mod bodies;
mod names;

use super::Blocks;
use crate::request::ModelRequest;
use consort_core::diagnostic::nearest_name;
use consort_core::{
    Causality, Diagnostic, Dimension, ModelDescription, Report, ValueType, Values, Variable,
};
use consort_equations::tree::{EquationModel, Kind, VariableDeclaration};
use consort_equations::{Expression, read};
use names::element_names;
use std::collections::BTreeSet;

/// The equations of a block.
pub enum BlockEquations {
    /// The same whatever its parameters are.
    Text(&'static str),
    /// The equations depend on the shape of the block.
    Made(fn(&ModelDescription) -> String),
    /// They have names that no text could have; `None`, with diagnostics, if they cannot be found.
    Tree(fn(&ModelRequest<'_>, &mut Report) -> Option<EquationModel>),
    /// There are none, because.
    None(&'static str),
}

impl Blocks {
    /// The block `name` with the request's parameters as equations; `None`, with diagnostics, if something is wrong with
    /// them, or if the block has no equations.
    pub fn equations(
        &self,
        name: &str,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<EquationModel> {
        let loaded = self.load(name, request, report)?;
        let block = self.find(name)?;
        let description = loaded.model.description();
        check_names(request, description, report)?;
        let (mut model, used) = match (&block.equations, has_numbers_only(description)) {
            (_, false) => {
                report.push(refused(name, "it has values that are no numbers", request));
                return None;
            }
            (BlockEquations::None(reason), true) => {
                report.push(refused(name, reason, request));
                return None;
            }
            (BlockEquations::Text(text), true) => read_text(name, text, report)?,
            (BlockEquations::Made(make), true) => read_text(name, &make(description), report)?,
            (BlockEquations::Tree(make), true) => (make(request, report)?, BTreeSet::new()),
        };
        model.name = name.into();
        model.description = block.summary.to_owned();
        declare(&mut model, description, &used);
        Some(model)
    }
}

/// The equations in a text, and the names that they use.
fn read_text(
    name: &str,
    text: &str,
    report: &mut Report,
) -> Option<(EquationModel, BTreeSet<String>)> {
    let text = names::plain(&format!("model block\n{text}\nend\n"));
    Some(names::renamed(read(name, &text, report)?))
}

/// A parameter that the block does not have would be passed over in silence.
fn check_names(
    request: &ModelRequest<'_>,
    description: &ModelDescription,
    report: &mut Report,
) -> Option<()> {
    let before = report.error_count();
    let settable = |it: &&Variable| matches!(it.causality, Causality::Parameter | Causality::Input);
    let names = || description.variables.iter().filter(settable).map(|it| it.name.as_str());
    for parameter in request.parameters {
        if names().all(|name| name != parameter.name) {
            let message = format!("`{}` has no parameter `{}`", request.model, parameter.name);
            let help = match nearest_name(parameter.name, names()) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => format!("it has {}", names().collect::<Vec<_>>().join(", ")),
            };
            let diagnostic = Diagnostic::error("model::cannot-set", message);
            report.push(diagnostic.maybe_at(parameter.span, "given here").help(help));
        }
    }
    (report.error_count() == before).then_some(())
}

fn refused(name: &str, reason: &str, request: &ModelRequest<'_>) -> Diagnostic {
    let message = format!("`native:{name}` cannot be written as equations: {reason}");
    Diagnostic::error("model::no-equations", message)
        .maybe_at(request.span, "this block")
        .help("blocks that are functions, sources or differential equations can")
}

/// Adds what the description declares; what the equations declare themselves learns what is known of it.
fn declare(model: &mut EquationModel, description: &ModelDescription, used: &BTreeSet<String>) {
    let mut declared = Vec::new();
    for variable in &description.variables {
        for (index, name) in element_names(variable).into_iter().enumerate() {
            let own = model.declarations.iter_mut().find(|it| it.name.text == name);
            if let Some(own) = own {
                own.is_output = variable.causality == Causality::Output;
                describe(own, variable, description);
            } else if let Some(mut made) = made(variable, index, name, used) {
                describe(&mut made, variable, description);
                declared.push(made);
            }
        }
    }
    declared.append(&mut model.declarations);
    model.declarations = declared;
}

/// Parameters that no equation uses shaped the block, and are not seen.
fn made(
    variable: &Variable,
    index: usize,
    name: String,
    used: &BTreeSet<String>,
) -> Option<VariableDeclaration> {
    let kind = match variable.causality {
        Causality::Parameter if used.contains(&name) => Kind::Parameter,
        Causality::Input => Kind::Input,
        Causality::Output => Kind::Output,
        _ => return None,
    };
    let start = match &variable.start {
        Some(Values::Float64(list)) => list.get(index).copied(),
        _ => None,
    };
    let value = start.filter(|_| kind != Kind::Output).map(Expression::number);
    Some(VariableDeclaration::new(kind, name, value))
}

fn describe(
    declaration: &mut VariableDeclaration,
    variable: &Variable,
    description: &ModelDescription,
) {
    declaration.description.clone_from(&variable.description);
    declaration.min = variable.min;
    if let Some(unit) = variable.unit {
        declaration.unit = description.units[unit].name.clone().into();
    }
}

/// How many elements a variable of a block has in each direction.
fn shape(variable: &Variable) -> Vec<usize> {
    let extent = |dimension: &Dimension| match dimension {
        Dimension::Fixed(extent) => usize::try_from(*extent).unwrap_or(usize::MAX),
        Dimension::Structural(_) => 1,
    };
    variable.dimensions.iter().map(extent).collect()
}

/// Whether others could connect to the block as equations have it.
fn has_numbers_only(description: &ModelDescription) -> bool {
    let is_port = |it: &&Variable| matches!(it.causality, Causality::Input | Causality::Output);
    description.variables.iter().filter(is_port).all(|it| it.value_type == ValueType::Float64)
}
