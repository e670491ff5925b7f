//! The types shared by all solvers of variable step: the problem, its structure, options, and what a step returns.

use std::fmt;

/// What is integrated: x' = f(t, x).
pub trait Problem {
    /// A model's own failure; the solver stops and passes it on.
    type Error;

    /// Puts f(`t`, `x`) into every element of `dx`. Where f has no value, but may have one nearby,
    /// an element that is not finite asks the solver to try a shorter step.
    ///
    /// # Errors
    /// If the model failed for good.
    fn derivatives(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Self::Error>;

    /// Fills the entries of df/dx at (`t`, `x`), where f was just found to be `dx`, and returns whether it
    /// did; all entries are zero before. `false`, or an entry that is not finite, asks the solver to
    /// take differences instead.
    ///
    /// # Errors
    /// If the model failed for good.
    fn jacobian(
        &mut self,
        _t: f64,
        _x: &[f64],
        _dx: &[f64],
        _matrix: &mut JacobianMut<'_>,
    ) -> Result<bool, Self::Error> {
        Ok(false)
    }
}

/// Where df/dx can be other than zero; decides how linear systems are solved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Structure {
    /// Elements may be anywhere.
    Dense,
    /// Elements are near the diagonal.
    Banded {
        /// How many diagonals below the main one.
        lower: usize,
        /// The number of diagonals above it.
        upper: usize,
    },
    /// At the places of a pattern.
    Sparse(SparsityPattern),
}

impl Structure {
    /// How many entries a matrix of `len` rows has.
    pub(crate) fn entries(&self, len: usize) -> usize {
        match self {
            Structure::Dense => len.saturating_mul(len),
            Structure::Banded { lower, upper } => len.saturating_mul(lower + upper + 1),
            Structure::Sparse(pattern) => pattern.places(),
        }
    }

    /// Calls `f` with the row of each entry of a column, ascending, and the entry's place among all values.
    pub(crate) fn for_column(&self, len: usize, column: usize, mut f: impl FnMut(usize, usize)) {
        match self {
            Structure::Dense => (0..len).for_each(|row| f(row, column * len + row)),
            Structure::Banded { lower, upper } => {
                let start = column * (lower + upper + 1) + upper;
                let rows = column.saturating_sub(*upper)..len.min(column + lower + 1);
                rows.for_each(|row| f(row, start + row - column));
            }
            Structure::Sparse(pattern) => {
                pattern.range(column).for_each(|place| f(pattern.rows[place], place));
            }
        }
    }
}

/// The places of a square matrix that can be other than zero, in compressed columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SparsityPattern {
    /// Where each column's rows begin in `rows`; one more at the end.
    starts: Vec<usize>,
    /// The rows of each column, ascending.
    rows: Vec<usize>,
}

impl SparsityPattern {
    /// The pattern of a `len` by `len` matrix with these (row, column) places, in any order; a place
    /// given twice counts once.
    ///
    /// # Panics
    ///
    /// If a place is outside of the matrix.
    pub fn new(len: usize, places: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut sorted: Vec<(usize, usize)> =
            places.into_iter().map(|(row, column)| (column, row)).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let mut starts = vec![0; len + 1];
        for &(column, row) in &sorted {
            assert!(row < len && column < len, "({row}, {column}) is outside of {len} by {len}");
            starts[column + 1] += 1;
        }
        for column in 0..len {
            starts[column + 1] += starts[column];
        }
        SparsityPattern { starts, rows: sorted.into_iter().map(|(_, row)| row).collect() }
    }

    /// How many rows and columns the matrix has.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether the matrix has no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of places.
    pub fn places(&self) -> usize {
        self.rows.len()
    }

    /// The rows of one column, ascending.
    pub fn rows(&self, column: usize) -> &[usize] {
        &self.rows[self.range(column)]
    }

    /// Groups of columns no two of which share a row, so that one evaluation serves all of a group
    /// (Curtis, Powell and Reid 1974: each column joins the first group that it shares no row with).
    pub fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<(Vec<usize>, Vec<bool>)> = Vec::new();
        for column in 0..self.len() {
            let rows = self.rows(column);
            let is_free = |taken: &[bool]| rows.iter().all(|row| !taken[*row]);
            let at = groups.iter().position(|(_, taken)| is_free(taken)).unwrap_or(groups.len());
            if at == groups.len() {
                groups.push((Vec::new(), vec![false; self.len()]));
            }
            groups[at].0.push(column);
            rows.iter().for_each(|row| groups[at].1[*row] = true);
        }
        groups.into_iter().map(|(columns, _)| columns).collect()
    }

    /// Where the values of one column lie among those of all places.
    pub(crate) fn range(&self, column: usize) -> std::ops::Range<usize> {
        self.starts[column]..self.starts[column + 1]
    }
}

/// The Jacobian df/dx to be filled in the layout the solver works with.
#[derive(Debug)]
pub struct JacobianMut<'a> {
    len: usize,
    structure: &'a Structure,
    values: &'a mut [f64],
}

impl<'a> JacobianMut<'a> {
    /// The view of `values`, as long as [`JacobianMut::values_len`] says.
    pub(crate) fn new(len: usize, structure: &'a Structure, values: &'a mut [f64]) -> Self {
        debug_assert_eq!(values.len(), Self::values_len(len, structure), "a layout's length");
        JacobianMut { len, structure, values }
    }

    /// How many values a matrix of `len` rows has in the layout of a structure.
    pub(crate) fn values_len(len: usize, structure: &Structure) -> usize {
        structure.entries(len)
    }

    /// How many rows and columns it has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The structure that was promised for the problem.
    pub fn structure(&self) -> &Structure {
        self.structure
    }

    /// Sets df(`row`)/dx(`column`).
    ///
    /// # Panics
    ///
    /// If the structure has no such place.
    pub fn put(&mut self, row: usize, column: usize, value: f64) {
        let place = self.place(row, column);
        let place =
            place.unwrap_or_else(|| panic!("({row}, {column}) is outside of the structure"));
        self.values[place] = value;
    }

    /// All values in the solver's own order, for models that fill them at once: dense, column by
    /// column; banded, column by column, rows `column - upper` to `column + lower` (those outside of
    /// the matrix are left zero); sparse, in the order of the pattern.
    pub fn values_mut(&mut self) -> &mut [f64] {
        self.values
    }

    fn place(&self, row: usize, column: usize) -> Option<usize> {
        if self.len <= row || self.len <= column {
            return None;
        }
        match self.structure {
            Structure::Dense => Some(column * self.len + row),
            Structure::Banded { lower, upper } => {
                let is_inside = row <= column + lower && column <= row + upper;
                is_inside.then(|| column * (lower + upper + 1) + (row + upper - column))
            }
            Structure::Sparse(pattern) => {
                let within = pattern.rows(column).binary_search(&row).ok()?;
                Some(pattern.range(column).start + within)
            }
        }
    }
}

/// How much error each state may have: `relative * |x| + absolute`.
#[derive(Clone, PartialEq, Debug)]
pub struct Tolerances {
    /// The part that grows with the state's value; more than zero and less than one.
    pub relative: f64,
    /// The part that does not, for each state; more than zero.
    pub absolute: Vec<f64>,
}

impl Tolerances {
    /// The same absolute tolerance for all of `len` states.
    pub fn uniform(relative: f64, absolute: f64, len: usize) -> Self {
        Tolerances { relative, absolute: vec![absolute; len] }
    }

    /// Absolute tolerances from the states' nominal values: a hundredth of `relative * nominal`, as
    /// FMI suggests.
    pub fn from_nominals(relative: f64, nominals: &[f64]) -> Self {
        let absolute = nominals.iter().map(|nominal| relative * nominal.abs() * 0.01).collect();
        Tolerances { relative, absolute }
    }

    /// The longest step from `x` that takes no state farther than its own size and what is usual for it (a
    /// hundred absolute tolerances in units of the relative one: its nominal), if each keeps its slope. A
    /// step that was right before something changed would otherwise ask for states that have no meaning.
    pub(crate) fn reach(&self, x: &[f64], slopes: &[f64]) -> f64 {
        let states = x.iter().zip(slopes).zip(&self.absolute);
        let steps = states.map(|((x, slope), absolute)| {
            (x.abs() + 100.0 * absolute / self.relative) / slope.abs()
        });
        steps.fold(f64::INFINITY, f64::min)
    }

    /// What is wrong with them for so many states, if anything.
    pub(crate) fn mistake(&self, len: usize) -> Option<&'static str> {
        let is_size = |value: f64| 0.0 < value && value.is_finite();
        if !is_size(self.relative) || 1.0 <= self.relative {
            return Some("relative tolerance");
        }
        let is_good = self.absolute.len() == len && self.absolute.iter().all(|a| is_size(*a));
        (!is_good).then_some("absolute tolerance")
    }
}

/// How a problem is to be solved.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// How much error a step may make.
    pub tolerances: Tolerances,
    /// Where df/dx can be other than zero; explicit methods do not ask.
    pub structure: Structure,
    /// The longest step; none: as long as the limit allows.
    pub step_max: Option<f64>,
    /// A step that would have to be shorter is a failure; zero: until time no longer advances.
    pub step_min: f64,
    /// The first step to try; none: found from the derivatives.
    pub first_step: Option<f64>,
    /// The highest order of a method of variable order; none: the method's own.
    pub order_max: Option<u8>,
}

impl Options {
    /// Dense, without limits of the step.
    pub fn new(tolerances: Tolerances) -> Self {
        Options {
            tolerances,
            structure: Structure::Dense,
            step_max: None,
            step_min: 0.0,
            first_step: None,
            order_max: None,
        }
    }

    /// What no solver of `len` states could be made with, if anything.
    pub fn mistake(&self, len: usize) -> Option<&'static str> {
        let is_length = |step: f64| 0.0 < step && step.is_finite();
        let is_minimum = 0.0 <= self.step_min && self.step_min.is_finite();
        let fits = match &self.structure {
            Structure::Dense => true,
            Structure::Banded { lower, upper } => len == 0 || (*lower < len && *upper < len),
            Structure::Sparse(pattern) => pattern.len() == len,
        };
        let good = [
            (fits, "structure"),
            (self.step_max.is_none_or(is_length), "longest step"),
            (is_minimum && self.step_max.is_none_or(|max| self.step_min <= max), "shortest step"),
            (self.first_step.is_none_or(is_length), "first step"),
            (self.order_max != Some(0), "highest order"),
        ];
        let bad = good.into_iter().find(|(is_good, _)| !is_good).map(|(_, what)| what);
        self.tolerances.mistake(len).or(bad)
    }
}

/// What a step returns.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Advanced {
    /// The time at which the step began.
    pub from: f64,
    /// Where it ended: never past the limit, and equal to it if it was reached.
    pub to: f64,
}

/// What a restart may keep, from what the event is known to have left alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Nothing: the first step is found anew.
    Nothing,
    /// The size of the steps, as a first guess: if it fails badly, the first step is found anew.
    StepSize,
    /// Everything, if time and states are the solver's own to the bit (otherwise the size of the
    /// steps): the event changed neither states nor derivatives.
    Everything,
}

/// What a solver did since it was made.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SolverStatistics {
    /// Steps that passed the error test.
    pub steps: u64,
    /// Evaluations of f, those for differences included.
    pub evaluations: u64,
    /// Number of Jacobians computed.
    pub jacobians: u64,
    /// Number of matrices factorized.
    pub factorizations: u64,
    /// Iterations of nonlinear systems.
    pub iterations: u64,
    /// Steps repeated because the error was too large.
    pub error_test_failures: u64,
    /// Steps repeated because the nonlinear system was not solved.
    pub convergence_failures: u64,
    /// How often an explicit method found that stability, not accuracy, had kept its steps short for
    /// a while; a method for stiff problems is then likely to be faster.
    pub stiffness_hints: u64,
    /// How often an automatic choice went over to other formulas.
    pub switches: u64,
}

impl SolverStatistics {
    /// Adds what another solver did.
    pub(crate) fn add(&mut self, other: &SolverStatistics) {
        let mut other = *other;
        for (count, more) in self.counts().into_iter().zip(other.counts()) {
            *count += *more;
        }
    }

    /// All of them, in the order of a solver's bytes.
    pub(crate) fn counts(&mut self) -> [&mut u64; 9] {
        [
            &mut self.steps,
            &mut self.evaluations,
            &mut self.jacobians,
            &mut self.factorizations,
            &mut self.iterations,
            &mut self.error_test_failures,
            &mut self.convergence_failures,
            &mut self.stiffness_hints,
            &mut self.switches,
        ]
    }
}

/// Why and where a solver could not continue; its state is that of the last step that passed.
#[derive(Clone, PartialEq, Debug)]
pub struct SolverFailure<E> {
    /// The time from which the step was tried.
    pub t: f64,
    /// The size of the step that was tried last.
    pub step: f64,
    /// The state that was worst, where one can be named.
    pub worst: Option<usize>,
    /// The reason of the failure.
    pub reason: Reason<E>,
}

/// What went wrong in a step.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Reason<E> {
    /// The model failed.
    Model(E),
    /// The tolerances ask for more digits than a double has.
    TooMuchAccuracy,
    /// The step would have to be shorter than allowed, or than the resolution of time.
    StepTooSmall,
    /// The error test failed again and again.
    ErrorTestFails,
    /// The nonlinear system of a step could not be solved.
    DoesNotConverge,
    /// A derivative is infinite or NaN, however short the step.
    NotFinite,
}

impl<E: fmt::Display> fmt::Display for SolverFailure<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no step from t = {} with step size {:e}", self.t, self.step)?;
        if let Some(worst) = self.worst {
            write!(f, " (state {worst} is worst)")?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for SolverFailure<E> {}

impl<E: fmt::Display> fmt::Display for Reason<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Model(error) => return write!(f, "the model failed: {error}"),
            Reason::TooMuchAccuracy => {
                "the tolerances ask for more digits than there are; raise them"
            }
            Reason::StepTooSmall => "the step is too small; is there a singularity",
            Reason::ErrorTestFails => {
                "the error test fails again and again; is there an unannounced jump"
            }
            Reason::DoesNotConverge => {
                "the equations of a step are not solved, however short it is; does a derivative jump here"
            }
            Reason::NotFinite => {
                "a derivative is infinite or not a number; is something divided by zero"
            }
        })
    }
}

/// Whether two lists are equal to the bit: zeros of both signs differ, and NaN equals itself.
pub(crate) fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.iter().map(|value| value.to_bits()).eq(b.iter().map(|value| value.to_bits()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_sorts_its_places_and_counts_each_once() {
        let pattern = SparsityPattern::new(3, [(2, 0), (0, 0), (1, 2), (2, 0)]);
        assert_eq!((pattern.len(), pattern.places()), (3, 3));
        assert_eq!([pattern.rows(0), pattern.rows(1), pattern.rows(2)], [&[0, 2][..], &[], &[1]]);
    }

    #[test]
    fn entries_are_put_where_each_layout_has_them() {
        let sparse = SparsityPattern::new(3, [(2, 0), (0, 0), (1, 2)]);
        let banded = Structure::Banded { lower: 1, upper: 1 };
        let cases = [(Structure::Dense, 7), (banded, 6), (Structure::Sparse(sparse), 2)];
        for (structure, place) in cases {
            let mut values = vec![0.0; JacobianMut::values_len(3, &structure)];
            JacobianMut::new(3, &structure, &mut values).put(1, 2, 5.0);
            assert_eq!(values.iter().position(|value| *value != 0.0), Some(place), "{structure:?}");
        }
    }

    #[test]
    #[should_panic(expected = "(0, 2) is outside of the structure")]
    fn an_entry_outside_of_the_structure_is_refused() {
        let banded = Structure::Banded { lower: 1, upper: 1 };
        JacobianMut::new(3, &banded, &mut [0.0; 9]).put(0, 2, 1.0);
    }

    #[test]
    fn mistakes_in_options_are_named() {
        let good = Options::new(Tolerances::from_nominals(1e-4, &[1.0, 100.0]));
        assert_eq!(good.mistake(2), None);
        assert!((good.tolerances.absolute[1] - 1e-4).abs() < 1e-18);
        let check = |options: Options, expected| assert_eq!(options.mistake(2), Some(expected));
        let tolerances = |relative, absolute| Tolerances::uniform(relative, absolute, 2);
        check(Options::new(tolerances(0.0, 1.0)), "relative tolerance");
        check(Options::new(tolerances(1e-3, f64::NAN)), "absolute tolerance");
        let structure = Structure::Banded { lower: 2, upper: 0 };
        check(Options { structure, ..good.clone() }, "structure");
        check(Options { step_max: Some(0.0), ..good.clone() }, "longest step");
        check(Options { step_min: 1.0, step_max: Some(0.5), ..good.clone() }, "shortest step");
        check(Options { first_step: Some(f64::INFINITY), ..good.clone() }, "first step");
        check(Options { order_max: Some(0), ..good }, "highest order");
    }
}
