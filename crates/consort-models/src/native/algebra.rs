//! Blocks whose outputs follow their inputs at once.

use super::behavior::{BlockBehavior, BlockMoment, check_limits, limit};
use super::draft::BlockDraft;
use super::sources::text_values;
use super::store::{Slot, Store};
use consort_core::{DependencyKind, Literal};

struct Gain {
    k: Slot,
    u: Slot,
    y: Slot,
}

pub(super) fn gain(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let shape = draft.size();
    let k = draft.tunable("k", 1.0, "the factor").slot();
    let u = draft.input("u", &shape, "what is scaled").slot();
    let y = draft.output("y", &shape, "k * u").slot();
    draft.depends(y, u, DependencyKind::Tunable);
    draft.depends(y, k, DependencyKind::Dependent);
    Some(Box::new(Gain { k, u, y }))
}

impl BlockBehavior for Gain {
    fn outputs(&self, _now: &BlockMoment<'_>, store: &mut Store) {
        let k = store.scalar(self.k);
        store.map(self.u, self.y, |u| k * u);
    }
}

/// The most inputs a sum has.
const TERMS_MAX: usize = 1000;

struct Sum {
    /// The inputs with their signs.
    terms: Vec<(Slot, f64)>,
    y: Slot,
}

pub(super) fn sum(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let signs = signs(draft)?;
    draft.shaping("signs", &[], text_values(&signs), "one `+` or `-` per input");
    let mut terms = Vec::new();
    for (index, sign) in signs.chars().enumerate() {
        let text = if sign == '+' { "what is added" } else { "what is subtracted" };
        let slot = draft.input(&format!("u{}", index + 1), &[], text).slot();
        terms.push((slot, if sign == '+' { 1.0 } else { -1.0 }));
    }
    let y = draft.output("y", &[], "the sum").slot();
    for (term, _) in &terms {
        draft.depends(y, *term, DependencyKind::Constant);
    }
    Some(Box::new(Sum { terms, y }))
}

fn signs(draft: &mut BlockDraft<'_>) -> Option<String> {
    let Some(given) = draft.given("signs") else { return Some("++".to_owned()) };
    let is_sign = |c: char| c == '+' || c == '-';
    match given.value {
        Literal::Text(signs)
            if (1..=TERMS_MAX).contains(&signs.len()) && signs.chars().all(is_sign) =>
        {
            Some(signs.clone())
        }
        other => {
            let message = format!("{} cannot be {other}", draft.path("signs"));
            let help = "write one `+` or `-` per input, such as `\"+-+\"` for u1 - u2 + u3";
            draft.wrong("model::parameter-choice", Some(given), message, help);
            None
        }
    }
}

impl BlockBehavior for Sum {
    fn outputs(&self, _now: &BlockMoment<'_>, store: &mut Store) {
        // From left to right, starting with the first term: no zero that could hide its sign.
        let mut terms = self.terms.iter().map(|(term, sign)| sign * store.scalar(*term));
        let first = terms.next().expect("a sum has a term");
        let sum = terms.fold(first, |sum, term| sum + term);
        store.set_scalar(self.y, sum);
    }
}

struct Saturation {
    min: Slot,
    max: Slot,
    u: Slot,
    y: Slot,
}

pub(super) fn saturation(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let shape = draft.size();
    let (min, max) = limits(draft, -1.0, 1.0);
    let u = draft.input("u", &shape, "what is limited").slot();
    let y = draft.output("y", &shape, "u, but not below min nor above max").slot();
    for known in [u, min, max] {
        draft.depends(y, known, DependencyKind::Dependent);
    }
    Some(Box::new(Saturation { min, max, u, y }))
}

/// The parameters `min` and `max`, the first not above the second.
pub fn limits(draft: &mut BlockDraft<'_>, low: f64, high: f64) -> (Slot, Slot) {
    let min = draft.tunable("min", low, "the least value").slot();
    let max = draft.tunable("max", high, "the greatest value").slot();
    let (low, high) = (draft.start_of(min), draft.start_of(max));
    if check_limits(low, high).is_err() {
        let given = draft.given("max").or(draft.given("min"));
        let message =
            format!("{} = {low:?} is above {} = {high:?}", draft.path("min"), draft.path("max"));
        draft.wrong("model::parameter-range", given, message, "`min` may not be above `max`");
    }
    (min, max)
}

impl BlockBehavior for Saturation {
    fn check(&self, _now: &BlockMoment<'_>, store: &Store) -> Result<(), String> {
        check_limits(store.scalar(self.min), store.scalar(self.max))
    }

    fn outputs(&self, _now: &BlockMoment<'_>, store: &mut Store) {
        let (min, max) = (store.scalar(self.min), store.scalar(self.max));
        store.map(self.u, self.y, |u| limit(u, min, max));
    }
}
