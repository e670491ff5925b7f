//! States that are saved from outside: as images of memory, as copies of processes, as what was done.

mod bytes;
mod exact;
mod hazards;
mod python;

use super::fixture::{self, Log, initialize, set, set_whole, start, step};
use consort_core::{Instance, Provider, Report};
use consort_fmi::fmu::Fmu;
use consort_host::{IsolatedInstance, IsolatedModel};
use consort_testkit::fmus::{BuildOptions, Fmi, build};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Where the model `hidden` has its state.
const KINDS: [&str; 8] = ["static", "heap", "blocks", "growth", "table", "delay", "file", "purge"];
/// The one that reads a file.
const FILE: usize = 6;
const U: u32 = 1;
const KIND: u32 = 2;
const Y: u32 = 4;

/// Whether states can be saved like this here: older kernels have no images.
fn is_here(provider: Provider) -> bool {
    provider != Provider::Image || consort_host::image_support().is_ok()
}

/// The FMU in that folder, with states by that provider.
fn model_of(folder: &Path, provider: Provider) -> IsolatedModel {
    let fmu = Fmu::open(folder, "test.fmu", None, &mut Report::default()).unwrap();
    let recipe = folder.to_str().unwrap().as_bytes().to_vec();
    let description = fmu.description().model.clone();
    IsolatedModel::new(description, recipe, Arc::new(fixture::host()), provider)
}

/// A test model of ours that is configured by parameters, initialized.
fn ready(name: &str, fmi: Fmi, provider: Provider, kind: usize) -> IsolatedInstance {
    let folder = build(name, fmi, &BuildOptions::binary());
    let mut instance = start(&model_of(&folder, provider), &Log::default());
    set_whole(&mut instance, KIND, kind.try_into().unwrap());
    initialize(&mut instance);
    instance
}

/// Steps on; what comes out on the way, as bits. What goes in depends on the step and on `disturbance`.
fn go(instance: &mut dyn Instance, steps: Range<i64>, disturbance: f64) -> Vec<u64> {
    let mut seen = Vec::new();
    for index in steps {
        let input = (index * 37 % 101) as f64 / 10.0 + disturbance;
        set(instance, U, input);
        instance.step(&step(index)).unwrap();
        seen.push(fixture::get(instance, Y).to_bits());
    }
    seen
}
