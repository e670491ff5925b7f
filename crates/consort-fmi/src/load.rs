//! How a binary is loaded, and why an FMU cannot be, in a form that helps.

use consort_core::{Diagnostic, Span};
use std::fmt;
use std::path::{Path, PathBuf};

/// How to load a binary.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LoadOptions {
    /// The interpreter's library for FMUs written in Python; without it `python3` is asked.
    pub python_library: Option<PathBuf>,
}

/// Why a model could not be made from an FMU. Nothing runs then.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// The FMU has no Co-Simulation interface.
    NoCoSimulation {
        /// The name by which the user refers to it.
        name: String,
        /// It has a Model Exchange interface instead.
        model_exchange: bool,
    },
    /// The FMU has no Model Exchange interface.
    NoModelExchange {
        /// The name by which the user refers to it.
        name: String,
    },
    /// There is no binary for this machine. Compile the sources, or ask for another export.
    NoBinary {
        /// The name by which the user refers to it.
        name: String,
        /// The folder a binary would be in.
        platform: &'static str,
        /// The folders there are.
        platforms: Vec<String>,
        /// The file that was looked for.
        wanted: String,
        /// Binaries of other names, none of them the only one.
        found: Vec<String>,
        /// Sources could be compiled.
        has_sources: bool,
    },
    /// The binary lacks a function of the standard.
    MissingFunction {
        /// The path of the binary.
        library: PathBuf,
        /// The name of the function.
        function: &'static str,
        /// The interface that needs it, as the standard calls it.
        interface: &'static str,
    },
    /// The binary uses a function that is not defined.
    UnresolvedSymbol {
        /// The path of the binary.
        library: PathBuf,
        /// The name of the function.
        symbol: String,
    },
    /// The binary needs a library that is not installed.
    MissingLibrary {
        /// The path of the binary.
        library: PathBuf,
        /// The library it needs.
        needs: String,
    },
    /// The binary needs a Python interpreter and none was found.
    NoPython {
        /// The path of the binary.
        library: PathBuf,
        /// The interpreter libraries that were tried, with the loader's messages.
        tried: Vec<String>,
    },
    /// The file is no library for this machine.
    NotALibrary {
        /// The path of the binary.
        library: PathBuf,
        /// The message of the loader.
        reason: String,
    },
}

impl LoadError {
    /// Sorts the messages of the dynamic loader.
    pub(crate) fn from_dlopen(library: &Path, message: &str) -> Self {
        const UNDEFINED: &str = "undefined symbol: ";
        const NOT_FOUND: &str = ": cannot open shared object file";
        let library = library.to_owned();
        if let Some((_, symbol)) = message.split_once(UNDEFINED) {
            let end = symbol.find([' ', ',', '\n']).unwrap_or(symbol.len());
            return LoadError::UnresolvedSymbol { library, symbol: symbol[..end].to_owned() };
        }
        match message.split_once(NOT_FOUND) {
            Some((needs, _)) if Path::new(needs) != library => {
                LoadError::MissingLibrary { needs: needs.to_owned(), library }
            }
            _ => {
                // The path is one of our cache, and its last part is in the message anyway.
                let own = format!("{}: ", library.display());
                let reason = message.strip_prefix(&own).unwrap_or(message).to_owned();
                LoadError::NotALibrary { library, reason }
            }
        }
    }

    /// The diagnostic for the user; `name` is the name of the FMU, `span` the place of that name.
    pub fn diagnostic(&self, name: &str, span: Option<Span>) -> Diagnostic {
        let diagnostic = Diagnostic::error(self.code(), self.sentence(&format!(" of `{name}`")));
        let diagnostic = diagnostic.maybe_at(span, "used here");
        self.notes().into_iter().fold(diagnostic, Diagnostic::with_note).help(self.help())
    }

    fn code(&self) -> &'static str {
        match self {
            LoadError::NoCoSimulation { .. } => "fmi::no-co-simulation",
            LoadError::NoModelExchange { .. } => "fmi::no-model-exchange",
            LoadError::NoBinary { .. } => "fmi::no-binary",
            LoadError::MissingFunction { .. } => "fmi::missing-function",
            LoadError::UnresolvedSymbol { .. } => "fmi::unresolved-symbol",
            LoadError::MissingLibrary { .. } => "fmi::missing-library",
            LoadError::NoPython { .. } => "fmi::no-python",
            LoadError::NotALibrary { .. } => "fmi::not-a-library",
        }
    }

    /// Facts beside the message: the message of the dynamic loader, what there is instead.
    pub(crate) fn notes(&self) -> Vec<String> {
        match self {
            LoadError::NoBinary { wanted, found, platform, platforms, .. } => {
                // Binaries for this platform are named below.
                let others = platforms.iter().filter(|other| other.as_str() != *platform);
                let others: Vec<String> = others.cloned().collect();
                let has = |platforms: &str| format!("it has binaries for {platforms}");
                let several = |found: &str| format!("it has {found}, none of them `{wanted}`");
                let mut notes = Vec::new();
                if !others.is_empty() {
                    notes.push(has(&quoted(&others)));
                }
                if !found.is_empty() {
                    notes.push(several(&quoted(found)));
                }
                notes
            }
            LoadError::NoPython { tried, .. } => tried.clone(),
            LoadError::NotALibrary { reason, .. } => vec![reason.clone()],
            _ => Vec::new(),
        }
    }

    fn help(&self) -> String {
        match self {
            LoadError::NoCoSimulation { model_exchange: true, .. } => {
                "export the FMU for Co-Simulation, or use its Model Exchange interface".to_owned()
            }
            LoadError::NoCoSimulation { .. } => "export the FMU for Co-Simulation".to_owned(),
            LoadError::NoModelExchange { .. } => "export the FMU for Model Exchange".to_owned(),
            LoadError::NoBinary { has_sources: true, .. } => {
                "it has sources: with a C compiler a binary can be made from them".to_owned()
            }
            LoadError::NoBinary { platform, .. } => {
                format!("export the FMU for `{platform}`, or with its sources")
            }
            LoadError::MissingFunction { function, interface, .. } => {
                format!("every {interface} FMU exports `{function}`: export the FMU again")
            }
            LoadError::UnresolvedSymbol { .. } => {
                "the FMU was linked without a library it uses: ask its author for a complete one"
                    .to_owned()
            }
            LoadError::MissingLibrary { needs, .. } => {
                format!("install what provides `{needs}`, or add its folder to `LD_LIBRARY_PATH`")
            }
            LoadError::NoPython { .. } => {
                "install the interpreter's library: `apt install libpython3.11` on Debian 12"
                    .to_owned()
            }
            LoadError::NotALibrary { .. } => {
                "the file may be damaged or made for another machine: export the FMU again"
                    .to_owned()
            }
        }
    }
}

impl LoadError {
    /// What is wrong; `of` follows the name of a binary and names its FMU.
    fn sentence(&self, of: &str) -> String {
        let binary = |library: &Path| format!("`{}`{of}", file_name(library));
        match self {
            LoadError::NoCoSimulation { name, model_exchange: true } => {
                format!("`{name}` is for Model Exchange only")
            }
            LoadError::NoCoSimulation { name, .. } => {
                format!("`{name}` has no Co-Simulation interface")
            }
            LoadError::NoModelExchange { name } => {
                format!("`{name}` has no Model Exchange interface")
            }
            LoadError::NoBinary { name, platform, .. } => {
                format!("`{name}` has no binary for this platform, `{platform}`")
            }
            LoadError::MissingFunction { library, function, .. } => {
                format!("{} has no function `{function}`", binary(library))
            }
            LoadError::UnresolvedSymbol { library, symbol } => {
                format!("{} uses the undefined symbol `{symbol}`", binary(library))
            }
            LoadError::MissingLibrary { library, needs } => {
                format!("{} needs `{needs}`, which is not installed", binary(library))
            }
            LoadError::NoPython { library, .. } => {
                format!("{} needs a Python interpreter", binary(library))
            }
            LoadError::NotALibrary { library, .. } => {
                format!("{} cannot be loaded", binary(library))
            }
        }
    }
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// The binary's file name: the folder is a temporary one.
fn file_name(library: &Path) -> std::borrow::Cow<'_, str> {
    library.file_name().unwrap_or(library.as_os_str()).to_string_lossy()
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence(""))
    }
}

impl std::error::Error for LoadError {}
