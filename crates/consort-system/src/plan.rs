//! The order of computation as data: printed, hashed, judged, and interpreted by the engine.
//!
//! A plan has three programs. `initialization` runs once. Then, tag by tag:
//!
//! ```text
//! present:  values move along connections, and outputs that follow inputs at once are read again;
//!           afterwards everything at the tag is known, hashed and recorded
//! advance:  components are given their inputs, step to their next tag and are read
//! ```
//!
//! A program is a list of stages; the tasks of one stage are independent of each other, so they may
//! run side by side. A task, or a connection by its source, takes part only at tags where its
//! component is due. What `advance` reads is known to other components from the tag on at which the
//! step ends; only the exchanges *within* `advance` hand it on earlier, to reactive inputs of
//! components with the same period.

mod parse;
mod text;

use crate::coupling::Iteration;
use consort_core::{ComponentId, ConnectionId, VariableId};
use serde::{Deserialize, Serialize};

/// How a system is computed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// The name of the order: `derived`, `jacobi`, `gauss-seidel`.
    pub order: String,
    /// Run once, in initialization mode.
    pub initialization: Vec<Stage>,
    /// Run at every tag, before it is recorded. Nothing steps here.
    pub present: Vec<Stage>,
    /// Run at every tag but the last, after it was recorded: leads to the next tags.
    pub advance: Vec<Stage>,
}

/// A part of a program; the next stage starts when this one is done.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Stage {
    /// Values move along these connections, in this order. A delayed connection hands over what its
    /// source had at the source's previous tag.
    Exchange(Vec<ConnectionId>),
    /// Each task works on its own component; no two tasks of one stage have the same.
    Work(Vec<Task>),
    /// A loop is solved.
    Iterate(Loop),
    /// Steps that may be rejected: the components are saved, the stages run, and if a step ended
    /// early, was refused or was too coarse, all are restored and the stages run with a shorter one.
    Attempt {
        /// The components that are saved and restored: all that step in `stages`.
        components: Vec<ComponentId>,
        /// The stages to run.
        stages: Vec<Stage>,
    },
    /// Components that are given by their equations are integrated as one to the end of their step.
    Integrate(Together),
}

/// Components that are integrated as one, and how their equations are evaluated.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Together {
    /// Who steps here. Their states are one vector, in this order.
    pub components: Vec<ComponentId>,
    /// One evaluation of the coupled equations, at any time and states the solver asks for: reads
    /// outputs, moves them along the connections between the components and sets the inputs there.
    /// All other inputs hold over the step.
    pub stages: Vec<Stage>,
}

/// A loop and how it is solved: values for the inputs at the ends of `unknowns` such that running
/// `stages` brings the same values back.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Loop {
    /// The connections at which the loop is cut. The inputs at their ends are given before `stages`
    /// and are exchanged by the last stage.
    pub unknowns: Vec<ConnectionId>,
    /// One evaluation: ends with an exchange that has all `unknowns`.
    pub stages: Vec<Stage>,
    /// Components that are saved before and restored for each further evaluation, because an
    /// evaluation steps them; empty if outputs are merely read again.
    pub rollback: Vec<ComponentId>,
    /// Method, tolerance and limit.
    pub iteration: Iteration,
}

/// Operations on one component, in order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Task {
    /// The component of the task.
    pub component: ComponentId,
    /// The operations on the component.
    pub operations: Vec<Operation>,
}

/// One thing done with a component.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Operation {
    /// Hand these inputs to the instance.
    Set(Vec<VariableId>),
    /// Read these variables from the instance.
    Get(Vec<VariableId>),
    /// Move on by the component's period.
    Step,
    /// Activate this clock and handle the event it makes.
    Tick(VariableId),
}

impl Plan {
    /// Its programs with their names, in the order they run.
    pub fn programs(&self) -> [(&'static str, &[Stage]); 3] {
        [
            ("initialization", &self.initialization),
            ("present", &self.present),
            ("advance", &self.advance),
        ]
    }
}
