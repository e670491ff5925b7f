//! Plans of small systems made by hand: what is done in which order, and what is said about it.

mod cycle;
mod explain;
mod late;
mod loops;
mod projection;
mod properties;
mod reactive;
mod support;
mod together;
