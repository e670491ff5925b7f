//! One run of the program with a lying FMU, and everything that is seen of it from outside.

use consort_testkit::liar::{Case, Harm};
use serde_json::Value;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long a run may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Where the FMU lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// In the program's own process.
    Here,
    /// In a process of its own.
    Apart,
}

/// What came of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    Exit(i32),
    Signal(i32),
    /// It had to be ended.
    Endless,
}

/// A run, as seen from outside.
pub(crate) struct Run {
    pub(crate) ending: Ending,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) trace_hash: Option<String>,
    /// Without the line of names, which holds the lies.
    pub(crate) rows: Option<String>,
    /// What the FMU logged, and what was logged of it.
    pub(crate) log: String,
    /// Whether there is a snapshot.
    pub(crate) is_saved: bool,
    /// The run that is resumed from there, with an instance that performs its lies anew.
    pub(crate) rest: Option<Box<Run>>,
    /// The lies that were performed, as in the component's name; known of runs in our process.
    pub(crate) performed: Vec<String>,
}

impl Run {
    /// Runs a case to its end.
    pub(crate) fn of(case: &Case, place: Place) -> Run {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::create_dir(path.join("s")).unwrap();
        fs::write(path.join("s/system.toml"), system(case)).unwrap();
        let mut run = Self::watched(&mut command(case, place, path), path, "run");
        if run.is_saved {
            let mut resumed = command(case, place, path);
            resumed.args(["--resume", "half"]);
            run.rest = Some(Box::new(Self::watched(&mut resumed, path, "rest")));
        }
        run
    }

    fn watched(command: &mut Command, path: &Path, out: &str) -> Run {
        let (ending, stdout, stderr) = watch(command.args(["--out", out]), path);
        let manifest = fs::read(path.join(out).join("manifest.json")).ok();
        let manifest = manifest.and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        let trace_hash = manifest.and_then(|it| it["trace_hash"].as_str().map(str::to_owned));
        let csv = fs::read(path.join(out).join("trace.csv")).ok();
        let csv = csv.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let rows = csv.and_then(|csv| csv.split_once('\n').map(|(_, rows)| rows.to_owned()));
        let diary = fs::read_to_string(path.join("diary")).unwrap_or_default();
        let performed = diary.lines().map(str::to_owned).collect();
        let log = fs::read_to_string(path.join(out).join("log.jsonl")).unwrap_or_default();
        let is_saved = path.join("half").is_file();
        Run { ending, stdout, stderr, trace_hash, rows, log, is_saved, rest: None, performed }
    }

    /// What was said of a failure: the error, and the notes that name call and status. What an FMU logged
    /// before may differ from place to place, as far as threads or limits are concerned.
    pub(crate) fn complaint(&self) -> Vec<&str> {
        let lines = self.stderr.lines().filter(|line| {
            line.starts_with("error[")
                || line.strip_prefix(" = note: ").is_some_and(|note| !note.starts_with("its log"))
        });
        lines.collect()
    }
}

fn system(case: &Case) -> String {
    let (name, fmu) = (case.component(), case.fmu());
    format!(
        "[experiment]\nstop = 0.6\nstep = 0.1\nrecord = \"all\"\n\
         [components.source]\nmodel = \"native:sine\"\n\
         [components.{name}]\nmodel = {fmu:?}\ninterface = \"{}\"\nparameters = {{ k = 2 }}\n\
         [[connections]]\nfrom = \"source.y\"\nto = \"{name}.u\"\n",
        case.interface.name()
    )
}

/// How the program is called, but for where its record goes.
fn command(case: &Case, place: Place, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_consort"));
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("behaviors-cache");
    // Waiting is what a case is about, or must not matter however busy the machine is.
    let limit = if case.harm() == Harm::Endless { "0.5" } else { "60" };
    command
        .current_dir(folder)
        .args(["run", "--csv", "--call-limit", limit, "--cache-dir"])
        .arg(cache);
    command.stdin(Stdio::null());
    command.env_remove("RUST_BACKTRACE").env("LIAR_DIARY", folder.join("diary"));
    if !folder.join("half").is_file() {
        command.args(first(case, place));
    }
    command
}

/// What a run that is resumed takes over.
fn first(case: &Case, place: Place) -> Vec<&'static str> {
    // A twin would find what the resumed run is to find.
    let saved = ["--save-at", "0.3", "--save", "half", "--no-verify"];
    let saving: &[&str] = if case.saves { &saved } else { &[] };
    let isolation: &[&str] = if place == Place::Apart { &["--isolate"] } else { &[] };
    [&["s"], saving, isolation].concat()
}

/// Runs it to its end, or as long as patience lasts. Its output goes to files, which need not be read in time.
fn watch(command: &mut Command, folder: &Path) -> (Ending, String, String) {
    let (out, err) = (folder.join("stdout"), folder.join("stderr"));
    command.stdout(fs::File::create(&out).unwrap()).stderr(fs::File::create(&err).unwrap());
    let mut child = command.spawn().unwrap();
    let begin = Instant::now();
    let ending = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break ending(status);
        }
        if PATIENCE < begin.elapsed() {
            child.kill().unwrap();
            child.wait().unwrap();
            break Ending::Endless;
        }
        std::thread::sleep(Duration::from_millis(3));
    };
    let read = |path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    (ending, read(out), read(err))
}

fn ending(status: ExitStatus) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exit(code),
        (None, Some(signal)) => Ending::Signal(signal),
        (None, None) => Ending::Endless,
    }
}
