//! The process that images are taken of, with what is not in its memory: threads, files, hazards.

use super::ImageState;
use super::child::Task;
use super::error::{ImageError, doing};
use super::watch::{Vitals, Watch, send};
use crate::hazard::{OpenFile, Probe};
use crate::worker::Worker;
use consort_core::Provider;

/// A process that images are taken of.
pub(super) struct Subject {
    pid: i32,
    probe: Probe,
    pub(super) watch: Watch,
    /// As they were when all hazards were last looked for.
    vitals: Vitals,
    /// Where its C library keeps the number of its thread.
    number_place: u64,
}

/// What a process has outside of its memory.
pub(super) struct Outside {
    /// Where each of its threads but the first sleeps.
    pub(super) sleepers: Vec<String>,
    /// Files that the model has open.
    pub(super) files: Vec<OpenFile>,
}

impl Subject {
    /// For a worker that has nothing loaded yet.
    pub(super) fn new(worker: &mut Worker) -> Result<Self, ImageError> {
        let pid = worker.pid();
        let number_place = send(worker, &[Task::OwnNumber])?;
        let descriptor = send(worker, &[Task::Watch])?;
        let probe = Probe::new(worker).map_err(ImageError::Call)?;
        let watch = Watch::open(pid, descriptor)?;
        Ok(Subject { pid, probe, watch, vitals: Vitals::default(), number_place })
    }

    /// Which process it is.
    pub(super) fn pid(&self) -> i32 {
        self.pid
    }

    /// Knows all of its memory as it is now, and what it has besides.
    pub(super) fn absorb(&mut self, worker: &mut Worker) -> Result<Outside, ImageError> {
        let vitals = self.watch.vitals()?;
        self.refuse_hazards(vitals)?;
        let outside = Outside { sleepers: self.sleepers(vitals)?, files: self.files(vitals)? };
        self.watch.absorb(worker, vitals)?;
        Ok(outside)
    }

    /// Looks for all hazards only if something has changed.
    fn refuse_hazards(&mut self, vitals: Vitals) -> Result<(), ImageError> {
        let hazards = if self.vitals != vitals {
            self.probe.look().map_err(ImageError::Call)?
        } else if 1 < vitals.thread_count() {
            self.probe.look_at_threads().map_err(doing("looking at its threads"))?
        } else {
            return Ok(());
        };
        let refused = hazards.iter().find(|hazard| hazard.refuses.contains(&Provider::Image));
        // What was refused is looked for again.
        self.vitals = if refused.is_none() { vitals } else { Vitals::default() };
        refused.map_or(Ok(()), |hazard| Err(ImageError::Hazard(hazard.to_string())))
    }

    fn sleepers(&self, vitals: Vitals) -> Result<Vec<String>, ImageError> {
        if vitals.thread_count() <= 1 {
            return Ok(Vec::new());
        }
        self.probe.sleepers().map_err(doing("looking at its threads"))
    }

    /// The files that the model has open.
    fn files(&self, vitals: Vitals) -> Result<Vec<OpenFile>, ImageError> {
        if vitals.files == self.probe.usual_file_count() {
            return Ok(Vec::new());
        }
        self.probe.files().map_err(doing("looking at its files"))
    }

    /// Has everything as it was.
    pub(super) fn put_back(
        &mut self,
        worker: &mut Worker,
        state: &ImageState,
    ) -> Result<(), ImageError> {
        let vitals = self.watch.vitals()?;
        // A thread that sleeps in one place would wake up in another one's.
        if self.sleepers(vitals)? != state.outside.sleepers {
            return Err(ImageError::Threads);
        }
        let files = self.files(vitals)?;
        self.watch.put_back(worker, vitals, state)?;
        if state.process != self.pid {
            self.watch.poke(self.number_place, &self.pid.to_ne_bytes())?;
        }
        put_back_files(worker, &files, &state.outside.files)
    }
}

/// Reads of files continue where they were.
fn put_back_files(
    worker: &mut Worker,
    now: &[OpenFile],
    then: &[OpenFile],
) -> Result<(), ImageError> {
    if now == then {
        return Ok(());
    }
    let is_in = |list: &[OpenFile], file: &OpenFile| {
        list.iter().any(|other| other.number == file.number && other.target == file.target)
    };
    let mut tasks = Vec::new();
    for file in now.iter().filter(|file| !is_in(then, file)) {
        tasks.push(Task::Close(file.number));
    }
    for file in then {
        if !is_in(now, file) {
            tasks.push(Task::Open(file.number, file.target.clone()));
        }
        tasks.push(Task::Seek(file.number, file.place));
    }
    let first = then.first().map_or(String::new(), |file| file.target.clone());
    send(worker, &tasks).map(|_| ()).map_err(|_| ImageError::File(first))
}
