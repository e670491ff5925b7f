//! Visits for a search: the children of chosen nodes.

use crate::archive::SnapshotArchive;
use crate::drive::{Drive, Taken, WorkError};
use crate::outcome::{Outcome, ScenarioSummary};
use crate::space::{PrefixNode, Space};
use crate::strategy::{Reached, UnitResult};
use crate::world::World;
use consort_core::Prng;

/// Which children of a node are visited.
pub(super) struct ChildChoice {
    /// The seed of the draws.
    pub(super) seed: u64,
    /// At most so many; all of them if not given.
    pub(super) children_max: Option<u32>,
}

/// Visits the children of each prefix.
///
/// Each expanded node is saved, and so is one period away from each of its children: one snapshot serves
/// all of them.
pub(super) fn expand<W: World>(
    space: &Space,
    drive: &mut Drive<'_, W>,
    archive: &mut SnapshotArchive<W::Saved>,
    prefixes: &[Vec<u32>],
    choice: &ChildChoice,
) -> Result<UnitResult, WorkError<W::Error>> {
    let mut result = UnitResult::default();
    for prefix in prefixes {
        let Some(node) = space.find(prefix) else { continue };
        let children = choose(space, node, prefix, choice);
        visit_children(space, drive, archive, prefix, &children, &mut result)?;
        drive.hold(archive.len(), archive.bytes());
    }
    result.leaves = std::mem::take(&mut drive.leaves);
    Ok(result)
}

/// The children of a node, or some of them.
fn choose(
    space: &Space,
    node: PrefixNode,
    prefix: &[u32],
    choice: &ChildChoice,
) -> Vec<(u32, PrefixNode)> {
    let mut children: Vec<(u32, PrefixNode)> = space.below(node).collect();
    let wanted = choice.children_max.map_or(children.len(), |max| children.len().min(max as usize));
    if wanted < children.len() {
        let mut prng = Prng::new(choice.seed).split("children").split(&format!("{prefix:?}"));
        for place in 0..wanted {
            let other = prng.below((children.len() - place) as u64);
            children.swap(place, place + usize::try_from(other).expect("it is below a length"));
        }
        children.truncate(wanted);
        children.sort_unstable_by_key(|(letter, _)| *letter);
    }
    children
}

fn visit_children<W: World>(
    space: &Space,
    drive: &mut Drive<'_, W>,
    archive: &mut SnapshotArchive<W::Saved>,
    prefix: &[u32],
    children: &[(u32, PrefixNode)],
    result: &mut UnitResult,
) -> Result<(), WorkError<W::Error>> {
    let mut path = prefix.to_vec();
    let mut saved = None;
    for &(letter, child) in children {
        path.push(letter);
        let taken = match drive.ask(&path)? {
            Some(reason) => Taken::Failed(reason),
            None => {
                come(drive, archive, prefix, saved.as_ref().map(|(saved, _)| saved))?;
                if saved.is_none() && !archive.contains(prefix) && !prefix.is_empty() {
                    saved = Some(drive.save()?);
                }
                result.summary.nodes += 1;
                drive.take(&path)?
            }
        };
        result.reached.push(reached(space, drive, child, &path, taken, &mut result.summary));
        path.pop();
    }
    if let Some((saved, bytes)) = saved {
        archive.insert(prefix, saved, bytes);
    }
    Ok(())
}

/// Brings the world to a prefix.
fn come<W: World>(
    drive: &mut Drive<'_, W>,
    archive: &mut SnapshotArchive<W::Saved>,
    prefix: &[u32],
    saved: Option<&W::Saved>,
) -> Result<(), WorkError<W::Error>> {
    if let Some(saved) = saved {
        return drive.restore(saved);
    }
    let from = match archive.nearest(prefix) {
        Some((length, saved)) => {
            drive.restore(saved)?;
            length
        }
        None => {
            drive.reset()?;
            0
        }
    };
    drive.repeat(prefix, from)
}

fn reached<W: World>(
    space: &Space,
    drive: &mut Drive<'_, W>,
    child: PrefixNode,
    path: &[u32],
    taken: Taken,
    summary: &mut ScenarioSummary,
) -> Reached {
    let (outcome, is_decided) = match taken {
        Taken::Evaluation(evaluation) => {
            drive.note(child, path, &evaluation);
            let is_decided = evaluation.is_decided;
            (Outcome::of_evaluation(path, evaluation), is_decided)
        }
        Taken::Failed(failure) => (Outcome::of_failure(path, failure), true),
    };
    let is_end = is_decided || child.depth == space.horizon();
    let fingerprint = if is_end { None } else { drive.fingerprint() };
    let outcome = outcome.covering(child.first, child.count);
    if is_end {
        summary.count(&outcome, child.depth < space.horizon());
    }
    let Outcome { prefix, robustness, .. } = outcome;
    Reached { prefix, robustness, is_end, state: space.state(child), fingerprint }
}
