//! Tables taken apart entry by entry: kinds checked, unknown keys named.

use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Report, Seconds, SourceId, Span, Spanned, TimeMistake};
use std::ops::Range;
use toml::de::{DeTable, DeValue};

use crate::{KeyTable, TomlFormat, number};

/// A value with its place.
pub type Value<'i> = toml::Spanned<DeValue<'i>>;

/// Takes tables apart; here mistakes go while a text is read.
pub struct TomlReader<'r> {
    format: &'static TomlFormat,
    source: SourceId,
    report: &'r mut Report,
    lost: bool,
}

/// One `key = value` of a table.
pub struct Entry<'t, 'i> {
    /// The key of the entry.
    pub key: &'t str,
    /// Where the name is.
    pub key_span: Span,
    /// The value of the entry.
    pub value: &'t Value<'i>,
}

/// The entries of a table whose keys are known.
pub struct KnownEntries<'t, 'i> {
    /// Those with a known key, in the order written.
    pub entries: Vec<Entry<'t, 'i>>,
    /// The keys that were written, or meant.
    given: Vec<&'static str>,
}

impl KnownEntries<'_, '_> {
    /// Whether a key was written, or meant by one that is unknown.
    pub fn has(&self, key: &str) -> bool {
        self.given.contains(&key)
    }
}

impl Entry<'_, '_> {
    /// The end of a `match` over keys.
    ///
    /// # Panics
    /// Always: a key is in a [`KeyTable`], and its reader does not read it.
    pub fn is_not_read(&self) -> ! {
        panic!("the key `{}` is in the table of keys, and nothing reads it", self.key)
    }
}

/// What a value should be, and what it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mismatch<'m> {
    /// What the key takes.
    pub expected: &'m str,
    /// What was written.
    pub found: &'m str,
}

impl<'r> TomlReader<'r> {
    pub(crate) fn new(
        format: &'static TomlFormat,
        source: SourceId,
        report: &'r mut Report,
    ) -> Self {
        TomlReader { format, source, report, lost: false }
    }

    /// Whether something could not be read without which later checks would be misled.
    pub fn has_lost(&self) -> bool {
        self.lost
    }

    /// A place in the text.
    pub fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.source, range)
    }

    /// A mistake that leaves the rest worth checking.
    pub fn error(&mut self, diagnostic: Diagnostic) {
        self.report.push(diagnostic);
    }

    /// A mistake after which a part is missing.
    pub fn loss(&mut self, diagnostic: Diagnostic) {
        self.lost = true;
        self.report.push(diagnostic);
    }

    /// The entries in the order written (tables are sorted by key).
    pub fn entries<'t, 'i>(&self, table: &'t DeTable<'i>) -> Vec<Entry<'t, 'i>> {
        let entry = |(key, value): (&'t toml::Spanned<_>, &'t Value<'i>)| {
            let key_text: &std::borrow::Cow<'i, str> = key.get_ref();
            Entry { key: key_text, key_span: self.span(key.span()), value }
        };
        let mut entries: Vec<_> = table.iter().map(entry).collect();
        entries.sort_by_key(|entry| (entry.key_span.start, entry.value.span().start));
        entries
    }

    /// The entries of a table with the keys of `table`; other keys are reported, and read as the keys that were
    /// probably meant. `place` is the table they are in.
    pub fn settings<'t, 'i>(
        &mut self,
        written: &'t DeTable<'i>,
        place: &str,
        table: &KeyTable,
    ) -> KnownEntries<'t, 'i> {
        let names = table.names();
        let mut settings = KnownEntries { entries: Vec::new(), given: Vec::new() };
        for entry in self.entries(written) {
            match names.iter().find(|name| **name == entry.key) {
                Some(name) => {
                    settings.given.push(name);
                    settings.entries.push(entry);
                }
                None => {
                    let Some(meant) = self.meant(&entry, place, &names, written) else { continue };
                    settings.given.extend(names.iter().find(|name| **name == meant.key));
                    settings.entries.push(meant);
                }
            }
        }
        settings
    }

    /// An unknown key; `place` is the table it is in. Returns the key that was probably meant: a caller reads
    /// the entry as that one, so that what it says is not missed by later checks.
    pub fn unknown_key(
        &mut self,
        entry: &Entry<'_, '_>,
        place: &str,
        known: &[&'static str],
    ) -> Option<&'static str> {
        let message = format!("`{}` is no setting of {place}", entry.key);
        let hyphened = entry.key.replace('_', "-");
        let same = known.iter().copied().find(|name| *name == hyphened);
        let meant = same.or_else(|| nearest_name(entry.key, known.iter().copied()));
        let help = match meant {
            Some(name) if same.is_some() => format!("settings are written with `-`: `{name}`"),
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("the settings of {place} are {}", list(known)),
        };
        self.error(
            Diagnostic::error(self.format.codes.unknown_key, message)
                .at(entry.key_span, "not known")
                .help(help),
        );
        meant
    }

    /// The entry under the key that was probably meant, if its key is unknown, which is reported. `None` for a
    /// known key, and where nothing is near or the table has that key too.
    pub fn meant<'t, 'i>(
        &mut self,
        entry: &Entry<'t, 'i>,
        place: &str,
        known: &[&'static str],
        table: &DeTable<'i>,
    ) -> Option<Entry<'t, 'i>> {
        if known.contains(&entry.key) {
            return None;
        }
        let key = self.unknown_key(entry, place, known)?;
        let is_free = !table.contains_key(key);
        // What stands in two places cannot be put together here.
        self.lost |= !is_free;
        is_free.then_some(Entry { key, key_span: entry.key_span, value: entry.value })
    }

    /// A value of another kind than `expected`.
    pub fn wrong_kind(&mut self, key: &str, value: &Value<'_>, expected: &str, help: &str) {
        let found = number::kind(value.get_ref());
        self.mismatch(key, value, Mismatch { expected, found }, help);
    }

    /// A value that is something else than what was expected.
    pub fn mismatch(&mut self, key: &str, value: &Value<'_>, mismatch: Mismatch<'_>, help: &str) {
        let Mismatch { expected, found } = mismatch;
        let message = format!("expected {expected} for `{key}`, found {found}");
        self.loss(
            Diagnostic::error(self.format.codes.wrong_kind, message)
                .at(self.span(value.span()), format!("this is {found}"))
                .help(help),
        );
    }

    /// Reads a text.
    pub fn text(&mut self, entry: &Entry<'_, '_>) -> Option<Spanned<String>> {
        self.text_of(entry.key, entry.value)
    }

    fn text_of(&mut self, key: &str, value: &Value<'_>) -> Option<Spanned<String>> {
        if let DeValue::String(text) = value.get_ref() {
            return Some(Spanned::new(text.to_string(), self.span(value.span())));
        }
        self.wrong_kind(key, value, "text", "text is written in quotes");
        None
    }

    /// Reads a boolean.
    pub fn boolean(&mut self, entry: &Entry<'_, '_>) -> Option<bool> {
        if let DeValue::Boolean(value) = entry.value.get_ref() {
            return Some(*value);
        }
        let help = format!("write `{} = true` or `{} = false`", entry.key, entry.key);
        self.wrong_kind(entry.key, entry.value, "`true` or `false`", &help);
        None
    }

    /// Text, or a list of texts.
    pub fn texts(&mut self, entry: &Entry<'_, '_>) -> Vec<Spanned<String>> {
        match entry.value.get_ref() {
            DeValue::Array(items) => {
                items.iter().filter_map(|item| self.text_of(entry.key, item)).collect()
            }
            DeValue::String(_) => self.text(entry).into_iter().collect(),
            _ => {
                let help = "such as `[\"tank.level\", \"pid.*\"]`";
                self.wrong_kind(entry.key, entry.value, "a list of texts", help);
                Vec::new()
            }
        }
    }

    /// One of several keywords.
    pub fn choice<T: Copy>(&mut self, entry: &Entry<'_, '_>, choices: &[(T, &str)]) -> Option<T> {
        let text = self.text(entry)?;
        let found = choices.iter().find(|(_, name)| *name == text.value);
        if let Some((choice, _)) = found {
            return Some(*choice);
        }
        let names: Vec<&str> = choices.iter().map(|(_, name)| *name).collect();
        let message = format!("`{}` cannot be {:?}", entry.key, text.value);
        let help = match nearest_name(&text.value, names.iter().copied()) {
            Some(name) => format!("did you mean \"{name}\"?"),
            None => format!("choose one of {}", quoted(&names)),
        };
        self.error(
            Diagnostic::error(self.format.codes.unknown_choice, message)
                .maybe_at(text.span, "not one of the choices")
                .help(help),
        );
        None
    }

    /// One of several keywords, with its place.
    pub fn spanned_choice<T: Copy>(
        &mut self,
        entry: &Entry<'_, '_>,
        choices: &[(T, &str)],
    ) -> Option<Spanned<T>> {
        let span = self.span(entry.value.span());
        self.choice(entry, choices).map(|choice| Spanned::new(choice, span))
    }

    /// Any number; whether it makes sense is not asked here.
    pub fn number(&mut self, entry: &Entry<'_, '_>, example: &str) -> Option<Spanned<f64>> {
        let value = match entry.value.get_ref() {
            DeValue::Float(number) => number::float(number.as_str()),
            DeValue::Integer(number) => number::integer(number).map(|value| value as f64),
            _ => None,
        };
        if let Some(value) = value {
            return Some(Spanned::new(value, self.span(entry.value.span())));
        }
        let help = format!("such as `{} = {example}`", entry.key);
        self.wrong_kind(entry.key, entry.value, "a number", &help);
        None
    }

    /// A whole number, from 0 on.
    pub fn count(&mut self, entry: &Entry<'_, '_>, example: &str) -> Option<Spanned<u32>> {
        let expected = format!("a whole number from 0 to {}", u32::MAX);
        self.whole(entry, &expected, example)
    }

    /// A whole number of a type; `expected` is its range for the message.
    pub fn whole<T: TryFrom<i128>>(
        &mut self,
        entry: &Entry<'_, '_>,
        expected: &str,
        example: &str,
    ) -> Option<Spanned<T>> {
        let value = match entry.value.get_ref() {
            DeValue::Integer(number) => number::integer(number),
            _ => None,
        };
        if let Some(value) = value.and_then(|value| T::try_from(value).ok()) {
            return Some(Spanned::new(value, self.span(entry.value.span())));
        }
        let help = format!("such as `{} = {example}`", entry.key);
        self.wrong_kind(entry.key, entry.value, expected, &help);
        None
    }

    /// A time in seconds, exactly as written.
    pub fn seconds(&mut self, entry: &Entry<'_, '_>) -> Option<Spanned<Seconds>> {
        let Some(text) = number::time_text(entry.value.get_ref()) else {
            let help = "write seconds: `0.1`, or a fraction in quotes: `\"1/30\"`";
            self.wrong_kind(entry.key, entry.value, "a time", help);
            return None;
        };
        let span = self.span(entry.value.span());
        if let Ok(seconds) = text.parse::<Seconds>() {
            return Some(Spanned::new(seconds, span));
        }
        let shown = number::shown(entry.value.get_ref());
        let mistake = TimeMistake::of(&text);
        let message = match mistake {
            TimeMistake::OutOfRange => format!("{shown} is out of range for a time in seconds"),
            _ => format!("{shown} is not a time in seconds"),
        };
        let help = mistake.help("a fraction in quotes: `\"1/30\"`");
        self.loss(
            Diagnostic::error("time::not-a-time", message).at(span, mistake.label()).help(help),
        );
        None
    }

    /// `[connections]` is read as `[[connections]]`.
    fn single_table(&mut self, entry: &Entry<'_, '_>, help: &str) {
        let message = format!("`{0}` is a list: `[[{0}]]` with two brackets", entry.key);
        self.error(
            Diagnostic::error(self.format.codes.wrong_kind, message)
                .at(self.span(entry.value.span()), "this is a single table")
                .help(help),
        );
    }

    /// The tables of an array of tables: `[[connections]]`.
    pub fn tables<'t, 'i>(&mut self, entry: &Entry<'t, 'i>) -> Vec<(Span, &'t DeTable<'i>)> {
        let help = format!("write `[[{}]]` before each", entry.key);
        let items = match entry.value.get_ref() {
            DeValue::Array(items) => items,
            DeValue::Table(table) => {
                self.single_table(entry, &help);
                return vec![(self.span(entry.value.span()), table)];
            }
            _ => {
                self.wrong_kind(entry.key, entry.value, "a list of tables", &help);
                return Vec::new();
            }
        };
        let mut tables = Vec::with_capacity(items.len());
        for item in items.iter() {
            match item.get_ref() {
                DeValue::Table(table) => tables.push((self.span(item.span()), table)),
                _ => self.wrong_kind(entry.key, item, "a table", &help),
            }
        }
        tables
    }
}

/// `a`, `b` and `c`.
fn list(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    join(&names)
}

fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    join(&names)
}

fn join(names: &[String]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    }
}
