//! Why a binary could not be loaded.

use super::errors::interned;
use super::{Reader, Writer};
use crate::fmu::LoadError;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

pub(crate) fn write_load_error(to: &mut Writer<'_>, error: &LoadError) {
    match error {
        LoadError::MissingFunction { library, function, interface } => {
            begin(to, 0, library);
            to.text(function);
            to.text(interface);
        }
        LoadError::UnresolvedSymbol { library, symbol } => {
            begin(to, 1, library);
            to.text(symbol);
        }
        LoadError::MissingLibrary { library, needs } => {
            begin(to, 2, library);
            to.text(needs);
        }
        LoadError::NoPython { library, tried } => {
            begin(to, 3, library);
            to.count(tried.len());
            tried.iter().for_each(|line| to.text(line));
        }
        LoadError::NotALibrary { library, reason } => {
            begin(to, 4, library);
            to.text(reason);
        }
        // Which interfaces and binaries there are is known before a worker is started.
        LoadError::NoCoSimulation { .. }
        | LoadError::NoModelExchange { .. }
        | LoadError::NoBinary { .. } => {
            begin(to, 4, Path::new(""));
            to.text(&error.to_string());
        }
    }
}

fn begin(to: &mut Writer<'_>, code: u8, library: &Path) {
    to.byte(code);
    to.bytes(library.as_os_str().as_bytes());
}

pub(crate) fn read_load_error(from: &mut Reader<'_>) -> Option<LoadError> {
    let code = from.byte()?;
    let library = PathBuf::from(OsStr::from_bytes(from.bytes()?));
    Some(match code {
        0 => {
            let (function, interface) = (interned(from.text()?), interned(from.text()?));
            LoadError::MissingFunction { library, function, interface }
        }
        1 => LoadError::UnresolvedSymbol { library, symbol: from.text()?.to_owned() },
        2 => LoadError::MissingLibrary { library, needs: from.text()?.to_owned() },
        3 => {
            let mut tried = Vec::new();
            for _ in 0..from.count()? {
                tried.push(from.text()?.to_owned());
            }
            LoadError::NoPython { library, tried }
        }
        4 => LoadError::NotALibrary { library, reason: from.text()?.to_owned() },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_what_is_cut_off_is_refused() {
        let library = || PathBuf::from("/cache/a b/gain.so");
        for error in [
            LoadError::MissingFunction {
                library: library(),
                function: "fmi2DoStep",
                interface: "Co-Simulation",
            },
            LoadError::UnresolvedSymbol { library: library(), symbol: "sin_".to_owned() },
            LoadError::MissingLibrary { library: library(), needs: "libx.so.3".to_owned() },
            LoadError::NoPython { library: library(), tried: vec!["a".into(), "b".into()] },
            LoadError::NotALibrary { library: library(), reason: "too short".to_owned() },
        ] {
            let mut place = [0; 256];
            let mut writer = Writer::new(&mut place);
            write_load_error(&mut writer, &error);
            let length = writer.finish().expect("there is room");
            assert_eq!(read_load_error(&mut Reader::new(&place[..length])), Some(error.clone()));
            for cut in 0..length {
                assert_eq!(read_load_error(&mut Reader::new(&place[..cut])), None, "{error} {cut}");
            }
        }
    }
}
