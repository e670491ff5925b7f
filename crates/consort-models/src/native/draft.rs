//! Making a block: its variables are declared here, one line each, with what the user gave them.

use super::behavior::BlockBehavior;
use super::instance::{Blueprint, NativeModel};
use super::store::{Slot, Store};
use crate::files::input_file::InputFile;
use crate::request::{GivenParameter, ModelRequest};
use consort_core::model::DefaultExperiment;
use consort_core::{
    Capabilities, Causality, DependencyKind, DependsOn, Diagnostic, Dimension, Initial, Literal,
    Model, ModelDescription, ModelStructure, Report, Unit, Unknown, ValueType, Values, Variability,
    Variable, VariableId,
};
use consort_solve::FixedStep;
use std::sync::Arc;

/// A block in the making. Mistakes in parameters go to the report; a stand-in is used, so that all of
/// them are found.
pub struct BlockDraft<'a> {
    pub(super) request: &'a ModelRequest<'a>,
    pub(super) report: &'a mut Report,
    pub(super) files: Vec<InputFile>,
    variables: Vec<Variable>,
    shaping: Vec<bool>,
    hidden: Vec<Values>,
    solver: Option<FixedStep>,
    units: Vec<Unit>,
    dependencies: Vec<(Slot, Slot, DependencyKind)>,
    provides_derivatives: bool,
}

impl<'a> BlockDraft<'a> {
    pub(super) fn new(request: &'a ModelRequest<'a>, report: &'a mut Report) -> Self {
        BlockDraft {
            request,
            report,
            files: Vec::new(),
            variables: Vec::new(),
            shaping: Vec::new(),
            hidden: Vec::new(),
            solver: None,
            units: Vec::new(),
            dependencies: Vec::new(),
            provides_derivatives: false,
        }
    }

    /// A scalar parameter that may be changed during a run.
    pub fn tunable(&mut self, name: &str, default: f64, text: &str) -> VariableEntry<'_, 'a> {
        self.parameter(name, &[], default, text).variability(Variability::Tunable)
    }

    /// A scalar parameter that is settled when the run starts.
    pub fn fixed(&mut self, name: &str, default: f64, text: &str) -> VariableEntry<'_, 'a> {
        self.parameter(name, &[], default, text)
    }

    /// A parameter of a given shape, settled when the run starts; one number stands for all.
    pub fn parameter(
        &mut self,
        name: &str,
        shape: &[usize],
        default: f64,
        text: &str,
    ) -> VariableEntry<'_, 'a> {
        let start = self.numbers(name, shape, default);
        self.with_start(name, shape, Values::Float64(start), text)
    }

    /// A parameter of any type, whose value was read already.
    pub fn with_start(
        &mut self,
        name: &str,
        shape: &[usize],
        start: Values,
        text: &str,
    ) -> VariableEntry<'_, 'a> {
        let entry = self.declare(name, Causality::Parameter, shape, text);
        entry.initial(Initial::Exact).start(start)
    }

    /// A parameter that shaped the block: shown and confirmed, never changed.
    pub fn shaping(&mut self, name: &str, shape: &[usize], start: Values, text: &str) -> Slot {
        let slot = self.with_start(name, shape, start, text).slot();
        self.shaping[slot.0] = true;
        slot
    }

    /// Declares an input.
    pub fn input(&mut self, name: &str, shape: &[usize], text: &str) -> VariableEntry<'_, 'a> {
        let start = self.numbers(name, shape, 0.0);
        self.declare(name, Causality::Input, shape, text).start(Values::Float64(start))
    }

    /// Declares an output.
    pub fn output(&mut self, name: &str, shape: &[usize], text: &str) -> VariableEntry<'_, 'a> {
        self.declare(name, Causality::Output, shape, text).initial(Initial::Calculated)
    }

    /// A state worth looking at.
    pub fn local(&mut self, name: &str, shape: &[usize], text: &str) -> VariableEntry<'_, 'a> {
        self.declare(name, Causality::Local, shape, text).initial(Initial::Calculated)
    }

    /// Room for `count` internal numbers. To be asked for after all variables, whose slots are
    /// their references.
    pub fn hidden(&mut self, count: usize) -> Slot {
        self.hidden.push(Values::zeros(ValueType::Float64, count));
        Slot(self.variables.len() + self.hidden.len() - 1)
    }

    /// The solver a fresh instance has.
    pub fn solver(&mut self, solver: FixedStep) {
        self.solver = Some(solver);
    }

    /// Says that the block knows how its outputs change with its inputs.
    pub fn provides_derivatives(&mut self) {
        self.provides_derivatives = true;
    }

    /// Says that `unknown` is computed from `known` without a step between: at run time if that is
    /// an input, in initialization if it is an input or a parameter.
    pub fn depends(&mut self, unknown: Slot, known: Slot, kind: DependencyKind) {
        self.dependencies.push((unknown, known, kind));
    }

    /// The start value of a scalar parameter.
    pub fn start_of(&self, slot: Slot) -> f64 {
        let start = self.variables[slot.0].start.as_ref();
        start.and_then(|start| start.view().as_f64(0)).expect("a parameter has a start value")
    }

    fn declare(
        &mut self,
        name: &str,
        causality: Causality,
        shape: &[usize],
        text: &str,
    ) -> VariableEntry<'_, 'a> {
        assert!(self.hidden.is_empty(), "variables come before what is hidden");
        let slot = Slot(self.variables.len());
        let mut variable = Variable::scalar(name, slot.reference(), causality);
        variable.dimensions = shape.iter().map(|&extent| Dimension::Fixed(extent as u64)).collect();
        variable.description = text.to_owned();
        self.variables.push(variable);
        self.shaping.push(false);
        VariableEntry { draft: self, slot }
    }

    /// Makes the block from its declarations.
    pub(super) fn finish(
        self,
        block: &str,
        summary: &str,
        behavior: Box<dyn BlockBehavior>,
    ) -> Arc<dyn Model> {
        let structure = self.structure();
        let mut values: Vec<Values> = self.variables.iter().map(initial_values).collect();
        values.extend(self.hidden);
        let description = ModelDescription {
            name: format!("native:{block}"),
            kind: "native block".to_owned(),
            variables: self.variables,
            structure,
            units: self.units,
            enumerations: Vec::new(),
            capabilities: Capabilities {
                directional_derivatives: self.provides_derivatives,
                ..Capabilities::native()
            },
            default_experiment: DefaultExperiment::default(),
            facts: vec![("block".to_owned(), summary.to_owned())],
        };
        let (start, shaping) = (Store { values, solver: self.solver }, self.shaping);
        Arc::new(NativeModel(Arc::new(Blueprint { description, behavior, start, shaping })))
    }

    fn structure(&self) -> ModelStructure {
        let unknowns = |causality: &[Causality], may_know: &[Causality]| -> Vec<Unknown> {
            let is_unknown = |slot: &usize| causality.contains(&self.variables[*slot].causality);
            let slots = (0..self.variables.len()).filter(is_unknown);
            slots.map(|slot| self.unknown(Slot(slot), may_know)).collect()
        };
        use Causality::{Input, Local, Output, Parameter};
        ModelStructure {
            outputs: unknowns(&[Output], &[Input]),
            derivatives: Vec::new(),
            initial: unknowns(&[Output, Local], &[Input, Parameter]),
            event_indicators: Vec::new(),
        }
    }

    fn unknown(&self, unknown: Slot, may_know: &[Causality]) -> Unknown {
        let is_known = |known: Slot| may_know.contains(&self.variables[known.0].causality);
        let on =
            self.dependencies.iter().filter(|(of, known, _)| *of == unknown && is_known(*known));
        let list = on.map(|(_, known, kind)| (VariableId::from_index(known.0), *kind)).collect();
        Unknown { variable: VariableId::from_index(unknown.0), on: DependsOn::These(list) }
    }
}

/// What a fresh instance has: the start value, or zeros.
fn initial_values(variable: &Variable) -> Values {
    let extent = |dimension: &Dimension| match dimension {
        Dimension::Fixed(extent) => usize::try_from(*extent).expect("shapes come from memory"),
        Dimension::Structural(_) => unreachable!("blocks have fixed shapes"),
    };
    let count = variable.dimensions.iter().map(extent).product();
    variable.start.clone().unwrap_or_else(|| Values::zeros(variable.value_type, count))
}

/// A variable just declared, to be described further.
pub struct VariableEntry<'d, 'a> {
    draft: &'d mut BlockDraft<'a>,
    slot: Slot,
}

impl VariableEntry<'_, '_> {
    fn variable(&mut self) -> &mut Variable {
        &mut self.draft.variables[self.slot.0]
    }

    /// Sets the unit.
    pub fn unit(self, name: &str) -> Self {
        let units = &mut self.draft.units;
        let known = units.iter().position(|unit| unit.name == name);
        let index = known.unwrap_or_else(|| {
            units.push(Unit::named(name));
            units.len() - 1
        });
        self.draft.variables[self.slot.0].unit = Some(index);
        self
    }

    /// The least value; a given start value below it is a mistake.
    pub fn min(mut self, min: f64) -> Self {
        self.variable().min = Some(min);
        let slot = self.slot;
        self.draft.check_min(slot, min);
        self
    }

    /// Its type and its start value.
    pub fn start(mut self, start: Values) -> Self {
        let variable = self.variable();
        variable.value_type = start.value_type();
        variable.start = Some(start);
        self
    }

    /// Its type, for outputs, which have no start value.
    pub fn value_type(mut self, value_type: ValueType) -> Self {
        let variable = self.variable();
        variable.value_type = value_type;
        variable.variability = variable.causality.default_variability(value_type);
        self
    }

    /// When it may change.
    pub fn variability(mut self, variability: Variability) -> Self {
        self.variable().variability = variability;
        self
    }

    fn initial(mut self, initial: Initial) -> Self {
        self.variable().initial = initial;
        self
    }

    /// The slot of its value.
    pub fn slot(self) -> Slot {
        self.slot
    }
}

/// Reading what the user gave.
impl<'a> BlockDraft<'a> {
    /// The parameter of that name, as the user wrote it.
    pub fn given(&self, name: &str) -> Option<&'a GivenParameter<'a>> {
        self.request.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// Reports a parameter that cannot be used.
    pub fn wrong(
        &mut self,
        code: &'static str,
        given: Option<&GivenParameter<'_>>,
        message: String,
        help: &str,
    ) {
        let span = given.map_or(self.request.span, |parameter| parameter.span);
        let label = if given.is_some() { "this parameter" } else { "this component" };
        self.report.push(Diagnostic::error(code, message).maybe_at(span, label).help(help));
    }

    /// `wave.amplitude`, for messages.
    pub fn path(&self, name: &str) -> String {
        match self.request.component {
            "" => format!("`{name}`"),
            component => format!("`{component}.{name}`"),
        }
    }

    fn numbers(&mut self, name: &str, shape: &[usize], default: f64) -> Vec<f64> {
        let count = shape.iter().product();
        let stand_in = vec![default; count];
        let Some(given) = self.given(name) else { return stand_in };
        let found = given.value.shape();
        let list = match given.value.to_values(ValueType::Float64, &[]) {
            Ok(Values::Float64(list)) => list,
            Ok(_) => unreachable!("asked for Float64"),
            Err(error) => {
                let message = format!("{}: {error}", self.path(name));
                let help = number_help(given.value);
                self.wrong("model::parameter-type", Some(given), message, &help);
                return stand_in;
            }
        };
        match found {
            Some(found) if found.is_empty() => vec![list[0]; count],
            Some(found) if found == shape => list,
            found => {
                let found = found.map_or("ragged rows".to_owned(), |found| shape_text(&found));
                let (path, takes) = (self.path(name), shape_text(shape));
                let message = format!("{path} takes {takes}, but was given {found}");
                let help = "one number applies to all elements";
                self.wrong("model::parameter-shape", Some(given), message, help);
                stand_in
            }
        }
    }

    fn check_min(&mut self, slot: Slot, min: f64) {
        let variable = &self.variables[slot.0];
        let Some(Values::Float64(list)) = &variable.start else { return };
        let Some(&low) = list.iter().find(|value| **value < min || value.is_nan()) else { return };
        let name = variable.name.clone();
        let message = format!("{} is {low:?}, but must be at least {min:?}", self.path(&name));
        let help = format!("`{name}`: {}", self.variables[slot.0].description);
        self.wrong("model::parameter-range", self.given(&name), message, &help);
    }

    /// One of several keywords, as a shaping parameter; the first is the default.
    pub fn choice(&mut self, name: &str, choices: &[&'static str], text: &str) -> &'static str {
        let given = self.given(name);
        let written = match given.map(|given| given.value) {
            None => choices[0].to_owned(),
            Some(Literal::Text(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        let chosen = choices.iter().find(|choice| **choice == written);
        if chosen.is_none() {
            let message = format!("{} cannot be `{written}`", self.path(name));
            let help = format!("write {}", quoted(choices));
            self.wrong("model::parameter-choice", given, message, &help);
        }
        let chosen = chosen.copied().unwrap_or(choices[0]);
        self.shaping(name, &[], Values::String(vec![chosen.to_owned()]), text);
        chosen
    }

    /// The shape of element-wise blocks: scalar, or as many elements as `size` says.
    pub fn size(&mut self) -> Vec<usize> {
        let Some(given) = self.given("size") else { return Vec::new() };
        let size = match given.value {
            Literal::Integer(size) => usize::try_from(*size).ok().filter(|size| size_fits(*size)),
            _ => None,
        };
        let Some(size) = size else {
            let message = format!("{} cannot be {}", self.path("size"), given.value);
            let help = format!("write a whole number from 1 to {SIZE_MAX}, or leave it out");
            self.wrong("model::parameter-range", Some(given), message, &help);
            return Vec::new();
        };
        let start = Values::UInt64(vec![size as u64]);
        self.shaping("size", &[], start, "how many elements the arrays have");
        vec![size]
    }
}

/// The longest array of an element-wise block.
const SIZE_MAX: usize = 1_000_000;

fn size_fits(size: usize) -> bool {
    (1..=SIZE_MAX).contains(&size)
}

/// How a number is written, for one who wrote text instead: with a comma, or with a unit behind it.
fn number_help(value: &Literal) -> String {
    let Literal::Text(text) = value else { return "write it as in `1.5`".to_owned() };
    let pointed = text.replacen(',', ".", 1);
    if pointed.parse::<f64>().is_ok() {
        return format!("write a decimal point: `{pointed}`");
    }
    let end = text.find(|it: char| !(it.is_ascii_digit() || "+-.".contains(it)));
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    match number.parse::<f64>() {
        Ok(_) => format!(
            "write the unit beside the number: `{{ value = {number}, unit = \"{0}\" }}` in the system, \
             `{number} {0}` in an option",
            unit.trim()
        ),
        Err(_) => "write it as in `1.5`".to_owned(),
    }
}

/// `a scalar`, `3 elements`, `2 x 3`.
pub(super) fn shape_text(shape: &[usize]) -> String {
    match shape {
        [] => "a scalar".to_owned(),
        [1] => "1 element".to_owned(),
        [count] => format!("{count} elements"),
        _ => shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x "),
    }
}

/// `"linear"` or `"hold"`.
fn quoted(choices: &[&str]) -> String {
    let quoted: Vec<String> = choices.iter().map(|choice| format!("`\"{choice}\"`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}
