//! `modelDescription.xml` of FMI 2.0 and 3.0, read into one form.

use consort_core::ModelDescription;

/// The major version of the standard an FMU follows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FmiVersion {
    /// FMI 2.0.x
    V2,
    /// FMI 3.0.x
    V3,
}

/// What an FMU says about itself.
#[derive(Clone, PartialEq, Debug)]
pub struct FmuDescription {
    /// The standard it follows.
    pub version: FmiVersion,
    /// `guid` (FMI 2) or `instantiationToken` (FMI 3): handed back when instantiating.
    pub token: String,
    /// Its Co-Simulation interface, if it has one.
    pub co_simulation: Option<CoSimulation>,
    /// Whether it also has a Model Exchange interface.
    pub model_exchange: bool,
    /// The categories its log lines may have.
    pub log_categories: Vec<String>,
    /// Variables, structure, units, capabilities: what everybody else needs.
    pub model: ModelDescription,
}

/// The Co-Simulation interface of an FMU: what the binding needs beyond the capabilities.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoSimulation {
    /// Base name of the binary and prefix of static functions.
    pub model_identifier: String,
    /// A tool must run beside the FMU.
    pub needs_execution_tool: bool,
    /// `sources/` files to compile (FMI 2 `SourceFiles`); FMI 3 has `buildDescription.xml`.
    pub source_files: Vec<String>,
    /// The step the FMU uses inside, in seconds as written, if fixed.
    pub fixed_internal_step: Option<String>,
    /// Highest order of output derivatives.
    pub output_derivatives_max: u32,
}
