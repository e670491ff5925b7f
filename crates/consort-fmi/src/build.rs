//! How a source FMU is compiled: `sources/buildDescription.xml` of FMI 3, or the
//! `SourceFiles` of FMI 2 in the same form.

use crate::archive::{ArchiveLimits, path_fault, plain};
use crate::xml::{self, Kind, Node, Reader, elements, shorten};
use consort_core::{Diagnostic, Report, Span};
use consort_xml::Codes;

/// How to build an FMU from its sources.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BuildDescription {
    /// One per interface and platform; see [`BuildDescription::configuration`].
    pub configurations: Vec<BuildConfiguration>,
}

/// How to build one binary.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BuildConfiguration {
    /// The base name of the binary.
    pub model_identifier: String,
    /// The only platform this is for, such as `x86_64-linux`; `None` for all.
    pub platform: Option<String>,
    /// Files that are compiled in the same way, in order.
    pub source_file_sets: Vec<SourceFileSet>,
    /// Libraries to link.
    pub libraries: Vec<Library>,
}

/// Files that are compiled in the same way.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SourceFileSet {
    /// The language, such as `C99`.
    pub language: Option<String>,
    /// The compiler it is meant for, such as `gcc`.
    pub compiler: Option<String>,
    /// Options for that compiler.
    pub compiler_options: Option<String>,
    /// Paths below `sources`.
    pub files: Vec<String>,
    /// Macros to define.
    pub definitions: Vec<PreprocessorDefinition>,
    /// Folders below `sources` to search for headers.
    pub include_directories: Vec<String>,
}

/// A macro to define.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreprocessorDefinition {
    /// The name of the macro.
    pub name: String,
    /// Its value, if it has one.
    pub value: Option<String>,
    /// The sources also compile without it.
    pub optional: bool,
}

/// A library to link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Library {
    /// Its name, such as `m` or `hdf5`.
    pub name: String,
    /// The version it must have, as written.
    pub version: Option<String>,
    /// It is not part of the FMU but must be installed.
    pub external: bool,
}

impl BuildDescription {
    /// The configuration for a binary on a platform: one made for it, else one for all platforms.
    pub fn configuration(&self, identifier: &str, platform: &str) -> Option<&BuildConfiguration> {
        let named =
            |configuration: &&BuildConfiguration| configuration.model_identifier == identifier;
        let is_for = |wanted: Option<&str>| {
            self.configurations
                .iter()
                .filter(named)
                .find(|configuration| configuration.platform.as_deref() == wanted)
        };
        is_for(Some(platform)).or_else(|| is_for(None))
    }

    /// The description an FMI 2 FMU amounts to: its `SourceFiles`, compiled together.
    ///
    /// `None`, with diagnostics at `span`, if there are none or one would lead out of `sources`.
    pub fn from_source_files(
        identifier: &str,
        files: &[String],
        span: Option<Span>,
        report: &mut Report,
    ) -> Option<Self> {
        let files: Vec<String> = files.iter().map(|file| plain(file)).collect();
        let faults = files.iter().filter_map(|file| Some((file, fault(file)?)));
        let faults: Vec<Diagnostic> = faults.map(|(file, fault)| outside(file, fault)).collect();
        if !faults.is_empty() {
            faults.into_iter().for_each(|fault| report.push(fault.maybe_at(span, "in here")));
            return None;
        }
        if files.is_empty() {
            report.push(
                Diagnostic::error(
                    "build::no-files",
                    format!("`{identifier}` names no source files"),
                )
                .maybe_at(span, "in here")
                .help("export it with a binary for this platform, or with `SourceFiles`"),
            );
            return None;
        }
        let set = SourceFileSet { files, ..SourceFileSet::default() };
        let configuration = BuildConfiguration {
            model_identifier: identifier.to_owned(),
            source_file_sets: vec![set],
            ..BuildConfiguration::default()
        };
        Some(BuildDescription { configurations: vec![configuration] })
    }
}

static KIND: Kind = Kind {
    format: xml::format(
        "a build description",
        Codes {
            syntax: "build::syntax",
            entity: "build::entities",
            limit: "build::limit",
            missing: "build::missing",
            value: "build::value",
            attribute: "build::unknown-attribute",
            element: "build::unknown-element",
        },
        "a build description must be a well-formed XML file; export the FMU again",
    ),
    encoding: "build::encoding",
};

/// Reads a `buildDescription.xml` of FMI 3; `None` if it has any error.
pub fn read(name: &str, bytes: &[u8], report: &mut Report) -> Option<BuildDescription> {
    xml::read(name, bytes, &KIND, report, interpret)
}

fn interpret(reader: &mut Reader<'_>, root: Node<'_>) -> Option<BuildDescription> {
    let element = root.tag_name().name();
    if element != "fmiBuildDescription" {
        let message = format!("the root element is `{}`", shorten(element));
        reader.report(
            Diagnostic::error("build::root", message)
                .at(reader.tag(root), "expected `fmiBuildDescription`")
                .help("this is not the `buildDescription.xml` of an FMU"),
        );
        return None;
    }
    reader.known_elements(root, &["BuildConfiguration", "Annotations"]);
    let configurations: Vec<_> =
        named(root, "BuildConfiguration").map(|node| configuration(reader, node)).collect();
    if configurations.is_empty() {
        reader.report(
            Diagnostic::error("build::no-configuration", "there is nothing to build")
                .at(reader.tag(root), "no `BuildConfiguration` in here")
                .help("add a `BuildConfiguration` with the FMU's `modelIdentifier`"),
        );
    }
    Some(BuildDescription { configurations })
}

fn configuration(reader: &mut Reader<'_>, node: Node<'_>) -> BuildConfiguration {
    reader.known_attributes(node, &["modelIdentifier", "platform", "description"]);
    reader.known_elements(node, &["SourceFileSet", "Library", "Annotations"]);
    let help = "it is the interface of the FMU that this is for";
    let identifier = reader.required(node, "modelIdentifier", help).unwrap_or_default();
    let sets = named(node, "SourceFileSet").map(|set| source_file_set(reader, set)).collect();
    let libraries = named(node, "Library").filter_map(|found| library(reader, found)).collect();
    BuildConfiguration {
        model_identifier: identifier.to_owned(),
        platform: text(node, "platform"),
        source_file_sets: sets,
        libraries,
    }
}

fn source_file_set(reader: &mut Reader<'_>, node: Node<'_>) -> SourceFileSet {
    reader.known_attributes(node, &["name", "language", "compiler", "compilerOptions"]);
    reader.known_elements(
        node,
        &["SourceFile", "PreprocessorDefinition", "IncludeDirectory", "Annotations"],
    );
    SourceFileSet {
        language: text(node, "language"),
        compiler: text(node, "compiler"),
        compiler_options: text(node, "compilerOptions"),
        files: named(node, "SourceFile").filter_map(|file| path(reader, file)).collect(),
        definitions: named(node, "PreprocessorDefinition")
            .filter_map(|found| definition(reader, found))
            .collect(),
        include_directories: named(node, "IncludeDirectory")
            .filter_map(|found| path(reader, found))
            .collect(),
    }
}

fn definition(reader: &mut Reader<'_>, node: Node<'_>) -> Option<PreprocessorDefinition> {
    reader.known_attributes(node, &["name", "value", "optional", "description"]);
    let name = reader.required(node, "name", "name the macro to define")?;
    let is_word = |c: char| c == '_' || c.is_ascii_alphanumeric();
    if name.is_empty()
        || !name.chars().all(is_word)
        || name.starts_with(|c: char| c.is_ascii_digit())
    {
        let message = format!("`{}` is not the name of a macro", shorten(name).escape_debug());
        reader.report(
            Diagnostic::error("build::macro", message)
                .at(reader.place(node, "name"), "letters, digits and `_`")
                .help("a name of another form would be an option of the compiler"),
        );
    }
    let optional = reader.flag(node, "optional");
    let value = node.attribute("value").map(str::to_owned);
    Some(PreprocessorDefinition { name: name.to_owned(), value, optional })
}

fn library(reader: &mut Reader<'_>, node: Node<'_>) -> Option<Library> {
    reader.known_attributes(node, &["name", "version", "external", "description"]);
    let name = reader.required(node, "name", "name the library to link")?;
    let external = reader.flag(node, "external");
    Some(Library { name: name.to_owned(), version: text(node, "version"), external })
}

/// The `name` of a file or folder, which must stay below `sources`.
fn path(reader: &mut Reader<'_>, node: Node<'_>) -> Option<String> {
    reader.known_attributes(node, &["name"]);
    let name = plain(reader.required(node, "name", "name it by its path below `sources`")?);
    // The folder `sources` itself, as in `<IncludeDirectory name="."/>`.
    let name = if name.is_empty() { ".".to_owned() } else { name };
    if let Some(fault) = fault(&name).filter(|_| name != ".") {
        let span = reader.place(node, "name");
        reader.report(outside(&name, fault).at(span, fault));
        return None;
    }
    Some(name)
}

/// Why a path may not be compiled; a leading `-` would be an option of the compiler.
fn fault(path: &str) -> Option<&'static str> {
    if path.starts_with('-') {
        return Some("begins with `-`");
    }
    path_fault(path, &ArchiveLimits::default()).map(|fault| fault.what)
}

fn outside(path: &str, fault: &str) -> Diagnostic {
    let message = format!("the path `{}` {fault}", shorten(path).escape_debug());
    Diagnostic::error("build::path", message)
        .help("sources are named by paths below `sources`, with `/` between folders")
}

fn text(node: Node<'_>, name: &str) -> Option<String> {
    node.attribute(name).filter(|value| !value.is_empty()).map(str::to_owned)
}

fn named<'a>(node: Node<'a>, name: &'static str) -> impl Iterator<Item = Node<'a>> {
    elements(node).filter(move |child| child.tag_name().name() == name)
}
