//! Attributes fetched by type, with a word on what is wrong with them.

use super::{Session, Tag};
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Seconds, Span};
use consort_system::Spanned;
use std::str::FromStr;

impl Session<'_> {
    /// A required attribute, or an error that says it is missing.
    pub(in crate::ssp) fn required<'d>(
        &mut self,
        tag: Tag<'d>,
        name: &str,
        help: &str,
    ) -> Option<Spanned<&'d str>> {
        let found = tag.attribute(name);
        if found.is_none() {
            let message = format!("`{}` has no `{name}`", tag.name());
            self.tell(
                Diagnostic::error("ssp::missing-attribute", message)
                    .at(tag.span(), format!("`{name}` is required here"))
                    .help(help),
            );
        }
        found
    }

    /// An optional value of a type that is read from text.
    pub(in crate::ssp) fn number<T: FromStr>(
        &mut self,
        tag: Tag<'_>,
        name: &str,
        expected: &str,
    ) -> Option<Spanned<T>> {
        let found = tag.attribute(name)?;
        match found.value.trim().parse() {
            Ok(value) => Some(Spanned { value, span: found.span }),
            Err(_) => {
                self.bad_value(name, &found, expected);
                None
            }
        }
    }

    /// An optional time in seconds, exactly as written.
    pub(in crate::ssp) fn seconds(&mut self, tag: Tag<'_>, name: &str) -> Option<Spanned<Seconds>> {
        self.number(tag, name, "a time in seconds that fits in 64 bits")
    }

    /// An optional flag as XML Schema writes it.
    pub(in crate::ssp) fn flag(&mut self, tag: Tag<'_>, name: &str) -> Option<bool> {
        let found = tag.attribute(name)?;
        let flag = boolean(found.value);
        if flag.is_none() {
            self.bad_value(name, &found, "`true` or `false`");
        }
        flag
    }

    /// One of several words.
    pub(in crate::ssp) fn choice<T: Copy>(
        &mut self,
        tag: Tag<'_>,
        name: &str,
        choices: &[(T, &str)],
    ) -> Option<Spanned<T>> {
        let found = tag.attribute(name)?;
        let chosen = choices.iter().find(|(_, word)| *word == found.value.trim());
        if let Some((value, _)) = chosen {
            return Some(Spanned { value: *value, span: found.span });
        }
        let words = choices.iter().map(|(_, word)| *word);
        let help = match nearest_name(found.value, words.clone()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => {
                let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
                format!("choose one of {}", words.join(", "))
            }
        };
        let message = format!("`{name}` cannot be `{}`", shorten(found.value));
        self.tell(
            Diagnostic::error("ssp::unknown-choice", message)
                .maybe_at(found.span, "not one of the choices")
                .help(help),
        );
        None
    }

    /// Says that an attribute's value is not of its type.
    pub(in crate::ssp) fn bad_value(&mut self, name: &str, found: &Spanned<&str>, expected: &str) {
        let message = format!("`{name}` is `{}`, which is not {expected}", shorten(found.value));
        self.tell(
            Diagnostic::error("ssp::bad-value", message)
                .maybe_at(found.span, format!("expected {expected}"))
                .help("values are written as XML Schema has them: `0.5`, `1e-3`, `-2`, `true`"),
        );
    }

    /// Warns about attributes and child elements of the standard's namespaces that are not listed.
    pub(in crate::ssp) fn known(&mut self, tag: Tag<'_>, attributes: &[&str], children: &[&str]) {
        for attribute in tag.node.attributes() {
            let name = attribute.name();
            let common = ["id", "description"].contains(&name);
            if attribute.namespace().is_none() && !common && !attributes.contains(&name) {
                let span = tag.file.span(attribute.range_qname());
                self.unknown(tag, ("attribute", name), attributes, span);
            }
        }
        for child in tag.children() {
            if child.is_standard() && !children.contains(&child.name()) {
                self.unknown(tag, ("element", child.name()), children, child.span());
            }
        }
    }

    fn unknown(&mut self, tag: Tag<'_>, (kind, name): (&str, &str), known: &[&str], span: Span) {
        let name = shorten(name);
        let message = format!("`{}` has an unknown {kind} `{name}`", tag.name());
        let help = match nearest_name(name, known.iter().copied()) {
            Some(nearest) => format!("it is ignored; did you mean `{nearest}`?"),
            None => "it is ignored".to_owned(),
        };
        let code = match kind {
            "attribute" => "ssp::unknown-attribute",
            _ => "ssp::unknown-element",
        };
        self.tell(Diagnostic::warning(code, message).at(span, "not known here").help(help));
    }
}

/// A truth value as XML Schema writes it.
pub(in crate::ssp) fn boolean(text: &str) -> Option<bool> {
    match text.trim() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// A text of a stranger for a message: its beginning, if it is long.
pub(in crate::ssp) fn shorten(text: &str) -> &str {
    const SHOWN_MAX: usize = 60;
    text.char_indices().nth(SHOWN_MAX).map_or(text, |(end, _)| &text[..end])
}
