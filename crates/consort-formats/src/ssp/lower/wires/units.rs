//! What happens to a value on its way: units of connectors, and transformations between.

use super::super::super::units::{is_identity, linear, then};
use super::super::super::xml::Session;
use super::super::Tree;
use super::Edge;
use consort_core::{Diagnostic, Unit};
use consort_system::Linear;

const IDENTITY: Linear = Linear { factor: 1.0, offset: 0.0 };

/// The transformation of the whole way, and whether it replaces unit conversion.
///
/// A transformation is in the unit of the connector where its wire ends. Where both models' units
/// are declared, everything is computed here; else conversion between the models' own units is
/// left to the code that knows the models.
pub(super) fn whole(
    session: &mut Session<'_>,
    tree: &Tree<'_>,
    path: &[&Edge<'_>],
) -> Option<(Option<Linear>, bool)> {
    let (first, last) = (path.first()?, path.last()?);
    let from = tree.unit(first.from.part, first.from.connector);
    let to = tree.unit(last.to.part, last.to.connector);
    match (from, to) {
        (Some(from), Some(_)) => declared(session, tree, path, from),
        _ => undeclared(session, tree, path),
    }
}

fn declared(
    session: &mut Session<'_>,
    tree: &Tree<'_>,
    path: &[&Edge<'_>],
    from: &Unit,
) -> Option<(Option<Linear>, bool)> {
    let (mut unit, mut map, mut converts) = (from, IDENTITY, false);
    for edge in path {
        if let Some(next) = tree.unit(edge.to.part, edge.to.connector) {
            if !edge.wire.suppress {
                let Some(conversion) = unit.conversion_to(next) else {
                    if unit.base.is_some() && next.base.is_some() {
                        report_mismatch(session, edge, unit, next);
                        return None;
                    }
                    // These units are unknown here; the check against the models reports them.
                    return undeclared(session, tree, path);
                };
                converts |= !conversion.is_identity();
                map = then(map, linear(conversion));
            }
            unit = next;
        }
        map = then(map, edge.wire.linear.unwrap_or(IDENTITY));
    }
    if !converts {
        return Some((written(path, map), path.iter().any(|edge| edge.wire.suppress)));
    }
    Some((Some(map), true))
}

/// `None` if there is no transformation.
fn written(path: &[&Edge<'_>], map: Linear) -> Option<Linear> {
    path.iter().any(|edge| edge.wire.linear.is_some()).then_some(map)
}

fn undeclared(
    session: &mut Session<'_>,
    tree: &Tree<'_>,
    path: &[&Edge<'_>],
) -> Option<(Option<Linear>, bool)> {
    let (_, inner) = path.split_last()?;
    let suppress = path.iter().any(|edge| edge.wire.suppress);
    for edge in inner {
        let unit = tree.unit(edge.to.part, edge.to.connector);
        let is_used = !is_identity(edge.wire.linear) && !suppress;
        if let Some(unit) = unit.filter(|unit| is_used && unit.base.is_some()) {
            let message =
                format!("a transformation is in `{unit}`, which may not be a model's unit");
            session.report(
                Diagnostic::error("ssp::unknown-unit", message)
                    .maybe_at(edge.to_span, format!("the connector is in `{unit}`"))
                    .help("declare the units of both components' connectors"),
            );
            return None;
        }
    }
    let maps = path.iter().map(|edge| edge.wire.linear.unwrap_or(IDENTITY));
    Some((written(path, maps.fold(IDENTITY, then)), suppress))
}

fn report_mismatch(session: &mut Session<'_>, edge: &Edge<'_>, from: &Unit, to: &Unit) {
    let message = format!(
        "`{}` is in `{from}`, `{}` is in `{to}`, which measure different things",
        edge.from.connector, edge.to.connector
    );
    let diagnostic = Diagnostic::error("ssp::unit-mismatch", message)
        .maybe_at(edge.to_span, format!("in `{to}`"))
        .help("connect what measures the same, or write `suppressUnitConversion=\"true\"`")
        .maybe_label(edge.from_span, format!("in `{from}`"));
    session.report(diagnostic);
}
