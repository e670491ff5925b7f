//! Compiling a program of the user's own with our C library, once per content.

use super::build::{BuildError, Failed, Product, folder_of, run};
use super::compiler::Compiler;
use crate::files::cache::{prepare, settle, unusable, work_folder};
use crate::files::input_file::{InputFile, InputFileRole, sha256, sha256_of_tree};
use crate::foreign::{C_LIBRARY, PYTHON_PACKAGE};
use crate::nearby;
use crate::request::ModelRequest;
use consort_core::{Diagnostic, Report, Span};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// To be counted up when something below changes what comes out.
const RECIPE: u32 = 1;

/// Contraction to fused multiply-add depends on the machine.
const OPTIONS: [&str; 4] = ["-O2", "-std=gnu11", "-ffp-contract=off", "-Wall"];

/// What the program is called in the cache.
const PROGRAM: &str = "program";

/// The files of a program, and their hashes.
pub(super) struct ProgramSources {
    folder: PathBuf,
    sources: Vec<String>,
    /// Those, and the headers beside the interface.
    files: Vec<(String, String)>,
}

impl ProgramSources {
    /// The files for the manifest.
    pub(super) fn inputs(&self, request: &ModelRequest<'_>) -> Vec<InputFile> {
        let beside = |file: &str| {
            let path = Path::new(request.model).with_file_name(file);
            path.to_string_lossy().into_owned()
        };
        let file = |(file, sha256): &(String, String)| InputFile {
            path: beside(file),
            sha256: sha256.clone(),
            role: InputFileRole::Source,
        };
        self.files.iter().map(file).collect()
    }

    /// The hash of everything that decides the binary.
    fn key(&self, compiler: &Compiler) -> String {
        let mut text = format!("program {RECIPE}\nsources {:?}\n", self.sources);
        text += &format!("files {}\n{OPTIONS:?}\n", sha256_of_tree(&self.files));
        text += &format!("compiler {}\n{}\n", compiler.called(), compiler.version);
        for (name, content) in C_LIBRARY {
            text += &format!("library {name} {}\n", sha256(content.as_bytes()));
        }
        sha256(text.as_bytes())
    }
}

/// What is compiled; `None`, with diagnostics, if a file is missing.
pub(super) fn sources(
    named: &[(String, Span)],
    folder: &Path,
    request: &ModelRequest<'_>,
    report: &mut Report,
) -> Option<ProgramSources> {
    let before = report.error_count();
    let mut files = Vec::new();
    for (name, span) in named {
        match fs::read(folder.join(name)) {
            Ok(bytes) => files.push((name.clone(), sha256(&bytes))),
            Err(error) => report.push(missing(name, *span, folder, &error)),
        }
    }
    match headers(folder) {
        Ok(headers) => files.extend(headers),
        Err(error) => report.push(crate::files::cache::unreadable(request, &error)),
    }
    files.sort();
    files.dedup();
    let sources = named.iter().map(|(name, _)| name.clone()).collect();
    (report.error_count() == before).then(|| {
        let folder = folder.to_owned();
        ProgramSources { folder, sources, files }
    })
}

fn missing(name: &str, span: Span, folder: &Path, error: &io::Error) -> Diagnostic {
    let message = format!("the source `{name}` cannot be read: {}", error.kind());
    let beside = ModelRequest { component: "program", ..ModelRequest::new(name, folder) };
    let help = nearby::help(&beside, name, "");
    let is_known = help.starts_with("did you mean");
    let help = if is_known { help } else { "sources are found beside the interface".to_owned() };
    Diagnostic::error("foreign::no-source", message).at(span, "named here").help(help)
}

/// The headers in a folder: a program may include them.
fn headers(folder: &Path) -> io::Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_some_and(|end| end == "h") && path.is_file() {
            found.push((name, sha256(&fs::read(&path)?)));
        }
    }
    Ok(found)
}

/// The program, from the cache or made now; `None`, with a diagnostic, if it cannot be made.
pub(super) fn compile(
    sources: &ProgramSources,
    compiler: &Compiler,
    cache: &Path,
    request: &ModelRequest<'_>,
    report: &mut Report,
) -> Option<PathBuf> {
    let product =
        Product { part: cache.join("programs"), key: sources.key(compiler), file: PROGRAM };
    let make = |work: &Path, result: &Path| build(sources, compiler, work, &result.join(PROGRAM));
    let binary = product.get(request, report, make, |failed| cannot_compile(failed, request))?;
    Some(binary.canonicalize().unwrap_or(binary))
}

fn build(
    sources: &ProgramSources,
    compiler: &Compiler,
    work: &Path,
    program: &Path,
) -> Result<(), BuildError> {
    let library = folder_of(work.join("library"), C_LIBRARY)?;
    let mut command = compiler.command();
    command.args(OPTIONS).arg("-I").arg(&library).arg("-I.");
    command.arg("-o").arg(program).args(&sources.sources);
    command.arg(library.join("consort.c")).arg("-lm");
    run(command, &sources.folder)
}

/// What a program finds that is no C: the package for Python, wherever the program is.
pub(super) fn environment(
    cache: &Path,
    request: &ModelRequest<'_>,
    report: &mut Report,
) -> Option<Vec<(&'static str, OsString)>> {
    let bindings = cache.join("bindings");
    prepare(&bindings, request, report)?;
    let settled = bindings_in(&bindings);
    let settled = settled.map_err(|error| report.push(unusable(&bindings, request.span, &error)));
    let python = settled.ok()?.join("python");
    let others = env::var_os("PYTHONPATH").unwrap_or_default();
    let paths = [python].into_iter().chain(env::split_paths(&others));
    let paths = env::join_paths(paths.filter(|path| !path.as_os_str().is_empty())).ok()?;
    let cache = cache.canonicalize().unwrap_or_else(|_| cache.to_owned());
    Some(vec![
        ("PYTHONPATH", paths),
        ("CONSORT_CACHE", cache.into_os_string()),
        // Nothing is written beside the programs.
        ("PYTHONDONTWRITEBYTECODE", "1".into()),
    ])
}

/// The files of `bindings`, once per content.
fn bindings_in(folder: &Path) -> io::Result<PathBuf> {
    let package = PYTHON_PACKAGE.map(|(name, text)| (format!("python/consort/{name}"), text));
    let library = C_LIBRARY.map(|(name, text)| (format!("c/{name}"), text));
    let files: Vec<(String, &str)> = library.into_iter().chain(package).collect();
    let last = "python/consort/node.py";
    let hashes = files.iter().map(|(name, text)| (name.clone(), sha256(text.as_bytes())));
    let place = folder.join(sha256_of_tree(&hashes.collect::<Vec<_>>()));
    if !place.join(last).is_file() {
        let work = work_folder(folder)?;
        let made = work.path().join("made");
        for (name, text) in &files {
            let path = made.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&made))?;
            fs::write(path, text)?;
        }
        settle(&made, &place, last)?;
    }
    place.canonicalize()
}

fn cannot_compile(failed: &Failed, request: &ModelRequest<'_>) -> Diagnostic {
    let message = format!("the program of `{}` cannot be compiled", request.model);
    Diagnostic::error("model::compile-failed", message)
        .maybe_at(request.span, "asked for here")
        .with_note(failed.words())
        .help("repair the sources that its interface names")
}
