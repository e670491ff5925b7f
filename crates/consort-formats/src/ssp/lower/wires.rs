//! Wires from model to model, through the borders of all systems between.

mod units;

use super::super::document::{Content, End, Kind, Wire};
use super::super::xml::Session;
use super::{Part, Tree, nearest_or, report_not_found};
use consort_core::{Diagnostic, Span};
use consort_system::{Connection, Hold, Spanned};
use std::collections::{BTreeMap, BTreeSet};

/// A connector of an element, or some elements of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Port<'e> {
    pub(super) part: usize,
    pub(super) connector: &'e str,
    pub(super) indices: &'e str,
}

/// A wire with its direction.
pub(super) struct Edge<'e> {
    pub(super) from: Port<'e>,
    pub(super) to: Port<'e>,
    pub(super) wire: &'e Wire,
    from_span: Option<Span>,
    to_span: Option<Span>,
}

/// All wires of all systems, and which of them enter and leave each port.
pub(super) struct Edges<'e> {
    pub(super) list: Vec<Edge<'e>>,
    entering: BTreeMap<Port<'e>, Vec<usize>>,
    pub(super) leaving: BTreeMap<Port<'e>, Vec<usize>>,
}

/// Looks up both ends of every wire and finds its direction.
pub(super) fn edges<'e>(session: &mut Session<'_>, tree: &Tree<'e>) -> Edges<'e> {
    let mut list = Vec::new();
    for (index, part) in tree.parts.iter().enumerate() {
        let Content::System(inside) = &part.element.content else { continue };
        for wire in &inside.wires {
            let start = find(session, tree, index, &wire.start);
            let end = find(session, tree, index, &wire.end);
            let (Some(start), Some(end)) = (start, end) else { continue };
            list.extend(direct(session, wire, start, end));
        }
    }
    let (mut entering, mut leaving) = (BTreeMap::new(), BTreeMap::new());
    for (index, edge) in list.iter().enumerate() {
        entering.entry(edge.to).or_insert_with(Vec::new).push(index);
        leaving.entry(edge.from).or_insert_with(Vec::new).push(index);
    }
    Edges { list, entering, leaving }
}

/// A port, and whether it gives values to the wire; `None` if it may do either.
type FoundPort<'e> = (Port<'e>, Option<bool>);

fn find<'e>(
    session: &mut Session<'_>,
    tree: &Tree<'e>,
    system: usize,
    end: &'e End,
) -> Option<FoundPort<'e>> {
    let part = match &end.element {
        None => system,
        Some(name) => match tree.parts[system].children.get(name.value.as_str()) {
            Some(part) => *part,
            None => {
                report_element(session, &tree.parts[system], name);
                return None;
            }
        },
    };
    let connector = end.connector.value.as_str();
    let holder = tree.holder(part)?;
    let found = &tree.parts[part];
    let kind = match found.connectors.get(connector) {
        Some(connector) => connector.kind,
        None if holder == part => report_connector(session, found, &end.connector)?,
        None => report_signal(session, &tree.parts[holder], &end.connector)?,
    };
    if found.component.is_none() && !end.indices.is_empty() {
        let (whose, what) = if found.is_system() {
            ("a system's", "connectors of systems")
        } else {
            ("a dictionary's", "signals of dictionaries")
        };
        let message = format!("elements of `{connector}`, which is {whose}, are connected");
        session.report(
            Diagnostic::error("ssp::system-indices", message)
                .maybe_at(end.connector.span, format!("only whole {what} can be"))
                .help("give the system one connector for each element"),
        );
        return None;
    }
    // At its own border a system sees values enter that come from outside.
    let gives = kind.enters().map(|enters| if part == system { enters } else { !enters });
    Some((Port { part: holder, connector, indices: &end.indices }, gives))
}

/// A signal that a reference to its dictionary does not declare.
fn report_signal(
    session: &mut Session<'_>,
    dictionary: &Part<'_>,
    name: &Spanned<String>,
) -> Option<Kind> {
    if let Some(signal) = dictionary.connectors.get(name.value.as_str()) {
        return Some(signal.kind);
    }
    let message = format!("the dictionary `{}` has no signal `{}`", dictionary.path, name.value);
    let known = dictionary.connectors.keys().copied();
    let help = nearest_or(&name.value, known, "add a `DictionaryEntry` of that name");
    report_not_found(session, "ssp::unknown-signal", message, name, help);
    None
}

fn report_element(session: &mut Session<'_>, system: &Part<'_>, name: &Spanned<String>) {
    let message = format!("the system has no element `{}`", name.value);
    let way_out = "elements are components and systems directly inside of this system";
    let help = nearest_or(&name.value, system.children.keys().copied(), way_out);
    report_not_found(session, "ssp::unknown-element-name", message, name, help);
}

/// A connector that is not declared: a model may still have the variable, a system has not.
fn report_connector(
    session: &mut Session<'_>,
    part: &Part<'_>,
    name: &Spanned<String>,
) -> Option<Kind> {
    let whose = if part.path.is_empty() { "the system" } else { part.path.as_str() };
    let message = format!("`{whose}` declares no connector `{}`", name.value);
    let known = part.connectors.keys().copied();
    if part.is_system() {
        let help = nearest_or(&name.value, known, "declare it in `Connectors` of the system");
        report_not_found(session, "ssp::unknown-connector", message, name, help);
        return None;
    }
    // Many tools declare none at all, and mean the variables of the model.
    if !part.connectors.is_empty() {
        session.report(
            Diagnostic::warning("ssp::undeclared-connector", message)
                .maybe_at(name.span, "taken for a variable of the model")
                .help(nearest_or(&name.value, known, "declare it in `Connectors` of it")),
        );
    }
    Some(Kind::Unspecified)
}

/// Which end gives values and which takes them.
fn direct<'e>(
    session: &mut Session<'_>,
    wire: &'e Wire,
    (start, start_gives): FoundPort<'e>,
    (end, end_gives): FoundPort<'e>,
) -> Option<Edge<'e>> {
    let (start_span, end_span) = (wire.start.connector.span, wire.end.connector.span);
    let forward = match (start_gives, end_gives) {
        (Some(true), Some(true)) | (Some(false), Some(false)) => {
            let both = if start_gives == Some(true) { "give" } else { "take" };
            let message = format!(
                "both `{}` and `{}` {both} values",
                wire.start.connector.value, wire.end.connector.value
            );
            let diagnostic = Diagnostic::error("ssp::connection-direction", message)
                .maybe_at(end_span, "and so does this")
                .help("connect outputs to inputs; at the border of its own system, an input gives")
                .maybe_label(start_span, format!("this would {both}"));
            session.report(diagnostic);
            return None;
        }
        (Some(false), _) | (None, Some(true)) => false,
        _ => true,
    };
    Some(match forward {
        true => Edge { from: start, to: end, wire, from_span: start_span, to_span: end_span },
        false => Edge { from: end, to: start, wire, from_span: end_span, to_span: start_span },
    })
}

/// One connection for each wire that ends at a model, from the model where its value comes from.
pub(super) fn connections(
    session: &mut Session<'_>,
    tree: &Tree<'_>,
    edges: &Edges<'_>,
) -> Vec<Connection> {
    let mut list = Vec::new();
    let mut reported = BTreeSet::new();
    for index in 0..edges.list.len() {
        let to = edges.list[index].to;
        if tree.parts[to.part].component.is_none() {
            continue;
        }
        let Some(path) = trace(session, tree, edges, index, &mut reported) else { continue };
        list.extend(connect(session, tree, &path));
    }
    list
}

/// The wires from a model to the one that ends at a model; `None` if nothing feeds them.
fn trace<'t, 'e>(
    session: &mut Session<'_>,
    tree: &Tree<'e>,
    edges: &'t Edges<'e>,
    last: usize,
    reported: &mut BTreeSet<Port<'e>>,
) -> Option<Vec<&'t Edge<'e>>> {
    let mut path = vec![&edges.list[last]];
    loop {
        let first = path.last().expect("it starts with one").from;
        if tree.parts[first.part].component.is_some() {
            path.reverse();
            return Some(path);
        }
        let entering = edges.entering.get(&first).map_or(&[][..], Vec::as_slice);
        let next = *entering.first()?;
        let problem = if 1 < entering.len() {
            SEVERAL_SOURCES
        } else if path.len() <= edges.list.len() {
            path.push(&edges.list[next]);
            continue;
        } else {
            CYCLE
        };
        if reported.insert(first) {
            report_port(session, edges, first, entering, problem);
        }
        return None;
    }
}

/// Why no single output feeds a connector.
#[derive(Clone, Copy)]
struct PathProblem {
    code: &'static str,
    what: &'static str,
    help: &'static str,
}

const SEVERAL_SOURCES: PathProblem = PathProblem {
    code: "ssp::several-sources",
    what: "is fed by several connections",
    help: "remove all but one of them",
};

const CYCLE: PathProblem = PathProblem {
    code: "ssp::connection-cycle",
    what: "is fed by itself",
    help: "connect it to an output of a component",
};

fn report_port(
    session: &mut Session<'_>,
    edges: &Edges<'_>,
    port: Port<'_>,
    entering: &[usize],
    problem: PathProblem,
) {
    let mut spans = entering.iter().rev().filter_map(|edge| edges.list[*edge].to_span);
    let PathProblem { code, what, help } = problem;
    let message = format!("the connector `{}` {what}", port.connector);
    let mut diagnostic =
        Diagnostic::error(code, message).maybe_at(spans.next(), "a value arrives here").help(help);
    for span in spans {
        diagnostic = diagnostic.label(span, "and here");
    }
    session.report(diagnostic);
}

fn connect(session: &mut Session<'_>, tree: &Tree<'_>, path: &[&Edge<'_>]) -> Option<Connection> {
    let (first, last) = (path.first()?, path.last()?);
    if !is_signal(session, tree, first, last) {
        return None;
    }
    let (transformation, suppress_unit_conversion) = units::whole(session, tree, path)?;
    let text = |port: Port<'_>, span: Option<Span>| {
        let (part, connector, indices) = (&tree.parts[port.part], port.connector, port.indices);
        Spanned { value: format!("{}.{connector}{indices}", part.path), span }
    };
    let wires = || path.iter().map(|edge| edge.wire);
    Some(Connection {
        from: text(first.from, first.from_span),
        to: text(last.to, last.to_span),
        hold: wires().map(|wire| wire.hold).find(|hold| *hold != Hold::Hold).unwrap_or_default(),
        group: wires().find_map(|wire| wire.group.clone()),
        delay: wires().any(|wire| wire.delay),
        transformation,
        suppress_unit_conversion,
        convert: wires().any(|wire| wire.convert),
    })
}

/// Values that are settled before the run do not travel along wires between models.
fn is_signal(
    session: &mut Session<'_>,
    tree: &Tree<'_>,
    first: &Edge<'_>,
    last: &Edge<'_>,
) -> bool {
    let kind = |port: Port<'_>| {
        let connector = tree.parts[port.part].connectors.get(port.connector);
        connector.map_or(Kind::Unspecified, |connector| connector.kind)
    };
    let (from, to) = (kind(first.from), kind(last.to));
    if !from.is_parameter() && !to.is_parameter() {
        return true;
    }
    let message = format!("a `{}` is connected to a `{}`", from.name(), to.name());
    let diagnostic = Diagnostic::error("ssp::parameter-connection", message)
        .maybe_at(last.to_span, "would be set once, before the run")
        .help("give the parameter its value with a `ParameterBinding`")
        .maybe_label(first.from_span, "from here");
    session.report(diagnostic);
    false
}
