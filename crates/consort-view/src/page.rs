//! A page of text: headings, facts, wrapped sentences, lists.

use crate::table::{self, Table};

/// Text under construction, with the width it must keep to.
pub struct Page {
    text: String,
    width: usize,
    color: bool,
    /// The most lines a list or a table of a system has.
    lines_max: usize,
}

/// Narrower pages are not attempted; terminals that report less wrap lines themselves.
const WIDTH_MIN: usize = 60;
const BOLD: &str = "\u{1b}[1m";
const FAINT: &str = "\u{1b}[2m";
const PLAIN: &str = "\u{1b}[0m";

impl Page {
    /// An empty page; with `color`, headings are marked for a terminal.
    pub fn new(width: usize, color: bool) -> Page {
        Page { text: String::new(), width: width.max(WIDTH_MIN), color, lines_max: usize::MAX }
    }

    /// Lists and tables are cut after `lines_max`, and say so.
    pub fn cut_after(mut self, lines_max: usize) -> Page {
        self.lines_max = lines_max;
        self
    }

    /// Writes the first line.
    pub fn title(&mut self, title: &str) {
        let title = self.marked(BOLD, &table::plain(title));
        self.line(&title);
    }

    /// Starts a section.
    pub fn heading(&mut self, heading: &str) {
        let heading = self.marked(BOLD, heading);
        self.line("");
        self.line(&heading);
    }

    /// Names and what is said about them, aligned; long texts continue below.
    pub fn facts(&mut self, facts: &[(String, String)]) {
        let longest = facts.iter().map(|(name, _)| table::width(&table::plain(name))).max();
        let column = longest.unwrap_or(0).min(self.width / 3) + 2;
        for (name, value) in facts {
            let name = table::fit(&table::plain(name), column - 2);
            let room = self.width.saturating_sub(column + 2);
            for (index, line) in wrap(&table::plain(value), room).iter().enumerate() {
                let shown = if index == 0 { name.as_str() } else { "" };
                self.line(&format!("  {}{line}", table::padded(shown, column)));
            }
        }
    }

    /// A section with one item per line, left out if there is none.
    pub fn bullets(&mut self, heading: &str, items: &[String]) {
        if items.is_empty() {
            return;
        }
        self.heading(heading);
        self.items(items);
    }

    /// One item per line.
    pub fn items(&mut self, items: &[String]) {
        for item in items.iter().take(self.lines_max) {
            for (index, line) in wrap(&table::plain(item), self.width - 4).iter().enumerate() {
                let mark = if index == 0 { "- " } else { "  " };
                self.line(&format!("  {mark}{line}"));
            }
        }
        self.rest(items.len());
    }

    /// Adds an indented table.
    pub fn table(&mut self, table: &Table) {
        let mut lines = table.lines(self.width - 2).into_iter();
        if let Some(head) = lines.next() {
            let head = self.marked(FAINT, &head);
            self.line(&format!("  {head}"));
        }
        let rows = lines.len();
        for line in lines.take(self.lines_max) {
            self.line(&format!("  {line}"));
        }
        self.rest(rows);
    }

    /// Says how many of `count` lines were left out.
    fn rest(&mut self, count: usize) {
        if self.lines_max < count {
            let more = count - self.lines_max;
            self.remark(&format!("and {more} more; `--verbose` shows them"));
        }
    }

    /// Adds a remark.
    pub fn remark(&mut self, text: &str) {
        for line in wrap(text, self.width - 2) {
            self.line(&format!("  {line}"));
        }
    }

    /// A line that is copied: it is indented and otherwise left as it is.
    pub fn verbatim(&mut self, line: &str) {
        self.line(&format!("  {line}"));
    }

    /// Returns the text of the page.
    pub fn finish(self) -> String {
        self.text
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn marked(&self, mark: &str, text: &str) -> String {
        if self.color { format!("{mark}{text}{PLAIN}") } else { text.to_owned() }
    }
}

/// Lines of at most `room` characters, broken between words; longer words stay whole.
fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is always a last line");
        let grown = table::width(line) + 1 + table::width(word);
        if line.is_empty() {
            line.push_str(word);
        } else if grown <= room {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}
