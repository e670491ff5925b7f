//! Algebraic loops: values z with F(z) = z, where F is one evaluation of the loop.
//!
//! [`AlgebraicSolver::solve`] begins with fixed-point iteration, which costs one evaluation a time and is all
//! that a weak loop needs; where it does not contract, Newton's method follows (or Broyden's, where an
//! evaluation is costly), on the matrix I - dF/dz. Nothing is carried from one solution to the next,
//! so a solution depends on where it starts and on nothing else.

mod matrix;

use matrix::Matrix;

/// The equations to solve.
pub trait AlgebraicEquations {
    /// Why an evaluation failed.
    type Error;

    /// Computes F(`at`). The last evaluation before [`AlgebraicSolver::solve`] succeeds is at the solution.
    ///
    /// # Errors
    /// If F cannot be computed there.
    fn evaluate(&mut self, at: &[f64], result: &mut [f64]) -> Result<(), Self::Error>;

    /// Fills dF/dz at the point of the last evaluation, row by row, and returns whether it did; `false`
    /// asks the solver to take differences instead.
    ///
    /// # Errors
    /// If the derivatives cannot be computed there.
    fn jacobian(&mut self, _at: &[f64], _matrix: &mut [f64]) -> Result<bool, Self::Error> {
        Ok(false)
    }
}

/// How the equations are solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AlgebraicMethod {
    /// Fixed point while it contracts, then Newton, or Broyden if evaluations are costly.
    Auto,
    /// Fixed point only.
    FixedPoint,
    /// Newton from the start.
    Newton,
    /// Broyden from the start: differences once, then updates.
    Broyden,
}

/// Method, accuracy and patience.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AlgebraicOptions {
    /// How the equations are solved.
    pub method: AlgebraicMethod,
    /// Solved when every |F(z) - z| is at most `tolerance * max(1, |z|)`.
    pub tolerance: f64,
    /// The greatest number of evaluations.
    pub limit: u32,
    /// The part of a fixed-point correction that is applied.
    pub relaxation: f64,
    /// An evaluation costs much, as when components must be stepped and restored for it.
    pub costly: bool,
}

/// A solution was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Solved {
    /// The number of evaluations.
    pub evaluations: u32,
}

/// Why no solution was found; [`AlgebraicSolver::residuals`] has the last F(z) - z.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AlgebraicFailure<E> {
    /// An evaluation failed.
    Evaluation(E),
    /// The limit was reached.
    Limit,
    /// I - dF/dz cannot be inverted: there is no solution, or more than one.
    Singular,
    /// An evaluation gave infinity or NaN.
    NotFinite,
}

/// Room for solving loops of one size.
#[derive(Clone, Debug)]
pub struct AlgebraicSolver {
    /// F(z) and F(z) - z at the point evaluated last.
    result: Vec<f64>,
    residuals: Vec<f64>,
    /// A point beside z, F there, and F(z) - z at the point before.
    trial: Vec<f64>,
    trial_result: Vec<f64>,
    previous: Vec<f64>,
    /// The correction that led to z.
    correction: Vec<f64>,
    jacobian: Vec<f64>,
    /// I - dF/dz, as far as it is known, and its factors.
    matrix: Matrix,
    factors: Matrix,
    evaluations: u32,
    /// The relative size below which a pivot is taken for zero.
    pivot_min: f64,
}

/// Fixed-point iteration continues while each round leaves at most this part of the residual.
const CONTRACTION_WANTED: f64 = 0.5;
/// So many rounds without it end fixed-point iteration.
const SLOW_ROUNDS_MAX: u32 = 2;
/// A matrix is kept while each correction leaves at most this part of the residual.
const KEEP_MATRIX_BELOW: f64 = 0.1;
/// Pivots below this are noise, for derivatives by differences and for exact ones.
const PIVOT_MIN_OF_DIFFERENCES: f64 = 1e-7;
const PIVOT_MIN_OF_DERIVATIVES: f64 = 1e-14;

/// Which correction comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    FixedPoint,
    Newton,
    Broyden,
}

impl AlgebraicSolver {
    /// Room for loops with `len` unknowns.
    pub fn new(len: usize) -> Self {
        let zeros = || vec![0.0; len];
        AlgebraicSolver {
            result: zeros(),
            residuals: zeros(),
            trial: zeros(),
            trial_result: zeros(),
            previous: zeros(),
            correction: zeros(),
            jacobian: vec![0.0; len * len],
            matrix: Matrix::new(len),
            factors: Matrix::new(len),
            evaluations: 0,
            pivot_min: PIVOT_MIN_OF_DIFFERENCES,
        }
    }

    /// F(z) - z at the point evaluated last.
    pub fn residuals(&self) -> &[f64] {
        &self.residuals
    }

    /// How many evaluations the last solution, or failure, took.
    pub fn evaluations(&self) -> u32 {
        self.evaluations
    }

    /// Replaces the guess `z` by a solution.
    ///
    /// # Errors
    /// If there is none within the limit; `z` is then the point evaluated last.
    pub fn solve<E: AlgebraicEquations>(
        &mut self,
        z: &mut [f64],
        options: &AlgebraicOptions,
        equations: &mut E,
    ) -> Result<Solved, AlgebraicFailure<E::Error>> {
        self.evaluations = 0;
        let mut mode = match options.method {
            AlgebraicMethod::Auto | AlgebraicMethod::FixedPoint => Mode::FixedPoint,
            AlgebraicMethod::Newton => Mode::Newton,
            AlgebraicMethod::Broyden => Mode::Broyden,
        };
        let (mut slow, mut has_matrix, mut before) = (0, false, f64::INFINITY);
        loop {
            let size = self.evaluate(z, options, equations)?;
            if size <= 1.0 {
                return Ok(Solved { evaluations: self.evaluations });
            }
            let ratio = size / before;
            before = size;
            match mode {
                Mode::FixedPoint => {
                    slow = if ratio <= CONTRACTION_WANTED { 0 } else { slow + 1 };
                    if options.method == AlgebraicMethod::Auto && SLOW_ROUNDS_MAX < slow {
                        mode = if options.costly { Mode::Broyden } else { Mode::Newton };
                    }
                }
                Mode::Newton => has_matrix &= ratio <= KEEP_MATRIX_BELOW,
                Mode::Broyden if has_matrix => self.update_matrix(),
                Mode::Broyden => {}
            }
            if mode == Mode::FixedPoint {
                self.relax(z, options.relaxation);
                continue;
            }
            if !has_matrix {
                self.differentiate(z, options, equations)?;
                has_matrix = true;
            }
            self.correct(z)?;
        }
    }

    /// F at `z`; gives the greatest residual in units of what is tolerated.
    fn evaluate<E: AlgebraicEquations>(
        &mut self,
        z: &[f64],
        options: &AlgebraicOptions,
        equations: &mut E,
    ) -> Result<f64, AlgebraicFailure<E::Error>> {
        self.count(options)?;
        equations.evaluate(z, &mut self.result).map_err(AlgebraicFailure::Evaluation)?;
        let mut size = 0.0_f64;
        for (index, &value) in z.iter().enumerate() {
            let residual = self.result[index] - value;
            self.residuals[index] = residual;
            if !residual.is_finite() {
                return Err(AlgebraicFailure::NotFinite);
            }
            size = size.max(residual.abs() / (options.tolerance * value.abs().max(1.0)));
        }
        Ok(size)
    }

    fn count<E>(&mut self, options: &AlgebraicOptions) -> Result<(), AlgebraicFailure<E>> {
        if options.limit <= self.evaluations {
            return Err(AlgebraicFailure::Limit);
        }
        self.evaluations += 1;
        Ok(())
    }

    fn relax(&self, z: &mut [f64], relaxation: f64) {
        for (value, residual) in z.iter_mut().zip(&self.residuals) {
            *value += relaxation * residual;
        }
    }

    /// I - dF/dz at `z`, where F was evaluated last.
    fn differentiate<E: AlgebraicEquations>(
        &mut self,
        z: &[f64],
        options: &AlgebraicOptions,
        equations: &mut E,
    ) -> Result<(), AlgebraicFailure<E::Error>> {
        let is_exact =
            equations.jacobian(z, &mut self.jacobian).map_err(AlgebraicFailure::Evaluation)?;
        self.pivot_min = if is_exact { PIVOT_MIN_OF_DERIVATIVES } else { PIVOT_MIN_OF_DIFFERENCES };
        if !is_exact {
            self.take_differences(z, options, equations)?;
        }
        let len = z.len();
        for row in 0..len {
            for column in 0..len {
                let unit = if row == column { 1.0 } else { 0.0 };
                self.matrix.put(row, column, unit - self.jacobian[row * len + column]);
            }
        }
        Ok(())
    }

    fn take_differences<E: AlgebraicEquations>(
        &mut self,
        z: &[f64],
        options: &AlgebraicOptions,
        equations: &mut E,
    ) -> Result<(), AlgebraicFailure<E::Error>> {
        let len = z.len();
        self.trial.copy_from_slice(z);
        for (column, &value) in z.iter().enumerate() {
            self.count(options)?;
            // The step as the machine has it, so that the quotient is of the points taken.
            self.trial[column] = value + f64::EPSILON.sqrt() * value.abs().max(1.0);
            let step = self.trial[column] - value;
            let result = equations.evaluate(&self.trial, &mut self.trial_result);
            result.map_err(AlgebraicFailure::Evaluation)?;
            self.trial[column] = value;
            for row in 0..len {
                let slope = (self.trial_result[row] - self.result[row]) / step;
                if !slope.is_finite() {
                    return Err(AlgebraicFailure::NotFinite);
                }
                self.jacobian[row * len + column] = slope;
            }
        }
        Ok(())
    }

    /// Broyden's update: the matrix shall explain what the last correction did to the residuals.
    fn update_matrix(&mut self) {
        let length: f64 = self.correction.iter().map(|part| part * part).sum();
        if length == 0.0 {
            return;
        }
        for row in 0..self.correction.len() {
            // With G(z) = z - F(z), so that the matrix is dG/dz: G changed by the residuals' fall.
            let change = self.previous[row] - self.residuals[row];
            let excess = (change - self.matrix.row_times(row, &self.correction)) / length;
            for (column, part) in self.correction.iter().enumerate() {
                self.matrix.put(row, column, self.matrix.at(row, column) + excess * part);
            }
        }
    }

    /// One correction of `z` by the matrix.
    fn correct<E>(&mut self, z: &mut [f64]) -> Result<(), AlgebraicFailure<E>> {
        self.previous.copy_from_slice(&self.residuals);
        self.correction.copy_from_slice(&self.residuals);
        self.factors.copy_from(&self.matrix);
        if !self.factors.solve(&mut self.correction, self.pivot_min) {
            return Err(AlgebraicFailure::Singular);
        }
        for (value, part) in z.iter_mut().zip(&self.correction) {
            *value += part;
        }
        Ok(())
    }
}
