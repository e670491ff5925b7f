//! Diagnostics that several modules raise.

/// `` `a`, `b` ``.
pub fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
