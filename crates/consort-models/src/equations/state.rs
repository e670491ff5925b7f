//! All that changes while an instance lives: one plain value.

use super::breaks::Breaks;
use super::chatter::Chatter;
use super::past::{Past, Recall};
use consort_core::{Prng, Shared, clone_by_field};
use consort_equations::{Equations, Point, Program, Quantity, Registers, Side};

/// Where an instance is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// Before and in initialization: first values may be set and follow what is set.
    Start,
    /// Event mode: time does not advance.
    Event,
    /// Continuous-time mode: time advances.
    Continuous,
}

/// The default relative tolerance.
const TOLERANCE: f64 = 1e-6;

/// All that changes while an instance lives.
#[derive(PartialEq, Debug)]
pub(super) struct State {
    pub(super) phase: Phase,
    /// When the run has started.
    pub(super) start: f64,
    pub(super) time: f64,
    /// Relative, of the solver.
    pub(super) tolerance: f64,
    /// When events were handled last; before that, minus infinity.
    pub(super) last_event: f64,
    /// When the next event that is known ahead is due; infinity for never.
    pub(super) next_event: f64,
    /// The first microstep of the last event is not over.
    pub(super) is_first: bool,
    /// No solver has moved on since the last event.
    pub(super) is_still: bool,
    pub(super) parameters: Shared<[f64]>,
    pub(super) inputs: Vec<f64>,
    pub(super) states: Vec<f64>,
    pub(super) discretes: Vec<f64>,
    /// Which first values were set from outside: of states, then of discretes.
    pub(super) is_set: Shared<[bool]>,
    /// Whether the condition of each event held.
    pub(super) held: Vec<bool>,
    pub(super) queue: Vec<Waiting>,
    /// The number of events that have fired.
    pub(super) fired: u64,
    /// Draws the order of events, where the model leaves it open.
    pub(super) prng: Option<Prng>,
    /// When the first of events that follow each other closely was handled, and how many did.
    pub(super) without_progress: (f64, u64),
    pub(super) pasts: Vec<Past>,
    pub(super) breaks: Breaks,
    pub(super) chatters: Vec<Chatter>,
}

clone_by_field!(State {
    phase,
    start,
    time,
    tolerance,
    last_event,
    next_event,
    is_first,
    is_still,
    parameters,
    inputs,
    states,
    discretes,
    is_set,
    held,
    queue,
    fired,
    prng,
    without_progress,
    pasts,
    breaks,
    chatters,
});

/// An event that has fired and waits for its time.
#[derive(PartialEq, Debug)]
pub(super) struct Waiting {
    pub(super) due: f64,
    pub(super) event: usize,
    /// How many events had fired before.
    pub(super) sequence: u64,
    /// What it assigns; empty if that is computed when it is due.
    pub(super) values: Vec<f64>,
}

clone_by_field!(Waiting { due, event, sequence, values });

impl State {
    /// The state with the values of the declarations.
    pub(super) fn new(equations: &Equations, prng: &Prng) -> Self {
        let starts = |list: &[Quantity]| -> Vec<f64> { list.iter().map(|it| it.start).collect() };
        let layout = equations.layout;
        State {
            phase: Phase::Start,
            start: 0.0,
            time: 0.0,
            tolerance: TOLERANCE,
            last_event: f64::NEG_INFINITY,
            next_event: f64::INFINITY,
            is_first: false,
            is_still: false,
            parameters: starts(&equations.parameters).into(),
            inputs: starts(&equations.inputs),
            states: starts(&equations.states),
            discretes: starts(&equations.discretes),
            is_set: Shared::filled(false, layout.states + layout.discretes),
            held: vec![false; equations.events.len()],
            queue: Vec::new(),
            fired: 0,
            prng: equations.events_are_unordered.then(|| prng.clone()),
            without_progress: (f64::NEG_INFINITY, 0),
            pasts: vec![Past::default(); equations.delays.len()],
            breaks: Breaks::default(),
            chatters: Chatter::all(equations),
        }
    }

    /// Whether this is the instant of the last event.
    fn is_at_event(&self) -> bool {
        self.phase != Phase::Start && self.time.to_bits() == self.last_event.to_bits()
    }

    /// On which side of what is due now time is.
    fn side(&self) -> Side {
        match self.phase {
            Phase::Start => Side::At,
            _ if self.is_at_event() => [Side::After, Side::At][usize::from(self.is_first)],
            _ if self.time.to_bits() == self.next_event.to_bits() => Side::Before,
            _ => Side::At,
        }
    }

    /// The same for values that others see: those of the instant itself, until a solver asks for what
    /// comes after it.
    fn seen_side(&self) -> Side {
        let is_now = self.is_still && self.phase == Phase::Continuous && self.is_at_event();
        if is_now { Side::At } else { self.side() }
    }

    /// From when programs look back: just after an event that has happened, just before one that has
    /// not, so that a jump arrives with its event whatever rounding does to the difference.
    fn looks_back_from(&self) -> f64 {
        match self.side() {
            Side::Before => self.time.next_down(),
            _ if self.is_at_event() => self.time.next_up(),
            _ => self.time,
        }
    }

    /// Evaluates a program where the instance is.
    #[inline]
    pub(super) fn evaluate(&self, program: &Program, registers: &mut Registers, to: &mut [f64]) {
        self.evaluate_on(self.side(), program, registers, to);
    }

    /// The same for values that others see.
    pub(super) fn show(&self, program: &Program, registers: &mut Registers, to: &mut [f64]) {
        self.evaluate_on(self.seen_side(), program, registers, to);
    }

    #[inline]
    fn evaluate_on(
        &self,
        side: Side,
        program: &Program,
        registers: &mut Registers,
        to: &mut [f64],
    ) {
        let point = Point {
            time: self.time,
            side,
            parameters: &self.parameters,
            inputs: &self.inputs,
            states: &self.states,
            discretes: &self.discretes,
        };
        let mut past = Recall { pasts: &self.pasts, from: self.looks_back_from() };
        program.evaluate(&point, &mut past, registers, to);
    }

    /// How many bytes it takes that no copy has.
    pub(super) fn unshared_bytes(&self) -> usize {
        let lists =
            [&self.inputs, &self.states, &self.discretes].map(|list| size_of_val(&list[..]));
        let queue = self.queue.iter().map(|waiting| size_of_val(&waiting.values[..]));
        let pasts = self.pasts.iter().map(Past::unshared_bytes);
        let parts = [
            size_of::<Self>() + self.parameters.unshared_bytes() + self.is_set.unshared_bytes(),
            size_of_val(&self.held[..]) + size_of_val(&self.queue[..]),
            size_of_val(&self.pasts[..]) + size_of_val(self.breaks.waiting()),
            size_of_val(&self.chatters[..]),
        ];
        parts.into_iter().chain(lists).chain(queue).chain(pasts).sum()
    }

    /// Whether an event is due.
    pub(super) fn is_due(&self) -> bool {
        self.queue.iter().any(|waiting| waiting.due <= self.time)
    }
}
