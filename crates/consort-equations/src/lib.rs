//! Models written as equations: text or tree in, flat register programs out.
//!
//! [`read`] makes a [`EquationModel`] of text, with every mistake of writing at once; [`sbml`] makes the same
//! [`tree`] of SBML. [`compile()`] looks up names, checks that everything is defined once and in a
//! fitting order, and makes [`Equations`]: one [`Program`] for first values, derivatives, outputs,
//! indicators, each event, and Jacobians with their sparsity, all found symbolically. A program is a plain
//! value and a pure function of a [`Point`]; evaluating it allocates nothing, and its transcendental
//! functions come from the pinned `libm`. The grammar is in `docs/equations.md`.
//!
//! ```
//! use consort_core::Report;
//! use consort_equations::{NoHistory, compile, read};
//!
//! let text = "
//! model bouncing_ball
//!   parameter g = 9.81 \"m/s2\" \"gravity\"
//!   state h = 1 \"m\"
//!   state v = 0 \"m/s\"
//!   output energy = 0.5*v^2 + g*h
//!   der(h) = v
//!   der(v) = -g
//!   when h < 0 and v < 0 then
//!     v = -0.8*v
//!   end
//! end";
//! let mut report = Report::default();
//! let model = read("ball.eq", text, &mut report).expect("well written");
//! let ball = compile(&model, &mut report).expect("well defined");
//! let program = &ball.programs.outputs;
//! let (mut registers, mut energy) = (program.registers(), [0.0]);
//! let point = ball.point(0.0, [&[9.81], &[], &[1.0, 2.0], &[]]);
//! program.evaluate(&point, &mut NoHistory, &mut registers, &mut energy);
//! assert_eq!(energy, [2.0 + 9.81]);
//! ```

pub mod builtin;
mod compile;
mod differentiate;
pub mod equations;
mod findings;
pub mod fuzz;
mod graph;
pub mod interface;
mod lower;
mod measure;
pub mod op;
mod order;
pub mod parse;
mod places;
pub mod program;
pub mod sbml;
mod scope;
pub mod tree;

pub use builtin::Builtin;
pub use compile::compile;
pub use equations::{Dependence, Equations, Indicator, Jacobian, Programs, Quantity, Target};
pub use interface::{ModelPart, Role};
pub use op::Op;
pub use parse::read;
pub use program::{History, Layout, NoHistory, Point, Program, Registers, Side};
pub use tree::{EquationModel, Expression};
