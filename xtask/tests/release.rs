//! What a build with `--release` must keep.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The release profile of the workspace, without those of packages.
fn release_profile(manifest: &str) -> &str {
    let begin = manifest.find("[profile.release]\n").expect("there is a release profile");
    let section = &manifest[begin..];
    section.find("\n[").map_or(section, |end| &section[..=end])
}

/// A small program with the workspace's profile, as the command line itself has no way to panic.
#[test]
fn panics_of_a_release_build_name_file_and_line() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    let manifest = fs::read_to_string(workspace).unwrap();
    let profile = release_profile(&manifest);
    assert!(!profile.contains("debug"), "debug information is not needed for it:\n{profile}");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("panics");
    fs::create_dir_all(folder.join("src")).unwrap();
    let package = "[package]\nname = \"panics\"\nedition = \"2024\"\n\n[workspace]\n\n";
    fs::write(folder.join("Cargo.toml"), format!("{package}{profile}")).unwrap();
    let program = "fn main() {\n    let none: Vec<u8> = std::env::args().skip(9).map(|_| 0).collect();\n    let _ = none[1];\n}\n";
    fs::write(folder.join("src/main.rs"), program).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["run", "--release", "--quiet", "--offline", "--target-dir", "target"])
        .current_dir(&folder)
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("panicked at src/main.rs:3:"), "{message}");
}
