//! Kinds of models: how references to them look, and how they are loaded.
//!
//! A [`ModelKind`] is one entry of [`ModelKinds`], which a [`Loader`] is given. A new kind is one type and one line
//! where the list is put together.

use super::Loader;
use super::built_in::{EquationsKind, NativeKind};
use super::fmu::FmuKind;
use super::foreign::ForeignKind;
use crate::loaded::LoadedModel;
use crate::native::{Block, Blocks};
use crate::nearby;
use crate::request::ModelRequest;
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Report};
use consort_equations::EquationModel;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A kind of model.
pub trait ModelKind: Send + Sync {
    /// How references to such models are written, for help: ``"`native:NAME`"``.
    fn references(&self) -> &'static str;

    /// What references begin with, with the colon; `None` for models that are named by their path.
    fn prefix(&self) -> Option<&'static str> {
        None
    }

    /// Whether what is at a path is a model of this kind; asked of kinds without a prefix.
    fn claim(&self, _path: &Path, _request: &ModelRequest<'_>) -> ModelClaim {
        ModelClaim::No
    }

    /// Which requests have no effect on such a model: they are refused before it is loaded.
    fn no_effect(&self) -> NoEffect {
        NoEffect::default()
    }

    /// Whether states of such models are values in this process, which no other provider can save better.
    fn saves_itself(&self) -> bool {
        false
    }

    /// Loads the model; `None` if there is none, and the report says why.
    fn load(&self, loading: Loading<'_, '_>) -> Option<LoadedModel>;

    /// The model as equations, for what makes something else of it; `None` for kinds that have none.
    fn equations(&self, _request: &ModelRequest<'_>, _report: &mut Report) -> WrittenEquations {
        WrittenEquations::NoEquations
    }
}

/// Whether a kind of model takes what is at a path.
pub enum ModelClaim {
    /// It is a model of this kind.
    Yes,
    /// It is no model, but looks like a part of one of this kind.
    Almost {
        /// What it is, as the end of a sentence about it.
        what: &'static str,
        /// What to do about it.
        help: String,
    },
    /// The reference is of another kind.
    No,
}

/// What became of the question for a model's equations.
pub enum WrittenEquations {
    /// The equations of the model.
    Model(Box<EquationModel>),
    /// They could not be read, and the report says why.
    Refused,
    /// Such models have none.
    NoEquations,
}

impl From<Option<EquationModel>> for WrittenEquations {
    fn from(model: Option<EquationModel>) -> Self {
        model.map_or(WrittenEquations::Refused, |model| WrittenEquations::Model(Box::new(model)))
    }
}

/// What a kind needs to load a model.
pub struct Loading<'l, 'r> {
    /// The request.
    pub request: &'l ModelRequest<'r>,
    /// What follows the kind's prefix; the whole reference for kinds without one.
    pub name: &'r str,
    /// Where the model is as it was asked for, for kinds without a prefix; else where the name would be as a path.
    pub path: &'l Path,
    /// The same with links followed: what is loaded once is known by this.
    pub real: &'l Path,
    /// The loader, with what was loaded before.
    pub loader: &'l mut Loader,
    /// Takes what is wrong.
    pub report: &'l mut Report,
}

/// What a request may ask for and a kind has no use for.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEffect {
    /// The objection to `solver`, `tolerance` and `solver-step`.
    pub solver: Option<Objection>,
    /// The objection to `interface`.
    pub interface: Option<Objection>,
    /// The rule for `isolate` and `state`.
    pub isolation: ProcessRule,
}

/// Why a request has no effect, and what to do about it.
#[derive(Clone, Copy, Debug)]
pub struct Objection {
    /// Why, as the end of a sentence.
    pub why: &'static str,
    /// The help text: what to do instead.
    pub help: &'static str,
}

/// In which process models of a kind can live.
#[derive(Clone, Copy, Debug, Default)]
pub enum ProcessRule {
    /// In this one or in one of their own.
    #[default]
    Free,
    /// In this one: a request for that is no mistake.
    Here(Objection),
    /// Every request is a mistake.
    Settled(Objection),
}

/// The kinds of models that a loader knows.
#[derive(Clone)]
pub struct ModelKinds {
    kinds: Arc<[Arc<dyn ModelKind>]>,
    blocks: Blocks,
}

impl ModelKinds {
    /// The kinds of this crate, with the native blocks of these packs beside its own.
    pub fn with_packs(packs: &[&'static [Block]]) -> Self {
        let blocks = Blocks::with_packs(packs);
        let kinds: [Arc<dyn ModelKind>; 4] = [
            Arc::new(FmuKind),
            Arc::new(EquationsKind),
            Arc::new(NativeKind::new(blocks.clone())),
            Arc::new(ForeignKind),
        ];
        ModelKinds { kinds: kinds.into(), blocks }
    }

    /// The same with one more kind, which is asked last.
    #[must_use]
    pub fn and(mut self, kind: Arc<dyn ModelKind>) -> Self {
        self.kinds = self.kinds.iter().cloned().chain([kind]).collect();
        self
    }

    /// The native blocks of all packs.
    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// Whether there is a model at a path.
    pub fn has_model(&self, path: &Path) -> bool {
        self.claimed(path, &ModelRequest::new("", Path::new(""))).is_ok()
    }

    /// Whether the states of a model are values in this process, which no other provider can save better.
    pub fn saves_itself(&self, request: &ModelRequest<'_>) -> bool {
        let path = request.base.join(request.model);
        let kind = self.prefixed(request.model).map(|(kind, _)| kind);
        let kind = kind.or_else(|| self.claimed(&path, request).ok());
        kind.is_some_and(|kind| kind.saves_itself())
    }

    /// The equations of what a request asks for, with the request's parameters as start values. `None`, with
    /// diagnostics, if there are none.
    pub fn written_model(
        &self,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<EquationModel> {
        let path = request.base.join(request.model);
        let kind = self.prefixed(request.model).map(|(kind, _)| kind);
        let kind = kind.or_else(|| self.claimed(&path, request).ok());
        match kind.map_or(WrittenEquations::NoEquations, |kind| kind.equations(request, report)) {
            WrittenEquations::Model(model) => Some(*model),
            WrittenEquations::Refused => None,
            WrittenEquations::NoEquations => {
                report.push(self.no_equations(request));
                None
            }
        }
    }

    /// The kind whose prefix a reference begins with, and the rest of the reference.
    pub(super) fn prefixed<'m>(&self, model: &'m str) -> Option<(Arc<dyn ModelKind>, &'m str)> {
        let rest = |kind: &Arc<dyn ModelKind>| model.strip_prefix(kind.prefix()?);
        self.kinds.iter().find_map(|kind| Some((Arc::clone(kind), rest(kind)?)))
    }

    /// The kind of what is at a path; `None`, with a diagnostic, if that is no model.
    pub(super) fn at(
        &self,
        path: &Path,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<Arc<dyn ModelKind>> {
        let claimed = self.claimed(path, request);
        claimed.map_err(|almost| report.push(self.no_kind(path, almost, request))).ok()
    }

    /// The first kind that takes what is at a path, or what it almost is.
    fn claimed(
        &self,
        path: &Path,
        request: &ModelRequest<'_>,
    ) -> Result<Arc<dyn ModelKind>, Option<(&'static str, String)>> {
        let mut near = None;
        for kind in self.kinds.iter().filter(|kind| kind.prefix().is_none()) {
            match kind.claim(path, request) {
                ModelClaim::Yes => return Ok(Arc::clone(kind)),
                ModelClaim::Almost { what, help } => near = near.or(Some((what, help))),
                ModelClaim::No => {}
            }
        }
        Err(near)
    }

    fn no_kind(
        &self,
        path: &Path,
        almost: Option<(&'static str, String)>,
        request: &ModelRequest<'_>,
    ) -> Diagnostic {
        let (code, what, help) = match (almost, request.model.split_once(':')) {
            (Some((what, help)), _) => ("model::unknown-kind", what, help),
            (None, _) if path.exists() => {
                ("model::unknown-kind", "is of a kind Consort does not know", self.known())
            }
            (None, Some((scheme, rest))) if is_scheme(scheme) => {
                ("model::unknown-kind", "has an unknown prefix", self.known_prefixes(scheme, rest))
            }
            _ => {
                let help = nearby::help(request, request.model, &self.known());
                let is_near = help.starts_with("did you mean");
                let block = self.block_called(request.model).filter(|_| !is_near);
                ("model::missing-file", "is not there", block.unwrap_or(help))
            }
        };
        let message = format!("the model `{}`{} {what}", request.model, request.of_component());
        let diagnostic = Diagnostic::error(code, message).maybe_at(request.span, "asked for here");
        let diagnostic = diagnostic.help(help);
        match request.searched {
            places @ [_, ..] if code == "model::missing-file" => {
                diagnostic.with_note(format!("looked for in {}", places.join(", ")))
            }
            _ => diagnostic,
        }
    }

    fn no_equations(&self, request: &ModelRequest<'_>) -> Diagnostic {
        let model = request.model;
        let (code, what, help) = if request.base.join(model).exists() {
            let help =
                "name an equations file (`.eq`), an SBML file (`.sbml`, `.xml`) or `native:NAME`";
            ("model::no-equations", "has no equations that could be read", help.to_owned())
        } else {
            let help = nearby::help(request, model, &self.known());
            ("model::missing-file", "is not there", help)
        };
        Diagnostic::error(code, format!("the model `{model}` {what}"))
            .maybe_at(request.span, "asked for here")
            .help(help)
    }

    /// What a model can be.
    pub(super) fn known(&self) -> String {
        let references: Vec<&str> = self.kinds.iter().map(|kind| kind.references()).collect();
        let (last, others) = references.split_last().expect("there are built-in kinds");
        format!("a model is {}, or {last}", others.join(", "))
    }

    /// The prefixes, and the one that was probably meant.
    fn known_prefixes(&self, scheme: &str, rest: &str) -> String {
        let prefixes: Vec<&str> = self.kinds.iter().filter_map(|kind| kind.prefix()).collect();
        let quoted: Vec<String> = prefixes.iter().map(|prefix| format!("`{prefix}`")).collect();
        let known = format!("the prefixes are {}", quoted.join(" and "));
        match nearest_name(&format!("{scheme}:"), prefixes.iter().copied()) {
            Some(near) => format!("{known}; did you mean `{near}{rest}`?"),
            None => format!("{known}; {}", self.known()),
        }
    }

    /// The question whether a native block was meant, for a name that is one or nearly so.
    fn block_called(&self, name: &str) -> Option<String> {
        let near = nearest_name(name, self.blocks.iter().map(|block| block.name))?;
        Some(format!("did you mean the native block `native:{near}`?"))
    }
}

/// Whether something before a colon is a prefix: no path, and no drive of Windows.
fn is_scheme(scheme: &str) -> bool {
    1 < scheme.len() && !scheme.contains(['/', '\\'])
}

impl Default for ModelKinds {
    /// The kinds of this crate, with its own native blocks.
    fn default() -> Self {
        Self::with_packs(&[])
    }
}

impl fmt::Debug for ModelKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.kinds.iter().map(|kind| kind.references())).finish()
    }
}
