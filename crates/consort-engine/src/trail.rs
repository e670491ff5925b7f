//! A save of a run and the steps that followed it, to be taken again by a restored twin.

use crate::comparison::TagRecord;
use crate::error::{RunError, StateCall};
use crate::executable::Executable;
use crate::run::{Run, RunOptions};
use consort_core::{Tag, Time};

/// What followed a save.
pub struct Trail {
    saved: Tag,
    state: Vec<u8>,
    moments: Vec<Moment>,
    /// The run was saved again since the last moment.
    is_saved: bool,
}

struct Moment {
    /// The run was saved once more before this step: some models behave differently after a save.
    follows_save: bool,
    /// What the run was asked for: where steps may be rejected, that decides whether one is begun.
    until: Time,
    record: TagRecord,
}

impl Trail {
    /// Begins at a save: where the run was, and its bytes as [`Run::serialize`] made them.
    pub fn new(saved: Tag, state: Vec<u8>) -> Self {
        Trail { saved, state, moments: Vec::new(), is_saved: false }
    }

    /// The number of moments that were noted.
    pub fn len(&self) -> usize {
        self.moments.len()
    }

    /// Whether nothing followed the save yet.
    pub fn is_empty(&self) -> bool {
        self.moments.is_empty()
    }

    /// Notes where the run is now, that it was last asked to advance to `until`.
    pub fn note(&mut self, run: &Run, until: Time) {
        let follows_save = std::mem::take(&mut self.is_saved);
        self.moments.push(Moment { follows_save, until, record: run.tag_record() });
    }

    /// Notes that the run was saved once more.
    pub fn note_save(&mut self) {
        self.is_saved = true;
    }

    /// Lets a twin with new instances continue from the save, and compares every bit that was hashed.
    ///
    /// # Errors
    /// [`RunError::StateDiffers`] at the first difference; or what kept the twin from going on at all.
    ///
    /// # Panics
    /// If the parts of the executable do not belong together.
    pub fn follow(&self, executable: &Executable, options: RunOptions) -> Result<(), RunError> {
        let mut twin = Run::resume(executable, options, &self.state)?;
        for Moment { follows_save, until, record } in &self.moments {
            if *follows_save {
                twin.snapshot()?;
            }
            twin.advance(*until).map_err(not_restored)?;
            twin.compare(record, self.saved)?;
        }
        Ok(())
    }
}

/// What goes wrong in a step that went well before is its state's fault.
fn not_restored(error: RunError) -> RunError {
    match error {
        RunError::Call { component, tag, error } => {
            RunError::State { component, tag, call: StateCall::Restore, error }
        }
        other => other,
    }
}
