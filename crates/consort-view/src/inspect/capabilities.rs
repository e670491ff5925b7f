//! What a model can and cannot do, in plain words.

use crate::page::Page;
use consort_core::{Capabilities, Refresh};

pub(super) fn write(page: &mut Page, capabilities: &Capabilities) {
    let words = words(capabilities);
    let pick = |wanted: bool| -> Vec<&str> {
        words.iter().filter(|(can, _)| *can == wanted).map(|(_, what)| what.as_str()).collect()
    };
    let mut facts = Vec::new();
    for (name, list) in [("can", pick(true)), ("cannot", pick(false))] {
        if !list.is_empty() {
            facts.push((name.to_owned(), list.join(", ")));
        }
    }
    facts.push(("outputs".to_owned(), refresh(capabilities.refresh).to_owned()));
    facts.push(("instances".to_owned(), instances(capabilities)));
    page.heading("What it can do");
    page.facts(&facts);
}

fn words(capabilities: &Capabilities) -> Vec<(bool, String)> {
    // Our solver meets the events of a model that it integrates; what only a solver of the model's own
    // could do is no lack of a model without one.
    let is_solved = capabilities.solved_by.is_some();
    let order = capabilities.input_derivatives_max;
    let input_derivatives = match order {
        0 => "take input derivatives".to_owned(),
        order => format!("take input derivatives up to order {order}"),
    };
    let plain = [
        (capabilities.variable_step, "vary its step"),
        (capabilities.early_return, "end a step early"),
        (capabilities.event_mode || is_solved, "handle events"),
        (capabilities.intermediate_update, "exchange values within a step"),
        (capabilities.save_state, "save and restore its state"),
        (capabilities.serialize_state, "write its state to bytes"),
        (capabilities.directional_derivatives, "give directional derivatives"),
    ];
    let plain = plain.into_iter().map(|(can, what)| (can, what.to_owned()));
    let all = plain.chain([(0 < order, input_derivatives)]);
    all.filter(|(can, _)| *can || !is_solved).collect()
}

fn refresh(refresh: Refresh) -> &'static str {
    match refresh {
        Refresh::AtOnce => "follow inputs at once, without a step between",
        Refresh::ByStep => "change by stepping only: an input shows after the next step",
    }
}

fn instances(capabilities: &Capabilities) -> String {
    match (&capabilities.lane, capabilities.single_instance) {
        (_, true) => "only one per process".to_owned(),
        (Some(_), false) => "any number, one after another: they may share static data".to_owned(),
        (None, false) => "any number, side by side".to_owned(),
    }
}
