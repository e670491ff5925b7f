//! `consort state-check MODEL...`: how faithfully the states of models can be saved, by which provider, and at which cost.

mod checked;
mod corpus;
mod figures;
mod formulas;
mod progress;
mod summary;

use crate::cli::{Global, StateCheckArgs, TextFormat};
use crate::outcome::{CommandError, CommandResult, Exit};
use crate::output::answer::answer;
use crate::output::printer::Printer;
use crate::pipeline::{self, trials};
use checked::{Checked, Outcome};
use consort::load::not_loaded;
use consort::run::settings::option_source;
use consort_core::{Interface, Model, Provider, Report};
use consort_models::fidelity::{CheckOptions, Conditions, Examiner, Given, Subject, Verdicts};
use consort_models::loader::Loader;
use consort_models::{Asked, LoadedModel, ModelRequest};
use progress::Progress;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Checks models, one after another.
pub(crate) fn execute(args: &StateCheckArgs, global: &Global, printer: &Printer) -> CommandResult {
    let models = match &args.corpus {
        Some(folder) => corpus::models(folder, pipeline::loader(global, None).kinds())?,
        None => args.models.clone(),
    };
    let format = args.format.or_json(args.json);
    let is_single = args.corpus.is_none() && models.len() == 1;
    let mut progress = Progress::new(printer.progress(), models.len());
    let mut all = Vec::with_capacity(models.len());
    for model in &models {
        progress.at(all.len(), model);
        let checked = check(model, args, global);
        match &checked.outcome {
            Outcome::NotLoaded(report) if is_single => {
                progress.end();
                return Err(not_loaded(model, report.clone()).into());
            }
            _ => {}
        }
        if format == TextFormat::Text {
            progress.end();
            show(&checked, args, printer)?;
        }
        all.push(checked);
    }
    progress.end();
    if format == TextFormat::Json {
        let found = summary::to_json(&all);
        printer.data(answer("state-check", exit(&all), &Report::default(), found))?;
    } else if args.corpus.is_some() || 1 < all.len() {
        printer.data(summary::text(&all))?;
    }
    if let Some(folder) = &args.out {
        write(folder, &all)?;
        printer.say(&format!("figures and `state-check.json` are in `{}`", folder.display()));
    }
    Ok(exit(&all))
}

fn show(checked: &Checked, args: &StateCheckArgs, printer: &Printer) -> Result<(), CommandError> {
    if let Outcome::NotLoaded(report) = &checked.outcome {
        printer.report(report, "");
    }
    let text = match args.corpus {
        Some(_) => checked.line(),
        None => checked.text(),
    };
    Ok(printer.data(text)?)
}

fn exit(all: &[Checked]) -> Exit {
    match () {
        () if all.iter().any(|checked| matches!(checked.outcome, Outcome::NotLoaded(_))) => {
            Exit::Failed
        }
        () if all.iter().all(Checked::is_exact) => Exit::Done,
        () => Exit::No,
    }
}

fn options(args: &StateCheckArgs, global: &Global) -> CheckOptions {
    CheckOptions {
        epsilon: args.epsilon,
        delta: args.delta,
        trials: args.trials,
        tau: args.tau,
        bound: args.bound,
        horizon: args.horizon,
        seed: args.seed,
        conditions: Conditions { step: args.step, ..Conditions::default() },
        budget: global.budget,
    }
}

/// The verdicts of one model.
fn check(model: &str, args: &StateCheckArgs, global: &Global) -> Checked {
    let mut report = Report::default();
    let mut loader = pipeline::loader(global, args.python_library.as_deref());
    let is_ours = is_ours(&loader, model);
    let providers = providers(is_ours, global);
    // Equations in a corpus have no interfaces, and are checked as ever.
    let is_asked = args.corpus.is_none() || !is_ours;
    let interface = args.interface().filter(|_| is_asked).map(|value| {
        let span = Some(option_source("interface", value.name(), &mut report));
        Asked { value, span }
    });
    let subject = Named { model, interface };
    let Some(loaded) = load(&mut loader, subject, providers[0], &mut report) else {
        return Checked { name: model.to_owned(), outcome: Outcome::NotLoaded(report) };
    };
    let cache = pipeline::cache_dir(global);
    let known = if args.fresh { Verdicts::anew(&cache) } else { Verdicts::open(&cache) };
    let files = Subject::new(&loaded.inputs, loaded.model.description(), Given::default());
    let mut make = |provider: Provider| make(&mut loader, subject, provider);
    let options = options(args, global);
    let examiner = Examiner::new(&files, options, Some(&known), &mut make);
    let mut examiner = examiner.with_progress(Some(trials::progress(global)));
    let verdicts = providers.iter().map(|&provider| examiner.verdict(provider)).collect();
    Checked::judged(model, loaded.model.description(), &options, verdicts)
}

/// A model as it was named, and the interface by which it is used if it is an FMU.
#[derive(Clone, Copy)]
struct Named<'a> {
    model: &'a str,
    interface: Option<Asked<Interface>>,
}

fn make(
    loader: &mut Loader,
    named: Named<'_>,
    provider: Provider,
) -> Result<Arc<dyn Model>, String> {
    let mut report = Report::default();
    let loaded = load(loader, named, provider, &mut report);
    let reason = || report.diagnostics().first().map(|it| it.message.clone());
    loaded.map(|loaded| loaded.model).ok_or_else(|| reason().unwrap_or_default())
}

/// The model, with instances that save their states by a provider: FMUs in processes of their own.
fn load(
    loader: &mut Loader,
    named: Named<'_>,
    provider: Provider,
    report: &mut Report,
) -> Option<LoadedModel> {
    let mut request = ModelRequest::new(named.model, Path::new(""));
    request.solving.interface = named.interface;
    if !is_ours(loader, named.model) {
        request.isolate = Some(Asked { value: true, span: None });
        request.state = Some(Asked { value: provider, span: None });
    }
    let loaded = loader.load(&request, report)?;
    (!report.has_errors()).then_some(loaded)
}

/// Native blocks and equations: their states are values, which no other provider can save better.
fn is_ours(loader: &Loader, model: &str) -> bool {
    loader.kinds().saves_itself(&ModelRequest::new(model, Path::new("")))
}

/// The providers that could save the states of a model, best first.
fn providers(is_ours: bool, global: &Global) -> Vec<Provider> {
    let is_allowed = |it: &Provider| global.providers.is_empty() || global.providers.contains(it);
    match is_ours {
        true => vec![Provider::Native],
        false => {
            Provider::ALL.map(|(provider, _)| provider).into_iter().filter(is_allowed).collect()
        }
    }
}

/// Leaves figures and what was found in a folder.
fn write(folder: &Path, all: &[Checked]) -> Result<(), CommandError> {
    fs::create_dir_all(folder).map_err(|error| CommandError::unwritable(folder, &error))?;
    let mut files = figures::draw(all);
    files.push(("state-check.json".to_owned(), format!("{:#}\n", summary::to_json(all))));
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| CommandError::unwritable(&path, &error))?;
    }
    Ok(())
}
