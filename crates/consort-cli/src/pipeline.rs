//! From a path to a system that can run: read, load models, resolve, plan; or everything that is
//! wrong with it, at once.

mod overrides;

use crate::cli::{ExperimentArgs, Global};
use crate::outcome::CommandError;
use crate::output::printer::Printer;
use consort_core::{Diagnostic, Model, ModelDescription, Report};
use consort_models::loader::{Loader, LoaderOptions, default_cache_dir};
use consort_models::{InputFile, LoadedModel, ModelRequest, Parameter};
use consort_system::{Component, Plan, ResolvedSystem, System};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A system in which everything was found and fits, with its models and its plan.
pub(crate) struct Prepared {
    /// The system file, as typed.
    pub(crate) path: PathBuf,
    /// Its text.
    pub(crate) text: String,
    /// What it means.
    pub(crate) resolved: ResolvedSystem,
    /// The order of computation.
    pub(crate) plan: Plan,
    /// `sha256:...` of the plan's text.
    pub(crate) plan_hash: String,
    /// `sha256:...` of the system as it is run, options applied: components, parameters, connections,
    /// seed, interventions; all but what is drawn.
    pub(crate) experiment_hash: String,
    /// One per component.
    pub(crate) models: Vec<Arc<dyn Model>>,
    /// Every file that decides what the run does.
    pub(crate) inputs: Vec<InputHash>,
    /// What the experiment wants drawn: patterns.
    pub(crate) plot: Vec<String>,
    /// What is worth telling although it can run.
    pub(crate) report: Report,
}

/// A file that decides what a run does.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct InputHash {
    /// As the user wrote it.
    pub(crate) path: String,
    /// What it is for the run.
    pub(crate) role: String,
    /// Of its bytes, in hex.
    pub(crate) sha256: String,
}

impl InputHash {
    fn new(path: &str, role: &str, bytes: &[u8]) -> Self {
        InputHash { path: path.to_owned(), role: role.to_owned(), sha256: sha256(bytes) }
    }
}

impl From<&InputFile> for InputHash {
    fn from(file: &InputFile) -> Self {
        InputHash {
            path: file.path.clone(),
            role: file.role.to_string(),
            sha256: file.sha256.clone(),
        }
    }
}

/// A system that was read, with its models as far as they could be loaded.
pub(crate) struct Loaded {
    /// The system file, as typed.
    pub(crate) path: PathBuf,
    /// Its text.
    pub(crate) text: String,
    /// What it says, changed as the options say.
    pub(crate) system: System,
    /// One per component.
    pub(crate) models: Vec<Option<LoadedModel>>,
    /// Every file that decides what the run does.
    pub(crate) inputs: Vec<InputHash>,
}

/// Everything before the first instance is made.
///
/// # Errors
/// Everything that is wrong with the system and the options, at once.
pub(crate) fn prepare(
    path: &Path,
    args: &ExperimentArgs,
    global: &Global,
    printer: &Printer,
) -> Result<Prepared, CommandError> {
    let _waiting = printer.waiting(&format!("loading {}", path.display()));
    let mut report = Report::default();
    let loaded = load(path, args, global, &mut report)?;
    let planned = loaded.and_then(|loaded| {
        let planned = loaded.resolve_and_plan(&mut report)?;
        Some((loaded, planned))
    });
    match planned {
        Some((loaded, planned)) if !report.has_errors() => {
            Ok(loaded.into_prepared(planned, report))
        }
        _ => Err(CommandError::Invalid { report }),
    }
}

/// Reads a system and loads its models; what is wrong goes to the report.
///
/// # Errors
/// If there is no system at all.
pub(crate) fn load(
    path: &Path,
    args: &ExperimentArgs,
    global: &Global,
    report: &mut Report,
) -> Result<Option<Loaded>, CommandError> {
    if let Some(error) = is_a_model(path) {
        return Err(error);
    }
    let path = system_file(path);
    let text = read_text(&path)?;
    let name = path.display().to_string();
    let mut inputs = vec![InputHash::new(&file_name(&path), "system", text.as_bytes())];
    let Some(mut system) = consort_formats::read_system(&name, &text, report) else {
        return Ok(None);
    };
    call_after_folder(&mut system, &path);
    overrides::apply(args, &mut system, report);
    let base = folder_of(&path);
    read_input_table(&mut system, args, &base, &mut inputs, report);
    let mut loader = loader(global, args.python_library.as_deref());
    let models = load_models(&system, &base, &mut loader, report);
    inputs.extend(model_inputs(&models));
    Ok(Some(Loaded { path, text, system, models, inputs }))
}

impl Loaded {
    /// What the models are, as far as they could be loaded.
    pub(crate) fn descriptions(&self) -> Vec<Option<&ModelDescription>> {
        let models = self.models.iter();
        models.map(|loaded| loaded.as_ref().map(|loaded| loaded.model.description())).collect()
    }

    /// What the system means and how it is computed, or what is wrong with it.
    pub(crate) fn resolve_and_plan(&self, report: &mut Report) -> Option<Planned> {
        let descriptions = self.descriptions();
        let resolved = consort_system::resolve(&self.system, &descriptions, report)?;
        let descriptions: Vec<&ModelDescription> = descriptions.into_iter().flatten().collect();
        if descriptions.len() != resolved.components.len() || report.has_errors() {
            return None;
        }
        let plan = consort_planner::plan(&resolved, &descriptions, report);
        let text = plan.to_text(&resolved, &descriptions);
        Some(Planned { resolved, plan, hash: format!("sha256:{}", sha256(text.as_bytes())) })
    }

    fn into_prepared(self, planned: Planned, report: Report) -> Prepared {
        let mut system = self.system;
        let patterns = std::mem::take(&mut system.experiment.plot).into_iter();
        let written = consort_formats::write_system(&system);
        Prepared {
            experiment_hash: format!("sha256:{}", sha256(written.as_bytes())),
            path: self.path,
            text: self.text,
            resolved: planned.resolved,
            plan: planned.plan,
            plan_hash: planned.hash,
            models: self.models.into_iter().flatten().map(|loaded| loaded.model).collect(),
            inputs: self.inputs,
            plot: patterns.map(|pattern| pattern.value).collect(),
            report,
        }
    }
}

/// What a system means and how it is computed.
pub(crate) struct Planned {
    /// What it means.
    pub(crate) resolved: ResolvedSystem,
    plan: Plan,
    hash: String,
}

/// The file of a system: of a folder, its `system.toml`.
pub(crate) fn system_file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("system.toml") } else { path.to_owned() }
}

/// Whoever runs an FMU needs to know that it takes a system to run it.
fn is_a_model(path: &Path) -> Option<CommandError> {
    let is_archive = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("fmu"));
    let has = |name: &str| path.join(name).is_file();
    let is_folder = has("modelDescription.xml") && !has("system.toml");
    if !is_archive && !is_folder {
        return None;
    }
    let name = path.display();
    let diagnostic =
        Diagnostic::error("cli::is-a-model", format!("`{name}` is a model, no system"))
            .with_note(
                "a system is a `system.toml` that names models and says how they are connected",
            )
            .help(format!("`consort inspect {name}` shows what the model is"));
    Some(CommandError::invalid(diagnostic))
}

fn read_text(path: &Path) -> Result<String, CommandError> {
    let bytes = std::fs::read(path).map_err(|error| {
        let message =
            format!("`{}` could not be read: {}", path.display(), crate::outcome::said(&error));
        let diagnostic = Diagnostic::error("cli::no-system", message);
        CommandError::failed(
            diagnostic.help("name a folder with a `system.toml`, or the file itself"),
        )
    })?;
    String::from_utf8(bytes).map_err(|_| {
        let message = format!("`{}` is not text in UTF-8", path.display());
        CommandError::invalid(Diagnostic::error("cli::not-text", message))
    })
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().map(Path::to_owned).unwrap_or_default()
}

/// `consort run .` names no folder, but the system has one.
fn call_after_folder(system: &mut System, path: &Path) {
    let is_unnamed = system.name == "system" && file_name(path) == "system.toml";
    let folder = path.canonicalize().ok().and_then(|path| path.parent().map(file_name));
    if let Some(name) = folder.filter(|name| is_unnamed && !name.is_empty()) {
        system.name = name;
    }
}

/// The table of the command line, which is found from here, or that of the experiment, which is
/// found beside the system.
fn read_input_table(
    system: &mut System,
    args: &ExperimentArgs,
    base: &Path,
    inputs: &mut Vec<InputHash>,
    report: &mut Report,
) {
    let written = system.experiment.input.as_ref();
    let (path, name, span) = match (&args.input, written) {
        (Some(path), _) => (path.clone(), file_name(path), None),
        (None, Some(name)) => (base.join(&name.value), name.value.clone(), name.span),
        (None, None) => return,
    };
    match std::fs::read(&path) {
        Ok(bytes) => {
            inputs.push(InputHash::new(&name, "table", &bytes));
            system.inputs = consort_formats::read_inputs(&name, &bytes, report);
        }
        Err(error) => {
            let said = crate::outcome::said(&error);
            let message = format!("the table `{name}` could not be read: {said}");
            // A table named in the system has a span; one named on the command line has none.
            let from = span.map_or("the current folder", |_| "the folder of the system file");
            let diagnostic = Diagnostic::error("system::no-table", message);
            let diagnostic = diagnostic.maybe_at(span, "named here");
            report.push(diagnostic.help(format!("paths are relative to {from}")));
        }
    }
}

/// A loader for the models of a system or for one alone.
pub(crate) fn loader(global: &Global, python_library: Option<&Path>) -> Loader {
    Loader::new(LoaderOptions {
        cache: global.cache_dir.clone().unwrap_or_else(default_cache_dir),
        python_library: python_library.map(Path::to_owned),
        compiler: None,
    })
}

fn load_models(
    system: &System,
    base: &Path,
    loader: &mut Loader,
    report: &mut Report,
) -> Vec<Option<LoadedModel>> {
    let load = |component: &Component| {
        let parameters: Vec<Parameter<'_>> = component
            .parameters
            .iter()
            .map(|parameter| Parameter {
                name: &parameter.name.value,
                value: &parameter.value.value,
                span: parameter.value.span,
            })
            .collect();
        let request = ModelRequest {
            model: &component.model.value,
            base,
            component: &component.name.value,
            span: component.model.span,
            parameters: &parameters,
        };
        loader.load(&request, report)
    };
    system.components.iter().map(load).collect()
}

/// Each file once, by path.
fn model_inputs(loaded: &[Option<LoadedModel>]) -> Vec<InputHash> {
    let files = loaded.iter().flatten().flat_map(|loaded| &loaded.inputs);
    let mut inputs: Vec<InputHash> = files.map(InputHash::from).collect();
    inputs.sort();
    inputs.dedup();
    inputs
}

/// In hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
