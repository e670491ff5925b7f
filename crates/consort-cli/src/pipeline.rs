//! What the library loads, with the options of the command line.

pub(crate) mod trials;

use crate::cli::{ExperimentArgs, Global};
use crate::outcome::CommandError;
use crate::output::printer::Printer;
use consort::{Changes, ForeignProgram, FormOptions, ModelOptions};
use consort_core::{ModelDescription, Report};
use consort_models::loader::{HostOptions, Limits, Loader, LoaderOptions, default_cache_dir};
use consort_system::System;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};

pub(crate) use consort::load::{
    InputHash, Loaded, Prepared, is_neither, is_started_by_hand, is_system, keepable, not_loaded,
    number, option_source, recording, sha256, system_file, time,
};

/// Everything before the first instance is made.
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
    Ok(consort::prepare(path, &changes(args), &models(args, global)?)?)
}

/// The same, of a system that is changed after its models were loaded; what is wrong goes to the
/// report.
///
/// # Errors
/// If there is no system at all.
pub(crate) fn prepare_changed(
    path: &Path,
    args: &ExperimentArgs,
    global: &Global,
    report: &mut Report,
    change: &dyn Fn(&mut System, &[Option<&ModelDescription>]),
) -> Result<Option<Prepared>, CommandError> {
    let models = models(args, global)?;
    Ok(consort::load::prepare_changed(path, &changes(args), &models, report, change)?)
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
    Ok(consort::load::load(path, &changes(args), &models(args, global)?, report)?)
}

/// Where unpacked and compiled models are kept.
pub(crate) fn cache_dir(global: &Global) -> PathBuf {
    global.cache_dir.clone().unwrap_or_else(default_cache_dir)
}

/// A loader for one model alone.
pub(crate) fn loader(global: &Global, python_library: Option<&Path>) -> Loader {
    Loader::new(loader_options(global, python_library))
}

/// What every loader is told.
fn loader_options(global: &Global, python_library: Option<&Path>) -> LoaderOptions {
    let mut options = LoaderOptions::new(cache_dir(global));
    options.python_library = python_library.map(Path::to_owned);
    options.host = Some(host(global, &options.cache));
    options.call_limit = global.call_limit;
    options.budget = global.budget;
    options.limited_to(&global.providers)
}

/// Models that live apart are served by this very program, also if its file is replaced meanwhile.
fn host(global: &Global, cache: &Path) -> HostOptions {
    let mut limits = Limits::default();
    limits.silence = global.call_limit.unwrap_or(limits.silence);
    HostOptions {
        program: PathBuf::from("/proc/self/exe"),
        arguments: vec!["host".into()],
        limits,
        scratch: cache.join("workers"),
    }
}

/// How the options want models to be made.
///
/// # Errors
/// If a program has started this one and there is no channel to it.
fn models(args: &ExperimentArgs, global: &Global) -> Result<ModelOptions, CommandError> {
    let loader = LoaderOptions {
        saving: args.saving,
        portable: args.portable,
        ..loader_options(global, args.python_library.as_deref()).limited_to(&args.providers)
    };
    let foreign = args.foreign.as_ref().map(|component| {
        let channel = std::io::stdin().as_fd().try_clone_to_owned()?;
        Ok::<_, std::io::Error>(ForeignProgram { component: component.clone(), channel })
    });
    let on_trial = Some(trials::progress(global));
    Ok(ModelOptions { loader, on_trial, foreign: foreign.transpose()? })
}

/// What the options change of a system.
fn changes(args: &ExperimentArgs) -> Changes {
    let args = args.clone();
    Changes {
        start: args.start,
        stop: args.stop,
        step: args.step,
        seed: args.seed,
        set: args.set,
        order: args.order,
        continuous: args.continuous,
        loops: args.loops,
        on_divergence: args.on_divergence,
        delay: args.delay,
        solver: args.solver,
        tolerance: args.tolerance,
        solver_step: args.solver_step,
        input: args.input,
        record: args.record,
        isolate: args.isolate,
        form: FormOptions { variant: args.form.variant, with: args.form.with },
    }
}
