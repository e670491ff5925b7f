//! A problem at rest that is switched: whatever the old step was, the solver finds its way again.

use consort_solve::{Family, Keep, Multistep, Options, Pair, Problem, RungeKutta, Tolerances};
use std::convert::Infallible;

/// x' = A x + b u of up to two states.
#[derive(Clone, Copy)]
struct Linear {
    a: [[f64; 2]; 2],
    b: [f64; 2],
    u: f64,
}

impl Problem for Linear {
    type Error = Infallible;

    fn derivatives(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Infallible> {
        for (row, dx) in dx.iter_mut().enumerate() {
            *dx = self.a[row][0] * x[0] + self.a[row][1] * x[1] + self.b[row] * self.u;
        }
        Ok(())
    }
}

/// A DC motor: the current's time constant is a millisecond and less, the speed's a second.
fn motor(inductance: f64) -> Linear {
    let (resistance, constant, inertia, friction) = (1.0, 0.05, 1e-3, 1e-4);
    Linear {
        a: [
            [-resistance / inductance, -constant / inductance],
            [constant / inertia, -friction / inertia],
        ],
        b: [1.0 / inductance, 0.0],
        u: 0.0,
    }
}

/// A fast lag, and a slow one behind it.
fn lag(rate: f64) -> Linear {
    Linear { a: [[-rate, 0.0], [1.0, -1.0]], b: [rate, 0.0], u: 0.0 }
}

impl Linear {
    /// The exact states after `t` with the input held: x + (e^(At) - 1) A^-1 (A x + b u), by eigenvalues.
    fn exact(&self, x: [f64; 2], t: f64) -> [f64; 2] {
        let [[a, b], [c, d]] = self.a;
        let determinant = a * d - b * c;
        let forced = [self.b[0] * self.u, self.b[1] * self.u];
        let rest = [
            -(d * forced[0] - b * forced[1]) / determinant,
            -(a * forced[1] - c * forced[0]) / determinant,
        ];
        let (mean, square) = ((a + d) / 2.0, ((a - d) / 2.0).powi(2) + b * c);
        assert!(0.0 < square, "real eigenvalues");
        let root = square.sqrt();
        let (fast, slow) = (mean - root, determinant / (mean - root));
        let (grown, decayed) = (libm::exp(slow * t), libm::exp(fast * t));
        let away = [x[0] - rest[0], x[1] - rest[1]];
        let of = |row: usize| {
            let moved = self.a[row][0] * away[0] + self.a[row][1] * away[1];
            let slow_part = (moved - fast * away[row]) / (slow - fast);
            let fast_part = (slow * away[row] - moved) / (slow - fast);
            rest[row] + slow_part * grown + fast_part * decayed
        };
        [of(0), of(1)]
    }
}

/// Every solver of variable step behind one face.
#[derive(Clone)]
enum Any {
    Multistep(Box<Multistep>),
    RungeKutta(Box<RungeKutta>),
}

impl Any {
    fn all(options: &Options) -> [(&'static str, Any); 6] {
        let multistep = |family| Any::Multistep(Box::new(Multistep::new(family, 2, options)));
        let pair = |pair| Any::RungeKutta(Box::new(RungeKutta::new(pair, 2, options)));
        [
            ("bdf", multistep(Family::Bdf)),
            ("adams", multistep(Family::Adams)),
            ("adams with newton", multistep(Family::AdamsNewton)),
            ("bs32", pair(Pair::BogackiShampine32)),
            ("dopri5", pair(Pair::DormandPrince54)),
            ("dop853", pair(Pair::DormandPrince853)),
        ]
    }

    fn restart(&mut self, t: f64, x: &[f64], keep: Keep) {
        match self {
            Any::Multistep(solver) => solver.restart(t, x, keep),
            Any::RungeKutta(solver) => solver.restart(t, x, keep),
        }
    }

    fn go(&mut self, problem: &mut impl Problem<Error = Infallible>, limit: f64, what: &str) {
        loop {
            let step = match self {
                Any::Multistep(solver) => solver.step(problem, limit),
                Any::RungeKutta(solver) => solver.step(problem, limit),
            };
            match step {
                Ok(step) if step.to < limit => {}
                Ok(_) => return,
                Err(failure) => panic!("{what}: {failure}"),
            }
        }
    }

    fn states(&self) -> [f64; 2] {
        let states = match self {
            Any::Multistep(solver) => solver.state().1,
            Any::RungeKutta(solver) => solver.state().1,
        };
        [states[0], states[1]]
    }

    fn evaluations(&self) -> u64 {
        match self {
            Any::Multistep(solver) => solver.statistics().evaluations,
            Any::RungeKutta(solver) => solver.statistics().evaluations,
        }
    }
}

fn options(relative: f64) -> Options {
    Options::new(Tolerances::from_nominals(relative, &[1.0, 1.0]))
}

/// The largest difference, measured by what the values are beside one.
fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    let parts = a.iter().zip(b).map(|(a, b)| (a - b).abs() / (1.0 + b.abs()));
    parts.fold(0.0, f64::max)
}

/// At rest for `rest` seconds, then with input `u` for a while: it arrives where the closed form is.
fn check(problem: Linear, rest: f64, u: f64, after: f64) {
    for relative in [1e-3, 1e-6, 1e-9] {
        for (name, mut solver) in Any::all(&options(relative)) {
            let what = format!("{name} at {relative:e}, {u} after {rest} s");
            let mut problem = problem;
            solver.restart(0.0, &[0.0, 0.0], Keep::Nothing);
            solver.go(&mut problem, rest, &what);
            problem.u = u;
            solver.restart(rest, &[0.0, 0.0], Keep::StepSize);
            solver.go(&mut problem, rest + after, &what);
            let error = distance(solver.states(), problem.exact([0.0, 0.0], after));
            assert!(error < 100.0 * relative, "{what}: {error:e}");
        }
    }
}

#[test]
fn a_motor_at_rest_is_switched_on() {
    for inductance in [1e-3, 1e-4] {
        check(motor(inductance), 1.0, 12.0, 0.5);
    }
}

#[test]
fn an_old_step_of_any_length_is_no_harm() {
    let cases =
        [(1.0, 1e-3), (1.0, 1.0), (1.0, 1e6), (1e3, 1e-3), (1e3, 1e6), (1e6, 1e-3), (1e6, 1.0)];
    for (rest, u) in cases {
        check(lag(1e3), rest, u, 0.25);
    }
}

#[test]
fn an_input_that_changes_at_every_communication_point_is_followed() {
    for (name, mut solver) in Any::all(&options(1e-6)) {
        let mut problem = lag(1e4);
        let mut exact = [0.0, 0.0];
        solver.restart(0.0, &exact, Keep::Nothing);
        for n in 0..100_u32 {
            let t = f64::from(n) * 0.01;
            problem.u = 230.0 * libm::sin(314.0 * t);
            solver.restart(t, &solver.states(), Keep::StepSize);
            solver.go(&mut problem, f64::from(n + 1) * 0.01, name);
            exact = problem.exact(exact, 0.01);
            let error = distance(solver.states(), exact);
            assert!(error < 1e-4, "{name} at {t}: {error:e}");
        }
    }
}

#[test]
fn a_guess_costs_hardly_more_than_finding_the_first_step() {
    let evaluations = |keep: Keep, name: &str, mut solver: Any| {
        let mut problem = lag(100.0);
        solver.restart(0.0, &[0.0, 0.0], Keep::Nothing);
        for n in 0..100_u32 {
            problem.u = 1.0 + 1e-3 * f64::from(n);
            solver.restart(f64::from(n) * 0.1, &solver.states(), keep);
            solver.go(&mut problem, f64::from(n + 1) * 0.1, name);
        }
        solver.evaluations()
    };
    for (name, solver) in Any::all(&options(1e-4)) {
        let anew = evaluations(Keep::Nothing, name, solver.clone());
        let kept = evaluations(Keep::StepSize, name, solver);
        println!("{name}: {kept} evaluations with the old step, {anew} without");
        assert!(kept <= anew + anew / 4, "{name}: {kept} and not {anew}");
    }
}

/// A model whose f is known only where its states are physical.
struct Tank {
    is_filled: bool,
}

impl Problem for Tank {
    type Error = &'static str;

    fn derivatives(&mut self, _t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), &'static str> {
        if 100.0 < x[0].abs() {
            return Err("a level of a hundred");
        }
        (dx[0], dx[1]) = (if self.is_filled { 1e3 * (1.0 - x[0]) } else { 0.0 }, 0.0);
        Ok(())
    }
}

#[test]
fn a_first_step_does_not_ask_for_states_far_from_where_it_is() {
    for (name, mut solver) in Any::all(&options(1e-6)) {
        solver.restart(0.0, &[0.0, 0.0], Keep::Nothing);
        for (from, limit) in [(0.0, 1e6), (1e6, 1e6 + 1.0)] {
            let mut tank = Tank { is_filled: 0.0 < from };
            solver.restart(from, &[0.0, 0.0], Keep::StepSize);
            loop {
                let step = match &mut solver {
                    Any::Multistep(solver) => solver.step(&mut tank, limit),
                    Any::RungeKutta(solver) => solver.step(&mut tank, limit),
                };
                let step = step.unwrap_or_else(|failure| panic!("{name}: {failure}"));
                if limit <= step.to {
                    break;
                }
            }
        }
        assert!((solver.states()[0] - 1.0).abs() < 1e-4, "{name}");
    }
}
