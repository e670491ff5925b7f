//! What a node that was started by hand says about going on, when others are gone or do not fit.

use crate::commands::run::resuming::Resumed;
use crate::commands::run::saving::Saving;
use crate::pipeline::Prepared;
use crate::spread::{self, shelf::Shelf};
use consort_core::{Diagnostic, Resolution, Time};
use consort_view::numbers::short;
use std::path::{Path, PathBuf};

/// More times than this help nobody.
const TIMES_MAX: usize = 8;

/// From where a node can go on.
pub(super) struct WayOn {
    node: String,
    resolution: Resolution,
    /// Where its snapshots are, if it has any.
    shelf: Option<Shelf>,
    /// What it went on from.
    resumed: Option<(Time, PathBuf)>,
}

impl WayOn {
    /// Of a node that saves to `shelf`, and went on from a snapshot.
    pub(super) fn new(
        node: &str,
        prepared: &Prepared,
        shelf: Option<Shelf>,
        resumed: Option<&Resumed>,
    ) -> Self {
        let beside = |resumed: &Resumed| {
            let folder = resumed.path().parent().filter(|folder| !folder.as_os_str().is_empty());
            Shelf::new(folder.unwrap_or(Path::new(".")), node)
        };
        WayOn {
            node: node.to_owned(),
            resolution: prepared.resolved.experiment.resolution,
            shelf: resumed.map(beside).or(shelf),
            resumed: resumed.map(|resumed| (resumed.time(), resumed.path().to_owned())),
        }
    }

    /// For a node that had begun when it lost another.
    pub(super) fn after(&self, why: Diagnostic, saving: &Saving) -> Diagnostic {
        if !spread::is_about_others(&why) {
            return why;
        }
        let resumed = self.resumed.as_ref().map(|(time, path)| (*time, path.as_path()));
        let Some((time, path)) = saving.last_saved().or(resumed) else {
            let help = "start all nodes again; with `--save-every SECONDS --save FOLDER` they go \
                        on from their last snapshots";
            return why.help(help);
        };
        let (time, path) = (short(self.resolution.to_f64(time)), path.display());
        let node = &self.node;
        let note = format!("the last snapshot of node `{node}` is of {time} s: `{path}`");
        let help = format!(
            "start every node with `--resume`, this one with `--resume {path}`; if another has no \
             snapshot of {time} s, all with the latest that every one has"
        );
        why.with_note(note).help(help)
    }

    /// For a node that never met all others.
    pub(super) fn before(&self, why: Diagnostic) -> Diagnostic {
        let Some(shelf) = self.shelf.as_ref().filter(|_| self.resumed.is_some()) else {
            return why;
        };
        let kept = shelf.kept();
        let skipped = kept.len().saturating_sub(TIMES_MAX);
        let times = kept.iter().skip(skipped).map(|(time, _)| format!("{time} s"));
        let mut times: Vec<String> = times.collect();
        if 0 < skipped {
            times.insert(0, "…".to_owned());
        }
        let (node, folder) = (&self.node, shelf.folder().display());
        let times = times.join(", ");
        let help = "start every node with the same system and a snapshot of the same time";
        why.with_note(format!("node `{node}` has snapshots of {times} in `{folder}`")).help(help)
    }
}
