//! XML of strangers: decoded, bounded, parsed, and taken apart with the place of everything.
//!
//! [`Session::open`] is the one way in. Undeclared prefixes that tools are known to leave
//! undeclared are bound before the text is parsed again; spans point into the text as it was.

mod fetch;
mod guard;
mod tag;

use super::Files;
use consort_core::{Diagnostic, Report, Severity};
use roxmltree::{Document, Error, ParsingOptions};
use std::collections::BTreeMap;

pub(super) use fetch::{boolean, shorten};
pub(super) use tag::Tag;
use tag::{File, Inserted};

/// The largest text that is read (bytes).
pub const TEXT_BYTES_MAX: usize = 64 << 20;

/// Most files of one SSP that are read, counted as often as they are named.
const FILES_MAX: usize = 10_000;

/// Most bytes of all files together, counted as often as they are named.
const BYTES_MAX: usize = 4 * TEXT_BYTES_MAX;

/// How many diagnostics of one code are kept; a broken generator repeats itself thousandfold.
const DIAGNOSTICS_PER_CODE_MAX: usize = 50;

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
];

/// The reading of one system: every file it is made of, and what is to be said about them.
pub(super) struct Session<'s> {
    pub(super) files: Files<'s>,
    report: &'s mut Report,
    /// What the user calls the archive or folder; may be empty.
    name: &'s str,
    counts: BTreeMap<&'static str, (usize, Severity)>,
    opened: usize,
    bytes: usize,
}

impl<'s> Session<'s> {
    pub(super) fn new(name: &'s str, files: Files<'s>, report: &'s mut Report) -> Self {
        Session { files, report, name, counts: BTreeMap::new(), opened: 0, bytes: 0 }
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

    /// Says what was left out; true if there was no error.
    pub(super) fn finish(self) -> bool {
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
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let (text, doubtful) = decode(bytes);
        let source = self.report.add_source(shown, text.clone());
        let mut file = File { source, text, inserted: Vec::new() };
        if let Some(at) = doubtful {
            self.report_encoding(&file, at);
        }
        if let Err(refusal) = guard::check(&file.text) {
            let span = file.span(refusal.at);
            let diagnostic = Diagnostic::error(refusal.code, refusal.message);
            self.tell(diagnostic.at(span, refusal.label).help(refusal.help));
            return None;
        }
        self.bind_prefixes(&mut file);
        let document = parse(&file.text).map_err(|error| self.syntax(&file, &error)).ok()?;
        interpret(self, Tag { node: document.root_element(), file: &file })
    }

    /// Whether no more files are read; that was told.
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
        self.tell(Diagnostic::error("ssp::limit", message).help(help));
        false
    }

    /// Binds undeclared prefixes at the root for as long as the parser stumbles over known ones.
    fn bind_prefixes(&mut self, file: &mut File) {
        // Parsing is dear, so look first whether there may be such a prefix.
        let is_suspicious = |(prefix, _): &&(&str, &str)| {
            file.text.contains(&format!("<{prefix}:"))
                && !file.text.contains(&format!("xmlns:{prefix}"))
        };
        for _ in 0..KNOWN_PREFIXES.iter().filter(is_suspicious).count() {
            let Err(Error::UnknownNamespace(prefix, position)) = parse(&file.text) else { return };
            let known = KNOWN_PREFIXES.iter().find(|(known, _)| *known == prefix);
            let (Some((prefix, uri)), Some(at)) = (known, guard::root_name_end(&file.text)) else {
                return;
            };
            let place = guard::offset_of(&file.text, position);
            let span = file.span(place..place + 1);
            self.tell(
                Diagnostic::warning(
                    "ssp::undeclared-prefix",
                    format!("the prefix `{prefix}` is not declared"),
                )
                .at(span, "used here")
                .help(format!("it was taken for `{uri}`; declare it: `xmlns:{prefix}=\"{uri}\"`")),
            );
            let declaration = format!(" xmlns:{prefix}=\"{uri}\"");
            file.inserted.push(Inserted { at, length: declaration.len() });
            file.text.insert_str(at, &declaration);
        }
    }

    fn report_encoding(&mut self, file: &File, at: usize) {
        self.tell(
            Diagnostic::warning("ssp::encoding", "the text is not UTF-8")
                .at(file.span(at..at + 1), "first such place")
                .help("it was read as ISO-8859-1; SSP files are to be written in UTF-8"),
        );
    }

    fn syntax(&mut self, file: &File, error: &Error) {
        let at = match error {
            // The parser does not say where; what is missing is missing at the end.
            Error::UnexpectedEndOfStream | Error::UnclosedRootNode => file.text.len(),
            _ => guard::offset_of(&file.text, error.pos()),
        };
        let words = error.to_string().replace(&format!(" at {}", error.pos()), "");
        let words = words.replace('\'', "`");
        let diagnostic = match error {
            Error::UnknownEntityReference(..) => {
                Diagnostic::error("ssp::entity", "the file uses an entity of its own")
                    .help("only `&lt;`, `&gt;`, `&amp;`, `&apos;` and `&quot;` are read")
            }
            Error::NodesLimitReached => Diagnostic::error(
                "ssp::limit",
                format!("the file has more than {} nodes", guard::NODES_MAX),
            )
            .help("a file of this size is a mistake of the tool that wrote it"),
            _ => Diagnostic::error("ssp::syntax", format!("this is not XML: {words}"))
                .help("an SSP file must be well-formed XML; export it again"),
        };
        self.tell(diagnostic.at(file.span(at..at + 1), words));
    }
}

fn parse(text: &str) -> Result<Document<'_>, Error> {
    let options = ParsingOptions { nodes_limit: guard::NODES_MAX, ..ParsingOptions::default() };
    Document::parse_with_options(text, options)
}

/// The text, and where in it the first byte is that was not UTF-8. UTF-16 is told by its mark.
fn decode(bytes: &[u8]) -> (String, Option<usize>) {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = bytes.as_chunks().0.iter().copied().map(unit);
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => return (wide(rest, u16::from_le_bytes), None),
        [0xfe, 0xff, rest @ ..] => return (wide(rest, u16::from_be_bytes), None),
        _ => {}
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), None),
        Err(error) => {
            let latin =
                |bytes: &[u8]| bytes.iter().map(|&byte| char::from(byte)).collect::<String>();
            (latin(bytes), Some(latin(&bytes[..error.valid_up_to()]).len()))
        }
    }
}
