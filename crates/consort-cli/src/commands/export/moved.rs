//! Paths as they are from another folder.

use super::files::Files;
use crate::outcome::CommandError;
use consort_core::Literal;
use consort_system::System;
use std::path::{Component, Path, PathBuf};

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

/// Absolute and without `..`; links are followed as far as it exists.
fn whole(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut rest = Vec::new();
    for ancestor in absolute.ancestors() {
        if let Ok(found) = ancestor.canonicalize() {
            return rest.iter().rev().fold(found, |path, name| path.join(name));
        }
        rest.extend(ancestor.file_name());
    }
    absolute
}

/// From one folder to a file, with `/`.
fn relative(from: &Path, to: &Path) -> String {
    let (a, b): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let common = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let up = a[common..].iter().map(|_| "..".to_owned());
    let down = b[common..]
        .iter()
        .map(|part: &Component<'_>| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::relative;
    use std::path::Path;

    #[test]
    fn paths_are_relative_to_where_they_are_read() {
        for (from, to, path) in [
            ("/a/b", "/a/b/c.fmu", "c.fmu"),
            ("/a/b", "/a/c/d.fmu", "../c/d.fmu"),
            ("/a/b/c", "/a/d.fmu", "../../d.fmu"),
        ] {
            assert_eq!(relative(Path::new(from), Path::new(to)), path);
        }
    }
}
