//! Packing files into archives, `.ssp` and `.fmu`: the same content gives the same bytes.

use crate::files::input_file::tree;
use crate::loader::supplied_sources;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{self, Cursor, Seek, Write};
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// A file or an FMU folder that goes into an archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Packed {
    /// Where it is now. An FMU folder becomes an archive.
    pub source: PathBuf,
    /// Its place in the archive, with `/`.
    pub path: String,
}

/// Why an archive could not be packed.
#[derive(Debug)]
#[non_exhaustive]
pub enum PackError {
    /// A file that belongs into it cannot be read.
    Unreadable {
        /// The file that cannot be read.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The archive cannot be written.
    Unwritable {
        /// The error of the operating system.
        error: io::Error,
    },
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackError::Unreadable { path, error } => {
                write!(f, "`{}` cannot be read: {error}", path.display())
            }
            PackError::Unwritable { error } => write!(f, "the archive cannot be written: {error}"),
        }
    }
}

impl std::error::Error for PackError {}

/// Packs files and resources into an archive, in the order of their paths and without dates.
///
/// # Errors
/// If a resource cannot be read, or the archive cannot be written.
pub fn write_archive(
    out: impl Write + Seek,
    files: &[(String, Vec<u8>)],
    resources: &[Packed],
) -> Result<(), PackError> {
    let mut all: BTreeMap<&str, PackedContent<'_>> = BTreeMap::new();
    for (path, bytes) in files {
        all.insert(path, PackedContent::Bytes(bytes));
    }
    for resource in resources {
        all.insert(&resource.path, PackedContent::Source(&resource.source));
    }
    let mut archive = ZipWriter::new(out);
    for (path, content) in all {
        match content {
            PackedContent::Bytes(bytes) => add(&mut archive, path, bytes)?,
            PackedContent::Source(source) => add(&mut archive, path, &resource_bytes(source)?)?,
        }
    }
    archive.finish().map_err(unwritable)?;
    Ok(())
}

/// The bytes of a resource as an archive holds them: of a file, or of an archive of an FMU folder.
///
/// # Errors
/// If it cannot be read.
pub fn resource_bytes(source: &Path) -> Result<Vec<u8>, PackError> {
    if !source.is_dir() {
        return fs::read(source).map_err(|error| unreadable(source, error));
    }
    let mut archive = Cursor::new(Vec::new());
    write_archive(&mut archive, &folder_files(source)?, &[])?;
    Ok(archive.into_inner())
}

/// The files of an FMU folder, with those of our own that it lists as sources and does not have: other tools
/// can compile it.
///
/// # Errors
/// If one cannot be read.
pub fn folder_files(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, PackError> {
    let supplied = supplied_sources(folder).into_iter();
    let mut files: Vec<(String, Vec<u8>)> =
        supplied.map(|(path, text)| (path, text.as_bytes().to_vec())).collect();
    for (path, _) in tree(folder).map_err(|error| unreadable(folder, error))? {
        let file = folder.join(&path);
        let bytes = fs::read(&file).map_err(|error| unreadable(&file, error))?;
        files.push((path, bytes));
    }
    Ok(files)
}

enum PackedContent<'c> {
    Bytes(&'c [u8]),
    Source(&'c Path),
}

fn add(
    archive: &mut ZipWriter<impl Write + Seek>,
    path: &str,
    bytes: &[u8],
) -> Result<(), PackError> {
    // Archives in archives would not become smaller.
    let is_packed = path.to_ascii_lowercase().ends_with(".fmu");
    let method = if is_packed { CompressionMethod::Stored } else { CompressionMethod::Deflated };
    let options = SimpleFileOptions::default()
        .compression_method(method)
        .last_modified_time(DateTime::default())
        .large_file(u32::try_from(bytes.len()).is_err());
    archive.start_file(path, options).map_err(unwritable)?;
    archive.write_all(bytes).map_err(|error| PackError::Unwritable { error })
}

fn unreadable(path: &Path, error: io::Error) -> PackError {
    PackError::Unreadable { path: path.to_owned(), error }
}

fn unwritable(error: zip::result::ZipError) -> PackError {
    PackError::Unwritable { error: error.into() }
}
