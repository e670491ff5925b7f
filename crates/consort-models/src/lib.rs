//! Loads the [`Model`](consort_core::Model) that a component's `model = "..."` refers to.
//!
//! - [`Loader`] takes a [`ModelRequest`] and gives a [`LoadedModel`]: the model, the hashes of every
//!   file that decides what it does, and what was assumed. The same FMU is loaded once, however many
//!   components ask for it.
//! - An FMU is a `.fmu` archive, unpacked into the cache by content, or a folder, used where it is.
//!   One without a binary for this platform but with sources is compiled, once per content, with
//!   the system's C compiler. One for Model Exchange only gets a solver ([`continuous`]).
//! - An FMU may live in a process of its own, if it shall or if its states cannot be saved faithfully otherwise; a program that
//!   calls [`loader::serve`] is such a process.
//! - [`mod@equations`] runs models written as equations: `.eq` files, and SBML (`.sbml`, `.xml`).
//! - [`continuous`] puts a solver around models that are given by their equations.
//! - [`foreign`] runs programs of the user's own, in whatever language, as components.
//! - [`native`] has blocks that need no FMU, below.
//! - [`ModelKinds`] lists the kinds of models; each is a [`ModelKind`]: how references to it look, how it is loaded,
//!   what has no effect on it.
//! - [`ModelKinds::written_model`] gives a model as it was written, native blocks included, for export and other
//!   uses; [`Loader::binary_of`] compiles what was made, [`pack`] packs it.
//! - [`fidelity`] measures how faithfully the states of a model can be saved, and by which provider.
//! - [`ssp`] unpacks `.ssp` archives.
//! - [`default_cache_dir`] says where all of this is kept. Nothing is written anywhere else.
//!
//! ```
//! use consort_core::{Literal, Report};
//! use consort_models::{Loader, LoaderOptions, ModelRequest, GivenParameter, default_cache_dir};
//!
//! let options = LoaderOptions::new(default_cache_dir());
//! let mut loader = Loader::new(options);
//! let parameters = [GivenParameter { name: "k", value: &Literal::Float(2.5), has_unit: false, span: None }];
//! let request = ModelRequest {
//!     component: "amplifier",
//!     parameters: &parameters,
//!     ..ModelRequest::new("native:gain", std::path::Path::new("."))
//! };
//! let loaded = loader.load(&request, &mut Report::default()).expect("the parameters are good");
//! assert!(loaded.model.description().variable("y").is_some());
//! ```
//!
//! # Native blocks
//!
//! Blocks with `size` take arrays of that many elements where it is given, scalars where it is not. Model packs add
//! blocks: `consort-aircraft` has those of an airplane.
//!
//! | `native:` | inputs | outputs | parameters | what it does |
//! |---|---|---|---|---|
//! | `constant` |  | y | value, type | a value of any type and shape |
//! | `gain` | u | y | k, size | y = k u |
//! | `integrator` | u | y | x0, min, max, size | the integral of u, between min and max |
//! | `noise` |  | y | distribution, mean, deviation, period | random values of the experiment's seed |
//! | `pid` | setpoint, measurement | u | kp, ki, kd, tf, integral0, min, max | a PID controller with limits and anti-windup |
//! | `pulse` |  | y | period, duty, delay, low, high | high for a part of each period |
//! | `ramp` |  | y | start, duration, from, to | straight from one value to another |
//! | `round` | u | y | method, type, size | u as a whole number |
//! | `saturation` | u | y | min, max, size | u, between min and max |
//! | `sine` |  | y | amplitude, frequency, phase, offset | y = offset + amplitude sin(2 pi frequency t + phase) |
//! | `state-space` | u | y | A, B, C, D, x0, substep, method, starter, ports | x' = A x + B u, y = C x + D u |
//! | `step` |  | y | time, before, after | one value, then another |
//! | `sum` | u1 ... un | y | signs | the sum of inputs with signs |
//! | `table` |  | one per column | file, interpolation | columns of a CSV file over time |
//! | `threshold` | u | y | threshold, size | whether u has reached a threshold, as a Boolean |
//! | `unit-delay` | u | y | y0, size | u as it was a step ago |
//!
//! # Determinism
//!
//! Sources compute from the exact time of a tag and never add up steps. Transcendental functions
//! come from one pinned pure implementation (`libm`), never from the host. Noise is a function of
//! the experiment's seed, the component's path and time.

pub mod continuous;
pub mod equations;
pub mod fidelity;
pub mod foreign;
pub mod loader;
pub mod native;
pub mod pack;
pub mod ssp;

mod files;
mod loaded;
mod nearby;
mod request;

pub use files::input_file::sha256;
pub use loader::{
    InputFile, InputFileRole, LoadedModel, Loader, LoaderOptions, ModelKind, ModelKinds,
    default_cache_dir,
};
pub use request::{Asked, GivenParameter, ModelRequest, ModelSource, SolverRequest};
