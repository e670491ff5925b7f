//! What a worker finds around it: little, and the same each time.

use super::fixture::{Log, host, initialize, isolated, isolated_by, start};
use consort_host::{HostOptions, IsolatedInstance, ProcessLimits};
use consort_testkit::fmus::Fmi;
use std::fs;
use std::path::PathBuf;

fn worker() -> IsolatedInstance {
    let mut instance = start(&isolated("oscillator", Fmi::V2), &Log::default());
    initialize(&mut instance);
    instance
}

/// A file that the kernel keeps of a worker.
fn of(instance: &IsolatedInstance, name: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{}/{name}", instance.pid()))
}

fn text_of(instance: &IsolatedInstance, name: &str) -> String {
    String::from_utf8(fs::read(of(instance, name)).unwrap()).unwrap()
}

#[test]
fn only_its_channel_and_its_output_are_open() {
    // One that is open in this process, and shall not be there.
    let mine = fs::File::open("/dev/null").unwrap();
    let instance = worker();
    let mut open: Vec<String> = fs::read_dir(of(&instance, "fd"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let number = path.file_name().unwrap().to_string_lossy().into_owned();
            format!("{number} {}", fs::read_link(path).unwrap().display())
        })
        .collect();
    open.sort();
    drop(mine);
    let output = "/memfd:consort-output (deleted)";
    let expected = [
        "0 /dev/null".to_owned(),
        format!("1 {output}"),
        format!("2 {output}"),
        "3 /memfd:consort-channel (deleted)".to_owned(),
    ];
    assert_eq!(open, expected);
}

#[test]
fn its_environment_is_ours_to_say() {
    let instance = worker();
    let environment = text_of(&instance, "environ");
    let has = |line: &str| environment.split('\0').any(|known| known == line);
    assert!(has("OMP_THREAD_LIMIT=1") && has("PYTHONHASHSEED=0") && has("TZ=UTC"), "{environment}");
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    assert!(!environment.contains("CARGO"), "{environment}");
}

#[test]
fn it_works_in_an_empty_folder_that_goes_with_it() {
    let instance = worker();
    let folder = fs::read_link(of(&instance, "cwd")).unwrap();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    fs::write(folder.join("left-behind"), "by the model").unwrap();
    let other = worker();
    assert_ne!(fs::read_link(of(&other, "cwd")).unwrap(), folder);
    drop(instance);
    assert!(!folder.exists());
}

/// Where everything is mapped, but for what the kernel counts.
fn layout(instance: &IsolatedInstance) -> Vec<String> {
    let maps = text_of(instance, "maps");
    let lines = maps.lines().map(|line| {
        let mut words = line.split_whitespace();
        let (range, rights) = (words.next().unwrap(), words.next().unwrap());
        let path = words.nth(3).unwrap_or_default();
        format!("{range} {rights} {path}")
    });
    lines.collect()
}

#[test]
fn two_workers_have_everything_at_the_same_addresses() {
    let (one, other) = (worker(), worker());
    assert_eq!(layout(&one), layout(&other));
    assert!(layout(&one).iter().any(|line| line.starts_with("100000000000-")), "the channel");
}

#[test]
fn limits_are_kept() {
    let limits = ProcessLimits {
        address_space: Some(8 << 30),
        open_files: Some(77),
        ..ProcessLimits::default()
    };
    let model = isolated_by("oscillator", Fmi::V2, HostOptions { limits, ..host() });
    let instance = start(&model, &Log::default());
    let limits = text_of(&instance, "limits");
    let of = |name: &str| {
        let line = limits.lines().find(|line| line.starts_with(name)).unwrap();
        line[name.len()..].split_whitespace().next().unwrap().to_owned()
    };
    assert_eq!(of("Max open files"), "77");
    assert_eq!(of("Max address space"), (8_u64 << 30).to_string());
    assert_eq!(of("Max core file size"), "0");
}
