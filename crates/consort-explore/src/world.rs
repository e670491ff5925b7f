//! What strategies drive.
//!
//! A scenario is a sequence of choices, one per decision period. A [`World`] takes one choice after
//! another from its start; saving and restoring it is what makes shared prefixes cost nothing.

/// An interval that a robustness lies in, with what is known so far; a point once all is known.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounds {
    /// No less than this.
    pub low: f64,
    /// No more than this.
    pub high: f64,
}

/// What is known after a choice.
#[derive(Clone, PartialEq, Debug)]
pub struct Standing {
    /// By property, in the campaign's order.
    pub robustness: Vec<Bounds>,
    /// Nothing that follows can change what the properties say, or nothing can follow.
    pub is_decided: bool,
}

/// A system whose scenarios are explored.
pub trait World {
    /// A place to come back to.
    type Saved;
    /// Why it could not go on.
    type Error;

    /// Goes back to the start, before the first choice.
    ///
    /// # Errors
    /// If the system cannot be restored.
    fn reset(&mut self) -> Result<(), Self::Error>;

    /// Takes a choice (a letter of the space's alphabet) and moves on by one decision period.
    ///
    /// # Errors
    /// If an instance fails.
    fn choose(&mut self, letter: u32) -> Result<Standing, Self::Error>;

    /// Saves where it is.
    ///
    /// # Errors
    /// If an instance cannot be saved.
    fn save(&mut self) -> Result<Self::Saved, Self::Error>;

    /// Goes back to where it was saved.
    ///
    /// # Errors
    /// If an instance cannot be restored.
    fn restore(&mut self, saved: &Self::Saved) -> Result<(), Self::Error>;

    /// How many bytes a saved place holds that no other holds.
    fn unshared_bytes(&self, saved: &Self::Saved) -> u64;
}
