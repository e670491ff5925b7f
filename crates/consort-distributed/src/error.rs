//! Diagnostics that several modules raise.

use consort_core::Diagnostic;
use consort_run::Error;

/// A node loaded another system than its starter.
pub(crate) fn another_system() -> Error {
    let message = "the system has changed since the run was started";
    let diagnostic = Diagnostic::error("node::another-system", message);
    Error::failed(diagnostic.help("run it again"))
}

/// `` `a`, `b` ``.
pub fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
