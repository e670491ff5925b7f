//! A run's `trace.csv`, read by a few lines of our own: no code is shared with the writer.

use serde_json::Value;
use std::collections::BTreeMap;

/// The rows of a trace, as text.
pub(crate) struct Record {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Record {
    pub(crate) fn parse(text: &str) -> Self {
        let mut lines = text.lines().map(cells);
        let names = lines.next().expect("a line of names");
        Record { names, rows: lines.collect() }
    }

    pub(crate) fn times(&self) -> Vec<f64> {
        self.column("time").iter().map(|cell| cell.parse().unwrap()).collect()
    }

    /// The cells of one column, from top to bottom.
    pub(crate) fn column(&self, name: &str) -> Vec<&str> {
        let index = self.names.iter().position(|it| it == name);
        let index = index.unwrap_or_else(|| panic!("no column `{name}` in {:?}", self.names));
        self.rows.iter().map(|row| row[index].as_str()).collect()
    }

    pub(crate) fn floats(&self, name: &str) -> Vec<f64> {
        self.column(name).iter().map(|cell| cell.parse().unwrap()).collect()
    }

    /// The last row of this very time: microsteps before it are gone.
    pub(crate) fn row_at(&self, time: f64) -> Option<usize> {
        self.times().iter().rposition(|it| it.to_bits() == time.to_bits())
    }

    /// The variables of a component at a row, arrays as lists, as the Python scripts take them.
    pub(crate) fn values(&self, component: &str, row: usize) -> BTreeMap<String, Value> {
        let mut values = BTreeMap::new();
        for (name, cell) in self.names.iter().zip(&self.rows[row]) {
            let Some(name) = name.strip_prefix(component).and_then(|it| it.strip_prefix('.'))
            else {
                continue;
            };
            match name.split_once('[') {
                None => drop(values.insert(name.to_owned(), value(cell))),
                Some((base, _)) => {
                    let list = values.entry(base.to_owned()).or_insert(Value::Array(Vec::new()));
                    list.as_array_mut().unwrap().push(value(cell));
                }
            }
        }
        values
    }
}

/// A cell as the Python scripts write values: integers and truth values as numbers, other numbers
/// as the bits of a double, everything else as text.
fn value(cell: &str) -> Value {
    let integer =
        cell.parse::<i64>().map(Value::from).or_else(|_| cell.parse::<u64>().map(Value::from));
    integer.unwrap_or_else(|_| match cell.parse::<f64>() {
        Ok(number) => consort_testkit::python::exact(number),
        Err(_) => Value::from(cell),
    })
}

/// Cells of a line; no text in these tests holds a line break.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            letter => cells.last_mut().unwrap().push(letter),
        }
    }
    cells
}
