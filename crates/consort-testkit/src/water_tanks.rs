//! FMUs in the manner of 20-sim and Overture: see `fmus/water-tanks`.

use crate::{archive, cache, process};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Archive, description and source.
const FMUS: [(&str, &str, &str); 5] = [
    ("singlewatertank-20sim", "singlewatertank.xml", "singlewatertank.c"),
    ("watertankcontroller-c", "watertankcontroller.xml", "controller.c"),
    ("threewatertank1", "threewatertank1.xml", "threewatertank1.c"),
    ("threewatertank2", "threewatertank2.xml", "threewatertank2.c"),
    ("threewatertankcontroller-c", "threewatertankcontroller.xml", "controller.c"),
];

/// Not with `-lm`: the generators leave that to the program that loads the FMU.
const FLAGS: [&str; 8] =
    ["-shared", "-fPIC", "-O2", "-std=c99", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"];

/// Makes the FMU `NAME.fmu`; its path.
///
/// # Panics
/// If there is no such FMU, or it does not compile.
pub fn build(name: &str) -> PathBuf {
    let found = FMUS.iter().find(|(known, ..)| *known == name);
    let (_, description, source) = found.unwrap_or_else(|| panic!("there is no FMU `{name}`"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fmus/water-tanks");
    let read = |file: &str| fs::read(folder.join(file)).expect("it is part of this crate");
    let (description, code, glue) = (read(description), read(source), read("glue.h"));
    let key = cache::key([description.as_slice(), &code, &glue]);
    let make = |out: &Path| {
        let library = out.join("library.so");
        let headers = cache::workspace().join("crates/consort-fmi/include");
        let mut compiler = Command::new("cc");
        compiler.current_dir(&folder).args(FLAGS).arg("-idirafter").arg(headers);
        process::run(compiler.arg(source).arg("-o").arg(&library));
        let binary = fs::read(&library).expect("it was compiled just now");
        fs::remove_file(&library).expect("it was compiled just now");
        let files = BTreeMap::from([
            ("modelDescription.xml".to_owned(), description.clone()),
            (format!("binaries/linux64/{name}.so"), binary),
        ]);
        archive::write(&out.join(format!("{name}.fmu")), &files);
    };
    cache::folder(name, &key, make).join(format!("{name}.fmu"))
}
