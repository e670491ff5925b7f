//! An unpacked FMU, and the [`Model`] over its binary.
//!
//! [`Fmu`] is files and a description: inert, and enough for `inspect`. [`FmuModel`] has loaded the
//! binary and makes instances. Each keeps alive what it needs: an instance its library, a library
//! its directory.
//!
//! An FMU that prints does so on the process's standard output; a program that uses that for data points
//! file descriptor 1 elsewhere before loading FMUs.

mod exchange;
mod resources;

pub use crate::load::{LoadError, LoadOptions};
pub use exchange::ExchangeModel;

use crate::binding::library::LoadedLibrary;
use crate::binding::{Interface, Table};
use crate::description::{self, CoSimulation, FmiVersion, FmuDescription, ModelExchange};
use crate::driver::{self, Loaded, Request};
use consort_core::model::CallResult;
use consort_core::{Diagnostic, Instance, Instantiation, Model, ModelDescription, Report, Span};
use std::any::Any;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

/// An unpacked FMU and its description.
pub struct Fmu {
    name: String,
    directory: PathBuf,
    description: FmuDescription,
    /// Removes an unpacked directory when it is not needed any more.
    _keeper: Option<Box<dyn Any + Send + Sync>>,
}

impl Fmu {
    /// Reads the FMU unpacked in `directory`; `name` is what the user calls it, `span` where.
    ///
    /// `None` if nothing can be done with it; the report has the reason.
    pub fn open(
        directory: &Path,
        name: &str,
        span: Option<Span>,
        report: &mut Report,
    ) -> Option<Arc<Fmu>> {
        Self::open_kept(directory, name, span, report, None)
    }

    /// As [`Fmu::open`], for a directory that lives only as long as `keeper` does.
    pub fn open_kept(
        directory: &Path,
        name: &str,
        span: Option<Span>,
        report: &mut Report,
        keeper: Option<Box<dyn Any + Send + Sync>>,
    ) -> Option<Arc<Fmu>> {
        let bytes = match fs::read(directory.join("modelDescription.xml")) {
            Ok(bytes) => bytes,
            Err(error) => {
                report.push(unreadable(name, &error, span));
                return None;
            }
        };
        let source = format!("{name}/modelDescription.xml");
        let description = description::read(&source, &bytes, report)?;
        if description.co_simulation.as_ref().is_some_and(|face| face.needs_execution_tool) {
            report.push(needs_tool(name, span));
        }
        Some(Arc::new(Self::from_parts(directory, name, description, keeper)))
    }

    /// An FMU whose description was read elsewhere.
    pub fn from_parts(
        directory: &Path,
        name: &str,
        description: FmuDescription,
        keeper: Option<Box<dyn Any + Send + Sync>>,
    ) -> Fmu {
        // FMUs get the path of their resources, whatever the working directory is later.
        let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
        Fmu { name: name.to_owned(), directory, description, _keeper: keeper }
    }

    /// The name by which the user refers to it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The folder into which it is unpacked.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The description that was read from `modelDescription.xml`.
    pub fn description(&self) -> &FmuDescription {
        &self.description
    }

    /// The binary for this platform: the one named after the model, else the only one there is.
    ///
    /// # Errors
    /// If there is none, or several of other names.
    pub fn binary(&self) -> Result<PathBuf, LoadError> {
        self.binary_of(&self.co_simulation()?.model_identifier)
    }

    /// As [`Fmu::binary`], for Model Exchange: the two may differ.
    ///
    /// # Errors
    /// As there.
    pub fn exchange_binary(&self) -> Result<PathBuf, LoadError> {
        self.binary_of(&self.model_exchange()?.model_identifier)
    }

    fn binary_of(&self, model_identifier: &str) -> Result<PathBuf, LoadError> {
        let platform = platform(self.description.version);
        let wanted = format!("{model_identifier}.so");
        let folder = self.directory.join("binaries").join(platform);
        let found = file_names(&folder, |path| path.extension().is_some_and(|end| end == "so"));
        let named = found.iter().find(|name| **name == wanted);
        let only = || found.first().filter(|_| found.len() == 1);
        match named.or_else(only) {
            Some(name) => Ok(folder.join(name)),
            None => Err(LoadError::NoBinary {
                name: self.name.clone(),
                platform,
                platforms: self.platforms(),
                wanted,
                found,
                has_sources: self.has_sources(),
            }),
        }
    }

    /// Whether there are sources to compile a binary from.
    pub fn has_sources(&self) -> bool {
        self.directory.join("sources").is_dir()
    }

    /// The platforms the FMU has binaries for.
    pub fn platforms(&self) -> Vec<String> {
        let has_files =
            |folder: &Path| folder.is_dir() && !file_names(folder, Path::is_file).is_empty();
        file_names(&self.directory.join("binaries"), has_files)
    }

    fn co_simulation(&self) -> Result<&CoSimulation, LoadError> {
        self.description.co_simulation.as_ref().ok_or_else(|| LoadError::NoCoSimulation {
            name: self.name.clone(),
            model_exchange: self.description.model_exchange.is_some(),
        })
    }

    fn model_exchange(&self) -> Result<&ModelExchange, LoadError> {
        let found = self.description.model_exchange.as_ref();
        found.ok_or_else(|| LoadError::NoModelExchange { name: self.name.clone() })
    }
}

/// The folder of `binaries/` that is for this machine.
pub fn platform(version: FmiVersion) -> &'static str {
    match version {
        FmiVersion::V2 if cfg!(target_arch = "aarch64") => "aarch64-linux",
        FmiVersion::V2 => "linux64",
        FmiVersion::V3 if cfg!(target_arch = "aarch64") => "aarch64-linux",
        FmiVersion::V3 => "x86_64-linux",
    }
}

/// The names in a folder, sorted; none if it cannot be read.
fn file_names(folder: &Path, is_wanted: impl Fn(&Path) -> bool) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let wanted = entries.filter(|entry| is_wanted(&entry.path()));
    let mut names: Vec<String> =
        wanted.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn unreadable(name: &str, error: &io::Error, span: Option<Span>) -> Diagnostic {
    let message = format!("`{name}` has no readable `modelDescription.xml`");
    Diagnostic::error("fmi::no-description", message)
        .maybe_at(span, "named here")
        .with_note(error.to_string())
        .help("an FMU is a `.fmu` archive, or a folder with `modelDescription.xml` in it")
}

fn needs_tool(name: &str, span: Option<Span>) -> Diagnostic {
    let message = format!("`{name}` needs the tool that made it to run beside it");
    Diagnostic::warning("fmi::needs-tool", message)
        .maybe_at(span, "used here")
        .help("have the tool installed, or export the FMU so that it stands alone")
}

/// An FMU whose binary is loaded: what makes instances.
pub struct FmuModel {
    loaded: Arc<Loaded>,
    table: Table,
}

/// The lane of everything that runs in the process's Python interpreter.
const PYTHON_LANE: &str = "python";

impl FmuModel {
    /// Loads `binary`; instances of models with the same `lane` run one after another.
    ///
    /// Load models on one thread and before instances run: an FMU written in Python changes the
    /// environment of this process (`PYTHONHASHSEED`).
    ///
    /// # Errors
    /// If the binary cannot be loaded or lacks a function.
    pub fn load(
        fmu: Arc<Fmu>,
        binary: &Path,
        lane: String,
        options: &LoadOptions,
    ) -> Result<FmuModel, LoadError> {
        let identifier = &fmu.co_simulation()?.model_identifier;
        let interface = Interface::CoSimulation;
        let library = LoadedLibrary::open(binary, identifier, interface, options)?;
        let description = fmu.description.model.clone();
        let (loaded, table) = loaded(fmu, library, interface, description, lane)?;
        Ok(FmuModel { loaded, table })
    }

    fn request(&self, from: &Instantiation<'_>) -> CallResult<Request> {
        let capabilities = &self.loaded.description.capabilities;
        Ok(Request {
            event_mode: from.event_mode && capabilities.event_mode,
            early_return: from.early_return,
            ..self.loaded.request(Interface::CoSimulation, from)?
        })
    }
}

impl Model for FmuModel {
    fn description(&self) -> &ModelDescription {
        &self.loaded.description
    }

    fn instantiate(&self, instantiation: &Instantiation<'_>) -> CallResult<Box<dyn Instance>> {
        driver::instantiate(&self.table, self.request(instantiation)?, Arc::clone(&self.loaded))
    }
}

/// What instances need of an FMU whose binary is loaded, and its functions.
fn loaded(
    fmu: Arc<Fmu>,
    library: LoadedLibrary,
    interface: Interface,
    mut description: ModelDescription,
    lane: String,
) -> Result<(Arc<Loaded>, Table), LoadError> {
    let table = Table::load(&library, fmu.description.version)?;
    table.check_interface(&library, interface)?;
    table.check_getters(&library, &description)?;
    // FMUs written in Python differ in their binaries and share one interpreter.
    let lane = if library.uses_python() { PYTHON_LANE.to_owned() } else { lane };
    description.capabilities.lane = Some(lane);
    let resources = fmu.directory.join("resources");
    let resources = match fmu.description.version {
        FmiVersion::V2 => resources::uri(&resources),
        FmiVersion::V3 => resources::path(&resources),
    };
    let loaded = Loaded {
        description,
        library: Arc::new(library),
        // XML has no NUL: this is never the default.
        token: CString::new(fmu.description.token.as_str()).unwrap_or_default().into(),
        resources: resources.into(),
        _fmu: fmu,
    };
    Ok((Arc::new(loaded), table))
}
