//! Native blocks: `native:NAME` in a system file, so that systems can be written without any FMU.
//!
//! A block declares its variables line by line on a [`BlockDraft`] and implements [`BlockBehavior`]; references,
//! values, states and the life cycle are shared by all. Its outputs follow its inputs at once
//! ([`Refresh::AtOnce`](consort_core::Refresh)).
//!
//! The parameters that shape a block (`size`, `signs`, `file`, `type`, `A`, ...) are read when it is
//! made. They are ordinary fixed parameters in its description, so that code which checks or sets a
//! component's parameters needs no special case, but they can only be set to what they are.
//!
//! Other crates add blocks of their own: a list of [`Block`]s, given to
//! [`ModelKinds::with_packs`](crate::ModelKinds::with_packs).

mod algebra;
mod behavior;
mod conversions;
mod draft;
mod dynamics;
mod equations;
mod instance;
mod noise;
mod sources;
mod state;
mod state_space;
pub(crate) mod store;
mod table;

pub use algebra::limits;
pub use behavior::{BlockBehavior, BlockMoment, check_limits, limit};
pub use draft::{BlockDraft, VariableEntry};
pub use equations::BlockEquations;
pub use store::{Slot, Store};

use crate::loaded::LoadedModel;
use crate::request::ModelRequest;
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Report};
use equations::bodies;
use std::fmt;
use std::sync::Arc;

/// A kind of native block.
pub struct Block {
    /// The name, as written after `native:`.
    pub name: &'static str,
    /// What it computes, in one line, for lists and help.
    pub summary: &'static str,
    /// Its inputs, for lists and help.
    pub inputs: &'static str,
    /// Its outputs, for lists and help.
    pub outputs: &'static str,
    /// Its parameters, for lists and help.
    pub parameters: &'static str,
    /// Declares its variables and makes what computes them; `None` if something is wrong that has no stand-in.
    pub make: fn(&mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>>,
    /// The same as equations.
    pub equations: BlockEquations,
}

macro_rules! blocks {
    ($($name:literal ($make:path, $equations:expr): $summary:literal, $inputs:literal -> $outputs:literal, $parameters:literal;)*) => {
        /// The blocks of this crate, by name.
        const BLOCKS: &[Block] = &[$(Block {
            name: $name,
            summary: $summary,
            inputs: $inputs,
            outputs: $outputs,
            parameters: $parameters,
            make: $make,
            equations: $equations,
        },)*];
    };
}

blocks! {
    "constant" (sources::constant, BlockEquations::Made(bodies::constant)): "a value of any type and shape",
        "" -> "y", "value, type";
    "gain" (algebra::gain, BlockEquations::Made(bodies::gain)): "y = k u",
        "u" -> "y", "k, size";
    "integrator" (dynamics::integrator, BlockEquations::Made(bodies::integrator)): "the integral of u, between min and max",
        "u" -> "y", "x0, min, max, size";
    "noise" (noise::noise, BlockEquations::None("its values are drawn step by step from a seed")): "random values of the experiment's seed",
        "" -> "y", "distribution, mean, deviation, period";
    "pid" (dynamics::pid, BlockEquations::Text(include_str!("native/equations/pid.eq"))): "a PID controller with limits and anti-windup",
        "setpoint, measurement" -> "u", "kp, ki, kd, tf, integral0, min, max";
    "pulse" (sources::pulse, BlockEquations::Text(bodies::PULSE)): "high for a part of each period",
        "" -> "y", "period, duty, delay, low, high";
    "ramp" (sources::ramp, BlockEquations::Text(bodies::RAMP)): "straight from one value to another",
        "" -> "y", "start, duration, from, to";
    "round" (conversions::round, BlockEquations::None("it has none yet")): "u as a whole number",
        "u" -> "y", "method, type, size";
    "saturation" (algebra::saturation, BlockEquations::Made(bodies::saturation)): "u, between min and max",
        "u" -> "y", "min, max, size";
    "sine" (sources::sine, BlockEquations::Text(bodies::SINE)): "y = offset + amplitude sin(2 pi frequency t + phase)",
        "" -> "y", "amplitude, frequency, phase, offset";
    "state-space" (state_space::state_space, BlockEquations::Made(bodies::state_space)): "x' = A x + B u, y = C x + D u",
        "u" -> "y", "A, B, C, D, x0, substep, method, starter, ports";
    "step" (sources::step, BlockEquations::Text(bodies::STEP)): "one value, then another",
        "" -> "y", "time, before, after";
    "sum" (algebra::sum, BlockEquations::Made(bodies::sum)): "the sum of inputs with signs",
        "u1 ... un" -> "y", "signs";
    "table" (table::table, BlockEquations::Tree(table::equations)): "columns of a CSV file over time",
        "" -> "one per column", "file, interpolation";
    "threshold" (conversions::threshold, BlockEquations::None("it has none yet")): "whether u has reached a threshold, as a Boolean",
        "u" -> "y", "threshold, size";
    "unit-delay" (dynamics::unit_delay, BlockEquations::None("a step is what it delays by")): "u as it was a step ago",
        "u" -> "y", "y0, size";
}

/// All native blocks that a loader knows, by name.
#[derive(Clone)]
pub struct Blocks(Arc<[&'static Block]>);

impl Blocks {
    /// The blocks of this crate and of packs.
    pub fn with_packs(packs: &[&'static [Block]]) -> Self {
        let mut blocks: Vec<&'static Block> =
            BLOCKS.iter().chain(packs.iter().copied().flatten()).collect();
        blocks.sort_by_key(|block| block.name);
        Blocks(blocks.into())
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = &'static Block> {
        self.0.iter().copied()
    }

    /// The block of that name.
    pub fn find(&self, name: &str) -> Option<&'static Block> {
        self.iter().find(|block| block.name == name)
    }

    /// Makes the block `name` with the request's parameters; `None` if something is wrong with them.
    pub fn load(
        &self,
        name: &str,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<LoadedModel> {
        let block = self.known(name, request, report)?;
        let before = report.error_count();
        let mut draft = BlockDraft::new(request, report);
        let behavior = (block.make)(&mut draft)?;
        if draft.report.error_count() != before {
            return None;
        }
        let inputs = std::mem::take(&mut draft.files);
        let model = draft.finish(block.name, block.summary, behavior);
        Some(LoadedModel { model, inputs, assumed: Vec::new(), saved_by: None })
    }

    fn known(
        &self,
        name: &str,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<&'static Block> {
        let block = self.find(name);
        if block.is_none() {
            report.push(self.unknown(name, request));
        }
        block
    }

    fn unknown(&self, name: &str, request: &ModelRequest<'_>) -> Diagnostic {
        let names = || self.iter().map(|block| block.name);
        let list: Vec<&str> = names().collect();
        let message = match request.component {
            "" => format!("there is no block `native:{name}`"),
            component => format!("`{component}` asks for the unknown block `native:{name}`"),
        };
        let diagnostic = Diagnostic::error("model::unknown-block", message)
            .maybe_at(request.span, "no such block")
            .with_note(format!("the blocks are {}", list.join(", ")));
        match nearest_name(name, names()) {
            Some(nearest) => diagnostic.help(format!("did you mean `native:{nearest}`?")),
            None => diagnostic.help("take one of these, or the path of an FMU"),
        }
    }
}

impl Default for Blocks {
    /// The blocks of this crate.
    fn default() -> Self {
        Self::with_packs(&[])
    }
}

impl fmt::Debug for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|block| block.name)).finish()
    }
}
