//! `consort node SYSTEM`: computes a part of a distributed run; `consort node status`: how it goes.

mod by_hand;
mod meeting;
mod secret;
mod status;
mod way_on;

use crate::cli::{Global, NodeArgs, NodeQuestion};
use crate::interrupt::Interrupt;
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::printer::Printer;
use crate::pipeline;
use crate::spread::member::{self, Done, Job};
use crate::spread::{self, Order, Word};
use consort_models::loader::end_with_parent;
use std::path::Path;
use std::sync::Arc;

/// Computes its part, or asks.
pub(crate) fn execute(args: &NodeArgs, global: &Global, printer: &Printer) -> CommandResult {
    match (&args.question, &args.crew) {
        (Some(NodeQuestion::Status(question)), _) => status::execute(question, printer),
        (Some(NodeQuestion::Secret(question)), _) => secret::execute(question, printer),
        (None, Some(order)) => serve(order, args.name(), global, printer),
        (None, None) => by_hand::join(args, global, printer),
    }
}

/// A node that `consort run` started: all it has to say goes there.
fn serve(order: &Path, name: &str, global: &Global, printer: &Printer) -> CommandResult {
    // A model that never comes back would not notice that nobody listens any more.
    end_with_parent()?;
    let _ = Interrupt::obey();
    let ending = match computed(order, name, global, printer) {
        Ok(done) => done.ending,
        Err(error) => spread::unbegun(error),
    };
    printer.data(Word::End(Box::new(ending)).to_line())?;
    Ok(Exit::Done)
}

fn computed(
    order: &Path,
    name: &str,
    global: &Global,
    printer: &Printer,
) -> Result<Done, CommandError> {
    let order = Order::read(order)?;
    let prepared = pipeline::prepare(order.args.system(), &order.args.experiment, global, printer)?;
    let placement = order.placement(&prepared)?;
    let projection = Arc::new(spread::project(&prepared, &placement)?);
    let told = printer.hushed()?;
    let resolution = prepared.resolved.experiment.resolution;
    let listener = move |seconds: f64| {
        if let Ok(time) = resolution.from_f64(seconds) {
            // A starter that does not listen has ended, and this process with it.
            let _ = told.data(Word::At(time).to_line());
        }
    };
    let job = spread::job(&order, &prepared, &projection, spread::joining(&order, name))?;
    Ok(member::run(Job { listener: Some(Box::new(listener)), ..job }, printer))
}
