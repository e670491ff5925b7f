//! The depth-first visit.
//!
//! The world is saved where it has to come back to: at nodes with more than one wanted child, while there
//! is another child to visit. Of these the deepest are kept: coming back to a deep node happens often, to a
//! shallow one rarely, so that recomputing the shallow ones costs almost nothing (with 5 letters, 50
//! periods and 6 snapshots 0.2 %; see [`recomputed`](crate::statistics::recomputed)).

use super::wanted::Wanted;
use crate::budget::Budget;
use crate::drive::{Drive, Taken, WorkError};
use crate::outcome::Outcome;
use crate::space::{PrefixNode, Space};
use crate::world::World;
use std::collections::VecDeque;

/// Visits the wanted scenarios in order, and reports each leaf: a whole scenario, or a prefix after which
/// nothing more can change. Returns how many nodes were visited for the first time.
pub(super) fn visit<W: World>(
    space: &Space,
    drive: &mut Drive<'_, W>,
    budget: Budget,
    wanted: &Wanted,
    record: &mut dyn FnMut(PrefixNode, Outcome),
) -> Result<u128, WorkError<W::Error>> {
    let mut walk = Walk::<W>::new(space, budget, wanted);
    let mut nodes = 0;
    while let Some(frame) = walk.frames.last_mut() {
        let Some((letter, child)) = frame.children.pop() else {
            walk.ascend(drive);
            continue;
        };
        walk.prefix.push(letter);
        let taken = match drive.ask(&walk.prefix)? {
            Some(reason) => Taken::Failed(reason),
            None => {
                walk.come(drive)?;
                nodes += u128::from(wanted.owns(child));
                drive.take(&walk.prefix)?
            }
        };
        match taken {
            Taken::Evaluation(evaluation)
                if !evaluation.is_decided && child.depth < space.horizon() =>
            {
                walk.descend(space, child, wanted);
            }
            Taken::Evaluation(evaluation) => {
                drive.note(child, &walk.prefix, &evaluation);
                record(child, Outcome::of_evaluation(&walk.prefix, evaluation));
                walk.leave();
            }
            Taken::Failed(failure) => {
                record(child, Outcome::of_failure(&walk.prefix, failure));
                walk.leave();
            }
        }
    }
    drive.hold(0, 0);
    Ok(nodes)
}

/// A node on the way from the root to where the visit is.
struct Frame<S> {
    /// Wanted children still to visit, the next one last.
    children: Vec<(u32, PrefixNode)>,
    saved: Option<(S, u64)>,
}

struct Walk<W: World> {
    budget: Budget,
    frames: Vec<Frame<W::Saved>>,
    prefix: Vec<u32>,
    /// The depth of the frame that the world is at, if it is at one.
    at: Option<usize>,
    /// The depths of the frames that hold a snapshot.
    held: VecDeque<usize>,
    bytes: u64,
}

impl<W: World> Walk<W> {
    fn new(space: &Space, budget: Budget, wanted: &Wanted) -> Self {
        let frames = vec![frame(space, space.root(), wanted)];
        Self { budget, frames, prefix: Vec::new(), at: None, held: VecDeque::new(), bytes: 0 }
    }

    /// Continues below `child`, where the world is now.
    fn descend(&mut self, space: &Space, child: PrefixNode, wanted: &Wanted) {
        self.at = Some(self.frames.len());
        self.frames.push(frame(space, child, wanted));
    }

    /// Goes back to the frame above a leaf; the world stays at the leaf.
    fn leave(&mut self) {
        self.prefix.pop();
        self.at = None;
    }

    /// Leaves a frame whose children are visited.
    fn ascend(&mut self, drive: &mut Drive<'_, W>) {
        self.release(self.frames.len() - 1);
        self.frames.pop();
        self.leave();
        drive.hold(self.held.len(), self.bytes);
    }

    /// Brings the world to the last frame, and saves it there if it has to come back.
    fn come(&mut self, drive: &mut Drive<'_, W>) -> Result<(), WorkError<W::Error>> {
        let depth = self.frames.len() - 1;
        if self.at != Some(depth) {
            self.go_back(drive)?;
        }
        self.at = None;
        if self.frames[depth].children.is_empty() {
            self.release(depth);
        } else if self.frames[depth].saved.is_none() && 0 < depth && 0 < self.budget.snapshots_max {
            let (saved, bytes) = drive.save()?;
            self.frames[depth].saved = Some((saved, bytes));
            self.held.push_back(depth);
            self.bytes += bytes;
            self.keep_the_deepest();
            drive.hold(self.held.len(), self.bytes);
        }
        Ok(())
    }

    /// Goes to the last frame from the nearest snapshot, or from the start.
    fn go_back(&mut self, drive: &mut Drive<'_, W>) -> Result<(), WorkError<W::Error>> {
        let from = self.held.back().copied().unwrap_or(0);
        match &self.frames[from].saved {
            Some((saved, _)) => drive.restore(saved)?,
            None => drive.reset()?,
        }
        drive.repeat(&self.prefix[..self.frames.len() - 1], from)
    }

    fn keep_the_deepest(&mut self) {
        while self.budget.snapshots_max < self.held.len() || self.budget.bytes_max < self.bytes {
            let Some(&shallowest) = self.held.front() else { break };
            self.release(shallowest);
        }
    }

    fn release(&mut self, depth: usize) {
        if let Some((_, bytes)) = self.frames[depth].saved.take() {
            self.bytes -= bytes;
            self.held.retain(|held| *held != depth);
        }
    }
}

fn frame<S>(space: &Space, node: PrefixNode, wanted: &Wanted) -> Frame<S> {
    let children = space.below(node).filter(|(_, child)| 0 < wanted.count_in(*child));
    let mut children: Vec<(u32, PrefixNode)> = children.collect();
    children.reverse();
    Frame { children, saved: None }
}
