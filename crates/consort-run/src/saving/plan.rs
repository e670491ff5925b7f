//! From the options of the caller to the saves of a run, or everything that is wrong with them.

use super::twins::TwinChecks;
use super::{Save, SavePurpose, Saving};
use crate::error::Error;
use crate::files::machine;
use crate::prepared::{FileTemplate, InputHash, Prepared, PreparedComponent};
use crate::settings::{SaveRequest, option_source};
use consort_core::{Diagnostic, Fidelity, Report, Resolution, Seconds, Tag, Time};
use consort_formats::snapshot::{InputDigest, SnapshotFile, SnapshotOrigin};
use consort_view::numbers::{plural, short};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// The saves that were asked for, of a run that was saved before at `save_points`, the last of which is
/// where it continues.
///
/// # Errors
/// Everything that is wrong with them, and every component that cannot be saved.
pub fn plan(
    request: &SaveRequest,
    options: &Value,
    prepared: &Prepared,
    save_points: &[Tag],
) -> Result<Saving, Error> {
    // What was said of the models before may be the reason.
    let mut report = prepared.report.clone();
    check_pairs(request, &mut report);
    let begins = save_points.last().map(|tag| tag.time);
    let mut waiting: Vec<Save> = (0..request.files.len())
        .filter_map(|index| save(request, index, prepared, begins, &mut report))
        .collect();
    if let (Some(every), [file]) = (request.every, &request.files[..]) {
        let times = times_every(every, prepared, begins, &mut report).into_iter();
        waiting = times.map(|at| Save::to_file(Some(at), file.clone())).collect();
    }
    waiting.sort_by_key(|save| (save.at.is_none(), save.at));
    if !waiting.is_empty() {
        prepared.check_saveable(Fidelity::Portable, &mut report);
    }
    Error::check(report)?;
    let saving = saving(options, prepared, save_points, waiting);
    Ok(Saving { repeats: request.every.is_some(), ..saving })
}

/// The saves of a run that is repeated: where it was saved is part of what happened if that could be
/// seen; nothing is written.
pub fn repeat(
    options: &Value,
    prepared: &Prepared,
    save_points: &[Tag],
    again: Vec<Time>,
) -> Saving {
    let again = again.into_iter().filter(|_| prepared.is_restore_noticed());
    let target = SavePurpose::Repetition;
    let waiting = again.map(|at| Save { at: Some(at), target: target.clone() }).collect();
    saving(options, prepared, save_points, waiting)
}

pub(super) fn saving(
    options: &Value,
    prepared: &Prepared,
    save_points: &[Tag],
    waiting: Vec<Save>,
) -> Saving {
    Saving {
        waiting,
        begun: 0,
        template: template(options, prepared, save_points),
        counts: prepared.is_restore_noticed(),
        resolution: prepared.resolved().experiment.resolution,
        repeats: false,
        is_part: false,
        done: Vec::new(),
        checks: TwinChecks::default(),
        problems: Vec::new(),
    }
}

/// What a driven run is saved to. It is made once.
pub(crate) fn snapshot_file(prepared: &Prepared) -> Arc<FileTemplate> {
    let make = || {
        let mut report = prepared.report.clone();
        prepared.check_saveable(Fidelity::Portable, &mut report);
        match report.has_errors() {
            true => Err(report),
            false => Ok(template(&prepared.options, prepared, &[])),
        }
    };
    Arc::clone(prepared.snapshot_file.get_or_init(|| Arc::new(make())))
}

/// A snapshot file of a run that was saved before at `save_points`, without a state.
fn template(options: &Value, prepared: &Prepared, save_points: &[Tag]) -> SnapshotFile {
    let folder = std::env::current_dir().unwrap_or_default();
    SnapshotFile {
        origin: origin(prepared),
        name: prepared.resolved().name.clone(),
        path: prepared.source.path.to_string_lossy().into_owned(),
        folder: folder.to_string_lossy().into_owned(),
        options: options.to_string(),
        tag: Tag::default(),
        save_points: save_points.to_vec(),
        state: Vec::new(),
    }
}

/// What must be the same where the run is resumed.
pub fn origin(prepared: &Prepared) -> SnapshotOrigin {
    let host = machine::describe();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let features = host["cpu_features"].as_array().into_iter().flatten();
    let input = |input: &InputHash| InputDigest {
        role: input.role.clone(),
        path: input.path.clone(),
        sha256: input.sha256.clone(),
    };
    SnapshotOrigin {
        consort: env!("CARGO_PKG_VERSION").to_owned(),
        target: text(&host["target"]),
        cpu_features: features.map(text).collect(),
        libc: text(&host["libc"]),
        resolution: prepared.resolved().experiment.resolution.to_string(),
        plan_hash: prepared.hashes.plan.clone(),
        experiment_hash: prepared.hashes.resumable.clone(),
        inputs: prepared.source.inputs.iter().map(input).collect(),
        providers: providers(prepared),
    }
}

/// The provider that saves each component.
fn providers(prepared: &Prepared) -> Vec<(String, String)> {
    let entry = |component: PreparedComponent<'_>| {
        let provider = component.model.description().state_provider().name();
        (component.resolved.name.clone(), provider.to_owned())
    };
    prepared.components().map(entry).collect()
}

fn check_pairs(request: &SaveRequest, report: &mut Report) {
    let (times, files) = (request.at.len(), request.files.len());
    if times != files && !(times == 0 && files == 1) {
        let (times, files) = (plural(times as u64, "time"), plural(files as u64, "time"));
        let message = format!("`--save-at` is given {times} and `--save` {files}");
        let diagnostic = Diagnostic::error("cli::save-pairs", message);
        report.push(diagnostic.help("give each time its file, in the same order"));
    }
    let is_twice =
        |(index, file): &(usize, &std::path::PathBuf)| request.files[..*index].contains(file);
    if let Some((_, file)) = request.files.iter().enumerate().find(is_twice) {
        let message = format!("two saves go to `{}`", file.display());
        let diagnostic = Diagnostic::error("cli::save-pairs", message);
        report.push(diagnostic.help("give each save a file of its own"));
    }
}

fn save(
    request: &SaveRequest,
    index: usize,
    prepared: &Prepared,
    begins: Option<Time>,
    report: &mut Report,
) -> Option<Save> {
    let file = &request.files[index];
    check_file(file, report);
    let at = match request.at.get(index) {
        None => None,
        Some(seconds) => {
            let help = "take a time in between, or leave `--save-at` out to save its end";
            Some(save_time(*seconds, prepared, begins, help, report)?)
        }
    };
    Some(Save::to_file(at, file.clone()))
}

/// The most saves of one run.
const SAVES_MAX: i64 = 10_000;

/// Again and again, after each `every`.
pub(super) fn times_every(
    every: Seconds,
    prepared: &Prepared,
    begins: Option<Time>,
    report: &mut Report,
) -> Vec<Time> {
    let experiment = &prepared.resolved().experiment;
    let begin = begins.unwrap_or(experiment.start);
    let period = tick_before(every, experiment.resolution).filter(|period| Time::ZERO < *period);
    let count = period.map(|period| (experiment.stop - begin).ticks() / period.ticks());
    let (Some(period), Some(1..=SAVES_MAX)) = (period, count) else {
        let message = format!("the run cannot be saved every {} s", short(every.to_f64()));
        let length = short(experiment.resolution.to_f64(experiment.stop - begin));
        report.push(
            Diagnostic::error("cli::save-time", message)
                .with_note(format!("it takes {length} s, and is saved {SAVES_MAX} times at most"))
                .help("choose another `--save-every`"),
        );
        return Vec::new();
    };
    let times = (1..).map_while(|index| begin.checked_add(period.checked_mul(index)?));
    times.take_while(|time| *time <= experiment.stop).collect()
}

fn check_file(file: &Path, report: &mut Report) {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let reason = match folder {
        _ if file.is_dir() => "it is a folder",
        Some(folder) if !folder.is_dir() => "its folder does not exist",
        _ => return,
    };
    let message = format!("the run cannot be saved to `{}`: {reason}", file.display());
    report.push(Diagnostic::error("cli::save-file", message).help("choose another file"));
}

/// The last tick at or before a time, which may lie between two.
pub(super) fn save_time(
    seconds: Seconds,
    prepared: &Prepared,
    begins: Option<Time>,
    help: &str,
    report: &mut Report,
) -> Option<Time> {
    let span = option_source("save-at", &seconds.to_string(), report);
    let experiment = &prepared.resolved().experiment;
    let (begin, end) = (begins.unwrap_or(experiment.start), experiment.stop);
    let time = tick_before(seconds, experiment.resolution);
    if let Some(time) = time.filter(|time| begin <= *time && *time <= end) {
        return Some(time);
    }
    let shown = |time| short(experiment.resolution.to_f64(time));
    let message = format!(
        "the run is not at {seconds} s: it goes from {} s to {} s",
        shown(begin),
        shown(end)
    );
    let diagnostic = Diagnostic::error("cli::save-time", message);
    let diagnostic = diagnostic.at(span, "no time of the run");
    report.push(diagnostic.help(help));
    None
}

fn tick_before(seconds: Seconds, resolution: Resolution) -> Option<Time> {
    let tick = resolution.tick();
    let above = i128::from(seconds.numerator()).checked_mul(i128::from(tick.denominator()))?;
    let below = i128::from(seconds.denominator()).checked_mul(i128::from(tick.numerator()))?;
    i64::try_from(above.div_euclid(below)).ok().map(Time::from_ticks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_between_two_ticks_is_the_one_before() {
        let resolution = Resolution::new(Seconds::new(1, 10).unwrap()).unwrap();
        for (text, ticks) in [("0.5", 5), ("0.59", 5), ("1/3", 3), ("-0.05", -1), ("0", 0)] {
            let time = tick_before(text.parse().unwrap(), resolution);
            assert_eq!(time, Some(Time::from_ticks(ticks)), "{text}");
        }
    }
}
