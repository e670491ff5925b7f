//! Native blocks and models written as equations, as kinds of models.

use super::kind::{
    Loading, ModelClaim, ModelKind, NoEffect, Objection, ProcessRule, WrittenEquations,
};
use crate::equations::{self, Form};
use crate::files::cache::unreadable;
use crate::loaded::LoadedModel;
use crate::native::Blocks;
use crate::request::ModelRequest;
use consort_core::{ContinuousModel, ModelReference, Report};
use std::path::Path;
use std::sync::Arc;

/// Both compute in this process, in code of ours.
const OWN_CODE: ProcessRule = ProcessRule::Here(Objection {
    why: "only FMUs live in processes of their own",
    help: "remove it: blocks and equations are saved natively, exactly",
});

/// Blocks that are written in Rust.
pub(super) struct NativeKind {
    blocks: Blocks,
}

impl NativeKind {
    pub(super) fn new(blocks: Blocks) -> Self {
        NativeKind { blocks }
    }
}

impl ModelKind for NativeKind {
    fn references(&self) -> &'static str {
        "`native:NAME`"
    }

    fn prefix(&self) -> Option<&'static str> {
        Some(ModelReference::NATIVE)
    }

    fn no_effect(&self) -> NoEffect {
        let objection = Objection {
            why: "a native block needs no solver",
            help: "remove it: solvers are for FMUs with Model Exchange and for equations",
        };
        NoEffect { solver: Some(objection), interface: Some(objection), isolation: OWN_CODE }
    }

    fn saves_itself(&self) -> bool {
        true
    }

    fn load(&self, loading: Loading<'_, '_>) -> Option<LoadedModel> {
        self.blocks.load(loading.name, loading.request, loading.report)
    }

    fn equations(&self, request: &ModelRequest<'_>, report: &mut Report) -> WrittenEquations {
        let name = request.model.strip_prefix(ModelReference::NATIVE).unwrap_or(request.model);
        self.blocks.equations(name, request, report).into()
    }
}

/// Equations in a text or in SBML.
pub(super) struct EquationsKind;

impl ModelKind for EquationsKind {
    fn references(&self) -> &'static str {
        "equations (`.eq`), SBML (`.sbml`, `.xml`)"
    }

    fn claim(&self, path: &Path, _request: &ModelRequest<'_>) -> ModelClaim {
        if path.is_dir() || !path.exists() {
            return ModelClaim::No;
        }
        match Form::of(path) {
            Some(_) => ModelClaim::Yes,
            None if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("xml")) => {
                let help = "the first element of an SBML file is `<sbml>`, with level and version";
                ModelClaim::Almost { what: "is no SBML", help: help.to_owned() }
            }
            None => ModelClaim::No,
        }
    }

    fn no_effect(&self) -> NoEffect {
        let objection = Objection { why: "only FMUs have interfaces", help: "remove it" };
        NoEffect { solver: None, interface: Some(objection), isolation: OWN_CODE }
    }

    fn saves_itself(&self) -> bool {
        true
    }

    fn load(&self, loading: Loading<'_, '_>) -> Option<LoadedModel> {
        let Loading { request, path, real, loader, report, .. } = loading;
        let form = Form::of(path)?;
        loader.integrated(real, request, report, |report| {
            let (model, input) = equations::load(form, real, request, report)?;
            Some((Arc::new(model) as Arc<dyn ContinuousModel>, vec![input]))
        })
    }

    fn equations(&self, request: &ModelRequest<'_>, report: &mut Report) -> WrittenEquations {
        let path = request.base.join(request.model);
        let Some(form) = Form::of(&path) else { return WrittenEquations::NoEquations };
        let text = equations::read_file(&path, form);
        let text = text.map_err(|error| report.push(unreadable(request, &error))).ok();
        text.and_then(|text| equations::written_model(&text, form, request, report)).into()
    }
}
