//! What is at the path that a component names.

use crate::equations::Form;
use crate::nearby;
use crate::request::ModelRequest;
use consort_core::{Diagnostic, Report};
use std::fs;
use std::path::Path;

/// What a file or folder holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Fmu(Stored),
    Equations(Form),
}

/// How an FMU is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stored {
    Archive,
    Folder,
}

/// What is at `path`; `None`, with a diagnostic, if that is no model.
pub(super) fn kind(path: &Path, request: &ModelRequest<'_>, report: &mut Report) -> Option<Kind> {
    let model = request.model;
    let tell = |code: &'static str, what: &str, help: String| {
        let message = format!("the model `{model}`{} {what}", request.of_component());
        Diagnostic::error(code, message).maybe_at(request.span, "asked for here").help(help)
    };
    let is_fmu = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("fmu"));
    let diagnostic = match fs::metadata(path) {
        Ok(data) if data.is_dir() && path.join("modelDescription.xml").is_file() => {
            return Some(Kind::Fmu(Stored::Folder));
        }
        Ok(data) if data.is_file() && is_fmu => return Some(Kind::Fmu(Stored::Archive)),
        Ok(data) if data.is_dir() => {
            let help = "an FMU folder has `modelDescription.xml` in it";
            let system = if request.is_in_system() { "" } else { ", a system's has `system.toml`" };
            tell("model::unknown-kind", "is a folder but no FMU", format!("{help}{system}"))
        }
        Ok(_) if path.file_name().is_some_and(|name| name == "modelDescription.xml") => {
            let help = "name the folder instead of the file in it";
            tell("model::unknown-kind", "is a part of an FMU", help.to_owned())
        }
        Ok(_) => match Form::of(path) {
            Some(form) => return Some(Kind::Equations(form)),
            None if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("xml")) => {
                let help = "the first element of an SBML file is `<sbml>`, with level and version";
                tell("model::unknown-kind", "is no SBML", help.to_owned())
            }
            None => tell(
                "model::unknown-kind",
                "is of a kind Consort does not know",
                nearby::KNOWN.to_owned(),
            ),
        },
        Err(_) => match model.split_once(':') {
            Some((scheme, rest)) if !scheme.contains('/') => {
                let help = format!(
                    "the prefixes are `native:` and `foreign:`; did you mean `native:{rest}`?"
                );
                tell("model::unknown-kind", "has an unknown prefix", help)
            }
            _ => {
                let missing =
                    tell("model::missing-file", "is not there", nearby::help(request, model));
                match request.searched {
                    [] => missing,
                    places => missing.with_note(format!("looked for in {}", places.join(", "))),
                }
            }
        },
    };
    report.push(diagnostic);
    None
}
