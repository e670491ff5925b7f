//! Values over time from a CSV file.

use super::behavior::{BlockBehavior, BlockMoment};
use super::draft::BlockDraft;
use super::sources::text_values;
use super::store::{Slot, Store};
use crate::files::input_file::{InputFile, InputFileRole};
use crate::request::ModelRequest;
use consort_core::{Diagnostic, Literal, Report};
use consort_equations::tree::{self, Equation};
use consort_equations::{Builtin, Expression};
use std::fs;

/// The largest file that is read, in bytes.
const FILE_MAX: u64 = 1 << 30;

struct TableBlock {
    times: Vec<f64>,
    /// Per output: where it goes, and a value per time.
    columns: Vec<(Slot, Vec<f64>)>,
    is_linear: bool,
}

pub(super) fn table(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let (name, text) = read(draft)?;
    let content = parse(draft, &name, &text)?;
    draft.shaping("file", &[], text_values(&name), "a CSV file: time, then a column per output");
    let choices = ["linear", "hold"];
    let is_linear = draft.choice("interpolation", &choices, "what is between two rows") == "linear";
    let mut columns = Vec::new();
    for (header, values) in content.columns {
        let (name, unit) = split_unit(&header);
        let entry = draft.output(name, &[], "a column of the table");
        let entry = if let Some(unit) = unit { entry.unit(unit) } else { entry };
        columns.push((entry.slot(), values));
    }
    Some(Box::new(TableBlock { times: content.times, columns, is_linear }))
}

/// The most rows that become equations: each is a time event.
const EQUATION_ROWS_MAX: usize = 1000;

/// The table as equations; `None`, with diagnostics, if it cannot be.
pub(super) fn equations(
    request: &ModelRequest<'_>,
    report: &mut Report,
) -> Option<tree::EquationModel> {
    let mut draft = BlockDraft::new(request, report);
    let (name, text) = read(&mut draft)?;
    let content = parse(&mut draft, &name, &text)?;
    let rows = content.times.len();
    if EQUATION_ROWS_MAX < rows {
        let message = format!("`{name}` has {rows} rows, too many to be written as equations");
        let help = format!("thin it to {EQUATION_ROWS_MAX} rows, or feed an input from it");
        draft.wrong("model::table", draft.given("file"), message, &help);
        return None;
    }
    let interpolation = draft.given("interpolation").map(|given| given.value);
    let is_linear = !matches!(interpolation, Some(Literal::Text(text)) if text == "hold");
    let value = |(header, values): &(String, Vec<f64>)| {
        let right = over_time(&content.times, values, is_linear);
        Equation::value(split_unit(header).0, right)
    };
    let equations = content.columns.iter().map(value).collect();
    Some(tree::EquationModel { equations, ..tree::EquationModel::default() })
}

/// The ends are held. Two rows of one time are a jump: the later row counts from then on.
fn over_time(times: &[f64], values: &[f64], is_linear: bool) -> Expression {
    let builtin = |builtin, left: Expression, right: Expression| {
        Expression::builtin(builtin, vec![left, right])
    };
    let mut branches = Vec::new();
    for (at, &time) in times.iter().enumerate() {
        let before = at.saturating_sub(1);
        let (from, by) = (values[before], values[at] - values[before]);
        let length = time - times[before];
        let value = if is_linear && 0.0 < length {
            let elapsed = builtin(Builtin::Subtract, Expression::time(), times[before].into());
            let part = builtin(Builtin::Divide, elapsed, length.into());
            let change = builtin(Builtin::Multiply, by.into(), part);
            builtin(Builtin::Add, from.into(), change)
        } else {
            from.into()
        };
        if at == 0 || 0.0 < length {
            branches.push((builtin(Builtin::Less, Expression::time(), time.into()), value));
        }
    }
    let last = values.last().copied().unwrap_or_default();
    Expression::piecewise(branches, last.into())
}

/// `level [m]` is `level` in meters.
fn split_unit(header: &str) -> (&str, Option<&str>) {
    let parts = header.strip_suffix(']').and_then(|header| header.split_once(" ["));
    parts.map_or((header, None), |(name, unit)| (name.trim(), Some(unit.trim())))
}

/// The file's name as written and its text.
fn read(draft: &mut BlockDraft<'_>) -> Option<(String, String)> {
    let given = draft.given("file");
    let Some(Literal::Text(name)) = given.map(|given| given.value) else {
        let message = format!("{} names no CSV file", draft.request.asker());
        let help = match draft.request.is_in_system() {
            true => "write `file = \"NAME.csv\"` among its parameters, relative to the system file",
            false => "name one: `--set file=NAME.csv`",
        };
        draft.wrong("model::missing-parameter", given, message, help);
        return None;
    };
    let path = draft.request.base.join(name);
    let is_readable =
        fs::metadata(&path).is_ok_and(|data| data.is_file() && data.len() <= FILE_MAX);
    let bytes = if is_readable { fs::read(&path).ok() } else { None };
    let Some(bytes) = bytes else {
        let message = format!("cannot read the table `{name}` of {}", draft.request.asker());
        let help = crate::nearby::help(draft.request, name, "give the path of a CSV file");
        draft.wrong("model::missing-file", given, message, &help);
        return None;
    };
    let file = InputFile::of_bytes(name, &bytes, InputFileRole::Table);
    let Ok(text) = String::from_utf8(bytes) else {
        let message = format!("the table `{name}` is not UTF-8 text");
        draft.wrong("model::table", given, message, "save it as plain CSV text");
        return None;
    };
    draft.files.push(file);
    Some((name.clone(), text))
}

#[derive(Default)]
struct TableContent {
    times: Vec<f64>,
    columns: Vec<(String, Vec<f64>)>,
    /// How many cells are not a number, and the line of the first.
    nans: usize,
    first_nan: u64,
}

/// The most errors of one table that are reported.
const MISTAKES_MAX: usize = 5;

fn parse(draft: &mut BlockDraft<'_>, name: &str, text: &str) -> Option<TableContent> {
    let before = draft.report.error_count();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut content = TableContent::default();
    for (index, record) in reader.records().enumerate() {
        let mistake = match record {
            Ok(record) if index == 0 => content.header(&record).err(),
            Ok(record) => content.row(&record).err(),
            Err(error) => Some((line_of(error.position()), error.kind_text())),
        };
        if let Some((line, mistake)) = mistake {
            let message = format!("`{name}` line {line}: {mistake}");
            let span = draft.given("file").and_then(|given| given.span);
            let help = "the first row names the columns, the first column is time in seconds";
            let diagnostic = Diagnostic::error("model::table", message).maybe_at(span, "this file");
            draft.report.push(diagnostic.help(help));
            let is_enough = before + MISTAKES_MAX <= draft.report.error_count();
            if index == 0 || is_enough {
                return None;
            }
        }
    }
    if draft.report.error_count() == before && content.times.is_empty() {
        let message = format!("the table `{name}` has no rows");
        draft.wrong("model::table", draft.given("file"), message, "give it at least one row");
    }
    warn_of_nan(draft, name, &content);
    (draft.report.error_count() == before).then_some(content)
}

fn warn_of_nan(draft: &mut BlockDraft<'_>, name: &str, content: &TableContent) {
    let TableContent { nans: count @ 1.., first_nan: line, .. } = *content else { return };
    let message = format!("`{name}` has {count} cells that are not a number, first in line {line}");
    let span = draft.given("file").and_then(|given| given.span);
    let warning = Diagnostic::warning("model::table", message).maybe_at(span, "this file");
    draft.report.push(warning.help("they are passed on; remove rows whose value is missing"));
}

trait KindText {
    fn kind_text(&self) -> String;
}

impl KindText for csv::Error {
    fn kind_text(&self) -> String {
        match self.kind() {
            csv::ErrorKind::Utf8 { .. } => "not UTF-8 text".to_owned(),
            _ => "not a row of CSV".to_owned(),
        }
    }
}

fn line_of(position: Option<&csv::Position>) -> u64 {
    position.map_or(1, csv::Position::line)
}

type Mistake = (u64, String);

impl TableContent {
    fn header(&mut self, record: &csv::StringRecord) -> Result<(), Mistake> {
        let line = line_of(record.position());
        let names: Vec<&str> = record.iter().skip(1).map(|cell| split_unit(cell).0).collect();
        if names.is_empty() {
            return Err((line, "there is no column but time".to_owned()));
        }
        for (index, name) in names.iter().enumerate() {
            if name.is_empty() || name.parse::<f64>().is_ok() {
                return Err((line, format!("column {} has no name", index + 2)));
            }
            if ["file", "interpolation"].contains(name) || names[..index].contains(name) {
                return Err((line, format!("the column name `{name}` is taken")));
            }
        }
        self.columns = record.iter().skip(1).map(|cell| (cell.to_owned(), Vec::new())).collect();
        Ok(())
    }

    fn row(&mut self, record: &csv::StringRecord) -> Result<(), Mistake> {
        let line = line_of(record.position());
        let (cells, expected) = (record.len(), self.columns.len() + 1);
        if cells != expected {
            return Err((line, format!("{cells} cells, but the header has {expected}")));
        }
        let number = |cell: &str| {
            cell.parse::<f64>().map_err(|_| (line, format!("`{cell}` is not a number")))
        };
        let time = number(&record[0])?;
        if !time.is_finite() {
            return Err((line, format!("`{}` is not a time", &record[0])));
        }
        if let Some(&last) = self.times.last().filter(|last| time < **last) {
            return Err((line, format!("time goes back from {last:?} s to {time:?} s")));
        }
        for ((_, column), cell) in self.columns.iter_mut().zip(record.iter().skip(1)) {
            let value = number(cell)?;
            if value.is_nan() {
                self.first_nan = if self.nans == 0 { line } else { self.first_nan };
                self.nans += 1;
            }
            column.push(value);
        }
        self.times.push(time);
        Ok(())
    }
}

impl BlockBehavior for TableBlock {
    /// The ends are held. Two rows of one time are a jump: the later row counts from then on.
    fn outputs(&self, now: &BlockMoment<'_>, store: &mut Store) {
        let time = now.seconds();
        let after = self.times.partition_point(|row| *row <= time);
        let before = after.saturating_sub(1);
        let is_between = 0 < after && after < self.times.len();
        for (slot, values) in &self.columns {
            let value = if self.is_linear && is_between {
                let (start, end) = (self.times[before], self.times[after]);
                let part = (time - start) / (end - start);
                values[before] + (values[after] - values[before]) * part
            } else {
                values[before]
            };
            store.set_scalar(*slot, value);
        }
    }
}
