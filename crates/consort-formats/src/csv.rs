//! Tables of inputs over time.
//!
//! ```csv
//! time,tank.inflow,valve.open
//! 0.0,1.5,true
//! 2.5,1.75,false
//! ```
//!
//! The first column is the time in seconds, which never goes back; rows of one time are a jump. The
//! other headers name inputs or tunable parameters: `component.variable`, with `[i]` for one element
//! of an array, or the variable alone where only one component has one of that name; a unit may
//! follow in brackets, or stand in a row of its own below. Columns are separated by commas,
//! semicolons or tabs. `docs/inputs.md` says what a table means.

use consort_core::{Diagnostic, Literal, Report, SourceId, Span};
use consort_system::system::InputColumn;
use consort_system::{InputTable, Spanned};
use csv::{ReaderBuilder, StringRecord, Trim};
use std::collections::BTreeMap;
use std::ops::Range;

/// Reads a table of inputs; `name` is the file as the user wrote it.
///
/// The result is `None` if anything is wrong; everything that is goes to `report`.
pub fn read_inputs(name: &str, bytes: &[u8], report: &mut Report) -> Option<InputTable> {
    let errors_before = report.error_count();
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            report_encoding(name, bytes, error.valid_up_to(), report);
            return None;
        }
    };
    let source = report.add_source(name, text);
    let mut reader = TableReader { source, text, separator: separator(text), report };
    let table = reader.read(name);
    table.filter(|_| report.error_count() == errors_before)
}

fn report_encoding(name: &str, bytes: &[u8], valid: usize, report: &mut Report) {
    let source = report.add_source(name, String::from_utf8_lossy(bytes));
    // Everything before the first bad byte is the same text in both.
    report.push(
        Diagnostic::error("csv::not-utf-8", format!("`{name}` is not text in UTF-8"))
            .at(Span::new(source, valid..valid + '\u{FFFD}'.len_utf8()), "this byte is no text")
            .help("save the table as CSV in UTF-8"),
    );
}

/// The separator of columns: the one in the first line, outside of quotes.
fn separator(text: &str) -> u8 {
    let first = text.trim_start().lines().next().unwrap_or_default();
    let is_outside = |it: &u8| {
        let mut is_quoted = false;
        first.bytes().any(|byte| {
            is_quoted ^= byte == b'"';
            !is_quoted && byte == *it
        })
    };
    [b';', b',', b'\t'].into_iter().find(is_outside).unwrap_or(b',')
}

struct TableReader<'t, 'r> {
    source: SourceId,
    text: &'t str,
    separator: u8,
    report: &'r mut Report,
}

/// A row and where it is written.
struct Row {
    record: StringRecord,
    place: Range<usize>,
}

impl TableReader<'_, '_> {
    fn read(&mut self, name: &str) -> Option<InputTable> {
        let mut rows = self.rows().into_iter();
        let Some(header) = rows.next() else {
            self.report_no_rows(name);
            return None;
        };
        let mut table = self.header(name, &header);
        let mut rows = rows.peekable();
        if let Some(units) = rows.next_if(|row| row.record.get(0).is_some_and(is_second)) {
            self.units(&mut table, &units);
        }
        if rows.len() == 0 {
            self.report_no_rows(name);
        }
        let mut first_nan = vec![None; table.columns.len()];
        for row in rows {
            self.row(&mut table, &header, &row);
            self.find_nan(&table, &row, &mut first_nan);
        }
        self.warn_of_nan(&table, first_nan);
        Some(table)
    }

    fn rows(&self) -> Vec<Row> {
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(Trim::All)
            .delimiter(self.separator)
            .from_reader(self.text.as_bytes());
        let mut rows: Vec<Row> = Vec::new();
        // The text is UTF-8, rows may differ in length and reading from memory cannot fail.
        for record in reader.records().filter_map(Result::ok) {
            let start = record.position().map_or(0, ::csv::Position::byte);
            let start = usize::try_from(start).unwrap_or(usize::MAX).min(self.text.len());
            if let Some(last) = rows.last_mut() {
                last.place.end = start;
            }
            rows.push(Row { record, place: start..self.text.len() });
        }
        rows
    }

    fn header(&mut self, name: &str, header: &Row) -> InputTable {
        let mut columns: Vec<InputColumn> = Vec::new();
        let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
        for (index, field) in header.record.iter().enumerate() {
            let span = self.field(header, index);
            if index == 0 {
                self.check_time_header(field, span);
            } else if field.is_empty() {
                self.report.push(
                    Diagnostic::error("csv::empty-header", "a column has no header")
                        .at(span, "nothing here")
                        .help("write which input the column feeds: `component.variable`"),
                );
            } else if let Some(first) = seen.get(field) {
                let message = format!("two columns are called `{field}`");
                self.report.push(
                    Diagnostic::error("csv::duplicate-header", message)
                        .at(span, "again here")
                        .label(*first, "first here")
                        .help("remove one of the two columns"),
                );
            }
            seen.entry(field).or_insert(span);
            if 0 < index {
                let name = Spanned::new(field.to_owned(), span);
                columns.push(InputColumn { name, unit: None, values: Vec::new() });
            }
        }
        InputTable { name: name.to_owned(), times: Vec::new(), columns }
    }

    fn check_time_header(&mut self, field: &str, span: Span) {
        let (name, unit) = field.split_at(field.find(['[', '(']).unwrap_or(field.len()));
        let is_time = name.trim_end().eq_ignore_ascii_case("time");
        if is_time && (unit.is_empty() || is_second(unit)) {
            return;
        }
        let message = match is_time {
            true => format!("the first column is `{field}`, but times are in seconds"),
            false => format!("the first column is called `{field}`, not `time`"),
        };
        let help = "the first column is the time in seconds, with the header `time`";
        let diagnostic = Diagnostic::error("csv::no-time", message).at(span, "expected `time`");
        self.report.push(diagnostic.help(help));
    }

    /// A row of units below the headers; cells without one are empty or a dash.
    fn units(&mut self, table: &mut InputTable, row: &Row) {
        for (index, column) in table.columns.iter_mut().enumerate() {
            let unit = in_brackets(row.record.get(index + 1).unwrap_or_default());
            if !unit.is_empty() && unit != "-" {
                let span = self.field(row, index + 1);
                column.unit = Some(Spanned::new(unit.to_owned(), span));
            }
        }
    }

    /// Notes where a column has its first value that is not a number.
    fn find_nan(&self, table: &InputTable, row: &Row, first: &mut [Option<Span>]) {
        for (index, (column, first)) in table.columns.iter().zip(first).enumerate() {
            let is_nan = matches!(column.values.last(), Some(Literal::Float(it)) if it.is_nan());
            if is_nan && first.is_none() {
                *first = Some(self.field(row, index + 1));
            }
        }
    }

    /// Models rarely know what to do with it, and what they compute from it is no number either.
    fn warn_of_nan(&mut self, table: &InputTable, first: Vec<Option<Span>>) {
        for (column, first) in table.columns.iter().zip(first) {
            let Some(span) = first else { continue };
            let is_nan = |it: &&Literal| matches!(it, Literal::Float(it) if it.is_nan());
            let count = column.values.iter().filter(is_nan).count();
            let name = &column.name.value;
            let message = format!("the column `{name}` is not a number in {}", rows(count));
            self.report.push(
                Diagnostic::warning("csv::nan", message)
                    .at(span, "the first one")
                    .help("it is passed on as it is; remove these rows if the value is missing"),
            );
        }
    }

    fn row(&mut self, table: &mut InputTable, header: &Row, row: &Row) {
        if row.record.len() != header.record.len() {
            let (found, expected) = (row.record.len(), header.record.len());
            let message = format!("a row has {}, the header has {expected}", values(found));
            let (span, header) = (self.whole(row), self.whole(header));
            self.report.push(
                Diagnostic::error("csv::ragged-row", message)
                    .at(span, values(found))
                    .label(header, format!("{expected} headers"))
                    .help("give every row one value per column, separated by commas"),
            );
            return;
        }
        let Some(time) = self.time(table, row) else { return };
        table.times.push(time);
        for (column, field) in table.columns.iter_mut().zip(row.record.iter().skip(1)) {
            column.values.push(literal(field));
        }
    }

    fn time(&mut self, table: &InputTable, row: &Row) -> Option<f64> {
        let field = row.record.get(0).unwrap_or_default();
        let span = self.field(row, 0);
        let time = field.parse::<f64>().ok().filter(|time| time.is_finite());
        let Some(time) = time else {
            let message = format!("{field:?} is not a time in seconds");
            self.report.push(
                Diagnostic::error("csv::bad-time", message)
                    .at(span, "not a number")
                    .help("the first value of a row is its time in seconds, such as `0.5`"),
            );
            return None;
        };
        if let Some(last) = table.times.last().filter(|last| time < **last) {
            let message = format!("the time goes back from {last} s to {time} s");
            self.report.push(
                Diagnostic::error("csv::not-increasing", message)
                    .at(span, format!("must not be earlier than {last}"))
                    .help("sort the rows by time; two rows of one time are a jump"),
            );
            return None;
        }
        Some(time)
    }

    fn report_no_rows(&mut self, name: &str) {
        self.report.push(
            Diagnostic::error("csv::no-rows", format!("`{name}` has no row of values"))
                .at(Span::new(self.source, 0..self.text.len()), "nothing to feed in here")
                .help("write a header such as `time,tank.inflow`, then one row per time"),
        );
    }

    fn whole(&self, row: &Row) -> Span {
        let written = &self.text[row.place.clone()];
        let lead = written.len() - written.trim_start_matches(['\r', '\n']).len();
        let start = row.place.start + lead;
        Span::new(self.source, start..(row.place.start + written.trim_end().len()).max(start))
    }

    /// Where the field at `index` is written, without blanks around it.
    fn field(&self, row: &Row, index: usize) -> Span {
        let whole = self.whole(row).range();
        let place = nth_field(&self.text[whole.clone()], index, self.separator);
        let written = &self.text[whole.start + place.start..whole.start + place.end];
        let start = whole.start + place.start + written.len() - written.trim_start().len();
        Span::new(self.source, start..start + written.trim().len())
    }
}

fn values(count: usize) -> String {
    if count == 1 { "1 value".to_owned() } else { format!("{count} values") }
}

fn rows(count: usize) -> String {
    if count == 1 { "1 row".to_owned() } else { format!("{count} rows") }
}

/// Whether a cell means seconds: `s`, `[s]` or `(s)`.
fn is_second(cell: &str) -> bool {
    matches!(in_brackets(cell), "s" | "sec" | "second" | "seconds")
}

fn in_brackets(cell: &str) -> &str {
    let inner = |open, close| cell.strip_prefix(open)?.strip_suffix(close);
    inner('[', ']').or_else(|| inner('(', ')')).unwrap_or(cell).trim()
}

/// The place of a field in a row as written: separators in quotes do not separate.
fn nth_field(row: &str, index: usize, separator: u8) -> Range<usize> {
    let (mut start, mut seen, mut quoted) = (0, 0, false);
    for (at, byte) in row.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            _ if byte == separator && !quoted && seen == index => return start..at,
            _ if byte == separator && !quoted => {
                seen += 1;
                start = at + 1;
            }
            _ => {}
        }
    }
    start..row.len()
}

/// A cell: a whole number, a number, true or false, else text.
fn literal(field: &str) -> Literal {
    match field {
        "true" | "True" | "TRUE" => return Literal::Boolean(true),
        "false" | "False" | "FALSE" => return Literal::Boolean(false),
        _ => {}
    }
    if let Ok(value) = field.parse::<i128>() {
        return Literal::Integer(value);
    }
    match field.parse::<f64>() {
        // What is written in digits and too large for a double is no number; `inf` is one.
        Ok(value) if value.is_finite() || !field.contains(|it: char| it.is_ascii_digit()) => {
            Literal::Float(value)
        }
        _ => Literal::Text(field.to_owned()),
    }
}
