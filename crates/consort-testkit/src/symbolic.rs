//! A reference for planner and judge: runs a plan on symbols and compares every value with what
//! the system defines, tag by tag.
//!
//! A value is a *term*: who computed it, at which tag, from which terms. That is the set of
//! (variable, tag) it stems from, together with how: a set alone could not distinguish an output that was
//! read twice from one that was read too early. Equal terms have equal ids, so comparing is cheap.
//!
//! - The *definition* says what every value is, recursively over variables and tags, straight from
//!   the semantics: an output that follows inputs at once is made of the component's state and those
//!   inputs at the same tag; a state of the state before, the delayed inputs at the beginning of the
//!   step and the reactive ones at its end; an input of what its source had at its latest tag. A
//!   plan decides two things only: in Gauss-Seidel order, whose steps come before whose, and where
//!   loops are cut.
//! - The *executor* does what the plan says with instances that are terms, as the engine would with
//!   live ones: a value read in `advance` is seen by others from the tag on at which the step ends, a
//!   component that is not due takes no part, every loop is evaluated once with a wrong guess and
//!   once with the solution, every second attempt is rejected once.
//!
//! Compared are: after initialization, what every instance was given; at every tag after `present`, all
//! outputs and locals that are used and the places of all inputs that are fed; after
//! `advance`, the states. Initial values are those of the first tag. The solution of a loop is a
//! symbol of its own, one per cut connection and tag; the equation it solves is compared too.
//! Interventions only make inputs change and variables be read. What is continuous between components
//! that are integrated as one has no tag, so such plans are not for this oracle.
//!
//! Nothing here is shared with `consort-planner`, `consort-check` or `consort-engine`.

mod definition;
mod executor;
mod facts;
mod instance;
mod terms;
#[cfg(test)]
mod tests;
mod timing;

use consort_core::ModelDescription;
use consort_system::{Plan, ResolvedSystem};
use definition::Definition;
use facts::Facts;
use timing::Timing;

/// What a plan does differently from the definition: where, and which value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch(pub String);

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Compares plans of one system with its definition; what was defined for one plan is kept for
/// the next.
pub struct Oracle<'a> {
    facts: Facts<'a>,
    known: Option<Definition>,
}

impl<'a> Oracle<'a> {
    /// For this system; `models` has one description per component.
    pub fn new(system: &'a ResolvedSystem, models: &'a [ModelDescription]) -> Self {
        Oracle { facts: Facts::of(system, models), known: None }
    }

    /// Runs the plan over three cycles of all periods.
    ///
    /// # Errors
    /// The first thing that differs from the definition, or that no instance allows.
    pub fn check(&mut self, plan: &Plan) -> Result<(), Mismatch> {
        let timing = Timing::of(&self.facts, plan);
        let known = self.known.take().filter(|known| known.timing == timing);
        let mut definition = known.unwrap_or_else(|| Definition::new(&self.facts, timing));
        let result = executor::run(&self.facts, &mut definition, plan);
        self.known = Some(definition);
        result
    }

    /// Whether some value at the first tags depends on itself, so that no order computes it. In a
    /// Gauss-Seidel order no input is taken to be reactive.
    pub fn has_loop(&self) -> bool {
        let none = Plan {
            order: String::new(),
            initialization: Vec::new(),
            present: Vec::new(),
            advance: Vec::new(),
        };
        let mut definition = Definition::new(&self.facts, Timing::of(&self.facts, &none));
        definition.has_circle(&self.facts)
    }
}
