//! A node that the user starts, as one of several processes that compute a run together.

use crate::models::ModelOptions;
use crate::recording::{default_out, prepare};
use crate::request::RunRequest;
use consort_core::Report;
use consort_distributed::NodeRequest;
use consort_distributed::manual::{ManualNode, ManualOutcome, ManualSession};
use consort_run::{Context, Error, Prepared, Resumed, RunFolder};

/// A node whose system was loaded and planned.
pub struct ReadyNode {
    /// The prepared system.
    pub prepared: Prepared,
    /// The folder of its record.
    pub folder: RunFolder,
    request: RunRequest,
    node: ManualNode,
    resumed: Option<Resumed>,
}

impl ReadyNode {
    /// Loads and plans the system, the same for every node; `report` holds what is known to be wrong already.
    ///
    /// # Errors
    /// Everything that is wrong with the system, the node, or the snapshot it is resumed from.
    pub fn prepare(
        request: &RunRequest,
        node: ManualNode,
        models: ModelOptions,
        report: Report,
        context: &Context,
    ) -> Result<Self, Error> {
        let read = |path| Resumed::read_part(path, &node.name);
        let resumed = request.resume.as_deref().map(read).transpose()?;
        let (request, node) = match &resumed {
            Some(resumed) => complete(request, node, resumed)?,
            None => (request.clone(), node),
        };
        let models = models.saving(resumed.is_some() || node.save.is_some());
        let prepared = prepare(&request, &models, report, context)?;
        let name = format!("{}-{}", prepared.resolved().name, node.name);
        let folder = RunFolder::plan(&request.out.clone().unwrap_or_else(|| default_out(&name)))?;
        Ok(ReadyNode { prepared, folder, request, node, resumed })
    }

    /// Checks that the node fits the system and what it is resumed from, before it joins the others.
    ///
    /// # Errors
    /// If it does not, or its endpoint cannot be used.
    pub fn session(&self, context: &Context) -> Result<ManualSession<'_>, Error> {
        let (options, resumed) = (self.request.options(), self.resumed.clone());
        ManualSession::new(&self.node, &self.prepared, options, resumed, context)
    }

    /// Joins the others, computes its part, and leaves its record.
    ///
    /// # Errors
    /// As [`ReadyNode::session`]. What becomes of the run is in the outcome.
    pub fn run(&self, context: &Context) -> Result<ManualOutcome, Error> {
        let (settings, folder) = (self.request.settings.clone(), self.folder.clone());
        Ok(self.session(context)?.run(&settings, &folder, context))
    }

    /// How the run is carried out.
    pub fn settings(&self) -> &consort_run::RecordSettings {
        &self.request.settings
    }
}

/// What was asked for, completed by what was saved. Patterns of the placement mean what they meant: the placement that
/// follows from them is compared later.
fn complete(
    request: &RunRequest,
    node: ManualNode,
    resumed: &Resumed,
) -> Result<(RunRequest, ManualNode), Error> {
    let nodes = NodeRequest { place: Vec::new(), ..request.nodes.clone() };
    let complete = RunRequest { nodes, ..request.clone() }.complete(resumed)?;
    let place = match node.place.is_empty() {
        true => complete.nodes.place.clone(),
        false => node.place,
    };
    let node = ManualNode { place, system: complete.system.clone(), ..node };
    Ok((complete, node))
}
