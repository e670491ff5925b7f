//! A line of a plan, read from left to right.

use crate::plan::text::is_plain;
use consort_core::{SourceId, Span};
use std::ops::Range;

/// A line and what of it is still to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    text: &'t str,
    /// Where `text` starts in the whole.
    start: usize,
    at: usize,
    /// Spaces before the first word; a tab counts as no step of indentation at all.
    pub(super) depth_in_spaces: usize,
}

/// Some text and where it is.
#[derive(Clone, Copy)]
pub(super) struct Piece<'t> {
    pub(super) text: &'t str,
    start: usize,
}

impl Piece<'_> {
    pub(super) fn span(&self, source: SourceId) -> Span {
        Span::new(source, self.start..self.start + self.text.len())
    }
}

/// A name, without its quotes, and where it is.
pub(super) struct Name {
    pub(super) value: String,
    range: Range<usize>,
}

impl Name {
    pub(super) fn span(&self, source: SourceId) -> Span {
        Span::new(source, self.range.clone())
    }
}

impl<'t> Line<'t> {
    /// Every line that has more than a comment.
    pub(super) fn all(text: &'t str) -> Vec<Line<'t>> {
        let mut start = 0;
        let mut lines = Vec::new();
        for line in text.split_inclusive('\n') {
            let content = without_comment(line).trim_end();
            let indent = content.len() - content.trim_start().len();
            if indent < content.len() {
                let depth_in_spaces = match content[..indent].bytes().all(|it| it == b' ') {
                    true => indent,
                    false => usize::MAX,
                };
                lines.push(Line { text: content, start, at: indent, depth_in_spaces });
            }
            start += line.len();
        }
        lines
    }

    pub(super) fn indent_span(&self, source: SourceId) -> Span {
        let end = self.text.len() - self.text.trim_start().len();
        Span::new(source, self.start..self.start + end)
    }

    fn skip_spaces(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Whether nothing is left.
    pub(super) fn is_done(&mut self) -> bool {
        self.skip_spaces();
        self.at == self.text.len()
    }

    /// All that is left.
    pub(super) fn rest(&mut self) -> Piece<'t> {
        self.skip_spaces();
        let piece = self.piece(self.at..self.text.len());
        self.at = self.text.len();
        piece
    }

    /// The next run of characters that stand in names; empty if there is none.
    pub(super) fn word(&mut self) -> Piece<'t> {
        self.skip_spaces();
        self.run(true)
    }

    fn run(&mut self, dots: bool) -> Piece<'t> {
        let rest = &self.text[self.at..];
        let is_arrow = |at: usize| rest[at..].starts_with("->");
        let is_in = |at: usize, it: char| is_plain(it) && (dots || it != '.') && !is_arrow(at);
        let end = rest.char_indices().find(|&(at, it)| !is_in(at, it));
        let end = end.map_or(rest.len(), |(at, _)| at);
        let piece = self.piece(self.at..self.at + end);
        self.at += end;
        piece
    }

    fn piece(&self, range: Range<usize>) -> Piece<'t> {
        Piece { text: &self.text[range.clone()], start: self.start + range.start }
    }

    /// What is next, if it is `wanted`.
    pub(super) fn eat(&mut self, wanted: &str) -> bool {
        self.skip_spaces();
        let found = self.text[self.at..].starts_with(wanted);
        if found {
            self.at += wanted.len();
        }
        found
    }

    /// The next word, if it is `wanted`.
    pub(super) fn eat_word(&mut self, wanted: &str) -> bool {
        let before = self.at;
        let found = self.word().text == wanted;
        if !found {
            self.at = before;
        }
        found
    }

    /// A name, in quotes or not; `Err` has the piece that is none.
    pub(super) fn name(&mut self, dots: bool) -> Result<Name, Piece<'t>> {
        self.skip_spaces();
        self.name_here(dots)
    }

    /// As [`Line::name`], with no spaces before it.
    pub(super) fn name_here(&mut self, dots: bool) -> Result<Name, Piece<'t>> {
        let start = self.start + self.at;
        if self.text[self.at..].starts_with('"') {
            let Some((value, len)) = unquote(&self.text[self.at..]) else {
                return Err(self.rest());
            };
            self.at += len;
            return Ok(Name { value, range: start..start + len });
        }
        let piece = self.run(dots);
        if piece.text.is_empty() {
            return Err(self.rest());
        }
        Ok(Name { value: piece.text.to_owned(), range: start..start + piece.text.len() })
    }

    /// `[first..end]`, with no spaces before it.
    pub(super) fn part_here(&mut self) -> Option<(u32, u32)> {
        let before = self.at;
        let piece = self.run(true);
        let part = split_part(piece.text).filter(|(name, _)| name.is_empty());
        if part.is_none() {
            self.at = before;
        }
        part.map(|(_, part)| part)
    }

    pub(super) fn place(&self) -> usize {
        self.start + self.at
    }
}

/// `name[first..last]` to its name and its part: where it begins, counted from 0, and where it ends.
pub(super) fn split_part(text: &str) -> Option<(&str, (u32, u32))> {
    let open = text.rfind('[')?;
    let (first, end) = text[open + 1..].strip_suffix(']')?.split_once("..")?;
    let first = first.parse::<u32>().ok()?.checked_sub(1)?;
    Some((&text[..open], (first, end.parse().ok()?)))
}

/// The line up to a `#` that is not in quotes.
fn without_comment(line: &str) -> &str {
    let mut in_quotes = false;
    let mut escaped = false;
    for (at, character) in line.char_indices() {
        match character {
            '#' if !in_quotes => return &line[..at],
            '"' if !escaped => in_quotes = !in_quotes,
            _ => {}
        }
        escaped = in_quotes && character == '\\' && !escaped;
    }
    line
}

/// Text in quotes at the start, and how long it is with its quotes. Escapes are those that Rust's
/// `{:?}` writes.
fn unquote(text: &str) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((value, at + 1)),
            '\\' => {
                let (_, escape) = characters.next()?;
                value.push(match escape {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    '0' => '\0',
                    'u' => {
                        let digits: String = characters
                            .by_ref()
                            .skip(1)
                            .map(|it| it.1)
                            .take_while(|&it| it != '}')
                            .collect();
                        char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
                    }
                    other => other,
                });
            }
            other => value.push(other),
        }
    }
    None
}
