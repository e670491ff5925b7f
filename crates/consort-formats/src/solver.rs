//! The message about an unknown solver.

use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, SolverKind, Span};

/// What is said about it: the nearest name, and all there are.
pub fn unknown_solver(name: &str, span: Option<Span>) -> Diagnostic {
    let names = SolverKind::ALL.map(|(_, name)| name);
    let all = names.map(|name| format!("`{name}`")).join(", ");
    let help = match nearest_name(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? there are {all}"),
        None => format!("the solvers are {all}"),
    };
    Diagnostic::error("system::unknown-solver", format!("there is no solver `{name}`"))
        .maybe_at(span, "not known")
        .help(help)
}
