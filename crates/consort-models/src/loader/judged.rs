//! A model whose states were found to be saved less faithfully than it says.

use super::isolation::Place;
use consort_core::model::CallResult;
use consort_core::{Instance, Instantiation, Model, ModelDescription};
use std::sync::Arc;

/// A model with a verdict on its saved states.
pub(super) struct Judged {
    model: Arc<dyn Model>,
    description: ModelDescription,
}

impl Judged {
    pub(super) fn new(model: Arc<dyn Model>, place: &Place) -> Self {
        let mut description = model.description().clone();
        description.capabilities.fidelity = place.fidelity;
        description.capabilities.serialize_state &= place.has_bytes;
        Judged { model, description }
    }
}

impl Model for Judged {
    fn description(&self) -> &ModelDescription {
        &self.description
    }

    fn instantiate(&self, instantiation: &Instantiation<'_>) -> CallResult<Box<dyn Instance>> {
        self.model.instantiate(instantiation)
    }
}
