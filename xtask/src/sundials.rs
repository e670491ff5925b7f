//! Our solvers against SUNDIALS CVODE: builds CVODE, then runs the benchmark that links it.
//!
//! The C sources lie inside the crate `sundials-sys`, which the benchmark's manifest pins and cargo
//! downloads; they are compiled here with nothing but `cc` and `ar`, by the flags below, which are
//! CMake's for a release build. Both sides are for the compiler's default processor.

use crate::ci::{cargo, root, succeeds};
use crate::say;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The benchmark: a crate of its own, outside of the workspace.
const BENCHMARK: &str = "crates/consort-solve/benches/sundials";
const FLAGS: [&str; 5] = ["-std=c99", "-D_POSIX_C_SOURCE=200112L", "-O3", "-DNDEBUG", "-w"];
/// The parts of SUNDIALS that solve an ordinary differential equation on one core.
const SOURCES: [&str; 30] = [
    "cvode/cvode.c",
    "cvode/cvode_fused_stubs.c",
    "cvode/cvode_io.c",
    "cvode/cvode_ls.c",
    "cvode/cvode_nls.c",
    "cvode/cvode_proj.c",
    "nvector/serial/nvector_serial.c",
    "sundials/sundials_band.c",
    "sundials/sundials_context.c",
    "sundials/sundials_dense.c",
    "sundials/sundials_direct.c",
    "sundials/sundials_errors.c",
    "sundials/sundials_hashmap.c",
    "sundials/sundials_iterative.c",
    "sundials/sundials_linearsolver.c",
    "sundials/sundials_logger.c",
    "sundials/sundials_math.c",
    "sundials/sundials_matrix.c",
    "sundials/sundials_memory.c",
    "sundials/sundials_nonlinearsolver.c",
    "sundials/sundials_nvector.c",
    "sundials/sundials_nvector_senswrapper.c",
    "sundials/sundials_profiler.c",
    "sundials/sundials_version.c",
    "sunlinsol/band/sunlinsol_band.c",
    "sunlinsol/dense/sunlinsol_dense.c",
    "sunmatrix/band/sunmatrix_band.c",
    "sunmatrix/dense/sunmatrix_dense.c",
    "sunnonlinsol/fixedpoint/sunnonlinsol_fixedpoint.c",
    "sunnonlinsol/newton/sunnonlinsol_newton.c",
];

/// The arguments are the benchmark's: `--check`, `--accuracy`, `--automatic`, `--rounds N`, `--only TEXT`.
pub(crate) fn run(arguments: &[String]) -> bool {
    let built = download().and_then(|vendor| compile(&vendor));
    let library = match built {
        Ok(library) => library,
        Err(problem) => {
            say(&problem);
            return false;
        }
    };
    let manifest = format!("{BENCHMARK}/Cargo.toml");
    let mut command = cargo(&["run", "--release", "--quiet", "--manifest-path", &manifest]);
    command.arg("--target-dir").arg(library.join("benchmark")).arg("--").args(arguments);
    command.env("CONSORT_SUNDIALS", &library);
    succeeds("our solvers against CVODE", command)
}

/// The folder with SUNDIALS' sources, downloaded if need be.
fn download() -> Result<PathBuf, String> {
    let manifest = format!("{BENCHMARK}/Cargo.toml");
    let mut metadata = cargo(&["metadata", "--format-version", "1", "--manifest-path", &manifest]);
    let output = metadata.output().map_err(|error| format!("cannot run cargo: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let found = manifest_path(&text, "sundials-sys");
    let found = found.ok_or("cargo metadata does not list sundials-sys")?;
    Ok(found.with_file_name("vendor"))
}

/// Where the manifest of a downloaded crate is, from the output of `cargo metadata`. Its paths need no
/// more of a JSON reader than this.
fn manifest_path<'a>(metadata: &'a str, name: &str) -> Option<&'a Path> {
    let paths = metadata.split("\"manifest_path\":\"").skip(1);
    let mut paths = paths.filter_map(|rest| rest.split('"').next());
    paths.find(|path| path.contains(&format!("/{name}-"))).map(Path::new)
}

/// Compiles SUNDIALS and the problems into one static library; returns its folder.
fn compile(vendor: &Path) -> Result<PathBuf, String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from);
    let folder = target.join("sundials");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let library = folder.join("libconsort_cvode.a");
    let ours = root().join(BENCHMARK).join("c");
    say(&format!("== SUNDIALS of {} by cc {}", vendor.display(), FLAGS.join(" ")));
    let mut sources: Vec<PathBuf> =
        SOURCES.iter().map(|name| vendor.join("src").join(name)).collect();
    sources.push(ours.join("right_hand_sides.c"));
    let mut objects = Vec::new();
    for source in &sources {
        let name = source.with_extension("o");
        let object = folder.join(name.file_name().expect("sources are files"));
        let mut command = Command::new("cc");
        command.args(FLAGS).arg("-I").arg(&ours).arg("-I").arg(vendor.join("include"));
        command.arg("-I").arg(vendor.join("src/sundials"));
        quietly(command.arg("-c").arg(source).arg("-o").arg(&object))?;
        objects.push(object);
    }
    // `ar` adds to a library that is there.
    let _ = std::fs::remove_file(&library);
    quietly(Command::new("ar").arg("rcs").arg(&library).args(&objects))?;
    Ok(folder)
}

fn quietly(command: &mut Command) -> Result<(), String> {
    let shown = format!("{command:?}");
    let output = command.output().map_err(|error| format!("{shown}: {error}; is gcc installed"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    output.status.success().then_some(()).ok_or_else(|| format!("{shown}\n{errors}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_downloaded_crate_is_found_among_others() {
        let metadata = r#"{"packages":[{"name":"a","manifest_path":"/src/a-sys-2.0.0/Cargo.toml","x":1},
            {"name":"b","manifest_path":"/src/b-sys-0.6.2/Cargo.toml"}]}"#;
        let found = manifest_path(metadata, "b-sys");
        assert_eq!(found, Some(Path::new("/src/b-sys-0.6.2/Cargo.toml")));
        assert_eq!(manifest_path(metadata, "c-sys"), None);
    }
}
