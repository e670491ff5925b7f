//! A folder with the systems of a case, the program, and what is seen of it from outside.

use consort_core::Prng;
use consort_testkit::amnesiac::Case;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use tempfile::TempDir;

/// What a component asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Asked {
    /// Its own states, without a check.
    Native,
    /// Its own states, if they were found to be faithful.
    CheckedNative,
    /// The best provider.
    Best,
}

/// What else is in a system.
#[derive(Clone, Copy)]
struct Around {
    /// A source for the input.
    is_driven: bool,
    /// A second component of the same model: what is static is shared.
    is_twice: bool,
}

/// Where one case is used.
pub(crate) struct World<'c> {
    pub(crate) case: &'c Case,
    pub(crate) asked: Asked,
    /// Where the run is saved, in milliseconds.
    pub(crate) save_at: u64,
    /// It stops there, and is resumed up to here, in milliseconds.
    pub(crate) stop_later: Option<u64>,
    folder: TempDir,
    cache: PathBuf,
}

/// A run of the program.
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) stderr: String,
    pub(crate) seconds: f64,
    /// What it left.
    pub(crate) manifest: Value,
}

impl World<'_> {
    /// Used as the case's seed says.
    pub(crate) fn new(case: &Case) -> World<'_> {
        let asked = [Asked::Native, Asked::Native, Asked::CheckedNative, Asked::Best];
        let which = Prng::new(case.seed).split("asked").below(4);
        Self::asking(case, asked[usize::try_from(which).unwrap()])
    }

    /// Saved by whom it asks for.
    pub(crate) fn asking(case: &Case, asked: Asked) -> World<'_> {
        let mut prng = Prng::new(case.seed).split("use");
        let stop = u64::from(case.step) * (50 + prng.below(100));
        let stops = prng.below(4) == 0;
        let step = u64::from(case.step);
        let save_at =
            if stops { step * (1 + prng.below(stop / step - 1)) } else { prng.below(stop) };
        let stop_later = stops.then_some(stop);
        let around = Around { is_driven: prng.below(2) == 0, is_twice: prng.below(4) == 0 };
        let bound = [0.5, 0.8, 1.0, 1.2, 1.5][usize::try_from(prng.below(5)).unwrap()];
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        let world = World { case, asked, save_at, stop_later, folder, cache };
        world.write("s/system.toml", &world.system(case, stop, around));
        let around = Around { is_driven: false, ..around };
        world.write("c/system.toml", &world.system(case, 10_000, around));
        world.write("h/system.toml", &world.system(&case.honest(), 10_000, around));
        for folder in ["c", "h"] {
            world.write(&format!("{folder}/campaign.toml"), &campaign(bound));
        }
        world
    }

    fn system(&self, case: &Case, stop: u64, around: Around) -> String {
        let (stop, step) = (seconds(stop), seconds(u64::from(case.step)));
        let source = "[components.source]\nmodel = \"native:sine\"\n\
                      [[connections]]\nfrom = \"source.y\"\nto = \"plant.u\"\n";
        [
            format!("[experiment]\nstop = {stop}\nstep = {step}\nrecord = \"all\"\n"),
            self.component("plant", case),
            if around.is_twice { self.component("other", case) } else { String::new() },
            if around.is_driven { source.to_owned() } else { String::new() },
        ]
        .concat()
    }

    fn component(&self, name: &str, case: &Case) -> String {
        let state = if self.asked == Asked::Native { "state = \"native\"\n" } else { "" };
        let parameters = case.parameters().into_iter();
        let parameters: Vec<String> =
            parameters.map(|(name, value)| format!("\"{name}\" = {value}")).collect();
        let (fmu, interface, parameters) =
            (case.fmu(), case.interface.name(), parameters.join(", "));
        format!(
            "[components.{name}]\nmodel = {fmu:?}\ninterface = \"{interface}\"\n{state}\
             parameters = {{ {parameters} }}\n"
        )
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn cache(&self) -> &Path {
        &self.cache
    }

    /// Runs the program; what it leaves is in the folder `out`.
    pub(crate) fn consort(&self, arguments: &[&str], out: &str) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_consort"));
        command.args(arguments).args(["--out", out, "--cache-dir"]).arg(&self.cache);
        if self.asked == Asked::CheckedNative {
            command.args(["--providers", "native"]);
        }
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        command.env_remove("RUST_BACKTRACE");
        let began = Instant::now();
        let output = command.output().unwrap();
        let seconds = began.elapsed().as_secs_f64();
        let read = |name: &str| fs::read(self.path(out).join(name)).ok();
        let manifest = read("manifest.json").or_else(|| read("report.json"));
        let manifest = manifest.and_then(|text| serde_json::from_slice(&text).ok());
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Said { code: output.status.code(), stderr, seconds, manifest: manifest.unwrap_or_default() }
    }

    /// What is left in the folder of processes.
    pub(crate) fn leftovers(&self) -> Option<String> {
        let entries = fs::read_dir(self.cache.join("workers")).ok()?;
        let names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        (!names.is_empty()).then(|| format!("{names:?}"))
    }
}

impl Said {
    pub(crate) fn trace_hash(&self) -> Option<&str> {
        self.manifest["trace_hash"].as_str()
    }

    /// Whether its states are known to continue in their own way, always the same.
    pub(crate) fn is_repeatable_only(&self) -> bool {
        self.manifest["states"]["plant"]["fidelity"] == "restore-repeatable"
    }

    pub(crate) fn is_panic(&self) -> bool {
        self.stderr.contains("panicked at") || self.stderr.contains("a bug in Consort")
    }

    /// Whether it is an error about states that names component, provider and time.
    pub(crate) fn names_difference(&self) -> bool {
        let provider = ["native", "image", "fork", "replay"];
        let names_provider = provider.iter().any(|it| self.stderr.contains(&format!("`{it}`")));
        let has = |part: &str| self.stderr.contains(part);
        let names_component = has("`plant`") || has("`other`");
        self.code == Some(2)
            && has("state::differs")
            && names_component
            && names_provider
            && has(" s")
    }

    /// Whether it was refused with the name of who cannot be saved.
    pub(crate) fn names_refusal(&self) -> bool {
        matches!(self.code, Some(1 | 2))
            && self.stderr.contains("error[")
            && self.stderr.contains("plant")
    }
}

fn campaign(bound: f64) -> String {
    format!(
        "system = \"system.toml\"\nperiod = 0.4\nhorizon = 1.6\n\
         [[disturbances]]\ninput = \"plant.u\"\nvalues = [-1, 0, 1]\n\
         [[properties]]\nname = \"low\"\nformula = \"always (plant.x < {bound})\"\n\
         [strategy]\nkind = \"exhaustive\"\nblock = 27\n"
    )
}

/// Milliseconds as text in seconds.
pub(crate) fn seconds(milliseconds: u64) -> String {
    (milliseconds as f64 / 1000.0).to_string()
}
