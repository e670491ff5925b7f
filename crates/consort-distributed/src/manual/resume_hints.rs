//! How a manual node can be resumed, when others are lost or have other snapshots.

use crate::message::is_about_others;
use consort_core::{Diagnostic, Resolution, Time};
use consort_run::files::snapshot_dir::SnapshotDir;
use consort_run::{Prepared, Resumed, Saving};
use consort_view::numbers::short;
use std::path::{Path, PathBuf};

/// More times than this are not listed.
const TIMES_MAX: usize = 8;

/// What a node can be resumed from.
pub(super) struct ResumeHints {
    node: String,
    resolution: Resolution,
    /// Where its snapshots are, if it has any.
    dir: Option<SnapshotDir>,
    /// The snapshot from which it was resumed.
    resumed: Option<(Time, PathBuf)>,
}

impl ResumeHints {
    /// Of a node that saves to `dir`, and continued from a snapshot.
    pub(super) fn new(
        node: &str,
        prepared: &Prepared,
        dir: Option<SnapshotDir>,
        resumed: Option<&Resumed>,
    ) -> Self {
        let beside = |resumed: &Resumed| {
            let folder = resumed.path().parent().filter(|folder| !folder.as_os_str().is_empty());
            SnapshotDir::new(folder.unwrap_or(Path::new(".")), node)
        };
        ResumeHints {
            node: node.to_owned(),
            resolution: prepared.resolved().experiment.resolution,
            dir: resumed.map(beside).or(dir),
            resumed: resumed.map(|resumed| (resumed.time(), resumed.path().to_owned())),
        }
    }

    /// For a node that had begun when it lost another.
    pub(super) fn after(&self, why: Diagnostic, saving: &Saving) -> Diagnostic {
        if !is_about_others(&why) {
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
        let Some(dir) = self.dir.as_ref().filter(|_| self.resumed.is_some()) else {
            return why;
        };
        let kept = dir.kept();
        let skipped = kept.len().saturating_sub(TIMES_MAX);
        let times = kept.iter().skip(skipped).map(|(time, _)| format!("{time} s"));
        let mut times: Vec<String> = times.collect();
        if 0 < skipped {
            times.insert(0, "…".to_owned());
        }
        let (node, folder) = (&self.node, dir.folder().display());
        let times = times.join(", ");
        let help = "start every node with the same system and a snapshot of the same time";
        why.with_note(format!("node `{node}` has snapshots of {times} in `{folder}`")).help(help)
    }
}
