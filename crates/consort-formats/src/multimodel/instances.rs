//! FMUs, their instances, and the wires between them.

use super::json::{Entry, Item, Json, find};
use crate::is_name_letter;
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, ModelReference, Report, Span};
use consort_system::{Component, Connection, Parameter, Record, Spanned};
use std::collections::{BTreeMap, BTreeSet};

/// The FMUs and instances of the files.
pub(super) struct FoundInstances {
    pub(super) components: Vec<Component>,
    pub(super) connections: Vec<Connection>,
    pub(super) record: Record,
    /// The key of the FMU of each component, by name.
    pub(super) keys: BTreeMap<String, String>,
    names: NameUses,
    /// Something is missing without which later checks would be misled.
    pub(super) lost: bool,
}

impl FoundInstances {
    /// The variable that `{key}.instance.variable` means, `component.variable`.
    pub(super) fn variable(
        &self,
        written: &Spanned<String>,
        report: &mut Report,
    ) -> Option<Spanned<String>> {
        let path = split(written).filter(|path| !path.variable.is_empty());
        if path.is_none() {
            let message = format!("`{}` is no variable of an instance", written.value);
            let diagnostic = Diagnostic::error("multimodel::bad-path", message);
            report.push(diagnostic.maybe_at(written.span, "not understood").help(PATH_HELP));
        }
        path.map(|path| Spanned { value: self.names.path(&path), span: written.span })
    }
}

const PATH_HELP: &str = "write `{fmu}.instance.variable`, such as `{tank}.t.level`";

/// `{key}.instance.variable`, taken apart.
#[derive(Clone, Debug)]
struct Path {
    key: String,
    instance: String,
    /// Empty if only an instance is named.
    variable: String,
    span: Option<Span>,
}

struct InstanceReader<'r> {
    report: &'r mut Report,
    /// Key without braces and its file, in the order written.
    fmus: Vec<(String, Spanned<String>)>,
    /// Index into `fmus`, by key.
    known: BTreeMap<String, usize>,
    /// Every instance: index of its FMU, name, place of first mention.
    instances: Vec<(usize, String, Option<Span>)>,
    /// The same, to find them.
    mentioned: BTreeSet<(usize, String)>,
    lost: bool,
}

pub(super) fn read(entries: &[Entry], is_damaged: bool, report: &mut Report) -> FoundInstances {
    let mut reader = InstanceReader {
        report,
        fmus: Vec::new(),
        known: BTreeMap::new(),
        instances: Vec::new(),
        mentioned: BTreeSet::new(),
        lost: is_damaged,
    };
    reader.fmus(entries);
    let wires = reader.connections(entries);
    let values = reader.parameters(entries);
    let logged = reader.logged(entries);
    reader.report_unused();
    let names = NameUses::new(&reader);
    let mut components = reader.components(&names);
    let mut keys = BTreeMap::new();
    for (fmu, instance, _) in &reader.instances {
        let key = &reader.fmus[*fmu].0;
        keys.insert(names.component(key, instance), key.clone());
    }
    let path = |path: &Path| Spanned { value: names.path(path), span: path.span };
    let connections = wires
        .iter()
        .map(|(from, to)| Connection { convert: true, ..Connection::new(path(from), path(to)) });
    let places: BTreeMap<String, usize> =
        components.iter().enumerate().map(|(at, it)| (it.name.value.clone(), at)).collect();
    for (at, value) in values {
        let place = places.get(&names.component(&at.key, &at.instance));
        let name = Spanned { value: at.variable, span: at.span };
        if let Some(&place) = place {
            components[place].parameters.push(Parameter { name, value, unit: None });
        }
    }
    let record = match logged.iter().map(path).collect::<Vec<_>>() {
        none if none.is_empty() => Record::Outputs,
        these => Record::These(these),
    };
    let connections = connections.collect();
    FoundInstances { components, connections, record, keys, lost: reader.lost, names }
}

impl InstanceReader<'_> {
    fn loss(&mut self, diagnostic: Diagnostic) {
        self.lost = true;
        self.report.push(diagnostic);
    }

    fn fmus(&mut self, entries: &[Entry]) {
        let Some(entry) = find(entries, "fmus") else {
            if !self.lost {
                let diagnostic =
                    Diagnostic::error("multimodel::no-fmus", "the multi-model has no `fmus`");
                self.loss(diagnostic.help("write `\"fmus\": { \"{tank}\": \"tank.fmu\" }`"));
            }
            return;
        };
        let help = "such as `\"fmus\": { \"{tank}\": \"tank.fmu\" }`";
        for fmu in entry.value.object("fmus", help, self.report) {
            let Some(key) = self.key(fmu) else { continue };
            match fmu.value.text(&fmu.key.value, "write the path of the FMU in quotes", self.report)
            {
                Some(path) => {
                    let path = self.model(path);
                    self.known.entry(key.clone()).or_insert(self.fmus.len());
                    self.fmus.push((key, path));
                }
                None => self.lost = true,
            }
        }
    }

    fn key(&mut self, fmu: &Entry) -> Option<String> {
        let written = &fmu.key.value;
        let inner = written.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        if let Some(inner) = inner.filter(|inner| !inner.is_empty() && !inner.contains(['{', '}']))
        {
            return Some(inner.to_owned());
        }
        let message = format!("`{written}` is no key of an FMU");
        let plain = Some(written.trim_matches(['{', '}'])).filter(|plain| !plain.is_empty());
        let plain = plain.unwrap_or("tank");
        self.loss(
            Diagnostic::error("multimodel::bad-key", message)
                .maybe_at(fmu.key.span, "keys of FMUs are in braces")
                .help(format!("write `{{{plain}}}`")),
        );
        None
    }

    /// A path with `/`, or a native block.
    fn model(&mut self, path: Spanned<String>) -> Spanned<String> {
        let text = path.value.as_str();
        if ModelReference::is_native(text) {
            return path;
        }
        let plain = file_path(text);
        let is_drive = |scheme: &str| scheme.chars().count() <= 1;
        let scheme = text.split_once(':').map(|(scheme, _)| scheme);
        if plain.is_none()
            && scheme.is_some_and(|scheme| !is_drive(scheme) && !scheme.contains(['/', '\\']))
        {
            let message = format!("`{text}` is no path of a file");
            self.loss(
                Diagnostic::error("multimodel::bad-path", message)
                    .maybe_at(path.span, "FMUs elsewhere are not supported")
                    .help("write the path of the FMU, relative to this file"),
            );
        }
        let value = plain.unwrap_or_else(|| text.to_owned()).replace('\\', "/");
        Spanned { value, span: path.span }
    }

    fn connections(&mut self, entries: &[Entry]) -> Vec<(Path, Path)> {
        let mut wires = Vec::new();
        let Some(entry) = find(entries, "connections") else { return wires };
        let help = "such as `{ \"{a}.x.y\": [\"{b}.z.u\"] }`";
        for wire in entry.value.object("connections", help, self.report) {
            let from = self.path(&wire.key, true);
            let help = "write the inputs in a list: `[\"{b}.z.u\"]`";
            for target in wire.value.list(&wire.key.value, help, self.report) {
                let to = target.text(&wire.key.value, help, self.report);
                let to = to.and_then(|to| self.path(&to, true));
                match (&from, to) {
                    (Some(from), Some(to)) => wires.push((from.clone(), to)),
                    _ => self.lost = true,
                }
            }
        }
        wires
    }

    fn parameters(&mut self, entries: &[Entry]) -> Vec<(Path, Spanned<consort_core::Literal>)> {
        let mut values = Vec::new();
        let Some(entry) = find(entries, "parameters") else { return values };
        let help = "such as `{ \"{tank}.t.area\": 1.5 }`";
        for parameter in entry.value.object("parameters", help, self.report) {
            let path = self.path(&parameter.key, true);
            let value = parameter.value.literal(&parameter.key.value, self.report);
            match (path, value) {
                (Some(path), Some(value)) => {
                    values.push((path, Spanned::new(value, parameter.value.span)));
                }
                _ => self.lost = true,
            }
        }
        values
    }

    fn logged(&mut self, entries: &[Entry]) -> Vec<Path> {
        let mut logged = Vec::new();
        let Some(entry) = find(entries, "logVariables") else { return logged };
        if entry.value.json == Json::Null {
            return logged;
        }
        let help = "such as `{ \"{tank}.t\": [\"level\"] }`";
        for instance in entry.value.object("logVariables", help, self.report) {
            let Some(path) = self.path(&instance.key, false) else { continue };
            let help = "write the variables in a list: `[\"level\"]`";
            for item in instance.value.list(&instance.key.value, help, self.report) {
                logged.extend(self.logged_variable(&path, item));
            }
        }
        logged
    }

    fn logged_variable(&mut self, instance: &Path, item: &Item) -> Option<Path> {
        let help = "write the name of a variable in quotes";
        let variable = item.text("logVariables", help, self.report)?;
        Some(Path { variable: variable.value, span: variable.span, ..instance.clone() })
    }

    /// Takes `{key}.instance.variable` apart, and remembers the instance.
    fn path(&mut self, written: &Spanned<String>, with_variable: bool) -> Option<Path> {
        let Some(path) = split(written).filter(|path| with_variable != path.variable.is_empty())
        else {
            let (what, help) = match with_variable {
                true => ("variable of an instance", PATH_HELP),
                false => ("instance", "write `{fmu}.instance`, such as `{tank}.t`"),
            };
            let message = format!("`{}` names no {what}", written.value);
            self.loss(
                Diagnostic::error("multimodel::bad-path", message)
                    .maybe_at(written.span, "not taken apart")
                    .help(help),
            );
            return None;
        };
        let Some(&fmu) = self.known.get(&path.key) else {
            self.report_unknown_fmu(&path, written.span);
            return None;
        };
        self.check_instance(&path)?;
        if self.mentioned.insert((fmu, path.instance.clone())) {
            self.instances.push((fmu, path.instance.clone(), written.span));
        }
        Some(path)
    }

    fn report_unknown_fmu(&mut self, path: &Path, span: Option<Span>) {
        let names = self.fmus.iter().map(|(key, _)| key.as_str());
        let help = match nearest_name(&path.key, names.clone()) {
            Some(name) => format!("did you mean `{{{name}}}`?"),
            None => {
                let all: Vec<String> = names.take(8).map(|name| format!("`{{{name}}}`")).collect();
                format!("the FMUs are {}", all.join(", "))
            }
        };
        let message = format!("the multi-model has no FMU `{{{}}}`", path.key);
        self.loss(
            Diagnostic::error("multimodel::unknown-fmu", message)
                .maybe_at(span, "not found")
                .help(help),
        );
    }

    fn check_instance(&mut self, path: &Path) -> Option<()> {
        if path.instance.chars().all(is_name_letter) {
            return Some(());
        }
        let message = format!("{:?} cannot be the name of an instance", path.instance);
        self.loss(
            Diagnostic::error("system::bad-name", message)
                .maybe_at(path.span, "a name consists of letters, digits, `_` and `-`")
                .help("give the instance another name, everywhere in the file"),
        );
        None
    }

    fn report_unused(&mut self) {
        let used: BTreeSet<usize> = self.instances.iter().map(|(fmu, ..)| *fmu).collect();
        let unused: Vec<(String, Option<Span>)> = (self.fmus.iter().enumerate())
            .filter(|(at, _)| !used.contains(at))
            .map(|(_, (key, path))| (key.clone(), path.span))
            .collect();
        if self.lost {
            return;
        }
        for (key, span) in unused {
            let message = format!("`{{{key}}}` has no instance: the FMU is not used");
            self.report.push(
                Diagnostic::warning("multimodel::unused-fmu", message)
                    .maybe_at(span, "not used")
                    .help(format!(
                        "name an instance of it: `\"logVariables\": {{ \"{{{key}}}.x\": [] }}`"
                    )),
            );
        }
    }

    /// One per instance: by FMU in the order of `fmus`, then in the order of first mention.
    fn components(&self, names: &NameUses) -> Vec<Component> {
        let mut instances: Vec<_> = self.instances.iter().collect();
        instances.sort_by_key(|(fmu, ..)| *fmu);
        let component = |(fmu, instance, span): &(usize, String, Option<Span>)| {
            let (key, model) = &self.fmus[*fmu];
            let name = Spanned { value: names.component(key, instance), span: *span };
            Component::new(name, model.clone())
        };
        instances.into_iter().map(component).collect()
    }
}

/// The path of a `file:` URI (RFC 8089); `None` for any other text. What some write without a host,
/// `file://FMUs/tank.fmu`, is relative.
fn file_path(text: &str) -> Option<String> {
    let rest = text.strip_prefix("file:")?;
    let path = match rest.strip_prefix("//") {
        Some(rest) => rest.strip_prefix("localhost/").map_or(rest, |_| &rest["localhost".len()..]),
        None => rest,
    };
    let path = crate::uri::decoded(path);
    let is_drive = path.get(..4).is_some_and(|it| it.starts_with('/') && it.ends_with(":/"));
    Some(if is_drive { path[1..].to_owned() } else { path })
}

/// `{key}.instance` or `{key}.instance.variable`; variables may have dots.
fn split(written: &Spanned<String>) -> Option<Path> {
    let (key, rest) = written.value.strip_prefix('{')?.split_once('}')?;
    let rest = rest.strip_prefix('.')?;
    let (instance, variable) = rest.split_once('.').unwrap_or((rest, ""));
    let is_whole = !key.is_empty() && !instance.is_empty() && !rest.ends_with('.');
    is_whole.then(|| Path {
        key: key.to_owned(),
        instance: instance.to_owned(),
        variable: variable.to_owned(),
        span: written.span,
    })
}

/// What components are called.
struct NameUses {
    /// How many FMUs have an instance of that name.
    uses: BTreeMap<String, usize>,
}

impl NameUses {
    fn new(reader: &InstanceReader<'_>) -> Self {
        let mut uses = BTreeMap::new();
        for (_, instance, _) in &reader.instances {
            *uses.entry(instance.clone()).or_insert(0) += 1;
        }
        NameUses { uses }
    }

    /// The instance's name where that is enough.
    fn component(&self, key: &str, instance: &str) -> String {
        if self.uses.get(instance).is_none_or(|uses| *uses == 1) {
            return instance.to_owned();
        }
        // A key may hold anything; a name may not.
        format!("{}/{instance}", key.replace(|c: char| !is_name_letter(c), "_"))
    }

    fn path(&self, path: &Path) -> String {
        format!("{}.{}", self.component(&path.key, &path.instance), path.variable)
    }
}
