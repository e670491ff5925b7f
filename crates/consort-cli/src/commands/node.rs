//! `consort node SYSTEM`: computes a part of a distributed run; `consort node status`: shows its progress.

mod secret;
mod status;

use crate::cli::{Global, NodeArgs, NodeQuestion};
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::printer::{Printer, one_line};
use crate::{interrupt, pipeline};
use consort::distributed::NodeMessage;
use consort::distributed::manual::ManualOutcome;
use consort::recording::serve_node;
use consort::run::{Resumed, RunFolder};
use consort::{ForeignProgram, ModelOptions, Prepared, ReadyNode};
use consort_core::Report;
use consort_process::{end_with_parent, program};
use consort_view::numbers::short;
use std::os::fd::AsFd as _;
use std::path::Path;

/// Computes its part, or asks.
pub(crate) fn execute(args: &NodeArgs, global: &Global, printer: &Printer) -> CommandResult {
    match (&args.question, &args.assignment) {
        (Some(NodeQuestion::Status(question)), _) => status::execute(question, printer),
        (Some(NodeQuestion::Secret(question)), _) => secret::execute(question, printer),
        (None, Some(assignment)) => serve(assignment, args.name(), printer),
        (None, None) => join(args, global, printer),
    }
}

/// A node that `consort run` started: its messages go there.
fn serve(assignment: &Path, name: &str, printer: &Printer) -> CommandResult {
    // A model that never comes back would not notice that its starter has ended.
    end_with_parent()?;
    let context = interrupt::context_of_node(printer);
    let starter = printer.clone();
    let report = move |message: &NodeMessage| {
        // A starter that does not listen has ended, and this process with it.
        let _ = send(message, &starter);
    };
    let outcome = serve_node(assignment, name, program::running(), report, &context);
    send(&NodeMessage::End(Box::new(outcome)), printer)?;
    Ok(Exit::Done)
}

fn send(message: &NodeMessage, printer: &Printer) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    printer.data(line)
}

/// A node that the user started: joins the others, computes, says what became of it.
fn join(args: &NodeArgs, global: &Global, printer: &Printer) -> CommandResult {
    let context = interrupt::context(printer);
    let mut report = Report::default();
    let (request, node) = args.request(global, &mut report);
    let models = ModelOptions { foreign: foreign(args)?, ..pipeline::models(global) };
    let ready = ReadyNode::prepare(&request, node, models, report, &context)?;
    let (settings, folder) = (ready.settings().clone(), ready.folder.clone());
    let session = ready.session(&context)?;
    printer.report(&session.prepared().report, "");
    printer.say(&session.description());
    say_resumed(session.prepared(), session.resumed(), printer);
    let outcome = session.run(&settings, &folder, &context);
    say_outcome(&ready.prepared, &outcome, &folder, printer)
}

/// The program that has started this one, if it takes the place of a component.
fn foreign(args: &NodeArgs) -> Result<Option<ForeignProgram>, CommandError> {
    let Some(component) = args.foreign.clone() else { return Ok(None) };
    let channel = std::io::stdin().as_fd().try_clone_to_owned()?;
    Ok(Some(ForeignProgram { component, channel }))
}

fn say_resumed(prepared: &Prepared, resumed: Option<&Resumed>, printer: &Printer) {
    let Some(resumed) = resumed else { return };
    let time = prepared.resolved().experiment.resolution.to_f64(resumed.tag().time);
    let path = resumed.path().display().to_string();
    printer.say(&format!("  resumed from {} s: {}", short(time), one_line(&path)));
}

/// The hash of the whole run is data.
fn say_outcome(
    prepared: &Prepared,
    outcome: &ManualOutcome,
    folder: &RunFolder,
    printer: &Printer,
) -> CommandResult {
    let recorded = outcome.recorded.as_ref();
    let exit = recorded.map(|recorded| super::run::say(prepared, recorded, &[], folder, printer));
    if !outcome.is_finished {
        printer.report(&outcome.failures, "");
        return Ok(Exit::Failed);
    }
    if let Some(hash) = &outcome.trace_hash {
        printer.data(format!("trace {hash}\n"))?;
    }
    Ok(exit.unwrap_or(Exit::Failed))
}
