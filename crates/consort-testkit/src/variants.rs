//! Variants of the FMU of a test model.

/// What a model for Model Exchange has; without one of these there are calls with a count of zero to be made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Shape {
    /// Whether there is a continuous state.
    pub states: bool,
    /// Whether there is an event indicator.
    pub indicators: bool,
}

impl Shape {
    /// A model with states and indicators.
    pub const FULL: Shape = Shape { states: true, indicators: true };
}

/// What an FMU says about saving.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Saving {
    /// States cannot be saved.
    Nothing,
    /// States can be saved and restored, and not more.
    States,
    /// States can be turned into bytes as well.
    Bytes,
}
