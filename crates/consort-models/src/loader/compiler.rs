//! The system's C compiler.

use crate::request::ModelRequest;
use consort_core::{Diagnostic, Report};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A C compiler that answered.
pub(super) struct Compiler {
    path: PathBuf,
    /// What is given to it first, as in `CC="ccache gcc"`.
    arguments: Vec<String>,
    /// What it says about itself; a new compiler makes new binaries.
    pub(super) version: String,
}

impl Compiler {
    /// The compiler asked for, else that of `CC`, else `cc`; `None`, with a diagnostic, if there is none.
    pub(super) fn find(
        asked: Option<&Path>,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<Compiler> {
        let variable = env::var("CC").unwrap_or_default();
        let mut words = variable.split_whitespace();
        let (name, arguments, is_of_environment) = match (asked, words.next()) {
            (Some(asked), _) => (asked, Vec::new(), false),
            (None, Some(name)) => (Path::new(name), words.map(str::to_owned).collect(), true),
            (None, None) => (Path::new("cc"), Vec::new(), false),
        };
        let answered = answering(name, arguments);
        if answered.is_none() {
            report.push(absent(name, is_of_environment, request));
        }
        answered
    }

    /// A command of it, to which files and options are added.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.args(&self.arguments);
        command
    }

    /// How it is called: its path, and what is given to it first.
    pub(super) fn called(&self) -> String {
        let path = self.path.display().to_string();
        [path].iter().chain(&self.arguments).cloned().collect::<Vec<_>>().join(" ")
    }

    /// The first line of its version.
    pub(super) fn title(&self) -> &str {
        self.version.lines().next().unwrap_or_default()
    }
}

/// The compiler of that name, if it says which version it is.
fn answering(name: &Path, arguments: Vec<String>) -> Option<Compiler> {
    let path = resolve(name)?;
    let mut compiler = Compiler { path, arguments, version: String::new() };
    let output = compiler.command().arg("--version").env("LC_ALL", "C").output().ok()?;
    compiler.version = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some(compiler)
}

/// A bare name is looked for on the search path.
fn resolve(name: &Path) -> Option<PathBuf> {
    if 1 < name.components().count() {
        return name.is_file().then(|| name.to_owned());
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn absent(name: &Path, is_of_environment: bool, request: &ModelRequest<'_>) -> Diagnostic {
    let message = format!(
        "`{}` must be compiled, but there is no C compiler `{}`",
        request.model,
        name.display()
    );
    Diagnostic::error("model::no-compiler", message)
        .maybe_at(request.span, "has no binary for this platform")
        .help(match is_of_environment {
            true => "`CC` names it: set it to the name or path of a C compiler, or unset it",
            false => "install one (`apt install gcc` on Debian), or export the FMU with a binary",
        })
}
