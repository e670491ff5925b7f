//! The equations of each block, as text.

use super::{has_numbers_only, shape};
use crate::native::aircraft::atmosphere;
use crate::native::table;
use crate::request::ModelRequest;
use consort_core::{ModelDescription, Report, Values, Variable};
use consort_equations::tree::EquationModel;
use std::fmt::Write as _;

/// What there is of a block.
pub(super) enum Body {
    /// Its equations.
    Text(String),
    /// Its equations, whose names no text could have.
    Tree(Box<EquationModel>),
    /// None, because.
    Refused(&'static str),
}

/// Keeps a value between two others; not-a-number stays what it is.
const LIMIT: &str = "function limit(value, low, high) = \
                     if value < low then low elseif high < value then high else value\n";

/// The equations of a block; `None`, with diagnostics, if they could not be found.
pub(super) fn body(
    name: &str,
    request: &ModelRequest<'_>,
    block: &ModelDescription,
    report: &mut Report,
) -> Option<Body> {
    if !has_numbers_only(block) {
        return Some(Body::Refused("it has values that are no numbers"));
    }
    let text = match name {
        "actuator" => include_str!("actuator.eq").to_owned(),
        "aircraft-sensors" => include_str!("sensors.eq").to_owned(),
        "atmosphere" => atmosphere(),
        "constant" => elementwise(block, "y[i] = value[i]"),
        "flight-controller" => include_str!("controller.eq").to_owned(),
        "flight-dynamics" => include_str!("flight_dynamics.eq").to_owned(),
        "gain" => elementwise(block, "y[i] = k*u[i]"),
        "geocentric" => include_str!("geocentric.eq").to_owned(),
        "integrator" => LIMIT.to_owned() + &elementwise(block, INTEGRATOR),
        "pid" => include_str!("pid.eq").to_owned(),
        "piston-engine" => include_str!("engine.eq").to_owned(),
        "pulse" => PULSE.to_owned(),
        "ramp" => RAMP.to_owned(),
        "saturation" => LIMIT.to_owned() + &elementwise(block, "y[i] = limit(u[i], min_, max_)"),
        "sine" => SINE.to_owned(),
        "state-space" => state_space(block),
        "step" => "y = if step_time <= time then after_ else before".to_owned(),
        "sum" => sum(block),
        "table" => return table::equations(request, report).map(|it| Body::Tree(Box::new(it))),
        "noise" => return Some(Body::Refused("its values are drawn step by step from a seed")),
        "unit-delay" => return Some(Body::Refused("a step is what it delays by")),
        _ => return Some(Body::Refused("it has none yet")),
    };
    Some(Body::Text(text))
}

/// It rests at a limit until the input leads away from it.
const INTEGRATOR: &str = "state y[i] = limit(x0[i], min_, max_)\n\
    der(y[i]) = if max_ <= y[i] and 0 < u[i] or y[i] <= min_ and u[i] < 0 then 0 else u[i]\n\
    when max_ < y[i] then\n  y[i] = max_\nend\n\
    when y[i] < min_ then\n  y[i] = min_\nend";

/// Rises are counted, so that they neither drift nor jitter.
const PULSE: &str = "discrete count = max(0, floor((time - delay_)/period) + 1)\n\
    y = if 0 < count and time < delay_ + (count - 1 + duty)*period then high else low\n\
    when delay_ + count*period <= time then\n  count = count + 1\nend";

const RAMP: &str = "y = if time <= start then from elseif start + duration <= time then to \
                    else from + (to - from)*((time - start)/duration)";

/// Whole cycles are dropped before the rounding of 2 pi can grow with them.
const SINE: &str = "variable cycles = frequency*time\n\
    y = offset + amplitude*sin(2*pi*(cycles - floor(cycles)) + phase)";

/// The text once for each element of `y`: `[i]` becomes its index, or nothing for a scalar.
fn elementwise(block: &ModelDescription, text: &str) -> String {
    let Some(y) = variable(block, "y") else { return String::new() };
    let shape = shape(y);
    if shape.is_empty() {
        return text.replace("[i]", "");
    }
    let texts = super::element_names(y).into_iter().map(|name| {
        let index = name.trim_start_matches('y');
        text.replace("[i]", index) + "\n"
    });
    texts.collect()
}

/// From the left, starting with the first term.
fn sum(block: &ModelDescription) -> String {
    let signs = match variable(block, "signs").and_then(|it| it.start.as_ref()) {
        Some(Values::String(list)) => list.concat(),
        _ => String::new(),
    };
    let mut text = "y = ".to_owned();
    for (index, sign) in signs.chars().enumerate() {
        let sign = if index == 0 && sign == '+' { "" } else { &sign.to_string() };
        let _ = write!(text, "{sign}u{} ", index + 1);
    }
    text
}

/// Each layer of the standard atmosphere, then wind.
fn atmosphere() -> String {
    let mut text = "variable full = 6356766*altitude/(6356766 + altitude)\n\
        variable h = if 84852 < full then 84852 else full\n"
        .to_owned();
    let layers = atmosphere::layers();
    let mut temperature = "temperature = ".to_owned();
    let mut pressure = "pressure = ".to_owned();
    for (at, layer) in layers.iter().enumerate() {
        let (slope, start, base) = (layer.slope, layer.temperature, layer.base);
        let here = format!("({start:?} + ({slope:?})*(h - {base:?}))");
        let ratio = match slope == 0.0 {
            true => format!("exp(-exponent*(h - {base:?})/{start:?})"),
            false => format!("power({here}/{start:?}, -exponent/({slope:?}))"),
        };
        let condition = match layers.get(at + 1) {
            Some(next) => format!("if h < {:?} then ", next.base),
            None => String::new(),
        };
        let ending = if at + 1 < layers.len() { " else " } else { "\n" };
        temperature += &format!("{condition}{here}{ending}");
        pressure += &format!("{condition}{:?}*{ratio}{ending}", layer.pressure);
    }
    text += "variable gas = 8314.32/28.9644\nvariable exponent = 9.80665/gas\n";
    text + &temperature + &pressure + include_str!("atmosphere.eq")
}

/// Zeros are left out: what nothing follows is no dependency.
fn state_space(block: &ModelDescription) -> String {
    let [a, b, c, d] = ["A", "B", "C", "D"].map(|name| Matrix::of(block, name));
    let are_scalars = variable(block, "u1").is_some() || variable(block, "y1").is_some();
    let port = |letter: &str, at: usize| match are_scalars {
        true => format!("{letter}{}", at + 1),
        false => format!("{letter}[{}]", at + 1),
    };
    let state = |at: usize| format!("x[{}]", at + 1);
    let input = |at: usize| port("u", at);
    let mut text = String::new();
    for row in 0..a.rows {
        let at = row + 1;
        let sum = a.row(row, &state) + &b.row(row, &input);
        let _ = writeln!(text, "state x[{at}] = x0[{at}]\nder(x[{at}]) = 0{sum}");
    }
    for row in 0..c.rows {
        let sum = c.row(row, &state) + &d.row(row, &input);
        let _ = writeln!(text, "{} = 0{sum}", port("y", row));
    }
    text
}

/// A parameter with rows and columns; one that the block does not have has none.
struct Matrix<'a> {
    rows: usize,
    elements: &'a [f64],
}

impl<'a> Matrix<'a> {
    fn of(block: &'a ModelDescription, name: &str) -> Self {
        let found = variable(block, name);
        match found.and_then(|it| Some((shape(it), it.start.as_ref()?))) {
            Some((shape, Values::Float64(elements))) => Matrix { rows: shape[0], elements },
            _ => Matrix { rows: 0, elements: &[] },
        }
    }

    /// ` + (2.0)*x[1] + ...`
    fn row(&self, row: usize, name: &dyn Fn(usize) -> String) -> String {
        let columns = self.elements.len().checked_div(self.rows).unwrap_or(0);
        let start = (row * columns).min(self.elements.len());
        let elements = self.elements[start..].iter().take(columns).enumerate();
        let terms = elements.filter(|(_, it)| **it != 0.0);
        terms.map(|(column, it)| format!(" + ({it:?})*{}", name(column))).collect()
    }
}

fn variable<'a>(block: &'a ModelDescription, name: &str) -> Option<&'a Variable> {
    block.variables.iter().find(|variable| variable.name == name)
}
