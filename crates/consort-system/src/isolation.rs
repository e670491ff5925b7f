//! Which components live in processes of their own, and which provider saves their states.

use consort_core::{Provider, Spanned};

/// What a component says about its process; what it does not say, the experiment says for all.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Isolation {
    /// Whether it lives in a process of its own, where a crash becomes an error of the run.
    pub isolate: Option<Spanned<bool>>,
    /// The provider that saves its states; all but the native one take a process of its own.
    pub state: Option<Spanned<Provider>>,
}
