//! Unpacking `.fmu` archives, with every entry treated as hostile.
//!
//! An archive is looked over as a whole before anything is written: names, links, sizes, overlaps.
//! Everything wrong with it is reported at once. Sizes are counted while inflating and never
//! believed. [`unpack`] writes into a folder beside its destination and renames it at the end, so a
//! refused archive leaves nothing behind.
//!
//! The reader is our own, because it must see what libraries hide: two entries of one name (which
//! may stay only if they are the same), two
//! entries sharing data, a local header that disagrees with the directory.

mod check;
mod copies;
mod directory;
mod inflate;
mod name;
mod write;

use consort_core::{Diagnostic, Report, Span};
use directory::ArchiveEntry;
pub(crate) use name::{path_fault, plain};
use std::io::{Read, Seek};
use std::path::Path;

/// Most entries in an archive; real FMUs with many resources have a few thousand.
pub const ENTRIES_MAX: usize = 20_000;
/// Most bytes of one entry, unpacked.
pub const ENTRY_BYTES_MAX: u64 = 2 << 30;
/// Most bytes of all entries together, unpacked.
pub const TOTAL_BYTES_MAX: u64 = 4 << 30;
/// How many times larger than packed an entry may be; measured data reaches 50.
pub const RATIO_MAX: u64 = 250;
/// Entries of fewer bytes than this may have any ratio: a file of zeros is no bomb.
pub const RATIO_FLOOR_BYTES: u64 = 16 << 20;
/// Longest name of an entry, in bytes.
pub const NAME_BYTES_MAX: usize = 1024;
/// Most folders within folders.
pub const DEPTH_MAX: usize = 32;

/// What an archive may ask for at most, and must have. The defaults are generous for real FMUs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArchiveLimits {
    /// Entries in the archive: [`ENTRIES_MAX`].
    pub entries_max: usize,
    /// Unpacked bytes of one entry: [`ENTRY_BYTES_MAX`].
    pub entry_bytes_max: u64,
    /// Unpacked bytes of all entries: [`TOTAL_BYTES_MAX`].
    pub total_bytes_max: u64,
    /// Unpacked to packed size of one entry, from `ratio_floor_bytes` on: [`RATIO_MAX`].
    pub ratio_max: u64,
    /// Below this unpacked size the ratio does not matter: [`RATIO_FLOOR_BYTES`].
    pub ratio_floor_bytes: u64,
    /// Bytes of a name: [`NAME_BYTES_MAX`].
    pub name_bytes_max: usize,
    /// Folders within folders: [`DEPTH_MAX`].
    pub depth_max: usize,
    /// `modelDescription.xml` must be at the top, as in an FMU.
    pub needs_description: bool,
}

impl Default for ArchiveLimits {
    fn default() -> Self {
        ArchiveLimits {
            entries_max: ENTRIES_MAX,
            entry_bytes_max: ENTRY_BYTES_MAX,
            total_bytes_max: TOTAL_BYTES_MAX,
            ratio_max: RATIO_MAX,
            ratio_floor_bytes: RATIO_FLOOR_BYTES,
            name_bytes_max: NAME_BYTES_MAX,
            depth_max: DEPTH_MAX,
            needs_description: true,
        }
    }
}

/// An archive whose directory was checked and found harmless.
pub struct Archive<R> {
    input: R,
    name: String,
    span: Option<Span>,
    entries: Vec<ArchiveEntry>,
}

impl<R: Read + Seek> Archive<R> {
    /// Reads the directory and looks over every entry; `None` if anything is wrong with it.
    ///
    /// `name` is the archive as the user knows it; `span` is where the user named it, if that was
    /// in a file.
    pub fn open(
        mut input: R,
        name: &str,
        limits: &ArchiveLimits,
        span: Option<Span>,
        report: &mut Report,
    ) -> Option<Self> {
        let entries = match directory::read(&mut input, limits) {
            Ok(entries) => entries,
            Err(problem) => {
                report.push(problem.diagnostic(name, span));
                return None;
            }
        };
        let mut archive = Archive { input, name: name.to_owned(), span, entries };
        let is_good = check::check(&archive.entries, name, limits, span, report);
        (is_good && archive.drop_copies(report)).then_some(archive)
    }

    /// Keeps one of entries that are the same; false, with a diagnostic, if they are not.
    fn drop_copies(&mut self, report: &mut Report) -> bool {
        let copied = match copies::remove(&mut self.input, &mut self.entries) {
            Ok(copied) => copied,
            Err(problem) => {
                report.push(problem.diagnostic(&self.name, self.span));
                return false;
            }
        };
        if let Some(first) = copied.first() {
            let (first, count) = (crate::xml::shorten(first), copied.len());
            let what = format!("`{}` has {count} entries twice, such as `{first}`", self.name);
            let message = format!("{what}; each has the same content");
            report.push(Diagnostic::note("archive::copies", message));
        }
        true
    }

    /// The names of all files and folders, in the archive's order; folders end with `/`.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    /// The content of a file; `None`, with a diagnostic, if it is absent or damaged.
    pub fn read(&mut self, entry: &str, report: &mut Report) -> Option<Vec<u8>> {
        let Some(found) = self.entries.iter().find(|candidate| candidate.name == entry) else {
            let message = format!("`{}` has no file `{entry}`", self.name);
            let names = self.entries.iter().map(|entry| entry.name.as_str());
            let nearest = consort_core::diagnostic::nearest_name(entry, names);
            let help = nearest.map_or_else(
                || "look at what the archive contains with `unzip -l`".to_owned(),
                |nearest| format!("did you mean `{nearest}`?"),
            );
            let diagnostic = Diagnostic::error("archive::no-entry", message);
            report.push(diagnostic.maybe_at(self.span, "this archive").help(help));
            return None;
        };
        let mut content = Vec::new();
        match inflate::inflate(&mut self.input, found, &mut content) {
            Ok(()) => Some(content),
            Err(problem) => {
                report.push(problem.diagnostic(&self.name, self.span));
                None
            }
        }
    }

    /// Writes every entry below `destination`, which must not exist; all of it or nothing.
    ///
    /// If another process made the same folder meanwhile, that one is kept. Modes are ignored: a
    /// shared object needs no permission to be executed.
    pub fn unpack(&mut self, destination: &Path, report: &mut Report) -> bool {
        let outcome = write::unpack(&mut self.input, &self.entries, destination);
        outcome.map_err(|problem| report.push(problem.diagnostic(&self.name, self.span))).is_ok()
    }
}

/// Looks over an archive and unpacks it into `destination`, which must not exist.
///
/// True if it is all there; else everything wrong is in `report` and nothing was left behind.
pub fn unpack(
    archive: impl Read + Seek,
    name: &str,
    destination: &Path,
    limits: &ArchiveLimits,
    span: Option<Span>,
    report: &mut Report,
) -> bool {
    Archive::open(archive, name, limits, span, report)
        .is_some_and(|mut archive| archive.unpack(destination, report))
}

/// Looks over an archive and reads one file of it into memory.
pub fn read_entry(
    archive: impl Read + Seek,
    name: &str,
    entry: &str,
    limits: &ArchiveLimits,
    report: &mut Report,
) -> Option<Vec<u8>> {
    Archive::open(archive, name, limits, None, report)?.read(entry, report)
}

/// What is wrong with an archive, before it is known which archive that was.
struct Problem {
    code: &'static str,
    /// What is wrong, about "it": `ends in the middle of an entry`.
    what: String,
    help: String,
}

impl Problem {
    fn new(code: &'static str, what: impl Into<String>, help: impl Into<String>) -> Self {
        Problem { code, what: what.into(), help: help.into() }
    }

    /// Something that a correct tool never writes and a broken download may bring about.
    fn damaged(what: impl Into<String>) -> Self {
        Problem::new("archive::damaged", what, "the file is damaged: copy or export it again")
    }

    fn diagnostic(self, archive: &str, span: Option<Span>) -> Diagnostic {
        Diagnostic::error(self.code, format!("`{archive}` {}", self.what))
            .maybe_at(span, "this archive")
            .help(self.help)
    }
}
