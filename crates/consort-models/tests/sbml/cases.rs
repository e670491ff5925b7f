//! The models of the suite, with what they must compute.

mod cells;
mod effects;
mod events;
mod implicit;
mod math;
mod networks;
mod reactions;
mod rules;
mod species;
mod switches;

use std::borrow::Cow;

/// What a quantity is at every time.
pub(crate) type Course = fn(f64) -> f64;

/// A model and what it must compute.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) name: Cow<'static, str>,
    /// See [`crate::model`].
    pub(crate) text: Cow<'static, str>,
    pub(crate) end: f64,
    /// Closed forms, where there are.
    pub(crate) closed: &'static [(&'static str, Course)],
    pub(crate) peer: Peer,
    /// Whether it is a network of at least three reactions as they are in cells.
    pub(crate) is_network: bool,
}

/// What libRoadRunner has to say.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Peer {
    /// The same, for everything that changes.
    Agrees,
    /// Nothing: it refuses the model, for this reason.
    Cannot(&'static str),
    /// Something else, for this reason.
    Differs(&'static str),
}

/// One that libRoadRunner computes as well; without closed forms it alone is compared with.
pub(crate) const fn case(
    name: &'static str,
    text: &'static str,
    end: f64,
    closed: &'static [(&'static str, Course)],
) -> Case {
    let (name, text) = (Cow::Borrowed(name), Cow::Borrowed(text));
    Case { name, text, end, closed, peer: Peer::Agrees, is_network: false }
}

impl Case {
    const fn peer(mut self, peer: Peer) -> Self {
        assert!(!self.closed.is_empty(), "compared with nothing");
        self.peer = peer;
        self
    }
}

/// All of them.
pub(crate) fn all() -> Vec<Case> {
    [
        species::cases(),
        reactions::cases(),
        rules::cases(),
        events::cases(),
        effects::cases(),
        switches::cases(),
        math::cases(),
        implicit::cases(),
        networks::cases(),
        cells::cases(),
    ]
    .concat()
}
