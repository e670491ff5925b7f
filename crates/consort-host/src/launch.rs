//! Everything it takes to make an instance in a new process, once or again.

use super::HostOptions;
use super::protocol::{Family, Op};
use super::worker::Worker;
use consort_core::model::CallResult;
use consort_core::{CallError, CallStatus, Instantiation, LogSink, Prng, Provider};
use std::sync::Arc;

/// How an instance is made in a process of its own.
pub(crate) struct Launch {
    pub(crate) host: Arc<HostOptions>,
    recipe: Arc<[u8]>,
    family: Family,
    name: String,
    log: LogSink,
    prng: Prng,
    verbose: bool,
    event_mode: bool,
    early_return: bool,
    elsewhere: bool,
}

impl Launch {
    pub(super) fn new(
        host: &Arc<HostOptions>,
        recipe: &Arc<[u8]>,
        family: Family,
        provider: Provider,
        from: &Instantiation<'_>,
    ) -> Launch {
        Launch {
            host: Arc::clone(host),
            recipe: Arc::clone(recipe),
            family,
            name: from.name.to_owned(),
            log: Arc::clone(&from.log),
            prng: from.prng.clone(),
            verbose: from.verbose,
            event_mode: from.event_mode,
            early_return: from.early_return,
            elsewhere: from.elsewhere && provider == Provider::Native,
        }
    }

    /// A new process that has nothing loaded yet.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(crate) fn start(&self) -> CallResult<Worker> {
        let log = Arc::clone(&self.log);
        let started = Worker::start(&self.host, self.elsewhere, &self.name, log, self.family);
        started.map_err(|error| {
            let program = self.host.program.display();
            let reason = format!("cannot start a process from `{program}`: {error}");
            CallError::new("start a worker", CallStatus::Refused(reason))
        })
    }

    /// Loads the model in a new process and makes the instance.
    ///
    /// # Errors
    /// If the model cannot be loaded there, or refuses to be instantiated.
    pub(crate) fn load(&self, worker: &mut Worker) -> CallResult<()> {
        worker.ask(Op::Load, |to| to.part(&self.recipe))?;
        worker.ask(Op::Instantiate, |to| {
            to.text(&self.name);
            self.prng.to_words().into_iter().for_each(|word| to.word(word));
            to.flag(self.verbose);
            to.flag(self.event_mode);
            to.flag(self.early_return);
        })?;
        Ok(())
    }
}
