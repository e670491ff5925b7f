//! A plan's programs, compiled: what the interpreter goes through at every tag.

use super::attempt::Attempt;
use super::crossing::CrossStage;
use super::iterate::Loop;
use super::together::Together;
use crate::exchange::Exchange;
use crate::store::Segment;
use std::ops::Range;

/// A part of a program; the next stage starts when this one is done.
pub(crate) enum Stage {
    Exchange(ExchangeStage),
    Work(WorkStage),
    Iterate(Box<Loop>),
    Attempt(Box<Attempt>),
    Integrate(Box<Together>),
    /// Values cross between nodes.
    Cross(Box<CrossStage>),
}

/// Values move along connections.
#[derive(Default)]
pub(crate) struct ExchangeStage {
    /// Only what there is, sorted by the rate of the source.
    pub(crate) moves: Vec<Moves>,
    /// Connections of this stage whose inputs are extrapolated: indices into the program's slopes.
    pub(crate) slopes: Vec<usize>,
}

/// Connections that hand over together.
pub(crate) struct Moves {
    /// The rate of their sources.
    pub(crate) rate: usize,
    /// They hand over the previous value.
    pub(crate) is_delayed: bool,
    pub(crate) exchange: Exchange,
}

/// Lanes work side by side.
pub(crate) struct WorkStage {
    /// Which work stage of all programs this is.
    pub(crate) index: usize,
    /// The work is so little, and comes so often, that one does it faster than several.
    pub(crate) is_brief: bool,
    /// The work of the stage, sorted by lane and rate.
    pub(crate) shares: Vec<Share>,
}

/// What one lane does in a work stage for its members of one rate.
pub(crate) struct Share {
    pub(crate) lane: usize,
    pub(crate) rate: usize,
    /// Which of the lane's operations.
    pub(crate) operations: Range<usize>,
    /// What the lane is given before, and what it gives back after.
    pub(crate) scatter: Vec<Segment>,
    pub(crate) gather: Vec<Segment>,
}

/// What a lane holds for the tag at which steps of one rate end.
pub(crate) struct Arriving {
    pub(crate) lane: usize,
    pub(crate) rate: usize,
    pub(crate) gather: Vec<Segment>,
}

impl WorkStage {
    /// The shares of each lane.
    pub(crate) fn by_lane(&self) -> impl Iterator<Item = &[Share]> {
        self.shares.chunk_by(|a, b| a.lane == b.lane)
    }
}

impl Stage {
    /// Every work stage of a program, inner ones included.
    pub(crate) fn for_each_work(stages: &[Stage], visit: &mut dyn FnMut(&WorkStage)) {
        for stage in stages {
            match stage {
                Stage::Exchange(_) | Stage::Cross(_) => {}
                Stage::Work(work) => visit(work),
                Stage::Iterate(it) => Stage::for_each_work(it.stages(), visit),
                Stage::Attempt(attempt) => Stage::for_each_work(&attempt.stages, visit),
                Stage::Integrate(it) => {
                    it.stages().into_iter().for_each(|it| Stage::for_each_work(it, visit));
                }
            }
        }
    }
}
