//! `if` in equations: the solver stops where it switches.

use crate::bench::{Bench, Settings, assert_near};
use consort_core::Prng;
use consort_solve::integrate::SolverKind;

const KINDS: [SolverKind; 3] = [SolverKind::Bdf, SolverKind::Adams, SolverKind::DormandPrince5];

#[test]
fn a_slope_changes_where_the_condition_does() {
    let text = "model m\noutput state x = 0\nder(x) = if x < 1 then 2 else 1\nend";
    for kind in KINDS {
        let settings = Settings { kind, step: 1_000_000_000, ..Settings::default() };
        let mut bench = Bench::with(text, settings);
        bench.run_to(3.0);
        assert_near(bench.get("x"), 1.0 + 2.5, 1e-7, kind.name());
    }
}

/// A block on a belt that moves with speed one: friction pulls it along until it has that speed, then
/// the spring stretches until friction cannot hold it.
const STICK_SLIP: &str = "model stick_slip\nparameter mu = 2\noutput state x = 0\noutput state v = 0\n\
    discrete sticks = 0\nvariable force = if sticks > 0.5 then 0 else mu - x\n\
    der(x) = v\nder(v) = force\n\
    when v > 1 and sticks < 0.5 then\n  v = 1\n  sticks = 1\nend\n\
    when x > mu and sticks > 0.5 then\n  sticks = 0\nend\nend";

#[test]
fn friction_holds_and_lets_go() {
    // v' = mu - x from rest: v = mu sin t reaches one at asin(1/mu), x there is mu(1 - cos t).
    let t = 0.5_f64.asin();
    let x = 2.0 * (1.0 - t.cos());
    for kind in KINDS {
        let settings = Settings { kind, tolerance: 1e-10, step: 1_000_000 };
        let mut bench = Bench::with(STICK_SLIP, settings);
        bench.run_to(0.6);
        assert_near(bench.get("v"), 1.0, 1e-9, kind.name());
        assert_near(bench.get("x"), x + (bench.time() - t), 1e-7, kind.name());
        // It lets go at x = mu, and v = cos of what is left.
        let go = t + 2.0 - x;
        bench.run_to(go + 0.5);
        assert_near(bench.get("v"), (bench.time() - go).cos(), 1e-6, kind.name());
    }
}

#[test]
fn a_thermostat_switches_between_its_bounds() {
    // Warms towards 30 and cools towards 10 with time constant one; switches at 18 and 22.
    let text = "model thermostat\noutput state T = 18\ndiscrete on = 1\n\
                der(T) = (if on > 0.5 then 30 else 10) - T\n\
                when T > 22 then\n  on = 0\nend\nwhen T < 18 then\n  on = 1\nend\nend";
    let (warm, cool) = (1.5_f64.ln(), 1.5_f64.ln());
    let settings = Settings { tolerance: 1e-10, ..Settings::default() };
    let mut bench = Bench::with(text, settings);
    while bench.time() < 10.0 {
        bench.step();
        let phase = bench.time() % (warm + cool);
        let expected = match phase < warm {
            true => 30.0 - 12.0 * (-phase).exp(),
            false => 10.0 + 12.0 * (warm - phase).exp(),
        };
        assert_near(bench.get("T"), expected, 1e-6, &format!("at {}", bench.time()));
    }
}

#[test]
fn an_input_that_jumps_switches_at_once() {
    let text = "model m\ninput u = 0\ndiscrete n = 0\nstate x = 0\nder(x) = if u > 0.5 then 1 else 0\n\
                when u > 0.5 then\n  n = n + 1\nend\nend";
    let mut bench = Bench::new(text);
    for round in 1..=3 {
        bench.set("u", 1.0);
        bench.run_to(f64::from(round) - 0.5);
        bench.set("u", 0.0);
        bench.run_to(f64::from(round));
        assert_eq!(bench.get("n"), f64::from(round));
    }
    assert_near(bench.get("x"), 1.5, 1e-9, "half of the time");
}

#[test]
fn a_switch_that_nothing_gets_past_is_an_error_and_no_endless_run() {
    let text = "model m\noutput state x = 0.35\nder(x) = if x > 0 then -1 else 1\nend";
    for (kind, tolerance) in [(SolverKind::Bdf, 1e-6), (SolverKind::DormandPrince5, 1e-8)] {
        let settings = Settings { kind, tolerance, step: 100_000_000 };
        let mut bench = Bench::with(text, settings);
        let failed = (0..10).find_map(|_| bench.try_step().err()).expect("it creeps").to_string();
        assert!(failed.contains("without end"), "{failed}");
    }
}

/// Two that go the same way, each by equations of its own, until one of them goes elsewhere at `stays`: how far
/// they are apart is but noise till then.
fn alike(prng: &mut Prng) -> String {
    let mut pick = |list: &[&'static str]| list[prng.below(list.len() as u64) as usize];
    let (s, w) = (pick(&["1e-9", "1e-3", "1", "7", "1e5", "1e9"]), pick(&["0.1", "1", "3", "50"]));
    let (k, gain) = (pick(&["0", "0.1", "2"]), pick(&["1", "0.001", "1000", "1e6"]));
    let (stays, op) = (pick(&["1", "1.7", "2", "2"]), pick(&["<", ">", "<=", ">="]));
    let other = pick(&["", "when sin(7*time) > 0 then\n  m = m + 1\nend\n"]);
    format!(
        "model m\nparameter s = {s}\noutput state a = 10*s\nstate u = 0\noutput state b = 20*s\nstate v = 0\n\
         discrete n = 0\ndiscrete m = 0\nder(a) = u\nder(u) = -s*cos({w}*time) - {k}*(u + 0.1*a)\nder(b) = v\n\
         der(v) = (if time < {stays} then -s*cos(time*{w}) else 0) - {k}*v - {k}*(0.1*b - s)\n{other}\
         when {gain}*(b - a) {op} {gain}*10*s then\n  n = n + 1\nend\nend"
    )
}

#[test]
fn a_condition_that_only_rounding_moves_is_no_endless_run() {
    let seed = 7;
    let mut prng = Prng::new(seed);
    for round in 0..60 {
        let text = alike(&mut prng);
        let kind = KINDS[round % KINDS.len()];
        let tolerance = if round % 2 == 0 { 1e-6 } else { 1e-10 };
        let settings = Settings { kind, tolerance, step: 500_000_000 };
        let mut bench = Bench::with(&text, settings);
        bench.run_to(1.0);
        let mut other = Bench::with(&text, settings);
        other.load(&bench.bytes(), bench.ticks());
        bench.run_to(2.0);
        other.run_to(2.0);
        let what = format!("seed {seed}, round {round}, {}\n{text}", kind.name());
        let count = bench.get("n");
        assert!(count < 200.0, "{count} events: {what}");
        assert!(bench.bytes() == other.bytes(), "behaves differently once saved: {what}");
    }
}

#[test]
fn two_that_part_are_distinguished_where_they_do() {
    for stays in ["0.03875438728739462", "0.1", "0.3"] {
        let text = format!(
            "model m\noutput state a = 10\nstate u = 0\noutput state b = 20\nstate v = 0\n\
             discrete n = 0\nder(a) = u\nder(u) = -1\nder(b) = v\n\
             der(v) = if time < {stays} then -1 else 0\n\
             when b - a > 10.125 then\n  n = time\nend\nwhen b - a > 10 then\n  u = u\nend\nend"
        );
        let kind = SolverKind::DormandPrince5;
        let mut bench = Bench::with(&text, Settings { kind, tolerance: 1e-6, step: 500_000_000 });
        bench.run_to(2.0);
        let at: f64 = stays.parse().expect("a number");
        assert_near(bench.get("a"), 8.0, 1e-9, stays);
        assert_near(bench.get("b"), 20.0 - 2.0 * at + 0.5 * at * at, 1e-9, stays);
        assert_near(bench.get("n"), at + 0.5, 1e-9, stays);
    }
}

#[test]
fn a_condition_that_changes_without_end_is_an_error_that_names_it() {
    let text = "model m\noutput state x = 0\ndiscrete n = 0\nder(x) = 1\n\
                when x > 3 then\n  n = 0\nend\nwhen sin(1e17*x) > 0 then\n  n = n + 1\nend\n\
                when sin(1e17*x) < 0 then\n  n = n - 1\nend\nend";
    let kind = SolverKind::DormandPrince5;
    let mut bench = Bench::with(text, Settings { kind, tolerance: 1e-6, step: 500_000_000 });
    let failed = bench.try_step().expect_err("it changes at every instant").to_string();
    let names =
        |event| failed.contains(&format!("the condition of event {event} of the model changes"));
    assert!(names(2) || names(3), "{failed}");
}
