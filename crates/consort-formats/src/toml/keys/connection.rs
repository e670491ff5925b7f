//! The keys of `[[connections]]`.

use consort_system::Hold;
use consort_toml::{Key, KeyKind, KeyTable, NumberRange, choice_names};

pub(in crate::toml) static CONNECTION: KeyTable = KeyTable {
    heading: "[[connections]]",
    meaning: "From an output to an input, or to several. Types and units are [converted](conversions.md).",
    keys: &[
        Key {
            name: "from",
            kind: KeyKind::Text,
            default: None,
            meaning: "The output: `component.variable`. One element of an array is `rod.temperature[3]` or `m.A[1,2]`; \
                      the first has the index 1.",
            example: "\"tank.level\"",
        },
        Key {
            name: "to",
            kind: KeyKind::TEXTS,
            default: None,
            meaning: "The input, written in the same way; or a list, for several connections from one output.",
            example: "[\"pid.measurement\", \"alarm.level\"]",
        },
        Key {
            name: "hold",
            kind: KeyKind::Choice(&choice_names(&Hold::ALL)),
            default: Some("`\"hold\"`"),
            meaning: "What the input sees between two values. `\"hold\"`: the last value. `\"extrapolate\"`: the straight \
                      line through the last two. See [below](#what-an-input-sees-between-two-values).",
            example: "\"extrapolate\"",
        },
        Key {
            name: "group",
            kind: KeyKind::Text,
            default: Some("none"),
            meaning: "The bus or terminal that the connection belongs to. For people only.",
            example: "\"bus1\"",
        },
        Key {
            name: "delay",
            kind: KeyKind::Boolean,
            default: Some("`false`"),
            meaning: "The input gets the value of the step before. This breaks an algebraic loop, at the price of one step \
                      of delay.",
            example: "true",
        },
        Key {
            name: "factor",
            kind: KeyKind::Number(NumberRange::Any),
            default: Some("`1`"),
            meaning: "The value is multiplied by it, after its type and unit were converted.",
            example: "2.0",
        },
        Key {
            name: "offset",
            kind: KeyKind::Number(NumberRange::Any),
            default: Some("`0`"),
            meaning: "Is added to the product, in the unit of the input.",
            example: "1.0",
        },
        Key {
            name: "suppress-unit-conversion",
            kind: KeyKind::Boolean,
            default: Some("`false`"),
            meaning: "Units are taken to agree: the number is passed on as it is.",
            example: "true",
        },
        Key {
            name: "convert",
            kind: KeyKind::Boolean,
            default: Some("`false`"),
            meaning: "Numbers become whole numbers or truth values if the input wants that, with a warning, as [in \
                      multi-models](conversions.md#multi-models).",
            example: "true",
        },
    ],
    exactly_one: &[],
    example: "[[connections]]\nfrom = \"tank.level\"\nto = \"pid.measurement\"",
};
