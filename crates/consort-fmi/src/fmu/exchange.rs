//! The [`ContinuousModel`] over the binary of an FMU.

use super::{Fmu, LoadError, LoadOptions, loaded};
use crate::binding::library::LoadedLibrary;
use crate::binding::{Interface, Table};
use crate::driver::{self, Loaded, Request};
use consort_core::model::CallResult;
use consort_core::{
    ContinuousDescription, ContinuousInstance, ContinuousModel, Instantiation, ModelDescription,
};
use std::path::Path;
use std::sync::Arc;

/// An FMU whose binary is loaded for Model Exchange: what makes instances for a solver.
pub struct ExchangeModel {
    loaded: Arc<Loaded>,
    table: Table,
    continuous: ContinuousDescription,
}

impl ExchangeModel {
    /// Loads `binary` as [`FmuModel::load`](super::FmuModel::load) does, also of an FMU that has
    /// Co-Simulation as well.
    ///
    /// # Errors
    /// If the FMU has no Model Exchange, or its binary cannot be loaded or lacks a function.
    pub fn load(
        fmu: Arc<Fmu>,
        binary: &Path,
        lane: String,
        options: &LoadOptions,
    ) -> Result<ExchangeModel, LoadError> {
        let interface = Interface::ModelExchange;
        let exchange = fmu.model_exchange()?;
        let continuous = exchange.continuous.clone();
        let library = LoadedLibrary::open(binary, &exchange.model_identifier, interface, options)?;
        let description = ModelDescription {
            kind: format!("{} {}", fmu.description.version.name(), interface.name()),
            capabilities: exchange.capabilities.clone(),
            ..fmu.description.model.clone()
        };
        let (loaded, table) = loaded(fmu, library, interface, description, lane)?;
        Ok(ExchangeModel { loaded, table, continuous })
    }
}

impl ContinuousModel for ExchangeModel {
    fn description(&self) -> &ModelDescription {
        &self.loaded.description
    }

    fn continuous(&self) -> &ContinuousDescription {
        &self.continuous
    }

    fn instantiate(
        &self,
        instantiation: &Instantiation<'_>,
    ) -> CallResult<Box<dyn ContinuousInstance>> {
        let request = self.loaded.request(Interface::ModelExchange, instantiation)?;
        // There is no Model Exchange without event mode.
        let request = Request { event_mode: true, ..request };
        let loaded = Arc::clone(&self.loaded);
        driver::instantiate_exchange(&self.table, request, loaded, &self.continuous)
    }
}
