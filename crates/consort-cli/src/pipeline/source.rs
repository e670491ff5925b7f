//! What a path names: a `system.toml`, an SSP, an INTO-CPS multi-model, or a folder with one.

mod ssp;

use super::{InputHash, file_name};
use crate::cli::{FormArgs, Global};
use crate::outcome::{CommandError, said};
use consort_core::{Diagnostic, Report};
use consort_formats::multimodel::{self, File, Keys};
use consort_system::System;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// A system that was read, whatever its form.
pub(super) struct Source {
    /// The system file, as typed.
    pub(super) path: PathBuf,
    /// Its text.
    pub(super) text: String,
    /// What it says.
    pub(super) system: System,
    /// The folder that paths of models are relative to.
    pub(super) base: PathBuf,
    /// That folder is in the cache: the files of an archive.
    pub(super) is_unpacked: bool,
    /// Values for variables that a model does not have are no mistake.
    pub(super) is_lenient: bool,
    /// Every file that was read.
    pub(super) inputs: Vec<InputHash>,
    /// What a multi-model calls the FMUs.
    pub(super) keys: Keys,
}

/// How a system is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Toml,
    Ssp,
    MultiModel,
}

/// The file of a system by which a folder is known, with its form; the first that is there counts.
const FILES: [(&str, Form); 3] = [
    ("system.toml", Form::Toml),
    ("SystemStructure.ssd", Form::Ssp),
    ("mm.json", Form::MultiModel),
];

const KNOWN: &str = "a system is a `.toml`, an `.ssp`, an `.ssd`, a `.json`, or a folder with \
                     `system.toml`, `SystemStructure.ssd` or `mm.json`";

/// Reads the system; what is wrong with it goes to the report.
///
/// # Errors
/// If there is no system at all.
pub(super) fn read(
    path: &Path,
    args: &FormArgs,
    global: &Global,
    report: &mut Report,
) -> Result<Option<Source>, CommandError> {
    if let Some(error) = is_a_model(path) {
        return Err(error);
    }
    let (file, form) = locate(path)?;
    check_options(form, args, report);
    match form {
        Form::Toml => read_toml(file, report),
        Form::Ssp => ssp::read(file, args, global, report),
        Form::MultiModel => read_multimodel(file, args, report),
    }
}

/// The file of a system: of a folder, the one by which it is known.
pub(crate) fn system_file(path: &Path) -> PathBuf {
    if !path.is_dir() {
        return path.to_owned();
    }
    let known = FILES.iter().map(|(name, _)| path.join(name)).find(|file| file.is_file());
    known.unwrap_or_else(|| path.join(FILES[0].0))
}

/// Whether a path names a system; everything else is a model.
pub(crate) fn is_system(path: &Path) -> bool {
    match path.is_dir() {
        true => system_file(path).is_file(),
        false => form_of(path).is_some(),
    }
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

fn locate(path: &Path) -> Result<(PathBuf, Form), CommandError> {
    let file = system_file(path);
    if let Some(form) = form_of(&file) {
        return Ok((file, form));
    }
    if !file.exists() {
        // Nobody can say what it would have been.
        return Ok((file, Form::Toml));
    }
    let message = format!("`{}` is no system", path.display());
    let diagnostic = Diagnostic::error("cli::unknown-form", message).help(KNOWN);
    Err(CommandError::invalid(diagnostic))
}

/// Options for another form would be passed over in silence.
fn check_options(form: Form, args: &FormArgs, report: &mut Report) {
    let wrong = [
        (args.variant.is_some() && form != Form::Ssp, "--variant", "an SSP"),
        (!args.with.is_empty() && form != Form::MultiModel, "--with", "a multi-model"),
    ];
    for (_, option, owner) in wrong.iter().filter(|(is_wrong, ..)| *is_wrong) {
        let message = format!("`{option}` is only for {owner}");
        let diagnostic = Diagnostic::error("cli::wrong-form", message);
        report.push(diagnostic.help(format!("remove `{option}`")));
    }
}

fn read_toml(path: PathBuf, report: &mut Report) -> Result<Option<Source>, CommandError> {
    let text = read_text(&path)?;
    let name = path.display().to_string();
    let Some(mut system) = consort_formats::read_system(&name, &text, report) else {
        return Ok(None);
    };
    call_after_folder(&mut system, &path, "system", "system.toml");
    let inputs = vec![InputHash::new(&file_name(&path), "system", text.as_bytes())];
    let (base, keys) = (folder_of(&path), Keys::default());
    Ok(Some(Source {
        path,
        text,
        system,
        base,
        is_unpacked: false,
        is_lenient: false,
        inputs,
        keys,
    }))
}

fn read_multimodel(
    path: PathBuf,
    args: &FormArgs,
    report: &mut Report,
) -> Result<Option<Source>, CommandError> {
    let texts = texts_of_multimodel(&path, args)?;
    let names: Vec<String> = texts.iter().map(|(path, _)| path.display().to_string()).collect();
    let named = names.iter().zip(&texts);
    let files: Vec<File<'_>> = named.map(|(name, (_, text))| File { name, text }).collect();
    let Some(mut read) = multimodel::read(&files, report) else { return Ok(None) };
    let (model, text) = &texts[0];
    call_after_folder(&mut read.system, model, "mm", "mm.json");
    let hash = |(path, text): &(PathBuf, String)| {
        InputHash::new(&file_name(path), "system", text.as_bytes())
    };
    let base = folder_of(model);
    find_in_project(&mut read.system, &base, report);
    Ok(Some(Source {
        path,
        text: text.clone(),
        system: read.system,
        base,
        is_unpacked: false,
        is_lenient: false,
        inputs: texts.iter().map(hash).collect(),
        keys: read.keys,
    }))
}

/// The files of a multi-model, that with the FMUs first; `path` names it or a configuration of it.
fn texts_of_multimodel(
    path: &Path,
    args: &FormArgs,
) -> Result<Vec<(PathBuf, String)>, CommandError> {
    let text = read_text(path)?;
    let (mut paths, mut texts) = (args.with.clone(), Vec::new());
    if let Some(named) = multimodel::model_of_configuration(&text) {
        let model = model_of(path, &named)?;
        texts.push((model.clone(), read_text(&model)?));
    } else if paths.is_empty() && multimodel::lacks_experiment(&text) {
        paths.extend(configuration_beside(path));
    }
    texts.push((path.to_owned(), text));
    for path in paths {
        let text = read_text(&path)?;
        texts.push((path, text));
    }
    Ok(texts)
}

/// A project of INTO-CPS has its FMUs in a folder `FMUs`, its multi-models two folders below the
/// project's own, and names FMUs as they are called in `FMUs`.
fn find_in_project(system: &mut System, base: &Path, report: &mut Report) {
    const UP_MAX: usize = 3;
    let mut found = Vec::new();
    for component in &mut system.components {
        let model = component.model.value.clone();
        if model.starts_with("native:") || base.join(&model).exists() {
            continue;
        }
        let ups = (0..=UP_MAX).map(|up| format!("{}FMUs/{model}", "../".repeat(up)));
        if let Some(path) = ups.into_iter().find(|path| base.join(path).exists()) {
            component.model.value = path;
            found.push((model, component.model.span));
        }
    }
    let Some((first, span)) = found.first() else { return };
    let message = format!("`{first}` was found in the folder `FMUs` of the project");
    let mut diagnostic =
        Diagnostic::note("multimodel::project", message).maybe_at(*span, "not beside this file");
    if 1 < found.len() {
        let names: Vec<&str> = found[1..].iter().map(|(model, _)| model.as_str()).collect();
        diagnostic = diagnostic.with_note(format!("and so were {}", names.join(", ")));
    }
    report.push(diagnostic);
}

/// The multi-model that a configuration names from the folder of its project, which is one of those
/// around it.
fn model_of(configuration: &Path, named: &str) -> Result<PathBuf, CommandError> {
    let around = std::path::absolute(configuration).unwrap_or_else(|_| configuration.to_owned());
    let depth = around.ancestors().count().saturating_sub(1);
    let ups = (0..depth).map(|up| folder_of(configuration).join("../".repeat(up)).join(named));
    if let Some(found) = ups.into_iter().find(|path| path.is_file()) {
        return Ok(found);
    }
    let message = format!("the multi-model `{named}` is in no folder around it");
    let diagnostic = Diagnostic::error("multimodel::no-model", message);
    let name = configuration.display();
    Err(CommandError::invalid(
        diagnostic
            .with_note(format!("`{name}` names it by `multimodel_path`"))
            .help(format!("name the multi-model first: `consort run mm.json --with {name}`")),
    ))
}

/// `tank.coe.json` beside `tank.mm.json`, or `coe.json`.
fn configuration_beside(path: &Path) -> Option<PathBuf> {
    let name = file_name(path);
    let stem = name.strip_suffix(".mm.json").or_else(|| name.strip_suffix(".json"))?;
    let candidates = [format!("{stem}.coe.json"), "coe.json".to_owned()];
    let mut files = candidates.iter().map(|name| path.with_file_name(name));
    files.find(|file| file.is_file() && file != path)
}

/// Whoever runs an FMU needs to know that it takes a system to run it.
fn is_a_model(path: &Path) -> Option<CommandError> {
    let is_archive = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("fmu"));
    let has = |name: &str| path.join(name).is_file();
    let is_folder = has("modelDescription.xml") && !FILES.iter().any(|(name, _)| has(name));
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

/// The longest text of a system that is read.
const TEXT_BYTES_MAX: u64 = 64 << 20;

fn read_text(path: &Path) -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path)
        .and_then(|file| file.take(TEXT_BYTES_MAX + 1).read_to_end(&mut bytes));
    read.map_err(|error| {
        let message = format!("`{}` could not be read: {}", path.display(), said(&error));
        let diagnostic = Diagnostic::error("cli::no-system", message);
        CommandError::failed(
            diagnostic
                .help("name a folder with a `system.toml`, or the file itself")
                .with_note(KNOWN),
        )
    })?;
    if TEXT_BYTES_MAX < bytes.len() as u64 {
        let message = format!("`{}` has more than {TEXT_BYTES_MAX} bytes", path.display());
        let diagnostic = Diagnostic::error("cli::too-large", message);
        return Err(CommandError::invalid(diagnostic.help("is this a system?")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("`{}` is not text in UTF-8, from byte {at} on", path.display());
        let diagnostic = Diagnostic::error("cli::not-text", message);
        CommandError::invalid(diagnostic.help("let your editor save it as UTF-8"))
    })
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().map(Path::to_owned).unwrap_or_default()
}

/// `consort run .` names no folder, but the system has one.
fn call_after_folder(system: &mut System, path: &Path, default: &str, file: &str) {
    let is_unnamed = system.name == default && file_name(path) == file;
    let folder = path.canonicalize().ok().and_then(|path| path.parent().map(file_name));
    if let Some(name) = folder.filter(|name| is_unnamed && !name.is_empty()) {
        system.name = name;
    }
}
