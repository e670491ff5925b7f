//! The text form of a system: `system.toml`.
//!
//! Every key, with its kind, default, meaning and an example, is in [`keys`]; `docs/system.md` and the JSON schema
//! `docs/schema/system.json` are made of it.
//!
//! Names of components consist of letters, digits, `_` and `-`; a `/` separates the parts of a name,
//! as in `[components."plant/tank"]`.
//!
//! Names of parameters that contain dots may be quoted (`"pid.kp" = 1`) or not (`pid.kp = 1`).
//! Numbers are read from their text: times become exact fractions, whole numbers stay whole.
//!
//! # Limits
//! Values and keys nest at most 80 deep. The number of components, connections and interventions
//! is limited by memory only. At most [`SYNTAX_ERRORS_MAX`] syntax errors are shown.

pub mod campaign;
mod component;
mod connection;
mod coupling;
mod experiment;
mod intervention;
mod isolation;
pub mod keys;
mod nodes;
mod solving;
mod write;

use consort_core::{Diagnostic, Report};
use consort_system::SystemDescription;
use consort_toml::{DeTable, Entry, TomlCodes, TomlFormat, TomlReader};

pub use consort_toml::SYNTAX_ERRORS_MAX;
pub use write::write_system;

static FORMAT: TomlFormat = format("a `system.toml`");

/// Systems and campaigns differ in what they hold, not in what can be wrong with it.
const fn format(what: &'static str) -> TomlFormat {
    TomlFormat {
        what,
        codes: TomlCodes {
            unknown_key: "system::unknown-key",
            wrong_kind: "system::wrong-kind",
            unknown_choice: "system::unknown-choice",
        },
        hints: &[
            ("duplicate key", "each name may be given once in a table; remove one"),
            ("string values must be quoted", "write text in quotes: `model = \"tank.fmu\"`"),
            ("key with no value", "write `name = value`, or `[name]` for a table"),
            ("unclosed", "close what was opened"),
            ("cannot recurse further", "values nest at most 80 deep"),
            ("extra `=`", "write one `=` between a name and its value"),
            ("unexpected key or value", "write one `name = value` per line"),
        ],
        certain: &[
            "system::unknown-key",
            "system::wrong-kind",
            "system::unknown-choice",
            "system::bad-name",
            "time::not-a-time",
        ],
    }
}

/// Reads `system.toml`.
///
/// `name` is what messages call the text: a path as the user wrote it, or a folder's name. A system
/// that does not name itself is called after it. Everything that is wrong goes to `report`.
///
/// The result is `None` if something is missing that would make later checks find mistakes that
/// are none. It may be there in spite of errors, so that the rest can be checked at once: ask the
/// report before running anything.
pub fn read_system(name: &str, text: &str, report: &mut Report) -> Option<SystemDescription> {
    let (system, has_lost) = consort_toml::read(&FORMAT, name, text, report, |reader, table| {
        (read_document(reader, table, name), reader.has_lost())
    })?;
    if has_lost {
        // This system is not resolved any further, so its times are checked now.
        consort_system::resolve::check_times(&system, report);
        return None;
    }
    Some(system)
}

fn read_document(
    reader: &mut TomlReader<'_>,
    table: &DeTable<'_>,
    name: &str,
) -> SystemDescription {
    let entries = reader.settings(table, "a system", &keys::SYSTEM).entries;
    // The experiment holds defaults for components, wherever it is written.
    let experiment = entries.iter().find(|entry| entry.key == "experiment");
    let (experiment, defaults) = experiment::read(reader, experiment);
    let mut system = SystemDescription {
        name: default_name(name, "system.toml"),
        experiment,
        components: Vec::new(),
        connections: Vec::new(),
        interventions: Vec::new(),
        inputs: None,
        nodes: Vec::new(),
    };
    for entry in &entries {
        match entry.key {
            "name" => {
                if let Some(name) = reader.text(entry) {
                    system.name = name.value;
                }
            }
            "experiment" => {}
            "components" => system.components = component::read_all(reader, entry, defaults),
            "connections" => system.connections = connection::read_all(reader, entry),
            "loops" => {
                system.experiment.coupling.rules = coupling::read_rules(reader, entry);
            }
            "interventions" => system.interventions = intervention::read_all(reader, entry),
            "nodes" => system.nodes = nodes::read_all(reader, entry),
            _ => entry.is_not_read(),
        }
    }
    let components = entries.iter().find(|entry| entry.key == "components");
    let is_table = |entry: &Entry<'_, '_>| entry.value.get_ref().is_table();
    if system.components.is_empty() && components.is_none_or(is_table) {
        report_empty(reader, components);
    }
    system
}

fn report_empty(reader: &mut TomlReader<'_>, components: Option<&Entry<'_, '_>>) {
    let diagnostic = Diagnostic::error("system::empty", "the system has no components")
        .help("add one: `[components.NAME]` with `model = \"...\"`");
    let span = components.map(|entry| entry.key_span);
    reader.loss(diagnostic.maybe_at(span, "nothing in here"));
}

/// The folder of `some/folder/system.toml` (the `usual` name of a file), else the file's name without
/// its ending.
fn default_name(name: &str, usual: &str) -> String {
    let mut parts = name.rsplit(['/', '\\']).filter(|part| !part.is_empty());
    let file = parts.next().unwrap_or("system");
    let folder = parts.next().filter(|folder| !matches!(*folder, "." | ".."));
    match folder {
        Some(folder) if file == usual => folder.to_owned(),
        _ => file.strip_suffix(".toml").unwrap_or(file).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::default_name;

    #[test]
    fn a_system_without_a_name_is_called_after_its_folder() {
        for (path, name) in [
            ("examples/quickstart/system.toml", "quickstart"),
            ("./system.toml", "system"),
            ("system.toml", "system"),
            ("tank", "tank"),
            ("a/tank.toml", "tank"),
            ("a/b/", "b"),
            ("", "system"),
        ] {
            assert_eq!(default_name(path, "system.toml"), name, "{path}");
        }
    }
}
