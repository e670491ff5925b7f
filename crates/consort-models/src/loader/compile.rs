//! Compiling the sources of an FMU, once per content.

use super::cache::{prepare, settle, unusable, work_folder};
use super::compiler::Compiler;
use super::input_file::{InputFile, Role, sha256, sha256_of_tree};
use super::recipe::{Recipe, SourceUnit};
use crate::request::ModelRequest;
use consort_core::{Diagnostic, Report};
use consort_fmi::headers::{self, Header};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// To be counted up when something below changes what comes out.
const RECIPE: u32 = 2;

/// Before the FMU's own options, so that those win. Contraction to fused multiply-add depends on the
/// machine. The macros keep the functions' names as the standard has them: the first two are the
/// standard headers', the last is 20-sim's.
const OPTIONS: [&str; 8] = [
    "-O2",
    "-fPIC",
    "-std=gnu11",
    "-ffp-contract=off",
    "-w",
    "-DFMI2_OVERRIDE_FUNCTION_PREFIX",
    "-DFMI3_OVERRIDE_FUNCTION_PREFIX",
    "-DNO_FUNCTION_PREFIX",
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

/// The binary of a recipe, from the cache or made now; `None`, with diagnostics, if it cannot be made.
pub(super) fn compile(
    recipe: &Recipe,
    compiler: &Compiler,
    cache: &Path,
    request: &ModelRequest<'_>,
    report: &mut Report,
) -> Option<Compiled> {
    let builds = cache.join("build");
    let folder = builds.join(key(recipe, compiler));
    let binary = folder.join(library_name(recipe));
    if !binary.is_file() {
        prepare(&builds, request, report)?;
        match build(recipe, compiler, &builds, &folder) {
            Ok(()) => {}
            Err(BuildError::Compiler(failed)) => {
                report.push(failed.diagnostic(recipe, request));
                return None;
            }
            Err(BuildError::Cache(error)) => {
                report.push(unusable(&builds, request.span, &error));
                return None;
            }
        }
    }
    let source = |(file, sha256): &(String, String)| InputFile {
        path: format!("{}/sources/{file}", request.model),
        sha256: sha256.clone(),
        role: Role::Source,
    };
    let sources = recipe.files.iter().map(source).collect();
    let mut assumed = recipe.assumed.clone();
    assumed.push(format!("compiled `{}` with {}", request.model, compiler.title()));
    Some(Compiled { binary, sources, assumed })
}

fn library_name(recipe: &Recipe) -> String {
    format!("{}.so", recipe.identifier)
}

/// The hash of everything that decides the binary.
fn key(recipe: &Recipe, compiler: &Compiler) -> String {
    let mut text = format!("recipe {RECIPE}\nsources {}\n", sha256_of_tree(&recipe.files));
    text += &format!("compiler {}\n{}\n", compiler.path.display(), compiler.version);
    for unit in &recipe.units {
        text += &format!("compile {:?}\n", compile_arguments(unit));
    }
    text += &format!("link {LINK_OPTIONS:?} {} {:?}\n", library_name(recipe), recipe.libraries);
    for (name, header) in standard_headers() {
        text += &format!("header {name} {}\n", sha256(header.as_bytes()));
    }
    sha256(text.as_bytes())
}

/// Options that need no absolute path.
fn compile_arguments(unit: &SourceUnit) -> Vec<String> {
    let ours = OPTIONS.iter().map(|option| (*option).to_owned());
    let theirs = unit.options.iter().cloned();
    let file = ["-c".to_owned(), format!("./{}", unit.file)];
    ours.chain(["-I.".to_owned()]).chain(theirs).chain(file).collect()
}

enum BuildError {
    Compiler(Failed),
    Cache(io::Error),
}

impl From<io::Error> for BuildError {
    fn from(error: io::Error) -> Self {
        BuildError::Cache(error)
    }
}

/// Works beside the destination and moves the result there whole.
fn build(
    recipe: &Recipe,
    compiler: &Compiler,
    builds: &Path,
    destination: &Path,
) -> Result<(), BuildError> {
    let work = work_folder(builds)?;
    let work_path = work.path().canonicalize()?;
    let (headers, result) = (work_path.join("headers"), work_path.join("result"));
    fs::create_dir(&headers)?;
    fs::create_dir(&result)?;
    for (name, header) in standard_headers() {
        fs::write(headers.join(name), header)?;
    }
    let mut objects = Vec::new();
    for (index, unit) in recipe.units.iter().enumerate() {
        let object = work_path.join(format!("{index}.o"));
        let mut command = Command::new(&compiler.path);
        command.args(compile_arguments(unit)).arg("-o").arg(&object);
        command.arg("-idirafter").arg(&headers);
        run(command, recipe)?;
        objects.push(object);
    }
    let mut command = Command::new(&compiler.path);
    command.args(LINK_OPTIONS).arg("-o").arg(result.join(library_name(recipe)));
    command.args(&objects).args(&recipe.libraries);
    run(command, recipe)?;
    Ok(settle(&result, destination, &library_name(recipe))?)
}

fn run(mut command: Command, recipe: &Recipe) -> Result<(), BuildError> {
    let output = command.current_dir(&recipe.folder).env("LC_ALL", "C").output()?;
    if output.status.success() {
        return Ok(());
    }
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(BuildError::Compiler(Failed { command: words.join(" "), said }))
}

/// A compiler that did not succeed.
struct Failed {
    command: String,
    said: String,
}

/// The most of a compiler's words that are shown.
const LINES_MAX: usize = 30;
const LINE_CHARS_MAX: usize = 200;

impl Failed {
    fn diagnostic(&self, recipe: &Recipe, request: &ModelRequest<'_>) -> Diagnostic {
        let message = format!(
            "the sources of `{}` cannot be compiled to `{}`",
            request.model,
            library_name(recipe)
        );
        Diagnostic::error("model::compile-failed", message)
            .maybe_at(request.span, "has no binary for this platform")
            .with_note(format!("the compiler says:\n{}", shortened(&self.said)))
            .with_note(format!("the command, in `{}/sources`:\n{}", request.model, self.command))
            .help("repair the sources, or export the FMU with a binary for this platform")
    }
}

pub(super) fn shortened(said: &str) -> String {
    let count = said.lines().count();
    let mut lines: Vec<String> = said
        .lines()
        .take(LINES_MAX)
        .map(|line| line.chars().take(LINE_CHARS_MAX).collect())
        .collect();
    if LINES_MAX < count {
        lines.push(format!("... and {} more lines", count - LINES_MAX));
    }
    lines.join("\n")
}
