//! Counter-examples made simple.
//!
//! Delta debugging (Zeller and Hildebrandt, 2002) on the choices: parts of a scenario that violates a
//! property are made quieter, large parts first, and what still violates it is kept: with fewer changes,
//! else shorter, else nearer to nominal. What is left is minimal: no single part can be made quieter.

use crate::archive::SnapshotArchive;
use crate::drive::{Drive, Taken, WorkError};
use crate::space::Space;
use crate::world::{PrefixEvaluation, RobustnessInterval, World};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;

/// No more candidates than this are run.
pub const TRIES_MAX: u64 = 20_000;

/// A simple counter-example.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Shrunk {
    /// Its letters, up to where the property is violated.
    pub prefix: Vec<u32>,
    /// By property, after the last letter.
    pub robustness: Vec<RobustnessInterval>,
    /// By property, after the last letter.
    pub verdicts: Vec<Option<bool>>,
    /// How often values change in it.
    pub changes: u32,
    /// The number of candidates that were run.
    pub tries: u64,
    /// Whether nothing simpler was found; otherwise [`TRIES_MAX`] ended the search.
    pub is_minimal: bool,
}

/// A simpler scenario that violates the same property; nothing if the given one does not violate it.
pub(crate) fn shrink<W: World>(
    space: &Space,
    drive: &mut Drive<'_, W>,
    archive: &mut SnapshotArchive<W::Saved>,
    prefix: &[u32],
    property: usize,
) -> Result<Option<Shrunk>, WorkError<W::Error>> {
    let mut shrinker =
        Shrinker { space, drive, archive, property, tries: 0, refuted: BTreeSet::new() };
    let Some(mut best) = shrinker.run(prefix)? else { return Ok(None) };
    while shrinker.tries < TRIES_MAX {
        match shrinker.improve(&best)? {
            Some(better) => best = better,
            None => {
                best.is_minimal = true;
                break;
            }
        }
    }
    best.tries = shrinker.tries;
    Ok(Some(best))
}

struct Shrinker<'a, 'b, W: World> {
    space: &'a Space,
    drive: &'a mut Drive<'b, W>,
    archive: &'a mut SnapshotArchive<W::Saved>,
    property: usize,
    tries: u64,
    /// Candidates that were run and do not violate the property.
    refuted: BTreeSet<Vec<u32>>,
}

/// What makes a scenario simple, most important first: changes, periods, distance from nominal.
type Size = (u32, usize, u64);

impl<W: World> Shrinker<'_, '_, W> {
    /// The first simpler candidate that violates the property.
    fn improve(&mut self, best: &Shrunk) -> Result<Option<Shrunk>, WorkError<W::Error>> {
        let size = self.size(&best.prefix);
        let rows: Vec<Vec<u32>> = best.prefix.iter().map(|&l| self.space.choices(l)).collect();
        for edit in edits(&rows) {
            let candidate = edit.applied(self.space, &rows);
            let is_new = self.size(&candidate) < size && !self.refuted.contains(&candidate);
            if !is_new || self.space.find(&candidate).is_none() {
                continue;
            }
            if self.tries == TRIES_MAX {
                return Ok(None);
            }
            match self.run(&candidate)? {
                Some(found) => return Ok(Some(found)),
                None => self.refuted.insert(candidate),
            };
        }
        Ok(None)
    }

    fn size(&self, prefix: &[u32]) -> Size {
        let choices = prefix.iter().flat_map(|&letter| self.space.choices(letter));
        (self.space.changes(prefix), prefix.len(), choices.map(u64::from).sum())
    }

    /// Runs a candidate until it violates the property.
    fn run(&mut self, prefix: &[u32]) -> Result<Option<Shrunk>, WorkError<W::Error>> {
        self.tries += 1;
        let from = match self.archive.nearest(prefix) {
            Some((length, saved)) => {
                self.drive.restore(saved)?;
                length
            }
            None => {
                self.drive.reset()?;
                0
            }
        };
        for length in from + 1..=prefix.len() {
            let prefix = &prefix[..length];
            if self.drive.ask(prefix)?.is_some() {
                return Ok(None);
            }
            let Taken::Evaluation(evaluation) = self.drive.take(prefix)? else { return Ok(None) };
            if evaluation.verdicts.get(self.property) == Some(&Some(false)) {
                return Ok(Some(self.found(prefix, evaluation)));
            }
            if evaluation.is_decided {
                return Ok(None);
            }
            self.save(prefix)?;
        }
        Ok(None)
    }

    fn found(&self, prefix: &[u32], evaluation: PrefixEvaluation) -> Shrunk {
        let PrefixEvaluation { robustness, verdicts, .. } = evaluation;
        let changes = self.space.changes(prefix);
        let (prefix, tries, is_minimal) = (prefix.to_vec(), self.tries, false);
        Shrunk { prefix, robustness, verdicts, changes, tries, is_minimal }
    }

    /// Other candidates begin in the same way.
    fn save(&mut self, prefix: &[u32]) -> Result<(), WorkError<W::Error>> {
        if (prefix.len() as u64) < u64::from(self.space.horizon()) {
            let (saved, bytes) = self.drive.save()?;
            self.archive.insert(prefix, saved, bytes);
            self.drive.hold(self.archive.len(), self.archive.bytes());
        }
        Ok(())
    }
}

/// What is done to some periods.
struct Edit {
    periods: Range<usize>,
    change: Change,
}

enum Change {
    /// They are left out; what follows comes sooner.
    Leave,
    /// One disturbance shows one letter.
    Show { disturbance: usize, letter: u32 },
}

impl Edit {
    fn applied(&self, space: &Space, rows: &[Vec<u32>]) -> Vec<u32> {
        let mut rows = rows.to_vec();
        match self.change {
            Change::Leave => {
                rows.drain(self.periods.clone());
            }
            Change::Show { disturbance, letter } => {
                rows[self.periods.clone()].iter_mut().for_each(|row| row[disturbance] = letter);
            }
        }
        rows.iter().map(|row| space.letter(row)).collect()
    }
}

/// What may make a scenario simpler, large parts first: a part becomes nominal, or as what comes before it
/// or after it, or is left out; then single runs of one letter become nearer to nominal.
fn edits(rows: &[Vec<u32>]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut length = rows.len();
    while 0 < length {
        for start in (0..rows.len()).step_by(length) {
            let periods = start..rows.len().min(start + length);
            edits.extend(quieter(rows, &periods));
            edits.push(Edit { periods, change: Change::Leave });
        }
        length /= 2;
    }
    for disturbance in 0..rows.first().map_or(0, Vec::len) {
        edits.extend(lower_runs(rows, disturbance));
    }
    edits
}

/// Some periods, with a letter of one disturbance in all of them that makes changes fewer.
fn quieter(rows: &[Vec<u32>], periods: &Range<usize>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for disturbance in 0..rows[periods.start].len() {
        let before = periods.start.checked_sub(1).map(|period| rows[period][disturbance]);
        let after = rows.get(periods.end).map(|row| row[disturbance]);
        for letter in [Some(0), before, after].into_iter().flatten() {
            let change = Change::Show { disturbance, letter };
            edits.push(Edit { periods: periods.clone(), change });
        }
    }
    edits
}

/// Runs of one letter, with each letter that is nearer to nominal.
fn lower_runs(rows: &[Vec<u32>], disturbance: usize) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut start = 0;
    for run in rows.chunk_by(|a, b| a[disturbance] == b[disturbance]) {
        let periods = start..start + run.len();
        let letters = 0..run[0][disturbance];
        edits.extend(letters.map(|letter| Edit {
            periods: periods.clone(),
            change: Change::Show { disturbance, letter },
        }));
        start += run.len();
    }
    edits
}
