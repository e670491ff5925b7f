//! A saved integration as bytes: lengths and little-endian numbers, the solver's own bytes among them.

use super::instance::Run;
use super::solver::Solver;
use consort_solve::{Multistep, Roots, RungeKutta};

const BARE: u8 = 0;
const MULTISTEP: u8 = 1;
const RUNGE_KUTTA: u8 = 2;

/// The model's own bytes and those of the integration, if it has begun.
pub(super) fn write(inner: &[u8], run: Option<&Run>) -> Vec<u8> {
    let mut bytes = Vec::new();
    put(&mut bytes, inner);
    bytes.push(u8::from(run.is_some()));
    let Some(run) = run else { return bytes };
    let (tag, solver) = match &run.solver {
        Solver::Bare(t) => (BARE, t.to_le_bytes().to_vec()),
        Solver::Multistep(solver) => (MULTISTEP, solver.to_bytes()),
        Solver::RungeKutta(solver) => (RUNGE_KUTTA, solver.to_bytes()),
    };
    bytes.push(tag);
    put(&mut bytes, &solver);
    put(&mut bytes, &run.roots.to_bytes());
    for numbers in [&run.x, &run.slope, &run.z] {
        put(&mut bytes, &numbers.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<u8>>());
    }
    bytes.extend(run.t.to_le_bytes());
    bytes.push(u8::from(run.next_event.is_some()));
    bytes.extend(run.next_event.unwrap_or(0.0).to_le_bytes());
    bytes.extend([u8::from(run.terminate), u8::from(run.is_disturbed)]);
    bytes
}

/// What [`write()`] wrote; `None` if it did not.
pub(super) fn read(bytes: &[u8]) -> Option<(&[u8], Option<Run>)> {
    let mut reader = Reader(bytes);
    let inner = reader.part()?;
    let run = if reader.flag()? { Some(run(&mut reader)?) } else { None };
    reader.0.is_empty().then_some((inner, run))
}

fn run(reader: &mut Reader<'_>) -> Option<Run> {
    let tag = reader.take(1)?[0];
    let solver = reader.part()?;
    let solver = match tag {
        BARE => Solver::Bare(f64::from_le_bytes(solver.try_into().ok()?)),
        MULTISTEP => Solver::Multistep(Box::new(Multistep::from_bytes(solver).ok()?)),
        RUNGE_KUTTA => Solver::RungeKutta(Box::new(RungeKutta::from_bytes(solver).ok()?)),
        _ => return None,
    };
    let roots = Roots::from_bytes(reader.part()?).ok()?;
    let (x, slope, z) = (reader.numbers()?, reader.numbers()?, reader.numbers()?);
    let t = reader.number()?;
    let (has_next, next) = (reader.flag()?, reader.number()?);
    let next_event = has_next.then_some(next);
    let (terminate, is_disturbed) = (reader.flag()?, reader.flag()?);
    let fits = solver.states().len() == x.len() && slope.len() == x.len();
    let run = Run { solver, roots, t, x, slope, z, next_event, terminate, is_disturbed };
    (fits && run.roots.crossings().len() == run.z.len()).then_some(run)
}

fn put(bytes: &mut Vec<u8>, part: &[u8]) {
    bytes.extend((part.len() as u64).to_le_bytes());
    bytes.extend(part);
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn part(&mut self) -> Option<&'a [u8]> {
        let count = u64::from_le_bytes(self.take(8)?.try_into().ok()?);
        self.take(usize::try_from(count).ok()?)
    }

    fn flag(&mut self) -> Option<bool> {
        match self.take(1)? {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }

    fn number(&mut self) -> Option<f64> {
        Some(f64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn numbers(&mut self) -> Option<Vec<f64>> {
        let (chunks, rest) = self.part()?.as_chunks::<8>();
        rest.is_empty().then(|| chunks.iter().map(|it| f64::from_le_bytes(*it)).collect())
    }
}
