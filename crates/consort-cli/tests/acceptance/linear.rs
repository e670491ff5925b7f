//! The federates of Chaudron et al. (2016) and their global matrices, by plain sums over lists of our
//! own: nothing of the engine or of the models is used.

use crate::record::Record;
use crate::world::World;
use consort_testkit::fmus::example;

/// The step of all systems here.
pub(crate) const STEP: f64 = 0.1;

/// Rows of equal length.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Matrix(pub(crate) Vec<Vec<f64>>);

impl Matrix {
    pub(crate) fn of<const COLUMNS: usize>(rows: &[[f64; COLUMNS]]) -> Self {
        Matrix(rows.iter().map(|row| row.to_vec()).collect())
    }

    pub(crate) fn zeros(rows: usize, columns: usize) -> Self {
        Matrix(vec![vec![0.0; columns]; rows])
    }

    pub(crate) fn identity(size: usize) -> Self {
        let mut matrix = Matrix::zeros(size, size);
        (0..size).for_each(|i| matrix.0[i][i] = 1.0);
        matrix
    }

    fn size(&self) -> (usize, usize) {
        (self.0.len(), self.0[0].len())
    }

    pub(crate) fn times(&self, other: &Matrix) -> Matrix {
        let ((rows, inner), (other_rows, columns)) = (self.size(), other.size());
        assert_eq!(inner, other_rows);
        let cell = |i: usize, j: usize| (0..inner).map(|k| self.0[i][k] * other.0[k][j]).sum();
        Matrix((0..rows).map(|i| (0..columns).map(|j| cell(i, j)).collect()).collect())
    }

    pub(crate) fn plus(&self, other: &Matrix) -> Matrix {
        assert_eq!(self.size(), other.size());
        let rows = self.0.iter().zip(&other.0);
        Matrix(rows.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a + b).collect()).collect())
    }

    pub(crate) fn scaled(&self, factor: f64) -> Matrix {
        Matrix(self.0.iter().map(|row| row.iter().map(|cell| factor * cell).collect()).collect())
    }

    pub(crate) fn minus(&self, other: &Matrix) -> Matrix {
        self.plus(&other.scaled(-1.0))
    }

    pub(crate) fn column(&self, index: usize) -> Matrix {
        Matrix(self.0.iter().map(|row| vec![row[index]]).collect())
    }

    pub(crate) fn apply(&self, vector: &[f64]) -> Vec<f64> {
        assert_eq!(self.size().1, vector.len());
        let product = |row: &Vec<f64>| row.iter().zip(vector).map(|(a, x)| a * x).sum();
        self.0.iter().map(product).collect()
    }

    /// By Gauss-Jordan elimination with pivots.
    pub(crate) fn inverse(&self) -> Matrix {
        let (size, _) = self.size();
        let mut work = self.clone();
        let mut inverse = Matrix::identity(size);
        for column in 0..size {
            let largest = |a: &usize, b: &usize| {
                work.0[*a][column].abs().total_cmp(&work.0[*b][column].abs())
            };
            let pivot = (column..size).max_by(largest).unwrap();
            for matrix in [&mut work, &mut inverse] {
                matrix.0.swap(column, pivot);
            }
            let head = work.0[column][column];
            assert!(1e-9 < head.abs(), "not invertible: {self:?}");
            for matrix in [&mut work, &mut inverse] {
                matrix.0[column].iter_mut().for_each(|cell| *cell /= head);
            }
            for row in (0..size).filter(|row| *row != column) {
                let factor = work.0[row][column];
                for matrix in [&mut work, &mut inverse] {
                    let by: Vec<f64> = matrix.0[column].iter().map(|it| factor * it).collect();
                    matrix.0[row].iter_mut().zip(by).for_each(|(cell, by)| *cell -= by);
                }
            }
        }
        inverse
    }

    /// One matrix of several, by rows of blocks.
    pub(crate) fn blocks(rows: &[&[&Matrix]]) -> Matrix {
        let row = |blocks: &&[&Matrix]| -> Vec<Vec<f64>> {
            let line = |i: usize| blocks.iter().flat_map(|block| block.0[i].clone()).collect();
            (0..blocks[0].0.len()).map(line).collect()
        };
        Matrix(rows.iter().flat_map(row).collect())
    }
}

/// The two sums every federate makes.
pub(crate) fn sum(a: Vec<f64>, b: &[f64]) -> Vec<f64> {
    a.into_iter().zip(b).map(|(a, b)| a + b).collect()
}

/// x(n+1) = A x(n) + B u(n), y(n) = C x(n) + D u(n), where A and B are those of one Euler step.
#[derive(Clone, Debug)]
pub(crate) struct Federate {
    pub(crate) a: Matrix,
    pub(crate) b: Matrix,
    pub(crate) c: Matrix,
    pub(crate) d: Matrix,
    pub(crate) x0: Vec<f64>,
}

impl Federate {
    /// From the matrices of x' = A x + B u.
    fn euler(slope: &Matrix, input: &Matrix, c: Matrix, d: Matrix, x0: &[f64]) -> Self {
        let a = Matrix::identity(x0.len()).plus(&slope.scaled(STEP));
        Federate { a, b: input.scaled(STEP), c, d, x0: x0.to_vec() }
    }

    pub(crate) fn next(&self, x: &[f64], u: &[f64]) -> Vec<f64> {
        sum(self.a.apply(x), &self.b.apply(u))
    }

    pub(crate) fn output(&self, x: &[f64], u: &[f64]) -> Vec<f64> {
        sum(self.c.apply(x), &self.d.apply(u))
    }
}

/// The federates of `examples/feedthrough-chain`.
pub(crate) fn chain() -> [Federate; 3] {
    [
        Federate::euler(
            &Matrix::of(&[[-1.0, 0.5], [-0.5, -0.8]]),
            &Matrix::of(&[[1.0], [0.5]]),
            Matrix::of(&[[1.0, 0.0], [0.25, 1.0]]),
            Matrix::zeros(2, 1),
            &[0.5, -0.2],
        ),
        Federate::euler(
            &Matrix::of(&[[-0.9, 0.3, 0.0], [-0.3, -1.2, 0.4], [0.2, 0.0, -0.7]]),
            &Matrix::of(&[[0.8, 0.1], [0.0, 0.6], [0.3, -0.2]]),
            Matrix::of(&[[1.0, 0.0, 0.5], [0.0, 1.0, -0.3]]),
            Matrix::of(&[[0.6, 0.0], [0.2, 0.5]]),
            &[0.1, 0.3, -0.4],
        ),
        Federate::euler(
            &Matrix::of(&[[-0.6, 0.8], [-0.8, -0.6]]),
            &Matrix::of(&[[0.5, 0.2], [0.0, 0.7]]),
            Matrix::of(&[[1.0, 0.4]]),
            Matrix::of(&[[0.7, -0.3]]),
            &[-0.3, 0.2],
        ),
    ]
}

/// The federates of `examples/feedback-loop`: the first one's second input is u1'.
pub(crate) fn circle() -> [Federate; 2] {
    [
        Federate::euler(
            &Matrix::of(&[[-1.0, 0.4], [-0.4, -0.6]]),
            &Matrix::of(&[[1.0, 0.3], [0.2, -0.5]]),
            Matrix::of(&[[1.0, 0.0], [0.3, 0.8]]),
            Matrix::of(&[[0.0, 0.6], [0.0, -0.4]]),
            &[0.4, -0.1],
        ),
        Federate::euler(
            &Matrix::of(&[[-0.8, 0.5, 0.0], [-0.5, -0.9, 0.2], [0.1, 0.0, -1.1]]),
            &Matrix::of(&[[0.6, 0.1], [0.0, 0.5], [-0.2, 0.3]]),
            Matrix::of(&[[1.0, 0.5, -0.2]]),
            Matrix::of(&[[0.5, 0.25]]),
            &[0.2, 0.3, -0.5],
        ),
    ]
}

/// What a federation of some kind shows at every step: for each federate, states and outputs.
#[derive(Default, Debug)]
pub(crate) struct Expected {
    pub(crate) states: Vec<Vec<Vec<f64>>>,
    pub(crate) outputs: Vec<Vec<Vec<f64>>>,
}

/// The global system x(n+1) = A x(n) + B u(n), y(n) = C x(n), split into what belongs to each federate.
pub(crate) fn iterate(
    a: &Matrix,
    b: &Matrix,
    c: &Matrix,
    federates: &[Federate],
    source: &[f64],
) -> Expected {
    let mut x: Vec<f64> = federates.iter().flat_map(|federate| federate.x0.clone()).collect();
    let mut expected = Expected::default();
    for u in source {
        expected.states.push(split(&x, federates.iter().map(|federate| federate.x0.len())));
        let y = c.apply(&x);
        expected.outputs.push(split(&y, federates.iter().map(|federate| federate.c.0.len())));
        x = sum(a.apply(&x), &b.apply(&[*u]));
    }
    expected
}

fn split(list: &[f64], lengths: impl Iterator<Item = usize>) -> Vec<Vec<f64>> {
    let mut at = 0;
    let part = |length: usize| {
        at += length;
        list[at - length..at].to_vec()
    };
    lengths.map(part).collect()
}

/// What a system's files call the elements of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Names {
    /// `y[1]`.
    Arrays,
    /// `y1`, for FMI 2.
    Scalars,
}

impl Names {
    fn element(self, federate: usize, array: &str, index: usize) -> String {
        let (federate, index) = (federate + 1, index + 1);
        match self {
            Names::Arrays => format!("federate{federate}.{array}[{index}]"),
            Names::Scalars => format!("federate{federate}.{array}{index}"),
        }
    }
}

/// How far a trace may be from the equations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Tolerance {
    /// Relative to the expected value; around its zeros to a thousandth of the column's largest.
    Relative(f64),
    /// As the residual of a loop is judged: relative to the value, or to 1 if that is more.
    Residual(f64),
}

impl Tolerance {
    /// The greatest difference in its own measure, which must not exceed it.
    fn check(self, name: &str, is: &[f64], should: &[f64]) -> f64 {
        assert_eq!(is.len(), should.len(), "{name}");
        let largest = should.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let (tolerance, floor) = match self {
            Tolerance::Relative(tolerance) => (tolerance, 1e-3 * largest),
            Tolerance::Residual(tolerance) => (tolerance, 1.0),
        };
        let mut worst: f64 = 0.0;
        for (n, (is, should)) in is.iter().zip(should).enumerate() {
            let off = (is - should).abs() / should.abs().max(floor);
            assert!(off <= tolerance, "{name}, step {n}: {is:?}, not {should:?} ({off:e})");
            worst = worst.max(off);
        }
        worst
    }
}

/// Compares every recorded state and output at every step; the largest difference.
fn compare(
    record: &Record,
    names: Names,
    output: &str,
    expected: &Expected,
    tolerance: Tolerance,
) -> f64 {
    let mut worst: f64 = 0.0;
    for (array, rows) in [("x", &expected.states), (output, &expected.outputs)] {
        for (federate, first) in rows[0].iter().enumerate() {
            for index in 0..first.len() {
                let name = names.element(federate, array, index);
                let should: Vec<f64> = rows.iter().map(|row| row[federate][index]).collect();
                worst = worst.max(tolerance.check(&name, &record.floats(&name), &should));
            }
        }
    }
    worst
}

/// A system file of an example, changed, with its models' paths made absolute, as the system `s`.
pub(crate) fn put(world: &World, file: &str, changes: &[(&str, &str)]) {
    let path = example(file);
    let mut text = std::fs::read_to_string(&path).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{file} has no `{from}`");
        text = text.replace(from, to);
    }
    for (folder, model) in [("feedthrough-chain", "linear"), ("spring-damper", "mass")] {
        for fmi in ["fmi2", "fmi3"] {
            let place = format!("{:?}", example(folder).join(format!("{model}-{fmi}")));
            text = text.replace(&format!("\"../{folder}/{model}-{fmi}\""), &place);
            text = text.replace(&format!("\"{model}-{fmi}\""), &place);
        }
    }
    world.system(&text);
}

/// Runs a system file of an example, changed.
pub(crate) fn run(world: &World, file: &str, changes: &[(&str, &str)]) -> Record {
    put(world, file, changes);
    world.done(&["run", "s", "--csv", "--out", "run"]);
    Record::parse(&world.read("run/trace.csv"))
}

/// Runs a system file of an example, changed, and compares it with a model of it.
pub(crate) fn check(
    file: &str,
    changes: &[(&str, &str)],
    names: Names,
    output: &str,
    tolerance: Tolerance,
    model: impl Fn(&[f64]) -> Expected,
) {
    let record = run(&World::new(), file, changes);
    let source = record.floats("source.y");
    assert_eq!(source.len(), 101);
    let worst = compare(&record, names, output, &model(&source), tolerance);
    println!("{file} {changes:?}: at most {worst:.1e} from the equations");
}

/// Runs the system `s` with 1, 2 and 8 workers, which must not matter; the hash they share.
pub(crate) fn one_hash(world: &World) -> String {
    let hashes = ["1", "2", "8"].map(|workers| {
        world.done(&["run", "s", "--workers", workers, "--out", workers]);
        world.trace_hash(workers)
    });
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
    hashes[0].clone()
}
