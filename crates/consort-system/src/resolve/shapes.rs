//! How many elements every variable has, once structural parameters are known.

use super::context::{Context, Written};
use crate::system::{Parameter, Spanned};
use consort_core::{
    Causality, ComponentId, Diagnostic, Dimension, ModelDescription, ValueType, Variable,
    VariableId,
};
use std::collections::BTreeMap;

/// More elements than this in one variable are taken for a mistake.
pub const ELEMENTS_MAX: u64 = 1 << 24;

/// The sizes of one component's variables.
pub(super) struct Sizes {
    /// Number of elements, by variable.
    pub(super) counts: Vec<u32>,
    /// What the user gave structural parameters.
    given: BTreeMap<VariableId, u64>,
}

impl Sizes {
    /// The extent of each dimension; a structural parameter without a value counts as 1.
    pub(super) fn extents(&self, model: &ModelDescription, variable: &Variable) -> Vec<u64> {
        let extent = |dimension: &Dimension| match dimension {
            Dimension::Fixed(extent) => *extent,
            Dimension::Structural(id) => {
                self.given.get(id).copied().or_else(|| start_of(model, *id)).unwrap_or(1)
            }
        };
        variable.dimensions.iter().map(extent).collect()
    }
}

fn start_of(model: &ModelDescription, id: VariableId) -> Option<u64> {
    let start = model.variables.get(id.index())?.start.as_ref()?;
    if start.is_empty() { None } else { whole(start.view().as_f64(0)?) }
}

/// Sizes are far below 2^53, so that a double holds them exactly.
fn whole(value: f64) -> Option<u64> {
    let fits = value.fract() == 0.0 && (1.0..=ELEMENTS_MAX as f64).contains(&value);
    fits.then_some(value as u64)
}

pub(super) fn resolve(context: &mut Context<'_, '_>) -> Vec<Sizes> {
    let mut cache: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    let mut all = Vec::with_capacity(context.system.components.len());
    for index in 0..context.system.components.len() {
        let mut sizes = Sizes { counts: Vec::new(), given: BTreeMap::new() };
        if let Some((key, model)) = context.names.model_key(index) {
            let id = ComponentId::from_index(index);
            sizes.given = given(context, id, model);
            sizes.counts = match cache.get(&key) {
                Some(counts) if sizes.given.is_empty() => counts.clone(),
                _ => counts(context, id, model, &sizes),
            };
            if sizes.given.is_empty() {
                cache.entry(key).or_insert_with(|| sizes.counts.clone());
            }
        }
        all.push(sizes);
    }
    all
}

/// The user's values for structural parameters; values that do not fit their variable's type are
/// reported with the other parameters.
fn given(
    context: &mut Context<'_, '_>,
    component: ComponentId,
    model: &ModelDescription,
) -> BTreeMap<VariableId, u64> {
    let mut given = BTreeMap::new();
    for parameter in &context.system.components[component.index()].parameters {
        let Some(id) = context.names.variable(component, &parameter.name.value) else { continue };
        let variable = &model.variables[id.index()];
        if variable.causality != Causality::StructuralParameter || !is_size(model, id) {
            continue;
        }
        let Ok(values) = parameter.value.value.to_values(ValueType::Int64, &[]) else { continue };
        let size = if values.len() == 1 { values.view().as_f64(0) } else { None };
        match size.and_then(whole) {
            Some(size) => {
                given.insert(id, size);
            }
            None => report_size(context, component, parameter),
        }
    }
    given
}

fn is_size(model: &ModelDescription, id: VariableId) -> bool {
    let uses = |variable: &Variable| variable.dimensions.contains(&Dimension::Structural(id));
    model.variables.iter().any(uses)
}

fn report_size(context: &mut Context<'_, '_>, component: ComponentId, parameter: &Parameter) {
    let name = context.component_name(component);
    let message = format!("`{name}.{}` cannot be {}", parameter.name.value, parameter.value.value);
    context.push(
        Diagnostic::error("system::bad-size", message)
            .maybe_at(parameter.value.span, "it is the size of an array")
            .help(format!("give a whole number from 1 to {ELEMENTS_MAX}")),
    );
}

fn counts(
    context: &mut Context<'_, '_>,
    component: ComponentId,
    model: &ModelDescription,
    sizes: &Sizes,
) -> Vec<u32> {
    let mut counts = Vec::with_capacity(model.variables.len());
    for variable in &model.variables {
        let extents = sizes.extents(model, variable);
        let product = extents.iter().try_fold(1u64, |product, &extent| {
            product.checked_mul(extent).filter(|&product| product <= ELEMENTS_MAX)
        });
        counts.push(product.and_then(|count| u32::try_from(count).ok()).unwrap_or_else(|| {
            report_too_many(context, component, variable, &extents);
            1
        }));
    }
    counts
}

fn report_too_many(
    context: &mut Context<'_, '_>,
    component: ComponentId,
    variable: &Variable,
    extents: &[u64],
) {
    let name: &Spanned<String> = &context.system.components[component.index()].name;
    let size: Vec<String> = extents.iter().map(u64::to_string).collect();
    let path = format!("{}.{}", name.value, variable.name);
    let message =
        format!("`{path}` would have {} elements, more than {ELEMENTS_MAX}", size.join(" x "));
    let diagnostic = Diagnostic::error("system::too-many-elements", message)
        .maybe_at(Written::new(name).span, "in this component")
        .help("give the structural parameters smaller values");
    context.push(diagnostic);
}
