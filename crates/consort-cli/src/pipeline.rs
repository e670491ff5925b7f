//! Loads systems by the library, with the options of the command line.

pub(crate) mod trials;

use crate::cli::{ExperimentArgs, Global};
use crate::outcome::CommandError;
use crate::output::printer::Printer;
use consort::{Loaded, ModelOptions, Prepared, load};
use consort_core::Report;
use consort_models::loader::{Loader, default_cache_dir};
use std::path::{Path, PathBuf};

/// Loads and plans a system.
///
/// # Errors
/// Everything that is wrong with the system and the options, at once.
pub(crate) fn prepare(
    path: &Path,
    args: &ExperimentArgs,
    global: &Global,
    printer: &Printer,
) -> Result<Prepared, CommandError> {
    let _waiting = printer.waiting(&format!("loading {}", path.display()));
    let mut report = Report::default();
    let changes = args.changes(global, &mut report);
    Ok(load::prepare(path, &changes, &models(global), report)?)
}

/// Reads a system and loads its models; what is wrong goes to the report.
///
/// # Errors
/// If there is no system at all.
pub(crate) fn load(
    path: &Path,
    args: &ExperimentArgs,
    global: &Global,
    report: &mut Report,
) -> Result<Option<Loaded>, CommandError> {
    let changes = args.changes(global, report);
    Ok(load::load(path, &changes, &models(global), report)?)
}

/// Where unpacked and compiled models are kept.
pub(crate) fn cache_dir(global: &Global) -> PathBuf {
    global.cache_dir.clone().unwrap_or_else(default_cache_dir)
}

/// A loader for one model alone.
pub(crate) fn loader(global: &Global, python_library: Option<&Path>) -> Loader {
    let mut options = models(global);
    options.loader.python_library = python_library.map(Path::to_owned);
    options.loader()
}

/// How models are made. Those that live in processes of their own are served by this very program, also if its file is
/// replaced meanwhile.
pub(crate) fn models(global: &Global) -> ModelOptions {
    let program = Some(PathBuf::from("/proc/self/exe"));
    let mut models = ModelOptions::served_by(cache_dir(global), program);
    let loader = &mut models.loader;
    if let Some(host) = &mut loader.host {
        host.limits.silence = global.call_limit.unwrap_or(host.limits.silence);
    }
    (loader.call_limit, loader.budget) = (global.call_limit, global.budget);
    loader.providers.retain(|it| global.providers.is_empty() || global.providers.contains(it));
    models.on_trial = Some(trials::progress(global));
    models
}
