//! The saves of a node that was started by hand: into a folder of its own, one file per time.

use super::plan::{save_time, saving, times_every};
use super::{Save, Saving};
use crate::error::Error;
use crate::files::snapshot_dir::SnapshotDir;
use crate::prepared::Prepared;
use crate::run_id::{RunId, id_text};
use consort_core::{Diagnostic, Fidelity, Report, Seconds, Tag, Time};
use serde_json::{Value, json};

/// What a node keeps, when, and where.
pub struct NodeSaves<'a> {
    /// Which node it is.
    pub node: &'a str,
    /// Which run it takes part in.
    pub run: RunId,
    /// The placement of components on nodes.
    pub placement: &'a Value,
    /// Where its files go, if it saves at all.
    pub dir: Option<&'a SnapshotDir>,
    /// After each of these.
    pub every: Option<Seconds>,
    /// Or at these times.
    pub at: &'a [Seconds],
}

/// The saves of a node, of a run that was saved before at `save_points`.
///
/// # Errors
/// Everything that is wrong with them, and every component that cannot be saved.
pub fn plan_node(
    options: &Value,
    prepared: &Prepared,
    save_points: &[Tag],
    saves: &NodeSaves<'_>,
) -> Result<Saving, Error> {
    let mut report = prepared.report.clone();
    let begins = save_points.last().map(|tag| tag.time);
    let waiting = match saves.dir {
        Some(dir) => {
            check_folder(dir, &mut report);
            prepared.check_saveable(Fidelity::Portable, &mut report);
            let times = times(prepared, begins, saves, &mut report);
            let save = |at: &Time| save(dir, *at, prepared, &mut report);
            times.iter().filter_map(save).collect()
        }
        None => Vec::new(),
    };
    Error::check(report)?;
    let saving = saving(options, prepared, save_points, waiting);
    let saving = Saving { repeats: saves.every.is_some(), ..saving };
    Ok(saving.noting([
        ("placement", saves.placement.clone()),
        ("node", json!(saves.node)),
        ("run", json!(id_text(saves.run))),
    ]))
}

const BETWEEN: &str = "take a time in between";

fn times(
    prepared: &Prepared,
    begins: Option<Time>,
    saves: &NodeSaves<'_>,
    report: &mut Report,
) -> Vec<Time> {
    if let Some(every) = saves.every {
        return times_every(every, prepared, begins, report);
    }
    let times = saves.at.iter();
    let mut times: Vec<Time> =
        times.filter_map(|at| save_time(*at, prepared, begins, BETWEEN, report)).collect();
    times.sort();
    times.dedup();
    times
}

fn save(dir: &SnapshotDir, at: Time, prepared: &Prepared, report: &mut Report) -> Option<Save> {
    let Some(seconds) = prepared.resolved().experiment.resolution.seconds(at) else {
        let message = format!("the time of tick {} has no short name for a file", at.ticks());
        let diagnostic = Diagnostic::error("cli::save-time", message);
        report.push(diagnostic.help("choose times with fewer digits"));
        return None;
    };
    Some(Save::to_file(Some(at), dir.file(seconds)))
}

fn check_folder(dir: &SnapshotDir, report: &mut Report) {
    let folder = dir.folder();
    if folder.exists() && !folder.is_dir() {
        let message = format!("the node cannot be saved to `{}`: it is a file", folder.display());
        let diagnostic = Diagnostic::error("cli::save-file", message);
        report.push(diagnostic.help("choose a folder: each time has a file of its own in it"));
    }
}
