//! Runs of one system, compared tag by tag: one that was restored with one that was not.

use crate::error::{DifferentValue, RunError, StateDiffers};
use crate::record::Hashed;
use crate::run::Run;
use consort_core::{Tag, Time, Values, rolling};
use consort_trace::VariableHash;
use std::collections::BTreeSet;

/// Everything that is hashed of a run, as it was at a tag.
#[derive(Clone, PartialEq, Debug)]
pub struct TagRecord {
    tag: Tag,
    hashes: Vec<VariableHash>,
    values: Vec<Values>,
}

impl TagRecord {
    /// The present tag of the run.
    pub fn tag(&self) -> Tag {
        self.tag
    }
}

impl Run {
    /// Everything that is hashed, as it is at the present tag.
    pub fn tag_record(&self) -> TagRecord {
        let (hashes, shared) = (self.trace.hashes(), &self.interpreter.program.shared);
        let values = hashes.entries().iter().map(|entry| shared.get(entry.slot).to_values());
        TagRecord { tag: self.tag(), hashes: hashes.states().to_vec(), values: values.collect() }
    }

    /// By component: one number for everything that was hashed of it so far, the present tag included.
    pub fn marks(&self) -> Vec<u64> {
        let mut marks = vec![rolling::START; self.system().components.len()];
        let hashes = self.trace.hashes();
        for (entry, hash) in hashes.entries().iter().zip(hashes.states()) {
            let mark = &mut marks[entry.component];
            *mark = rolling::absorb(*mark, hash.to_bits());
        }
        marks
    }

    /// The earliest time that comes next, unless a step is cut short.
    ///
    /// # Errors
    /// If a component that is asked for the longest step fails.
    pub fn next_time(&mut self) -> Result<Time, RunError> {
        self.interpreter.planned_next()
    }

    /// Compares this run, which was restored from a save at `saved`, with the record of one that was not.
    ///
    /// # Errors
    /// [`RunError::StateDiffers`] with the first variable whose bits are others.
    pub fn compare(&self, expected: &TagRecord, saved: Tag) -> Result<(), RunError> {
        let pairs = self.trace.hashes().states().iter().zip(&expected.hashes).enumerate();
        let different: Vec<usize> =
            pairs.filter(|(_, (ours, theirs))| ours != theirs).map(|(index, _)| index).collect();
        if different.is_empty() && self.tag() == expected.tag {
            return Ok(());
        }
        let blamed = self.blamed(&different);
        let component = blamed.map_or(0, |index| self.trace.hashes().entries()[index].component);
        let value = blamed.map(|index| self.different_value(index, expected));
        Err(self.state_differs(component, saved, expected.tag, value))
    }

    /// Reports that a component behaves differently once it is restored.
    pub fn state_differs(
        &self,
        component: usize,
        saved: Tag,
        tag: Tag,
        value: Option<DifferentValue>,
    ) -> RunError {
        let executable = &self.interpreter.executable;
        let provider = executable.description(component).state_provider();
        let provider = provider.name().to_owned();
        let component = executable.name(component).to_owned();
        RunError::StateDiffers(Box::new(StateDiffers { component, provider, saved, tag, value }))
    }

    /// Of the variables that differ, the first one of a component that no other of them feeds: what is
    /// wrong there is its own.
    fn blamed(&self, different: &[usize]) -> Option<usize> {
        let entries = self.trace.hashes().entries();
        let component = |index: &usize| entries[*index].component;
        let components: BTreeSet<usize> = different.iter().map(component).collect();
        let is_fed = |component: usize| {
            self.system().connections.iter().any(|wire| {
                let (from, to) = (wire.from.component.index(), wire.to.component.index());
                to == component && from != component && components.contains(&from)
            })
        };
        let place = |index: &&usize| (is_fed(component(index)), component(index), **index);
        different.iter().min_by_key(place).copied()
    }

    fn different_value(&self, index: usize, expected: &TagRecord) -> DifferentValue {
        let Hashed { path, slot, .. } = &self.trace.hashes().entries()[index];
        DifferentValue {
            path: path.clone(),
            expected: expected.values[index].view().to_string(),
            found: self.interpreter.program.shared.get(*slot).to_string(),
        }
    }
}
