//! A folder of its own for each test, FMUs in it, and the program.

use consort_testkit::fmus::{self, BuildOptions, Fmi};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The option by which an example that takes long, given by its name or path, ends early.
pub(crate) fn shortened(example: &str) -> &'static [&'static str] {
    match example {
        long if long.contains("aircraft") => &["--stop", "4"],
        long if long.contains("uav") => &["--stop", "1"],
        _ => &[],
    }
}

/// A folder to work in.
pub(crate) struct World {
    folder: TempDir,
    cache: PathBuf,
}

/// What the program said.
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl World {
    /// An empty folder; compiled FMUs are shared with the other tests.
    pub(crate) fn new() -> Self {
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("acceptance-cache");
        World { folder: tempfile::tempdir().unwrap(), cache }
    }

    /// An empty folder with a cache of its own, which is not there yet.
    pub(crate) fn with_clean_cache() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        World { folder, cache }
    }

    /// Where compiled FMUs are.
    pub(crate) fn cache(&self) -> &Path {
        &self.cache
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// A system in the folder `s`.
    pub(crate) fn system(&self, text: &str) {
        self.write("s/system.toml", text);
    }

    /// Puts a test model's archive into the folder `s`, as `NAME.fmu`.
    pub(crate) fn archive(&self, name: &str, fmi: Fmi, options: &BuildOptions) {
        let archive = fmus::build(name, fmi, options);
        fs::create_dir_all(self.path("s")).unwrap();
        fs::copy(archive, self.path(&format!("s/{name}.fmu"))).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn manifest(&self, run: &str) -> Value {
        serde_json::from_str(&self.read(&format!("{run}/manifest.json"))).unwrap()
    }

    pub(crate) fn trace_hash(&self, run: &str) -> String {
        self.manifest(run)["trace_hash"].as_str().unwrap().to_owned()
    }

    /// The lines of a run's log with this event.
    pub(crate) fn events(&self, run: &str, event: &str) -> Vec<Value> {
        let text = self.read(&format!("{run}/log.jsonl"));
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["event"] == event).collect()
    }

    /// Every file and folder below this world, sorted.
    pub(crate) fn contents(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        collect(self.folder.path(), &mut found);
        found.sort();
        found
    }

    /// The program, in this folder, in an environment that does not depend on who runs the test.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_consort"));
        command.args(args).current_dir(self.folder.path()).stdin(Stdio::null());
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("RUST_BACKTRACE");
        command
    }

    /// Runs the program to its end.
    pub(crate) fn consort(&self, args: &[&str]) -> Said {
        let output = self.command(args).arg("--cache-dir").arg(&self.cache).output().unwrap();
        Said {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The same, which must succeed.
    pub(crate) fn done(&self, args: &[&str]) -> Said {
        let said = self.consort(args);
        assert_eq!(said.code, Some(0), "{args:?}: {said}");
        said
    }
}

/// Copies a folder with all that is in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else {
            fs::copy(path, to.join(name)).unwrap();
        }
    }
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        }
        found.push(path);
    }
}

impl std::fmt::Display for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let code = self.code.map_or("killed".to_owned(), |code| code.to_string());
        write!(f, "exit: {code}\n--- stdout\n{}--- stderr\n{}", self.stdout, self.stderr)
    }
}

/// Words that must never come out; the first in two parts, as `cargo xtask tidy` looks for it.
pub(crate) const NEVER_SAID: [&str; 2] = [concat!("internal", " error"), "panicked"];

/// Replaces what changes from run to run and from machine to machine.
pub(crate) fn filters() -> Vec<(&'static str, &'static str)> {
    vec![
        (r"sha256:[0-9a-f]{8}…", "sha256:[hash]…"),
        (r"in [0-9.]+ (us|ms|s)\b", "in [time]"),
        (r"/tmp/[^/\s`]+", "[temp]"),
        (r"\b[0-9a-f]{64}\b", "[hash]"),
        (r"[0-9]+ bytes of at least [0-9]+", "[n] bytes of at least [n]"),
    ]
}

/// The processes that `parent` has started.
pub(crate) fn children(parent: u32) -> Vec<PathBuf> {
    let all = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let is_child = |process: &PathBuf| {
        let status = fs::read_to_string(process.join("status")).unwrap_or_default();
        status.lines().any(|line| line.trim_start() == format!("PPid:\t{parent}"))
    };
    all.filter(is_child).collect()
}

/// Waits until something is so, for as long as a busy machine may need.
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
