//! Every key of an interface: what it may be, what holds without it, what it means.
//!
//! The readers beside this module know keys from here only. A part of `docs/foreign-nodes.md` and
//! `docs/schema/interface.json` are made of it by `cargo xtask reference`.

use consort_core::ValueType;
use consort_toml::{Key, KeyKind, KeyTable, choice_names};

const VARIABLES: KeyKind = KeyKind::Named("VARIABLE", &KeyKind::Table(&VARIABLE));

/// The keys of the interface of a program, and all tables in it.
pub static INTERFACE: KeyTable = KeyTable {
    heading: "",
    meaning: "The interface of a program names its variables and says how it is started. At least one of `inputs`, `outputs` \
              and `parameters` is there. With neither `source` nor `command` the program is [started by other \
              means](foreign-nodes.md#how-programs-are-started).",
    keys: &[
        Key {
            name: "name",
            kind: KeyKind::Text,
            default: Some("the name of the file"),
            meaning: "What the program is called. For people only.",
            example: "\"tank\"",
        },
        Key {
            name: "description",
            kind: KeyKind::Text,
            default: Some("none"),
            meaning: "What it is. For people only.",
            example: "\"a tank with an outlet\"",
        },
        Key {
            name: "source",
            kind: KeyKind::List,
            default: Some("none"),
            meaning: "Files in C, beside the interface: compiled once per content, with our library, by the C \
                      compiler that `CC` names, else `cc` (`-O2 -ffp-contract=off`), into the cache. Not together with `command`.",
            example: "[\"tank.c\"]",
        },
        Key {
            name: "command",
            kind: KeyKind::List,
            default: Some("none"),
            meaning: "The program and its arguments, started in the folder of the interface. A program with a `/` in its \
                      name is relative to that folder, else it is searched in `PATH`.",
            example: "[\"python3\", \"tank.py\"]",
        },
        Key {
            name: "saves-state",
            kind: KeyKind::Boolean,
            default: Some("`false`"),
            meaning: "The program provides its state (`consort_state`), so that the run can be saved, resumed and branched.",
            example: "true",
        },
        Key {
            name: "variable-step",
            kind: KeyKind::Boolean,
            default: Some("`true`"),
            meaning: "`false`: all steps have one length.",
            example: "false",
        },
        Key {
            name: "inputs",
            kind: VARIABLES,
            default: Some("none"),
            meaning: "What the program gets, one line per variable.",
            example: "{ inflow = { unit = \"m3/s\" } }",
        },
        Key {
            name: "outputs",
            kind: VARIABLES,
            default: Some("none"),
            meaning: "What it gives.",
            example: "{ level = { unit = \"m\", start = 0.5 } }",
        },
        Key {
            name: "parameters",
            kind: VARIABLES,
            default: Some("none"),
            meaning: "What it gets once, before the first step.",
            example: "{ area = { unit = \"m2\", start = 2.5 } }",
        },
    ],
    exactly_one: &[],
    example: "source = [\"tank.c\"]\n\n[inputs]\ninflow = { unit = \"m3/s\" }\n\n[outputs]\nlevel = { unit = \"m\", start = 0.5 }",
};

pub(super) static VARIABLE: KeyTable = KeyTable {
    heading: "a variable",
    meaning: "The settings of a variable. All may be left out: `level = {}`.",
    keys: &[
        Key {
            name: "type",
            kind: KeyKind::Choice(&choice_names(&TYPES)),
            default: Some("`\"Float64\"`"),
            meaning: "Its type.",
            example: "\"Int32\"",
        },
        Key {
            name: "unit",
            kind: KeyKind::Text,
            default: Some("none"),
            meaning: "The unit of a real number. Values are converted on their way.",
            example: "\"m3/s\"",
        },
        Key {
            name: "start",
            kind: KeyKind::Value,
            default: Some("`0`, `false`, the empty text"),
            meaning: "The value before one is set: one for all elements, or a list with one for each. Of an output: the value \
                      that the program finds there at first, which the system may change.",
            example: "0.5",
        },
        Key {
            name: "dimensions",
            kind: KeyKind::Extents,
            default: Some("a scalar"),
            meaning: "The dimensions of an array, row by row; at most 2^24 elements.",
            example: "[2, 3]",
        },
        Key {
            name: "description",
            kind: KeyKind::Text,
            default: Some("none"),
            meaning: "What it is. For people only.",
            example: "\"above the bottom\"",
        },
    ],
    exactly_one: &[],
    example: "forces = { dimensions = [2, 3], unit = \"N\" }",
};

/// The types that variables of a program may have.
pub(super) const TYPES: [(ValueType, &str); 5] = [
    (ValueType::Float64, ValueType::Float64.name()),
    (ValueType::Int32, ValueType::Int32.name()),
    (ValueType::Int64, ValueType::Int64.name()),
    (ValueType::Boolean, ValueType::Boolean.name()),
    (ValueType::String, ValueType::String.name()),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foreign::{interface, wire};
    use consort_core::Report;

    #[test]
    fn the_types_are_those_of_the_channel() {
        for value_type in ValueType::ALL {
            let is_listed = TYPES.iter().any(|(it, _)| *it == value_type);
            assert_eq!(is_listed, wire::letter(value_type).is_some(), "{value_type:?}");
        }
    }

    /// An interface is read without an error.
    fn check(text: &str) {
        let mut report = Report::default();
        let read = interface::read("tank.toml", text, &mut report);
        assert!(read.is_some(), "{text}\n{:?}", report.diagnostics());
    }

    #[test]
    fn every_key_is_read() {
        let tables = INTERFACE.all();
        assert_eq!(tables.len(), 2);
        for key in INTERFACE.keys {
            let inputs = if key.name == "inputs" { "" } else { "inputs = { x = {} }\n" };
            check(&format!("{inputs}{} = {}", key.name, key.example));
        }
        for key in VARIABLE.keys {
            check(&format!("[inputs]\nx = {{ {} = {} }}", key.name, key.example));
        }
        check(INTERFACE.example);
        check(&format!("[outputs]\n{}", VARIABLE.example));
    }
}
