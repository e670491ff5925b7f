//! In what the FMUs of one test model differ.

/// What a model for Model Exchange has; without one of these there are calls with a count of zero to be made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Shape {
    /// Whether there is a continuous state.
    pub states: bool,
    /// Whether there is an event indicator.
    pub indicators: bool,
}

impl Shape {
    /// Both.
    pub const FULL: Shape = Shape { states: true, indicators: true };
}

/// What an FMU says about saving.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Saving {
    /// That it cannot.
    Nothing,
    /// That states can be saved and restored, and not more.
    States,
    /// That states are bytes as well.
    Bytes,
}
