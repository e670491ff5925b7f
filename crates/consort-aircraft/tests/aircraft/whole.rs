//! The whole example, coupled by hand: at every tag all wires are copied until nothing changes any
//! more. There is no algebraic loop, so this ends after as many rounds as the longest chain has links.

use super::{example_folder, system_file};
use crate::harness::{Bench, load_in, render_all};
use consort_core::{Reference, Report, ValuesMut, ValuesRef};
use std::collections::BTreeMap;

/// The most rounds: the number of wires of the longest chain, and one that changes nothing.
const ROUNDS_MAX: usize = 10;

struct Whole {
    names: Vec<String>,
    components: Vec<Bench>,
    wires: Vec<Wire>,
}

/// A variable of a component.
type End = (usize, Reference);

#[derive(Clone, Copy)]
struct Wire {
    from: End,
    to: End,
    /// It ends at the throttle of the engine that fails.
    fails: bool,
}

/// `a = [1, 2], b = 3` as lines.
fn as_lines(inline: &str) -> String {
    let mut depth = 0;
    let separate = |c: char| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        if c == ',' && depth == 0 { '\n' } else { c }
    };
    inline.chars().map(separate).collect()
}

fn quoted(line: &str) -> Vec<String> {
    line.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

impl Whole {
    fn of(file: &str) -> Self {
        let lines = system_file(file);
        let mut described: BTreeMap<String, (String, String)> = BTreeMap::new();
        let (mut wires, mut from, mut section) = (Vec::new(), String::new(), String::new());
        for line in lines {
            if let Some(name) = line.strip_prefix('[') {
                section = name.trim_end_matches(']').to_owned();
            } else if let Some(path) = section.strip_prefix("components.") {
                let component = path.trim_end_matches(".parameters").to_owned();
                let (model, parameters) = described.entry(component).or_default();
                if let Some(inline) = line.strip_prefix("parameters = {") {
                    *parameters += &as_lines(inline.trim_end_matches('}'));
                } else if path.ends_with(".parameters") {
                    *parameters += &format!("{line}\n");
                } else if let Some(name) = line.strip_prefix("model = ") {
                    *model = name.trim_matches('"').to_owned();
                }
            } else if line.starts_with("from = ") {
                from = quoted(&line).remove(0);
            } else if line.starts_with("to = ") {
                wires.extend(quoted(&line).into_iter().map(|to| [from.clone(), to]));
            }
        }
        described.remove("display"); // feeds no other, and has its own step
        wires.retain(|[_, to]: &[String; 2]| !to.starts_with("display."));
        let names: Vec<String> = described.keys().cloned().collect();
        let components: Vec<Bench> =
            described.values().map(|(model, given)| make(model, given)).collect();
        let end = |path: &str| -> End {
            let (component, variable) = path.split_once('.').unwrap();
            let index = names.iter().position(|name| name == component).unwrap();
            (index, components[index].reference(variable))
        };
        let wire =
            |[from, to]: &[String; 2]| Wire { from: end(from), to: end(to), fails: to == FAILING };
        Whole { wires: wires.iter().map(wire).collect(), names, components }
    }

    fn get(&mut self, component: &str, variable: &str) -> f64 {
        let index = self.names.iter().position(|name| name == component).unwrap();
        self.components[index].get(variable)
    }

    fn read(&mut self, (component, reference): End) -> f64 {
        let mut place = [f64::NAN];
        let place_of = ValuesMut::Float64(&mut place);
        self.components[component].instance.get(&[reference], place_of).unwrap();
        place[0]
    }

    /// Copies all wires until they agree.
    fn settle(&mut self, time: f64) {
        for round in 0.. {
            assert!(round < ROUNDS_MAX, "there is an algebraic loop");
            let mut is_settled = true;
            for index in 0..self.wires.len() {
                let Wire { from, to, fails } = self.wires[index];
                let value = if fails && 60.0 <= time { 0.0 } else { self.read(from) };
                if value.to_bits() != self.read(to).to_bits() {
                    is_settled = false;
                    let (component, reference) = to;
                    let instance = &mut self.components[component].instance;
                    instance.set(&[reference], ValuesRef::Float64(&[value])).unwrap();
                }
            }
            if is_settled {
                return;
            }
        }
    }

    fn start(&mut self) {
        for bench in &mut self.components {
            bench.instance.enter_initialization(&bench.setup()).unwrap();
        }
        self.settle(0.0);
        for bench in &mut self.components {
            bench.instance.exit_initialization().unwrap();
        }
    }

    fn step(&mut self) {
        self.components.iter_mut().for_each(Bench::step);
    }
}

fn make(model: &str, parameters: &str) -> Bench {
    let mut report = Report::default();
    let name = model.strip_prefix("native:").unwrap();
    let loaded = load_in(&example_folder(), name, parameters, &mut report);
    Bench::of(&loaded.unwrap_or_else(|| panic!("{}", render_all(&report))), "0.01", 1)
}

const FAILING: &str = "right.throttle";

/// What the run of the example ends with, to the bit; `acceptance/aircraft.rs` of the command line
/// has the same numbers.
const LAST: [(&str, &str, f64); 4] = [
    ("flight", "altitude", 2_435.624_068_923_074_4),
    ("flight", "load_factor", 1.001_826_950_350_911),
    ("sensors", "true_airspeed", 81.785_240_993_162_93),
    ("left", "thrust", 1_527.589_131_235_756_4),
];

/// What is looked at in flight.
const SEEN: [&str; 6] = ["altitude", "airspeed", "roll", "pitch", "heading", "load_factor"];

#[test]
fn the_example_flies_trimmed_then_its_maneuvers() {
    let mut whole = Whole::of("system.toml");
    whole.start();
    let start = SEEN.map(|name| whole.get("flight", name));
    let mut turned = [0.0_f64; 2];
    let (mut highest, mut lowest) = (f64::MIN, f64::MAX);
    for n in 0..10_000 {
        let time = f64::from(n) * 0.01;
        whole.settle(time);
        let seen = SEEN.map(|name| whole.get("flight", name));
        if n % 250 == 0 {
            println!(
                "{time:6.2} {seen:8.3?} surfaces {:.4} {:.4} {:.4} thrust {:.0} {:.0}",
                whole.get("elevator", "y"),
                whole.get("aileron", "y"),
                whole.get("rudder", "y"),
                whole.get("left", "thrust"),
                whole.get("right", "thrust"),
            );
        }
        if time < 5.0 {
            for (name, (now, start)) in SEEN.iter().zip(seen.iter().zip(start)) {
                assert!((now - start).abs() < 1e-5, "{name} at {time}: {now} {start}");
            }
        }
        if (5.0..15.0).contains(&time) {
            (highest, lowest) = (highest.max(seen[5]), lowest.min(seen[5]));
        }
        if n == 3000 {
            turned = [seen[2], seen[5]];
        }
        whole.step();
    }
    whole.settle(100.0);
    let last = LAST.map(|(component, variable, _)| whole.get(component, variable));
    assert_eq!(last, LAST.map(|(_, _, value)| value));
    assert!(1.3 < highest && lowest < 0.7, "the doublet is felt: {lowest} to {highest}");
    assert!((turned[0] - 0.5).abs() < 0.01, "the turn is flown at {} rad", turned[0]);
    let needed = 1.0 / libm::cos(turned[0]);
    assert!((turned[1] - needed).abs() < 0.02, "level turn: {} and {needed}", turned[1]);
    assert!((whole.get("flight", "altitude") - start[0]).abs() < 30.0, "altitude is held");
    assert!(whole.get("flight", "airspeed") < start[1] - 5.0, "one engine is slower than two");
    assert!(whole.get("right", "thrust") < 1.0);
}
