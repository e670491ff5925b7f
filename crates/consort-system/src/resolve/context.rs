//! What every check needs: names, sizes, and where mistakes go.

use super::names::Names;
use super::shapes;
use crate::system::{Spanned, SystemDescription};
use consort_core::diagnostic::nearest_name;
use consort_core::{ComponentId, Diagnostic, ModelDescription, Report, Span, VariableId};
use std::ops::Range;

/// Looking for the nearest name takes time; a file with thousands of wrong names gets no more
/// suggestions after this many.
const SUGGESTIONS_MAX: u32 = 200;

/// Longer names are not compared.
const NAME_LENGTH_MAX: usize = 200;

/// At most this many names are listed in a help line.
const LISTED_MAX: usize = 8;

pub(super) struct Context<'a, 'r> {
    pub(super) system: &'a SystemDescription,
    pub(super) names: Names<'a>,
    /// By component: a mistake elsewhere may explain inputs that nothing feeds.
    pub(super) doubtful: Vec<bool>,
    pub(super) report: &'r mut Report,
    sizes: Vec<shapes::Sizes>,
    suggestions: u32,
}

impl<'a, 'r> Context<'a, 'r> {
    pub(super) fn new(
        system: &'a SystemDescription,
        models: &[Option<&'a ModelDescription>],
        report: &'r mut Report,
    ) -> Self {
        let names = Names::new(system, models);
        let doubtful = vec![false; system.components.len()];
        let mut context =
            Context { system, names, doubtful, report, sizes: Vec::new(), suggestions: 0 };
        context.sizes = shapes::resolve(&mut context);
        context
    }

    pub(super) fn into_counts(self) -> Vec<Vec<u32>> {
        self.sizes.into_iter().map(|sizes| sizes.counts).collect()
    }

    /// How many elements a variable has.
    pub(super) fn count(&self, component: ComponentId, variable: VariableId) -> u32 {
        self.sizes[component.index()].counts[variable.index()]
    }

    /// The extent of each dimension of a variable.
    pub(super) fn extents(&self, component: ComponentId, variable: VariableId) -> Vec<u64> {
        let model = self.names.model(component).expect("a variable has a model");
        self.sizes[component.index()].extents(model, &model.variables[variable.index()])
    }

    pub(super) fn component_name(&self, component: ComponentId) -> &'a str {
        &self.system.components[component.index()].name.value
    }

    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        self.report.push(diagnostic);
    }

    /// Reports with a second place, if that is known.
    pub(super) fn push_with_label(&mut self, it: Diagnostic, span: Option<Span>, text: &str) {
        self.report.push(match span {
            Some(span) => it.label(span, text),
            None => it,
        });
    }

    /// The name that was probably meant.
    pub(super) fn suggest<'n>(
        &mut self,
        given: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Option<&'n str> {
        if self.suggestions == SUGGESTIONS_MAX || NAME_LENGTH_MAX < given.len() {
            return None;
        }
        self.suggestions += 1;
        nearest_name(given, names.into_iter().filter(|name| name.len() <= NAME_LENGTH_MAX))
    }

    /// What to do about a name that does not exist: the nearest one, or all there are.
    pub(super) fn name_help<'n>(
        &mut self,
        given: &str,
        names: impl Iterator<Item = &'n str> + Clone,
        title: &str,
    ) -> String {
        if let Some(name) = self.suggest(given, names.clone()) {
            return format!("did you mean `{name}`?");
        }
        let listed: Vec<&str> = names.clone().take(LISTED_MAX).collect();
        let more = if names.take(LISTED_MAX + 1).count() == LISTED_MAX + 1 { ", ..." } else { "" };
        match listed.is_empty() {
            true => format!("there are no {title}"),
            false => format!("the {title} are `{}`{more}", listed.join("`, `")),
        }
    }
}

/// Text and where it is written, part by part.
#[derive(Clone, Copy)]
pub(super) struct Written<'t> {
    pub(super) text: &'t str,
    pub(super) span: Option<Span>,
}

impl<'t> Written<'t> {
    pub(super) fn new(written: &'t Spanned<String>) -> Self {
        let text = written.value.as_str();
        let inner = |span: Span| {
            let quoted = span.range().len() == text.len() + 2;
            let range = span.range();
            if quoted { Span::new(span.source, range.start + 1..range.end - 1) } else { span }
        };
        Written { text, span: written.span.map(inner) }
    }

    /// A part of it; with the place of the whole if the text was not written as it is.
    pub(super) fn part(self, range: Range<usize>) -> Written<'t> {
        let place = |span: Span| {
            if span.range().len() != self.text.len() {
                return span;
            }
            let start = span.range().start;
            Span::new(span.source, start + range.start..start + range.end)
        };
        Written { text: &self.text[range.clone()], span: self.span.map(place) }
    }

    pub(super) fn trim(self) -> Written<'t> {
        let start = self.text.len() - self.text.trim_start().len();
        self.part(start..start + self.text.trim().len())
    }
}
