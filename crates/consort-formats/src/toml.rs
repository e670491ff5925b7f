//! The text form of a system: `system.toml`.
//!
//! ```toml
//! name = "tank"                    # optional; else the name of the folder
//!
//! [experiment]
//! start = 0                        # seconds: a number, or text such as "1/30"; default 0
//! stop = 60                        # default: the one the models agree on
//! step = 0.1                       # default: the one the models agree on
//! resolution = "1/300"             # the length of a tick; chosen if absent
//! seed = 7                         # default 0
//! tolerance = 1e-6                 # of solvers, ours and those inside models
//! solver = "bdf"                   # of components that we integrate; see below for the others
//! solver-step = 0.001              # the same: the length of its steps
//! isolate = true                   # every FMU in a process of its own; default false
//! record = "outputs"               # or "all", "nothing", or a list: ["tank.level", "pid.*", "*.y"]
//! unhashed = ["plant.CPUtime"]     # kept out of the trace hash
//! plot = ["tank.level", "pid.*"]   # or true: everything recorded
//! input = "inflow.csv"             # values over time for unconnected inputs
//! send-start-values = false        # the default for all components
//! order = "derived"                # or "jacobi", "gauss-seidel"
//! continuous = "together"          # or "apart": how connected equations are integrated
//! loops = "error"                  # what becomes of algebraic loops; or "iterate"
//!
//! [experiment.iteration]           # how loops are iterated
//! method = "auto"                  # or "fixed-point", "newton", "broyden"
//! tolerance = 1e-9
//! limit = 100                      # evaluations at one tag
//! relaxation = 1                   # the part of a correction that is applied
//!
//! [experiment.variable-step]       # if there, steps change their size
//! initial = 0.01                   # default: the step
//! min = 1e-5                       # default: a thousandth of the first
//! max = 0.5                        # default: the whole experiment
//! relative = 1e-4                  # how much of an error a step may have
//! absolute = 1e-6
//! error-control = true             # false: steps shrink only when a component rejects them
//!
//! [components.tank]
//! model = "tank.fmu"               # the only key that must be there
//! step = 0.5                       # its own step
//! step-length = "fixed"            # or "to-end"
//! concurrent = true                # its instances share no static data; default false
//! send-start-values = true
//! setup = "after-parameters"       # or "set-again"; default "first": an FMU of FMI 2 is set up before its parameters are set
//! event-mode = false               # default true: event mode is used where the model has it
//! reactive = ["valve"]
//! interface = "model-exchange"     # or "co-simulation", of an FMU that has both
//! solver = "bdf"                   # or "auto", "adams", "bs32", "dopri5", "dop853"; of fixed step "euler", "ab2",
//!                                  # "ab3", "rk4"; chooses Model Exchange
//! tolerance = 1e-8                 # relative, of that solver
//! solver-step = 0.001              # how long a fixed step is, and the longest of a variable one
//! isolate = true                   # in a process of its own; default: as the experiment says
//! state = "image"                  # who saves its states: or "native", "fork", "replay"
//! parameters = { area = 1.5, level0 = { value = 20, unit = "cm" }, gains = [1, 2, 3] }
//!
//! [[connections]]
//! from = "tank.level"              # one element: "rod.temperature[3]", "m.A[1,2]"; the first is 1
//! to = "pid.measurement"           # or a list, for several connections from one source
//! hold = "extrapolate"             # default "hold"
//! group = "bus1"
//! delay = true                     # the input gets the value before: this breaks a loop
//! factor = 2.0                     # after the conversion of units
//! offset = 1.0
//! suppress-unit-conversion = true  # units are taken to agree
//!
//! [[loops]]                        # what becomes of one loop
//! through = "pid.u"                # any variable on it
//! policy = "iterate"               # the default; or "error"
//! tolerance = 1e-12                # and the other keys of `[experiment.iteration]`
//!
//! [[interventions]]
//! at = 10                          # or: when = "tank.level > 0.8"
//! target = "pid.kp"                # or one wire: "tank.level -> pid.measurement"
//! set = 2.0                        # or override = , offset = , freeze = true, release = true
//! unit = "1"
//!
//! [nodes]                          # of a distributed run; else everything runs on one
//! plant = ["tank", "valve"]        # a node and its components
//! control = ["pid*"]               # a `*` matches any characters; a name has priority
//! ```
//!
//! Names of components consist of letters, digits, `_` and `-`; a `/` separates the parts of a name,
//! as in `[components."plant/tank"]`.
//!
//! Components that no node names are on the node that is written first.
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
mod nodes;
mod solving;
mod write;

use consort_core::{Diagnostic, Report};
use consort_system::SystemDescription;
use consort_toml::{DeTable, Entry, TomlCodes, TomlFormat, TomlReader};

pub use consort_toml::SYNTAX_ERRORS_MAX;
pub use write::write_system;

const KEYS: &[&str] =
    &["name", "experiment", "components", "connections", "loops", "interventions", "nodes"];

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
    let entries = reader.entries(table);
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
            _ => {
                reader.unknown_key(entry, "a system", KEYS);
            }
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
