//! Room for programs to work in, and what they gave where the instance is now.

use super::state::State;
use consort_equations::equations::CompiledEvent;
use consort_equations::{Equations, Program, Registers};

/// Room for one program, and its results.
pub(super) struct Room {
    registers: Registers,
    values: Vec<f64>,
    /// Whether the results are those of where the instance is.
    is_fresh: bool,
}

impl Room {
    pub(super) fn new(program: &Program) -> Self {
        let values = vec![0.0; program.results.len()];
        Room { registers: program.registers(), values, is_fresh: false }
    }

    /// The results where the instance is, computed anew.
    pub(super) fn compute(&mut self, program: &Program, state: &State) -> &[f64] {
        if !self.values.is_empty() {
            state.evaluate(program, &mut self.registers, &mut self.values);
        }
        self.is_fresh = true;
        &self.values
    }

    /// The results as others see them, computed once.
    pub(super) fn show(&mut self, program: &Program, state: &State) -> &[f64] {
        if !self.is_fresh && !self.values.is_empty() {
            state.show(program, &mut self.registers, &mut self.values);
        }
        self.is_fresh = true;
        &self.values
    }

    /// The results where the instance is, computed once.
    #[inline]
    pub(super) fn ask(&mut self, program: &Program, state: &State) -> &[f64] {
        if !self.is_fresh {
            self.compute(program, state);
        }
        &self.values
    }

    /// The results that were computed last.
    pub(super) fn known(&self) -> &[f64] {
        &self.values
    }
}

/// Room for the programs of an event.
pub(super) struct EventRooms {
    pub(super) condition: Room,
    pub(super) delay: Option<Room>,
    pub(super) priority: Option<Room>,
    pub(super) assignments: Room,
}

impl EventRooms {
    fn new(event: &CompiledEvent) -> Self {
        EventRooms {
            condition: Room::new(&event.condition),
            delay: event.delay.as_ref().map(Room::new),
            priority: event.priority.as_ref().map(Room::new),
            assignments: Room::new(&event.assignments),
        }
    }
}

/// Room for all programs; nothing of it is part of the instance's state.
pub(super) struct Work {
    pub(super) initial: Room,
    pub(super) derivatives: Room,
    pub(super) outputs: Room,
    pub(super) locals: Room,
    pub(super) indicators: Room,
    pub(super) instants: Room,
    pub(super) remembered: Room,
    pub(super) durations: Room,
    /// Derivatives by states and inputs, outputs by states and inputs.
    pub(super) jacobians: [Room; 4],
    pub(super) events: Vec<EventRooms>,
    /// Vectors of events that were executed, for those that fire.
    pub(super) spare: Vec<Vec<f64>>,
    /// Directions and results of directional derivatives, by states and inputs.
    pub(super) seeds: [Vec<f64>; 2],
    pub(super) found: [Vec<f64>; 2],
}

impl Work {
    pub(super) fn new(equations: &Equations) -> Self {
        let programs = &equations.programs;
        let jacobians = [
            &programs.state_jacobian,
            &programs.input_jacobian,
            &programs.output_jacobian,
            &programs.feedthrough,
        ];
        let layout = equations.layout;
        Work {
            initial: Room::new(&programs.initial),
            derivatives: Room::new(&programs.derivatives),
            outputs: Room::new(&programs.outputs),
            locals: Room::new(&programs.locals),
            indicators: Room::new(&programs.indicators),
            instants: Room::new(&programs.instants),
            remembered: Room::new(&programs.remembered),
            durations: Room::new(&programs.durations),
            jacobians: jacobians.map(|jacobian| Room::new(&jacobian.program)),
            events: equations.events.iter().map(EventRooms::new).collect(),
            spare: Vec::new(),
            seeds: [vec![0.0; layout.states], vec![0.0; layout.inputs]],
            found: [vec![0.0; layout.states], vec![0.0; equations.outputs.len()]],
        }
    }

    /// The instance is elsewhere now.
    #[inline]
    pub(super) fn forget(&mut self) {
        for room in [&mut self.derivatives, &mut self.outputs, &mut self.locals] {
            room.is_fresh = false;
        }
        for room in &mut self.jacobians {
            room.is_fresh = false;
        }
    }
}
