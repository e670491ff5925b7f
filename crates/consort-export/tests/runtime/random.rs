//! Models made from seeds: their FMUs give the bits they give in Rust.

use crate::bench::{Bench, Form, VERSIONS, compiled_with};
use consort_core::Prng;
use consort_solve::integrate::SolverKind;

const SEEDS: u64 = 6;
const STEPS: usize = 80;

/// Writes expressions over the names of a model, with operations that are exact.
struct Author(Prng);

impl Author {
    fn below(&mut self, count: usize) -> usize {
        (self.0.next_u64() % count as u64) as usize
    }

    fn pick(&mut self, from: &[&str]) -> String {
        from[self.below(from.len())].to_owned()
    }

    fn number(&mut self) -> String {
        format!("{}", self.below(64) as f64 / 16.0 - 1.5).replace('-', "0 - ")
    }

    fn leaf(&mut self) -> String {
        match self.below(4) {
            0 => format!("({})", self.number()),
            1 => "delay(x, 0.375)".to_owned(),
            _ => self.pick(&["a", "b", "u", "x", "y", "z", "n", "m", "time"]),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let [first, second] = [self.expression(depth - 1), self.expression(depth - 1)];
        match self.below(9) {
            0 | 1 => format!("({first} + {second})"),
            2 => format!("({first} - {second})"),
            3 | 4 => format!("({first} * {second})"),
            5 => format!("({first} / (1 + ({second})^2))"),
            6 => format!("min({first}, {second})"),
            7 => format!("sqrt(abs({first}))"),
            _ => format!("(if n < {second} then {first} else {second})"),
        }
    }

    fn event(&mut self) -> String {
        let state = self.pick(&["x", "y", "z"]);
        let comparison = self.pick(&["<", "<=", ">", ">="]);
        let bound = self.number();
        let timed = self.below(3) == 0;
        let condition = match timed {
            true => format!("time {comparison} 0.3*n + 0.17"),
            false => format!("{state} {comparison} {bound}"),
        };
        let delay = ["", " after 0.11", " after abs(x)/8"][self.below(3)];
        let priority = ["", " priority 3", " priority n + m"][self.below(3)];
        let value = self.expression(1);
        format!(
            "  when {condition}{delay}{priority} then\n    m = max(0 - 4, min(4, {value}))\n    n = n + 1\n    \
             {state} = {state}/2\n  end\n"
        )
    }

    fn model(&mut self) -> String {
        let mut text = "model random\n  parameter a = 0.75\n  parameter b = a/3\n  input u = 0\n  \
                        discrete n = 0\n  discrete m = 1\n"
            .to_owned();
        for (state, start) in [("x", "1"), ("y", "a + b"), ("z", "0.5")] {
            let drive = self.expression(2);
            text += &format!("  state {state} = {start}\n");
            text += &format!("  der({state}) = max(0 - 2, min(2, {drive})) - {state}\n");
        }
        text += &format!("  output w = {}\n", self.expression(3));
        for _ in 0..4 {
            text += &self.event();
        }
        text + "end"
    }
}

#[test]
fn random_models_give_the_same_bits() {
    let kind = SolverKind::Bdf;
    for seed in 1..=SEEDS {
        let mut author = Author(Prng::new(seed));
        let text = author.model();
        let equations = compiled_with(&text, |model| {
            for event in &mut model.events {
                (event.persistent, event.initially) = (author.below(2) == 0, author.below(3) != 0);
                event.values_from_trigger = author.below(2) == 0;
            }
        });
        let version = VERSIONS[(seed % 2) as usize];
        let mut ours = Bench::new(&equations, Form::Rust(kind), 25_000_000, 1e-6);
        let mut theirs = Bench::new(&equations, Form::Exchange(version, kind), 25_000_000, 1e-6);
        for n in 0..STEPS {
            assert_eq!(
                ours.all(&equations),
                theirs.all(&equations),
                "seed {seed}, step {n} of\n{text}"
            );
            let u = author.below(16) as f64 / 4.0;
            let results = [&mut ours, &mut theirs].map(|bench| {
                bench.set("u", u);
                bench.try_step().is_ok()
            });
            assert_eq!(results[0], results[1], "seed {seed}, step {n} of\n{text}");
            if !results[0] {
                break;
            }
        }
        println!("seed {seed}: {} events until {} s", ours.get("n"), ours.time());
    }
}
