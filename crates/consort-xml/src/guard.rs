//! A cheap look over a text before it is parsed: no DTD, and nothing whose parsing could exhaust
//! time or memory.
//!
//! The parser compares the attributes of an element pairwise and copies the namespaces in scope at
//! each declaration; a file that repeats either without end would keep it busy without end. So
//! both are counted here, in one pass over the bytes.

use crate::format::{Format, Limits};
use consort_core::{Diagnostic, Span};
use std::ops::Range;

/// Why and where a text is not parsed.
pub(crate) struct Refusal {
    pub(crate) at: Range<usize>,
    pub(crate) why: Why,
}

/// Why a text is not parsed.
pub(crate) enum Why {
    /// It has a document type definition, which may define entities that unfold without end.
    Doctype,
    /// There are more than `most` of `what`.
    TooMany { most: usize, what: &'static str },
}

impl Refusal {
    /// The same for the user, with the codes of the format.
    pub(crate) fn diagnostic(&self, format: &Format, span: Span) -> Diagnostic {
        match self.why {
            Why::Doctype => {
                let message = "a document type definition is not accepted";
                Diagnostic::error(format.codes.entity, message)
                    .at(span, "may define entities that unfold without end")
                    .help(format.help.doctype)
            }
            Why::TooMany { most, what } => {
                let message = format!("there are more than {most} {what}");
                Diagnostic::error(format.codes.limit, message)
                    .at(span, "too many from here on")
                    .help(format.help.crowd)
            }
        }
    }
}

/// Looks for what the parser should not be given.
pub(crate) fn check(text: &str, limits: &Limits) -> Result<(), Refusal> {
    let mut scopes = Scopes::default();
    let mut at = 0;
    while let Some(found) = text[at..].find('<') {
        let start = at + found;
        let rest = &text[start..];
        at = start + markup_length(rest);
        let refused = |why| Refusal { at: start..start + 1, why };
        if rest.starts_with("<!DOCTYPE") {
            return Err(Refusal { at: start..start + "<!DOCTYPE".len(), why: Why::Doctype });
        } else if rest.starts_with("</") {
            scopes.close();
        } else if !rest.starts_with("<!") && !rest.starts_with("<?") {
            scopes.open(&text[start..at], limits).map_err(refused)?;
        }
    }
    Ok(())
}

/// The elements that are open, and the namespaces declared so far.
#[derive(Default)]
struct Scopes {
    /// How many namespaces each open element declares, outermost first.
    open: Vec<usize>,
    /// The sum of `open`.
    held: usize,
    /// How many the whole text declared so far.
    namespaces: usize,
}

impl Scopes {
    fn close(&mut self) {
        self.held -= self.open.pop().unwrap_or(0);
    }

    fn open(&mut self, tag: &str, limits: &Limits) -> Result<(), Why> {
        let (attributes, declared) = count_attributes(tag);
        self.namespaces += declared;
        if let Some(most) = limits.namespaces_open {
            limit(self.held + declared, most, "namespace declarations at once")?;
        }
        if !tag.ends_with("/>") {
            self.open.push(declared);
            self.held += declared;
        }
        limit(self.open.len(), limits.depth, "elements within elements")?;
        limit(attributes, limits.attributes, "attributes of one element")?;
        limit(self.namespaces, limits.namespaces, "namespace declarations")
    }
}

fn limit(found: usize, most: usize, what: &'static str) -> Result<(), Why> {
    if found <= most { Ok(()) } else { Err(Why::TooMany { most, what }) }
}

/// The length of the comment, instruction, section or tag at the start of `rest`.
fn markup_length(rest: &str) -> usize {
    let until = |end: &str| rest.find(end).map_or(rest.len(), |at| at + end.len());
    if rest.starts_with("<!--") {
        return until("-->");
    }
    if rest.starts_with("<![CDATA[") {
        return until("]]>");
    }
    if rest.starts_with("<?") {
        return until("?>");
    }
    let mut quote = None;
    for (index, byte) in rest.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return index + 1,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    rest.len()
}

/// Counts `=` outside of quotes, and the namespace declarations among them.
fn count_attributes(tag: &str) -> (usize, usize) {
    let bytes = tag.as_bytes();
    let (mut count, mut namespaces) = (0, 0);
    let (mut quote, mut name_start, mut in_name) = (None, 0, false);
    for (index, &byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (Some(open), _) => quote = quote.filter(|_| open != byte),
            (None, b'=') => {
                count += 1;
                namespaces += usize::from(bytes[name_start..index].starts_with(b"xmlns"));
                in_name = false;
            }
            (None, b'"' | b'\'') => (quote, in_name) = (Some(byte), false),
            (None, byte) if byte.is_ascii_whitespace() => in_name = false,
            _ if !in_name => (name_start, in_name) = (index, true),
            _ => {}
        }
    }
    (count, namespaces)
}

/// Where the name of the root element ends: attributes may be put there.
pub(crate) fn root_name_end(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let start = at + text.get(at..)?.find('<')?;
        let rest = &text[start..];
        if rest.starts_with("<!") || rest.starts_with("<?") {
            at = start + markup_length(rest);
            continue;
        }
        return rest.find(ends_name).map(|length| start + length);
    }
}

/// The name of the root element, without its prefix: what kind of file a text is, at a glance. Only as much of
/// the text is looked at as stands before the end of that name, so its beginning is enough.
pub fn root_name(text: &str) -> Option<&str> {
    let opening = &text[..root_name_end(text)?];
    let (_, name) = opening.rsplit_once('<')?;
    Some(name.rsplit_once(':').map_or(name, |(_, local)| local))
}

/// Whether a character ends the name of an element.
pub(crate) fn ends_name(c: char) -> bool {
    c.is_whitespace() || c == '>' || c == '/'
}

/// The byte a parser's row and column stand for.
pub(crate) fn offset_of(text: &str, position: roxmltree::TextPos) -> usize {
    let mut lines = text.split_inclusive('\n');
    let before: usize =
        lines.by_ref().take(position.row.saturating_sub(1) as usize).map(str::len).sum();
    let line = lines.next().unwrap_or_default();
    let column = position.col.saturating_sub(1) as usize;
    before + line.char_indices().nth(column).map_or(line.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        bytes: 1 << 20,
        nodes: 100_000,
        depth: 100,
        attributes: 500,
        namespaces: 4000,
        namespaces_open: Some(90),
    };

    fn check_refused(text: &str, expected: &str) {
        let what = match check(text, &LIMITS) {
            Ok(()) => "accepted",
            Err(Refusal { why: Why::Doctype, .. }) => "document type",
            Err(Refusal { why: Why::TooMany { what, .. }, .. }) => what,
        };
        assert_eq!(what, expected, "{text:.60}");
    }

    #[test]
    fn what_would_keep_the_parser_busy_is_refused() {
        check_refused("<!DOCTYPE a><a/>", "document type");
        check_refused(&"<a>".repeat(101), "elements within elements");
        check_refused(&format!("<a {}/>", "b='' ".repeat(501)), "attributes of one element");
        check_refused(&"<a xmlns:b = 'c'/>".repeat(4001), "namespace declarations");
        check_refused(&"<a xmlns='c'/>".repeat(4001), "namespace declarations");
        check_refused(&"<a xmlns:b='c'>".repeat(91), "namespace declarations at once");
        check_refused(
            &format!("<a {}/>", "xmlns:b=''".repeat(91)),
            "namespace declarations at once",
        );
    }

    #[test]
    fn what_reaches_the_limits_is_accepted() {
        check_refused(&"<a>".repeat(100), "accepted");
        check_refused(&format!("<a {}/>", "b='' ".repeat(500)), "accepted");
        check_refused(&"<a xmlns='c'/>".repeat(4000), "accepted");
        check_refused(&"<a xmlns:b='c'>".repeat(90), "accepted");
    }

    #[test]
    fn closed_elements_no_longer_count() {
        check_refused(&"<a b='1' c='2'/><d></d>".repeat(1000), "accepted");
        check_refused(&"<a xmlns='c'><b></b></a>".repeat(1000), "accepted");
        check_refused("</a></a></a>", "accepted");
    }

    #[test]
    fn comments_sections_and_quotes_are_not_mistaken_for_markup() {
        for text in [
            "<!-- <!DOCTYPE x> --><a/>",
            "<a><![CDATA[<!DOCTYPE x>]]></a>",
            "<a b='<!DOCTYPE x>'/>",
            "<?pi <!DOCTYPE ?><a/>",
            "<a b='=========='/>",
        ] {
            check_refused(text, "accepted");
        }
        check_refused(&format!("<a b='{}'/>", "xmlns=".repeat(100)), "accepted");
    }

    #[test]
    fn the_root_is_found_behind_comments() {
        let text = "<?xml version='1.0'?><!-- <b> --><a/>";
        assert_eq!(root_name_end(text), Some(text.len() - 2));
        assert_eq!(root_name_end("no tag"), None);
    }

    #[test]
    fn a_file_is_known_by_its_root() {
        for text in [
            "<sbml level=\"3\"/>",
            "<?xml version=\"1.0\"?>\n<!-- <a> -->\n<sbml>",
            "<!DOCTYPE sbml>\n<s:sbml xmlns:s=\"x\">",
        ] {
            assert_eq!(root_name(text), Some("sbml"), "{text}");
        }
        for text in ["", "<", "<sbmlx>", "<model><sbml/></model>", "<!-- <sbml>", "sbml"] {
            assert_ne!(root_name(text), Some("sbml"), "{text}");
        }
    }
}
