//! The help about a file that does not exist: similar names nearby.

use crate::request::ModelRequest;
use consort_core::diagnostic::nearest_name;
use std::fs;
use std::path::Path;

/// A help line for `name`, looked for where the request says: the nearest file that does exist, or
/// where it was looked for; `known` says what it could be if nothing is near.
pub(crate) fn help(request: &ModelRequest<'_>, name: &str, known: &str) -> String {
    if let Some(help) = escaped(name) {
        return help;
    }
    let path = request.base.join(name);
    if path.is_dir() {
        return format!("`{name}` is a folder");
    }
    if path.exists() {
        return format!("`{name}` is there but cannot be read, or is no file, or is too large");
    }
    // A path of one part has the empty parent, which is the current folder.
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let names = file_names(folder);
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let nearest = nearest_name(&file, names.iter().map(String::as_str));
    match (nearest, folder.is_dir()) {
        (Some(nearest), _) => {
            let beside = Path::new(name).with_file_name(nearest);
            format!("did you mean `{}`?", beside.display())
        }
        (None, true) if request.is_in_system() => {
            "paths are relative to the folder of the system file".to_owned()
        }
        (None, true) => known.to_owned(),
        (None, false) => {
            let folder = Path::new(name).parent().unwrap_or(Path::new(name));
            let place = if request.is_in_system() { " beside the system file" } else { "" };
            format!("there is no folder `{}`{place}", folder.display())
        }
    }
}

/// Of a path whose backslashes were taken for escapes, or which was not written for this system.
fn escaped(name: &str) -> Option<String> {
    if name.contains(char::is_control) {
        let help = "a backslash in double quotes begins an escape: write the path with `/`, or in single quotes";
        return Some(help.to_owned());
    }
    name.contains('\\')
        .then(|| format!("paths are written with `/`: `{}`", name.replace('\\', "/")))
}

/// Sorted, so that the same mistake always gets the same answer.
fn file_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
