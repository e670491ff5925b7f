//! From sources to a shared library, with the system's C compiler.

use super::files::Files;
use crate::{cache, process};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Our models compile without a warning; contraction is off so that results do not depend on it.
const FLAGS: &[&str] =
    &["-shared", "-fPIC", "-O2", "-std=c99", "-ffp-contract=off", "-fvisibility=hidden"];
const WARNINGS: &[&str] = &["-Wall", "-Wextra", "-Werror"];

/// The headers of the standard, those Consort gives to every FMU it compiles.
pub(super) fn headers() -> PathBuf {
    cache::workspace().join("crates/consort-fmi/include")
}

/// What Consort adds to an FMU that lists it as a source.
pub(crate) fn glue() -> PathBuf {
    cache::workspace().join("crates/consort-fmi/glue")
}

/// Compiles the sources in the FMU folder into its `binaries`.
pub(super) fn library(folder: &Path, files: &Files, flags: &[String]) {
    let target = folder.join(files.library_path());
    fs::create_dir_all(target.parent().expect("a file has a folder"))
        .expect("the cache folder is writable");
    let mut compiler = Command::new("cc");
    compiler.current_dir(folder.join("sources")).args(FLAGS).args(WARNINGS).args(flags);
    compiler.arg("-idirafter").arg(headers()).args(files.sources());
    compiler.arg("-o").arg(&target).arg("-lm");
    process::run(&mut compiler);
}

/// Compiles sources into a program.
pub(crate) fn program(target: &Path, sources: &[PathBuf]) {
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-std=c99", "-ffp-contract=off"]).args(WARNINGS).arg("-I").arg(glue());
    compiler.args(sources).arg("-o").arg(target).arg("-lm");
    process::run(&mut compiler);
}
