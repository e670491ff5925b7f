//! Relative paths, rewritten for another folder.

use super::files::Files;
use crate::outcome::CommandError;
use consort::run::paths::{relative, whole};
use consort_core::{Literal, ModelReference, Report};
use consort_models::ssp::Nested;
use consort_system::{Component, SystemDescription};
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// From the folder of a system to the folder it is written to.
pub(super) struct Moved<'m> {
    from: PathBuf,
    to: PathBuf,
    folder: PathBuf,
    /// The files are in the cache, which paths must not lead to: they are copied.
    copies: bool,
    /// So are those of archives that paths lead through.
    nested: &'m RefCell<Nested>,
}

/// Where a path is that may lead through archives, which were unpacked when models were loaded.
pub(super) fn real(nested: &RefCell<Nested>, path: &Path) -> PathBuf {
    let located = nested.borrow_mut().located(path, &mut Report::default());
    located.unwrap_or_else(|| path.to_owned())
}

impl<'m> Moved<'m> {
    pub(super) fn new(from: &Path, to: &Path, copies: bool, nested: &'m RefCell<Nested>) -> Self {
        Moved { from: whole(from), to: whole(to), folder: to.to_owned(), copies, nested }
    }

    /// Every path of a system: of models, of tables, and of the table of inputs.
    pub(super) fn apply(
        &self,
        system: &mut SystemDescription,
        files: &mut Files,
    ) -> Result<(), CommandError> {
        for component in &mut system.components {
            match ModelReference::of(&component.model.value) {
                ModelReference::Foreign(interface) => {
                    let interface = self.path(interface, files)?;
                    component.model.value = format!("{}{interface}", ModelReference::FOREIGN);
                }
                ModelReference::File(path) => component.model.value = self.path(path, files)?,
                ModelReference::Native(_) => self.apply_to_block(component, files)?,
            }
        }
        if let Some(input) = &mut system.experiment.input {
            input.value = self.path(&input.value, files)?;
        }
        Ok(())
    }

    /// The files that the parameters of a native block name.
    fn apply_to_block(
        &self,
        component: &mut Component,
        files: &mut Files,
    ) -> Result<(), CommandError> {
        for parameter in component.parameters.iter_mut().filter(|it| it.name.value == "file") {
            if let Literal::Text(path) = &mut parameter.value.value {
                *path = self.path(path, files)?;
            }
        }
        Ok(())
    }

    fn path(&self, path: &str, files: &mut Files) -> Result<String, CommandError> {
        let target = self.from.join(path);
        let real = real(self.nested, &target);
        let copies = self.copies || real != target;
        if copies && Path::new(path).is_relative() && real.is_file() {
            let content = std::fs::read(&real);
            let content = content.map_err(|error| CommandError::unreadable(&real, &error))?;
            // What was a folder within an archive becomes one beside it.
            let path = path.replace(".ssp/", "/");
            files.push(self.folder.join(&path), content);
            return Ok(path);
        }
        if self.from == self.to && Path::new(path).is_relative() {
            return Ok(path.to_owned());
        }
        Ok(relative(&self.to, &whole(&target)))
    }
}
