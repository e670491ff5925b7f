//! A binary that is loaded: what instances are made from, and what they keep alive.

use super::Request;
use crate::binding::Interface;
use crate::binding::context::Context;
use crate::binding::library::LoadedLibrary;
use consort_core::model::CallResult;
use consort_core::{CallError, CallStatus, Instantiation, ModelDescription};
use std::any::Any;
use std::ffi::{CStr, CString};
use std::sync::Arc;

/// What instances keep alive.
pub(crate) struct Loaded {
    pub(crate) description: ModelDescription,
    /// Before the directory it was loaded from.
    pub(crate) library: Arc<LoadedLibrary>,
    /// The token that every instance gets.
    pub(crate) token: Arc<CStr>,
    pub(crate) resources: Arc<CStr>,
    /// Last: its directory goes with it.
    pub(crate) _fmu: Arc<dyn Any + Send + Sync>,
}

impl Loaded {
    /// What an instance is made from; one that uses none of Co-Simulation's extras.
    pub(crate) fn request(
        &self,
        interface: Interface,
        from: &Instantiation<'_>,
    ) -> CallResult<Request> {
        Ok(Request {
            name: c_text(from.name, "component name")?,
            token: Arc::clone(&self.token),
            resources: Arc::clone(&self.resources),
            interface,
            verbose: from.verbose,
            event_mode: false,
            early_return: false,
            context: Context::new(from.name, Arc::clone(&from.log)),
        })
    }

    /// Keeps the library loaded to the end of the process: code of an instance that could not be
    /// freed may still run.
    pub(crate) fn pin(&self) {
        std::mem::forget(Arc::clone(&self.library));
    }
}

fn c_text(text: &str, what: &str) -> CallResult<CString> {
    CString::new(text).map_err(|_| {
        let reason = format!("the {what} contains a NUL");
        CallError::new("instantiate", CallStatus::Refused(reason))
    })
}
