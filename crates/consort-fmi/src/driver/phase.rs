//! The phases in the life cycle of an instance.

/// The modes of an instance, in the order it goes through them.
///
/// The order lets a range of modes be checked by one comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(super) enum Phase {
    Instantiated,
    Configuration,
    Initialization,
    Event,
    /// Structural parameters change in the middle of a run.
    Reconfiguration,
    /// Model Exchange: time advances as a solver requires.
    Continuous,
    /// Step mode of Co-Simulation.
    Step,
    Terminated,
    /// A call returned an error: only freeing and going back to a saved state are allowed.
    Failed,
    /// A call returned "fatal": nothing is allowed, not even freeing.
    Dead,
}

impl Phase {
    const ALL: [Phase; 10] = [
        Phase::Instantiated,
        Phase::Configuration,
        Phase::Initialization,
        Phase::Event,
        Phase::Reconfiguration,
        Phase::Continuous,
        Phase::Step,
        Phase::Terminated,
        Phase::Failed,
        Phase::Dead,
    ];

    /// For a person: "is not allowed in ...".
    pub(super) const fn name(self) -> &'static str {
        match self {
            Phase::Instantiated => "the time before initialization",
            Phase::Configuration => "configuration mode",
            Phase::Initialization => "initialization mode",
            Phase::Event => "event mode",
            Phase::Reconfiguration => "reconfiguration mode",
            Phase::Continuous => "continuous-time mode",
            Phase::Step => "step mode",
            Phase::Terminated => "the time after termination",
            Phase::Failed | Phase::Dead => "an instance that has failed",
        }
    }

    /// The phase whose number is in the head of a serialized state, if a state can have it.
    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|&phase| phase as u8 == byte && phase <= Phase::Terminated)
    }
}
