//! Every model below a folder.

use crate::outcome::CommandError;
use consort_core::Diagnostic;
use consort_models::ModelKinds;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Most folders within folders: a link to a parent would never end.
const DEPTH_MAX: usize = 32;

/// The models below `folder`, sorted by their paths.
pub(super) fn models(folder: &Path, kinds: &ModelKinds) -> Result<Vec<String>, CommandError> {
    let mut found = Vec::new();
    walk(folder, kinds, DEPTH_MAX, &mut found)
        .map_err(|error| CommandError::unreadable(folder, &error))?;
    if found.is_empty() {
        let message = format!("there is no model below `{}`", folder.display());
        let help =
            "models are `.fmu` files, FMU folders, equations (`.eq`) and SBML (`.sbml`, `.xml`)";
        return Err(CommandError::invalid(Diagnostic::error("cli::no-models", message).help(help)));
    }
    found.sort();
    Ok(found)
}

fn walk(
    folder: &Path,
    kinds: &ModelKinds,
    depth: usize,
    found: &mut Vec<String>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path: PathBuf = entry?.path();
        let is_hidden =
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let is_folder = path.is_dir();
        if is_hidden || is_folder && depth == 0 {
            continue;
        }
        if kinds.has_model(&path) {
            found.push(path.display().to_string());
        } else if is_folder {
            walk(&path, kinds, depth - 1, found)?;
        }
    }
    Ok(())
}
