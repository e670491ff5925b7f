//! The binary of an FMU that is being made.

use super::Loader;
use crate::files::cache::{prepare, unusable, work_folder};
use crate::request::ModelRequest;
use consort_core::Report;
use consort_fmi::fmu::{Fmu, platform};
use std::fs;
use std::io;
use std::path::Path;

impl Loader {
    /// The binary for this machine of an FMU with these files, as a further file of it. Compiled as those of source
    /// FMUs are, and kept in the same cache.
    ///
    /// `None`, with diagnostics, if there is no compiler or it complains.
    pub fn binary_of(
        &mut self,
        files: &[(String, Vec<u8>)],
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<(String, Vec<u8>)> {
        let part = self.options.cache.join("build");
        prepare(&part, request, report)?;
        let failed = |error: io::Error| unusable(&part, request.span, &error);
        let work = work_folder(&part).map_err(|error| report.push(failed(error))).ok()?;
        write(files, work.path()).map_err(|error| report.push(failed(error))).ok()?;
        let fmu = Fmu::open(work.path(), request.model, request.span, report)?;
        let is_exchange = fmu.description().co_simulation.is_none();
        let binary = self.compile(&fmu, is_exchange, request, report)?.binary;
        let bytes = fs::read(&binary).map_err(|error| report.push(failed(error))).ok()?;
        let name = binary.file_name()?.to_string_lossy().into_owned();
        let folder = platform(fmu.description().version);
        Some((format!("binaries/{folder}/{name}"), bytes))
    }
}

fn write(files: &[(String, Vec<u8>)], folder: &Path) -> io::Result<()> {
    for (path, bytes) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, bytes)?;
    }
    Ok(())
}
