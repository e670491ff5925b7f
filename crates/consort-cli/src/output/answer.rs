//! Answers for programs: one JSON object on standard output, whatever the command.
//!
//! Every object begins with the same keys; `docs/json.md` lists them and what each command adds.

use crate::outcome::Exit;
use consort::diagnostics::to_json;
use consort_core::Report;
use serde_json::{Map, Value, json};

/// The answer of a command; `found` is an object with what it found, whose keys stand beside those of every answer.
pub(crate) fn answer(command: &str, exit: Exit, report: &Report, found: Value) -> String {
    let diagnostics = report.diagnostics().iter().map(|it| to_json(it, report));
    let mut answer = Map::new();
    answer.insert("command".to_owned(), command.into());
    answer.insert("exit".to_owned(), json!(exit as u8));
    answer.insert("diagnostics".to_owned(), diagnostics.collect());
    if let Value::Object(found) = found {
        answer.extend(found);
    }
    format!("{:#}\n", Value::Object(answer))
}
