//! Paths as they are from another folder.

use super::files::Files;
use crate::outcome::CommandError;
use crate::paths::{relative, whole};
use consort_core::Literal;
use consort_system::System;
use std::path::{Path, PathBuf};

/// Before the path of a program's interface.
pub(super) const FOREIGN: &str = "foreign:";

/// From the folder of a system to the folder it is written to.
pub(super) struct Moved {
    from: PathBuf,
    to: PathBuf,
    folder: PathBuf,
    /// The files are in the cache, where nobody should point: they are copied.
    copies: bool,
}

impl Moved {
    pub(super) fn new(from: &Path, to: &Path, copies: bool) -> Self {
        Moved { from: whole(from), to: whole(to), folder: to.to_owned(), copies }
    }

    /// Every path of a system: of models, of tables, and of the table of inputs.
    pub(super) fn apply(&self, system: &mut System, files: &mut Files) -> Result<(), CommandError> {
        for component in &mut system.components {
            if let Some(interface) = component.model.value.strip_prefix(FOREIGN) {
                component.model.value = format!("{FOREIGN}{}", self.path(interface, files)?);
                continue;
            }
            if !component.model.value.starts_with("native:") {
                component.model.value = self.path(&component.model.value, files)?;
                continue;
            }
            let named = component.parameters.iter_mut().filter(|it| it.name.value == "file");
            for parameter in named {
                if let Literal::Text(path) = &mut parameter.value.value {
                    *path = self.path(path, files)?;
                }
            }
        }
        if let Some(input) = &mut system.experiment.input {
            input.value = self.path(&input.value, files)?;
        }
        Ok(())
    }

    fn path(&self, path: &str, files: &mut Files) -> Result<String, CommandError> {
        let target = self.from.join(path);
        if self.copies && Path::new(path).is_relative() && target.is_file() {
            let content = std::fs::read(&target);
            let content = content.map_err(|error| CommandError::unreadable(&target, &error))?;
            files.push(self.folder.join(path), content);
            return Ok(path.to_owned());
        }
        if self.from == self.to && Path::new(path).is_relative() {
            return Ok(path.to_owned());
        }
        Ok(relative(&self.to, &whole(&target)))
    }
}
