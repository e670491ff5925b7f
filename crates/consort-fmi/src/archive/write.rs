//! Writing an archive's entries: into a folder beside the destination, renamed when complete.

use super::directory::ArchiveEntry;
use super::{Problem, inflate};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Unpacks everything or nothing.
pub(super) fn unpack(
    input: &mut (impl Read + Seek),
    entries: &[ArchiveEntry],
    destination: &Path,
) -> Result<(), Problem> {
    if destination.exists() {
        return Err(occupied(destination));
    }
    let staging = staging_folder(destination).map_err(|error| unwritable(&error))?;
    let outcome = write_all(input, entries, &staging).and_then(|()| settle(&staging, destination));
    if outcome.is_err() {
        // The first failure is the one to report; a folder that cannot be removed either is
        // where it was unwritable in the first place.
        let _ = fs::remove_dir_all(&staging);
    }
    outcome
}

/// A new folder beside the destination, so that renaming stays within one file system.
fn staging_folder(destination: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let parent = destination.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    fs::create_dir_all(parent)?;
    let name = destination.file_name().unwrap_or_default().to_string_lossy();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let staging = parent.join(format!(".{name}.unpacking-{}-{count}", std::process::id()));
    fs::create_dir(&staging)?;
    Ok(staging)
}

fn write_all(
    input: &mut (impl Read + Seek),
    entries: &[ArchiveEntry],
    folder: &Path,
) -> Result<(), Problem> {
    for entry in entries {
        // `check` has seen to it that the name stays below the folder.
        let path = folder.join(&entry.name);
        if entry.is_folder() {
            fs::create_dir_all(&path).map_err(|error| unwritable(&error))?;
            continue;
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| unwritable(&error))?;
        }
        let mut output = BufWriter::new(create(&path).map_err(|error| unwritable(&error))?);
        inflate::inflate(input, entry, &mut output)?;
        output.flush().map_err(|error| unwritable(&error))?;
    }
    Ok(())
}

#[cfg(unix)]
fn create(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new().write(true).create_new(true).mode(0o644).open(path)
}

#[cfg(not(unix))]
fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Gives the complete folder its name; if another process was faster, its folder is as good.
fn settle(staging: &Path, destination: &Path) -> Result<(), Problem> {
    match fs::rename(staging, destination) {
        Ok(()) => Ok(()),
        Err(_) if destination.join("modelDescription.xml").is_file() => {
            fs::remove_dir_all(staging).map_err(|error| unwritable(&error))
        }
        Err(error) => Err(unwritable(&error)),
    }
}

fn occupied(destination: &Path) -> Problem {
    Problem::new(
        "archive::destination",
        format!("is to be unpacked into `{}`, which exists", destination.display()),
        "remove that folder or choose another",
    )
}

pub(super) fn unwritable(error: &io::Error) -> Problem {
    Problem::new(
        "archive::unwritable",
        format!("cannot be unpacked: {error}"),
        "check the free space and the permissions of the destination",
    )
}
