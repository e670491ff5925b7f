//! What a model or a system is, in a form a person likes to read, or as JSON for a program.
//!
//! - [`describe`] shows a model: what it can do, its variables, what depends on what.
//! - [`describe_system`] shows a system: components, connections, experiment.
//! - [`describe_block`] and [`list_blocks`] show native blocks.
//! - [`to_json`], [`system_to_json`] and [`block_to_json`] say the same to machines, with nothing left out.
//!
//! Nothing here reads files; nothing needs color to be understood.

mod blocks;
mod capabilities;
mod dependencies;
mod json;
mod lists;
mod system;
mod values;
mod variables;

use crate::page::Page;
use consort_core::ModelDescription;

pub use blocks::{BlockSummary, block_to_json, describe_block, list_blocks};
pub use json::{system_to_json, to_json};
pub use system::describe_system;

/// What the caller knows beside the description, and how it wants the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InspectExtra {
    /// Where it was loaded from, as the user would write it.
    pub path: String,
    /// Its size in bytes, where it is a file.
    pub size: Option<u64>,
    /// What was assumed or repaired while loading, one sentence each.
    pub assumed: Vec<String>,
    /// How many columns a line may have.
    pub width: usize,
    /// Whether headings are marked for a terminal.
    pub color: bool,
    /// Local variables are listed too, not only counted, and long lists are not cut.
    pub all: bool,
}

/// A model for a person to read.
pub fn describe(model: &ModelDescription, extra: &InspectExtra) -> String {
    let mut page = Page::new(extra.width, extra.color);
    page.title(&format!("{}: {}", model.name, model.kind));
    page.facts(&header(model, extra));
    capabilities::write(&mut page, &model.capabilities);
    variables::write(&mut page, model, extra.all);
    dependencies::write(&mut page, model);
    lists::write(&mut page, model);
    page.bullets("Assumed", &extra.assumed);
    page.finish()
}

fn header(model: &ModelDescription, extra: &InspectExtra) -> Vec<(String, String)> {
    let from = match extra.size {
        Some(bytes) => format!("{} ({})", extra.path, byte_size(bytes)),
        None => extra.path.clone(),
    };
    let mut facts = vec![("from".to_owned(), from)];
    facts.extend(model.facts.iter().cloned());
    if let Some(experiment) = default_experiment(model) {
        facts.push(("default experiment".to_owned(), experiment));
    }
    let states = dependencies::states(model);
    if !states.is_empty() {
        facts.push(("states".to_owned(), states.join(", ")));
    }
    facts
}

fn default_experiment(model: &ModelDescription) -> Option<String> {
    let experiment = &model.default_experiment;
    let time = match (&experiment.start, &experiment.stop) {
        (Some(start), Some(stop)) => Some(format!("{start} s to {stop} s")),
        (Some(start), None) => Some(format!("from {start} s")),
        (None, Some(stop)) => Some(format!("to {stop} s")),
        (None, None) => None,
    };
    let step = experiment.step.as_ref().map(|step| format!("step {step} s"));
    let tolerance = experiment.tolerance.as_ref().map(|number| format!("tolerance {number}"));
    let parts: Vec<String> = [time, step, tolerance].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// `12.3 kB`
fn byte_size(bytes: u64) -> String {
    const STEPS: [(u64, &str); 3] = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match STEPS.iter().find(|(size, _)| *size <= bytes) {
        Some((size, name)) => format!("{:.1} {name}", bytes as f64 / *size as f64),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests;
