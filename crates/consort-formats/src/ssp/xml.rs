//! The files of an SSP: counted, bounded, parsed, and taken apart with the place of everything.
//!
//! [`Session::open`] is the one way in; `consort_xml` refuses what could exhaust memory or time.
//! Prefixes that tools are known to leave undeclared are bound before the text is parsed again;
//! spans point into the text as it was.

mod fetch;
mod tag;

use super::Files;
use consort_core::{Diagnostic, Report, Span};
use consort_xml::{Claim, Codes, Declaration, File, Format, Help, Limits, Narrow, Reporter};

pub(super) use consort_xml::{boolean, shorten};
pub(super) use tag::Tag;

/// The largest text that is read (bytes).
pub const TEXT_BYTES_MAX: usize = 64 << 20;

/// Most files of one SSP that are read, counted as often as they are named.
const FILES_MAX: usize = 10_000;

/// Most bytes of all files together, counted as often as they are named.
const BYTES_MAX: usize = 4 * TEXT_BYTES_MAX;

/// How files of an SSP are read as XML. The limits are those of model descriptions, for smaller files.
static FORMAT: Format = Format {
    what: "the file",
    limits: Limits {
        bytes: TEXT_BYTES_MAX,
        nodes: 4_000_000,
        depth: 200,
        attributes: 500,
        namespaces: 4000,
        namespaces_open: None,
    },
    codes: Codes {
        syntax: "ssp::syntax",
        entity: "ssp::entity",
        limit: "ssp::limit",
        missing: "ssp::missing-attribute",
        value: "ssp::bad-value",
        attribute: "ssp::unknown-attribute",
        element: "ssp::unknown-element",
    },
    help: Help {
        doctype: "remove the `<!DOCTYPE ...>`; SSP files need none",
        crowd: "no tool writes such a file by intention; export it again",
        size: "a file of this size is a mistake of the tool that wrote it",
        syntax: "an SSP file must be well-formed XML; export it again",
        value: "values are written as XML Schema has them: `0.5`, `1e-3`, `-2`, `true`",
    },
    attributes: &["id", "description"],
};

/// Prefixes that real files use without declaring them.
const KNOWN_PREFIXES: &[(&str, &str)] = &[
    ("ssd", "http://ssp-standard.org/SSP1/SystemStructureDescription"),
    ("ssc", "http://ssp-standard.org/SSP1/SystemStructureCommon"),
    ("ssv", "http://ssp-standard.org/SSP1/SystemStructureParameterValues"),
    ("ssm", "http://ssp-standard.org/SSP1/SystemStructureParameterMapping"),
    ("ssb", "http://ssp-standard.org/SSP1/SystemStructureSignalDictionary"),
    ("osp", "http://opensimulationplatform.com/SSP/OSPAnnotations"),
    ("oms", "https://raw.githubusercontent.com/OpenModelica/OMSimulator/master/schema/oms.xsd"),
    ("vico", "https://github.com/NTNU-IHB/Vico"),
    ("xsi", "http://www.w3.org/2001/XMLSchema-instance"),
];

/// The reading of one system: every file it is made of, and what is to be said about them.
pub(super) struct Session<'s> {
    pub(super) files: Files<'s>,
    reporter: Reporter<'s>,
    /// What the user calls the archive or folder; may be empty.
    name: &'s str,
    opened: usize,
    bytes: usize,
}

impl<'s> Session<'s> {
    pub(super) fn new(name: &'s str, files: Files<'s>, report: &'s mut Report) -> Self {
        Session { files, reporter: Reporter::new(report), name, opened: 0, bytes: 0 }
    }

    /// Adds a diagnostic, unless there are too many of its code already.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.reporter.report(diagnostic);
    }

    /// Says what was left out; true if there was no error.
    pub(super) fn finish(self) -> bool {
        self.reporter.finish()
    }

    /// Decodes, checks and parses a file and has `interpret` read its root element.
    pub(super) fn open<T>(
        &mut self,
        path: &str,
        bytes: &[u8],
        interpret: impl FnOnce(&mut Self, Tag<'_>) -> Option<T>,
    ) -> Option<T> {
        let shown = match self.name {
            "" => path.to_owned(),
            name => format!("{}/{path}", name.trim_end_matches('/')),
        };
        if !self.admit(&shown, bytes.len()) {
            return None;
        }
        let decoded = consort_xml::decode(bytes, Declaration::Ignored, Narrow::Latin1);
        let source = self.reporter.add_source(shown, decoded.text.clone());
        if let Some(doubt) = decoded.doubt.filter(|doubt| doubt.claim == Claim::Utf8) {
            self.report_encoding(Span::new(source, doubt.at));
        }
        let mut file = File::check(source, decoded.text, &FORMAT, &mut self.reporter)?;
        self.bind_prefixes(&mut file);
        let document = file.parse(&mut self.reporter)?;
        interpret(self, Tag { node: document.root_element(), file: &file })
    }

    /// Whether no more files are read; that was reported.
    pub(super) fn is_full(&self) -> bool {
        FILES_MAX < self.opened || BYTES_MAX < self.bytes
    }

    /// Whether another file of that size fits within the limits.
    fn admit(&mut self, shown: &str, length: usize) -> bool {
        self.opened += 1;
        self.bytes = self.bytes.saturating_add(length);
        let message = if TEXT_BYTES_MAX < length {
            format!("`{shown}` has more than {TEXT_BYTES_MAX} bytes")
        } else if FILES_MAX < self.opened {
            format!("files are read more than {FILES_MAX} times")
        } else if BYTES_MAX < self.bytes {
            format!("the files have more than {BYTES_MAX} bytes, each as often as it is named")
        } else {
            return true;
        };
        let help = "an SSP of this size is a mistake of the tool that wrote it";
        self.report(Diagnostic::error("ssp::limit", message).help(help));
        false
    }

    /// Binds undeclared prefixes at the root for as long as the parser stumbles over known ones.
    fn bind_prefixes(&mut self, file: &mut File<'_>) {
        // Parsing is dear, so look first whether there may be such a prefix.
        let is_suspicious = |(prefix, _): &&(&str, &str)| {
            let is_used = |before: char| file.text().contains(&format!("{before}{prefix}:"));
            ['<', ' ', '\t', '\n'].into_iter().any(is_used)
                && !file.text().contains(&format!("xmlns:{prefix}"))
        };
        for _ in 0..KNOWN_PREFIXES.iter().filter(is_suspicious).count() {
            let Some(found) = file.undeclared_prefix() else { return };
            let known = KNOWN_PREFIXES.iter().find(|(known, _)| *known == found.prefix);
            let Some((prefix, uri)) = known else { return };
            if !file.declare(prefix, uri) {
                return;
            }
            self.report(
                Diagnostic::warning(
                    "ssp::undeclared-prefix",
                    format!("the prefix `{prefix}` is not declared"),
                )
                .at(found.span, "used here")
                .help(format!("it was taken for `{uri}`; declare it: `xmlns:{prefix}=\"{uri}\"`")),
            );
        }
    }

    fn report_encoding(&mut self, span: Span) {
        self.report(
            Diagnostic::warning("ssp::encoding", "the text is not UTF-8")
                .at(span, "first such place")
                .help("it was read as ISO-8859-1; SSP files are to be written in UTF-8"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DEFAULT_STRUCTURE, read};
    use consort_core::Report;

    fn check(text: &str, expected: &str) {
        let mut report = Report::default();
        let files = |_: &str| Some(text.as_bytes().to_vec());
        assert!(read("demo.ssp", &files, DEFAULT_STRUCTURE, &mut report).is_none());
        let message = &report.diagnostics()[0].message;
        assert!(message.contains(expected), "{expected}: {message}");
    }

    #[test]
    fn what_would_keep_the_parser_busy_is_refused() {
        check("<!DOCTYPE a><a/>", "document type");
        check(&"<a>".repeat(201), "200 elements within elements");
        check(&format!("<a {}/>", "b='' ".repeat(501)), "500 attributes of one element");
        check(&"<a xmlns:b = 'c'/>".repeat(4001), "4000 namespace declarations");
    }

    #[test]
    fn comments_and_quotes_are_not_mistaken_for_markup() {
        check("<!-- <!DOCTYPE x> --><a/>", "it starts with `a`");
        check("<a b='====='/>", "it starts with `a`");
        check("<a b='<!DOCTYPE x>'/>", "this is not XML");
    }
}
