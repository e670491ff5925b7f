//! The table of variables that a program receives, and their values by role.

use super::wire::{self, Body, Misread, VERSION};
use consort_core::variable::Dimension;
use consort_core::{Causality, ModelDescription, Values, Variable};

/// The values of all variables of an instance, by reference.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct ValueTable {
    pub(super) values: Vec<Values>,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
}

impl ValueTable {
    /// A table of the start values.
    pub(super) fn new(description: &ModelDescription) -> Self {
        let of = |causality: Causality| {
            let variables = description.variables.iter().enumerate();
            let chosen = variables.filter(|(_, variable)| variable.causality == causality);
            chosen.map(|(index, _)| index).collect()
        };
        ValueTable {
            values: description.variables.iter().map(start).collect(),
            inputs: of(Causality::Input),
            outputs: of(Causality::Output),
        }
    }

    /// Puts the values of all variables.
    pub(super) fn put_all(&self, out: &mut Vec<u8>) {
        self.values.iter().for_each(|values| wire::put_values(out, values));
    }

    pub(super) fn put_inputs(&self, out: &mut Vec<u8>) {
        self.inputs.iter().for_each(|index| wire::put_values(out, &self.values[*index]));
    }

    /// Takes the values of outputs from a message that has nothing else.
    pub(super) fn take_outputs(&mut self, body: &[u8]) -> Result<(), Misread> {
        let mut body = Body(body);
        for index in &self.outputs {
            body.values(&mut self.values[*index])?;
        }
        body.end()
    }
}

/// How many elements a variable has.
pub(super) fn count(variable: &Variable) -> usize {
    let extent = |dimension: &Dimension| match dimension {
        Dimension::Fixed(extent) => usize::try_from(*extent).expect("an interface was checked"),
        Dimension::Structural(_) => panic!("an interface has no structural parameters"),
    };
    variable.dimensions.iter().map(extent).product()
}

fn start(variable: &Variable) -> Values {
    let count = count(variable);
    let mut values = Values::zeros(variable.value_type, 0);
    match &variable.start {
        Some(start) if start.len() == count => start.clone(),
        Some(one) => {
            for _ in 0..count {
                values.extend(one.view());
            }
            values
        }
        None => Values::zeros(variable.value_type, count),
    }
}

/// The body of the message with the variables of a program.
pub(super) fn put_table(out: &mut Vec<u8>, description: &ModelDescription) {
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.push(u8::from(description.capabilities.save_state));
    wire::put_count(out, description.variables.len());
    for variable in &description.variables {
        wire::put_text(out, &variable.name);
        out.push(match variable.causality {
            Causality::Input => b'i',
            Causality::Output => b'o',
            _ => b'p',
        });
        out.push(wire::letter(variable.value_type).expect("an interface was checked"));
        wire::put_count(out, count(variable));
    }
}
