//! Files that decide what a model does, with their hashes.

use super::cache::unreadable;
use crate::request::ModelRequest;
use consort_core::Report;
use consort_core::bytes::hex;
use sha2::{Digest, Sha256};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// What a file is for a model.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum InputFileRole {
    /// An FMU archive, or the description of an unpacked one.
    Fmu,
    /// A shared library.
    Binary,
    /// A source file that was compiled.
    Source,
    /// The data of a `native:table`.
    Table,
    /// A model written as equations or in SBML.
    Equations,
    /// The interface of a program.
    Interface,
}

impl fmt::Display for InputFileRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InputFileRole::Fmu => "fmu",
            InputFileRole::Binary => "binary",
            InputFileRole::Source => "source",
            InputFileRole::Table => "table",
            InputFileRole::Equations => "equations",
            InputFileRole::Interface => "interface",
        })
    }
}

/// A file that decides what a model does; goes into the manifest of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputFile {
    /// As the user wrote it, or below what the user wrote: `tank.fmu/binaries/linux64/tank.so`.
    pub path: String,
    /// The SHA-256 of its bytes, in hex.
    pub sha256: String,
    /// What it is for the model.
    pub role: InputFileRole,
}

impl InputFile {
    pub(crate) fn of_bytes(path: &str, bytes: &[u8], role: InputFileRole) -> Self {
        InputFile { path: path.to_owned(), sha256: sha256(bytes), role }
    }
}

/// SHA-256 of some bytes, in hex.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// SHA-256 of a file, read in pieces: archives may be large.
pub(crate) fn sha256_of_file(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let (mut hasher, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok(hex(&hasher.finalize()));
        }
        hasher.update(&buffer[..count]);
    }
}

/// Every file below a folder: path below it with `/`, and hash; sorted. Hidden files (a `.git`, an
/// editor's) are no part of an FMU.
pub(crate) fn tree(folder: &Path) -> io::Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    walk(folder, "", DEPTH_MAX, &mut files)?;
    files.sort();
    Ok(files)
}

/// Most folders within folders: a link to a parent would never end.
const DEPTH_MAX: usize = 32;

fn walk(
    folder: &Path,
    prefix: &str,
    depth: usize,
    files: &mut Vec<(String, String)>,
) -> io::Result<()> {
    if depth == 0 {
        return Err(io::Error::other(format!("folders within folders, {DEPTH_MAX} deep")));
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        let (path, below) = (entry.path(), format!("{prefix}{name}"));
        if path.is_dir() {
            walk(&path, &format!("{below}/"), depth - 1, files)?;
        } else {
            files.push((below, sha256_of_file(&path)?));
        }
    }
    Ok(())
}

/// The hash of a list of files with their hashes, as `sha256sum` would print them.
pub(crate) fn sha256_of_tree(files: &[(String, String)]) -> String {
    let lines: String = files.iter().map(|(path, hash)| format!("{hash}  {path}\n")).collect();
    sha256(lines.as_bytes())
}

/// An FMU folder as one input.
pub(crate) fn of_folder(
    folder: &Path,
    request: &ModelRequest<'_>,
    report: &mut Report,
) -> Option<InputFile> {
    match tree(folder) {
        Ok(files) => Some(InputFile {
            path: request.model.to_owned(),
            sha256: sha256_of_tree(&files),
            role: InputFileRole::Fmu,
        }),
        Err(error) => {
            report.push(unreadable(request, &error));
            None
        }
    }
}

/// The binary of an FMU, in its folder or compiled elsewhere.
pub(crate) fn of_binary(
    binary: &Path,
    directory: &Path,
    request: &ModelRequest<'_>,
    report: &mut Report,
) -> Option<InputFile> {
    let below = binary.strip_prefix(directory).ok();
    let below = below.or_else(|| binary.file_name().map(Path::new)).unwrap_or(binary);
    let path = format!("{}/{}", request.model, below.display());
    match sha256_of_file(binary) {
        Ok(sha256) => Some(InputFile { path, sha256, role: InputFileRole::Binary }),
        Err(error) => {
            report.push(unreadable(request, &error));
            None
        }
    }
}
