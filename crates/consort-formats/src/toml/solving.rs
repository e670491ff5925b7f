//! Solvers: `interface`, `solver`, `tolerance` and `solver-step` of a component, `solver` and
//! `solver-step` of the experiment.

use consort_core::{Diagnostic, Interface, SolverKind};
use consort_system::{SolverDefaults, Solving, Spanned};
use consort_toml::{DeValue, Entry, TomlReader};

/// Reads a key of a component that is about its solver; the others are left alone.
pub(super) fn read_entry(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'_, '_>,
    solving: &mut Solving,
) -> bool {
    match entry.key {
        "interface" => solving.interface = reader.spanned_choice(entry, &Interface::ALL),
        "solver" => solving.solver = solver(reader, entry),
        "tolerance" => solving.tolerance = tolerance(reader, entry),
        "solver-step" => solving.step = reader.seconds(entry),
        _ => return false,
    }
    true
}

/// The same for the experiment.
pub(super) fn read_default(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'_, '_>,
    defaults: &mut SolverDefaults,
) -> bool {
    match entry.key {
        "solver" => defaults.solver = solver(reader, entry),
        "solver-step" => defaults.step = reader.seconds(entry),
        _ => return false,
    }
    true
}

fn solver(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Option<Spanned<SolverKind>> {
    let text = reader.text(entry)?;
    match SolverKind::from_name(&text.value) {
        Some(kind) => Some(Spanned { value: kind, span: text.span }),
        None => {
            reader.error(crate::unknown_solver(&text.value, text.span));
            None
        }
    }
}

pub(super) fn tolerance(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'_, '_>,
) -> Option<Spanned<f64>> {
    let value = match entry.value.get_ref() {
        DeValue::Float(number) => consort_toml::float(number.as_str()),
        DeValue::Integer(number) => consort_toml::float(number.as_str()),
        _ => {
            reader.wrong_kind("tolerance", entry.value, "a number", "such as `tolerance = 1e-6`");
            return None;
        }
    };
    let span = reader.span(entry.value.span());
    if let Some(value) = value.filter(|value| 0.0 < *value && value.is_finite()) {
        return Some(Spanned::new(value, span));
    }
    reader.error(
        Diagnostic::error("system::bad-tolerance", "the tolerance is not greater than zero")
            .at(span, "must be a positive number")
            .help("such as `tolerance = 1e-6`"),
    );
    None
}
