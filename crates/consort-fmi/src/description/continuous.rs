//! What a solver must know about a model: its states, their derivatives, its event indicators.

use super::{FmiVersion, ModelExchange};
use crate::xml::{Node, Reader, child, shorten};
use consort_core::{
    Causality, Diagnostic, Dimension, ModelStructure, Sizes, Variability, Variable, VariableId,
};

/// What is known about a model when its variables and its structure are read.
pub(super) struct Equations<'a> {
    pub(super) variables: &'a [Variable],
    pub(super) structure: &'a ModelStructure,
    /// There is no other interface: what is wrong with this one is an error.
    pub(super) is_only: bool,
}

impl Equations<'_> {
    /// Fills in the states: those whose derivatives `ModelStructure` lists, in its order. `None` if the
    /// interface is of no use.
    pub(super) fn complete(
        &self,
        reader: &mut Reader<'_>,
        root: Node<'_>,
        version: FmiVersion,
        mut exchange: ModelExchange,
    ) -> Option<ModelExchange> {
        let continuous = &mut exchange.continuous;
        for unknown in &self.structure.derivatives {
            let derivative = &self.variables[unknown.variable.index()];
            let Some(state) = derivative.derivative_of else {
                self.say_no_state(reader, root, derivative);
                return None;
            };
            continuous.states.push(state);
            continuous.derivatives.push(unknown.variable);
        }
        self.say_undeclared(reader, root);
        let states = elements(self.variables, &continuous.states);
        let indicators = match version {
            FmiVersion::V2 => Some(number_of_indicators(reader, root)),
            FmiVersion::V3 => elements(self.variables, &self.structure.event_indicators),
        };
        let sizes = states.zip(indicators);
        continuous.sizes = sizes.map(|(states, indicators)| Sizes { states, indicators });
        Some(exchange)
    }

    /// Derivatives that `ModelStructure` does not list are those of states that no solver integrates.
    fn say_undeclared(&self, reader: &mut Reader<'_>, root: Node<'_>) {
        let is_listed = |id: usize| {
            let listed = self.structure.derivatives.iter();
            let references = listed.map(|unknown| &self.variables[unknown.variable.index()]);
            let own = &self.variables[id];
            references
                .into_iter()
                .any(|it| it.reference == own.reference && it.value_type == own.value_type)
        };
        let derivatives = (0..self.variables.len())
            .filter(|&id| is_time_derivative(&self.variables[id]) && !is_listed(id));
        let names: Vec<&str> = derivatives.map(|id| self.variables[id].name.as_str()).collect();
        let Some(first) = names.first().map(|name| shorten(name)) else { return };
        let message = match names.len() {
            1 => format!("the derivative `{first}` is not in `ModelStructure`"),
            count => {
                format!("{count} derivatives, `{first}` the first, are not in `ModelStructure`")
            }
        };
        let span = reader.tag(child(root, "ModelStructure").unwrap_or(root));
        reader.report(
            Diagnostic::warning("description::undeclared-state", message)
                .at(span, "does not list every derivative")
                .help("a solver integrates only the states whose derivatives are listed"),
        );
    }

    fn say_no_state(&self, reader: &mut Reader<'_>, root: Node<'_>, derivative: &Variable) {
        const CODE: &str = "description::no-state";
        let name = shorten(&derivative.name);
        let message = format!("`{name}` is listed as a derivative, but of no state");
        let span = reader.tag(child(root, "ModelStructure").unwrap_or(root));
        let (diagnostic, consequence) = if self.is_only {
            (Diagnostic::error(CODE, message), "")
        } else {
            (Diagnostic::warning(CODE, message), "; Model Exchange cannot be used without it")
        };
        let attribute = format!("name the state in the attribute `derivative` of `{name}`");
        reader.report(diagnostic.at(span, "lists it").help(attribute + consequence));
    }
}

/// Whether a variable is the derivative of what can be a continuous state.
fn is_time_derivative(variable: &Variable) -> bool {
    use Causality::{Local, Output};
    variable.derivative_of.is_some()
        && variable.value_type.is_float()
        && matches!(variable.causality, Local | Output)
        && variable.variability == Variability::Continuous
}

/// All elements of the variables; `None` if structural parameters decide it.
fn elements(variables: &[Variable], ids: &[VariableId]) -> Option<usize> {
    let extent = |dimension: &Dimension| match dimension {
        Dimension::Fixed(extent) => usize::try_from(*extent).ok(),
        Dimension::Structural(_) => None,
    };
    let count = |id: &VariableId| -> Option<usize> {
        let dimensions = &variables[id.index()].dimensions;
        dimensions.iter().try_fold(1, |product: usize, it| product.checked_mul(extent(it)?))
    };
    ids.iter().try_fold(0, |sum: usize, id| sum.checked_add(count(id)?))
}

fn number_of_indicators(reader: &mut Reader<'_>, root: Node<'_>) -> usize {
    let number = reader.number(root, "numberOfEventIndicators", "a whole number from 0");
    number.unwrap_or(0)
}
