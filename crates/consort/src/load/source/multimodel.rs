//! An INTO-CPS multi-model: its files, and the FMUs they name.

use super::{Source, call_after_folder, folder_of, read_text};
use crate::load::{InputHash, file_name};
use crate::request::FormOptions;
use consort_core::{Diagnostic, ModelReference, Report, Span};
use consort_formats::multimodel::{self, MultimodelFile};
use consort_run::Error;
use consort_run::paths::{relative, whole};
use consort_system::SystemDescription;
use std::path::{Component, Path, PathBuf};

pub(super) fn read(
    path: PathBuf,
    options: &FormOptions,
    report: &mut Report,
) -> Result<Option<Source>, Error> {
    let texts = texts(&path, options, report)?;
    let names: Vec<String> = texts.iter().map(|(path, _)| path.display().to_string()).collect();
    let named = names.iter().zip(&texts);
    let files: Vec<MultimodelFile<'_>> =
        named.map(|(name, (_, text))| MultimodelFile { name, text }).collect();
    let Some(mut read) = multimodel::read(&files, report) else { return Ok(None) };
    let (model, text) = &texts[0];
    call_after_folder(&mut read.system, model, "mm", "mm.json");
    let hash = |(path, text): &(PathBuf, String)| {
        InputHash::new(&file_name(path), "system", text.as_bytes())
    };
    let base = folder_of(model);
    find_fmus(&mut read.system, &base, report);
    Ok(Some(Source {
        path,
        text: text.clone(),
        system: read.system,
        searched: searched(&base),
        base,
        is_unpacked: false,
        is_lenient: false,
        inputs: texts.iter().map(hash).collect(),
        keys: read.keys,
        alone: None,
    }))
}

/// The files of a multi-model, that with the FMUs first; `path` names it or a configuration of it.
fn texts(
    path: &Path,
    options: &FormOptions,
    report: &mut Report,
) -> Result<Vec<(PathBuf, String)>, Error> {
    let text = read_text(path)?;
    let (mut paths, mut texts) = (options.with.clone(), Vec::new());
    if let Some(named) = multimodel::model_of_configuration(&text) {
        let model = model_of(path, &named)?;
        texts.push((model.clone(), read_text(&model)?));
    } else if paths.is_empty() && multimodel::lacks_experiment(&text) {
        paths.extend(configuration(path, report));
    }
    texts.push((path.to_owned(), text));
    for path in paths {
        let text = read_text(&path)?;
        texts.push((path, text));
    }
    Ok(texts)
}

/// How many folders up from a multi-model its project may be: results are kept in folders of their
/// own, below the multi-model's and the configuration's.
const UP_MAX: usize = 5;

/// FMUs that are not where the multi-model names them from its own folder: projects of INTO-CPS have
/// them in a folder `FMUs`, Maestro takes paths from the folder it is started in.
fn find_fmus(system: &mut SystemDescription, base: &Path, report: &mut Report) {
    let mut found: Vec<(String, &str, Option<Span>)> = Vec::new();
    for component in &mut system.components {
        let model = component.model.value.clone();
        if ModelReference::is_native(&model) || base.join(&model).exists() {
            continue;
        }
        if let Some((path, place)) = elsewhere(&model, base) {
            component.model.value = path;
            found.push((model, place, component.model.span));
        }
    }
    let Some((first, place, span)) = found.first() else { return };
    let message = format!("`{first}` was found {place}");
    let mut diagnostic =
        Diagnostic::note("multimodel::project", message).maybe_at(*span, "not beside this file");
    let (there, others): (Vec<_>, Vec<_>) = found[1..].iter().partition(|it| it.1 == *place);
    if !there.is_empty() {
        let names: Vec<&str> = there.iter().map(|(model, ..)| model.as_str()).collect();
        diagnostic = diagnostic.with_note(format!("and so were {}", names.join(", ")));
    }
    for (model, place, _) in others {
        diagnostic = diagnostic.with_note(format!("and `{model}` {place}"));
    }
    report.push(diagnostic);
}

/// Another path from `base` at which there is the FMU, and where that is.
fn elsewhere(model: &str, base: &Path) -> Option<(String, &'static str)> {
    let is_absolute = model.starts_with('/') || model.get(1..2) == Some(":");
    // Of a path of another machine, the name of the file is what can be found.
    let name = match is_absolute {
        true => model.rsplit('/').next().unwrap_or(model),
        false => model,
    };
    let is_there = |path: &String| base.join(path).exists();
    let ups = |from: usize, folder: &'static str| {
        (from..=UP_MAX).map(move |up| format!("{}{folder}{name}", "../".repeat(up)))
    };
    if is_absolute && is_there(&name.to_owned()) {
        return Some((name.to_owned(), "beside the multi-model"));
    }
    if let Some(path) = ups(0, "FMUs/").find(is_there) {
        return Some((path, "in the folder `FMUs` of the project"));
    }
    if !is_absolute && Path::new(model).exists() {
        let path = relative(&whole(base), &whole(Path::new(model)));
        return Some((path, "from the current folder"));
    }
    let path = ups(1, "").find(is_there)?;
    Some((path, "from a folder around the multi-model"))
}

/// The places where FMUs are looked for.
fn searched(base: &Path) -> Vec<String> {
    let here = std::env::current_dir().map(|here| format!(" `{}`", here.display()));
    vec![
        format!("the folder of the multi-model `{}`", whole(base).display()),
        "`FMUs` of the folders around it".to_owned(),
        format!("the current folder{}", here.unwrap_or_default()),
    ]
}

/// The multi-model that a configuration names from the folder of its project, which is one of those
/// around it.
fn model_of(configuration: &Path, named: &str) -> Result<PathBuf, Error> {
    let around = std::path::absolute(configuration).unwrap_or_else(|_| configuration.to_owned());
    let depth = around.ancestors().count().saturating_sub(1);
    let ups = (0..depth).map(|up| above(&folder_of(configuration), up).join(named));
    if let Some(found) = ups.into_iter().find(|path| path.is_file()) {
        return Ok(found);
    }
    let message = format!("the multi-model `{named}` is in no folder around it");
    let diagnostic = Diagnostic::error("multimodel::no-model", message);
    let name = configuration.display();
    Err(Error::invalid(
        diagnostic
            .with_note(format!("`{name}` names it by `multimodel_path`"))
            .help(format!("name the multi-model first: `consort run mm.json --with {name}`")),
    ))
}

/// The folder that many steps above one, in its shortest form.
fn above(folder: &Path, up: usize) -> PathBuf {
    let is_plain = folder.components().all(|part| matches!(part, Component::Normal(_)));
    let known = if is_plain { folder.components().count().min(up) } else { 0 };
    let start = folder.ancestors().nth(known).unwrap_or(folder);
    start.join("../".repeat(up - known))
}

/// The file that says what a multi-model does not say about the experiment: `tank.coe.json` beside
/// `tank.mm.json`, `coe.json`, `simulate.json` beside `initialize.json`, else the only configuration
/// that there is beside it or one folder below.
fn configuration(path: &Path, report: &mut Report) -> Option<PathBuf> {
    let name = file_name(path);
    let stem = name.strip_suffix(".mm.json").or_else(|| name.strip_suffix(".json"))?;
    let mut names = vec![format!("{stem}.coe.json"), "coe.json".to_owned()];
    if name.contains("initialize") {
        names.extend(["simulate", "simulateFor"].map(|it| name.replace("initialize", it)));
    }
    names.extend(["simulate.json", "simulation-config.json"].map(str::to_owned));
    let mut files = names.iter().map(|name| path.with_file_name(name));
    let is_other = |file: &PathBuf| file.is_file() && file != path;
    files.find(is_other).or_else(|| only_configuration(path, report))
}

/// The only `coe.json` or `NAME.coe.json` in the folder of a multi-model and in those directly below;
/// if there are several, they are listed.
fn only_configuration(path: &Path, report: &mut Report) -> Option<PathBuf> {
    let folder = whole(&folder_of(path));
    let mut found = configurations_in(&folder);
    if found.is_empty() {
        found = entries(&folder).iter().flat_map(|below| configurations_in(below)).collect();
    }
    let shown =
        |file: &PathBuf| format!("`{}`", folder_of(path).join(relative(&folder, file)).display());
    let message = match found.as_slice() {
        [] => return None,
        [only] => format!("start, end and steps are those of {}", shown(only)),
        several => {
            let names: Vec<String> = several.iter().map(shown).collect();
            format!("there are several configurations: {}", names.join(", "))
        }
    };
    let help = "name one: `consort run mm.json --with coe.json`, or run the configuration itself";
    report.push(Diagnostic::note("multimodel::configuration", message).help(help));
    match found.len() {
        1 => found.pop().map(|file| folder_of(path).join(relative(&folder, &file))),
        _ => None,
    }
}

fn configurations_in(folder: &Path) -> Vec<PathBuf> {
    let is_configuration = |file: &PathBuf| {
        let name = file_name(file);
        file.is_file() && (name == "coe.json" || name.ends_with(".coe.json"))
    };
    entries(folder).into_iter().filter(is_configuration).collect()
}

/// What is in a folder, by name; nothing if it is no folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let list = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut list: Vec<PathBuf> = list.map(|entry| entry.path()).collect();
    list.sort();
    list
}
