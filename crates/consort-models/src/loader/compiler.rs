//! The system's C compiler.

use crate::request::ModelRequest;
use consort_core::{Diagnostic, Report};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A C compiler that answered.
pub(super) struct Compiler {
    pub(super) path: PathBuf,
    /// What it says about itself; a new compiler makes new binaries.
    pub(super) version: String,
}

impl Compiler {
    /// The compiler asked for, or `cc`; `None`, with a diagnostic, if there is none.
    pub(super) fn find(
        asked: Option<&Path>,
        request: &ModelRequest<'_>,
        report: &mut Report,
    ) -> Option<Compiler> {
        let name = asked.unwrap_or(Path::new("cc"));
        let answered = resolve(name).and_then(|path| {
            let output = Command::new(&path).arg("--version").env("LC_ALL", "C").output().ok()?;
            let version = String::from_utf8_lossy(&output.stdout).into_owned();
            output.status.success().then_some(Compiler { path, version })
        });
        if answered.is_none() {
            report.push(absent(name, request));
        }
        answered
    }

    /// The first line of its version.
    pub(super) fn title(&self) -> &str {
        self.version.lines().next().unwrap_or_default()
    }
}

/// A bare name is looked for on the search path.
fn resolve(name: &Path) -> Option<PathBuf> {
    if 1 < name.components().count() {
        return name.is_file().then(|| name.to_owned());
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn absent(name: &Path, request: &ModelRequest<'_>) -> Diagnostic {
    let message = format!(
        "`{}` must be compiled, but there is no C compiler `{}`",
        request.model,
        name.display()
    );
    Diagnostic::error("model::no-compiler", message)
        .maybe_at(request.span, "has no binary for this platform")
        .help("install one (`apt install gcc` on Debian), or export the FMU with a binary")
}
