//! XML of FMI: a description's bytes become its root element and a reader of attributes.
//!
//! [`read`] is the one way in. `consort_xml` refuses what could exhaust memory or time; a reader of a
//! particular description gets the root element together with a [`Reader`], which fetches attributes
//! and collects diagnostics about them.

use consort_core::{Diagnostic, Report, Span};
use consort_xml::{Attribute, Claim, Codes, Declaration, Doubt, File, Format, Help, Limits};
use consort_xml::{Narrow, Reporter};
use std::str::FromStr;

pub(crate) use consort_xml::{XmlNode as Node, boolean, elements, shorten};

/// What could exhaust time or memory. Real descriptions reach 100 MB.
const LIMITS: Limits = Limits {
    bytes: 256 << 20,
    nodes: 16_000_000,
    depth: 100,
    attributes: 500,
    namespaces: 4000,
    namespaces_open: None,
};

/// A kind of description that an FMU holds.
pub(crate) struct Kind {
    /// How it is read as XML.
    pub(crate) format: Format,
    /// The code of bytes that are not in the encoding they claim.
    pub(crate) encoding: &'static str,
}

/// A format by its name for a person, its codes, and the advice if a file is not XML.
pub(crate) const fn format(what: &'static str, codes: Codes, syntax: &'static str) -> Format {
    let help = Help {
        doctype: "remove the `<!DOCTYPE ...>`; FMI files need none",
        crowd: "no tool writes such a file by intention; export the FMU again",
        size: "a description of this size is a mistake of the tool that wrote it",
        syntax,
        value: "values are written as XML Schema has them: `0.5`, `1e-3`, `-2`, `true`, `0aff`",
    };
    Format { what, limits: LIMITS, codes, help, attributes: &[] }
}

/// Decodes, checks and parses `bytes` and has `interpret` read the root element.
///
/// Returns `None` if there was any error; all of them are in `report` then.
pub(crate) fn read<T>(
    name: &str,
    bytes: &[u8],
    kind: &'static Kind,
    report: &mut Report,
    interpret: impl FnOnce(&mut Reader<'_>, Node<'_>) -> Option<T>,
) -> Option<T> {
    let format = &kind.format;
    if format.limits.bytes < bytes.len() {
        report.push(format.too_large(format.what));
        return None;
    }
    let decoded = consort_xml::decode(bytes, Declaration::Used, Narrow::Windows1252);
    let source = report.add_source(name, decoded.text.clone());
    let mut reporter = Reporter::new(report);
    if let Some(doubt) = decoded.doubt {
        let span = Span::new(source, doubt.at.clone());
        reporter.report(mistaken(kind.encoding, &doubt).at(span, "first such place"));
    }
    let file = File::check(source, decoded.text, format, &mut reporter)?;
    let document = file.parse(&mut reporter)?;
    let mut reader = Reader { reporter, file: &file, format };
    let result = interpret(&mut reader, document.root_element());
    if reader.reporter.finish() { result } else { None }
}

/// Reports what was assumed about bytes that are not in their declared encoding.
fn mistaken(code: &'static str, doubt: &Doubt) -> Diagnostic {
    let (message, assumed) = match doubt.claim {
        Claim::Utf8 => {
            ("the text is not UTF-8 although it claims to be", "it was read as windows-1252")
        }
        Claim::Utf16 => (
            "the text is not UTF-16 despite its byte order mark",
            "unpaired surrogates were replaced",
        ),
    };
    Diagnostic::warning(code, message).help(format!("{assumed}; declare the encoding that is used"))
}

/// Fetches attributes and reports what is wrong with them.
pub(crate) struct Reader<'r> {
    reporter: Reporter<'r>,
    file: &'r File<'r>,
    format: &'static Format,
}

impl Reader<'_> {
    /// Adds a diagnostic, unless there are too many of its code already.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.reporter.report(diagnostic);
    }

    /// Says that a name is that of an earlier definition, which is used.
    pub(crate) fn defined_twice(&mut self, node: Node<'_>, warning: Diagnostic) {
        let warning = warning.at(self.place(node, "name"), "defined again");
        self.report(warning.help("the first definition is used"));
    }

    /// Whether more diagnostics of this code would still be kept, so that finding them may cost something.
    pub(crate) fn wants(&self, code: &str) -> bool {
        self.reporter.wants(code)
    }

    /// The opening of an element: `<Unit`.
    pub(crate) fn tag(&self, node: Node<'_>) -> Span {
        self.file.tag(node)
    }

    /// An attribute's value, without its quotes.
    pub(crate) fn value(&self, attribute: Attribute<'_, '_>) -> Span {
        self.file.value(attribute)
    }

    /// A piece of an attribute's value.
    pub(crate) fn piece(&self, attribute: Attribute<'_, '_>, piece: &str) -> Span {
        self.file.piece(attribute, piece)
    }

    /// The value of `name` if it is there, else the opening of the element.
    pub(crate) fn place(&self, node: Node<'_>, name: &str) -> Span {
        self.file.place(node, name)
    }

    /// A required attribute, or an error if it is missing.
    pub(crate) fn required<'a>(
        &mut self,
        node: Node<'a>,
        name: &str,
        help: &str,
    ) -> Option<&'a str> {
        let found = node.attribute(name);
        if found.is_none() {
            self.report(self.file.missing(node, name, help));
        }
        found
    }

    /// Reads an optional attribute that is a number.
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

    /// Reports that an attribute's value is not of its type.
    pub(crate) fn bad_value(&mut self, name: &str, found: &str, expected: &str, span: Span) {
        self.report(self.format.bad_value(name, found, expected, Some(span)));
    }

    /// Warns about attributes that are not in the list, with what may have been meant.
    pub(crate) fn known_attributes(&mut self, node: Node<'_>, known: &[&str]) {
        self.file.known_attributes(node, known, &mut self.reporter);
    }

    /// Warns about child elements without a namespace that are not in the list.
    pub(crate) fn known_elements(&mut self, node: Node<'_>, known: &[&str]) {
        for child in elements(node) {
            let name = child.tag_name();
            if name.namespace().is_none() && !known.contains(&name.name()) {
                self.file.unknown_element(child, known, &mut self.reporter);
            }
        }
    }
}

/// The first child element of that name, whatever its namespace.
pub(crate) fn child<'a>(node: Node<'a>, name: &str) -> Option<Node<'a>> {
    elements(node).find(|child| child.tag_name().name() == name)
}

#[cfg(test)]
mod tests {
    use consort_core::Report;

    fn check(text: &str, expected: &str) {
        let mut report = Report::default();
        let read = crate::description::read("modelDescription.xml", text.as_bytes(), &mut report);
        assert!(read.is_none());
        let message = &report.diagnostics()[0].message;
        assert!(message.contains(expected), "{expected}: {message}");
    }

    #[test]
    fn what_would_keep_the_parser_busy_is_refused() {
        check("<!DOCTYPE a><a/>", "document type");
        check(&"<a>".repeat(101), "100 elements within elements");
        check(&format!("<a {}/>", "b='' ".repeat(501)), "500 attributes of one element");
        check(&"<a xmlns:b = 'c'/>".repeat(4001), "4000 namespace declarations");
        check(&"<a xmlns='c'/>".repeat(4001), "4000 namespace declarations");
    }

    #[test]
    fn comments_sections_and_quotes_are_not_mistaken_for_markup() {
        for text in [
            "<!-- <!DOCTYPE x> --><a/>",
            "<a><![CDATA[<!DOCTYPE x>]]></a>",
            "<?pi <!DOCTYPE ?><a/>",
            "<a b='=========='/>",
        ] {
            check(text, "the root element is `a`");
        }
        check("<a b='<!DOCTYPE x>'/>", "this is not XML");
        let siblings = "<a b='1' c='2'/><d></d>".repeat(1000);
        check(&format!("<e>{siblings}</e>"), "the root element is `e`");
    }
}
