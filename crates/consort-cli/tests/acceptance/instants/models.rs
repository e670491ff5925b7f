//! The models and their closed forms.

use super::{Case, Outputs};

/// A step of height one.
fn from(instant: f64, t: f64) -> f64 {
    f64::from(u8::from(instant <= t))
}

/// How many instants there are until `t` that are sums of `step`, rounded each time.
fn count(step: f64, t: f64) -> f64 {
    let (mut next, mut count) = (step, 0.0);
    while next <= t {
        next += step;
        count += 1.0;
    }
    count
}

/// The last of them; zero if there is none.
fn last_of(step: f64, t: f64) -> f64 {
    let (mut next, mut last) = (step, 0.0);
    while next <= t {
        last = next;
        next += step;
    }
    last
}

/// The same bits wherever they are computed.
const fn exact(body: &'static str, outputs: Outputs) -> Case {
    Case { body, tolerance: 0.0, outputs }
}

/// As near as a solver comes.
const fn near(body: &'static str, outputs: Outputs) -> Case {
    Case { body, tolerance: 1e-6, outputs }
}

pub(super) const MODELS: &[Case] = &[
    // Time as a value.
    exact(
        "output discrete last = -1\nwhen time >= 1 then\nlast = time\nend",
        &[("last", |t| if t < 1.0 { -1.0 } else { 1.0 })],
    ),
    exact(
        "output up = ceil(time/0.5)\noutput down = floor(time/0.5)\ndiscrete n = 0\nwhen time >= 0.5 then\nn = 1\nend",
        &[("up", |t| t / 0.5), ("down", |t| t / 0.5)],
    ),
    exact(
        "output discrete up = 0\noutput discrete down = 0\nwhen time >= 0.5 then\nup = ceil(time/0.5)\n\
         down = floor(time/0.5)\nend",
        &[("up", |t| from(0.5, t)), ("down", |t| from(0.5, t))],
    ),
    exact(
        "output saw = rem(time, 1)\noutput whole = quotient(time, 1)\ndiscrete n = 0\nwhen time >= 1 then\nn = 1\nend",
        &[("saw", |t| t % 1.0), ("whole", |t| t.trunc())],
    ),
    // Comparisons in outputs at the instant.
    exact("output y = if time >= 1 then 1 else 0", &[("y", |t| from(1.0, t))]),
    exact("output y = if time > 1 then 1 else 0", &[("y", |t| from(1.25, t))]),
    exact("output y = if time < 1 then 1 else 0", &[("y", |t| 1.0 - from(1.0, t))]),
    exact("output y = if time <= 1 then 1 else 0", &[("y", |t| 1.0 - from(1.25, t))]),
    exact("output y = if 1 >= time then 1 else 0", &[("y", |t| 1.0 - from(1.25, t))]),
    exact(
        "output y = if time == 1 then 1 else 0\noutput z = if time != 1 then 1 else 0",
        &[("y", |t| from(1.0, t) - from(1.25, t)), ("z", |t| 1.0 - from(1.0, t) + from(1.25, t))],
    ),
    exact(
        "output y = if time >= 0.5 and time <= 1 then 1 else 0",
        &[("y", |t| from(0.5, t) - from(1.25, t))],
    ),
    // Events by comparison, and in which microstep. Values are those of the instant of firing.
    exact(
        "output discrete n = 0\noutput discrete last = 0\nwhen time > 1 then\nn = n + 1\nlast = time\nend",
        &[("n", |t| from(1.0, t)), ("last", |t| from(1.0, t))],
    ),
    exact(
        "output discrete n = 0\noutput discrete last = 0\nwhen time == 1.5 then\nn = n + 1\nlast = time\nend",
        &[("n", |t| from(1.5, t)), ("last", |t| 1.5 * from(1.5, t))],
    ),
    exact("output discrete n = 0\nwhen time != 1 then\nn = n + 1\nend", &[("n", |t| from(1.0, t))]),
    exact(
        "output discrete order = 0\nwhen time > 1 priority 9 then\norder = 10*order + 2\nend\n\
         when time >= 1 priority 1 then\norder = 10*order + 1\nend",
        &[("order", |t| 12.0 * from(1.0, t))],
    ),
    exact(
        "output discrete order = 0\nwhen not (time <= 1) then\norder = 10*order + 2\nend\n\
         when not (time < 1) then\norder = 10*order + 1\nend",
        &[("order", |t| 12.0 * from(1.0, t))],
    ),
    exact(
        "discrete a = 0\noutput discrete b = 0\nwhen time == 1 then\na = 5\nend\nwhen time > 1 then\nb = a\nend",
        &[("b", |t| 5.0 * from(1.0, t))],
    ),
    exact(
        "output discrete order = 0\nwhen time >= 0.5 priority 1 then\norder = 10*order + 1\nend\n\
         when time >= 0.5 priority 2 then\norder = 10*order + 2\nend",
        &[("order", |t| from(0.5, t))],
    ),
    exact(
        "output discrete n = 0\noutput discrete m = 0\nwhen time >= 0 then\nn = n + 1\nend\nwhen time > 0 then\nm = m + 1\nend",
        &[("n", |_| 0.0), ("m", |_| 1.0)],
    ),
    // Instants that are no short binary fractions.
    exact(
        "output discrete last = 0\nwhen time >= 0.1*3 then\nlast = time\nend",
        &[("last", |t| (0.1 * 3.0) * from(0.1 * 3.0, t))],
    ),
    exact(
        "output discrete last = 0\nwhen time > 1/3 then\nlast = time\nend",
        &[("last", |t| (1.0 / 3.0) * from(1.0 / 3.0, t))],
    ),
    exact(
        "output discrete last = 0\nwhen time == sqrt(2) then\nlast = time\nend",
        &[("last", |t| std::f64::consts::SQRT_2 * from(std::f64::consts::SQRT_2, t))],
    ),
    // Again and again.
    exact(
        "output discrete n = 0\noutput discrete last = 0\ndiscrete next = 0.25\nwhen time >= next then\nn = n + 1\n\
         last = time\nnext = next + 0.25\nend",
        &[("n", |t| 4.0 * t), ("last", |t| t)],
    ),
    exact(
        "output discrete n = 0\noutput discrete last = 0\ndiscrete next = 0.3\nwhen time >= next then\nn = n + 1\n\
         last = time\nnext = next + 0.3\nend",
        &[("n", |t| count(0.3, t)), ("last", |t| last_of(0.3, t))],
    ),
    exact(
        "output discrete n = 0\noutput discrete last = 0\ndiscrete next = 1/7\nwhen time == next then\nn = n + 1\n\
         last = time\nnext = next + 1/7\nend",
        &[("n", |t| count(1.0 / 7.0, t)), ("last", |t| last_of(1.0 / 7.0, t))],
    ),
    exact(
        "output discrete phase = 0\ndiscrete next = 0.5\nwhen time >= next then\nphase = 1 - phase\nnext = next + 0.5\nend",
        &[("phase", |t| (2.0 * t) % 2.0)],
    ),
    near(
        "output discrete n = 0\ndiscrete last = 0\nwhen time - last >= 0.35 then\nn = n + 1\nlast = time\nend",
        &[("n", |t| (t / 0.35).floor())],
    ),
    // Events that bring about others, and those that come late.
    exact(
        "discrete a = 0\noutput discrete b = 0\noutput discrete c = 0\nwhen time >= 1 then\na = 1\nend\n\
         when a > 0.5 then\nb = time\nend\nwhen b > 0.5 then\nc = b + time\nend",
        &[("b", |t| from(1.0, t)), ("c", |t| 2.0 * from(1.0, t))],
    ),
    exact(
        "output discrete seen = 0\noutput discrete n = 0\nwhen time > 0.5 after 0.5 then\nseen = time\nn = n + 1\nend",
        &[("seen", |t| 0.5 * from(1.0, t)), ("n", |t| from(1.0, t))],
    ),
    // What is integrated.
    near("output state x = 0\nder(x) = if time <= 1 then 1 else 0", &[("x", |t| t.min(1.0))]),
    near(
        "output state x = 0\nder(x) = if time > 0.75 then 2*time else 0",
        &[("x", |t| (t * t - 0.75 * 0.75).max(0.0))],
    ),
    near(
        "output state x = 0\nder(x) = 1\nwhen time >= 1 then\nx = 0\nend",
        &[("x", |t| if t < 1.0 { t } else { t - 1.0 })],
    ),
    near(
        "output state x = 0\nder(x) = 1\nwhen time == 0.5 then\nx = 10*time\nend",
        &[("x", |t| if t < 0.5 { t } else { t + 4.5 })],
    ),
    near(
        "output state x = 0\nder(x) = 0\nwhen time > 0.1*3 then\nx = time\nend",
        &[("x", |t| 0.1 * 3.0 * from(0.4, t))],
    ),
    // Events of states.
    near(
        "state x = 0\noutput discrete last = 0\noutput discrete n = 0\nder(x) = 1\nwhen x >= 0.75 then\nlast = time\n\
         n = n + 1\nend",
        &[("last", |t| 0.75 * from(0.75, t)), ("n", |t| from(0.75, t))],
    ),
    near(
        "state x = 0\noutput discrete last = 0\nder(x) = 2*time\nwhen x > 0.5 then\nlast = time\nend",
        &[("last", |t| 0.5_f64.sqrt() * from(0.6, t))],
    ),
    near(
        "state x = 1\noutput discrete last = 0\noutput y = if x < 0.5 then 1 else 0\nder(x) = -x\nwhen x < 0.5 then\n\
         last = time\nend",
        &[("last", |t| std::f64::consts::LN_2 * from(0.6, t)), ("y", |t| from(0.6, t))],
    ),
    near(
        "state x = 0\noutput discrete n = 0\nder(x) = 1\nwhen 2*time + x >= 2.25 then\nn = n + 1\nend",
        &[("n", |t| from(0.75, t))],
    ),
    // What was.
    near(
        "variable s = if time >= 0.5 then 1 else 0\noutput y = delay(s, 0.5)\noutput state x = 0\nder(x) = y",
        &[("y", |t| from(1.0, t)), ("x", |t| (t - 1.0).max(0.0))],
    ),
    near(
        "variable s = if time > 1/3 then 1 else 0\noutput state x = 0\nder(x) = delay(s, 1/3)",
        &[("x", |t| (t - 2.0 / 3.0).max(0.0))],
    ),
];
