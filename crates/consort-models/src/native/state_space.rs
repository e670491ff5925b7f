//! A linear system: x' = A x + B u, y = C x + D u.
//!
//! Outputs follow an input at once where D says so. Inputs and outputs are two arrays, which are each
//! taken as a whole by connections; with `ports = "scalars"` they are `u1`, `u2`, ..., `y1`, `y2`, ...
//! and every zero of D is one dependency less.

use super::behavior::{BlockBehavior, BlockMoment};
use super::draft::{BlockDraft, shape_text};
use super::store::{Slot, Store};
use consort_core::{DependencyKind, Step, ValueType, Values};
use consort_solve::{FixedStep, Method, Start};

/// Rows of equal length, one after another.
struct Matrix {
    rows: usize,
    columns: usize,
    elements: Vec<f64>,
}

impl Matrix {
    fn zeros(rows: usize, columns: usize) -> Self {
        Matrix { rows, columns, elements: vec![0.0; rows * columns] }
    }

    fn identity(size: usize) -> Self {
        let mut matrix = Matrix::zeros(size, size);
        matrix.elements.iter_mut().step_by(size + 1).for_each(|element| *element = 1.0);
        matrix
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.elements[row * self.columns + column]
    }

    /// `to += self * by`, each row's sum from left to right.
    fn multiply_add(&self, by: &[f64], to: &mut [f64]) {
        for (row, to) in self.elements.chunks_exact(self.columns.max(1)).zip(to) {
            *to += row.iter().zip(by).fold(0.0, |sum, (element, by)| sum + element * by);
        }
    }
}

/// The most substeps in one step.
const SUBSTEPS_MAX: f64 = 1e6;

/// Solved by the classical Runge-Kutta method of order 4 or by a solver in the store. For a linear
/// system with a held input the former is the Taylor series up to the fourth power of the substep,
/// which is how it is computed.
struct StateSpace {
    a: Matrix,
    b: Matrix,
    c: Matrix,
    d: Matrix,
    substep: Slot,
    x0: Slot,
    x: Slot,
    ports: Ports,
    /// The array of inputs.
    u: Option<Slot>,
    /// The array of outputs.
    y: Slot,
    term: Slot,
    next: Slot,
}

/// How inputs and outputs are seen from outside; the elements of several variables follow each other.
struct Ports {
    inputs: Vec<Slot>,
    outputs: Vec<Slot>,
    /// Each variable is one element of the hidden arrays that the equations use.
    are_scalars: bool,
}

impl Ports {
    /// Declares them with what depends on what.
    fn declare(draft: &mut BlockDraft<'_>, d: &Matrix) -> Self {
        let are_scalars = draft.given("ports").is_some()
            && draft.choice("ports", &["arrays", "scalars"], "one variable, or one per element")
                == "scalars";
        let (inputs, outputs) = (d.columns, d.rows);
        let (input_text, output_text) = ("held over each step", "C x + D u");
        if !are_scalars {
            let u = (inputs != 0).then(|| draft.input("u", &[inputs], input_text).slot());
            let y = draft.output("y", &[outputs], output_text).slot();
            return Ports { inputs: Vec::from_iter(u), outputs: vec![y], are_scalars };
        }
        let name = |letter: &str, index: usize| format!("{letter}{}", index + 1);
        let inputs = (0..inputs).map(|j| draft.input(&name("u", j), &[], input_text).slot());
        let inputs = inputs.collect();
        let outputs = (0..outputs).map(|i| draft.output(&name("y", i), &[], output_text).slot());
        Ports { inputs, outputs: outputs.collect(), are_scalars }
    }

    /// Says which outputs follow which inputs at once.
    fn declare_feedthrough(&self, draft: &mut BlockDraft<'_>, d: &Matrix) {
        for (row, &output) in self.outputs.iter().enumerate() {
            for (column, &input) in self.inputs.iter().enumerate() {
                let follows = match self.are_scalars {
                    true => d.at(row, column) != 0.0,
                    false => d.elements.iter().any(|element| *element != 0.0),
                };
                if follows {
                    draft.depends(output, input, DependencyKind::Constant);
                }
            }
        }
    }
}

pub(super) fn state_space(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let (a, b, c, d) = matrices(draft)?;
    let (states, inputs, outputs) = (a.rows, b.columns, c.rows);
    for (name, matrix, text) in [
        ("A", &a, "how the states drive each other"),
        ("B", &b, "how inputs drive the states"),
        ("C", &c, "how outputs follow the states"),
        ("D", &d, "how outputs follow the inputs"),
    ] {
        if matrix.columns != 0 {
            let start = Values::Float64(matrix.elements.clone());
            draft.shaping(name, &[matrix.rows, matrix.columns], start, text);
        }
    }
    let x0 = draft.parameter("x0", &[states], 0.0, "the states at the start").slot();
    let text = "the longest substep of the solver; 0: the whole step";
    let substep = draft.fixed("substep", 0.0, text).unit("s").min(0.0).slot();
    let method = method(draft);
    let ports = Ports::declare(draft, &d);
    let x = draft.local("x", &[states], "the states").slot();
    ports.declare_feedthrough(draft, &d);
    for &unknown in ports.outputs.iter().chain([&x]) {
        draft.depends(unknown, x0, DependencyKind::Constant);
    }
    draft.provides_derivatives();
    if let Some(method) = method {
        draft.solver(FixedStep::new(method, states));
    }
    let (term, next) = (draft.hidden(states), draft.hidden(states));
    let (u, y) = match ports.are_scalars {
        true => ((inputs != 0).then(|| draft.hidden(inputs)), draft.hidden(outputs)),
        false => (ports.inputs.first().copied(), ports.outputs[0]),
    };
    Some(Box::new(StateSpace { a, b, c, d, substep, x0, x, ports, u, y, term, next }))
}

/// The method of the solver; `None` for the Taylor series.
fn method(draft: &mut BlockDraft<'_>) -> Option<Method> {
    let text = "how the states are solved: Runge-Kutta, Euler or Adams-Bashforth";
    let method = draft.choice("method", &["rk4", "euler", "ab2", "ab3"], text);
    let text = "how ab2 and ab3 take their first steps: as Euler, then ab2; or as rk4";
    let start = match draft.choice("starter", &["lower", "rk4"], text) {
        "lower" => Start::LowerOrder,
        _ => Start::RungeKutta4,
    };
    match method {
        "euler" => Some(Method::Euler),
        "ab2" => Some(Method::AdamsBashforth2(start)),
        "ab3" => Some(Method::AdamsBashforth3(start)),
        _ => None,
    }
}

fn matrices(draft: &mut BlockDraft<'_>) -> Option<(Matrix, Matrix, Matrix, Matrix)> {
    let before = draft.report.error_count();
    let given = ["A", "B", "C", "D"].map(|name| matrix(draft, name));
    if draft.report.error_count() != before {
        return None;
    }
    let [a, b, c, d] = given;
    let Some(a) = a else {
        let message = format!("{} has no matrix `A`", draft.request.asker());
        let help = "write it row by row, such as `A = [[0.0, 1.0], [-1.0, -0.2]]`";
        draft.wrong("model::missing-parameter", None, message, help);
        return None;
    };
    let b = b.unwrap_or_else(|| Matrix::zeros(a.rows, 0));
    let c = c.unwrap_or_else(|| Matrix::identity(a.rows));
    let d = d.unwrap_or_else(|| Matrix::zeros(c.rows, b.columns));
    agree(draft, ("A", "columns", a.columns), ("A", "rows", a.rows));
    agree(draft, ("B", "rows", b.rows), ("A", "rows", a.rows));
    agree(draft, ("C", "columns", c.columns), ("A", "rows", a.rows));
    agree(draft, ("D", "rows", d.rows), ("C", "rows", c.rows));
    agree(draft, ("D", "columns", d.columns), ("B", "columns", b.columns));
    (draft.report.error_count() == before).then_some((a, b, c, d))
}

/// Reports two extents that should be equal.
fn agree(draft: &mut BlockDraft<'_>, one: (&str, &str, usize), other: (&str, &str, usize)) {
    if one.2 == other.2 {
        return;
    }
    let count = |(name, what, count): (&str, &str, usize)| {
        let what = if count == 1 { &what[..what.len() - 1] } else { what };
        format!("`{name}` has {count} {what}")
    };
    let message = format!("{}: {}, but {}", draft.path(one.0), count(one), count(other));
    let help = "A is n x n, B is n x m, C is p x n and D is p x m \
                for n states, m inputs and p outputs";
    draft.wrong("model::matrix-shape", draft.given(one.0), message, help);
}

fn matrix(draft: &mut BlockDraft<'_>, name: &str) -> Option<Matrix> {
    let given = draft.given(name)?;
    let shape = given.value.shape();
    let Some(&[rows, columns]) = shape.as_deref().filter(|shape| !shape.contains(&0)) else {
        let shape = shape.map_or("has rows of different length".to_owned(), |shape| {
            format!("is {}, not a list of rows", shape_text(&shape))
        });
        let message = format!("{} {shape}", draft.path(name));
        let help = "write it row by row, such as `[[0.0, 1.0], [-1.0, -0.2]]`";
        draft.wrong("model::matrix-shape", Some(given), message, help);
        return None;
    };
    match given.value.to_values(ValueType::Float64, &[]) {
        Ok(Values::Float64(elements)) => Some(Matrix { rows, columns, elements }),
        Ok(_) => unreachable!("asked for Float64"),
        Err(error) => {
            let message = format!("{}: {error}", draft.path(name));
            draft.wrong("model::parameter-type", Some(given), message, "write numbers only");
            None
        }
    }
}

impl StateSpace {
    /// One substep of length `h`: x += h x' + h^2/2 A x' + h^3/6 A^2 x' + h^4/24 A^3 x'.
    fn substep(&self, h: f64, store: &mut Store) {
        self.derivative(h, store);
        for power in 2..=ORDER {
            let [x, term, next] = store.disjoint_lists([self.x, self.term, self.next]);
            add(x, term);
            next.fill(0.0);
            self.a.multiply_add(term, next);
            for (term, next) in term.iter_mut().zip(next.iter()) {
                *term = h / f64::from(power) * next;
            }
        }
        let [x, term] = store.disjoint_lists([self.x, self.term]);
        add(x, term);
    }

    /// `count` substeps of length `h` by the store's solver.
    fn solve(&self, step: &Step, count: u32, h: f64, store: &mut Store) {
        let (solver, x, u): (_, _, &[f64]) = match self.u {
            Some(u) => {
                let (solver, [x, u]) = store.solver_and_lists([self.x, u]);
                (solver, x, u)
            }
            None => {
                let (solver, [x]) = store.solver_and_lists([self.x]);
                (solver, x, &[])
            }
        };
        for n in 0..count {
            let derivative = |_: f64, x: &[f64], dx: &mut [f64]| {
                dx.fill(0.0);
                self.a.multiply_add(x, dx);
                self.b.multiply_add(u, dx);
            };
            solver.step(x, derivative, step.start + f64::from(n) * h, h);
        }
    }

    /// Brings scalar inputs into the array of all inputs.
    fn gather(&self, store: &mut Store) {
        let Some(u) = self.u.filter(|_| self.ports.are_scalars) else { return };
        for (index, &port) in self.ports.inputs.iter().enumerate() {
            store.list_mut(u)[index] = store.scalar(port);
        }
    }

    /// Brings all outputs to scalar ones.
    fn scatter(&self, store: &mut Store) {
        if self.ports.are_scalars {
            for (index, &port) in self.ports.outputs.iter().enumerate() {
                store.set_scalar(port, store.list(self.y)[index]);
            }
        }
    }

    /// `to` becomes `of_x` x + `of_u` u.
    fn combine(&self, of_x: &Matrix, of_u: &Matrix, to: Slot, store: &mut Store) {
        let [x, sum] = store.disjoint_lists([self.x, to]);
        sum.fill(0.0);
        of_x.multiply_add(x, sum);
        if let Some(u) = self.u {
            let [u, sum] = store.disjoint_lists([u, to]);
            of_u.multiply_add(u, sum);
        }
    }

    /// `term` becomes h (A x + B u).
    fn derivative(&self, h: f64, store: &mut Store) {
        self.combine(&self.a, &self.b, self.term, store);
        store.list_mut(self.term).iter_mut().for_each(|term| *term *= h);
    }
}

/// The order of the method.
const ORDER: u32 = 4;

fn add(to: &mut [f64], what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += what);
}

impl BlockBehavior for StateSpace {
    fn begin(&self, store: &mut Store) {
        store.copy(self.x0, self.x);
        if let Some(solver) = &mut store.solver {
            solver.restart();
        }
    }

    fn outputs(&self, _now: &BlockMoment<'_>, store: &mut Store) {
        self.gather(store);
        self.combine(&self.c, &self.d, self.y, store);
        self.scatter(store);
    }

    fn derivative(&self, of: Slot, by: Slot, seed: &[f64], sensitivity: &mut [f64]) -> bool {
        let place = |ports: &[Slot], slot| ports.iter().position(|port| *port == slot);
        let (row, column) = (place(&self.ports.outputs, of), place(&self.ports.inputs, by));
        match (row, column) {
            (Some(row), Some(column)) if self.ports.are_scalars => {
                sensitivity[0] += self.d.at(row, column) * seed[0];
            }
            (Some(_), Some(_)) => self.d.multiply_add(seed, sensitivity),
            _ => return false,
        }
        true
    }

    fn advance(&self, step: &Step, store: &mut Store) -> Result<(), String> {
        let longest = store.scalar(self.substep);
        // A ratio that is a whole number but for its rounding counts as one.
        let ratio = if 0.0 < longest { step.length / longest * (1.0 - 1e-9) } else { 1.0 };
        let count = ratio.ceil().max(1.0);
        if SUBSTEPS_MAX < count {
            let length = step.length;
            return Err(format!("{length:?} s are more than a million substeps of {longest:?} s"));
        }
        let h = step.length / count;
        self.gather(store);
        if store.solver.is_some() {
            self.solve(step, count as u32, h, store);
        } else {
            (0..count as u32).for_each(|_| self.substep(h, store));
        }
        Ok(())
    }
}
