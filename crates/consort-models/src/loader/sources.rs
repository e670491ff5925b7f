//! How the sources of an FMU become a binary: what is compiled, with which options.

use crate::files::cache::unreadable;
use crate::files::input_file::{sha256, tree};
use crate::request::ModelRequest;
use consort_core::{Diagnostic, Report};
use consort_fmi::build::{self, BuildConfiguration, BuildDescription, SourceFileSet};
use consort_fmi::description::FmiVersion;
use consort_fmi::fmu::{Fmu, platform};
use consort_fmi::glue;
use consort_fmi::headers::Header;
use std::fs;
use std::path::{Path, PathBuf};

/// Everything about the sources that decides the binary.
pub(super) struct FmuSources {
    /// The folder `sources`; compilers run in it, so that no absolute path gets into a binary.
    pub(super) folder: PathBuf,
    /// The base name of the binary.
    pub(super) identifier: String,
    /// What is compiled, and with which options beyond ours.
    pub(super) units: Vec<SourceUnit>,
    /// Options for the linker.
    pub(super) libraries: Vec<String>,
    /// Every file of the folder, and every supplied one, with its hash.
    pub(super) files: Vec<(String, String)>,
    /// Listed files of our own that the folder does not have, with what they include.
    pub(super) supplied: Vec<Header>,
    /// Assumptions that were made, for notes.
    pub(super) assumed: Vec<String>,
}

/// One file to compile.
pub(super) struct SourceUnit {
    pub(super) file: String,
    pub(super) options: Vec<String>,
}

impl SourceUnit {
    pub(super) fn is_cpp(&self) -> bool {
        has_ending(&self.file, &CPP_ENDINGS)
    }
}

const C_ENDINGS: [&str; 1] = ["c"];
const CPP_ENDINGS: [&str; 5] = ["cpp", "cxx", "cc", "c++", "C"];
/// Lists of source files often name these too; they are included, not compiled.
const HEADER_ENDINGS: [&str; 8] = ["h", "hh", "hpp", "hxx", "h++", "H", "inc", "inl"];

fn has_ending(file: &str, endings: &[&str]) -> bool {
    file.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending))
}

fn is_compiled(file: &str) -> bool {
    has_ending(file, &C_ENDINGS) || has_ending(file, &CPP_ENDINGS)
}

/// Reads what the FMU says about building it; `None`, with diagnostics, if that cannot be followed.
pub(super) fn read(
    fmu: &Fmu,
    is_exchange: bool,
    request: &ModelRequest<'_>,
    report: &mut Report,
) -> Option<FmuSources> {
    let interface = interface(fmu, is_exchange)?;
    let identifier = interface.identifier;
    let folder = fmu.directory().join("sources");
    let mut files = match tree(&folder) {
        Ok(files) => files,
        Err(error) => {
            report.push(unreadable(request, &error));
            return None;
        }
    };
    let mut assumed = Vec::new();
    let described = describe(&interface, &folder, &files, &mut assumed, request, report)?;
    let platform = platform(fmu.description().version);
    let configuration = described.configuration(identifier, platform);
    let configuration = configuration.or_else(|| only(&described, platform, &mut assumed));
    let Some(configuration) = configuration else {
        report.push(no_configuration(identifier, &described, request));
        return None;
    };
    let mut units = Vec::new();
    for set in &configuration.source_file_sets {
        let mut all = usual_definitions(fmu.description().version, is_exchange);
        all.extend(options(set, &mut assumed));
        let unit = |file: &String| SourceUnit { file: file.clone(), options: all.clone() };
        units.extend(compiled(set, &mut assumed).map(unit));
    }
    if units.is_empty() {
        report.push(no_sources(identifier, request));
        return None;
    }
    let listed = units.iter().map(|unit| unit.file.as_str());
    let supplied = absent(listed, &files);
    files.extend(supplied.iter().map(|(name, text)| ((*name).to_owned(), sha256(text.as_bytes()))));
    files.sort();
    check(&units, &files, request, report)?;
    let libraries = libraries(configuration, &units, &mut assumed);
    let identifier = identifier.to_owned();
    Some(FmuSources { folder, identifier, units, libraries, files, supplied, assumed })
}

/// Our own files that these listed ones need and a folder with these does not have.
fn absent<'l>(
    listed: impl IntoIterator<Item = &'l str>,
    there: &[(String, String)],
) -> Vec<Header> {
    let mut needed = glue::needed(listed);
    needed.retain(|(name, _)| !there.iter().any(|(file, _)| file == name));
    needed
}

/// Our own files that the FMU in a folder lists as sources and does not have, as paths in the FMU with
/// their texts.
pub(crate) fn supplied(fmu: &Path) -> Vec<(String, &'static str)> {
    let mut unread = Report::default();
    let folder = fmu.join("sources");
    let Some(opened) = Fmu::open(fmu, "", None, &mut unread) else { return Vec::new() };
    let Ok(there) = tree(&folder) else { return Vec::new() };
    let described = fs::read(folder.join("buildDescription.xml")).ok();
    let described = described.and_then(|bytes| build::read("", &bytes, &mut unread));
    let sets =
        described.iter().flat_map(|it| &it.configurations).flat_map(|it| &it.source_file_sets);
    let listed = sets.flat_map(|set| &set.files);
    let of_interfaces = [false, true].into_iter().filter_map(|it| interface(&opened, it));
    let listed = listed.chain(of_interfaces.flat_map(|list| list.files)).map(String::as_str);
    let placed = |(name, text): Header| (format!("sources/{name}"), text);
    absent(listed, &there).into_iter().map(placed).collect()
}

/// What the description says about the sources of an interface.
struct SourceList<'f> {
    /// The base name of the binary.
    identifier: &'f str,
    /// FMI 2 lists them here.
    files: &'f [String],
}

/// The sources of the interface that is used.
fn interface(fmu: &Fmu, is_exchange: bool) -> Option<SourceList<'_>> {
    let description = fmu.description();
    let (identifier, files) = match is_exchange {
        true => {
            description.model_exchange.as_ref().map(|it| (&it.model_identifier, &it.source_files))
        }
        false => {
            description.co_simulation.as_ref().map(|it| (&it.model_identifier, &it.source_files))
        }
    }?;
    Some(SourceList { identifier, files })
}

/// FMI 3 describes its build in a file; FMI 2 lists files, and may have the file as well.
fn describe(
    interface: &SourceList<'_>,
    folder: &Path,
    files: &[(String, String)],
    assumed: &mut Vec<String>,
    request: &ModelRequest<'_>,
    report: &mut Report,
) -> Option<BuildDescription> {
    let SourceList { identifier, files: listed } = *interface;
    if listed.is_empty()
        && let Ok(bytes) = fs::read(folder.join("buildDescription.xml"))
    {
        let name = format!("{}/sources/buildDescription.xml", request.model);
        return build::read(&name, &bytes, report);
    }
    let listed = if listed.is_empty() { found(folder, files, assumed) } else { listed.to_vec() };
    BuildDescription::from_source_files(identifier, &listed, request.span, report)
}

/// What sources expect to be defined, beyond the standard: the Reference FMUs and many others ask for
/// the version of FMI, those made with the FMU SDK for the interface. What the FMU itself defines
/// comes later and wins.
fn usual_definitions(version: FmiVersion, is_exchange: bool) -> Vec<String> {
    let number = match version {
        FmiVersion::V2 => 2,
        FmiVersion::V3 => 3,
    };
    let mut definitions = vec![format!("-DFMI_VERSION={number}")];
    definitions.extend((!is_exchange).then(|| "-DFMI_COSIMULATION".to_owned()));
    definitions
}

/// The files of a set that are compiled.
fn compiled<'s>(
    set: &'s SourceFileSet,
    assumed: &mut Vec<String>,
) -> impl Iterator<Item = &'s String> {
    let others = |file: &&String| !is_compiled(file) && !has_ending(file, &HEADER_ENDINGS);
    let others: Vec<&str> = set.files.iter().filter(others).map(String::as_str).collect();
    if !others.is_empty() {
        assumed.push(format!("listed as sources, but neither C nor C++: {}", others.join(", ")));
    }
    set.files.iter().filter(|file| is_compiled(file))
}

/// What to compile when nothing is listed: `all.c`, which by custom includes the others, else every
/// file at the top that no other includes.
fn found(folder: &Path, files: &[(String, String)], assumed: &mut Vec<String>) -> Vec<String> {
    let is_source = |file: &&str| is_compiled(file) && !file.contains('/');
    let names = || files.iter().map(|(file, _)| file.as_str());
    let all = names().filter(|file| *file == "all.c");
    let mut found: Vec<String> = all.map(str::to_owned).collect();
    if found.is_empty() {
        let included = included(folder, names().filter(is_source));
        let is_alone = |file: &&str| !included.iter().any(|other| other == file);
        found = names().filter(is_source).filter(is_alone).map(str::to_owned).collect();
    }
    if !found.is_empty() {
        assumed.push(format!("no source files are listed; took {}", found.join(", ")));
    }
    found
}

/// What these files include in quotes.
fn included<'f>(folder: &Path, files: impl Iterator<Item = &'f str>) -> Vec<String> {
    let mut included = Vec::new();
    for text in files.filter_map(|file| fs::read(folder.join(file)).ok()) {
        let text = String::from_utf8_lossy(&text);
        let directives = text.lines().filter_map(|line| line.trim().strip_prefix('#'));
        let names = directives.filter_map(|line| line.trim_start().strip_prefix("include"));
        let names = names.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next());
        included.extend(names.map(str::to_owned));
    }
    included
}

/// The one configuration there is, whatever it is called: tools forget to rename it.
fn only<'d>(
    described: &'d BuildDescription,
    platform: &str,
    assumed: &mut Vec<String>,
) -> Option<&'d BuildConfiguration> {
    let [configuration] = described.configurations.as_slice() else { return None };
    if configuration.platform.as_deref().is_some_and(|other| other != platform) {
        return None;
    }
    let name = &configuration.model_identifier;
    assumed.push(format!("took the only `BuildConfiguration`, which is that of `{name}`"));
    Some(configuration)
}

fn no_configuration(
    identifier: &str,
    described: &BuildDescription,
    request: &ModelRequest<'_>,
) -> Diagnostic {
    let name = |configuration: &BuildConfiguration| match &configuration.platform {
        Some(platform) => format!("`{}` for {platform}", configuration.model_identifier),
        None => format!("`{}`", configuration.model_identifier),
    };
    let there: Vec<String> = described.configurations.iter().map(name).collect();
    let message = format!("`{}` does not say how to build `{identifier}`", request.model);
    Diagnostic::error("model::no-build-configuration", message)
        .maybe_at(request.span, "asked for here")
        .with_note(format!("it says how to build {}", there.join(", ")))
        .help("add a `BuildConfiguration` with that `modelIdentifier` to `buildDescription.xml`")
}

fn no_sources(identifier: &str, request: &ModelRequest<'_>) -> Diagnostic {
    let message = format!("`{}` lists no C or C++ file for `{identifier}`", request.model);
    Diagnostic::error("model::no-sources", message)
        .maybe_at(request.span, "asked for here")
        .help("export it with a binary for this platform, or with its sources listed")
}

/// Every listed file must be there.
fn check(
    units: &[SourceUnit],
    files: &[(String, String)],
    request: &ModelRequest<'_>,
    report: &mut Report,
) -> Option<()> {
    let before = report.error_count();
    for unit in units {
        if !files.iter().any(|(file, _)| *file == unit.file) {
            let message = format!("`{}` has no file `sources/{}`", request.model, unit.file);
            let names = files.iter().map(|(file, _)| file.as_str());
            let nearest = consort_core::diagnostic::nearest_name(&unit.file, names);
            let help = match nearest {
                Some(nearest) => format!("did you mean `sources/{nearest}`?"),
                None => "it is listed as a source file: export the FMU again".to_owned(),
            };
            let diagnostic = Diagnostic::error("model::missing-source", message);
            report.push(diagnostic.maybe_at(request.span, "asked for here").help(help));
        }
    }
    (report.error_count() == before).then_some(())
}

fn options(set: &SourceFileSet, assumed: &mut Vec<String>) -> Vec<String> {
    let include = |folder: &String| format!("-I{folder}");
    let mut options: Vec<String> = set.include_directories.iter().map(include).collect();
    for definition in set.definitions.iter().filter(|definition| !definition.optional) {
        options.push(match &definition.value {
            Some(value) => format!("-D{}={value}", definition.name),
            None => format!("-D{}", definition.name),
        });
    }
    let given = set.compiler_options.as_deref().unwrap_or_default();
    let is_ours = set.compiler.as_deref().is_none_or(is_gcc_like);
    for option in given.split_whitespace() {
        if is_ours && is_harmless(option) {
            options.push(option.to_owned());
        } else {
            assumed.push(format!("the compiler option `{option}` was left out"));
        }
    }
    options
}

fn is_gcc_like(compiler: &str) -> bool {
    ["gcc", "clang", "cc"].iter().any(|name| compiler.to_ascii_lowercase().contains(name))
}

/// Options that change the code and nothing else: an FMU may not have the compiler write, read or
/// run something of its choice.
fn is_harmless(option: &str) -> bool {
    const ALLOWED: [&str; 9] = ["-O", "-f", "-W", "-m", "-D", "-U", "-std=", "-g", "-pthread"];
    const BARRED: [&str; 6] = ["-fplugin", "-fdump", "-fprofile", "-Wl,", "-Wa,", "-Wp,"];
    ALLOWED.iter().any(|start| option.starts_with(start))
        && !BARRED.iter().any(|start| option.starts_with(start))
}

fn libraries(
    configuration: &BuildConfiguration,
    units: &[SourceUnit],
    assumed: &mut Vec<String>,
) -> Vec<String> {
    let mut libraries = Vec::new();
    for library in &configuration.libraries {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_+.-".contains(c);
        if library.name.chars().all(is_plain) && !library.name.is_empty() {
            libraries.push(format!("-l{}", library.name));
        } else {
            assumed.push(format!("the library `{}` was left out", library.name));
        }
    }
    if units.iter().any(SourceUnit::is_cpp) {
        libraries.push("-lstdc++".to_owned());
    }
    libraries.push("-lm".to_owned());
    libraries
}
