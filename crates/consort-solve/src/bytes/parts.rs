//! Numbers, lists and options of a solver in its bytes, one after the other.

use super::BytesError;
use crate::problem::{Options, SparsityPattern, Statistics, Structure, Tolerances};

/// Writes the parts of a solver.
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn new(magic: [u8; 8]) -> Self {
        Writer { bytes: magic.to_vec() }
    }

    pub(crate) fn byte(&mut self, value: u8) {
        self.bytes.push(value);
    }

    /// One of a few, by its place among all.
    pub(crate) fn choice<T: Copy + PartialEq>(&mut self, all: &[T], one: T) {
        let place = all.iter().position(|each| *each == one).expect("all there are");
        self.byte(u8::try_from(place).expect("a few"));
    }

    pub(crate) fn count(&mut self, value: usize) {
        self.word(value as u64);
    }

    pub(crate) fn word(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn real(&mut self, value: f64) {
        self.word(value.to_bits());
    }

    /// The values only: their number is known to the reader.
    pub(crate) fn reals(&mut self, values: &[f64]) {
        self.bytes.reserve(8 * values.len());
        values.iter().for_each(|value| self.bytes.extend_from_slice(&value.to_le_bytes()));
    }

    /// Bytes of something else, as many as they are.
    pub(crate) fn part(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn option(&mut self, value: Option<f64>) {
        self.byte(u8::from(value.is_some()));
        self.real(value.unwrap_or(0.0));
    }

    /// Options of a solver for so many states as were written before.
    pub(crate) fn options(&mut self, options: &Options) {
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
                self.pattern(pattern);
            }
        }
        self.option(options.step_max);
        self.real(options.step_min);
        self.option(options.first_step);
        self.byte(options.order_max.unwrap_or(0));
    }

    fn pattern(&mut self, pattern: &SparsityPattern) {
        for column in 0..pattern.len() {
            let rows = pattern.rows(column);
            self.count(rows.len());
            rows.iter().for_each(|row| self.count(*row));
        }
    }

    pub(crate) fn statistics(&mut self, statistics: &Statistics) {
        let Statistics { steps, evaluations, jacobians, factorizations, .. } = *statistics;
        let Statistics { iterations, error_test_failures, convergence_failures, .. } = *statistics;
        for value in [steps, evaluations, jacobians, factorizations, iterations] {
            self.word(value);
        }
        self.word(error_test_failures);
        self.word(convergence_failures);
        self.word(statistics.stiffness_hints);
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reads what a [`Writer`] wrote; ends too early or too late are errors, never panics.
pub(crate) struct Reader<'a> {
    all: usize,
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8], magic: [u8; 8]) -> Result<Self, BytesError> {
        let begins = bytes.len().min(magic.len());
        if bytes[..begins] != magic[..begins] {
            return Err(BytesError::Foreign);
        }
        let mut reader = Reader { all: bytes.len(), rest: bytes };
        reader.chunk::<8>()?;
        Ok(reader)
    }

    fn chunk<const N: usize>(&mut self) -> Result<[u8; N], BytesError> {
        let Some((chunk, rest)) = self.rest.split_first_chunk::<N>() else {
            return Err(self.too_short(N));
        };
        self.rest = rest;
        Ok(*chunk)
    }

    fn too_short(&self, wanted: usize) -> BytesError {
        BytesError::Length {
            expected: (self.all - self.rest.len()).saturating_add(wanted),
            found: self.all,
        }
    }

    pub(crate) fn byte(&mut self) -> Result<u8, BytesError> {
        self.chunk::<1>().map(|[byte]| byte)
    }

    /// The one of all that a byte stands for.
    pub(crate) fn choice<T: Copy>(
        &mut self,
        all: &[T],
        what: &'static str,
    ) -> Result<T, BytesError> {
        let place = usize::from(self.byte()?);
        all.get(place).copied().ok_or(BytesError::Impossible { what })
    }

    pub(crate) fn flag(&mut self) -> Result<bool, BytesError> {
        self.choice(&[false, true], "flag")
    }

    pub(crate) fn word(&mut self) -> Result<u64, BytesError> {
        self.chunk().map(u64::from_le_bytes)
    }

    pub(crate) fn real(&mut self) -> Result<f64, BytesError> {
        self.word().map(f64::from_bits)
    }

    /// A number of at most `most`.
    pub(crate) fn count(&mut self, most: usize, what: &'static str) -> Result<usize, BytesError> {
        let count = usize::try_from(self.word()?).ok().filter(|count| *count <= most);
        count.ok_or(BytesError::Impossible { what })
    }

    /// Fills a list whose length is known.
    pub(crate) fn reals(&mut self, values: &mut [f64]) -> Result<(), BytesError> {
        self.expect(values.len())?;
        values.iter_mut().try_for_each(|value| self.real().map(|real| *value = real))
    }

    /// A list whose length is known.
    pub(crate) fn list(&mut self, len: usize) -> Result<Vec<f64>, BytesError> {
        self.expect(len)?;
        let mut values = vec![0.0; len];
        self.reals(&mut values)?;
        Ok(values)
    }

    /// Bytes of something else.
    pub(crate) fn part(&mut self) -> Result<&'a [u8], BytesError> {
        let len = usize::try_from(self.word()?).unwrap_or(usize::MAX);
        let Some((part, rest)) = self.rest.split_at_checked(len) else {
            return Err(self.too_short(len));
        };
        self.rest = rest;
        Ok(part)
    }

    /// Checks that so many words are there, before anything is allocated for them.
    pub(crate) fn expect(&self, words: usize) -> Result<(), BytesError> {
        let wanted = words.saturating_mul(8);
        if self.rest.len() < wanted { Err(self.too_short(wanted)) } else { Ok(()) }
    }

    pub(crate) fn option(&mut self) -> Result<Option<f64>, BytesError> {
        let (is_some, value) = (self.flag()?, self.real()?);
        if !is_some && value.to_bits() != 0 {
            return Err(BytesError::Impossible { what: "option" });
        }
        Ok(is_some.then_some(value))
    }

    /// Options that a solver of `len` states can be made with.
    pub(crate) fn options(&mut self, len: usize) -> Result<Options, BytesError> {
        let relative = self.real()?;
        let absolute = self.list(len)?;
        let options = Options {
            tolerances: Tolerances { relative, absolute },
            structure: self.structure(len)?,
            step_max: self.option()?,
            step_min: self.real()?,
            first_step: self.option()?,
            order_max: Some(self.byte()?).filter(|order| 0 < *order),
        };
        match options.mistake(len) {
            None => Ok(options),
            Some(what) => Err(BytesError::Impossible { what }),
        }
    }

    fn structure(&mut self, len: usize) -> Result<Structure, BytesError> {
        match self.byte()? {
            0 => Ok(Structure::Dense),
            1 => {
                let (lower, upper) = (self.count(len, "band")?, self.count(len, "band")?);
                Ok(Structure::Banded { lower, upper })
            }
            2 => self.pattern(len).map(Structure::Sparse),
            _ => Err(BytesError::Impossible { what: "structure" }),
        }
    }

    fn pattern(&mut self, len: usize) -> Result<SparsityPattern, BytesError> {
        let mut places = Vec::new();
        for column in 0..len {
            let rows = self.count(len, "column of a pattern")?;
            self.expect(rows)?;
            for _ in 0..rows {
                let row = self.count(len, "row of a pattern")?;
                places.push((row, column));
            }
        }
        if places.iter().any(|(row, _)| *row == len) || !places.is_sorted_by_key(|(r, c)| (*c, *r))
        {
            return Err(BytesError::Impossible { what: "pattern" });
        }
        Ok(SparsityPattern::new(len, places))
    }

    /// What is counted up for good, so far from the end that it never gets there.
    pub(crate) fn tally(&mut self) -> Result<u64, BytesError> {
        let tally = self.word()?;
        let is_possible = tally < 1 << 60;
        is_possible.then_some(tally).ok_or(BytesError::Impossible { what: "statistics" })
    }

    pub(crate) fn statistics(&mut self) -> Result<Statistics, BytesError> {
        Ok(Statistics {
            steps: self.tally()?,
            evaluations: self.tally()?,
            jacobians: self.tally()?,
            factorizations: self.tally()?,
            iterations: self.tally()?,
            error_test_failures: self.tally()?,
            convergence_failures: self.tally()?,
            stiffness_hints: self.tally()?,
        })
    }

    /// Everything that was not read yet, for whoever reads it.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Checks that nothing is left.
    pub(crate) fn end(&self) -> Result<(), BytesError> {
        let (left, found) = (self.rest.len(), self.all);
        if left == 0 { Ok(()) } else { Err(BytesError::Length { expected: found - left, found }) }
    }
}
