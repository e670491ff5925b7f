//! A node that somebody started by hand: it meets the others, computes its part, saves it, goes on from
//! it.

use super::meeting::Meeting;
use super::way_on::WayOn;
use crate::cli::{ExperimentArgs, Global, NodeArgs, RunArgs, SpreadArgs, VerifyArgs};
use crate::commands::run::resuming::Resumed;
use crate::commands::run::saving::{self, Keeping, Saving};
use crate::commands::run::{self, Recorded, default_out};
use crate::execute::End;
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::folder::RunFolder;
use crate::output::printer::{Printer, one_line};
use crate::pipeline::{self, Prepared};
use crate::spread::member::{self, Done, Job};
use crate::spread::scratch::RunId;
use crate::spread::shelf::Shelf;
use crate::spread::{self, Ending};
use consort_core::{Diagnostic, Report};
use consort_engine::RunError;
use consort_system::{Placement, Projection};
use consort_trace::{TraceHash, trace_hash};
use consort_view::numbers::short;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Joins, computes, says what became of it.
pub(super) fn join(args: &NodeArgs, global: &Global, printer: &Printer) -> CommandResult {
    let resumed = args.resume.as_deref().map(|path| Resumed::read_part(path, args.name()));
    let resumed = resumed.transpose()?;
    let run_args = run_args(args, resumed.as_ref())?;
    let prepared = pipeline::prepare(run_args.system(), &run_args.experiment, global, printer)?;
    let placement = placement(args, &run_args, &prepared, resumed.as_ref())?;
    let projection = Arc::new(spread::project(&prepared, &placement)?);
    let id = resumed.as_ref().map_or(Ok(args.run.unwrap_or_default()), |it| it.run_id(args.run))?;
    let meeting = Meeting::new(args, &run_args, &prepared, &placement);
    let joining = meeting.joining(id, printer)?;
    let shelf = args.save.as_deref().map(|folder| Shelf::new(folder, args.name()));
    let kept = (shelf.as_ref(), id);
    let saving = saving(args, &run_args, (&prepared, &placement), resumed.as_ref(), kept)?;
    let name = format!("{}-{}", prepared.resolved.name, args.name());
    let folder = RunFolder::plan(&args.out.clone().unwrap_or_else(|| default_out(&name)))?;
    printer.report(&prepared.report, "");
    say_part(&prepared, &projection, args.name(), printer);
    say_resumed(&prepared, resumed.as_ref(), printer);
    make_folder(shelf.as_ref())?;
    let way_on = WayOn::new(args.name(), &prepared, shelf, resumed.as_ref());
    let job = Job {
        args: &run_args,
        prepared: &prepared,
        projection,
        joining,
        journal: None,
        folder: Some(folder.clone()),
        saving,
        resumed,
        listener: None,
    };
    let done = member::run(job, printer);
    tell(&prepared, done, &folder, (&way_on, &meeting), printer)
}

/// What `consort run` would be told, completed by what was saved.
fn run_args(args: &NodeArgs, resumed: Option<&Resumed>) -> Result<RunArgs, CommandError> {
    let typed = RunArgs {
        system: args.system.clone(),
        out: args.out.clone(),
        workers: args.workers,
        real_time: args.real_time,
        csv: args.csv,
        mcap: false,
        no_record: args.no_record,
        no_journal: false,
        log_calls: args.log_calls,
        save_at: Vec::new(),
        save: Vec::new(),
        save_every: None,
        resume: args.resume.clone(),
        checks: VerifyArgs::default(),
        spread: args.spread.clone(),
        experiment: args.experiment.clone(),
    };
    let mut complete = match resumed {
        // Patterns mean what they meant: the placement that follows from them is compared.
        Some(resumed) => resumed.complete(&RunArgs {
            spread: SpreadArgs { place: Vec::new(), ..typed.spread.clone() },
            ..typed
        })?,
        None => typed,
    };
    let foreign = args.foreign.clone();
    complete.experiment = ExperimentArgs { foreign, ..complete.experiment };
    complete.experiment.save_to_files(resumed.is_some() || args.save.is_some());
    Ok(complete)
}

/// Who is on which node, if that is as it was.
fn placement(
    args: &NodeArgs,
    run_args: &RunArgs,
    prepared: &Prepared,
    resumed: Option<&Resumed>,
) -> Result<Placement, CommandError> {
    resumed.map_or(Ok(()), |resumed| resumed.check(prepared))?;
    let pairs = match args.spread.place.is_empty() {
        true => &run_args.spread.place,
        false => &args.spread.place,
    };
    let placement = spread::placement(prepared, pairs)?;
    let placement = placement.ok_or_else(|| CommandError::invalid(no_nodes()))?;
    let named = spread::placement_to_json(&placement, prepared);
    resumed.map_or(Ok(()), |resumed| resumed.check_placement(&named))?;
    Ok(placement)
}

fn saving(
    args: &NodeArgs,
    run_args: &RunArgs,
    (prepared, placement): (&Prepared, &Placement),
    resumed: Option<&Resumed>,
    (shelf, run): (Option<&Shelf>, RunId),
) -> Result<Saving, CommandError> {
    let keeping = Keeping {
        node: args.name(),
        run,
        placement: &spread::placement_to_json(placement, prepared),
        shelf,
        every: args.save_every,
        at: &args.save_at,
    };
    let points = resumed.map_or(&[][..], Resumed::save_points);
    saving::plan_node(run_args, prepared, points, &keeping)
}

fn make_folder(shelf: Option<&Shelf>) -> Result<(), CommandError> {
    let Some(folder) = shelf.map(Shelf::folder) else { return Ok(()) };
    std::fs::create_dir_all(folder).map_err(|error| CommandError::unwritable(folder, &error))
}

/// Says what became of it; the hash of the whole is data.
fn tell(
    prepared: &Prepared,
    done: Done,
    folder: &RunFolder,
    (way_on, meeting): (&WayOn, &Meeting<'_>),
    printer: &Printer,
) -> CommandResult {
    let Done { ending, mut recorded, last_words } = done;
    if let Some(recorded) = &mut recorded {
        lose(recorded, prepared, way_on);
    }
    // What the run itself has to say is said with its record.
    let is_said = recorded.as_ref().is_some_and(|recorded| recorded.outcome.end != End::Finished);
    let exit = recorded.as_ref().map(|recorded| run::say(prepared, recorded, folder, printer));
    if !ending.is_finished() {
        if !is_said {
            printer.report(&failures(&ending, recorded.as_ref(), way_on, meeting), "");
        }
        return Ok(Exit::Failed);
    }
    if let Some(hash) = composed(&ending.hashes, &last_words) {
        printer.data(format!("trace {hash}\n"))?;
    }
    Ok(exit.unwrap_or(Exit::Failed))
}

/// A run that lost another node is told with how to go on.
fn lose(recorded: &mut Recorded, prepared: &Prepared, way_on: &WayOn) {
    let outcome = &mut recorded.outcome;
    if let End::Failed { error: error @ RunError::Courier { .. } } = &outcome.end {
        let why = error.diagnostic(prepared.resolved.experiment.resolution);
        let failure = Box::new(way_on.after(why, &outcome.saving));
        outcome.end = End::Lost { failure };
        // The step that failed was begun, but not made.
        let tags = &mut outcome.summary.statistics.tags;
        *tags = tags.saturating_sub(1);
    }
}

fn failures(
    ending: &Ending,
    recorded: Option<&Recorded>,
    way_on: &WayOn,
    meeting: &Meeting<'_>,
) -> Report {
    let mut report = Report::default();
    for why in ending.failures() {
        let why = why.clone();
        report.push(match recorded {
            Some(recorded) => way_on.after(why, &recorded.outcome.saving),
            None => meeting.explain(way_on.before(why)),
        });
    }
    report
}

/// The hash of the whole run, from what every node said at last.
fn composed(own: &[spread::Hashed], last_words: &BTreeMap<String, Vec<u8>>) -> Option<TraceHash> {
    let mut all = own.to_vec();
    for words in last_words.values() {
        let value = serde_json::from_slice(words).ok()?;
        all.extend(spread::hashes_from_json(&value)?);
    }
    Some(trace_hash(all))
}

fn say_part(prepared: &Prepared, projection: &Projection, name: &str, printer: &Printer) {
    let Some(node) = projection.placement.node(name) else { return };
    let here = spread::components_of(node, &projection.placement, prepared);
    let sends = projection.crossings.iter().filter(|crossing| crossing.from == node).count();
    let receives = projection.crossings.iter().filter(|crossing| crossing.to == node).count();
    let line = format!(
        "node `{name}` of {}: computes {}; sends {sends} and receives {receives} flows",
        spread::listed(&projection.placement.nodes),
        spread::listed(&here),
    );
    printer.say(&line);
}

fn say_resumed(prepared: &Prepared, resumed: Option<&Resumed>, printer: &Printer) {
    let Some(resumed) = resumed else { return };
    let time = short(prepared.resolved.experiment.resolution.to_f64(resumed.time()));
    let path = resumed.path().display().to_string();
    printer.say(&format!("  goes on from {time} s: {}", one_line(&path)));
}

fn no_nodes() -> Diagnostic {
    let diagnostic = Diagnostic::error("cli::no-nodes", "the system is not placed on nodes");
    diagnostic
        .help("add `[nodes]` to the system, or `--place component=node`, the same for every node")
}
