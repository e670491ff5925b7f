//! Scenario files of the Scenario-Verifier (Gomes, Thule and Hansen), in HOCON:
//!
//! ```text
//! name = "two masses"
//! scenario = {
//!   fmus = {
//!     left = {
//!       can-reject-step = true
//!       inputs = { force = { reactivity = delayed } }
//!       outputs = { x = { dependencies-init = [], dependencies = [] } }
//!     }
//!     right = { ... }
//!   }
//!   connections = [ left.x -> right.x, right.force -> left.force ]
//!   max-possible-step-size = 2
//! }
//! initialization = [ { get: left.x }, { set: right.x }, ... ]
//! cosim-step = [ { step: left }, { loop: { until-converged: [right.force], iterate: [...],
//!                if-retry-needed: [...] } } ]
//! ```
//!
//! `cosim-step` is one algorithm or an object of several, by name. An adaptive scenario has a
//! `configuration` that says which of them goes with which reactivity; one that names none has no
//! algorithm yet. Ports of an FMU that lists none are those that connections name. Instructions that
//! enter or leave the initialization of an FMU say nothing more than the format itself.

mod algorithm;
mod hocon;
mod inferred;
mod reader;
mod references;
mod write;

use consort_core::{Diagnostic, Report};
use consort_system::Scenario;
use reader::Reader;

pub use write::write_scenario;

/// Larger texts are refused: no scenario is that long.
const LENGTH_MAX: usize = 16 << 20;

/// Reads a scenario file; `name` is the file's, for messages.
///
/// Gives `None` after mistakes, which are in `report`: all of them if the text is HOCON, else the
/// first.
pub fn read_scenario(name: &str, text: &str, report: &mut Report) -> Option<Scenario> {
    let before = report.error_count();
    if LENGTH_MAX < text.len() {
        let message = format!("`{name}` has more than {LENGTH_MAX} bytes");
        report.push(
            Diagnostic::error("scenario::too-long", message)
                .help("a scenario has a few thousand lines at most: is this the right file?"),
        );
        return None;
    }
    let source = report.add_source(name, text);
    let root = hocon::parse(text, source, report)?;
    let mut reader = Reader::new(source, text.len(), report);
    let scenario = reader.scenario(&root);
    (report.error_count() == before).then_some(scenario).flatten()
}
