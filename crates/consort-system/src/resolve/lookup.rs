//! `component.variable[i, j]` to a port.

use super::context::{Context, Written};
use crate::resolved::Port;
use consort_core::{Causality, ComponentId, Diagnostic, ModelDescription, Variable, VariableId};

/// A port and what it is a part of.
#[derive(Clone, Copy)]
pub(super) struct Found<'a> {
    pub(super) port: Port,
    pub(super) model: &'a ModelDescription,
    pub(super) variable: &'a Variable,
}

impl<'a> Context<'a, '_> {
    /// The port that is written, or the reason why there is none. Nothing is said about components
    /// whose model is missing. `wanted` is what suggestions are made from.
    pub(super) fn find(
        &mut self,
        written: Written<'_>,
        wanted: Option<Causality>,
    ) -> Option<Found<'a>> {
        let written = written.trim();
        let Some(dot) = written.text.find('.') else {
            self.report_no_variable(written);
            return None;
        };
        let component = self.find_component(written.part(0..dot))?;
        let model = self.names.model(component)?;
        let path = written.part(dot + 1..written.text.len());
        if let Some(id) = self.names.variable(component, path.text) {
            return Some(self.whole(component, model, id));
        }
        let element = path.text.rfind('[').filter(|_| path.text.ends_with(']')).and_then(|open| {
            let id = self.names.variable(component, path.text[..open].trim_end())?;
            Some((id, path.part(open + 1..path.text.len() - 1)))
        });
        if let Some((id, indices)) = element {
            let found = self.whole(component, model, id);
            return self.element(found, indices);
        }
        self.report_unknown_variable(component, model, path, wanted);
        None
    }

    pub(super) fn find_component(&mut self, written: Written<'_>) -> Option<ComponentId> {
        if let Some(component) = self.names.component(written.text) {
            return Some(component);
        }
        let names: Vec<&'a str> = self.names.component_names().collect();
        let nearest = self.suggest(written.text, names.iter().copied());
        if let Some(meant) = nearest.and_then(|name| self.names.component(name)) {
            self.doubtful[meant.index()] = true;
        }
        let help = match nearest {
            Some(name) => format!("did you mean `{name}`?"),
            None => self.name_help(written.text, names.iter().copied(), "components"),
        };
        let message = format!("the system has no component `{}`", written.text);
        self.push(
            Diagnostic::error("system::unknown-component", message)
                .maybe_at(written.span, "not found")
                .help(help),
        );
        None
    }

    /// All elements of a variable.
    pub(super) fn whole(
        &self,
        component: ComponentId,
        model: &'a ModelDescription,
        id: VariableId,
    ) -> Found<'a> {
        let count = self.count(component, id);
        let port = Port { component, variable: id, first: 0, count };
        Found { port, model, variable: &model.variables[id.index()] }
    }

    /// `component.variable`, for messages.
    pub(super) fn path(&self, found: Found<'_>) -> String {
        format!("{}.{}", self.component_name(found.port.component), found.variable.name)
    }

    fn element(&mut self, found: Found<'a>, indices: Written<'_>) -> Option<Found<'a>> {
        let extents = self.extents(found.port.component, found.port.variable);
        let name = &found.variable.name;
        let numbers: Option<Vec<u64>> =
            indices.text.split(',').map(|index| index.trim().parse().ok()).collect();
        let problem = match &numbers {
            None => format!("`[{}]` is no list of indices", indices.text),
            Some(_) if extents.is_empty() => format!("`{name}` is no array"),
            Some(numbers) if numbers.len() != extents.len() => {
                format!("`{name}` takes {} indices, not {}", extents.len(), numbers.len())
            }
            Some(numbers) => match first_outside(numbers, &extents) {
                Some((index, extent)) => format!("`{name}` has no index {index}: it has {extent}"),
                None => {
                    let first = row_major(numbers, &extents);
                    return Some(Found { port: Port { first, count: 1, ..found.port }, ..found });
                }
            },
        };
        self.doubtful[found.port.component.index()] = true;
        self.push(
            Diagnostic::error("system::bad-index", problem)
                .maybe_at(indices.span, "not an element")
                .help(index_help(name, &extents)),
        );
        None
    }

    fn report_no_variable(&mut self, written: Written<'_>) {
        let message = format!("`{}` names no variable of a component", written.text);
        self.push(
            Diagnostic::error("system::bad-path", message)
                .maybe_at(written.span, "expected `component.variable`")
                .help("write the component, a dot and the variable, such as `tank.level`"),
        );
    }

    pub(super) fn report_unknown_variable(
        &mut self,
        component: ComponentId,
        model: &'a ModelDescription,
        path: Written<'_>,
        wanted: Option<Causality>,
    ) {
        self.doubtful[component.index()] = true;
        let fits = move |variable: &&Variable| wanted.is_none_or(|it| variable.causality == it);
        let names = model.variables.iter().filter(fits).map(|variable| variable.name.as_str());
        let title = match wanted {
            Some(Causality::Output) => "outputs",
            Some(Causality::Input) => "inputs",
            Some(Causality::Parameter) => "parameters",
            _ => "variables",
        };
        let any = model.variables.iter().map(|variable| variable.name.as_str());
        let near = self.suggest(path.text, names.clone()).or_else(|| self.suggest(path.text, any));
        let help = match near {
            Some(name) => format!("did you mean `{name}`?"),
            None => self.name_help(path.text, names, title),
        };
        let message =
            format!("`{}` has no variable `{}`", self.component_name(component), path.text);
        self.push(
            Diagnostic::error("system::unknown-variable", message)
                .maybe_at(path.span, "not found")
                .help(help),
        );
    }
}

fn first_outside(numbers: &[u64], extents: &[u64]) -> Option<(u64, u64)> {
    let pairs = numbers.iter().copied().zip(extents.iter().copied());
    pairs.into_iter().find(|(index, extent)| *index < 1 || extent < index)
}

/// The place of an element, counted from 0; indices are counted from 1 and within the extents.
fn row_major(numbers: &[u64], extents: &[u64]) -> u32 {
    let place = numbers.iter().zip(extents).try_fold(0u64, |place, (index, extent)| {
        place.checked_mul(*extent)?.checked_add(index - 1)
    });
    // Only an array that was reported as too large has places that do not fit.
    place.and_then(|place| u32::try_from(place).ok()).unwrap_or(0)
}

fn index_help(name: &str, extents: &[u64]) -> String {
    if extents.is_empty() {
        return format!("write `{name}` without brackets");
    }
    let first: Vec<&str> = extents.iter().map(|_| "1").collect();
    let last: Vec<String> = extents.iter().map(u64::to_string).collect();
    format!("elements are `{name}[{}]` to `{name}[{}]`", first.join(","), last.join(","))
}
