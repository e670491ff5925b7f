//! From a fresh instance to initialization mode: one order of calls for all callers.

use super::{CallError, CallResult, CallStatus, Instance, Setup};
use crate::id::VariableId;
use crate::named;
use crate::value::Values;
use crate::variable::{Causality, Initial, Variable};
use serde::{Deserialize, Serialize};

/// A whole variable and its value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Setting {
    /// The variable to set.
    pub variable: VariableId,
    /// All its elements, in row-major order.
    pub values: Values,
    /// The user gave it; otherwise it is the start value of the model's own description.
    pub is_given: bool,
}

named! {
    /// When an instance is set up for its experiment (`fmi2SetupExperiment`).
    #[derive(Default, Serialize, Deserialize)]
    pub enum SetupOrder {
        /// Before anything is set: some FMUs reset their parameters in set-up.
        #[default]
        First => "first",
        /// After parameters and start values were set, for FMUs that need them in set-up.
        AfterParameters => "after-parameters",
        /// First, and parameters are set a second time in initialization mode, for FMUs that reset them on
        /// the way there.
        SetAgain => "set-again",
    }
}

/// What an instance is given on its way to initialization mode.
#[derive(Clone, Copy)]
pub struct Preparation<'a> {
    /// The variables of its model.
    pub variables: &'a [Variable],
    /// Set in configuration mode, in this order.
    pub structural: &'a [Setting],
    /// Parameters and start values, in this order.
    pub settings: &'a [Setting],
    /// When it is set up.
    pub order: SetupOrder,
    /// Exact start values are set once more in initialization mode: the instance is known to lose
    /// those that are set before.
    pub sets_again: bool,
}

/// Whether an instance has kept a parameter that the user gave.
#[derive(Clone, PartialEq, Debug)]
pub enum Kept {
    /// The instance reports the given value, or cannot report values.
    Yes,
    /// The instance reports this value instead.
    Differs(Values),
    /// The instance failed to report it.
    Refused(Box<CallError>),
}

impl<'a> Preparation<'a> {
    /// A preparation without any settings.
    pub fn plain(variables: &'a [Variable]) -> Self {
        Preparation {
            variables,
            structural: &[],
            settings: &[],
            order: SetupOrder::First,
            sets_again: false,
        }
    }

    /// Sets the instance up, gives it its structural parameters, its parameters and start values, and
    /// (in initialization mode, where both versions of FMI want them) the start values of inputs.
    ///
    /// # Errors
    /// If the instance refuses anything.
    pub fn enter(&self, instance: &mut dyn Instance, setup: &Setup) -> CallResult<()> {
        if self.order != SetupOrder::AfterParameters {
            instance.set_up(setup)?;
        }
        if !self.structural.is_empty() {
            instance.enter_configuration()?;
            self.set(instance, self.structural, |_| true)?;
            instance.exit_configuration()?;
        }
        self.set(instance, self.settings, |variable| variable.causality != Causality::Input)?;
        instance.enter_initialization(setup)?;
        if self.sets_again || self.order == SetupOrder::SetAgain {
            self.set(instance, self.settings, is_exact)?;
        }
        self.set(instance, self.settings, |variable| variable.causality == Causality::Input)
    }

    fn set(
        &self,
        instance: &mut dyn Instance,
        settings: &[Setting],
        is_wanted: impl Fn(&Variable) -> bool,
    ) -> CallResult<()> {
        for setting in settings {
            let variable = self.variable(setting);
            if is_wanted(variable) {
                instance.set(&[variable.reference], setting.values.view())?;
            }
        }
        Ok(())
    }

    /// The parameters that the user gave.
    pub fn given_parameters(&self) -> impl Iterator<Item = &'a Setting> {
        let Preparation { variables, structural, settings, .. } = *self;
        let is_parameter = move |setting: &&Setting| {
            let causality = variables[setting.variable.index()].causality;
            setting.is_given
                && matches!(causality, Causality::Parameter | Causality::StructuralParameter)
        };
        structural.iter().chain(settings).filter(is_parameter)
    }

    /// Whether an initialized instance still has a value that it was given, exactly; NaN is NaN.
    pub fn read_back(&self, instance: &mut dyn Instance, setting: &Setting) -> Kept {
        let count = setting.values.len();
        let mut found = Values::zeros(setting.values.value_type(), count);
        let reference = self.variable(setting).reference;
        match instance.read_back(&[reference], found.slice_mut(0, count)) {
            Ok(()) if found.view().is_same(setting.values.view()) => Kept::Yes,
            Ok(()) => Kept::Differs(found),
            Err(error) if error.status == CallStatus::Unsupported => Kept::Yes,
            Err(error) => Kept::Refused(error),
        }
    }

    fn variable(&self, setting: &Setting) -> &'a Variable {
        &self.variables[setting.variable.index()]
    }
}

/// Whether both versions of FMI let a variable be set in initialization mode.
fn is_exact(variable: &Variable) -> bool {
    match variable.causality {
        Causality::Parameter => true,
        Causality::Output | Causality::Local => variable.initial == Initial::Exact,
        _ => false,
    }
}
