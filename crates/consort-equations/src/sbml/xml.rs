//! XML of strangers: bounded, parsed, and taken apart with the place of everything.

use super::guard;
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Report, Severity, SourceId, Span};
use roxmltree::{Document, Error, ParsingOptions};
use std::collections::BTreeMap;
use std::ops::Range;

/// An element of a parsed document.
pub(super) type Node<'a> = roxmltree::Node<'a, 'a>;

/// How many diagnostics of one code are kept; a broken generator repeats itself thousandfold.
const DIAGNOSTICS_PER_CODE_MAX: usize = 50;

/// Fetches attributes and says what is wrong with them.
pub(super) struct Reader<'r> {
    report: &'r mut Report,
    source: SourceId,
    text: &'r str,
    counts: BTreeMap<&'static str, (usize, Severity)>,
}

impl<'r> Reader<'r> {
    pub(super) fn new(report: &'r mut Report, source: SourceId, text: &'r str) -> Self {
        Reader { report, source, text, counts: BTreeMap::new() }
    }

    /// Adds something to tell, unless there is plenty of its kind already.
    pub(super) fn tell(&mut self, diagnostic: Diagnostic) {
        let (count, severity) =
            self.counts.entry(diagnostic.code).or_insert((0, diagnostic.severity));
        *count += 1;
        *severity = diagnostic.severity.max(*severity);
        if *count <= DIAGNOSTICS_PER_CODE_MAX {
            self.report.push(diagnostic);
        }
    }

    /// Says that something is wrong at `span`.
    pub(super) fn error(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        at: (Span, &str),
        help: impl Into<String>,
    ) {
        self.tell(Diagnostic::error(code, message).at(at.0, at.1).help(help));
    }

    /// Says that something was assumed at `span`.
    pub(super) fn warn(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        at: (Span, &str),
        help: impl Into<String>,
    ) {
        self.tell(Diagnostic::warning(code, message).at(at.0, at.1).help(help));
    }

    /// What may have been meant, unless nobody would read it: looking for it costs something.
    fn nearest<'n>(
        &self,
        code: &str,
        name: &str,
        candidates: impl Iterator<Item = &'n str>,
    ) -> Option<&'n str> {
        let told = self.counts.get(code).map_or(0, |(count, _)| *count);
        if told < DIAGNOSTICS_PER_CODE_MAX { nearest_name(shorten(name), candidates) } else { None }
    }

    /// Whether an error was told so far.
    pub(super) fn failed(&self) -> bool {
        self.counts.values().any(|(_, severity)| *severity == Severity::Error)
    }

    /// Says what was left out; true if there was no error.
    pub(super) fn finish(self) -> bool {
        let failed = self.failed();
        for (code, (count, _)) in self.counts {
            if DIAGNOSTICS_PER_CODE_MAX < count {
                let more = count - DIAGNOSTICS_PER_CODE_MAX;
                self.report.push(Diagnostic::note(code, format!("and {more} more like this")));
            }
        }
        !failed
    }

    /// Parses the text, unless doing so could take forever.
    pub(super) fn parse(&mut self) -> Option<Document<'r>> {
        if let Err(refusal) = guard::check(self.text) {
            let span = self.span(refusal.at);
            self.error(refusal.code, refusal.message, (span, refusal.label), refusal.help);
            return None;
        }
        let options = ParsingOptions { nodes_limit: guard::NODES_MAX, ..ParsingOptions::default() };
        Document::parse_with_options(self.text, options).map_err(|error| self.syntax(&error)).ok()
    }

    fn syntax(&mut self, error: &Error) {
        let at = match error {
            // The parser does not say where; what is missing is missing at the end.
            Error::UnexpectedEndOfStream | Error::UnclosedRootNode => self.text.len(),
            _ => guard::offset_of(self.text, error.pos()),
        };
        let span = self.span(at..at + 1);
        let words = error.to_string().replace(&format!(" at {}", error.pos()), "");
        let words = words.replace('\'', "`");
        let (code, message, help) = match error {
            Error::UnknownEntityReference(..) => (
                "sbml::entity",
                "the model uses an entity of its own".to_owned(),
                "only `&lt;`, `&gt;`, `&amp;`, `&apos;` and `&quot;` are read",
            ),
            Error::NodesLimitReached => (
                "sbml::limit",
                format!("the model has more than {} nodes", guard::NODES_MAX),
                "a model of this size is a mistake of the tool that wrote it",
            ),
            _ => (
                "sbml::syntax",
                format!("this is not XML: {words}"),
                "an SBML file must be well-formed XML; export the model again",
            ),
        };
        self.error(code, message, (span, &words), help);
    }

    /// A range of the text, moved to whole characters inside it.
    pub(super) fn span(&self, range: Range<usize>) -> Span {
        let start = self.text.floor_char_boundary(range.start);
        Span::new(self.source, start..self.text.ceil_char_boundary(range.end).max(start))
    }

    /// The opening of an element: `<species`.
    pub(super) fn tag(&self, node: Node<'_>) -> Span {
        let start = node.range().start;
        let ends = |c: char| c.is_whitespace() || c == '>' || c == '/';
        let length = self.text[start..].find(ends).unwrap_or(1);
        self.span(start..start + length)
    }

    /// The whole of an element.
    pub(super) fn whole(&self, node: Node<'_>) -> Span {
        self.span(node.range())
    }

    /// The value of `name` if it is there, else the opening of the element.
    pub(super) fn place(&self, node: Node<'_>, name: &str) -> Span {
        let found = node.attribute_node(name);
        found.map_or_else(|| self.tag(node), |found| self.span(found.range_value()))
    }

    /// A required attribute, or an error that says it is missing.
    pub(super) fn required<'a>(&mut self, node: Node<'a>, name: &str) -> Option<&'a str> {
        let found = node.attribute(name).map(str::trim).filter(|value| !value.is_empty());
        if found.is_none() {
            let message = format!("`{}` has no `{name}`", node.tag_name().name());
            let label = format!("`{name}` is required here");
            let help = format!("write `{name}=\"...\"`");
            self.error("sbml::missing", message, (self.tag(node), &label), help);
        }
        found
    }

    /// An optional number as XML Schema writes it.
    pub(super) fn number(&mut self, node: Node<'_>, name: &str) -> Option<f64> {
        let text = node.attribute(name)?;
        let number = double(text);
        if number.is_none() {
            self.bad_value(node, name, "a number");
        }
        number
    }

    /// An optional flag as XML Schema writes it.
    pub(super) fn flag(&mut self, node: Node<'_>, name: &str) -> Option<bool> {
        match node.attribute(name)?.trim() {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => {
                self.bad_value(node, name, "`true` or `false`");
                None
            }
        }
    }

    /// Says that an attribute's value is not of its type.
    pub(super) fn bad_value(&mut self, node: Node<'_>, name: &str, expected: &str) {
        let found = shorten(node.attribute(name).unwrap_or_default());
        let message = format!("`{name}` is `{found}`, which is not {expected}");
        let label = format!("expected {expected}");
        let help = "values are written as XML Schema has them: `0.5`, `1e-3`, `INF`, `true`";
        self.error("sbml::value", message, (self.place(node, name), &label), help);
    }

    /// Warns about attributes that the standard does not know, with what may have been meant.
    pub(super) fn known_attributes(&mut self, node: Node<'_>, known: &[&str]) {
        const COMMON: [&str; 4] = ["id", "name", "metaid", "sboTerm"];
        for attribute in node.attributes() {
            let name = attribute.name();
            let is_known = COMMON.contains(&name) || known.contains(&name);
            if is_known || attribute.namespace().is_some() {
                continue;
            }
            let element = node.tag_name().name();
            let message = format!("`{element}` has an unknown attribute `{}`", shorten(name));
            let help = match self.nearest("sbml::attribute", name, known.iter().copied()) {
                Some(nearest) => format!("it is ignored; did you mean `{nearest}`?"),
                None => "it is ignored".to_owned(),
            };
            let at = (self.span(attribute.range_qname()), "not known here");
            self.warn("sbml::attribute", message, at, help);
        }
    }

    /// Says that an element does not belong where it is.
    pub(super) fn stray(&mut self, node: Node<'_>, parent: &str, known: &[&str]) {
        let name = shorten(node.tag_name().name());
        let help = match self.nearest("sbml::element", name, known.iter().copied()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("remove it; the standard has no `{name}` there"),
        };
        let message = format!("`{parent}` has an unknown element `{name}`");
        self.error("sbml::element", message, (self.tag(node), "not known here"), help);
    }

    /// The elements of a list, such as all `species` of `listOfSpecies`; others are told.
    pub(super) fn items<'a>(
        &mut self,
        parent: Node<'a>,
        list: &str,
        known: &[&str],
    ) -> Vec<Node<'a>> {
        let mut found = Vec::new();
        let lists = elements(parent).filter(|child| child.tag_name().name() == list);
        for child in lists.flat_map(elements) {
            match child.tag_name().name() {
                "notes" | "annotation" => {}
                name if known.contains(&name) => found.push(child),
                _ => self.stray(child, list, known),
            }
        }
        found
    }

    /// Says that nothing is called `name`.
    pub(super) fn unknown<'n>(
        &mut self,
        what: &str,
        name: &str,
        span: Span,
        candidates: impl Iterator<Item = &'n str>,
    ) {
        let message = format!("there is no {what} `{}`", shorten(name));
        let help = match self.nearest("sbml::unknown-name", name, candidates) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("declare the {what}, or name another"),
        };
        self.error("sbml::unknown-name", message, (span, "not declared"), help);
    }
}

/// A number as XML Schema writes it.
pub(super) fn double(text: &str) -> Option<f64> {
    match text.trim() {
        "INF" | "+INF" => Some(f64::INFINITY),
        "-INF" => Some(f64::NEG_INFINITY),
        "NaN" => Some(f64::NAN),
        // Words that Rust would read as numbers are not.
        text if text.contains(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E')) => None,
        text => text.parse().ok(),
    }
}

/// The child elements of an element that belong to the same namespace: those of SBML itself.
pub(super) fn elements<'a>(node: Node<'a>) -> impl Iterator<Item = Node<'a>> {
    let namespace = node.tag_name().namespace();
    let same = move |child: &Node<'a>| child.tag_name().namespace() == namespace;
    node.children().filter(Node::is_element).filter(same)
}

/// The first child element of that name.
pub(super) fn child<'a>(node: Node<'a>, name: &str) -> Option<Node<'a>> {
    elements(node).find(|child| child.tag_name().name() == name)
}

/// A text of a stranger for a message: its beginning, if it is long.
pub(super) fn shorten(text: &str) -> &str {
    const SHOWN_MAX: usize = 60;
    text.char_indices().nth(SHOWN_MAX).map_or(text, |(end, _)| &text[..end])
}
