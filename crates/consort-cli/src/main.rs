//! The `consort` command line; everything is in the library beside it.
fn main() -> std::process::ExitCode {
    consort_cli::main()
}
