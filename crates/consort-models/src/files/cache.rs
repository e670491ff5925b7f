//! Where unpacked archives and compiled sources are kept.

use super::input_file::{InputFile, InputFileRole, sha256_of_file};
use crate::request::ModelRequest;
use consort_core::{Diagnostic, Report, Span};
use consort_fmi::archive::{self, ArchiveLimits};
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

/// The default place of the cache: `CONSORT_CACHE`, else `consort` below
/// `XDG_CACHE_HOME`, else `~/.cache/consort`, else `.consort-cache` in the current folder: never a
/// place that other users can write to, because code is loaded from it.
pub fn default_cache_dir() -> PathBuf {
    cache_dir(|name| env::var_os(name))
}

fn cache_dir(variable: impl Fn(&str) -> Option<OsString>) -> PathBuf {
    let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
    if let Some(cache) = variable("CONSORT_CACHE") {
        return PathBuf::from(cache);
    }
    let base = variable("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || variable("HOME").map(|home| Path::new(&home).join(".cache"));
    let base = base.or_else(home);
    base.map_or_else(|| PathBuf::from(".consort-cache"), |base| base.join("consort"))
}

/// Unpacks an archive into `fmu/HASH` of the cache, unless it is there already.
pub(crate) fn unpack(
    path: &Path,
    request: &ModelRequest<'_>,
    cache: &Path,
    report: &mut Report,
) -> Option<(PathBuf, InputFile)> {
    let hash = match sha256_of_file(path) {
        Ok(hash) => hash,
        Err(error) => {
            report.push(unreadable(request, &error));
            return None;
        }
    };
    let directory = cache.join("fmu").join(&hash);
    let input =
        InputFile { path: request.model.to_owned(), sha256: hash, role: InputFileRole::Fmu };
    // Folders appear in the cache whole or not at all.
    if directory.is_dir() {
        return Some((directory, input));
    }
    let folder = cache.join("fmu");
    prepare(&folder, request, report)?;
    let file = match File::open(path) {
        Ok(file) => BufReader::new(file),
        Err(error) => {
            report.push(unreadable(request, &error));
            return None;
        }
    };
    let unusable = |error: io::Error| unusable(&folder, request.span, &error);
    let work = work_folder(&folder).map_err(|error| report.push(unusable(error))).ok()?;
    let unpacked = work.path().join("fmu");
    let (name, limits) = (request.model, ArchiveLimits::default());
    if !archive::unpack(file, name, &unpacked, &limits, request.span, report) {
        return None;
    }
    let settled = settle(&unpacked, &directory, "modelDescription.xml");
    settled.map_err(|error| report.push(unusable(error))).ok()?;
    Some((directory, input))
}

/// A folder of one's own in a part of the cache; it goes away on every path.
pub(crate) fn work_folder(part: &Path) -> io::Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix(".work-").tempdir_in(part)
}

/// Moves a complete folder to its place in the cache. If another process was faster, its folder, with
/// `file` in it, stays.
pub(crate) fn settle(made: &Path, place: &Path, file: &str) -> io::Result<()> {
    match fs::rename(made, place) {
        Err(_) if place.join(file).is_file() => Ok(()),
        moved => moved,
    }
}

/// Makes a folder of the cache.
pub(crate) fn prepare(
    folder: &Path,
    request: &ModelRequest<'_>,
    report: &mut Report,
) -> Option<()> {
    let made = fs::create_dir_all(folder);
    made.map_err(|error| report.push(unusable(folder, request.span, &error))).ok()
}

/// The cache cannot be written; `span` is where the model that needs it is named.
pub(crate) fn unusable(folder: &Path, span: Option<Span>, error: &io::Error) -> Diagnostic {
    let message = format!("the cache `{}` cannot be written", folder.display());
    Diagnostic::error("model::cache", message)
        .maybe_at(span, "needed for this model")
        .with_note(error.to_string())
        .help("make room and permit writing there, or choose another folder with `--cache-dir DIR`")
}

/// A file of the user's that is there but cannot be read.
pub(crate) fn unreadable(request: &ModelRequest<'_>, error: &io::Error) -> Diagnostic {
    let message = format!("the model `{}`{} cannot be read", request.model, request.of_component());
    let help = match error.kind() {
        io::ErrorKind::IsADirectory => "this is a folder: name a file",
        _ => "permit reading it",
    };
    Diagnostic::error("model::unreadable", message)
        .maybe_at(request.span, "asked for here")
        .with_note(error.to_string())
        .help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &[(&str, &str)], expected: &str) {
        let lookup = |name: &str| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| OsString::from(value))
        };
        assert_eq!(cache_dir(lookup), Path::new(expected), "{variables:?}");
    }

    #[test]
    fn the_second_maker_takes_what_is_there() {
        let part = tempfile::tempdir().unwrap();
        let place = part.path().join("place");
        for _ in 0..2 {
            let work = work_folder(part.path()).unwrap();
            let made = work.path().join("made");
            fs::create_dir(&made).unwrap();
            fs::write(made.join("file"), "whole").unwrap();
            settle(&made, &place, "file").unwrap();
        }
        assert_eq!(fs::read_to_string(place.join("file")).unwrap(), "whole");
        assert_eq!(fs::read_dir(part.path()).unwrap().count(), 1, "nothing is left behind");
        assert!(settle(&part.path().join("missing"), &place, "other").is_err());
    }

    #[test]
    fn the_most_specific_variable_decides_where_the_cache_is() {
        let (home, xdg) = (("HOME", "/home/me"), ("XDG_CACHE_HOME", "/fast"));
        check(&[], ".consort-cache");
        check(&[home], "/home/me/.cache/consort");
        check(&[home, xdg], "/fast/consort");
        check(&[home, xdg, ("CONSORT_CACHE", "/mine")], "/mine");
        check(&[home, ("XDG_CACHE_HOME", ""), ("CONSORT_CACHE", "")], "/home/me/.cache/consort");
    }
}
