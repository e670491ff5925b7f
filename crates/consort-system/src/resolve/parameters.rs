//! Values for parameters and start values.

use super::context::{Context, Written};
use super::values::{Given, Purpose, repeat};
use crate::system::Parameter;
use consort_core::{
    Causality, ComponentId, Diagnostic, ModelDescription, Setting, Span, ValueType, Values,
    Variability, Variable, VariableId,
};
use std::collections::BTreeMap;

/// The values that are set in a component before it is initialized.
#[derive(Default)]
pub(super) struct Settings {
    pub(super) structural: Vec<Setting>,
    pub(super) settings: Vec<Setting>,
    /// Everything the user gave a value, fitting or not, in id order.
    pub(super) given: BTreeMap<VariableId, Option<Span>>,
}

impl Settings {
    /// The value a variable has been given or declares, of `count` elements.
    pub(super) fn value(&self, id: VariableId, variable: &Variable, count: u32) -> Option<Values> {
        let given = self.settings.iter().find(|setting| setting.variable == id);
        given.map(|given| given.values.clone()).or_else(|| start_value(variable, count))
    }

    /// Gives a variable a value, instead of another if it has one.
    pub(super) fn put(&mut self, setting: Setting, span: Option<Span>, model: &ModelDescription) {
        self.given.entry(setting.variable).or_insert(span);
        self.settings.retain(|other| other.variable != setting.variable);
        self.settings.push(setting);
        sort(&mut self.settings, model);
    }
}

pub(super) fn resolve(context: &mut Context<'_, '_>) -> Vec<Settings> {
    let ids = (0..context.system.components.len()).map(ComponentId::from_index);
    ids.map(|id| component(context, id)).collect()
}

fn component(context: &mut Context<'_, '_>, id: ComponentId) -> Settings {
    let mut settings = Settings::default();
    let Some(model) = context.names.model(id) else { return settings };
    let component = &context.system.components[id.index()];
    for parameter in &component.parameters {
        read(context, id, model, parameter, &mut settings);
    }
    sort(&mut settings.structural, model);
    sort(&mut settings.settings, model);
    if component.send_start_values {
        let more = start_values(context, id, model, &settings.given);
        settings.settings.extend(more);
    }
    settings
}

/// Parameters first, then inputs, then start values of what the model computes; each by id.
fn sort(settings: &mut [Setting], model: &ModelDescription) {
    settings.sort_by_key(|setting| {
        let rank = match model.variables[setting.variable.index()].causality {
            Causality::Parameter | Causality::StructuralParameter => 0,
            Causality::Input => 1,
            _ => 2,
        };
        (rank, setting.variable)
    });
}

fn read<'a>(
    context: &mut Context<'a, '_>,
    id: ComponentId,
    model: &'a ModelDescription,
    parameter: &Parameter,
    settings: &mut Settings,
) {
    let Some(variable) = context.names.variable(id, &parameter.name.value) else {
        report_unknown(context, id, model, parameter);
        return;
    };
    let found = context.whole(id, model, variable);
    let path = format!("{}.{}", context.component_name(id), parameter.name.value);
    if let Some(first) = settings.given.insert(variable, parameter.name.span) {
        let message = format!("`{path}` is given twice");
        let diagnostic = Diagnostic::error("system::duplicate-parameter", message)
            .maybe_at(parameter.name.span, "given again, by one of its names")
            .help("remove one of the two");
        context.push_with_label(diagnostic, first, "first given here");
    }
    if !is_settable(found.variable) {
        report_not_settable(context, found.variable, &path, parameter);
        return;
    }
    let given =
        Given { value: &parameter.value, unit: parameter.unit.as_ref(), purpose: Purpose::Value };
    let Some(values) = context.values(found, &path, given) else { return };
    let setting = Setting { variable, values, is_given: true };
    match found.variable.causality {
        Causality::StructuralParameter => settings.structural.push(setting),
        _ => settings.settings.push(setting),
    }
}

fn is_settable(variable: &Variable) -> bool {
    variable.is_settable_before_start() && variable.value_type != ValueType::Clock
}

fn report_unknown<'a>(
    context: &mut Context<'a, '_>,
    id: ComponentId,
    model: &'a ModelDescription,
    parameter: &Parameter,
) {
    let written = Written::new(&parameter.name);
    let array = written.text.split_once('[').filter(|_| written.text.ends_with(']'));
    let array = array.filter(|(name, _)| context.names.variable(id, name).is_some());
    let Some((name, _)) = array else {
        let wanted = Some(Causality::Parameter);
        context.report_unknown_variable(id, model, written, wanted);
        return;
    };
    context.doubtful[id.index()] = true;
    let message = format!("`{}` is an element; only whole arrays can be given", written.text);
    context.push(
        Diagnostic::error("system::element-parameter", message)
            .maybe_at(written.span, "one element")
            .help(format!("give all elements: `{name} = [...]`")),
    );
}

fn report_not_settable(
    context: &mut Context<'_, '_>,
    variable: &Variable,
    path: &str,
    parameter: &Parameter,
) {
    let what = match variable.causality {
        _ if variable.value_type == ValueType::Clock => "a clock",
        _ if variable.variability == Variability::Constant => "a constant",
        Causality::Output => "an output without a start value of its own",
        Causality::Local => "a local variable without a start value of its own",
        Causality::CalculatedParameter => "a calculated parameter",
        Causality::Independent => "the time",
        _ => "not settable",
    };
    let message = format!("`{path}` is {what} and cannot be given a value");
    context.push(
        Diagnostic::error("system::not-settable", message)
            .maybe_at(parameter.name.span, "cannot be set before the run")
            .help(
                "values can be given to parameters, inputs, and to outputs and locals \
                 whose initial value is `exact` or `approx`",
            ),
    );
}

/// The description's start values for what the user gave no value.
fn start_values(
    context: &Context<'_, '_>,
    id: ComponentId,
    model: &ModelDescription,
    given: &BTreeMap<VariableId, Option<Span>>,
) -> Vec<Setting> {
    let mut list = Vec::new();
    for (index, variable) in model.variables.iter().enumerate() {
        let variable_id = VariableId::from_index(index);
        let structural = variable.causality == Causality::StructuralParameter;
        if structural || given.contains_key(&variable_id) || !is_settable(variable) {
            continue;
        }
        let values = start_value(variable, context.count(id, variable_id));
        list.extend(values.map(|values| Setting {
            variable: variable_id,
            values,
            is_given: false,
        }));
    }
    sort(&mut list, model);
    list
}

/// The start value in the variable's present size; `None` if it was written for another size.
fn start_value(variable: &Variable, count: u32) -> Option<Values> {
    let start = variable.start.as_ref()?;
    let count = count as usize;
    match start.len() {
        length if length == count => Some(start.clone()),
        1 => Some(repeat(start, count)),
        _ => None,
    }
}
