//! The saves of a node that was started by hand: into a folder of its own, one file per time.

use super::plan::{save_time, saving, times_every};
use super::{Save, Saving};
use crate::cli::RunArgs;
use crate::outcome::CommandError;
use crate::pipeline::{Prepared, keepable};
use crate::spread::scratch::{RunId, id_text};
use crate::spread::shelf::Shelf;
use consort_core::{Diagnostic, Fidelity, Report, Seconds, Tag, Time};
use serde_json::{Value, json};

/// What a node keeps, when, and where.
pub(crate) struct Keeping<'a> {
    /// Which node it is.
    pub(crate) node: &'a str,
    /// Which run it takes part in.
    pub(crate) run: RunId,
    /// Who is on which node.
    pub(crate) placement: &'a Value,
    /// Where its files go, if it saves at all.
    pub(crate) shelf: Option<&'a Shelf>,
    /// After each of these.
    pub(crate) every: Option<Seconds>,
    /// Or at these times, as they were typed.
    pub(crate) at: &'a [String],
}

/// The saves of a node, of a run that was saved before at `save_points`.
///
/// # Errors
/// Everything that is wrong with them, and every component that cannot be saved.
pub(crate) fn plan_node(
    args: &RunArgs,
    prepared: &Prepared,
    save_points: &[Tag],
    keeping: &Keeping<'_>,
) -> Result<Saving, CommandError> {
    let mut report = prepared.report.clone();
    let begins = save_points.last().map(|tag| tag.time);
    let waiting = match keeping.shelf {
        Some(shelf) => {
            check_folder(shelf, &mut report);
            keepable::check(prepared, Fidelity::Portable, &mut report);
            let times = times(prepared, begins, keeping, &mut report);
            let save = |at: &Time| save(shelf, *at, prepared, &mut report);
            times.iter().filter_map(save).collect()
        }
        None => Vec::new(),
    };
    CommandError::check(report)?;
    let saving = saving(args, prepared, save_points, waiting);
    let saving = Saving { repeats: keeping.every.is_some(), ..saving };
    Ok(saving.noting([
        ("placement", keeping.placement.clone()),
        ("node", json!(keeping.node)),
        ("run", json!(id_text(keeping.run))),
    ]))
}

const BETWEEN: &str = "take a time in between";

fn times(
    prepared: &Prepared,
    begins: Option<Time>,
    keeping: &Keeping<'_>,
    report: &mut Report,
) -> Vec<Time> {
    if let Some(every) = keeping.every {
        return times_every(every, prepared, begins, report);
    }
    let times = keeping.at.iter();
    let mut times: Vec<Time> =
        times.filter_map(|text| save_time(text, prepared, begins, BETWEEN, report)).collect();
    times.sort();
    times.dedup();
    times
}

fn save(shelf: &Shelf, at: Time, prepared: &Prepared, report: &mut Report) -> Option<Save> {
    let Some(seconds) = prepared.resolved.experiment.resolution.seconds(at) else {
        let message = format!("the time of tick {} has no short name for a file", at.ticks());
        let diagnostic = Diagnostic::error("cli::save-time", message);
        report.push(diagnostic.help("choose times with fewer digits"));
        return None;
    };
    Some(Save::to_file(Some(at), shelf.file(seconds)))
}

fn check_folder(shelf: &Shelf, report: &mut Report) {
    let folder = shelf.folder();
    if folder.exists() && !folder.is_dir() {
        let message = format!("the node cannot be saved to `{}`: it is a file", folder.display());
        let diagnostic = Diagnostic::error("cli::save-file", message);
        report.push(diagnostic.help("choose a folder: each time has a file of its own in it"));
    }
}
