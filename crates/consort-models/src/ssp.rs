//! `.ssp` archives, unpacked into the cache, also those within others ([`Nested`]).
//!
//! [`SspFolder::open`] takes an archive or a folder with the same content and gives the folder where
//! everything is, so that `resources/tank.fmu` is found relative to it. Archives get the same
//! checks as FMUs. [`pack`](crate::pack) makes them.

use crate::files::cache::{unusable, work_folder};
use crate::files::input_file::sha256_of_file;
use consort_core::{Diagnostic, Report};
use consort_fmi::archive::{self, ArchiveLimits};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, Read as _};
use std::path::{Component, Path, PathBuf};

/// The structure that is meant if no variant is named.
const DEFAULT_STRUCTURE: &str = "SystemStructure.ssd";

/// The longest text of an SSP that is read.
const TEXT_BYTES_MAX: u64 = 64 << 20;

/// A folder with the content of an SSP.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SspFolder {
    /// Where everything is: sources are relative to this.
    pub root: PathBuf,
    /// Of the archive; `None` for a folder of the user's.
    pub sha256: Option<String>,
    /// The `.ssd` files at the top, the default one first; never empty.
    pub variants: Vec<String>,
    nested: RefCell<Nested>,
}

impl SspFolder {
    /// Opens a `.ssp` archive, unpacked into `ssp/HASH` of the cache unless it is there already, or
    /// a folder with an `.ssd` file in it.
    ///
    /// `None` if it cannot be used; everything wrong with it is in `report`.
    pub fn open(path: &Path, cache: &Path, report: &mut Report) -> Option<Self> {
        let name = path.display().to_string();
        let (root, sha256) = if path.is_dir() {
            (path.to_owned(), None)
        } else {
            let (root, hash) = unpack(path, &name, cache, report)?;
            (root, Some(hash))
        };
        let variants = match variants(&root) {
            Ok(variants) => variants,
            Err(error) => {
                report.push(unreadable(&name, &error));
                return None;
            }
        };
        if variants.is_empty() {
            report.push(no_structure(&name, &root));
            return None;
        }
        let nested = RefCell::new(Nested::new(cache));
        Some(SspFolder { root, sha256, variants, nested })
    }

    /// Whether a path looks like an SSP: an archive by its ending, a folder by what is in it.
    pub fn is_ssp(path: &Path) -> bool {
        let is_archive = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("ssp"));
        is_archive || path.is_dir() && path.join(DEFAULT_STRUCTURE).is_file()
    }

    /// A file of the SSP by its path below the root, with `/`; `None` if there is none. An archive in
    /// it is a folder to the path; what is wrong with that one goes to `report`. Of a file that is too
    /// long for a text of an SSP, only the beginning is read.
    pub fn read(&self, path: &str, report: &mut Report) -> Option<Vec<u8>> {
        let below = Path::new(path);
        let is_inside = below.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_inside {
            return None;
        }
        let real = self.nested.borrow_mut().located(&self.root.join(below), report)?;
        let file = File::open(real).ok()?;
        let mut bytes = Vec::new();
        // One more than is accepted, so that the parser sees that it is too long.
        file.take(TEXT_BYTES_MAX + 1).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

/// Most archives within archives.
const NESTED_MAX: usize = 16;

/// Archives within folders and other archives: a path that leads through one, such as
/// `resources/sub.ssp/resources/tank.fmu`, is a path in the cache. Each is unpacked once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nested {
    cache: PathBuf,
    /// Where archives are unpacked, by their own path; `None` for those that cannot be used.
    known: BTreeMap<PathBuf, Option<PathBuf>>,
}

impl Nested {
    /// Knows no archive yet; `cache` is where they are unpacked.
    pub fn new(cache: &Path) -> Self {
        Nested { cache: cache.to_owned(), known: BTreeMap::new() }
    }

    /// Where a path is that may lead through archives, whether there is something or not; `None` if
    /// an archive on the way cannot be used, and the report says why.
    pub fn located(&mut self, path: &Path, report: &mut Report) -> Option<PathBuf> {
        if path.exists() {
            return Some(path.to_owned());
        }
        let (mut real, mut shown) = (PathBuf::new(), PathBuf::new());
        let mut depth = 0;
        let mut parts = path.components().peekable();
        while let Some(part) = parts.next() {
            real.push(part);
            shown.push(part);
            // What leads up out of an archive leads nowhere.
            let leads_in = matches!(parts.peek(), Some(Component::Normal(_)));
            let is_archive = real.extension().is_some_and(|end| end.eq_ignore_ascii_case("ssp"));
            if !(leads_in && is_archive && real.is_file()) {
                continue;
            }
            depth += 1;
            if NESTED_MAX < depth {
                report.push(too_deep(&shown));
                return None;
            }
            real = self.unpacked(&real, &shown, report)?;
        }
        Some(real)
    }

    fn unpacked(&mut self, archive: &Path, shown: &Path, report: &mut Report) -> Option<PathBuf> {
        if let Some(known) = self.known.get(archive) {
            return known.clone();
        }
        let name = shown.display().to_string();
        let place = unpack(archive, &name, &self.cache, report).map(|(place, _)| place);
        self.known.insert(archive.to_owned(), place.clone());
        place
    }
}

fn too_deep(shown: &Path) -> Diagnostic {
    let message = format!("`{}` is in more than {NESTED_MAX} archives", shown.display());
    Diagnostic::error("ssp::limit", message).help("does an archive contain itself?")
}

fn unpack(path: &Path, name: &str, cache: &Path, report: &mut Report) -> Option<(PathBuf, String)> {
    let opened = sha256_of_file(path).and_then(|hash| Ok((hash, File::open(path)?)));
    let (hash, file) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            report.push(unreadable(name, &error));
            return None;
        }
    };
    let part = cache.join("ssp");
    let place = part.join(&hash);
    // Folders appear in the cache whole or not at all.
    if place.is_dir() {
        return Some((place, hash));
    }
    let unusable = |error: io::Error| unusable(&part, None, &error);
    let work = fs::create_dir_all(&part).and_then(|()| work_folder(&part));
    let work = work.map_err(|error| report.push(unusable(error))).ok()?;
    let unpacked = work.path().join("ssp");
    let limits = ArchiveLimits { needs_description: false, ..ArchiveLimits::default() };
    if !archive::unpack(BufReader::new(file), name, &unpacked, &limits, None, report) {
        return None;
    }
    match fs::rename(&unpacked, &place) {
        Err(error) if !place.is_dir() => {
            report.push(unusable(error));
            None
        }
        // Another process may have unpacked it first; its copy is the same.
        _ => Some((place, hash)),
    }
}

/// The `.ssd` files directly in a folder.
fn variants(folder: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".ssd") && entry.path().is_file() {
            found.push(name);
        }
    }
    found.sort_by_key(|name| (name != DEFAULT_STRUCTURE, name.clone()));
    Ok(found)
}

fn unreadable(name: &str, error: &io::Error) -> Diagnostic {
    Diagnostic::error("ssp::unreadable", format!("`{name}` cannot be read"))
        .with_note(error.to_string())
        .help("name a `.ssp` file, or a folder with `SystemStructure.ssd` in it")
}

fn no_structure(name: &str, root: &Path) -> Diagnostic {
    let folders = fs::read_dir(root).into_iter().flatten().flatten();
    let mut inner = folders.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let inner = inner.find(|inner| root.join(inner).join(DEFAULT_STRUCTURE).is_file());
    let help = match inner {
        Some(inner) => {
            format!("there is one in `{inner}`: pack what is in that folder, not the folder itself")
        }
        None => format!("an SSP has `{DEFAULT_STRUCTURE}` at its top"),
    };
    Diagnostic::error("ssp::no-structure", format!("`{name}` has no `.ssd` file at its top"))
        .help(help)
}
