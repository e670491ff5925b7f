//! Components that are integrated together, and why others are not.

use crate::groups::{Apart, Groups, obstacle};
use crate::nodes::Names;
use serde::Serialize;

/// Components that one solver integrates as one system.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TogetherExplanation {
    /// Names of the components.
    pub components: Vec<String>,
    /// The solver they all ask for.
    pub solver: String,
    /// The connections between them, whose values are continuous: `a.y -> b.u`.
    pub connections: Vec<String>,
    /// Why they belong together.
    pub why: String,
}

/// A connection between components that solvers of ours integrate, but not as one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ApartExplanation {
    /// The output of the connection: `component.variable`.
    pub from: String,
    /// The input of the connection: `component.variable`.
    pub to: String,
    /// Why its value holds over a step.
    pub why: String,
}

pub(super) fn together(names: &Names<'_>, groups: &Groups) -> Vec<TogetherExplanation> {
    let connections = names.system.connections.iter();
    let inner: Vec<_> = connections.filter(|wire| groups.is_inner(wire)).collect();
    let explained = |first| {
        let own = inner.iter().filter(|wire| groups.first(wire.to.component) == first);
        let wire = |wire: &&&_| {
            let wire: &consort_system::ResolvedConnection = wire;
            format!("{} -> {}", names.port(wire.from), names.port(wire.to))
        };
        let components: Vec<String> =
            groups.members(first).map(|id| names.component(id).to_owned()).collect();
        let solved = names.models[first.index()].capabilities.solved_by;
        let solver = solved.map(|it| it.settings.kind.name()).unwrap_or_default().to_owned();
        TogetherExplanation {
            components,
            solver,
            connections: own.map(|it| wire(&it)).collect(),
            why: "they are given by equations, connected without delay, step at one rate and ask \
                  for the same solver"
                .to_owned(),
        }
    };
    groups.all().map(explained).collect()
}

pub(super) fn apart(names: &Names<'_>, groups: &Groups) -> Vec<ApartExplanation> {
    let mut found = Vec::new();
    for wire in names.system.connections.iter().filter(|wire| !groups.is_inner(wire)) {
        let Some(Some(reason)) = obstacle(names.system, names.models, wire) else { continue };
        found.push(ApartExplanation {
            from: names.port(wire.from),
            to: names.port(wire.to),
            why: words(reason).to_owned(),
        });
    }
    found
}

fn words(reason: Apart) -> &'static str {
    match reason {
        Apart::Wanted => "`continuous = \"apart\"` is asked for",
        Apart::Delayed => "the connection is delayed",
        Apart::Rates => "they step at different rates",
        Apart::Solvers => "they ask for different solvers, or for different longest steps",
    }
}
