//! Running a program: no allocation, no branch per value, transcendental functions from the pinned
//! `libm`.

use super::{Operand, OperationRun, Point, Program};
use crate::op::{Op, select};

/// The past values that `delay(...)` reads.
pub trait History {
    /// What buffer number `buffer` of [`Equations::delays`](crate::Equations) held that many seconds
    /// ago; before the start: what it held there.
    fn ago(&mut self, buffer: usize, seconds: f64) -> f64;
}

/// The history of a model without delays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NoHistory;

impl History for NoHistory {
    fn ago(&mut self, _buffer: usize, _seconds: f64) -> f64 {
        f64::NAN
    }
}

/// Room for a program to work in. Holds nothing between two evaluations: results are a function of
/// the point alone.
#[derive(Clone, PartialEq, Debug)]
pub struct Registers(Vec<f64>);

impl Program {
    /// Room for this program, with its constants.
    pub fn registers(&self) -> Registers {
        let mut values = vec![0.0; self.register_count()];
        let first = self.layout.len();
        values[first..first + self.constants.len()].copy_from_slice(&self.constants);
        Registers(values)
    }

    /// Computes the results at a point.
    ///
    /// # Panics
    /// If the registers are not this program's, or a slice has not the length the layout says.
    pub fn evaluate(
        &self,
        point: &Point<'_>,
        history: &mut impl History,
        registers: &mut Registers,
        results: &mut [f64],
    ) {
        let values = &mut registers.0[..];
        self.fill(point, values);
        for run in &self.runs {
            self.run(run, history, values);
        }
        self.collect(values, results);
    }

    fn collect(&self, values: &[f64], results: &mut [f64]) {
        assert_eq!(results.len(), self.results.len(), "one place for each result");
        let mut rest = results;
        for stretch in &self.stretches {
            let (part, behind) = rest.split_at_mut(stretch.len as usize);
            part.copy_from_slice(&values[stretch.first as usize..][..part.len()]);
            rest = behind;
        }
        let listed = &self.results[self.results.len() - rest.len()..];
        for (result, register) in rest.iter_mut().zip(listed) {
            *result = values[*register as usize];
        }
    }

    fn fill(&self, point: &Point<'_>, values: &mut [f64]) {
        let layout = self.layout;
        values[0] = point.time;
        values[layout.first_parameter()..layout.first_input()].copy_from_slice(point.parameters);
        values[layout.first_input()..layout.first_state()].copy_from_slice(point.inputs);
        values[layout.first_state()..layout.first_discrete()].copy_from_slice(point.states);
        values[layout.first_discrete()..layout.side()].copy_from_slice(point.discretes);
        values[layout.side()] = point.side.sign();
    }

    #[inline]
    fn run(&self, run: &OperationRun, history: &mut impl History, values: &mut [f64]) {
        // Operands stand before results: that is what lets the compiler see no overlap.
        let (before, behind) = values.split_at_mut(run.out as usize);
        let out = &mut behind[..run.len as usize];
        let lanes = Lanes { places: &self.places, before, out };
        if run.op == Op::Delay {
            lanes.two(run, |seconds, buffer| history.ago(buffer as usize, seconds));
        } else {
            lanes.compute(run);
        }
    }
}

/// The results of a run and what they are computed from.
struct Lanes<'a> {
    places: &'a [u32],
    before: &'a [f64],
    out: &'a mut [f64],
}

/// Does something with an operand as a function of the number of the instruction in its run. The way
/// an operand is found is decided here, outside the loop over the instructions.
macro_rules! with_lane {
    ($lanes:ident, $operand:expr, $lane:ident => $loop:expr) => {
        match $operand {
            Operand::Same(place) => {
                let value = $lanes.before[place as usize];
                let $lane = |_: usize| value;
                $loop
            }
            Operand::Row(first) => {
                let row = &$lanes.before[first as usize..][..$lanes.out.len()];
                let $lane = |at: usize| row[at];
                $loop
            }
            Operand::Listed(first) => {
                let list = &$lanes.places[first as usize..][..$lanes.out.len()];
                let before = $lanes.before;
                let $lane = |at: usize| before[list[at] as usize];
                $loop
            }
        }
    };
}

impl Lanes<'_> {
    fn compute(self, run: &OperationRun) {
        match run.op {
            Op::Add => self.two(run, |a, b| a + b),
            Op::Sub => self.two(run, |a, b| a - b),
            Op::Mul => self.two(run, |a, b| a * b),
            Op::Div => self.two(run, |a, b| a / b),
            Op::MulAdd => self.three(run, |a, b, c| a * b + c),
            Op::MulSub => self.three(run, |a, b, c| a * b - c),
            Op::SubMul => self.three(run, |a, b, c| c - a * b),
            Op::AddMul => self.three(run, |a, b, c| (a + b) * c),
            Op::Select => self.three(run, select),
            Op::Neg => self.one(run, |a| -a),
            Op::Abs => self.one(run, f64::abs),
            Op::Sqrt => self.one(run, f64::sqrt),
            op if op.operands() == 1 => self.one(run, |a| op.unary(a)),
            op => self.two(run, |a, b| op.binary(a, b)),
        }
    }

    #[inline(always)]
    fn one(self, run: &OperationRun, f: impl Fn(f64) -> f64) {
        with_lane!(self, run.operands[0], a => {
            for (at, out) in self.out.iter_mut().enumerate() {
                *out = f(a(at));
            }
        });
    }

    #[inline(always)]
    fn two(self, run: &OperationRun, mut f: impl FnMut(f64, f64) -> f64) {
        with_lane!(self, run.operands[0], a => with_lane!(self, run.operands[1], b => {
            for (at, out) in self.out.iter_mut().enumerate() {
                *out = f(a(at), b(at));
            }
        }));
    }

    #[inline(always)]
    fn three(self, run: &OperationRun, f: impl Fn(f64, f64, f64) -> f64) {
        with_lane!(self, run.operands[0], a => with_lane!(self, run.operands[1], b =>
            with_lane!(self, run.operands[2], c => {
                for (at, out) in self.out.iter_mut().enumerate() {
                    *out = f(a(at), b(at), c(at));
                }
            })
        ));
    }
}
