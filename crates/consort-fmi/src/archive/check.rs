//! What an archive's directory may and may not contain.

use super::copies::{look_same, two_entries};
use super::directory::ArchiveEntry;
use super::name::path_fault;
use super::{ArchiveLimits, Problem};
use crate::xml::shorten;
use consort_core::{Diagnostic, Report, Span};
use std::collections::BTreeMap;

/// The file that makes an archive an FMU.
const DESCRIPTION: &str = "modelDescription.xml";
/// How many problems of one archive are shown.
const PROBLEMS_MAX: usize = 20;

const FLAG_ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
pub(super) const METHOD_STORED: u16 = 0;
pub(super) const METHOD_DEFLATED: u16 = 8;

const MODE_KIND: u32 = 0o170_000;
const MODE_FILE: u32 = 0o100_000;
const MODE_FOLDER: u32 = 0o040_000;
const MODE_LINK: u32 = 0o120_000;

/// Looks over all entries; true if there is nothing to refuse.
pub(super) fn check(
    entries: &[ArchiveEntry],
    archive: &str,
    limits: &ArchiveLimits,
    span: Option<Span>,
    report: &mut Report,
) -> bool {
    let mut problems: Vec<Problem> =
        entries.iter().flat_map(|entry| entry_problems(entry, limits)).collect();
    problems.extend(total_problem(entries, limits));
    problems.extend(overlap_problem(entries));
    problems.extend(duplicate_problems(entries, limits));
    if problems.is_empty() && limits.needs_description {
        problems.extend(description_problem(entries));
    }
    warn(entries, archive, span, report);
    let count = problems.len();
    for problem in problems.into_iter().take(PROBLEMS_MAX) {
        report.push(problem.diagnostic(archive, span));
    }
    if PROBLEMS_MAX < count {
        let message = format!("`{archive}` has {} more problems", count - PROBLEMS_MAX);
        report.push(Diagnostic::note("archive::more", message));
    }
    count == 0
}

fn entry_problems(entry: &ArchiveEntry, limits: &ArchiveLimits) -> Vec<Problem> {
    let name = shorten(&entry.name);
    let mut problems = Vec::new();
    if let Some(fault) = path_fault(&entry.name, limits) {
        let what = format!("has an entry `{}` whose name {}", name.escape_debug(), fault.what);
        let help = match fault.escapes {
            true => "such a name could write outside of the FMU's folder; do not trust this file",
            false => "give the file a shorter name and pack the FMU again",
        };
        problems.push(Problem::new("archive::name", what, help));
    }
    problems.extend(kind_problem(entry, name));
    if entry.flags & FLAG_ENCRYPTED != 0 {
        let what = format!("has an encrypted entry `{name}`");
        let help = "unpack it with its password and pack it again without";
        problems.push(Problem::new("archive::encrypted", what, help));
    } else if entry.method != METHOD_STORED && entry.method != METHOD_DEFLATED {
        let method = method_name(entry.method);
        let what = format!("has an entry `{name}` compressed by {method}");
        let help = "FMI asks for stored or deflated entries; pack it again with plain `zip`";
        problems.push(Problem::new("archive::compression", what, help));
    }
    problems.extend(size_problem(entry, name, limits));
    problems
}

fn kind_problem(entry: &ArchiveEntry, name: &str) -> Option<Problem> {
    let folder_with_data = entry.is_folder() && entry.size != 0;
    match entry.mode & MODE_KIND {
        MODE_LINK => Some(Problem::new(
            "archive::link",
            format!("has a symbolic link `{name}`"),
            "a link could lead out of the FMU's folder; pack the file it points to instead",
        )),
        0 | MODE_FILE | MODE_FOLDER if !folder_with_data => None,
        0 | MODE_FILE | MODE_FOLDER => {
            Some(Problem::damaged(format!("has a folder `{name}` with content of its own")))
        }
        _ => Some(Problem::new(
            "archive::special",
            format!("has an entry `{name}` that is neither file nor folder"),
            "devices, pipes and sockets have no place in an FMU; do not trust this file",
        )),
    }
}

fn method_name(method: u16) -> String {
    match method {
        9 => "Deflate64".to_owned(),
        12 => "bzip2".to_owned(),
        14 => "LZMA".to_owned(),
        93 => "Zstandard".to_owned(),
        95 => "XZ".to_owned(),
        other => format!("method {other}"),
    }
}

fn size_problem(entry: &ArchiveEntry, name: &str, limits: &ArchiveLimits) -> Option<Problem> {
    let (size, packed) = (entry.size, entry.packed());
    if limits.entry_bytes_max < size {
        let what = format!(
            "has an entry `{name}` of {size} bytes; at most {} are unpacked",
            limits.entry_bytes_max
        );
        return Some(Problem::new(
            "archive::entry-size",
            what,
            "unpack it by hand if it is trusted",
        ));
    }
    if limits.ratio_floor_bytes < size && limits.ratio_max < size / packed.max(1) {
        let what = format!("has an entry `{name}` that would grow from {packed} to {size} bytes");
        let help = "this is how a zip bomb looks; unpack it by hand if it is trusted";
        return Some(Problem::new("archive::ratio", what, help));
    }
    if entry.method == METHOD_STORED && size != packed {
        let what = format!("has a stored entry `{name}` of {packed} bytes that claims {size}");
        return Some(Problem::new(
            "archive::size",
            what,
            "the file is damaged or malicious: export it again",
        ));
    }
    None
}

fn total_problem(entries: &[ArchiveEntry], limits: &ArchiveLimits) -> Option<Problem> {
    let total = entries.iter().fold(0u64, |total, entry| total.saturating_add(entry.size));
    (limits.total_bytes_max < total).then(|| {
        let most = limits.total_bytes_max;
        let what = format!("would unpack to {total} bytes; at most {most} are unpacked");
        Problem::new("archive::total-size", what, "unpack it by hand if it is trusted")
    })
}

/// Entries that share data are how a small archive unpacks to petabytes.
fn overlap_problem(entries: &[ArchiveEntry]) -> Option<Problem> {
    let mut order: Vec<&ArchiveEntry> = entries.iter().collect();
    order.sort_by_key(|entry| (entry.extent.start, entry.extent.end));
    let pair = order.windows(2).find(|pair| pair[1].extent.start < pair[0].extent.end)?;
    let (first, second) = (shorten(&pair[0].name), shorten(&pair[1].name));
    Some(Problem::new(
        "archive::overlap",
        format!("has entries `{first}` and `{second}` that share their data"),
        "no tool writes this by intention; do not trust this file",
    ))
}

fn duplicate_problems(entries: &[ArchiveEntry], limits: &ArchiveLimits) -> Vec<Problem> {
    let mut seen: BTreeMap<&str, &ArchiveEntry> = BTreeMap::new();
    let mut problems = Vec::new();
    for entry in entries {
        let path = entry.name.trim_end_matches('/');
        let first = *seen.entry(path).or_insert(entry);
        if !std::ptr::eq(first, entry) && !look_same(first, entry) {
            problems.push(two_entries(path));
        }
    }
    // Longer names are refused already, and each of their folders would be looked up.
    for entry in entries.iter().filter(|entry| entry.name.len() <= limits.name_bytes_max) {
        if let Some(file) = file_used_as_folder(&entry.name, &seen) {
            let what = format!("has `{}` as a file and as a folder", shorten(file));
            let help = "it is not clear which one is meant; pack the FMU again";
            problems.push(Problem::new("archive::duplicate", what, help));
        }
    }
    problems
}

fn file_used_as_folder<'a>(path: &'a str, seen: &BTreeMap<&str, &ArchiveEntry>) -> Option<&'a str> {
    let path = path.trim_end_matches('/');
    let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
    folders.into_iter().find(|folder| seen.get(folder).is_some_and(|entry| !entry.is_folder()))
}

fn description_problem(entries: &[ArchiveEntry]) -> Option<Problem> {
    if entries.iter().any(|entry| entry.name == DESCRIPTION) {
        return None;
    }
    let file_name = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    let names = || entries.iter().map(|entry| entry.name.as_str());
    let nested = names().find(|name| file_name(name) == DESCRIPTION);
    let other_case = names().find(|name| name.eq_ignore_ascii_case(DESCRIPTION));
    let help = match (nested, other_case) {
        (Some(nested), _) => format!(
            "there is `{}`: the archive has one folder too many; pack the content of that folder",
            shorten(nested)
        ),
        (None, Some(other)) => format!("there is `{other}`: rename it; case matters"),
        (None, None) => "an FMU has this file at its top; is this the right archive?".to_owned(),
    };
    Some(Problem::new("archive::no-description", format!("has no `{DESCRIPTION}`"), help))
}

/// What is accepted here but will bite elsewhere.
fn warn(entries: &[ArchiveEntry], archive: &str, span: Option<Span>, report: &mut Report) {
    let mut warn = |code, message, help| {
        report.push(Diagnostic::warning(code, message).maybe_at(span, "this archive").help(help));
    };
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    let clash = entries.iter().find_map(|entry| {
        let other = seen.insert(entry.name.to_lowercase(), &entry.name)?;
        (other != entry.name).then_some((other, entry.name.as_str()))
    });
    if let Some((first, second)) = clash {
        let (first, second) = (shorten(first), shorten(second));
        let message =
            format!("`{archive}` has entries `{first}` and `{second}` that differ only in case");
        let help = "on Windows and macOS one of them would overwrite the other; rename one";
        warn("archive::case", message, help);
    }
    if let Some(entry) = entries.iter().find(|entry| entry.had_backslash) {
        let name = shorten(&entry.name);
        let message = format!("`{archive}` has backslashes in names, as in that of `{name}`");
        let help = "they were read as `/`; other tools may not find these files: pack it again";
        warn("archive::backslash", message, help);
    }
    if let Some(entry) = entries.iter().find(|entry| entry.name_guessed) {
        let name = shorten(&entry.name);
        let message = format!("`{archive}` has an entry `{name}` whose name is not UTF-8");
        let help = "it was read as code page 437; name files in ASCII or UTF-8";
        warn("archive::name-encoding", message, help);
    }
}
