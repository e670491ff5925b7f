//! Compiles the few lines of C that Rust cannot say: the variadic logger of FMI 2.

fn main() {
    println!("cargo::rerun-if-changed=csrc/logger.c");
    cc::Build::new().file("csrc/logger.c").extra_warnings(true).compile("consort_fmi_logger");
}
