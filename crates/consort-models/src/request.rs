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
    /// The component's name, for messages; empty for a model that is looked at on its own.
    pub component: &'a str,
    /// Where `model` is written.
    pub span: Option<Span>,
    /// The component's parameters; the shape of a native block depends on them.
    pub parameters: &'a [Parameter<'a>],
}

impl ModelRequest<'_> {
    /// `` of `tank` ``, or nothing for a model on its own: for messages about the model.
    pub(crate) fn of_component(&self) -> String {
        match self.component {
            "" => String::new(),
            component => format!(" of `{component}`"),
        }
    }

    /// `` `tank` ``, or the model's own name: for messages about who asks.
    pub(crate) fn asker(&self) -> String {
        let name = if self.component.is_empty() { self.model } else { self.component };
        format!("`{name}`")
    }

    /// Whether the model is a part of a system file, beside which its files are.
    pub(crate) fn is_in_system(&self) -> bool {
        !self.component.is_empty()
    }
}
