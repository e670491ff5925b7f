//! Why a model could not be loaded.

use super::errors::interned;
use super::{Read, Reader, Writer};
use consort_core::{Diagnostic, Severity};

const SEVERITIES: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Error];

/// Places in sources are left out: the other process has other sources.
pub(crate) fn write_diagnostic(to: &mut Writer<'_>, diagnostic: &Diagnostic) {
    to.byte(diagnostic.severity as u8);
    to.text(diagnostic.code);
    to.text(&diagnostic.message);
    to.count(diagnostic.notes.len());
    diagnostic.notes.iter().for_each(|note| to.text(note));
    to.option(diagnostic.help.as_deref(), Writer::text);
}

pub(crate) fn read_diagnostic(from: &mut Reader<'_>) -> Read<Box<Diagnostic>> {
    let severity = from.choice(&SEVERITIES, "severity")?;
    let code = interned(from.text()?);
    let message = from.text()?;
    let mut diagnostic = Diagnostic { severity, ..Diagnostic::error(code, message) };
    for _ in 0..from.count(1)? {
        diagnostic.notes.push(from.text()?.to_owned());
    }
    diagnostic.help = from.option(Reader::text)?.map(str::to_owned);
    Ok(Box::new(diagnostic))
}

#[cfg(test)]
mod tests {
    use super::super::Place;
    use super::*;

    #[test]
    fn what_is_written_is_read_and_what_is_cut_off_is_refused() {
        let error = Diagnostic::error("fmi::no-python", "`gain.so` needs a Python interpreter");
        for diagnostic in [
            error.clone(),
            error.with_note("libpython3.11.so").with_note("libpython3.so").help("install it"),
            Diagnostic::warning("model::old", ""),
        ] {
            let mut place = [0; 256];
            let mut writer = Place::writer(&mut place);
            write_diagnostic(&mut writer, &diagnostic);
            let length = writer.sink().length().expect("there is room");
            let read = read_diagnostic(&mut Reader::bare(&place[..length]));
            assert_eq!(read.as_deref(), Ok(&diagnostic));
            for cut in 0..length {
                let read = read_diagnostic(&mut Reader::bare(&place[..cut]));
                assert!(read.is_err(), "{diagnostic:?} {cut}");
            }
        }
    }
}
