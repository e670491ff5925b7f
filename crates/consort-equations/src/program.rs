//! A program: which registers are filled, which instructions run, which registers are the results.
//!
//! Each instruction writes a register of its own, behind all that it reads. Instructions with the same
//! operation that need each other's results in no way stand together as one [`OperationRun`], so that the
//! operation is decided once for many values; where their operands are neighbors too, the
//! processor's vector units do the work. The whole is a plain value: see [`Program::instructions`] for
//! the view a writer of C or another target wants.

mod assemble;
mod evaluate;

pub(crate) use assemble::assemble;
pub use evaluate::{History, NoHistory, Registers};

use crate::op::Op;

/// How many of each a model has: where they stand among the registers.
///
/// Registers are filled in this order: time, parameters, inputs, states, discretes, the side of time;
/// constants and computed values follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// How many parameters can be set.
    pub parameters: usize,
    /// The number of inputs.
    pub inputs: usize,
    /// The number of states.
    pub states: usize,
    /// The number of discretes.
    pub discretes: usize,
}

impl Layout {
    /// The register of the first parameter; time is before it.
    pub const fn first_parameter(self) -> usize {
        1
    }

    /// The register of the first input.
    pub const fn first_input(self) -> usize {
        self.first_parameter() + self.parameters
    }

    /// The register of the first state.
    pub const fn first_state(self) -> usize {
        self.first_input() + self.inputs
    }

    /// The register of the first discrete.
    pub const fn first_discrete(self) -> usize {
        self.first_state() + self.states
    }

    /// The register of [`Point::side`].
    pub const fn side(self) -> usize {
        self.first_discrete() + self.discretes
    }

    /// How many registers are filled from a [`Point`]; constants follow.
    pub const fn len(self) -> usize {
        self.side() + 1
    }

    /// Whether there is nothing but time.
    pub const fn is_empty(self) -> bool {
        self.side() == 1
    }
}

/// On which side of an instant time is that it is compared with: before an event that is due then, at
/// it, or after it. Time itself is the same number on all three.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Side {
    /// What happens at this instant has not happened yet: time is less than it.
    Before,
    /// In the first microstep of an event, and wherever nothing is due: equal is equal.
    #[default]
    At,
    /// What happens at this instant has happened: time is more than it.
    After,
}

impl Side {
    /// What stands in the place of the difference of time and an instant that are equal.
    pub const fn sign(self) -> f64 {
        match self {
            Side::Before => -1.0,
            Side::At => 0.0,
            Side::After => 1.0,
        }
    }
}

/// Where a program is evaluated: everything it is a function of, but the past.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point<'a> {
    /// Seconds since the start.
    pub time: f64,
    /// How time compares with instants that are equal to it.
    pub side: Side,
    /// Values in the order of [`Equations::parameters`](crate::Equations).
    pub parameters: &'a [f64],
    /// Values in the order of [`Equations::inputs`](crate::Equations).
    pub inputs: &'a [f64],
    /// Values in the order of [`Equations::states`](crate::Equations).
    pub states: &'a [f64],
    /// Values in the order of [`Equations::discretes`](crate::Equations).
    pub discretes: &'a [f64],
}

/// Where the operands of a [`OperationRun`] stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// One register for all.
    Same(u32),
    /// Registers side by side, from this one.
    Row(u32),
    /// Registers listed in [`Program::places`], from this index.
    Listed(u32),
}

/// Instructions with one operation: `len` results side by side, from register `out`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OperationRun {
    /// The operation.
    pub op: Op,
    /// The register of the first result.
    pub out: u32,
    /// The number of instructions.
    pub len: u32,
    /// Operands; those the operation does not have are `Same(0)`.
    pub operands: [Operand; 3],
}

/// Results that stand side by side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stretch {
    /// The register of the first.
    pub first: u32,
    /// The number of registers.
    pub len: u32,
}

/// One instruction, for readers that want them one by one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegisterInstruction {
    /// The operation.
    pub op: Op,
    /// The register that is written.
    pub out: u32,
    /// The registers read; those the operation does not have are 0.
    pub operands: [u32; 3],
}

/// A function of a [`Point`] with several results.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// Which registers are filled from the point.
    pub layout: Layout,
    /// Values of the registers behind those.
    pub constants: Vec<f64>,
    /// The operations to run, in order.
    pub runs: Vec<OperationRun>,
    /// Registers of operands that do not stand side by side.
    pub places: Vec<u32>,
    /// The registers of the results.
    pub results: Vec<u32>,
    /// The same in a form that is copied faster; empty if it is not.
    pub stretches: Vec<Stretch>,
}

impl Program {
    fn empty(layout: Layout) -> Self {
        Program {
            layout,
            constants: Vec::new(),
            runs: Vec::new(),
            places: Vec::new(),
            results: Vec::new(),
            stretches: Vec::new(),
        }
    }

    /// The number of registers.
    pub fn register_count(&self) -> usize {
        let behind = |run: &OperationRun| (run.out + run.len) as usize;
        self.runs.last().map_or(self.layout.len() + self.constants.len(), behind)
    }

    /// The number of instructions.
    pub fn instruction_count(&self) -> usize {
        self.runs.iter().map(|run| run.len as usize).sum()
    }

    /// The instructions one by one: what a writer of another language goes through.
    pub fn instructions(&self) -> impl Iterator<Item = RegisterInstruction> + '_ {
        let one = |run: &OperationRun, at: u32| RegisterInstruction {
            op: run.op,
            out: run.out + at,
            operands: run.operands.map(|operand| self.place(operand, at)),
        };
        self.runs.iter().flat_map(move |run| (0..run.len).map(move |at| one(run, at)))
    }

    /// The register of an operand of the instruction number `at` of a run.
    pub fn place(&self, operand: Operand, at: u32) -> u32 {
        match operand {
            Operand::Same(register) => register,
            Operand::Row(first) => first + at,
            Operand::Listed(first) => self.places[(first + at) as usize],
        }
    }
}
