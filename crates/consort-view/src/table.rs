//! Tables of text with aligned columns that keep to a width.

/// Rows of cells under headings.
pub struct Table {
    headings: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

/// The spaces between two columns.
const GAP: usize = 2;
/// The last column, a description, is cut down to this before the others are.
const LAST_MIN: usize = 20;
/// No column is made narrower.
const COLUMN_MIN: usize = 5;

impl Table {
    /// A table without rows.
    pub fn new(headings: &[&'static str]) -> Table {
        Table { headings: headings.to_vec(), rows: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If it has not one cell per heading.
    pub fn row(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.headings.len(), "a row has one cell per heading");
        self.rows.push(cells.into_iter().map(|cell| plain(&cell)).collect());
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Headings and rows, each at most `room` wide. Columns without content are left out; the last
    /// column takes what is left and is cut with an ellipsis. Names, in the first column, are never
    /// cut, because they are copied: a long one has a line of its own.
    pub fn lines(&self, room: usize) -> Vec<String> {
        let is_used = |column: &usize| self.rows.iter().any(|row| !row[*column].is_empty());
        let columns: Vec<usize> = (0..self.headings.len()).filter(is_used).collect();
        let widths = self.widths(&columns, room);
        let headings: Vec<String> = self.headings.iter().map(|&text| text.to_owned()).collect();
        std::iter::once(&headings)
            .chain(&self.rows)
            .flat_map(|cells| row_lines(cells, &columns, &widths))
            .collect()
    }

    fn widths(&self, columns: &[usize], room: usize) -> Vec<usize> {
        let natural = |&column: &usize| {
            let cells = self.rows.iter().map(|row| width(&row[column]));
            cells.chain([width(self.headings[column])]).max().unwrap_or(0)
        };
        let mut widths: Vec<usize> = columns.iter().map(natural).collect();
        if let Some(first) = widths.first_mut() {
            *first = (*first).min(room * 2 / 5);
        }
        let gaps = GAP * widths.len().saturating_sub(1);
        let room = room.saturating_sub(gaps);
        if let Some((last, others)) = widths.split_last_mut() {
            let taken: usize = others.iter().sum();
            *last = (*last).min(room.saturating_sub(taken).max(LAST_MIN));
        }
        while room < widths.iter().sum() {
            let widest = widths.iter_mut().max_by_key(|width| **width);
            match widest {
                Some(widest) if COLUMN_MIN < *widest => *widest -= 1,
                _ => break,
            }
        }
        widths
    }
}

/// The cells of a row, on two lines if the first is too long for its column.
fn row_lines(cells: &[String], columns: &[usize], widths: &[usize]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut row = Vec::new();
    for (place, (&column, &room)) in columns.iter().zip(widths).enumerate() {
        let mut cell = cells[column].as_str();
        if place == 0 && room < width(cell) {
            lines.push(cell.to_owned());
            cell = "";
        }
        row.push(padded(&fit(cell, room), room));
    }
    lines.push(row.join(&" ".repeat(GAP)).trim_end().to_owned());
    lines
}

/// How many columns a text takes in a terminal; good enough for names and units.
pub fn width(text: &str) -> usize {
    text.chars().count()
}

/// The text, or its beginning and an ellipsis.
pub fn fit(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let kept: String = text.chars().take(room.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// The text with blanks up to `column`.
pub fn padded(text: &str, column: usize) -> String {
    format!("{text}{}", " ".repeat(column.saturating_sub(width(text))))
}

/// The text on one line and without characters that would steer a terminal.
pub fn plain(text: &str) -> String {
    if text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return text.to_owned();
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let show = |character: char| if character.is_control() { '\u{fffd}' } else { character };
    words.join(" ").chars().map(show).collect()
}
