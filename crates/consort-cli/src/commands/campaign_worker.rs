//! `consort campaign-worker CAMPAIGN`: a worker process of `consort explore`, told what to do line by
//! line.

use super::explore::prepare::{self, Ready};
use crate::cli::{CampaignWorkerArgs, Global};
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::printer::Printer;
use consort_engine::RunOptions;
use consort_explore::campaign::budget;
use consort_explore::run_world::{RunWorld, Until};
use consort_explore::visit::Explorer;
use consort_explore::worker;
use consort_explore::world::World as _;
use consort_models::loader::end_with_parent;
use std::io::{self, Write};

/// Works until its input ends.
pub(crate) fn execute(
    args: &CampaignWorkerArgs,
    global: &Global,
    printer: &Printer,
) -> CommandResult {
    // A model that never comes back would not notice that nobody listens any more.
    end_with_parent().map_err(|source| CommandError::Output { source })?;
    let ready = prepare::prepare(&args.campaign, &args.changes, None, global, printer)?;
    let fingerprint = ready.fingerprint();
    let space = ready.resolved.space.clone();
    let mut world = start(&ready, Until::Decided)?;
    let resolution = ready.prepared.resolved.experiment.resolution;
    // Where every scenario starts is saved once.
    world.reset().map_err(|error| CommandError::failed(error.diagnostic(resolution)))?;
    let explorer = Explorer::new(space, world, budget(&ready.campaign));
    let mut explorer = explorer.sampling(ready.sample());
    let mut output = Lines { printer };
    let served = worker::serve(&mut explorer, &fingerprint, io::stdin().lock(), &mut output);
    match served {
        Ok(()) => Ok(Exit::Done),
        Err(error) => Err(CommandError::Output { source: error }),
    }
}

/// The campaign's system, live.
///
/// # Errors
/// If an instance fails.
pub(crate) fn start(ready: &Ready, until: Until) -> Result<RunWorld, CommandError> {
    let options = RunOptions::quiet(1);
    start_with(ready, options, until)
}

/// The campaign's system, live, carried out as `options` say.
///
/// # Errors
/// If an instance fails.
pub(crate) fn start_with(
    ready: &Ready,
    options: RunOptions,
    until: Until,
) -> Result<RunWorld, CommandError> {
    let prepared = &ready.prepared;
    let system = (prepared.resolved.clone(), &prepared.plan);
    let (campaign, models) = (ready.resolved.clone(), prepared.models.clone());
    let resolution = prepared.resolved.experiment.resolution;
    RunWorld::start(campaign, system, models, options, until)
        .map_err(|error| CommandError::failed(error.diagnostic(resolution)))
}

/// Standard output, which models cannot write to.
struct Lines<'p> {
    printer: &'p Printer,
}

impl Write for Lines<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.printer.data(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
