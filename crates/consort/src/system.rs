//! A system, and what is changed of it before it is planned.

use crate::load::{self, Source};
use crate::models::ModelOptions;
use crate::recording::ReadyRun;
use crate::request::{Changes, FormOptions, RunRequest};
use consort_core::{Diagnostic, Report, Seconds};
use consort_formats::{is_component_name, parse_assignment};
use consort_run::Error;
use consort_run::{Prepared, Resumed};
use consort_system::{Component, Connection, Spanned};
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// A system that is to be planned and run: read from a `system.toml`, an SSP, a multi-model, a folder with one, or a
/// model alone (`.fmu`, `.eq`, SBML, `native:NAME`); or built by a [`SystemBuilder`].
#[derive(Debug)]
pub struct System {
    source: Source,
    changes: Changes,
    models: ModelOptions,
    /// The texts that its places point into, and what is wrong with the changes.
    report: Report,
}

impl System {
    /// Reads the system at a path. Its models are loaded by [`System::prepare`], when it is known what is changed of it.
    ///
    /// # Errors
    /// Everything that is wrong with what is written there, at once.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::load_form(path, FormOptions::default())
    }

    /// The same for a system of several files: the variant of an SSP, the further files of a multi-model.
    ///
    /// # Errors
    /// As [`System::load`].
    pub fn load_form(path: impl AsRef<Path>, form: FormOptions) -> Result<Self, Error> {
        let models = ModelOptions::default();
        let (source, report) = load::read(path.as_ref(), &form, &models)?;
        let changes = Changes { form, ..Changes::default() };
        Ok(System { source, changes, models, report })
    }

    /// Begins a system in code. Paths of its models are relative to `folder`.
    pub fn build(name: &str, folder: impl Into<PathBuf>) -> SystemBuilder {
        let system = consort_system::SystemDescription {
            name: name.to_owned(),
            experiment: consort_system::Experiment::default(),
            components: Vec::new(),
            connections: Vec::new(),
            interventions: Vec::new(),
            inputs: None,
            nodes: Vec::new(),
        };
        SystemBuilder { system, folder: folder.into() }
    }

    /// What is written: components, connections, experiment.
    pub fn description(&self) -> &consort_system::SystemDescription {
        self.source.system()
    }

    /// Gives a parameter, input or start value of the system another value: `component.variable`, or `variable` of a model
    /// alone. The value is written as in a system file: `0.5`, `true`, `20 cm`, `[1, 2]`.
    #[must_use]
    pub fn set(mut self, variable: &str, value: impl Display) -> Self {
        self.changes.set.push(format!("{variable}={value}"));
        self
    }

    /// Stops at another time, in seconds: `10`, `0.5`, `"1/3"`.
    #[must_use]
    pub fn stop(mut self, seconds: impl Display) -> Self {
        self.changes.stop = self.seconds(&seconds);
        self
    }

    /// Communicates at other times: every so many seconds.
    #[must_use]
    pub fn step(mut self, seconds: impl Display) -> Self {
        self.changes.step = self.seconds(&seconds);
        self
    }

    fn seconds(&mut self, seconds: &dyn Display) -> Option<Seconds> {
        let parsed = seconds.to_string().parse::<Seconds>();
        let wrong = |error: &dyn Display| {
            Diagnostic::error("cli::bad-time", error.to_string())
                .help("give a number of seconds, such as `0.01` or `1/30`")
        };
        parsed.map_err(|error| self.report.push(wrong(&error))).ok()
    }

    /// Records what matches these patterns, too.
    #[must_use]
    pub fn record(mut self, pattern: &str) -> Self {
        self.changes.record.push(pattern.to_owned());
        self
    }

    /// States will be saved: models that cannot save theirs faithfully are run in processes of their own, which needs
    /// the [program](crate::program::find) `consort`.
    #[must_use]
    pub fn saved(mut self) -> Self {
        (self.models.loader.saving, self.models.loader.portable) = (true, true);
        self
    }

    /// Everything that may be changed of it.
    pub fn changes_mut(&mut self) -> &mut Changes {
        &mut self.changes
    }

    /// The options for making its models.
    pub fn models_mut(&mut self) -> &mut ModelOptions {
        &mut self.models
    }

    /// The same system with other changes, for a caller that runs it in several ways at once. Its models are made in the
    /// same way; a program that has started this process stays with the first.
    #[must_use]
    pub fn changed(&self, changes: Changes) -> Self {
        let (loader, on_trial) = (self.models.loader.clone(), self.models.on_trial.clone());
        let models = ModelOptions { loader, on_trial, foreign: None };
        System { source: self.source.clone(), changes, models, report: self.report.clone() }
    }

    /// Loads the models, looks everything up, and plans the order of computation.
    ///
    /// # Errors
    /// Everything that is wrong with the system and its changes, at once.
    pub fn prepare(&self) -> Result<Prepared, Error> {
        let (source, report) = (self.source.clone(), self.report.clone());
        load::prepare_source(source, &self.changes, &self.models, report)
    }
}

impl System {
    /// A run of it from start to end that leaves a record in the request's folder: manifest, trace, log, plot, snapshots.
    /// The request says how it is carried out (workers, nodes, saves); what is run is this system, with its changes. Node
    /// processes need the [program](crate::program::find) `consort`.
    ///
    /// The record of a system that was built in code can be replayed once [`SystemBuilder::to_toml`] is a file
    /// `system.toml` in its folder.
    ///
    /// # Errors
    /// Everything that is wrong with the system and the request.
    pub fn recorded(&self, request: RunRequest) -> Result<ReadyRun, Error> {
        let (system, changes) = (self.source.path().to_owned(), self.changes.clone());
        let request = RunRequest { system, changes, ..request };
        let resumed = request.resume.as_deref().map(Resumed::read_whole).transpose()?;
        let System { source, mut models, report, .. } = self.changed(Changes::default());
        models.loader.saving |= request.has_snapshots();
        models.loader.portable |= request.has_snapshots();
        let prepared = load::prepare_source(source, &self.changes, &models, report)?;
        ReadyRun::of(request, prepared, resumed, &models)
    }
}

/// A system that is built in code, part by part. What does not fit is found by [`System::prepare`], as in a file.
#[derive(Clone, Debug)]
pub struct SystemBuilder {
    system: consort_system::SystemDescription,
    folder: PathBuf,
}

impl SystemBuilder {
    /// Adds a component: its name, and its model as in a system file (a path or `native:NAME`).
    #[must_use]
    pub fn component(mut self, name: &str, model: &str) -> Self {
        let component = Component::new(written(name), written(model));
        self.system.components.push(component);
        self
    }

    /// Connects an output to an input: `component.variable` both.
    #[must_use]
    pub fn connect(mut self, from: &str, to: &str) -> Self {
        self.system.connections.push(Connection::new(written(from), written(to)));
        self
    }

    /// Gives a parameter, input or start value a value, as [`System::set`] does. It is part of the system: [`to_toml`]
    /// writes it.
    ///
    /// [`to_toml`]: SystemBuilder::to_toml
    ///
    /// # Errors
    /// If the text names no component that was added, or no variable.
    pub fn set(mut self, variable: &str, value: impl Display) -> Result<Self, Error> {
        let assignment = parse_assignment(&format!("{variable}={value}"));
        let applied = assignment.and_then(|assignment| assignment.apply(&mut self.system));
        applied.map(|()| self).map_err(|problem| Error::invalid(*problem))
    }

    /// What else a system file can say: experiment, nodes, interventions, options of components and connections.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut consort_system::SystemDescription)) -> Self {
        change(&mut self.system);
        self
    }

    /// The system as a file, which the command line and other programs read. It belongs in the folder of the builder.
    pub fn to_toml(&self) -> String {
        consort_formats::write_system(&self.system)
    }

    /// The system, to be changed and prepared.
    pub fn finish(self) -> System {
        let mut report = Report::default();
        let names = self.system.components.iter().map(|component| component.name.value.as_str());
        names.filter(|name| !is_component_name(name)).for_each(|name| report.push(bad_name(name)));
        System {
            source: Source::built(self.system, &self.folder),
            changes: Changes::default(),
            models: ModelOptions::default(),
            report,
        }
    }
}

fn bad_name(name: &str) -> Diagnostic {
    let message = format!("{name:?} cannot be the name of a component");
    Diagnostic::error("system::bad-name", message).help(
        "a name consists of letters, digits, `_` and `-`; a dot would separate a component from its variable",
    )
}

fn written(text: &str) -> Spanned<String> {
    Spanned::assumed(text.to_owned())
}
