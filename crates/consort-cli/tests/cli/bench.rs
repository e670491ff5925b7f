//! A temporary folder, systems to run in it, and the program.

use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A control loop of native blocks.
pub(crate) const LOOP: &str = r#"
[experiment]
stop = 2
step = 0.01
plot = ["plant.y", "controller.u"]

[components.setpoint]
model = "native:step"
parameters = { time = 0.5, before = 0, after = 1 }

[components.controller]
model = "native:pid"
parameters = { kp = 2, ki = 1 }

[components.plant]
model = "native:integrator"

[[connections]]
from = "setpoint.y"
to = "controller.setpoint"

[[connections]]
from = "plant.y"
to = "controller.measurement"

[[connections]]
from = "controller.u"
to = "plant.u"
"#;

/// A system of this many components in a chain, each with an input `u` and an output `y`.
pub(crate) fn chain(model: &str, count: usize) -> String {
    let mut text = "[experiment]\nstop = 0.01\nstep = 0.001\n".to_owned();
    for index in 0..count {
        writeln!(text, "[components.c{index}]\nmodel = {model:?}").unwrap();
    }
    for index in 1..count {
        let from = index - 1;
        writeln!(text, "[[connections]]\nfrom = \"c{from}.y\"\nto = \"c{index}.u\"").unwrap();
    }
    text
}

/// A folder to work in.
pub(crate) struct Bench {
    folder: TempDir,
}

/// What the program said.
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Bench {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        Bench { folder: tempfile::tempdir().unwrap() }
    }

    /// A folder with a system called `loop`.
    pub(crate) fn with_loop() -> Self {
        let bench = Bench::new();
        bench.write("loop/system.toml", LOOP);
        bench
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.read(path)).unwrap()
    }

    /// The lines of a log with this event.
    pub(crate) fn events(&self, path: &str, event: &str) -> Vec<Value> {
        let text = self.read(path);
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["event"] == event).collect()
    }

    /// What is in a folder, sorted; empty if there is no folder.
    pub(crate) fn list(&self, path: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(path)) else { return Vec::new() };
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<String> = entries.flatten().map(name).collect();
        names.sort();
        names
    }

    /// The program, in this folder, in an environment that does not depend on who runs the test.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_consort"));
        command.args(args).current_dir(self.folder.path()).stdin(Stdio::null());
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("RUST_BACKTRACE");
        command.env("CONSORT_CACHE", cache()).env("TERM", "xterm").env("COLUMNS", "79");
        command
    }

    /// Runs the program to its end.
    pub(crate) fn consort(&self, args: &[&str]) -> Said {
        Said::from(self.command(args).output().unwrap())
    }

    /// The same, which must succeed.
    pub(crate) fn done(&self, args: &[&str]) -> Said {
        let said = self.consort(args);
        assert_eq!(said.code, Some(0), "{args:?}: {}{}", said.stdout, said.stderr);
        said
    }

    pub(crate) fn trace_hash(&self, run: &str) -> String {
        let manifest = self.json(&format!("{run}/manifest.json"));
        manifest["trace_hash"].as_str().unwrap().to_owned()
    }
}

/// Compiled FMUs are shared by the tests; what they are called does not depend on the test.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Said {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl std::fmt::Display for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let code = self.code.map_or("killed".to_owned(), |code| code.to_string());
        write!(f, "exit: {code}\n--- stdout\n{}--- stderr\n{}", self.stdout, self.stderr)
    }
}

/// Compares with a snapshot, with everything that changes from run to run replaced.
macro_rules! assert_said {
    ($said:expr) => {
        insta::with_settings!({filters => crate::bench::filters()}, {
            insta::assert_snapshot!($said.to_string());
        });
    };
}
pub(crate) use assert_said;

pub(crate) fn filters() -> Vec<(&'static str, &'static str)> {
    vec![
        (r"sha256:[0-9a-f]{64}", "sha256:[hash]"),
        (r"sha256:[0-9a-f]{8}…", "sha256:[hash]…"),
        (r"\b[0-9.]+ (us|ms|s|min)( [0-9]+ s)? each", "[time] each"),
        (r"in [0-9.]+ (us|ms|s)\b", "in [time]"),
        (r"/tmp/[^/\s`]+", "[temp]"),
    ]
}
