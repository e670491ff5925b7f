//! XML of SBML: a reader of attributes and lists, with diagnostics for invalid ones.

use consort_core::{Diagnostic, Span};
use consort_xml::{Codes, File, Format, Help, Limits, Reporter, boolean};
use std::ops::Range;

pub(super) use consort_xml::{XmlNode as Node, shorten};

/// How models are read as XML.
pub(super) static FORMAT: Format = Format {
    what: "the model",
    limits: Limits {
        bytes: super::TEXT_BYTES_MAX,
        nodes: 4_000_000,
        // Formulas are nested no deeper.
        depth: 200,
        attributes: 500,
        // Tools declare that of MathML at every formula.
        namespaces: 200_000,
        namespaces_open: Some(100),
    },
    codes: Codes {
        syntax: "sbml::syntax",
        entity: "sbml::entity",
        limit: "sbml::limit",
        missing: "sbml::missing",
        value: "sbml::value",
        attribute: "sbml::attribute",
        element: "sbml::element",
    },
    help: Help {
        doctype: "remove the `<!DOCTYPE ...>`; SBML needs none",
        crowd: "no tool writes such a file by intention; export it again",
        size: "a model of this size is a mistake of the tool that wrote it",
        syntax: "an SBML file must be well-formed XML; export the model again",
        value: "values are written as XML Schema has them: `0.5`, `1e-3`, `INF`, `true`",
    },
    attributes: &["id", "name", "metaid", "sboTerm"],
};

/// Fetches attributes and says what is wrong with them.
pub(super) struct Reader<'r> {
    reporter: Reporter<'r>,
    file: &'r File<'r>,
}

impl<'r> Reader<'r> {
    pub(super) fn new(reporter: Reporter<'r>, file: &'r File<'r>) -> Self {
        Reader { reporter, file }
    }

    /// Adds a message, unless there are plenty of its kind already.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.reporter.report(diagnostic);
    }

    /// Says that something is wrong at `span`.
    pub(super) fn error(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        at: (Span, &str),
        help: impl Into<String>,
    ) {
        self.report(Diagnostic::error(code, message).at(at.0, at.1).help(help));
    }

    /// Says that something was assumed at `span`.
    pub(super) fn warn(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        at: (Span, &str),
        help: impl Into<String>,
    ) {
        self.report(Diagnostic::warning(code, message).at(at.0, at.1).help(help));
    }

    /// Whether an error was reported so far.
    pub(super) fn failed(&self) -> bool {
        self.reporter.failed()
    }

    /// Says what was left out; true if there was no error.
    pub(super) fn finish(self) -> bool {
        self.reporter.finish()
    }

    /// A range of the text, moved to whole characters inside it.
    pub(super) fn span(&self, range: Range<usize>) -> Span {
        self.file.span(range)
    }

    /// The opening of an element: `<species`.
    pub(super) fn tag(&self, node: Node<'_>) -> Span {
        self.file.tag(node)
    }

    /// The whole of an element.
    pub(super) fn whole(&self, node: Node<'_>) -> Span {
        self.file.span(node.range())
    }

    /// The value of `name` if it is there, else the opening of the element.
    pub(super) fn place(&self, node: Node<'_>, name: &str) -> Span {
        self.file.place(node, name)
    }

    /// A required attribute, or an error that says it is missing.
    pub(super) fn required<'a>(&mut self, node: Node<'a>, name: &str) -> Option<&'a str> {
        let found = node.attribute(name).map(str::trim).filter(|value| !value.is_empty());
        if found.is_none() {
            let help = format!("write `{name}=\"...\"`");
            self.report(self.file.missing(node, name, help));
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
        let flag = boolean(node.attribute(name)?);
        if flag.is_none() {
            self.bad_value(node, name, "`true` or `false`");
        }
        flag
    }

    /// Says that an attribute's value is not of its type.
    pub(super) fn bad_value(&mut self, node: Node<'_>, name: &str, expected: &str) {
        let found = node.attribute(name).unwrap_or_default();
        self.report(FORMAT.bad_value(name, found, expected, Some(self.place(node, name))));
    }

    /// Warns about attributes that the standard does not know, with what may have been meant.
    pub(super) fn known_attributes(&mut self, node: Node<'_>, known: &[&str]) {
        self.file.known_attributes(node, known, &mut self.reporter);
    }

    /// Says that an element does not belong where it is.
    pub(super) fn stray(&mut self, node: Node<'_>, parent: &str, known: &[&str]) {
        let name = shorten(node.tag_name().name());
        let help = match self.reporter.nearest("sbml::element", name, known.iter().copied()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("remove it; the standard has no `{name}` there"),
        };
        let message = format!("`{parent}` has an unknown element `{name}`");
        self.error("sbml::element", message, (self.tag(node), "not known here"), help);
    }

    /// The elements of a list, such as all `species` of `listOfSpecies`; others are reported.
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
        let help = match self.reporter.nearest("sbml::unknown-name", name, candidates) {
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
    consort_xml::elements(node).filter(move |child| child.tag_name().namespace() == namespace)
}

/// The first child element of that name.
pub(super) fn child<'a>(node: Node<'a>, name: &str) -> Option<Node<'a>> {
    elements(node).find(|child| child.tag_name().name() == name)
}

#[cfg(test)]
mod tests {
    use crate::sbml::read_sbml;
    use consort_core::Report;

    fn check(text: &str, expected: &str) {
        let mut report = Report::default();
        assert!(read_sbml("m.xml", text, &mut report).is_none());
        assert_eq!(report.diagnostics()[0].message, expected);
    }

    #[test]
    fn what_would_keep_the_parser_busy_is_refused() {
        let wide = format!("<a {}/>", "b='' ".repeat(501));
        let spaces = "<a xmlns:b = 'c'/>".repeat(200_001);
        check("<!DOCTYPE a><a/>", "a document type definition is not accepted");
        check(&"<a>".repeat(201), "there are more than 200 elements within elements");
        check(&wide, "there are more than 500 attributes of one element");
        check(&spaces, "there are more than 200000 namespace declarations");
        let nested = "<a xmlns:b='c'>".repeat(101);
        check(&nested, "there are more than 100 namespace declarations at once");
    }

    #[test]
    fn comments_and_quotes_are_not_mistaken_for_markup() {
        check("<!-- <!DOCTYPE x> --><a/>", "this is no SBML: it is `a`");
        check("<a b='====='/>", "this is no SBML: it is `a`");
        check("<a b='<!DOCTYPE x>'/>", "this is not XML: expected ``` not `<`");
    }
}
