//! The Python package: installed into a fresh environment, as a newcomer does, then tested and checked for types.

use super::{root, succeeds};
use std::fs;
use std::path::Path;
use std::process::Command;

/// What the tests compare with and read results by.
const PACKAGES: [&str; 9] =
    ["numpy", "pandas", "pandas-stubs", "pyarrow", "polars", "mypy", "pytest", "FMPy", "pip"];

pub(super) fn run() -> bool {
    let folder = root().join("target").join("python");
    let _ = fs::remove_dir_all(&folder);
    let package = root().join("bindings").join("python");
    let mut environment = Command::new("python3");
    environment.args(["-m", "venv"]).arg(&folder);
    succeeds("python: environment", environment)
        && succeeds("python: packages", pip(&folder, &PACKAGES))
        && succeeds("python: pip install ./bindings/python", pip(&folder, &["./bindings/python"]))
        && succeeds("python: tests", tool(&folder, "pytest", &["-q", "-s"], &package))
        && succeeds("python: types", tool(&folder, "mypy", &[], &package))
}

fn pip(folder: &Path, wanted: &[&str]) -> Command {
    let arguments = [&["install", "--quiet", "--disable-pip-version-check"], wanted].concat();
    tool(folder, "pip", &arguments, &root())
}

/// A module of the environment, run in a folder.
fn tool(folder: &Path, module: &str, arguments: &[&str], place: &Path) -> Command {
    let mut command = Command::new(folder.join("bin").join("python"));
    command.args(["-m", module]).args(arguments).current_dir(place);
    // Files of the package in the tree are not to be taken for those that were installed.
    command.env("PYTHONSAFEPATH", "1").env_remove("PYTHONPATH");
    command
}
