//! Runs that are spread over nodes: processes, or threads, that compute a part each and exchange what
//! crosses between them. The trace is that of a run in one piece.
//!
//! - `words`: what a node tells its starter; `member`: a node; `joining`: how it finds the others.
//! - `crew`: the nodes as their starter sees them; `verdict`: what becomes of all their endings.
//! - `merge`: one trace and one log of many; `parts`: one snapshot of many; `shelf`: those that a node
//!   keeps for itself.
//! - `disturb`: what nodes suffer in `consort repeat`; `scratch`: the folder of a run under way;
//!   `certificates`: those that are made for it.

pub(crate) mod certificates;
mod crew;
mod disturb;
mod joining;
pub(crate) mod member;
pub(crate) mod merge;
pub(crate) mod parts;
pub(crate) mod scratch;
pub(crate) mod shelf;
mod starting;
mod verdict;
mod words;

use crate::cli::{CAPACITY, Global, LinkKind, RunArgs, SpreadArgs};
use crate::commands::run::{Recorded, Way};
use crate::execute::Outcome;
use crate::outcome::CommandError;
use crate::output::folder::RunFolder;
use crate::output::printer::Printer;
use crate::pipeline::Prepared;
use consort_core::{Diagnostic, ModelDescription, NodeId, Report};
use consort_node::Faults;
use consort_system::{Placement, Projection};
use serde_json::{Map, Value, json};

pub(crate) use crew::order::Order;
pub(crate) use disturb::{Disturbance, Suffered};
pub(crate) use joining::{Joining, credentials, listed};
pub(crate) use starting::{job, joining};
pub(crate) use words::{Ending, Hashed, Word, hashes_from_json, is_about_others};

/// How a run is spread over nodes.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    /// Which node each component is on.
    pub(crate) placement: Placement,
    /// How nodes are linked.
    pub(crate) link: LinkKind,
    /// How many messages of a flow may wait at a node.
    pub(crate) capacity: u32,
    /// What links shall suffer.
    pub(crate) faults: Option<Faults>,
    /// What nodes shall suffer.
    pub(crate) disturb: Option<Disturbance>,
}

impl Spread {
    /// Processes linked by Unix sockets, in peace.
    pub(crate) fn new(placement: Placement) -> Self {
        let (link, capacity) = (LinkKind::Unix, CAPACITY);
        Spread { placement, link, capacity, faults: None, disturb: None }
    }

    /// For the manifest.
    pub(crate) fn to_json(&self, prepared: &Prepared) -> Value {
        json!({
            "link": self.link.name(),
            "capacity": self.capacity,
            "placement": placement_to_json(&self.placement, prepared),
        })
    }
}

/// Whom a run talks to.
#[derive(Clone, Copy)]
pub(crate) struct Desk<'a> {
    /// What progress calls the run.
    pub(crate) name: &'a str,
    /// The options of every verb.
    pub(crate) global: &'a Global,
    /// Where messages go.
    pub(crate) printer: &'a Printer,
}

/// What a node came to that could not even begin.
pub(crate) fn unbegun(error: CommandError) -> Ending {
    Ending::unbegun(member::errors(error), None)
}

/// The nodes of a system and who is on each, by name.
pub(crate) fn placement_to_json(placement: &Placement, prepared: &Prepared) -> Value {
    let entry = |(index, node): (usize, &String)| {
        (node.clone(), json!(components_of(NodeId::from_index(index), placement, prepared)))
    };
    placement.nodes.iter().enumerate().map(entry).collect::<Map<String, Value>>().into()
}

/// The names of those that a node computes.
pub(crate) fn components_of(
    node: NodeId,
    placement: &Placement,
    prepared: &Prepared,
) -> Vec<String> {
    let components = &prepared.resolved.components;
    placement.components(node).map(|id| components[id.index()].name.clone()).collect()
}

/// Where the components of a system are: `pairs` of component and node over what its `[nodes]` say;
/// nothing if neither says anything.
///
/// # Errors
/// If there is no such component, or a node has no name.
pub(crate) fn placement(
    prepared: &Prepared,
    pairs: &[(String, String)],
) -> Result<Option<Placement>, CommandError> {
    let mut report = Report::default();
    let placement = Placement::of(&prepared.resolved, pairs, &mut report);
    CommandError::check(report).map(|()| placement)
}

/// How the options want a run to be spread; not at all if neither they nor the system name nodes.
///
/// # Errors
/// If they contradict each other, or the system.
pub(crate) fn wanted(
    args: &SpreadArgs,
    prepared: &Prepared,
) -> Result<Option<Spread>, CommandError> {
    if args.local {
        return Ok(None);
    }
    let Some(placement) = placement(prepared, &args.place)? else { return without_nodes(args) };
    let link = args.link.unwrap_or(LinkKind::Unix);
    check_link(link)?;
    let capacity = args.capacity.unwrap_or(CAPACITY);
    Ok(Some(Spread { link, capacity, ..Spread::new(placement) }))
}

fn without_nodes(args: &SpreadArgs) -> Result<Option<Spread>, CommandError> {
    let option = match (args.link, args.capacity) {
        (Some(_), _) => "--link",
        (None, Some(_)) => "--capacity",
        (None, None) => return Ok(None),
    };
    let message = format!("`{option}` is about nodes, and the system has none");
    let diagnostic = Diagnostic::error("cli::no-nodes", message);
    let help = "place components with `--place component=node`, or with `[nodes]` in the system";
    Err(CommandError::invalid(diagnostic.help(help)))
}

/// Whether nodes can be linked so at all.
///
/// # Errors
/// If this program was built without it.
pub(crate) fn check_link(link: LinkKind) -> Result<(), CommandError> {
    if link.is_built_in() {
        return Ok(());
    }
    let diagnostic = Diagnostic::error("cli::no-zenoh", "this `consort` was built without Zenoh");
    let help = "build it with `cargo build --features zenoh`, or choose another `--link`";
    Err(CommandError::invalid(diagnostic.help(help)))
}

/// Cuts the plan into nodes.
///
/// # Errors
/// If components that must share a node do not.
pub(crate) fn project(
    prepared: &Prepared,
    placement: &Placement,
) -> Result<Projection, CommandError> {
    let models: Vec<&ModelDescription> =
        prepared.models.iter().map(|model| model.description()).collect();
    // What was said about the system is said already; its texts may be pointed at.
    let mut report = Report::default();
    for source in prepared.report.sources() {
        report.add_source(&source.name, &source.text);
    }
    let projection = consort_planner::project(
        &prepared.resolved,
        &models,
        &prepared.plan,
        placement,
        &mut report,
    );
    projection.filter(|_| !report.has_errors()).ok_or(CommandError::Invalid { report })
}

/// Goes on with a run that was saved on nodes, and leaves nothing behind but its hashes.
///
/// # Errors
/// As [`record_spread`], and if it does not fit what it goes on from.
pub(crate) fn resume_spread(
    args: &RunArgs,
    prepared: &Prepared,
    way: Way<'_>,
    desk: Desk<'_>,
) -> Result<Outcome, CommandError> {
    let Some(spread) = wanted(&args.spread, prepared)? else {
        return Err(CommandError::invalid(Diagnostic::error(
            "snapshot::placement",
            "the run was saved on nodes that nobody names",
        )));
    };
    let (recorded, _) = starting::run(args, prepared, way, &spread, None, desk)?;
    Ok(recorded.outcome)
}

/// Runs a system on its nodes and leaves a record, as a run in one piece does; and what its nodes
/// suffered.
///
/// # Errors
/// If the placement is refused, no node can be started, or the folder cannot be written.
pub(crate) fn record_spread(
    args: &RunArgs,
    prepared: &Prepared,
    way: Way<'_>,
    spread: &Spread,
    folder: &RunFolder,
    desk: Desk<'_>,
) -> Result<(Recorded, Suffered), CommandError> {
    starting::run(args, prepared, way, spread, Some(folder), desk)
}
