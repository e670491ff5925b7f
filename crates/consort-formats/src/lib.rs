//! Readers and writers over bytes and text. Nothing here touches a file: the caller reads and
//! writes, so that every reader can be tested and fuzzed as a plain function.
//!
//! - [`toml`]: `system.toml`, the text form of a system, read by [`read_system`] and written by
//!   [`write_system`]. Its grammar is described there.
//! - [`toml::campaign`]: campaigns that explore scenarios, read by [`read_campaign`].
//! - [`multimodel`]: INTO-CPS multi-models, `mm.json` with `coe.json`.
//! - [`csv`]: tables of inputs over time, read by [`read_inputs`].
//! - [`ssp`]: system structures of the SSP standard, read and written.
//! - [`scenario`]: scenario files of the Scenario-Verifier, read by [`read_scenario`] and written by
//!   [`write_scenario`].
//! - [`assignment`]: `component.variable=value`, as given to `--set`.
//! - [`snapshot`]: files of saved runs, read by [`read_snapshot`] and written by [`write_snapshot`].
//! - [`solver`]: the message about an unknown solver, here and on the command line.
//! - [`fuzz`]: what the fuzz targets call, with the model descriptions they resolve against.
//!
//! Readers report every mistake they find to a [`Report`](consort_core::Report) and continue.
//!
//! ```
//! use consort_core::Report;
//!
//! let text = r#"
//! [experiment]
//! stop = 60
//! step = 0.1
//!
//! [components.tank]
//! model = "tank.fmu"
//! parameters = { area = 1.5, level0 = { value = 20, unit = "cm" } }
//! "#;
//! let mut report = Report::default();
//! let system = consort_formats::read_system("tank", text, &mut report).expect("it is right");
//! assert_eq!(system.name, "tank");
//! assert_eq!(system.experiment.step.expect("given").value.to_string(), "0.1");
//! assert_eq!(system.components[0].parameters.len(), 2);
//! ```

pub mod assignment;
pub mod csv;
pub mod fuzz;
pub mod multimodel;
mod quoted;
pub mod scenario;
pub mod snapshot;
pub mod solver;
pub mod ssp;
pub mod toml;
mod uri;

use consort_core::{Diagnostic, Spanned};

pub use assignment::{Assignment, parse_assignment};
pub use csv::read_inputs;
pub use scenario::{read_scenario, write_scenario};
pub use snapshot::{read_snapshot, write_snapshot};
pub use solver::unknown_solver;
pub use toml::campaign::read_campaign;
pub use toml::{read_system, write_system};

/// A name that was there before.
fn given_twice(
    code: &'static str,
    name: &Spanned<String>,
    earlier: &Spanned<String>,
) -> Diagnostic {
    Diagnostic::error(code, format!("`{}` is given twice", name.value))
        .maybe_at(name.span, "given again")
        .help("remove one of the two")
        .maybe_label(earlier.span, "first given here")
}

/// Whether a text can be the name of a component: letters, digits, `_` and `-`, in parts that `/` separates.
pub fn is_component_name(text: &str) -> bool {
    text.split('/').all(|part| !part.is_empty() && part.chars().all(is_name_letter))
}

/// Whether a name of a component may have the character; `/` separates the parts of one.
fn is_name_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}
