//! Where files are that a file names.

pub(super) use crate::uri::decoded;

/// Why a source cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// The path is absolute.
    Absolute,
    /// It has a scheme: only other programs know what it is.
    Scheme,
    /// The reference is empty.
    Empty,
}

/// The path of a source from the root of the SSP, in its shortest form; `folder` is where the file
/// is that names it. A path that leaves the SSP starts with `..`.
pub(super) fn resolve(folder: &str, source: &str) -> Result<String, Fault> {
    let source = decoded(source.trim()).replace('\\', "/");
    let scheme = source.split(':').next().filter(|scheme| scheme.len() < source.len());
    let is_scheme = |scheme: &str| {
        !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    };
    let is_drive = |scheme: &str| scheme.len() == 1;
    if scheme.is_some_and(|scheme| is_scheme(scheme) && !is_drive(scheme)) {
        return Err(Fault::Scheme);
    }
    if scheme.is_some_and(is_scheme) || source.starts_with('/') {
        return Err(Fault::Absolute);
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(source.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    if parts.is_empty() || source.is_empty() {
        return Err(Fault::Empty);
    }
    Ok(parts.join("/"))
}

/// The folder of a path, or nothing.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path as a source: what means something to readers of URIs is escaped.
pub(super) fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/:+@,()".contains(&byte);
    let encode = |byte: u8| match byte {
        byte if plain(byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    path.bytes().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_found_from_the_file_that_names_them() {
        for (folder, source, expected) in [
            ("", "resources/a.fmu", Ok("resources/a.fmu")),
            ("sub", "./a.fmu", Ok("sub/a.fmu")),
            ("sub/sub", "../a.fmu", Ok("sub/a.fmu")),
            ("", "../a.fmu", Ok("../a.fmu")),
            ("", "a%20b.fmu", Ok("a b.fmu")),
            ("", "50%.fmu", Ok("50%.fmu")),
            ("", "resources\\a.fmu", Ok("resources/a.fmu")),
            ("", "file:///a.fmu", Err(Fault::Scheme)),
            ("", "proxyfmu://localhost?file=a.fmu", Err(Fault::Scheme)),
            ("", "C:\\a.fmu", Err(Fault::Absolute)),
            ("", "/a.fmu", Err(Fault::Absolute)),
            ("", "", Err(Fault::Empty)),
            ("sub", "", Err(Fault::Empty)),
            ("", "a/..", Err(Fault::Empty)),
        ] {
            assert_eq!(resolve(folder, source), expected.map(str::to_owned), "{source}");
        }
    }

    #[test]
    fn an_encoded_path_is_read_as_itself() {
        for path in ["resources/a b.fmu", "ä%20.fmu", "a#b?.fmu", "../x.fmu"] {
            assert_eq!(resolve("", &encoded(path)), Ok(path.to_owned()));
        }
    }
}
