//! The values that the model of a component gets before it runs, as far as its description knows them.

use crate::request::GivenParameter;
use consort_core::{
    Causality, Dimension, ModelDescription, Preparation, Setting, SetupOrder, Values, Variable,
    VariableId,
};
use std::fmt::Write as _;

/// Parameters and start values of a model under check, and when it is set up.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Given {
    settings: Vec<Setting>,
    setup: SetupOrder,
    /// Notes on what cannot be set.
    notes: Vec<String>,
}

impl Given {
    /// What a component of `model` is given. A structural parameter, a value with a unit, or one that does not
    /// fit, is left out and noted: units and sizes are known only when the system runs.
    pub fn new(
        model: &ModelDescription,
        parameters: &[GivenParameter<'_>],
        setup: SetupOrder,
    ) -> Self {
        let mut given = Given { setup, ..Given::default() };
        for parameter in parameters {
            let is_called = |variable: &Variable| variable.name == parameter.name;
            let Some(index) = model.variables.iter().position(is_called) else { continue };
            let variable = VariableId::from_index(index);
            match fitting(model, &model.variables[index], parameter) {
                Some(values) => given.settings.push(Setting { variable, values, is_given: true }),
                None => {
                    let note = format!("`{}` keeps its start value in the check", parameter.name);
                    given.notes.push(note);
                }
            }
        }
        given
    }

    /// How an instance of `model` comes to initialization mode.
    pub(super) fn preparation<'a>(&'a self, model: &'a ModelDescription) -> Preparation<'a> {
        let order = self.setup;
        Preparation { settings: &self.settings, order, ..Preparation::plain(&model.variables) }
    }

    /// The values that a variable is given.
    pub(super) fn values(&self, variable: VariableId) -> Option<&Values> {
        let setting = self.settings.iter().find(|setting| setting.variable == variable);
        setting.map(|setting| &setting.values)
    }

    /// Notes on what was left out.
    pub(super) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Everything that makes a difference, as text.
    pub(super) fn describe(&self) -> String {
        let mut text = String::new();
        for setting in &self.settings {
            let (variable, values) = (setting.variable.index(), setting.values.view());
            writeln!(text, "{variable} = {values}").expect("a string takes everything");
        }
        if self.setup != SetupOrder::First {
            writeln!(text, "setup {}", self.setup.name()).expect("a string takes everything");
        }
        text
    }
}

/// The values of a parameter whose size is known and that needs no conversion.
fn fitting(
    model: &ModelDescription,
    variable: &Variable,
    parameter: &GivenParameter<'_>,
) -> Option<Values> {
    let is_structural = variable.causality == Causality::StructuralParameter;
    if is_structural || parameter.has_unit || !variable.is_settable_before_start() {
        return None;
    }
    let items = variable.enumeration.and_then(|index| model.enumerations.get(index));
    let items = items.map_or(&[][..], |enumeration| &enumeration.items);
    let values = parameter.value.to_values(variable.value_type, items).ok()?;
    let extent = |dimension: &Dimension| match dimension {
        Dimension::Fixed(extent) => usize::try_from(*extent).ok(),
        Dimension::Structural(_) => None,
    };
    let mut extents = variable.dimensions.iter().map(extent);
    let count = extents.try_fold(1, |product: usize, it| product.checked_mul(it?))?;
    (values.len() == count).then_some(values)
}
