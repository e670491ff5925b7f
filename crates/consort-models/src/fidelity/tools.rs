//! Tools of whose FMUs it is known that their own states lack something.

use consort_core::ModelDescription;

/// What a tool is called in the descriptions of its FMUs, by which kind of interface they lose something, and what.
const KNOWN: &[(&str, &str, &str)] = &[
    // Their states hold variables and parameters; until 2026 the solver continued as it was, and is begun anew since.
    (
        "OpenModelica",
        "Co-Simulation",
        "states of OpenModelica's Co-Simulation FMUs are known to lack their solver's history",
    ),
];

/// Why the model's own states are the last choice, if it is of such a tool.
pub(super) fn losing(model: &ModelDescription) -> Option<&'static str> {
    let tool = model.fact("tool")?;
    let is_known =
        |(name, kind, _): &&(&str, &str, &str)| tool.starts_with(name) && model.kind.contains(kind);
    KNOWN.iter().find(is_known).map(|(_, _, why)| *why)
}
