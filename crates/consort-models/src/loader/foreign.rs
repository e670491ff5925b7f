//! Programs of the user's own: from an interface file to a model.

use super::compiler::Compiler;
use super::kind::{Loading, ModelKind, NoEffect, Objection, ProcessRule};
use super::{LoadedModel, Loader, program};
use crate::files::cache::unreadable;
use crate::files::input_file::{InputFile, InputFileRole};
use crate::foreign::{self, ForeignChannel, ForeignModel, Interface, Launch, Start};
use crate::nearby;
use crate::request::ModelRequest;
use consort_core::{Diagnostic, ModelReference, Report};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The longest interface file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Programs of the user's own.
pub(super) struct ForeignKind;

impl ModelKind for ForeignKind {
    fn references(&self) -> &'static str {
        "the interface of a program, `foreign:FILE.toml`"
    }

    fn prefix(&self) -> Option<&'static str> {
        Some(ModelReference::FOREIGN)
    }

    fn no_effect(&self) -> NoEffect {
        let solver = Objection { why: "a program has its own solver", help: "remove it" };
        let isolation = ProcessRule::Settled(Objection {
            why: "a program is a process of its own anyway",
            help: "remove it; `saves-state = true` in its interface says that it saves its state",
        });
        NoEffect { solver: Some(solver), interface: Some(solver), isolation }
    }

    fn load(&self, loading: Loading<'_, '_>) -> Option<LoadedModel> {
        let Loading { request, name, loader, report, .. } = loading;
        loader.load_foreign(name, request, report)
    }
}

impl Loader {
    /// Gives a component, by name, the program at the other end of a channel: of one that was there before us and
    /// is not to be started.
    pub fn attach(&mut self, component: &str, channel: ForeignChannel) {
        self.channels.insert(component.to_owned(), channel);
    }

    /// The program whose interface is in a file.
    fn load_foreign(
        &mut self,
        file: &str,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<LoadedModel> {
        let request = &ModelRequest { model: file, ..*request };
        let path = request.base.join(file);
        let text = match read_file(&path) {
            Ok(text) => text,
            Err(error) => {
                let known = self.options.kinds.known();
                report.push(unread(request, &error, &known));
                return None;
            }
        };
        let Some(interface) = foreign::read(file, &text, report) else {
            if let Some(span) = request.span {
                let message = format!("`{file}` is the interface{}", request.of_component());
                let note = Diagnostic::note("model::asked-for", message);
                report.push(note.at(span, "asked for here"));
            }
            return None;
        };
        let mut inputs = vec![InputFile::of_bytes(file, text.as_bytes(), InputFileRole::Interface)];
        let (start, assumed) = self.start(&interface, &path, &mut inputs, request, report)?;
        let channel = self.channels.remove(request.component);
        let limit = self.options.call_limit;
        let model = ForeignModel::new(interface.description, start, channel, limit);
        Some(LoadedModel { model: Arc::new(model), inputs, assumed, saved_by: None })
    }

    /// How the program is started, compiled if need be; with what is worth telling.
    fn start(
        &mut self,
        interface: &Interface,
        path: &Path,
        inputs: &mut Vec<InputFile>,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<(Option<Start>, Vec<String>)> {
        let folder = folder_of(path);
        let sources = match &interface.launch {
            None => return Some((None, Vec::new())),
            Some(Launch::Command(words)) => {
                let environment = program::environment(&self.options.cache, request, report)?;
                let start = Start { words: words.clone(), folder, environment };
                return Some((Some(start), Vec::new()));
            }
            Some(Launch::Source(sources)) => sources,
        };
        if self.compiler.is_none() {
            self.compiler = Compiler::find(self.options.compiler.as_deref(), request, report);
        }
        let compiler = self.compiler.as_ref()?;
        let sources = program::sources(sources, &folder, request, report)?;
        let binary = program::compile(&sources, compiler, &self.options.cache, request, report)?;
        inputs.extend(sources.inputs(request));
        let assumed = format!("compiled `{}` with {}", request.model, compiler.title());
        let words = vec![binary.to_string_lossy().into_owned()];
        Some((Some(Start { words, folder, environment: Vec::new() }), vec![assumed]))
    }
}

/// Absolute, since a program is started in it.
fn folder_of(path: &Path) -> PathBuf {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    path.parent().unwrap_or(Path::new("/")).to_owned()
}

fn read_file(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let read = File::open(path)?.take(FILE_BYTES_MAX + 1).read_to_string(&mut text)?;
    if FILE_BYTES_MAX < read as u64 {
        return Err(io::Error::other(format!("it has more than {FILE_BYTES_MAX} bytes")));
    }
    Ok(text)
}

fn unread(request: &ModelRequest<'_>, error: &io::Error, known: &str) -> Diagnostic {
    if error.kind() != io::ErrorKind::NotFound {
        return unreadable(request, error);
    }
    let file = request.model;
    let message = format!("the interface `{file}`{} is not there", request.of_component());
    Diagnostic::error("model::missing-file", message)
        .maybe_at(request.span, "asked for here")
        .help(nearby::help(request, file, known))
}
