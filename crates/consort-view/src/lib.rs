//! What a person looks at, as functions from data: plots of traces and pictures
//! of plans.
//!
//! Nothing here reads a file, prints or asks a terminal: the caller brings the data and takes text
//! or bytes. Equal data give equal bytes, on every machine. The tour:
//!
//! - [`plot`]: a trace becomes columns, columns become a [`plot::Figure`], and that becomes SVG, PNG,
//!   a page to zoom in, or a sketch of braille dots.
//! - [`plan`]: the graph of a plan as SVG, or for Graphviz.
//! - [`numbers`] and [`units`]: numbers, durations, hashes and units as people write them.

pub mod numbers;
pub mod plan;
pub mod plot;
pub mod units;
