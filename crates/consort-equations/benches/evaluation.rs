//! What it costs to evaluate the derivatives of models with 1,000 states, as a ratio to the same
//! model written by hand in C and compiled with `cc -O2`.
//!
//! `rod`: heat in a rod, one loop in C. `network`: mass action and saturation among random species, one
//! statement for each in C. `pendulums`: a sine for each second state. Fails if a ratio is above
//! three.

use consort_core::{Prng, Report};
use consort_equations::{Equations, NoHistory, compile, read};
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const STATES: usize = 1000;
const RATIO_MAX: f64 = 3.0;
const ROUNDS: usize = 25;

/// A model in both languages.
struct Case {
    name: &'static str,
    /// `der(...)` and functions of the text.
    text: String,
    /// Body of `void f(double t, const double *p, const double *x, double *dx)`.
    c: String,
}

#[expect(clippy::print_stdout, reason = "a benchmark reports on stdout")]
fn main() {
    println!(
        "model       runs  instructions  jacobian us     us  C -O2 us  ratio  largest difference"
    );
    let mut slow = false;
    for case in [rod(), network(), pendulums()] {
        let equations = compiled(&case.text);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let program = c_program(folder.path(), &case.c);
        let (mut ours, mut theirs, mut jacobian) = (f64::MAX, f64::MAX, f64::MAX);
        let mut sum = 0.0;
        for _ in 0..ROUNDS {
            ours = ours.min(seconds(&equations, false));
            jacobian = jacobian.min(seconds(&equations, true));
            let (time, total) = c_seconds(&program);
            (theirs, sum) = (theirs.min(time), total);
        }
        let ratio = ours / theirs;
        slow |= RATIO_MAX < ratio;
        let derivatives = &equations.programs.derivatives;
        println!(
            "{:10} {:5} {:13} {:12.2} {:6.2} {:9.2} {:6.2}  {:.1e}",
            case.name,
            derivatives.runs.len(),
            derivatives.instruction_count(),
            jacobian * 1e6,
            ours * 1e6,
            theirs * 1e6,
            ratio,
            (checksum(&equations) - sum).abs() / sum.abs(),
        );
    }
    assert!(!slow, "evaluation costs more than {RATIO_MAX} times the C code");
}

fn header(name: &str) -> String {
    let mut text = format!("model {name}\nparameter k = 0.5\nparameter h = 2.5\n");
    for i in 0..STATES {
        let _ = writeln!(text, "state x{i} = {}", 1.0 + i as f64 / STATES as f64);
    }
    text
}

fn rod() -> Case {
    let mut text = header("rod");
    for i in 0..STATES {
        let left = if i == 0 { "1".to_owned() } else { format!("x{}", i - 1) };
        let right = if i + 1 == STATES { "1".to_owned() } else { format!("x{}", i + 1) };
        let _ = writeln!(text, "der(x{i}) = k*({left} - h*x{i} + {right})");
    }
    let c = "dx[0] = p[0]*(1 - p[1]*x[0] + x[1]);\n\
         for (int i = 1; i < 999; i++) dx[i] = p[0]*(x[i-1] - p[1]*x[i] + x[i+1]);\n\
         dx[999] = p[0]*(x[998] - p[1]*x[999] + 1);\n";
    Case { name: "rod", text: text + "end", c: c.to_owned() }
}

fn network() -> Case {
    let (mut text, mut c) = (header("network"), String::new());
    let mut prng = Prng::new(1);
    let mut any = || prng.below(STATES as u64);
    for i in 0..STATES {
        let (a, b, s, r) = (any(), any(), any(), any());
        let _ =
            writeln!(text, "der(x{i}) = k*x{a}*x{b} - h*x{i} + x{s}/(k + x{s}) - 0.{r}*x{r}*x{i}");
        let _ = writeln!(
            c,
            "dx[{i}] = p[0]*x[{a}]*x[{b}] - p[1]*x[{i}] + x[{s}]/(p[0] + x[{s}]) - 0.{r}*x[{r}]*x[{i}];"
        );
    }
    Case { name: "network", text: text + "end", c }
}

fn pendulums() -> Case {
    let (mut text, mut c) = (header("pendulums"), String::new());
    for i in (0..STATES).step_by(2) {
        let j = i + 1;
        let _ = writeln!(text, "der(x{i}) = x{j}\nder(x{j}) = -h*sin(x{i}) - k*x{j}");
        let _ = writeln!(c, "dx[{i}] = x[{j}]; dx[{j}] = -p[1]*sin(x[{i}]) - p[0]*x[{j}];");
    }
    Case { name: "pendulums", text: text + "end", c }
}

fn compiled(text: &str) -> Equations {
    let mut report = Report::default();
    let model = read("bench.eq", text, &mut report);
    let equations = model.and_then(|model| compile(&model, &mut report));
    equations.unwrap_or_else(|| panic!("{:?}", report.diagnostics()))
}

/// What one evaluation takes: the best of several hundred.
#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn seconds(equations: &Equations, of_jacobian: bool) -> f64 {
    let programs = &equations.programs;
    let program =
        if of_jacobian { &programs.state_jacobian.program } else { &programs.derivatives };
    let mut registers = program.registers();
    let mut results = vec![0.0; program.results.len()];
    let mut states: Vec<f64> = equations.states.iter().map(|state| state.start).collect();
    let start = Instant::now();
    let count = 2000;
    for n in 0..count {
        states[0] = 1.0 + f64::from(n) * 1e-6;
        let point = equations.point(0.0, [&[0.5, 2.5], &[], &states, &[]]);
        program.evaluate(&point, &mut NoHistory, &mut registers, &mut results);
        black_box(&results);
    }
    start.elapsed().as_secs_f64() / f64::from(count)
}

/// The sum of all derivatives at the start, to see that both compute the same.
fn checksum(equations: &Equations) -> f64 {
    let program = &equations.programs.derivatives;
    let mut results = vec![0.0; program.results.len()];
    let states: Vec<f64> = equations.states.iter().map(|state| state.start).collect();
    let point = equations.point(0.0, [&[0.5, 2.5], &[], &states, &[]]);
    program.evaluate(&point, &mut NoHistory, &mut program.registers(), &mut results);
    results.iter().sum()
}

/// Compiles the model in C with a loop that measures itself.
fn c_program(folder: &Path, body: &str) -> std::path::PathBuf {
    let model = format!(
        "#include <math.h>\nvoid f(double t, const double *p, const double *restrict x, \
         double *restrict dx) {{\n(void)t;\n{body}}}\n"
    );
    let driver = "#include <stdio.h>\n#include <time.h>\n\
        void f(double, const double *, const double *, double *);\n\
        static double x[1000], dx[1000], p[2] = {0.5, 2.5};\n\
        int main(void) {\n  for (int i = 0; i < 1000; i++) x[i] = 1.0 + i/1000.0;\n\
        f(0, p, x, dx);\n  double sum = 0;\n  for (int i = 0; i < 1000; i++) sum += dx[i];\n\
        struct timespec a, b;\n  clock_gettime(CLOCK_MONOTONIC, &a);\n\
        for (int n = 0; n < 20000; n++) { x[0] = 1.0 + n*1e-6; f(0, p, x, dx); }\n\
        clock_gettime(CLOCK_MONOTONIC, &b);\n\
        printf(\"%.17g %.17g\\n\", ((b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec)*1e-9)/20000, sum);\n\
        return 0;\n}\n";
    let (model_file, driver_file) = (folder.join("model.c"), folder.join("driver.c"));
    write(&model_file, &model);
    write(&driver_file, driver);
    let program = folder.join("model");
    let status = Command::new("cc")
        .args(["-O2", "-o"])
        .args([&program, &model_file, &driver_file])
        .arg("-lm")
        .status();
    assert!(status.expect("a C compiler is installed").success(), "the C code compiles");
    program
}

#[expect(clippy::disallowed_methods, reason = "a benchmark writes the rival's source")]
fn write(file: &Path, text: &str) {
    std::fs::write(file, text).expect("the folder is writable");
}

fn c_seconds(program: &Path) -> (f64, f64) {
    let output = Command::new(program).output().expect("the C program runs");
    let text = String::from_utf8(output.stdout).expect("it prints numbers");
    let mut numbers = text.split_whitespace().map(|word| word.parse().expect("a number"));
    let mut next = || numbers.next().expect("two numbers");
    (next(), next())
}
