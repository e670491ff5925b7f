//! The virtual environment: made once, under a lock, by whichever way this machine allows.

use super::{BIOLOGY, FEDERATION, LOGIC, PACKAGES, RECORDING, SCHEMAS};
use crate::{cache, process};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Where Python and the packages are.
pub(super) struct Environment {
    python: PathBuf,
    /// Packages beside the interpreter's own, where no virtual environment could be made.
    packages: Option<PathBuf>,
}

impl Environment {
    /// The environment, made if need be.
    pub(super) fn get() -> &'static Environment {
        static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
        ENVIRONMENT.get_or_init(|| Environment::with(PACKAGES))
    }

    /// That of the tools for biochemical models, made if need be: most tests do without them.
    pub(super) fn biology() -> &'static Environment {
        static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
        ENVIRONMENT.get_or_init(|| Environment::with(BIOLOGY))
    }

    /// That of the tools for properties, made if need be.
    pub(super) fn logic() -> &'static Environment {
        static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
        ENVIRONMENT.get_or_init(|| Environment::with(LOGIC))
    }

    /// That of the federation we are compared with, made if need be.
    pub(super) fn federation() -> &'static Environment {
        static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
        ENVIRONMENT.get_or_init(|| Environment::with(FEDERATION))
    }

    /// That of the reader of recordings, made if need be.
    pub(super) fn recording() -> &'static Environment {
        static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
        ENVIRONMENT.get_or_init(|| Environment::with(RECORDING))
    }

    /// That of the validator of JSON schemas, made if need be.
    pub(super) fn schemas() -> &'static Environment {
        static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
        ENVIRONMENT.get_or_init(|| Environment::with(SCHEMAS))
    }

    fn with(wanted: &[&str]) -> Environment {
        let key = cache::key(wanted.iter().map(|package| package.as_bytes()));
        let folder = cache::root().join(format!("python-{key}"));
        let lock = File::create(folder.with_extension("lock")).expect("the cache is writable");
        // Held until the end of this block: the others wait instead of installing as well.
        lock.lock().expect("the file system has locks");
        if !folder.join("ready").is_file() {
            make(&folder, wanted);
            fs::write(folder.join("ready"), "").expect("the cache is writable");
        }
        Environment::at(&folder)
    }

    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.python);
        command.env_remove("PYTHONHOME").env_remove("PYTHONPATH");
        command.env("PYTHONDONTWRITEBYTECODE", "1").env("PYTHONHASHSEED", "0");
        if let Some(packages) = &self.packages {
            command.env("PYTHONPATH", packages);
        }
        command
    }

    fn at(folder: &Path) -> Environment {
        let packages = folder.join("packages");
        if packages.is_dir() {
            Environment { python: "python3".into(), packages: Some(packages) }
        } else {
            Environment { python: folder.join("bin/python"), packages: None }
        }
    }
}

/// Fills the folder; `Err` holds the output of the tool that failed.
type Attempt = fn(&Path, &[&str]) -> Result<(), String>;

/// Debian's Python may lack `venv`: then plain pip, then the missing package.
fn make(folder: &Path, wanted: &[&str]) {
    let attempts: [Attempt; 3] = [virtual_environment, plain_pip, debian];
    let mut words = Vec::new();
    for attempt in attempts {
        let _ = fs::remove_dir_all(folder);
        match attempt(folder, wanted) {
            Ok(()) => return,
            Err(said) => words.push(said),
        }
    }
    let _ = fs::remove_dir_all(folder);
    panic!("no Python environment could be made:\n{}", words.join("\n"));
}

fn virtual_environment(folder: &Path, wanted: &[&str]) -> Result<(), String> {
    process::try_run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    install(Command::new(folder.join("bin/python")).args(PIP), wanted)
}

fn plain_pip(folder: &Path, wanted: &[&str]) -> Result<(), String> {
    let packages = folder.join("packages");
    install(Command::new("python3").args(PIP).arg("--target").arg(packages), wanted)
}

fn debian(folder: &Path, wanted: &[&str]) -> Result<(), String> {
    process::try_run(Command::new("apt-get").arg("update"))?;
    process::try_run(Command::new("apt-get").args(["install", "-y", "python3-venv"]))?;
    virtual_environment(folder, wanted)
}

const PIP: &[&str] = &["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];

fn install(pip: &mut Command, wanted: &[&str]) -> Result<(), String> {
    process::try_run(pip.args(wanted)).map(drop)
}
