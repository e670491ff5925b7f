//! `consort run SYSTEM`: runs a system and leaves a record.

mod closing;

pub(crate) use closing::say;

use crate::cli::{Global, RunArgs};
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::printer::{Printer, one_line};
use crate::{command_line, interrupt, pipeline};
use consort::run::RecordOutcome;
use consort::{Context, ReadyRun, load};
use consort_core::Report;
use consort_view::numbers::{duration, short};
use std::path::{Path, PathBuf};

/// Runs it and says what was seen.
pub(crate) fn execute(args: &RunArgs, global: &Global, printer: &Printer) -> CommandResult {
    let context = interrupt::context(printer);
    let mut report = Report::default();
    let request = args.request(global, &mut report);
    let mut run = ReadyRun::prepare(&request, pipeline::models(global), report, &context)?;
    printer.report(&run.prepared.report, "");
    run.remarks.iter().for_each(|remark| printer.say(&one_line(&remark.message)));
    let recorded = run.record(&context)?;
    let exit = say(&run.prepared, &recorded.run, &recorded.drawn, &run.folder, printer);
    if args.checks.verify {
        verify(&run, &recorded.run, &context, printer)?;
    }
    if args.json {
        let exit = interrupt::ended_by_user(exit);
        printer.data(closing::answer(exit, &run.prepared, &recorded.run, &run.folder))?;
    }
    let system = args.system.as_deref().map(file_or_folder);
    let line = format!("repeat with: {}", command_line::of_run(system.as_deref(), &request));
    match exit {
        Exit::Failed | Exit::Interrupted => printer.insist(&line),
        Exit::Done | Exit::No => printer.detail(&line),
    }
    Ok(exit)
}

/// As it was typed.
fn file_or_folder(system: &Path) -> PathBuf {
    if system.is_dir() { system.to_owned() } else { load::system_file(system) }
}

/// Runs a resumed run from its start as well, and says that both are one.
fn verify(
    run: &ReadyRun,
    recorded: &RecordOutcome,
    context: &Context,
    printer: &Printer,
) -> Result<(), CommandError> {
    let verifying = context.monitor.waiting("running it again from the start");
    let verified = run.verify(recorded)?;
    drop(verifying);
    if let Some((took, from)) = verified {
        let from = short(run.prepared.resolved().experiment.resolution.to_f64(from));
        let took = duration(took.as_secs_f64());
        printer.say(&format!(
            "verified: run again from its start in {took}, and the same; saved at {from} s"
        ));
    }
    Ok(())
}
