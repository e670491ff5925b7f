//! XML of strangers: decoded, bounded, parsed, and read with a diagnostic for every mistake.
//!
//! [`read`] is the one way in. It decodes the bytes, refuses what could exhaust memory or time,
//! parses, and hands the root element to a reader of a particular format together with a
//! [`Reader`], which fetches attributes and collects what is to be said about them.

mod decode;
mod guard;

use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Report, Severity, SourceId, Span};
use roxmltree::{Attribute, Document, Error, ParsingOptions};
use std::collections::BTreeMap;
use std::ops::Range;
use std::str::FromStr;

/// An element of a parsed document.
pub(crate) type Node<'a> = roxmltree::Node<'a, 'a>;

/// The largest text that is read (bytes). Real descriptions reach 100 MB.
pub(crate) const TEXT_BYTES_MAX: usize = 256 << 20;

/// How many diagnostics of one code are kept; a broken generator repeats itself thousandfold.
const DIAGNOSTICS_PER_CODE_MAX: usize = 50;

/// The codes under which a format's mistakes are reported, and its name for a person.
pub(crate) struct Codes {
    /// What the file is, for messages: `a model description`.
    pub(crate) what: &'static str,
    /// The text is not XML.
    pub(crate) syntax: &'static str,
    /// The text has a DTD or uses entities.
    pub(crate) entities: &'static str,
    /// The bytes are not in the encoding they claim.
    pub(crate) encoding: &'static str,
    /// A limit was reached.
    pub(crate) limit: &'static str,
    /// A required attribute is missing.
    pub(crate) missing: &'static str,
    /// A number or flag does not parse or fit.
    pub(crate) number: &'static str,
    /// An attribute the standard does not know.
    pub(crate) attribute: &'static str,
    /// An element the standard does not know.
    pub(crate) element: &'static str,
}

/// Decodes, checks and parses `bytes` and has `interpret` read the root element.
///
/// Returns `None` if there was any error; all of them are in `report` then.
pub(crate) fn read<T>(
    name: &str,
    bytes: &[u8],
    codes: &'static Codes,
    report: &mut Report,
    interpret: impl FnOnce(&mut Reader<'_>, Node<'_>) -> Option<T>,
) -> Option<T> {
    if TEXT_BYTES_MAX < bytes.len() {
        let message = format!("{} has more than {TEXT_BYTES_MAX} bytes", codes.what);
        let help = "a description of this size is a mistake of the tool that wrote it";
        report.push(Diagnostic::error(codes.limit, message).help(help));
        return None;
    }
    let decoded = decode::decode(bytes);
    let text = decoded.text;
    let source = report.add_source(name, text.clone());
    let mut reader = Reader { report, source, text: &text, codes, counts: BTreeMap::new() };
    if let Some(found) = decoded.repaired {
        reader.encoding(found);
    }
    let document = reader.parse(&text)?;
    let result = interpret(&mut reader, document.root_element());
    if reader.finish() { result } else { None }
}

/// Fetches attributes and says what is wrong with them.
pub(crate) struct Reader<'r> {
    report: &'r mut Report,
    source: SourceId,
    text: &'r str,
    codes: &'static Codes,
    counts: BTreeMap<&'static str, (usize, Severity)>,
}

impl Reader<'_> {
    /// Adds something to tell, unless there is plenty of its kind already.
    pub(crate) fn tell(&mut self, diagnostic: Diagnostic) {
        let (count, severity) =
            self.counts.entry(diagnostic.code).or_insert((0, diagnostic.severity));
        *count += 1;
        *severity = diagnostic.severity.max(*severity);
        if *count <= DIAGNOSTICS_PER_CODE_MAX {
            self.report.push(diagnostic);
        }
    }

    /// Says what was left out; true if there was no error.
    fn finish(self) -> bool {
        let mut errors = false;
        for (code, (count, severity)) in self.counts {
            errors |= severity == Severity::Error;
            if DIAGNOSTICS_PER_CODE_MAX < count {
                let more = count - DIAGNOSTICS_PER_CODE_MAX;
                self.report.push(Diagnostic::note(code, format!("and {more} more like this")));
            }
        }
        !errors
    }

    fn encoding(&mut self, found: decode::Repair) {
        let at = found.offset..found.offset + 1;
        self.tell(
            Diagnostic::warning(self.codes.encoding, found.message)
                .at(self.span(at), "first such place")
                .help(format!("{}; declare the encoding that is used", found.assumed)),
        );
    }

    fn parse<'t>(&mut self, text: &'t str) -> Option<Document<'t>> {
        if let Err(refusal) = guard::check(text) {
            let code = if refusal.is_entity { self.codes.entities } else { self.codes.limit };
            let span = self.span(refusal.at);
            self.tell(
                Diagnostic::error(code, refusal.message).at(span, refusal.label).help(refusal.help),
            );
            return None;
        }
        let options = ParsingOptions { nodes_limit: guard::NODES_MAX, ..ParsingOptions::default() };
        Document::parse_with_options(text, options).map_err(|error| self.syntax(&error)).ok()
    }

    fn syntax(&mut self, error: &Error) {
        let entity = matches!(error, Error::UnknownEntityReference(..));
        let at = match error {
            // The parser does not say where; what is missing is missing at the end.
            Error::UnexpectedEndOfStream | Error::UnclosedRootNode => self.text.len(),
            _ => guard::offset_of(self.text, error.pos()),
        };
        let span = self.span(at..at + 1);
        let words = error.to_string().replace(&format!(" at {}", error.pos()), "");
        let words = words.replace('\'', "`");
        let what = self.codes.what;
        let diagnostic = if entity {
            Diagnostic::error(self.codes.entities, format!("{what} uses an entity of its own"))
                .help("only `&lt;`, `&gt;`, `&amp;`, `&apos;` and `&quot;` are read")
        } else if matches!(error, Error::NodesLimitReached) {
            let message = format!("{what} has more than {} nodes", guard::NODES_MAX);
            Diagnostic::error(self.codes.limit, message)
                .help("a description of this size is a mistake of the tool that wrote it")
        } else {
            Diagnostic::error(self.codes.syntax, format!("this is not XML: {words}"))
                .help(format!("{what} must be a well-formed XML file; export the FMU again"))
        };
        self.tell(diagnostic.at(span, words));
    }

    /// A range of the text, moved to whole characters inside it.
    pub(crate) fn span(&self, range: Range<usize>) -> Span {
        let start = self.text.floor_char_boundary(range.start);
        Span::new(self.source, start..self.text.ceil_char_boundary(range.end).max(start))
    }

    /// The opening of an element: `<Unit`.
    pub(crate) fn tag(&self, node: Node<'_>) -> Span {
        let start = node.range().start;
        let ends = |c: char| c.is_whitespace() || c == '>' || c == '/';
        let length = self.text[start..].find(ends).unwrap_or(1);
        self.span(start..start + length)
    }

    /// An attribute's value, without its quotes.
    pub(crate) fn value(&self, attribute: Attribute<'_, '_>) -> Span {
        self.span(attribute.range_value())
    }

    /// A piece of an attribute's value, if the value holds no references that would shift it;
    /// else the whole value.
    pub(crate) fn piece(&self, attribute: Attribute<'_, '_>, piece: &str) -> Span {
        let (range, value) = (attribute.range_value(), attribute.value());
        let offset = (piece.as_ptr() as usize).wrapping_sub(value.as_ptr() as usize);
        if range.len() != value.len() || range.len() < offset {
            return self.value(attribute);
        }
        self.span(range.start + offset..range.start + offset + piece.len())
    }

    /// Whether more of this code would still be read by anybody, so that it may cost something.
    pub(crate) fn wants(&self, code: &str) -> bool {
        self.counts.get(code).is_none_or(|(count, _)| *count < DIAGNOSTICS_PER_CODE_MAX)
    }

    /// The value of `name` if it is there, else the opening of the element.
    pub(crate) fn place(&self, node: Node<'_>, name: &str) -> Span {
        node.attribute_node(name).map_or_else(|| self.tag(node), |found| self.value(found))
    }

    /// A required attribute, or an error that says it is missing.
    pub(crate) fn required<'a>(
        &mut self,
        node: Node<'a>,
        name: &str,
        help: &str,
    ) -> Option<&'a str> {
        let found = node.attribute(name);
        if found.is_none() {
            let element = node.tag_name().name();
            self.tell(
                Diagnostic::error(self.codes.missing, format!("`{element}` has no `{name}`"))
                    .at(self.tag(node), format!("`{name}` is required here"))
                    .help(help),
            );
        }
        found
    }

    /// An optional number.
    pub(crate) fn number<T: FromStr>(
        &mut self,
        node: Node<'_>,
        name: &str,
        expected: &str,
    ) -> Option<T> {
        let found = node.attribute_node(name)?;
        let number = found.value().trim().parse().ok();
        if number.is_none() {
            let span = self.value(found);
            self.bad_value(name, found.value(), expected, span);
        }
        number
    }

    /// An optional flag as XML Schema writes it; false if absent.
    pub(crate) fn flag(&mut self, node: Node<'_>, name: &str) -> bool {
        let Some(found) = node.attribute_node(name) else { return false };
        let flag = boolean(found.value());
        if flag.is_none() {
            let span = self.value(found);
            self.bad_value(name, found.value(), "`true` or `false`", span);
        }
        flag.unwrap_or(false)
    }

    /// Says that an attribute's value is not of its type.
    pub(crate) fn bad_value(&mut self, name: &str, found: &str, expected: &str, span: Span) {
        let message = format!("`{name}` is `{}`, which is not {expected}", shorten(found));
        self.tell(
            Diagnostic::error(self.codes.number, message)
                .at(span, format!("expected {expected}"))
                .help("values are written as XML Schema has them: `0.5`, `1e-3`, `-2`, `true`, `0aff`"),
        );
    }

    /// Warns about attributes that are not in the list, with what may have been meant.
    pub(crate) fn known_attributes(&mut self, node: Node<'_>, known: &[&str]) {
        for attribute in node.attributes() {
            let name = attribute.name();
            if attribute.namespace().is_some() || known.contains(&name) {
                continue;
            }
            let element = node.tag_name().name();
            let message = format!("`{element}` has an unknown attribute `{}`", shorten(name));
            let span = self.span(attribute.range_qname());
            self.unknown(self.codes.attribute, message, (name, known), span);
        }
    }

    /// Warns about child elements that are not in the list.
    pub(crate) fn known_elements(&mut self, node: Node<'_>, known: &[&str]) {
        for child in elements(node) {
            let name = child.tag_name().name();
            if child.tag_name().namespace().is_some() || known.contains(&name) {
                continue;
            }
            let parent = node.tag_name().name();
            let message = format!("`{parent}` has an unknown element `{}`", shorten(name));
            let span = self.tag(child);
            self.unknown(self.codes.element, message, (name, known), span);
        }
    }

    fn unknown(
        &mut self,
        code: &'static str,
        message: String,
        (name, known): (&str, &[&str]),
        span: Span,
    ) {
        let wants = self.wants(code);
        let nearest = nearest_name(shorten(name), known.iter().copied().filter(|_| wants));
        let help = match nearest {
            Some(nearest) => format!("it is ignored; did you mean `{nearest}`?"),
            None => "it is ignored".to_owned(),
        };
        self.tell(Diagnostic::warning(code, message).at(span, "not known here").help(help));
    }
}

/// The child elements of an element.
pub(crate) fn elements<'a>(node: Node<'a>) -> impl Iterator<Item = Node<'a>> {
    node.children().filter(Node::is_element)
}

/// The first child element of that name, whatever its namespace.
pub(crate) fn child<'a>(node: Node<'a>, name: &str) -> Option<Node<'a>> {
    elements(node).find(|child| child.tag_name().name() == name)
}

/// A truth value as XML Schema writes it.
pub(crate) fn boolean(text: &str) -> Option<bool> {
    match text.trim() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// A text of a stranger for a message: its beginning, if it is long.
pub(crate) fn shorten(text: &str) -> &str {
    const SHOWN_MAX: usize = 60;
    text.char_indices().nth(SHOWN_MAX).map_or(text, |(end, _)| &text[..end])
}
