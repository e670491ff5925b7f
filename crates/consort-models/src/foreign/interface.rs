//! The interface of a program: a file in TOML that names its variables and says how it is started.
//!
//! Every key is in [`INTERFACE`]; a part of `docs/foreign-nodes.md` and the JSON schema `docs/schema/interface.json` are
//! made of it.

mod keys;
mod variable;

use super::{FOREIGN_KIND, STARTED_BY_HAND, table};
use consort_core::model::DefaultExperiment;
use consort_core::{
    Capabilities, Causality, DependsOn, Diagnostic, ModelDescription, ModelStructure, Refresh,
    Report, Span, Unit, Unknown, Variable, VariableId,
};
use consort_toml::{DeTable, DeValue, Entry, Mismatch, TomlCodes, TomlFormat, TomlReader, Value};
use std::path::Path;

pub use keys::INTERFACE;

/// The most elements that all variables of a program have together.
const ELEMENTS_MAX: usize = 1 << 24;

/// What a file says about a program.
pub(crate) struct Interface {
    /// What it is to a plan.
    pub(crate) description: ModelDescription,
    /// The command that starts it; none if the user starts it.
    pub(crate) launch: Option<Launch>,
}

/// How a program comes to life.
pub(crate) enum Launch {
    /// It is compiled from these files, and started.
    Source(Vec<(String, Span)>),
    /// Started by a command.
    Command(Vec<String>),
}

static FORMAT: TomlFormat = TomlFormat {
    what: "the interface of a program",
    codes: TomlCodes {
        unknown_key: "foreign::unknown-key",
        wrong_kind: "foreign::wrong-kind",
        unknown_choice: "foreign::unknown-choice",
    },
    hints: &[],
    certain: &[],
};

const TABLES: [(&str, Causality); 3] = [
    ("inputs", Causality::Input),
    ("outputs", Causality::Output),
    ("parameters", Causality::Parameter),
];

/// Reads an interface; `name` is what messages call the file. `None` if something is wrong with it.
pub(crate) fn read(name: &str, text: &str, report: &mut Report) -> Option<Interface> {
    let before = report.error_count();
    let document =
        |reader: &mut TomlReader<'_>, table: &DeTable<'_>| read_table(reader, table, name);
    let interface = consort_toml::read(&FORMAT, name, text, report, document)?;
    (report.error_count() == before).then_some(interface)
}

fn read_table(reader: &mut TomlReader<'_>, table: &DeTable<'_>, file: &str) -> Interface {
    let entries = reader.settings(table, "an interface", &keys::INTERFACE).entries;
    let mut draft = Draft::default();
    for entry in &entries {
        match (entry.key, TABLES.iter().find(|(key, _)| *key == entry.key)) {
            (_, Some((_, causality))) => draft.read_variables(reader, entry, *causality),
            ("name", _) => draft.name = text(reader, entry).filter(|name| !name.is_empty()),
            ("description", _) => draft.text = text(reader, entry),
            ("saves-state", _) => draft.saves_state = reader.boolean(entry).unwrap_or_default(),
            ("variable-step", _) => draft.fixed_step = reader.boolean(entry) == Some(false),
            ("source", _) => draft.read_source(reader, entry),
            ("command", _) => draft.read_command(reader, entry),
            _ => entry.is_not_read(),
        }
    }
    draft.check(reader, &entries);
    draft.finish(file)
}

#[derive(Default)]
struct Draft {
    name: Option<String>,
    text: Option<String>,
    saves_state: bool,
    fixed_step: bool,
    source: Option<Vec<(String, Span)>>,
    command: Option<Vec<String>>,
    variables: Vec<(Variable, Span)>,
    units: Vec<Unit>,
}

impl Draft {
    fn read_variables(
        &mut self,
        reader: &mut TomlReader<'_>,
        entry: &Entry<'_, '_>,
        causality: Causality,
    ) {
        let DeValue::Table(table) = entry.value.get_ref() else {
            let help = format!("write `[{}]`, and below it one line per variable", entry.key);
            return reader.wrong_kind(entry.key, entry.value, "a table", &help);
        };
        for entry in reader.entries(table) {
            let reference = self.variables.len();
            let read = variable::read(reader, &entry, causality, &mut self.units, reference);
            let Some(variable) = read else { continue };
            let named = self.variables.iter().find(|(known, _)| known.name == variable.name);
            if let Some((_, first)) = named {
                reader.error(
                    Diagnostic::error(
                        "foreign::twice",
                        format!("`{}` is declared twice", entry.key),
                    )
                    .at(entry.key_span, "again here")
                    .label(*first, "first here")
                    .help("a variable is an input, an output or a parameter"),
                );
                continue;
            }
            self.variables.push((variable, entry.key_span));
        }
    }

    fn read_source(&mut self, reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) {
        let help = "write the files in C as a list: `source = [\"tank.c\"]`";
        self.source = words(reader, entry, help);
    }

    fn read_command(&mut self, reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) {
        let help = "write the program and its arguments as a list: `command = [\"./tank\"]`";
        let words = words(reader, entry, help);
        self.command = words.map(|words| words.into_iter().map(|(word, _)| word).collect());
    }

    /// What can be seen only of the whole.
    fn check(&self, reader: &mut TomlReader<'_>, entries: &[Entry<'_, '_>]) {
        let span = |key: &str| entries.iter().find(|entry| entry.key == key).map(|it| it.key_span);
        if let (Some(source), Some(command)) = (span("source"), span("command")) {
            reader.error(
                Diagnostic::error("foreign::two-programs", "the program is named twice")
                    .at(command, "as a command")
                    .label(source, "as sources")
                    .help("remove one of the two"),
            );
        }
        if TABLES.iter().all(|(key, _)| span(key).is_none()) {
            reader.error(
                Diagnostic::error("foreign::no-variables", "the program has no variables")
                    .help("name them below `[inputs]`, `[outputs]` and `[parameters]`"),
            );
        }
        let count: usize = self.variables.iter().map(|(variable, _)| table::count(variable)).sum();
        if ELEMENTS_MAX < count {
            let message = format!("the variables have {count} elements, at most {ELEMENTS_MAX}");
            let diagnostic = Diagnostic::error("foreign::too-large", message);
            reader.error(diagnostic.help("exchange less, or use an FMU"));
        }
    }

    fn finish(self, file: &str) -> Interface {
        let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
        let variables: Vec<Variable> = self.variables.into_iter().map(|(it, _)| it).collect();
        let mut description = ModelDescription {
            name: self.name.unwrap_or_else(|| stem.into_owned()),
            kind: FOREIGN_KIND.to_owned(),
            structure: structure(&variables),
            variables,
            units: self.units,
            enumerations: Vec::new(),
            capabilities: Capabilities {
                refresh: Refresh::ByStep,
                variable_step: !self.fixed_step,
                save_state: self.saves_state,
                serialize_state: self.saves_state,
                ..Capabilities::native()
            },
            default_experiment: DefaultExperiment::default(),
            facts: self.text.map(|text| ("description".to_owned(), text)).into_iter().collect(),
        };
        if self.source.is_none() && self.command.is_none() {
            let (name, value) = STARTED_BY_HAND;
            description.facts.push((name.to_owned(), value.to_owned()));
        }
        let source = self.source.map(Launch::Source);
        Interface { description, launch: source.or(self.command.map(Launch::Command)) }
    }
}

fn text(reader: &mut TomlReader<'_>, entry: &Entry<'_, '_>) -> Option<String> {
    reader.text(entry).map(|text| text.value)
}

/// A list of at least one text.
fn words(
    reader: &mut TomlReader<'_>,
    entry: &Entry<'_, '_>,
    help: &str,
) -> Option<Vec<(String, Span)>> {
    const EXPECTED: &str = "a list of words";
    let items = entry.value.get_ref().as_array();
    if items.is_some_and(|items| items.is_empty()) {
        let mismatch = Mismatch { expected: EXPECTED, found: "an empty list" };
        reader.mismatch(entry.key, entry.value, mismatch, help);
        return None;
    }
    let word = |item: &Value<'_>| {
        let text = item.get_ref().as_str().filter(|text| !text.is_empty())?;
        Some((text.to_owned(), reader.span(item.span())))
    };
    let words: Option<Vec<_>> = items.and_then(|items| items.iter().map(word).collect());
    if words.is_none() {
        reader.wrong_kind(entry.key, entry.value, EXPECTED, help);
    }
    words
}

/// Outputs change by stepping only; what they are at first depends on parameters.
fn structure(variables: &[Variable]) -> ModelStructure {
    let numbered = || variables.iter().enumerate();
    let outputs = numbered().filter(|(_, variable)| variable.causality == Causality::Output);
    let unknown = |(index, _): (usize, &Variable)| Unknown {
        variable: VariableId::from_index(index),
        on: DependsOn::These(Vec::new()),
    };
    let outputs: Vec<Unknown> = outputs.map(unknown).collect();
    ModelStructure { initial: outputs.clone(), outputs, ..ModelStructure::default() }
}
