//! Type names that are still defined twice, in groups by the crates whose names are to change.

use std::collections::BTreeSet;

/// This list only shrinks: a name that is defined once now is to be removed.
pub(super) fn names() -> BTreeSet<&'static str> {
    [MODELS, DISTRIBUTED, COMMANDS, FORMATS].concat().into_iter().collect()
}

/// models, export.
const MODELS: &[&str] = &[
    "Body",
    "Channel",
    "Content",
    "Draft",
    "Matrix",
    "Moment",
    "Parameter",
    "Phase",
    "Run",
    "Saved",
    "Table",
    "Writer",
];

/// the library, run, distributed, node, federation, explore.
const DISTRIBUTED: &[&str] = &[
    "Action",
    "Archive",
    "Arrival",
    "Assignment",
    "Bounds",
    "Candidate",
    "Costs",
    "CounterExample",
    "Difference",
    "Disturbance",
    "Door",
    "Explanation",
    "Graph",
    "Inbox",
    "Input",
    "Journal",
    "Monitor",
    "Node",
    "Origin",
    "Plan",
    "Progress",
    "Queue",
    "Recorded",
    "Role",
    "Rows",
    "Scenario",
    "Setting",
    "Standing",
    "Status",
    "Step",
    "Strategy",
    "Summary",
    "System",
    "Target",
    "Task",
    "Timing",
    "Told",
    "Unit",
    "Until",
    "Verdict",
];

/// cli.
const COMMANDS: &[&str] = &["Tally"];

/// system, formats, planner, check, view, toml, xml.
const FORMATS: &[&str] = &[
    "Claim",
    "Codes",
    "Column",
    "Comparison",
    "Delay",
    "Execution",
    "File",
    "Format",
    "Found",
    "Names",
    "Place",
    "Program",
    "Settings",
    "Sizes",
    "Value",
    "Written",
];
