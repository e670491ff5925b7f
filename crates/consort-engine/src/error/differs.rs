//! Errors about restored states: a restored run differs from one that was never saved.

use super::seconds;
use consort_core::{Diagnostic, Resolution, Tag};
use std::fmt;

/// A component that behaves differently once it is restored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateDiffers {
    /// The name of the component.
    pub component: String,
    /// The provider that saved its state: `native`, `image`, `fork`, `replay`.
    pub provider: String,
    /// The tag at which it was saved.
    pub saved: Tag,
    /// Where the difference was seen first.
    pub tag: Tag,
    /// The variable, if it is known which.
    pub value: Option<DifferentValue>,
}

/// A variable with two values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DifferentValue {
    /// `component.variable`.
    pub path: String,
    /// In the run that was never restored.
    pub expected: String,
    /// The value in the restored run.
    pub found: String,
}

impl StateDiffers {
    /// The help: providers that save completely.
    pub const HELP: &str = "`state = \"image\"` or `state = \"replay\"` in its component has it saved from outside; \
                            `consort state-check` shows what the model can do";

    pub(super) fn diagnostic(&self, resolution: Resolution) -> Diagnostic {
        let (saved, at) = (seconds(resolution, self.saved), seconds(resolution, self.tag));
        let what = match &self.value {
            None => format!("up to {at}, what it did is not the same"),
            Some(value) if value.expected == value.found => {
                format!("at {at}, what `{}` did on the way is not the same", value.path)
            }
            Some(DifferentValue { path, expected, found }) => {
                format!(
                    "at {at}, `{path}` is {found}, and {expected} in the run that was not restored"
                )
            }
        };
        Diagnostic::error("state::differs", self.to_string())
            .with_note(format!("saved at {saved} by `{}`; {what}", self.provider))
            .help(Self::HELP)
    }
}

impl fmt::Display for StateDiffers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` behaves differently once it is restored", self.component)
    }
}
