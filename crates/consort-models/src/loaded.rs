//! The result of loading a model.

use crate::fidelity::Chosen;
use crate::files::input_file::InputFile;
use consort_core::Model;
use std::sync::Arc;

/// A model, and what it was made from.
#[derive(Clone)]
pub struct LoadedModel {
    /// The model; components that ask for the same FMU share it.
    pub model: Arc<dyn Model>,
    /// Every file that decides what the model does, for the manifest.
    pub inputs: Vec<InputFile>,
    /// What was assumed on the way, for a person.
    pub assumed: Vec<String>,
    /// The provider that saves its states, where that was decided by measuring.
    pub saved_by: Option<Chosen>,
}
