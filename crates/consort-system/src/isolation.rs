//! Which components live in processes of their own, and who saves their states.

use consort_core::{Provider, Spanned};

/// What a component says about its process; what it does not say, the experiment says for all.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Isolation {
    /// Whether it lives in a process of its own, where nothing it does can end the run without a word.
    pub isolate: Option<Spanned<bool>>,
    /// Who saves its states; all but the native provider take a process of its own.
    pub state: Option<Spanned<Provider>>,
}
