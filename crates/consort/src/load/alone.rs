//! A model without a system: its default experiment becomes the experiment, and names of
//! variables need no component before them.

mod exact;
mod times;

use super::source::KNOWN;
use super::{InputHash, LoadedPart};
use crate::request::Changes;
use consort_core::{Causality, Diagnostic, ModelDescription, Report, ValueType, Variable};
use consort_models::ModelRequest;
use consort_models::equations::Form;
use consort_models::loader::Loader;
use consort_run::paths::whole;
use consort_system::{Record, Spanned, SystemDescription};
use std::path::{Path, PathBuf};
use times::Times;

/// The most variables that are drawn if none are named.
const DRAWN_MAX: usize = 40;

/// A model that was named in place of a system.
#[derive(Clone, Debug)]
pub(crate) struct Alone {
    /// Its component, and the system.
    pub(super) name: String,
    /// What the loader is asked for: the model as it was typed.
    pub(super) asked: String,
    /// The folder from which it is looked for.
    pub(super) asked_from: PathBuf,
}

impl Alone {
    /// A path of a variable: the component may be left out.
    pub(super) fn path(&self, written: &str) -> String {
        let written = written.trim_start();
        if self.without_component(written).is_some() {
            return written.to_owned();
        }
        format!("{}.{written}", self.name)
    }

    fn without_component<'w>(&self, written: &'w str) -> Option<&'w str> {
        written.strip_prefix(&self.name)?.strip_prefix('.')
    }

    /// Loads the model, as one that is no part of a system file.
    pub(super) fn load(
        &self,
        system: &SystemDescription,
        loader: &mut Loader,
        report: &mut Report,
    ) -> Option<LoadedPart> {
        let component = system.components.first()?;
        let parameters = super::parameters(component);
        let request = ModelRequest {
            parameters: &parameters,
            solving: super::solving::request(component, &system.experiment.solver),
            ..super::isolation::request(
                component,
                &system.experiment,
                &self.asked,
                &self.asked_from,
            )
        };
        let loaded = LoadedPart::load(&request, &whole(&self.asked_from), loader, report);
        let is_unknown = |it: &Diagnostic| it.code == "model::unknown-kind";
        let is_part = self.asked.ends_with("modelDescription.xml");
        if !is_part && !self.asked.contains(':') && report.diagnostics().iter().any(is_unknown) {
            let message = format!("`{}` is not a system either", self.asked);
            report.push(Diagnostic::note("cli::unknown-form", message).help(KNOWN));
        }
        loaded
    }

    /// Files by the name of the model and not by the path it was typed with, so that a run that is
    /// repeated from elsewhere has the same.
    pub(super) fn rename(&self, system: &SystemDescription, inputs: &mut [InputHash]) {
        let Some(component) = system.components.first() else { return };
        for input in inputs {
            if let Ok(below) = Path::new(&input.path).strip_prefix(&self.asked) {
                let names = below.iter().map(|name| name.to_string_lossy());
                let model = std::iter::once(component.model.value.as_str().into());
                input.path = model.chain(names).collect::<Vec<_>>().join("/");
            }
        }
    }

    /// Whether there is no such file.
    pub(super) fn is_missing(&self) -> bool {
        !self.asked.contains(':') && !Path::new(&self.asked).exists()
    }

    /// Completes the system with what the model says about itself, where the options say nothing.
    pub(super) fn complete(
        &self,
        system: &mut SystemDescription,
        model: &ModelDescription,
        changes: &Changes,
        report: &mut Report,
    ) {
        self.find_variables(system, model);
        self.choose_record(system, model, changes, report);
        Times::of(model, Form::of(Path::new(&self.asked)), report).apply(system, changes, report);
        let tolerance = model.default_experiment.tolerance.as_ref();
        let tolerance = tolerance.and_then(|text| text.parse::<f64>().ok());
        let is_fine = |tolerance: &f64| tolerance.is_finite() && 0.0 < *tolerance;
        let own = tolerance.filter(is_fine).map(Spanned::assumed);
        system.experiment.tolerance = system.experiment.tolerance.take().or(own);
    }

    /// The names of a model may begin like that of its component: those win. Columns of the table
    /// get the component they may lack.
    fn find_variables(&self, system: &mut SystemDescription, model: &ModelDescription) {
        let has = |name: &str| {
            let whole = name.split_once('[').map_or(name, |(array, _)| array);
            model.variable(name).is_some() || model.variable(whole).is_some()
        };
        let parameters = system.components.iter_mut().flat_map(|part| &mut part.parameters);
        for parameter in parameters.filter(|parameter| !has(&parameter.name.value)) {
            let whole = format!("{}.{}", self.name, parameter.name.value);
            if has(&whole) {
                parameter.name.value = whole;
            }
        }
        for column in system.inputs.iter_mut().flat_map(|table| &mut table.columns) {
            let written = &column.name.value;
            column.name.value = match has(written) {
                true => format!("{}.{written}", self.name),
                false => self.path(written),
            };
        }
    }

    /// Outputs are recorded and drawn; everything if there are none, unless `--record` says what.
    fn choose_record(
        &self,
        system: &mut SystemDescription,
        model: &ModelDescription,
        changes: &Changes,
        report: &mut Report,
    ) {
        let is_output = |variable: &&Variable| variable.causality == Causality::Output;
        let mut shown: Vec<&Variable> = model.variables.iter().filter(is_output).collect();
        if shown.is_empty() && !model.variables.is_empty() && changes.record.is_empty() {
            shown = model.variables.iter().filter(|it| is_local(it)).collect();
            system.experiment.record = Record::All;
            let message = format!("`{}` has no outputs; all its variables are recorded", self.name);
            report.push(Diagnostic::note("model::no-outputs", message));
        }
        let drawn = shown.into_iter().filter(|it| is_drawn(it)).take(DRAWN_MAX);
        let path = |variable: &Variable| format!("{}.{}", self.name, variable.name);
        system.experiment.plot = drawn.map(|it| Spanned::assumed(path(it))).collect();
    }

    /// What is recorded on request is drawn as well.
    pub(super) fn draw(
        &self,
        chosen: &[String],
        system: &mut SystemDescription,
        models: &[Option<&ModelDescription>],
    ) {
        let Some(Some(model)) = models.first() else { return };
        let plot = &mut system.experiment.plot;
        for variable in model.variables.iter().filter(|it| is_drawn(it)) {
            let path = format!("{}.{}", self.name, variable.name);
            let is_new = plot.iter().all(|it| it.value != path);
            if plot.len() < DRAWN_MAX && is_new && chosen.contains(&path) {
                plot.push(Spanned::assumed(path));
            }
        }
    }
}

/// What can be drawn as a curve.
fn is_drawn(variable: &Variable) -> bool {
    !matches!(variable.value_type, ValueType::Clock | ValueType::String | ValueType::Binary)
}

/// What a model without outputs computes.
fn is_local(variable: &Variable) -> bool {
    variable.causality == Causality::Local
}
