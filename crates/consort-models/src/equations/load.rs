//! From a file to a model.

use super::EquationsModel;
use crate::files::cache::unreadable;
use crate::files::input_file::{InputFile, InputFileRole};
use crate::request::ModelRequest;
use consort_core::{Diagnostic, Report};
use consort_equations::sbml::{is_sbml, read_sbml};
use consort_equations::{EquationModel, Equations, compile, parse, read, sbml};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

/// How equations are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// The text form of `docs/equations.md`.
    Text,
    /// In the Systems Biology Markup Language.
    Sbml,
}

/// So much of an `.xml` is looked at to see whether it is SBML.
const LOOKED_AT: u64 = 1 << 16;

impl Form {
    /// What a file is written in, by its ending and, for `.xml`, its root; `None` if it has no equations.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_string_lossy().to_ascii_lowercase();
        match ending.as_str() {
            "eq" => Some(Form::Text),
            "sbml" => Some(Form::Sbml),
            "xml" => {
                let mut start = Vec::new();
                File::open(path).ok()?.take(LOOKED_AT).read_to_end(&mut start).ok()?;
                is_sbml(&String::from_utf8_lossy(&start)).then_some(Form::Sbml)
            }
            _ => None,
        }
    }

    /// What a model of this form is, for a person.
    const fn kind(self) -> &'static str {
        match self {
            Form::Text => "equations",
            Form::Sbml => "SBML",
        }
    }

    /// The longest text that is read, in bytes.
    const fn bytes_max(self) -> usize {
        match self {
            Form::Text => parse::TEXT_MAX,
            Form::Sbml => sbml::TEXT_BYTES_MAX,
        }
    }
}

/// The compiled model in a text; `name` is what diagnostics call it. `None` if there was an error.
pub fn read_equations(
    name: &str,
    text: &[u8],
    form: Form,
    report: &mut Report,
) -> Option<Equations> {
    compile(&read_tree(name, text, form, report)?, report)
}

/// The model in a text as it is written; `None` if it cannot be read.
pub fn read_tree(
    name: &str,
    text: &[u8],
    form: Form,
    report: &mut Report,
) -> Option<EquationModel> {
    let text = match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(error) => {
            let at = error.valid_up_to();
            let message = format!("`{name}` is not text in UTF-8, from byte {at} on");
            let diagnostic = Diagnostic::error("model::not-text", message);
            report.push(diagnostic.help("let your editor save it as UTF-8"));
            return None;
        }
    };
    match form {
        Form::Text => read(name, text, report),
        Form::Sbml => read_sbml(name, text, report),
    }
}

/// The model a component asks for, and the file it is in.
pub(crate) fn load(
    form: Form,
    path: &Path,
    request: &ModelRequest<'_>,
    report: &mut Report,
) -> Option<(EquationsModel, InputFile)> {
    let text = match read_file(path, form) {
        Ok(text) => text,
        Err(error) => {
            report.push(unreadable(request, &error));
            return None;
        }
    };
    let Some(equations) = read_equations(request.model, &text, form, report) else {
        if let Some(span) = request.span {
            let message = format!("`{}` is the model{}", request.model, request.of_component());
            report.push(Diagnostic::note("model::asked-for", message).at(span, "asked for here"));
        }
        return None;
    };
    let mut model = EquationsModel::new(Arc::new(equations));
    form.kind().clone_into(&mut model.description.kind);
    Some((model, InputFile::of_bytes(request.model, &text, InputFileRole::Equations)))
}

/// Reads at most one byte more than is allowed: the parser reports that it is too long.
pub(crate) fn read_file(path: &Path, form: Form) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let most = form.bytes_max() as u64 + 1;
    File::open(path)?.take(most).read_to_end(&mut text)?;
    Ok(text)
}
