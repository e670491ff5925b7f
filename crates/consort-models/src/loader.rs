//! From what a component's `model = "..."` says to a model.

mod binary;
pub(crate) mod cache;
mod compile;
mod compiler;
pub(crate) mod input_file;
mod recipe;
mod solving;

pub use cache::default_cache_dir;
pub use input_file::{InputFile, Role};

use crate::continuous::SolvedModel;
use crate::equations::Form;
use crate::nearby;
use crate::request::ModelRequest;
use compiler::Compiler;
use consort_core::{ContinuousModel, Diagnostic, Interface, Model, Report, SolverSettings};
use consort_fmi::fmu::{ExchangeModel, Fmu, FmuModel, LoadError, LoadOptions};
use solving::Key;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A model, and what it was made from.
#[derive(Clone)]
pub struct LoadedModel {
    /// The model; components that ask for the same FMU share it.
    pub model: Arc<dyn Model>,
    /// Every file that decides what the model does, for the manifest.
    pub inputs: Vec<InputFile>,
    /// What was assumed on the way, for a person.
    pub assumed: Vec<String>,
}

/// Where a [`Loader`] keeps and finds things.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoaderOptions {
    /// Unpacked archives and compiled sources; see [`default_cache_dir`].
    pub cache: PathBuf,
    /// The interpreter's library for FMUs written in Python; without it `python3` is asked.
    pub python_library: Option<PathBuf>,
    /// The C compiler for source FMUs; without it `cc` from the search path.
    pub compiler: Option<PathBuf>,
}

/// Makes models for the components of a system.
///
/// The same FMU, asked for any number of times, is unpacked, compiled and loaded once, also if it is
/// integrated by different solvers. One that could not be loaded is told once per report, however many
/// components ask for it.
pub struct Loader {
    options: LoaderOptions,
    /// Asked from the system at the first source FMU.
    compiler: Option<Compiler>,
    /// By path and solver as asked for, so that thousands of components cost no look at the disk.
    asked: BTreeMap<(PathBuf, Key), LoadedModel>,
    /// FMUs by the path that remains when links are followed; `None` for what cannot be opened.
    opened: BTreeMap<PathBuf, Option<Opened>>,
    /// Models by that path and, for FMUs, the interface; `None` for what cannot be loaded.
    bound: BTreeMap<(PathBuf, Option<Interface>), Option<Bound>>,
}

/// An FMU whose binary is not loaded yet.
#[derive(Clone)]
struct Opened {
    fmu: Arc<Fmu>,
    directory: PathBuf,
    input: InputFile,
}

/// A model as it is before anybody integrates it.
#[derive(Clone)]
struct Bound {
    model: Inner,
    inputs: Vec<InputFile>,
    assumed: Vec<String>,
}

#[derive(Clone)]
enum Inner {
    /// It needs nobody.
    Whole(Arc<dyn Model>),
    /// It is given by its equations; with the solvers that were asked for so far.
    Equations(Arc<dyn ContinuousModel>, Vec<(SolverSettings, Arc<dyn Model>)>),
}

impl Loader {
    /// A loader that has loaded nothing yet.
    pub fn new(options: LoaderOptions) -> Self {
        let (asked, opened, bound) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Loader { options, compiler: None, asked, opened, bound }
    }

    /// The model a component asks for; `None` if there is none, and the report says why.
    pub fn load(&mut self, request: &ModelRequest<'_>, report: &mut Report) -> Option<LoadedModel> {
        if let Some(name) = request.model.strip_prefix("native:") {
            solving::check_native(request, report);
            return crate::native::load(name, request, report);
        }
        let path = request.base.join(request.model);
        let asked = (path, Key::of(request));
        if let Some(known) = self.asked.get(&asked) {
            return Some(known.clone());
        }
        let kind = kind(&asked.0, request, report)?;
        let real = asked.0.canonicalize().unwrap_or_else(|_| asked.0.clone());
        let before = report.error_count();
        let loaded = self.load_kind(kind, real, request, report)?;
        // Who asks for what cannot be is told so each time.
        if report.error_count() == before {
            self.asked.insert(asked, loaded.clone());
        }
        Some(loaded)
    }

    fn load_kind(
        &mut self,
        kind: Kind,
        real: PathBuf,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<LoadedModel> {
        let interface = match kind {
            Kind::Equations(_) => {
                solving::check_equations(request, report);
                None
            }
            Kind::Fmu(stored) => {
                let fmu = self.open(stored, &real, request, report)?.fmu;
                Some(solving::interface(&fmu, request, report))
            }
        };
        let key = (real, interface);
        match self.bound.get(&key) {
            Some(Some(_)) => {}
            Some(None) if report.has_errors() => return None,
            _ => {
                let bound = match kind {
                    Kind::Equations(form) => bind_equations(form, &key.0, request, report),
                    Kind::Fmu(stored) => self.bind(stored, &key, request, report),
                };
                self.bound.insert(key.clone(), bound);
            }
        }
        let bound = self.bound.get_mut(&key)?.as_mut()?;
        Some(bound.solved(request, report))
    }

    /// The FMU at a path; `None` if it cannot be opened, and the report says why.
    fn open(
        &mut self,
        stored: Stored,
        real: &Path,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<Opened> {
        match self.opened.get(real) {
            Some(Some(opened)) => return Some(opened.clone()),
            Some(None) if report.has_errors() => return None,
            _ => {}
        }
        let opened = open(stored, real, &self.options.cache, request, report);
        self.opened.insert(real.to_owned(), opened.clone());
        opened
    }

    /// Loads the binary of an FMU.
    fn bind(
        &mut self,
        stored: Stored,
        (real, interface): &(PathBuf, Option<Interface>),
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<Bound> {
        let Opened { fmu, directory, input } = self.open(stored, real, request, report)?;
        let is_exchange = *interface == Some(Interface::ModelExchange);
        let (mut inputs, mut assumed) = (vec![input], Vec::new());
        let found = if is_exchange { fmu.exchange_binary() } else { fmu.binary() };
        let binary = match found {
            Ok(binary) => binary,
            Err(LoadError::NoBinary { has_sources: true, .. }) => {
                let compiled = self.compile(&fmu, is_exchange, request, report)?;
                inputs.extend(compiled.sources);
                assumed.extend(compiled.assumed);
                compiled.binary
            }
            Err(error) => {
                report.push(error.diagnostic(request.span));
                return None;
            }
        };
        let file = input_file::of_binary(&binary, &directory, request, report)?;
        let lane = file.sha256.clone();
        inputs.push(file);
        let options = LoadOptions { python_library: self.options.python_library.clone() };
        let loaded = match is_exchange {
            true => ExchangeModel::load(fmu, &binary, lane, &options)
                .map(|it| Inner::Equations(Arc::new(it), Vec::new())),
            false => {
                FmuModel::load(fmu, &binary, lane, &options).map(|it| Inner::Whole(Arc::new(it)))
            }
        };
        match loaded {
            Ok(model) => Some(Bound { model, inputs, assumed }),
            Err(error) => {
                report.push(error.diagnostic(request.span));
                None
            }
        }
    }

    fn compile(
        &mut self,
        fmu: &Fmu,
        is_exchange: bool,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<compile::Compiled> {
        let recipe = recipe::read(fmu, is_exchange, request, report)?;
        if self.compiler.is_none() {
            self.compiler = Compiler::find(self.options.compiler.as_deref(), request, report);
        }
        compile::compile(&recipe, self.compiler.as_ref()?, &self.options.cache, request, report)
    }
}

impl Bound {
    /// The model with the solver that is asked for, if it needs one; the same for the same.
    fn solved(&mut self, request: &ModelRequest<'_>, report: &mut Report) -> LoadedModel {
        let (inputs, mut assumed) = (self.inputs.clone(), self.assumed.clone());
        let model = match &mut self.model {
            Inner::Whole(model) => Arc::clone(model),
            Inner::Equations(model, solved) => {
                let settings = solving::settings(request, report);
                let asked = &request.solving;
                if asked.solver.is_none() && asked.default_solver.is_none() {
                    assumed.push(format!(
                        "`{}` is integrated by `{}`",
                        request.model,
                        settings.kind.name()
                    ));
                }
                let known = solved.iter().position(|(known, _)| *known == settings);
                let at = known.unwrap_or_else(|| {
                    let made = SolvedModel::new(Arc::clone(model), settings);
                    solved.push((settings, Arc::new(made)));
                    solved.len() - 1
                });
                Arc::clone(&solved[at].1)
            }
        };
        LoadedModel { model, inputs, assumed }
    }
}

fn open(
    stored: Stored,
    path: &Path,
    cache: &Path,
    request: &ModelRequest<'_>,
    report: &mut Report,
) -> Option<Opened> {
    let (directory, input) = match stored {
        Stored::Archive => cache::unpack(path, request, cache, report)?,
        Stored::Folder => (path.to_owned(), input_file::of_folder(path, request, report)?),
    };
    let fmu = Fmu::open(&directory, request.model, request.span, report)?;
    Some(Opened { fmu, directory, input })
}

fn bind_equations(
    form: Form,
    path: &Path,
    request: &ModelRequest<'_>,
    report: &mut Report,
) -> Option<Bound> {
    let (model, input) = crate::equations::load(form, path, request, report)?;
    let model = Inner::Equations(Arc::new(model), Vec::new());
    Some(Bound { model, inputs: vec![input], assumed: Vec::new() })
}

/// What a file or folder holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Fmu(Stored),
    Equations(Form),
}

/// How an FMU is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stored {
    Archive,
    Folder,
}

/// What a model can be.
pub(crate) const KNOWN: &str = "a model is a `.fmu` file, an FMU folder, equations (`.eq`), SBML (`.sbml`, \
                                `.xml`), or `native:NAME`";

/// What is at `path`; `None`, with a diagnostic, if that is no model.
fn kind(path: &Path, request: &ModelRequest<'_>, report: &mut Report) -> Option<Kind> {
    let model = request.model;
    let tell = |code: &'static str, what: &str, help: String| {
        let message = format!("the model `{model}`{} {what}", request.of_component());
        Diagnostic::error(code, message).maybe_at(request.span, "asked for here").help(help)
    };
    let is_fmu = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("fmu"));
    let diagnostic = match fs::metadata(path) {
        Ok(data) if data.is_dir() && path.join("modelDescription.xml").is_file() => {
            return Some(Kind::Fmu(Stored::Folder));
        }
        Ok(data) if data.is_file() && is_fmu => return Some(Kind::Fmu(Stored::Archive)),
        Ok(data) if data.is_dir() => {
            let help = "an FMU folder has `modelDescription.xml` in it";
            let system = if request.is_in_system() { "" } else { ", a system's has `system.toml`" };
            tell("model::unknown-kind", "is a folder but no FMU", format!("{help}{system}"))
        }
        Ok(_) if path.file_name().is_some_and(|name| name == "modelDescription.xml") => {
            let help = "name the folder instead of the file in it";
            tell("model::unknown-kind", "is a part of an FMU", help.to_owned())
        }
        Ok(_) => match Form::of(path) {
            Some(form) => return Some(Kind::Equations(form)),
            None if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("xml")) => {
                let help = "the first element of an SBML file is `<sbml>`, with level and version";
                tell("model::unknown-kind", "is no SBML", help.to_owned())
            }
            None => {
                tell("model::unknown-kind", "is of a kind Consort does not know", KNOWN.to_owned())
            }
        },
        Err(_) => match model.split_once(':') {
            Some((scheme, rest)) if !scheme.contains('/') => {
                let help = format!("the only prefix is `native:`; did you mean `native:{rest}`?");
                tell("model::unknown-kind", "has an unknown prefix", help)
            }
            _ => tell("model::missing-file", "is not there", nearby::help(request, model)),
        },
    };
    report.push(diagnostic);
    None
}
