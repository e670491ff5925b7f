//! Whether the states of all components can be saved.

use super::Prepared;
use consort_core::{Diagnostic, Fidelity, Report};

/// Names every component that cannot be saved, before anything runs; `wanted` is portable if states go to another
/// process.
pub fn check(prepared: &Prepared, wanted: Fidelity, report: &mut Report) {
    for (component, model) in prepared.resolved.components.iter().zip(&prepared.models) {
        let can = &model.description().capabilities;
        let is_saved = can.save_state && can.fidelity != Fidelity::None;
        if is_saved && (can.serialize_state || wanted < Fidelity::Portable) {
            continue;
        }
        let what = if is_saved { "brought to another process" } else { "saved" };
        let message = format!("the state of `{}` cannot be {what}", component.name);
        let diagnostic = Diagnostic::error("run::not-saved", message);
        let diagnostic = diagnostic.with_note(format!("it is {}", model.description().kind));
        let help = "with `state = \"image\"` in its component it is saved from outside; \
                    `consort state-check` tells what the model can";
        report.push(diagnostic.help(help));
    }
}
