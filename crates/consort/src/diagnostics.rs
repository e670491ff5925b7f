//! Diagnostics as a person reads them: the mistake, the place in the text, what to do. The command line prints them so,
//! and other front ends show the same.

mod alike;
mod flags;

pub use consort_run::files::diagnostics::{line_and_column, to_json};

use alike::Shown;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use consort_core::diagnostic::Source;
use consort_core::{Diagnostic, Label, Report, Severity, SourceId};
use consort_view::numbers::plural;
use std::cmp::Reverse;
use std::ops::Range;

/// How wide messages may be; longer source lines are cut around what matters.
const WIDTH: usize = 110;
/// Lines longer than this are cut before they are handed on: some tools write XML in one line.
const LINE_MAX: usize = 400;
/// The most diagnostics that are shown: a broken file can make thousands.
const SHOWN_MAX: usize = 100;

/// How a report is shown.
#[derive(Clone, Copy, Debug)]
pub struct ReportStyle {
    /// Whether to use colors.
    pub color: bool,
    /// What is less severe is left out.
    pub least: Severity,
    /// Every one in full, however many there are.
    pub all: bool,
    /// What follows from errors, said after their count: `nothing was run`.
    pub ending: &'static str,
    /// Say where more is to be read about errors.
    pub points_on: bool,
}

/// Everything in the report, errors first, then warnings and notes, followed by a line that counts
/// them. Warnings and notes that say the same of many things are counted after the first few.
pub fn render(report: &Report, style: ReportStyle) -> String {
    let renderer = if style.color { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.term_width(WIDTH);
    let found = report.diagnostics().iter().filter(|it| style.least <= it.severity);
    let mut found: Vec<&Diagnostic> = found.collect();
    found.sort_by_key(|it| Reverse(it.severity));
    let shown = match style.all {
        true => found.iter().map(|it| Shown::Whole(it)).collect(),
        false => alike::counted(&found, report),
    };
    let most = if style.all { usize::MAX } else { SHOWN_MAX };
    let mut text = String::new();
    for one in shown.iter().take(most) {
        text.push_str(&render_one(one.diagnostic(), report, &renderer));
        text.push_str("\n\n");
    }
    let hidden = shown.iter().skip(most).map(Shown::count).sum();
    if let Some(line) = count_line(report, &found, hidden, style.ending) {
        text.push_str(&line);
        text.push('\n');
    }
    if let Some(first) = found.first().filter(|it| style.points_on && is_error(it)) {
        let line = format!("for more: consort explain {}", first.code);
        let line = if style.color { format!("\u{1b}[2m{line}\u{1b}[0m") } else { line };
        text.push_str(&format!("{line}\n"));
    }
    text
}

fn is_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error
}

/// `3 errors, 1 warning: nothing was run`, or nothing where there is neither.
fn count_line(report: &Report, found: &[&Diagnostic], hidden: u64, ending: &str) -> Option<String> {
    let is_warning = |diagnostic: &&&Diagnostic| diagnostic.severity == Severity::Warning;
    let errors = report.error_count() as u64;
    let warnings = found.iter().filter(is_warning).count() as u64;
    let named = [(errors, "error"), (warnings, "warning")];
    let parts: Vec<String> = named
        .iter()
        .filter(|(count, _)| 0 < *count)
        .map(|&(count, name)| plural(count, name))
        .collect();
    let cut = match hidden {
        0 => String::new(),
        _ => format!(" ({hidden} of them not shown; `--verbose` shows them)"),
    };
    let ending = match errors {
        0 => String::new(),
        _ if ending.is_empty() => String::new(),
        _ => format!(": {ending}"),
    };
    let says_nothing = parts.is_empty() || found.len() == 1 && ending.is_empty();
    (!says_nothing).then(|| format!("{}{cut}{ending}", parts.join(", ")))
}

fn render_one(diagnostic: &Diagnostic, report: &Report, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(printable(&diagnostic.message)).id(diagnostic.code);
    let mut group = Group::with_title(title);
    for (source, labels) in by_source(diagnostic) {
        group = match report.sources().get(source.0 as usize) {
            Some(text) => group.element(snippet(text, &labels)),
            // The text of this place was not kept: the message is shown without it.
            None => group.element(Origin::path("(a text that was not kept)")),
        };
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(printable(note)));
    }
    let help = diagnostic.help.as_deref();
    let help = help.map(|text| printable(&flags::with_flag(text)));
    let help = help.map(|text| Group::with_title(Level::HELP.secondary_title(text)));
    let is_bare = diagnostic.primary.is_none() && diagnostic.notes.is_empty();
    let text = match help {
        None => renderer.render(&[group]),
        // Together, a bare message and its help would get a bar between them.
        Some(help) if is_bare => {
            format!("{}\n{}", renderer.render(&[group]), renderer.render(&[help]))
        }
        Some(help) => renderer.render(&[group, help]),
    };
    with_true_columns(text, diagnostic, report)
}

/// Without characters that would steer the terminal; FMUs and compilers may say anything.
fn printable(text: &str) -> String {
    let keep = |letter: char| match letter {
        '\n' => letter,
        '\t' => ' ',
        _ if letter.is_control() => '\u{FFFD}',
        _ => letter,
    };
    text.trim_end().chars().map(keep).collect()
}

/// A label and whether it is the mistake itself.
type Placed<'a> = (&'a Label, AnnotationKind);

/// The labels per text, the text of the mistake first.
fn by_source(diagnostic: &Diagnostic) -> Vec<(SourceId, Vec<Placed<'_>>)> {
    let primary = diagnostic.primary.iter().map(|label| (label, AnnotationKind::Primary));
    let others = diagnostic.labels.iter().map(|label| (label, AnnotationKind::Context));
    let mut sources: Vec<(SourceId, Vec<Placed<'_>>)> = Vec::new();
    for placed in primary.chain(others) {
        match sources.iter_mut().find(|(source, _)| *source == placed.0.span.source) {
            Some((_, labels)) => labels.push(placed),
            None => sources.push((placed.0.span.source, vec![placed])),
        }
    }
    sources
}

fn snippet<'a>(source: &'a Source, labels: &[Placed<'a>]) -> Snippet<'a, Annotation<'a>> {
    let excerpt = Excerpt::new(&source.text, labels);
    let annotations = labels.iter().map(|(label, kind)| {
        let text = (!label.text.is_empty()).then(|| printable(&label.text));
        kind.span(excerpt.place(&source.text, label.span.range())).label(text)
    });
    let annotations: Vec<_> = annotations.collect();
    Snippet::source(excerpt.text)
        .path(source.name.as_str())
        .line_start(excerpt.first_line)
        .annotations(annotations)
}

/// The renderer counts columns in the excerpt; where that is cut, they are put right afterward.
fn with_true_columns(mut text: String, diagnostic: &Diagnostic, report: &Report) -> String {
    for (source, labels) in by_source(diagnostic) {
        let Some(source) = report.sources().get(source.0 as usize) else { continue };
        let excerpt = Excerpt::new(&source.text, &labels);
        let Some((label, _)) = labels.first().filter(|_| excerpt.is_cut) else { continue };
        let start = excerpt.place(&source.text, label.span.range()).start;
        let (line, column) = line_and_column(&source.text, label.span.start as usize);
        let (_, shown) = line_and_column(&excerpt.text, start);
        let place = |column: usize| format!("{}:{line}:{column}", source.name);
        text = text.replacen(&place(shown), &place(column), 1);
    }
    text
}

/// The lines of a text that have labels, with what is too long cut away.
struct Excerpt {
    text: String,
    first_line: usize,
    /// Something is missing from a line.
    is_cut: bool,
    /// Pieces that were kept, in order: where they began, and where they begin now.
    pieces: Vec<(Range<usize>, usize)>,
}

impl Excerpt {
    fn new(text: &str, labels: &[Placed<'_>]) -> Self {
        let ranges: Vec<Range<usize>> =
            labels.iter().map(|(label, _)| clamp(text, label.span.range())).collect();
        let first = ranges.iter().map(|range| range.start).min().unwrap_or(0);
        let last = ranges.iter().map(|range| range.end).max().unwrap_or(0);
        let start = text[..first].rfind('\n').map_or(0, |at| at + 1);
        let end = text[last..].find('\n').map_or(text.len(), |at| last + at);
        let first_line = text[..start].matches('\n').count() + 1;
        let mut excerpt =
            Excerpt { text: String::new(), first_line, is_cut: false, pieces: Vec::new() };
        let mut at = start;
        for line in text[start..end].split_inclusive('\n') {
            excerpt.line(text, at..at + line.len(), &ranges);
            at += line.len();
        }
        excerpt
    }

    /// Keeps a line, or of a long one the neighborhood of each label's ends.
    fn line(&mut self, text: &str, line: Range<usize>, ranges: &[Range<usize>]) {
        if line.len() <= LINE_MAX {
            return self.keep(text, line);
        }
        let near = |at: &usize| line.start <= *at && *at <= line.end;
        let ends = ranges.iter().flat_map(|range| [range.start, range.end]).filter(near);
        let mut ends: Vec<usize> = ends.collect();
        ends.sort_unstable();
        let mut done = line.start;
        for at in ends {
            let from = text.floor_char_boundary(at.saturating_sub(LINE_MAX / 8)).max(done);
            let to = text.ceil_char_boundary(at + LINE_MAX / 8).min(line.end);
            if from < to {
                self.gap(done, from);
                self.keep(text, from..to);
                done = to;
            }
        }
        self.gap(done, line.end);
        if !self.text.ends_with('\n') && text[line].ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn keep(&mut self, text: &str, range: Range<usize>) {
        self.pieces.push((range.clone(), self.text.len()));
        for letter in text[range].chars() {
            match letter {
                '\n' => self.text.push('\n'),
                // As many bytes as before, so that places stay where they are.
                _ if letter.is_control() => self.text.extend(&[' ', ' '][..letter.len_utf8()]),
                _ => self.text.push(letter),
            }
        }
    }

    fn gap(&mut self, from: usize, to: usize) {
        if from < to {
            self.text.push('…');
            self.is_cut = true;
        }
    }

    /// Where a range of the text is in the excerpt.
    fn place(&self, text: &str, range: Range<usize>) -> Range<usize> {
        let range = clamp(text, range);
        let start = self.position(range.start);
        start..self.position(range.end).max(start)
    }

    fn position(&self, at: usize) -> usize {
        let piece = self.pieces.iter().rev().find(|(range, _)| range.start <= at);
        let Some((range, now)) = piece else { return 0 };
        let place = now + (at - range.start).min(range.len());
        self.text.floor_char_boundary(place)
    }
}

/// Within the text and on borders of characters.
fn clamp(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(range.start);
    start..text.ceil_char_boundary(range.end).max(start)
}

#[cfg(test)]
mod tests;
