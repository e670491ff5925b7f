//! An SSP: an archive, a folder, or one of the `.ssd` files in a folder.

use super::{KNOWN, Source, folder_of};
use crate::load::{InputHash, file_name};
use crate::models::ModelOptions;
use crate::request::FormOptions;
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Literal, ModelReference, Report};
use consort_formats::multimodel::Keys;
use consort_models::ssp::SspFolder;
use consort_run::Error;
use consort_system::SystemDescription;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

pub(super) fn read(
    path: PathBuf,
    options: &FormOptions,
    models: &ModelOptions,
    report: &mut Report,
) -> Result<Option<Source>, Error> {
    if !path.exists() && options.variant.is_none() {
        let message = format!("`{}` could not be read: no such file or directory", path.display());
        return Err(Error::failed(Diagnostic::error("cli::no-system", message).help(KNOWN)));
    }
    let is_archive = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("ssp"));
    let place = if is_archive { path.clone() } else { folder_or_here(&path) };
    let Some(folder) = SspFolder::open(&place, &models.loader.cache, report) else {
        return Ok(None);
    };
    let Some(structure) = structure(&path, is_archive, options, &folder, report) else {
        return Ok(None);
    };
    let seen: RefCell<BTreeMap<String, Vec<u8>>> = RefCell::default();
    let nested: RefCell<Report> = RefCell::default();
    let files = |name: &str| {
        let content = folder.read(name, &mut nested.borrow_mut())?;
        seen.borrow_mut().insert(name.to_owned(), content.clone());
        Some(content)
    };
    let name = place.display().to_string();
    let system = consort_formats::ssp::read(&name, &files, &structure, report);
    for diagnostic in nested.into_inner().diagnostics() {
        report.push(diagnostic.clone());
    }
    if let Some(system) = system.as_ref().filter(|_| is_archive) {
        refuse_outside(system, report);
    }
    let seen = seen.into_inner();
    let text = seen.get(&structure).map(|text| String::from_utf8_lossy(text).into_owned());
    let hash = |(name, content): (&String, &Vec<u8>)| InputHash::new(name, "system", content);
    let inputs = match &folder.sha256 {
        Some(sha256) => vec![InputHash::known(&file_name(&path), "system", sha256)],
        None => seen.iter().map(hash).collect(),
    };
    Ok(system.map(|system| Source {
        path,
        text: text.unwrap_or_default(),
        system,
        base: folder.root,
        is_unpacked: is_archive,
        is_lenient: true,
        inputs,
        searched: Vec::new(),
        keys: Keys::default(),
        alone: None,
    }))
}

/// What an archive names must be in it: it may come from a stranger, and is unpacked in a place
/// that were not chosen.
fn refuse_outside(system: &SystemDescription, report: &mut Report) {
    let models = system.components.iter().map(|it| (it.model.value.as_str(), it.model.span));
    let models = models.filter(|(model, _)| !ModelReference::is_native(model));
    let natives = system.components.iter().filter(|it| ModelReference::is_native(&it.model.value));
    let parameters = natives.flat_map(|it| &it.parameters);
    let tables = parameters.filter(|it| it.name.value == "file").filter_map(|it| {
        let Literal::Text(path) = &it.value.value else { return None };
        Some((path.as_str(), it.value.span))
    });
    let input = system.experiment.input.iter().map(|it| (it.value.as_str(), it.span));
    for (path, span) in models.chain(tables).chain(input) {
        let parts = Path::new(path).components();
        if parts.into_iter().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            continue;
        }
        let message = format!("`{path}` is not in the archive");
        report.push(
            Diagnostic::error("ssp::not-inside", message)
                .maybe_at(span, "leaves the archive")
                .help("pack the file into it, or unpack the archive and run the folder"),
        );
    }
}

fn folder_or_here(path: &Path) -> PathBuf {
    let folder = if path.is_dir() { path.to_owned() } else { folder_of(path) };
    if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder }
}

/// Which `.ssd` is meant.
fn structure(
    path: &Path,
    is_archive: bool,
    options: &FormOptions,
    folder: &SspFolder,
    report: &mut Report,
) -> Option<String> {
    let named = (!is_archive).then(|| file_name(path));
    let wanted = options.variant.clone().or(named);
    let wanted = wanted.unwrap_or_else(|| consort_formats::ssp::DEFAULT_STRUCTURE.to_owned());
    if folder.variants.contains(&wanted) {
        return Some(wanted);
    }
    let names = folder.variants.iter().map(String::as_str);
    let help = match nearest_name(&wanted, names.clone()) {
        Some(name) => format!("did you mean `--variant {name}`?"),
        None => {
            let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
            format!("choose one with `--variant`: {}", names.join(", "))
        }
    };
    let message = format!("`{}` has no `{wanted}` at its top", folder_name(path, is_archive));
    report.push(Diagnostic::error("cli::no-variant", message).help(help));
    None
}

fn folder_name(path: &Path, is_archive: bool) -> String {
    let place = if is_archive { path.to_owned() } else { folder_or_here(path) };
    place.display().to_string()
}
