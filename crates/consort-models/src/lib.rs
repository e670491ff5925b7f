//! From what a component's `model = "..."` says to a [`Model`](consort_core::Model).
//!
//! - [`Loader`] takes a [`ModelRequest`] and gives a [`LoadedModel`]: the model, the hashes of every
//!   file that decides what it does, and what was assumed. The same FMU is loaded once, however many
//!   components ask for it.
//! - An FMU is a `.fmu` archive, unpacked into the cache by content, or a folder, used where it is.
//!   One without a binary for this platform but with sources is compiled, once per content, with
//!   the system's C compiler.
//! - [`native`] has blocks that need no FMU, below.
//! - [`default_cache_dir`] says where all of this is kept. Nothing is written anywhere else.
//!
//! ```
//! use consort_core::{Literal, Report};
//! use consort_models::{Loader, LoaderOptions, ModelRequest, Parameter, default_cache_dir};
//!
//! let options = LoaderOptions { cache: default_cache_dir(), python_library: None, compiler: None };
//! let mut loader = Loader::new(options);
//! let parameters = [Parameter { name: "k", value: &Literal::Float(2.5), span: None }];
//! let request = ModelRequest {
//!     model: "native:gain",
//!     base: std::path::Path::new("."),
//!     component: "amplifier",
//!     span: None,
//!     parameters: &parameters,
//! };
//! let loaded = loader.load(&request, &mut Report::default()).expect("the parameters are good");
//! assert!(loaded.model.description().variable("y").is_some());
//! ```
//!
//! # Native blocks
//!
//! Blocks with `size` take arrays of that many elements where it is given, scalars where it is not.
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
//! | `saturation` | u | y | min, max, size | u, between min and max |
//! | `sine` |  | y | amplitude, frequency, phase, offset | y = offset + amplitude sin(2 pi frequency t + phase) |
//! | `state-space` | u | y | A, B, C, D, x0, substep, method, starter | x' = A x + B u, y = C x + D u |
//! | `step` |  | y | time, before, after | one value, then another |
//! | `sum` | u1 ... un | y | signs | the sum of inputs with signs |
//! | `table` |  | one per column | file, interpolation | columns of a CSV file over time |
//! | `unit-delay` | u | y | y0, size | u as it was a step ago |
//!
//! # Determinism
//!
//! Sources compute from the exact time of a tag and never add up steps. Transcendental functions
//! come from one pinned pure implementation (`libm`), never from the host. Noise is a function of
//! the experiment's seed, the component's path and time.

pub mod loader;
pub mod native;

mod nearby;
mod request;

pub use loader::{InputFile, LoadedModel, Loader, LoaderOptions, Role, default_cache_dir};
pub use request::{ModelRequest, Parameter};
