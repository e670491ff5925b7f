//! The library for Python: the extension module `consort._native`, under the package in `bindings/python`.
//!
//! What the user sees is there: classes with defaults, documentation and types. Here are the values behind them, in
//! batches that are fast, and what needs memory: requests come as JSON, as manifests keep them.
//!
//! - `system`, `run`, `record`, `campaign`: the library's types of these names.
//! - `trace`, `table`, `arrow`, `memory`: columns that others read without a copy.
//! - `calls`: how a call is made: outside of the interpreter's lock, ended by Ctrl-C, and never with a panic.
//! - `errors`: exceptions with diagnostics.

mod arrow;
mod calls;
mod campaign;
mod errors;
mod handles;
mod memory;
mod record;
mod run;
mod system;
mod table;
mod trace;
mod values;

use pyo3::prelude::*;

/// The module.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<system::SystemSource>()?;
    module.add_class::<run::DrivenRun>()?;
    module.add_class::<run::RunSteps>()?;
    module.add_class::<run::SavedRun>()?;
    module.add_class::<handles::Handle>()?;
    module.add_class::<handles::Handles>()?;
    module.add_class::<trace::TraceTable>()?;
    module.add_class::<memory::ColumnView>()?;
    module.add_function(wrap_pyfunction!(trace::read_trace, module)?)?;
    module.add_function(wrap_pyfunction!(record::record, module)?)?;
    module.add_function(wrap_pyfunction!(campaign::explore, module)?)?;
    module.add_function(wrap_pyfunction!(system::blocks, module)?)?;
    module.add_function(wrap_pyfunction!(system::program, module)?)?;
    module.add_function(wrap_pyfunction!(system::offer_program, module)?)
}
