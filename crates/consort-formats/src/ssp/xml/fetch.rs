//! Attributes fetched by type, with diagnostics for invalid ones.

use super::{FORMAT, Session, Tag, boolean, shorten};
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Seconds};
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
            self.report(tag.file.missing(tag.node, name, help));
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

    /// One of several keywords.
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
        self.report(
            Diagnostic::error("ssp::unknown-choice", message)
                .maybe_at(found.span, "not one of the choices")
                .help(help),
        );
        None
    }

    /// Says that an attribute's value is not of its type.
    pub(in crate::ssp) fn bad_value(&mut self, name: &str, found: &Spanned<&str>, expected: &str) {
        self.report(FORMAT.bad_value(name, found.value, expected, found.span));
    }

    /// Says that an element lacks another one.
    pub(in crate::ssp) fn missing(
        &mut self,
        message: impl Into<String>,
        tag: Tag<'_>,
        label: &str,
        help: &str,
    ) {
        let error = Diagnostic::error("ssp::missing-element", message);
        self.report(error.at(tag.span(), label).help(help));
    }

    /// Warns about attributes and child elements of the standard's namespaces that are not listed.
    pub(in crate::ssp) fn known(&mut self, tag: Tag<'_>, attributes: &[&str], children: &[&str]) {
        tag.file.known_attributes(tag.node, attributes, &mut self.reporter);
        for child in tag.children() {
            if child.is_standard() && !children.contains(&child.name()) {
                tag.file.unknown_element(child.node, children, &mut self.reporter);
            }
        }
    }
}
