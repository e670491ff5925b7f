//! A reader for the part of HOCON that describes data: objects, lists, strings, comments.
//!
//! What reaches out of the text is refused by name: `include`, substitutions (`${...}`) and `+=`.
//! Every value keeps its place, so that mistakes are shown where they are; no crate for HOCON does
//! that. Nesting is limited, and reading takes time linear in the text.

use consort_core::{Diagnostic, Report, SourceId, Span};
use std::collections::BTreeMap;

/// Deeper nesting is refused.
const NESTING_MAX: usize = 64;

/// A value and where it is.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) value: HoconValue,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum HoconValue {
    /// Text, a number or a keyword: in HOCON the reader decides which it is.
    Text(String),
    List(Vec<Node>),
    Object(Object),
}

/// Fields in the order written.
#[derive(Clone, Debug, Default)]
pub(super) struct Object {
    pub(super) fields: Vec<Field>,
    index: BTreeMap<String, usize>,
}

impl Object {
    /// The value of a field.
    pub(super) fn get(&self, name: &str) -> Option<&Node> {
        self.index.get(name).map(|&at| &self.fields[at].node)
    }

    fn push(&mut self, name: String, span: Span, node: Node) -> usize {
        self.index.insert(name.clone(), self.fields.len());
        self.fields.push(Field { name, span, node });
        self.fields.len() - 1
    }
}

#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) node: Node,
}

impl Node {
    /// What it is, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self.value {
            HoconValue::Text(_) => "a text",
            HoconValue::List(_) => "a list",
            HoconValue::Object(_) => "an object",
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match &self.value {
            HoconValue::Text(text) => text.is_empty(),
            HoconValue::List(list) => list.is_empty(),
            HoconValue::Object(object) => object.fields.is_empty(),
        }
    }
}

/// The object a text consists of; `None` after a mistake, of which only the first is reported.
pub(super) fn parse(text: &str, source: SourceId, report: &mut Report) -> Option<Object> {
    let mut parser = Parser { text, at: 0, source, report, depth: 0 };
    parser.skip_lines();
    let braces = parser.eat('{');
    let object = parser.fields(braces)?;
    parser.skip_lines();
    if parser.at < text.len() {
        let message = "there is text after the last `}`";
        let help = "remove the extra `}` or the text after it";
        return parser.fail("hocon::syntax", message, "not expected", help);
    }
    Some(object)
}

struct Parser<'t, 'r> {
    text: &'t str,
    at: usize,
    source: SourceId,
    report: &'r mut Report,
    depth: usize,
}

impl<'t> Parser<'t, '_> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.source, start..self.at)
    }

    /// Reports a mistake at the next character.
    fn fail<T>(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        label: &str,
        help: &str,
    ) -> Option<T> {
        let end = self.at + self.peek().map_or(0, char::len_utf8);
        let span = Span::new(self.source, self.at..end);
        self.report.push(Diagnostic::error(code, message).at(span, label).help(help));
        None
    }

    /// Skips spaces and comments on this line.
    fn skip_spaces(&mut self) {
        loop {
            let rest = self.rest();
            let spaces = rest.len() - rest.trim_start_matches(is_space).len();
            self.at += spaces;
            let rest = self.rest();
            if !(rest.starts_with('#') || rest.starts_with("//")) {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    /// Skips spaces, comments and ends of lines; whether a line ended.
    fn skip_lines(&mut self) -> bool {
        let mut ended = false;
        loop {
            self.skip_spaces();
            if !self.eat('\n') {
                return ended;
            }
            ended = true;
        }
    }

    /// Fields up to the closing brace, or to the end of the text if there was no opening one.
    fn fields(&mut self, braces: bool) -> Option<Object> {
        let open = self.at;
        let mut object = Object::default();
        loop {
            self.skip_lines();
            match self.peek() {
                Some('}') if braces => {
                    self.at += 1;
                    return Some(object);
                }
                None if !braces => return Some(object),
                None => return self.unclosed(open, "{", "}"),
                Some(',') => {
                    self.at += 1;
                    continue;
                }
                Some(_) => {}
            }
            self.field(&mut object)?;
            self.separated(if braces { Some('}') } else { None })?;
        }
    }

    fn unclosed<T>(&mut self, open: usize, opening: &str, closing: &str) -> Option<T> {
        let start = open.saturating_sub(1);
        let span = Span::new(self.source, start..open.max(start));
        let message = format!("`{opening}` is never closed");
        self.report.push(
            Diagnostic::error("hocon::unclosed", message)
                .at(span, "opened here")
                .help(format!("add the missing `{closing}`")),
        );
        None
    }

    /// Values are separated by a comma or the end of a line.
    fn separated(&mut self, closing: Option<char>) -> Option<()> {
        let ended = self.skip_lines();
        match self.peek() {
            None => Some(()),
            it if it == closing => Some(()),
            Some(',') => {
                self.at += 1;
                Some(())
            }
            Some(_) if ended => Some(()),
            Some(it) => {
                let message = format!("expected the end of the value, found `{it}`");
                let help = "separate values by a comma or a new line";
                self.fail("hocon::syntax", message, "not expected", help)
            }
        }
    }

    fn field(&mut self, object: &mut Object) -> Option<()> {
        let path = self.path()?;
        self.skip_spaces();
        if self.rest().starts_with("+=") {
            let help = "write the whole list in one place";
            return self.fail("hocon::unsupported", "`+=` is not read", "here", help);
        }
        let assigned = self.eat('=') || self.eat(':');
        if assigned {
            self.skip_lines();
        } else if self.peek() != Some('{') {
            let name = path.last().map_or("", |(name, _)| name.as_str());
            if name == "include" || name.starts_with("include ") {
                let help = "copy the text of the other file here: a scenario is one file";
                return self.fail("hocon::unsupported", "`include` is not read", "here", help);
            }
            let message = format!("`{name}` has no value");
            let help = "write `=` or `:` and a value after it";
            return self.fail("hocon::syntax", message, "expected `=`, `:` or `{`", help);
        }
        let node = self.value()?;
        insert(object, path, node);
        Some(())
    }

    /// `a`, `"a b"`, `a.b`.
    fn path(&mut self) -> Option<Vec<(String, Span)>> {
        let mut path = Vec::new();
        loop {
            self.skip_spaces();
            let start = self.at;
            let name = match self.peek() {
                Some('"') => self.quoted()?,
                _ => {
                    let name = self.unquoted(&['.']);
                    if name.is_empty() {
                        let help = "write a name, such as `fmus`";
                        return self.fail(
                            "hocon::syntax",
                            "a name is missing",
                            "expected a name",
                            help,
                        );
                    }
                    name.to_owned()
                }
            };
            path.push((name, self.span(start)));
            if NESTING_MAX <= path.len() + self.depth {
                return self.too_deep();
            }
            if !self.eat('.') {
                return Some(path);
            }
        }
    }

    fn too_deep<T>(&mut self) -> Option<T> {
        let message = format!("values are nested deeper than {NESTING_MAX}");
        self.fail("hocon::too-deep", message, "too deep", "no scenario needs that many levels")
    }

    fn value(&mut self) -> Option<Node> {
        let start = self.at;
        let value = match self.peek() {
            Some('{' | '[') if NESTING_MAX <= self.depth => return self.too_deep(),
            Some('{') => {
                self.at += 1;
                self.depth += 1;
                let object = self.fields(true)?;
                self.depth -= 1;
                HoconValue::Object(object)
            }
            Some('[') => {
                self.at += 1;
                self.depth += 1;
                let list = self.list()?;
                self.depth -= 1;
                HoconValue::List(list)
            }
            _ => HoconValue::Text(self.text()?),
        };
        Some(Node { value, span: self.span(start) })
    }

    fn list(&mut self) -> Option<Vec<Node>> {
        let open = self.at;
        let mut list = Vec::new();
        loop {
            self.skip_lines();
            match self.peek() {
                Some(']') => {
                    self.at += 1;
                    return Some(list);
                }
                None => return self.unclosed(open, "[", "]"),
                _ => {}
            }
            list.push(self.value()?);
            self.separated(Some(']'))?;
        }
    }

    /// Pieces in quotes and without, up to the end of the value.
    fn text(&mut self) -> Option<String> {
        let mut text = String::new();
        loop {
            match self.peek() {
                Some('"') => text.push_str(&self.quoted()?),
                Some('$') => {
                    let help = "write the value itself";
                    let message = "substitutions are not read";
                    return self.fail("hocon::unsupported", message, "here", help);
                }
                _ => {
                    let piece = self.unquoted(&[]);
                    if piece.is_empty() {
                        break;
                    }
                    text.push_str(piece);
                }
            }
            let spaces = self.rest().len() - self.rest().trim_start_matches(is_space).len();
            let next = &self.rest()[spaces..];
            let goes_on = next.starts_with('"') || next.starts_with(needs_no_quotes);
            if !goes_on || next.starts_with("//") {
                break;
            }
            text.push_str(&self.rest()[..spaces]);
            self.at += spaces;
        }
        if text.is_empty() && !self.text[..self.at].ends_with('"') {
            let help = "write a value, such as `delayed`, `[...]` or `{...}`";
            return self.fail("hocon::syntax", "a value is missing", "expected a value", help);
        }
        Some(text)
    }

    /// Characters that need no quotes, with spaces within but not at the end.
    fn unquoted(&mut self, also_not: &[char]) -> &'t str {
        let rest = self.rest();
        let ends = |(at, it): &(usize, char)| {
            !needs_no_quotes(*it) || also_not.contains(it) || rest[*at..].starts_with("//")
        };
        let end = rest.char_indices().find(ends).map_or(rest.len(), |(at, _)| at);
        let found = rest[..end].trim_end_matches(is_space);
        self.at += found.len();
        found
    }

    fn quoted(&mut self) -> Option<String> {
        if self.rest().starts_with("\"\"\"") {
            return self.triple_quoted();
        }
        let start = self.at;
        let mut value = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.at += at + 1;
                    return Some(value);
                }
                '\n' => break,
                '\\' => match characters.next().map(|(_, it)| it) {
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some('r') => value.push('\r'),
                    Some('u') => {
                        let digits: String = characters.by_ref().take(4).map(|it| it.1).collect();
                        let code = u32::from_str_radix(&digits, 16).ok();
                        value.push(code.and_then(char::from_u32).unwrap_or('\u{FFFD}'));
                    }
                    Some(other) => value.push(other),
                    None => break,
                },
                other => value.push(other),
            }
        }
        self.at = start + 1;
        self.unclosed(start + 1, "\"", "\"")
    }

    fn triple_quoted(&mut self) -> Option<String> {
        let start = self.at;
        self.at += 3;
        let Some(end) = self.rest().find("\"\"\"") else {
            return self.unclosed(start + 1, "\"\"\"", "\"\"\"");
        };
        let value = self.rest()[..end].to_owned();
        self.at += end + 3;
        Some(value)
    }
}

/// Characters that must be in quotes.
const FORBIDDEN: &str = "$\"{}[]:=,+#`^?!@*&\\";

fn needs_no_quotes(character: char) -> bool {
    character != '\n' && !FORBIDDEN.contains(character)
}

fn is_space(character: char) -> bool {
    character != '\n' && (character.is_whitespace() || character == '\u{FEFF}')
}

/// Puts a value at a path. Objects of one name are one object; of other values the last counts.
fn insert(object: &mut Object, mut path: Vec<(String, Span)>, node: Node) {
    let Some((name, span)) = path.pop() else { return };
    let mut object = object;
    for (name, span) in path {
        object = child(object, name, span);
    }
    let Some(&at) = object.index.get(&name) else {
        object.push(name, span, node);
        return;
    };
    let old = &mut object.fields[at].node;
    match (&mut old.value, node) {
        (HoconValue::Object(old), Node { value: HoconValue::Object(new), .. }) => {
            for field in new.fields {
                insert(old, vec![(field.name, field.span)], field.node);
            }
        }
        (_, node) => *old = node,
    }
}

fn child(object: &mut Object, name: String, span: Span) -> &mut Object {
    let found = object.index.get(&name).copied();
    let index = found.unwrap_or_else(|| {
        let node = Node { value: HoconValue::Object(Object::default()), span };
        object.push(name, span, node)
    });
    let node = &mut object.fields[index].node;
    if !matches!(node.value, HoconValue::Object(_)) {
        node.value = HoconValue::Object(Object::default());
    }
    match &mut node.value {
        HoconValue::Object(object) => object,
        _ => unreachable!("it was just made an object"),
    }
}
