//! The node of an assignment: what its starter gave it becomes a task, in a process or a thread.

use crate::assignment::{NodeAssignment, RESUMED_FROM};
use crate::certificates;
use crate::message::{NodeMessage, NodeOutcome};
use crate::node::{self, NodeTask};
use consort_core::Time;
use consort_node::JoinOptions;
use consort_run::files::folder::RunFolder;
use consort_run::{Context, Error, Prepared, Resumed, saving};
use std::sync::Arc;

/// Computes the part of a node that a starter assigned to this process. `report` sends messages to the starter.
pub fn serve(
    assignment: &NodeAssignment,
    name: &str,
    prepared: &Prepared,
    report: impl Fn(&NodeMessage) + Send + 'static,
    context: &Context,
) -> NodeOutcome {
    let options = join_options(assignment, prepared, name);
    compute(assignment, prepared, options, move |time| report(&NodeMessage::At(time)), context)
}

/// Computes the part of a node; `report` gets the times that are done.
pub(crate) fn compute(
    assignment: &NodeAssignment,
    prepared: &Prepared,
    options: JoinOptions,
    report: impl Fn(Time) + Send + 'static,
    context: &Context,
) -> NodeOutcome {
    let resolution = options.resolution;
    let listener = move |seconds: f64| {
        if let Ok(time) = resolution.from_f64(seconds) {
            report(time);
        }
    };
    let folder = assignment.records.as_deref().map(|records| records.join(&options.name));
    let plan = |task| Ok((task, folder.as_deref().map(RunFolder::plan).transpose()?));
    match node_task(assignment, prepared, options).and_then(plan) {
        Ok((task, folder)) => {
            let task = NodeTask { listener: Some(Box::new(listener)), ..task };
            node::run(task, &assignment.settings, folder.as_ref(), context).outcome
        }
        Err(error) => NodeOutcome::not_begun(error.errors(), None),
    }
}

/// How the node of that name finds the others.
pub(crate) fn join_options(
    assignment: &NodeAssignment,
    prepared: &Prepared,
    name: &str,
) -> JoinOptions {
    let mut peers = assignment.endpoints.clone();
    let resolution = prepared.resolved().experiment.resolution;
    JoinOptions {
        run: assignment.run,
        listen: peers.remove(name),
        peers,
        patience: assignment.patience,
        tls: certificates::files(assignment, name).map(Into::into),
        // They are on this machine.
        allows_plain: false,
        faults: assignment.faults.clone(),
        // The flows follow from the projection.
        ..JoinOptions::new(name, Arc::default(), resolution)
    }
}

/// What the node of an assignment has to do.
///
/// # Errors
/// If its part of a snapshot does not fit.
fn node_task<'a>(
    assignment: &'a NodeAssignment,
    prepared: &'a Prepared,
    join: JoinOptions,
) -> Result<NodeTask<'a>, Error> {
    let name = join.name.clone();
    let resumed =
        assignment.resumes.then(|| Resumed::read(&assignment.parts.part(RESUMED_FROM, &name)));
    let resumed = resumed.transpose()?;
    resumed.as_ref().map_or(Ok(()), |resumed| resumed.check(prepared))?;
    let points = resumed.as_ref().map_or(&[][..], Resumed::save_points);
    let saving = saving::repeat(&assignment.options, prepared, points, Vec::new());
    let saving = saving.of_node(&assignment.saves, &assignment.parts, &name);
    Ok(NodeTask {
        options: assignment.options.clone(),
        prepared,
        projection: Arc::new(assignment.projection.clone()),
        join,
        capacity: assignment.capacity,
        journal: Some(assignment.parts.journal(&name)),
        saving,
        resumed,
        listener: None,
    })
}
