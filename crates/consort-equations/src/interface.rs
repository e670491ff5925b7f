//! The numbers and roles of the variables of a model, as other crates use them.
//!
//! They are the same wherever a model goes: as a component that is run here, and in an FMU that is made of
//! it. Time, parameters, inputs, states and discretes have the numbers of their registers
//! ([`Layout`](crate::Layout)); derivatives, outputs, locals and indicators follow.

use crate::equations::{Equations, Quantity};
use consort_core::{Causality, Initial, Variability};

/// A variable of a model.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ModelPart {
    /// The time of the run.
    Time,
    /// The parameter of this number.
    Parameter(usize),
    /// The input of this number.
    Input(usize),
    /// The state of this number.
    State(usize),
    /// The discrete of this number.
    Discrete(usize),
    /// The derivative of the state of this number.
    Derivative(usize),
    /// The output of this number.
    Output(usize),
    /// The variable or computed parameter of this number.
    Local(usize),
    /// The indicator of this number.
    Indicator(usize),
}

/// What a variable is at the border of its model, in the terms of FMI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Role {
    /// The causality of the variable.
    pub causality: Causality,
    /// When that may change.
    pub variability: Variability,
    /// How the first one comes about.
    pub initial: Initial,
}

/// How many variables of a kind there are, and what the one of a number is.
type Section = (usize, fn(usize) -> ModelPart);

impl Equations {
    /// The number of variables.
    pub fn part_count(&self) -> usize {
        self.sections().iter().map(|(count, _)| count).sum()
    }

    /// Every variable, by its number.
    pub fn parts(&self) -> impl Iterator<Item = ModelPart> {
        self.sections().into_iter().flat_map(|(count, part)| (0..count).map(part))
    }

    /// The variable with this number.
    pub fn part(&self, number: usize) -> Option<ModelPart> {
        let mut rest = number;
        for (count, part) in self.sections() {
            if rest < count {
                return Some(part(rest));
            }
            rest -= count;
        }
        None
    }

    /// The number of a variable.
    pub fn number(&self, part: ModelPart) -> usize {
        let layout = self.layout;
        let derivative = layout.side();
        let output = derivative + layout.states;
        let local = output + self.outputs.len();
        match part {
            ModelPart::Time => 0,
            ModelPart::Parameter(at) => layout.first_parameter() + at,
            ModelPart::Input(at) => layout.first_input() + at,
            ModelPart::State(at) => layout.first_state() + at,
            ModelPart::Discrete(at) => layout.first_discrete() + at,
            ModelPart::Derivative(at) => derivative + at,
            ModelPart::Output(at) => output + at,
            ModelPart::Local(at) => local + at,
            ModelPart::Indicator(at) => local + self.locals.len() + at,
        }
    }

    /// What is known about a variable; of a derivative, its state. `None` for time and indicators.
    pub fn quantity(&self, part: ModelPart) -> Option<&Quantity> {
        match part {
            ModelPart::Time | ModelPart::Indicator(_) => None,
            ModelPart::Parameter(at) => self.parameters.get(at),
            ModelPart::Input(at) => self.inputs.get(at),
            ModelPart::State(at) | ModelPart::Derivative(at) => self.states.get(at),
            ModelPart::Discrete(at) => self.discretes.get(at),
            ModelPart::Output(at) => self.outputs.get(at),
            ModelPart::Local(at) => self.locals.get(at),
        }
    }

    /// The role of a variable; see the table in `docs/export.md`.
    pub fn role(&self, part: ModelPart) -> Role {
        let quantity = self.quantity(part);
        let (is_output, is_exact) =
            quantity.map_or((false, false), |it| (it.is_output, it.is_start_fixed));
        let seen = if is_output { Causality::Output } else { Causality::Local };
        let first = if is_exact { Initial::Exact } else { Initial::Calculated };
        let is_parameter = quantity.is_some_and(|it| it.is_parameter);
        let continuous = Variability::Continuous;
        let (causality, variability, initial) = match part {
            ModelPart::Time => (Causality::Independent, continuous, Initial::None),
            ModelPart::Parameter(_) => (Causality::Parameter, Variability::Fixed, Initial::Exact),
            ModelPart::Input(_) => (Causality::Input, continuous, Initial::None),
            ModelPart::State(_) => (seen, continuous, first),
            ModelPart::Discrete(_) => (seen, Variability::Discrete, first),
            ModelPart::Output(_) => (Causality::Output, continuous, Initial::Calculated),
            ModelPart::Local(_) if is_parameter => {
                (Causality::CalculatedParameter, Variability::Fixed, Initial::Calculated)
            }
            ModelPart::Derivative(_) | ModelPart::Local(_) | ModelPart::Indicator(_) => {
                (Causality::Local, continuous, Initial::Calculated)
            }
        };
        Role { causality, variability, initial }
    }

    /// Kinds of variables in the order of their numbers, with how many there are.
    fn sections(&self) -> [Section; 9] {
        let layout = self.layout;
        [
            (1, |_| ModelPart::Time),
            (layout.parameters, ModelPart::Parameter),
            (layout.inputs, ModelPart::Input),
            (layout.states, ModelPart::State),
            (layout.discretes, ModelPart::Discrete),
            (layout.states, ModelPart::Derivative),
            (self.outputs.len(), ModelPart::Output),
            (self.locals.len(), ModelPart::Local),
            (self.indicators.len(), ModelPart::Indicator),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use consort_core::Report;

    #[test]
    fn numbers_and_variables_belong_together() {
        let text = "
model everything
  parameter a = 1
  input u = 0
  output state x = 1
  state y
  discrete n = 0
  variable v = 2*a*x
  output w = v + u
  der(x) = -x
  der(y) = u
  when x < 0.5 then
    n = n + 1
  end
end";
        let mut report = Report::default();
        let model = crate::read("everything.eq", text, &mut report).expect("well written");
        let model = crate::compile(&model, &mut report).expect("well defined");
        let parts: Vec<ModelPart> = model.parts().collect();
        assert_eq!(parts.len(), 11);
        assert_eq!(model.part_count(), parts.len());
        for (number, part) in parts.iter().enumerate() {
            assert_eq!(model.number(*part), number);
            assert_eq!(model.part(number), Some(*part));
        }
        assert_eq!(model.part(parts.len()), None);
        let seen = |part: &&ModelPart| model.quantity(**part).is_some_and(|it| it.is_output);
        let seen: Vec<&ModelPart> = parts.iter().filter(seen).collect();
        assert_eq!(seen, [&ModelPart::State(0), &ModelPart::Derivative(0), &ModelPart::Output(0)]);
        let is_output = |part: &&ModelPart| model.role(**part).causality == Causality::Output;
        let outputs: Vec<&ModelPart> = parts.iter().filter(is_output).collect();
        assert_eq!(
            outputs,
            [&ModelPart::State(0), &ModelPart::Output(0)],
            "a derivative is seen by its state"
        );
    }
}
