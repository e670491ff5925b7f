//! From a path to a system that can run: read, load models, resolve, plan; or everything that is
//! wrong with it, at once.

mod alone;
mod foreign;
mod isolation;
mod overrides;
pub mod selection;
mod solving;
mod source;

use crate::models::ModelOptions;
use crate::request::{Changes, FormOptions};
use consort_core::{Diagnostic, ModelDescription, Report};
use consort_formats::multimodel::Keys;
use consort_models::loader::Loader;
use consort_models::{GivenParameter, LoadedModel, ModelRequest, ModelSource};
use consort_run::error::{Error, plain_words};
use consort_run::paths::whole;
use consort_run::prepared::text_hash;
use consort_run::{InputHash, Prepared, PreparedHashes, PreparedModel, PreparedSource};
use consort_system::{Component, Plan, ResolvedSystem, SystemDescription};
pub(crate) use source::Source;
use std::path::{Path, PathBuf};

pub use consort_models::sha256;
pub use source::{is_neither, is_scenario, is_system, system_file};

/// A system that was read, with its models as far as they could be loaded.
pub struct Loaded {
    /// The system file, as typed.
    pub path: PathBuf,
    /// The text of the system file.
    pub text: String,
    /// The system description in it, with the changes of the options.
    pub system: SystemDescription,
    /// The folder that paths of models are relative to.
    pub base: PathBuf,
    /// That folder is in the cache: the files of an archive.
    pub is_unpacked: bool,
    /// What a multi-model calls the FMUs.
    pub keys: Keys,
    /// The models, one per component.
    pub models: Vec<Option<LoadedPart>>,
    /// Every file that decides what the run does.
    pub inputs: Vec<InputHash>,
}

/// The model of a component.
pub struct LoadedPart {
    /// The model, and what it was made from.
    pub loaded: LoadedModel,
    /// What the loader was asked for.
    source: ModelSource,
}

impl LoadedPart {
    /// The description of the model.
    pub fn description(&self) -> &ModelDescription {
        self.loaded.model.description()
    }

    /// `base` is the absolute path of the request's folder: a model may leave the working folder when it is loaded.
    fn load(
        request: &ModelRequest<'_>,
        base: &Path,
        loader: &mut Loader,
        report: &mut Report,
    ) -> Option<Self> {
        let base = base.to_owned();
        let loaded = loader.load(request, report)?;
        Some(LoadedPart { loaded, source: ModelSource { base, ..ModelSource::of(request) } })
    }
}

/// Everything before the first instance is made; `report` holds what is known to be wrong already.
///
/// # Errors
/// Everything that is wrong with the system and its changes, at once.
pub fn prepare(
    path: &Path,
    changes: &Changes,
    models: &ModelOptions,
    mut report: Report,
) -> Result<Prepared, Error> {
    match source::read(path, &changes.form, models, &mut report)? {
        Some(source) => prepare_source(source, changes, models, report),
        None => Err(Error::Invalid { report }),
    }
}

/// The same of a system that was read or built; `report` has the texts that it points into.
///
/// # Errors
/// As [`prepare`].
pub(crate) fn prepare_source(
    source: Source,
    changes: &Changes,
    models: &ModelOptions,
    mut report: Report,
) -> Result<Prepared, Error> {
    let loaded = load_source(source, changes, models, &mut report)?;
    match loaded.resolve_and_plan(&mut report) {
        Some(planned) if !report.has_errors() => {
            let mut prepared = loaded.into_prepared(planned, report);
            prepared.options = serde_json::to_value(changes).expect("changes are plain data");
            Ok(prepared)
        }
        _ => Err(Error::Invalid { report }),
    }
}

/// The same, of a system that is changed after its models were loaded; what is wrong goes to the
/// report.
///
/// # Errors
/// If there is no system at all.
pub fn prepare_changed(
    path: &Path,
    changes: &Changes,
    models: &ModelOptions,
    report: &mut Report,
    change: &dyn Fn(&mut SystemDescription, &[Option<&ModelDescription>]),
) -> Result<Option<Prepared>, Error> {
    let before = report.error_count();
    let Some(mut loaded) = load(path, changes, models, report)? else { return Ok(None) };
    change(&mut loaded.system, &descriptions(&loaded.models));
    let planned = loaded.resolve_and_plan(report);
    let planned = planned.filter(|_| report.error_count() == before);
    Ok(planned.map(|planned| loaded.into_prepared(planned, Report::default())))
}

/// Reads a system, without its models.
///
/// # Errors
/// Everything that is wrong with what is written.
pub(crate) fn read(
    path: &Path,
    form: &FormOptions,
    models: &ModelOptions,
) -> Result<(Source, Report), Error> {
    let mut report = Report::default();
    match source::read(path, form, models, &mut report)? {
        Some(source) if !report.has_errors() => Ok((source, report)),
        _ => Err(Error::Invalid { report }),
    }
}

/// Reads a system and loads its models; what is wrong goes to the report.
///
/// # Errors
/// If there is no system at all.
pub fn load(
    path: &Path,
    changes: &Changes,
    options: &ModelOptions,
    report: &mut Report,
) -> Result<Option<Loaded>, Error> {
    let source = source::read(path, &changes.form, options, report)?;
    source.map(|source| load_source(source, changes, options, report)).transpose()
}

/// Changes a system and loads its models; what is wrong goes to the report.
fn load_source(
    mut source: Source,
    changes: &Changes,
    options: &ModelOptions,
    report: &mut Report,
) -> Result<Loaded, Error> {
    overrides::apply(changes, &mut source.system, source.alone.as_ref(), report);
    let Source {
        path,
        mut text,
        mut system,
        base,
        is_unpacked,
        is_lenient,
        mut inputs,
        searched,
        keys,
        alone,
    } = source;
    read_input_table(&mut system, changes, &base, &mut inputs, report);
    let mut loader = options.loader_for(changes);
    if let Some(program) = &options.foreign {
        foreign::attach(program, &system, &mut loader)?;
    }
    let models = match &alone {
        Some(alone) => vec![alone.load(&system, &mut loader, report)],
        None => {
            load_models(&system, Places { base: &base, searched: &searched }, &mut loader, report)
        }
    };
    inputs.extend(model_inputs(&models));
    solving::check_defaults(&system.experiment.solver, &models, report);
    if let Some(alone) = &alone {
        if alone.is_missing() {
            return Err(not_loaded(&alone.asked, std::mem::take(report)));
        }
        alone.rename(&system, &mut inputs);
        if let Some(part) = models.iter().flatten().next() {
            alone.complete(&mut system, part.description(), changes, report);
        }
    }
    let described = descriptions(&models);
    let chosen = selection::apply(&changes.record, &mut system, &described, alone.as_ref(), report);
    if let Some(alone) = &alone {
        alone.draw(&chosen, &mut system, &described);
        text = consort_formats::write_system(&system);
    }
    if is_lenient {
        consort_formats::ssp::drop_unknown_parameters(&mut system, &described, report);
    }
    Ok(Loaded { path, text, system, base, is_unpacked, keys, models, inputs })
}

/// Why a model that was named on the command line cannot be used: it is wrong, or there is nothing at its path.
pub fn not_loaded(model: &str, report: Report) -> Error {
    match model.contains(':') || Path::new(model).exists() {
        true => Error::Invalid { report },
        false => Error::Failed { report },
    }
}

impl Loaded {
    /// What the models are, as far as they could be loaded.
    pub fn descriptions(&self) -> Vec<Option<&ModelDescription>> {
        descriptions(&self.models)
    }

    /// What the system means, or what is wrong with it.
    pub fn resolve(&self, report: &mut Report) -> Option<ResolvedSystem> {
        consort_system::resolve(&self.system, &self.descriptions(), report)
    }

    /// What the system means and how it is computed, or what is wrong with it.
    pub fn resolve_and_plan(&self, report: &mut Report) -> Option<Planned> {
        let mut resolved = self.resolve(report)?;
        let descriptions: Vec<&ModelDescription> =
            self.descriptions().into_iter().flatten().collect();
        let errors_before = report.error_count();
        consort_planner::settle_loops(&mut resolved, &descriptions, report);
        if errors_before < report.error_count() {
            return None;
        }
        let plan = consort_planner::plan(&resolved, &descriptions, report)?;
        judge(&resolved, &descriptions, &plan);
        let text = plan.to_text(&resolved, &descriptions);
        Some(Planned { hash: text_hash(&text), resolved, plan })
    }

    fn into_prepared(self, planned: Planned, report: Report) -> Prepared {
        let mut system = self.system;
        let patterns = std::mem::take(&mut system.experiment.plot).into_iter();
        let experiment = text_hash(&consort_formats::write_system(&system));
        system.experiment.stop = None;
        let resumable = text_hash(&consort_formats::write_system(&system));
        let hashes = PreparedHashes { plan: planned.hash, experiment, resumable };
        let source = PreparedSource {
            path: self.path,
            text: self.text,
            inputs: self.inputs,
            plot: patterns.map(|pattern| pattern.value).collect(),
        };
        let models = self.models.into_iter().flatten();
        let models = models.map(|LoadedPart { loaded, source }| {
            let LoadedModel { model, saved_by, .. } = loaded;
            PreparedModel { model, saved_by, source }
        });
        let Planned { resolved, plan, .. } = planned;
        Prepared::new(source, resolved, plan, models.collect(), hashes, report)
    }
}

/// Every plan is checked before it runs, by code that shares nothing with what made it.
///
/// # Panics
/// If the plan is wrong: nothing the user wrote can be the reason.
fn judge(system: &ResolvedSystem, models: &[&ModelDescription], plan: &Plan) {
    if let Err(violation) = consort_check::check_plan(system, models, plan) {
        panic!("the plan of `{}` is wrong: {violation}", system.name);
    }
}

/// What a system means and how it is computed.
pub struct Planned {
    /// The system with ids, ticks and typed values.
    pub resolved: ResolvedSystem,
    plan: Plan,
    hash: String,
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The table of the command line, which is found from here, or that of the experiment, which is
/// found beside the system.
fn read_input_table(
    system: &mut SystemDescription,
    changes: &Changes,
    base: &Path,
    inputs: &mut Vec<InputHash>,
    report: &mut Report,
) {
    let written = system.experiment.input.as_ref();
    // The name in messages is the one that was typed; in a record it is the same wherever that was.
    let (path, name, kept, span) = match (&changes.input, written) {
        (Some(path), _) => (path.clone(), path.display().to_string(), file_name(path), None),
        (None, Some(name)) => {
            (base.join(&name.value), name.value.clone(), name.value.clone(), name.span)
        }
        (None, None) => return,
    };
    match std::fs::read(&path) {
        Ok(bytes) => {
            inputs.push(InputHash::new(&kept, "table", &bytes));
            system.inputs = consort_formats::read_inputs(&name, &bytes, report);
        }
        Err(error) => {
            let said = plain_words(&error);
            let message = format!("the table `{name}` could not be read: {said}");
            // A table named in the system has a span; one named on the command line has none.
            let (code, from) = match span {
                Some(_) => ("system::no-table", "the folder of the system file"),
                None => ("cli::read-failed", "the current folder"),
            };
            let diagnostic = Diagnostic::error(code, message);
            let diagnostic = diagnostic.maybe_at(span, "named here");
            report.push(diagnostic.help(format!("paths are relative to {from}")));
        }
    }
}

/// Where models are, and where they were looked for.
#[derive(Clone, Copy)]
struct Places<'p> {
    base: &'p Path,
    searched: &'p [String],
}

fn load_models(
    system: &SystemDescription,
    places: Places<'_>,
    loader: &mut Loader,
    report: &mut Report,
) -> Vec<Option<LoadedPart>> {
    let base = whole(places.base);
    let load = |component: &Component| {
        let parameters = parameters(component);
        let request = ModelRequest {
            component: &component.name.value,
            span: component.model.span,
            parameters: &parameters,
            solving: solving::request(component, &system.experiment.solver),
            searched: places.searched,
            ..isolation::request(component, &system.experiment, &component.model.value, places.base)
        };
        LoadedPart::load(&request, &base, loader, report)
    };
    system.components.iter().map(load).collect()
}

/// What the shape of a native block depends on.
fn parameters(component: &Component) -> Vec<GivenParameter<'_>> {
    let written = component.parameters.iter();
    let parameters = written.map(|parameter| GivenParameter {
        name: &parameter.name.value,
        value: &parameter.value.value,
        has_unit: parameter.unit.is_some(),
        span: parameter.value.span,
    });
    parameters.collect()
}

fn descriptions(models: &[Option<LoadedPart>]) -> Vec<Option<&ModelDescription>> {
    models.iter().map(|part| part.as_ref().map(LoadedPart::description)).collect()
}

/// Each file once, by path.
fn model_inputs(models: &[Option<LoadedPart>]) -> Vec<InputHash> {
    let files = models.iter().flatten().flat_map(|part| &part.loaded.inputs);
    let mut inputs: Vec<InputHash> = files.map(InputHash::from).collect();
    inputs.sort();
    inputs.dedup();
    inputs
}
