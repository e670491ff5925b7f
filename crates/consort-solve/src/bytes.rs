//! A solver's state as bytes: exact, little-endian, checked on the way back.
//!
//! What all states have in common is in [`consort_core::bytes`]; these are the parts that solvers have.

use crate::problem::{Options, SolverStatistics, SparsityPattern, Structure, Tolerances};

pub use consort_core::bytes::BytesError;
pub(crate) use consort_core::bytes::{Reader, Writer};

/// Writes the parts of a solver.
pub(crate) trait WriteParts {
    /// One of a few, by its place among all.
    fn choice<T: Copy + PartialEq>(&mut self, all: &[T], one: T);
    /// A number that may be missing; it takes the same room if it is.
    fn optional(&mut self, value: Option<f64>);
    /// Options of a solver for so many states as were written before.
    fn options(&mut self, options: &Options);
    fn statistics(&mut self, statistics: &SolverStatistics);
}

impl WriteParts for Writer {
    fn choice<T: Copy + PartialEq>(&mut self, all: &[T], one: T) {
        let place = all.iter().position(|each| *each == one).expect("all there are");
        self.byte(u8::try_from(place).expect("a few"));
    }

    fn optional(&mut self, value: Option<f64>) {
        self.flag(value.is_some());
        self.real(value.unwrap_or(0.0));
    }

    fn options(&mut self, options: &Options) {
        self.real(options.tolerances.relative);
        self.reals(&options.tolerances.absolute);
        match &options.structure {
            Structure::Dense => self.byte(0),
            Structure::Banded { lower, upper } => {
                self.byte(1);
                self.count(*lower);
                self.count(*upper);
            }
            Structure::Sparse(pattern) => {
                self.byte(2);
                write_pattern(self, pattern);
            }
        }
        self.optional(options.step_max);
        self.real(options.step_min);
        self.optional(options.first_step);
        self.byte(options.order_max.unwrap_or(0));
    }

    fn statistics(&mut self, statistics: &SolverStatistics) {
        let SolverStatistics { steps, evaluations, jacobians, factorizations, .. } = *statistics;
        let SolverStatistics { iterations, error_test_failures, convergence_failures, .. } =
            *statistics;
        for value in [steps, evaluations, jacobians, factorizations, iterations] {
            self.word(value);
        }
        self.word(error_test_failures);
        self.word(convergence_failures);
        self.word(statistics.stiffness_hints);
        self.word(statistics.switches);
    }
}

fn write_pattern(writer: &mut Writer, pattern: &SparsityPattern) {
    for column in 0..pattern.len() {
        let rows = pattern.rows(column);
        writer.count(rows.len());
        rows.iter().for_each(|row| writer.count(*row));
    }
}

/// Reads the parts of a solver.
pub(crate) trait ReadParts {
    /// A number of at most `most`.
    fn at_most(&mut self, most: usize, what: &'static str) -> Result<usize, BytesError>;
    /// Checks that so many words are there, before anything is allocated for them.
    fn expect_words(&self, words: usize) -> Result<(), BytesError>;
    /// Fills a list whose length is known.
    fn fill(&mut self, values: &mut [f64]) -> Result<(), BytesError>;
    /// A number that may be missing.
    fn optional(&mut self) -> Result<Option<f64>, BytesError>;
    /// Options that a solver of `len` states can be made with.
    fn options(&mut self, len: usize) -> Result<Options, BytesError>;
    /// What is counted up for good, so far from the end that it never gets there.
    fn tally(&mut self) -> Result<u64, BytesError>;
    fn statistics(&mut self) -> Result<SolverStatistics, BytesError>;
}

impl ReadParts for Reader<'_> {
    fn at_most(&mut self, most: usize, what: &'static str) -> Result<usize, BytesError> {
        let count = usize::try_from(self.word()?).ok().filter(|count| *count <= most);
        count.ok_or(BytesError::Impossible { what })
    }

    fn expect_words(&self, words: usize) -> Result<(), BytesError> {
        self.expect(words, 8)
    }

    fn fill(&mut self, values: &mut [f64]) -> Result<(), BytesError> {
        self.expect_words(values.len())?;
        values.iter_mut().try_for_each(|value| self.real().map(|real| *value = real))
    }

    fn optional(&mut self) -> Result<Option<f64>, BytesError> {
        let (is_some, value) = (self.flag()?, self.real()?);
        if !is_some && value.to_bits() != 0 {
            return Err(BytesError::Impossible { what: "option" });
        }
        Ok(is_some.then_some(value))
    }

    fn options(&mut self, len: usize) -> Result<Options, BytesError> {
        let relative = self.real()?;
        let absolute = self.reals(len)?;
        let options = Options {
            tolerances: Tolerances { relative, absolute },
            structure: read_structure(self, len)?,
            step_max: self.optional()?,
            step_min: self.real()?,
            first_step: self.optional()?,
            order_max: Some(self.byte()?).filter(|order| 0 < *order),
        };
        match options.mistake(len) {
            None => Ok(options),
            Some(what) => Err(BytesError::Impossible { what }),
        }
    }

    fn tally(&mut self) -> Result<u64, BytesError> {
        let tally = self.word()?;
        let is_possible = tally < 1 << 60;
        is_possible.then_some(tally).ok_or(BytesError::Impossible { what: "statistics" })
    }

    fn statistics(&mut self) -> Result<SolverStatistics, BytesError> {
        Ok(SolverStatistics {
            steps: self.tally()?,
            evaluations: self.tally()?,
            jacobians: self.tally()?,
            factorizations: self.tally()?,
            iterations: self.tally()?,
            error_test_failures: self.tally()?,
            convergence_failures: self.tally()?,
            stiffness_hints: self.tally()?,
            switches: self.tally()?,
        })
    }
}

fn read_structure(reader: &mut Reader<'_>, len: usize) -> Result<Structure, BytesError> {
    match reader.byte()? {
        0 => Ok(Structure::Dense),
        1 => {
            let (lower, upper) = (reader.at_most(len, "band")?, reader.at_most(len, "band")?);
            Ok(Structure::Banded { lower, upper })
        }
        2 => read_pattern(reader, len).map(Structure::Sparse),
        _ => Err(BytesError::Impossible { what: "structure" }),
    }
}

fn read_pattern(reader: &mut Reader<'_>, len: usize) -> Result<SparsityPattern, BytesError> {
    let mut places = Vec::new();
    for column in 0..len {
        let rows = reader.at_most(len, "column of a pattern")?;
        reader.expect_words(rows)?;
        for _ in 0..rows {
            let row = reader.at_most(len, "row of a pattern")?;
            places.push((row, column));
        }
    }
    if places.iter().any(|(row, _)| *row == len) || !places.is_sorted_by_key(|(r, c)| (*c, *r)) {
        return Err(BytesError::Impossible { what: "pattern" });
    }
    Ok(SparsityPattern::new(len, places))
}
