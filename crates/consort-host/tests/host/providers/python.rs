//! FMUs with a whole Python inside: dictionaries, caches, garbage collection, lazy imports.

use super::{is_here, model_of};
use crate::fixture::{Log, get, initialize, set, start, step};
use consort_core::{Instance, LiveModel, Prng, Provider, Report, SavedState};
use consort_fmi::archive::{self, ArchiveLimits};
use consort_host::IsolatedInstance;
use consort_testkit::python;
use std::fs::File;
use std::path::{Path, PathBuf};

const POINTS: usize = 100;

struct Mixer {
    folder: PathBuf,
    input: u32,
    output: u32,
}

/// The archive unpacked, once for each test: workers load it from there.
fn mixer(archive: &Path, name: &str, [input, output]: [u32; 2]) -> Mixer {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python").join(name);
    // What an earlier run left there.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
    let mut report = Report::default();
    let file = File::open(archive).unwrap();
    assert!(archive::unpack(
        file,
        "mixer.fmu",
        &folder,
        &ArchiveLimits::default(),
        None,
        &mut report
    ));
    Mixer { folder, input, output }
}

impl Mixer {
    fn ready(&self, provider: Provider) -> IsolatedInstance {
        let mut instance = start(&model_of(&self.folder, provider), &Log::default());
        initialize(&mut instance);
        instance
    }

    fn go(&self, instance: &mut dyn Instance, steps: std::ops::Range<usize>) -> Vec<u64> {
        let mut seen = Vec::new();
        for index in steps {
            set(instance, self.input, index as f64 / 7.0);
            instance.step(&step(index as i64)).unwrap();
            seen.push(get(instance, self.output).to_bits());
        }
        seen
    }

    fn check(&self, provider: Provider) {
        if !is_here(provider) {
            return;
        }
        let expected = self.go(&mut self.ready(Provider::Native), 0..POINTS + 5);
        let mut instance = self.ready(provider);
        let mut saved: Vec<SavedState> = Vec::new();
        for index in 0..POINTS {
            saved.push(instance.save().unwrap());
            self.go(&mut instance, index..index + 1);
        }
        let seed = 11;
        let mut prng = Prng::new(seed);
        // Doing it all again takes a new Python each time.
        let trials = if provider == Provider::Replay { 3 } else { POINTS };
        for _ in 0..trials {
            let index = prng.below(POINTS as u64) as usize;
            instance.restore(&saved[index]).unwrap();
            assert_eq!(
                self.go(&mut instance, index..index + 5),
                expected[index..index + 5],
                "{provider}, seed {seed}: {index}"
            );
        }
        if provider == Provider::Image {
            let bytes = instance.serialize(&saved[50]).unwrap();
            let mut other = self.ready(provider);
            let state = other.deserialize(&bytes).unwrap();
            other.restore(&state).unwrap();
            assert_eq!(self.go(&mut other, 50..POINTS), expected[50..POINTS], "in another process");
        }
    }
}

/// These tools keep a second thread, which a copy of the process would not have.
fn check_fork_refuses(mixer: &Mixer) {
    let error = mixer.ready(Provider::Fork).save().map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("a second thread exists, which sleeps"), "{error}");
}

#[test]
fn pythonfmu_models_are_restored_exactly() {
    let mixer = mixer(&python::pythonfmu_archive(), "pythonfmu", [0, 2]);
    mixer.check(Provider::Image);
    mixer.check(Provider::Replay);
    check_fork_refuses(&mixer);
}

#[test]
fn pythonfmu3_models_are_restored_exactly() {
    let mixer = mixer(&python::pythonfmu3_archive(), "pythonfmu3", [1, 3]);
    mixer.check(Provider::Image);
    check_fork_refuses(&mixer);
}
