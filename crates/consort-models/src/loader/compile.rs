//! Compiling the sources of an FMU, once per content.

use super::build::{BuildError, Failed, Product, folder_of, run};
use super::compiler::Compiler;
use super::sources::{FmuSources, SourceUnit};
use crate::files::input_file::{InputFile, InputFileRole, sha256, sha256_of_tree};
use crate::request::ModelRequest;
use consort_core::{Diagnostic, Report};
use consort_fmi::headers::{self, Header};
use std::path::{Path, PathBuf};

/// To be counted up when something below changes what comes out.
const RECIPE: u32 = 3;

/// Before the FMU's own options, so that those win. Contraction to fused multiply-add depends on the
/// machine. The macros keep the functions' names as the standard has them: the first two are the
/// standard headers', the third is 20-sim's, the last that of the FMU SDK and what descends from it.
const OPTIONS: [&str; 8] = [
    "-O2",
    "-fPIC",
    "-ffp-contract=off",
    "-w",
    "-DFMI2_OVERRIDE_FUNCTION_PREFIX",
    "-DFMI3_OVERRIDE_FUNCTION_PREFIX",
    "-DNO_FUNCTION_PREFIX",
    "-DDISABLE_PREFIX",
];

/// An FMU means its own functions, also where libc has one of the same name (`advance`, `step`,
/// `index`): without this, ELF takes the first in the process.
const LINK_OPTIONS: &[&str] =
    if cfg!(target_os = "macos") { &["-shared"] } else { &["-shared", "-Wl,-Bsymbolic"] };

/// The headers of the standard, which an FMU need not bring along.
fn standard_headers() -> impl Iterator<Item = Header> {
    headers::FMI2.into_iter().chain(headers::FMI3)
}

/// A binary made from sources.
pub(super) struct Compiled {
    pub(super) binary: PathBuf,
    pub(super) sources: Vec<InputFile>,
    pub(super) assumed: Vec<String>,
}

/// The binary of sources, from the cache or made now; `None`, with diagnostics, if it cannot be made.
pub(super) fn compile(
    sources: &FmuSources,
    compiler: &Compiler,
    cache: &Path,
    request: &ModelRequest<'_>,
    report: &mut Report,
) -> Option<Compiled> {
    let library = library_name(sources);
    let product =
        Product { part: cache.join("build"), key: key(sources, compiler), file: &library };
    let make = |work: &Path, result: &Path| build(sources, compiler, work, &result.join(&library));
    let explain = |failed: &Failed| cannot_compile(failed, &library, request);
    let binary = product.get(request, report, make, explain)?;
    let source = |(file, sha256): &(String, String)| InputFile {
        path: format!("{}/sources/{file}", request.model),
        sha256: sha256.clone(),
        role: InputFileRole::Source,
    };
    let mut assumed = sources.assumed.clone();
    assumed.push(format!("compiled `{}` with {}", request.model, compiler.title()));
    let sources = sources.files.iter().map(source).collect();
    Some(Compiled { binary, sources, assumed })
}

fn library_name(sources: &FmuSources) -> String {
    format!("{}.so", sources.identifier)
}

/// The hash of everything that decides the binary.
fn key(sources: &FmuSources, compiler: &Compiler) -> String {
    let mut text = format!("recipe {RECIPE}\nsources {}\n", sha256_of_tree(&sources.files));
    text += &format!("compiler {}\n{}\n", compiler.called(), compiler.version);
    for unit in &sources.units {
        text += &format!("compile {:?}\n", compile_arguments(unit));
    }
    text += &format!("link {LINK_OPTIONS:?} {} {:?}\n", library_name(sources), sources.libraries);
    for (name, header) in standard_headers() {
        text += &format!("header {name} {}\n", sha256(header.as_bytes()));
    }
    sha256(text.as_bytes())
}

/// Options that need no absolute path.
fn compile_arguments(unit: &SourceUnit) -> Vec<String> {
    let standard = if unit.is_cpp() { None } else { Some("-std=gnu11") };
    let ours = OPTIONS.into_iter().chain(standard).map(str::to_owned);
    let theirs = unit.options.iter().cloned();
    let file = ["-c".to_owned(), format!("./{}", unit.file)];
    ours.chain(["-I.".to_owned()]).chain(theirs).chain(file).collect()
}

/// Compiles and links the library.
fn build(
    sources: &FmuSources,
    compiler: &Compiler,
    work: &Path,
    library: &Path,
) -> Result<(), BuildError> {
    let headers = standard_headers().chain(sources.supplied.iter().copied());
    let headers = folder_of(work.join("headers"), headers)?;
    let mut objects = Vec::new();
    for (index, unit) in sources.units.iter().enumerate() {
        let object = work.join(format!("{index}.o"));
        let mut command = compiler.command();
        command.args(compile_arguments(unit)).arg("-o").arg(&object);
        command.arg("-idirafter").arg(&headers);
        let is_supplied = sources.supplied.iter().any(|(name, _)| *name == unit.file);
        run(command, if is_supplied { &headers } else { &sources.folder })?;
        objects.push(object);
    }
    let mut command = compiler.command();
    command.args(LINK_OPTIONS).arg("-o").arg(library).args(&objects).args(&sources.libraries);
    run(command, &sources.folder)
}

fn cannot_compile(failed: &Failed, library: &str, request: &ModelRequest<'_>) -> Diagnostic {
    let model = request.model;
    let message = format!("the sources of `{model}` cannot be compiled to `{library}`");
    Diagnostic::error("model::compile-failed", message)
        .maybe_at(request.span, "has no binary for this platform")
        .with_note(failed.words())
        .with_note(format!("the command, in `{model}/sources`:\n{}", failed.command))
        .help("repair the sources, or export the FMU with a binary for this platform")
}
