//! Models written as equations, live: what `consort-equations` compiled, run as one model.
//!
//! An [`EquationsModel`] is a [`ContinuousModel`] around [`Equations`]: programs that are pure functions.
//! What changes while it lives is one plain value (`state`): time, parameters, inputs, states,
//! discretes, what each condition was, the queue of what is due (`events`), the past of what delays look
//! back at (`past`), and when its jumps and kinks arrive (`breaks`). Saving it is copying it; as `bytes` it carries the model's fingerprint, so
//! that another model's are refused.
//!
//! ```
//! use consort_core::{ContinuousModel, Report};
//! use consort_models::equations::EquationsModel;
//! use std::sync::{Arc, OnceLock};
//!
//! let text = "model decay\noutput state x = 1\nder(x) = -x\nend";
//! let mut report = Report::default();
//! let tree = consort_equations::read("decay.eq", text, &mut report).expect("well written");
//! let equations = consort_equations::compile(&tree, &mut report).expect("well defined");
//! let model = EquationsModel::new(Arc::new(equations));
//! assert_eq!(model.description().variables[0].name, "x");
//! ```

mod breaks;
mod bytes;
mod chatter;
mod describe;
mod events;
mod instance;
mod load;
mod past;
mod sensitivity;
mod state;
mod work;
mod written;

pub use load::{Form, read_equations, read_tree};
pub(crate) use load::{load, read_file};
pub(crate) use written::written_model;

use consort_core::model::CallResult;
use consort_core::{
    ContinuousDescription, ContinuousInstance, ContinuousModel, Instantiation, ModelDescription,
};
use consort_equations::Equations;
use instance::EquationsInstance;
use sha2::{Digest, Sha256};
use std::sync::{Arc, OnceLock};

/// Distinguishes the saved states of a model from those of other models.
type Fingerprint = [u8; 32];

/// A model as its saved states know it.
struct Identity {
    equations: Arc<Equations>,
    /// Found when it is first asked for: most runs write no state.
    fingerprint: OnceLock<Fingerprint>,
}

impl Identity {
    fn fingerprint(&self) -> &Fingerprint {
        self.fingerprint.get_or_init(|| Sha256::digest(self.equations.identity()).into())
    }

    /// Whether both are the same model, be it loaded twice.
    fn is(self: &Arc<Self>, other: &Arc<Self>) -> bool {
        Arc::ptr_eq(self, other) || self.fingerprint() == other.fingerprint()
    }
}

/// A compiled model as a kind of component.
pub struct EquationsModel {
    identity: Arc<Identity>,
    description: ModelDescription,
    continuous: ContinuousDescription,
}

impl EquationsModel {
    /// The model, as others see it.
    pub fn new(equations: Arc<Equations>) -> Self {
        let description = describe::model(&equations);
        let continuous = describe::continuous(&equations);
        let identity = Arc::new(Identity { equations, fingerprint: OnceLock::new() });
        EquationsModel { identity, description, continuous }
    }
}

impl ContinuousModel for EquationsModel {
    fn description(&self) -> &ModelDescription {
        &self.description
    }

    fn continuous(&self) -> &ContinuousDescription {
        &self.continuous
    }

    fn instantiate(&self, with: &Instantiation<'_>) -> CallResult<Box<dyn ContinuousInstance>> {
        Ok(Box::new(EquationsInstance::new(Arc::clone(&self.identity), &with.prng)))
    }
}
