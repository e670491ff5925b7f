//! Project automation, in the project's own language: `cargo xtask VERB`.
//!
//! - `ci`: everything CI runs: formatting, lints, tests, documentation, the examples.
//! - `python`: the Python package: install, tests, types; part of `ci`.
//! - `tidy`: the architecture's invariants (also a test, so `cargo test` runs it).
//! - `codes`: writes the index of the pages about error codes.
//! - `reference`: writes the references of files and their JSON schemas, from the lists of keys of the readers.
//! - `soak`: the long runs: fuzzing with coverage, plans and flows of random systems, FMUs that misbehave.
//! - `bench-solvers`: our solvers against SUNDIALS CVODE, which it downloads and compiles.
//! - `bless`: accept changed snapshots after you have read them.

mod ci;
mod soak;
mod sundials;
mod tidy;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask VERB

  ci      everything CI runs: formatting, lints, tests, documentation, examples
  python  install the Python package into a fresh environment, test it and check its types; part of `ci`
  tidy    check the invariants of ARCHITECTURE.md
  codes   write docs/codes/README.md, the index of all error codes
  reference  write the keys of systems, campaigns and interfaces into docs, and their JSON schemas
  soak    [--minutes N] [TARGET...]  fuzz each target for N minutes (default 10); `plans` and
          `flows` are random systems, `behaviors` are FMUs that misbehave, `states` those
          whose saved states lack something
  bench-solvers  [--check] [--accuracy] [--automatic] [--rounds N] [--only TEXT]  our solvers against SUNDIALS CVODE, as ratios;
          with --check, fail if one is slower than it must be; with --accuracy, classic problems at six tolerances;
          with --automatic, the automatic choice beside BDF and Adams
  bless   accept changed snapshots; read the diff before you commit it
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (verb, rest) = match arguments.split_first() {
        Some((verb, rest)) => (verb.as_str(), rest),
        None => ("help", &[][..]),
    };
    let done = match verb {
        "ci" => ci::run(),
        "python" => ci::python(),
        "tidy" => tidy::run(),
        "codes" => tidy::write_index_of_codes(),
        "reference" => ci::write_reference(),
        "soak" => soak::run(rest),
        "bench-solvers" => sundials::run(rest),
        "bless" => ci::bless(),
        _ => {
            say(HELP);
            verb == "help"
        }
    };
    if done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[expect(clippy::print_stderr, reason = "automation talks to a person")]
fn say(text: &str) {
    eprintln!("{text}");
}
