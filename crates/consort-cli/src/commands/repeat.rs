//! `consort repeat SYSTEM`: runs a system again and again, and says whether every bit is the same.

mod answer;

use crate::cli::{Global, LinkChoice, RepeatArgs};
use crate::outcome::{CommandResult, Exit};
use crate::output::printer::Printer;
use crate::{interrupt, pipeline};
use answer::VariationTally;
use consort::repeat::RepeatedRun;
use consort::{Repeat, RepeatAnswer, RepeatRequest};
use consort_core::Report;
use consort_view::numbers::plural;

/// Runs it many times and compares.
pub(crate) fn execute(args: &RepeatArgs, global: &Global, printer: &Printer) -> CommandResult {
    let context = interrupt::context(printer);
    let mut report = Report::default();
    let request = request(args, global, &mut report);
    let mut repeat = Repeat::prepare(request, pipeline::models(global), report, &context)?;
    printer.report(&repeat.prepared.report, "");
    let mut tally = VariationTally::default();
    let mut on_run = |run: &RepeatedRun| {
        let setting = run.setting.describe(&run.disturbed);
        printer.detail(&format!("run {}: {setting}, {}", run.number, run.result.hash));
        tally.add(&run.setting, run.took, &run.disturbed);
    };
    let answer = repeat.run(&context, &mut on_run)?;
    let prepared = &repeat.prepared;
    match answer {
        RepeatAnswer::Identical(first) => {
            answer::identical(args.runs, &first, &tally, prepared, printer)
        }
        RepeatAnswer::Different(runs) => answer::different(&runs[0], &runs[1], prepared, printer),
        RepeatAnswer::Cancelled(runs) => {
            printer.insist(&format!("interrupted after {}", plural(runs.into(), "run")));
            Ok(Exit::Failed)
        }
    }
}

fn request(args: &RepeatArgs, global: &Global, report: &mut Report) -> RepeatRequest {
    let varied = &args.varied;
    RepeatRequest {
        system: args.system.clone(),
        changes: args.experiment.changes(global, report),
        runs: args.runs,
        workers: args.workers.0.clone(),
        load: if args.no_load { Some(0) } else { args.load.flatten() },
        links: LinkChoice::kinds(&varied.links),
        placements: varied.placements,
        link_delay: varied.link_delay,
        stops: varied.stops,
        stop_max: varied.stop_most,
        cuts: varied.cuts,
        vary: varied.vary,
        local: varied.local,
        tls: varied.tls.files(),
    }
}
