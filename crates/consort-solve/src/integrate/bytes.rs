//! An integration as bytes: lengths and little-endian numbers, the solver's own bytes among them.

use super::Integration;
use super::solver::Solver;
use crate::bytes::BytesError;
use crate::multistep::Multistep;
use crate::paced::Paced;
use crate::roots::Roots;
use crate::runge_kutta::RungeKutta;

const BARE: u8 = 0;
const MULTISTEP: u8 = 1;
const RUNGE_KUTTA: u8 = 2;
const PACED: u8 = 3;

impl Integration {
    /// All of it, exactly.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let (tag, solver) = match &self.solver {
            Solver::Bare(t) => (BARE, t.to_le_bytes().to_vec()),
            Solver::Multistep(solver) => (MULTISTEP, solver.to_bytes()),
            Solver::RungeKutta(solver) => (RUNGE_KUTTA, solver.to_bytes()),
            Solver::Paced(solver) => (PACED, solver.to_bytes()),
        };
        bytes.push(tag);
        put(&mut bytes, &solver);
        put(&mut bytes, &self.roots.to_bytes());
        for numbers in [&self.x, &self.slope, &self.z] {
            put(&mut bytes, &numbers.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<u8>>());
        }
        bytes.extend(self.t.to_le_bytes());
        bytes.push(u8::from(self.next_event.is_some()));
        bytes.extend(self.next_event.unwrap_or(0.0).to_le_bytes());
        bytes.extend([u8::from(self.terminate), u8::from(self.is_disturbed)]);
        bytes
    }

    /// What [`Integration::to_bytes`] wrote.
    ///
    /// # Errors
    /// If the bytes are those of nothing or of something else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let mut reader = Reader(bytes);
        let integration = read(&mut reader).filter(|_| reader.0.is_empty());
        integration.ok_or(BytesError::Foreign)
    }
}

fn read(reader: &mut Reader<'_>) -> Option<Integration> {
    let tag = reader.take(1)?[0];
    let solver = reader.part()?;
    let solver = match tag {
        BARE => Solver::Bare(f64::from_le_bytes(solver.try_into().ok()?)),
        MULTISTEP => Solver::Multistep(Box::new(Multistep::from_bytes(solver).ok()?)),
        RUNGE_KUTTA => Solver::RungeKutta(Box::new(RungeKutta::from_bytes(solver).ok()?)),
        PACED => Solver::Paced(Box::new(Paced::from_bytes(solver).ok()?)),
        _ => return None,
    };
    let roots = Roots::from_bytes(reader.part()?).ok()?;
    let (x, slope, z) = (reader.numbers()?, reader.numbers()?, reader.numbers()?);
    let t = reader.number()?;
    let (has_next, next) = (reader.flag()?, reader.number()?);
    let next_event = has_next.then_some(next);
    let (terminate, is_disturbed) = (reader.flag()?, reader.flag()?);
    let fits = solver.states().len() == x.len() && slope.len() == x.len();
    let fits = fits && roots.crossings().len() == z.len();
    let read = Integration { solver, roots, t, x, slope, z, next_event, terminate, is_disturbed };
    fits.then_some(read)
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
