//! Hands the target triple to the program: it belongs in every run's manifest.
fn main() {
    let target = std::env::var("TARGET").expect("cargo sets TARGET for build scripts");
    println!("cargo::rustc-env=CONSORT_TARGET={target}");
    println!("cargo::rerun-if-changed=build.rs");
}
