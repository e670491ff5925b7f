//! What must be the same where a snapshot is resumed, and what is said if it is not.

use consort_core::bytes::{BytesError, Reader, Writer};
use consort_core::{Diagnostic, Report};

/// Everything that decides how a saved run continues, but its state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SnapshotOrigin {
    /// The version of Consort.
    pub consort: String,
    /// The platform, as a target triple.
    pub target: String,
    /// What the processor can, of what C libraries choose their mathematics by.
    pub cpu_features: Vec<String>,
    /// The C library.
    pub libc: String,
    /// The length of a tick.
    pub resolution: String,
    /// The hash of the plan.
    pub plan_hash: String,
    /// The hash of system and experiment, but for where it stops.
    pub experiment_hash: String,
    /// Every file that decides what the run does.
    pub inputs: Vec<InputDigest>,
    /// By component, in order: its name, and who saves its state.
    pub providers: Vec<(String, String)>,
}

/// A file that decides what a run does.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct InputDigest {
    /// What it is for the run: `system`, `fmu`, `binary`, `source`, `table`, `equations`.
    pub role: String,
    /// The path as written by the user.
    pub path: String,
    /// The SHA-256 of its bytes, in hex.
    pub sha256: String,
}

/// What all these diagnostics lead to.
const SAVE_AGAIN: &str = "run it from its start and save it again";

impl SnapshotOrigin {
    pub(super) fn write(&self, writer: &mut Writer) {
        let texts = [
            &self.consort,
            &self.target,
            &self.libc,
            &self.resolution,
            &self.plan_hash,
            &self.experiment_hash,
        ];
        texts.into_iter().for_each(|text| writer.text(text));
        writer.count(self.cpu_features.len());
        self.cpu_features.iter().for_each(|feature| writer.text(feature));
        writer.count(self.inputs.len());
        for InputDigest { role, path, sha256 } in &self.inputs {
            [role, path, sha256].into_iter().for_each(|text| writer.text(text));
        }
        writer.count(self.providers.len());
        for (component, provider) in &self.providers {
            [component, provider].into_iter().for_each(|text| writer.text(text));
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, BytesError> {
        let mut text = || reader.text().map(str::to_owned);
        let [consort, target, libc, resolution, plan_hash, experiment_hash] =
            [text()?, text()?, text()?, text()?, text()?, text()?];
        let cpu_features = list(reader, 8, |reader| reader.text().map(str::to_owned))?;
        let inputs = list(reader, 24, |reader| {
            let mut text = || reader.text().map(str::to_owned);
            let [role, path, sha256] = [text()?, text()?, text()?];
            Ok(InputDigest { role, path, sha256 })
        })?;
        let providers = list(reader, 16, |reader| {
            let mut text = || reader.text().map(str::to_owned);
            Ok((text()?, text()?))
        })?;
        Ok(SnapshotOrigin {
            consort,
            target,
            cpu_features,
            libc,
            resolution,
            plan_hash,
            experiment_hash,
            inputs,
            providers,
        })
    }

    /// Reports everything that prevents a snapshot of this origin from being resumed `now`.
    pub fn compare(&self, now: &SnapshotOrigin, report: &mut Report) {
        self.compare_versions(now, report);
        self.compare_machines(now, report);
        let before = report.error_count();
        self.compare_inputs(now, report);
        self.compare_meaning(now, report.error_count() == before, report);
    }

    fn compare_versions(&self, now: &SnapshotOrigin, report: &mut Report) {
        if self.consort != now.consort {
            let (saved, here) = (&self.consort, &now.consort);
            let message = format!("the snapshot was saved by Consort {saved}; this is {here}");
            let help = format!("resume it with Consort {saved}, or {SAVE_AGAIN}");
            report.push(Diagnostic::error("snapshot::version", message).help(help));
        }
    }

    /// Our own arithmetic is the same on every machine of a platform; that of binaries may not be.
    fn compare_machines(&self, now: &SnapshotOrigin, report: &mut Report) {
        let mut notes = Vec::new();
        if self.target != now.target {
            notes.push(format!("platform: {}, now {}", self.target, now.target));
        }
        if self.has_binaries() {
            let lost = missing(&self.cpu_features, &now.cpu_features);
            let new = missing(&now.cpu_features, &self.cpu_features);
            for (word, features) in [("without", lost), ("with", new)] {
                if !features.is_empty() {
                    notes.push(format!("processor: now {word} {}", features.join(" ")));
                }
            }
            if self.libc != now.libc {
                notes.push(format!("C library: {}, now {}", self.libc, now.libc));
            }
        }
        if notes.is_empty() {
            return;
        }
        let message = "the snapshot was saved on another machine";
        let diagnostic = Diagnostic::error("snapshot::machine", message);
        let diagnostic = notes.into_iter().fold(diagnostic, Diagnostic::with_note);
        let help = format!("resume it on a machine like the one it was saved on, or {SAVE_AGAIN}");
        report.push(diagnostic.help(help));
    }

    fn has_binaries(&self) -> bool {
        let is_binary = |input: &InputDigest| ["fmu", "binary", "source"].contains(&&*input.role);
        self.inputs.iter().any(is_binary)
    }

    /// A file may have been moved, but must be the same; of the system file only what it means.
    fn compare_inputs(&self, now: &SnapshotOrigin, report: &mut Report) {
        let means_the_same = self.experiment_hash == now.experiment_hash;
        let counts = |input: &&InputDigest| !(means_the_same && input.role == "system");
        for old in self.inputs.iter().filter(counts) {
            let is_same = |new: &&InputDigest| new.role == old.role && new.sha256 == old.sha256;
            if now.inputs.iter().find(is_same).is_some() {
                continue;
            }
            let has_changed = |new: &InputDigest| new.role == old.role && new.path == old.path;
            let what = match now.inputs.iter().any(has_changed) {
                true => "has changed since the run was saved",
                false => "was part of the run that was saved, and is not here",
            };
            let message = format!("the {} `{}` {what}", name_of(&old.role), old.path);
            let help = format!("bring the file back, or {SAVE_AGAIN}");
            report.push(Diagnostic::error("snapshot::file", message).help(help));
        }
        for new in now.inputs.iter().filter(counts) {
            let is_known = |old: &InputDigest| {
                new.role == old.role && (new.sha256 == old.sha256 || new.path == old.path)
            };
            if !self.inputs.iter().any(is_known) {
                let (role, path) = (name_of(&new.role), &new.path);
                let message = format!("the {role} `{path}` was not part of the run that was saved");
                let help = format!("take it out of the system, or {SAVE_AGAIN}");
                report.push(Diagnostic::error("snapshot::file", message).help(help));
            }
        }
    }

    /// What one of them has saved no other can restore.
    fn compare_providers(&self, now: &SnapshotOrigin, report: &mut Report) {
        for ((component, saved), (_, here)) in self.providers.iter().zip(&now.providers) {
            if saved != here {
                let message = format!(
                    "the state of `{component}` was saved by `{saved}`, and is to be restored by `{here}`"
                );
                let help = format!("allow it with `--providers`, or give it `state = \"{saved}\"`");
                report.push(Diagnostic::error("snapshot::provider", message).help(help));
            }
        }
    }

    /// What follows from files that changed needs no message of its own.
    fn compare_meaning(&self, now: &SnapshotOrigin, files_are_same: bool, report: &mut Report) {
        if self.resolution != now.resolution {
            let (saved, here) = (&self.resolution, &now.resolution);
            let message = format!("a tick was {saved} when the run was saved, and is {here} now");
            let help = "a `--stop` or `--step` between two ticks changes their length: give \
                        `resolution` in `[experiment]`, or take a time on a tick";
            report.push(Diagnostic::error("snapshot::resolution", message).help(help));
        } else if files_are_same && self.plan_hash != now.plan_hash {
            let message = "the plan is not that of the run that was saved";
            report.push(
                Diagnostic::error("snapshot::plan", message)
                    .with_note(format!("{}, now {}", self.plan_hash, now.plan_hash))
                    .help("give the options of that run, which its manifest has"),
            );
        } else if files_are_same && self.providers != now.providers {
            self.compare_providers(now, report);
        } else if files_are_same && self.experiment_hash != now.experiment_hash {
            let message = "the experiment is not that of the run that was saved";
            report.push(
                Diagnostic::error("snapshot::experiment", message)
                    .with_note(format!("{}, now {}", self.experiment_hash, now.experiment_hash))
                    .help(
                        "give the options of that run, which its manifest has: `--set`, `--start`, `--seed`, \
                         `--tolerance` and `--solver` decide it; only `--stop` may differ",
                    ),
            );
        }
    }
}

fn name_of(role: &str) -> &str {
    match role {
        "fmu" => "FMU",
        "system" => "system file",
        "source" => "source file",
        "equations" => "file of equations",
        other => other,
    }
}

fn missing<'a>(of: &'a [String], from: &[String]) -> Vec<&'a str> {
    of.iter().filter(|feature| !from.contains(feature)).map(String::as_str).collect()
}

/// Items that take so many bytes at least.
fn list<T>(
    reader: &mut Reader<'_>,
    bytes_each: usize,
    mut read: impl FnMut(&mut Reader<'_>) -> Result<T, BytesError>,
) -> Result<Vec<T>, BytesError> {
    let count = reader.count(bytes_each)?;
    (0..count).map(|_| read(reader)).collect()
}
