//! What a path names: a `system.toml`, an SSP, an INTO-CPS multi-model, a folder with one, or a model
//! alone.

mod model;
mod multimodel;
mod ssp;

use super::alone::Alone;
use super::{InputHash, file_name};
use crate::models::ModelOptions;
use crate::request::FormOptions;
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Report};
use consort_formats::multimodel::Keys;
use consort_run::error::{Error, plain_words};
use consort_system::SystemDescription;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// A system that was read, whatever its form, or built.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The system file, as typed.
    pub(super) path: PathBuf,
    /// The text of the system file.
    pub(super) text: String,
    /// The system description in it.
    pub(super) system: SystemDescription,
    /// The folder that paths of models are relative to.
    pub(super) base: PathBuf,
    /// That folder is in the cache: the files of an archive.
    pub(super) is_unpacked: bool,
    /// Values for variables that a model does not have are no mistake.
    pub(super) is_lenient: bool,
    /// Every file that was read.
    pub(super) inputs: Vec<InputHash>,
    /// Where models were looked for beside `base`, for messages.
    pub(super) searched: Vec<String>,
    /// What a multi-model calls the FMUs.
    pub(super) keys: Keys,
    /// What was named is a model and no system.
    pub(super) alone: Option<Alone>,
}

impl Source {
    /// A system that was built, as it would be written in a folder.
    pub(crate) fn built(system: SystemDescription, folder: &Path) -> Self {
        let text = consort_formats::write_system(&system);
        Self::written(folder.join(FILES[0].0), text, system)
    }

    /// A `system.toml` with this text.
    fn written(path: PathBuf, text: String, system: SystemDescription) -> Self {
        let inputs = vec![InputHash::new(&file_name(&path), "system", text.as_bytes())];
        Source {
            base: folder_of(&path),
            path,
            text,
            system,
            is_unpacked: false,
            is_lenient: false,
            inputs,
            searched: Vec::new(),
            keys: Keys::default(),
            alone: None,
        }
    }

    /// The system file, as typed; of a system that was built, where it would be.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The system as it is written.
    pub(crate) fn system(&self) -> &SystemDescription {
        &self.system
    }
}

/// How a system is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Toml,
    Ssp,
    MultiModel,
    Model,
}

/// The file of a system by which a folder is known, with its form; the first that is there counts.
const FILES: [(&str, Form); 3] = [
    ("system.toml", Form::Toml),
    (consort_formats::ssp::DEFAULT_STRUCTURE, Form::Ssp),
    ("mm.json", Form::MultiModel),
];

/// What is a system.
pub(super) const KNOWN: &str = "a system is a `.toml`, an `.ssp`, an `.ssd`, a `.json`, or a folder with \
                     `system.toml`, `SystemStructure.ssd` or `mm.json`";

/// What is run without a system.
const KNOWN_MODEL: &str = "a model is an `.fmu`, a folder with `modelDescription.xml`, equations (`.eq`), \
                           SBML (`.sbml`, `.xml`), or `native:NAME`";

/// Reads the system; what is wrong with it goes to the report.
///
/// # Errors
/// If there is no system at all.
pub(super) fn read(
    path: &Path,
    options: &FormOptions,
    models: &ModelOptions,
    report: &mut Report,
) -> Result<Option<Source>, Error> {
    let (file, form) = locate(path, report)?;
    check_options(form, options, report);
    match form {
        Form::Toml => read_toml(file, report),
        Form::Ssp => ssp::read(file, options, models, report),
        Form::MultiModel => multimodel::read(file, options, report),
        Form::Model => Ok(Some(model::read(file))),
    }
}

/// Whether a file is a scenario of the Scenario-Verifier, by its name.
pub fn is_scenario(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    matches!(ending.as_deref(), Some("conf" | "hocon"))
}

/// The file of a system: of a folder, the one by which it is known.
pub fn system_file(path: &Path) -> PathBuf {
    if !path.is_dir() {
        return path.to_owned();
    }
    let known = FILES.iter().map(|(name, _)| path.join(name)).find(|file| file.is_file());
    known.unwrap_or_else(|| path.join(FILES[0].0))
}

/// Whether a path names a system; everything else is a model.
pub fn is_system(path: &Path) -> bool {
    match path.is_dir() {
        true => system_file(path).is_file(),
        false => form_of(path).is_some(),
    }
}

/// Whether a path is a folder with nothing in it that could be run.
pub fn is_neither(path: &Path) -> bool {
    path.is_dir() && !is_system(path) && !model::is_fmu_folder(path)
}

fn form_of(file: &Path) -> Option<Form> {
    let ending = file.extension()?.to_string_lossy().to_ascii_lowercase();
    match ending.as_str() {
        "toml" => Some(Form::Toml),
        "ssp" | "ssd" => Some(Form::Ssp),
        "json" => Some(Form::MultiModel),
        _ => None,
    }
}

/// The file that is read, and as what.
fn locate(path: &Path, report: &mut Report) -> Result<(PathBuf, Form), Error> {
    if path.is_dir() {
        return locate_in(path, report);
    }
    let is_fmu = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("fmu"));
    let form = match form_of(path) {
        _ if is_fmu || model::is_native(path) || model::has_prefix(path) => Form::Model,
        Some(form) => form,
        None if is_scenario(path) => return Err(scenario(path)),
        // What else is a model, the loader knows.
        None if path.exists() => Form::Model,
        // The form of a missing file is unknown.
        None => Form::Toml,
    };
    Ok((path.to_owned(), form))
}

/// A folder is a system if it has the file of one, else an FMU if it has the file of that.
fn locate_in(folder: &Path, report: &mut Report) -> Result<(PathBuf, Form), Error> {
    let file = system_file(folder);
    let is_fmu = model::is_fmu_folder(folder);
    let name = folder.display();
    match form_of(&file).filter(|_| file.is_file()) {
        Some(form) => {
            if is_fmu {
                let file = file_name(&file);
                let message = format!("`{name}` is an FMU and a system; the system is taken");
                let help = format!("move `{file}` out of the folder to have the FMU");
                report.push(Diagnostic::note("cli::fmu-and-system", message).help(help));
            }
            Ok((file, form))
        }
        None if is_fmu => Ok((folder.to_owned(), Form::Model)),
        None => {
            let message = format!("`{name}` is a folder, but neither a system nor an FMU");
            let diagnostic = Diagnostic::error("cli::no-system", message);
            Err(Error::failed(diagnostic.with_note(KNOWN).help(KNOWN_MODEL)))
        }
    }
}

/// What can be done with a scenario is done by other verbs.
fn scenario(path: &Path) -> Error {
    let name = path.display();
    let diagnostic =
        Diagnostic::error("cli::is-a-scenario", format!("`{name}` is a scenario, not a system"))
            .with_note("a scenario says in which order FMUs are called, not what they are")
            .help(format!(
                "`consort check scenario {name}` judges its algorithm, `consort plan {name}` \
                 makes one"
            ));
    Error::invalid(diagnostic)
}

/// Options for another form would be passed over in silence.
fn check_options(form: Form, options: &FormOptions, report: &mut Report) {
    let wrong = [
        (options.variant.is_some() && form != Form::Ssp, "--variant", "an SSP"),
        (!options.with.is_empty() && form != Form::MultiModel, "--with", "a multi-model"),
    ];
    for (_, option, owner) in wrong.iter().filter(|(is_wrong, ..)| *is_wrong) {
        let message = format!("`{option}` is only for {owner}");
        let diagnostic = Diagnostic::error("cli::wrong-form", message);
        report.push(diagnostic.help(format!("remove `{option}`")));
    }
}

fn read_toml(path: PathBuf, report: &mut Report) -> Result<Option<Source>, Error> {
    let text = read_text(&path)?;
    let name = path.display().to_string();
    let Some(mut system) = consort_formats::read_system(&name, &text, report) else {
        return Ok(None);
    };
    call_after_folder(&mut system, &path, "system", "system.toml");
    Ok(Some(Source::written(path, text, system)))
}

/// The longest text of a system that is read.
const TEXT_BYTES_MAX: u64 = 64 << 20;

fn read_text(path: &Path) -> Result<String, Error> {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path)
        .and_then(|file| file.take(TEXT_BYTES_MAX + 1).read_to_end(&mut bytes));
    read.map_err(|error| {
        let message = format!("`{}` could not be read: {}", path.display(), plain_words(&error));
        let diagnostic = Diagnostic::error("cli::no-system", message);
        Error::failed(match nearest_file(path) {
            Some(meant) => diagnostic.help(format!("did you mean `{}`?", meant.display())),
            None => diagnostic
                .help("name a system or a model: its file or its folder")
                .with_note(KNOWN)
                .with_note(KNOWN_MODEL),
        })
    })?;
    if TEXT_BYTES_MAX < bytes.len() as u64 {
        let message = format!("`{}` has more than {TEXT_BYTES_MAX} bytes", path.display());
        let diagnostic = Diagnostic::error("cli::too-large", message);
        return Err(Error::invalid(diagnostic.help("is this a system?")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("`{}` is not text in UTF-8, from byte {at} on", path.display());
        let diagnostic = Diagnostic::error("cli::not-text", message);
        Error::invalid(diagnostic.help("let your editor save it as UTF-8"))
    })
}

/// What was meant by a path at which there is nothing: the file or folder beside it that is called most like it.
fn nearest_file(path: &Path) -> Option<PathBuf> {
    let folder = folder_of(path);
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
    let entries = std::fs::read_dir(here).ok()?.flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let nearest = nearest_name(&file_name(path), names.iter().map(String::as_str))?;
    (nearest != file_name(path)).then(|| path.with_file_name(nearest))
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().map(Path::to_owned).unwrap_or_default()
}

/// `consort run .` names no folder, but the system has one.
fn call_after_folder(system: &mut SystemDescription, path: &Path, default: &str, file: &str) {
    let is_unnamed = system.name == default && file_name(path) == file;
    let folder = path.canonicalize().ok().and_then(|path| path.parent().map(file_name));
    if let Some(name) = folder.filter(|name| is_unnamed && !name.is_empty()) {
        system.name = name;
    }
}
