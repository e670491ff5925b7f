//! A checked text, and where everything in it is.

use crate::guard::{self, ends_name};
use crate::{Format, Reporter, XmlNode, shorten};
use consort_core::{Diagnostic, SourceId, Span};
use roxmltree::{Attribute, Document, Error, ParsingOptions};
use std::borrow::Cow;
use std::ops::Range;

/// A text that is safe to parse, with the place of everything in it.
pub struct File<'t> {
    source: SourceId,
    /// As the parser sees it.
    text: Cow<'t, str>,
    format: &'static Format,
    /// What the parser sees and the user did not write, in the order it was put in.
    inserted: Vec<Range<usize>>,
}

/// A prefix that a file uses and does not declare.
pub struct Undeclared {
    /// The undeclared prefix.
    pub prefix: String,
    /// The place of its use.
    pub span: Span,
}

impl<'t> File<'t> {
    /// Takes a text, unless parsing it could take forever, which is reported.
    ///
    /// `source` is the same text, as the report knows it.
    pub fn check(
        source: SourceId,
        text: impl Into<Cow<'t, str>>,
        format: &'static Format,
        reporter: &mut Reporter<'_>,
    ) -> Option<File<'t>> {
        let file = File { source, text: text.into(), format, inserted: Vec::new() };
        match guard::check(&file.text, &format.limits) {
            Ok(()) => Some(file),
            Err(refusal) => {
                reporter.report(refusal.diagnostic(format, file.span(refusal.at.clone())));
                None
            }
        }
    }

    /// Parses the text, or reports why that is impossible.
    pub fn parse(&self, reporter: &mut Reporter<'_>) -> Option<Document<'_>> {
        let parsed = self.try_parse();
        parsed
            .map_err(|error| reporter.report(self.format.unparsed(&error, self.fault(&error))))
            .ok()
    }

    fn try_parse(&self) -> Result<Document<'_>, Error> {
        let nodes_limit = self.format.limits.nodes;
        let options = ParsingOptions { nodes_limit, ..ParsingOptions::default() };
        Document::parse_with_options(&self.text, options)
    }

    fn fault(&self, error: &Error) -> Span {
        let at = match error {
            // The parser gives no place; what is missing is missing at the end.
            Error::UnexpectedEndOfStream | Error::UnclosedRootNode => self.text.len(),
            _ => guard::offset_of(&self.text, error.pos()),
        };
        self.span(at..at + 1)
    }

    /// The prefix the parser stumbles over, if it does. This parses, so look for a cheaper sign first.
    pub fn undeclared_prefix(&self) -> Option<Undeclared> {
        match self.try_parse() {
            Err(Error::UnknownNamespace(prefix, position)) => {
                let at = guard::offset_of(&self.text, position);
                Some(Undeclared { prefix, span: self.span(at..at + 1) })
            }
            _ => None,
        }
    }

    /// Declares a prefix at the root element as if the file did; spans point into the text as it was.
    /// False if there is no root element.
    pub fn declare(&mut self, prefix: &str, uri: &str) -> bool {
        let Some(at) = guard::root_name_end(&self.text) else { return false };
        let declaration = format!(" xmlns:{prefix}=\"{uri}\"");
        self.inserted.push(at..at + declaration.len());
        self.text.to_mut().insert_str(at, &declaration);
        true
    }

    /// The text, as the parser sees it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A range of the text as a span of what was written, moved to whole characters inside it.
    pub fn span(&self, range: Range<usize>) -> Span {
        let start = self.text.floor_char_boundary(range.start);
        let end = self.text.ceil_char_boundary(range.end).max(start);
        Span::new(self.source, self.written(start)..self.written(end))
    }

    fn written(&self, mut offset: usize) -> usize {
        for inserted in self.inserted.iter().rev() {
            if inserted.start < offset {
                offset = offset.saturating_sub(inserted.len()).max(inserted.start);
            }
        }
        offset
    }

    /// The opening of an element: `<Unit`.
    pub fn tag(&self, node: XmlNode<'_>) -> Span {
        let start = node.range().start;
        let length = self.text[start..].find(ends_name).unwrap_or(1);
        self.span(start..start + length)
    }

    /// An attribute's value, without its quotes.
    pub fn value(&self, attribute: Attribute<'_, '_>) -> Span {
        self.span(attribute.range_value())
    }

    /// A piece of an attribute's value, if the value holds no references that would shift it;
    /// else the whole value.
    pub fn piece(&self, attribute: Attribute<'_, '_>, piece: &str) -> Span {
        let (range, value) = (attribute.range_value(), attribute.value());
        let offset = (piece.as_ptr() as usize).wrapping_sub(value.as_ptr() as usize);
        if range.len() != value.len() || range.len() < offset {
            return self.value(attribute);
        }
        self.span(range.start + offset..range.start + offset + piece.len())
    }

    /// The value of `name` if it is there, else the opening of the element.
    pub fn place(&self, node: XmlNode<'_>, name: &str) -> Span {
        node.attribute_node(name).map_or_else(|| self.tag(node), |found| self.value(found))
    }

    /// The error of an element without the attribute `name`.
    pub fn missing(&self, node: XmlNode<'_>, name: &str, help: impl Into<String>) -> Diagnostic {
        let message = format!("`{}` has no `{name}`", node.tag_name().name());
        Diagnostic::error(self.format.codes.missing, message)
            .at(self.tag(node), format!("`{name}` is required here"))
            .help(help)
    }

    /// Warns about attributes without a namespace that are not known, with what may have been meant.
    pub fn known_attributes(&self, node: XmlNode<'_>, known: &[&str], reporter: &mut Reporter<'_>) {
        let code = self.format.codes.attribute;
        for attribute in node.attributes().filter(|attribute| attribute.namespace().is_none()) {
            let name = attribute.name();
            if !self.format.attributes.contains(&name) && !known.contains(&name) {
                let span = self.span(attribute.range_qname());
                let unknown = Unknown { code, parent: node, kind: "attribute", name, span };
                unknown.warn(known, reporter);
            }
        }
    }

    /// Warns about a child element that is not known, with what may have been meant.
    pub fn unknown_element(&self, child: XmlNode<'_>, known: &[&str], reporter: &mut Reporter<'_>) {
        let Some(parent) = child.parent_element() else { return };
        let (code, name) = (self.format.codes.element, child.tag_name().name());
        let unknown = Unknown { code, parent, kind: "element", name, span: self.tag(child) };
        unknown.warn(known, reporter);
    }
}

/// An attribute or element that is ignored.
struct Unknown<'d> {
    code: &'static str,
    parent: XmlNode<'d>,
    kind: &'static str,
    name: &'d str,
    span: Span,
}

impl Unknown<'_> {
    fn warn(&self, known: &[&str], reporter: &mut Reporter<'_>) {
        let parent = self.parent.tag_name().name();
        let message = format!("`{parent}` has an unknown {} `{}`", self.kind, shorten(self.name));
        let help = match reporter.nearest(self.code, self.name, known.iter().copied()) {
            Some(nearest) => format!("it is ignored; did you mean `{nearest}`?"),
            None => "it is ignored".to_owned(),
        };
        let diagnostic = Diagnostic::warning(self.code, message);
        reporter.report(diagnostic.at(self.span, "not known here").help(help));
    }
}

#[cfg(test)]
mod tests;
