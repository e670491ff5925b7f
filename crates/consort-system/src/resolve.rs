//! From what was written to what it means, or everything that is wrong with it.

use crate::resolved::ResolvedSystem;
use crate::system::System;
use consort_core::{ModelDescription, Report};

/// Looks everything up and checks that it fits.
///
/// `models` has one entry per component, `None` where the model could not be loaded (that was
/// reported already; what refers to such a component is passed over). Returns `None` if `report`
/// holds any error about this system.
pub fn resolve(
    _system: &System,
    _models: &[Option<&ModelDescription>],
    _report: &mut Report,
) -> Option<ResolvedSystem> {
    None
}
