//! Links the library that `cargo xtask bench-solvers` has compiled before.

fn main() {
    println!("cargo::rerun-if-env-changed=CONSORT_SUNDIALS");
    let Ok(folder) = std::env::var("CONSORT_SUNDIALS") else {
        println!("cargo::error=run `cargo xtask bench-solvers`, which builds SUNDIALS first");
        return;
    };
    println!("cargo::rustc-link-search=native={folder}");
    println!("cargo::rerun-if-changed={folder}/libconsort_cvode.a");
    println!("cargo::rustc-link-lib=static=consort_cvode");
    println!("cargo::rustc-link-lib=m");
}
