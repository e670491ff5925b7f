//! Reading CSV: our own, FMPy's, and what other tools write.

use crate::cell::push_parsed;
use crate::error::TraceError;
use crate::schema::{Column, Schema};
use crate::trace::Trace;
use ::csv::{ByteRecord, Reader, ReaderBuilder};
use consort_core::{Resolution, Tag, TimeError, ValueType, Values};
use std::borrow::Cow;
use std::sync::Arc;

/// How CSV is to be understood.
#[derive(Clone, PartialEq, Debug)]
pub struct CsvOptions {
    /// The resolution of the tags that times are turned into.
    pub resolution: Resolution,
    /// What the columns are, where that is known; its own resolution counts then. Without it every
    /// column is `Float64`, `Boolean` if all of its cells are `true` or `false`, or `Int64` or
    /// `UInt64` if its cells are whole numbers of which a double could not hold all.
    pub schema: Option<Arc<Schema>>,
    /// Whether a column with a cell that is no number is taken as text; else it is an error.
    pub text_columns: bool,
    /// The character between two cells.
    pub delimiter: u8,
}

impl Default for CsvOptions {
    /// Numbers between commas, times to the nanosecond.
    fn default() -> Self {
        CsvOptions {
            resolution: Resolution::NANOSECOND,
            schema: None,
            text_columns: false,
            delimiter: b',',
        }
    }
}

/// Reads a trace from CSV. The first column is the time in seconds, whatever its name; rows of the
/// same tick are microsteps. An array may stand in one column per element, or in one cell with its
/// elements between spaces, as newer versions of FMPy write it.
///
/// # Errors
/// If a cell is not what its column holds, times go back, or the columns are not those of the
/// schema given.
pub fn read_csv(bytes: &[u8], options: &CsvOptions) -> Result<Trace, TraceError> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut reader = ReaderBuilder::new().delimiter(options.delimiter).from_reader(bytes);
    let names = column_names(&mut reader)?;
    let texts = Table::read(&mut reader)?;
    let schema = match &options.schema {
        Some(schema) => Arc::clone(schema),
        None => Arc::new(inferred_schema(&names, &texts, options)?),
    };
    let cells = cells_of_columns(&schema, &names)?;
    let tags = tags(&texts, schema.resolution())?;
    let columns = columns(&schema, &cells, &names, &texts)?;
    Trace::from_parts(schema, tags, columns)
}

/// All records below the names, each as wide as they are.
struct Table {
    records: Vec<ByteRecord>,
}

impl Table {
    fn read(reader: &mut Reader<&[u8]>) -> Result<Self, TraceError> {
        let records: Result<Vec<ByteRecord>, ::csv::Error> = reader.byte_records().collect();
        Ok(Table { records: records? })
    }

    fn text(&self, row: usize, index: usize) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.records[row][index])
    }

    fn bad_cell(&self, row: usize, index: usize, name: &str, expected: ValueType) -> TraceError {
        TraceError::BadCell {
            line: self.records[row].position().map_or(0, ::csv::Position::line),
            column: name.to_owned(),
            text: self.text(row, index).into_owned(),
            expected,
        }
    }

    fn all(&self, index: usize, holds: impl Fn(&str) -> bool) -> bool {
        (0..self.records.len()).all(|row| holds(&self.text(row, index)))
    }
}

fn column_names(reader: &mut Reader<&[u8]>) -> Result<Vec<String>, TraceError> {
    let names = reader.byte_headers()?.iter();
    let names: Vec<String> =
        names.map(|name| String::from_utf8_lossy(name).trim().to_owned()).collect();
    match names.is_empty() {
        true => Err(TraceError::NotATrace { reason: "the file is empty".to_owned() }),
        false => Ok(names),
    }
}

fn inferred_schema(
    names: &[String],
    texts: &Table,
    options: &CsvOptions,
) -> Result<Schema, TraceError> {
    let columns = names.iter().enumerate().skip(1);
    let columns = columns.map(|(index, name)| inferred_column(name, texts, index, options));
    Schema::new(options.resolution, columns.collect())
}

fn inferred_column(name: &str, texts: &Table, index: usize, options: &CsvOptions) -> Column {
    let is_truth = |text: &str| ["true", "false"].contains(&text.trim().to_lowercase().as_str());
    let is_number = |text: &str| text.trim().parse::<f64>().is_ok();
    let is_array = |text: &str| text.split_whitespace().all(is_number) && !text.trim().is_empty();
    let first = if texts.records.is_empty() { Cow::default() } else { texts.text(0, index) };
    let extent = first.split_whitespace().count();
    let is_text = options.text_columns && !texts.all(index, is_array);
    if !texts.records.is_empty() && texts.all(index, is_truth) {
        Column::new("", name, ValueType::Boolean)
    } else if is_text {
        Column::new("", name, ValueType::String)
    } else if 1 < extent && is_array(&first) {
        Column::new("", name, ValueType::Float64).with_dimensions(&[extent as u32])
    } else if let Some(whole) = large_whole_numbers(texts, index) {
        Column::new("", name, whole)
    } else {
        Column::new("", name, ValueType::Float64)
    }
}

/// The type of a column of whole numbers that doubles would round.
fn large_whole_numbers(texts: &Table, index: usize) -> Option<ValueType> {
    const EXACT_MAX: u64 = 1 << f64::MANTISSA_DIGITS;
    let is_small = |text: &str| match text.trim().parse::<i64>() {
        Ok(number) => number.unsigned_abs() <= EXACT_MAX,
        Err(_) => text.trim().parse::<u64>().is_err(),
    };
    let is_signed = |text: &str| text.trim().parse::<i64>().is_ok();
    let is_unsigned = |text: &str| text.trim().parse::<u64>().is_ok();
    match () {
        () if texts.all(index, is_small) => None,
        () if texts.all(index, is_signed) => Some(ValueType::Int64),
        () if texts.all(index, is_unsigned) => Some(ValueType::UInt64),
        () => None,
    }
}

/// Which cells of a record hold a column.
#[derive(Clone, Copy)]
enum Cells {
    /// One cell per element, from here on.
    Each(usize),
    /// All elements in one cell.
    Packed(usize),
}

fn cells_of_columns(schema: &Schema, names: &[String]) -> Result<Vec<Cells>, TraceError> {
    let mut cells = Vec::with_capacity(schema.columns().len());
    let mut next = 1;
    for (index, column) in schema.columns().iter().enumerate() {
        let is_packed = !column.dimensions.is_empty()
            && names.get(next).is_some_and(|name| name == column.path().trim());
        if is_packed {
            cells.push(Cells::Packed(next));
            next += 1;
            continue;
        }
        cells.push(Cells::Each(next));
        for element in 0..schema.place(index).count {
            check_name(names.get(next), &column.element_name(element))?;
            next += 1;
        }
    }
    names.get(next).map_or(Ok(()), |extra| check_name(Some(extra), ""))?;
    Ok(cells)
}

fn check_name(found: Option<&String>, expected: &str) -> Result<(), TraceError> {
    let found = found.map_or("", String::as_str);
    if found == expected.trim() {
        return Ok(());
    }
    Err(TraceError::ColumnMismatch { expected: expected.to_owned(), found: found.to_owned() })
}

fn tags(texts: &Table, resolution: Resolution) -> Result<Vec<Tag>, TraceError> {
    let mut tags: Vec<Tag> = Vec::with_capacity(texts.records.len());
    for row in 0..texts.records.len() {
        let text = texts.text(row, 0);
        let bad = |source| TraceError::BadTime { row: row as u64 + 1, source };
        let seconds: f64 = text
            .trim()
            .parse()
            .map_err(|_| bad(TimeError::NotATime { given: text.clone().into_owned() }))?;
        let first = Tag::at(resolution.from_f64(seconds).map_err(bad)?);
        let tag = match tags.last() {
            Some(last) if last.time == first.time => last.next_microstep(),
            _ => first,
        };
        tags.push(tag);
    }
    Ok(tags)
}

fn columns(
    schema: &Schema,
    cells: &[Cells],
    names: &[String],
    texts: &Table,
) -> Result<Vec<Values>, TraceError> {
    let mut columns = Vec::with_capacity(cells.len());
    for (index, column) in schema.columns().iter().enumerate() {
        let count = schema.place(index).count;
        let mut values = Values::zeros(column.value_type, 0);
        for row in 0..texts.records.len() {
            push_cells(&mut values, cells[index], count, texts, row)
                .map_err(|cell| texts.bad_cell(row, cell, &names[cell], column.value_type))?;
        }
        columns.push(values);
    }
    Ok(columns)
}

/// Appends the elements of one row, or says which cell does not hold what it should.
fn push_cells(
    values: &mut Values,
    cells: Cells,
    count: usize,
    texts: &Table,
    row: usize,
) -> Result<(), usize> {
    match cells {
        Cells::Each(first) => {
            let mut cells = first..first + count;
            let bad = cells.find(|&cell| !push_parsed(values, &texts.text(row, cell)));
            bad.map_or(Ok(()), Err)
        }
        Cells::Packed(cell) => {
            let text = texts.text(row, cell);
            let sound = text.split_whitespace().count() == count
                && text.split_whitespace().all(|element| push_parsed(values, element));
            if sound { Ok(()) } else { Err(cell) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use consort_core::Time;

    fn check_error(text: &str, expected: &str) {
        let error = read_csv(text.as_bytes(), &CsvOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), expected, "{text:?}");
    }

    #[test]
    fn a_result_of_fmpy_is_read() {
        let text = "\"time\",\"h\",\"m[1,2]\"\n0,1,-0.5\n0.01,0.99,1e-3\n0.01,0,nan\n";
        let trace = read_csv(text.as_bytes(), &CsvOptions::default()).unwrap();
        let tag = Tag::at(Time::from_ticks(10_000_000));
        assert_eq!(trace.tags(), [Tag::default(), tag, tag.next_microstep()]);
        assert_eq!(trace.column("h"), Some(&Values::Float64(vec![1.0, 0.99, 0.0])));
        assert!(trace.column("m[1,2]").is_some());
    }

    #[test]
    fn arrays_in_one_cell_and_truth_in_words_are_read() {
        let text = "\"time\",\"y\",\"b\",\"n\"\n0.0,1 2,True,3\n0.1,0.1 4,False,-7\n";
        let trace = read_csv(text.as_bytes(), &CsvOptions::default()).unwrap();
        assert_eq!(trace.column("y"), Some(&Values::Float64(vec![1.0, 2.0, 0.1, 4.0])));
        assert_eq!(trace.column("b"), Some(&Values::Boolean(vec![true, false])));
        assert_eq!(trace.column("n"), Some(&Values::Float64(vec![3.0, -7.0])));
        check_error("time,y\n0,1 2\n1,1\n", "line 3, column `y`: `1` is not a Float64");
        check_error("time,y\n0,1\n1,1 2\n", "line 3, column `y`: `1 2` is not a Float64");
    }

    #[test]
    fn whole_numbers_that_doubles_would_round_stay_whole() {
        let check = |cells: [&str; 2], expected: Values| {
            let text = format!("time,n\n0,{}\n1,{}\n", cells[0], cells[1]);
            let trace = read_csv(text.as_bytes(), &CsvOptions::default()).unwrap();
            assert_eq!(trace.column("n"), Some(&expected), "{cells:?}");
        };
        let odd = (1 << 53) + 1;
        check(["-1", "9007199254740993"], Values::Int64(vec![-1, odd]));
        check(["0", "18446744073709551615"], Values::UInt64(vec![0, u64::MAX]));
        check(["0", "9007199254740992"], Values::Float64(vec![0.0, 9_007_199_254_740_992.0]));
        check(["0.5", "9007199254740993"], Values::Float64(vec![0.5, 9_007_199_254_740_992.0]));
    }

    #[test]
    fn what_other_tools_write_is_read() {
        let options = CsvOptions { delimiter: b';', text_columns: true, ..CsvOptions::default() };
        let trace = read_csv(b"\xEF\xBB\xBFTime; x;name\r\n0; 1.5;a\r\n1; 2;b\r\n", &options);
        let trace = trace.unwrap();
        assert_eq!(trace.column("x"), Some(&Values::Float64(vec![1.5, 2.0])));
        let name = Values::String(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(trace.column("name"), Some(&name));
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        check_error("", "not a trace of Consort: the file is empty");
        check_error("time,x\n0,1\n1,abc\n", "line 3, column `x`: `abc` is not a Float64");
        check_error("time,x\n0,\n", "line 2, column `x`: `` is not a Float64");
        check_error("time,x\nnan,1\n", "row 1: `NaN` is not a time in seconds");
        check_error("time,x\nsoon,1\n", "row 1: `soon` is not a time in seconds");
        check_error("time,x\n1,1\n0,1\n", "row 2: its time is not after that of the row before");
        check_error("time,x,x\n0,1,1\n", "two columns are named `x`");
        check_error(
            "time,x\n0,1\n1\n",
            "not a sound CSV file: CSV error: record 2 (line: 3, byte: 11): found record with 1 \
             fields, but the previous record has 2 fields",
        );
    }

    #[test]
    fn a_file_that_is_not_of_the_schema_is_refused() {
        let columns = vec![Column::new("a", "x", ValueType::Int32)];
        let schema = Arc::new(Schema::new(Resolution::NANOSECOND, columns).unwrap());
        let options = CsvOptions { schema: Some(schema), ..CsvOptions::default() };
        let refuse = |text: &str| read_csv(text.as_bytes(), &options).unwrap_err().to_string();
        assert_eq!(refuse("time\n0\n"), "expected a column `a.x`, found ``");
        assert_eq!(refuse("time,a.y\n0,1\n"), "expected a column `a.x`, found `a.y`");
        assert_eq!(refuse("time,a.x,b\n0,1,2\n"), "expected a column ``, found `b`");
        assert_eq!(refuse("time,a.x\n0,1.5\n"), "line 2, column `a.x`: `1.5` is not a Int32");
    }
}
