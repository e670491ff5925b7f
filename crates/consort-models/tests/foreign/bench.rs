//! A program on a bench: loaded from files, stepped on a grid, read by name.

use consort_core::{
    CallError, Diagnostic, Instance, Instantiation, LogEntry, ModelDescription, Prng, Reference,
    Report, Resolution, Setup, Step, Tag, Time, Values, VariableId,
};
use consort_models::foreign::ForeignChannel;
use consort_models::{LoadedModel, Loader, LoaderOptions, ModelRequest};
use std::fs;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A folder with files, and a cache.
pub(crate) struct Shop {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) call_limit: Option<Duration>,
}

impl Shop {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        Shop { folder, call_limit: None }
    }

    pub(crate) fn loader(&self) -> Loader {
        let mut options = LoaderOptions::new(cache());
        options.call_limit = self.call_limit;
        Loader::new(options)
    }

    pub(crate) fn load(&self, channel: Option<UnixStream>) -> Result<LoadedModel, String> {
        load(self.loader(), self.folder.path(), "foreign:it.toml", channel)
    }

    /// A live instance that was not initialized.
    pub(crate) fn fresh(&self, channel: Option<UnixStream>) -> Result<Bench, Box<CallError>> {
        Bench::fresh(&self.load(channel).unwrap())
    }
}

/// One cache for all tests of a process: the C library is compiled often enough.
fn cache() -> PathBuf {
    static CACHE: Mutex<Option<tempfile::TempDir>> = Mutex::new(None);
    let mut cache = CACHE.lock().unwrap();
    let folder = cache.get_or_insert_with(|| tempfile::tempdir().unwrap());
    folder.path().to_owned()
}

pub(crate) fn load(
    mut loader: Loader,
    base: &Path,
    model: &str,
    channel: Option<UnixStream>,
) -> Result<LoadedModel, String> {
    let component = "it";
    if let Some(stream) = channel {
        loader.attach(component, ForeignChannel::new(stream));
    }
    let request = ModelRequest { component, ..ModelRequest::new(model, base) };
    let mut report = Report::default();
    let loaded = loader.load(&request, &mut report);
    loaded.filter(|_| !report.has_errors()).ok_or_else(|| render_all(&report))
}

/// Diagnostics as plain text, with what they point at.
pub(crate) fn render_all(report: &Report) -> String {
    let render = |diagnostic: &Diagnostic| {
        let (code, message) = (diagnostic.code, &diagnostic.message);
        let mut text = format!("{}[{code}]: {message}\n", diagnostic.severity);
        for label in diagnostic.primary.iter().chain(&diagnostic.labels) {
            let source = report.source(label.span.source);
            text += &format!("  `{}`: {}\n", &source.text[label.span.range()], label.text);
        }
        let notes = diagnostic.notes.iter().map(|note| format!("  note: {note}\n"));
        text.extend(notes);
        text.extend(diagnostic.help.iter().map(|help| format!("  help: {help}\n")));
        text
    };
    report.diagnostics().iter().map(render).collect()
}

/// A live program and its grid of 0.1 s.
pub(crate) struct Bench {
    pub(crate) description: ModelDescription,
    pub(crate) instance: Box<dyn Instance>,
    pub(crate) log: Arc<Mutex<Vec<String>>>,
    resolution: Resolution,
    now: Time,
}

impl Bench {
    pub(crate) fn fresh(loaded: &LoadedModel) -> Result<Self, Box<CallError>> {
        let log = Arc::new(Mutex::new(Vec::new()));
        let lines = Arc::clone(&log);
        let instance = loaded.model.instantiate(&Instantiation {
            name: "it",
            prng: Prng::new(1),
            log: Arc::new(move |entry: &LogEntry| {
                lines.lock().unwrap().push(entry.message.clone());
            }),
            verbose: false,
            event_mode: false,
            early_return: false,
            elsewhere: false,
        })?;
        let description = loaded.model.description().clone();
        let resolution = Resolution::NANOSECOND;
        Ok(Bench { description, instance, log, resolution, now: Time::ZERO })
    }

    pub(crate) fn initialize(&mut self) -> Result<(), Box<CallError>> {
        self.instance.enter_initialization(&Setup {
            resolution: self.resolution,
            start: Time::ZERO,
            stop: Some(Time::from_ticks(1_000_000_000)),
            tolerance: None,
        })?;
        self.instance.exit_initialization()
    }

    pub(crate) fn step(&mut self) -> Result<(), Box<CallError>> {
        let to = Time::from_ticks(self.now.ticks() + 100_000_000);
        let step = Step {
            from: Tag { time: self.now, microstep: 0 },
            to,
            start: self.resolution.to_f64(self.now),
            length: 0.1,
        };
        self.instance.step(&step)?;
        self.now = to;
        Ok(())
    }

    fn reference(&self, name: &str) -> (VariableId, Reference) {
        let id = self.description.variable(name).unwrap();
        (id, self.description.variables[id.index()].reference)
    }

    pub(crate) fn set(&mut self, name: &str, values: &Values) -> Result<(), Box<CallError>> {
        let (_, reference) = self.reference(name);
        self.instance.set(&[reference], values.view())
    }

    pub(crate) fn set_real(&mut self, name: &str, value: f64) {
        self.set(name, &Values::Float64(vec![value])).unwrap();
    }

    pub(crate) fn get(&mut self, name: &str, count: usize) -> Values {
        let (id, reference) = self.reference(name);
        let mut values = Values::zeros(self.description.variables[id.index()].value_type, count);
        self.instance.get(&[reference], values.slice_mut(0, count)).unwrap();
        values
    }

    pub(crate) fn real(&mut self, name: &str) -> f64 {
        self.get(name, 1).view().as_f64(0).unwrap()
    }

    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }
}
