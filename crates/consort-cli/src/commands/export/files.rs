//! Files that are all written or not at all, as far as that can be known before.

use crate::outcome::CommandError;
use consort_core::Diagnostic;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is to be written.
#[derive(Default)]
pub(super) struct Files {
    list: Vec<PathBuf>,
    contents: BTreeMap<PathBuf, Vec<u8>>,
}

impl Files {
    pub(super) fn push(&mut self, path: PathBuf, content: impl Into<Vec<u8>>) {
        if self.contents.insert(path.clone(), content.into()).is_none() {
            self.list.push(path);
        }
    }

    /// Complains about files that are there and are others.
    pub(super) fn check(&self, force: bool) -> Result<(), CommandError> {
        let differs = |path: &&PathBuf| {
            path.exists() && std::fs::read(path).ok().as_ref() != self.contents.get(*path)
        };
        let Some(path) = self.list.iter().find(differs).filter(|_| !force) else { return Ok(()) };
        let message = format!("`{}` exists already", path.display());
        let diagnostic = Diagnostic::error("cli::file-exists", message);
        Err(CommandError::failed(diagnostic.help("choose another name, or add `--force`")))
    }

    pub(super) fn write(&self) -> Result<(), CommandError> {
        for path in &self.list {
            let folder = path.parent().unwrap_or(Path::new(""));
            let made = if folder.as_os_str().is_empty() {
                Ok(())
            } else {
                std::fs::create_dir_all(folder)
            };
            let content = self.contents.get(path).map(Vec::as_slice).unwrap_or_default();
            let written = made.and_then(|()| std::fs::write(path, content));
            written.map_err(|error| CommandError::unwritable(path, &error))?;
        }
        Ok(())
    }

    /// `wrote a, b`.
    pub(super) fn said(&self) -> String {
        let names: Vec<String> = self.list.iter().map(|path| path.display().to_string()).collect();
        format!("wrote {}", names.join(", "))
    }
}
