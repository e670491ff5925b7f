//! A model whose instances live in processes of their own.

use super::HostOptions;
use super::instance::IsolatedInstance;
use super::launch::Launch;
use super::protocol::{Family, Op, read_diagnostic};
use super::worker::Worker;
use consort_core::model::{CallResult, STATE_FACT};
use consort_core::{
    Diagnostic, Instance, Instantiation, LogSink, Model, ModelDescription, Provider,
};
use std::sync::Arc;

/// A model whose instances live in a process of their own each.
pub struct IsolatedModel {
    description: ModelDescription,
    recipe: Arc<[u8]>,
    host: Arc<HostOptions>,
    provider: Provider,
    family: Family,
}

impl IsolatedModel {
    /// The model that workers make from `recipe`. `description` is what is known of it without loading
    /// it here; what living in a process of its own changes in it is changed.
    pub fn new(
        description: ModelDescription,
        recipe: Vec<u8>,
        host: Arc<HostOptions>,
        provider: Provider,
    ) -> Self {
        // With a solver around it one call is many.
        let family = match description.capabilities.solved_by {
            Some(_) => Family::Other,
            None => Family::of(&description.kind),
        };
        let description = isolated(description, provider);
        IsolatedModel { description, recipe: recipe.into(), host, provider, family }
    }

    /// The provider that saves the states of its instances.
    pub fn provider(&self) -> Provider {
        self.provider
    }

    /// Loads the model in a process that is ended again, to see whether it can be loaded.
    ///
    /// What else goes wrong, for instance a binary that ends its process, is an error of instances.
    ///
    /// # Errors
    /// If it cannot be loaded: the diagnostic of the function that [`serve`](super::serve()) was given, without
    /// places in sources.
    pub fn try_load(&self) -> Result<(), Box<Diagnostic>> {
        let silent: LogSink = Arc::new(|_| ());
        let Ok(mut worker) = Worker::start(&self.host, false, "", silent, self.family) else {
            return Ok(());
        };
        let answer = worker.ask(Op::TryLoad, |to| to.part(&self.recipe));
        let failure = answer.ok().and_then(|mut reply| reply.option(read_diagnostic).ok());
        failure.flatten().map_or(Ok(()), Err)
    }

    /// As [`Model::instantiate`], for those who want to know more of the process.
    ///
    /// # Errors
    /// As there.
    pub fn start(&self, from: &Instantiation<'_>) -> CallResult<IsolatedInstance> {
        let launch = Launch::new(&self.host, &self.recipe, self.family, self.provider, from);
        IsolatedInstance::start(&Arc::new(launch), self.provider)
    }
}

impl Model for IsolatedModel {
    fn description(&self) -> &ModelDescription {
        &self.description
    }

    fn instantiate(&self, instantiation: &Instantiation<'_>) -> CallResult<Box<dyn Instance>> {
        Ok(Box::new(self.start(instantiation)?))
    }
}

/// What a model is from outside of its process.
fn isolated(mut description: ModelDescription, provider: Provider) -> ModelDescription {
    let capabilities = &mut description.capabilities;
    // Instances share no process, so nothing static either.
    capabilities.lane = None;
    capabilities.single_instance = false;
    // The solver is in there with it.
    capabilities.solved_by = None;
    capabilities.intermediate_update = false;
    if provider != Provider::Native {
        capabilities.save_state = true;
        capabilities.serialize_state = provider != Provider::Fork;
    }
    description.facts.push((STATE_FACT.to_owned(), provider.to_string()));
    description
}
