//! Explains why a run by restored states differs from a run from the start.
//!
//! The scenario is run twice: once without saving, and once so that it is saved at each choice, runs
//! another period, and is restored. The first difference of both is the cause.

use super::RunWorld;
use crate::world::World;
use consort_core::Tag;
use consort_engine::{RunError, TagRecord};

impl RunWorld {
    /// The first difference between both ways; without one, what the marks say.
    pub(super) fn difference(&mut self, letters: &[u32], marks: &[u64]) -> RunError {
        match self.look_for_difference(letters, marks) {
            Ok(error) | Err(error) => error,
        }
    }

    fn look_for_difference(
        &mut self,
        letters: &[u32],
        marks: &[u64],
    ) -> Result<RunError, RunError> {
        self.renew()?;
        let mut straight: Vec<Vec<TagRecord>> = Vec::new();
        for letter in letters {
            straight.push(self.choose_slowly(*letter)?);
        }
        let (ours, end) = (self.run.marks(), self.run.tag());
        self.renew()?;
        for (letter, expected) in letters.iter().zip(&straight) {
            let saved = self.save()?;
            self.go_astray(*letter);
            self.restore(&saved)?;
            self.compare_slowly(*letter, expected, saved.snapshot.tag())?;
        }
        let is_other = |place: &usize| marks.get(*place).is_some_and(|mark| *mark != ours[*place]);
        let component = (0..ours.len()).find(is_other).or_else(|| self.unexplained()).unwrap_or(0);
        Ok(self.run.state_differs(component, Tag::at(self.start_time), end, None))
    }

    /// The first component that is no code of ours.
    fn unexplained(&self) -> Option<usize> {
        let models = self.origin.executable.models();
        models.iter().position(|model| model.description().is_foreign_code())
    }

    /// A period with another choice, if there is one; whether it can be taken does not matter.
    fn go_astray(&mut self, letter: u32) {
        let letters = self.campaign.space.letters();
        let _ = self.choose((letter + 1) % letters.max(1));
    }

    /// Takes a choice tag by tag.
    fn choose_slowly(&mut self, letter: u32) -> Result<Vec<TagRecord>, RunError> {
        let until = self.begin(letter)?;
        let mut records = Vec::new();
        loop {
            let next = self.run.next_time()?;
            if until < next || self.run.advance(next)? != consort_engine::Advance::Reached {
                break;
            }
            records.push(self.run.tag_record());
        }
        self.depth += 1;
        Ok(records)
    }

    /// The same with a restored run: it must be at the same places.
    fn compare_slowly(
        &mut self,
        letter: u32,
        expected: &[TagRecord],
        saved: Tag,
    ) -> Result<(), RunError> {
        self.begin(letter)?;
        for record in expected {
            self.run.advance(record.tag().time)?;
            self.run.compare(record, saved)?;
        }
        self.depth += 1;
        Ok(())
    }
}
