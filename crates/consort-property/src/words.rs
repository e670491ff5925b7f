//! The keywords of the language, and their spellings in other tools.

use crate::tree::{Function, Joint, Operation, Way};
use consort_core::Comparison;

/// An operator that looks along the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Temporal {
    /// Universal: `always`, `historically`.
    All(Way),
    /// Existential: `eventually`, `once`.
    Some(Way),
    /// Binary: `until`, `since`.
    Hold(Way),
}

const TEMPORAL: [(&str, Temporal); 20] = [
    ("always", Temporal::All(Way::Future)),
    ("alw", Temporal::All(Way::Future)),
    ("alw_", Temporal::All(Way::Future)),
    ("globally", Temporal::All(Way::Future)),
    ("G", Temporal::All(Way::Future)),
    ("eventually", Temporal::Some(Way::Future)),
    ("ev", Temporal::Some(Way::Future)),
    ("ev_", Temporal::Some(Way::Future)),
    ("finally", Temporal::Some(Way::Future)),
    ("F", Temporal::Some(Way::Future)),
    ("historically", Temporal::All(Way::Past)),
    ("H", Temporal::All(Way::Past)),
    ("once", Temporal::Some(Way::Past)),
    ("O", Temporal::Some(Way::Past)),
    ("P", Temporal::Some(Way::Past)),
    ("until", Temporal::Hold(Way::Future)),
    ("until_", Temporal::Hold(Way::Future)),
    ("U", Temporal::Hold(Way::Future)),
    ("since", Temporal::Hold(Way::Past)),
    ("S", Temporal::Hold(Way::Past)),
];

/// By level, from weak to strong.
pub(crate) const JOINTS: [&[(&str, Joint)]; 5] = [
    &[("iff", Joint::Iff), ("<->", Joint::Iff)],
    &[("implies", Joint::Implies), ("->", Joint::Implies), ("=>", Joint::Implies)],
    &[("or", Joint::Or), ("||", Joint::Or), ("|", Joint::Or)],
    &[("xor", Joint::Xor)],
    &[("and", Joint::And), ("&&", Joint::And), ("&", Joint::And)],
];

/// Other signs of comparisons.
pub(crate) const OTHER_SIGNS: [(Comparison, &str); 2] =
    [(Comparison::Equal, "="), (Comparison::NotEqual, "!==")];

const FUNCTIONS: [(&str, Function); 7] = [
    ("abs", Function::Abs),
    ("sqrt", Function::Sqrt),
    ("exp", Function::Exp),
    ("ln", Function::Ln),
    ("log", Function::Ln),
    ("sin", Function::Sin),
    ("cos", Function::Cos),
];

const OPERATIONS: [(&str, Operation); 3] =
    [("min", Operation::Min), ("max", Operation::Max), ("pow", Operation::Power)];

/// Words that are neither operators along the trace nor joints.
pub(crate) const OTHERS: [&str; 7] = ["not", "true", "false", "rise", "fall", "event", "tick"];

/// Operators that count samples, which say nothing about time; other tools have them.
pub(crate) const COUNTING: [&str; 6] = ["next", "prev", "previous", "X", "Y", "s_next"];

/// Units of time, in seconds: numerator and denominator.
pub(crate) const UNITS: [(&str, i64, u64); 6] = [
    ("s", 1, 1),
    ("ms", 1, 1_000),
    ("us", 1, 1_000_000),
    ("ns", 1, 1_000_000_000),
    ("min", 60, 1),
    ("h", 3_600, 1),
];

fn find<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning)
}

/// The operator of that name.
pub(crate) fn temporal(word: &str) -> Option<Temporal> {
    find(&TEMPORAL, word)
}

/// The function of one number of that name.
pub(crate) fn function(word: &str) -> Option<Function> {
    find(&FUNCTIONS, word)
}

/// The function of two or more numbers of that name.
pub(crate) fn operation(word: &str) -> Option<Operation> {
    find(&OPERATIONS, word)
}

/// Whether a word has a meaning of its own.
pub(crate) fn is_keyword(word: &str) -> bool {
    temporal(word).is_some()
        || OTHERS.contains(&word)
        || COUNTING.contains(&word)
        || JOINTS.iter().any(|level| find(level, word).is_some())
}

/// Every word that may have been meant by a name followed by a bracket.
pub(crate) fn callable() -> impl Iterator<Item = &'static str> {
    let temporal = TEMPORAL.iter().map(|(word, _)| *word).filter(|word| 2 < word.len());
    let functions = FUNCTIONS.iter().map(|(word, _)| *word);
    let operations = OPERATIONS.iter().map(|(word, _)| *word);
    temporal.chain(functions).chain(operations).chain(OTHERS)
}
