//! Several solvers of one problem, timed in turns.

/// How much work an integration was.
#[derive(Clone, Copy, Default)]
pub(crate) struct Count {
    pub(crate) steps: u64,
    pub(crate) evaluations: u64,
}

/// A solver set up for a problem, which can be solved again and again.
pub(crate) trait Contender {
    /// From the start to the end, without setting the solver up anew.
    fn integrate(&mut self);
    /// Where the last integration ended.
    fn states(&self) -> Vec<f64>;
    /// The work of the last integration.
    fn count(&self) -> Count;
}

/// What was measured of one solver.
pub(crate) struct Measured {
    /// CPU time of an integration, in microseconds: each round's mean, ascending.
    pub(crate) times: Vec<f64>,
    pub(crate) states: Vec<f64>,
    pub(crate) count: Count,
}

impl Measured {
    pub(crate) fn best(&self) -> f64 {
        self.times[0]
    }

    pub(crate) fn median(&self) -> f64 {
        self.times[self.times.len() / 2]
    }
}

/// A round of one solver takes about this long, so that the clock's own time does not count.
const ROUND_MICROSECONDS: f64 = 4000.0;

/// Times all in turns, so that what slows the machine for a while slows all alike.
pub(crate) fn measure(contenders: &mut [Box<dyn Contender>], rounds: usize) -> Vec<Measured> {
    let mut measured = Vec::new();
    let mut repeats = Vec::new();
    for contender in contenders.iter_mut() {
        let warm = time(contender.as_mut(), 1);
        let once = time(contender.as_mut(), 1).min(warm);
        repeats.push((ROUND_MICROSECONDS / once).clamp(1.0, 10_000.0).round() as u32);
        let (states, count) = (contender.states(), contender.count());
        measured.push(Measured { times: Vec::new(), states, count });
    }
    for _ in 0..rounds {
        for (index, contender) in contenders.iter_mut().enumerate() {
            measured[index].times.push(time(contender.as_mut(), repeats[index]));
        }
    }
    measured.iter_mut().for_each(|measured| measured.times.sort_by(f64::total_cmp));
    measured
}

/// Mean CPU time of an integration, in microseconds.
fn time(contender: &mut dyn Contender, repeats: u32) -> f64 {
    let started = cpu_seconds();
    (0..repeats).for_each(|_| contender.integrate());
    (cpu_seconds() - started) * 1e6 / f64::from(repeats)
}

#[repr(C)]
struct TimeSpec {
    seconds: i64,
    nanoseconds: i64,
}

unsafe extern "C" {
    fn clock_gettime(clock: i32, time: *mut TimeSpec) -> i32;
}

/// Linux's clock of this thread's own CPU time; other work on the machine does not move it.
const THREAD_CPU_TIME: i32 = 3;

pub(crate) fn cpu_seconds() -> f64 {
    let mut time = TimeSpec { seconds: 0, nanoseconds: 0 };
    // SAFETY: the pointer is to a `timespec` of 64-bit Linux.
    let answer = unsafe { clock_gettime(THREAD_CPU_TIME, &raw mut time) };
    assert_eq!(answer, 0, "this system has no clock of CPU time");
    time.seconds as f64 + time.nanoseconds as f64 * 1e-9
}
