//! A system, and what is changed of it before it is planned.

use crate::load;
use crate::models::ModelOptions;
use crate::request::Changes;
use consort_core::{Diagnostic, Report, Seconds};
use consort_run::Error;
use consort_run::Prepared;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// A system that is to be planned and run: a `system.toml`, an SSP, a multi-model, a folder with one, or a model alone
/// (`.fmu`, `.eq`, SBML, `native:NAME`).
#[derive(Debug)]
pub struct System {
    path: PathBuf,
    changes: Changes,
    models: ModelOptions,
    /// What is wrong with the changes.
    report: Report,
}

impl System {
    /// Reads the system at a path. Its models are loaded by [`System::prepare`], when it is known what is changed of it.
    ///
    /// # Errors
    /// Everything that is wrong with what is written there, at once.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let system = System {
            path: path.as_ref().to_owned(),
            changes: Changes::default(),
            models: ModelOptions::default(),
            report: Report::default(),
        };
        let mut report = Report::default();
        load::read(&system.path, &system.changes, &system.models, &mut report)?;
        if report.has_errors() { Err(Error::Invalid { report }) } else { Ok(system) }
    }

    /// Gives a parameter, input or start value of the system another value: `component.variable`, or `variable` of a model
    /// alone. The value is written as in a system file: `0.5`, `true`, `20 cm`, `[1, 2]`.
    #[must_use]
    pub fn set(mut self, variable: &str, value: impl Display) -> Self {
        self.changes.set.push(format!("{variable}={value}"));
        self
    }

    /// Stops at another time, in seconds.
    #[must_use]
    pub fn stop(mut self, seconds: impl Display) -> Self {
        match seconds.to_string().parse::<Seconds>() {
            Ok(seconds) => self.changes.stop = Some(seconds),
            Err(error) => self.report.push(
                Diagnostic::error("cli::bad-time", error.to_string())
                    .help("give a number of seconds, such as `0.01` or `1/30`"),
            ),
        }
        self
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

    /// How its models are made.
    pub fn models_mut(&mut self) -> &mut ModelOptions {
        &mut self.models
    }

    /// Loads the models, looks everything up, and plans the order of computation.
    ///
    /// # Errors
    /// Everything that is wrong with the system and its changes, at once.
    pub fn prepare(&self) -> Result<Prepared, Error> {
        load::prepare(&self.path, &self.changes, &self.models, self.report.clone())
    }
}
