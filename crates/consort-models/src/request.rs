//! What is asked of the loader.

use consort_core::{Literal, Span};
use std::path::Path;

/// A component's parameter as its system file gives it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parameter<'a> {
    /// The variable it is for.
    pub name: &'a str,
    /// The value as written; whoever sets it applies its unit.
    pub value: &'a Literal,
    /// Where it is written.
    pub span: Option<Span>,
}

/// A component in search of its model.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ModelRequest<'a> {
    /// `native:NAME`, or the path of an FMU, relative to `base`.
    pub model: &'a str,
    /// The folder of the system file.
    pub base: &'a Path,
    /// The component's name, for messages.
    pub component: &'a str,
    /// Where `model` is written.
    pub span: Option<Span>,
    /// The component's parameters; the shape of a native block depends on them.
    pub parameters: &'a [Parameter<'a>],
}
