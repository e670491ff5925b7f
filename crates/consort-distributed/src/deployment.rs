//! Where the components of a system are computed, and how the nodes are linked.

use consort_core::{Diagnostic, ModelDescription, NodeId, Report};
use consort_node::{Faults, LinkKind, TlsFiles};
use consort_run::{Error, Prepared, PreparedComponent};
use consort_system::{Placement, Projection};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::disturbance::NodeDisturbance;

/// How many messages of a flow may wait at a node, unless the request says otherwise.
pub const CAPACITY_DEFAULT: u32 = 8;

/// What is asked for about nodes.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeRequest {
    /// Pairs of component and node, over what the system's `[nodes]` say.
    #[serde(with = "pairs")]
    pub place: Vec<(String, String)>,
    /// How nodes are linked; Unix sockets if it is not given.
    pub link: Option<LinkKind>,
    /// How many messages of a flow may wait at a node.
    pub capacity: Option<u32>,
    /// Everything is computed in this process, whatever the system's `[nodes]` say.
    pub local: bool,
    /// What nodes show to others; made for the run if it is not given.
    #[serde(skip)]
    pub tls: Option<TlsFiles>,
}

/// Pairs are written as `component=node`.
mod pairs {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(
        pairs: &[(String, String)],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(pairs.iter().map(|(component, node)| format!("{component}={node}")))
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(
        from: D,
    ) -> Result<Vec<(String, String)>, D::Error> {
        let texts = Vec::<String>::deserialize(from)?;
        let pair = |text: &String| {
            let (component, node) = text.split_once('=')?;
            Some((component.to_owned(), node.to_owned()))
        };
        let pairs: Option<_> = texts.iter().map(pair).collect();
        pairs.ok_or_else(|| D::Error::custom("expected `component=node`"))
    }
}

/// How a run is placed on nodes.
#[derive(Clone, Debug)]
pub struct Deployment {
    /// Which node each component is on.
    pub placement: Placement,
    /// The kind of links between nodes.
    pub link: LinkKind,
    /// How many messages of a flow may wait at a node.
    pub capacity: u32,
    /// What nodes show to others; made for the run if it is not given.
    pub tls: Option<TlsFiles>,
    /// Faults that links simulate.
    pub faults: Option<Faults>,
    /// How node processes are disturbed.
    pub disturbance: Option<NodeDisturbance>,
}

impl Deployment {
    /// Processes linked by Unix sockets, undisturbed.
    pub fn new(placement: Placement) -> Self {
        Deployment {
            placement,
            link: LinkKind::Unix,
            capacity: CAPACITY_DEFAULT,
            tls: None,
            faults: None,
            disturbance: None,
        }
    }

    /// What a request asks for; nothing if neither it nor the system names nodes.
    ///
    /// # Errors
    /// If the request contradicts itself, or the system.
    pub fn plan(request: &NodeRequest, prepared: &Prepared) -> Result<Option<Self>, Error> {
        if request.local {
            return Ok(None);
        }
        let Some(placement) = placement(prepared, &request.place)? else {
            return without_nodes(request);
        };
        let link = request.link.unwrap_or(LinkKind::Unix);
        check_link(link)?;
        let capacity = request.capacity.unwrap_or(CAPACITY_DEFAULT);
        let tls = request.tls.clone();
        Ok(Some(Deployment { link, capacity, tls, ..Deployment::new(placement) }))
    }

    /// The components of the system and the node of each.
    pub fn placed<'a>(
        &'a self,
        prepared: &'a Prepared,
    ) -> impl Iterator<Item = (PreparedComponent<'a>, NodeId)> {
        prepared.components().zip(self.placement.of_component.iter().copied())
    }

    /// The deployment as JSON, for the manifest.
    pub fn to_json(&self, prepared: &Prepared) -> Value {
        json!({
            "link": self.link.name(),
            "capacity": self.capacity,
            "placement": placement_to_json(&self.placement, prepared),
        })
    }
}

fn without_nodes(request: &NodeRequest) -> Result<Option<Deployment>, Error> {
    let option = match (request.link, request.capacity) {
        (Some(_), _) => "--link",
        (None, Some(_)) => "--capacity",
        (None, None) => return Ok(None),
    };
    let message = format!("`{option}` has no effect: no component is placed on a node");
    let diagnostic = Diagnostic::error("cli::no-nodes", message);
    let help = "place components with `--place component=node`, or with `[nodes]` in the system";
    Err(Error::invalid(diagnostic.help(help)))
}

/// The nodes of a system and who is on each, by name.
pub fn placement_to_json(placement: &Placement, prepared: &Prepared) -> Value {
    let entry = |(index, node): (usize, &String)| {
        (node.clone(), json!(components_of(NodeId::from_index(index), placement, prepared)))
    };
    placement.nodes.iter().enumerate().map(entry).collect::<Map<String, Value>>().into()
}

/// The names of those that a node computes.
pub fn components_of(node: NodeId, placement: &Placement, prepared: &Prepared) -> Vec<String> {
    let components = &prepared.resolved().components;
    placement.components(node).map(|id| components[id.index()].name.clone()).collect()
}

/// Where the components of a system are: `pairs` of component and node over what its `[nodes]` say;
/// nothing if neither says anything.
///
/// # Errors
/// If there is no such component, or a node has no name.
pub fn placement(
    prepared: &Prepared,
    pairs: &[(String, String)],
) -> Result<Option<Placement>, Error> {
    let mut report = Report::default();
    let placement = Placement::of(prepared.resolved(), pairs, &mut report);
    Error::check(report).map(|()| placement)
}

/// Whether nodes can be linked so at all.
///
/// # Errors
/// If this program was built without it.
pub fn check_link(link: LinkKind) -> Result<(), Error> {
    if link.is_built_in() {
        return Ok(());
    }
    let diagnostic = Diagnostic::error("cli::no-zenoh", "this `consort` was built without Zenoh");
    let help = "build it with `cargo build --features zenoh`, or choose another `--link`";
    Err(Error::invalid(diagnostic.help(help)))
}

/// Cuts the plan into nodes.
///
/// # Errors
/// If components that must share a node do not.
pub fn project(prepared: &Prepared, placement: &Placement) -> Result<Projection, Error> {
    let models: Vec<&ModelDescription> = prepared.descriptions();
    // What was said about the system is said already; its texts may be pointed at.
    let mut report = Report::default();
    for source in prepared.report.sources() {
        report.add_source(&source.name, &source.text);
    }
    let projection = consort_planner::project(
        prepared.resolved(),
        &models,
        prepared.plan(),
        placement,
        &mut report,
    );
    projection.filter(|_| !report.has_errors()).ok_or(Error::Invalid { report })
}
