//! Programs that are started by hand: `consort run` starts all nodes itself, and has none for them.

use crate::cli::RunArgs;
use crate::outcome::CommandError;
use crate::pipeline::{self, Prepared};
use crate::spread::Spread;
use consort_core::{Diagnostic, Report};

/// Checks that every program is started by somebody.
///
/// # Errors
/// With those that are not, and with how to run them.
pub(super) fn check(
    args: &RunArgs,
    prepared: &Prepared,
    spread: &Spread,
) -> Result<(), CommandError> {
    let mut report = Report::default();
    let placed = prepared.models.iter().zip(&spread.placement.of_component);
    for ((model, node), component) in placed.zip(&prepared.resolved.components) {
        if pipeline::is_started_by_hand(model.description()) {
            let node = spread.placement.name(*node);
            report.push(alone(args, &component.name, node));
        }
    }
    CommandError::check(report)
}

fn alone(args: &RunArgs, component: &str, node: &str) -> Diagnostic {
    let message = format!(
        "`{component}` is a program that is started by hand, and nobody would start it here"
    );
    let system = args.system().display();
    let line = format!(
        "consort node {system} --name {node} --foreign {component} --listen ... --connect ..."
    );
    Diagnostic::error("run::by-hand", message)
        .with_note("its interface names neither `source` nor `command`")
        .with_note(format!("its node is `{node}`: `CONSORT_NODE` of the program is `{line}`"))
        .help("start every node with `consort node`, as in `docs/foreign-nodes.md`")
}
