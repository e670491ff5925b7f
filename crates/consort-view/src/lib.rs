//! Output for people, as functions from data: plots of traces, pictures of
//! plans, descriptions of models and systems.
//!
//! Nothing here reads a file, prints or asks a terminal: the caller brings the data and takes text
//! or bytes. Equal data give equal bytes, on every machine. The tour:
//!
//! - [`plot`]: a trace becomes columns, columns become a [`plot::Figure`], and that becomes SVG, PNG,
//!   a page to zoom in, or a sketch of braille dots.
//! - [`plan`]: the graph of a plan as SVG, or for Graphviz.
//! - [`inspect`]: what a model or a system is, as text or JSON.
//! - [`page`] and [`table`]: text with headings, aligned columns and a width to keep to.
//! - [`numbers`] and [`units`]: numbers, durations, hashes and units as people write them.

pub mod inspect;
pub mod numbers;
pub mod page;
pub mod plan;
pub mod plot;
pub mod table;
pub mod units;
