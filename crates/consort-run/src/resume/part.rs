//! A node that is resumed from its own part of a saved run.

use super::{Resumed, another_placement, placed};
use crate::error::Error;
use crate::files::parts;
use crate::files::snapshot_dir::SnapshotDir;
use crate::run_id::{RunId, id_from_text, id_text};
use consort_core::{Diagnostic, Report, Time};
use consort_formats::read_snapshot;
use serde_json::Value;
use std::path::{Path, PathBuf};

impl Resumed {
    /// The part of `node`: a file that it kept, the latest of them in a folder, or its part of a file
    /// that holds those of all nodes.
    ///
    /// # Errors
    /// If there is no snapshot, or it is of another node.
    pub fn read_part(path: &Path, node: &str) -> Result<Self, Error> {
        if path.is_dir() {
            let kept = SnapshotDir::new(path, node).kept().pop();
            let (_, latest) = kept.ok_or_else(|| nothing_kept(path, node))?;
            return Self::read_part(&latest, node);
        }
        let resumed = Self::read(path)?;
        if resumed.is_distributed() {
            return resumed.take_part(node);
        }
        match resumed.options()["node"].as_str() {
            Some(own) if own == node => Ok(resumed),
            Some(other) => Err(another_node(&resumed, node, other)),
            None => Err(no_part(&resumed, node, "it was computed in one piece".to_owned())),
        }
    }

    /// A file that a whole run is resumed from.
    ///
    /// # Errors
    /// If there is no snapshot, or it is the part of one node.
    pub fn read_whole(path: &Path) -> Result<Self, Error> {
        let resumed = Self::read(path)?;
        let saved = resumed.options();
        let Some(node) = saved["node"].as_str() else { return Ok(resumed) };
        let message = format!("`{}` is the part of node `{node}` alone", path.display());
        let line = format!("consort node --name {node} --resume {}", path.display());
        let help = format!("start every node with its own part, this one with `{line}`");
        let diagnostic = Diagnostic::error("snapshot::node", message);
        Err(Error::invalid(diagnostic.help(help)))
    }

    fn take_part(mut self, node: &str) -> Result<Self, Error> {
        let parts = parts::split(&self.file.state).unwrap_or_default();
        let Some((_, bytes)) = parts.iter().find(|(name, _)| name == node) else {
            let nodes: Vec<String> = parts.iter().map(|(name, _)| name.clone()).collect();
            return Err(no_part(&self, node, format!("its nodes are {}", listed(&nodes))));
        };
        let mut report = Report::default();
        let part = read_snapshot(&self.path.to_string_lossy(), bytes, &mut report);
        let part = part.ok_or(Error::Invalid { report })?;
        (self.file.state, self.file.save_points) = (part.state, part.save_points);
        Ok(self)
    }

    /// The file that it was read from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Everything up to this time is done.
    pub fn time(&self) -> Time {
        self.file.tag.time
    }

    /// Which run it is a part of; what was typed must be the same.
    ///
    /// # Errors
    /// If it is another.
    pub fn run_id(&self, typed: Option<RunId>) -> Result<RunId, Error> {
        let saved = self.options()["run"].as_str().and_then(id_from_text);
        match (saved, typed) {
            (Some(saved), Some(typed)) if saved != typed => {
                let message = "the snapshot is of another run";
                let diagnostic = Diagnostic::error("snapshot::run", message);
                let note = format!("--run: {}, now {}", id_text(saved), id_text(typed));
                let help = "leave `--run` out: it is as it was";
                Err(Error::invalid(diagnostic.with_note(note).help(help)))
            }
            (saved, typed) => Ok(saved.or(typed).unwrap_or_default()),
        }
    }

    /// Checks that every component is on the same node as before.
    ///
    /// # Errors
    /// If a component is on another node.
    pub fn check_placement(&self, placement: &Value) -> Result<(), Error> {
        let saved = &self.options()["placement"];
        if saved == placement { Ok(()) } else { Err(another_placement(&placed(saved))) }
    }
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn nothing_kept(folder: &Path, node: &str) -> Error {
    let message = format!("`{}` holds no snapshot of node `{node}`", folder.display());
    let diagnostic = Diagnostic::error("snapshot::none", message);
    let file = folder.join(format!("{node}@TIME.snapshot"));
    let diagnostic = diagnostic.with_note(format!("they are called `{}`", file.display()));
    Error::invalid(diagnostic.help("name the folder that the node was given as `--save`"))
}

fn no_part(resumed: &Resumed, node: &str, note: String) -> Error {
    let path = resumed.path.display();
    let message = format!("`{path}` has no part of node `{node}`");
    let diagnostic = Diagnostic::error("snapshot::node", message).with_note(note);
    let help = format!("resume with `consort run --resume {path}`");
    Error::invalid(diagnostic.help(help))
}

fn another_node(resumed: &Resumed, node: &str, other: &str) -> Error {
    let path = resumed.path.display();
    let message = format!("`{path}` is the part of node `{other}`, and this is node `{node}`");
    let name = resumed.path.file_name().unwrap_or_default().to_string_lossy();
    let own: PathBuf = match name.strip_prefix(other) {
        Some(rest) => resumed.path.with_file_name(format!("{node}{rest}")),
        None => PathBuf::from(format!("{node}@TIME.snapshot")),
    };
    let help = format!("give each node its own part, as `{}`", own.display());
    Error::invalid(Diagnostic::error("snapshot::node", message).help(help))
}
