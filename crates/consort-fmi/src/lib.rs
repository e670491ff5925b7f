//! FMI 2.0 and 3.0, Co-Simulation and Model Exchange: from an untrusted archive to a live
//! [`consort_core::Instance`] or [`consort_core::ContinuousInstance`].
//!
//! - [`archive`]: unpacking, with every entry treated as hostile.
//! - [`description`]: `modelDescription.xml` of both versions, read into one form.
//! - [`build`]: how a source FMU is compiled.
//! - [`fmu`]: an unpacked FMU with its description, and the [`consort_core::Model`] or
//!   [`consort_core::ContinuousModel`] over it.
//! - [`fuzz`]: the readers as plain functions over bytes.
//! - [`glue`]: the functions of the standard for models written in C.
//! - [`headers`]: the standard's C headers.
//! - `binding`: the function tables of FMI 2 and FMI 3, and the C logger.
//! - `driver`: one instance of either interface above a normalized one for both versions.

pub mod archive;
pub mod build;
pub mod description;
pub mod fmu;
pub mod fuzz;
pub mod glue;
pub mod headers;

mod binding;
mod driver;
mod load;
mod xml;

pub use fmu::{ExchangeModel, Fmu, FmuModel, LoadError, LoadOptions};
